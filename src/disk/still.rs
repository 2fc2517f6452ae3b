//! A file system that does not change: each directory is listed once, and names that it lacks are not looked up.
//!
//! Agents look for dozens of names in every directory, and nearly all of them are absent.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dashmap::DashMap;

use super::Filesystem;
use crate::snapshot::{Content, Entry, Errno, Meta, Remote, Unreadable};

/// Maximum number of directories whose names are held; the system is asked about names in others.
const MOST: usize = 32 * 1024;

/// A file system in which nothing below a directory changes while it is used.
pub struct Still<F> {
    fs: F,
    /// Physical path of that directory. Outside there may be files that no listing shows, such as those of processes or
    /// automatic mounts.
    root: PathBuf,
    names: DashMap<PathBuf, Names>,
}

#[derive(Clone)]
enum Names {
    /// Names in lower case, since some file systems ignore case.
    These(Arc<HashSet<Vec<u8>>>),
    /// The directory does not exist.
    Absent,
    /// The directory cannot be listed; its names may still be looked up.
    Unknown,
}

impl<F: Filesystem> Still<F> {
    /// Wraps `fs`, assuming that nothing changes below `root`, a physical path.
    pub fn below(root: &Path, fs: F) -> Still<F> {
        Still { fs, root: root.to_owned(), names: DashMap::new() }
    }

    /// Returns true if the listing of the path's directory shows that the path does not exist.
    fn is_absent(&self, path: &Path) -> bool {
        let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return false };
        // Other paths may cause another error, so the system is asked.
        let is_plain = |bytes: &[u8]| bytes.is_ascii() && bytes.len() <= 255 && !bytes.contains(&0);
        let name = name.as_encoded_bytes();
        if !dir.starts_with(&self.root) || !is_plain(name) || path.as_os_str().len() > 1024 {
            return false;
        }
        match self.names(dir) {
            Names::These(names) => !names.contains(&name.to_ascii_lowercase()),
            Names::Absent => true,
            Names::Unknown => false,
        }
    }

    fn names(&self, dir: &Path) -> Names {
        if let Some(names) = self.names.get(dir) {
            return names.clone();
        }
        if self.names.len() >= MOST {
            return Names::Unknown;
        }
        let names = if self.is_absent(dir) {
            Names::Absent
        } else {
            match self.fs.list(dir) {
                Ok(entries) => names_of(&entries),
                Err(Errno::NOENT) => Names::Absent,
                Err(_) => Names::Unknown,
            }
        };
        self.names.insert(dir.to_owned(), names.clone());
        names
    }
}

fn names_of(entries: &[Entry]) -> Names {
    let lower_case = |entry: &Entry| entry.name.as_encoded_bytes().to_ascii_lowercase();
    Names::These(Arc::new(entries.iter().map(lower_case).collect()))
}

impl<F: Filesystem> Filesystem for Still<F> {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        if self.is_absent(path) { Err(Errno::NOENT) } else { self.fs.stat(path) }
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        if self.is_absent(path) { Err(Errno::NOENT) } else { self.fs.lstat(path) }
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        if self.is_absent(path) { Err(Errno::NOENT) } else { self.fs.read_link(path) }
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        if self.is_absent(path) { Err(Errno::NOENT) } else { self.fs.real_path(path) }
    }

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        if self.is_absent(path) { Err(Unreadable::Errno(Errno::NOENT)) } else { self.fs.read(path) }
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        if self.is_absent(path) {
            return Err(Errno::NOENT);
        }
        let entries = self.fs.list(path)?;
        if path.starts_with(&self.root) && self.names.len() < MOST {
            self.names.entry(path.to_owned()).or_insert_with(|| names_of(&entries));
        }
        Ok(entries)
    }

    fn is_wanted(&self) -> bool {
        self.fs.is_wanted()
    }

    fn fetched(&self, url: &str) -> Remote {
        self.fs.fetched(url)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write to scratch directories")]
mod tests {
    use super::*;
    use crate::disk::Real;

    #[test]
    fn it_says_what_the_disk_says() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let root = scratch.path().canonicalize().expect("it is there");
        std::fs::create_dir_all(root.join("a/b")).expect("it is made");
        std::fs::write(root.join("a/Rules.md"), "text").expect("it is written");
        let still = Still::below(&root, Real);
        let long = "x".repeat(300);
        for path in
            ["", "a", "a/Rules.md", "a/rules.md", "a/none.md", "a/b/none/deeper/AGENTS.md", "a/Rules.md/x", &long]
                .iter()
                .chain(&["a/none/../b", "a/../none", "a/b/..", "a/x\0y", "../none-of-these"])
        {
            let path = root.join(path);
            assert_eq!(still.stat(&path).map(|meta| meta.kind), Real.stat(&path).map(|meta| meta.kind), "{path:?}");
            assert_eq!(still.lstat(&path), Real.lstat(&path), "{path:?}");
            assert_eq!(still.read_link(&path), Real.read_link(&path), "{path:?}");
            assert_eq!(still.real_path(&path), Real.real_path(&path), "{path:?}");
            assert_eq!(still.read(&path), Real.read(&path), "{path:?}");
            assert_eq!(still.list(&path).map(|all| all.len()), Real.list(&path).map(|all| all.len()), "{path:?}");
        }
    }

    #[test]
    fn of_more_directories_than_are_held_the_disk_is_asked() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let root = scratch.path().canonicalize().expect("it is there");
        let still = Still::below(&root, Real);
        (0..MOST).for_each(|number| drop(still.names.insert(root.join(number.to_string()), Names::Absent)));
        assert_eq!(still.stat(&root.join("new")), Err(Errno::NOENT));
        std::fs::write(root.join("new"), "text").expect("it is written");
        assert!(still.stat(&root.join("new")).is_ok());
        assert!(still.list(&root).is_ok() && still.names.len() == MOST);
    }

    #[test]
    fn a_directory_is_listed_once() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let root = scratch.path().canonicalize().expect("it is there");
        let still = Still::below(&root, Real);
        assert_eq!(still.stat(&root.join("new")), Err(Errno::NOENT));
        std::fs::write(root.join("new"), "text").expect("it is written");
        assert_eq!(still.stat(&root.join("new")), Err(Errno::NOENT), "it is known not to be there");
    }
}
