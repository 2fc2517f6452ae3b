//! Reads and decompresses files of a repository piece by piece, within a budget.
//!
//! A repository comes from others: the path of an object may be a pipe or a device, and a few bytes may decompress to
//! gigabytes. So files are opened as everywhere in `disk`, and everything that is read of a repository, however
//! borrowed, chained or listed, is charged to one [`Allowance`].

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

use crate::disk::real;
use crate::snapshot::Unreadable;

/// Number of steps that reading one repository may take, about four seconds of processor time.
const ALLOWANCE: u64 = 4 << 30;
/// Number of steps charged for opening and searching a file.
const OPENING: u64 = 8 << 10;
/// Number of steps charged per decompressed byte.
const UNPACKING: u64 = 4;
/// Number of steps charged per byte copied from another object.
pub(super) const COPYING: u64 = 2;
/// Number of bytes read at once.
const CHUNK: usize = 32 << 10;

/// The remaining budget for reading a repository, in steps.
pub(super) struct Allowance(AtomicU64);

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance(ALLOWANCE.into())
    }
}

impl Allowance {
    /// Spends `steps`, or fails if too few are left.
    pub fn spend(&self, steps: u64) -> io::Result<()> {
        let left = self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(steps));
        left.map(drop).map_err(|_| io::Error::other("the repository takes more to be read than Briefing gives it"))
    }
}

/// Opens a regular file. Anything else is an error, without blocking.
pub(super) fn open(path: &Path, allowance: &Allowance) -> io::Result<File> {
    allowance.spend(OPENING)?;
    real::open(path).map(|(file, _)| file).map_err(|problem| match problem {
        Unreadable::Errno(errno) => io::Error::from_raw_os_error(errno.0),
        _ => io::Error::other("not a regular file"),
    })
}

/// Reads up to `len` bytes at an offset; fewer only at the end of the file.
pub(super) fn bytes_at(file: &File, at: u64, len: usize) -> io::Result<Vec<u8>> {
    let (mut bytes, mut read) = (vec![0; len], 0);
    while read < len {
        match read_at(file, &mut bytes[read..], at.saturating_add(read as u64)) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(read);
    Ok(bytes)
}

#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

#[cfg(windows)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, at)
}

/// Decompresses the data at an offset: at most `most` bytes, fewer only if the data ends.
pub(super) fn unpacked(file: &File, at: u64, most: usize, allowance: &Allowance) -> io::Result<Vec<u8>> {
    let mut state = InflateState::new_boxed(DataFormat::Zlib);
    let (mut out, mut at, mut packed, mut used) = (Vec::new(), at, Vec::new(), 0);
    let mut piece = vec![0; CHUNK.min(most)];
    while out.len() < most {
        if used == packed.len() {
            packed = bytes_at(file, at, CHUNK)?;
            (at, used) = (at.saturating_add(packed.len() as u64), 0);
        }
        let wanted = piece.len().min(most - out.len());
        let done = inflate(&mut state, &packed[used..], &mut piece[..wanted], MZFlush::None);
        allowance.spend(UNPACKING * (done.bytes_written as u64 + 64))?;
        out.extend_from_slice(&piece[..done.bytes_written]);
        used += done.bytes_consumed;
        match done.status {
            Ok(MZStatus::StreamEnd) => break,
            Ok(_) if done.bytes_written + done.bytes_consumed > 0 => {}
            Err(MZError::Buf) if !packed.is_empty() && used == packed.len() => {}
            _ => return Err(damaged()),
        }
    }
    Ok(out)
}

pub(super) fn damaged() -> io::Error {
    io::Error::other("it is damaged")
}
