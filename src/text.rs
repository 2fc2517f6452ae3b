//! Sizes and safe cuts of text, in the units that agents count: bytes, UTF-16 units, lines.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;
use std::str::{Utf8Chunk, Utf8Chunks};
use std::sync::LazyLock;

use icu_collator::CollatorBorrowed;

/// Size of a text in every unit that an agent counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Size in bytes on the disk.
    pub bytes: usize,
    /// Size in UTF-16 code units of the decoded text (JavaScript's `length`).
    pub utf16: usize,
    /// Number of lines; a last line without a newline counts.
    pub lines: usize,
}

impl Size {
    /// Returns the size of `text`.
    pub fn of(text: &str) -> Size {
        Size { bytes: text.len(), utf16: utf16_len(text), lines: lines(text) }
    }
}

/// Returns the lines that differ, each with `-` or `+`.
pub fn line_difference<'a>(before: &'a str, now: &'a str) -> Vec<(char, &'a str)> {
    let mut lines = lines_beside(&before.lines().collect::<Vec<_>>(), &now.lines().collect::<Vec<_>>());
    lines.retain(|(mark, _)| *mark != ' ');
    lines
}

/// Returns all lines of two texts in order, marked ` ` if common to both in the same order, `-` if only in `old`, `+`
/// if only in `new`.
pub fn lines_beside<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(old, new)| old == new).count();
    let (own, other) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let marked = |mark: char, lines: &[&'a str]| lines.iter().map(|line| (mark, *line)).collect::<Vec<_>>();
    let mut out = marked(' ', &old[..head]);
    // Computes the longest common subsequence, unless the table would be too large.
    const CELLS: usize = 4_000_000;
    let width = other.len() + 1;
    if (own.len() + 1).saturating_mul(width) > CELLS {
        out.extend(marked('-', own));
        out.extend(marked('+', other));
        out.extend(marked(' ', &old[old.len() - tail..]));
        return out;
    }
    let mut longest = vec![0u32; (own.len() + 1) * width];
    for (i, line) in own.iter().enumerate().rev() {
        for (j, one) in other.iter().enumerate().rev() {
            longest[i * width + j] = match line == one {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < own.len() || j < other.len() {
        if i < own.len() && j < other.len() && own[i] == other[j] {
            out.push((' ', own[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == other.len() || (i < own.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
            out.push(('-', own[i]));
            i += 1;
        } else {
            out.push(('+', other[j]));
            j += 1;
        }
    }
    out.extend(marked(' ', &old[old.len() - tail..]));
    out
}

/// Joins items for people: `a`, `a and b`, `a, b and c`.
pub fn list<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [most @ .., last] => {
            let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", most.join(", "), last.as_ref())
        }
    }
}

/// Replaces the password of every URL by `***`.
pub fn without_passwords(text: &str) -> Cow<'_, str> {
    with_passwords_as(text, |_| "***".to_owned())
}

/// Replaces the password of every URL by as many stars as it has bytes.
pub fn starred_passwords(text: &str) -> Cow<'_, str> {
    with_passwords_as(text, |password| "*".repeat(password.len()))
}

/// Replaces the password, and tokens in the query, of every URL by `shown(secret)`.
fn with_passwords_as(text: &str, shown: impl Fn(&str) -> String) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("://").map(|at| at + 3) {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let end = behind.find(|c: char| c.is_whitespace() || "/?#`\"".contains(c)).unwrap_or(behind.len());
        rest = behind;
        if let Some(at) = behind[..end].rfind('@') {
            let name = behind[..at].find(':').map_or(0, |colon| colon + 1);
            // A token may take the place of the user name.
            if name > 0 || (at >= TOKEN_BYTES && behind[..at].bytes().any(|byte| byte.is_ascii_digit())) {
                out.push_str(&behind[..name]);
                out.push_str(&shown(&behind[name..at]));
                rest = &behind[at..];
            }
        }
    }
    if out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(with_parameters_as(&out, shown))
}

/// Replaces the values of URL parameters that grant access by `shown(value)`.
fn with_parameters_as(text: &str, shown: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('=').map(|at| at + 1) {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        rest = behind;
        let name = before[..at - 1].rfind(['?', '&']).map_or("", |start| &before[start + 1..at - 1]);
        if grants_access(name) {
            let end = behind.find(|c: char| c.is_whitespace() || "&#`\"'<>)".contains(c)).unwrap_or(behind.len());
            out.push_str(&shown(&behind[..end]));
            rest = &behind[end..];
        }
    }
    out + rest
}

/// Minimum length of a user name that may be a token, in bytes.
const TOKEN_BYTES: usize = 16;

/// Returns true if the value of the URL parameter `name` grants access.
fn grants_access(name: &str) -> bool {
    let is_name = name.len() < 40 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let name = if is_name { name.to_ascii_lowercase() } else { String::new() };
    ["token", "key", "secret", "password", "signature", "sig", "auth"].iter().any(|word| name.ends_with(word))
}

/// Returns the size of a file's raw bytes, decoded leniently.
pub fn size_of(raw: &[u8]) -> Size {
    Size { bytes: raw.len(), ..Size::of(&lossy(raw)) }
}

/// Counts the lines of a text; a last line without a newline counts.
pub fn lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Returns the position of the first wanted byte from `start` on. Fast if such bytes are rare, since blocks are tested
/// as a whole.
pub fn position(bytes: &[u8], start: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let mut at = start;
    for block in bytes[start..].chunks(64) {
        // No early exit within a block, so that the compiler can vectorize the test.
        if block.iter().fold(false, |any, byte| any | wanted(*byte)) {
            return block.iter().position(|byte| wanted(*byte)).map(|found| at + found);
        }
        at += block.len();
    }
    None
}

/// Returns the number of UTF-16 code units of `text`.
pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    // Characters of four bytes are two units.
    let four = |lead| memchr::memchr_iter(lead, text.as_bytes()).count();
    text.chars().count() + (0xf0..=0xf4).map(four).sum::<usize>()
}

/// Decodes UTF-8 with one U+FFFD per maximal invalid part, as Rust, Node and `TextDecoder` do. Keeps a BOM.
pub fn lossy(raw: &[u8]) -> Cow<'_, str> {
    // Nearly every file is valid, and `from_utf8` checks ASCII a word at a time, which `from_utf8_lossy` does not.
    std::str::from_utf8(raw).map_or_else(|_| String::from_utf8_lossy(raw), Cow::Borrowed)
}

