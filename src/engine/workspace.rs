//! The instruction files of the workspace folders, found in the background and kept up to date by events.
//!
//! No answer waits for this, because answers read the paths they depend on. It is for features that need to know all files.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Core, wanted};
use crate::disk::scan::{self, Progress, Threads};
use crate::disk::{Filesystem, Real, Watching};
use crate::harness::names::INSTRUCTION_FILES;
use crate::snapshot::{Change, FileType};

/// Interval at which those who wait for a scan check that somebody waits for them.
const CHECK: Duration = Duration::from_millis(20);

/// Time for which the files of a folder count as complete if the client does not report new ones: a file may be created
/// in a directory that is not watched.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// Minimum rest between scans of a folder, as a multiple of the last scan's duration.
const REST: u32 = 100;

/// Workspace folders by physical path.
#[derive(Default)]
pub(crate) struct Workspace {
    roots: Mutex<BTreeMap<PathBuf, Root>>,
    /// Signals that a scan has ended, or a folder has left.
    ended: Condvar,
    /// Locked from reading the disk until the result is stored: an older result must not overwrite a newer one.
    turn: Mutex<()>,
    scans: AtomicU64,
    /// True if some directory could not be watched, so that files may appear and disappear unnoticed.
    short: AtomicBool,
}

struct Root {
    token: String,
    progress: Arc<Progress>,
    /// True if a scan has ended; it may have been cancelled.
    done: bool,
    files: BTreeSet<PathBuf>,
    /// Time from which a request for the files triggers a new scan, if nobody reports all changes; `None` while a scan
    /// is running.
    look_again: Option<Instant>,
    /// Paths of changes during a scan; the scan's results there may be outdated.
    disturbed: Vec<PathBuf>,
}

/// Instruction files of one folder.
pub(crate) struct Found {
    pub files: BTreeSet<PathBuf>,
    /// True if the whole folder was scanned.
    pub complete: bool,
}

/// Source of file events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventSource {
    System,
    Client,
    Nobody,
}

impl EventSource {
    /// Returns the value for `briefing/status`.
    pub fn word(self) -> &'static str {
        match self {
            EventSource::System => "directories",
            EventSource::Client => "client",
            EventSource::Nobody => "nothing",
        }
    }
}

