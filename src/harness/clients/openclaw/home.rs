//! The places of OpenClaw: its home, its state directory, its configuration, and the variables that set them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::answer::{SessionKind, Standpoint};
use crate::formats::dotenv;
use crate::harness::kit::folders;
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, absolute};
use crate::text::js_trim;

/// Directories and files of an edition, and the variables that set them.
pub struct Places {
    /// Meaning of the variable `OPENCLAW_HOME`.
    pub home: HomeVariable,
    /// Name of the state directory below home, followed by its former names.
    pub state_names: &'static [&'static str],
    /// Time at which a state directory with a former name is moved to its new place.
    pub moves: Moves,
    /// Variables that name the state directory; the first one that is set counts.
    pub state_variables: &'static [&'static str],
    /// Name of the configuration file, followed by its former names.
    pub config_names: &'static [&'static str],
    /// Variables that name the configuration file; the first one that is set counts.
    pub config_variables: &'static [&'static str],
    /// Directories that are searched for the configuration if the state directory is named.
    pub named_state: NamedState,
    /// Variables that `.env` of the working directory may set.
    pub dotenv: Dotenv,
    /// Location of the default workspace.
    pub workspace: Workspace,
}

/// Time at which a state directory with a former name is moved to its new place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Moves {
    /// At the start of the client.
    Always,
    /// At the start of the Gateway; a local session leaves it in place.
    ByGateway,
}

/// Meaning of `OPENCLAW_HOME`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum HomeVariable {
    /// The variable has no effect.
    Unknown,
    /// The home directory.
    Named,
    /// The home directory, unless it is `undefined` or `null`.
    NamedAndDefined,
}

/// Directories that are searched for the configuration if the state directory is named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NamedState {
    /// Only in the named directory.
    Alone,
    /// In the named directory, then in the directories below home.
    First,
}

/// Variables that `.env` of the working directory may set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dotenv {
    /// All except OpenClaw's own variables and those that could do harm.
    Harmless,
    /// All, including those that set OpenClaw's places.
    Everything,
}

/// Location of the default workspace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Workspace {
    /// The directory `OPENCLAW_WORKSPACE_DIR`, else below a named state directory, else below that of the profile,
    /// whose name must be valid.
    Named,
    /// `.openclaw/workspace` below home, with the profile appended; the workspaces of other agents are there as well.
    BelowHome,
    /// Like `BelowHome`, but the workspaces of other agents are in the state directory, and `.env` may name the
    /// profile.
    BelowHomeAndState,
}

/// Maximum size of a `.env` file, in bytes (OpenClaw 2026.9.6).
const DOTENV_LIMIT_BYTES: usize = 1024 * 1024;

