//! What shows that somebody uses a harness. Each profile says its own; [`crate::queries::roster`] looks for all of it.

use std::path::{Path, PathBuf};

use crate::search::Search;

/// What speaks for a harness, beside the program of its profile.
pub struct Evidence {
    /// Commands that start it, where the profile names no program.
    pub commands: &'static [&'static str],
    /// What it leaves behind once it has been run.
    pub traces: &'static [Place],
    /// Where its configuration is at home.
    pub homes: &'static [Place],
    /// Files and folders of a repository that are its own, and nobody else's.
    pub files: &'static [&'static str],
    /// Files that together make a directory its workspace.
    pub workspace: &'static [&'static str],
    /// What editors call it: ids of extensions of VS Code, schemes of editors that were made from it, names of plugins of
    /// Neovim.
    pub editor: &'static [&'static str],
}

/// A path outside of projects: the first whose variable is set, else the one that begins with `~`. `$CODEX_HOME`,
/// `$XDG_CONFIG_HOME/goose`, `~/.config/goose`.
pub type Place = &'static [&'static str];

impl Evidence {
    /// Of what nothing speaks for but the user's word.
    pub const NONE: Evidence =
        Evidence { commands: &[], traces: &[], homes: &[], files: &[], workspace: &[], editor: &[] };
}

/// Where a place is for a user.
pub fn path_of(place: Place, home: &Path, search: &Search) -> Option<PathBuf> {
    path_with(place, home, |variable| search.env(variable))
}

/// Returns where a place is for a user whose environment is `env`.
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
