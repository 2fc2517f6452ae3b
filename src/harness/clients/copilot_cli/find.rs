//! Finds files by name, ignoring letter case, and the directories of a project.

use std::path::{Path, PathBuf};

use crate::answer::Standpoint;
use crate::search::{Known, Search};
use crate::snapshot::FileType;

/// Returns the file with this name in `dir`: with the exact letter case if it exists, otherwise the first that the disk
/// lists in another.
pub(super) fn named(dir: &Path, name: &str, search: &mut Search) -> Known<Option<PathBuf>> {
    let Ok(entries) = search.list(dir, "names are found whatever their letter case")? else { return Ok(None) };
    let mut names: Vec<_> = entries.iter().filter(|entry| entry.name.eq_ignore_ascii_case(name)).collect();
    names.sort_by_key(|entry| entry.name != name);
    for entry in names {
        let path = dir.join(&entry.name);
        match search.stat(&path, "one file of each name")? {
            Ok(meta) if meta.kind != FileType::Dir => return Ok(Some(path)),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(None)
}

/// Returns the directories whose folder `name` belongs to the project, from the working directory up to the
/// repository's root; without a repository, up to the home directory, or up to `/` outside of it. `.claude` in the home
/// directory belongs to no project.
pub(super) fn levels<'a>(
    at: &'a Standpoint,
    repository: Option<&'a Path>,
    name: &str,
) -> impl Iterator<Item = &'a Path> + use<'a> {
    let end = repository.unwrap_or(if at.cwd.starts_with(&at.home) { &at.home } else { Path::new("/") });
    let is_claudes = name.starts_with(".claude/");
    let dirs = at.cwd.ancestors().take_while(move |dir| dir.starts_with(end));
    dirs.filter(move |dir| !is_claudes || *dir != at.home)
}
