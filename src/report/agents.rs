//! The agents of a client: who starts each, where it comes from, what it is told at its start, and what it is not.

use serde::Serialize;

use crate::answer::agent::{Agent, Usage};
use crate::answer::{MessageKind, Purpose, Resolution, SessionKind, Source, Standpoint, Trigger};

/// One agent.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct AgentSaid {
    /// Its name.
    pub name: String,
    /// `primary`, `subagent`, `all` (both) or `hidden`.
    pub kind: &'static str,
    /// The file that describes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The model that it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    /// The prompts and reminders of its start: their kind and name, and their size where the text is known.
    pub layers: Vec<Layer>,
    /// The instruction files that it is told at its start.
    pub given: Vec<String>,
    /// Those that the session is told, and it is not.
    pub not_given: Vec<String>,
    /// How far this can be trusted.
    pub fidelity: &'static str,
}

/// A prompt or a reminder.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Layer {
    /// `agent`, `provider`, `reminder` …
    pub kind: &'static str,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its size in bytes, unless it is the client's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
}

/// Returns the standpoint of an agent at its start: a session of its own, or one that another agent starts.
pub fn standpoint(session: &Standpoint, agent: &Agent) -> Standpoint {
    let kind = match agent.usage {
        Usage::Primary | Usage::Hidden => SessionKind::Main,
        Usage::Subagent | Usage::All => SessionKind::Subagent,
    };
    Standpoint { session: kind, agent: Some(agent.name.clone()), target: None, ..session.clone() }
}

/// Returns what is said of an agent whose start is `own`, where `session` is that of a session.
pub fn said(agent: &Agent, own: &Resolution, session: &Resolution) -> AgentSaid {
    let told = |answer: &Resolution| -> Vec<String> {
        let is_told = |source: &&Source| {
            source.trigger == Trigger::Session && source.fate.reaches() && source.purpose == Purpose::Instructions
        };
        answer.answer.sources.iter().filter(is_told).map(|source| source.place.to_string()).collect()
    };
    let given = told(own);
    let not_given = told(session).into_iter().filter(|file| !given.contains(file)).collect();
    let of_agent = own.answer.sources.iter().find(|source| source.purpose == Purpose::Agent);
    let from = agent.from.as_ref().map(|file| file.display().to_string());
    let is_layer =
        |kind: MessageKind| matches!(kind, MessageKind::Agent | MessageKind::Provider | MessageKind::Reminder);
    let layers = own.answer.messages.iter().filter(|message| is_layer(message.kind)).map(|message| Layer {
        kind: message.kind.word(),
        name: message.name.clone(),
        bytes: Some(message.text.len()).filter(|bytes| *bytes > 0),
    });
    AgentSaid {
        name: agent.name.clone(),
        kind: agent.usage.word(),
        from: from.or_else(|| of_agent.map(|source| source.place.to_string())),
        model: agent.model.clone(),
        tools: agent.tools.clone(),
        layers: layers.collect(),
        given,
        not_given,
        fidelity: own.fidelity.word(),
    }
}
