//! Hovers: on instruction and settings files, and on the first line of every other file.

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

use super::super::Server;
use super::super::convert::path_of;
use super::diagnostics;
use crate::report::hover::{chain, hover};
use crate::request::{Places, Request};

impl Server {
    /// `textDocument/hover`
    pub(in crate::server) async fn hovered(&self, params: HoverParams) -> Result<Option<Hover>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
        let path = path_of(&text_document.uri)?;
        let said = |value: String, range: Option<Range>| {
            let kind = self.core.session().abilities.hover_kind();
            Hover { contents: HoverContents::Markup(MarkupContent { kind, value }), range }
        };
        let concerned = diagnostics::concerns(&path, &self.core.session());
        if concerned {
            let view = self.core.view(&path).await?;
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
        let (answers, _) = self.core.answers(&Request::default(), &places).await?;
        Ok(chain(&answers).map(|text| said(text, None)))
    }
}
