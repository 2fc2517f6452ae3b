//! Decides whether instructions are sent: settings of the user and of a trusted project, and a variable over them.

use std::path::{Path, PathBuf};

use super::Trust;
use crate::answer::{Answer, Certain, Standpoint};
use crate::formats::{Node, Value, dotenv, parse_toml};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Errno, Unreadable};

const KEY: &str = "include_project_context";

/// Returns true if instructions are sent.
pub(super) fn includes_context(
    at: &Standpoint,
    own: &Path,
    trust: &Trust,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<bool> {
    let mut files = vec![own.join("config.toml")];
    files.extend(of_project(at, own, trust, search)?);
    let mut said = Vec::new();
    for path in files {
        let node = read(&path, search, answer)?;
        said.extend(node.as_ref().and_then(|node| node.get(KEY)).map(|node| (path, switch(node))));
    }
    if said.len() > 1 && said.iter().any(|(_, on)| on.is_none()) {
        answer.doubt(&[Certain::Set], format!("{KEY} is set twice, and once it is neither true nor false"));
    }
    let variable = variable(own, search, answer)?;
    match said.pop() {
        Some((path, None)) if variable.is_none() => Err(Halt::refused(path, format!("{KEY} must be true or false"))),
        last => Ok(variable.or(last.and_then(|(_, on)| on)).unwrap_or(true)),
    }
}

/// Returns the settings file of the project: the nearest at or above the working directory, below the parent of the
/// user's folder.
fn of_project(at: &Standpoint, own: &Path, trust: &Trust, search: &mut Search) -> Known<Option<PathBuf>> {
    if trust.is_home(search)? {
        return Ok(None);
    }
    // Nothing is looked for where the user's folder lies, and so nothing is untrusted: the file of that place counts.
    if own.parent() == Some(&at.cwd) {
        let path = at.cwd.join(".vibe/config.toml");
        return Ok(search.is_file(&path, "settings of the project")?.then_some(path));
    }
    for dir in at.cwd.ancestors().take_while(|dir| Some(*dir) != own.parent()) {
        let folder = dir.join(".vibe");
        let path = folder.join("config.toml");
        if search.is_file(&path, "settings of the project")? {
            let real = search.real(&folder)?.unwrap_or(folder);
            return Ok(trust.root(&real).map(|_| path));
        }
    }
    Ok(None)
}

fn read(path: &Path, search: &mut Search, answer: &mut Answer) -> Known<Option<Node>> {
    let problem = match search.read(path, "settings say whether instructions are sent")? {
        Ok(raw) => match raw.as_text().map(parse_toml) {
            Some(Ok(node)) => return Ok(Some(node)),
            Some(Err(problem)) => {
                return Err(Halt::refused(path, format!("these settings are no TOML: {}", problem.message)));
            }
            None => "it is not UTF-8".to_owned(),
        },
        Err(Unreadable::Errno(errno)) if errno == Errno::NOENT => return Ok(None),
        Err(problem) => problem.to_string(),
    };
    answer.doubt(&[Certain::Set], format!("{}: {problem}", path.display()));
    Ok(None)
}

/// Returns the value of the variable in the environment or in the user's `.env`, ignoring the case of its name.
fn variable(own: &Path, search: &mut Search, answer: &mut Answer) -> Known<Option<bool>> {
    const NAME: &str = "VIBE_INCLUDE_PROJECT_CONTEXT";
    let of_environment = [NAME.to_owned(), NAME.to_lowercase()].iter().find_map(|name| search.env(name));
    if let Some(value) = of_environment.filter(|value| !value.is_empty()) {
        return Ok(word(&value));
    }
    let Ok(raw) = search.read(&own.join(".env"), "the user's variables")? else { return Ok(None) };
    let pairs = dotenv(&raw.text());
    if pairs.iter().any(|(name, _)| name == "VIBE_HOME") {
        answer.doubt(&[Certain::Set], "VIBE_HOME in the user's .env moves some of the user's files only");
    }
    let said = pairs.iter().rfind(|(name, value)| name.eq_ignore_ascii_case(NAME) && !value.is_empty());
    Ok(said.and_then(|(_, value)| word(value)))
}

/// Returns a value as a boolean, as pydantic 2 does.
fn switch(node: &Node) -> Option<bool> {
    match &node.value {
        Value::Bool(on) => Some(*on),
        Value::Integer(number) => [0, 1].contains(number).then_some(*number == 1),
        Value::Float(number) => [0.0, 1.0].contains(number).then_some(*number == 1.0),
        Value::Text(text) => word(text),
        _ => None,
    }
}

fn word(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" | "y" | "t" => Some(true),
        "0" | "false" | "no" | "off" | "n" | "f" => Some(false),
        _ => None,
    }
}
