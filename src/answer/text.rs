//! Texts that are composed of parts of files and other strings, so that all agents share one copy of a file.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use crate::snapshot::Content;
use crate::text::{Size, lines, utf16_len};

/// A text that is cheap to clone. It is joined from its pieces only when it is read as a whole; most callers need only
/// its size, or whether it equals another text.
#[derive(Clone)]
pub struct Text(Piece);

#[derive(Clone)]
enum Piece {
    Own(Arc<String>),
    /// A range of a file's content.
    File(Content, Range<usize>),
    Joined(Arc<Joined>),
}

/// A piece of a text that is not divided further.
pub enum Leaf<'a> {
    /// A string that the agent adds, or a modified text.
    Own(&'a str),
    /// A range of a file's content.
    File(&'a Content, &'a Range<usize>),
}

struct Joined {
    pieces: Vec<Text>,
    len: usize,
    whole: OnceLock<String>,
}

impl Text {
    /// Creates a text from `part`, sharing `content` if `part` is a slice of it.
    pub fn of(content: &Content, part: &str) -> Text {
        match content.as_text().and_then(|whole| place(part, whole)) {
            Some(range) => Text(Piece::File(content.clone(), range)),
            None => part.into(),
        }
    }

    /// Concatenates `head`, `text` and `tail`.
    pub fn framed(head: impl Into<Text>, text: impl Into<Text>, tail: impl Into<Text>) -> Text {
        [head.into(), text.into(), tail.into()].into_iter().collect()
    }

    /// Joins texts with a separator between them.
    pub fn joined(texts: &[Text], separator: &str) -> Text {
        let separator = Text::from(separator);
        let pieces = texts.iter().enumerate().flat_map(|(at, text)| {
            let before = (at > 0).then(|| separator.clone());
            before.into_iter().chain([text.clone()])
        });
        pieces.collect()
    }

    /// Returns `part` as a text, sharing memory if `part` is a slice of this text.
    pub fn part(&self, part: &str) -> Text {
        place(part, self).map_or_else(|| part.into(), |range| self.slice(range))
    }

    /// Returns the text within `range`.
    ///
    /// # Panics
    /// Panics if an end of the range is beyond the text or within a character.
    pub fn slice(&self, range: Range<usize>) -> Text {
        if range == (0..self.len()) {
            return self.clone();
        }
        match &self.0 {
            Piece::File(content, outer) => {
                // Panics on the same ranges as slicing the joined text would.
                let _ = &self[range.clone()];
                Text(Piece::File(content.clone(), outer.start + range.start..outer.start + range.end))
            }
            Piece::Own(_) | Piece::Joined(_) => self[range].into(),
        }
    }

    /// Appends the pieces of the text to `leaves`, in order.
    pub fn leaves<'a>(&'a self, leaves: &mut Vec<Leaf<'a>>) {
        match &self.0 {
            Piece::Own(text) => leaves.push(Leaf::Own(text)),
            Piece::File(content, part) => leaves.push(Leaf::File(content, part)),
            Piece::Joined(joined) => joined.pieces.iter().for_each(|piece| piece.leaves(leaves)),
        }
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        match &self.0 {
            Piece::Own(text) => text.len(),
            Piece::File(_, range) => range.len(),
            Piece::Joined(joined) => joined.len,
        }
    }

    /// Returns true if the text is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if all characters are ASCII.
    pub fn is_ascii(&self) -> bool {
        match &self.0 {
            Piece::Joined(joined) => joined.pieces.iter().all(Text::is_ascii),
            Piece::Own(_) | Piece::File(..) => str::is_ascii(self),
        }
    }

    /// Returns the size in every unit.
    pub fn size(&self) -> Size {
        match &self.0 {
            Piece::File(content, range) if *range == (0..content.len()) => content.size(),
            Piece::Joined(joined) => {
                let mut size = Size::default();
                // True if the next piece continues a line.
                let mut open = false;
                for piece in joined.pieces.iter().filter(|piece| !piece.is_empty()) {
                    let Size { bytes, utf16, lines } = piece.size();
                    size.bytes += bytes;
                    size.utf16 += utf16;
                    size.lines += lines - usize::from(open);
                    open = !piece.ends_with_newline();
                }
                size
            }
            Piece::Own(_) | Piece::File(..) => Size { bytes: self.len(), utf16: utf16_len(self), lines: lines(self) },
        }
    }

    fn ends_with_newline(&self) -> bool {
        match &self.0 {
            Piece::Joined(joined) => {
                joined.pieces.iter().rfind(|piece| !piece.is_empty()).is_some_and(Text::ends_with_newline)
            }
            Piece::Own(_) | Piece::File(..) => self.ends_with('\n'),
        }
    }

    fn write(&self, out: &mut String) {
        match &self.0 {
            Piece::Joined(joined) => joined.pieces.iter().for_each(|piece| piece.write(out)),
            Piece::Own(_) | Piece::File(..) => out.push_str(self),
        }
    }
}

