//! Packs: many objects in one file, with an index beside it. Only what is asked for is read.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::ids::{Id, OBJECT_CAP_BYTES, ObjectKind};
use super::reading::{Allowance, bytes_at, damaged, open, unpacked};

/// What an index of version 2 begins with.
const HEAD: &[u8] = b"\xfftOc\x00\x00\x00\x02";

/// Where the names in an index begin.
const NAMES_AT: u64 = (HEAD.len() + 4 * 256) as u64;

/// One pack.
#[derive(Clone)]
pub(super) struct Pack {
    /// The file of the index.
    pub index: PathBuf,
    /// How long a name is, in bytes.
    pub name_len: usize,
    /// How many names begin with each byte or a smaller one, once that was read.
    pub fan: OnceLock<Vec<u32>>,
}

/// One object as a pack has it.
pub(super) enum Entry {
    Whole(ObjectKind, Vec<u8>),
    /// What makes it from the object at this place of the pack.
    OnOffset(u64, Vec<u8>),
    /// What makes it from another object.
    OnObject(Id, Vec<u8>),
}

/// What stands before the content of an object.
struct Head {
    kind: u8,
    /// The size of the content, in bytes, as it says itself.
    size: usize,
    /// Where the object is that a delta at an offset is made from.
    base: u64,
    /// The name of the object that another delta is made from.
    name: Vec<u8>,
    /// Where the content begins.
    begins: u64,
}

impl Pack {
    /// Where in the pack an object is.
    pub fn find(&self, id: &Id, allowance: &Allowance) -> Result<Option<u64>, String> {
        self.named(|| {
            let (low, high) = range(self.fan(allowance)?, &id.0);
            if low >= high {
                return Ok(None);
            }
            let index = Index::open(self, allowance)?;
            let at = index.first_not_below(&id.0)?;
            if at < index.count && index.name(at)? == id.0 { index.offset(at).map(Some) } else { Ok(None) }
        })
    }

    /// The objects whose names begin so; no more than two.
    pub fn with_prefix(&self, hex: &str, allowance: &Allowance) -> Result<Vec<Id>, String> {
        self.named(|| {
            let index = Index::open(self, allowance)?;
            let mut lowest = hex.to_owned();
            lowest.extend(std::iter::repeat_n('0', 2 * self.name_len - hex.len()));
            let Some(lowest) = Id::from_hex(&lowest) else { return Ok(Vec::new()) };
            let first = index.first_not_below(&lowest.0)?;
            let mut found = Vec::new();
            for at in first..index.count.min(first.saturating_add(2)) {
                let id = Id(index.name(at)?);
                if id.to_string().starts_with(hex) {
                    found.push(id);
                }
            }
            Ok(found)
        })
    }

    /// The object at a place of the pack.
    pub fn entry(&self, offset: u64, allowance: &Allowance) -> Result<Entry, String> {
        self.named(|| {
            let (pack, head) = self.head(offset, allowance)?;
            if head.size > OBJECT_CAP_BYTES {
                return Err(io::Error::other(format!("an object of {} bytes, more than Briefing reads", head.size)));
            }
            let content = unpacked(&pack, head.begins, head.size + 1, allowance)?;
            if content.len() != head.size {
                return Err(damaged());
            }
            Ok(match head.kind {
                1 => Entry::Whole(ObjectKind::Commit, content),
                2 => Entry::Whole(ObjectKind::Tree, content),
                3 => Entry::Whole(ObjectKind::Blob, content),
                4 => Entry::Whole(ObjectKind::Tag, content),
                6 => Entry::OnOffset(head.base, content),
                7 => Entry::OnObject(Id(head.name), content),
                _ => return Err(damaged()),
            })
        })
    }

    /// The size of the object at a place of the pack, in bytes, as it says itself.
    pub fn size(&self, offset: u64, allowance: &Allowance) -> Result<usize, String> {
        self.named(|| {
            let (pack, head) = self.head(offset, allowance)?;
            if head.kind < 6 {
                return Ok(head.size);
            }
            let start = unpacked(&pack, head.begins, 20, allowance)?;
            Ok(sizes(&mut start.into_iter()).ok_or_else(damaged)?.1)
        })
    }

