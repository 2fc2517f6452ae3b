//! The memory that Claude Code keeps for itself: which directory is a project's, and what of a long file is sent.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use crate::text::{js_trim, utf16_len};

/// Longest name of a memory directory, in UTF-16 units; Claude Code 2.1.329.
const SLUG_LIMIT_UTF16: usize = 200;

/// The name of a project's directory: every unit that is no ASCII letter or digit is a hyphen, and a hash ends what is
/// too long.
pub(super) fn slug(project: &Path) -> String {
    let path = project.to_string_lossy();
    let slug: String = path
        .encode_utf16()
        .map(|unit| char::from_u32(unit.into()).filter(char::is_ascii_alphanumeric).unwrap_or('-'))
        .collect();
    if slug.len() <= SLUG_LIMIT_UTF16 {
        return slug;
    }
    let hash = path.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
    format!("{}-{}", &slug[..SLUG_LIMIT_UTF16], base36(hash.unsigned_abs()))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).expect("below 36"));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

/// The text with every pair of line ends as one line feed, as the memory is cut.
pub(super) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// What was cut, as it is sent: a carriage return alone ends a line only now.
pub(super) fn with_lines(cut: &str) -> Cow<'_, str> {
    if cut.contains('\r') { Cow::Owned(cut.replace('\r', "\n")) } else { Cow::Borrowed(cut) }
}

/// How many bytes of `text` the first `length` bytes of [`with_line_feeds`] were, after white space at its start.
pub(super) fn length_before(text: &str, length: usize) -> usize {
    let bytes = js_trim(text).as_bytes();
    let mut before = 0;
    for _ in 0..length {
        // A pair is one line feed by now; every other byte is one byte still.
        before += if bytes.get(before..).is_some_and(|rest| rest.starts_with(b"\r\n")) { 2 } else { 1 };
    }
    before
}

/// The same as a range of `text`, the text of a file.
pub(super) fn kept_of(text: &str, length: usize) -> Range<usize> {
    let start = text.find(js_trim(text)).unwrap_or(0);
    start..(start + length_before(text, length)).min(text.len())
}

/// What is said of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Warning {
    /// That there is one.
    Short,
    /// What is lost as well.
    Quoting,
}

/// What of a memory file is sent.
pub(super) struct Cut {
    /// The text, with the warning that follows a cut.
    pub(super) text: String,
    /// How many bytes of the trimmed text are kept, if not all.
    pub(super) kept: Option<usize>,
}

/// `text` to at most `lines` lines and `units` UTF-16 units, back to a line end where there is one.
pub(super) fn cut(text: &str, lines: usize, units: usize, warning: Warning) -> Cut {
    let text = js_trim(text);
    let (line_count, size) = (text.split('\n').count(), utf16_len(text));
    if line_count <= lines && size <= units {
        return Cut { text: text.to_owned(), kept: None };
    }
    let mut kept = text.match_indices('\n').nth(lines - 1).map_or(text, |(at, _)| &text[..at]);
    let mut within_line = false;
    if utf16_len(kept) > units {
        let head = utf16_head(kept, units);
        kept = match head.rfind('\n') {
            Some(at) if at > 0 => &head[..at],
            _ => {
                within_line = true;
                head
            }
        };
    }
    let what = match (line_count > lines, size > units) {
        (true, true) => format!("{line_count} lines and {}", figure(size)),
        (true, false) => format!("{line_count} lines (limit: {lines})"),
        (false, _) => {
            format!("{} (limit: {}) — index entries are too long", figure(size), figure(units))
        }
    };
    let lost = if within_line {
        format!("everything after the first {units} characters of line 1 was cut off")
    } else {
        let kept_lines = kept.split('\n').count();
        let line = text.split('\n').nth(kept_lines).unwrap_or_default();
        let quote = js_trim(line);
        let quote = if quote.is_empty() { String::new() } else { format!(" (\"{}\")", preview(quote)) };
        format!(
            "{} of {line_count} lines were cut off, starting at line {}{quote}",
            line_count - kept_lines,
            kept_lines + 1
        )
    };
    let lost = match warning {
        Warning::Short => String::new(),
        Warning::Quoting => format!(": {lost}"),
    };
    let warning = format!(
        "> WARNING: MEMORY.md is {what}. Only part of it was loaded{lost}. Keep index entries to one line under ~200 chars; move detail into topic files."
    );
    Cut { text: format!("{kept}\n\n{warning}"), kept: Some(kept.len()) }
}

/// The first `units` UTF-16 units, less a broken last character.
pub(super) fn utf16_head(text: &str, units: usize) -> &str {
    let mut count = 0;
    for (at, c) in text.char_indices() {
        count += c.len_utf16();
        if count > units {
            return &text[..at];
        }
    }
    text
}

/// At most 80 UTF-16 units of a line, back to a space where there is one not too near to its start.
fn preview(line: &str) -> String {
    if utf16_len(line) <= 80 {
        return line.to_owned();
    }
    let head = utf16_head(line, 79);
    let head = head.rfind(' ').filter(|at| utf16_len(&head[..*at]) > 40).map_or(head, |at| &head[..at]);
    format!("{head}…")
}

/// A size as people read it, with at most one decimal.
fn figure(size: usize) -> String {
    let kilo = size as f64 / 1024.0;
    let (number, unit) = match kilo {
        kilo if kilo < 1024.0 => (kilo, "KB"),
        kilo if kilo < 1024.0 * 1024.0 => (kilo / 1024.0, "MB"),
        kilo => (kilo / (1024.0 * 1024.0), "GB"),
    };
    let text = format!("{number:.1}");
    format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_hyphens_and_a_hash() {
        assert_eq!(slug(Path::new("/r_ü😀.x")), "-r-----x");
        let long = format!("/r/{}/{}", "a".repeat(96), "b".repeat(101));
        assert!(slug(Path::new(&long)).ends_with("-inurup"), "{}", slug(Path::new(&long)));
    }

    #[test]
    fn previews_end_at_a_space_where_they_can() {
        assert_eq!(preview(&"0".repeat(81)), format!("{}…", "0".repeat(79)));
        assert_eq!(preview(&format!("ab {}", "0".repeat(80))), format!("ab {}…", "0".repeat(76)));
        assert_eq!(preview(&"012345678 ".repeat(9)), format!("{}…", ["012345678"; 7].join(" ")));
    }
}
