//! References from one file to others: imports, and entries of settings files.

use std::path::{Path, PathBuf};

/// A text in a file that names other files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// File that contains the text.
    pub file: PathBuf,
    /// Path or pattern as written, without `@` or quotation marks.
    pub text: String,
    /// Targets: one path, which may not exist, or every file that a pattern matches.
    pub leads_to: Vec<PathBuf>,
}

impl Mention {
    /// Creates a mention of `leads_to` in `file`.
    pub fn new(file: &Path, text: &str, leads_to: impl IntoIterator<Item = PathBuf>) -> Mention {
        Mention { file: file.to_owned(), text: text.to_owned(), leads_to: leads_to.into_iter().collect() }
    }
}
