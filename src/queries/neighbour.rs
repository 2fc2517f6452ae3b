//! Finds a file next to an instruction file that makes an agent load the instruction file when the agent reads it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::harness::names::INSTRUCTION_FILES;
use crate::query::{Query, physical};
use crate::search::{Known, Search};
use crate::snapshot::FileType;

/// Maximum number of directories to look through.
const SEARCHED: usize = 16;

/// Size from which a file is taken only if there is no other, in bytes: a client may refuse to read it, and a failed
/// read injects no instructions (Claude Code 2.1: 25 000 tokens).
const LARGE: u64 = 32 * 1024;

/// The question which file exists in a directory or below it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Neighbour {
    dir: PathBuf,
}

impl Neighbour {
    /// Asks for a file in `dir` or below it.
    pub fn within(dir: &Path) -> Neighbour {
        Neighbour { dir: dir.to_owned() }
    }
}

impl Query for Neighbour {
    /// Path of the file, relative to the directory.
    type Out = Option<PathBuf>;

    fn run(&self, search: &mut Search) -> Known<Option<PathBuf>> {
        let Some(top) = physical(&self.dir, search)? else { return Ok(None) };
        let mut queue = VecDeque::from([top.clone()]);
        let mut large = None;
        for _ in 0..SEARCHED {
            let Some(dir) = queue.pop_front() else { break };
            let Ok(entries) = search.list(&dir, "some file that an agent may read there")? else { continue };
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by(|one, other| one.name.cmp(&other.name));
            for entry in entries.into_iter().filter(|entry| !entry.name.as_encoded_bytes().starts_with(b".")) {
                let path = dir.join(&entry.name);
                match entry.kind {
                    FileType::File if !INSTRUCTION_FILES.matches(&path) => {
                        let inside = path.strip_prefix(&top).ok().map(Path::to_owned);
                        if search.glance(&path)?.is_ok_and(|meta| meta.len <= LARGE) {
                            return Ok(inside);
                        }
                        large = large.or(inside);
                    }
                    FileType::Dir if entry.name != "node_modules" => queue.push_back(path),
                    _ => {}
                }
            }
        }
        Ok(large)
    }
}
