//! The settings that decide what Codex reads, gathered from every layer, lowest first.

use std::path::{Path, PathBuf};

use super::ID;
use super::trust::{self, Trust};
use crate::answer::{Answer, Standpoint, Warning};
use crate::formats::{self, Node, Value};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Errno, Unreadable, absolute};

/// Everything that the settings say about instructions.
pub(super) struct Settings {
    /// The nearest directory with a root marker.
    pub root: Option<PathBuf>,
    /// `project_doc_max_bytes`, in bytes, and who set it.
    pub budget: Option<usize>,
    pub budget_from: String,
    /// `project_doc_fallback_filenames`, those that are file names.
    pub fallbacks: Vec<String>,
    pub developer_instructions: Option<String>,
    /// Whether `<environment_context>` is sent, and whether with date and time zone.
    pub environment: bool,
    pub environment_time: bool,
    pub sandbox: Sandbox,
    pub warnings: Vec<Warning>,
    /// Whether the user called the project untrusted.
    untrusted: bool,
    /// Why the search for the root failed, if it did.
    root_error: Option<String>,
}

/// `sandbox_mode`, which the environment block describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sandbox {
    ReadOnly,
    WorkspaceWrite,
    FullAccess,
}

impl Settings {
    /// Reads every layer; `Err` is the answer of a Codex that does not start.
    pub fn gather(
        default_markers: &[&str],
        at: &Standpoint,
        cwd: &Path,
        codex_home: &Path,
        search: &mut Search,
    ) -> Told<Result<Settings, Answer>> {
        let mut layers = Layers::default();
        let mut files = vec![PathBuf::from("/etc/codex/config.toml"), codex_home.join("config.toml")];
        search.expect(files.iter().cloned().map(Ask::Content))?;
        if let Some(profile) = at.option(ID, "profile") {
            files.push(codex_home.join(format!("{profile}.config.toml")));
        }
        for file in &files {
            if let Err(refusal) = layers.add_file(file, search)? {
                return Ok(Err(refusal));
            }
        }
        let arguments = match arguments(&at.option_list(ID, "config")) {
            Ok(arguments) => arguments,
            Err(message) => return Ok(Err(Answer::refused(cwd, message))),
        };
        let mut user_layers = layers.clone();
        user_layers.add(ARGUMENTS.to_owned(), arguments.clone());

        let markers = match markers(default_markers, &user_layers, codex_home) {
            Ok(markers) => markers,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let (root, root_error) = match find_root(cwd, &markers, search)? {
            Root::Found(root) => (Some(root), None),
            Root::Nowhere => (None, None),
            Root::Error(marker) => (
                None,
                Some(format!("the project root marker {marker:?} cannot be looked for, which drops all project files")),
            ),
        };
        let git_root = trust::git_root(cwd, search)?;
        if let Err(refusal) =
            layers.add_project_files(cwd, root.as_deref(), git_root.as_deref(), codex_home, &user_layers, search)?
        {
            return Ok(Err(refusal));
        }
        layers.add(ARGUMENTS.to_owned(), arguments);
        if let Some(refusal) = wrong_types(&layers) {
            return Ok(Err(refusal));
        }
        let places: Vec<&Path> = [Some(cwd), git_root.as_deref()].into_iter().flatten().collect();
        let level = trust::level(&places, &user_layers, search)?;
        Ok(Settings::read(&layers, root, level).map(|settings| Settings { root_error, ..settings }))
    }

    fn read(layers: &Layers, root: Option<PathBuf>, level: Option<Trust>) -> Result<Settings, Answer> {
        let budget = layers.value(&["project_doc_max_bytes"]);
        let texts = |key: &str| layers.value(&[key]).and_then(|(node, _)| node.as_texts()).unwrap_or_default();
        let flag = |key: &str| layers.value(&[key]).and_then(|(node, _)| node.as_bool()).unwrap_or(true);
        let mut warnings = Vec::new();
        let mut fallbacks: Vec<String> = Vec::new();
        for name in texts("project_doc_fallback_filenames") {
            let name = name.trim();
            if name.is_empty()
                || fallbacks.iter().any(|other| other == name)
                || matches!(name, "AGENTS.md" | "AGENTS.override.md")
            {
                continue;
            }
            if matches!(name, "." | "..") || name.contains(['/', '\0']) {
                warnings.push(Warning::general(
                    "bad-settings",
                    format!("ignoring project_doc_fallback_filenames entry that is not a filename: {name:?}"),
                ));
                continue;
            }
            fallbacks.push(name.to_owned());
        }
        let sandbox = match layers.value(&["sandbox_mode"]).and_then(|(node, _)| node.as_text()) {
            Some("danger-full-access") => Sandbox::FullAccess,
            Some("workspace-write") => Sandbox::WorkspaceWrite,
            Some(_) => Sandbox::ReadOnly,
            None if level.is_some() => Sandbox::WorkspaceWrite,
            None => Sandbox::ReadOnly,
        };
        Ok(Settings {
            root,
            budget: budget.and_then(|(node, _)| match node.value {
                Value::Integer(number) => usize::try_from(number).ok(),
                _ => None,
            }),
            budget_from: budget.map_or_else(|| "default".to_owned(), |(_, from)| from.to_owned()),
            fallbacks,
            developer_instructions: layers
                .value(&["developer_instructions"])
                .and_then(|(node, _)| node.as_text())
                .map(str::to_owned),
            environment: flag("include_environment_context"),
            environment_time: flag("include_environment_context_time"),
            sandbox,
            warnings,
            untrusted: level == Some(Trust::Untrusted),
            root_error: None,
        })
    }

    /// Why no project file is read at all, if so.
    pub fn no_project_docs(&self) -> Option<String> {
        if self.untrusted {
            return Some("the project is marked untrusted in config.toml".to_owned());
        }
        if self.root_error.is_some() {
            return self.root_error.clone();
        }
        (self.budget == Some(0)).then(|| format!("project_doc_max_bytes is 0 in {}", self.budget_from))
    }
}

/// What `-c` settings are said to come from.
const ARGUMENTS: &str = "-c";

/// Settings tables with the file each came from, lowest first. Tables merge and everything else replaces, so a value is
/// the one that the highest layer has at its path.
#[derive(Clone, Default)]
pub(super) struct Layers(Vec<(String, Node)>);

impl Layers {
    /// The value at a path of keys, and the layer that set it.
    pub fn value(&self, path: &[&str]) -> Option<(&Node, &str)> {
        self.0.iter().rev().find_map(|(from, table)| Some((table.at_path(path)?, from.as_str())))
    }

