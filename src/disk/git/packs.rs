//! Reads packs, which hold many objects in one file with an index beside it. Reads only the required parts.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::ids::{Id, OBJECT_CAP_BYTES, ObjectKind};
use super::reading::{Allowance, bytes_at, damaged, open, unpacked};

/// Start of an index of version 2.
const HEAD: &[u8] = b"\xfftOc\x00\x00\x00\x02";

/// Offset of the names in an index.
const NAMES_AT: u64 = (HEAD.len() + 4 * 256) as u64;

/// One pack.
#[derive(Clone)]
pub(super) struct Pack {
    /// Path of the index.
    pub index: PathBuf,
    /// Length of an object name, in bytes.
    pub name_len: usize,
    /// Fan-out table: the number of names whose first byte is at most the index. Read on first use.
    pub fan: OnceLock<Vec<u32>>,
}

/// An object as it is stored in a pack.
pub(super) enum Entry {
    Whole(ObjectKind, Vec<u8>),
    /// A delta on the object at an offset in the same pack.
    OnOffset(u64, Vec<u8>),
    /// A delta on an object given by name.
    OnObject(Id, Vec<u8>),
}

/// The header of an object in a pack.
struct Head {
    kind: u8,
    /// Stated size of the content, in bytes.
    size: usize,
    /// Offset of the base object, for a delta by offset.
    base: u64,
    /// Name of the base object, for a delta by name.
    name: Vec<u8>,
    /// Offset of the compressed content.
    begins: u64,
}

impl Pack {
    /// Returns the offset of an object in the pack.
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

    /// Returns the objects whose names start with `hex`, at most two.
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

    /// Reads the object at an offset.
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

    /// Returns the stated size of the object at an offset, in bytes.
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
        // Long enough for a size, and a name or a distance.
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

    /// Runs `look` and adds the pack's name to its error.
    fn named<T>(&self, look: impl FnOnce() -> io::Result<T>) -> Result<T, String> {
        look().map_err(|error| format!("{}: {error}", self.index.display()))
    }
}

/// Returns the range of index positions of names with the same first byte as `name`.
fn range(fan: &[u32], name: &[u8]) -> (u32, u32) {
    let byte = usize::from(name.first().copied().unwrap_or(0));
    (if byte == 0 { 0 } else { fan[byte - 1] }, fan[byte])
}

/// Reads the two sizes at the start of a delta, in bytes: of its base, and of its result.
pub(super) fn sizes(delta: &mut impl Iterator<Item = u8>) -> Option<(usize, usize)> {
    Some((number(delta)?, number(delta)?))
}

/// Reads a number with seven bits per byte.
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

/// The index of a pack: sorted names, and the offsets of their objects.
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

    /// Returns the position of the first name that is not smaller than `wanted`.
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
        // Offsets beyond 2 GiB are in a separate table.
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
