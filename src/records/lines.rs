//! The lines of a record, one at a time: bounded in length, and no further than the record went when it was opened.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Maximum length of a line, in bytes; longer lines are skipped.
pub const LINE_CAP_BYTES: usize = 16 * 1024 * 1024;
/// Size of one read, in bytes.
const CHUNK_BYTES: usize = 256 * 1024;

/// Reads the lines of a record.
pub struct Lines {
    from: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
    number: usize,
    /// True if the last line has no newline.
    is_cut: bool,
    too_long: Vec<usize>,
    malformed: Vec<usize>,
    invalid: usize,
    failure: Option<String>,
}

impl Lines {
    /// Opens a record as it is now.
    ///
    /// # Errors
    /// If it cannot be opened, is no regular file or is a link; in words.
    pub fn open(file: &Path) -> Result<Lines, String> {
        let (file, len) = super::place::open(file)?;
        Ok(Lines::new(file.take(len)))
    }

    /// Reads lines from any reader.
    pub fn new(from: impl Read + Send + 'static) -> Lines {
        Lines {
            from: BufReader::with_capacity(CHUNK_BYTES, Box::new(from)),
            line: Vec::new(),
            number: 0,
            is_cut: false,
            too_long: Vec::new(),
            malformed: Vec::new(),
            invalid: 0,
            failure: None,
        }
    }

    /// Reads the next line that is no longer than the cap and not empty, without its end.
    pub fn next_line(&mut self) -> Option<&[u8]> {
        loop {
            self.line.clear();
            self.line.shrink_to(CHUNK_BYTES);
            self.number += 1;
            let (mut len, mut ended) = (0, false);
            while !ended {
                let chunk = match self.from.fill_buf() {
                    Ok(chunk) => chunk,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                    Err(error) => {
                        self.failure = Some(error.to_string());
                        return None;
                    }
                };
                if chunk.is_empty() {
                    break;
                }
                let end = memchr::memchr(b'\n', chunk);
                let taken = end.unwrap_or(chunk.len());
                len += taken;
                if len <= LINE_CAP_BYTES {
                    self.line.extend_from_slice(&chunk[..taken]);
                }
                let used = end.map_or(taken, |end| end + 1);
                self.from.consume(used);
                ended = end.is_some();
            }
            if len == 0 && !ended {
                return None;
            }
            self.is_cut = !ended;
            if len > LINE_CAP_BYTES {
                self.too_long.push(self.number);
                continue;
            }
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                return Some(&self.line);
            }
        }
    }

    /// Passes every line to `take`. Notes a line that it cannot parse; invalid UTF-8 is replaced and tried again.
    pub fn each(&mut self, mut take: impl FnMut(&[u8]) -> Result<(), serde_json::Error>) {
        while self.next_line().is_some() {
            if take(&self.line).is_ok() {
                continue;
            }
            let is_invalid = std::str::from_utf8(&self.line).is_err();
            self.invalid += usize::from(is_invalid);
            if !is_invalid || take(String::from_utf8_lossy(&self.line).as_bytes()).is_err() {
                self.malformed.push(self.number);
            }
        }
    }

    /// Describes the parts that could not be read.
    pub fn problems(&self) -> Vec<String> {
        let mut said = Vec::new();
        let numbered = |numbers: &[usize]| {
            let shown: Vec<String> = numbers.iter().take(5).map(usize::to_string).collect();
            let more = numbers.len().saturating_sub(5);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{} {}{more}", if numbers.len() == 1 { "line" } else { "lines" }, shown.join(", "))
        };
        let mut malformed = self.malformed.clone();
        // A record that is being written to may end in the middle of a line.
        if self.is_cut && malformed.last().is_some_and(|&last| last + 1 >= self.number) {
            malformed.pop();
            said.push("the last line is cut".to_owned());
        }
        if !malformed.is_empty() {
            said.push(format!("{} cannot be parsed", numbered(&malformed)));
        }
        if !self.too_long.is_empty() {
            let cap = LINE_CAP_BYTES / (1024 * 1024);
            said.push(format!("{} longer than {cap} MiB: not read", numbered(&self.too_long)));
        }
        if self.invalid > 0 {
            let lines = if self.invalid == 1 { "line is" } else { "lines are" };
            said.push(format!("{} {lines} not valid UTF-8", self.invalid));
        }
        said.extend(self.failure.iter().map(|failure| format!("reading stopped: {failure}")));
        said
    }
}

/// Parses a part of a line, if it is of that type.
pub fn parse<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}
