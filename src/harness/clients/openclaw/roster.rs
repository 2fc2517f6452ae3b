//! The agents of a configuration: their entries, the one that answers, and the one that owns the defaults.

use std::path::Path;

use crate::answer::agent::{Agent, Usage};
use crate::formats::{Node, Value};

/// Agent of a configuration that names none.
const IMPLICIT_AGENT: &str = "main";
/// Maximum length of an agent id.
const ID_LIMIT: usize = 64;

/// Form of the list of agents, and the rule for the agent that answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `agents.entries`; the agent that answers by default must be unambiguous.
    Entries,
    /// `agents.list`; the marked agent answers by default, else the first.
    List,
}

/// The agents, in the order of the file.
pub struct Roster {
    agents: Vec<(String, Node)>,
    /// The agent marked with `default: true`.
    marked: Option<String>,
    explicit: bool,
    system: Option<String>,
    shape: Shape,
}

impl Roster {
    /// Returns the agents of a configuration, or the error in it.
    pub fn of(root: &Node, shape: Shape) -> Result<Roster, String> {
        match shape {
            Shape::Entries => Roster::of_entries(root),
            Shape::List => Ok(Roster::of_list(root)),
        }
    }

    fn of_list(root: &Node) -> Roster {
        let list = root.at_path(&["agents", "list"]).and_then(Node::as_list).unwrap_or_default();
        let mut agents: Vec<(String, Node)> = Vec::new();
        let mut marked = None;
        for item in list {
            let id = normalized(item.get("id").and_then(Node::as_text).unwrap_or_default());
            if marked.is_none() && item.get("default").and_then(Node::as_bool) == Some(true) {
                marked = Some(id.clone());
            }
            // Of two agents with one id, the first counts.
            if !agents.iter().any(|(known, _)| *known == id) {
                agents.push((id, item.clone()));
            }
        }
        if agents.is_empty() {
            agents.push((IMPLICIT_AGENT.into(), Node { at: 0..0, value: Value::Table(Vec::new()) }));
        }
        Roster { agents, marked, explicit: false, system: None, shape: Shape::List }
    }

    fn of_entries(root: &Node) -> Result<Roster, String> {
        let agents = root.get("agents");
        let part = |key: &str| agents.and_then(|agents| agents.get(key));
        let explicit = part("ownership").and_then(Node::as_text) == Some("explicit");
        let mut entries = match (part("entries"), part("list")) {
            (Some(_), Some(_)) => return Err("agents: Unrecognized key: \"list\" (beside agents.entries)".into()),
            (Some(entries), None) => entries.as_table().unwrap_or_default().to_vec(),
            (None, Some(list)) => listed(list)?,
            (None, None) => Vec::new(),
        };
        if entries.is_empty() && !explicit {
            entries.push((IMPLICIT_AGENT.into(), Node { at: 0..0, value: Value::Table(Vec::new()) }));
        }
        if entries.is_empty() {
            return Err("agents.entries must contain at least one configured agent".into());
        }
        let mut known: Vec<(String, Node)> = Vec::new();
        for (key, entry) in entries {
            if !is_id(&key) {
                return Err(format!("agents.entries: Invalid agent id: {key:?}"));
            }
            let id = normalized(&key);
            if known.iter().any(|(other, _)| *other == id) {
                return Err(format!("agents.entries: {key:?} resolves to the same agent id {id:?} as another key"));
            }
            known.push((id, entry));
        }
        let is_marked = |entry: &Node| entry.get("default").and_then(Node::as_bool) == Some(true);
        let marked: Vec<&String> = known.iter().filter(|(_, entry)| is_marked(entry)).map(|(id, _)| id).collect();
        if marked.len() > 1 {
            return Err(format!("agents.entries must contain at most one default=true entry (found {})", marked.len()));
        }
        let marked = marked.first().map(|id| id.to_string());
        if explicit && marked.is_some() {
            return Err("agents.ownership=explicit cannot be combined with a legacy default=true marker".into());
        }
        if known.len() > 1 && marked.is_none() && !explicit {
            return Err(
                "multi-agent rosters require agents.ownership=\"explicit\" or one legacy default=true marker; \
                        add agents.ownership=\"explicit\" or run openclaw doctor"
                    .into(),
            );
        }
        let system = root.at_path(&["agents", "defaults", "systemAgent", "agentId"]).and_then(Node::as_text);
        let system = system.map(normalized).filter(|id| known.iter().any(|(known, _)| known == id));
        Ok(Roster { agents: known, marked, explicit, system, shape: Shape::Entries })
    }

