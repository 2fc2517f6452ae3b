//! Agents: those that come with the client, the project's, and the user's.

use std::path::Path;

use crate::answer::agent::{Agent, Usage};
use crate::answer::{Answer, Scope, SessionKind, Standpoint};
use crate::formats::{Node, parse_yaml};
use crate::harness::kit::agents::{self, Described};
use crate::harness::kit::heads;
use crate::search::{Known, Search};

/// Agents that come with Qwen Code 0.24.4.
const OWN: [&str; 6] = ["general-purpose", "Explore", "statusline-setup", "review-agent", "claude-code", "codex"];

/// Names that no agent may have (Qwen Code 0.24.4).
const RESERVED: [&str; 1] = ["self"];

/// Lengths that a name may have, and the least length of a prompt, in characters (Qwen Code 0.24.4).
const NAME_CHARACTERS: std::ops::RangeInclusive<usize> = 2..=50;
const LEAST_PROMPT_CHARACTERS: usize = 10;

/// Adds the agents, and the prompt of a sub-agent that a file describes. Of agents of one name the project's counts,
/// and a file counts before the client's own.
pub(super) fn look(
    at: &Standpoint,
    (own, root): (&Path, Option<&Path>),
    search: &mut Search,
    answer: &mut Answer,
) -> Known<()> {
    let of_project = root.map(|root| (root.join(".qwen/agents"), Scope::Project));
    let places: Vec<_> = of_project.into_iter().chain([(own.join("agents"), Scope::User)]).collect();
    let mut described: Vec<Described> = Vec::new();
    for (scope, path, raw) in agents::files(&places, search)? {
        let text = raw.text_without_bom().replace("\r\n", "\n");
        let Some((head, body)) = heads::qwen_code(&text) else { continue };
        let Some(head) = parse_yaml(head).ok() else { continue };
        let text_of = |key: &str| head.get(key).and_then(Node::as_text);
        let (Some(name), Some(_)) = (text_of("name").filter(|name| is_name(name)), text_of("description")) else {
            continue;
        };
        if body.trim().chars().count() < LEAST_PROMPT_CHARACTERS {
            continue;
        }
        if described.iter().all(|other| other.agent.name != name) {
            described.push(Described::new(name, (&path, scope, &raw), &head, body));
        }
    }
    let is_taken = |name: &str| described.iter().any(|one| one.agent.name == name);
    let own = OWN.into_iter().filter(|name| !is_taken(name)).map(|name| Agent::named(name, Usage::Subagent));
    answer.agents = own.chain(described.iter().map(|one| one.agent.clone())).collect();
    let asked = at.agent.as_deref().filter(|_| at.session == SessionKind::Subagent);
    if let Some(agent) = described.iter().find(|one| Some(one.agent.name.as_str()) == asked) {
        agent.add_prompt(answer);
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let is_mark = |c: char| matches!(c, '-' | '_');
    NAME_CHARACTERS.contains(&name.chars().count())
        && name.chars().all(|c| c.is_alphanumeric() || is_mark(c))
        && !name.starts_with(is_mark)
        && !name.ends_with(is_mark)
        && !RESERVED.contains(&name)
}
