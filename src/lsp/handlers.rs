//! Implementation of `LanguageServer`: each handler decodes, asks the engine, and converts the result.

use std::path::PathBuf;

use ropey::Rope;
use serde_json::Value;
use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

use super::abilities::Abilities;
use super::own_thread::OwnThread;
use super::transport::NotUnderstood;
use crate::engine::Changed;
use crate::engine::session::Document;
use crate::engine::settings::Settings;
use crate::lsp::convert::{Encoding, path_of};
use crate::lsp::{Server, announce, capabilities, changes, publish};
use crate::snapshot::Change;
use crate::tasks;

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let abilities = Abilities::of(&params.capabilities);
        let offered = params.capabilities.general.and_then(|general| general.position_encodings);
        let encoding = Encoding::negotiate(offered.as_deref());
        {
            let mut state = self.connection.state();
            (state.abilities, state.encoding) = (abilities, encoding);
        }
        {
            let mut session = self.core.session();
            session.client_watches = abilities.registers_file_events;
            session.folders =
                params.workspace_folders.iter().flatten().filter_map(|folder| path_of(&folder.uri).ok()).collect();
            #[expect(deprecated, reason = "older clients know no workspace folders")]
            if session.folders.is_empty() {
                session.folders.extend(params.root_uri.as_ref().and_then(|uri| path_of(uri).ok()));
            }
        }
        tasks::watch_soon(&self.core);
        match Settings::parse(&params.initialization_options.unwrap_or_default()) {
            Ok(settings) => {
                let mut session = self.core.session();
                session.initial = settings.clone();
                self.core.put_in_force(&mut session, settings);
            }
            Err(problem) => self.refuse(&problem).await,
        }
        Ok(capabilities::initialize_result(encoding, abilities))
    }

    async fn initialized(&self, _: InitializedParams) {
        self.background.get_or_init(|| {
            let announcing = announce::keep_announcing(self.core.clone(), self.connection.clone());
            let publishing =
                publish::keep_publishing(self.core.clone(), self.diagnostics.clone(), self.connection.clone());
            [OwnThread::spawn("briefing-says", publishing), OwnThread::spawn("briefing-announces", announcing)]
        });
        let (abilities, folders) = (self.connection.abilities(), self.core.session().folders.clone());
        folders.iter().for_each(|folder| self.connection.look_through(&self.core, folder));
        let register = async {
            let registrations = capabilities::registrations(abilities);
            if !registrations.is_empty()
                && let Err(error) = self.connection.client.register_capability(registrations).await
            {
                tracing::warn!("the client registers nothing: {error}");
            }
        };
        let pull = async {
            if abilities.pulls_settings {
                self.pull_settings().await;
            }
        };
        futures::join!(register, pull);
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        self.open(document.uri, document.version, &document.text);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let VersionedTextDocumentIdentifier { uri, version } = params.text_document;
        let changes = params.content_changes;
        let encoding = self.connection.encoding();
        let mut session = self.core.session();
        if !session.documents.contains_key(uri.as_str()) {
            // Changes before the last full text are irrelevant.
            if let Some(whole) = changes.iter().rposition(|change| change.range.is_none()) {
                let mut text = Rope::from_str(&changes[whole].text);
                changes::apply(&mut text, changes.into_iter().skip(whole + 1), encoding);
                drop(session);
                self.open(uri, version, &text.to_string());
            }
            return;
        }
        let revision = session.next_revision();
        let Some(document) = session.documents.get_mut(uri.as_str()) else { return };
        (document.version, document.revision) = (version, revision);
        changes::apply(&mut document.text, changes, encoding);
        self.core.edited(&document.path, Some(&document.text.to_string()));
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.close(&params.text_document.uri);
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.core.reported(path_of(&params.text_document.uri));
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.core.reported(params.changes.iter().filter_map(|event| path_of(&event.uri).ok()));
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let mut session = self.core.session();
        let paths = |folders: &[WorkspaceFolder]| -> Vec<PathBuf> {
            folders.iter().filter_map(|folder| path_of(&folder.uri).ok()).collect()
        };
        let (removed, added) = (paths(&params.event.removed), paths(&params.event.added));
        session.folders.retain(|folder| !removed.contains(folder) && !added.contains(folder));
        session.folders.extend(added.clone());
        session.epoch += 1;
        drop(session);
        removed.iter().for_each(|folder| self.core.workspace.leave(&self.core.files.real(folder)));
        added.iter().for_each(|folder| self.connection.look_through(&self.core, folder));
        // Files may belong to another folder now, and so to another start directory.
        self.core.report(Changed::Editor);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        // A client that supports `workspace/configuration` may send the notification without the settings.
        if params.settings.is_null() && self.connection.abilities().pulls_settings {
            self.pull_settings().await;
        } else {
            self.take_settings(&params.settings, None).await;
        }
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        self.execute(params).await.map(Some)
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        self.on_thread(|context| context.hovered(params)).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        self.on_thread(|context| context.links(params)).await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        self.on_thread(|context| context.defined(params)).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        self.on_thread(|context| context.referred(params)).await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        self.on_thread(|context| context.sections(params)).await
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        self.on_thread(|context| context.files_named(params)).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        self.on_thread(|context| context.completed(params)).await
    }

    async fn prepare_rename(&self, params: TextDocumentPositionParams) -> Result<Option<PrepareRenameResponse>> {
        self.on_thread(|context| context.rename_prepared(params)).await
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        self.on_thread(|context| context.renamed(params)).await
    }

    async fn will_rename_files(&self, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
        self.on_thread(|context| context.renaming(params)).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        self.on_thread(|context| context.actions(params)).await
    }

    async fn code_action_resolve(&self, action: CodeAction) -> Result<CodeAction> {
        self.action_resolved(action).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        self.on_thread(|context| context.hints(params)).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.on_thread(|context| context.lenses(params)).await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.on_thread(|context| context.folds(params)).await
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        self.on_thread(|context| context.pulled(params)).await
    }

    async fn workspace_diagnostic(&self, params: WorkspaceDiagnosticParams) -> Result<WorkspaceDiagnosticReportResult> {
        self.on_thread(|context| context.pulled_everywhere(params)).await
    }
}

