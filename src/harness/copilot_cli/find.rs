//! Finds files by name whatever their letter case, and rule files below a folder.

use std::path::{Path, PathBuf};

use crate::search::{Search, Told};
use crate::snapshot::{Ask, Kind, relative};

/// A file that is there.
pub(super) struct Found {
    pub path: PathBuf,
    /// The directory that its path is written from, if not in full.
    seen_from: Option<PathBuf>,
}

impl Found {
    /// The same file under another path.
    pub(super) fn at(self, path: PathBuf) -> Found {
        Found { path, ..self }
    }

    /// The path as the client writes it.
    pub(super) fn shown(&self) -> String {
        match &self.seen_from {
            Some(dir) => relative(dir, &self.path),
            None => self.path.display().to_string(),
        }
    }
}

/// How deep folders of rules are gone through; the client knows no such limit.
const FOLDER_DEPTH: usize = 64;

/// The file of that name in `dir`: as written, else in another letter case.
pub(super) fn named(dir: &Path, name: &str, search: &mut Search) -> Told<Option<Found>> {
    let Ok(entries) = search.list(dir, "names are found whatever their letter case")? else { return Ok(None) };
    let mut names: Vec<_> = entries.iter().filter(|entry| entry.name.eq_ignore_ascii_case(name)).collect();
    names.sort_by(|one, other| (one.name != name, &one.name).cmp(&(other.name != name, &other.name)));
    for entry in names {
        let path = dir.join(&entry.name);
        match search.stat(&path, "one file of each name")? {
            Ok(meta) if meta.kind != Kind::Dir => return Ok(Some(Found { path, seen_from: None })),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(None)
}

/// Every file below `dir` whose name has that ending and something before it, sorted by path. Hidden files and folders
/// are passed over, and folders behind links are not entered.
pub(super) fn rules_below(dir: &Path, ending: &str, seen_from: Option<&Path>, search: &mut Search) -> Told<Vec<Found>> {
    let mut found = Vec::new();
    let mut level = vec![dir.to_owned()];
    for _ in 0..FOLDER_DEPTH {
        search.expect(level.iter().cloned().map(Ask::Listing))?;
        let mut below = Vec::new();
        for folder in level {
            let Ok(entries) = search.list(&folder, format!("files that end in {ending}"))? else { continue };
            for entry in entries.iter() {
                let name = entry.name.to_string_lossy().to_lowercase();
                if name.starts_with('.') {
                    continue;
                }
                let path = folder.join(&entry.name);
                match entry.kind {
                    Kind::Dir => below.push(path),
                    _ if name.len() > ending.len() && name.ends_with(ending) => found.push(path),
                    _ => {}
                }
            }
        }
        if below.is_empty() {
            break;
        }
        level = below;
    }
    found.sort();
    search.expect(found.iter().cloned().flat_map(|path| [Ask::Kind(path.clone()), Ask::Content(path)]))?;
    let mut files = Vec::new();
    for path in found {
        if search.stat(&path, "a rule file")?.is_ok_and(|meta| meta.kind != Kind::Dir) {
            files.push(Found { path, seen_from: seen_from.map(Path::to_owned) });
        }
    }
    Ok(files)
}
