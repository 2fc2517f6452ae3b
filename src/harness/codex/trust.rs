//! Whom Codex trusts: the `projects` table of its settings, and the git root it looks up there.

use std::path::{Path, PathBuf};

use super::settings::Layers;
use crate::search::{Search, Told};
use crate::snapshot::{Kind, absolute};
use crate::text;

/// What the user said about a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    Trusted,
    Untrusted,
}

/// The entry for the first of `places` that has one. A place is looked up by its physical path, then by its own.
pub(super) fn level(places: &[&Path], layers: &Layers, search: &mut Search) -> Told<Option<Trust>> {
    for place in places {
        let physical = search.real(place)?.ok();
        for key in physical.as_deref().into_iter().chain([*place]) {
            let Some(key) = key.to_str() else { continue };
            let level = layers.value(&["projects", key, "trust_level"]).and_then(|(node, _)| node.as_text());
            match level {
                Some("trusted") => return Ok(Some(Trust::Trusted)),
                Some("untrusted") => return Ok(Some(Trust::Untrusted)),
                Some(_) | None => {}
            }
        }
    }
    Ok(None)
}

/// The git root that trust is looked up for, which is not the root of the project files: a `.git` directory must hold
/// `HEAD`, and a `.git` file must be that of a linked worktree, which leads to the main checkout.
pub(super) fn git_root(cwd: &Path, search: &mut Search) -> Told<Option<PathBuf>> {
    for dir in cwd.ancestors() {
        let git = dir.join(".git");
        let Ok(meta) = search.stat(&git, "trust: the git root")? else { continue };
        match meta.kind {
            Kind::Dir => {
                if search.stat(&git.join("HEAD"), "trust: a git root holds HEAD")?.is_ok() {
                    return Ok(Some(dir.to_owned()));
                }
            }
            Kind::File => return main_checkout(&git, search),
            Kind::Link | Kind::Fifo | Kind::Device | Kind::Other => {}
        }
    }
    Ok(None)
}

/// The main checkout of the linked worktree whose `.git` file this is.
fn main_checkout(git_file: &Path, search: &mut Search) -> Told<Option<PathBuf>> {
    let rule = "trust: a linked worktree leads to its main checkout";
    let base = git_file.parent().unwrap_or(Path::new("/"));
    let Some(line) = first_line(git_file, rule, search)? else { return Ok(None) };
    let Some(target) = line.strip_prefix("gitdir:").map(str::trim).filter(|target| !target.is_empty()) else {
        return Ok(None);
    };
    let worktree_dir = absolute(base, Path::new(target));
    let Some(common) = first_line(&worktree_dir.join("commondir"), rule, search)? else { return Ok(None) };
    let common = absolute(&worktree_dir, Path::new(common.trim()));
    let Some(back) = first_line(&worktree_dir.join("gitdir"), rule, search)? else { return Ok(None) };
    let back = absolute(&worktree_dir, Path::new(back.trim()));
    let Ok(physical_back) = search.real(&back)? else { return Ok(None) };
    let Ok(physical_file) = search.real(git_file)? else { return Ok(None) };
    let is_worktree = worktree_dir.parent() == Some(common.join("worktrees").as_path());
    if physical_back != physical_file || !is_worktree || common.file_name() != Some(".git".as_ref()) {
        return Ok(None);
    }
    Ok(common.parent().map(Path::to_owned))
}

fn first_line(path: &Path, rule: &'static str, search: &mut Search) -> Told<Option<String>> {
    let Ok(raw) = search.read(path, rule)? else { return Ok(None) };
    Ok(text::lossy(&raw).lines().next().map(str::to_owned))
}
