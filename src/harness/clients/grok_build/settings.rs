//! Settings: layers of the administrator and of the user, of which the highest with a key counts, and variables over
//! them.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::answer::{Answer, Certain, Standpoint};
use crate::formats::{Node, Value, parse_toml};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Errno, Unreadable};

/// Folder of the administrator's settings (Grok Build 1.0.41).
const SYSTEM: &str = "/etc/grok";
/// Types of keys: each list contains the keys that accept such a value.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Types {
    flags: Vec<String>,
    whole: Vec<String>,
    numbers: Vec<String>,
    texts: Vec<String>,
    lists: Vec<String>,
    tables: Vec<String>,
}

static TYPES: LazyLock<Types> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../../data/clients/grok-build/types.toml")).expect("a table of types")
});

/// Settings that affect instructions.
pub(super) struct Settings {
    /// Kinds of files of other clients that are disabled.
    off: Vec<(&'static str, &'static str)>,
    /// Additional folders of rules.
    pub(super) extra_folders: Vec<PathBuf>,
    /// True if a folder must be trusted.
    pub(super) asks_for_trust: bool,
}

impl Types {
    /// Describes the values that a key accepts.
    fn wanted(&self, key: &str) -> String {
        let kinds = [
            ("true or false", &self.flags),
            ("a whole number", &self.whole),
            ("a number", &self.numbers),
            ("a text", &self.texts),
            ("a list of texts", &self.lists),
            ("a table", &self.tables),
        ];
        let takes = kinds.iter().filter(|(_, keys)| keys.iter().any(|name| name == key));
        takes.map(|(what, _)| *what).collect::<Vec<_>>().join(" or ")
    }

    fn keys(&self) -> impl Iterator<Item = &String> {
        [&self.tables, &self.flags, &self.whole, &self.numbers, &self.texts, &self.lists].into_iter().flatten()
    }

    /// Returns true if a key accepts a value.
    fn take(&self, key: &str, value: &Value) -> bool {
        let is_in = |list: &[String]| list.iter().any(|name| name == key);
        match value {
            Value::Bool(_) => is_in(&self.flags),
            Value::Integer(_) => is_in(&self.whole),
            Value::Float(_) => is_in(&self.numbers),
            Value::Text(_) => is_in(&self.texts),
            Value::List(list) => is_in(&self.lists) && list.iter().all(|node| node.as_text().is_some()),
            Value::Table(_) => is_in(&self.tables),
            Value::Date(_) | Value::Null => false,
        }
    }
}

/// Valid settings files, the highest first.
struct Layers(Vec<Node>);

/// Treatment of an invalid settings file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Refuses,
    IsLeftOut,
    IsNotKnown,
}

impl Settings {
    pub(super) fn read(at: &Standpoint, own: &Path, search: &mut Search, answer: &mut Answer) -> Known<Settings> {
        let system = Path::new(SYSTEM);
        // Each with the treatment if it cannot be read, and if it is not TOML.
        let files = [
            (system.join("requirements.toml"), Broken::IsNotKnown, Broken::IsLeftOut),
            (own.join("requirements.toml"), Broken::IsNotKnown, Broken::IsLeftOut),
            (own.join("config.toml"), Broken::Refuses, Broken::Refuses),
            (own.join("managed_config.toml"), Broken::IsNotKnown, Broken::Refuses),
            (system.join("managed_config.toml"), Broken::IsNotKnown, Broken::IsNotKnown),
        ];
        let (mut layers, mut trust) = (Vec::new(), None);
        for (path, unreadable, broken) in files {
            let read = search.read(&path, "the settings switch files off and name folders")?;
            let (found, what) = match &read {
                Err(Unreadable::Errno(errno)) if *errno == Errno::NOENT => continue,
                Err(problem) => (Err(problem.to_string()), unreadable),
                Ok(raw) => match raw.as_text() {
                    None => (Err("they are not UTF-8".to_owned()), unreadable),
                    Some(text) => (parse_toml(text).map_err(|error| error.message), broken),
                },
            };
            match (found, what) {
                (Ok(node), _) => {
                    if path.ends_with("config.toml") {
                        trust = node.at_path(&["folder_trust", "enabled"]).and_then(Node::as_bool);
                    }
                    layers.push(node);
                }
                (Err(problem), Broken::Refuses) => {
                    return Err(Halt::refused(path, format!("these settings cannot be used: {problem}")));
                }
                (Err(_), Broken::IsLeftOut) => {}
                (Err(problem), Broken::IsNotKnown) => {
                    answer.doubt(&[Certain::Set], format!("{}: {problem}", path.display()));
                }
            }
        }
        let layers = Layers(layers);
        let mut models = layers.0.iter().filter_map(|layer| layer.get("model")).filter_map(Node::as_table).flatten();
        if models.any(|(_, model)| model.get("agent_type").is_some()) {
            answer.doubt(&[Certain::Set], "a model with an agent_type frames the rules otherwise");
        }
        if let Some(what) = layers.mistyped() {
            return Err(Halt::refused(own.join("config.toml"), what));
        }
        let mut off = Vec::new();
        for client in ["claude", "cursor"] {
            for kind in ["agents", "rules"] {
                let variable = format!("GROK_{client}_{kind}_ENABLED").to_uppercase();
                let said = layers.get(&["compat", client, kind]).and_then(Node::as_bool);
                if switch(&variable, search).or(said) == Some(false) {
                    off.push((client, kind));
                }
            }
        }
        let asks_for_trust = switch("GROK_FOLDER_TRUST", search).or(trust).unwrap_or(true);
        let extra_folders = layers.extra_folders(at, search, answer)?;
        Ok(Settings { off, extra_folders, asks_for_trust })
    }

