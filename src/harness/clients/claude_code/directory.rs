//! Directories that variables and settings name: where they are, and how the client says them.

use std::path::{Path, PathBuf};

use icu_normalizer::ComposingNormalizer;

use crate::snapshot::absolute;

/// A directory that was named. Observed: the name is taken in Unicode's composed form, NFC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directory {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Its name, where that is no absolute path; an empty one is the working directory.
    relative: Option<String>,
}

impl Directory {
    pub(super) fn new(name: &str, cwd: &Path) -> Directory {
        let name = ComposingNormalizer::new_nfc().normalize(name);
        let relative = (!name.starts_with('/')).then(|| name.clone().into_owned());
        Directory { path: absolute(cwd, Path::new(&*name)), relative }
    }

    /// A file in it as the client says it: below a relative name relative, else in full.
    pub(super) fn said(&self, file: &Path) -> String {
        match (&self.relative, file.strip_prefix(&self.path)) {
            (Some(name), Ok(rest)) => joined(name, &rest.to_string_lossy()),
            _ => file.display().to_string(),
        }
    }
}

/// A relative directory and a file below it, as Node's `path.join` writes that.
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
