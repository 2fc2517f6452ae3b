//! The settings that decide what Codex reads, collected from every layer, lowest first.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::agents::{self, Kind};
use super::files::{MANAGED, Project, REQUIREMENTS};
use super::layers::{ARGUMENTS, Layers, arguments};
use super::permissions::{Asked, Permissions};
use super::root::{Looked, Root};
use super::rules::{Behavior, Distrust, Fallbacks, Managed, Profiles};
use super::skills::{Places, Switches};
use super::trust::{self, Trust};
use super::{Codex, ID, Start, paths};
use crate::answer::{Refusal, Standpoint, Warning};
use crate::formats::Value;
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, Content};

/// All settings about instructions.
pub(super) struct Settings {
    /// Root of the project files: the nearest directory with a root marker.
    pub root: Option<PathBuf>,
    /// Root of the project's settings.
    pub settings_root: Option<PathBuf>,
    /// Value of `project_doc_max_bytes`, in bytes; `budget_from` is the layer that set it.
    pub budget: Option<usize>,
    pub budget_from: String,
    /// Entries of `project_doc_fallback_filenames` that count.
    pub fallbacks: Vec<String>,
    pub developer_instructions: Option<String>,
    /// Path and content of the file named by `model_instructions_file`.
    pub model_instructions: Option<(PathBuf, Content)>,
    /// MCP servers that are enabled.
    pub servers: Vec<String>,
    /// True if `<environment_context>` is sent; `environment_time` is true if it has date and time zone.
    pub environment: bool,
    pub environment_time: bool,
    pub permissions: Permissions,
    /// Roles of sub-agents.
    pub kinds: Vec<Kind>,
    pub skills: Switches,
    pub warnings: Vec<Warning>,
    /// Settings that the client may refuse, because not all of its keys are known.
    pub unchecked: Vec<String>,
    /// Switches in `features`; those of the profile override the others.
    features: BTreeMap<String, bool>,
    /// True if the project loses its files because the user marked it as untrusted.
    untrusted: bool,
    /// Reason why the search for the root failed, if it did.
    root_error: Option<String>,
}

impl Settings {
    /// Reads every layer.
    pub fn gather(
        edition: &Codex,
        at: &Standpoint,
        start: &Start,
        codex_home: &Path,
        search: &mut Search,
    ) -> Known<Settings> {
        let (rules, cwd) = (&edition.settings, start.cwd.as_path());
        let gathered = Gathered::read(rules, at, cwd, codex_home, search)?;
        let outside = gathered.without_project(rules);
        if rules.managed == Managed::LastAndCheckedTwice {
            refuse_if(rules.checks.wrong(&outside))?;
        }
        if rules.profiles == Profiles::Files {
            refuse_if(legacy_profile(&outside, gathered.profile))?;
        }
        let markers_of = |layers: &Layers| markers(edition.root_markers, layers, codex_home);
        let (settings_markers, document_markers) =
            (markers_of(&outside)?, markers_of(&gathered.with_managed(&outside))?);
        let looked = Looked { defaults: edition.root_markers, home: &at.home };
        let (root, root_error) = match rules.document_root(&start.documents, &looked, &document_markers, search)? {
            Root::Found(root) => (Some(root), None),
            Root::Nowhere => (None, None),
            Root::Error(marker) => (
                None,
                Some(format!("the project root marker {marker:?} cannot be looked for, which drops all project files")),
            ),
        };
        let git_root = rules.trust.git_root(cwd, search)?;
        let settings_root = rules.settings_root(cwd, &looked, &settings_markers, search)?;
        let project = Project { cwd, root: settings_root.as_deref(), git_root: git_root.as_deref(), codex_home };
        let profile = gathered.profile;
        let (layers, untrusted) = gathered.with_project(rules, &project, &outside, search)?;
        refuse_if(rules.checks.wrong(&layers))?;
        let table = rules.profile_table(&layers, profile)?;
        let model_instructions = rules.files_with_text(&layers, table.as_deref(), (cwd, &at.home), search)?;
        let places: Vec<&Path> = [Some(cwd), git_root.as_deref()].into_iter().flatten().collect();
        let level = rules.trust.level(&places, &layers, trust::Silent::EndsTheSearch, search)?;
        let asked = Asked {
            cwd,
            home: &at.home,
            sandbox: at.option(ID, "sandbox"),
            add_dirs: at.option_list(ID, "add-dir"),
            is_decided: matches!(level, Some(Trust::Trusted | Trust::Untrusted)),
            form: rules.permissions,
        };
        let places = Places { cwd, codex_home, home: &at.home, model: at.option(ID, "model") };
        let kinds = match edition.is_asked {
            true => agents::kinds(&layers, codex_home, &at.home, search)?,
            false => Vec::new(),
        };
        let derived = Derived {
            kinds,
            root,
            settings_root,
            root_error,
            level,
            features: features(&layers, table.as_deref()),
            skills: Switches::read(&layers, (rules.skills, &rules.models), &places),
            permissions: rules.permissions(&layers, &asked)?,
            model_instructions,
        };
        let mut settings = Settings::read(edition, &layers, derived);
        settings.warnings.extend(untrusted);
        Ok(settings)
    }

