//! Facts about the disk at one moment: the questions that were asked, and their answers.
//!
//! An [`Ask`] is one question about the disk, a [`Fact`] its answer. A fact that has not been read yet is reported as
//! such: *unknown is never absent*. Snapshots are persistent maps, so a clone is cheap and never changes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::mem::{Discriminant, discriminant};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rpds::HashTrieMapSync;

mod change;
mod content;
pub mod credentials;

pub use crate::glob::Found;
pub use crate::paths::{absolute, normalized, relative};
pub use change::{Change, may_change};
pub use content::Content;

/// A question about the disk.
#[derive(Clone, Debug)]
pub enum Ask {
    /// Metadata at a path, following links (`stat`).
    Kind(PathBuf),
    /// Metadata of the path itself (`lstat`).
    LinkKind(PathBuf),
    /// Path with every link resolved (`realpath`).
    Real(PathBuf),
    /// Target of the symbolic link at a path, as written, whether it exists or not.
    Target(PathBuf),
    /// Content of the regular file at a path, following links.
    Content(PathBuf),
    /// Entries of a directory, in the order in which the disk lists them.
    Listing(PathBuf),
    /// Files below a directory that match a pattern, in the order in which the flavor's engine finds them.
    Glob {
        /// Directory in which the pattern starts.
        base: PathBuf,
        /// Pattern as the agent writes it.
        pattern: String,
        /// Semantics that decide what matches, and in which order.
        flavor: GlobFlavor,
    },
    /// Repository of a directory that holds an entry `.git`, as git sees it.
    Git(PathBuf),
    /// Text columns of the rows that a query returns from an SQLite file.
    Rows {
        /// Database file.
        file: PathBuf,
        /// SQL query with one parameter.
        query: &'static str,
        /// Value of the parameter.
        key: String,
    },
    /// Content of a URL, if the user permitted fetching it.
    Remote(String),
}

impl Ask {
    /// Returns the path that the question is about. A URL is returned as a path, which no file can have since it does
    /// not begin with a slash.
    pub fn path(&self) -> &Path {
        match self {
            Ask::Kind(path) | Ask::LinkKind(path) | Ask::Real(path) | Ask::Content(path) => path,
            Ask::Target(path) | Ask::Listing(path) | Ask::Git(path) => path,
            Ask::Glob { base, .. } => base,
            Ask::Rows { file, .. } => file,
            Ask::Remote(url) => Path::new(url),
        }
    }

    /// Returns the pattern of a glob.
    pub fn pattern(&self) -> Option<&str> {
        if let Ask::Glob { pattern, .. } = self { Some(pattern) } else { None }
    }

    /// Returns the values that distinguish questions. Paths are compared by bytes, as the system reads them, since a
    /// trailing slash asks for a directory; this is also faster than by component.
    fn key(&self) -> (Discriminant<Ask>, &[u8], Option<Words<'_>>) {
        let more = match self {
            Ask::Glob { pattern, flavor, .. } => Some((pattern.as_str(), "", Some(*flavor))),
            Ask::Rows { query, key, .. } => Some((*query, key.as_str(), None)),
            Ask::Kind(_) | Ask::LinkKind(_) | Ask::Real(_) | Ask::Target(_) => None,
            Ask::Content(_) | Ask::Listing(_) | Ask::Git(_) | Ask::Remote(_) => None,
        };
        (discriminant(self), self.path().as_os_str().as_encoded_bytes(), more)
    }
}

/// The values that some questions have in addition to a path.
type Words<'a> = (&'a str, &'a str, Option<GlobFlavor>);

impl PartialEq for Ask {
    fn eq(&self, other: &Ask) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Ask {}

impl Hash for Ask {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The kind and path distinguish nearly all questions.
        discriminant(self).hash(state);
        state.write(self.path().as_os_str().as_encoded_bytes());
    }
}

/// Semantics of a glob.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GlobFlavor {
    /// npm `glob` 13 with `nodir`.
    Npm {
        /// True if wildcards match names that start with a dot.
        dot: bool,
        /// True if links to directories are entered everywhere.
        follow: bool,
    },
    /// `Glob.scan` of Bun 1.3 with `onlyFiles`.
    Bun {
        /// True if wildcards match names that start with a dot.
        dot: bool,
        /// True if links are followed.
        follow: bool,
    },
    /// `fs.glob` of Node 24.
    Node,
    /// The most permissive semantics of any agent; returns the first matching file only.
    Any,
    /// The semantics of [`GlobFlavor::Any`]; returns all matching files, up to a limit.
    Every,
}

/// The answer to an [`Ask`], cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Answers [`Ask::Kind`] and [`Ask::LinkKind`].
    Kind(Result<Meta, Errno>),
    /// Answers [`Ask::Real`] and [`Ask::Target`].
    Real(Result<PathBuf, Errno>),
    /// Answers [`Ask::Content`].
    Content(Result<Content, Unreadable>),
    /// Answers [`Ask::Listing`].
    Listing(Result<Arc<[Entry]>, Errno>),
    /// Answers [`Ask::Glob`].
    Glob(Arc<Found>),
    /// Answers [`Ask::Git`].
    Git(Option<Repository>),
    /// Answers [`Ask::Rows`].
    Rows(Result<Arc<[Row]>, String>),
    /// Answers [`Ask::Remote`].
    Remote(Remote),
}

