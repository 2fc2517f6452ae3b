//! JSON form of a session, step by step, for `briefing/session` and `briefing session`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::briefing::{self, Include, Message, Source};
use super::judged::Judged;
use crate::answer::{Fidelity, Resolution, Tool};
use crate::session::{Run, Step, Turn};

/// Result of `briefing/session`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Unfolded {
    /// Version of the index; grows with every change.
    pub version: u64,
    /// Id of the agent.
    pub harness: String,
    /// Name of the rules that were applied.
    pub edition: String,
    /// Agents that were asked, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<Judged>,
    /// The start of the session, then one for each step.
    pub steps: Vec<SessionTurn>,
}

/// Effects of one step.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct SessionTurn {
    /// Step as requested; for the first one, `{"start": true}`.
    pub step: SessionStep,
    /// Messages that the model did not have before.
    pub messages: Vec<Message>,
    /// Files that were considered in this step, including those that are not sent again, without `message` and `part`.
    pub sources: Vec<Source>,
    /// Sources that the model no longer has.
    pub gone: Vec<Source>,
    /// Prompts and reminders that the model no longer has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Message>,
    /// Effect of changed files on a resumed session: `replaced` if the new text of such a file replaces the old one,
    /// `beside` if the model has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// `exact`, `unchecked` or `files`.
    pub fidelity: String,
    /// Reason why it is not exact, if the step is the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

/// One step of a session; it has exactly one of the fields, and `cwd` only beside `shell`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SessionStep {
    /// The session begins.
    #[serde(skip_serializing_if = "is_not")]
    pub start: bool,
    /// The agent reads a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// The agent changes a file in place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
    /// The agent writes a whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
    /// The user names a file in a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mention: Option<String>,
    /// The agent runs a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// Directory in which the command runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The agent calls a skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The user types a command and its arguments, without the slash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Another agent takes over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// A sub-agent of that kind is started, with a context of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// Somebody changes a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// A file is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete: Option<String>,
    /// The conversation is compacted.
    #[serde(skip_serializing_if = "is_not")]
    pub compact: bool,
    /// The session was ended, and is resumed.
    #[serde(skip_serializing_if = "is_not")]
    pub resume: bool,
    /// Several steps in one turn of the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<SessionStep>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_not(flag: &bool) -> bool {
    !flag
}

impl SessionStep {
    /// Converts the step; `place` resolves a name to a path.
    ///
    /// # Errors
    /// Returns a message for people if the step has no field or several, or if a name does not resolve to a path.
    pub fn parsed(&self, place: &dyn Fn(&str) -> Result<PathBuf, String>) -> Result<Step, String> {
        let dir = self.cwd.as_deref().map(place).transpose()?;
        let reach = |tool, file: &Option<String>| {
            file.as_deref().map(|file| place(file).map(|file| Step::Reach(tool, file))).transpose()
        };
        let together = self.together.iter().map(|step| step.parsed(place)).collect::<Result<Vec<_>, _>>()?;
        let steps = [
            self.start.then_some(Step::Start),
            reach(Tool::Read, &self.read)?,
            reach(Tool::Edit, &self.edit)?,
            reach(Tool::Write, &self.write)?,
            reach(Tool::Mention, &self.mention)?,
            self.shell
                .clone()
                .map(|command| Step::Run(Run { command: Some(command).filter(|text| !text.is_empty()), dir })),
            self.skill.clone().map(Step::Skill),
            self.command.clone().map(Step::Command),
            self.agent.clone().map(Step::Agent),
            self.subagent.clone().map(Step::Subagent),
            self.change.as_deref().map(place).transpose()?.map(Step::Change),
            self.delete.as_deref().map(place).transpose()?.map(Step::Delete),
            self.compact.then_some(Step::Compact),
            self.resume.then_some(Step::Resume),
            (!together.is_empty()).then_some(Step::Together(together)),
        ];
        let mut steps = steps.into_iter().flatten();
        match (steps.next(), steps.next()) {
            (Some(_), None) if self.cwd.is_some() && self.shell.is_none() => {
                Err("`cwd` belongs beside `shell`".to_owned())
            }
            (Some(step), None) => Ok(step),
            _ => Err("a step has one of read, edit, write, mention, shell, skill, command, agent, subagent, change, delete, compact, resume, together"
                .to_owned()),
        }
    }
}

/// Converts a session to its JSON form, with the steps as requested.
pub fn unfolded(version: u64, turns: &[Turn], steps: &[SessionStep], include: Include) -> Unfolded {
    let start = [SessionStep { start: true, ..SessionStep::default() }];
    let said = start.iter().chain(steps);
    let of = |answer: &Resolution| (answer.harness.clone(), answer.edition.clone());
    let (harness, edition) = turns.first().map(|turn| of(&turn.answer)).unwrap_or_default();
    let steps = said.zip(turns).map(|(step, turn)| told(step, turn, include)).collect();
    Unfolded { version, harness, edition, judged: Vec::new(), steps }
}

fn told(step: &SessionStep, turn: &Turn, include: Include) -> SessionTurn {
    let source = |source| Source { message: None, part: None, ..briefing::source(source) };
    SessionTurn {
        step: step.clone(),
        messages: turn.messages.iter().map(|message| briefing::message(message, include)).collect(),
        sources: turn.sources.iter().map(source).collect(),
        gone: turn.gone.iter().map(source).collect(),
        removed: turn.removed.iter().map(|message| briefing::message(message, include)).collect(),
        changed: turn.changed.map(|changed| changed.word().to_owned()),
        fidelity: fidelity(turn).word().to_owned(),
        doubt: turn.doubt.as_ref().map(|doubt| doubt.why.clone()),
    }
}

/// Returns the fidelity of the texts that a step adds.
pub fn fidelity(turn: &Turn) -> Fidelity {
    if turn.doubt.is_some() { Fidelity::Files } else { turn.answer.fidelity }
}
