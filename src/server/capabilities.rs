//! What the server tells the client it can do.

use tower_lsp::ls_types::{
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, HoverProviderCapability,
    InitializeResult, OneOf, Registration, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

use super::convert::Encoding;
use crate::harness;

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

/// The registration for file events, derived from the names that harnesses read.
pub(super) fn file_events() -> Registration {
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