/// A fact with the paths that it depends on: it stays true as long as nothing happens at any of them.
pub struct Observed {
    /// Question.
    pub ask: Ask,
    /// Answer that was observed.
    pub fact: Fact,
    /// Paths that the fact depends on.
    pub rests_on: Vec<PathBuf>,
}

/// State of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remote {
    /// The URL was not fetched.
    NotFetched,
    /// Fetching failed, for the given reason.
    Failed(String),
    /// Content that was served.
    Body(Content),
    /// The URL redirected to another address, which served the content.
    Moved {
        /// Final address.
        to: String,
        /// Content that was served.
        body: Content,
    },
}

/// The text columns of one row; NULL columns are `None`.
pub type Row = Vec<Option<String>>;

/// Metadata that `stat` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Type of the file.
    pub kind: FileType,
    /// Length in bytes.
    pub len: u64,
    /// Number of hard links.
    pub links: u64,
    /// Device and inode: two paths with the same pair are the same file.
    pub identity: (u64, u64),
    /// True if root owns the file and nobody else may write to it; for a link, true if root owns it.
    pub guarded: bool,
    /// False for a directory in which this process may not list, open or create entries.
    pub writable: bool,
}

impl Meta {
    /// Creates metadata for something that is not on disk: one name, no identity, writable.
    pub fn made(kind: FileType, len: u64) -> Meta {
        Meta { kind, len, links: 1, identity: (0, 0), guarded: false, writable: true }
    }
}

/// Type of a file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileType {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link (only `lstat` says so).
    Link,
    /// A named pipe.
    Fifo,
    /// A character or block device.
    Device,
    /// A socket, or any other type.
    Other,
}

impl FileType {
    /// Returns the word that traces use.
    pub fn word(self) -> &'static str {
        match self {
            FileType::File => "file",
            FileType::Dir => "directory",
            FileType::Link => "link",
            FileType::Fifo => "FIFO",
            FileType::Device => "device",
            FileType::Other => "special file",
        }
    }
}

/// An entry of a directory listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// File name.
    pub name: OsString,
    /// File type, as `lstat` reports it.
    pub kind: FileType,
}

/// An error of a system call, as an `errno` of Linux.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

impl Errno {
    /// No such file or directory.
    pub const NOENT: Errno = Errno(2);
    /// Permission denied.
    pub const ACCES: Errno = Errno(13);
    /// Not a directory.
    pub const NOTDIR: Errno = Errno(20);
    /// Is a directory.
    pub const ISDIR: Errno = Errno(21);
    /// Invalid argument; also a path with a NUL byte.
    pub const INVAL: Errno = Errno(22);
    /// File name too long.
    pub const NAMETOOLONG: Errno = Errno(36);
    /// Too many levels of symbolic links.
    pub const LOOP: Errno = Errno(40);
    /// Input/output error.
    pub const IO: Errno = Errno(5);

    const TABLE: [(Errno, &'static str, &'static str); 8] = [
        (Errno::NOENT, "ENOENT", "no such file or directory"),
        (Errno::ACCES, "EACCES", "permission denied"),
        (Errno::NOTDIR, "ENOTDIR", "not a directory"),
        (Errno::ISDIR, "EISDIR", "illegal operation on a directory"),
        (Errno::INVAL, "EINVAL", "invalid argument"),
        (Errno::NAMETOOLONG, "ENAMETOOLONG", "name too long"),
        (Errno::LOOP, "ELOOP", "too many symbolic links encountered"),
        (Errno::IO, "EIO", "i/o error"),
    ];

    /// Returns the symbolic name, such as `ENOENT`.
    pub fn name(self) -> &'static str {
        Errno::TABLE.iter().find(|row| row.0 == self).map_or("an error", |row| row.1)
    }

    /// Returns the message that Node uses.
    pub fn text(self) -> &'static str {
        Errno::TABLE.iter().find(|row| row.0 == self).map_or("unknown error", |row| row.2)
    }

    /// Returns the errno with a symbolic name.
    pub fn named(name: &str) -> Option<Errno> {
        Errno::TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }
}

impl std::fmt::Debug for Errno {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.name(), self.0)
    }
}

/// Reason why the content of a file could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The system returned an error.
    Errno(Errno),
    /// The path is not a regular file.
    Not(FileType),
    /// The file is generated by the system for the process that reads it, such as `/proc/self/environ`: the client
    /// would read something else, and the content may be secret.
    Process,
    /// The file exceeds [`crate::disk::FILE_CAP_BYTES`]; its length in bytes.
    TooLarge(u64),
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unreadable::Errno(errno) => write!(f, "{}: {}", errno.name(), errno.text()),
            Unreadable::Not(kind) => write!(f, "a {}, not a regular file", kind.word()),
            Unreadable::Process => f.write_str("a file about the process that reads it, which Briefing never reads"),
            Unreadable::TooLarge(len) => write!(f, "{len} bytes, more than Briefing reads"),
        }
    }
}

