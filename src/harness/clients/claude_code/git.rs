//! The git root of a directory, and the main checkout of a linked worktree, as Claude Code finds them without git.

use std::path::{Path, PathBuf};

use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType, absolute};

/// The git checkout of a session.
pub(super) struct Checkout {
    /// Nearest directory with an entry `.git` that exists, links followed.
    pub(super) root: PathBuf,
    /// Main checkout that a linked worktree belongs to; otherwise `root` itself.
    pub(super) main: PathBuf,
}

/// Returns the checkout that contains `cwd`.
pub(super) fn checkout(cwd: &Path, search: &mut Search) -> Known<Option<Checkout>> {
    search.expect(cwd.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    for dir in cwd.ancestors() {
        let git = dir.join(".git");
        let Ok(meta) = search.stat(&git, "the git root: approvals and memory belong to it")? else { continue };
        let main = match meta.kind {
            FileType::File => main_checkout(dir, &git, search)?,
            _ => None,
        };
        return Ok(Some(Checkout { root: dir.to_owned(), main: main.unwrap_or_else(|| dir.to_owned()) }));
    }
    Ok(None)
}

/// Returns the main checkout, if the worktree and the checkout refer to each other.
fn main_checkout(dir: &Path, git: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    let Some(pointer) = pointer(git, search)? else { return Ok(None) };
    let Some(target) = pointer.strip_prefix("gitdir:").map(str::trim) else { return Ok(None) };
    let admin = absolute(dir, Path::new(target));
    let (common, back) = (admin.join("commondir"), admin.join("gitdir"));
    search.expect([Ask::Content(common.clone()), Ask::Content(back.clone())])?;
    let Some(common) = self::pointer(&common, search)? else { return Ok(None) };
    let Some(back) = self::pointer(&back, search)? else { return Ok(None) };
    let common = absolute(&admin, Path::new(&common));
    let (Ok(back), Ok(here)) = (search.real(&absolute(&admin, Path::new(&back)))?, search.real(dir)?) else {
        return Ok(None);
    };
    let known = admin.parent() == Some(common.join("worktrees").as_path()) && back == here.join(".git");
    Ok(common.parent().filter(|_| known && common.file_name() == Some(".git".as_ref())).map(Path::to_owned))
}

fn pointer(path: &Path, search: &mut Search) -> Known<Option<String>> {
    let raw = search.read(path, "a linked worktree leads to its main checkout")?;
    Ok(raw.ok().and_then(|raw| raw.as_text().map(|text| text.trim().to_owned())))
}
