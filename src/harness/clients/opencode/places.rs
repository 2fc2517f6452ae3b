//! The places of OpenCode: start directory, worktree, home and its own directories.

use std::path::{Path, PathBuf};

use super::OpenCode;
use super::brand::Ownership;
use super::flags::Flags;
use super::rules::{ConfigDir, Counts, GitRule, TestHome};
use super::variables::Rights;
use crate::answer::Standpoint;
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Errno, FileType, GlobFlavor, absolute};

/// Owner of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    User,
    Project,
}

/// Directories on which everything else is based.
pub(super) struct Places {
    /// Physical start directory.
    pub directory: PathBuf,
    /// Top of the worktree; `/` outside a repository.
    pub worktree: PathBuf,
    /// True if git recognizes a repository there.
    pub git: bool,
    /// Value of `OPENCODE_TEST_HOME`, else the home directory.
    pub home: PathBuf,
    /// The actual home directory, to which `{file:~/…}` refers.
    pub real_home: PathBuf,
    /// Home directory to which `~/` in `instructions` refers, and whose `~/.claude/CLAUDE.md` counts.
    pub instructions_home: PathBuf,
    /// Global configuration directory, by default `~/.config/opencode`.
    pub xdg: PathBuf,
    /// Value of `OPENCODE_CONFIG_DIR` as given.
    pub config_dir: Option<String>,
}

impl Places {
    pub fn find(edition: &OpenCode, at: &Standpoint, flags: &Flags, search: &mut Search) -> Known<Places> {
        let brand = edition.brand;
        let directory = at.cwd.clone();
        let from_here = |path: &str| absolute(&directory, Path::new(path));
        let empty_counts = edition.test_home == TestHome::Home;
        let test_home = search.env(&brand.variable("TEST_HOME")).filter(|home| empty_counts || !home.is_empty());
        let home = test_home.map_or_else(|| at.home.clone(), |home| from_here(&home));
        let instructions_home = match edition.test_home {
            TestHome::Home => home.clone(),
            TestHome::OwnFiles => at.home.clone(),
        };
        let config_home = search.env("XDG_CONFIG_HOME").filter(|dir| !dir.is_empty());
        let xdg = config_home.map_or_else(|| at.home.join(".config"), |dir| from_here(&dir)).join(brand.folder);
        let config_dir = search.env(&brand.variable("CONFIG_DIR"));
        // Facts that are needed in any case, so that the first round reads them at once.
        let mut asks = Vec::new();
        for dir in directory.ancestors() {
            asks.push(Ask::Kind(dir.join(".git")));
            if !flags.no_project {
                asks.extend(edition.names.iter().map(|name| Ask::Kind(dir.join(name))));
                asks.extend(brand.project_files().map(|name| Ask::Kind(dir.join(name))));
                asks.extend(brand.directories.iter().map(|name| Ask::Kind(dir.join(name))));
            }
        }
        asks.extend(brand.global_files.iter().map(|name| Ask::Content(xdg.join(name))));
        asks.extend(brand.directories.iter().map(|name| Ask::Kind(home.join(name))));
        asks.push(Ask::Kind(instructions_home.join(".claude/CLAUDE.md")));
        asks.push(Ask::Kind(xdg.join("AGENTS.md")));
        search.expect(asks)?;
        let (worktree, git) = worktree(edition, &directory, search)?;
        Ok(Places { directory, worktree, git, home, real_home: at.home.clone(), instructions_home, xdg, config_dir })
    }

    /// Returns the directory of the global file.
    pub fn global(&self, edition: &OpenCode) -> PathBuf {
        match (&self.config_dir, edition.config_dir) {
            (Some(dir), ConfigDir::Replaces) => absolute(&self.directory, Path::new(dir)),
            (Some(_) | None, _) => self.xdg.clone(),
        }
    }

    /// Returns the directories in which relative instructions are searched, nearest first.
    pub fn for_instructions(&self, edition: &OpenCode, flags: &Flags) -> Vec<PathBuf> {
        match (flags.no_project, edition.config_dir) {
            (false, _) => self.levels(),
            (true, ConfigDir::Replaces) => vec![self.global(edition)],
            (true, ConfigDir::TriedFirst) => self.named_config_dir().into_iter().collect(),
        }
    }

