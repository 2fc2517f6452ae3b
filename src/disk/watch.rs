//! Watches the directories that facts rest on, and nothing else.
//!
//! Arming comes before observing: whoever looks at the disk through [`Watching`] has every directory on the way watched
//! before it is looked at, so no change can fall between the two. Only until [`Watcher::begin`] it is put off, since a
//! directory with very many names takes the system long; what was looked at by then has to be looked at again.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, mpsc};
use std::thread;

use notify::event::{EventKind, Flag, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::Filesystem;
use super::before::{Before, Each, LookedAt};
use crate::snapshot::{Change, FileType};

/// The directories watched so far.
pub struct Watcher {
    /// Read at every look at the disk, and therefore never held while the system is asked for anything.
    armed: RwLock<BTreeSet<PathBuf>>,
    /// Held by whoever arms and disarms, which may take the system long. Taken before the set.
    state: Mutex<State>,
}

struct State {
    /// `None` where the system cannot watch at all.
    notify: Option<RecommendedWatcher>,
    /// Where changes are told.
    heard: mpsc::Sender<Vec<Change>>,
    /// The armed ones that the system does not know of yet, in order; `None` once watching has begun.
    put_off: Option<Vec<PathBuf>>,
    /// No more directories than this; none: as many as the system lets us.
    limit: Option<usize>,
    /// Whether it was said that something cannot be watched.
    warned: bool,
}

impl Watcher {
    /// Starts with nothing watched, and waits for [`Watcher::begin`]. `changed` is called, on a thread of its own, with
    /// everything that happens. The thread ends with the watcher.
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
        Watcher { armed: RwLock::default(), state: Mutex::new(state) }
    }

    /// One that can watch nothing.
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

    /// Watches no more directories than this from now on.
    pub fn limit(&self, limit: Option<usize>) {
        self.state().limit = limit;
    }

    /// Begins to watch. Whether all can be watched that was looked at by now, which may have changed unseen; `None` if it
    /// has begun before.
    pub fn begin(&self) -> Option<bool> {
        let put_off = self.state().put_off.take()?;
        // The lock is taken for each one anew: whoever wants another directory watched meanwhile waits for one only.
        Some(put_off.iter().fold(true, |all, dir| {
            let mut state = self.state();
            // What was disarmed needs no watching.
            let watched = !self.unset_armed(dir) || self.arm_with(&mut state, dir);
            all && watched
        }))
    }

    /// Watches a directory, given by its physical path; whether that worked, or there is none.
    pub fn arm(&self, dir: &Path) -> bool {
        self.is_armed(dir) || self.arm_with(&mut self.state(), dir)
    }

    /// A directory that was moved or removed is watched no more, and if it comes back it is another one.
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
                    // It may be gone already, which is why we are here.
                    let _ = notify.unwatch(&dir);
                }
            }
        }
    }

    /// How many directories are watched.
    pub fn count(&self) -> usize {
        self.armed.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn arm_with(&self, state: &mut State, dir: &Path) -> bool {
        // Another may have armed it while this one waited.
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
                    // A directory on the way has just become a link. Linux watches a directory once, and would end that
                    // when `dir` is disarmed, so whoever watches it by its own name has to begin anew. Elsewhere a
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
            // It is gone again, which whoever watches the directory above is told.
            Err(_) if !dir.is_dir() => true,
            Err(error) => {
                // Where one directory is too much, so are all that follow.
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
        // Reading is no change, and one search through a tree makes a hundred thousand of these.
        Ok(Event { kind: EventKind::Access(_), .. }) => Vec::new(),
        Ok(Event { kind: EventKind::Modify(ModifyKind::Data(_)), paths, .. }) => {
            paths.into_iter().map(Change::Content).collect()
        }
        Ok(event) => event.paths.into_iter().map(Change::Path).collect(),
    }
}

/// A file system, seen while watching what is seen.
pub type Watching<'a> = Before<'a, Arming<'a>>;

/// Watches what is looked at, before it is.
pub struct Arming<'a> {
    watcher: &'a Watcher,
    /// Set when something was looked at that could not be watched.
    blind: AtomicBool,
    /// Whether anybody still waits for what is looked at; nothing: somebody does.
    wanted: Option<&'a AtomicBool>,
}

impl<'a> Watching<'a> {
    /// Looks at `fs` through `watcher`.
    pub fn new(fs: &'a dyn Filesystem, watcher: &'a Watcher) -> Self {
        Before::each(fs, Arming { watcher, blind: AtomicBool::new(false), wanted: None })
    }

    /// The same, only as long as it is wanted.
    pub fn as_long_as(mut self, wanted: &'a AtomicBool) -> Self {
        self.each.wanted = Some(wanted);
        self
    }

    /// Whether something that was looked at could not be watched.
    pub fn was_blind(&self) -> bool {
        self.each.blind.load(Ordering::Relaxed)
    }

    /// Watches `dir` and what is above it.
    pub fn watch(&self, dir: &Path) {
        self.each.watch(self.fs, dir);
    }
}

impl Arming<'_> {
    /// Watches `dir` and what is above it, from the top down, as far as these are directories by their own names. Behind
    /// a link there are none: the system knows a directory under one name only, and whoever follows the link looks at
    /// the target's own path as well. From the top down, so that what is armed has everything above it armed.
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
        // Renaming any directory above changes what stands at a path.
        if let Some(parent) = looked_at.path().parent() {
            self.watch(fs, parent);
        }
        if let LookedAt::Entries(dir) = looked_at {
            self.watch(fs, dir);
            // Entries come and go in the directory itself, whatever link leads there.
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
        // Others work beside this directory.
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
        // Nobody has taken in yet that it is a link now.
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
