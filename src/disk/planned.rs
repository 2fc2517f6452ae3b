//! A file system with planned changes: files and links that would be written, created or removed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Filesystem;
use crate::snapshot::{Content, Entry, Errno, FileType, Meta, Remote, Unreadable, absolute};

/// Planned state of a path.
#[derive(Clone, Debug)]
pub enum Node {
    /// A file with this content.
    File(Content),
    /// A link to a path, which may be relative to the link's directory. Its target is no other planned link.
    Link(PathBuf),
}

/// A file system as it would be after the changes. The paths of planned files are physical.
pub struct Planned<F> {
    fs: F,
    /// Planned state of each path; `None` if it would be removed.
    files: BTreeMap<PathBuf, Option<Node>>,
}

impl<F: Filesystem> Planned<F> {
    /// Adds planned files to a file system.
    pub fn over(fs: F, files: BTreeMap<PathBuf, Option<Node>>) -> Planned<F> {
        Planned { fs, files }
    }

    /// Returns the path that a planned link leads to, and any other path as it is.
    fn behind(&self, path: &Path) -> PathBuf {
        match self.files.get(path) {
            Some(Some(Node::Link(target))) => absolute(path.parent().unwrap_or(path), target),
            _ => path.to_owned(),
        }
    }

    /// Returns the planned content for a path that is no planned link, following the links of the disk.
    fn planned(&self, path: &Path) -> Option<Option<&Content>> {
        let at = |path: &Path| match self.files.get(path)? {
            Some(Node::File(content)) => Some(Some(content)),
            Some(Node::Link(_)) => None,
            None => Some(None),
        };
        at(path).or_else(|| at(&self.real_path(path).ok()?))
    }

    /// Returns true for a directory that would be created with a planned file.
    fn is_new(&self, dir: &Path) -> bool {
        let mut below = self.files.range(dir.to_owned()..).take_while(|(path, _)| path.starts_with(dir));
        below.any(|(path, content)| path != dir && content.is_some()) && self.fs.lstat(dir).is_err()
    }

    fn meta(&self, path: &Path, there: Result<Meta, Errno>) -> Result<Meta, Errno> {
        match self.planned(path) {
            Some(None) => Err(Errno::NOENT),
            Some(Some(content)) => {
                let len = content.len() as u64;
                Ok(there.map_or(Meta::made(FileType::File, len), |meta| Meta { len, ..meta }))
            }
            None if self.is_new(path) => Ok(Meta::made(FileType::Dir, 0)),
            None => there,
        }
    }
}

impl<F: Filesystem> Filesystem for Planned<F> {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        let path = self.behind(path);
        self.meta(&path, self.fs.stat(&path))
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        if let Some(Some(Node::Link(target))) = self.files.get(path) {
            let len = target.as_os_str().len() as u64;
            return Ok(Meta::made(FileType::Link, len));
        }
        let there = self.fs.lstat(path);
        // A link to a planned file stays a link.
        if there.is_ok_and(|meta| meta.kind == FileType::Link) && !self.files.contains_key(path) {
            return there;
        }
        self.meta(path, there)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        match self.files.get(path) {
            Some(Some(Node::Link(target))) => Ok(target.clone()),
            Some(Some(Node::File(_))) => Err(Errno::INVAL),
            Some(None) => Err(Errno::NOENT),
            None => self.fs.read_link(path),
        }
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        match self.files.get(path) {
            Some(Some(Node::File(_))) => return Ok(path.to_owned()),
            Some(Some(Node::Link(_))) => {
                let target = self.behind(path);
                let is_link = matches!(self.files.get(&target), Some(Some(Node::Link(_))));
                return if is_link { Err(Errno::LOOP) } else { self.real_path(&target) };
            }
            Some(None) => return Err(Errno::NOENT),
            None => {}
        }
        self.fs.real_path(path).or_else(|error| if self.is_new(path) { Ok(path.to_owned()) } else { Err(error) })
    }

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        let path = self.behind(path);
        match self.planned(&path) {
            Some(Some(content)) => Ok(content.clone()),
            Some(None) => Err(Unreadable::Errno(Errno::NOENT)),
            None => self.fs.read(&path),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        let dir = self.real_path(path)?;
        let mut entries = if self.is_new(&dir) { Vec::new() } else { self.fs.list(path)? };
        entries.retain(|entry| !matches!(self.files.get(&dir.join(&entry.name)), Some(None)));
        for (file, node) in &self.files {
            let (Some(node), Ok(inside)) = (node, file.strip_prefix(&dir)) else { continue };
            let mut parts = inside.iter();
            let Some(name) = parts.next() else { continue };
            let kind = match (parts.next(), node) {
                (Some(_), _) => FileType::Dir,
                (None, Node::Link(_)) => FileType::Link,
                (None, Node::File(_)) => FileType::File,
            };
            match entries.iter_mut().find(|entry| entry.name == name) {
                // A file may become a link; a link to a planned file stays a link.
                Some(entry) if kind == FileType::Link => entry.kind = kind,
                Some(_) => {}
                None => entries.push(Entry { name: name.to_owned(), kind }),
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
        let files = files.map(|(path, text)| (root.join(path), text.map(Content::from).map(Node::File)));
        let links = [("gate.md", "docs/deep/made.md"), ("same.md", "old.md")];
        let links = links.map(|(path, target)| (root.join(path), Some(Node::Link(target.into()))));
        let planned = Planned::over(Real, files.into_iter().chain(links).collect());
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
        let top = ["docs", "gate.md", "old.md", "same.md"].map(str::to_owned).to_vec();
        assert_eq!((names(""), names("docs")), (top, vec!["deep".to_owned()]));
        assert_eq!(planned.real_path(&root.join("docs/deep/made.md")), Ok(root.join("docs/deep/made.md")));
        let gate = root.join("gate.md");
        assert_eq!(planned.lstat(&gate).map(|meta| meta.kind), Ok(FileType::Link));
        assert_eq!(planned.read_link(&gate), Ok("docs/deep/made.md".into()));
        assert_eq!(
            (planned.real_path(&gate), kind("gate.md")),
            (Ok(root.join("docs/deep/made.md")), Some(FileType::File))
        );
        assert_eq!(planned.read(&gate).map(|raw| raw.len()), Ok(4));
        assert_eq!(planned.read(&root.join("same.md")).map(|raw| raw.len()), Ok(8));
    }
}
