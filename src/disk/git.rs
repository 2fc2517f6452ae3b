//! Discovers the repository of a directory as git does (`setup.c` of git 2.47), without running git.
//!
//! Agents ask git itself, so what git accepts is decisive: an empty `.git` directory is ignored, a `.git` file with a
//! missing target ends the search, a linked worktree has its own top. Environment variables (`GIT_DIR`,
//! `GIT_CEILING_DIRECTORIES` …) and `safe.directory` are not considered. `tests/git.rs` compares this with the real
//! git.
//!
//! Layers, from the bottom up: `ids`, `reading`, `packs`, `objects`, `config` and `refs`, then this file, then
//! `history` and `at_revision`.

use std::path::{Path, PathBuf};

use super::Filesystem;
use crate::snapshot::{Errno, FileType, Repository, absolute};

mod at_revision;
mod config;
mod history;
mod ids;
mod objects;
mod packs;
mod reading;
mod refs;

pub use at_revision::AtRevision;
use config::Config;
pub use history::Change;

/// Maximum size of a `.git` file that git reads, in bytes (`read_gitfile_gently`, git 2.47).
const GITFILE_LIMIT_BYTES: u64 = 1 << 20;

/// Returns the repository that git finds from `dir` upwards; `None` if `git rev-parse --git-dir` fails there.
pub fn repository(fs: &dyn Filesystem, dir: &Path) -> Option<Repository> {
    discovered(fs, dir).map(|(_, repository)| repository)
}

/// Returns the repository together with the git directory of the working tree.
fn discovered(fs: &dyn Filesystem, dir: &Path) -> Option<(PathBuf, Repository)> {
    let opened = |git_dir: PathBuf, top| Some((git_dir.clone(), open(fs, &git_dir, top)?));
    let device = |dir: &Path| fs.stat(dir).map(|meta| meta.identity.0).ok();
    let start = device(dir);
    for at in dir.ancestors() {
        if at != dir && device(at) != start {
            // Git does not cross file systems.
            return None;
        }
        let entry = at.join(".git");
        match gitfile(fs, &entry) {
            Gitfile::LeadsTo(git_dir) => return opened(git_dir, Some(at)),
            Gitfile::Broken => return None,
            Gitfile::None => {}
            Gitfile::Other => {
                if is_git_dir(fs, &entry)? {
                    return opened(entry, Some(at));
                }
            }
        }
        if is_git_dir(fs, at)? {
            return opened(at.to_owned(), None);
        }
    }
    None
}

/// The kind of a `.git` entry.
enum Gitfile {
    LeadsTo(PathBuf),
    /// A file at which git gives up.
    Broken,
    /// Missing or unreadable; git continues with the next directory.
    None,
    /// Not a regular file.
    Other,
}

fn gitfile(fs: &dyn Filesystem, path: &Path) -> Gitfile {
    let Ok(meta) = fs.stat(path) else { return Gitfile::None };
    if meta.kind != FileType::File {
        return Gitfile::Other;
    }
    let leads_to = || {
        if meta.len > GITFILE_LIMIT_BYTES {
            return None;
        }
        let raw = fs.read(path).ok()?;
        let target = trimmed(raw.strip_prefix(b"gitdir: ")?)?;
        let git_dir = path.parent()?.join(target);
        is_git_dir(fs, &git_dir)?.then(|| fs.real_path(&git_dir).ok()).flatten()
    };
    leads_to().map_or(Gitfile::Broken, Gitfile::LeadsTo)
}

/// Removes trailing line ends; `None` if nothing is left.
fn trimmed(raw: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(raw).ok()?.trim_end_matches(['\n', '\r']);
    (!text.is_empty()).then_some(text)
}

