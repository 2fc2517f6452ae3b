//! Watches directories on Linux. A tree of a hundred thousand directories is watched as a whole, so each costs a number and
//! a path that is held once; and nobody is woken up because files are read.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::snapshot::Change;

/// What the system calls a directory that it watches.
pub(super) type Mark = i32;

/// What is to be told of a directory.
const WATCHED: WatchFlags = WatchFlags::ATTRIB
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// So many bytes of events are taken in one go.
const ROUND_BYTES: usize = 16 << 10;

/// The system's watch on directories.
pub(super) struct System {
    watched: Arc<Watched>,
    /// Becomes readable when nothing more is to be told.
    ended: Arc<OwnedFd>,
}

struct Watched {
    events: OwnedFd,
    /// Held from the moment that the system is asked until its answer is known: an event may come at once.
    paths: Mutex<HashMap<Mark, Arc<Path>>>,
}

impl Watched {
    fn paths(&self) -> MutexGuard<'_, HashMap<Mark, Arc<Path>>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an event says that happened.
    fn change(&self, event: &inotify::Event) -> Option<Change> {
        let flags = event.events();
        if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            tracing::warn!("file events were lost");
            return Some(Change::Everything);
        }
        let mut paths = self.paths();
        if flags.contains(ReadFlags::IGNORED) {
            // It is gone, or was given up.
            paths.remove(&event.wd());
            return None;
        }
        let dir = paths.get(&event.wd())?;
        let path = event
            .file_name()
            .map_or_else(|| PathBuf::from(&**dir), |name| dir.join(OsStr::from_bytes(name.to_bytes())));
        Some(if flags.contains(ReadFlags::MODIFY) { Change::Content(path) } else { Change::Path(path) })
    }
}

impl System {
    /// Calls `tell` with what happens, on a thread of its own, until it is dropped.
    pub(super) fn new(tell: impl Fn(Vec<Change>) + Send + 'static) -> io::Result<System> {
        let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let ended = Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?);
        let watched = Arc::new(Watched { events, paths: Mutex::default() });
        let (heard, end) = (watched.clone(), ended.clone());
        thread::Builder::new().name("briefing-events".to_owned()).spawn(move || listen(&heard, &end, tell))?;
        Ok(System { watched, ended })
    }

    /// Watches a directory.
    pub(super) fn watch(&mut self, dir: &Arc<Path>) -> io::Result<Mark> {
        let mut paths = self.watched.paths();
        let mark = inotify::add_watch(&self.watched.events, &**dir, WATCHED).map_err(|error| match error {
            // Said of a disk, it means something else.
            Errno::NOSPC => io::Error::other("the system watches as many directories as it may"),
            error => error.into(),
        })?;
        paths.insert(mark, dir.clone());
        Ok(mark)
    }

    /// Watches a directory no more. It may be gone already.
    pub(super) fn unwatch(&mut self, _: &Path, mark: Mark) {
        if self.watched.paths().remove(&mark).is_some() {
            let _ = inotify::remove_watch(&self.watched.events, mark);
        }
    }
}

impl Drop for System {
    fn drop(&mut self) {
        let _ = rustix::io::write(&self.ended, &1_u64.to_ne_bytes());
    }
}

fn listen(watched: &Watched, ended: &OwnedFd, tell: impl Fn(Vec<Change>)) {
    let mut buffer = [MaybeUninit::uninit(); ROUND_BYTES];
    let mut reader = Reader::new(&watched.events, &mut buffer);
    loop {
        let mut ready = [PollFd::new(&watched.events, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
        match poll(&mut ready, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => {
                tracing::error!("file events are not told any more: {error}");
                return tell(vec![Change::Everything]);
            }
        }
        if !ready[1].revents().is_empty() {
            return;
        }
        let mut changes = Vec::new();
        loop {
            match reader.next() {
                Ok(event) => changes.extend(watched.change(&event)),
                Err(Errno::AGAIN | Errno::INTR) => break,
                Err(error) => {
                    tracing::warn!("file events were lost: {error}");
                    changes.push(Change::Everything);
                    break;
                }
            }
            if reader.is_buffer_empty() {
                break;
            }
        }
        if !changes.is_empty() {
            tell(changes);
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write to scratch directories")]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(20);

    #[test]
    fn what_is_read_is_no_event_and_what_is_given_up_is_not_told() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let (one, other) = (scratch.path().join("one"), scratch.path().join("other"));
        for dir in [&one, &other] {
            std::fs::create_dir(dir).expect("it is made");
            std::fs::write(dir.join("file"), "").expect("it is written");
        }
        let (heard, events) = mpsc::channel();
        let mut system = System::new(move |changes| heard.send(changes).expect("somebody hears")).expect("it watches");
        let marks = [&one, &other].map(|dir| system.watch(&Arc::from(dir.as_path())).expect("it is watched"));
        system.unwatch(&one, marks[0]);
        std::fs::write(one.join("file"), "text").expect("it is written");
        std::fs::read(other.join("file")).expect("it is read");
        std::fs::write(other.join("file"), "text").expect("it is written");
        std::fs::remove_dir_all(&other).expect("it is removed");
        let mut changes = std::iter::from_fn(|| events.recv_timeout(DEADLINE).ok()).flatten();
        assert_eq!(changes.next(), Some(Change::Content(other.join("file"))), "nothing was heard before");
        assert!(changes.any(|change| change == Change::Path(other.clone())));
        drop(system);
        assert!(events.into_iter().flatten().all(|change| change == Change::Path(other.clone())), "the thread ends");
    }

    #[test]
    fn what_is_no_directory_is_not_watched() {
        let mut system = System::new(drop).expect("it watches");
        assert!(system.watch(&Arc::from(Path::new("/nowhere/at/all"))).is_err());
        assert!(system.watch(&Arc::from(Path::new("/dev/null"))).is_err());
        assert!(system.watched.paths().is_empty());
    }
}
