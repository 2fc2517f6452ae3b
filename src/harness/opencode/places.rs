//! Where OpenCode looks from: start directory, worktree, home and its own directories.

use std::path::{Path, PathBuf};

use super::flags::Flags;
use super::{ConfigDir, GitRule, OpenCode};
use crate::answer::Standpoint;
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Errno, Kind, absolute};

/// The directories everything starts from.
pub(super) struct Places {
    /// The start directory, physical.
    pub directory: PathBuf,
    /// The top of the worktree; `/` outside a repository.
    pub worktree: PathBuf,
    /// Whether git knows a repository there.
    pub git: bool,
    /// `OPENCODE_TEST_HOME`, else the home directory.
    pub home: PathBuf,
    /// The home directory itself, which `{file:~/…}` means.
    pub real_home: PathBuf,
    /// `~/.config/opencode`.
    pub xdg: PathBuf,
    /// `OPENCODE_CONFIG_DIR` as it was given.
    pub config_dir: Option<String>,
}

impl Places {
    pub fn find(edition: &OpenCode, at: &Standpoint, flags: &Flags, search: &mut Search) -> Told<Places> {
        let directory = at.cwd.clone();
        let from_here = |path: &str| absolute(&directory, Path::new(path));
        let home = search.env("OPENCODE_TEST_HOME").map_or_else(|| at.home.clone(), |home| from_here(&home));
        let config_home = search.env("XDG_CONFIG_HOME").filter(|dir| !dir.is_empty());
        let xdg = config_home.map_or_else(|| at.home.join(".config"), |dir| from_here(&dir)).join("opencode");
        let config_dir = search.env("OPENCODE_CONFIG_DIR");
        // Everything that is asked in any case, so that the first round reads it in one go.
        let mut asks = Vec::new();
        for dir in directory.ancestors() {
            asks.push(Ask::Kind(dir.join(".git")));
            if !flags.no_project {
                asks.extend(edition.names.iter().map(|name| Ask::Kind(dir.join(name))));
                asks.extend(["opencode.json", "opencode.jsonc", ".opencode"].map(|name| Ask::Kind(dir.join(name))));
            }
        }
        asks.extend(["config.json", "opencode.json", "opencode.jsonc"].map(|name| Ask::Content(xdg.join(name))));
        asks.push(Ask::Kind(home.join(".opencode")));
        asks.push(Ask::Kind(home.join(".claude/CLAUDE.md")));
        asks.push(Ask::Kind(xdg.join("AGENTS.md")));
        search.expect(asks)?;
        let (worktree, git) = worktree(edition, &directory, search)?;
        Ok(Places { directory, worktree, git, home, real_home: at.home.clone(), xdg, config_dir })
    }

    /// The directory of the global file, and of relative instructions when project settings are off.
    pub fn global(&self, edition: &OpenCode) -> PathBuf {
        match (&self.config_dir, edition.config_dir) {
            (Some(dir), ConfigDir::Replaces) => absolute(&self.directory, Path::new(dir)),
            (Some(_) | None, _) => self.xdg.clone(),
        }
    }

    /// From the start directory up to the worktree, nearest first; up to `/` when the worktree is not above.
    pub fn levels(&self) -> Vec<PathBuf> {
        let mut levels = Vec::new();
        for dir in self.directory.ancestors() {
            levels.push(dir.to_owned());
            if dir == self.worktree {
                break;
            }
        }
        levels
    }
}

fn worktree(edition: &OpenCode, directory: &Path, search: &mut Search) -> Told<(PathBuf, bool)> {
    let mut found: Option<&Path> = None;
    for dir in directory.ancestors() {
        match search.stat(&dir.join(".git"), "worktree: the nearest directory that holds .git")? {
            Ok(_) => found = found.or(Some(dir)),
            Err(Errno::NOENT) => {}
            // Any other error, even above the nearest one, makes it no repository at all.
            Err(_) if edition.git == GitRule::AsksGit => {
                return Ok((PathBuf::from("/"), false));
            }
            Err(_) => {}
        }
        if found.is_some() && edition.git == GitRule::EntryIsEnough {
            break;
        }
    }
    let Some(found) = found else { return Ok((PathBuf::from("/"), false)) };
    let repository = search.git(found, "git itself is asked there")?;
    Ok(match (repository, edition.git) {
        (Some(repository), _) => (repository.toplevel.unwrap_or_else(|| found.to_owned()), true),
        (None, GitRule::EntryIsEnough) => (found.to_owned(), true),
        (None, GitRule::AsksGit) => (PathBuf::from("/"), false),
    })
}

/// What counts as existing: `access(2)` says yes.
pub(super) fn exists(path: &Path, rule: &'static str, only_files: bool, search: &mut Search) -> Told<bool> {
    Ok(search.stat(path, rule)?.is_ok_and(|meta| !only_files || meta.kind == Kind::File))
}