impl Workspace {
    fn roots(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Root>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels the scan with this progress token, or all scans.
    pub fn cancel(&self, token: Option<&str>) {
        for root in self.roots().values().filter(|root| token.is_none_or(|token| root.token == token)) {
            root.progress.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Removes a folder that is not part of the workspace any more.
    pub fn leave(&self, root: &Path) {
        if let Some(root) = self.roots().remove(root) {
            root.progress.cancelled.store(true, Ordering::Relaxed);
            self.ended.notify_all();
        }
    }

    /// Waits until a folder was scanned. Returns false if it is none of the workspace, or leaves it meanwhile.
    fn wait_for(&self, root: &Path) -> bool {
        let mut roots = self.roots();
        while let Some(found) = roots.get(root) {
            if found.done {
                return true;
            }
            wanted::end_if_unwanted();
            roots = self.ended.wait_timeout(roots, CHECK).unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    /// Returns the number of known files, and whether every folder was scanned.
    pub fn count(&self) -> (usize, bool) {
        let roots = self.roots();
        (roots.values().map(|root| root.files.len()).sum(), roots.values().all(Root::is_complete))
    }

    /// Makes the files of a folder count as outdated.
    #[cfg(test)]
    pub(crate) fn outdate(&self, root: &Path) {
        self.roots().get_mut(root).expect("a folder").look_again = Some(Instant::now());
    }

    /// Returns true if some directory could not be watched.
    pub fn is_short(&self) -> bool {
        self.short.load(Ordering::Relaxed)
    }
}

impl Root {
    fn is_complete(&self) -> bool {
        self.done && !self.progress.cancelled.load(Ordering::Relaxed)
    }
}

impl Core {
    /// Makes a folder one of the workspace, to be scanned. Returns its physical path, the token that cancels the scan,
    /// and its progress.
    pub(crate) fn enter(&self, folder: &Path) -> (PathBuf, String, Arc<Progress>) {
        let path = self.files.real(folder);
        let progress = Arc::new(Progress::default());
        let token = format!("briefing-scan-{}", self.workspace.scans.fetch_add(1, Ordering::Relaxed));
        let root = Root {
            token: token.clone(),
            progress: progress.clone(),
            done: false,
            files: BTreeSet::new(),
            look_again: None,
            disturbed: Vec::new(),
        };
        if let Some(before) = self.workspace.roots().insert(path.clone(), root) {
            before.progress.cancelled.store(true, Ordering::Relaxed);
        }
        (path, token, progress)
    }

    /// Scans a folder and stores the result.
    pub(crate) fn scan_now(self: &Arc<Self>, path: &Path, progress: &Arc<Progress>) {
        self.watch();
        let began = Instant::now();
        let found = self.files_below(path, progress);
        let turn = self.workspace.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let disturbed = {
            let mut roots = self.workspace.roots();
            // The folder may have left the workspace in the meantime, or have returned; then another scan is running.
            let Some(root) = roots.get_mut(path).filter(|root| Arc::ptr_eq(&root.progress, progress)) else { return };
            root.files = found;
            root.look_again = Some(Instant::now() + LOOK_AGAIN.max(REST * began.elapsed()));
            root.done = true;
            self.workspace.ended.notify_all();
            std::mem::take(&mut root.disturbed)
        };
        drop(turn);
        self.files_changed(&disturbed);
    }

    /// Returns the instruction files below a directory. Watching every directory would take long and use much memory,
    /// so only those that contain instruction files or are being filled are watched, and their parents.
    fn files_below(self: &Arc<Self>, path: &Path, progress: &Progress) -> BTreeSet<PathBuf> {
        let found = self.scanned(path, Threads::PerCore, scan::is_being_filled, progress);
        let Some(watcher) = self.watcher.get() else { return found };
        let watching = Watching::new(&self.files, watcher);
        let dirs: BTreeSet<&Path> = found.iter().filter_map(|file| file.parent()).chain([path]).collect();
        let watched = dirs.into_iter().flat_map(|dir| {
            watching.watch(dir);
            // Files may have appeared and disappeared before the directory was watched.
            self.scanned_in(dir)
        });
        let files = watched.collect();
        self.workspace.short.fetch_or(watching.was_blind(), Ordering::Relaxed);
        files
    }

    /// Returns the instruction files below a new directory. Every directory is watched before it is listed, so later
    /// additions are not missed.
    fn files_in_new(self: &Arc<Self>, path: &Path) -> BTreeSet<PathBuf> {
        self.scanned(path, Threads::One, |_| true, &Progress::default())
    }

    /// Returns the instruction files below a directory. Directories for which `is_watched` returns true are watched
    /// before they are listed.
    fn scanned(
        self: &Arc<Self>,
        path: &Path,
        threads: Threads,
        is_watched: fn(&Path) -> bool,
        progress: &Progress,
    ) -> BTreeSet<PathBuf> {
        let customs = self.session().custom_names.clone();
        let core = self.clone();
        let entered = move |dir: &Path| {
            let Some(watcher) = core.watcher.get().filter(|_| !core.workspace.is_short() && is_watched(dir)) else {
                return;
            };
            let watching = Watching::new(&core.files, watcher);
            watching.watch(dir);
            core.workspace.short.fetch_or(watching.was_blind(), Ordering::Relaxed);
        };
        let wanted = |name: &OsStr| INSTRUCTION_FILES.may_match(name) || customs.contains(name);
        let found = scan::scan(path, threads, &wanted, entered, progress);
        found.into_iter().filter(|file| is_instruction_file(file, &customs)).collect()
    }

    /// Returns the instruction files of one directory.
    fn scanned_in(&self, dir: &Path) -> Vec<PathBuf> {
        let entries = Real.list(dir).unwrap_or_default().into_iter();
        let session = self.session();
        let files = entries.filter(|entry| entry.kind != FileType::Dir).map(|entry| dir.join(entry.name));
        files.filter(|file| is_instruction_file(file, &session.custom_names)).collect()
    }

    /// Returns the instruction files below a workspace folder or any other directory.
    pub(crate) fn files_of(self: &Arc<Self>, root: &Path) -> Found {
        if self.workspace.wait_for(root) && self.told() != EventSource::Nobody {
            self.look_again(root);
            if self.told() != EventSource::Nobody
                && let Some(root) = self.workspace.roots().get(root)
            {
                return Found { files: root.files.clone(), complete: root.is_complete() };
            }
        }
        self.watch();
        Found { files: self.files_below(root, &Progress::default()), complete: true }
    }

    /// Scans a folder again if files may have appeared unnoticed since the last scan.
    fn look_again(self: &Arc<Self>, path: &Path) {
        // The client was asked to report the file names that agents know, but not those that a project declares.
        let is_told = {
            let session = self.session();
            session.client_watches && session.custom_names.is_empty()
        };
        if is_told {
            return;
        }
        let due = {
            let mut roots = self.workspace.roots();
            let Some(root) = roots.get_mut(path) else { return };
            // One scan serves all concurrent requests.
            let is_due = root.look_again.take_if(|at| *at <= Instant::now()).is_some();
            is_due.then(|| root.progress.clone())
        };
        if let Some(progress) = due {
            self.scan_now(path, &progress);
        }
    }

    /// Returns the source of file events.
    pub(crate) fn told(&self) -> EventSource {
        if !self.workspace.is_short() && !self.blind.load(Ordering::Relaxed) {
            EventSource::System
        } else if self.session().client_watches {
            EventSource::Client
        } else {
            EventSource::Nobody
        }
    }

    /// Handles changes: files, or directories full of them, may have appeared or disappeared.
    pub(crate) fn noticed(self: &Arc<Self>, changes: &[Change]) {
        let paths: Vec<PathBuf> = if changes.contains(&Change::Everything) {
            self.workspace.roots().keys().cloned().collect()
        } else {
            let paths = changes.iter().filter_map(|change| match change {
                Change::Path(path) => Some(path.clone()),
                Change::Content(_) | Change::Everything => None,
            });
            paths.collect()
        };
        self.files_changed(&paths);
    }

    pub(crate) fn files_changed(self: &Arc<Self>, paths: &[PathBuf]) {
        let mut paths: Vec<&PathBuf> = paths.iter().collect();
        paths.sort();
        paths.dedup();
        let roots: Vec<PathBuf> = self.workspace.roots().keys().cloned().collect();
        for root in roots {
            let mut looked_through: Option<&Path> = None;
            for path in &paths {
                let path = if root.starts_with(path) { &root } else { *path };
                let inside = path.strip_prefix(&root).is_ok_and(|inside| !inside.iter().any(scan::is_heavy));
                if !inside || looked_through.is_some_and(|dir| path.starts_with(dir)) {
                    continue;
                }
                let turn = self.workspace.turn.lock().unwrap_or_else(PoisonError::into_inner);
                let kind = self.files.lstat(path).ok().map(|meta| meta.kind);
                self.file_changed(&root, path, kind);
                drop(turn);
                if kind == Some(FileType::Dir) {
                    looked_through = Some(path);
                }
            }
        }
    }

    pub(crate) fn file_changed(self: &Arc<Self>, root: &Path, path: &Path, kind: Option<FileType>) {
        let now = match kind {
            None => BTreeSet::new(),
            Some(FileType::Dir) => self.files_in_new(path),
            Some(_) => {
                let is_one = is_instruction_file(path, &self.session().custom_names);
                BTreeSet::from_iter(is_one.then(|| path.to_owned()))
            }
        };
        let mut roots = self.workspace.roots();
        let Some(root) = roots.get_mut(root) else { return };
        let is_known = root.done;
        if !is_known || root.look_again.is_none() {
            root.disturbed.push(path.to_owned());
        }
        if !is_known {
            return;
        }
        let from = root.files.range(path.to_owned()..);
        let gone: Vec<PathBuf> =
            from.take_while(|file| file.starts_with(path)).filter(|file| !now.contains(*file)).cloned().collect();
        for file in gone {
            root.files.remove(&file);
        }
        root.files.extend(now);
    }
}

pub(crate) fn is_instruction_file(path: &Path, customs: &HashSet<OsString>) -> bool {
    INSTRUCTION_FILES.matches(path) || path.file_name().is_some_and(|name| customs.contains(name))
}
