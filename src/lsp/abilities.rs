//! Capabilities of the client that matter here.

use tower_lsp::ls_types::{ClientCapabilities, DiagnosticTag, MarkupKind};

use super::editing::Editing;
use super::transport::{FOLDS, TEXT_DOCUMENT_CONTENT};

/// Capabilities of the client.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Abilities {
    /// True if the server may register for file events.
    pub registers_file_events: bool,
    /// True if the server may register for changes of settings.
    pub registers_settings: bool,
    /// True if the server can request settings.
    pub pulls_settings: bool,
    /// True if the client shows nested symbols.
    pub nested_symbols: bool,
    /// True if hovers may be Markdown.
    pub markdown: bool,
    /// True if diagnostics may refer to other files.
    pub related_information: bool,
    /// True if diagnostics may be tagged as unnecessary.
    pub unnecessary_tag: bool,
    /// True if diagnostics may be tagged as deprecated.
    pub deprecated_tag: bool,
    /// True if the client pulls diagnostics and supports refresh requests. Diagnostics are not pushed then.
    pub pulls_diagnostics: bool,
    /// True if the client supports refreshing inlay hints.
    pub refreshes_hints: bool,
    /// True if the client supports refreshing code lenses.
    pub refreshes_lenses: bool,
    /// True if the client supports refreshing folding ranges (LSP 3.18).
    pub refreshes_folds: bool,
    /// True if published diagnostics may carry a document version.
    pub versions: bool,
    /// True if the server may ask the client to show a document.
    pub shows_documents: bool,
    /// True if the client shows progress of long work.
    pub shows_progress: bool,
    /// True if the client shows documents that the server provides and supports refreshing them.
    pub refreshes_previews: bool,
    /// True if the client opens the server's pages, `briefing:/findings/CODE`, as rendered pages.
    pub opens_pages: bool,
    /// Capabilities for code actions and edits.
    pub editing: Editing,
}

impl Abilities {
    /// Reads the capabilities from the parameters of `initialize`.
    pub fn of(client: &ClientCapabilities) -> Abilities {
        let workspace = client.workspace.as_ref();
        let events = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
        let settings = workspace.and_then(|workspace| workspace.did_change_configuration.as_ref());
        let documents = client.text_document.as_ref();
        let diagnostics = documents.and_then(|documents| documents.publish_diagnostics.as_ref());
        let hover = documents.and_then(|documents| documents.hover.as_ref());
        let formats = hover.and_then(|hover| hover.content_format.as_deref());
        let refreshes_diagnostics = workspace
            .and_then(|workspace| workspace.diagnostics.as_ref())
            .and_then(|diagnostics| diagnostics.refresh_support)
            == Some(true);
        let pulls = documents.and_then(|documents| documents.diagnostic.as_ref());
        let tags = diagnostics.and_then(|diagnostics| diagnostics.tag_support.as_ref());
        let window = client.window.as_ref();
        let experimental = client.experimental.as_ref();
        Abilities {
            registers_file_events: events.and_then(|events| events.dynamic_registration) == Some(true),
            registers_settings: settings.and_then(|settings| settings.dynamic_registration) == Some(true),
            pulls_settings: workspace.and_then(|workspace| workspace.configuration) == Some(true),
            nested_symbols: documents
                .and_then(|documents| documents.document_symbol.as_ref())
                .and_then(|symbols| symbols.hierarchical_document_symbol_support)
                == Some(true),
            markdown: formats.is_none_or(|formats| formats.contains(&MarkupKind::Markdown)),
            related_information: diagnostics.and_then(|diagnostics| diagnostics.related_information) == Some(true),
            unnecessary_tag: tags.is_some_and(|tags| tags.value_set.contains(&DiagnosticTag::UNNECESSARY)),
            deprecated_tag: tags.is_some_and(|tags| tags.value_set.contains(&DiagnosticTag::DEPRECATED)),
            // Diagnostics change with other files and with settings. A client without refresh requests (Neovim 0.11)
            // gets them pushed.
            pulls_diagnostics: pulls.is_some() && refreshes_diagnostics,
            refreshes_hints: workspace
                .and_then(|workspace| workspace.inlay_hint.as_ref())
                .and_then(|hints| hints.refresh_support)
                == Some(true),
            refreshes_lenses: workspace
                .and_then(|workspace| workspace.code_lens.as_ref())
                .and_then(|lenses| lenses.refresh_support)
                == Some(true),
            refreshes_folds: experimental.is_some_and(|all| all[FOLDS] == true),
            versions: diagnostics.and_then(|diagnostics| diagnostics.version_support) == Some(true),
            shows_documents: window.and_then(|window| window.show_document.as_ref()).is_some_and(|show| show.support),
            shows_progress: window.and_then(|window| window.work_done_progress) == Some(true),
            opens_pages: experimental.is_some_and(|all| all["briefing"]["pages"] == true),
            editing: Editing::of(client),
            refreshes_previews: experimental.is_some_and(|all| all.get(TEXT_DOCUMENT_CONTENT).is_some()),
        }
    }

    /// Returns the markup kind for hovers. Our tables are readable as plain text, too.
    pub fn hover_kind(self) -> MarkupKind {
        if self.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText }
    }
}
