//! The documents that are open in the editor.

use std::path::PathBuf;

use ropey::Rope;
use tower_lsp::ls_types::TextDocumentContentChangeEvent;

use super::convert::{self, Encoding};

/// An open document.
pub(super) struct Document {
    /// The file it belongs to.
    pub path: PathBuf,
    /// The editor's version number.
    pub version: i32,
    /// Which of all states of all documents this is.
    pub revision: u64,
    /// What the editor shows.
    pub text: Rope,
}

impl Document {
    /// Applies changes in their order. Positions beyond the text are moved into it.
    pub fn apply(&mut self, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) {
        for change in changes {
            let Some(range) = change.range else {
                self.text = Rope::from_str(&change.text);
                continue;
            };
            let start = self.text.byte_to_char(convert::offset(&self.text, range.start, encoding));
            let end = self.text.byte_to_char(convert::offset(&self.text, range.end, encoding));
            // A client that names its range backwards means the same text.
            let (start, end) = (start.min(end), start.max(end));
            self.text.remove(start..end);
            self.text.insert(start, &change.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower_lsp::ls_types::{Position, Range};

    #[test]
    fn changes_apply_in_order_and_never_outside_the_text() {
        let mut document =
            Document { path: PathBuf::from("/r/x.md"), version: 1, revision: 1, text: Rope::from_str("one\r\ntwo\n") };
        let change = |range: Option<((u32, u32), (u32, u32))>, text: &str| TextDocumentContentChangeEvent {
            range: range.map(|(start, end)| Range::new(Position::new(start.0, start.1), Position::new(end.0, end.1))),
            range_length: None,
            text: text.to_owned(),
        };
        let mut check = |range, text: &str, after: &str| {
            document.apply(vec![change(range, text)], Encoding::Utf16);
            assert_eq!(document.text.to_string(), after);
        };
        check(Some(((0, 3), (1, 0))), "-", "one-two\n");
        check(Some(((0, 99), (9, 9))), "!", "one-two!");
        check(Some(((0, 3), (0, 1))), "", "o-two!");
        check(None, "é😀\n", "é😀\n");
        check(Some(((0, 2), (0, 3))), "x", "éx\n");
    }
}