    /// Creates the settings from the values of keys and the derived values.
    fn read(edition: &Codex, layers: &Layers, derived: Derived) -> Settings {
        let Derived {
            kinds,
            root,
            settings_root,
            root_error,
            level,
            features,
            skills,
            permissions,
            model_instructions,
        } = derived;
        let rules = &edition.settings;
        let budget = layers.value(&["project_doc_max_bytes"]);
        let flag = |key: &str| layers.value(&[key]).and_then(|(node, _)| node.as_bool()).unwrap_or(true);
        let mut warnings = Vec::new();
        let (mut fallbacks, mut known): (Vec<String>, HashSet<&str>) = Default::default();
        let configured = layers.value(&["project_doc_fallback_filenames"]).and_then(|(node, _)| node.as_texts());
        for name in configured.unwrap_or_else(|| edition.fallbacks.to_vec()) {
            let name = name.trim();
            if name.is_empty() || known.contains(name) || edition.names.contains(&name) {
                continue;
            }
            if rules.fallbacks == Fallbacks::Names && (matches!(name, "." | "..") || name.contains(['/', '\0'])) {
                warnings.push(Warning::general(
                    "bad-settings",
                    format!("ignoring project_doc_fallback_filenames entry that is not a filename: {name:?}"),
                ));
                continue;
            }
            known.insert(name);
            fallbacks.push(name.to_owned());
        }
        Settings {
            root,
            settings_root,
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
            model_instructions,
            servers: servers(layers),
            environment: flag("include_environment_context"),
            environment_time: flag("include_environment_context_time"),
            permissions,
            kinds,
            skills,
            warnings,
            unchecked: rules.checks.unchecked(layers),
            features,
            untrusted: rules.distrust == Distrust::SettingsAndFiles && level == Some(Trust::Untrusted),
            root_error,
        }
    }

    /// Returns true if `[features]` enables this feature.
    pub fn has_feature(&self, name: &str) -> bool {
        self.features.get(name) == Some(&true)
    }

    /// Returns the reason why no project files are read, if there is one.
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

/// Values derived from several settings, or from settings and the disk.
struct Derived {
    kinds: Vec<Kind>,
    root: Option<PathBuf>,
    settings_root: Option<PathBuf>,
    root_error: Option<String>,
    level: Option<Trust>,
    features: BTreeMap<String, bool>,
    skills: Switches,
    permissions: Permissions,
    model_instructions: Option<(PathBuf, Content)>,
}

/// Settings of every layer except the project's.
struct Gathered<'a> {
    /// Name given with `--profile`.
    profile: Option<&'a str>,
    /// Settings of the system, the user and the profile.
    files: Layers,
    /// Settings of the command line.
    arguments: Layers,
    /// Settings of the administrator, above all others.
    managed: Layers,
}

impl<'a> Gathered<'a> {
    fn read(
        rules: &Behavior,
        at: &'a Standpoint,
        cwd: &Path,
        codex_home: &Path,
        search: &mut Search,
    ) -> Known<Gathered<'a>> {
        let system = ["/etc/codex/config.toml", MANAGED, REQUIREMENTS].map(PathBuf::from);
        let user = codex_home.join("config.toml");
        search.expect(system.iter().chain([&user]).cloned().map(Ask::Content))?;
        let [etc, managed, requirements] = system;
        let mut paths = vec![etc, user];
        let profile = at.option(ID, "profile");
        if let (Some(profile), Profiles::Files) = (profile, rules.profiles) {
            if profile.is_empty() || !profile.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
                let what = format!("the profile name {profile:?} must consist of ASCII letters, digits, `-` and `_`");
                return Err(Halt::refused(codex_home, what));
            }
            paths.push(codex_home.join(format!("{profile}.config.toml")));
        }
        let mut files = Layers::default();
        for path in &paths {
            files.extend(path, rules.read_or_refuse(path, search)?);
        }
        let on_command_line = arguments(&at.option_list(ID, "config")).map_err(|message| Refusal::new(cwd, message))?;
        let mut gathered = Gathered { profile, files, arguments: Layers::default(), managed: Layers::default() };
        gathered.arguments.extend(Path::new(ARGUMENTS), Some(on_command_line));
        gathered.managed.extend(&managed, rules.read_or_refuse(&managed, search)?);
        rules.read_or_refuse(&requirements, search)?;
        Ok(gathered)
    }

    /// Returns the layers that decide the project's root and trust; the project's own settings are not among them.
    fn without_project(&self, rules: &Behavior) -> Layers {
        let mut layers = self.files.clone();
        layers.0.extend(self.arguments.0.iter().cloned());
        match rules.managed {
            Managed::BeforeTheProject => layers.0.extend(self.managed.0.iter().cloned()),
            Managed::Last | Managed::LastAndCheckedTwice => {}
        }
        layers
    }

    /// Returns the layers without the project's, with the administrator's settings on top in any case.
    fn with_managed(&self, outside: &Layers) -> Layers {
        let mut layers = outside.clone();
        layers.0.extend(self.managed.0.iter().cloned());
        layers
    }

    /// Returns all layers, including the project's, and the warnings about files of a project that is not trusted.
    fn with_project(
        self,
        rules: &Behavior,
        project: &Project,
        outside: &Layers,
        search: &mut Search,
    ) -> Known<(Layers, Vec<Warning>)> {
        let mut layers = self.files;
        let warnings = rules.add_project_files(&mut layers, project, outside, search)?;
        layers.0.extend(self.arguments.0);
        layers.0.extend(self.managed.0);
        Ok((layers, warnings))
    }
}

