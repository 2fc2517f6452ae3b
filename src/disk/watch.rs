//! Watches the directories that facts rest on, and nothing else.
//!
//! Arming comes before observing: whoever looks at the disk through [`Watching`] has every directory on the way watched
//! before it is looked at, so no change can fall between the two.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use notify::event::{EventKind, Flag, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::Filesystem;
use crate::snapshot::{Change, Content, Entry, Errno, Kind, Meta, Remote, Unreadable};

/// The directories watched so far.
pub struct Watcher {
    state: Mutex<State>,
}

struct State {
    /// `None` where the system cannot watch at all.
    notify: Option<RecommendedWatcher>,
    armed: BTreeSet<PathBuf>,
    /// No more directories than this; none: as many as the system lets us.
    limit: Option<usize>,
    /// Whether it was said that something cannot be watched.
    warned: bool,
}

impl Watcher {
    /// Starts with nothing watched. `changed` is called, on a thread of its own, with everything that happens. The
    /// thread ends with the watcher.
    pub fn new(changed: impl Fn(Vec<Change>) + Send + 'static) -> Watcher {
        // The system's thread must not wait for anybody: it is the one that arms and disarms, and whoever wants that
        // done waits for it. So it hands on what it hears.
        let (heard, events) = mpsc::channel();
        let listen = move || {
            while let Ok(first) = events.recv() {
                let mut changes: Vec<Change> = std::iter::once(first).chain(events.try_iter()).flatten().collect();
                changes.dedup();
                if catch_unwind(AssertUnwindSafe(|| changed(changes))).is_err() {
                    tracing::error!("taking in file events panicked");
                }
            }
        };
        let handler = move |event: notify::Result<Event>| {
            let changes = changes_of(event);
            if !changes.is_empty() {
                // Fails only while the watcher is dropped.
                let _ = heard.send(changes);
            }
        };
        let notify = thread::Builder::new()
            .name("briefing-files".to_owned())
            .spawn(listen)
            .map_err(notify::Error::io)
            .and_then(|_| notify::recommended_watcher(handler))
            .inspect_err(|error| {
                tracing::warn!("files cannot be watched ({error}); every request looks at the disk anew")
            })
            .ok();
        Watcher { state: Mutex::new(State { notify, armed: BTreeSet::new(), limit: None, warned: false }) }
    }

    /// One that can watch nothing.
    #[cfg(test)]
    pub(crate) fn blind() -> Watcher {
        Watcher { state: Mutex::new(State { notify: None, armed: BTreeSet::new(), limit: None, warned: false }) }
    }

    fn is_armed(&self, dir: &Path) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).armed.contains(dir)
    }

    /// Watches no more directories than this from now on.
    pub fn limit(&self, limit: Option<usize>) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).limit = limit;
    }

    /// Watches a directory, given by its physical path; whether that worked.
    pub fn arm(&self, dir: &Path) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.armed.contains(dir) {
            return true;
        }
        if state.limit.is_some_and(|limit| state.armed.len() >= limit) {
            return false;
        }
        let Some(notify) = &mut state.notify else { return false };
        match notify.watch(dir, RecursiveMode::NonRecursive) {
            Ok(()) => {
                state.armed.insert(dir.to_owned());
                true
            }
            Err(error) => {
                // Where one directory is too much, so are all that follow.
                if !std::mem::replace(&mut state.warned, true) {
                    tracing::warn!("{} cannot be watched: {error}", dir.display());
                }
                false
            }
        }
    }

    /// A directory that was moved or removed is watched no more, and if it comes back it is another one.
    pub fn disarm(&self, changes: &[Change]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for change in changes {
            let gone: Vec<PathBuf> = match change {
                Change::Everything => state.armed.iter().cloned().collect(),
                Change::Content(_) => Vec::new(),
                Change::Path(path) => {
                    state.armed.range(path.clone()..).take_while(|dir| dir.starts_with(path)).cloned().collect()
                }
            };
            for dir in gone {
                state.armed.remove(&dir);
                if let Some(notify) = &mut state.notify {
                    // It may be gone already, which is why we are here.
                    let _ = notify.unwatch(&dir);
                }
            }
        }
    }

    /// How many directories are watched.
    pub fn count(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).armed.len()
    }
}

fn changes_of(event: notify::Result<Event>) -> Vec<Change> {
    match event {
        Err(error) => {
            tracing::warn!("file events were lost: {error}");
            vec![Change::Everything]
        }
        Ok(event) if event.flag() == Some(Flag::Rescan) => vec![Change::Everything],
        // Reading is no change, and one search through a tree makes a hundred thousand of these.
        Ok(Event { kind: EventKind::Access(_), .. }) => Vec::new(),
        Ok(Event { kind: EventKind::Modify(ModifyKind::Data(_)), paths, .. }) => {
            paths.into_iter().map(Change::Content).collect()
        }
        Ok(event) => event.paths.into_iter().map(Change::Path).collect(),
    }
}

