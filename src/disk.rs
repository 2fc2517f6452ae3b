//! Reads the disk: the only room that opens files. Turns an [`Ask`] into a [`Fact`], and never writes.

use std::path::{Path, PathBuf};

use crate::glob;
use crate::snapshot::{Ask, Content, Entry, Errno, Fact, Facts, FileType, GlobFlavor, Meta, Remote, Unreadable};

mod before;
mod buffers;
mod git;
mod planned;
mod real;
mod rests;
pub mod scan;
mod shared;
pub mod sqlite;
mod still;
mod watch;

pub use before::{Before, Each, LookedAt};
pub use buffers::{Buffers, Place};
pub use git::{AtRevision, Change};
pub use planned::{Node, Planned};
pub use real::Real;
pub use rests::{facts, observe_all};
pub use still::Still;
pub use watch::{Watcher, Watching};

/// Maximum size of a file, in bytes; a larger one is not read. Smaller limits are those of the agents.
pub const FILE_CAP_BYTES: u64 = 64 * 1024 * 1024;

/// Primitive operations on a file system. Implemented by the real disk, by unsaved buffers on top of it, and by test
/// trees.
pub trait Filesystem: Send + Sync {
    /// Returns the metadata at a path, following links.
    fn stat(&self, path: &Path) -> Result<Meta, Errno>;
    /// Returns the metadata of the path itself.
    fn lstat(&self, path: &Path) -> Result<Meta, Errno>;
    /// Returns the target of a symbolic link.
    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno>;
    /// Resolves every link in a path.
    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno>;
    /// Returns the content of a regular file. Must not block on anything else.
    fn read(&self, path: &Path) -> Result<Content, Unreadable>;
    /// Returns the entries of a directory, in the disk's own order.
    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno>;
    /// Returns true if the result is still needed. If not, answers may be incomplete.
    fn is_wanted(&self) -> bool {
        true
    }
    /// Returns the known state of a URL. Fetches nothing.
    fn fetched(&self, _url: &str) -> Remote {
        Remote::NotFetched
    }
}

/// Facts from the file system as it is now.
pub struct Now<'a>(pub &'a dyn Filesystem);

impl Facts for Now<'_> {
    fn told(&self, ask: &Ask) -> Option<Fact> {
        Some(observe(self.0, ask))
    }
}

/// Answers one question about the disk.
pub fn observe(fs: &dyn Filesystem, ask: &Ask) -> Fact {
    match ask {
        Ask::Kind(path) => Fact::Kind(fs.stat(path)),
        Ask::LinkKind(path) => Fact::Kind(fs.lstat(path)),
        Ask::Real(path) => Fact::Real(fs.real_path(path)),
        Ask::Target(path) => Fact::Real(fs.read_link(path)),
        Ask::Content(path) => Fact::Content(fs.read(path)),
        Ask::Listing(path) => Fact::Listing(fs.list(path).map(Into::into)),
        Ask::Git(dir) => Fact::Git(git::repository(fs, dir)),
        Ask::Glob { base, pattern, flavor } => Fact::Glob(globbed(fs, base, pattern, *flavor).into()),
        Ask::Rows { file, query, key } => Fact::Rows(sqlite::rows(fs, file, query, key).map(Into::into)),
        Ask::Remote(url) => Fact::Remote(fs.fetched(url)),
    }
}

fn globbed(fs: &dyn Filesystem, base: &Path, pattern: &str, flavor: GlobFlavor) -> glob::Found {
    match flavor {
        GlobFlavor::Npm { dot, follow } => glob::npm(&Walked(fs), base, pattern, glob::Npm { dot, follow }),
        GlobFlavor::Bun { dot, follow } => glob::bun(&Walked(fs), base, pattern, dot, follow),
        GlobFlavor::Node => glob::node(&Walked(fs), base, pattern),
        GlobFlavor::Every => glob::every(&Walked(fs), base, pattern, &|name| !scan::is_heavy(name.as_ref())),
        GlobFlavor::Any => any(fs, base, &[pattern]).pop().unwrap_or_default(),
    }
}

/// Matches patterns under the most permissive semantics of any agent, all in one walk.
fn any(fs: &dyn Filesystem, base: &Path, patterns: &[&str]) -> Vec<glob::Found> {
    glob::any(&Walked(fs), base, patterns, &|name| !scan::is_heavy(name.as_ref()))
}

/// Adapter through which globs walk a file system.
struct Walked<'a>(&'a dyn Filesystem);

impl glob::Tree for Walked<'_> {
    fn kind(&self, path: &Path) -> Option<glob::EntryType> {
        self.0.lstat(path).ok().map(|meta| walked_kind(meta.kind))
    }

    fn target(&self, path: &Path) -> Result<glob::EntryType, glob::Failure> {
        match self.0.stat(path) {
            Ok(meta) => Ok(walked_kind(meta.kind)),
            Err(Errno::NOENT) => Err(glob::Failure::Missing),
            Err(Errno::NOTDIR) => Err(glob::Failure::NotDirectory),
            Err(_) => Err(glob::Failure::Other),
        }
    }

    fn entries(&self, path: &Path) -> Option<Vec<(String, glob::EntryType)>> {
        if !self.0.is_wanted() {
            return None;
        }
        let entries = self.0.list(path).ok()?;
        // A name that is not UTF-8 gets replacement characters, so that the file cannot be opened by it.
        let named = |entry: Entry| (entry.name.to_string_lossy().into_owned(), walked_kind(entry.kind));
        Some(entries.into_iter().map(named).collect())
    }
}

fn walked_kind(kind: FileType) -> glob::EntryType {
    match kind {
        FileType::Dir => glob::EntryType::Dir,
        FileType::Link => glob::EntryType::Link,
        FileType::File => glob::EntryType::File,
        FileType::Fifo | FileType::Device | FileType::Other => glob::EntryType::Special,
    }
}

pub(crate) fn kind_of(file_type: std::fs::FileType) -> FileType {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if file_type.is_fifo() {
            return FileType::Fifo;
        }
        if file_type.is_char_device() || file_type.is_block_device() {
            return FileType::Device;
        }
    }
    if file_type.is_file() {
        FileType::File
    } else if file_type.is_dir() {
        FileType::Dir
    } else if file_type.is_symlink() {
        FileType::Link
    } else {
        FileType::Other
    }
}
