//! Finds the known instruction files that may mention a file: those that contain its name. The workspace is not searched. The
//! names in a file are collected when first needed, and again after it has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::workspace::EventSource;
use super::{Core, Error};
use crate::answer::Resolution;
use crate::disk::Filesystem;
use crate::request::beside;
use crate::snapshot::Change;

/// Maximum number of directories above a file that are asked for mentions of it.
const ABOVE_LIMIT: usize = 16;

/// Names that instruction files mention, as far as they are known.
#[derive(Default)]
pub(crate) struct Mentions(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Hashes of the names in each file, sorted.
    names: BTreeMap<PathBuf, Box<[u64]>>,
    /// Number of changes so far; what was read before a change is not kept.
    tick: u64,
}

impl Mentions {
    /// Invalidates the files that a change affects.
    pub fn forget(&self, changes: &[Change]) {
        let mut known = self.lock();
        known.tick += 1;
        for change in changes {
            match change {
                Change::Everything => known.names.clear(),
                Change::Path(path) | Change::Content(path) => {
                    let from = known.names.range(path.clone()..).map(|(file, _)| file);
                    let touched: Vec<PathBuf> = from.take_while(|file| file.starts_with(path)).cloned().collect();
                    for file in touched {
                        known.names.remove(&file);
                    }
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Core {
    /// Returns the answers that may mention a file, or something below a directory: those of agents started beside it,
    /// above it, and beside every instruction file that contains its name.
    pub(crate) fn answers_about(self: &Arc<Self>, target: &Path) -> Result<Vec<Arc<Resolution>>, Error> {
        let with_name = self.files_with_the_name_of(target, self.instruction_files_known());
        let folder = self.session().folder_of(target).cloned();
        let top = folder.map_or_else(|| beside(target), |folder| self.files.real(&folder));
        let above = target.ancestors().skip(1).take(ABOVE_LIMIT).take_while(|dir| dir.starts_with(&top));
        let mut dirs: BTreeSet<PathBuf> = above.map(Path::to_owned).collect();
        dirs.insert(beside(target));
        dirs.extend(with_name.iter().map(|file| beside(file)));
        let mut answers = Vec::new();
        for dir in dirs {
            // Any path in the directory will do; it need not exist.
            answers.extend(self.about(&dir.join("x"))?);
        }
        Ok(answers)
    }

    /// Returns the instruction files of the workspace folders that are known.
    pub(crate) fn instruction_files_known(self: &Arc<Self>) -> Vec<PathBuf> {
        let folders = self.session().folders.clone();
        let mut files = BTreeSet::new();
        for folder in folders {
            files.extend(self.files_of(&self.files.real(&folder)).files);
        }
        files.into_iter().collect()
    }

    pub(crate) fn files_with_the_name_of(&self, target: &Path, files: Vec<PathBuf>) -> Vec<PathBuf> {
        let Some(name) = target.file_name().map(hashed) else { return Vec::new() };
        let tick = self.mentions.lock().tick;
        let mut learned = Vec::new();
        let mut found = Vec::new();
        for file in files {
            let known = self.mentions.lock().names.get(&file).map(|names| names.contains(&name));
            let has_it = known.unwrap_or_else(|| {
                let Ok(raw) = self.files.read(&file) else { return false };
                let names = names(&raw);
                let has_it = names.contains(&name);
                learned.push((file.clone(), names));
                has_it
            });
            found.extend(has_it.then_some(file));
        }
        let mut known = self.mentions.lock();
        if known.tick == tick && self.told() == EventSource::System {
            known.names.extend(learned);
        }
        found
    }
}

/// Maximum length of a path, in bytes.
const LONGEST_PATH: usize = 4096;

/// Returns the hashes of all names in the paths of a text: those after `@` or `#[[file:`.
fn names(raw: &[u8]) -> Box<[u64]> {
    let mut found = BTreeSet::new();
    let text = crate::text::lossy(raw);
    let starts = text.match_indices('@').map(|(at, _)| at + 1);
    for start in starts.chain(text.match_indices("#[[file:").map(|(at, mark)| at + mark.len())) {
        let rest = text[start..].trim_start_matches(' ');
        let rest = &rest[..rest.floor_char_boundary(LONGEST_PATH)];
        let mut is_escaped = false;
        let ends = |c: char| {
            let ends =
                c.is_whitespace() && !(c == ' ' && is_escaped) || matches!(c, '"' | '\'' | '`' | '<' | '>' | '#');
            is_escaped = c == '\\';
            ends
        };
        let path = match rest.find(ends) {
            Some(end) => &rest[..end],
            None if rest.len() == LONGEST_PATH => continue,
            None => rest,
        };
        let path = path.replace("\\ ", " ");
        for name in path.split('/') {
            let bare = name.trim_end_matches([',', '.', ';', ':', '!', '?', ')', ']', '}', '*']);
            found.extend([name, bare].into_iter().filter(|name| !name.is_empty()).map(OsStr::new).map(hashed));
        }
    }
    found.into_iter().collect()
}

fn hashed(name: &OsStr) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_on_the_way_is_known() {
        let names = names(b"See @docs/a.md, (@./x/b.md) and @c\\ d.md#part\n#[[file: api/e.yaml]]\nplain.md");
        for (name, known) in
            [("docs", true), ("a.md", true), ("b.md", true), ("c d.md", true), ("e.yaml", true), ("plain.md", false)]
        {
            assert_eq!(names.contains(&hashed(OsStr::new(name))), known, "{name}");
        }
    }
}