/// Decodes as [`lossy`] does, but removes one leading byte order mark, as the WHATWG `TextDecoder` does.
pub fn lossy_without_bom(raw: &[u8]) -> Cow<'_, str> {
    lossy(raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw))
}

/// Decodes as Bun's `Bun.file(path).text()` does: UTF-16 after its little-endian mark, otherwise lenient UTF-8. Removes
/// the mark.
pub fn bun_text(raw: &[u8]) -> Cow<'_, str> {
    match raw.strip_prefix(b"\xff\xfe") {
        // Bun decodes a mark without content to two replacement characters.
        Some(units) if !units.is_empty() => {
            let units: Vec<u16> = units.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
            String::from_utf16_lossy(&units).into()
        }
        _ => lossy_without_bom(raw),
    }
}

/// Decodes UTF-8 and drops every byte that is not part of a valid character. Keeps a BOM.
pub fn without_invalid(raw: &[u8]) -> Cow<'_, str> {
    let pieces = || raw.utf8_chunks().map(|chunk| chunk.valid());
    std::str::from_utf8(raw).map_or_else(|_| Cow::Owned(pieces().collect()), Cow::Borrowed)
}

/// Returns the offset in the raw bytes that corresponds to the byte `offset` of their lossy decoding.
pub fn raw_offset(raw: &[u8], offset: usize) -> usize {
    Offsets::of(raw).raw(offset)
}

/// Returns the offset in the lossy decoding of `raw` that corresponds to byte `at`; rounds down to the start of a
/// character.
pub fn decoded_offset(raw: &[u8], at: usize) -> usize {
    let (mut seen, mut decoded) = (0, 0);
    for chunk in raw.utf8_chunks() {
        let (valid, invalid) = (chunk.valid(), chunk.invalid().len());
        if at < seen + valid.len() {
            return decoded + valid.floor_char_boundary(at - seen);
        }
        (seen, decoded) = (seen + valid.len(), decoded + valid.len());
        if at < seen + invalid {
            return decoded;
        }
        if invalid > 0 {
            (seen, decoded) = (seen + invalid, decoded + char::REPLACEMENT_CHARACTER.len_utf8());
        }
    }
    decoded
}

/// Converts offsets of a lossy decoding to offsets in the file. Queries in ascending order take one pass.
struct Offsets<'r> {
    raw: &'r [u8],
    chunks: Utf8Chunks<'r>,
    /// Current chunk.
    chunk: Option<Utf8Chunk<'r>>,
    /// Start of the chunk in the decoding (`decoded`) and in the file (`at`).
    decoded: usize,
    at: usize,
}