impl Server {
    /// Handles `window/workDoneProgress/cancel`.
    pub(crate) async fn progress_cancelled(&self, params: WorkDoneProgressCancelParams) {
        if let ProgressToken::String(token) = &params.token {
            self.core.workspace.cancel(Some(token));
        }
    }

    /// Handles a notification that could not be parsed. Its content is lost, so the state it described is invalidated.
    pub(crate) async fn not_understood(&self, params: NotUnderstood) {
        let NotUnderstood { method, uri, problem } = params;
        tracing::warn!(method, uri, problem, "a notification cannot be understood");
        let uri = uri.and_then(|uri| uri.parse::<Uri>().ok());
        match method.as_str() {
            "textDocument/didOpen" | "textDocument/didChange" => {
                let Some(path) = uri.and_then(|uri| self.close(&uri)) else { return };
                let what = path.display();
                let message = format!(
                    "{what}: the editor sent a change that makes no sense ({problem}); until the file is opened again, \
                     what is saved counts"
                );
                self.connection.client.show_message(MessageType::WARNING, message).await;
            }
            "workspace/didChangeWatchedFiles" | "textDocument/didSave" => self.core.happened(vec![Change::Everything]),
            _ => {}
        }
    }

    pub(crate) fn open(&self, uri: Uri, version: i32, text: &str) {
        let Ok(path) = path_of(&uri) else { return };
        // Outside of the lock, because the disk may be slow. The file's own content is read only on request.
        let place = self.core.files.locate(&path);
        // One lock for all of it, so that nobody sees a version of a document with the answer for another version.
        let mut session = self.core.session();
        self.core.seen(self.core.files.open_at(&path, text, place));
        let revision = session.next_revision();
        session.documents.insert(
            uri.as_str().to_owned(),
            Document { path, version, revision, text: Rope::from_str(text), asked: Vec::new() },
        );
    }

    /// Removes a document and returns the path of its file.
    fn close(&self, uri: &Uri) -> Option<PathBuf> {
        let mut session = self.core.session();
        self.connection.state().pulled.remove(uri);
        let document = session.documents.remove(uri.as_str())?;
        self.core.edited(&document.path, None);
        Some(document.path)
    }

    async fn pull_settings(&self) {
        let round = {
            let mut session = self.core.session();
            session.settings_round += 1;
            session.settings_round
        };
        let asked = ConfigurationItem { scope_uri: None, section: Some("briefing".to_owned()) };
        match self.connection.client.configuration(vec![asked]).await {
            Ok(values) => self.take_settings(&values.into_iter().next().unwrap_or_default(), Some(round)).await,
            Err(error) => tracing::warn!("the client does not say its settings: {error}"),
        }
    }

    /// Applies settings: pushed ones (`round` is `None`), or those that were requested in `round`.
    async fn take_settings(&self, value: &Value, round: Option<u64>) {
        let parsed = if value.is_null() { None } else { Some(Settings::parse(value)) };
        let refused = {
            let mut session = self.core.session();
            match round {
                // Newer settings were pushed or requested in the meantime.
                Some(round) if round != session.settings_round => return,
                Some(_) => {}
                None => session.settings_round += 1,
            }
            let settings = parsed.unwrap_or_else(|| Ok(session.initial.clone()));
            settings.map(|settings| self.core.put_in_force(&mut session, settings)).err()
        };
        match refused {
            None => self.core.report(Changed::Editor),
            Some(problem) => self.refuse(&problem).await,
        }
    }

    async fn refuse(&self, problem: &str) {
        let message = format!("{problem}; the settings before stay in force");
        self.connection.client.show_message(MessageType::ERROR, message).await;
    }
}
