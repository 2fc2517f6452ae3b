//! Finds which of several paths lead to the same file, or to files with the same text but for comments.

use std::path::{Path, PathBuf};

use crate::query::Query;
use crate::search::{Known, Search};
use crate::snapshot::Ask;
use crate::text::without_comments;

const RULE: &str = "a copy is as good as the file";

/// The question which paths lead to the same file as another path, or to a copy of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Twins {
    file: PathBuf,
    paths: Vec<PathBuf>,
}

impl Twins {
    /// Asks which of `paths` lead to the same file as `file`, or hold the same text but for comments.
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
            let is_copy = match (&text, search.read(path, RULE)?) {
                (Ok(one), Ok(other)) => {
                    *one == other || without_comments(&one.text()) == without_comments(&other.text())
                }
                _ => false,
            };
            if is_copy || (real.is_ok() && real == file) {
                same.push(path.clone());
            }
        }
        Ok(same)
    }
}
