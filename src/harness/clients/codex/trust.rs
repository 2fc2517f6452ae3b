//! Trust: the `projects` table of the settings, and the git root that is looked up there.

use std::path::{Path, PathBuf};

use super::endless;
use super::history as h;
use super::layers::Layers;
use crate::harness::Version;
use crate::search::{Known, Search};
use crate::snapshot::{FileType, absolute};

/// The user's decision about a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    Trusted,
    Untrusted,
    /// There is an entry without a decision; no other place is looked up.
    Undecided,
}

/// Effect of an entry without a `trust_level`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silent {
    /// No other place is looked up (project files).
    EndsTheSearch,
    /// The next place is looked up (project settings).
    IsPassedOver,
}

/// Differences between versions in how trust is decided.
#[derive(Clone, Copy)]
pub(super) struct Behavior {
    pub keys: Keys,
    pub git_root: GitRoot,
}

/// Keys under which a place is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// Its real path, then the path as written.
    RealThenWritten,
    /// The path as written.
    Written,
}

/// Method by which the git root is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GitRoot {
    /// By `.git` and its contents.
    ByItsFiles,
    /// By the nearest entry called `.git`; the checkout to which a worktree's file points is not verified.
    ByPointer,
    /// By the nearest entry called `.git`; a FIFO in its place is read, which never ends.
    ByPointerOrFifo,
    /// By asking git, so only what git accepts as a repository counts.
    AsGitSays,
}

impl GitRoot {
    pub(super) fn for_version(version: Version) -> GitRoot {
        let looked = version.pick(&h::GIT_HOLDS_HEAD, GitRoot::ByItsFiles, GitRoot::ByPointer);
        let looked = version.pick(&h::DEVICES, looked, GitRoot::ByPointerOrFifo);
        version.pick(&h::GIT_BY_POINTER, looked, GitRoot::AsGitSays)
    }
}

impl Behavior {
    /// Returns the level of the first of `places` that has an entry.
    pub(super) fn level(
        &self,
        places: &[&Path],
        layers: &Layers,
        silent: Silent,
        search: &mut Search,
    ) -> Known<Option<Trust>> {
        for place in places {
            let physical = match self.keys {
                Keys::RealThenWritten => search.real(place)?.ok(),
                Keys::Written => None,
            };
            for key in physical.as_deref().into_iter().chain([*place]) {
                let Some(key) = key.to_str() else { continue };
                if layers.value(&["projects", key]).is_none() {
                    continue;
                }
                let level = layers.value(&["projects", key, "trust_level"]).and_then(|(node, _)| node.as_text());
                match (level, silent) {
                    (Some("trusted"), _) => return Ok(Some(Trust::Trusted)),
                    (Some("untrusted"), _) => return Ok(Some(Trust::Untrusted)),
                    (_, Silent::EndsTheSearch) => return Ok(Some(Trust::Undecided)),
                    (_, Silent::IsPassedOver) => {}
                }
            }
        }
        Ok(None)
    }

    /// Returns the git root for trust, which may differ from the root of the project files.
    pub(super) fn git_root(&self, cwd: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
        match self.git_root {
            GitRoot::ByItsFiles => by_its_files(cwd, search),
            GitRoot::ByPointer | GitRoot::ByPointerOrFifo => self.by_pointer(cwd, search),
            GitRoot::AsGitSays => as_git_says(cwd, search),
        }
    }

    /// Returns the directory of the nearest `.git`, or the checkout to which its file points.
    fn by_pointer(&self, cwd: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
        for dir in cwd.ancestors() {
            let git = dir.join(".git");
            let Ok(meta) = search.stat(&git, "trust: the git root")? else { continue };
            return match meta.kind {
                FileType::Dir => Ok(Some(dir.to_owned())),
                FileType::Fifo if self.git_root == GitRoot::ByPointerOrFifo => Err(endless(&git).into()),
                _ => {
                    let Some(pointed) = pointed(dir, &git, search)? else { return Ok(None) };
                    let real = search.real(&pointed)?.unwrap_or(pointed);
                    let worktrees = real.parent().filter(|parent| parent.ends_with("worktrees"));
                    Ok(worktrees.and_then(Path::parent).and_then(Path::parent).map(Path::to_owned))
                }
            };
        }
        Ok(None)
    }
}

