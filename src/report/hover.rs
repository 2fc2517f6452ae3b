//! What an editor says of the place somebody points at: a file as a whole, words that name files, a key, a cut.

use std::ops::Range;

use super::findings::Subject;
use super::words::list;

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
        .or_else(|| first_line(subject.raw, byte).and_then(|at| Some(Hover { text: file::describe(subject)?, at })))
        .or_else(|| cut::hover(subject, byte))
}

/// The first line without its end, if a byte is in it.
pub fn first_line(raw: &[u8], byte: usize) -> Option<Range<usize>> {
    let end = raw.iter().position(|byte| *byte == b'\n').unwrap_or(raw.len());
    (byte <= end).then(|| 0..end - usize::from(raw[..end].ends_with(b"\r")))
}

/// How many lines there are at most below the sentence and the blank line that a hover begins with: a small window shows
/// twelve.
const MOST_LINES: usize = 10;

/// A list with one line for each thing that is said, with all of whom it is said; what does not fit is counted.
fn grouped_by_words(said: Vec<(String, String)>) -> String {
    let mut lines: Vec<(Vec<String>, String)> = Vec::new();
    for (who, what) in said {
        match lines.iter_mut().find(|(_, other)| *other == what) {
            Some((all, _)) => all.push(who),
            None => lines.push((vec![who], what)),
        }
    }
    let shown = if lines.len() > MOST_LINES { MOST_LINES - 1 } else { lines.len() };
    let more: usize = lines[shown..].iter().map(|(who, _)| who.len()).sum();
    let mut out: Vec<String> =
        lines[..shown].iter().map(|(who, what)| format!("- **{}**: {what}", list(who))).collect();
    if more > 0 {
        out.push(format!("- and {more} more"));
    }
    out.join("\n")
}

/// Text as code, whatever is in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}", text.trim_end_matches('\n'))
}
