//! The settings that decide what Codex reads, gathered from every layer, lowest first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::files::{MANAGED, Project, REQUIREMENTS};
use super::layers::{ARGUMENTS, Layers, arguments};
use super::root::Root;
use super::rules::{Distrust, Fallbacks, Managed, Profiles, Rules};
use super::skills::{Places, Switches};
use super::trust::{self, Trust};
use super::{Codex, ID, Start, paths};
use crate::answer::{Refusal, Standpoint, Warning};
use crate::formats::Value;
use crate::search::{Search, Told};
use crate::snapshot::Ask;

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
    pub skills: Switches,
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
            Managed::Last => rules.checks.wrong(&without_project),
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
        let (root, root_error) = match rules.document_root(&start.documents, edition.root_markers, &markers, search)? {
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
        if let Err(refusal) = rules.add_project_files(&mut layers, &project, &without_project, search)? {
            return Ok(Err(refusal));
        }
        layers.0.extend(above.0);
        if let Some(refusal) = rules.checks.wrong(&layers) {
            return Ok(Err(refusal));
        }
        let table = match rules.profile_table(&layers, profile) {
            Ok(table) => table,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(refusal) = rules.files_with_text(&layers, table.as_deref(), (cwd, &at.home), search)? {
            return Ok(Err(refusal));
        }
        let places: Vec<&Path> = [Some(cwd), git_root.as_deref()].into_iter().flatten().collect();
        let level = rules.trust.level(&places, &layers, trust::Silent::EndsTheSearch, search)?;
        let features = features(&layers, table.as_deref());
        let places = Places { cwd, codex_home, home: &at.home };
        let skills = Switches::read(&layers, rules.skills, &places);
        Ok(Ok(Settings { root_error, features, skills, ..Settings::read(edition, &layers, root, level) }))
    }

    fn read(edition: &Codex, layers: &Layers, root: Option<PathBuf>, level: Option<Trust>) -> Settings {
        let rules = &edition.settings;
        let budget = layers.value(&["project_doc_max_bytes"]);
        let flag = |key: &str| layers.value(&[key]).and_then(|(node, _)| node.as_bool()).unwrap_or(true);
        let mut warnings = Vec::new();
        let mut fallbacks: Vec<String> = Vec::new();
        let configured = layers.value(&["project_doc_fallback_filenames"]).and_then(|(node, _)| node.as_texts());
        for name in configured.unwrap_or_else(|| edition.fallbacks.to_vec()) {
            let name = name.trim();
            if name.is_empty() || fallbacks.iter().any(|other| other == name) || edition.names.contains(&name) {
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
            skills: Switches::default(),
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

impl Rules {
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
        (cwd, home): (&Path, &Path),
        search: &mut Search,
    ) -> Told<Option<Refusal>> {
        for (key, words) in self.texts {
            let of_profile = profile.and_then(|profile| layers.value(&["profiles", profile, key]));
            let Some((node, from)) = of_profile.or_else(|| layers.value(&[key])) else { continue };
            let Some(name) = node.as_text() else { continue };
            let base = if from == ARGUMENTS { cwd } else { Path::new(from).parent().unwrap_or(cwd) };
            let path = paths::in_settings(name, base, home);
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

fn markers(default: &[&str], layers: &Layers, codex_home: &Path) -> Result<Vec<String>, Refusal> {
    let Some((node, from)) = layers.value(&["project_root_markers"]) else {
        return Ok(default.iter().map(|&marker| marker.to_owned()).collect());
    };
    let place = if from == ARGUMENTS { codex_home.to_owned() } else { PathBuf::from(from) };
    node.as_texts()
        .map(|markers| markers.into_iter().map(str::to_owned).collect())
        .ok_or_else(|| Refusal::new(place, "project_root_markers must be an array of strings"))
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
