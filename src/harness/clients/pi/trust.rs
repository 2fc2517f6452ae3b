//! Trust in a project: `trust.json`, otherwise the user's default for projects without a decision.

use std::path::Path;

use super::not_trusted;
use super::settings::Settings;
use crate::answer::{Answer, Standpoint};
use crate::formats::{Node, Value, parse_json};
use crate::search::{Halt, Known, Search};
use crate::snapshot::Ask;

/// Entries of `.pi` that need trust.
const RESOURCES: [&str; 7] =
    ["settings.json", "extensions", "skills", "prompts", "themes", "SYSTEM.md", "APPEND_SYSTEM.md"];

/// Returns true if the project's files are loaded. Refuses to start if `trust.json` is invalid.
pub(super) fn is_trusted(
    at: &Standpoint,
    own: &Path,
    settings: &Settings,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<bool> {
    if at.flag("pi", "approve") {
        return Ok(true);
    }
    let Some(first) = first_resource(at, search)? else { return Ok(true) };
    let decided = decided(at, &own.join("trust.json"), search)?;
    let trusted = decided.unwrap_or_else(|| settings.default_trust() == Some("always"));
    if !trusted {
        not_trusted(&first, answer);
    }
    Ok(trusted)
}

/// Returns the first path that needs trust: in `.pi`, or a folder of skills here or above that is not the user's.
fn first_resource(at: &Standpoint, search: &mut Search) -> Known<Option<std::path::PathBuf>> {
    const RULE: &str = "is there anything that needs trust?";
    let home = search.real(&at.home)?.unwrap_or_else(|_| at.home.clone());
    let of_user = home.join(".agents/skills");
    let above = at.cwd.ancestors().map(|dir| dir.join(".agents/skills")).filter(|dir| *dir != of_user);
    let all: Vec<_> = RESOURCES.iter().map(|name| at.cwd.join(".pi").join(name)).chain(above).collect();
    search.expect(all.iter().cloned().map(Ask::Kind))?;
    for path in all {
        if search.stat(&path, RULE)?.is_ok() {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Returns the decision in `trust.json` for the nearest directory, if there is one.
fn decided(at: &Standpoint, file: &Path, search: &mut Search) -> Known<Option<bool>> {
    if search.stat(file, "trust: the folders somebody decided about")?.is_err() {
        return Ok(None);
    }
    let refused = |why: &str| Err(Halt::refused(file, format!("{}: {why}", file.display())));
    let raw = match search.read(file, "trust: the folders somebody decided about")? {
        Ok(raw) => raw,
        Err(problem) => return refused(&problem.to_string()),
    };
    let text = raw.text_without_bom();
    let node = match parse_json(&text) {
        Ok(node) => node,
        Err(error) => return refused(&error.with_position(&text)),
    };
    let Some(table) = node.as_table() else { return refused("it must be an object") };
    if table.iter().any(|(_, value)| !matches!(value.value, Value::Bool(_) | Value::Null)) {
        return refused("a value must be true, false or null");
    }
    let decision = |dir: &Path| node.get(&dir.to_string_lossy()).and_then(Node::as_bool);
    Ok(at.cwd.ancestors().find_map(decision))
}
