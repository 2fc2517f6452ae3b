//! Where OpenClaw keeps things: its home, its state directory, its configuration, and the variables that decide.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::answer::{SessionKind, Standpoint};
use crate::formats::dotenv;
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, absolute};
use crate::text::js_trim;

/// Where an edition keeps things, and which variables say so.
pub struct Places {
    /// The variable `OPENCLAW_HOME`.
    pub home: HomeVariable,
    /// The name of the state directory below home, and its former names.
    pub state_names: &'static [&'static str],
    /// When a state directory of a former name is moved to its new place.
    pub moves: Moves,
    /// The variables that name the state directory; the first that is set.
    pub state_variables: &'static [&'static str],
    /// The name of the configuration, and its former names.
    pub config_names: &'static [&'static str],
    /// The variables that name the configuration; the first that is set.
    pub config_variables: &'static [&'static str],
    /// Where the configuration is looked for beside a state directory that is named.
    pub named_state: NamedState,
    /// What `.env` of the working directory may set.
    pub dotenv: Dotenv,
    /// Where the default workspace is.
    pub workspace: Workspace,
}

/// When a state directory of a former name is moved to its new place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Moves {
    /// When the client starts.
    Always,
    /// When the Gateway starts; a local session leaves it where it is.
    ByGateway,
}

/// What `OPENCLAW_HOME` means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum HomeVariable {
    /// Nothing.
    Unknown,
    /// The home directory.
    Named,
    /// The home directory, unless it is `undefined` or `null`.
    NamedAndDefined,
}

/// Where the configuration is looked for when the state directory is named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NamedState {
    /// Only there.
    Alone,
    /// There, then in the directories below home.
    First,
}

/// What `.env` of the working directory may set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dotenv {
    /// Neither OpenClaw's own variables nor those that could do harm.
    Harmless,
    /// Everything, also where OpenClaw keeps things.
    Everything,
}

/// Where the default workspace is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Workspace {
    /// Where `OPENCLAW_WORKSPACE_DIR` says, in a state directory that is named, or in that of the profile, whose name must be
    /// valid.
    Named,
    /// `.openclaw/workspace`, with the profile behind it, below home; so are those of other agents.
    BelowHome,
    /// The same, but the workspaces of other agents are in the state directory, and `.env` may name the profile.
    BelowHomeAndState,
}

/// Largest `.env` file, in bytes; OpenClaw 2026.9.6.
const DOTENV_LIMIT_BYTES: usize = 1024 * 1024;

/// The places, and the variables with what `.env` files and the configuration add.
pub struct Home {
    /// The effective home directory.
    pub home: PathBuf,
    /// The state directory.
    pub state: PathBuf,
    /// The configuration file, whether it is there or not.
    pub config: PathBuf,
    places: &'static Places,
    cwd: PathBuf,
    /// The former state directory, which the client moves to its new place when it starts: where it is and will be.
    moved: Option<(PathBuf, PathBuf)>,
    added: BTreeMap<String, String>,
}

impl Home {
    /// Finds the places.
    pub fn find(places: &'static Places, at: &Standpoint, search: &mut Search) -> Known<Home> {
        let home = match places.home.named(search) {
            Some(dir) => absolute(&at.cwd, &expanded(&dir, &at.home)),
            None => at.home.clone(),
        };
        let mut here = Home {
            state: home.join(places.state_names[0]),
            config: PathBuf::new(),
            places,
            cwd: at.cwd.clone(),
            moved: None,
            added: BTreeMap::new(),
            home,
        };
        if places.dotenv == Dotenv::Everything {
            here.read_dotenv(at.cwd.join(".env"), search)?;
        }
        let named_state = here.named_by(places.state_variables, search);
        if let Some(dir) = &named_state {
            here.state = here.path(dir);
        }
        if places.dotenv == Dotenv::Everything {
            here.read_dotenv(here.state.join(".env"), search)?;
        }
        if named_state.is_none() {
            here.find_state(at.session, search)?;
        }
        if places.dotenv == Dotenv::Harmless {
            here.read_dotenv(at.cwd.join(".env"), search)?;
            here.read_dotenv(here.on_disk(&here.state.join(".env")), search)?;
        }
        here.config = match here.named_by(places.config_variables, search) {
            Some(file) => here.path(&file),
            None => here.default_config(named_state.is_some(), search)?,
        };
        here.check_profile(search)?;
        Ok(here)
    }

    /// A variable of the process, else of a `.env` file, else of the configuration.
    pub fn variable(&self, search: &Search, name: &str) -> Option<String> {
        search.env(name).or_else(|| self.added.get(name).cloned())
    }