/// A git repository as git itself sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Output of `git rev-parse --show-toplevel`; `None` for a bare repository, which has no work tree.
    pub toplevel: Option<PathBuf>,
    /// Output of `git rev-parse --git-common-dir`, absolute.
    pub common_dir: PathBuf,
}

/// A source of facts: a snapshot, or something that reads the disk on demand.
pub trait Facts {
    /// Returns the fact, or `None` if it has not been read yet.
    fn told(&self, ask: &Ask) -> Option<Fact>;

    /// Returns true if the fact is known.
    fn is_told(&self, ask: &Ask) -> bool {
        self.told(ask).is_some()
    }

    /// Returns the weight of the fact if it is known; 0 if facts are read on demand.
    fn told_weight(&self, ask: &Ask) -> Option<usize> {
        self.is_told(ask).then_some(0)
    }
}

/// Number of bytes of a file, or entries of a directory, that weigh as much as one question.
const BYTES_PER_QUESTION: usize = 128;
const ENTRIES_PER_QUESTION: usize = 2;

/// Maximum weight of the facts that are observed at once, or that one answer depends on.
pub const ROUND_WEIGHT: usize = 125_000;

impl Fact {
    /// Returns the cost of observing and holding the fact, in questions about small files.
    pub fn weight(&self) -> usize {
        match self {
            Fact::Content(Ok(bytes)) => bytes.len() / BYTES_PER_QUESTION,
            Fact::Listing(Ok(entries)) => entries.len() / ENTRIES_PER_QUESTION,
            // Listing a directory takes as long as two questions.
            Fact::Glob(found) => 2 * found.listed + found.files.len(),
            Fact::Kind(_) | Fact::Real(_) | Fact::Content(_) | Fact::Listing(_) => 0,
            Fact::Git(_) | Fact::Rows(_) | Fact::Remote(_) => 0,
        }
    }
}

/// Hasher for questions: fast, since every answer asks hundreds, and seeded.
pub type AskHasher = foldhash::fast::RandomState;

/// A persistent map of all known facts.
#[derive(Clone, Default)]
pub struct Snapshot {
    facts: HashTrieMapSync<Ask, Fact, AskHasher>,
}

impl Snapshot {
    /// Returns the number of facts.
    pub fn len(&self) -> usize {
        self.facts.size()
    }

    /// Returns true if no fact is known.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Adds a fact.
    pub fn tell(&mut self, ask: Ask, fact: Fact) {
        self.facts.insert_mut(ask, fact);
    }

    /// Removes the fact about `ask`. Returns true if it was known.
    pub fn forget(&mut self, ask: &Ask) -> bool {
        self.facts.remove_mut(ask)
    }
}

impl Facts for Snapshot {
    fn told(&self, ask: &Ask) -> Option<Fact> {
        self.facts.get(ask).cloned()
    }

    fn is_told(&self, ask: &Ask) -> bool {
        self.facts.contains_key(ask)
    }

    fn told_weight(&self, ask: &Ask) -> Option<usize> {
        self.facts.get(ask).map(Fact::weight)
    }
}

/// Facts about the disk as if some files were deleted.
pub(crate) struct Without<'a> {
    /// Facts about the disk with all files.
    pub facts: &'a dyn Facts,
    /// Deleted files, as absolute paths.
    pub deleted: &'a [PathBuf],
}

impl Facts for Without<'_> {
    fn told(&self, ask: &Ask) -> Option<Fact> {
        let is_deleted = |path: &Path| self.deleted.iter().any(|deleted| deleted == path);
        match ask {
            Ask::Kind(path) | Ask::LinkKind(path) if is_deleted(path) => Some(Fact::Kind(Err(Errno::NOENT))),
            Ask::Real(path) | Ask::Target(path) if is_deleted(path) => Some(Fact::Real(Err(Errno::NOENT))),
            Ask::Content(path) if is_deleted(path) => Some(Fact::Content(Err(Unreadable::Errno(Errno::NOENT)))),
            Ask::Listing(dir) => Some(match self.facts.told(ask)? {
                Fact::Listing(Ok(entries)) => {
                    let left = entries.iter().filter(|entry| !is_deleted(&dir.join(&entry.name)));
                    Fact::Listing(Ok(left.cloned().collect()))
                }
                fact => fact,
            }),
            Ask::Glob { .. } => Some(match self.facts.told(ask)? {
                Fact::Glob(found) => {
                    let files = found.files.iter().filter(|file| !is_deleted(file)).cloned().collect();
                    Fact::Glob(Arc::new(Found { files, ..*found }))
                }
                fact => fact,
            }),
            _ => self.facts.told(ask),
        }
    }
}

/// Environment variables with UTF-8 names and values; others are left out.
pub type Environment = Arc<BTreeMap<String, String>>;
