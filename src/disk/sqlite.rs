//! Reads rows of an SQLite file from a copy in memory. Opening the file itself would create other files beside it, or
//! miss rows that are still in its write-ahead log.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::Filesystem;
use crate::snapshot::{Errno, Row, Unreadable};

/// Position of the format versions in a database header: 2 means that there is a log. SQLite file format, section 1.3.
const FORMAT_VERSIONS: std::ops::Range<usize> = 18..20;
/// Sizes of headers. SQLite file format, sections 1.3, 4.1 and 4.2.
const HEADER_BYTES: usize = 100;
const LOG_HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// Returns the path of a database's write-ahead log.
pub fn log_of(file: &Path) -> PathBuf {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// Returns the columns, as text, of the rows that `query` returns. No rows if the file or table does not exist.
pub fn rows(fs: &dyn Filesystem, file: &Path, query: &str, key: &str) -> Result<Vec<Row>, String> {
    let raw = match fs.read(file) {
        Ok(raw) => raw,
        Err(Unreadable::Errno(Errno::NOENT | Errno::NOTDIR)) => return Ok(Vec::new()),
        Err(problem) => return Err(problem.to_string()),
    };
    let log = match fs.read(&log_of(file)) {
        Ok(log) => log,
        Err(Unreadable::Errno(Errno::NOENT)) => Default::default(),
        Err(problem) => return Err(format!("its log: {problem}")),
    };
    rows_of(&whole(raw.to_vec(), &log)?, query, key)
}

/// Combines a database file and its write-ahead log for `rows_of`. Empty if there is no data.
pub fn whole(mut pages: Vec<u8>, log: &[u8]) -> Result<Vec<u8>, String> {
    checkpoint(&mut pages, log);
    if pages.is_empty() {
        return Ok(pages);
    }
    if pages.len() < HEADER_BYTES || !pages.starts_with(b"SQLite format 3\0") {
        return Err("file is not a database".into());
    }
    pages[FORMAT_VERSIONS].fill(1);
    Ok(pages)
}

/// Returns rows of a database in memory.
pub fn rows_of(pages: &[u8], query: &str, key: &str) -> Result<Vec<Row>, String> {
    if pages.is_empty() {
        return Ok(Vec::new());
    }
    ask(pages, query, key).or_else(|error| match error.to_string() {
        message if message.contains("no such table") => Ok(Vec::new()),
        message => Err(message),
    })
}

fn ask(pages: &[u8], query: &str, key: &str) -> rusqlite::Result<Vec<Row>> {
    let mut database = Connection::open_in_memory()?;
    database.deserialize_read_exact("main", pages, pages.len(), true)?;
    let mut statement = database.prepare(query)?;
    let columns = statement.column_count();
    let mut rows = statement.query([key])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let column = |index| {
            Ok(match row.get_ref(index)? {
                ValueRef::Null | ValueRef::Blob(_) => None,
                ValueRef::Integer(number) => Some(number.to_string()),
                ValueRef::Real(number) => Some(number.to_string()),
                ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
            })
        };
        found.push((0..columns).map(column).collect::<rusqlite::Result<Row>>()?);
    }
    Ok(found)
}

/// Applies the committed pages of a write-ahead log, as a checkpoint of SQLite does.
fn checkpoint(pages: &mut Vec<u8>, log: &[u8]) {
    let word = |bytes: &[u8], at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    if log.len() < LOG_HEADER_BYTES {
        return;
    }
    let (header, frames) = log.split_at(LOG_HEADER_BYTES);
    let big_endian = match word(header, 0) {
        0x377f_0682 => false,
        0x377f_0683 => true,
        _ => return,
    };
    let size = word(header, 8) as usize;
    let mut sum = checksum((0, 0), &header[..24], big_endian);
    if !size.is_power_of_two() || !(512..=65536).contains(&size) || sum != (word(header, 24), word(header, 28)) {
        return;
    }
    let mut pending: Vec<(usize, &[u8])> = Vec::new();
    // Every page of a database is in its file or in the log.
    let most = pages.len() / size + frames.len() / (FRAME_HEADER_BYTES + size);
    for frame in frames.chunks_exact(FRAME_HEADER_BYTES + size) {
        let (head, page) = frame.split_at(FRAME_HEADER_BYTES);
        sum = checksum(checksum(sum, &head[..8], big_endian), page, big_endian);
        // Frames of an earlier cycle have other salts; a damaged frame ends the log.
        if head[8..16] != header[16..24] || sum != (word(head, 16), word(head, 20)) || word(head, 0) == 0 {
            return;
        }
        pending.push((word(head, 0) as usize - 1, page));
        let committed = word(head, 4) as usize;
        if committed == 0 {
            continue;
        }
        if committed > most {
            return;
        }
        for (number, page) in pending.drain(..).filter(|(number, _)| *number < committed) {
            let end = (number + 1) * size;
            if pages.len() < end {
                pages.resize(end, 0);
            }
            pages[end - size..end].copy_from_slice(page);
        }
        pages.truncate(committed * size);
    }
}

fn checksum((mut one, mut two): (u32, u32), bytes: &[u8], big_endian: bool) -> (u32, u32) {
    for pair in bytes.chunks_exact(8) {
        let word = |at: usize| {
            let bytes: [u8; 4] = pair[at..at + 4].try_into().expect("four bytes");
            if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        one = one.wrapping_add(word(0)).wrapping_add(two);
        two = two.wrapping_add(word(4)).wrapping_add(one);
    }
    (one, two)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a log of one frame with valid checksums that commits `committed` pages.
    fn log(number: u32, committed: u32, page: &[u8]) -> Vec<u8> {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
        let mut log = words(&[0x377f_0683, 3_007_000, page.len() as u32, 0, 1, 2]);
        let sum = checksum((0, 0), &log, true);
        log.extend(words(&[sum.0, sum.1]));
        let head = words(&[number, committed]);
        let sum = checksum(checksum(sum, &head, true), page, true);
        log.extend(head);
        log.extend(words(&[1, 2, sum.0, sum.1]));
        log.extend(page);
        log
    }

    #[test]
    fn a_log_cannot_commit_more_pages_than_there_are() {
        let (old, new) = (vec![1; 1024], [2; 512]);
        let after = |number: u32, committed: u32| {
            let mut pages = old.clone();
            checkpoint(&mut pages, &log(number, committed, &new));
            pages
        };
        assert_eq!(after(2, 2), [[1; 512], new].concat());
        assert_eq!(after(3, 3), [[1; 512], [1; 512], new].concat());
        assert_eq!(after(0x4000_0000, 0xffff_ffff), old);
    }
}
