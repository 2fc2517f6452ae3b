//! Walks a directory level by level, so that each level is read at once.

use std::path::{Path, PathBuf};

use super::{Known, Search};
use crate::snapshot::{Ask, Entry, FileType};

/// Maximum number of directories to list: a setting may name the root of the disk.
const FOLDER_LIMIT: usize = 10_000;

impl Search<'_> {
    /// Returns the files below `dir`, sorted by path. `takes` selects the files to return and the directories to enter;
    /// links to directories are not followed. If there are too many directories, the answer is cut short.
    pub fn files_below(&mut self, dir: &Path, rule: &str, takes: impl Fn(&Entry) -> bool) -> Known<Vec<PathBuf>> {
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
                for entry in entries.iter().filter(|entry| takes(entry)) {
                    let place = if entry.kind == FileType::Dir { &mut below } else { &mut found };
                    place.push(folder.join(&entry.name));
                }
            }
            level = below;
        }
        found.sort();
        Ok(found)
    }
}