    /// Returns the entry of an agent.
    pub fn entry(&self, agent: &str) -> Option<&Node> {
        self.agents.iter().find(|(id, _)| id == agent).map(|(_, entry)| entry)
    }

    /// Returns the agents for the answer, each as one that a session starts with and as a sub-agent.
    pub fn agents(&self, from: Option<&Path>) -> Vec<Agent> {
        let both = self.agents.iter().flat_map(|agent| [(agent, Usage::Primary), (agent, Usage::Subagent)]);
        let text = |node: &Node| node.as_text().or_else(|| node.get("primary")?.as_text()).map(str::to_owned);
        let of = |((id, entry), usage): (&(String, Node), Usage)| Agent {
            from: from.map(Path::to_owned),
            model: entry.get("model").and_then(text),
            tools: entry.at_path(&["tools", "profile"]).and_then(Node::as_text).map(str::to_owned),
            ..Agent::named(id, usage)
        };
        both.map(of).collect()
    }

    /// Returns the agent that owns `agents.defaults.workspace`.
    pub fn owner(&self) -> Option<&str> {
        self.marked.as_deref().or_else(|| match self.shape {
            Shape::Entries => self.sole(),
            Shape::List => self.agents.first().map(|(first, _)| first.as_str()),
        })
    }

    /// Returns the agent that answers: the requested one, else the default one.
    pub fn choose(&self, asked: Option<&str>) -> Result<String, String> {
        if let Some(asked) = asked {
            let id = normalized(asked);
            return match self.entry(&id) {
                Some(_) => Ok(id),
                None => Err(format!("Unknown agent id \"{id}\"; the agents are {}", self.names())),
            };
        }
        let owner = if self.explicit { self.system.as_deref() } else { self.owner() };
        owner
            .or_else(|| self.sole())
            .map(str::to_owned)
            .ok_or_else(|| format!("Multiple agents are configured, and none is named; choose one of {}", self.names()))
    }

    fn sole(&self) -> Option<&str> {
        match self.agents.as_slice() {
            [(only, _)] => Some(only),
            _ => None,
        }
    }

    fn names(&self) -> String {
        self.agents.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Reads `agents.list`, which older versions wrote. It is accepted only if every id is normalized.
fn listed(list: &Node) -> Result<Vec<(String, Node)>, String> {
    let mut entries: Vec<(String, Node)> = Vec::new();
    for item in list.as_list().ok_or("agents.list is not a list")? {
        let id = item.get("id").and_then(Node::as_text).ok_or("agents.list: an entry without an id")?;
        if normalized(id) != id || entries.iter().any(|(known, _)| known == id) {
            return Err(format!("agents: Unrecognized key: \"list\" (the id {id:?} is not a plain, unique one)"));
        }
        let rest = item.as_table().unwrap_or_default().iter().filter(|(key, _)| key != "id").cloned().collect();
        entries.push((id.to_owned(), Node { at: item.at.clone(), value: Value::Table(rest) }));
    }
    Ok(entries)
}

fn is_id(key: &str) -> bool {
    key.len() <= ID_LIMIT
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && key.starts_with(|first: char| first != '-')
}

/// Normalizes an id: lower case, other characters as `-`, no `-` at either end, at most 64 characters; `main` if
/// nothing is left.
fn normalized(id: &str) -> String {
    let lower = crate::text::js_trim(id).to_lowercase();
    if is_id(&lower) && !lower.is_empty() {
        return lower;
    }
    let mut plain = String::new();
    for c in lower.chars() {
        let allowed = c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if allowed || !plain.ends_with('-') {
            plain.push(if allowed { c } else { '-' });
        }
    }
    let plain: String = plain.trim_matches('-').chars().take(ID_LIMIT).collect();
    if plain.is_empty() { IMPLICIT_AGENT.into() } else { plain }
}
