//! Removal of invisible characters, which the client does not send.

use std::ops::Range;

use crate::answer::Text;
use crate::snapshot::Content;

/// Removes invisible characters and normalizes the text as the client does, after it has processed imports and front
/// matter in the raw text.
pub(super) fn visible(text: &Text) -> Text {
    // Neither hidden characters nor those that NFC changes are ASCII.
    if text.is_ascii() {
        return text.clone();
    }
    let seen: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    // NFC turns U+2000 into U+2002.
    let normal = icu_normalizer::ComposingNormalizer::new_nfc().normalize(&seen).into_owned();
    // A text that stays as it is remains that of its files.
    if *text == *normal { text.clone() } else { normal.into() }
}

/// Returns true for byte order marks, zero-width characters (except the joiner), directional marks and tags, which
/// Copilot CLI 1.0.102 removes.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// Returns the ranges of a file's bytes without hidden characters.
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
