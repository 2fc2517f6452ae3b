//! Finds the instruction files of a workspace, in the background and without reading them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::Filesystem;
use crate::snapshot::FileType;

/// Directories that hold third-party or generated files by the ten thousand. They are not scanned; questions about a
/// file in them are still answered.
pub const HEAVY_DIRECTORIES: [&str; 12] =
    ["node_modules", "target", ".git", ".hg", ".svn", ".jj", ".venv", "venv", "__pycache__", ".cache", ".next", "Pods"];

/// Returns true if a directory of this name is skipped.
pub fn is_heavy(name: &OsStr) -> bool {
    HEAVY_DIRECTORIES.iter().any(|heavy| name == *heavy)
}

/// Progress of a scan, and its cancellation.
#[derive(Default)]
pub struct Progress {
    /// Number of entries seen so far.
    pub seen: AtomicUsize,
    /// Set to stop early.
    pub cancelled: AtomicBool,
}

/// Returns the files below `root` whose names `wanted` accepts, in no particular order. Calls `entered` for each
/// directory before it is listed. Ignore files do not apply, since agents read what git ignores; links are not
/// followed.
pub fn scan(
    root: &Path,
    threads: Threads,
    wanted: &(dyn Fn(&OsStr) -> bool + Sync),
    entered: impl Fn(&Path) + Send + Sync + 'static,
    progress: &Progress,
) -> Vec<PathBuf> {
    let found = Mutex::new(Vec::new());
    entered(root);
    let mut walk = WalkBuilder::new(root);
    // The walk lists a directory before it yields it, so the filter is the last moment to announce it.
    walk.standard_filters(false).threads(threads as usize).filter_entry(move |entry| {
        let is_directory = is_directory(entry);
        let picked = !is_directory || !is_heavy(entry.file_name());
        if is_directory && picked {
            entered(entry.path());
        }
        picked
    });
    walk.build_parallel().run(|| {
        Box::new(|entry| {
            progress.seen.fetch_add(1, Ordering::Relaxed);
            if progress.cancelled.load(Ordering::Relaxed) {
                return WalkState::Quit;
            }
            // A directory that cannot be listed holds nothing that an agent could read either.
            if let Ok(entry) = entry
                && !is_directory(&entry)
                && wanted(entry.file_name())
            {
                found.lock().unwrap_or_else(PoisonError::into_inner).push(entry.into_path());
            }
            WalkState::Continue
        })
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Scans like [`scan`] in any file system, one directory after the other.
pub fn scan_in(fs: &dyn Filesystem, root: &Path, wanted: &dyn Fn(&OsStr) -> bool) -> Vec<PathBuf> {
    let (mut found, mut dirs) = (Vec::new(), vec![root.to_owned()]);
    while let Some(dir) = dirs.pop() {
        for entry in fs.list(&dir).unwrap_or_default() {
            match entry.kind {
                FileType::Dir if !is_heavy(&entry.name) => dirs.push(dir.join(&entry.name)),
                FileType::Dir => {}
                _ if wanted(&entry.name) => found.push(dir.join(&entry.name)),
                _ => {}
            }
        }
    }
    found
}

/// Returns true if the entries of a directory have just changed, so that more changes may follow.
#[expect(clippy::disallowed_methods, reason = "it is not asked what stands there, only when it changed")]
pub fn is_being_filled(dir: &Path) -> bool {
    let modified = std::fs::symlink_metadata(dir).and_then(|meta| meta.modified());
    // A modification time in the future counts as recent.
    modified.is_ok_and(|at| at.elapsed().map_or(true, |since| since < JUST_NOW))
}

/// Maximum age of a recent change.
const JUST_NOW: Duration = Duration::from_secs(10);

/// Number of threads for a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One per core.
    PerCore = 0,
    /// A single one: the directory is probably small.
    One = 1,
}

fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}
