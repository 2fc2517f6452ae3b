//! The table `[skills]` in the settings: which skills are disabled.

use std::path::{Path, PathBuf};

use super::super::layers::{ARGUMENTS, Layers};
use super::super::paths;
use super::super::types::By;
use super::{Budget, Model};
use crate::formats::{Node, Value};
use crate::search::{Known, Search};

/// Settings about skills.
pub(in super::super) struct Switches {
    /// True if the list is left out.
    pub unlisted: bool,
    /// True if Codex's own skills are disabled.
    pub no_system: bool,
    /// Budget of the list.
    pub budget: Budget,
    /// Rules that enable and disable single skills, in order.
    rules: Vec<Rule>,
}

/// One entry of `skills.config`.
#[derive(Clone)]
pub(super) struct Rule {
    /// Name or path as written in the settings.
    pub written: String,
    which: Which,
    is_on: bool,
}

#[derive(Clone)]
enum Which {
    Name(String),
    File(PathBuf),
}

/// Directories for relative paths and `~` in the settings, and the model given on the command line.
pub(in super::super) struct Places<'a> {
    pub cwd: &'a Path,
    pub codex_home: &'a Path,
    pub home: &'a Path,
    /// Value of `--model`.
    pub model: Option<&'a str>,
}

impl Switches {
    /// Reads the switches. Only the user can switch single skills: in the user's settings, in those of the profile, and
    /// on the command line.
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

    /// Returns the rules with all links in their paths resolved.
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
    /// Parses an entry, which names a skill or its file, but not both.
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

/// Returns the rule that disables a skill; the last rule about it counts.
pub(super) fn switched_off<'a>(rules: &'a [Rule], name: &str, real: &Path) -> Option<&'a Rule> {
    rules.iter().rfind(|rule| rule.is_about(name, real)).filter(|rule| !rule.is_on)
}
