//! Watches the directories that facts depend on, and nothing else.
//!
//! Directories are watched before they are observed: [`Watching`] watches every directory on the way before it looks,
//! so no change can fall in between. Until [`Watcher::begin`] this is deferred, since the system takes long for a
//! directory with very many names; everything that was observed by then must be observed again.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, mpsc};
use std::thread;

use notify::event::{AccessKind, AccessMode, EventKind, Flag, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::Filesystem;
use super::before::{Before, Each, LookedAt};
use super::shared::Shared;
use crate::snapshot::{Change, FileType};

/// The set of watched directories.
pub struct Watcher {
    /// Watched directories. Read at every disk access, and therefore never locked during a system call.
    armed: RwLock<BTreeSet<PathBuf>>,
    /// Locked while directories are added or removed, which may take the system long. Locked before `armed`.
    state: Mutex<State>,
    /// Files that were read and that watching their directory is not enough for.
    shared: Shared,
}

struct State {
    /// The system's watcher; `None` if the system cannot watch at all.
    notify: Option<RecommendedWatcher>,
    /// Sender for changes.
    heard: mpsc::Sender<Vec<Change>>,
    /// Directories whose registration with the system is deferred, in order; `None` once watching has begun.
    put_off: Option<Vec<PathBuf>>,
    /// Maximum number of directories; `None` for as many as the system allows.
    limit: Option<usize>,
    /// True if a failure to watch was logged.
    warned: bool,
}

impl Watcher {
    /// Creates a watcher that waits for [`Watcher::begin`]. Calls `changed` with all changes on a separate thread,
    /// which ends with the watcher.
    pub fn new(changed: impl Fn(Vec<Change>) + Send + 'static) -> Watcher {
        // The system's thread must not block: it registers and removes directories, and callers wait for it. So it only
        // forwards events.
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
        let tell = heard.clone();
        let handler = move |event: notify::Result<Event>| {
            let changes = changes_of(event);
            if !changes.is_empty() {
                // Fails only while the watcher is dropped.
                let _ = tell.send(changes);
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
        Watcher::on(notify, heard)
    }

    fn on(notify: Option<RecommendedWatcher>, heard: mpsc::Sender<Vec<Change>>) -> Watcher {
        let put_off = Some(Vec::new());
        let state = State { notify, heard, put_off, limit: None, warned: false };
        Watcher { armed: RwLock::default(), state: Mutex::new(state), shared: Shared::default() }
    }

    /// Creates a watcher that cannot watch anything.
    #[cfg(test)]
    pub(crate) fn blind() -> Watcher {
        Watcher::on(None, mpsc::channel().0)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_armed(&self, dir: &Path) -> bool {
        self.armed.read().unwrap_or_else(PoisonError::into_inner).contains(dir)
    }

    fn set_armed(&self, dir: &Path) -> bool {
        self.armed.write().unwrap_or_else(PoisonError::into_inner).insert(dir.to_owned())
    }

    fn unset_armed(&self, dir: &Path) -> bool {
        self.armed.write().unwrap_or_else(PoisonError::into_inner).remove(dir)
    }

    /// Sets the maximum number of directories to watch.
    pub fn limit(&self, limit: Option<usize>) {
        self.state().limit = limit;
    }

    /// Starts watching. Returns true if everything that was looked at so far can be watched; it may have changed in the
    /// meantime. Returns `None` if watching has already begun.
    pub fn begin(&self) -> Option<bool> {
        let put_off = self.state().put_off.take()?;
        // The lock is taken for each directory separately, so that others wait for one registration only.
        Some(put_off.iter().fold(true, |all, dir| {
            let mut state = self.state();
            // Directories that were disarmed are not watched.
            let watched = !self.unset_armed(dir) || self.arm_with(&mut state, dir);
            all && watched
        }))
    }

    /// Watches a directory, given by its physical path. Returns true if that succeeded, or if the directory does not
    /// exist.
    pub fn arm(&self, dir: &Path) -> bool {
        self.is_armed(dir) || self.arm_with(&mut self.state(), dir)
    }

    /// Stops watching directories that were moved or removed. If one reappears it is a different directory.
    pub fn disarm(&self, changes: &[Change]) {
        let mut state = self.state();
        for change in changes {
            let gone: Vec<PathBuf> = {
                let armed = self.armed.read().unwrap_or_else(PoisonError::into_inner);
                match change {
                    Change::Everything => armed.iter().cloned().collect(),
                    Change::Content(_) => Vec::new(),
                    Change::Path(path) => {
                        armed.range(path.clone()..).take_while(|dir| dir.starts_with(path)).cloned().collect()
                    }
                }
            };
            for dir in gone {
                self.unset_armed(&dir);
                if let Some(notify) = &mut state.notify {
                    // Fails if the directory is already gone, which is the usual reason for disarming.
                    let _ = notify.unwatch(&dir);
                }
            }
        }
    }

    /// Returns the files with several names that changed since they were read: a write through another name is no event.
    pub fn changed_elsewhere(&self) -> Vec<Change> {
        self.shared.changed()
    }

    /// Returns the number of watched directories.
    pub fn count(&self) -> usize {
        self.armed.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn arm_with(&self, state: &mut State, dir: &Path) -> bool {
        // Another thread may have registered it in the meantime.
        if self.is_armed(dir) {
            return true;
        }
        if state.limit.is_some_and(|limit| self.count() >= limit) {
            return false;
        }
        let Some(notify) = &mut state.notify else { return false };
        if let Some(put_off) = &mut state.put_off {
            put_off.push(dir.to_owned());
            return self.set_armed(dir);
        }
        match notify.watch(dir, RecursiveMode::NonRecursive) {
            Ok(()) => {
                match dir.canonicalize() {
                    // A directory on the way has just become a link. Linux watches a directory once and would end that
                    // when `dir` is disarmed, so whoever watches it by its own name must register it again. Elsewhere a
                    // canonical path may differ in letter case or by a prefix.
                    Ok(real) if real != dir && cfg!(target_os = "linux") => {
                        let _ = notify.unwatch(dir);
                        let _ = state.heard.send(vec![Change::Path(real)]);
                    }
                    _ => {
                        self.set_armed(dir);
                    }
                }
                true
            }
            // The directory is gone again, which is reported to the watch on its parent.
            Err(_) if !dir.is_dir() => true,
            Err(error) => {
                // If one directory exceeds the system's limit, so do all that follow.
                if !std::mem::replace(&mut state.warned, true) {
                    tracing::warn!("{} cannot be watched: {error}", dir.display());
                }
                false
            }
        }
    }
}

fn changes_of(event: notify::Result<Event>) -> Vec<Change> {
    match event {
        Err(error) => {
            tracing::warn!("file events were lost: {error}");
            vec![Change::Everything]
        }
        Ok(event) if event.flag() == Some(Flag::Rescan) => vec![Change::Everything],
        // What is written through a memory map is said only when the file is closed and the map is gone.
        Ok(Event { kind: EventKind::Access(AccessKind::Close(AccessMode::Write)), paths, .. }) => {
            paths.into_iter().map(Change::Content).collect()
        }
        // Reading is not a change, and one search through a tree produces a hundred thousand of these events.
        Ok(Event { kind: EventKind::Access(_), .. }) => Vec::new(),
        Ok(Event { kind: EventKind::Modify(ModifyKind::Data(_)), paths, .. }) => {
            paths.into_iter().map(Change::Content).collect()
        }
        Ok(event) => event.paths.into_iter().map(Change::Path).collect(),
    }
}

/// A file system that watches what it looks at.
pub type Watching<'a> = Before<'a, Arming<'a>>;

/// Hook that watches paths before they are looked at.
pub struct Arming<'a> {
    watcher: &'a Watcher,
    /// Set if something that was looked at could not be watched.
    blind: AtomicBool,
    /// False once the result is no longer needed; `None` if it always is.
    wanted: Option<&'a AtomicBool>,
}

impl<'a> Watching<'a> {
    /// Creates a view of `fs` that watches through `watcher`.
    pub fn new(fs: &'a dyn Filesystem, watcher: &'a Watcher) -> Self {
        Before::each(fs, Arming { watcher, blind: AtomicBool::new(false), wanted: None })
    }

    /// Stops early once `wanted` is false.
    pub fn as_long_as(mut self, wanted: &'a AtomicBool) -> Self {
        self.each.wanted = Some(wanted);
        self
    }

    /// Returns true if something that was looked at could not be watched.
    pub fn was_blind(&self) -> bool {
        self.each.blind.load(Ordering::Relaxed)
    }

    /// Watches `dir` and the directories above it.
    pub fn watch(&self, dir: &Path) {
        self.each.watch(self.fs, dir);
    }
}

impl Arming<'_> {
    /// Watches `dir` and the directories above it, from the top down, as far as they are not links: the system knows a
    /// directory under one name only, and following a link looks at the target's own path as well. The order ensures
    /// that everything above a watched directory is watched.
    fn watch(&self, fs: &dyn Filesystem, dir: &Path) {
        if self.watcher.is_armed(dir) {
            return;
        }
        let above: Vec<&Path> = dir.ancestors().collect();
        for dir in above.into_iter().rev() {
            if self.watcher.is_armed(dir) {
                continue;
            }
            if !fs.lstat(dir).is_ok_and(|meta| meta.kind == FileType::Dir) {
                return;
            }
            if !self.watcher.arm(dir) {
                self.blind.store(true, Ordering::Relaxed);
                return;
            }
        }
    }
}

impl Each for Arming<'_> {
    fn is_wanted(&self) -> bool {
        self.wanted.is_none_or(|wanted| wanted.load(Ordering::Relaxed))
    }

    fn before(&self, fs: &dyn Filesystem, looked_at: LookedAt) {
        // Renaming any directory above changes what exists at a path.
        if let Some(parent) = looked_at.path().parent() {
            self.watch(fs, parent);
        }
        if let LookedAt::Bytes(file) = looked_at {
            self.watcher.shared.note(file);
        }
        if let LookedAt::Entries(dir) = looked_at {
            self.watch(fs, dir);
            // Entries appear and disappear in the directory itself, whatever link leads there.
            if !self.watcher.is_armed(dir)
                && let Ok(real) = fs.real_path(dir)
            {
                self.watch(fs, &real);
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write to scratch directories")]
mod tests {
    use super::*;
    use crate::disk::Real;
    use crate::snapshot::Errno;
    use std::time::Duration;

    const DEADLINE: Duration = Duration::from_secs(20);

    #[test]
    fn events_that_were_lost_may_have_been_about_anything() {
        let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(changes_of(Ok(overflow)), [Change::Everything]);
        assert_eq!(changes_of(Err(notify::Error::generic("lost"))), [Change::Everything]);
    }

    #[test]
    fn a_file_that_was_open_for_writing_has_changed_when_it_is_closed() {
        let closed = |mode| {
            let kind = EventKind::Access(AccessKind::Close(mode));
            changes_of(Ok(Event::new(kind).add_path(PathBuf::from("/r/a"))))
        };
        assert_eq!(closed(AccessMode::Write), [Change::Content(PathBuf::from("/r/a"))]);
        assert_eq!(closed(AccessMode::Read), []);
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
    fn what_was_put_off_is_watched_from_the_beginning_on() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let dir = scratch.path().canonicalize().expect("it is there");
        let (heard, events) = mpsc::channel();
        let watcher = Watcher::new(move |changes| heard.send(changes).expect("somebody hears"));
        let (watching, gone) = (Watching::new(&Real, &watcher), dir.join("gone"));
        std::fs::create_dir(&gone).expect("it is made");
        assert!(watching.stat(&gone.join("file")).is_err());
        std::fs::remove_dir(&gone).expect("it is removed");
        assert_eq!((watcher.begin(), watcher.begin()), (Some(true), None));
        std::fs::write(dir.join("file"), "").expect("it is written");
        // Other tests work beside this directory.
        let mut here = std::iter::from_fn(|| events.recv_timeout(DEADLINE).ok())
            .flatten()
            .filter(|change| matches!(change, Change::Path(path) if path.starts_with(&dir)));
        assert_eq!(here.next(), Some(Change::Path(dir.join("file"))), "nothing was heard before");
        assert!(watcher.is_armed(&dir) && !watcher.is_armed(&gone));
    }

    #[test]
    fn what_is_gone_needs_no_watching() {
        let watcher = Watcher::new(drop);
        watcher.begin();
        assert!(watcher.arm(Path::new("/nowhere/at/all")));
        assert_eq!(watcher.count(), 0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_directory_that_was_reached_through_a_new_link_is_watched_anew() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let dir = scratch.path().canonicalize().expect("it is there");
        let (target, place) = (dir.join("target"), dir.join("place"));
        for dir in [&target, &place] {
            std::fs::create_dir_all(dir.join("inner")).expect("it is made");
        }
        let (heard, events) = mpsc::channel();
        let watcher = Watcher::new(move |changes| changes.into_iter().for_each(|one| heard.send(one).expect("heard")));
        watcher.begin();
        let watching = Watching::new(&Real, &watcher);
        watching.watch(&target.join("inner"));
        watching.watch(&place);
        std::fs::remove_dir_all(&place).expect("it is removed");
        std::os::unix::fs::symlink(&target, &place).expect("it is linked");
        // The change to a link was not processed yet.
        watching.watch(&place.join("inner"));
        watcher.disarm(&[Change::Path(place)]);
        let changed = |path: PathBuf| {
            std::iter::from_fn(|| events.recv_timeout(DEADLINE).ok()).any(|change| change == Change::Path(path.clone()))
        };
        assert!(changed(target.join("inner")));
        watcher.disarm(&[Change::Path(target.join("inner"))]);
        watching.watch(&target.join("inner"));
        std::fs::write(target.join("inner/file"), "").expect("it is written");
        assert!(changed(target.join("inner/file")));
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
        watcher.begin();
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