    /// Returns the directory named by `OPENCODE_CONFIG_DIR`, unless it is empty.
    pub fn named_config_dir(&self) -> Option<PathBuf> {
        let named = self.config_dir.as_deref().filter(|dir| !dir.is_empty())?;
        Some(absolute(&self.directory, Path::new(named)))
    }

    /// Returns the top of the project, which its files must not leave.
    pub fn top(&self) -> &Path {
        if self.worktree == Path::new("/") { &self.directory } else { &self.worktree }
    }

    /// Returns true if a path, as written, lies in the project.
    pub fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.directory) || path.starts_with(self.top())
    }

    /// Returns the owner of a path.
    pub fn owner(&self, path: &Path) -> Owner {
        if self.holds(path) { Owner::Project } else { Owner::User }
    }

    /// Returns the references that an owner's file may contain.
    pub fn rights(&self, edition: &OpenCode, owner: Owner) -> Rights<'_> {
        match (edition.brand.ownership, owner) {
            (Ownership::Same, _) => Rights::All,
            (Ownership::Counts, Owner::User) => Rights::User,
            (Ownership::Counts, Owner::Project) => Rights::Within(self.top()),
        }
    }

    /// Returns the directories from the start directory up to the worktree, nearest first; up to `/` if the worktree is
    /// not above.
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

fn worktree(edition: &OpenCode, directory: &Path, search: &mut Search) -> Known<(PathBuf, bool)> {
    let mut found: Option<&Path> = None;
    for dir in directory.ancestors() {
        match search.stat(&dir.join(".git"), "worktree: the nearest directory that holds .git")? {
            Ok(_) => found = found.or(Some(dir)),
            Err(Errno::NOENT) => {}
            // Any other error, even above the nearest one, means that there is no repository at all.
            Err(_) if edition.git == GitRule::AsksGit => {
                return Ok((PathBuf::from("/"), false));
            }
            Err(_) => {}
        }
        if found.is_some() && edition.git != GitRule::AsksGit {
            break;
        }
    }
    let Some(found) = found else { return Ok((PathBuf::from("/"), false)) };
    let repository = search.git(found, "git itself is asked there")?;
    if edition.git != GitRule::AsksGit {
        let top = repository.as_ref().and_then(|repository| repository.toplevel.as_deref());
        let top = match (&repository, top) {
            (Some(repository), Some(top)) if top != found && has_commits(found, &repository.common_dir, search)? => top,
            _ => found,
        };
        return Ok((top.to_owned(), repository.is_some() || edition.git == GitRule::EntryIsEnough));
    }
    Ok(match repository {
        Some(repository) => (repository.toplevel.unwrap_or_else(|| found.to_owned()), true),
        None => (PathBuf::from("/"), false),
    })
}

/// Returns true if a repository has a named commit, or OpenCode has recorded its first commit before.
fn has_commits(found: &Path, common_dir: &Path, search: &mut Search) -> Known<bool> {
    let rule = "git is asked for the top of a repository that has commits";
    let noted = search.read(&found.join(".git/opencode"), rule)?;
    if noted.is_ok_and(|raw| !raw.trim_ascii().is_empty()) {
        return Ok(true);
    }
    let packed = search.read(&common_dir.join("packed-refs"), rule)?;
    if packed.is_ok_and(|raw| raw.split(|byte| *byte == b'\n').any(|line| line.first().is_some_and(|c| *c != b'#'))) {
        return Ok(true);
    }
    let everything = GlobFlavor::Bun { dot: false, follow: true };
    Ok(!search.glob(common_dir, "refs/**", everything, rule)?.files.is_empty())
}

/// Returns true if a global or nested file counts as existing.
pub(super) fn exists(edition: &OpenCode, path: &Path, rule: &'static str, search: &mut Search) -> Known<bool> {
    Ok(search.stat(path, rule)?.is_ok_and(|meta| match edition.counts {
        Counts::Anything => true,
        Counts::Files => matches!(meta.kind, FileType::File | FileType::Fifo),
    }))
}
