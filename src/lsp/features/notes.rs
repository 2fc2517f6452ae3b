//! Inlay hints, code lenses and folding ranges.

use serde_json::json;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

use crate::engine::Core;
use crate::engine::settings::ReadersSetting;
use crate::lsp::Context;
use crate::lsp::ext;
use crate::lsp::view::View;
use crate::report::lens::Leads;
use crate::report::{folding, hints, lens, readers};

impl Context {
    /// Handles `textDocument/inlayHint`.
    pub(crate) fn hints(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let Some(view) = self.concerned(&params.text_document.uri)? else { return Ok(None) };
        let wanted = view.byte(params.range.start)..=view.byte(params.range.end);
        let found = self.core.hints(&view).into_iter().filter(|hint| wanted.contains(&hint.at));
        let hint = |hint: hints::Hint| InlayHint {
            position: view.position(hint.at),
            label: InlayHintLabel::String(hint.label),
            kind: None,
            text_edits: None,
            tooltip: Some(InlayHintTooltip::String(hint.tooltip)),
            padding_left: Some(true),
            padding_right: Some(true),
            data: None,
        };
        Ok(Some(found.map(hint).collect()))
    }

    /// Handles `textDocument/codeLens`.
    pub(crate) fn lenses(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let uri = params.text_document.uri;
        let Some(view) = self.concerned(&uri)? else { return Ok(None) };
        let lens = |lens: lens::Lens| {
            let command = match lens.leads {
                Leads::Show => "briefing.show",
                Leads::Why => "briefing.why",
            };
            let arguments = [Some(json!(uri)), lens.harness.map(|harness| json!(harness))];
            let arguments = Some(arguments.into_iter().flatten().collect());
            let command = Command { title: lens.title, command: command.to_owned(), arguments };
            CodeLens { range: view.range(&(0..0)), command: Some(command), data: None }
        };
        Ok(Some(lens::lenses(&view.subject()).into_iter().map(lens).collect()))
    }

    /// Handles `textDocument/foldingRange`.
    pub(crate) fn folds(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        let Some(view) = self.concerned(&params.text_document.uri)? else { return Ok(None) };
        let fold = |fold: folding::Fold| {
            let range = view.range(&fold.range);
            // The first line stays visible, and so does a last line that contains none of the range.
            let end_line = range.end.line - u32::from(range.end.character == 0 && range.end.line > range.start.line);
            (end_line > range.start.line).then_some(FoldingRange {
                start_line: range.start.line,
                end_line,
                start_character: None,
                end_character: None,
                kind: fold.instead.is_some().then_some(FoldingRangeKind::Region),
                collapsed_text: fold.instead,
            })
        };
        Ok(Some(folding::folds(&view.subject()).into_iter().filter_map(fold).collect()))
    }
    /// Handles `briefing/readers`.
    pub(crate) fn readers(&self, params: ext::ReadersParams) -> Result<ext::Readers> {
        let uri = params.text_document.uri;
        let uri = uri.parse().map_err(|error| Error::invalid_params(format!("{uri}: not a URI: {error}")))?;
        let version = self.core.index.version();
        let Some(view) = self.concerned(&uri)? else {
            return Ok(ext::Readers { version, parts: Vec::new() });
        };
        let part = |part: readers::Part| {
            let Range { start, end } = view.range(&part.range);
            let place = |position: Position| ext::Place { line: position.line, character: position.character };
            let named = |all: Vec<readers::Reader>| all.into_iter().map(ext::Reader::of).collect();
            ext::ReadPart { start: place(start), end: place(end), told: named(part.told), missed: named(part.missed) }
        };
        Ok(ext::Readers { version, parts: readers::parts(&view.subject()).into_iter().map(part).collect() })
    }
}

impl Core {
    /// Returns all hints of a file, in text order.
    pub(crate) fn hints(&self, view: &View) -> Vec<hints::Hint> {
        let subject = view.subject();
        let places = match self.session().settings.readers {
            ReadersSetting::Off => None,
            ReadersSetting::Headings => Some(readers::Places::Headings),
            ReadersSetting::Lines => Some(readers::Places::Lines),
        };
        let mut found = places.map_or_else(Vec::new, |places| readers::hints(&subject, places));
        found.extend(hints::hints(&subject));
        found.sort_by_key(|hint| hint.at);
        found
    }
}
