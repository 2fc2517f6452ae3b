//! Handles `briefing/sessions` and `briefing/audit`: what recorded sessions received. Records are read only with
//! permission.

use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use tower_lsp::jsonrpc::{Error, Result};
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
use crate::lsp::{Context, Server};
use crate::request::Defaults;

/// Button that permits reading records.
const YES: &str = "Read";
/// Error of a request for records that the user declined.
const DECLINED: &str = "records are not read: you did not agree to it";
/// Default age limit of sessions, in hours.
const WEEK_HOURS: u32 = 7 * 24;

impl Context {
    /// Returns the recorded sessions.
    pub(crate) fn recorded_sessions(&self, params: SessionsParams) -> Result<Audits> {
        check_agents(&params)?;
        self.check_permission()?;
        let project = self.project(params.cwd.as_deref())?;
        let hours = SignedDuration::from_hours(params.hours.unwrap_or(WEEK_HOURS).into());
        let since = Timestamp::now().saturating_sub(hours).unwrap_or(Timestamp::MIN);
        let wanted = Wanted { project: Some(project), since: Some(since), agents: params.agents };
        self.with_records(|found, defaults, ask| Ok(Audits { sessions: list(&found, defaults, ask) }), &wanted)
    }

    /// Returns what recorded sessions received, step by step.
    pub(crate) fn audit(&self, params: AuditParams) -> Result<Audits> {
        check_why(&params)?;
        self.check_permission()?;
        let project = match (&params.session, &params.cwd) {
            (Some(_), None) => None,
            (_, cwd) => Some(self.project(cwd.as_deref())?),
        };
        let wanted = Wanted { project, ..Wanted::default() };
        let AuditParams { session: name, why, .. } = params;
        self.with_records(
            |found: Vec<Listed>, defaults: &Defaults, ask: Ask<'_>| {
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
            &wanted,
        )
    }

    /// Finds and inspects sessions.
    fn with_records(
        &self,
        look: impl FnOnce(Vec<Listed>, &Defaults, Ask<'_>) -> std::result::Result<Audits, String>,
        wanted: &Wanted,
    ) -> Result<Audits> {
        let defaults = self.core.defaults();
        let ask = |choice: &Choice, at: &Standpoint| self.core.answer(choice, at);
        look(sessions(&homes(&defaults), wanted), &defaults, &ask).map_err(failed)
    }

    /// Checks the permission to read records.
    fn check_permission(&self) -> Result<()> {
        let setting = self.core.session().settings.records;
        match setting {
            RecordsSetting::Off => Err(failed("records are not read: briefing.records is off".to_owned())),
            RecordsSetting::Ask if !self.connection.state().agreed_to_records => Err(failed(DECLINED.to_owned())),
            RecordsSetting::On | RecordsSetting::Ask => Ok(()),
        }
    }

    /// Returns the root of the repository that contains a directory, else the directory itself.
    fn project(&self, cwd: Option<&str>) -> Result<PathBuf> {
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
}

impl Server {
    /// Handles `briefing/sessions`.
    pub(crate) async fn recorded_sessions(&self, params: SessionsParams) -> Result<Audits> {
        check_agents(&params)?;
        self.ask_for_records().await?;
        self.on_thread(move |context| context.recorded_sessions(params)).await
    }

    /// Handles `briefing/audit`.
    pub(crate) async fn audit(&self, params: AuditParams) -> Result<Audits> {
        check_why(&params)?;
        self.ask_for_records().await?;
        self.on_thread(move |context| context.audit(params)).await
    }

    /// Asks the user for the permission to read records, once, if the setting is `ask`. Concurrent requests share the
    /// answer.
    async fn ask_for_records(&self) -> Result<()> {
        let declined = || Err(failed(DECLINED.to_owned()));
        if self.core.session().settings.records != RecordsSetting::Ask {
            return Ok(());
        }
        let is_asked = self.asking_for_records.try_lock().is_err();
        let _asking = self.asking_for_records.lock().await;
        if self.connection.state().agreed_to_records {
            return Ok(());
        }
        if is_asked {
            return declined();
        }
        let question = "Briefing: read the records that your agents keep of their sessions? They are read on this machine only, and what you \
                        and the model said is passed over.";
        let action = |title: &str| MessageActionItem { title: title.to_owned(), properties: Default::default() };
        let actions = vec![action(YES), action("Cancel")];
        let chosen = self.connection.client.show_message_request(MessageType::INFO, question, Some(actions)).await;
        if !matches!(chosen, Ok(Some(action)) if action.title == YES) {
            return declined();
        }
        self.connection.state().agreed_to_records = true;
        Ok(())
    }
}

fn check_agents(params: &SessionsParams) -> Result<()> {
    match params.agents.iter().find(|agent| client(agent).is_none()) {
        Some(agent) => Err(Error::invalid_params(format!("no records of `{agent}` are read"))),
        None => Ok(()),
    }
}

fn check_why(params: &AuditParams) -> Result<()> {
    match &params.why {
        Some(why) if why.trim().is_empty() => Err(Error::invalid_params("why: no text is given")),
        _ => Ok(()),
    }
}

fn failed(problem: String) -> Error {
    crate::engine::Error::failed(problem).into()
}
