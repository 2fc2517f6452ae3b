//! Settings of pi: `settings.json` of the user and of the project, with folders of skills, extensions and packages.

use std::path::Path;

use super::Marks;
use crate::answer::{Answer, Warning};
use crate::formats::{Node, Value, parse_json};
use crate::search::{Known, Search};

/// Both files; `None` if one cannot be read.
#[derive(Default)]
pub(super) struct Settings {
    pub user: Option<Node>,
    pub project: Option<Node>,
}

impl Settings {
    /// Returns true if either file names extensions or packages.
    pub fn names_programs(&self) -> bool {
        let named = |layer: &Option<Node>, key: &str| {
            let list = layer.as_ref().and_then(|layer| layer.get(key)).and_then(Node::as_list);
            list.is_some_and(|list| !list.is_empty())
        };
        ["extensions", "packages"].iter().any(|key| named(&self.user, key) || named(&self.project, key))
    }

    /// Returns the user's default for projects without a decision.
    pub fn default_trust(&self) -> Option<&str> {
        self.user.as_ref()?.get("defaultProjectTrust")?.as_text()
    }
}

/// Returns the entries of `skills` in one of the files.
pub(super) fn skills(layer: &Option<Node>) -> Vec<&str> {
    let Some(node) = layer.as_ref().and_then(|layer| layer.get("skills")) else { return Vec::new() };
    // In older versions it was a table with a list.
    let list = if matches!(node.value, Value::Table(_)) { node.get("customDirectories") } else { Some(node) };
    list.and_then(Node::as_list).unwrap_or_default().iter().filter_map(Node::as_text).collect()
}

/// Reads one of the files. The client reports invalid JSON, and ignores the file.
pub(super) fn read(path: &Path, marks: Marks, search: &mut Search, answer: &mut Answer) -> Known<Option<Node>> {
    let Ok(raw) = search.read(path, "the settings name skills and extensions")? else { return Ok(None) };
    let text = match marks {
        Marks::Kept => raw.text(),
        Marks::Stripped => raw.text_without_bom(),
    };
    if text.is_empty() {
        return Ok(None);
    }
    match parse_json(&text) {
        Ok(node) => Ok(matches!(node.value, Value::Table(_)).then_some(node)),
        Err(error) => {
            let message = format!("{}: {}; the client leaves it out", path.display(), error.with_position(&text));
            answer.warnings.push(Warning::at("settings", path, message));
            Ok(None)
        }
    }
}
