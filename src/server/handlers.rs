//! The handlers: from the wire, ask, say, to the wire.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ropey::Rope;
use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

use super::convert::{self, path_of};
use super::documents::Document;
use super::ext::{self, EffectiveInstructionsParams, ExplainParams, Explanations, Harnesses, Status};
use super::settings::Settings;
use super::{Core, Server, capabilities};
use crate::answer::Resolution;
use crate::harness;
use crate::report::briefing::{self, Effective};
use crate::report::diagnostics::{self, Finding, Severity};
use crate::report::{explain, hover};
use crate::request::{Places, Request};
use crate::snapshot::Change;

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let encoding = {
            let mut session = self.core.session();
            session.encoding = convert::Encoding::negotiate(
                params.capabilities.general.and_then(|general| general.position_encodings).as_deref(),
            );
            session.folders =
                params.workspace_folders.iter().flatten().filter_map(|folder| path_of(&folder.uri).ok()).collect();
            #[expect(deprecated, reason = "older clients know no workspace folders")]
            if session.folders.is_empty() {
                session.folders.extend(params.root_uri.as_ref().and_then(|uri| path_of(uri).ok()));
            }
            let workspace = params.capabilities.workspace.unwrap_or_default();
            session.registers_file_events =
                workspace.did_change_watched_files.and_then(|events| events.dynamic_registration).unwrap_or(false);
            session.pulls_settings = workspace.configuration.unwrap_or(false);
            session.encoding
        };
        if let Some(options) = params.initialization_options {
            self.take_settings(&options).await;
        }
        Ok(capabilities::initialize_result(encoding))
    }

    async fn initialized(&self, _: InitializedParams) {
        let core = self.core.clone();
        let client = self.client.clone();
        tokio::spawn(async move {
            loop {
                core.changed.notified().await;
                publish(&core, &client).await;
            }
        });
        if self.core.session().registers_file_events
            && let Err(error) = self.client.register_capability(vec![capabilities::file_events()]).await
        {
            tracing::warn!("the client registers no file events: {error}");
        }
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let Ok(path) = path_of(&document.uri) else { return };
        let text = Rope::from_str(&document.text);
        // Under one lock, so that nobody sees a version of a document with the answer for another.
        let mut session = self.core.session();
        self.core.edited(&path, Some(&document.text));
        session.documents.insert(document.uri, Document { path, version: document.version, text });
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let mut session = self.core.session();
        let encoding = session.encoding;
        let Some(document) = session.documents.get_mut(&params.text_document.uri) else { return };
        document.version = params.text_document.version;
        document.apply(params.content_changes, encoding);
        self.core.edited(&document.path, Some(&document.text.to_string()));
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        {
            let mut session = self.core.session();
            let Some(document) = session.documents.remove(&uri) else { return };
            self.core.edited(&document.path, None);
        }
        self.client.publish_diagnostics(uri, Vec::new(), None).await;
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        if let Ok(path) = path_of(&params.text_document.uri) {
            self.core.happened(vec![Change::Path(path)]);
        }
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        let paths = params.changes.iter().filter_map(|event| path_of(&event.uri).ok());
        self.core.happened(paths.map(Change::Path).collect());
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let mut session = self.core.session();
        let removed: Vec<PathBuf> =
            params.event.removed.iter().filter_map(|folder| path_of(&folder.uri).ok()).collect();
        session.folders.retain(|folder| !removed.contains(folder));
        session.folders.extend(params.event.added.iter().filter_map(|folder| path_of(&folder.uri).ok()));
        drop(session);
        self.core.changed.notify_one();
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        let pulls = self.core.session().pulls_settings;
        // A client that can be asked sends nothing, or not what it would answer.
        let asked = ConfigurationItem { scope_uri: None, section: Some("briefing".to_owned()) };
        let value = match params.settings {
            value if !value.is_null() || !pulls => value,
            _ => self
                .client
                .configuration(vec![asked])
                .await
                .ok()
                .and_then(|mut values| values.pop())
                .unwrap_or_default(),
        };
        self.take_settings(&value).await;
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let path = path_of(&params.text_document_position_params.text_document.uri)?;
        let answers = self.about(&path).await?;
        let text = hover::hover(&path, answers.iter().map(AsRef::as_ref));
        Ok(text.map(|value| Hover {
            contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
            range: None,
        }))
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
        let target = params.target.as_deref().or((params.cwd.is_none()).then_some(params.text_document.uri.as_str()));
        let places = Places {
            target: params.target.as_deref().map(parsed).transpose()?,
            ..self.places(target, params.cwd.as_deref(), &[])?
        };
        let request = Request { harness: params.harness, ..Request::default() };
        let (answers, _) = self.core.answers(&request, &places).await?;
        let explanations =
            answers.iter().map(|answer| ext::Explanation::of(answer, explain::explain(&file, answer))).collect();
        Ok(Explanations { explanations })
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

    fn places(&self, target: Option<&str>, cwd: Option<&str>, already_loaded: &[String]) -> Result<Places> {
        let target = target.map(parsed).transpose()?;
        let cwd = match (cwd, &target) {
            (Some(cwd), _) => parsed(cwd)?,
            (None, Some(target)) => self.core.session().cwd_for(target),
            (None, None) => {
                let session = self.core.session();
                let folder = session.folders.first().cloned();
                folder.ok_or_else(|| {
                    Error::invalid_params("neither textDocument nor cwd is given, and no workspace folder is open")
                })?
            }
        };
        Ok(Places { cwd, target, already_loaded: already_loaded.iter().map(|uri| parsed(uri)).collect::<Result<_>>()? })
    }

    /// What every enabled harness makes of an instruction file when it is started beside it.
    async fn about(&self, path: &Path) -> Result<Vec<Arc<Resolution>>> {
        let places = Places { cwd: crate::request::directory_of(path), target: None, already_loaded: Vec::new() };
        Ok(self.core.answers(&Request::default(), &places).await?.0)
    }

    async fn take_settings(&self, value: &serde_json::Value) {
        match Settings::parse(value) {
            Ok(settings) => {
                self.core.session().settings = settings;
                self.core.changed.notify_one();
            }
            Err(problem) => {
                self.client
                    .show_message(MessageType::ERROR, format!("{problem}; the settings before stay in force"))
                    .await
            }
        }
    }
}

