//! Sub-agents: those that come with the client, the user's, and those of the project that the user has acknowledged.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::settings::Settings;
use crate::answer::agent::{Agent, Usage};
use crate::answer::{Answer, Certain, Fate, Scope, SessionKind, Source, Standpoint};
use crate::formats::{Node, parse_json, parse_yaml};
use crate::harness::kit::agents::{self, Described};
use crate::harness::kit::heads;
use crate::search::{Known, Search};
use crate::snapshot::FileType;

/// Agents that come with Gemini CLI 0.61.
const OWN: [&str; 3] = ["codebase_investigator", "cli_help", "generalist"];

/// Keys that the head of an agent may have (Gemini CLI 0.61).
const KEYS: [&str; 10] = [
    "kind",
    "name",
    "description",
    "display_name",
    "tools",
    "mcp_servers",
    "model",
    "temperature",
    "max_turns",
    "timeout_mins",
];

/// Tools that an agent may name, beside those of MCP servers (Gemini CLI 0.61).
const TOOLS: [&str; 29] = [
    "*",
    "activate_skill",
    "ask_user",
    "complete_task",
    "enter_plan_mode",
    "exit_plan_mode",
    "get_internal_docs",
    "glob",
    "google_web_search",
    "grep_search",
    "invoke_agent",
    "list_directory",
    "list_mcp_resources",
    "read_file",
    "read_many_files",
    "read_mcp_resource",
    "replace",
    "run_shell_command",
    "search_file_content",
    "tracker_add_dependency",
    "tracker_create_task",
    "tracker_get_task",
    "tracker_list_tasks",
    "tracker_update_task",
    "tracker_visualize",
    "update_topic",
    "web_fetch",
    "write_file",
    "write_todos",
];

/// Adds the agents, the prompt of a sub-agent of the user's own, and the list of those that the session may start.
/// Returns that sub-agent.
pub(super) fn look(
    at: &Standpoint,
    home: &Path,
    settings: &Settings,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Option<Described>> {
    if !settings.flag(&["experimental", "enableAgents"], true) {
        return Ok(None);
    }
    let is_on = |name: &str| {
        let on = settings.value(&["agents", "overrides", name, "enabled"]).and_then(Node::as_bool);
        on != Some(false)
    };
    let described = described(at, home, settings, search, answer)?;
    let described: Vec<Described> = described.into_iter().filter(|one| is_on(&one.agent.name)).collect();
    let own = OWN.into_iter().filter(|name| is_on(name)).map(|name| Agent::named(name, Usage::Subagent));
    answer.agents = own.chain(described.iter().map(|one| one.agent.clone())).collect();
    if at.session == SessionKind::Subagent {
        let agent = described.into_iter().find(|one| Some(one.agent.name.as_str()) == at.agent.as_deref());
        if let Some(agent) = &agent {
            agent.add_prompt(answer);
            if agent.prompt.contains("${") {
                answer.doubt(
                    &[Certain::Text],
                    "its prompt names values with `${…}`, which the client fills in or stops at",
                );
            }
        }
        return Ok(agent);
    }
    let listed: Vec<&Described> = described.iter().collect();
    let entry = |one: &&Described| format!("- {} -> {}", one.agent.name, one.description);
    let mut entries: Vec<String> = listed.iter().map(entry).collect();
    if let Some(last) = entries.last_mut() {
        last.truncate(last.trim_end().len());
    }
    agents::add_list(&listed, &entries, "\n", answer);
    Ok(None)
}

/// Returns the agents that files describe; the first of a name counts, the project's before the user's.
fn described(
    at: &Standpoint,
    home: &Path,
    settings: &Settings,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Vec<Described>> {
    let of_project = (at.cwd.join(".gemini/agents"), Scope::Project);
    let of_user = (home.join(".gemini/agents"), Scope::User);
    let is_read = settings.trusted && of_project.0 != of_user.0;
    let places = [of_project, of_user];
    let mut found: Vec<Described> = Vec::new();
    for (scope, path, raw) in agents::files(&places[usize::from(!is_read)..], search)? {
        if search
            .lstat(&path, "an agent: links to files are passed over")?
            .is_ok_and(|meta| meta.kind == FileType::Link)
        {
            continue;
        }
        let text = raw.text_without_bom();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some((head, body)) = heads::whole_lines(&text).filter(|_| !name.starts_with('_')) else { continue };
        let Some(head) = parse_yaml(head).ok().filter(is_agent) else { continue };
        let name = head.get("name").and_then(Node::as_text).unwrap_or_default();
        let one = Described::new(name, (&path, scope, &raw), &head, body);
        if scope == Scope::Project && !is_acknowledged(at, home, name, &raw.text(), search)? {
            let why = "an agent of the project: it waits until the user has acknowledged it";
            answer.sources.push(Source::new(&path, scope, Fate::Excluded, why));
        } else if !OWN.contains(&name) && found.iter().all(|other| other.agent.name != name) {
            found.push(one);
        }
    }
    Ok(found)
}

/// Returns true for the head of an agent that the client itself runs.
fn is_agent(head: &Node) -> bool {
    let text_of = |key: &str| head.get(key).and_then(Node::as_text);
    let is_slug = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte))
    };
    let is_tool = |node: &Node| node.as_text().is_some_and(|tool| TOOLS.contains(&tool) || tool.starts_with("mcp_"));
    let keys = head.as_table().unwrap_or_default();
    keys.iter().all(|(key, _)| KEYS.contains(&key.as_str()))
        && text_of("name").is_some_and(is_slug)
        && text_of("description").is_some_and(|text| !text.is_empty())
        && head.get("kind").is_none_or(|kind| kind.as_text() == Some("local"))
        && head.get("tools").is_none_or(|tools| tools.as_list().is_some_and(|tools| tools.iter().all(is_tool)))
}

/// Returns true if the user has acknowledged an agent of the project with this text.
fn is_acknowledged(at: &Standpoint, home: &Path, name: &str, text: &str, search: &mut Search) -> Known<bool> {
    let path = home.join(".gemini/acknowledgments/agents.json");
    let Ok(raw) = search.read(&path, "which agents of projects the user has acknowledged")? else { return Ok(false) };
    let hash: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let said = parse_json(&raw.text()).ok();
    let said = said.as_ref().and_then(|said| said.get(&at.cwd.to_string_lossy())?.get(name)?.as_text());
    Ok(said == Some(hash.as_str()))
}
