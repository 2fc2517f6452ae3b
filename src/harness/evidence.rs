//! Signs that somebody uses an agent. Each profile lists its own; [`crate::queries::roster`] looks for all of them.

use std::path::{Path, PathBuf};

use crate::search::Search;

/// Signs of an agent's use, besides the program of its profile.
pub struct Evidence {
    /// Commands that start the agent, if the profile names no program.
    pub commands: &'static [&'static str],
    /// Places that the agent creates when it is run.
    pub traces: &'static [Place],
    /// Places of its configuration in the home directory.
    pub homes: &'static [Place],
    /// Files and folders of a repository that belong to this agent alone.
    pub files: &'static [&'static str],
    /// Files that together mark a directory as the agent's workspace.
    pub workspace: &'static [&'static str],
    /// Names in editors: ids of VS Code extensions, URI schemes of editors derived from VS Code, names of Neovim
    /// plugins.
    pub editor: &'static [&'static str],
}

/// A path outside of projects, as alternatives: the first whose variable is set, otherwise the one that begins with
/// `~`. For example `$CODEX_HOME`, `$XDG_CONFIG_HOME/goose`, `~/.config/goose`.
pub type Place = &'static [&'static str];

impl Evidence {
    /// No signs: the agent is used only if the user says so.
    pub const NONE: Evidence =
        Evidence { commands: &[], traces: &[], homes: &[], files: &[], workspace: &[], editor: &[] };
}

/// Resolves a place for a user's home directory and the environment of `search`.
pub fn path_of(place: Place, home: &Path, search: &Search) -> Option<PathBuf> {
    path_with(place, home, |variable| search.env(variable))
}

/// Resolves a place for a user's home directory and the environment `env`.
pub fn path_with<T: AsRef<str>>(place: Place, home: &Path, env: impl Fn(&str) -> Option<T>) -> Option<PathBuf> {
    place.iter().find_map(|path| {
        let (start, below) = path.split_once('/').unwrap_or((path, ""));
        let start = match start.strip_prefix('$') {
            Some(variable) => PathBuf::from(env(variable).filter(|value| !value.as_ref().is_empty())?.as_ref()),
            None => home.to_owned(),
        };
        let path = if below.is_empty() { start } else { start.join(below) };
        path.is_absolute().then_some(path)
    })
}