/// Returns the range of the slice `part` within `whole`. Compares addresses, since an equal text may occur elsewhere
/// too.
fn place(part: &str, whole: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    (start + part.len() <= whole.len()).then_some(start..start + part.len())
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Piece::Own(text) => text,
            Piece::File(content, range) => &content.as_text().unwrap_or_default()[range.clone()],
            Piece::Joined(joined) => joined.whole.get_or_init(|| {
                let mut whole = String::with_capacity(joined.len);
                self.write(&mut whole);
                whole
            }),
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(Piece::Own(Arc::new(text)))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        text.to_owned().into()
    }
}

impl From<Cow<'_, str>> for Text {
    fn from(text: Cow<'_, str>) -> Text {
        text.into_owned().into()
    }
}

impl From<&Content> for Text {
    fn from(content: &Content) -> Text {
        Text::of(content, &content.text())
    }
}

impl FromIterator<Text> for Text {
    fn from_iter<I: IntoIterator<Item = Text>>(pieces: I) -> Text {
        let mut pieces: Vec<Text> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        if pieces.len() < 2 {
            return pieces.pop().unwrap_or_default();
        }
        let len = pieces.iter().map(Text::len).sum();
        Text(Piece::Joined(Arc::new(Joined { pieces, len, whole: OnceLock::new() })))
    }
}

impl Default for Text {
    fn default() -> Text {
        String::new().into()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        if self.len() != other.len() {
            return false;
        }
        match (&self.0, &other.0) {
            (Piece::File(one, range), Piece::File(other, same)) if range == same && one.is(other) => true,
            (Piece::Joined(one), Piece::Joined(other)) if one.divides_as(other) => one.pieces == other.pieces,
            _ => **self == **other,
        }
    }
}

impl Joined {
    /// Returns true if both are divided at the same places, so that comparing piece by piece suffices.
    fn divides_as(&self, other: &Joined) -> bool {
        self.pieces.iter().map(Text::len).eq(other.pieces.iter().map(Text::len))
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        str::hash(self, state);
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&**self, f)
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::size_of;

    #[test]
    fn what_a_file_holds_is_not_copied() {
        let content = Content::from("one\ntwo\nthree\n");
        let whole = content.as_text().expect("it is text");
        let text = Text::framed("<\n", Text::of(&content, &whole[4..8]), ">");
        assert_eq!(text, "<\ntwo\n>");
        let Piece::Joined(joined) = &text.0 else { panic!("it has three pieces") };
        assert_eq!(joined.pieces[1].as_ptr(), whole[4..].as_ptr());
        assert_eq!(Text::of(&content, whole).slice(4..7).as_ptr(), whole[4..].as_ptr());
        assert_eq!(Text::of(&content, "one"), "one", "the words stand elsewhere");
        let file = Text::from(&content);
        assert_eq!(file.part(file[4..].trim_end()).as_ptr(), whole[4..].as_ptr());
        assert_eq!(file.part("three"), "three");
        assert_eq!(Text::from(&Content::from(&b"a\xff"[..])), "a\u{fffd}");
    }

    #[test]
    fn sizes_and_equality_are_those_of_the_whole() {
        let content = Content::from("ä\n😀");
        let file = Text::from(&content);
        for pieces in [vec![], vec!["", "a"], vec!["a", "b\n", "", "c"], vec!["a\n", "\n", "b"], vec!["\n", ""]] {
            let texts: Vec<Text> = pieces.iter().map(|piece| Text::from(*piece)).collect();
            for separator in ["", "\n", "--"] {
                let text = Text::framed(Text::joined(&texts, separator), file.clone(), "");
                let plain = format!("{}{}", pieces.join(separator), "ä\n😀");
                assert_eq!((text.len(), text.is_empty()), (plain.len(), false));
                assert_eq!(text.size(), size_of(plain.as_bytes()), "{plain:?}");
                assert_eq!(text, Text::from(plain.as_str()));
                assert_eq!(text, Text::framed(Text::joined(&texts, separator), "ä\n😀", ""));
                assert_ne!(text, Text::framed(Text::joined(&texts, separator), "ä\n😁", ""));
                assert_eq!(text.slice(0..text.len() - 4), plain[..plain.len() - 4]);
            }
        }
        assert!(Text::joined(&[], "--").is_empty());
    }
}
