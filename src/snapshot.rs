//! The files as they were at one moment: what was asked about them, and what was told.
//!
//! An [`Ask`] is one question about the disk, a [`Fact`] its answer. A snapshot answers with a fact, or says that it has
//! not been told yet: *unknown is never absent*. Snapshots are persistent maps, so a clone is cheap and never changes.

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

/// One question about the disk.
#[derive(Clone, Debug)]
pub enum Ask {
    /// What is at this path, links followed (`stat`).
    Kind(PathBuf),
    /// What is at this path itself (`lstat`).
    LinkKind(PathBuf),
    /// The path with every link resolved (`realpath`).
    Real(PathBuf),
    /// What the symbolic link at this path says, whether anything is there or not.
    Target(PathBuf),
    /// The bytes of the regular file at this path, links followed.
    Content(PathBuf),
    /// The entries of this directory, in the order the disk lists them.
    Listing(PathBuf),
    /// The files that a pattern finds below a directory, in the order the flavor's engine finds them.
    Glob {
        /// Where the pattern starts.
        base: PathBuf,
        /// The pattern as the harness wrote it.
        pattern: String,
        /// Whose rules decide what matches, and in which order.
        flavor: GlobFlavor,
    },
    /// What git says about this directory, which holds an entry `.git`.
    Git(PathBuf),
    /// The text columns of the rows that a query finds in an SQLite file.
    Rows {
        /// The database file.
        file: PathBuf,
        /// The query, with one parameter.
        query: &'static str,
        /// The parameter.
        key: String,
    },
    /// What a URL serves, as far as the user had it fetched.
    Remote(String),
}

impl Ask {
    /// The path that the question is about. A URL is none that any file has: those begin with a slash.
    pub fn path(&self) -> &Path {
        match self {
            Ask::Kind(path) | Ask::LinkKind(path) | Ask::Real(path) | Ask::Content(path) => path,
            Ask::Target(path) | Ask::Listing(path) | Ask::Git(path) => path,
            Ask::Glob { base, .. } => base,
            Ask::Rows { file, .. } => file,
            Ask::Remote(url) => Path::new(url),
        }
    }

    /// The pattern of a glob.
    pub fn pattern(&self) -> Option<&str> {
        if let Ask::Glob { pattern, .. } = self { Some(pattern) } else { None }
    }

    /// What tells questions apart. Paths are compared by their bytes, as the system reads them: a trailing slash asks for a
    /// directory, and it is faster than component by component.
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

/// What some questions have beside a path.
type Words<'a> = (&'a str, &'a str, Option<GlobFlavor>);

impl PartialEq for Ask {
    fn eq(&self, other: &Ask) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Ask {}

impl Hash for Ask {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Kind and path tell nearly all apart.
        discriminant(self).hash(state);
        state.write(self.path().as_os_str().as_encoded_bytes());
    }
}

/// Whose rules a glob follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GlobFlavor {
    /// npm `glob` 13 with `nodir`.
    Npm {
        /// Whether wildcards match dot files.
        dot: bool,
        /// Whether links to directories are entered everywhere.
        follow: bool,
    },
    /// `Glob.scan` of Bun 1.3 with `onlyFiles`.
    Bun {
        /// Whether wildcards match dot files.
        dot: bool,
        /// Whether links are followed.
        follow: bool,
    },
    /// `fs.glob` of Node 24.
    Node,
    /// No harness's own rules, but the loosest reading that any harness has: the first file, if there is any.
    Any,
    /// The same reading: all files, if there are not too many.
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

/// A fact with the paths it rests on: as long as nothing happens at any of them, the fact stays true.
pub struct Observed {
    /// The question.
    pub ask: Ask,
    /// What was observed.
    pub fact: Fact,
    /// The paths.
    pub rests_on: Vec<PathBuf>,
}

/// What is known of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remote {
    /// Nobody has had it fetched.
    NotFetched,
    /// It could not be fetched, for this reason.
    Failed(String),
    /// What it served.
    Body(Content),
    /// It redirected to another address, which served something.
    Moved {
        /// The last address.
        to: String,
        /// What it served.
        body: Content,
    },
}

/// The text columns of one row; a column that is NULL has none.
pub type Row = Vec<Option<String>>;

