//! Walks a directory level by level, so that each level is read at once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{Known, Search};
use crate::snapshot::{Ask, Entry, FileType};

/// Maximum number of directories to list: a setting may name the root of the disk.
const FOLDER_LIMIT: usize = 10_000;

impl Search<'_> {
    /// Returns the files below `dir`, sorted by path. `takes` selects the files to return and the directories to enter;
    /// links to directories are not followed. If there are too many directories, the answer is cut short.
    pub fn files_below(&mut self, dir: &Path, rule: &str, takes: impl Fn(&Entry) -> bool) -> Known<Vec<PathBuf>> {
        self.walk(dir, rule, None, |entry, _| takes(entry))
    }

    /// Returns the files with an ending below `dir` and behind links, sorted by path; names that begin with a dot only if they are
    /// `hidden` as well. A directory counts once, on the way that the disk lists first.
    pub fn files_behind_links(&mut self, dir: &Path, rule: &str, ending: &str, hidden: bool) -> Known<Vec<PathBuf>> {
        self.walk(dir, rule, Some(HashSet::new()), |entry, is_folder| {
            let name = entry.name.as_encoded_bytes();
            (hidden || !name.starts_with(b".")) && (is_folder || name.ends_with(ending.as_bytes()))
        })
    }

    /// Walks below `dir`; links are followed if there is a set of the directories that were `seen`.
    fn walk(
        &mut self,
        dir: &Path,
        rule: &str,
        mut seen: Option<HashSet<PathBuf>>,
        takes: impl Fn(&Entry, bool) -> bool,
    ) -> Known<Vec<PathBuf>> {
        let mut found = Vec::new();
        let (mut level, mut looked_through) = (vec![dir.to_owned()], 0);
        while !level.is_empty() {
            looked_through += level.len();
            if looked_through > FOLDER_LIMIT {
                self.cut_short.get_or_insert_with(|| dir.to_owned());
                break;
            }
            self.expect(level.iter().cloned().map(Ask::Listing))?;
            let mut below = Vec::new();
            for folder in level {
                let Ok(entries) = self.list(&folder, rule.to_owned())? else { continue };
                if let Some(seen) = &mut seen
                    && !seen.insert(self.real(&folder)?.unwrap_or_else(|_| folder.clone()))
                {
                    continue;
                }
                for entry in entries.iter() {
                    let path = folder.join(&entry.name);
                    let kind = match entry.kind {
                        FileType::Link if seen.is_some() => self.glance(&path)?.map_or(entry.kind, |meta| meta.kind),
                        kind => kind,
                    };
                    if takes(entry, kind == FileType::Dir) {
                        let place = if kind == FileType::Dir { &mut below } else { &mut found };
                        place.push(path);
                    }
                }
            }
            level = below;
        }
        found.sort();
        Ok(found)
    }
}