/// Implements git's `is_git_directory`: requires a valid HEAD, `objects` and `refs`. `None` if git exits with an error.
fn is_git_dir(fs: &dyn Filesystem, dir: &Path) -> Option<bool> {
    if !valid_head(fs, &dir.join("HEAD")) {
        return Some(false);
    }
    let common = common_dir(fs, dir)?.unwrap_or_else(|| dir.to_owned());
    let directory = |name: &str| fs.stat(&common.join(name)).is_ok_and(|meta| meta.kind == FileType::Dir);
    Some(directory("objects") && directory("refs"))
}

fn valid_head(fs: &dyn Filesystem, head: &Path) -> bool {
    if let Ok(target) = fs.read_link(head) {
        return target.as_os_str().as_encoded_bytes().starts_with(b"refs/");
    }
    let Ok(raw) = fs.read(head) else { return false };
    // Git reads the first 255 bytes only.
    let raw = &raw[..raw.len().min(255)];
    if let Some(name) = raw.strip_prefix(b"ref:")
        && name.trim_ascii_start().starts_with(b"refs/")
    {
        return true;
    }
    raw.iter().take_while(|byte| byte.is_ascii_hexdigit()).count() >= 40
}

/// Returns the target of a linked worktree's `commondir` file. The outer `None` means that git exits with an error.
fn common_dir(fs: &dyn Filesystem, git_dir: &Path) -> Option<Option<PathBuf>> {
    let file = git_dir.join("commondir");
    if fs.lstat(&file).is_err() {
        return Some(None);
    }
    let raw = fs.read(&file).ok()?;
    let text = std::str::from_utf8(&raw).ok()?.trim_end_matches(['\n', '\r']);
    real_path(fs, &git_dir.join(text)).map(Some)
}

/// Implements git's own `realpath`, which allows the last component to be missing.
fn real_path(fs: &dyn Filesystem, path: &Path) -> Option<PathBuf> {
    match fs.real_path(path) {
        Ok(real) => Some(real),
        Err(Errno::NOENT) => {
            let path = absolute(Path::new("/"), path);
            Some(fs.real_path(path.parent()?).ok()?.join(path.file_name()?))
        }
        Err(_) => None,
    }
}

/// Opens a repository and reads its settings; `top` is the directory that holds its `.git`, `None` for a bare
/// repository.
fn open(fs: &dyn Filesystem, git_dir: &Path, top: Option<&Path>) -> Option<Repository> {
    let shared = common_dir(fs, git_dir)?;
    let common = shared.clone().unwrap_or_else(|| git_dir.to_owned());
    let read = |path: PathBuf| match fs.read(&path) {
        Ok(raw) => Config::parse(&raw),
        Err(_) if fs.stat(&path).is_err() => Some(Config::default()),
        Err(_) => None,
    };
    let mut config = read(common.join("config"))?;
    // Git exits on an invalid value anywhere, but ignores settings without a format version.
    let (readable, _, _) = (config.is_readable()?, config.bare()?, config.worktree()?);
    if !config.names_a_format() {
        config = Config::default();
    } else if !readable {
        return None;
    }
    // A linked worktree shares neither `core.bare` nor `core.worktree`, unless each worktree has its own settings.
    let own = if config.per_worktree()? {
        let more = read(git_dir.join("config.worktree"))?;
        config.followed_by(more)
    } else if shared.is_some() {
        Config::default()
    } else {
        config
    };
    let bare = own.bare()?;
    let toplevel = match own.worktree()? {
        Some(_) if bare == Some(true) => None,
        Some(worktree) => {
            let path = git_dir.join(&worktree);
            // Git enters a relative path and only resolves an absolute one.
            let reached = if Path::new(&worktree).is_absolute() {
                real_path(fs, &path)
            } else {
                fs.real_path(&path).ok().filter(|path| fs.stat(path).is_ok_and(|meta| meta.kind == FileType::Dir))
            };
            Some(reached?)
        }
        None if bare == Some(true) => None,
        None => top.map(Path::to_owned),
    };
    Some(Repository { toplevel, common_dir: common })
}
