//! Hovers: on instruction and settings files, and on the first line of every other file.

use std::path::Path;

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    Hover as Shown, HoverContents, HoverParams, MarkupContent, Range, TextDocumentPositionParams,
};

use super::super::Context;
use crate::engine::findings::concerns;
use crate::lsp::convert::path_of;
use crate::lsp::view::View;
use crate::queries::patterns::Matches;
use crate::report::hover::{Hover, chain, hover, matches, pattern_at};
use crate::request::{Places, Request, beside};

impl Context {
    /// Handles `textDocument/hover`.
    pub(crate) fn hovered(&self, params: HoverParams) -> Result<Option<Shown>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
        let path = path_of(&text_document.uri)?;
        let said = |value: String, range: Option<Range>| {
            let kind = self.connection.abilities().hover_kind();
            Shown { contents: HoverContents::Markup(MarkupContent { kind, value }), range }
        };
        let concerned = concerns(&path, &self.core.session());
        if concerned {
            let view = self.view(&path)?;
            if let Some(hover) = self.pattern(&path, &view, view.byte(position)) {
                return Ok(Some(said(hover.text, Some(view.range(&hover.at)))));
            }
            if let Some(hover) = hover(&view.subject(), view.byte(position)) {
                return Ok(Some(said(hover.text, Some(view.range(&hover.at)))));
            }
            if view.subject().sources().next().is_some() {
                return Ok(None);
            }
        }
        if position.line > 0 {
            return Ok(None);
        }
        let Some(cwd) = self.core.session().cwd_for(Some(&path)) else { return Ok(None) };
        let places = Places { cwd, target: Some(path), read_before: Vec::new(), already_loaded: Vec::new() };
        let (answers, _) = self.core.answers(&Request::default(), &places)?;
        Ok(chain(&answers).map(|text| said(text, None)))
    }

    /// Returns the files that the pattern of a rule matches. Searches only inside the workspace.
    fn pattern(&self, path: &Path, view: &View, byte: usize) -> Option<Hover> {
        self.core.session().folder_of(path)?;
        view.subject().sources().next()?;
        let (pattern, at) = pattern_at(&view.raw, byte)?;
        let base = beside(&view.seen);
        let found = self.core.query(Matches::below(&base, &pattern));
        Some(matches(&pattern, at, &found.value, &base))
    }
}
