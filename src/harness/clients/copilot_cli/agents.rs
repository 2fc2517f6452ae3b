//! Agents: those that come with the client, and those that the user describes. The tool that starts sub-agents lists
//! them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{ID, find};
use crate::answer::agent::{Agent, Usage};
use crate::answer::{Answer, Fate, Purpose, Scope, SessionKind, Source, Standpoint};
use crate::formats::{Node, parse_rust_yaml};
use crate::harness::kit::agents::{self, Described};
use crate::harness::kit::heads;
use crate::search::{Known, Search};
use crate::snapshot::Ask;

/// Agents that come with Copilot CLI 1.0.102.
const OWN: [&str; 6] = ["explore", "task", "general-purpose", "code-review", "research", "security-review"];

/// The one of [`OWN`] that can neither call skills nor start sub-agents.
const LIMITED: &str = "explore";

/// Folders of agents in a directory of the project.
const FOLDERS: [&str; 2] = [".github/agents", ".claude/agents"];

/// Adds the agents, the prompt of the one that answers, and the list of those that the model may start. Returns true if
/// the agent that answers may call skills.
pub(super) fn look(
    at: &Standpoint,
    home: &Path,
    repository: Option<&Path>,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<bool> {
    let described = described(at, home, repository, search, answer)?;
    let is_taken = |name: &str| described.iter().any(|one| one.agent.name == name);
    let own = OWN.iter().filter(|name| !is_taken(name)).map(|name| Agent::named(name, Usage::Subagent));
    answer.agents = own.chain(described.iter().map(|one| one.agent.clone())).collect();
    let asked = at.agent.as_deref().or_else(|| at.option(ID, "agent"));
    let is_limited = at.session == SessionKind::Subagent && asked == Some(LIMITED);
    let agent = described.iter().find(|one| Some(one.agent.name.as_str()) == asked);
    let has = |tool: &str| !is_limited && agent.is_none_or(|agent| agent.has_tool(tool));
    if let Some(agent) = agent {
        agent.add_prompt(answer);
    }
    if has("task") {
        let listed: Vec<&Described> = described.iter().filter(|one| one.agent.usage != Usage::Primary).collect();
        let entry = |one: &&Described| format!("- **{}**: {}", one.agent.name, one.description);
        let entries: Vec<String> = listed.iter().map(entry).collect();
        agents::add_list(&listed, &entries, "\n\n", answer);
    }
    // As a session's own agent it keeps the tool for skills.
    Ok(at.session != SessionKind::Subagent || has("skill"))
}

/// Returns the agents that files describe, by name. Of files of one name the first counts: the user's, then those of
/// the nearest directory, folder by folder.
fn described(
    at: &Standpoint,
    home: &Path,
    repository: Option<&Path>,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Vec<Described>> {
    let of_project = FOLDERS
        .iter()
        .flat_map(|folder| find::levels(at, repository, folder).map(move |dir| (dir.join(folder), Scope::Project)));
    let places: Vec<(PathBuf, Scope)> = std::iter::once((home.join("agents"), Scope::User)).chain(of_project).collect();
    let (mut found, mut ids) = (Vec::new(), HashSet::new());
    search.expect(places.iter().map(|(dir, _)| Ask::Listing(dir.clone())))?;
    let mut files = Vec::new();
    for (dir, scope) in &places {
        let found = search.files_behind_links(dir, "agents: Markdown files", ".md", false)?;
        files.extend(found.into_iter().map(|path| (dir, *scope, path)));
    }
    search.expect(files.iter().map(|(.., path)| Ask::Content(path.clone())))?;
    for (dir, scope, path) in files {
        let Ok(raw) = search.read(&path, "an agent: its head describes it")? else { continue };
        let id = id(dir, &path);
        let text = raw.text_without_bom();
        let parsed = heads::whole_lines(&text).ok_or("it has no head between lines of ---").and_then(|(head, body)| {
            let head = parse_rust_yaml(head).map_err(|_| "its head is no YAML")?;
            let (name, usage, head) =
                named(head, &id).ok_or("its head lacks a description, or has a key of another type")?;
            Ok((name, usage, head, body))
        });
        let (name, usage, head, body) = match parsed {
            Ok(parsed) => parsed,
            // A page for people may lie beside the agents.
            Err(_) if path.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("readme")) => continue,
            Err(reason) => {
                let source = Source::new(&path, scope, Fate::Dropped, format!("not an agent: {reason}"));
                answer.sources.push(Source { purpose: Purpose::Agent, ..source });
                continue;
            }
        };
        if ids.insert(id) {
            let mut one = Described::new(&name, (&path, scope, &raw), &head, body);
            one.agent.usage = usage;
            found.push(one);
        }
    }
    found.sort_by(|one, other| one.agent.name.cmp(&other.agent.name));
    Ok(found)
}

/// Returns the name that a file gives its agent: the folders below the folder of agents, and its own name.
fn id(dir: &Path, path: &Path) -> String {
    let below = path.strip_prefix(dir).unwrap_or(path).to_string_lossy().replace('/', "--");
    let stem = below.strip_suffix(".md").unwrap_or(&below);
    stem.strip_suffix(".agent").unwrap_or(stem).to_owned()
}

/// Returns the name of an agent and what starts it; `None` if the client does not take the head for one of an agent.
fn named(head: Node, id: &str) -> Option<(String, Usage, Node)> {
    let flag = |key: &str| head.get(key).and_then(Node::as_bool);
    let is_wrong = |key: &str, fits: &dyn Fn(&Node) -> bool| head.get(key).is_some_and(|node| !fits(node));
    let is_text = |node: &Node| node.as_text().is_some();
    let is_flag = |node: &Node| node.as_bool().is_some();
    let has_fitting_description = head.get("description").is_some_and(is_text);
    if !has_fitting_description
        || is_wrong("name", &is_text)
        || is_wrong("infer", &is_flag)
        || is_wrong("tools", &|node| is_text(node) || node.as_list().is_some())
    {
        return None;
    }
    let is_called = flag("infer") != Some(false) && flag("disable-model-invocation") != Some(true);
    let usage = match (flag("user-invocable") != Some(false), is_called) {
        (true, true) => Usage::All,
        (true, false) => Usage::Primary,
        (false, _) => Usage::Subagent,
    };
    let name = head.get("name").and_then(Node::as_text).unwrap_or(id).to_owned();
    Some((name, usage, head))
}