/// What `stat` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// What kind of thing it is.
    pub kind: FileType,
    /// Its length in bytes.
    pub len: u64,
    /// How many names it has.
    pub links: u64,
    /// Device and inode: two paths with the same pair are one file.
    pub identity: (u64, u64),
    /// Whether it belongs to root and nobody else may write to it; of a link, whether it belongs to root.
    pub guarded: bool,
}

/// What kind of thing stands at a path.
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
    /// A socket, or something else again.
    Other,
}

impl FileType {
    /// The word that traces use.
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

/// One entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// Its kind, as `lstat` would say.
    pub kind: FileType,
}

/// Why a system call failed: an `errno` of Linux.
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

    /// Its symbolic name, such as `ENOENT`.
    pub fn name(self) -> &'static str {
        Errno::TABLE.iter().find(|row| row.0 == self).map_or("an error", |row| row.1)
    }

    /// What it means, in the words that Node uses.
    pub fn text(self) -> &'static str {
        Errno::TABLE.iter().find(|row| row.0 == self).map_or("unknown error", |row| row.2)
    }

    /// The errno of that symbolic name.
    pub fn named(name: &str) -> Option<Errno> {
        Errno::TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }
}

impl std::fmt::Debug for Errno {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.name(), self.0)
    }
}

/// Why the bytes of a file are not to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The system refused.
    Errno(Errno),
    /// Not a regular file.
    Not(FileType),
    /// A file that the system generates about the process that reads it, such as `/proc/self/environ`: what Briefing read would
    /// not be what the client reads, and may be secret.
    Process,
    /// Larger than Briefing reads at all, see [`crate::disk::FILE_CAP_BYTES`].
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

/// A git repository, as git itself sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// `git rev-parse --show-toplevel`; `None` for a bare repository, which has no work tree.
    pub toplevel: Option<PathBuf>,
    /// `git rev-parse --git-common-dir`, absolute.
    pub common_dir: PathBuf,
}

/// What can be asked for facts: a snapshot, or whatever looks at the disk when it is asked.
pub trait Facts {
    /// The fact, or `None` when it has not been told yet.
    fn told(&self, ask: &Ask) -> Option<Fact>;

    /// Whether the fact has been told.
    fn is_told(&self, ask: &Ask) -> bool {
        self.told(ask).is_some()
    }

    /// What the fact weighs, if it has been told; 0 where facts are read only when they are asked for.
    fn told_weight(&self, ask: &Ask) -> Option<usize> {
        self.is_told(ask).then_some(0)
    }
}

/// How many bytes of a file, and entries of a directory, weigh as much as one question.
const BYTES_PER_QUESTION: usize = 128;
const ENTRIES_PER_QUESTION: usize = 2;

/// The most that facts may weigh which are observed in one go, or which one answer rests on.
pub const ROUND_WEIGHT: usize = 125_000;

impl Fact {
    /// What it costs to observe and to hold, in questions about small files.
    pub fn weight(&self) -> usize {
        match self {
            Fact::Content(Ok(bytes)) => bytes.len() / BYTES_PER_QUESTION,
            Fact::Listing(Ok(entries)) => entries.len() / ENTRIES_PER_QUESTION,
            // To list a directory takes as long as two questions.
            Fact::Glob(found) => 2 * found.listed + found.files.len(),
            Fact::Kind(_) | Fact::Real(_) | Fact::Content(_) | Fact::Listing(_) => 0,
            Fact::Git(_) | Fact::Rows(_) | Fact::Remote(_) => 0,
        }
    }
}

/// Hashes questions: fast, since every answer asks hundreds, and seeded.
pub type AskHasher = foldhash::fast::RandomState;

/// Everything that has been told so far.
#[derive(Clone, Default)]
pub struct Snapshot {
    facts: HashTrieMapSync<Ask, Fact, AskHasher>,
}

impl Snapshot {
    /// How many facts it holds.
    pub fn len(&self) -> usize {
        self.facts.size()
    }

    /// Whether it has been told nothing.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Learns a fact.
    pub fn tell(&mut self, ask: Ask, fact: Fact) {
        self.facts.insert_mut(ask, fact);
    }

    /// Forgets what was told about `ask`; whether there was anything.
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

/// Facts about a disk from which files were deleted.
pub(crate) struct Without<'a> {
    /// The facts about the disk with them.
    pub facts: &'a dyn Facts,
    /// The files, absolute.
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

/// Environment variables; only those with UTF-8 names and values.
pub type Environment = Arc<BTreeMap<String, String>>;
