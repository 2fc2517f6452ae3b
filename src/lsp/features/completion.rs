//! Completion: paths of imports and settings, keys and their values, names of agents.

use std::path::Path;

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

use crate::disk::{Filesystem, scan};
use crate::engine::Core;
use crate::lsp::Context;
use crate::lsp::view::file;
use crate::report::completion::{Offer, Word, offer};
use crate::request::beside;
use crate::snapshot::FileType;
use crate::text;

/// Characters after which the client asks for completions.
pub(crate) const TRIGGERS: [&str; 4] = ["@", "/", "\"", ":"];

/// Maximum number of entries of one directory that are offered.
const ENTRIES: usize = 1000;

impl Context {
    /// Handles `textDocument/completion`.
    pub(crate) fn completed(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let at = params.text_document_position;
        let uri = at.text_document.uri;
        let Some(path) = file(&uri) else { return Ok(None) };
        let Some(view) = self.concerned(&uri)? else { return Ok(None) };
        let customs = self.core.customs(&beside(&path));
        let imports = view.subject().sources().next().is_some();
        let home = self.core.defaults().home.clone();
        // Offsets are those of the decoded text. They equal the raw offsets only if the file is valid UTF-8.
        let decoded = text::lossy(&view.raw);
        let byte = view.byte(at.position);
        if decoded.len() != view.raw.len() {
            return Ok(None);
        }
        let items = match offer(&view.seen, &decoded, byte, imports, &customs, &home) {
            None => return Ok(None),
            Some(Offer::Words(range, words)) => {
                let range = view.range(&range);
                words.into_iter().map(|word| of_word(word, range)).collect()
            }
            Some(Offer::Entries(range, dir)) => {
                let range = view.range(&range);
                self.core.offered(&dir).into_iter().map(|(name, kind)| of_entry(name, kind, range)).collect()
            }
        };
        Ok(Some(CompletionResponse::Array(items)))
    }
}

impl Core {
    /// Returns the entries of a directory that are worth offering.
    pub(crate) fn offered(&self, dir: &Path) -> Vec<(String, FileType)> {
        let entries = self.files.list(dir).unwrap_or_default();
        let named = entries.into_iter().filter_map(|entry| {
            let kind = match entry.kind {
                FileType::Link => self.files.stat(&dir.join(&entry.name)).ok()?.kind,
                kind => kind,
            };
            let offered = kind == FileType::File || (kind == FileType::Dir && !scan::is_heavy(&entry.name));
            offered.then(|| Some((entry.name.into_string().ok()?, kind)))?
        });
        let mut named: Vec<_> = named.take(ENTRIES).collect();
        named.sort_by(|(one, _), (other, _)| one.cmp(other));
        named
    }
}

fn of_word(word: Word, range: Range) -> CompletionItem {
    let meaning = (!word.meaning.is_empty()).then_some(Documentation::String(word.meaning));
    CompletionItem {
        filter_text: Some(word.text.trim_end_matches([' ', ':', '=']).to_owned()),
        label: word.label,
        kind: Some(CompletionItemKind::PROPERTY),
        detail: Some(word.detail),
        documentation: meaning,
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: word.text })),
        ..CompletionItem::default()
    }
}

fn of_entry(name: String, kind: FileType, range: Range) -> CompletionItem {
    let (kind, text) = match kind {
        FileType::Dir => (CompletionItemKind::FOLDER, format!("{name}/")),
        _ => (CompletionItemKind::FILE, name.clone()),
    };
    CompletionItem {
        label: text.clone(),
        kind: Some(kind),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: text })),
        ..CompletionItem::default()
    }
}
