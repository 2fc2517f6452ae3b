//! The handlers: from the wire, ask, say, to the wire.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ropey::Rope;
use serde_json::Value;
use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

use super::capabilities::Abilities;
use super::convert::{self, path_of};
use super::documents::Document;
use super::ext::{self, EffectiveInstructionsParams, ExplainParams, Explanations, Harnesses, Status};
use super::settings::Settings;
use super::transport::NotUnderstood;
use super::{Core, Server, capabilities, publish};
use crate::answer::Resolution;
use crate::harness;
use crate::harness::custom::{self, Customs};
use crate::report::briefing::{self, Effective};
use crate::report::{explain, hover};
use crate::request::{Places, Request};
use crate::snapshot::Change;

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let encoding = {
            let mut session = self.core.session();
            session.abilities = Abilities::of(&params.capabilities);
            session.encoding = convert::Encoding::negotiate(
                params.capabilities.general.and_then(|general| general.position_encodings).as_deref(),
            );
            session.folders =
                params.workspace_folders.iter().flatten().filter_map(|folder| path_of(&folder.uri).ok()).collect();
            #[expect(deprecated, reason = "older clients know no workspace folders")]
            if session.folders.is_empty() {
                session.folders.extend(params.root_uri.as_ref().and_then(|uri| path_of(uri).ok()));
            }
            session.encoding
        };
        match Settings::parse(&params.initialization_options.unwrap_or_default()) {
            Ok(settings) => {
                let mut session = self.core.session();
                session.initial = settings.clone();
                session.set(settings);
            }
            Err(problem) => self.refuse(&problem).await,
        }
        Ok(capabilities::initialize_result(encoding))
    }

    async fn initialized(&self, _: InitializedParams) {
        self.publisher.get_or_init(|| {
            tokio::spawn(publish::keep_publishing(self.core.clone(), self.client.clone())).abort_handle()
        });
        let abilities = self.core.session().abilities;
        let register = async {
            let registrations = capabilities::registrations(abilities);
            if !registrations.is_empty()
                && let Err(error) = self.client.register_capability(registrations).await
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
        let mut changes = params.content_changes;
        if !self.core.session().documents.contains_key(&uri)
            && let Some(whole) = changes.iter().rposition(|change| change.range.is_none())
        {
            // A text that is known whole needs nothing that came before.
            self.open(uri.clone(), version, &changes[whole].text);
            changes.drain(..=whole);
        }
        let mut session = self.core.session();
        let (encoding, revision) = (session.encoding, session.next_revision());
        let Some(document) = session.documents.get_mut(&uri) else { return };
        (document.version, document.revision) = (version, revision);
        document.apply(changes, encoding);
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
        session.folders.extend(added);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        // A client that can be asked need not say what has changed.
        if params.settings.is_null() && self.core.session().abilities.pulls_settings {
            self.pull_settings().await;
        } else {
            self.take_settings(&params.settings, None).await;
        }
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let path = path_of(&params.text_document_position_params.text_document.uri)?;
        let answers = self.core.about(&path).await?;
        let text = hover::hover(&publish::seen_as(&path, &answers), answers.iter().map(AsRef::as_ref));
        let kind = self.core.session().abilities.hover_kind();
        let range = None;
        Ok(text.map(|value| Hover { contents: HoverContents::Markup(MarkupContent { kind, value }), range }))
    }
}

impl Server {
    /// `briefing/effectiveInstructions`
    pub(super) async fn effective_instructions(&self, params: EffectiveInstructionsParams) -> Result<Effective> {
        let places = self.places(
            params.text_document.as_ref().map(|document| document.uri.as_str()),
            params.cwd.as_deref(),
            &params.already_loaded,
        )?;
        let include = params.request.include().map_err(Error::invalid_params)?;
        let (answers, version) = self.core.answers(&params.request, &places).await?;
        let briefings = answers.iter().map(|answer| briefing::briefing(answer, include)).collect();
        Ok(Effective { version, briefings })
    }

    /// `briefing/harnesses`
    pub(super) async fn harnesses(&self) -> Result<Harnesses> {
        Ok(Harnesses { harnesses: harness::ALL.iter().map(|profile| ext::Harness::of(profile)).collect() })
    }

    /// `briefing/explain`
    pub(super) async fn explain(&self, params: ExplainParams) -> Result<Explanations> {
        let file = parsed(&params.text_document.uri)?;
        let target = params.target.as_deref().map(parsed).transpose()?;
        let cwd = self.cwd(params.cwd.as_deref(), target.as_deref().or(Some(&file)))?;
        let request = Request { harness: params.harness, ..Request::default() };
        let places = Places { cwd, target, already_loaded: Vec::new() };
        let (answers, _) = self.core.answers(&request, &places).await?;
        // Harnesses come to a file by the physical way, and to the target by the way it was named.
        let physical = self.core.physical(&file).await;
        let explanations = answers.iter().map(|answer| {
            let known = explain::explain(&file, answer);
            let known =
                if known.0.is_none() && known.2.is_empty() { explain::explain(&physical, answer) } else { known };
            ext::Explanation::of(answer, known)
        });
        Ok(Explanations { explanations: explanations.collect() })
    }

    /// `briefing/status`
    pub(super) async fn status(&self) -> Result<Status> {
        let (facts, answers) = self.core.index.sizes();
        Ok(Status {
            server: env!("CARGO_PKG_VERSION").to_owned(),
            version: self.core.index.version(),
            facts,
            answers,
            watched_directories: self.core.watcher.get().map_or(0, |watcher| watcher.count()),
        })
    }