    /// Whether there is such a variable, and something in it.
    pub fn has_variable(&self, search: &Search, name: &str) -> bool {
        search.has_env(name) || self.added.get(name).is_some_and(|value| !value.is_empty())
    }

    /// Adds what the configuration sets, where there is nothing yet.
    pub fn add_variable(&mut self, search: &Search, name: &str, value: &str) {
        if self.variable(search, name).is_none_or(|known| js_trim(&known).is_empty()) {
            self.added.insert(name.to_owned(), value.to_owned());
        }
    }

    /// A path as the user writes it: trimmed, `~` is home, relative to the working directory; without NUL.
    pub fn path(&self, written: &str) -> PathBuf {
        let written = js_trim(written).replace('\0', "");
        absolute(&self.cwd, &expanded(&written, &self.home))
    }

    /// Where a path of the client is now, before it moves its state directory.
    pub fn on_disk(&self, path: &Path) -> PathBuf {
        let moved = self.moved.as_ref().and_then(|(old, new)| Some(old.join(path.strip_prefix(new).ok()?)));
        moved.unwrap_or_else(|| path.to_owned())
    }

    /// Where the client's own skills are: settled before `.env` files are read and former state directories are found.
    pub fn skills(&self, search: &Search) -> PathBuf {
        let named = self.places.state_variables.iter().find_map(|name| process_variable(search, name));
        named.map_or_else(|| self.home.join(self.places.state_names[0]), |dir| self.path(&dir)).join("skills")
    }

    /// The reverse of [`Home::on_disk`]: how the client names what is now at `path`.
    pub fn named(&self, path: &Path) -> PathBuf {
        let moved = self.moved.as_ref().and_then(|(old, new)| Some(new.join(path.strip_prefix(old).ok()?)));
        moved.unwrap_or_else(|| path.to_owned())
    }

    /// The workspace of the agent that owns the default one.
    pub fn default_workspace(&self, search: &Search) -> PathBuf {
        let below_home = |profile: Option<String>| {
            let profile = profile.filter(|profile| !profile.eq_ignore_ascii_case("default"));
            let name = profile.map_or_else(|| "workspace".to_owned(), |profile| format!("workspace-{profile}"));
            absolute(&self.home.join(".openclaw"), Path::new(&name))
        };
        match self.places.workspace {
            Workspace::Named => {}
            Workspace::BelowHome => return below_home(process_variable(search, "OPENCLAW_PROFILE")),
            Workspace::BelowHomeAndState => return below_home(self.filled_variable(search, "OPENCLAW_PROFILE")),
        }
        if let Some(dir) = self.filled_variable(search, "OPENCLAW_WORKSPACE_DIR") {
            return absolute(&self.cwd, Path::new(&dir.replace('\0', "")));
        }
        if self.filled_variable(search, "OPENCLAW_STATE_DIR").is_some() {
            return self.state.join("workspace");
        }
        let profile = self.filled_variable(search, "OPENCLAW_PROFILE");
        match profile.filter(|profile| !profile.eq_ignore_ascii_case("default")) {
            Some(profile) => self.home.join(format!(".openclaw-{profile}/workspace")),
            None => self.home.join(".openclaw/workspace"),
        }
    }

    /// Where the workspace of another agent is, when nothing says where.
    pub fn workspace_of(&self, agent: &str) -> PathBuf {
        let dir = match self.places.workspace {
            Workspace::Named | Workspace::BelowHomeAndState => &self.state,
            Workspace::BelowHome => &self.home.join(".openclaw"),
        };
        dir.join(format!("workspace-{agent}"))
    }

    /// Whether workspaces of other agents are below the one that is configured for all.
    pub fn divides_workspace(&self) -> bool {
        self.places.workspace == Workspace::Named
    }

    /// What the first of these variables says that is set: in the process, or in a `.env` file that may say so.
    fn named_by(&self, variables: &[&str], search: &Search) -> Option<String> {
        variables.iter().find_map(|name| match self.places.dotenv {
            Dotenv::Harmless => process_variable(search, name),
            Dotenv::Everything => self.filled_variable(search, name),
        })
    }

    /// A [`Home::variable`], trimmed; blank counts as unset.
    fn filled_variable(&self, search: &Search, name: &str) -> Option<String> {
        self.variable(search, name).and_then(|value| filled(&value))
    }

