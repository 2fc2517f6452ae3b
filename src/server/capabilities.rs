//! What the server tells the client it can do, and what the client told that matters here.

use tower_lsp::ls_types::{
    ClientCapabilities, DiagnosticTag, DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern,
    HoverProviderCapability, InitializeResult, MarkupKind, OneOf, Registration, ServerCapabilities, ServerInfo,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use super::convert::Encoding;
use crate::harness;

/// What the client can do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Abilities {
    /// It lets the server register for file events.
    pub registers_file_events: bool,
    /// It lets the server register for changes of settings.
    pub registers_settings: bool,
    /// It can be asked for its settings.
    pub pulls_settings: bool,
    /// It shows Markdown in hovers.
    pub markdown: bool,
    /// It shows which other file a diagnostic is about.
    pub related_information: bool,
    /// It knows that diagnostics may mark text as unnecessary.
    pub unnecessary_tag: bool,
    /// It knows that diagnostics may say which version they belong to.
    pub versions: bool,
}

impl Abilities {
    /// What `initialize` says of the client.
    pub fn of(client: &ClientCapabilities) -> Abilities {
        let workspace = client.workspace.as_ref();
        let events = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
        let settings = workspace.and_then(|workspace| workspace.did_change_configuration.as_ref());
        let documents = client.text_document.as_ref();
        let diagnostics = documents.and_then(|documents| documents.publish_diagnostics.as_ref());
        let hover = documents.and_then(|documents| documents.hover.as_ref());
        let formats = hover.and_then(|hover| hover.content_format.as_deref());
        let tags = diagnostics.and_then(|diagnostics| diagnostics.tag_support.as_ref());
        Abilities {
            registers_file_events: events.and_then(|events| events.dynamic_registration) == Some(true),
            registers_settings: settings.and_then(|settings| settings.dynamic_registration) == Some(true),
            pulls_settings: workspace.and_then(|workspace| workspace.configuration) == Some(true),
            markdown: formats.is_none_or(|formats| formats.contains(&MarkupKind::Markdown)),
            related_information: diagnostics.and_then(|diagnostics| diagnostics.related_information) == Some(true),
            unnecessary_tag: tags.is_some_and(|tags| tags.value_set.contains(&DiagnosticTag::UNNECESSARY)),
            versions: diagnostics.and_then(|diagnostics| diagnostics.version_support) == Some(true),
        }
    }

    /// How hovers are said to it. Our tables can be read as plain text, too.
    pub fn hover_kind(self) -> MarkupKind {
        if self.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText }
    }
}

/// The answer to `initialize`.
pub(super) fn initialize_result(encoding: Encoding) -> InitializeResult {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let folders =
        WorkspaceFoldersServerCapabilities { supported: Some(true), change_notifications: Some(OneOf::Left(true)) };
    InitializeResult {
        capabilities: ServerCapabilities {
            position_encoding: Some(encoding.kind()),
            text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            workspace: Some(WorkspaceServerCapabilities {
                workspace_folders: Some(folders),
                ..WorkspaceServerCapabilities::default()
            }),
            ..ServerCapabilities::default()
        },
        server_info: Some(ServerInfo {
            name: "briefing".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        ..InitializeResult::default()
    }
}

/// What the server registers for, as far as the client lets it.
pub(super) fn registrations(client: Abilities) -> Vec<Registration> {
    let settings = Registration {
        id: "briefing-settings".to_owned(),
        method: "workspace/didChangeConfiguration".to_owned(),
        register_options: None,
    };
    let files = client.registers_file_events.then(file_events);
    files.into_iter().chain(client.registers_settings.then_some(settings)).collect()
}

/// The registration for file events, derived from the names that harnesses read.
fn file_events() -> Registration {
    let names = harness::ALL.iter().flat_map(|profile| profile.instruction_names.iter().chain(profile.settings_names));
    let mut patterns: Vec<String> = names.map(|name| format!("**/{name}")).collect();
    patterns.sort();
    patterns.dedup();
    let watchers = patterns
        .into_iter()
        .map(|pattern| FileSystemWatcher { glob_pattern: GlobPattern::String(pattern), kind: None })
        .collect();
    let options = DidChangeWatchedFilesRegistrationOptions { watchers };
    Registration {
        id: "briefing-files".to_owned(),
        method: "workspace/didChangeWatchedFiles".to_owned(),
        register_options: serde_json::to_value(options).ok(),
    }
}
