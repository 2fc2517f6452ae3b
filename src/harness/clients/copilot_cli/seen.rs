//! What of a file can be seen: the client sends nothing else.

use std::ops::Range;

use crate::answer::Text;
use crate::snapshot::Content;

/// Text without what nobody sees, as the client sends it: once imports and front matter, which it reads as they stand, are
/// dealt with.
pub(super) fn visible(text: &Text) -> Text {
    // What is hidden, and what NFC changes, is not ASCII.
    if text.is_ascii() {
        return text.clone();
    }
    let seen: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    // U+2000 arrives as U+2002.
    icu_normalizer::ComposingNormalizer::new_nfc().normalize(&seen).into_owned().into()
}

/// Byte order marks, zero-width characters (but the joiner), marks of direction and tags: Copilot CLI 1.0.102 takes them out.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// The ranges of a file's bytes that can be seen.
pub(super) fn kept(raw: &Content) -> Vec<Range<usize>> {
    if raw.is_ascii() {
        return std::iter::once(0..raw.len()).filter(|all| !all.is_empty()).collect();
    }
    let decoded = raw.text();
    let mut kept = Vec::new();
    let mut from = 0;
    for (at, c) in decoded.char_indices().filter(|(_, c)| is_hidden(*c)) {
        kept.push(from..at);
        from = at + c.len_utf8();
    }
    kept.push(from..decoded.len());
    raw.raw_ranges(&kept)
}
