//! Agents that a client defines: how each is started, its source, and the instructions that it gets at its start or does not get.

use serde::Serialize;

use crate::answer::agent::{Agent, Usage};
use crate::answer::{MessageKind, Purpose, Resolution, SessionKind, Source, Standpoint, Trigger};

/// One agent of a client.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct AgentSaid {
    /// Name of the agent.
    pub name: String,
    /// `primary`, `subagent`, `all` (both) or `hidden`.
    pub kind: &'static str,
    /// File that defines the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Model that is configured for the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tools that are configured for the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    /// Prompts and reminders at its start, with kind and name, and with their size if the text is known.
    pub layers: Vec<Layer>,
    /// Instruction files that the agent gets at its start.
    pub given: Vec<String>,
    /// Instruction files that the session gets, but this agent does not.
    pub not_given: Vec<String>,
    /// Fidelity of the answer for this agent.
    pub fidelity: &'static str,
}

/// A prompt or a reminder that the agent gets.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Layer {
    /// Kind of the message: `agent`, `provider` or `reminder`.
    pub kind: &'static str,
    /// Name of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Size in bytes; absent if the text is the client's own and therefore unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
}

/// Returns the standpoint of an agent at its start: a main session, or a sub-agent's session that another agent starts.
pub fn standpoint(session: &Standpoint, agent: &Agent) -> Standpoint {
    let kind = match agent.usage {
        Usage::Primary | Usage::Hidden => SessionKind::Main,
        Usage::Subagent | Usage::All => SessionKind::Subagent,
    };
    Standpoint { session: kind, agent: Some(agent.name.clone()), target: None, ..session.clone() }
}

/// Describes an agent. `own` is the answer for its start, and `session` the answer for the start of a session.
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
