//! A view of one file in the editor's coordinates.

use std::ops::{Deref, Range as Bytes};
use std::path::{Path, PathBuf};

use ropey::Rope;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{Position, Range, Uri};

use super::Context;
use super::convert::{self, Encoding};
use crate::engine::findings::concerns;
use crate::engine::view;
use crate::text;

/// A view, with the lines that the editor counts.
pub(crate) struct View {
    view: view::View,
    lines: Lines,
}

impl Deref for View {
    type Target = view::View;

    fn deref(&self) -> &view::View {
        &self.view
    }
}

impl View {
    /// Adds the lines to a view.
    pub fn of(view: view::View, encoding: Encoding) -> View {
        View { lines: Lines::new(&view.raw, view.text.clone(), encoding), view }
    }

    /// Converts a byte range of the file to the editor's coordinates.
    pub fn range(&self, bytes: &Bytes<usize>) -> Range {
        self.lines.range(&self.raw, bytes)
    }

    /// Converts a byte offset of the file to the editor's coordinates.
    pub fn position(&self, byte: usize) -> Position {
        self.lines.position(&self.raw, byte)
    }

    /// Converts a position of the editor to a byte offset of the file.
    pub fn byte(&self, position: Position) -> usize {
        let shown = convert::offset(&self.lines.text, position, self.lines.encoding);
        if self.lines.as_raw {
            return shown;
        }
        let bom = if self.raw.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        bom + text::raw_offset(&self.raw[bom..], shown)
    }
}

/// Lines as the editor counts them. The editor hides a byte order mark and replaces invalid UTF-8; line breaks are the
/// same.
struct Lines {
    text: Rope,
    /// True if the text equals the bytes.
    as_raw: bool,
    encoding: Encoding,
}

impl Lines {
    fn new(raw: &[u8], open: Option<Rope>, encoding: Encoding) -> Lines {
        let same = |text: &Rope| {
            raw.len() == text.len_bytes()
                && text.chunks().try_fold(raw, |rest, chunk| rest.strip_prefix(chunk.as_bytes())).is_some()
        };
        match open {
            Some(text) if same(&text) => Lines { text, as_raw: true, encoding },
            _ => {
                let shown = text::lossy_without_bom(raw);
                Lines { as_raw: shown.as_bytes() == raw, text: Rope::from_str(&shown), encoding }
            }
        }
    }

    /// Converts a byte offset of the file to the editor's coordinates.
    fn position(&self, raw: &[u8], byte: usize) -> Position {
        let shown = if self.as_raw { byte } else { text::lossy_without_bom(&raw[..byte.min(raw.len())]).len() };
        convert::position(&self.text, shown, self.encoding)
    }

    /// Converts a byte range of the file to the editor's coordinates.
    fn range(&self, raw: &[u8], bytes: &Bytes<usize>) -> Range {
        Range::new(self.position(raw, bytes.start), self.position(raw, bytes.end))
    }
}

/// A range of a document in the editor's coordinates.
pub(crate) struct Spot {
    /// URI of the file.
    pub uri: Uri,
    /// Version of the document, if it is open.
    pub version: Option<i32>,
    /// The range.
    pub range: Range,
}

impl Context {
    /// Returns a file with the answers that belong to its text.
    pub(crate) fn view(&self, path: &Path) -> Result<View> {
        Ok(View::of(self.core.view(path)?, self.connection.encoding()))
    }

    /// Returns the view of a document, if agents may load a file of its name.
    pub(crate) fn concerned(&self, uri: &Uri) -> Result<Option<View>> {
        let path = file(uri).filter(|path| concerns(path, &self.core.session()));
        path.map(|path| self.view(&path)).transpose()
    }

    /// Converts a byte range of any file to the editor's coordinates.
    pub(crate) fn spot(&self, path: &Path, bytes: &Bytes<usize>) -> Option<Spot> {
        let raw = self.core.shown(path).ok()?;
        let session = self.core.session();
        let (version, text) = view::state(&session, path).map(|(_, version, text)| (version, text)).unzip();
        let range = Lines::new(&raw, text, self.connection.encoding()).range(&raw, bytes);
        let open = session.documents.iter().find(|(_, document)| document.path == path);
        let uri = open.and_then(|(uri, _)| uri.parse().ok()).or_else(|| convert::uri_of(path))?;
        Some(Spot { uri, version, range })
    }
}

/// Returns the path of a document, or `None` for URIs that features ignore.
pub(crate) fn file(uri: &Uri) -> Option<PathBuf> {
    convert::path_of(uri).ok()
}
