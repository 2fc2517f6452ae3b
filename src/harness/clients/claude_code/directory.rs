//! Directories named by variables and settings: their location, and how the client displays them.

use std::path::{Path, PathBuf};

use icu_normalizer::ComposingNormalizer;

use crate::snapshot::absolute;

/// A directory named by a variable or a setting. Observed: the client normalizes the name to Unicode's composed form,
/// NFC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directory {
    /// Absolute path of the directory.
    pub(super) path: PathBuf,
    /// The name as written, if it is not an absolute path; the empty name is the working directory.
    relative: Option<String>,
}

impl Directory {
    pub(super) fn new(name: &str, cwd: &Path) -> Directory {
        let name = ComposingNormalizer::new_nfc().normalize(name);
        let relative = (!name.starts_with('/')).then(|| name.clone().into_owned());
        Directory { path: absolute(cwd, Path::new(&*name)), relative }
    }

    /// Formats the path of a file in the directory as the client does: relative if the directory's name is relative,
    /// otherwise absolute.
    pub(super) fn said(&self, file: &Path) -> String {
        match (&self.relative, file.strip_prefix(&self.path)) {
            (Some(name), Ok(rest)) => joined(name, &rest.to_string_lossy()),
            _ => file.display().to_string(),
        }
    }
}

/// Joins a relative directory and a file below it as Node's `path.join` does.
fn joined(dir: &str, file: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in dir.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.push(file);
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_directories_are_joined_as_node_joins_them() {
        for (dir, path) in [
            ("c", "c/F"),
            ("./c//d/", "c/d/F"),
            ("c/../d", "d/F"),
            ("../c", "../c/F"),
            ("c/../..", "../F"),
            ("../../c/..", "../../F"),
            (".", "F"),
            ("", "F"),
        ] {
            assert_eq!(joined(dir, "F"), path, "{dir:?}");
        }
    }

    #[test]
    fn names_are_composed() {
        let directory = Directory::new("e\u{301}", Path::new("/e\u{301}"));
        assert_eq!(directory.path, Path::new("/e\u{301}/é"));
        assert_eq!(directory.said(Path::new("/e\u{301}/é/F")), "é/F");
    }
}
