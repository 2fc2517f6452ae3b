//! Agents that a client defines: how each is started, its source, the instructions that it gets at its start or does
//! not get, and what a switch to it changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::agent::{Agent, Usage};
use crate::answer::{Message, MessageKind, Purpose, Resolution, SessionKind, Source, Standpoint, Trigger};
use crate::harness::Choice;
use crate::session::{Ask, Step, unfold};

/// Result of `briefing/agents`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct Agents {
    /// Version of the index; grows with every change.
    pub version: u64,
    /// Agents of each client that was asked for and whose agents are known.
    pub agents: Vec<AgentSaid>,
}

/// One agent of a client.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSaid {
    /// Id of the client.
    pub harness: String,
    /// Name of the agent.
    pub name: String,
    /// `primary`, `subagent`, `all` (both) or `hidden`.
    pub kind: String,
    /// File that defines the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Model that is configured for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tools that are configured for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    /// Prompts, reminders and lists at its start.
    pub layers: Vec<Layer>,
    /// Instruction files that the agent gets at its start.
    pub given: Vec<FileSaid>,
    /// Instruction files that the session gets, but this agent does not.
    pub not_given: Vec<FileSaid>,
    /// Changes when a session switches to this agent; absent for sub-agents and for the one that the session begins
    /// with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switch: Option<Switch>,
    /// Fidelity of the answer for this agent.
    pub fidelity: String,
}

/// Changes in a session when another agent takes over.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct Switch {
    /// Layers that come.
    pub adds: Vec<Layer>,
    /// Layers that go.
    pub removes: Vec<Layer>,
}

/// An instruction file, and the reason why the agent gets it or does not.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct FileSaid {
    /// Path or URL.
    pub path: String,
    /// Reason, as in the source of an answer.
    pub reason: String,
}

/// A prompt, a reminder or a list that the agent gets.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct Layer {
    /// Kind of the message: `agent`, `provider`, `reminder` …
    pub kind: String,
    /// Name of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Size in bytes; absent if the text is the client's own and therefore unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
}

impl Layer {
    fn of(message: &Message) -> Layer {
        Layer {
            kind: message.kind.word().to_owned(),
            name: message.name.clone(),
            bytes: Some(message.text.len()).filter(|bytes| *bytes > 0),
        }
    }
}

/// Describes the agents of a client that starts at `start`. Each agent is resolved as a question of its own. Returns
/// none if the agents are not known. Skips agents for which `wanted` returns false.
pub fn said(choice: &Choice, start: &Standpoint, wanted: &dyn Fn(&str) -> bool, ask: Ask) -> Vec<AgentSaid> {
    let session = ask(start);
    let agents = session.answer.agents.iter().filter(|agent| wanted(&agent.name));
    agents.map(|agent| one(choice, agent, start, &session, ask)).collect()
}

fn one(choice: &Choice, agent: &Agent, start: &Standpoint, session: &Resolution, ask: Ask) -> AgentSaid {
    let own = ask(&standpoint(start, agent));
    // The client's calls for its own work have no instructions.
    let given = if agent.usage == Usage::Hidden { Vec::new() } else { told(&own) };
    let is_given = |source: &&Source| given.iter().all(|own| own.place != source.place);
    let reason = |source: &Source| {
        if agent.usage == Usage::Hidden {
            return "the client uses this agent for its own work, without instructions".to_owned();
        }
        let here = own.answer.sources.iter().find(|own| own.place == source.place);
        here.map_or_else(|| "not looked for".to_owned(), |source| source.reason.clone())
    };
    let not_given = told(session).into_iter().filter(is_given);
    let file = |source: &Source, reason: String| FileSaid { path: source.place.to_string(), reason };
    let of_agent = own.answer.sources.iter().find(|source| source.purpose == Purpose::Agent && source.fate.reaches());
    let from = agent.from.as_ref().map(|file| file.display().to_string());
    let mut switch = None;
    if matches!(agent.usage, Usage::Primary | Usage::All)
        && let Ok(turns) = unfold(choice, start.clone(), &[Step::Agent(agent.name.clone())], ask)
        && let [_, turn] = turns.as_slice()
        && !(turn.messages.is_empty() && turn.removed.is_empty())
    {
        let layers = |messages: &[Message]| messages.iter().map(Layer::of).collect();
        switch = Some(Switch { adds: layers(&turn.messages), removes: layers(&turn.removed) });
    }
    let is_layer = |message: &&Message| {
        !matches!(message.kind, MessageKind::Instructions | MessageKind::Environment | MessageKind::Skills)
    };
    AgentSaid {
        harness: choice.id().to_owned(),
        name: agent.name.clone(),
        kind: agent.usage.word().to_owned(),
        from: from.or_else(|| of_agent.map(|source| source.place.to_string())),
        model: agent.model.clone(),
        tools: agent.tools.clone(),
        layers: own.answer.messages.iter().filter(is_layer).map(Layer::of).collect(),
        given: given.iter().map(|source| file(source, source.reason.clone())).collect(),
        not_given: not_given.map(|source| file(source, reason(source))).collect(),
        switch,
        fidelity: own.fidelity.word().to_owned(),
    }
}

/// Returns the instruction files that reach the model at the start.
fn told(answer: &Resolution) -> Vec<&Source> {
    let is_told = |source: &&Source| {
        source.trigger == Trigger::Session && source.fate.reaches() && source.purpose != Purpose::Agent
    };
    answer.answer.sources.iter().filter(is_told).collect()
}

/// Returns the standpoint of an agent at its start: a main session, or a sub-agent's session that another agent starts.
pub fn standpoint(session: &Standpoint, agent: &Agent) -> Standpoint {
    let kind = match agent.usage {
        Usage::Primary | Usage::Hidden => SessionKind::Main,
        Usage::Subagent | Usage::All => SessionKind::Subagent,
    };
    Standpoint { session: kind, agent: Some(agent.name.clone()), target: None, ..session.clone() }
}
