//! Changes of the documents that are open in the editor.

use ropey::Rope;
use tower_lsp::ls_types::TextDocumentContentChangeEvent;

use super::convert::{self, Encoding};

/// Applies changes in order. Positions beyond the text are clamped.
pub(crate) fn apply(
    text: &mut Rope,
    changes: impl IntoIterator<Item = TextDocumentContentChangeEvent>,
    encoding: Encoding,
) {
    for change in changes {
        let Some(range) = change.range else {
            *text = Rope::from_str(&change.text);
            continue;
        };
        let start = text.byte_to_char(convert::offset(text, range.start, encoding));
        let end = text.byte_to_char(convert::offset(text, range.end, encoding));
        // Some clients send a range backwards; they mean the same text.
        let (start, end) = (start.min(end), start.max(end));
        text.remove(start..end);
        text.insert(start, &change.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower_lsp::ls_types::{Position, Range};

    #[test]
    fn changes_apply_in_order_and_never_outside_the_text() {
        let mut shown = Rope::from_str("one\r\ntwo\n");
        let change = |range: Option<((u32, u32), (u32, u32))>, text: &str| TextDocumentContentChangeEvent {
            range: range.map(|(start, end)| Range::new(Position::new(start.0, start.1), Position::new(end.0, end.1))),
            range_length: None,
            text: text.to_owned(),
        };
        let mut check = |range, text: &str, after: &str| {
            apply(&mut shown, [change(range, text)], Encoding::Utf16);
            assert_eq!(shown.to_string(), after);
        };
        check(Some(((0, 3), (1, 0))), "-", "one-two\n");
        check(Some(((0, 99), (9, 9))), "!", "one-two!");
        check(Some(((0, 3), (0, 1))), "", "o-two!");
        check(None, "é😀\n", "é😀\n");
        check(Some(((0, 2), (0, 3))), "x", "éx\n");
    }
}
