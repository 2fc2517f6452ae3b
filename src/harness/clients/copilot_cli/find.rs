//! Finds files by name, ignoring letter case.

use std::path::{Path, PathBuf};

use crate::search::{Known, Search};
use crate::snapshot::FileType;

/// Returns the file with this name in `dir`: with the exact letter case if it exists, otherwise in another.
pub(super) fn named(dir: &Path, name: &str, search: &mut Search) -> Known<Option<PathBuf>> {
    let Ok(entries) = search.list(dir, "names are found whatever their letter case")? else { return Ok(None) };
    let mut names: Vec<_> = entries.iter().filter(|entry| entry.name.eq_ignore_ascii_case(name)).collect();
    names.sort_by(|one, other| (one.name != name, &one.name).cmp(&(other.name != name, &other.name)));
    for entry in names {
        let path = dir.join(&entry.name);
        match search.stat(&path, "one file of each name")? {
            Ok(meta) if meta.kind != FileType::Dir => return Ok(Some(path)),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(None)
}
