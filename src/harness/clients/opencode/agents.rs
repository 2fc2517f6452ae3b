//! Agents in Markdown files of the configuration directories, and the commands and plugin files beside them.

use std::path::{Path, PathBuf};

use super::brand::{Invalid, Ownership};
use super::merge::merge;
use super::rules::AgentNames;
use super::{OpenCode, front_matter, older_words};
use crate::formats::{Node, Value};
use crate::search::{Halt, Known, Search};
use crate::snapshot::Ask;
use crate::text::js_trim;

const AGENTS: &str = "{agent,agents}/**/*.md";
const MODES: &str = "{mode,modes}/*.md";
const COMMANDS: &str = "{command,commands}/**/*.md";
const PLUGINS: &str = "{plugin,plugins}/*.{ts,js}";

/// Returns the globs that are needed for each configuration directory.
pub(super) fn globs(edition: &OpenCode, dir: &Path) -> Vec<Ask> {
    let flavor = edition.globs.following(true);
    let ask = |pattern: &str| Ask::Glob { base: dir.to_owned(), pattern: pattern.to_owned(), flavor };
    [COMMANDS, AGENTS, MODES, PLUGINS].map(ask).to_vec()
}

/// Checks the commands of a directory. They add nothing to the prompt, but an invalid one stops the client.
pub(super) fn check_commands(edition: &OpenCode, dir: &Path, search: &mut Search) -> Known<()> {
    if edition.brand.invalid == Invalid::PassedOver {
        return Ok(());
    }
    let files = &search.glob(dir, COMMANDS, edition.globs.following(true), "commands in Markdown files")?.files;
    search.expect(files.iter().cloned().map(Ask::Content))?;
    for file in files.iter() {
        let Ok(raw) = search.read(file, "a command; what is wrong in its head stops the client")? else { continue };
        let Some(mut markdown) = front_matter::parse(&edition.decoding.decode(&raw)) else { continue };
        let Value::Table(entries) = &mut markdown.data.value else { continue };
        entries.retain(|(key, _)| key != "template");
        entries.push(("template".to_owned(), Node { at: 0..0, value: Value::Text(markdown.content) }));
        if let Some(problem) = edition.settings.schema.command_problem(&markdown.data) {
            return Err(Halt::refused(file, format!("not a valid command: {problem}")));
        }
    }
    Ok(())
}

/// Returns the agents of a directory as settings that record the file of each agent.
pub(super) fn read(edition: &OpenCode, dir: &Path, doubts: &mut Vec<String>, search: &mut Search) -> Known<Node> {
    let flavor = edition.globs.following(true);
    let mut found = Vec::new();
    for (pattern, mode) in [(AGENTS, false), (MODES, true)] {
        let files = &search.glob(dir, pattern, flavor, "agents in Markdown files")?.files;
        search.expect(files.iter().cloned().map(Ask::Content))?;
        for file in files.iter() {
            let Ok(raw) = search.read(file, "an agent; its text takes the place of the provider's prompt")? else {
                continue;
            };
            let Some(markdown) = front_matter::parse(&edition.decoding.decode(&raw)) else { continue };
            let Value::Table(mut entries) = markdown.data.value else { continue };
            let refers = markdown.content.contains("{env:") || markdown.content.contains("{file:");
            if refers && edition.brand.ownership == Ownership::Counts {
                doubts.push(format!("{} holds references, which are not filled in here", file.display()));
            }
            let prompt = Node { at: 0..0, value: Value::Text(js_trim(&markdown.content).to_owned()) };
            entries.retain(|(key, _)| key != "prompt");
            entries.push(("prompt".to_owned(), prompt));
            let name = entries.iter().find(|(key, _)| key == "name").and_then(|(_, name)| name.as_text());
            let name = name.map_or_else(|| name_of(edition.agent_names, dir, file, mode), str::to_owned);
            let mut agent = Node { at: 0..0, value: Value::Table(entries) };
            if let Some(problem) = edition.settings.schema.agent_problem(&agent) {
                if mode || edition.brand.invalid == Invalid::PassedOver {
                    continue;
                }
                return Err(Halt::refused(file, format!("not a valid agent: {problem}")));
            }
            older_words::of_agent(&mut agent);
            let from = Node { at: 0..0, value: Value::Text(file.display().to_string()) };
            if let Value::Table(entries) = &mut agent.value {
                entries.push((FROM.to_owned(), from));
            }
            found.push((name, agent));
        }
    }
    let table = |entries| Node { at: 0..0, value: Value::Table(entries) };
    let mut agents = table(Vec::new());
    // Of two agents with one name, the later one is merged over the other.
    merge(&mut agents, table(found));
    Ok(table(vec![("agent".to_owned(), agents)]))
}

/// Key under which an agent records its file. It contains a NUL, so settings cannot have it.
pub(super) const FROM: &str = "\0from";

/// Derives an agent's name from its path: `agent/team/review.md` → `team/review`.
fn name_of(names: AgentNames, dir: &Path, file: &Path, mode: bool) -> String {
    if names == AgentNames::ByPath {
        let whole = file.to_string_lossy();
        let behind = |place: &&str| whole.split_once(*place).map(|(_, inner)| inner);
        let places = ["/.opencode/agent/", "/.opencode/agents/", "/agent/", "/agents/"];
        let inner = places.iter().find_map(behind).filter(|_| !mode).map(Path::new);
        let inner = inner.unwrap_or_else(|| file.file_name().map_or(file, Path::new));
        return inner.with_extension("").to_string_lossy().into_owned();
    }
    let relative = file.strip_prefix(dir).unwrap_or(file).to_string_lossy().into_owned();
    let prefixes = ["agent/", "agents/", "mode/", "modes/"];
    let inner = prefixes.iter().find_map(|prefix| relative.strip_prefix(prefix)).unwrap_or(&relative);
    PathBuf::from(inner).with_extension("").to_string_lossy().into_owned()
}

/// Returns the plugin files that OpenCode would load.
pub(super) fn plugin_files(edition: &OpenCode, dir: &Path, search: &mut Search) -> Known<Vec<String>> {
    let found = search.glob(dir, PLUGINS, edition.globs.following(true), "plugins, which may rewrite the prompt")?;
    Ok(found.files.iter().map(|file| file.display().to_string()).collect())
}
