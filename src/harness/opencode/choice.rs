//! Which agent a session starts with.

use super::brand::Brand;
use super::config::Config;
use crate::answer::{Answer, Certain, Refusal, SessionKind, Standpoint, Warning};
use crate::formats::Node;

/// An agent that the program brings along, or that the settings have.
struct Agent<'a> {
    name: &'a str,
    usage: Usage,
    hidden: bool,
}

/// Whether a session may start with an agent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usage {
    Session,
    /// Other agents start it.
    Subagent,
}

/// An agent that a program brings along.
pub(super) struct Native {
    pub name: &'static str,
    kind: Kind,
    /// Whose prompt it has.
    pub prompt: Prompt,
    /// Whether it may call for skills.
    pub skills: Skills,
}

/// What an agent is for.
enum Kind {
    Session,
    Subagent,
    /// The client itself starts it.
    Hidden,
}

/// Whose prompt an agent has.
#[derive(PartialEq, Eq)]
pub(super) enum Prompt {
    Own,
    Providers,
}

/// Whether an agent may call for skills.
#[derive(PartialEq, Eq)]
pub(super) enum Skills {
    Allowed,
    Denied,
}

const fn native(name: &'static str, kind: Kind, prompt: Prompt, skills: Skills) -> Native {
    Native { name, kind, prompt, skills }
}

/// The agents that OpenCode brings along, in their order; 1.18.33, 1.15.13 and 1.1.53.
pub(super) static OF_OPENCODE: &[Native] = &[
    native("build", Kind::Session, Prompt::Providers, Skills::Allowed),
    native("plan", Kind::Session, Prompt::Providers, Skills::Allowed),
    native("general", Kind::Subagent, Prompt::Providers, Skills::Allowed),
    native("explore", Kind::Subagent, Prompt::Own, Skills::Denied),
    native("compaction", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("title", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("summary", Kind::Hidden, Prompt::Own, Skills::Denied),
];

/// Those that Kilo brings along, the usual one first; 7.7.9.
pub(super) static OF_KILO: &[Native] = &[
    native("code", Kind::Session, Prompt::Providers, Skills::Allowed),
    native("plan", Kind::Session, Prompt::Providers, Skills::Allowed),
    native("general", Kind::Subagent, Prompt::Providers, Skills::Allowed),
    native("explore", Kind::Subagent, Prompt::Own, Skills::Allowed),
    native("compaction", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("title", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("summary", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("debug", Kind::Session, Prompt::Own, Skills::Allowed),
    native("orchestrator", Kind::Session, Prompt::Own, Skills::Allowed),
    native("ask", Kind::Session, Prompt::Own, Skills::Allowed),
];

/// The sub-agent that the task tool is most often called for; it has no prompt of its own.
const SUBAGENT: &str = "general";

/// The agent that is asked for, else the one that the settings name, else the first; `Err` says why the client does
/// not start.
pub(super) fn agent(brand: &Brand, at: &Standpoint, config: &Config, answer: &mut Answer) -> Result<String, Refusal> {
    let agents = agents(brand, config);
    let (title, id) = (brand.title, brand.id);
    let named = |name: &str| agents.iter().find(|agent| agent.name == name);
    if at.session == SessionKind::Subagent {
        // Any agent can be a sub-agent, the hidden ones and those that sessions start with too.
        let asked = at.agent.as_deref().unwrap_or(SUBAGENT);
        let missing = || Refusal::new(&at.cwd, format!("there is no agent {asked}: the task tool returns an error"));
        return named(asked).map(|agent| agent.name.to_owned()).ok_or_else(missing);
    }
    if let Some(asked) = &at.agent {
        match named(asked) {
            Some(Agent { usage: Usage::Session, .. }) => return Ok(asked.clone()),
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
        let first = agents.iter().find(|agent| agent.usage == Usage::Session && !agent.hidden);
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

/// Every agent that is not disabled.
fn agents<'a>(brand: &Brand, config: &'a Config) -> Vec<Agent<'a>> {
    let natives = brand.agents.iter().map(|native| {
        let usage = if matches!(native.kind, Kind::Subagent) { Usage::Subagent } else { Usage::Session };
        Agent { name: native.name, usage, hidden: matches!(native.kind, Kind::Hidden) }
    });
    let mut agents: Vec<Agent> = natives.collect();
    for (name, settings) in config.get(&["agent"]).and_then(Node::as_table).unwrap_or_default() {
        let known = agents.iter().position(|agent| agent.name == name);
        if settings.get("disable").and_then(Node::as_bool) == Some(true) {
            if let Some(at) = known {
                agents.remove(at);
            }
            continue;
        }
        let at = known.unwrap_or_else(|| {
            agents.push(Agent { name, usage: Usage::Session, hidden: false });
            agents.len() - 1
        });
        let agent = &mut agents[at];
        match settings.get("mode").and_then(Node::as_text) {
            Some("subagent") => agent.usage = Usage::Subagent,
            Some(_) => agent.usage = Usage::Session,
            None => {}
        }
        agent.hidden = settings.get("hidden").and_then(Node::as_bool).unwrap_or(agent.hidden);
    }
    agents
}
