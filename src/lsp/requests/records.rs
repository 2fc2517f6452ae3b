//! Handles `briefing/sessions` and `briefing/audit`: what recorded sessions received. Records are read only with
//! permission.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use tokio::runtime::Handle;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::{MessageActionItem, MessageType};

use super::super::ext::{AuditParams, SessionsParams};
use super::parsed;
use crate::answer::Standpoint;
use crate::disk::Filesystem;
use crate::engine::audit::{
    Ask, Audits, Listed, Texts, Wanted, audited, client, homes, list, only, places_of, sessions,
};
use crate::engine::settings::RecordsSetting;
use crate::harness::Choice;
use crate::lsp::Server;
use crate::request::Defaults;
use crate::resolve::AgentQuestion;

/// Button that permits reading records.
const YES: &str = "Read";
/// Error code `LSPErrorCodes.RequestFailed` of LSP 3.17: the request is valid but cannot be fulfilled.
const REQUEST_FAILED: i64 = -32803;
/// Default age limit of sessions, in hours.
const WEEK_HOURS: u32 = 7 * 24;

impl Server {
    /// Handles `briefing/sessions`.
    pub(crate) async fn recorded_sessions(&self, params: SessionsParams) -> Result<Audits> {
        let unknown = params.agents.iter().find(|agent| client(agent).is_none());
        if let Some(agent) = unknown {
            return Err(Error::invalid_params(format!("no records of `{agent}` are read")));
        }
        self.may_read_records().await?;
        let project = self.project(params.cwd.as_deref()).await?;
        let hours = SignedDuration::from_hours(params.hours.unwrap_or(WEEK_HOURS).into());
        let since = Timestamp::now().saturating_sub(hours).unwrap_or(Timestamp::MIN);
        let wanted = Wanted { project: Some(project), since: Some(since), agents: params.agents };
        self.with_records(move |found, defaults, ask| Ok(Audits { sessions: list(&found, defaults, ask) }), wanted)
            .await
    }

    /// Handles `briefing/audit`.
    pub(crate) async fn audit(&self, params: AuditParams) -> Result<Audits> {
        if params.why.as_ref().is_some_and(|why| why.trim().is_empty()) {
            return Err(Error::invalid_params("why: no text is given"));
        }
        self.may_read_records().await?;
        let project = match (&params.session, &params.cwd) {
            (Some(_), None) => None,
            (_, cwd) => Some(self.project(cwd.as_deref()).await?),
        };
        let wanted = Wanted { project, ..Wanted::default() };
        let AuditParams { session: name, why, .. } = params;
        self.with_records(
            move |found: Vec<Listed>, defaults: &Defaults, ask: Ask<'_>| {
                let is_it = |one: &&Listed| match &name {
                    Some(name) => one.head.id.as_deref().is_some_and(|id| id.starts_with(name.as_str())),
                    None => one.head.parent.is_none(),
                };
                let one = found.iter().find(is_it).ok_or("no such session is recorded")?;
                let texts = if why.is_some() { Texts::Shown } else { Texts::Hidden };
                let (session, audit) = audited(one, defaults, texts, ask)?;
                let audit = match &why {
                    Some(why) => only(&session, audit, &places_of(&session, why)),
                    None => audit,
                };
                Ok(Audits { sessions: vec![audit] })
            },
            wanted,
        )
        .await
    }

    /// Finds and inspects sessions on a thread that may block on the disk.
    async fn with_records(
        &self,
        look: impl FnOnce(Vec<Listed>, &Defaults, Ask<'_>) -> std::result::Result<Audits, String> + Send + 'static,
        wanted: Wanted,
    ) -> Result<Audits> {
        let (core, defaults, handle) = (self.core.clone(), self.core.defaults(), Handle::current());
        let work = move || {
            let ask = |choice: &Choice, at: &Standpoint| {
                let question = AgentQuestion::new(choice.clone(), Arc::new(at.clone()));
                handle.block_on(core.answers_to(vec![question])).remove(0).0
            };
            look(sessions(&homes(&defaults), &wanted), &defaults, &ask)
        };
        let done = tokio::task::spawn_blocking(work).await.map_err(|_| Error::internal_error())?;
        done.map_err(failed)
    }

    /// Returns the root of the repository that contains a directory, else the directory itself.
    async fn project(&self, cwd: Option<&str>) -> Result<PathBuf> {
        let cwd = match cwd {
            Some(cwd) => parsed(cwd)?,
            None => self
                .core
                .session()
                .cwd_for(None)
                .ok_or_else(|| Error::invalid_params("no cwd is given, and no workspace folder is open"))?,
        };
        let root = cwd.ancestors().find(|dir| self.core.files.stat(&dir.join(".git")).is_ok()).unwrap_or(&cwd);
        Ok(self.core.files.real(root))
    }

    /// Checks the permission to read records, asking the user once if the setting is `ask`. Concurrent requests share
    /// the answer.
    async fn may_read_records(&self) -> Result<()> {
        let declined = || failed("records are not read: you did not agree to it".to_owned());
        let setting = self.core.session().settings.records;
        match setting {
            RecordsSetting::On => return Ok(()),
            RecordsSetting::Off => return Err(failed("records are not read: briefing.records is off".to_owned())),
            RecordsSetting::Ask => {}
        }
        let is_asked = self.asking_for_records.try_lock().is_err();
        let _asking = self.asking_for_records.lock().await;
        if self.connection.state().agreed_to_records {
            return Ok(());
        }
        if is_asked {
            return Err(declined());
        }
        let question = "Briefing: read the records that your agents keep of their sessions? They are read on this machine only, and what you \
                        and the model said is passed over.";
        let action = |title: &str| MessageActionItem { title: title.to_owned(), properties: Default::default() };
        let actions = vec![action(YES), action("Cancel")];
        let chosen = self.connection.client.show_message_request(MessageType::INFO, question, Some(actions)).await;
        if !matches!(chosen, Ok(Some(action)) if action.title == YES) {
            return Err(declined());
        }
        self.connection.state().agreed_to_records = true;
        Ok(())
    }
}

fn failed(problem: String) -> Error {
    Error { code: ErrorCode::ServerError(REQUEST_FAILED), message: problem.into(), data: None }
}
