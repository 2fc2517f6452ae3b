//! A file system that calls a hook before it answers a question, used to watch or record paths.

use std::path::{Path, PathBuf};

use super::Filesystem;
use crate::snapshot::{Content, Entry, Errno, Meta, Remote, Unreadable};

/// The hook.
pub trait Each: Send + Sync {
    /// Called before `fs` looks at something.
    fn before(&self, fs: &dyn Filesystem, looked_at: LookedAt<'_>);

    /// Returns true if the result is still needed.
    fn is_wanted(&self) -> bool {
        true
    }
}

/// What a question looks at.
#[derive(Clone, Copy, Debug)]
pub enum LookedAt<'p> {
    /// Metadata of a path.
    Path(&'p Path),
    /// Content of a file.
    Bytes(&'p Path),
    /// Entries of a directory.
    Entries(&'p Path),
}

impl<'p> LookedAt<'p> {
    /// Returns the path.
    pub fn path(self) -> &'p Path {
        match self {
            LookedAt::Path(path) | LookedAt::Bytes(path) | LookedAt::Entries(path) => path,
        }
    }
}

/// A file system that calls a hook before each question.
pub struct Before<'a, E> {
    pub(super) fs: &'a dyn Filesystem,
    pub(super) each: E,
}

impl<'a, E: Each> Before<'a, E> {
    /// Wraps `fs` and calls `each` before each question.
    pub fn each(fs: &'a dyn Filesystem, each: E) -> Self {
        Before { fs, each }
    }

    /// Calls the hook for a path and returns the file system.
    fn at(&self, path: &Path) -> &dyn Filesystem {
        self.each.before(self.fs, LookedAt::Path(path));
        self.fs
    }
}

impl<E: Each> Filesystem for Before<'_, E> {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        self.at(path).stat(path)
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        self.at(path).lstat(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.at(path).read_link(path)
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.at(path).real_path(path)
    }

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        self.each.before(self.fs, LookedAt::Bytes(path));
        self.fs.read(path)
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        self.each.before(self.fs, LookedAt::Entries(path));
        self.fs.list(path)
    }

    fn is_wanted(&self) -> bool {
        self.each.is_wanted() && self.fs.is_wanted()
    }

    fn fetched(&self, url: &str) -> Remote {
        self.fs.fetched(url)
    }
}