/// The places of the client, and the variables including those from `.env` files and the configuration.
pub struct Home {
    /// The effective home directory.
    pub home: PathBuf,
    /// The state directory.
    pub state: PathBuf,
    /// The configuration file, whether it exists or not.
    pub config: PathBuf,
    places: &'static Places,
    cwd: PathBuf,
    /// Current and future path of a former state directory, which the client moves when it starts.
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
        folders::refuse_lost(&here.on_disk(&here.state), search)?;
        Ok(here)
    }

    /// Returns a variable of the process, else of a `.env` file, else of the configuration.
    pub fn variable(&self, search: &Search, name: &str) -> Option<String> {
        search.env(name).or_else(|| self.added.get(name).cloned())
    }

    /// Returns true if the variable is set and not empty.
    pub fn has_variable(&self, search: &Search, name: &str) -> bool {
        search.has_env(name) || self.added.get(name).is_some_and(|value| !value.is_empty())
    }

    /// Adds a variable that the configuration sets, unless it has a value already.
    pub fn add_variable(&mut self, search: &Search, name: &str, value: &str) {
        if self.variable(search, name).is_none_or(|known| js_trim(&known).is_empty()) {
            self.added.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Resolves a path as the user writes it: trimmed, without NUL, with `~` as home, relative to the working
    /// directory.
    pub fn path(&self, written: &str) -> PathBuf {
        let written = js_trim(written).replace('\0', "");
        absolute(&self.cwd, &expanded(&written, &self.home))
    }

    /// Returns the current location of a client's path, before the client moves its state directory.
    pub fn on_disk(&self, path: &Path) -> PathBuf {
        let moved = self.moved.as_ref().and_then(|(old, new)| Some(old.join(path.strip_prefix(new).ok()?)));
        moved.unwrap_or_else(|| path.to_owned())
    }

    /// Returns the directory `skills` of the state directory. The client determines it before it reads `.env` files and
    /// finds former state directories.
    pub fn skills(&self, search: &Search) -> PathBuf {
        let named = self.places.state_variables.iter().find_map(|name| process_variable(search, name));
        named.map_or_else(|| self.home.join(self.places.state_names[0]), |dir| self.path(&dir)).join("skills")
    }

    /// Returns the client's name for the current path `path`; the inverse of [`Home::on_disk`].
    pub fn named(&self, path: &Path) -> PathBuf {
        let moved = self.moved.as_ref().and_then(|(old, new)| Some(new.join(path.strip_prefix(old).ok()?)));
        moved.unwrap_or_else(|| path.to_owned())
    }

    /// Returns the workspace of the agent that owns the default one.
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

    /// Returns the workspace of another agent if nothing sets it.
    pub fn workspace_of(&self, agent: &str) -> PathBuf {
        let dir = match self.places.workspace {
            Workspace::Named | Workspace::BelowHomeAndState => &self.state,
            Workspace::BelowHome => &self.home.join(".openclaw"),
        };
        dir.join(format!("workspace-{agent}"))
    }

    /// Returns true if workspaces of other agents are below the one that is configured for all.
    pub fn divides_workspace(&self) -> bool {
        self.places.workspace == Workspace::Named
    }

    /// Returns the value of the first of these variables that is set, in the process or in a `.env` file that may set
    /// it.
    fn named_by(&self, variables: &[&str], search: &Search) -> Option<String> {
        variables.iter().find_map(|name| match self.places.dotenv {
            Dotenv::Harmless => process_variable(search, name),
            Dotenv::Everything => self.filled_variable(search, name),
        })
    }

    /// Returns a [`Home::variable`], trimmed; a blank one counts as unset.
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
        // The profile is looked at only where it names the workspace.
        let has_other_name = ["OPENCLAW_WORKSPACE_DIR", "OPENCLAW_STATE_DIR"]
            .iter()
            .any(|name| self.filled_variable(search, name).is_some());
        if self.places.workspace != Workspace::Named || has_other_name {
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

    /// Reads a `.env` file. That of the working directory may set what the edition allows; that of the state directory
    /// may set anything.
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

/// Returns a variable of the process, trimmed; a blank one counts as unset.
fn process_variable(search: &Search, name: &str) -> Option<String> {
    search.env(name).and_then(|value| filled(&value))
}

fn filled(value: &str) -> Option<String> {
    Some(js_trim(value).to_owned()).filter(|value| !value.is_empty())
}

/// Expands `~`, `~/x` and `~\x` to paths below `home`; anything else is unchanged.
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

/// Returns true if a project's own `.env` may not set the variable. The client's list is longer; the others are secrets
/// of providers, which no path can sensibly hold.
fn is_blocked(name: &str) -> bool {
    const NAMES: [&str; 7] = ["PATH", "HOME", "USERPROFILE", "SHELL", "NODE_OPTIONS", "ALL_PROXY", "NO_PROXY"];
    const BEGINNINGS: [&str; 4] = ["OPENCLAW_", "CLAWHUB_", "LD_", "DYLD_"];
    const ENDINGS: [&str; 6] = ["_API_HOST", "_BASE_URL", "_ENDPOINT", "_HOMESERVER", "_API_KEY", "_PROXY"];
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str())
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}
