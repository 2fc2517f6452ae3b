//! Roles of sub-agents: those that come with the client, those of `agents/` beside the settings, and those of the
//! settings.

use std::path::{Path, PathBuf};

use super::layers::Layers;
use super::paths;
use crate::answer::agent::{Agent, Usage};
use crate::formats::{Node, parse_toml};
use crate::search::{Known, Search};
use crate::snapshot::Ask;

/// Roles that come with Codex 0.169.
const OWN: [&str; 3] = ["default", "explorer", "worker"];

/// Keys of a role whose effect on texts is known; any other key may change more.
const KNOWN: [&str; 6] =
    ["name", "description", "developer_instructions", "model_reasoning_effort", "nickname_candidates", "sandbox_mode"];

/// Role of a sub-agent.
pub(super) struct Kind {
    pub(super) agent: Agent,
    /// Text that takes the place of the session's `developer_instructions`.
    pub(super) instructions: Option<String>,
    /// Keys of its file that may change other texts.
    pub(super) others: Vec<String>,
}

/// Returns the roles; of one name, that of the highest layer.
pub(super) fn kinds(layers: &Layers, codex_home: &Path, home: &Path, search: &mut Search) -> Known<Vec<Kind>> {
    let mut kinds: Vec<Kind> = OWN.iter().map(|name| Kind::new(name, None, None)).collect();
    let mut add = |kind: Kind| {
        kinds.retain(|other| other.agent.name != kind.agent.name);
        kinds.push(kind);
    };
    let user = codex_home.join("config.toml");
    let files = layers
        .0
        .iter()
        .map(|(from, _)| PathBuf::from(from))
        .filter(|from| from.ends_with(".codex/config.toml") && *from != user);
    for file in std::iter::once(user.clone()).chain(files) {
        let dir = file.with_file_name("agents");
        let found = search.files_behind_links(&dir, "roles of sub-agents", ".toml", true)?;
        search.expect(found.iter().cloned().map(Ask::Content))?;
        for path in found {
            let Some(table) = read(&path, search)? else { continue };
            let text = |key: &str| table.get(key).and_then(Node::as_text);
            let is_whole = text("description").is_some() && text("developer_instructions").is_some();
            if let (Some(name), true) = (text("name"), is_whole) {
                add(Kind::new(name, Some(&path), Some(&table)));
            }
        }
        let Some((_, table)) = layers.0.iter().find(|(from, _)| Path::new(from) == file) else { continue };
        for (name, role) in table.get("agents").and_then(Node::as_table).unwrap_or_default() {
            let Some(_) = role.get("description").and_then(Node::as_text) else { continue };
            let named = role.get("config_file").and_then(Node::as_text);
            let path = named.map(|named| paths::in_settings(named, file.parent().unwrap_or(codex_home), home));
            let table = match &path {
                Some(path) => read(path, search)?,
                None => None,
            };
            add(Kind::new(name, path.as_deref().or(Some(&file)), table.as_ref()));
        }
    }
    Ok(kinds)
}

fn read(path: &Path, search: &mut Search) -> Known<Option<Node>> {
    let raw = search.read(path, "the role of a sub-agent")?;
    Ok(raw.ok().and_then(|raw| parse_toml(&raw.text()).ok()))
}

impl Kind {
    fn new(name: &str, from: Option<&Path>, table: Option<&Node>) -> Kind {
        let text = |key: &str| table.and_then(|table| table.get(key)).and_then(Node::as_text).map(str::to_owned);
        let keys = table.and_then(Node::as_table).unwrap_or_default().iter().map(|(key, _)| key.clone());
        Kind {
            agent: Agent {
                from: from.map(Path::to_owned),
                model: text("model"),
                ..Agent::named(name, Usage::Subagent)
            },
            instructions: text("developer_instructions"),
            others: keys.filter(|key| !KNOWN.contains(&key.as_str())).collect(),
        }
    }
}
