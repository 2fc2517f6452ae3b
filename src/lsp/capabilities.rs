//! Capabilities that the server declares.

use serde_json::json;
use tower_lsp::ls_types::*;

use super::abilities::Abilities;
use super::editing;
use super::ext;
use super::features::completion::TRIGGERS;
use super::requests::Command;
use super::transport::TEXT_DOCUMENT_CONTENT;
use crate::harness;
use crate::lsp::convert::Encoding;

/// Returns the result of `initialize`.
pub(crate) fn initialize_result(encoding: Encoding, client: Abilities) -> InitializeResult {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let folders =
        WorkspaceFoldersServerCapabilities { supported: Some(true), change_notifications: Some(OneOf::Left(true)) };
    let pulled = DiagnosticOptions {
        identifier: Some("briefing".to_owned()),
        inter_file_dependencies: true,
        workspace_diagnostics: true,
        ..DiagnosticOptions::default()
    };
    InitializeResult {
        capabilities: ServerCapabilities {
            position_encoding: Some(encoding.kind()),
            text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: Command::ALL.iter().map(|command| command.word().to_owned()).collect(),
                ..ExecuteCommandOptions::default()
            }),
            // The transport moves this to the place that LSP 3.18 defines.
            experimental: Some(json!({TEXT_DOCUMENT_CONTENT: {"schemes": [ext::SCHEME]}})),
            diagnostic_provider: client.pulls_diagnostics.then_some(DiagnosticServerCapabilities::Options(pulled)),
            inlay_hint_provider: Some(OneOf::Left(true)),
            code_action_provider: editing::provider(client.editing),
            code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
            folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            document_link_provider: Some(DocumentLinkOptions {
                resolve_provider: Some(false),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            }),
            definition_provider: Some(OneOf::Left(true)),
            references_provider: Some(OneOf::Left(true)),
            rename_provider: client.editing.renames.then(|| {
                OneOf::Right(RenameOptions {
                    prepare_provider: Some(true),
                    work_done_progress_options: WorkDoneProgressOptions::default(),
                })
            }),
            document_symbol_provider: Some(OneOf::Left(true)),
            workspace_symbol_provider: Some(OneOf::Left(true)),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
                ..CompletionOptions::default()
            }),
            workspace: Some(WorkspaceServerCapabilities {
                workspace_folders: Some(folders),
                file_operations: Some(WorkspaceFileOperationsServerCapabilities {
                    will_rename: Some(every_file()),
                    ..WorkspaceFileOperationsServerCapabilities::default()
                }),
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

/// Matches every file, because any file may be imported, or be in a renamed folder with an imported file.
fn every_file() -> FileOperationRegistrationOptions {
    let pattern = FileOperationPattern { glob: "**".to_owned(), matches: None, options: None };
    FileOperationRegistrationOptions { filters: vec![FileOperationFilter { scheme: Some("file".to_owned()), pattern }] }
}

/// Returns the dynamic registrations that the client supports.
pub(crate) fn registrations(client: Abilities) -> Vec<Registration> {
    let settings = Registration {
        id: "briefing-settings".to_owned(),
        method: "workspace/didChangeConfiguration".to_owned(),
        register_options: None,
    };
    let files = client.registers_file_events.then(file_events);
    files.into_iter().chain(client.registers_settings.then_some(settings)).collect()
}

/// Returns the registration for file events, derived from the file names that agents read.
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