/// Returns the directory of git's common directory, which lies in the main checkout, for the real path of the start
/// directory.
fn as_git_says(cwd: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    let Ok(physical) = search.real(cwd)? else { return Ok(None) };
    for dir in physical.ancestors() {
        let rule = "trust: the git root, as git finds it";
        let Ok(meta) = search.stat(&dir.join(".git"), rule)? else { continue };
        if let Some(repository) = search.git(dir, rule)? {
            let common = search.real(&repository.common_dir)?.unwrap_or(repository.common_dir);
            return Ok(common.parent().map(Path::to_owned));
        }
        // Git skips anything that is not a repository, but a file that leads to none ends its search.
        if meta.kind == FileType::File {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Finds the git root by its files. A `.git` directory must contain `HEAD`, else the search continues upwards; anything
/// else called `.git` ends it, and leads to the main checkout if it is the file of a linked worktree.
fn by_its_files(cwd: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    for dir in cwd.ancestors() {
        let git = dir.join(".git");
        let Ok(meta) = search.stat(&git, "trust: the git root")? else { continue };
        if meta.kind != FileType::Dir {
            return main_checkout(dir, &git, search);
        }
        if search.stat(&git.join("HEAD"), "trust: a git root holds HEAD")?.is_ok() {
            return Ok(Some(dir.to_owned()));
        }
    }
    Ok(None)
}

/// Returns the main checkout of the linked worktree `dir`. Its `.git` file must name `STORE/worktrees/NAME` literally,
/// the files `gitdir` and `commondir` there must point back, links resolved, and the directory that holds the store
/// must use it as its own `.git`.
fn main_checkout(dir: &Path, git_file: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    let Some(worktree_dir) = pointed(dir, git_file, search)? else { return Ok(None) };
    let Some(store) = worktree_dir.parent().filter(|parent| parent.ends_with("worktrees")).and_then(Path::parent)
    else {
        return Ok(None);
    };
    let Some(common) = pointer(&worktree_dir.join("commondir"), search)? else { return Ok(None) };
    let Some(back) = pointer(&worktree_dir.join("gitdir"), search)? else { return Ok(None) };
    let back = absolute(&worktree_dir, Path::new(&back));
    let (Ok(back), Ok(physical)) = (search.real(&back)?, search.real(dir)?) else { return Ok(None) };
    let (Ok(common), Ok(named)) = (search.real(&worktree_dir.join(common))?, search.real(store)?) else {
        return Ok(None);
    };
    if common != named || back != physical.join(".git") {
        return Ok(None);
    }
    let Some(main) = store.parent() else { return Ok(None) };
    let owned = own_store(main, search)?;
    Ok((owned == Some(named)).then(|| main.to_owned()))
}

/// Returns the real path of a checkout's repository: its `.git` directory, or the directory that its `.git` file names,
/// as is common beside a bare repository.
fn own_store(main: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    let git = main.join(".git");
    let rule = "trust: the main checkout of a linked worktree has its repository";
    let store = match search.stat(&git, rule)? {
        Ok(meta) if meta.kind == FileType::Dir => git,
        Ok(_) if search.lstat(&git, rule)?.is_ok_and(|meta| meta.kind == FileType::File) => {
            let Some(store) = pointed(main, &git, search)? else { return Ok(None) };
            store
        }
        Ok(_) | Err(_) => return Ok(None),
    };
    Ok(search.real(&store)?.ok())
}

/// Returns the path that a `.git` file in `dir` names.
fn pointed(dir: &Path, git_file: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    let text = pointer(git_file, search)?;
    let target = text.as_deref().and_then(|text| text.strip_prefix("gitdir:")).map(str::trim);
    Ok(target.filter(|target| !target.is_empty()).map(|target| absolute(dir, Path::new(target))))
}

/// Returns the trimmed text of one of git's pointer files; several lines make a path that does not exist.
fn pointer(path: &Path, search: &mut Search) -> Known<Option<String>> {
    let raw = search.read(path, "trust: a linked worktree leads to its main checkout")?;
    Ok(raw.ok().and_then(|raw| raw.as_text().map(|text| text.trim().to_owned())))
}
