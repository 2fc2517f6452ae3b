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

/// A scan's way to say how far it is, and to be told to stop.
#[derive(Default)]
pub struct Progress {
    /// Entries seen so far.
    pub seen: AtomicUsize,
    /// Set to stop early.
    pub cancelled: AtomicBool,
}

/// The files below `root` whose name `wanted` accepts, in no particular order. Ignore files do not count, since harnesses
/// read what git ignores; links are not followed.
pub fn scan(root: &Path, wanted: impl Fn(&OsStr) -> bool + Sync, progress: &Progress) -> Vec<PathBuf> {
    let found = Mutex::new(Vec::new());
    let heavy = |name: &OsStr| HEAVY_DIRECTORIES.iter().any(|heavy| name == *heavy);
    let mut walk = WalkBuilder::new(root);
    walk.standard_filters(false).filter_entry(move |entry| {
        entry.depth() == 0 || !entry.file_type().is_some_and(|kind| kind.is_dir()) || !heavy(entry.file_name())
    });
    walk.build_parallel().run(|| {
        Box::new(|entry| match visit(entry, &wanted, &found, progress) {
            ControlFlow::Continue(()) => WalkState::Continue,
            ControlFlow::Break(()) => WalkState::Quit,
        })
    });
    found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn visit(
    entry: Result<ignore::DirEntry, ignore::Error>,
    wanted: &impl Fn(&OsStr) -> bool,
    found: &Mutex<Vec<PathBuf>>,
    progress: &Progress,
) -> ControlFlow<()> {
    progress.seen.fetch_add(1, Ordering::Relaxed);
    if progress.cancelled.load(Ordering::Relaxed) {
        return ControlFlow::Break(());
    }
    // What cannot be listed holds nothing that a harness could read either.
    let Ok(entry) = entry else { return ControlFlow::Continue(()) };
    let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
    if !is_dir && wanted(entry.file_name()) {
        found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(entry.into_path());
    }
    ControlFlow::Continue(())
}
