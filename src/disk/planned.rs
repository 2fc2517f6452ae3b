//! A file system with planned changes: files that would be written, created or removed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Filesystem;
use crate::snapshot::{Content, Entry, Errno, FileType, Meta, Remote, Unreadable};

/// A file system as it would be after the changes. The paths of planned files are physical.
pub struct Planned<F> {
    fs: F,
    /// Planned content of each file; `None` if it would be removed.
    files: BTreeMap<PathBuf, Option<Content>>,
}

impl<F: Filesystem> Planned<F> {
    /// Adds planned files to a file system.
    pub fn over(fs: F, files: BTreeMap<PathBuf, Option<Content>>) -> Planned<F> {
        Planned { fs, files }
    }

    /// Returns the planned change for a path, following links.
    fn planned(&self, path: &Path) -> Option<Option<&Content>> {
        let at = |path: &Path| self.files.get(path).map(Option::as_ref);
        at(path).or_else(|| at(&self.real_path(path).ok()?))
    }

    /// Returns true for a directory that would be created with a planned file.
    fn is_new(&self, dir: &Path) -> bool {
        let mut below = self.files.range(dir.to_owned()..).take_while(|(path, _)| path.starts_with(dir));
        below.any(|(path, content)| path != dir && content.is_some()) && self.fs.lstat(dir).is_err()
    }

    fn meta(&self, path: &Path, there: Result<Meta, Errno>) -> Result<Meta, Errno> {
        let new = |kind, len| Meta { kind, len, links: 1, identity: (0, 0), guarded: false };
        match self.planned(path) {
            Some(None) => Err(Errno::NOENT),
            Some(Some(content)) => {
                let len = content.len() as u64;
                Ok(there.map_or(new(FileType::File, len), |meta| Meta { len, ..meta }))
            }
            None if self.is_new(path) => Ok(new(FileType::Dir, 0)),
            None => there,
        }
    }
}

impl<F: Filesystem> Filesystem for Planned<F> {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        self.meta(path, self.fs.stat(path))
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        let there = self.fs.lstat(path);
        // A link to a planned file stays a link.
        if there.is_ok_and(|meta| meta.kind == FileType::Link) && !self.files.contains_key(path) {
            return there;
        }
        self.meta(path, there)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        match self.files.get(path) {
            Some(Some(_)) => Err(Errno::INVAL),
            Some(None) => Err(Errno::NOENT),
            None => self.fs.read_link(path),
        }
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        match self.files.get(path) {
            Some(Some(_)) => return Ok(path.to_owned()),
            Some(None) => return Err(Errno::NOENT),
            None => {}
        }
        self.fs.real_path(path).or_else(|error| if self.is_new(path) { Ok(path.to_owned()) } else { Err(error) })
    }

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        match self.planned(path) {
            Some(Some(content)) => Ok(content.clone()),
            Some(None) => Err(Unreadable::Errno(Errno::NOENT)),
            None => self.fs.read(path),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        let dir = self.real_path(path)?;
        let mut entries = if self.is_new(&dir) { Vec::new() } else { self.fs.list(path)? };
        entries.retain(|entry| !matches!(self.files.get(&dir.join(&entry.name)), Some(None)));
        let below = self.files.iter().filter(|(_, content)| content.is_some());
        for inside in below.filter_map(|(file, _)| file.strip_prefix(&dir).ok()) {
            let mut parts = inside.iter();
            let Some(name) = parts.next() else { continue };
            if entries.iter().all(|entry| entry.name != name) {
                let kind = if parts.next().is_some() { FileType::Dir } else { FileType::File };
                entries.push(Entry { name: name.to_owned(), kind });
            }
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
    fn it_says_what_the_disk_would_say() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let root = scratch.path().canonicalize().expect("it is there");
        for name in ["old.md", "gone.md"] {
            std::fs::write(root.join(name), "old").expect("it is written");
        }
        let files = [("old.md", Some("new text")), ("gone.md", None), ("docs/deep/made.md", Some("made"))];
        let files = files.map(|(path, text)| (root.join(path), text.map(Content::from)));
        let planned = Planned::over(Real, files.into());
        let kind = |path: &str| planned.stat(&root.join(path)).ok().map(|meta| meta.kind);
        assert_eq!(kind("docs/deep"), Some(FileType::Dir));
        assert_eq!(kind("docs/deep/made.md"), Some(FileType::File));
        assert_eq!((kind("gone.md"), kind("docs/none")), (None, None));
        assert_eq!(planned.read(&root.join("old.md")).map(|raw| raw.len()), Ok(8));
        let names = |path: &str| {
            let entries = planned.list(&root.join(path)).expect("it is listed");
            let mut names: Vec<String> =
                entries.iter().map(|entry| entry.name.to_string_lossy().into_owned()).collect();
            names.sort();
            names
        };
        assert_eq!((names(""), names("docs")), (vec!["docs".to_owned(), "old.md".to_owned()], vec!["deep".to_owned()]));
        assert_eq!(planned.real_path(&root.join("docs/deep/made.md")), Ok(root.join("docs/deep/made.md")));
    }
}
