//! The settings that decide what Codex reads, gathered from every layer, lowest first.

use std::path::{Path, PathBuf};

use super::ID;
use super::trust::{self, Trust};
use crate::answer::{Refusal, Standpoint, Warning};
use crate::formats::{self, Node, Value};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Errno, Kind, Unreadable, absolute};

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
    /// Reads every layer; `Err` says why Codex would not start.
    pub fn gather(
        default_markers: &[&str],
        at: &Standpoint,
        cwd: &Path,
        codex_home: &Path,
        search: &mut Search,
    ) -> Told<Result<Settings, Refusal>> {
        let system = ["/etc/codex/config.toml", MANAGED, REQUIREMENTS].map(PathBuf::from);
        let user = codex_home.join("config.toml");
        search.expect(system.iter().chain([&user]).cloned().map(Ask::Content))?;
        let [etc, managed, requirements] = system;
        let mut files = vec![etc, user];
        let profile = at.option(ID, "profile");
        if let Some(profile) = profile {
            if profile.is_empty() || !profile.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
                let message =
                    format!("the profile name {profile:?} must consist of ASCII letters, digits, `-` and `_`");
                return Ok(Err(Refusal::new(codex_home, message)));
            }
            files.push(codex_home.join(format!("{profile}.config.toml")));
        }
        let mut layers = Layers::default();
        for file in &files {
            match read_table(file, search)? {
                Ok(table) => layers.extend(file, table),
                Err(problem) => return Ok(Err(problem.refusal(file))),
            }
        }
        let arguments = match arguments(&at.option_list(ID, "config")) {
            Ok(arguments) => arguments,
            Err(message) => return Ok(Err(Refusal::new(cwd, message))),
        };
        let mut above = Layers::default();
        above.extend(Path::new(ARGUMENTS), Some(arguments));
        for (file, counts) in [(managed, true), (requirements, false)] {
            match read_table(&file, search)? {
                Ok(table) => above.extend(&file, table.filter(|_| counts)),
                Err(problem) => return Ok(Err(problem.refusal(&file))),
            }
        }
        // What a project says about itself counts neither for its root nor for whether its settings are read.
        let mut without_project = layers.clone();
        without_project.0.extend(above.0.iter().cloned());
        if let Some(refusal) = legacy_profile(&without_project, profile) {
            return Ok(Err(refusal));
        }
        let markers = match markers(default_markers, &without_project, codex_home) {
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
        let layer_root = layer_root(cwd, &markers, search)?;
        if let Err(refusal) = layers.add_project_files(
            cwd,
            layer_root.as_deref(),
            git_root.as_deref(),
            codex_home,
            &without_project,
            search,
        )? {
            return Ok(Err(refusal));
        }
        layers.0.extend(above.0);
        if let Some(refusal) = wrong_types(&layers) {
            return Ok(Err(refusal));
        }
        if let Some(refusal) = model_instructions(&layers, cwd, search)? {
            return Ok(Err(refusal));
        }
        let places: Vec<&Path> = [Some(cwd), git_root.as_deref()].into_iter().flatten().collect();
        let level = trust::level(&places, &layers, trust::Silent::EndsTheSearch, search)?;
        Ok(Ok(Settings { root_error, ..Settings::read(&layers, root, level) }))
    }

    fn read(layers: &Layers, root: Option<PathBuf>, level: Option<Trust>) -> Settings {
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
        Settings {
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
        }
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
/// The administrator's settings, above everything else.
const MANAGED: &str = "/etc/codex/managed_config.toml";
/// The administrator's requirements, which set nothing that is read here, but stop Codex when they are broken.
const REQUIREMENTS: &str = "/etc/codex/requirements.toml";

/// Settings tables with the file each came from, lowest first. Tables merge and everything else replaces, so a value is
/// the one that the highest layer has at its path.
#[derive(Clone, Default)]
pub(super) struct Layers(Vec<(String, Node)>);

impl Layers {
    /// The value at a path of keys, and the layer that set it.
    pub fn value(&self, path: &[&str]) -> Option<(&Node, &str)> {
        self.0.iter().rev().find_map(|(from, table)| Some((table.at_path(path)?, from.as_str())))
    }

    fn extend(&mut self, from: &Path, table: Option<Node>) {
        self.0.extend(table.map(|table| (from.display().to_string(), table)));
    }

    /// Adds `.codex/config.toml` of every trusted directory from the root down.
    fn add_project_files(
        &mut self,
        cwd: &Path,
        root: Option<&Path>,
        git_root: Option<&Path>,
        codex_home: &Path,
        without_project: &Layers,
        search: &mut Search,
    ) -> Told<Result<(), Refusal>> {
        let physical_home = search.real(codex_home)?.ok();
        for dir in super::directories(cwd, root) {
            let folder = dir.join(".codex");
            if !search.is_dir(&folder, "project settings: .codex must be a directory")? {
                continue;
            }
            if folder == codex_home || search.real(&folder)?.ok() == physical_home {
                continue;
            }
            let places: Vec<&Path> = [Some(dir.as_path()), root, git_root].into_iter().flatten().collect();
            let file = folder.join("config.toml");
            let level = trust::level(&places, without_project, trust::Silent::IsPassedOver, search)?;
            match read_table(&file, search)? {
                Ok(table) if level == Some(Trust::Trusted) => self.extend(&file, table.map(without_denied)),
                Ok(_) => search.never(&file, "the project is not trusted, so these settings do not count"),
                Err(Problem::Broken(_)) if level != Some(Trust::Trusted) => {}
                Err(problem) => return Ok(Err(problem.refusal(&file))),
            }
        }
        Ok(Ok(()))
    }
}

/// A project may not say which profile is in force.
fn without_denied(table: Node) -> Node {
    let Value::Table(entries) = table.value else { return table };
    let kept =
        entries.into_iter().filter(|(key, _)| !matches!(key.as_str(), "profile" | "profiles" | "model_provider"));
    Node { value: Value::Table(kept.collect()), ..table }
}

/// Why a settings file does not become a table.
enum Problem {
    /// It cannot be read, or is not UTF-8.
    Unreadable(String),
    /// It is no TOML.
    Broken(String),
}

impl Problem {
    fn refusal(self, path: &Path) -> Refusal {
        match self {
            Problem::Unreadable(what) => {
                Refusal::new(path, format!("Failed to read config file {}: {what}", path.display()))
            }
            Problem::Broken(what) => Refusal::new(path, format!("{}:{what}", path.display())),
        }
    }
}

fn read_table(path: &Path, search: &mut Search) -> Told<Result<Option<Node>, Problem>> {
    let raw = match search.read(path, "settings, lowest layer first")? {
        Ok(raw) => raw,
        Err(Unreadable::Errno(Errno::NOENT)) => return Ok(Ok(None)),
        Err(problem) => return Ok(Err(Problem::Unreadable(problem.to_string()))),
    };
    let Ok(text) = std::str::from_utf8(&raw) else {
        return Ok(Err(Problem::Unreadable("stream did not contain valid UTF-8".to_owned())));
    };
    Ok(formats::parse_toml(text).map(Some).map_err(|error| Problem::Broken(error.with_position(text))))
}

/// `-c key.path=value` options as one table, later ones over earlier ones; a value that is no TOML is a text.
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

fn markers(default: &[&str], layers: &Layers, codex_home: &Path) -> Result<Vec<String>, Refusal> {
    let Some((node, from)) = layers.value(&["project_root_markers"]) else {
        return Ok(default.iter().map(|&marker| marker.to_owned()).collect());
    };
    let place = if from == ARGUMENTS { codex_home.to_owned() } else { PathBuf::from(from) };
    node.as_texts()
        .map(|markers| markers.into_iter().map(str::to_owned).collect())
        .ok_or_else(|| Refusal::new(place, "project_root_markers must be an array of strings"))
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

/// Where project settings start, which is not where project files start: a directory called `.git` must hold `HEAD`.
fn layer_root(cwd: &Path, markers: &[String], search: &mut Search) -> Told<Option<PathBuf>> {
    for dir in cwd.ancestors() {
        for marker in markers {
            let path = absolute(dir, Path::new(marker));
            let Ok(meta) = search.stat(&path, "root of the project settings")? else { continue };
            let empty_git = marker == ".git"
                && meta.kind == Kind::Dir
                && search.stat(&path.join("HEAD"), "root of the project settings")?.is_err();
            if !empty_git {
                return Ok(Some(dir.to_owned()));
            }
        }
    }
    Ok(None)
}

/// `profile = "p"` of old, and the table of that name, stop Codex.
fn legacy_profile(layers: &Layers, profile: Option<&str>) -> Option<Refusal> {
    let advice = |name: &str| {
        format!(
            "legacy `profile = {name:?}` config is no longer supported; use `--profile {name}` with `{name}.config.toml` instead"
        )
    };
    if let Some((node, from)) = layers.value(&["profile"]) {
        return Some(Refusal::new(from, advice(node.as_text().unwrap_or_default())));
    }
    let (_, from) = layers.value(&["profiles", profile?])?;
    Some(Refusal::new(from, advice(profile?)))
}

/// `model_instructions_file` must name a readable file with text; relative to the settings file that names it.
fn model_instructions(layers: &Layers, cwd: &Path, search: &mut Search) -> Told<Option<Refusal>> {
    let Some((node, from)) = layers.value(&["model_instructions_file"]) else { return Ok(None) };
    let Some(name) = node.as_text() else { return Ok(None) };
    let base = if from == ARGUMENTS { cwd } else { Path::new(from).parent().unwrap_or(cwd) };
    let path = absolute(base, Path::new(name));
    let refused = |what: &str| Some(Refusal::new(&path, format!("{what}: {}", path.display())));
    Ok(match search.read(&path, "model_instructions_file, which must be readable")? {
        Err(problem) => refused(&format!("failed to read model instructions file ({problem})")),
        Ok(raw) => match std::str::from_utf8(&raw) {
            Err(_) => refused("failed to read model instructions file (not UTF-8)"),
            Ok(text) if text.trim().is_empty() => refused("model instructions file is empty"),
            Ok(_) => None,
        },
    })
}

/// The type that a key must have.
#[derive(Clone, Copy)]
enum Type {
    Text,
    Bool,
    Size,
    Texts,
    Table,
}

/// The keys that are checked; a wrong type in any other key would stop Codex as well, but is not noticed here.
const TYPES: &[(&str, Type)] = &[
    ("project_doc_max_bytes", Type::Size),
    ("project_doc_fallback_filenames", Type::Texts),
    ("project_root_markers", Type::Texts),
    ("developer_instructions", Type::Text),
    ("instructions", Type::Text),
    ("model_instructions_file", Type::Text),
    ("include_environment_context", Type::Bool),
    ("include_environment_context_time", Type::Bool),
    ("include_permissions_instructions", Type::Bool),
    ("model", Type::Text),
    ("model_provider", Type::Text),
    ("sandbox_mode", Type::Text),
    ("features", Type::Table),
    ("skills", Type::Table),
    ("agents", Type::Table),
];

fn wrong_types(layers: &Layers) -> Option<Refusal> {
    let refused = |from: &str, message: String| Some(Refusal::new(from, message));
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
            Type::Table => (node.as_table().is_some(), "a table"),
        };
        if !right {
            return refused(from, format!("`{key}` is {}, and must be {words}", node.value.kind()));
        }
    }
    let (projects, from) = layers.value(&["projects"])?;
    if projects.as_table().is_none() {
        return refused(from, format!("`projects` is {}, and must be a table", projects.value.kind()));
    }
    let tables = layers.0.iter().filter_map(|(_, table)| table.get("projects")?.as_table());
    for (path, _) in tables.flatten() {
        let (entry, from) = layers.value(&["projects", path])?;
        if entry.as_table().is_none() {
            return refused(from, format!("the entry of {path:?} is {}, and must be a table", entry.value.kind()));
        }
        if let Some((level, from)) = layers.value(&["projects", path, "trust_level"])
            && !matches!(level.as_text(), Some("trusted" | "untrusted"))
        {
            return refused(from, format!("the trust_level of {path:?} must be \"trusted\" or \"untrusted\""));
        }
    }
    None
}
