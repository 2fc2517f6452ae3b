//! Finds which of several paths lead to the same file, or to files with the same text.

use std::path::{Path, PathBuf};

use crate::query::Query;
use crate::search::{Known, Search};
use crate::snapshot::Ask;

const RULE: &str = "a copy is as good as the file";

/// The question which paths lead to the same file as another path, or to a copy of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Twins {
    file: PathBuf,
    paths: Vec<PathBuf>,
}

impl Twins {
    /// Asks which of `paths` lead to the same file as `file`, or hold the same text.
    pub fn of(file: &Path, paths: Vec<PathBuf>) -> Twins {
        Twins { file: file.to_owned(), paths }
    }
}

impl Query for Twins {
    type Out = Vec<PathBuf>;

    fn run(&self, search: &mut Search) -> Known<Vec<PathBuf>> {
        let all = self.paths.iter().chain([&self.file]).cloned();
        search.expect(all.flat_map(|path| [Ask::Real(path.clone()), Ask::Content(path)]))?;
        let file = search.real(&self.file)?;
        let text = search.read(&self.file, RULE)?;
        let mut same = Vec::new();
        for path in &self.paths {
            let real = search.real(path)?;
            let is_copy = text.is_ok() && search.read(path, RULE)? == text;
            if is_copy || (real.is_ok() && real == file) {
                same.push(path.clone());
            }
        }
        Ok(same)
    }
}
