//! The settings that decide what Codex reads, gathered from every layer, lowest first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::trust::{self, Trust};
use super::{Codex, ID, Start, paths};
use crate::answer::{Refusal, Standpoint, Warning};
use crate::formats::{self, Node, Value};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Errno, Kind, Unreadable, absolute};

/// Which settings count in an edition, and for what.
pub(super) struct Rules {
    /// What a profile is.
    profiles: Profiles,
    /// What marks the root of the project files.
    document_root: DocumentRoot,
    /// Where the settings of a project start, which need not be where its files start.
    settings_root: SettingsRoot,
    /// Whom the user trusts.
    trust: trust::Rules,
    /// What an untrusted project loses.
    distrust: Distrust,
    /// Keys that a project may not set.
    denied_to_projects: &'static [&'static str],
    /// When the administrator's settings are laid over the others, and types are checked.
    managed: Managed,
    /// What is done with settings that are no regular file, but can be read.
    devices: Devices,
    /// Which fallback names count.
    fallbacks: Fallbacks,
    /// The keys that are checked; a wrong type in any other key would stop Codex as well, but is not noticed here.
    types: &'static [(&'static str, Type)],
    /// The same for a table in `profiles`.
    profile_types: &'static [(&'static str, Type)],
    /// Keys that name files which must have text.
    texts: &'static [(&'static str, &'static str)],
}

/// What a profile is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Profiles {
    /// `NAME.config.toml`, a layer above the user's settings. The older kind stops Codex.
    Files,
    /// A table `[profiles.NAME]`, which has few keys: those of this crate's concern are `features` and files with text.
    Tables,
}

/// What marks the root of the project files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DocumentRoot {
    /// `project_root_markers`; what cannot be examined counts as absent.
    Markers,
    /// The default markers, whatever is set, and not in `/`; one that cannot be examined drops all project files.
    DefaultMarkers,
}

/// What marks the root of a project's settings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SettingsRoot {
    /// Any marker, but a directory called `.git` must hold `HEAD`.
    GitHoldsHead,
    /// Any marker, its path as the system takes it.
    AnyMarker,
}

/// What an untrusted project loses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Distrust {
    /// Its settings.
    Settings,
    /// Its settings and its files.
    SettingsAndFiles,
}

/// When the administrator's settings are laid over the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Managed {
    /// Before the project is looked for, so they may trust it. Types are checked once, when everything is merged.
    BeforeTheProject,
    /// Last. What the project is looked for with must have the right types by itself.
    Last,
}

/// What is done with settings that are a device, such as /dev/null.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Devices {
    Refused,
    ReadAsEmpty,
}

/// Which of `project_doc_fallback_filenames` count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fallbacks {
    /// Names of files in the directory.
    Names,
    /// Any path from the directory, upwards as well.
    Paths,
}

pub(super) const V0_169: Rules = Rules {
    profiles: Profiles::Files,
    document_root: DocumentRoot::Markers,
    settings_root: SettingsRoot::GitHoldsHead,
    trust: trust::Rules { keys: trust::Keys::RealThenWritten, git_root: trust::GitRoot::ByItsFiles },
    distrust: Distrust::SettingsAndFiles,
    denied_to_projects: &["profile", "profiles", "model_provider"],
    managed: Managed::BeforeTheProject,
    devices: Devices::Refused,
    fallbacks: Fallbacks::Names,
    types: TYPES,
    profile_types: TYPES,
    texts: &[("model_instructions_file", "model instructions file")],
};

