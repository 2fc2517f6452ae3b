//! Symbols: the sections of an instruction file, and the instruction files of the workspace.

use std::ops::Range as Bytes;
use std::path::Path;

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

use super::super::Context;
use crate::lsp::convert;
use crate::lsp::view::View;
use crate::report::findings::{Finding, findings, title};
use crate::report::symbols::{Section, symbols};
use crate::report::words::list;
use crate::text;

/// Maximum number of files in one answer.
const FILES: usize = 1000;

impl Context {
    /// Handles `textDocument/documentSymbol`.
    pub(crate) fn sections(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        let uri = params.text_document.uri;
        let Some(view) = self.concerned(&uri)? else { return Ok(None) };
        let subject = view.subject();
        if subject.sources().next().is_none() {
            // Leave texts that no agent reads to other language servers.
            return Ok(None);
        }
        let lost: Vec<Finding> = findings(&subject).into_iter().filter(|finding| !finding.lost.is_empty()).collect();
        let decoded = text::lossy(&view.raw);
        let sections = symbols(&decoded);
        let outline = Outline { view: &view, lost: &lost };
        Ok(Some(if self.connection.abilities().nested_symbols {
            DocumentSymbolResponse::Nested(sections.iter().map(|section| outline.nested(section)).collect())
        } else {
            let mut flat = Vec::new();
            sections.iter().for_each(|section| outline.flat(section, None, &uri, &mut flat));
            DocumentSymbolResponse::Flat(flat)
        }))
    }

    /// Handles `workspace/symbol`.
    pub(crate) fn files_named(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        let wanted = params.query.to_lowercase();
        let folders = self.core.session().folders.clone();
        let mut roots: Vec<_> = folders.iter().map(|folder| self.core.files.real(folder)).collect();
        roots.sort_by_key(|root| std::cmp::Reverse(root.as_os_str().len()));
        let mut found = Vec::new();
        for file in self.core.instruction_files_known() {
            let Some(root) = roots.iter().find(|root| file.starts_with(root)) else { continue };
            let inside = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            if !letters_in_order(&wanted, &inside.to_lowercase()) {
                continue;
            }
            found.extend(symbol_of(&file, inside, root));
            if found.len() == FILES {
                break;
            }
        }
        Ok(Some(WorkspaceSymbolResponse::Flat(found)))
    }
}

/// Converts sections to symbols.
struct Outline<'a> {
    view: &'a View,
    lost: &'a [Finding],
}

impl Outline<'_> {
    /// Describes which agents do not load the section.
    fn detail(&self, section: &Bytes<usize>) -> Option<String> {
        let all =
            |finding: &&Finding| finding.lost.iter().any(|lost| lost.start <= section.start && section.end <= lost.end);
        let subject = self.view.subject();
        let mut harnesses: Vec<&str> =
            self.lost.iter().filter(all).filter_map(|finding| title(&subject, finding.harness.as_deref())).collect();
        harnesses.dedup();
        (!harnesses.is_empty()).then(|| format!("not loaded by {}", list(&harnesses)))
    }

    #[expect(deprecated, reason = "the field has to be given all the same")]
    fn nested(&self, section: &Section) -> DocumentSymbol {
        let children: Vec<_> = section.children.iter().map(|child| self.nested(child)).collect();
        let range = self.of_raw(&section.range);
        DocumentSymbol {
            name: section.title.clone(),
            detail: self.detail(&range),
            kind: SymbolKind::STRING,
            tags: None,
            deprecated: None,
            range: self.view.range(&range),
            selection_range: self.view.range(&self.of_raw(&section.heading)),
            children: (!children.is_empty()).then_some(children),
        }
    }

    #[expect(deprecated, reason = "the field has to be given all the same")]
    fn flat(&self, section: &Section, parent: Option<&str>, uri: &Uri, found: &mut Vec<SymbolInformation>) {
        found.push(SymbolInformation {
            name: section.title.clone(),
            kind: SymbolKind::STRING,
            tags: None,
            deprecated: None,
            location: Location { uri: uri.clone(), range: self.view.range(&self.of_raw(&section.range)) },
            container_name: parent.map(str::to_owned),
        });
        section.children.iter().for_each(|child| self.flat(child, Some(&section.title), uri, found));
    }

    /// Converts a range of the decoded text to one of the raw bytes.
    fn of_raw(&self, range: &Bytes<usize>) -> Bytes<usize> {
        text::raw_offset(&self.view.raw, range.start)..text::raw_offset(&self.view.raw, range.end)
    }
}

#[expect(deprecated, reason = "the field has to be given all the same")]
fn symbol_of(file: &Path, name: String, root: &Path) -> Option<SymbolInformation> {
    Some(SymbolInformation {
        name,
        kind: SymbolKind::FILE,
        tags: None,
        deprecated: None,
        location: Location { uri: convert::uri_of(file)?, range: Range::default() },
        container_name: root.file_name().map(|name| name.to_string_lossy().into_owned()),
    })
}

/// Returns true if a name contains the letters of a query in order. Editors filter further.
fn letters_in_order(query: &str, name: &str) -> bool {
    let mut rest = name.chars();
    query.chars().filter(|c| !c.is_whitespace()).all(|wanted| rest.any(|c| c == wanted))
}

#[cfg(test)]
mod tests {
    use super::letters_in_order;

    #[test]
    fn a_query_is_letters_in_their_order() {
        for (query, name, found) in [
            ("", "agents.md", true),
            ("agmd", "src/agents.md", true),
            ("src ag", "src/agents.md", true),
            ("md ag", "src/agents.md", false),
        ] {
            assert_eq!(letters_in_order(query, name), found, "{query}");
        }
    }
}
