//! Files with several names. Of a write through another name the system tells nobody who watches this one, so these files are
//! looked at again before what they hold is relied on.
#![expect(clippy::disallowed_methods, reason = "the room that touches the file system")]

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::snapshot::Change;

/// Maximum number of files that are looked at again. Usual projects have none.
const LIMIT: usize = 1024;

/// Age from which on a date tells two states of a file apart: clocks of file systems tick every few milliseconds.
const SETTLED: Duration = Duration::from_millis(50);

/// Files with several names, each with its state when it was first read; `None` if that was too young to be told from the
/// next.
#[derive(Default)]
pub struct Shared(Mutex<BTreeMap<PathBuf, Option<Stamp>>>);

/// State of a file as far as it can be seen without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: SystemTime,
    #[cfg(unix)]
    inode: (u64, u64, i64, i64),
}

impl Stamp {
    fn of(meta: &Metadata) -> Option<Stamp> {
        let modified = meta.modified().ok()?;
        let is_settled = SystemTime::now().duration_since(modified).is_ok_and(|age| age > SETTLED);
        #[cfg(unix)]
        let inode = {
            use std::os::unix::fs::MetadataExt;
            (meta.dev(), meta.ino(), meta.ctime(), meta.ctime_nsec())
        };
        is_settled.then_some(Stamp {
            len: meta.len(),
            modified,
            #[cfg(unix)]
            inode,
        })
    }
}

/// Returns the metadata of a regular file that has several names.
#[cfg(unix)]
fn shared(path: &Path) -> Option<Metadata> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().filter(|meta| meta.is_file() && meta.nlink() > 1)
}

/// Returns nothing: the system does not say how many names a file has.
#[cfg(not(unix))]
fn shared(_: &Path) -> Option<Metadata> {
    None
}

impl Shared {
    /// Notes a file that is about to be read, if it has several names. An earlier state is kept, since others may rely on it.
    pub fn note(&self, path: &Path) {
        let Some(meta) = shared(path) else { return };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < LIMIT && !known.contains_key(path) {
            known.insert(path.to_owned(), Stamp::of(&meta));
        }
    }

    /// Returns the noted files that changed, or may have changed, since they were noted or last returned.
    pub fn changed(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|path, known| {
            let Some(meta) = shared(path) else {
                // Its directory is watched, and tells that it is gone; it may have another name less, and be changed before.
                changes.push(Change::Content(path.clone()));
                return false;
            };
            let now = Stamp::of(&meta);
            if now.is_none() || *known != now {
                changes.push(Change::Content(path.clone()));
                *known = now;
            }
            true
        });
        changes
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_write_through_another_name_is_seen_and_nothing_else_is() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let [one, other, alone] = ["one", "other", "alone"].map(|name| scratch.path().join(name));
        let old = SystemTime::now() - Duration::from_secs(3600);
        for path in [&one, &alone] {
            fs::write(path, "One.").expect("it is written");
            fs::File::options().write(true).open(path).and_then(|file| file.set_modified(old)).expect("it is old");
        }
        fs::hard_link(&one, &other).expect("it is linked");
        let shared = Shared::default();
        for path in [&one, &alone] {
            shared.note(path);
        }
        assert_eq!(shared.changed(), []);
        fs::write(&other, "Two.").expect("it is written");
        fs::write(&alone, "Two.").expect("it is written");
        assert_eq!(shared.changed(), [Change::Content(one.clone())]);
        assert_eq!(shared.changed(), [Change::Content(one.clone())], "it is too young to be told from another state");
        fs::remove_file(&other).expect("it is removed");
        assert_eq!(shared.changed(), [Change::Content(one)], "it may have changed before");
        assert_eq!(shared.changed(), [], "it has one name");
    }
}
