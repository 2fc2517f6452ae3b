//! A linked worktree inside its own repository: its context file hides that of the repository.

use std::path::{Path, PathBuf};

use super::Pi;
use crate::answer::Scope;
use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType, absolute};
use crate::text::js_trim;

const RULE: &str = "is this a worktree inside of its repository?";

/// Returns the real path of the repository's context file that is hidden.
pub(super) fn hidden(edition: &Pi, cwd: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    let Some((top, common)) = repository(cwd, search)? else { return Ok(None) };
    let common = real(&common, search)?;
    let top = real(&top, search)?;
    let Some(main) = common.parent() else { return Ok(None) };
    if top == main || !top.starts_with(main) || real(&main.join(".git"), search)? != common {
        return Ok(None);
    }
    let own = edition.file_of(&top, Scope::Project, search, None)?;
    Ok(own.and_then(|(path, _)| Some(main.join(path.file_name()?))))
}

/// Returns the top level of the nearest repository, and the git directory that its worktrees share.
fn repository(cwd: &Path, search: &mut Search) -> Known<Option<(PathBuf, PathBuf)>> {
    search.expect(cwd.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    for dir in cwd.ancestors() {
        let git = dir.join(".git");
        let Ok(meta) = search.stat(&git, RULE)? else { continue };
        let found = match meta.kind {
            FileType::Dir => (git.clone(), git),
            FileType::File => {
                let Ok(raw) = search.read(&git, RULE)? else { return Ok(None) };
                let text = raw.text_without_bom();
                let Some(path) = js_trim(&text).strip_prefix("gitdir: ") else { continue };
                let own = absolute(dir, Path::new(js_trim(path)));
                let common = match search.read(&own.join("commondir"), RULE)? {
                    Ok(raw) => absolute(&own, Path::new(js_trim(&raw.text()))),
                    Err(_) => own.clone(),
                };
                (own, common)
            }
            _ => continue,
        };
        let (own, common) = found;
        return Ok(search.stat(&own.join("HEAD"), RULE)?.is_ok().then(|| (dir.to_owned(), common)));
    }
    Ok(None)
}

fn real(path: &Path, search: &mut Search) -> Known<PathBuf> {
    Ok(search.real(path)?.unwrap_or_else(|_| path.to_owned()))
}
