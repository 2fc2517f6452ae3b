//! Finds records without following links below a client's own directory, and opens them without blocking.
#![expect(clippy::disallowed_methods, reason = "the only room that opens the clients' records; it writes nothing")]

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Head;
use crate::disk::sqlite;

/// Maximum number of entries that are listed per directory.
const FOUND_CAP: usize = 100_000;

/// Home directory and environment, which determine where clients store their records.
#[derive(Clone, Debug, Default)]
pub struct Homes {
    /// The home directory.
    pub home: PathBuf,
    /// The environment, which may move a client's directory.
    pub env: BTreeMap<String, String>,
}

impl Homes {
    /// Returns the directory that a variable names, or one below the home directory.
    pub fn dir(&self, variable: &str, below_home: &str) -> PathBuf {
        match self.env.get(variable) {
            Some(dir) if Path::new(dir).is_absolute() => PathBuf::from(dir),
            _ if below_home.is_empty() => self.home.clone(),
            _ => self.home.join(below_home),
        }
    }
}

/// A record that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The agent whose record it is.
    pub agent: &'static str,
    /// The file.
    pub file: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Modification time.
    pub written: Option<jiff::Timestamp>,
    /// Facts known from its path alone.
    pub head: Head,
    /// Key of the session, if one file holds several.
    pub key: Option<String>,
    /// The opened file, if it is a database.
    pub database: Option<Arc<Database>>,
    /// Reason why it cannot be read.
    pub problem: Option<String>,
}

/// Maximum size of a database, in bytes: databases are copied to memory.
const DATABASE_CAP_BYTES: u64 = 1024 * 1024 * 1024;

/// Snapshot of a database in memory.
pub struct Database(Vec<u8>);

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Database of {} bytes", self.0.len())
    }
}

impl Database {
    /// Copies a database to memory with what is in its write-ahead log. Nobody waits for anybody: if it is being
    /// written to, the copy may be none.
    ///
    /// # Errors
    /// If it cannot be opened, is too large or is no database; in words.
    pub fn open(file: &Path) -> Result<Database, String> {
        let copy = |file: &Path| {
            let (opened, bytes) = open(file)?;
            if bytes > DATABASE_CAP_BYTES {
                return Err(format!("not read, since it is larger than {} MiB", DATABASE_CAP_BYTES / (1024 * 1024)));
            }
            let mut read = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
            opened.take(bytes).read_to_end(&mut read).map_err(|error| error.to_string())?;
            Ok(read)
        };
        let log = sqlite::log_of(file);
        let log = if fs::symlink_metadata(&log).is_ok() { copy(&log)? } else { Vec::new() };
        Ok(Database(sqlite::whole(copy(file)?, &log)?))
    }

    /// Reads rows as texts.
    ///
    /// # Errors
    /// If the copy is damaged; in words.
    pub fn rows(&self, query: &str, key: &str) -> Result<Vec<crate::snapshot::Row>, String> {
        sqlite::rows_of(&self.0, query, key)
    }
}

impl Found {
    /// Creates a record with a known path and nothing else.
    pub fn named(agent: &'static str, file: PathBuf) -> Found {
        Found { agent, file, bytes: 0, written: None, head: Head::default(), key: None, database: None, problem: None }
    }

    /// Creates what is known of a file from its place alone; `None` if there is none or it is a directory. A link, and
    /// what else is no regular file, has a problem.
    pub fn at(file: PathBuf) -> Option<Found> {
        let meta = fs::symlink_metadata(&file).ok().filter(|meta| !meta.is_dir())?;
        let written = meta.modified().ok().and_then(|time| jiff::Timestamp::try_from(time).ok());
        let problem = unreadable(&meta).map(str::to_owned);
        let bytes = if problem.is_some() { 0 } else { meta.len() };
        Some(Found { bytes, written, problem, ..Found::named("", file) })
    }
}

/// Returns the name of a file without its ending.
pub fn stem(file: &Path) -> Option<String> {
    Some(file.file_stem()?.to_string_lossy().into_owned())
}

/// Lists the directories in a directory. Links in it are skipped, but the directory itself may be a link.
pub fn directories(dir: &Path) -> Vec<PathBuf> {
    entries(dir, fs::FileType::is_dir)
}

/// Lists the entries of a directory that are not directories and whose names end with `ending`.
pub fn files(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = entries(dir, |kind| !kind.is_dir());
    found.retain(|file| file.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending)));
    found
}

fn entries(dir: &Path, is_wanted: fn(&fs::FileType) -> bool) -> Vec<PathBuf> {
    let Ok(read) = fs::read_dir(dir) else { return Vec::new() };
    let wanted = read.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| is_wanted(&kind)));
    let mut found: Vec<PathBuf> = wanted.take(FOUND_CAP).map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Opens a record and returns its current size in bytes.
///
/// # Errors
/// If it cannot be opened, is no regular file or is a link; in words.
pub fn open(file: &Path) -> Result<(File, u64), String> {
    let said = |error: std::io::Error| format!("{}: {error}", file.display());
    let not = |problem: &str| Err(format!("{}: {problem}", file.display()));
    if let Some(problem) = unreadable(&fs::symlink_metadata(file).map_err(said)?) {
        return not(problem);
    }
    let mut options = OpenOptions::new();
    options.read(true);
    // The file may have been replaced by a FIFO, which would block on open.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW);
    let opened = options.open(file).map_err(said)?;
    let meta = opened.metadata().map_err(said)?;
    match unreadable(&meta) {
        Some(problem) => not(problem),
        None => Ok((opened, meta.len())),
    }
}

/// Returns the reason why a file is not read.
fn unreadable(meta: &fs::Metadata) -> Option<&'static str> {
    match (meta.is_symlink(), meta.is_file()) {
        (true, _) => Some("not read, since it is a link"),
        (_, false) => Some("not read, since it is no regular file"),
        _ => None,
    }
}

/// Reads the first bytes of a record.
pub fn start_of(file: &Path, bytes: usize) -> Option<Vec<u8>> {
    let (file, _) = open(file).ok()?;
    let mut read = Vec::new();
    file.take(bytes as u64).read_to_end(&mut read).ok()?;
    Some(read)
}

/// Reads the last bytes of a record.
pub fn end_of(file: &Path, bytes: u64) -> Option<Vec<u8>> {
    let (mut file, len) = open(file).ok()?;
    file.seek(SeekFrom::Start(len.saturating_sub(bytes))).ok()?;
    let mut read = Vec::new();
    file.take(bytes).read_to_end(&mut read).ok()?;
    Some(read)
}

/// Returns the time at which a file was last changed or moved to its path; follows links.
pub fn changed(path: &Path) -> Option<jiff::Timestamp> {
    let meta = fs::metadata(path).ok()?;
    let modified = jiff::Timestamp::try_from(meta.modified().ok()?).ok()?;
    #[cfg(unix)]
    let modified = {
        use std::os::unix::fs::MetadataExt;
        // A file that is moved here keeps the time at which it was written.
        modified.max(jiff::Timestamp::from_second(meta.ctime()).ok()?)
    };
    Some(modified)
}