    fn find_state(&mut self, session: SessionKind, search: &mut Search) -> Known<()> {
        let dirs: Vec<PathBuf> = self.places.state_names.iter().map(|name| self.home.join(name)).collect();
        search.expect(dirs.iter().cloned().map(Ask::Kind))?;
        let rule = "the state directory; a former one is moved to it if it does not exist";
        let Some((new, former)) = dirs.split_first() else { return Ok(()) };
        if search.stat(new, rule)?.is_ok() {
            return Ok(());
        }
        for old in former {
            if search.is_dir(old, rule)? {
                match self.places.moves {
                    Moves::ByGateway if session == SessionKind::Local => self.state = old.clone(),
                    Moves::ByGateway | Moves::Always => self.moved = Some((old.clone(), new.clone())),
                }
                break;
            }
        }
        Ok(())
    }

    fn default_config(&self, state_is_named: bool, search: &mut Search) -> Known<PathBuf> {
        let mut dirs = vec![self.state.clone()];
        match self.places.named_state {
            NamedState::Alone if state_is_named => {}
            NamedState::Alone if self.moved.is_some() => {}
            NamedState::Alone | NamedState::First => {
                dirs.extend(self.places.state_names.iter().map(|name| self.home.join(name)));
            }
        }
        let mut candidates: Vec<PathBuf> = Vec::new();
        for dir in dirs {
            for name in self.places.config_names {
                let candidate = self.on_disk(&dir.join(name));
                if !candidates.contains(&candidate) {
                    candidates.push(candidate);
                }
            }
        }
        search.expect(candidates.iter().cloned().map(Ask::Kind))?;
        for candidate in candidates {
            if search.stat(&candidate, "the configuration: the first that exists")?.is_ok() {
                return Ok(candidate);
            }
        }
        Ok(self.state.join(self.places.config_names[0]))
    }

    fn check_profile(&self, search: &Search) -> Known<()> {
        if self.places.workspace != Workspace::Named {
            return Ok(());
        }
        let profile = self.variable(search, "OPENCLAW_PROFILE").unwrap_or_default();
        let profile = js_trim(&profile);
        let valid = profile.len() <= 64
            && profile.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            && !profile.starts_with(['-', '_']);
        if !valid && !profile.is_empty() {
            let message = format!(
                "Invalid profile name: {profile:?} (OPENCLAW_PROFILE); use letters, digits, `-` and `_`, at most 64"
            );
            return Err(Halt::refused(&self.home, message));
        }
        Ok(())
    }

    /// `.env` of the working directory may set what the edition allows; `.env` of the state directory anything.
    fn read_dotenv(&mut self, file: PathBuf, search: &mut Search) -> Known<()> {
        let harmless_only = self.places.dotenv == Dotenv::Harmless;
        let raw = match search.read(&file, "variables that the environment does not set")? {
            Ok(raw) if raw.len() <= DOTENV_LIMIT_BYTES || !harmless_only => raw,
            Ok(_) | Err(_) => return Ok(()),
        };
        let trusted = !harmless_only || file != self.cwd.join(".env");
        for (name, value) in dotenv(&raw.text()) {
            if (trusted || !is_blocked(&name)) && self.variable(search, &name).is_none() {
                self.added.insert(name, value);
            }
        }
        Ok(())
    }
}

impl HomeVariable {
    fn named(self, search: &Search) -> Option<String> {
        match self {
            HomeVariable::Unknown => None,
            HomeVariable::Named => process_variable(search, "OPENCLAW_HOME"),
            HomeVariable::NamedAndDefined => {
                process_variable(search, "OPENCLAW_HOME").filter(|dir| !matches!(dir.as_str(), "undefined" | "null"))
            }
        }
    }
}

/// A variable of the process, trimmed; blank counts as unset.
fn process_variable(search: &Search, name: &str) -> Option<String> {
    search.env(name).and_then(|value| filled(&value))
}

fn filled(value: &str) -> Option<String> {
    Some(js_trim(value).to_owned()).filter(|value| !value.is_empty())
}

/// `~`, `~/x` and `~\x` below `home`; anything else as it is.
fn expanded(written: &str, home: &Path) -> PathBuf {
    match written.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
            let mut path = home.as_os_str().to_owned();
            path.push(rest);
            PathBuf::from(path)
        }
        _ => PathBuf::from(written),
    }
}

/// What a project's own `.env` may not set. The client's list is longer; the rest are secrets of providers, which no
/// path can sensibly hold.
fn is_blocked(name: &str) -> bool {
    const NAMES: [&str; 7] = ["PATH", "HOME", "USERPROFILE", "SHELL", "NODE_OPTIONS", "ALL_PROXY", "NO_PROXY"];
    const BEGINNINGS: [&str; 4] = ["OPENCLAW_", "CLAWHUB_", "LD_", "DYLD_"];
    const ENDINGS: [&str; 6] = ["_API_HOST", "_BASE_URL", "_ENDPOINT", "_HOMESERVER", "_API_KEY", "_PROXY"];
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str())
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}
