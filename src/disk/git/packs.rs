//! Packs: many objects in one file, with an index beside it. Only what is asked for is read.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::ids::{Id, OBJECT_CAP_BYTES, ObjectKind};

/// What an index of version 2 begins with.
const HEAD: &[u8] = b"\xfftOc\x00\x00\x00\x02";

/// One pack.
#[derive(Clone)]
pub(super) struct Pack {
    /// The file of the index.
    pub index: PathBuf,
    /// How long a name is, in bytes.
    pub name_len: usize,
}

/// One object as a pack has it.
pub(super) enum Entry {
    Whole(ObjectKind, Vec<u8>),
    /// What makes it from the object at this place of the pack.
    OnOffset(u64, Vec<u8>),
    /// What makes it from another object.
    OnObject(Id, Vec<u8>),
}

impl Pack {
    /// Where in the pack an object is.
    pub fn find(&self, id: &Id) -> Result<Option<u64>, String> {
        self.said(|| {
            let mut index = Index::open(self)?;
            let at = index.first_not_below(&id.0)?;
            if at < index.count && index.name(at)? == id.0 { index.offset(at).map(Some) } else { Ok(None) }
        })
    }

    /// The objects whose names begin so; no more than two.
    pub fn with_prefix(&self, hex: &str) -> Result<Vec<Id>, String> {
        self.said(|| {
            let mut index = Index::open(self)?;
            let mut lowest = hex.to_owned();
            lowest.extend(std::iter::repeat_n('0', 2 * self.name_len - hex.len()));
            let Some(lowest) = Id::from_hex(&lowest) else { return Ok(Vec::new()) };
            let first = index.first_not_below(&lowest.0)?;
            let mut found = Vec::new();
            for at in first..index.count.min(first + 2) {
                let id = Id(index.name(at)?);
                if id.to_string().starts_with(hex) {
                    found.push(id);
                }
            }
            Ok(found)
        })
    }

    /// The object at a place of the pack.
    pub fn entry(&self, offset: u64) -> Result<Entry, String> {
        self.said(|| {
            let mut pack = File::open(self.index.with_extension("pack"))?;
            // A head is at most a size, and a name or a distance.
            let head = some(&mut pack, offset, 64)?;
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
            let base = match kind {
                6 => {
                    let mut byte = next()?;
                    let mut distance = u64::from(byte & 0x7f);
                    while byte & 0x80 != 0 {
                        byte = next()?;
                        distance = (distance + 1).checked_shl(7).ok_or_else(damaged)? | u64::from(byte & 0x7f);
                    }
                    Some(offset.checked_sub(distance).filter(|base| *base < offset).ok_or_else(damaged)?)
                }
                _ => None,
            };
            let name = if kind == 7 {
                Some((0..self.name_len).map(|_| next()).collect::<Result<Vec<u8>, _>>()?)
            } else {
                None
            };
            let begins = offset + (head.len() - bytes.len()) as u64;
            let content = inflated(&mut pack, begins, size)?;
            Ok(match (kind, base, name) {
                (1, ..) => Entry::Whole(ObjectKind::Commit, content),
                (2, ..) => Entry::Whole(ObjectKind::Tree, content),
                (3, ..) => Entry::Whole(ObjectKind::Blob, content),
                (4, ..) => Entry::Whole(ObjectKind::Tag, content),
                (6, Some(base), _) => Entry::OnOffset(base, content),
                (7, _, Some(name)) => Entry::OnObject(Id(name), content),
                _ => return Err(damaged()),
            })
        })
    }

    /// What `look` finds, or an error that names the pack.
    fn said<T>(&self, look: impl FnOnce() -> std::io::Result<T>) -> Result<T, String> {
        look().map_err(|error| format!("{}: {error}", self.index.display()))
    }
}

/// The index of a pack: the names in their order, and where their objects are.
struct Index {
    file: File,
    /// How many names begin with each byte or a smaller one.
    fan: Vec<u32>,
    count: u32,
    name_len: usize,
}

impl Index {
    fn open(pack: &Pack) -> std::io::Result<Index> {
        let mut file = File::open(&pack.index)?;
        let head = some(&mut file, 0, HEAD.len() + 4 * 256)?;
        let Some(fan) = head.strip_prefix(HEAD).filter(|fan| fan.len() == 4 * 256) else {
            return Err(std::io::Error::other("an index of an unknown version"));
        };
        let fan: Vec<u32> = fan.chunks_exact(4).map(big_endian).collect();
        let count = fan.last().copied().unwrap_or(0);
        Ok(Index { file, fan, count, name_len: pack.name_len })
    }

    fn names_at(&self) -> u64 {
        (HEAD.len() + 4 * 256) as u64
    }

    fn name(&mut self, at: u32) -> std::io::Result<Vec<u8>> {
        let place = self.names_at() + u64::from(at) * self.name_len as u64;
        exactly(&mut self.file, place, self.name_len)
    }

    /// The first name that is not smaller.
    fn first_not_below(&mut self, wanted: &[u8]) -> std::io::Result<u32> {
        let byte = usize::from(wanted.first().copied().unwrap_or(0));
        let (mut low, mut high) = (if byte == 0 { 0 } else { self.fan[byte - 1] }, self.fan[byte]);
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

    fn offset(&mut self, at: u32) -> std::io::Result<u64> {
        let count = u64::from(self.count);
        let offsets = self.names_at() + count * (self.name_len as u64 + 4);
        let small = big_endian(&exactly(&mut self.file, offsets + u64::from(at) * 4, 4)?);
        if small & 0x8000_0000 == 0 {
            return Ok(u64::from(small));
        }
        // Beyond 2 GiB they stand in a table of their own.
        let large = exactly(&mut self.file, offsets + count * 4 + u64::from(small & 0x7fff_ffff) * 8, 8)?;
        Ok(u64::from(big_endian(&large[..4])) << 32 | u64::from(big_endian(&large[4..])))
    }
}

fn big_endian(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// The content that begins there. Its length in the pack is not recorded, so enough is read for `size` bytes once unpacked.
fn inflated(pack: &mut File, begins: u64, size: usize) -> std::io::Result<Vec<u8>> {
    if size > OBJECT_CAP_BYTES {
        return Err(std::io::Error::other(format!("an object of {size} bytes, more than Briefing reads")));
    }
    // What cannot be compressed grows by a little.
    let raw = some(pack, begins, size + size / 1000 + 1024)?;
    let content = decompress_to_vec_zlib_with_limit(&raw, size + 64).map_err(|_| damaged())?;
    if content.len() == size { Ok(content) } else { Err(damaged()) }
}

/// As many bytes from a place as there are, up to `len`.
fn some(file: &mut File, at: u64, len: usize) -> std::io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.take(len as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn exactly(file: &mut File, at: u64, len: usize) -> std::io::Result<Vec<u8>> {
    let bytes = some(file, at, len)?;
    if bytes.len() == len { Ok(bytes) } else { Err(damaged()) }
}

fn damaged() -> std::io::Error {
    std::io::Error::other("the pack is damaged")
}
