//! Edits for file renames: imports and settings that mention the old path. The editor applies them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

use super::super::Server;
use crate::engine::convert;
use crate::engine::view::{file, seen_as};
use crate::report::mentions::{leading_to, named};
use crate::report::rename::{Moves, reworded};
use crate::request::beside;

impl Server {
    /// Handles `workspace/willRenameFiles`.
    pub(crate) async fn renaming(&self, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
        let mut moves = Vec::new();
        for renamed in &params.files {
            let path = |uri: &str| file(&uri.parse::<Uri>().ok()?);
            let (Some(old), Some(new)) = (path(&renamed.old_uri), path(&renamed.new_uri)) else { continue };
            // Agents see files by their physical paths.
            let (old, new) = (self.seen(&old).await?, self.seen(&new).await?);
            moves.push((old, new));
        }
        let moves = Moves(moves);
        let mut answers = Vec::new();
        for (old, _) in &moves.0 {
            answers.extend(self.core.answers_about(old).await?);
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
            let (Some(uri), Ok(view)) = (convert::uri_of(&path), self.core.view(&path).await) else { continue };
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
    async fn seen(&self, path: &Path) -> Result<PathBuf> {
        Ok(seen_as(path, &beside(path), &self.core.about(path).await?))
    }
}