    /// A notification came that cannot be parsed. What it said is lost, so what it was about is no longer known.
    pub(super) async fn not_understood(&self, params: NotUnderstood) {
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
                self.client.show_message(MessageType::WARNING, message).await;
            }
            "workspace/didChangeWatchedFiles" | "textDocument/didSave" => self.core.happened(vec![Change::Everything]),
            _ => {}
        }
    }

    fn open(&self, uri: Uri, version: i32, text: &str) {
        let Ok(path) = path_of(&uri) else { return };
        // Under one lock, so that nobody sees a version of a document with the answer for another.
        let mut session = self.core.session();
        self.core.edited(&path, Some(text));
        let revision = session.next_revision();
        session.documents.insert(uri, Document { path, version, revision, text: Rope::from_str(text) });
    }

    /// Forgets a document; where its file is.
    fn close(&self, uri: &Uri) -> Option<PathBuf> {
        let mut session = self.core.session();
        let document = session.documents.remove(uri)?;
        self.core.edited(&document.path, None);
        Some(document.path)
    }

    fn places(&self, target: Option<&str>, cwd: Option<&str>, already_loaded: &[String]) -> Result<Places> {
        let target = target.map(parsed).transpose()?;
        let cwd = self.cwd(cwd, target.as_deref())?;
        Ok(Places { cwd, target, already_loaded: already_loaded.iter().map(|uri| parsed(uri)).collect::<Result<_>>()? })
    }

    fn cwd(&self, named: Option<&str>, target: Option<&Path>) -> Result<PathBuf> {
        if let Some(cwd) = named {
            return parsed(cwd);
        }
        self.core.session().cwd_for(target).ok_or_else(|| {
            Error::invalid_params("neither textDocument nor cwd is given, and no workspace folder is open")
        })
    }

    async fn pull_settings(&self) {
        let round = {
            let mut session = self.core.session();
            session.settings_round += 1;
            session.settings_round
        };
        let asked = ConfigurationItem { scope_uri: None, section: Some("briefing".to_owned()) };
        match self.client.configuration(vec![asked]).await {
            Ok(values) => self.take_settings(&values.into_iter().next().unwrap_or_default(), Some(round)).await,
            Err(error) => tracing::warn!("the client does not say its settings: {error}"),
        }
    }

    /// Puts settings in force: those that were pushed, or those that were pulled in `round`.
    async fn take_settings(&self, value: &Value, round: Option<u64>) {
        let parsed = if value.is_null() { None } else { Some(Settings::parse(value)) };
        let refused = {
            let mut session = self.core.session();
            match round {
                // Something newer was said or asked meanwhile.
                Some(round) if round != session.settings_round => return,
                Some(_) => {}
                None => session.settings_round += 1,
            }
            let settings = parsed.unwrap_or_else(|| Ok(session.initial.clone()));
            settings.map(|settings| session.set(settings)).err()
        };
        match refused {
            None => self.core.changed.notify_one(),
            Some(problem) => self.refuse(&problem).await,
        }
    }

    async fn refuse(&self, problem: &str) {
        let message = format!("{problem}; the settings before stay in force");
        self.client.show_message(MessageType::ERROR, message).await;
    }
}

impl Core {
    /// The answers to a request, and the version of the index they belong to.
    pub(super) async fn answers(
        self: &Arc<Self>,
        request: &Request,
        places: &Places,
    ) -> Result<(Vec<Arc<Resolution>>, u64)> {
        let customs = self.customs(&places.cwd).await;
        let mut defaults = (*self.session().defaults).clone();
        defaults.customs = customs;
        let questions = request.questions(&defaults, places).map_err(Error::invalid_params)?;
        let mut answers = Vec::with_capacity(questions.len());
        let mut newest = self.index.version();
        for (choice, standpoint) in questions {
            let (answer, version) = self.answer(choice, Arc::new(standpoint)).await;
            answers.push(answer);
            newest = newest.max(version);
        }
        Ok((answers, newest))
    }

    /// The harnesses that are declared for an agent that is started in `cwd`: by its workspace, and by the settings.
    pub(super) async fn customs(self: &Arc<Self>, cwd: &Path) -> Arc<Customs> {
        let (choice, standpoint) = custom::question(cwd);
        let (declared, _) = self.answer(choice, Arc::new(standpoint)).await;
        let mut session = self.session();
        let customs = Arc::new(Customs::of(&declared, &session.settings.custom_harnesses));
        let names = customs.harnesses.iter().flat_map(|custom| &custom.instruction_names);
        session.custom_names.extend(names.filter_map(|name| Path::new(name).file_name()).map(ToOwned::to_owned));
        customs
    }

    /// What every enabled harness makes of an instruction file when it is started beside it.
    pub(super) async fn about(self: &Arc<Self>, path: &Path) -> Result<Vec<Arc<Resolution>>> {
        let places = Places { cwd: crate::request::directory_of(path), target: None, already_loaded: Vec::new() };
        Ok(self.answers(&Request::default(), &places).await?.0)
    }

    /// `path` with the links on the way to it resolved, but not the one it may be itself.
    async fn physical(self: &Arc<Self>, path: &Path) -> PathBuf {
        let (Some(dir), Some(name)) = (path.parent().map(Path::to_owned), path.file_name()) else {
            return path.to_owned();
        };
        let core = self.clone();
        match tokio::task::spawn_blocking(move || core.files.real(&dir)).await {
            Ok(dir) => dir.join(name),
            Err(_) => path.to_owned(),
        }
    }
}

fn parsed(uri: &str) -> Result<PathBuf> {
    let parsed: Uri = uri.parse().map_err(|error| Error::invalid_params(format!("{uri}: not a URI: {error}")))?;
    path_of(&parsed)
}
