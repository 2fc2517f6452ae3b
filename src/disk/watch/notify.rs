//! Watches directories elsewhere than on Linux, by way of a library that knows every system.

use std::io;
use std::path::Path;
use std::sync::Arc;

use notify::event::{EventKind, Flag, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::snapshot::Change;

/// What the system calls a directory that it watches: nothing else than its path.
pub(super) type Mark = ();

/// The system's watch on directories.
pub(super) struct System(RecommendedWatcher);

impl System {
    /// Calls `tell` with what happens, on a thread of its own, until it is dropped.
    pub(super) fn new(tell: impl Fn(Vec<Change>) + Send + 'static) -> io::Result<System> {
        let handler = move |event: notify::Result<Event>| {
            let changes = changes_of(event);
            if !changes.is_empty() {
                tell(changes);
            }
        };
        notify::recommended_watcher(handler).map(System).map_err(io::Error::other)
    }

    /// Watches a directory.
    pub(super) fn watch(&mut self, dir: &Arc<Path>) -> io::Result<Mark> {
        self.0.watch(dir, RecursiveMode::NonRecursive).map_err(io::Error::other)
    }

    /// Watches a directory no more. It may be gone already.
    pub(super) fn unwatch(&mut self, dir: &Path, (): Mark) {
        let _ = self.0.unwatch(dir);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_were_lost_may_have_been_about_anything() {
        let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(changes_of(Ok(overflow)), [Change::Everything]);
        assert_eq!(changes_of(Err(notify::Error::generic("lost"))), [Change::Everything]);
    }
}
