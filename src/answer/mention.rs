//! Where a file names others: an import in it, an entry of a settings file.

use std::path::{Path, PathBuf};

/// Words in a file that name other files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The file in which they stand.
    pub file: PathBuf,
    /// The words, as a path or pattern is written there: without an `@` or quotation marks.
    pub text: String,
    /// Where they lead: to one path, whether anything is there or not, or to every file that a pattern finds.
    pub leads_to: Vec<PathBuf>,
}

impl Mention {
    /// Words in `file` that lead there.
    pub fn new(file: &Path, text: &str, leads_to: impl IntoIterator<Item = PathBuf>) -> Mention {
        Mention { file: file.to_owned(), text: text.to_owned(), leads_to: leads_to.into_iter().collect() }
    }
}