/// A file system, seen while watching what is seen.
pub struct Watching<'a> {
    fs: &'a dyn Filesystem,
    watcher: &'a Watcher,
    /// Set when something was looked at that could not be watched.
    blind: AtomicBool,
}

impl<'a> Watching<'a> {
    /// Looks at `fs` through `watcher`.
    pub fn new(fs: &'a dyn Filesystem, watcher: &'a Watcher) -> Self {
        Watching { fs, watcher, blind: AtomicBool::new(false) }
    }

    /// Whether something that was looked at could not be watched.
    pub fn was_blind(&self) -> bool {
        self.blind.load(Ordering::Relaxed)
    }

    /// Watches every directory above `path`: renaming any of them changes what stands at `path`.
    fn watch_above(&self, path: &Path) {
        if let Some(parent) = path.parent() {
            self.watch(parent);
        }
    }

    /// Watches `dir` and what is above it, from the top down, as far as these are directories by their own names. Behind
    /// a link there are none: the system knows a directory under one name only, and whoever follows the link looks at
    /// the target's own path as well. From the top down, so that what is armed has everything above it armed.
    pub fn watch(&self, dir: &Path) {
        if self.watcher.is_armed(dir) {
            return;
        }
        let above: Vec<&Path> = dir.ancestors().collect();
        for dir in above.into_iter().rev() {
            if self.watcher.is_armed(dir) {
                continue;
            }
            if !self.fs.lstat(dir).is_ok_and(|meta| meta.kind == Kind::Dir) {
                return;
            }
            if !self.watcher.arm(dir) {
                self.blind.store(true, Ordering::Relaxed);
                return;
            }
        }
    }
}

impl Filesystem for Watching<'_> {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        self.watch_above(path);
        self.fs.stat(path)
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        self.watch_above(path);
        self.fs.lstat(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.watch_above(path);
        self.fs.read_link(path)
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.watch_above(path);
        self.fs.real_path(path)
    }

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        self.watch_above(path);
        self.fs.read(path)
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        self.watch_above(path);
        self.watch(path);
        // Entries come and go in the directory itself, whatever link leads there.
        if !self.watcher.is_armed(path)
            && let Ok(real) = self.fs.real_path(path)
        {
            self.watch(&real);
        }
        self.fs.list(path)
    }

    fn fetched(&self, url: &str) -> Remote {
        self.fs.fetched(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Real;
    use std::time::Duration;

    const DEADLINE: Duration = Duration::from_secs(20);

    #[test]
    fn events_that_were_lost_may_have_been_about_anything() {
        let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(changes_of(Ok(overflow)), [Change::Everything]);
        assert_eq!(changes_of(Err(notify::Error::generic("lost"))), [Change::Everything]);
    }

    #[test]
    fn no_more_directories_are_watched_than_the_limit_allows() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let dir = scratch.path().canonicalize().expect("it is there");
        let watcher = Watcher::new(drop);
        watcher.limit(Some(dir.ancestors().count()));
        let watching = Watching::new(&Real, &watcher);
        assert!(watching.stat(&dir.join("file")).is_err() && !watching.was_blind());
        let inner = tempfile::TempDir::new_in(&dir).expect("a directory");
        assert!(watching.stat(&inner.path().join("file")).is_err() && watching.was_blind());
        assert_eq!(watcher.count(), dir.ancestors().count());
    }

    #[test]
    fn the_thread_ends_with_the_watcher() {
        let (alive, ended) = mpsc::channel::<()>();
        let watcher = Watcher::new(move |_| drop(alive.clone()));
        drop(watcher);
        assert_eq!(ended.recv_timeout(DEADLINE), Err(mpsc::RecvTimeoutError::Disconnected));
    }

    #[test]
    fn a_panic_while_events_are_taken_in_is_not_the_end_of_them() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let dir = scratch.path().canonicalize().expect("it is there");
        let (heard, events) = mpsc::channel();
        let watcher = Watcher::new(move |changes| {
            let _ = heard.send(changes);
            panic!("on purpose");
        });
        let watching = Watching::new(&Real, &watcher);
        for name in ["one", "two"] {
            let file = dir.join(name);
            assert_eq!(watching.stat(&file).map(drop), Err(Errno::NOENT));
            tempfile::Builder::new().prefix(name).rand_bytes(0).tempdir_in(&dir).expect("a directory");
            let seen = std::iter::from_fn(|| events.recv_timeout(DEADLINE).ok()).flatten();
            assert!(seen.into_iter().any(|change| change == Change::Path(file.clone())), "{name}");
        }
        assert!(!watching.was_blind());
    }
}
