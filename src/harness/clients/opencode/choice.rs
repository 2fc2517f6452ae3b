//! Chooses the agent that a session starts with.

use std::collections::HashMap;

use super::brand::{Brand, PrimaryAgents};
use super::config::Config;
use super::natives::{Kind, Native};
use crate::answer::{Answer, Certain, Refusal, SessionKind, Standpoint, Warning, agent};
use crate::formats::Node;

/// A built-in agent, or one from the settings.
struct Agent<'a> {
    name: &'a str,
    usage: Usage,
    hidden: bool,
}

/// Ways in which an agent may be started.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usage {
    Session,
    /// By a session, or by other agents.
    Either,
    /// By other agents only.
    Subagent,
}

/// Default sub-agent of the task tool; it has no prompt of its own.
const SUBAGENT: &str = "general";

/// Returns the requested agent, else the one that the settings name, else the first. Fails with the reason why the
/// client does not start.
pub(super) fn agent(brand: &Brand, at: &Standpoint, config: &Config, answer: &mut Answer) -> Result<String, Refusal> {
    let agents = agents(brand, config);
    answer.agents = agents.iter().map(|agent| for_answer(brand, agent, config)).collect();
    let (title, id) = (brand.title, brand.id);
    let named = |name: &str| agents.iter().find(|agent| agent.name == name);
    if at.session == SessionKind::Subagent {
        let asked = at.agent.as_deref().unwrap_or(SUBAGENT);
        let refused = |why: String| Err(Refusal::new(&at.cwd, format!("{why}: the task tool returns an error")));
        return match named(asked) {
            None => refused(format!("there is no agent {asked}")),
            Some(agent) if agent.usage == Usage::Session && brand.primary == PrimaryAgents::StartSessionsOnly => {
                refused(format!("{asked} is a primary agent, which {title} starts no sub-agent as"))
            }
            Some(agent) => Ok(agent.name.to_owned()),
        };
    }
    if let Some(asked) = &at.agent {
        match named(asked) {
            Some(Agent { usage: Usage::Session | Usage::Either, .. }) => return Ok(asked.clone()),
            Some(Agent { usage: Usage::Subagent, .. }) => {
                let message = format!(
                    "{asked} is a subagent: this is what its own session gets; `{id} run --agent {asked}` falls back to the default agent"
                );
                answer.warnings.push(Warning::general("is-subagent", message));
                return Ok(asked.clone());
            }
            None => {
                let message = format!(
                    "there is no agent {asked}: `{id} run` falls back to its default agent, which is shown; {title}'s server, which editors use, answers with an error"
                );
                answer.warnings.push(Warning::general("unknown-agent", message.clone()));
                answer.doubt(&[Certain::Set], message);
            }
        }
    }
    let refused =
        |problem: &str| Err(Refusal::new(config.default_agent_from.as_deref().unwrap_or(&at.cwd), problem.to_owned()));
    let Some(default) = config.text(&["default_agent"]).filter(|name| !name.is_empty()) else {
        let first = agents.iter().find(|agent| agent.usage != Usage::Subagent && !agent.hidden);
        return first.map_or_else(
            || refused("no agent is left that a session can start with"),
            |agent| Ok(agent.name.to_owned()),
        );
    };
    match named(default) {
        None => refused(&format!("`default_agent`: there is no agent {}", config.shown(default))),
        Some(agent) if agent.usage == Usage::Subagent => {
            refused(&format!("`default_agent`: a session cannot start with {default}, which is a subagent"))
        }
        Some(agent) if agent.hidden => {
            refused(&format!("`default_agent`: a session cannot start with {default}, which is hidden"))
        }
        Some(_) => Ok(default.to_owned()),
    }
}

/// Converts an agent for the answer.
fn for_answer(brand: &Brand, agent: &Agent, config: &Config) -> agent::Agent {
    let is_internal = |native: &Native| native.name == agent.name && matches!(native.kind, Kind::Hidden);
    let settings = config.get(&["agent"]).and_then(|agents| agents.get(agent.name));
    let usage = match agent.usage {
        _ if agent.hidden && brand.agents.iter().any(is_internal) => agent::Usage::Hidden,
        Usage::Session => agent::Usage::Primary,
        Usage::Either => agent::Usage::All,
        Usage::Subagent => agent::Usage::Subagent,
    };
    let model = settings.and_then(|settings| settings.get("model")).and_then(Node::as_text).map(str::to_owned);
    let on = |(tool, on): &(String, Node)| Some(format!("{tool}: {}", on.as_bool()?));
    let tools = settings.and_then(|settings| settings.get("tools")).and_then(Node::as_table);
    let tools = tools.map(|tools| tools.iter().filter_map(on).collect::<Vec<_>>().join(", "));
    agent::Agent { model, tools, ..agent::Agent::named(agent.name, usage) }
}

/// Returns every agent that is not disabled.
fn agents<'a>(brand: &Brand, config: &'a Config) -> Vec<Agent<'a>> {
    let natives = brand.agents.iter().map(|native| {
        let usage = if matches!(native.kind, Kind::Subagent) { Usage::Subagent } else { Usage::Session };
        Agent { name: native.name, usage, hidden: matches!(native.kind, Kind::Hidden) }
    });
    // A disabled agent leaves a gap, so that the positions of the others stay valid.
    let mut agents: Vec<Option<Agent>> = natives.map(Some).collect();
    let names = brand.agents.iter().map(|native| native.name);
    let mut places: HashMap<&str, usize> = names.enumerate().map(|(at, name)| (name, at)).collect();
    for (name, settings) in config.get(&["agent"]).and_then(Node::as_table).unwrap_or_default() {
        if settings.get("disable").and_then(Node::as_bool) == Some(true) {
            if let Some(at) = places.remove(name.as_str()) {
                agents[at] = None;
            }
            continue;
        }
        let at = *places.entry(name.as_str()).or_insert(agents.len());
        agents.resize_with(agents.len().max(at + 1), || None);
        let agent = agents[at].get_or_insert(Agent { name, usage: Usage::Either, hidden: false });
        match settings.get("mode").and_then(Node::as_text) {
            Some("subagent") => agent.usage = Usage::Subagent,
            Some("primary") => agent.usage = Usage::Session,
            Some(_) => agent.usage = Usage::Either,
            None => {}
        }
        agent.hidden = settings.get("hidden").and_then(Node::as_bool).unwrap_or(agent.hidden);
    }
    agents.into_iter().flatten().collect()
}
