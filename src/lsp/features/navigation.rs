//! Links, definitions and references: files that a file mentions, and places that mention it.

use std::path::Path;

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

use super::super::Context;
use crate::answer::Place;
use crate::lsp::convert;
use crate::lsp::view::{View, file};
use crate::report::links::{Link, leads, links};
use crate::report::mentions;

impl Context {
    /// Handles `textDocument/documentLink`.
    pub(crate) fn links(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        let Some(view) = self.concerned(&params.text_document.uri)? else { return Ok(None) };
        let link = |link: Link| DocumentLink {
            range: view.range(&link.at),
            target: match &link.to {
                Place::Path(path) => convert::uri_of(path),
                Place::Url(url) => url.parse().ok(),
            },
            tooltip: Some(link.harnesses.join(", ")),
            data: None,
        };
        Ok(Some(links(&view.subject()).into_iter().map(link).collect()))
    }

    /// Handles `textDocument/definition`.
    pub(crate) fn defined(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        let Some(view) = self.concerned(&at.text_document.uri)? else { return Ok(None) };
        let Some((_, places)) = leads(&view.subject(), view.byte(at.position)) else { return Ok(None) };
        let paths = places.into_iter().filter_map(|place| match place {
            Place::Path(path) => Some(path),
            Place::Url(_) => None,
        });
        let locations = paths.filter_map(|path| beginning(&path)).collect();
        Ok(Some(GotoDefinitionResponse::Array(locations)))
    }

    /// Handles `textDocument/references`: places that mention the file, or the file that the text at the position
    /// mentions.
    pub(crate) fn referred(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let at = params.text_document_position;
        let Some(path) = file(&at.text_document.uri) else { return Ok(None) };
        let mut target = path;
        if let Some(view) = self.concerned(&at.text_document.uri)? {
            target = match leads(&view.subject(), view.byte(at.position)) {
                Some((_, places)) => match places.as_slice() {
                    [Place::Path(named)] => named.clone(),
                    _ => return Ok(None),
                },
                None => view.seen.clone(),
            };
        }
        let mut found = Vec::new();
        for (view, words) in self.naming(&target)? {
            let Some(uri) = convert::uri_of(&view.seen) else { continue };
            let here = words.iter().filter(|words| words.paths().any(|named| named == target));
            found.extend(here.map(|words| Location { uri: uri.clone(), range: view.range(&words.at) }));
        }
        Ok(Some(found))
    }

    /// Returns the files that mention a file or something below it, with all their mentions.
    pub(crate) fn naming(&self, target: &Path) -> Result<Vec<(View, Vec<mentions::Named>)>> {
        let answers = self.core.answers_about(target)?;
        let mut found = Vec::new();
        for naming in mentions::files_leading_to(target, &answers) {
            let Ok(view) = self.view(&naming) else { continue };
            let words = mentions::named(&view.seen, &view.raw, &answers);
            found.push((view, words));
        }
        Ok(found)
    }
}

fn beginning(path: &Path) -> Option<Location> {
    Some(Location { uri: convert::uri_of(path)?, range: Range::default() })
}
