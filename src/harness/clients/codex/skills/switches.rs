//! `[skills]` in the settings: which skills are off.

use std::path::{Path, PathBuf};

use super::super::layers::{ARGUMENTS, Layers};
use super::super::paths;
use super::super::types::By;
use super::{Budget, Model};
use crate::formats::{Node, Value};
use crate::search::{Known, Search};

/// What the settings say about skills.
pub(in super::super) struct Switches {
    /// Whether the list is left out.
    pub unlisted: bool,
    /// Whether Codex's own skills are off.
    pub no_system: bool,
    /// What the list may take.
    pub budget: Budget,
    /// Skills that are switched on and off, one after the other.
    rules: Vec<Rule>,
}

/// What one entry of `skills.config` says.
#[derive(Clone)]
pub(super) struct Rule {
    /// As it stands in the settings.
    pub written: String,
    which: Which,
    is_on: bool,
}

#[derive(Clone)]
enum Which {
    Name(String),
    File(PathBuf),
}

/// Where relative paths and `~` in the settings lead, and what the command line says.
pub(in super::super) struct Places<'a> {
    pub cwd: &'a Path,
    pub codex_home: &'a Path,
    pub home: &'a Path,
    /// `--model`.
    pub model: Option<&'a str>,
}

impl Switches {
    /// Reads the switches. Single skills are switched by the user only: in the settings of the user, in those of the profile,
    /// and on the command line.
    pub fn read(layers: &Layers, (by, models): (By, &[Model]), places: &Places) -> Switches {
        let flag = |path: &[&str]| layers.value(path).and_then(|(node, _)| node.as_bool());
        let mut rules = Vec::new();
        for (from, table) in &layers.0 {
            let base = match from.as_str() {
                ARGUMENTS => places.cwd,
                from if Path::new(from).parent() == Some(places.codex_home) => places.codex_home,
                _ => continue,
            };
            let entries = table.at_path(&["skills", "config"]).and_then(Node::as_list).unwrap_or_default();
            rules.extend(entries.iter().filter_map(|entry| Rule::of(entry, by, base, places.home)));
        }
        let model = places.model.or_else(|| layers.value(&["model"]).and_then(|(node, _)| node.as_text()));
        let window = layers.value(&["model_context_window"]).and_then(|(node, _)| match node.value {
            Value::Integer(tokens) => Some(tokens),
            _ => None,
        });
        Switches {
            unlisted: flag(&["skills", "include_instructions"]) == Some(false),
            no_system: flag(&["skills", "bundled", "enabled"]) == Some(false),
            budget: Budget::of(models, model, window),
            rules,
        }
    }

    /// The rules, their paths with every link resolved.
    pub(super) fn rules(&self, search: &mut Search) -> Known<Vec<Rule>> {
        let mut rules = self.rules.clone();
        for rule in &mut rules {
            if let Which::File(path) = &mut rule.which
                && let Ok(real) = search.real(path)?
            {
                *path = real;
            }
        }
        Ok(rules)
    }
}

impl Rule {
    /// An entry names a skill or its file, not both.
    fn of(entry: &Node, by: By, base: &Path, home: &Path) -> Option<Rule> {
        let text = |key: &str| entry.get(key).and_then(Node::as_text);
        let name = text("name").filter(|_| by == By::PathOrName);
        let (written, which) = match (text("path"), name) {
            (Some(path), None) => (path, Which::File(paths::in_settings(path, base, home))),
            (None, Some(name)) if !name.trim().is_empty() => (name, Which::Name(name.trim().to_owned())),
            (Some(_), Some(_)) | (None, Some(_) | None) => return None,
        };
        Some(Rule { written: written.to_owned(), which, is_on: entry.get("enabled")?.as_bool()? })
    }

    fn is_about(&self, name: &str, real: &Path) -> bool {
        match &self.which {
            Which::Name(other) => other == name,
            Which::File(path) => path == real,
        }
    }
}

/// What switches a skill off: the last word about it counts.
pub(super) fn switched_off<'a>(rules: &'a [Rule], name: &str, real: &Path) -> Option<&'a Rule> {
    rules.iter().rfind(|rule| rule.is_about(name, real)).filter(|rule| !rule.is_on)
}