    fn head(&self, offset: u64, allowance: &Allowance) -> io::Result<(File, Head)> {
        let pack = open(&self.index.with_extension("pack"), allowance)?;
        // A size, and a name or a distance.
        let head = bytes_at(&pack, offset, 64)?;
        let mut bytes = head.iter().copied();
        let mut next = || bytes.next().ok_or_else(damaged);
        let first = next()?;
        let (kind, mut size, mut shift) = ((first >> 4) & 7, usize::from(first & 0x0f), 4);
        let mut byte = first;
        while byte & 0x80 != 0 {
            byte = next()?;
            size |= usize::from(byte & 0x7f).checked_shl(shift).ok_or_else(damaged)?;
            shift += 7;
        }
        let (mut base, mut name) = (0, Vec::new());
        if kind == 6 {
            let mut byte = next()?;
            let mut distance = u64::from(byte & 0x7f);
            while byte & 0x80 != 0 {
                byte = next()?;
                distance = distance.checked_add(1).and_then(|it| it.checked_mul(128)).ok_or_else(damaged)?;
                distance |= u64::from(byte & 0x7f);
            }
            base = offset.checked_sub(distance).filter(|base| *base < offset).ok_or_else(damaged)?;
        } else if kind == 7 {
            name = (0..self.name_len).map(|_| next()).collect::<io::Result<_>>()?;
        }
        let begins = offset + (head.len() - bytes.len()) as u64;
        Ok((pack, Head { kind, size, base, name, begins }))
    }

    fn fan(&self, allowance: &Allowance) -> io::Result<&[u32]> {
        if let Some(fan) = self.fan.get() {
            return Ok(fan);
        }
        let head = bytes_at(&open(&self.index, allowance)?, 0, HEAD.len() + 4 * 256)?;
        let fan = head.strip_prefix(HEAD).filter(|fan| fan.len() == 4 * 256);
        let fan = fan.ok_or_else(|| io::Error::other("an index of an unknown version"))?;
        Ok(self.fan.get_or_init(|| fan.chunks_exact(4).map(big_endian).collect()))
    }

    /// What `look` finds, or an error that names the pack.
    fn named<T>(&self, look: impl FnOnce() -> io::Result<T>) -> Result<T, String> {
        look().map_err(|error| format!("{}: {error}", self.index.display()))
    }
}

/// From where to where the names stand that begin with the first byte of this one.
fn range(fan: &[u32], name: &[u8]) -> (u32, u32) {
    let byte = usize::from(name.first().copied().unwrap_or(0));
    (if byte == 0 { 0 } else { fan[byte - 1] }, fan[byte])
}

/// The sizes that stand at the beginning of a delta, in bytes: of what it is made from, and of what it makes.
pub(super) fn sizes(delta: &mut impl Iterator<Item = u8>) -> Option<(usize, usize)> {
    Some((number(delta)?, number(delta)?))
}

/// A number, seven bits a byte.
fn number(bytes: &mut impl Iterator<Item = u8>) -> Option<usize> {
    let (mut value, mut shift) = (0_usize, 0);
    loop {
        let byte = bytes.next()?;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
}

/// The index of a pack: the names in their order, and where their objects are.
struct Index<'a> {
    file: File,
    fan: &'a [u32],
    count: u32,
    name_len: usize,
}

impl Index<'_> {
    fn open<'a>(pack: &'a Pack, allowance: &Allowance) -> io::Result<Index<'a>> {
        let fan = pack.fan(allowance)?;
        let count = fan.last().copied().unwrap_or(0);
        Ok(Index { file: open(&pack.index, allowance)?, fan, count, name_len: pack.name_len })
    }

    fn name(&self, at: u32) -> io::Result<Vec<u8>> {
        self.exactly(NAMES_AT + u64::from(at) * self.name_len as u64, self.name_len)
    }

    /// The first name that is not smaller.
    fn first_not_below(&self, wanted: &[u8]) -> io::Result<u32> {
        let (mut low, mut high) = range(self.fan, wanted);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.name(middle)?.as_slice() < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    fn offset(&self, at: u32) -> io::Result<u64> {
        let count = u64::from(self.count);
        let offsets = NAMES_AT + count * (self.name_len as u64 + 4);
        let small = big_endian(&self.exactly(offsets + u64::from(at) * 4, 4)?);
        if small & 0x8000_0000 == 0 {
            return Ok(u64::from(small));
        }
        // Beyond 2 GiB they stand in a table of their own.
        let large = self.exactly(offsets + count * 4 + u64::from(small & 0x7fff_ffff) * 8, 8)?;
        Ok(u64::from(big_endian(&large[..4])) << 32 | u64::from(big_endian(&large[4..])))
    }

    fn exactly(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let bytes = bytes_at(&self.file, at, len)?;
        if bytes.len() == len { Ok(bytes) } else { Err(damaged()) }
    }
}

fn big_endian(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |value, byte| value << 8 | u32::from(*byte))
}