impl<'r> Offsets<'r> {
    fn of(raw: &'r [u8]) -> Offsets<'r> {
        let mut chunks = raw.utf8_chunks();
        let chunk = chunks.next();
        Offsets { raw, chunks, chunk, decoded: 0, at: 0 }
    }

    fn raw(&mut self, offset: usize) -> usize {
        if offset < self.decoded {
            *self = Offsets::of(self.raw);
        }
        while let Some(chunk) = &self.chunk {
            let valid = chunk.valid().len();
            if offset <= self.decoded + valid {
                return self.at + (offset - self.decoded);
            }
            let end = self.decoded + valid + char::REPLACEMENT_CHARACTER.len_utf8();
            let raw_end = self.at + valid + chunk.invalid().len();
            if offset < end {
                return raw_end;
            }
            (self.decoded, self.at) = (end, raw_end);
            self.chunk = self.chunks.next();
        }
        self.raw.len()
    }
}

/// Converts ranges of the lossy decoding to ranges of the file's bytes.
pub fn raw_ranges(raw: &[u8], ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    if std::str::from_utf8(raw).is_ok() {
        return inner_ranges(raw.len(), ranges);
    }
    let mut offsets = Offsets::of(raw);
    let raw_range = |range: &Range<usize>| offsets.raw(range.start)..offsets.raw(range.end);
    ranges.iter().map(raw_range).filter(|range| !range.is_empty()).collect()
}

/// Clips `ranges` to a text of `len` bytes and drops empty ones.
pub fn inner_ranges(len: usize, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let inner = |range: &Range<usize>| range.start.min(len)..range.end.min(len);
    ranges.iter().map(inner).filter(|range| !range.is_empty()).collect()
}

/// Returns true for JavaScript's white space and line terminators, which `trim`, `trimEnd` and `\s` match. Unlike
/// Rust's, the set has U+FEFF and lacks U+0085.
pub fn is_js_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// Trims the end as JavaScript's `trimEnd` does.
pub fn js_trim_end(text: &str) -> &str {
    text.trim_end_matches(is_js_space)
}

/// Trims as JavaScript's `trim` does.
pub fn js_trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// Returns true for Python's white space, which `str.strip` removes. Unlike Rust's, the set has the separators U+001C
/// to U+001F.
pub fn is_py_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// Returns the range of `text` that Python's `str.strip` keeps.
pub fn py_trimmed(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start_matches(is_py_space).len();
    start..text.trim_end_matches(is_py_space).len().max(start)
}

/// Returns the range of `text` that JavaScript's `trim` keeps.
pub fn js_trimmed(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start_matches(is_js_space).len();
    start..js_trim_end(text).len().max(start)
}

/// Compares as JavaScript's `localeCompare` does with the root collation, without language-specific rules.
pub fn locale_compare(one: &str, other: &str) -> Ordering {
    static ORDER: LazyLock<CollatorBorrowed<'static>> = LazyLock::new(|| {
        CollatorBorrowed::try_new(Default::default(), Default::default()).expect("the root collation is built in")
    });
    ORDER.compare(one, other)
}

/// Formats a number for people with spaces between thousands: 12345 as `12 345`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Returns the words of a text without HTML comments, with one space between them.
pub fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    while let Some((before, comment)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_of_a_url_is_shown() {
        for (text, shown) in [
            ("https://me:s3cret@host/a:b@c is read", "https://me:***@host/a:b@c is read"),
            ("https://me@host/, http://a:b@c@d", "https://me@host/, http://a:***@d"),
            ("https://host:80/a", "https://host:80/a"),
            ("https://0123456789abcdef@host/a", "https://***@host/a"),
            (
                "<https://host/a?b=c&api_key=d#e> https://h?token=x y",
                "<https://host/a?b=c&api_key=***#e> https://h?token=*** y",
            ),
            ("none", "none"),
        ] {
            assert_eq!(without_passwords(text), shown);
        }
    }

    #[test]
    fn sizes_count_each_unit() {
        assert_eq!(size_of("a😀\nb".as_bytes()), Size { bytes: 7, utf16: 5, lines: 2 });
        assert_eq!(size_of(b"\xff\n"), Size { bytes: 2, utf16: 2, lines: 1 });
        for text in [
            "",
            "a",
            "a\n",
            "\n\n",
            "a\r\nb",
            "\r",
            "12345\n78\n\n\n\u{8a}\u{10a}\n\u{b}\n89012345678\n\n\n\n\n\n\n\n\n\n",
        ] {
            assert_eq!(lines(text), text.lines().count(), "{text:?}");
        }
    }

    #[test]
    fn offsets_of_the_decoding_lead_back_to_the_bytes_of_the_file() {
        let raw = b"ab\xffcd\xe2\x82";
        assert_eq!(lossy(raw), "ab\u{fffd}cd\u{fffd}");
        for (decoded, at) in [(0, 0), (2, 2), (5, 3), (6, 4), (7, 5), (10, 7)] {
            assert_eq!(raw_offset(raw, decoded), at, "offset {decoded}");
        }
        for (at, decoded) in [(0, 0), (2, 2), (3, 5), (4, 6), (5, 7), (6, 7), (7, 10), (99, 10)] {
            assert_eq!(decoded_offset(raw, at), decoded, "byte {at}");
        }
        assert_eq!([0, 1, 2, 3].map(|at| decoded_offset("жж".as_bytes(), at)), [0, 0, 2, 2]);
        assert_eq!(raw_ranges(raw, &[0..5, 5..5, 7..99]), [0..3, 5..7]);
        assert_eq!(raw_ranges(b"abc", &[0..2, 3..4, 1..99]), [0..2, 1..3]);
    }

    #[test]
    fn javascript_white_space_is_not_rusts() {
        assert_eq!(js_trim_end("a\u{feff}\u{3000}"), "a");
        assert_eq!(js_trim_end("a\u{85}"), "a\u{85}");
        assert_eq!(js_trim("\u{200b}a"), "\u{200b}a");
    }

    #[test]
    fn numbers_are_grouped_by_three() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (1234567, "1 234 567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
