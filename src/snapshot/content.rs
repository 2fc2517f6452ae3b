//! The content of a file.

use std::borrow::Cow;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use crate::text::{self, Size};

/// The bytes of a file, cheap to clone. Whether they are UTF-8, and their size in each unit, is computed once, since
/// every agent needs it on every keystroke.
#[derive(Clone)]
pub struct Content(Arc<Inner>);

struct Inner {
    bytes: Bytes,
    size: OnceLock<Size>,
}

enum Bytes {
    Text(String),
    Other(Vec<u8>),
}

impl Content {
    /// Decodes leniently, see [`text::lossy`].
    pub fn text(&self) -> Cow<'_, str> {
        match &self.0.bytes {
            Bytes::Text(text) => Cow::Borrowed(text),
            Bytes::Other(bytes) => String::from_utf8_lossy(bytes),
        }
    }

    /// Decodes leniently and removes one leading byte order mark.
    pub fn text_without_bom(&self) -> Cow<'_, str> {
        match &self.0.bytes {
            Bytes::Text(text) => Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Bytes::Other(bytes) => text::lossy_without_bom(bytes),
        }
    }

    /// Returns the text if it is UTF-8.
    pub fn as_text(&self) -> Option<&str> {
        match &self.0.bytes {
            Bytes::Text(text) => Some(text),
            Bytes::Other(_) => None,
        }
    }

    /// Converts ranges of the decoded text to ranges of the bytes.
    pub fn raw_ranges(&self, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
        match self.as_text() {
            Some(text) => text::inner_ranges(text.len(), ranges),
            None => text::raw_ranges(self, ranges),
        }
    }

    /// Returns true if both share their memory, so that one is a clone of the other.
    pub fn is(&self, other: &Content) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the size of the leniently decoded text.
    pub fn size(&self) -> Size {
        *self.0.size.get_or_init(|| Size { bytes: self.len(), ..Size::of(&self.text()) })
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0.bytes {
            Bytes::Text(text) => text.as_bytes(),
            Bytes::Other(bytes) => bytes,
        }
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Content {
        let bytes = String::from_utf8(bytes).map_or_else(|error| Bytes::Other(error.into_bytes()), Bytes::Text);
        Content(Arc::new(Inner { bytes, size: OnceLock::new() }))
    }
}

impl From<&[u8]> for Content {
    fn from(bytes: &[u8]) -> Content {
        bytes.to_vec().into()
    }
}

impl From<String> for Content {
    fn from(text: String) -> Content {
        Content(Arc::new(Inner { bytes: Bytes::Text(text), size: OnceLock::new() }))
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Content {
        text.to_owned().into()
    }
}

impl Default for Content {
    fn default() -> Content {
        String::new().into()
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Content) -> bool {
        self.is(other) || **self == **other
    }
}

impl Eq for Content {}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_decoded_and_measured_as_texts_are() {
        for raw in [&b""[..], b"a\n", "\u{feff}\u{e4}\u{1f600}\n".as_bytes(), b"\xef\xbb\xbfa\xff\n", b"\xff"] {
            let content = Content::from(raw);
            assert_eq!((&*content, content.text()), (raw, text::lossy(raw)));
            assert_eq!(content.text_without_bom(), text::lossy_without_bom(raw));
            assert_eq!(content.as_text(), std::str::from_utf8(raw).ok());
            assert_eq!(content.size(), text::size_of(raw));
            let ranges = [0..0, 0..3, 1..9];
            assert_eq!(content.raw_ranges(&ranges), text::raw_ranges(raw, &ranges));
            assert_eq!(content, Content::from(raw));
        }
        assert_ne!(Content::from("a"), Content::from("b"));
    }
}
