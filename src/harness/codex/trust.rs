//! Whom Codex trusts: the `projects` table of its settings, and the git root it looks up there.

use std::path::{Path, PathBuf};

use super::settings::Layers;
use crate::search::{Search, Told};
use crate::snapshot::{Kind, absolute};

/// What the user said about a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    Trusted,
    Untrusted,
    /// There is an entry, but it says nothing; no other place is asked.
    Undecided,
}

/// What an entry without a `trust_level` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silent {
    /// No other place is asked (project files).
    EndsTheSearch,
    /// The next place is asked (project settings).
    IsPassedOver,
}

/// The entry for the first of `places` that has one. A place is looked up by its physical path, then by its own.
pub(super) fn level(places: &[&Path], layers: &Layers, silent: Silent, search: &mut Search) -> Told<Option<Trust>> {
    for place in places {
        let physical = search.real(place)?.ok();
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

/// The git root that trust is looked up for, which is not the root of the project files: a `.git` directory must hold
/// `HEAD`, else the search goes on upwards; anything else called `.git` ends it, and leads to the main checkout if it is
/// the file of a linked worktree.
pub(super) fn git_root(cwd: &Path, search: &mut Search) -> Told<Option<PathBuf>> {
    for dir in cwd.ancestors() {
        let git = dir.join(".git");
        let Ok(meta) = search.stat(&git, "trust: the git root")? else { continue };
        if meta.kind != Kind::Dir {
            return main_checkout(dir, &git, search);
        }
        if search.stat(&git.join("HEAD"), "trust: a git root holds HEAD")?.is_ok() {
            return Ok(Some(dir.to_owned()));
        }
    }
    Ok(None)
}

/// The main checkout of the linked worktree `dir`: its `.git` file names `MAIN/.git/worktrees/NAME`, and the files
/// `gitdir` and `commondir` there point back.
fn main_checkout(dir: &Path, git_file: &Path, search: &mut Search) -> Told<Option<PathBuf>> {
    let Some(text) = pointer(git_file, search)? else { return Ok(None) };
    let Some(target) = text.strip_prefix("gitdir:").map(str::trim) else { return Ok(None) };
    let worktree_dir = absolute(dir, Path::new(target));
    let Some(common) = pointer(&worktree_dir.join("commondir"), search)? else { return Ok(None) };
    let Some(back) = pointer(&worktree_dir.join("gitdir"), search)? else { return Ok(None) };
    let common = absolute(&worktree_dir, Path::new(&common));
    let back = absolute(&worktree_dir, Path::new(&back));
    let (Ok(back), Ok(physical)) = (search.real(&back)?, search.real(dir)?) else { return Ok(None) };
    let is_worktree = worktree_dir.parent() == Some(common.join("worktrees").as_path());
    let consistent = is_worktree && back == physical.join(".git") && common.file_name() == Some(".git".as_ref());
    Ok(common.parent().filter(|_| consistent).map(Path::to_owned))
}

/// The trimmed text of one of git's pointer files; more than one line makes a path that does not exist.
fn pointer(path: &Path, search: &mut Search) -> Told<Option<String>> {
    let raw = search.read(path, "trust: a linked worktree leads to its main checkout")?;
    Ok(raw.ok().and_then(|raw| std::str::from_utf8(&raw).ok().map(|text| text.trim().to_owned())))
}
