//! What an editor says of the place somebody points at: a file as a whole, words that name files, a key, a cut.

use std::ops::Range;

use super::findings::Subject;

mod chain;
mod cut;
mod file;
mod key;
mod pattern;
mod words;

pub use chain::chain;
pub use pattern::{matches, pattern_at};

/// Markdown, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What is said.
    pub text: String,
    /// The bytes of the file that it is about.
    pub at: Range<usize>,
}

/// What is said of a byte of a file that harnesses may be concerned with.
pub fn hover(subject: &Subject, byte: usize) -> Option<Hover> {
    words::hover(subject, byte)
        .or_else(|| key::hover(subject, byte))
        .or_else(|| first_line(subject.raw, byte).and_then(|at| Some(Hover { text: file::table(subject)?, at })))
        .or_else(|| cut::hover(subject, byte))
}

/// The first line without its end, if a byte is in it.
pub fn first_line(raw: &[u8], byte: usize) -> Option<Range<usize>> {
    let end = raw.iter().position(|byte| *byte == b'\n').unwrap_or(raw.len());
    (byte <= end).then(|| 0..end - usize::from(raw[..end].ends_with(b"\r")))
}

/// Text for a cell of a table, or a line of a list.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// Text as code, whatever is in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}", text.trim_end_matches('\n'))
}
