//! Edits for file renames: imports and settings that mention the old path. The editor applies them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

use super::super::Context;
use crate::answer::Place;
use crate::disk::Filesystem;
use crate::engine::view::seen_as;
use crate::lsp::convert::{self, path_of};
use crate::lsp::view::file;
use crate::report::links::leads;
use crate::report::mentions::{leading_to, named};
use crate::report::rename::{Moves, resolved, reworded};
use crate::request::beside;
use crate::text;

impl Context {
    /// Handles `textDocument/prepareRename`: a mention that leads to one file is renamed together with the file.
    pub(crate) fn rename_prepared(&self, at: TextDocumentPositionParams) -> Result<Option<PrepareRenameResponse>> {
        let Some((range, placeholder, _)) = self.renamable(&at)? else { return Ok(None) };
        Ok(Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder }))
    }

    /// Handles `textDocument/rename`: renames the mentioned file, and rewrites every mention of it.
    pub(crate) fn renamed(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        let at = params.text_document_position;
        let Some((_, text, old)) = self.renamable(&at)? else { return Ok(None) };
        let file = path_of(&at.text_document.uri)?;
        let home = self.core.defaults().home.clone();
        let new = resolved(&text, &params.new_name, &file, &old, &home)
            .ok_or_else(|| Error::invalid_params(format!("`{}` names no file", params.new_name)))?;
        if self.core.files.lstat(&new).is_ok() {
            return Err(Error::invalid_params(format!("`{}` exists already", params.new_name)));
        }
        let (Some(old_uri), Some(new_uri)) = (convert::uri_of(&old), convert::uri_of(&new)) else { return Ok(None) };
        let renamed = FileRename { old_uri: old_uri.to_string(), new_uri: new_uri.to_string() };
        let edit = self.renaming(RenameFilesParams { files: vec![renamed] })?;
        let changes = edit.and_then(|edit| edit.changes).unwrap_or_default();
        let version = |uri: &Uri| self.core.session().documents.get(uri.as_str()).map(|document| document.version);
        let edits = changes.into_iter().map(|(uri, edits)| {
            let text_document = OptionalVersionedTextDocumentIdentifier { version: version(&uri), uri };
            let edits = edits.into_iter().map(OneOf::Left).collect();
            DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits })
        });
        let rename = RenameFile { old_uri, new_uri, options: None, annotation_id: None };
        let operations = edits.chain([DocumentChangeOperation::Op(ResourceOp::Rename(rename))]).collect();
        let document_changes = Some(DocumentChanges::Operations(operations));
        Ok(Some(WorkspaceEdit { document_changes, ..WorkspaceEdit::default() }))
    }

    /// Returns the mention at a position: its range, its text and the one file that it leads to.
    fn renamable(&self, at: &TextDocumentPositionParams) -> Result<Option<(Range, String, PathBuf)>> {
        if !self.connection.abilities().editing.renames {
            return Ok(None);
        }
        let Some(view) = self.concerned(&at.text_document.uri)? else { return Ok(None) };
        let Some((words, places)) = leads(&view.subject(), view.byte(at.position)) else { return Ok(None) };
        let [Place::Path(path)] = places.as_slice() else { return Ok(None) };
        Ok(Some((view.range(&words), text::lossy(&view.raw[words.clone()]).into_owned(), path.clone())))
    }

    /// Handles `workspace/willRenameFiles`.
    pub(crate) fn renaming(&self, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
        let mut moves = Vec::new();
        for renamed in &params.files {
            let path = |uri: &str| file(&uri.parse::<Uri>().ok()?);
            let (Some(old), Some(new)) = (path(&renamed.old_uri), path(&renamed.new_uri)) else { continue };
            // Agents see files by their physical paths.
            let (old, new) = (self.seen(&old)?, self.seen(&new)?);
            moves.push((old, new));
        }
        let moves = Moves(moves);
        let mut answers = Vec::new();
        for (old, _) in &moves.0 {
            answers.extend(self.core.answers_about(old)?);
        }
        let mut naming: BTreeSet<PathBuf> = BTreeSet::new();
        for mention in answers.iter().flat_map(|answer| &answer.answer.mentions) {
            let moved = |path: &PathBuf| moves.after(path) != *path;
            if moved(&mention.file) || mention.leads_to.iter().any(moved) {
                naming.insert(mention.file.clone());
            }
        }
        let home = self.core.defaults().home.clone();
        let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
        for path in naming {
            let (Some(uri), Ok(view)) = (convert::uri_of(&path), self.view(&path)) else { continue };
            let mut edits = Vec::new();
            for words in named(&view.seen, &view.raw, &answers).iter().filter(|words| !words.is_pattern()) {
                let Some(target) = words.paths().next().filter(|_| words.leads_to.len() == 1) else { continue };
                // Text in settings may happen to be the bare name of a file elsewhere; such text does not refer to the
                // target.
                let mut leading = leading_to(target, &answers);
                if !leading.any(|(file, text, _)| file == path && text == words.text) {
                    continue;
                }
                if let Some(new_text) = reworded(&words.text, &view.seen, target, &moves, &home) {
                    edits.push(TextEdit { range: view.range(&words.at), new_text });
                }
            }
            if !edits.is_empty() {
                changes.insert(uri, edits);
            }
        }
        Ok((!changes.is_empty()).then(|| WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
    }

    /// Returns a path as agents that are started beside it see it.
    fn seen(&self, path: &Path) -> Result<PathBuf> {
        Ok(seen_as(path, &beside(path), &self.core.about(path)?))
    }
}