/// Fails if there is a refusal.
fn refuse_if(refusal: Option<Refusal>) -> Result<(), Refusal> {
    refusal.map_or(Ok(()), Err)
}

impl Behavior {
    /// Returns the name of the table in `profiles` that is in force: that of the option, or else of the key.
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

    /// Returns the permissions for the environment block, if the version has them.
    fn permissions(&self, layers: &Layers, asked: &Asked) -> Result<Permissions, Refusal> {
        if self.permissions.are_known { Permissions::read(layers, asked) } else { Ok(Permissions::default()) }
    }

    /// Checks that the files named by keys, of the profile or else of all settings, are readable and have text. A
    /// relative path is relative to its settings file. Returns the file of `model_instructions_file`.
    fn files_with_text(
        &self,
        layers: &Layers,
        profile: Option<&str>,
        (cwd, home): (&Path, &Path),
        search: &mut Search,
    ) -> Known<Option<(PathBuf, Content)>> {
        let mut instructions = None;
        for (key, words) in self.texts {
            let of_profile = profile.and_then(|profile| layers.value(&["profiles", profile, key]));
            let Some((node, from)) = of_profile.or_else(|| layers.value(&[key])) else { continue };
            let Some(name) = node.as_text() else { continue };
            let base = if from == ARGUMENTS { cwd } else { Path::new(from).parent().unwrap_or(cwd) };
            let path = paths::in_settings(name, base, home);
            let refused = |what: String| Err(Halt::refused(&path, format!("{what}: {}", path.display())));
            match search.read(&path, format!("{key}, which must be readable"))? {
                Err(problem) => return refused(format!("failed to read {words} ({problem})")),
                Ok(raw) => match std::str::from_utf8(&raw) {
                    Err(_) => return refused(format!("failed to read {words} (not UTF-8)")),
                    Ok(text) if text.trim().is_empty() => return refused(format!("{words} is empty")),
                    Ok(_) if *key == "model_instructions_file" => instructions = Some((path, raw)),
                    Ok(_) => {}
                },
            }
        }
        Ok(instructions)
    }
}

/// Returns the MCP servers of all layers that are not disabled.
fn servers(layers: &Layers) -> Vec<String> {
    let named = layers.0.iter().filter_map(|(_, table)| table.get("mcp_servers")?.as_table()).flatten();
    let mut names: Vec<String> = named.map(|(name, _)| name.clone()).collect();
    names.sort();
    names.dedup();
    let is_off = |name: &str| {
        let enabled = layers.value(&["mcp_servers", name, "enabled"]);
        enabled.and_then(|(node, _)| node.as_bool()) == Some(false)
    };
    names.retain(|name| !is_off(name));
    names
}

/// Returns the switches in `features` of all layers; those of the profile override the others.
fn features(layers: &Layers, profile: Option<&str>) -> BTreeMap<String, bool> {
    let tables = |path: &[&str]| -> Vec<(String, bool)> {
        let entries = layers.0.iter().filter_map(|(_, table)| table.at_path(path)?.as_table()).flatten();
        entries.filter_map(|(name, node)| Some((name.clone(), node.as_bool()?))).collect()
    };
    let of_profile = profile.map(|profile| tables(&["profiles", profile, "features"])).unwrap_or_default();
    tables(&["features"]).into_iter().chain(of_profile).collect()
}

/// Returns the configured root markers, else the default ones.
fn markers(default: &[&str], layers: &Layers, codex_home: &Path) -> Result<Vec<String>, Refusal> {
    let Some((node, from)) = layers.value(&["project_root_markers"]) else {
        return Ok(default.iter().map(|&marker| marker.to_owned()).collect());
    };
    let place = if from == ARGUMENTS { codex_home.to_owned() } else { PathBuf::from(from) };
    node.as_texts()
        .map(|markers| markers.into_iter().map(str::to_owned).collect())
        .ok_or_else(|| Refusal::new(place, "project_root_markers must be an array of strings"))
}

/// Refuses the old key `profile = "p"` and the table of that name, which stop Codex.
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
