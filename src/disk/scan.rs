//! Finds the instruction files of a workspace, in the background and without reading any.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ignore::{WalkBuilder, WalkState};

/// Directories that hold other people's or generated files by the ten thousand. They are not walked; a file in them that
/// is asked about is answered all the same.
pub const HEAVY_DIRECTORIES: [&str; 12] =
    ["node_modules", "target", ".git", ".hg", ".svn", ".jj", ".venv", "venv", "__pycache__", ".cache", ".next", "Pods"];

/// Whether a directory of this name is left out.
pub fn is_heavy(name: &OsStr) -> bool {
    HEAVY_DIRECTORIES.iter().any(|heavy| name == *heavy)
}

/// A scan's way to say how far it is, and to be told to stop.
#[derive(Default)]
pub struct Progress {
    /// Entries seen so far.
    pub seen: AtomicUsize,
    /// Set to stop early.
    pub cancelled: AtomicBool,
}

/// The files below `root` whose name `wanted` accepts, in no particular order. Each directory is `entered` before it is
/// listed. Ignore files do not count, since harnesses read what git ignores; links are not followed.
pub fn scan(
    root: &Path,
    wanted: &(dyn Fn(&OsStr) -> bool + Sync),
    entered: &(dyn Fn(&Path) + Sync),
    progress: &Progress,
) -> Vec<PathBuf> {
    let found = Mutex::new(Vec::new());
    walk(root).build_parallel().run(|| {
        Box::new(|entry| match visit(entry, wanted, entered, progress) {
            ControlFlow::Continue(None) => WalkState::Continue,
            ControlFlow::Continue(Some(file)) => {
                found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(file);
                WalkState::Continue
            }
            ControlFlow::Break(()) => WalkState::Quit,
        })
    });
    found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The same on this thread alone, for a directory that is likely small.
pub fn scan_small(
    root: &Path,
    wanted: &(dyn Fn(&OsStr) -> bool + Sync),
    entered: &(dyn Fn(&Path) + Sync),
    progress: &Progress,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in walk(root).build() {
        match visit(entry, wanted, entered, progress) {
            ControlFlow::Continue(file) => found.extend(file),
            ControlFlow::Break(()) => break,
        }
    }
    found
}

fn walk(root: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(root);
    walk.standard_filters(false).filter_entry(|entry| {
        entry.depth() == 0 || !entry.file_type().is_some_and(|kind| kind.is_dir()) || !is_heavy(entry.file_name())
    });
    walk
}

/// The file, if it is wanted; or the end of it all.
fn visit(
    entry: Result<ignore::DirEntry, ignore::Error>,
    wanted: &(dyn Fn(&OsStr) -> bool + Sync),
    entered: &(dyn Fn(&Path) + Sync),
    progress: &Progress,
) -> ControlFlow<(), Option<PathBuf>> {
    progress.seen.fetch_add(1, Ordering::Relaxed);
    if progress.cancelled.load(Ordering::Relaxed) {
        return ControlFlow::Break(());
    }
    // What cannot be listed holds nothing that a harness could read either.
    let Ok(entry) = entry else { return ControlFlow::Continue(None) };
    if entry.file_type().is_some_and(|kind| kind.is_dir()) {
        entered(entry.path());
        return ControlFlow::Continue(None);
    }
    ControlFlow::Continue(wanted(entry.file_name()).then(|| entry.into_path()))
}