impl Core {
    async fn answers(self: &Arc<Self>, request: &Request, places: &Places) -> Result<(Vec<Arc<Resolution>>, u64)> {
        let questions = request.questions(&self.session().defaults(), places).map_err(Error::invalid_params)?;
        let mut answers = Vec::with_capacity(questions.len());
        let mut newest = self.index.version();
        for (choice, standpoint) in questions {
            let (answer, version) = self.answer(choice, Arc::new(standpoint)).await;
            answers.push(answer);
            newest = newest.max(version);
        }
        Ok((answers, newest))
    }
}

/// Publishes the diagnostics of every open instruction file, as of now.
async fn publish(core: &Arc<Core>, client: &tower_lsp::Client) {
    let open: Vec<(Uri, PathBuf)> =
        core.session().documents.iter().map(|(uri, document)| (uri.clone(), document.path.clone())).collect();
    for (uri, path) in open {
        if !is_instruction_file(&path) {
            continue;
        }
        let places = Places { cwd: crate::request::directory_of(&path), target: None, already_loaded: Vec::new() };
        let before = core.session().documents.get(&uri).map(|document| document.version);
        let Ok((answers, _)) = core.answers(&Request::default(), &places).await else { continue };
        let published = {
            let session = core.session();
            let Some(document) = session.documents.get(&uri) else { continue };
            // The ranges belong to the text that was asked about; a newer one has asked for its own round.
            if Some(document.version) != before {
                continue;
            }
            let found = answers.iter().flat_map(|answer| {
                let of = |finding| diagnostic(finding, answer, document, session.encoding);
                diagnostics::findings(&path, answer).into_iter().map(of).collect::<Vec<_>>()
            });
            (found.collect(), document.version)
        };
        client.publish_diagnostics(uri, published.0, Some(published.1)).await;
    }
}

fn diagnostic(finding: Finding, answer: &Resolution, document: &Document, encoding: convert::Encoding) -> Diagnostic {
    let related = finding.related.and_then(|(path, message)| {
        let location = Location { uri: convert::uri_of(&path)?, range: Range::default() };
        Some(vec![DiagnosticRelatedInformation { location, message }])
    });
    Diagnostic {
        range: convert::range(&document.text, &finding.range, encoding),
        severity: Some(match finding.kind.severity() {
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.kind.code().to_owned())),
        source: Some(format!("briefing {}", answer.harness)),
        message: finding.message,
        related_information: related,
        tags: finding.lost.then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    }
}

/// Whether some harness reads files of this name.
fn is_instruction_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    harness::ALL
        .iter()
        .flat_map(|profile| profile.instruction_names)
        .any(|known| Path::new(known).file_name() == Some(name))
}

fn parsed(uri: &str) -> Result<PathBuf> {
    let parsed: Uri = uri.parse().map_err(|error| Error::invalid_params(format!("{uri}: not a URI: {error}")))?;
    path_of(&parsed)
}
