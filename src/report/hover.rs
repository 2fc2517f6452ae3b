//! Hover texts: for a file as a whole, for words that name files, for a settings key and for a truncated part.

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

/// Hover text in Markdown, with the range that it describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// Text of the hover, in Markdown.
    pub text: String,
    /// Byte range of the file that the text describes.
    pub at: Range<usize>,
}

/// Returns the hover for a byte offset of an instruction file or a settings file.
pub fn hover(subject: &Subject, byte: usize) -> Option<Hover> {
    words::hover(subject, byte)
        .or_else(|| key::hover(subject, byte))
        .or_else(|| first_line(subject.raw, byte).and_then(|at| Some(Hover { text: file::describe(subject)?, at })))
        .or_else(|| cut::hover(subject, byte))
}

/// Returns the range of the first line without its line ending, if the line contains the byte.
pub fn first_line(raw: &[u8], byte: usize) -> Option<Range<usize>> {
    let end = raw.iter().position(|byte| *byte == b'\n').unwrap_or(raw.len());
    (byte <= end).then(|| 0..end - usize::from(raw[..end].ends_with(b"\r")))
}

/// Maximum number of list lines in a hover. A sentence and a blank line come first, and a small window shows twelve
/// lines.
const MOST_LINES: usize = 10;

/// Renders a list with one line per text, which names all agents that share the text. Entries that do not fit are
/// counted.
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
