//! Converts between the wire and the core: URIs and paths, positions and byte offsets.

use std::path::{Path, PathBuf};

use ropey::Rope;
use tower_lsp::ls_types::{Position, PositionEncodingKind, Range, Uri};

use crate::engine::Error;

/// Unit of `character` in positions, as negotiated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, the default of LSP.
    #[default]
    Utf16,
    /// Code points.
    Utf32,
}

impl Encoding {
    /// Picks the best encoding that a client offers. UTF-8 comes first, because bytes need no counting.
    pub fn negotiate(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        let offers = |kind: PositionEncodingKind| offered.is_some_and(|offered| offered.contains(&kind));
        if offers(PositionEncodingKind::UTF8) {
            Encoding::Utf8
        } else if offers(PositionEncodingKind::UTF16) || !offers(PositionEncodingKind::UTF32) {
            Encoding::Utf16
        } else {
            Encoding::Utf32
        }
    }

    /// Returns the name on the wire.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }
}

/// Returns the path of a `file:` URI. Other schemes are an error, because they name no file that an agent could read.
pub fn path_of(uri: &Uri) -> Result<PathBuf, Error> {
    if uri.scheme().as_str() != "file" {
        return Err(Error::invalid(format!(
            "{}: only file: URIs name files that an agent could be told about; save the document first",
            uri.as_str()
        )));
    }
    #[cfg(unix)]
    if let Some(host) =
        uri.authority().map(|authority| authority.host()).filter(|host| !matches!(*host, "" | "localhost"))
    {
        return Err(Error::invalid(format!("{}: the file is on the host {host}, not here", uri.as_str())));
    }
    let path = decoded(uri).filter(|path| path.is_absolute());
    let path = path.ok_or_else(|| Error::invalid(format!("{}: not an absolute path", uri.as_str())))?;
    Ok(crate::snapshot::absolute(Path::new("/"), &path))
}

#[cfg(unix)]
fn decoded(uri: &Uri) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = uri.path().decode().to_bytes();
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(&bytes)))
}

#[cfg(not(unix))]
fn decoded(uri: &Uri) -> Option<PathBuf> {
    uri.to_file_path().map(std::borrow::Cow::into_owned)
}

/// Returns the `file:` URI of a path.
pub fn uri_of(path: &Path) -> Option<Uri> {
    #[cfg(unix)]
    {
        use std::fmt::Write;
        use std::os::unix::ffi::OsStrExt;
        let mut text = String::from("file://");
        for &byte in path.as_os_str().as_bytes() {
            match byte {
                b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                    text.push(char::from(byte))
                }
                other => {
                    let _ = write!(text, "%{other:02X}");
                }
            }
        }
        text.parse().ok()
    }
    #[cfg(not(unix))]
    Uri::from_file_path(path)
}

/// Returns the byte offset of a position. A position beyond its line or the text is clamped to the end of it.
pub fn offset(text: &Rope, position: Position, encoding: Encoding) -> usize {
    let line = position.line as usize;
    if line >= text.len_lines() {
        return text.len_bytes();
    }
    let start = text.line_to_byte(line);
    let line = text.line(line).to_string();
    start + column_to_byte(without_line_end(&line), position.character as usize, encoding)
}

/// Returns the position of a byte offset. An offset inside a character is moved to its start.
pub fn position(text: &Rope, offset: usize, encoding: Encoding) -> Position {
    let offset = offset.min(text.len_bytes());
    let line = text.byte_to_line(offset);
    let content = text.line(line).to_string();
    let column = content.floor_char_boundary(offset - text.line_to_byte(line));
    let before = &content[..column];
    let character = match encoding {
        Encoding::Utf8 => before.len(),
        Encoding::Utf16 => crate::text::utf16_len(before),
        Encoding::Utf32 => before.chars().count(),
    };
    Position::new(number(line), number(character))
}

/// Converts a byte range to an LSP range.
pub fn range(text: &Rope, bytes: &std::ops::Range<usize>, encoding: Encoding) -> Range {
    Range::new(position(text, bytes.start, encoding), position(text, bytes.end, encoding))
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn without_line_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Converts a column to a byte offset in its line. A column inside a character, such as between two surrogates, counts
/// as its start.
fn column_to_byte(line: &str, column: usize, encoding: Encoding) -> usize {
    let mut counted = 0;
    for (at, c) in line.char_indices() {
        let width = match encoding {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        };
        if counted + width > column {
            return at;
        }
        counted += width;
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_in_the_negotiated_unit() {
        let text = Rope::from_str("aé😀b\r\nx\u{2028}y\n");
        for (encoding, character, byte) in [
            (Encoding::Utf8, 7, 7),
            (Encoding::Utf16, 4, 7),
            (Encoding::Utf32, 3, 7),
            (Encoding::Utf16, 3, 3),
            (Encoding::Utf16, 99, 8),
        ] {
            assert_eq!(offset(&text, Position::new(0, character), encoding), byte, "{encoding:?} {character}");
        }
        assert_eq!(position(&text, 7, Encoding::Utf16), Position::new(0, 4));
        assert_eq!(position(&text, 5, Encoding::Utf16), Position::new(0, 2), "inside the emoji");
        assert_eq!(offset(&text, Position::new(1, 2), Encoding::Utf16), 14, "U+2028 ends no line");
        assert_eq!(offset(&text, Position::new(9, 0), Encoding::Utf16), text.len_bytes());
    }

    #[test]
    fn paths_survive_the_way_through_a_uri() {
        for path in ["/a b/c#d?e%41", "/ü/😀", "/plain/AGENTS.md"] {
            let uri = uri_of(Path::new(path)).expect("a URI");
            assert_eq!(path_of(&uri).expect("a path"), Path::new(path), "{}", uri.as_str());
        }
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let path = Path::new(std::ffi::OsStr::from_bytes(b"/r/\xff.md"));
            assert_eq!(path_of(&uri_of(path).expect("a URI")).expect("a path"), path);
        }
    }

    #[test]
    fn only_file_uris_name_files() {
        for uri in ["untitled:Untitled-1", "vscode-remote://ssh/x/AGENTS.md", "http://h/AGENTS.md"] {
            let error = path_of(&uri.parse().expect("a URI")).expect_err("not a file");
            assert!(error.message.contains("only file: URIs"), "{}", error.message);
        }
    }

    #[test]
    fn the_encoding_is_the_best_one_offered() {
        let utf8 = [PositionEncodingKind::UTF16, PositionEncodingKind::UTF8];
        assert_eq!(Encoding::negotiate(Some(&utf8)), Encoding::Utf8);
        assert_eq!(Encoding::negotiate(Some(&[PositionEncodingKind::UTF32])), Encoding::Utf32);
        assert_eq!(Encoding::negotiate(Some(&[])), Encoding::Utf16);
        assert_eq!(Encoding::negotiate(None), Encoding::Utf16);
    }
}
