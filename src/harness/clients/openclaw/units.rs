//! Text measured in UTF-16 code units, as JavaScript's `length` and `slice` do, without leaving `&str`.
//!
//! The texts come from lossy decoding, so they contain no lone surrogate, and a cut never creates one: a slice that
//! would split a pair shrinks.

use crate::text::utf16_len;

/// Returns the longest prefix of at most `units` code units.
pub fn prefix(text: &str, units: usize) -> &str {
    if units >= text.len() {
        return text;
    }
    let mut left = units;
    for (at, c) in text.char_indices() {
        let Some(rest) = left.checked_sub(c.len_utf16()) else { return &text[..at] };
        left = rest;
    }
    text
}

/// Returns the longest suffix of at most `units` code units.
pub fn suffix(text: &str, units: usize) -> &str {
    if units >= text.len() {
        return text;
    }
    let mut left = units;
    for (at, c) in text.char_indices().rev() {
        let Some(rest) = left.checked_sub(c.len_utf16()) else { return &text[at + c.len_utf8()..] };
        left = rest;
    }
    text
}

/// Returns true if `text` has more than `units` code units, without counting more than necessary.
pub fn longer_than(text: &str, units: usize) -> bool {
    text.len() > units && utf16_len(text) > units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_that_would_split_a_pair_shrinks() {
        for (units, first, last) in
            [(0, "", ""), (1, "a", "b"), (2, "a", "b"), (3, "a😀", "😀b"), (4, "a😀b", "a😀b"), (9, "a😀b", "a😀b")]
        {
            assert_eq!((prefix("a😀b", units), suffix("a😀b", units)), (first, last), "{units} units");
        }
        assert!(longer_than("a😀", 2) && !longer_than("a😀", 3) && !longer_than("中文", 2));
    }
}
