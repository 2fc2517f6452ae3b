//! The memory that Claude Code keeps for itself: the directory of a project, and the part of a long file that is sent.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use crate::text::{js_trim, utf16_len};

/// Maximum length of a memory directory's name, in UTF-16 units (Claude Code 2.1.329).
const SLUG_LIMIT_UTF16: usize = 200;

/// Returns the name of a project's directory: every UTF-16 unit that is not an ASCII letter or digit becomes a hyphen,
/// and a name that is too long is cut and ends with a hash.
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

/// Replaces every CRLF with a line feed, as the client does before it cuts the memory.
pub(super) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// Replaces lone carriage returns with line feeds, as the client does after the cut.
pub(super) fn with_lines(cut: &str) -> Cow<'_, str> {
    if cut.contains('\r') { Cow::Owned(cut.replace('\r', "\n")) } else { Cow::Borrowed(cut) }
}

/// Returns the number of bytes of `text`, after leading white space, that became the first `length` bytes of
/// [`with_line_feeds`].
pub(super) fn length_before(text: &str, length: usize) -> usize {
    let bytes = js_trim(text).as_bytes();
    let mut before = 0;
    for _ in 0..length {
        // CRLF has become one line feed; every other byte is unchanged.
        before += if bytes.get(before..).is_some_and(|rest| rest.starts_with(b"\r\n")) { 2 } else { 1 };
    }
    before
}

/// Returns the range of `text`, a file's text, that became the first `length` bytes of [`with_line_feeds`].
pub(super) fn kept_of(text: &str, length: usize) -> Range<usize> {
    let start = text.find(js_trim(text)).unwrap_or(0);
    start..(start + length_before(text, length)).min(text.len())
}

/// Wording of the warning after a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Warning {
    /// Says that the text was cut.
    Short,
    /// Also says what was cut off.
    Quoting,
}

/// The part of a memory file that is sent.
pub(super) struct Cut {
    /// The text, with the warning that follows a cut.
    pub(super) text: String,
    /// Number of bytes of the trimmed text that are kept; `None` if all are.
    pub(super) kept: Option<usize>,
}

/// Cuts `text` to at most `lines` lines and `units` UTF-16 units, back to a line end if there is one.
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

/// Returns the first `units` UTF-16 units, without a partial last character.
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

/// Returns at most 80 UTF-16 units of a line, cut back to a space if there is one after unit 40.
fn preview(line: &str) -> String {
    if utf16_len(line) <= 80 {
        return line.to_owned();
    }
    let head = utf16_head(line, 79);
    let head = head.rfind(' ').filter(|at| utf16_len(&head[..*at]) > 40).map_or(head, |at| &head[..at]);
    format!("{head}…")
}

/// Formats a size for people, with at most one decimal.
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
