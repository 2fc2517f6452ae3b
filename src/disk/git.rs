//! What git would say about a directory, without running git.

use std::path::Path;

use super::Filesystem;
use crate::snapshot::{Kind, Repository};

/// The repository that git finds from `dir`, which holds an entry `.git`; `None` when git gives up there.
pub fn repository(fs: &dyn Filesystem, dir: &Path) -> Option<Repository> {
    let entry = dir.join(".git");
    let meta = fs.stat(&entry).ok()?;
    if meta.kind != Kind::Dir {
        return None;
    }
    let head = fs.read(&entry.join("HEAD")).ok()?;
    let directory = |name: &str| fs.stat(&entry.join(name)).is_ok_and(|meta| meta.kind == Kind::Dir);
    let plausible = head.starts_with(b"ref: refs/") && directory("objects") && directory("refs");
    plausible.then(|| Repository { toplevel: dir.to_owned(), common_dir: entry })
}
