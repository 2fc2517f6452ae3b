//! Finds which files git ignores, so that each machine has its own, or none.

use std::path::{Path, PathBuf};

use super::references::is_ignored;
use crate::harness::names::beside;
use crate::query::{Query, physical};
use crate::search::{Known, Search};

/// The question which of several files git ignores.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IgnoredByGit {
    base: PathBuf,
    files: Vec<PathBuf>,
}

impl IgnoredByGit {
    /// Asks which of `files`, which `file` names, git ignores.
    pub fn of(file: &Path, files: Vec<PathBuf>) -> IgnoredByGit {
        IgnoredByGit { base: beside(file), files }
    }
}

impl Query for IgnoredByGit {
    type Out = Vec<PathBuf>;

    fn run(&self, search: &mut Search) -> Known<Vec<PathBuf>> {
        let Some(base) = physical(&self.base, search)? else { return Ok(Vec::new()) };
        let mut ignored = Vec::new();
        for file in &self.files {
            if is_ignored(&base, &file.to_string_lossy(), search)? {
                ignored.push(file.clone());
            }
        }
        Ok(ignored)
    }
}