pub(super) const V0_104: Rules = Rules {
    profiles: Profiles::Tables,
    document_root: DocumentRoot::DefaultMarkers,
    settings_root: SettingsRoot::AnyMarker,
    trust: trust::Rules { keys: trust::Keys::Written, git_root: trust::GitRoot::AsGitSays },
    distrust: Distrust::Settings,
    denied_to_projects: &[],
    managed: Managed::Last,
    devices: Devices::ReadAsEmpty,
    fallbacks: Fallbacks::Paths,
    types: EARLY_TYPES,
    profile_types: EARLY_PROFILE_TYPES,
    texts: &[
        ("model_instructions_file", "model instructions file"),
        ("experimental_compact_prompt_file", "experimental compact prompt file"),
    ],
};

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
    /// The switches in `features`, the profile's over the others.
    features: BTreeMap<String, bool>,
    /// Whether the project loses its files because the user called it untrusted.
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
        edition: &Codex,
        at: &Standpoint,
        start: &Start,
        codex_home: &Path,
        search: &mut Search,
    ) -> Told<Result<Settings, Refusal>> {
        let (rules, cwd) = (&edition.settings, start.cwd.as_path());
        let system = ["/etc/codex/config.toml", MANAGED, REQUIREMENTS].map(PathBuf::from);
        let user = codex_home.join("config.toml");
        search.expect(system.iter().chain([&user]).cloned().map(Ask::Content))?;
        let [etc, managed, requirements] = system;
        let mut files = vec![etc, user];
        let profile = at.option(ID, "profile");
        if let (Some(profile), Profiles::Files) = (profile, rules.profiles) {
            if profile.is_empty() || !profile.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
                let message =
                    format!("the profile name {profile:?} must consist of ASCII letters, digits, `-` and `_`");
                return Ok(Err(Refusal::new(codex_home, message)));
            }
            files.push(codex_home.join(format!("{profile}.config.toml")));
        }
        let mut layers = Layers::default();
        for file in &files {
            match rules.read_table(file, search)? {
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
        // What a project says about itself counts neither for its root nor for whether its settings are read.
        let mut without_project = layers.clone();
        without_project.0.extend(above.0.iter().cloned());
        for (file, counts) in [(managed, true), (requirements, false)] {
            match rules.read_table(&file, search)? {
                Ok(table) => above.extend(&file, table.filter(|_| counts)),
                Err(problem) => return Ok(Err(problem.refusal(&file))),
            }
        }
        let refusal = match rules.managed {
            Managed::BeforeTheProject => {
                without_project = layers.clone();
                without_project.0.extend(above.0.iter().cloned());
                None
            }
            Managed::Last => wrong_types(rules, &without_project),
        };
        let legacy = || match rules.profiles {
            Profiles::Files => legacy_profile(&without_project, profile),
            Profiles::Tables => None,
        };
        if let Some(refusal) = refusal.or_else(legacy) {
            return Ok(Err(refusal));
        }
        let markers = match markers(edition.root_markers, &without_project, codex_home) {
            Ok(markers) => markers,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let defaults: Vec<String> = edition.root_markers.iter().map(|&marker| marker.to_owned()).collect();
        let root = match rules.document_root {
            DocumentRoot::Markers => {
                let dirs: Vec<&Path> = start.documents.ancestors().collect();
                find_root(&dirs, &markers, Unexamined::IsAbsent, search)?
            }
            DocumentRoot::DefaultMarkers => {
                let dirs: Vec<&Path> = start.documents.ancestors().filter(|dir| dir.parent().is_some()).collect();
                find_root(&dirs, &defaults, Unexamined::DropsEverything, search)?
            }
        };
        let (root, root_error) = match root {
            Root::Found(root) => (Some(root), None),
            Root::Nowhere => (None, None),
            Root::Error(marker) => (
                None,
                Some(format!("the project root marker {marker:?} cannot be looked for, which drops all project files")),
            ),
        };
        let git_root = rules.trust.git_root(cwd, search)?;
        let settings_root = rules.settings_root(cwd, &markers, search)?;
        let project = Project { cwd, root: settings_root.as_deref(), git_root: git_root.as_deref(), codex_home };
        if let Err(refusal) = layers.add_project_files(rules, &project, &without_project, search)? {
            return Ok(Err(refusal));
        }
        layers.0.extend(above.0);
        if let Some(refusal) = wrong_types(rules, &layers) {
            return Ok(Err(refusal));
        }
        let table = match rules.profile_table(&layers, profile) {
            Ok(table) => table,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(refusal) = rules.files_with_text(&layers, table.as_deref(), cwd, search)? {
            return Ok(Err(refusal));
        }
        let places: Vec<&Path> = [Some(cwd), git_root.as_deref()].into_iter().flatten().collect();
        let level = rules.trust.level(&places, &layers, trust::Silent::EndsTheSearch, search)?;
        let features = features(&layers, table.as_deref());
        Ok(Ok(Settings { root_error, features, ..Settings::read(rules, &layers, root, level) }))
    }

    fn read(rules: &Rules, layers: &Layers, root: Option<PathBuf>, level: Option<Trust>) -> Settings {
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
            if rules.fallbacks == Fallbacks::Names && (matches!(name, "." | "..") || name.contains(['/', '\0'])) {
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
            features: BTreeMap::new(),
            untrusted: rules.distrust == Distrust::SettingsAndFiles && level == Some(Trust::Untrusted),
            root_error: None,
        }
    }

    /// Whether `[features]` switches this on.
    pub fn has_feature(&self, name: &str) -> bool {
        self.features.get(name) == Some(&true)
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
struct Project<'a> {
    cwd: &'a Path,
    root: Option<&'a Path>,
    git_root: Option<&'a Path>,
    codex_home: &'a Path,
}

/// The table without the keys that do not count in it.
fn without(table: Node, denied: &[&str]) -> Node {
    let Value::Table(entries) = table.value else { return table };
    let kept = entries.into_iter().filter(|(key, _)| !denied.contains(&key.as_str()));
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

impl Rules {
    fn read_table(&self, path: &Path, search: &mut Search) -> Told<Result<Option<Node>, Problem>> {
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

    /// The table that is in force as a profile, by the option or else the key.
    fn profile_table(&self, layers: &Layers, option: Option<&str>) -> Result<Option<String>, Refusal> {
        if self.profiles == Profiles::Files {
            return Ok(None);
        }
        let key = layers.value(&["profile"]).and_then(|(node, from)| Some((node.as_text()?, from)));
        let Some((name, from)) = option.map(|name| (name, "--profile")).or(key) else { return Ok(None) };
        match layers.value(&["profiles", name]) {
            Some(_) => Ok(Some(name.to_owned())),
            None => Err(Refusal::new(from, format!("config profile `{name}` not found"))),
        }
    }

    /// Files that keys name, of the profile or of all: each must be readable and have text. A relative path belongs to the
    /// settings file that has it.
    fn files_with_text(
        &self,
        layers: &Layers,
        profile: Option<&str>,
        cwd: &Path,
        search: &mut Search,
    ) -> Told<Option<Refusal>> {
        for (key, words) in self.texts {
            let of_profile = profile.and_then(|profile| layers.value(&["profiles", profile, key]));
            let Some((node, from)) = of_profile.or_else(|| layers.value(&[key])) else { continue };
            let Some(name) = node.as_text() else { continue };
            let base = if from == ARGUMENTS { cwd } else { Path::new(from).parent().unwrap_or(cwd) };
            let path = absolute(base, Path::new(name));
            let refused = |what: String| Ok(Some(Refusal::new(&path, format!("{what}: {}", path.display()))));
            match search.read(&path, format!("{key}, which must be readable"))? {
                Err(problem) => return refused(format!("failed to read {words} ({problem})")),
                Ok(raw) => match std::str::from_utf8(&raw) {
                    Err(_) => return refused(format!("failed to read {words} (not UTF-8)")),
                    Ok(text) if text.trim().is_empty() => return refused(format!("{words} is empty")),
                    Ok(_) => {}
                },
            }
        }
        Ok(None)
    }
}

/// The switches in `features`, those of the profile over all others.
fn features(layers: &Layers, profile: Option<&str>) -> BTreeMap<String, bool> {
    let tables = |path: &[&str]| -> Vec<(String, bool)> {
        let entries = layers.0.iter().filter_map(|(_, table)| table.at_path(path)?.as_table()).flatten();
        entries.filter_map(|(name, node)| Some((name.clone(), node.as_bool()?))).collect()
    };
    let of_profile = profile.map(|profile| tables(&["profiles", profile, "features"])).unwrap_or_default();
    tables(&["features"]).into_iter().chain(of_profile).collect()
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
    /// A marker that cannot be looked for.
    Error(String),
}

/// What a marker means that cannot be examined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unexamined {
    IsAbsent,
    DropsEverything,
}

/// The nearest directory that has any of the markers.
fn find_root(dirs: &[&Path], markers: &[String], unexamined: Unexamined, search: &mut Search) -> Told<Root> {
    let path = |dir: &Path, marker: &String| absolute(dir, Path::new(marker));
    search.expect(dirs.iter().flat_map(|dir| markers.iter().map(move |marker| Ask::Kind(path(dir, marker)))))?;
    for &dir in dirs {
        for marker in markers {
            match search.stat(&path(dir, marker), "project root: the nearest directory with a root marker")? {
                Ok(_) => return Ok(Root::Found(dir.to_owned())),
                // A NUL byte in the marker.
                Err(Errno::INVAL) => return Ok(Root::Error(marker.clone())),
                Err(Errno::NOENT) => {}
                Err(_) if unexamined == Unexamined::DropsEverything => {
                    return Ok(Root::Error(path(dir, marker).display().to_string()));
                }
                Err(_) => {}
            }
        }
    }
    Ok(Root::Nowhere)
}

impl Rules {
    /// Where project settings start, which is not where project files start.
    fn settings_root(&self, cwd: &Path, markers: &[String], search: &mut Search) -> Told<Option<PathBuf>> {
        let rule = "root of the project settings";
        for (dir, marker) in cwd.ancestors().flat_map(|dir| markers.iter().map(move |marker| (dir, marker))) {
            let is_there = match self.settings_root {
                SettingsRoot::GitHoldsHead => {
                    let path = absolute(dir, Path::new(marker));
                    match search.stat(&path, rule)? {
                        Ok(meta) if marker == ".git" && meta.kind == Kind::Dir => {
                            search.stat(&path.join("HEAD"), rule)?.is_ok()
                        }
                        found => found.is_ok(),
                    }
                }
                SettingsRoot::AnyMarker => match paths::resolved(dir, marker, search)? {
                    Ok(path) => paths::stat(&path, marker, rule, search)?.is_ok(),
                    Err(_) => false,
                },
            };
            if is_there {
                return Ok(Some(dir.to_owned()));
            }
        }
        Ok(None)
    }
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

/// The type that a key must have.
#[derive(Clone, Copy)]
enum Type {
    Text,
    Bool,
    Size,
    Texts,
    Table,
    /// A table of booleans.
    Switches,
}

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

/// Those of 0.104, which knows no `include_` keys.
const EARLY_TYPES: &[(&str, Type)] = &[
    ("project_doc_max_bytes", Type::Size),
    ("project_doc_fallback_filenames", Type::Texts),
    ("project_root_markers", Type::Texts),
    ("developer_instructions", Type::Text),
    ("instructions", Type::Text),
    ("model_instructions_file", Type::Text),
    ("experimental_compact_prompt_file", Type::Text),
    ("model", Type::Text),
    ("model_provider", Type::Text),
    ("sandbox_mode", Type::Text),
    ("notify", Type::Texts),
    ("features", Type::Switches),
    ("skills", Type::Table),
    ("agents", Type::Table),
    ("profile", Type::Text),
    ("profiles", Type::Table),
];

/// What a table in `profiles` may say in 0.104; everything else is ignored there.
const EARLY_PROFILE_TYPES: &[(&str, Type)] = &[
    ("model_instructions_file", Type::Text),
    ("experimental_compact_prompt_file", Type::Text),
    ("model", Type::Text),
    ("model_provider", Type::Text),
    ("sandbox_mode", Type::Text),
    ("features", Type::Switches),
];

fn wrong_types(rules: &Rules, layers: &Layers) -> Option<Refusal> {
    let refused = |from: &str, message: String| Some(Refusal::new(from, message));
    let profiles: Vec<&str> = layers
        .0
        .iter()
        .filter_map(|(_, table)| table.get("profiles")?.as_table())
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    let of_profiles = profiles.iter().map(|&name| (vec!["profiles", name], rules.profile_types));
    let tables = std::iter::once((Vec::new(), rules.types)).chain(of_profiles);
    for (table, (key, wanted)) in
        tables.flat_map(|(table, types)| types.iter().map(move |entry| (table.clone(), entry)))
    {
        let path: Vec<&str> = table.into_iter().chain([*key]).collect();
        let Some((node, from)) = layers.value(&path) else { continue };
        let (right, words) = match wanted {
            Type::Text => (node.as_text().is_some(), "a string"),
            Type::Bool => (node.as_bool().is_some(), "a boolean"),
            Type::Size => (matches!(node.value, Value::Integer(0..)), "a non-negative integer"),
            Type::Texts => (node.as_texts().is_some(), "a list of strings"),
            Type::Table => (node.as_table().is_some(), "a table"),
            Type::Switches => {
                let is_switch = |(_, value): &(String, Node)| value.as_bool().is_some();
                (node.as_table().is_some_and(|table| table.iter().all(is_switch)), "a table of booleans")
            }
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