    /// Returns true if a kind of files of another client is read.
    pub(super) fn reads(&self, client: &str, kind: &str) -> bool {
        !self.off.contains(&(client, kind))
    }
}

impl Layers {
    /// Returns the value of a key in the highest layer that has it.
    fn get(&self, path: &[&str]) -> Option<&Node> {
        self.0.iter().find_map(|layer| layer.at_path(path))
    }

    /// Returns a message about the first key whose type the client does not accept, because of which it refuses to
    /// start.
    fn mistyped(&self) -> Option<String> {
        let is_wrong = |key: &&String| {
            let path: Vec<&str> = key.split('.').collect();
            self.get(&path).is_some_and(|node| !TYPES.take(key, &node.value))
        };
        TYPES.keys().find(is_wrong).map(|key| format!("{key} must be {}", TYPES.wanted(key)))
    }

    /// Returns the additional folders of rules that are absolute after substituting `~` and variables.
    fn extra_folders(&self, at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<Vec<PathBuf>> {
        let mut folders = Vec::new();
        for written in self.get(&["paths", "extra_rule_dirs"]).and_then(Node::as_texts).unwrap_or_default() {
            let path = match written.strip_prefix('~') {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                    at.home.join(with_variables(rest.trim_start_matches('/'), at, search))
                }
                _ => PathBuf::from(with_variables(written, at, search)),
            };
            if written.contains("${") && path.to_string_lossy().contains("${") {
                answer.doubt(&[Certain::Set], format!("what the client makes of {written} is not known"));
            }
            if path.is_absolute()
                && let Ok(real) = search.real(&path)?
            {
                // A symlink keeps its name; a path with `..` is resolved as the system does.
                folders.push(if path.components().any(|part| part.as_os_str() == "..") { real } else { path });
            }
        }
        Ok(folders)
    }
}

/// Returns the value of a variable that is a switch; any other word counts as unset (Grok Build 1.0.41).
fn switch(name: &str, search: &mut Search) -> Option<bool> {
    match search.env(name)?.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" | "enabled" => Some(true),
        "0" | "false" | "no" | "off" | "disabled" => Some(false),
        _ => None,
    }
}

/// Substitutes variables written as `$NAME` or `${NAME}`. If one is not set, returns the text unchanged.
fn with_variables(text: &str, at: &Standpoint, search: &mut Search) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('$') {
        out.push_str(before);
        let braced = behind.strip_prefix('{');
        let start = braced.unwrap_or(behind);
        let name = &start[..start.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(start.len())];
        let closes = braced.is_none() || start[name.len()..].starts_with('}');
        let value = if name == "HOME" {
            at.home.to_str().map(str::to_owned)
        } else {
            search.env(name).map(|value| value.to_string())
        };
        match value.filter(|_| closes && !name.is_empty()) {
            Some(value) => {
                out.push_str(&value);
                rest = &start[name.len() + usize::from(braced.is_some())..];
            }
            None => return text.to_owned(),
        }
    }
    out + rest
}