    fn add(&mut self, from: String, table: Node) {
        self.0.push((from, table));
    }

    /// Adds a settings file, if it is there; broken ones stop Codex.
    fn add_file(&mut self, path: &Path, search: &mut Search) -> Told<Result<(), Answer>> {
        Ok(match read_table(path, search)? {
            Ok(Some(table)) => {
                self.add(path.display().to_string(), table);
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(refusal) => Err(refusal),
        })
    }

    /// Adds `.codex/config.toml` of every trusted directory from the root down.
    fn add_project_files(
        &mut self,
        cwd: &Path,
        root: Option<&Path>,
        git_root: Option<&Path>,
        codex_home: &Path,
        user_layers: &Layers,
        search: &mut Search,
    ) -> Told<Result<(), Answer>> {
        for dir in super::directories(cwd, root) {
            let folder = dir.join(".codex");
            if folder == codex_home || !search.is_dir(&folder, "project settings: .codex must be a directory")? {
                continue;
            }
            let places: Vec<&Path> = [Some(dir.as_path()), root, git_root].into_iter().flatten().collect();
            let file = folder.join("config.toml");
            if trust::level(&places, user_layers, search)? != Some(Trust::Trusted) {
                search.never(&file, "project settings are read for trusted projects only");
                continue;
            }
            if let Err(refusal) = self.add_file(&file, search)? {
                return Ok(Err(refusal));
            }
        }
        Ok(Ok(()))
    }
}

fn read_table(path: &Path, search: &mut Search) -> Told<Result<Option<Node>, Answer>> {
    let raw = match search.read(path, "settings, lowest layer first")? {
        Ok(raw) => raw,
        Err(Unreadable::Errno(Errno::NOENT)) => return Ok(Ok(None)),
        Err(problem) => return Ok(Err(Answer::refused(path, format!("Failed to read config file: {problem}")))),
    };
    let Ok(text) = std::str::from_utf8(&raw) else {
        return Ok(Err(Answer::refused(path, "Failed to read config file: stream did not contain valid UTF-8")));
    };
    Ok(match formats::parse_toml(text) {
        Ok(table) => Ok(Some(table)),
        Err(error) => Err(Answer::refused(path, format!("{}:{}", path.display(), error.with_position(text)))),
    })
}

/// `-c key.path=value` options as one table; a value that is no TOML is a text.
fn arguments(options: &[&str]) -> Result<Node, String> {
    let mut table = Value::Table(Vec::new());
    for option in options {
        let Some((key, value)) = option.split_once('=') else {
            return Err(format!("Invalid override (missing '='): {option}"));
        };
        let key = key.trim();
        if key.is_empty() {
            return Err(format!("Empty key in override: {option}"));
        }
        let value = value.trim();
        let value = formats::parse_toml_value(value)
            .unwrap_or_else(|_| Value::Text(value.trim_matches(['"', '\'']).to_owned()));
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

fn markers(default: &[&str], layers: &Layers, codex_home: &Path) -> Result<Vec<String>, Answer> {
    let Some((node, from)) = layers.value(&["project_root_markers"]) else {
        return Ok(default.iter().map(|&marker| marker.to_owned()).collect());
    };
    let place = if from == ARGUMENTS { codex_home.to_owned() } else { PathBuf::from(from) };
    node.as_texts()
        .map(|markers| markers.into_iter().map(str::to_owned).collect())
        .ok_or_else(|| Answer::refused(place, "project_root_markers must be an array of strings"))
}

/// What looking for the project root comes to.
enum Root {
    Found(PathBuf),
    Nowhere,
    /// A marker that no path can have.
    Error(String),
}

/// The nearest directory that has any of the markers; what cannot be examined counts as absent.
fn find_root(cwd: &Path, markers: &[String], search: &mut Search) -> Told<Root> {
    let path = |dir: &Path, marker: &String| absolute(dir, Path::new(marker));
    search.expect(cwd.ancestors().flat_map(|dir| markers.iter().map(move |marker| Ask::Kind(path(dir, marker)))))?;
    for dir in cwd.ancestors() {
        for marker in markers {
            match search.stat(&path(dir, marker), "project root: the nearest directory with a root marker")? {
                Ok(_) => return Ok(Root::Found(dir.to_owned())),
                // A NUL byte in the marker.
                Err(Errno::INVAL) => return Ok(Root::Error(marker.clone())),
                Err(_) => {}
            }
        }
    }
    Ok(Root::Nowhere)
}

/// The type that a key must have.
#[derive(Clone, Copy)]
enum Type {
    Text,
    Bool,
    Size,
    Texts,
}

/// The keys that are checked; a wrong type in any other key would stop Codex as well, but is not noticed here.
const TYPES: &[(&str, Type)] = &[
    ("project_doc_max_bytes", Type::Size),
    ("project_doc_fallback_filenames", Type::Texts),
    ("developer_instructions", Type::Text),
    ("instructions", Type::Text),
    ("model_instructions_file", Type::Text),
    ("include_environment_context", Type::Bool),
    ("include_environment_context_time", Type::Bool),
    ("include_permissions_instructions", Type::Bool),
    ("model", Type::Text),
    ("model_provider", Type::Text),
    ("sandbox_mode", Type::Text),
    ("approval_policy", Type::Text),
];

fn wrong_types(layers: &Layers) -> Option<Answer> {
    let refused = |from: &str, message: String| Some(Answer::refused(from, message));
    if let Some((node, from)) = layers.value(&["profile"]) {
        let name = node.as_text().unwrap_or_default();
        return refused(
            from,
            format!(
                "legacy `profile = {name:?}` config is no longer supported; use `--profile {name}` with `{name}.config.toml` instead"
            ),
        );
    }
    let profiles: Vec<&str> = layers
        .0
        .iter()
        .filter_map(|(_, table)| table.get("profiles")?.as_table())
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    let tables = std::iter::once(Vec::new()).chain(profiles.iter().map(|&name| vec!["profiles", name]));
    for (table, (key, wanted)) in tables.flat_map(|table| TYPES.iter().map(move |entry| (table.clone(), entry))) {
        let path: Vec<&str> = table.into_iter().chain([*key]).collect();
        let Some((node, from)) = layers.value(&path) else { continue };
        let (right, words) = match wanted {
            Type::Text => (node.as_text().is_some(), "a string"),
            Type::Bool => (node.as_bool().is_some(), "a boolean"),
            Type::Size => (matches!(node.value, Value::Integer(0..)), "a non-negative integer"),
            Type::Texts => (node.as_texts().is_some(), "a list of strings"),
        };
        if !right {
            return refused(from, format!("`{key}` is {}, and must be {words}", node.value.kind()));
        }
    }
    for (from, table) in &layers.0 {
        let Some(projects) = table.get("projects") else { continue };
        let Some(entries) = projects.as_table() else {
            return refused(from, format!("`projects` is {}, and must be a table", projects.value.kind()));
        };
        for (path, entry) in entries {
            if entry.as_table().is_none() {
                return refused(from, format!("the entry of {path:?} is {}, and must be a table", entry.value.kind()));
            }
            let level = entry.get("trust_level");
            if level.is_some_and(|level| !matches!(level.as_text(), Some("trusted" | "untrusted"))) {
                return refused(from, format!("the trust_level of {path:?} must be \"trusted\" or \"untrusted\""));
            }
        }
    }
    None
}
