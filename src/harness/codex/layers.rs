//! Settings as layers of tables, lowest first, and the files and options they come from.

use std::path::Path;

use super::rules::{Devices, Rules};
use super::trust::{self, Trust};
use crate::answer::Refusal;
use crate::formats::{self, Node, Value};
use crate::search::{Search, Told};
use crate::snapshot::{Errno, Kind, Unreadable};

/// What `-c` settings are said to come from.
pub(super) const ARGUMENTS: &str = "-c";
/// The administrator's settings, above everything else.
pub(super) const MANAGED: &str = "/etc/codex/managed_config.toml";
/// The administrator's requirements, which set nothing that is read here, but stop Codex when they are broken.
pub(super) const REQUIREMENTS: &str = "/etc/codex/requirements.toml";

/// Settings tables with the file each came from, lowest first. Tables merge and everything else replaces, so a value is
/// the one that the highest layer has at its path.
#[derive(Clone, Default)]
pub(super) struct Layers(pub Vec<(String, Node)>);

impl Layers {
    /// The value at a path of keys, and the layer that set it.
    pub fn value(&self, path: &[&str]) -> Option<(&Node, &str)> {
        self.0.iter().rev().find_map(|(from, table)| Some((table.at_path(path)?, from.as_str())))
    }

    pub fn extend(&mut self, from: &Path, table: Option<Node>) {
        self.0.extend(table.map(|table| (from.display().to_string(), table)));
    }

    /// Adds `.codex/config.toml` of every trusted directory from the root down.
    pub fn add_project_files(
        &mut self,
        rules: &Rules,
        project: &Project,
        without_project: &Layers,
        search: &mut Search,
    ) -> Told<Result<(), Refusal>> {
        let physical_home = search.real(project.codex_home)?.ok();
        for dir in super::directories(project.cwd, project.root) {
            let folder = dir.join(".codex");
            if !search.is_dir(&folder, "project settings: .codex must be a directory")? {
                continue;
            }
            if folder == project.codex_home || search.real(&folder)?.ok() == physical_home {
                continue;
            }
            let places = [Some(dir.as_path()), project.root, project.git_root];
            let places: Vec<&Path> = places.into_iter().flatten().collect();
            let file = folder.join("config.toml");
            let level = rules.trust.level(&places, without_project, trust::Silent::IsPassedOver, search)?;
            match rules.read_table(&file, search)? {
                Ok(table) if level == Some(Trust::Trusted) => {
                    self.extend(&file, table.map(|table| without(table, rules.denied_to_projects)));
                }
                Ok(_) => search.never(&file, "the project is not trusted, so these settings do not count"),
                Err(Problem::Broken(_)) if level != Some(Trust::Trusted) => {}
                Err(problem) => return Ok(Err(problem.refusal(&file))),
            }
        }
        Ok(Ok(()))
    }
}

/// Where the settings of a project are looked for.
pub(super) struct Project<'a> {
    pub cwd: &'a Path,
    pub root: Option<&'a Path>,
    pub git_root: Option<&'a Path>,
    pub codex_home: &'a Path,
}

/// The table without the keys that do not count in it.
fn without(table: Node, denied: &[&str]) -> Node {
    let Value::Table(entries) = table.value else { return table };
    let kept = entries.into_iter().filter(|(key, _)| !denied.contains(&key.as_str()));
    Node { value: Value::Table(kept.collect()), ..table }
}

/// Why a settings file does not become a table.
pub(super) enum Problem {
    /// It cannot be read, or is not UTF-8.
    Unreadable(String),
    /// It is no TOML.
    Broken(String),
}

impl Problem {
    pub fn refusal(self, path: &Path) -> Refusal {
        match self {
            Problem::Unreadable(what) => {
                Refusal::new(path, format!("Failed to read config file {}: {what}", path.display()))
            }
            Problem::Broken(what) => Refusal::new(path, format!("{}:{what}", path.display())),
        }
    }
}

impl Rules {
    /// One settings file; `None` if there is none.
    pub fn read_table(&self, path: &Path, search: &mut Search) -> Told<Result<Option<Node>, Problem>> {
        let raw = match search.read(path, "settings, lowest layer first")? {
            Ok(raw) => raw,
            Err(Unreadable::Errno(Errno::NOENT)) => return Ok(Ok(None)),
            Err(Unreadable::Not(Kind::Device)) if self.devices == Devices::ReadAsEmpty => return Ok(Ok(None)),
            Err(problem) => return Ok(Err(Problem::Unreadable(problem.to_string()))),
        };
        let Ok(text) = std::str::from_utf8(&raw) else {
            return Ok(Err(Problem::Unreadable("stream did not contain valid UTF-8".to_owned())));
        };
        Ok(formats::parse_toml(text).map(Some).map_err(|error| Problem::Broken(error.with_position(text))))
    }
}

/// `-c key.path=value` options as one table, later ones over earlier ones; a value that is no TOML is a text.
pub(super) fn arguments(options: &[&str]) -> Result<Node, String> {
    let mut table = Value::Table(Vec::new());
    for option in options {
        let Some((key, value)) = option.split_once('=') else {
            return Err(format!("Invalid override (missing '='): {option}"));
        };
        let key = key.trim();
        if key.is_empty() {
            return Err(format!("Empty key in override: {option}"));
        }
        // As the value of a line of its own, so that comments, tables over several lines and whatever follows are taken
        // as Codex takes them.
        let value = match formats::parse_toml(&format!("value = {}", value.trim())) {
            Ok(line) => line.get("value").map_or(Value::Null, |node| node.value.clone()),
            Err(_) => Value::Text(value.trim().trim_matches(['"', '\'']).to_owned()),
        };
        put(&mut table, &key.split('.').collect::<Vec<_>>(), value);
    }
    Ok(Node { at: 0..0, value: table })
}

fn put(table: &mut Value, path: &[&str], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *table = value;
        return;
    };
    if !matches!(table, Value::Table(_)) {
        *table = Value::Table(Vec::new());
    }
    let Value::Table(entries) = table else { unreachable!("made a table just above") };
    let index = entries.iter().position(|(key, _)| key == first).unwrap_or_else(|| {
        entries.push(((*first).to_owned(), Node { at: 0..0, value: Value::Table(Vec::new()) }));
        entries.len() - 1
    });
    put(&mut entries[index].1.value, rest, value);
}
