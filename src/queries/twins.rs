//! Finds which of several paths lead to one file.

use std::path::{Path, PathBuf};

use crate::query::Query;
use crate::search::{Known, Search};
use crate::snapshot::Ask;

/// The question which paths lead to the same file as another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Twins {
    file: PathBuf,
    paths: Vec<PathBuf>,
}

impl Twins {
    /// Asks which of `paths` lead to `file`, or to where it leads.
    pub fn of(file: &Path, paths: Vec<PathBuf>) -> Twins {
        Twins { file: file.to_owned(), paths }
    }
}

impl Query for Twins {
    type Out = Vec<PathBuf>;

    fn run(&self, search: &mut Search) -> Known<Vec<PathBuf>> {
        search.expect(self.paths.iter().chain([&self.file]).cloned().map(Ask::Real))?;
        let file = search.real(&self.file)?;
        let mut same = Vec::new();
        for path in &self.paths {
            let real = search.real(path)?;
            if real.is_ok() && real == file {
                same.push(path.clone());
            }
        }
        Ok(same)
    }
}
