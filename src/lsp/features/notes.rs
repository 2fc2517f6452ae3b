//! Inlay hints, code lenses and folding ranges.

use serde_json::json;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

use crate::lsp::Server;
use crate::report::lens::Leads;
use crate::report::{folding, hints, lens};

impl Server {
    /// Handles `textDocument/inlayHint`.
    pub(crate) async fn hints(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let Some(view) = self.core.concerned(&params.text_document.uri).await? else { return Ok(None) };
        let wanted = view.byte(params.range.start)..=view.byte(params.range.end);
        let found = hints::hints(&view.subject()).into_iter().filter(|hint| wanted.contains(&hint.at));
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
    pub(crate) async fn lenses(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let uri = params.text_document.uri;
        let Some(view) = self.core.concerned(&uri).await? else { return Ok(None) };
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
    pub(crate) async fn folds(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        let Some(view) = self.core.concerned(&params.text_document.uri).await? else { return Ok(None) };
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
}
