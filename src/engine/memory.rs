//! Caches results that were derived from answers, for as long as the facts behind them hold.
//!
//! A computation notes the facts of every answer that it requests, as marks. Its result is valid as long as the index has
//! invalidated none of them. Invalidating too much is allowed, too little never.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Core;
use crate::index::{Mark, mark};
use crate::query::Rests;
use crate::snapshot::Ask;

thread_local! {
    /// Marks of the facts that the current computation has used so far; `None` if there is none, or if they are not
    /// completely known.
    static NOTED: RefCell<Option<Vec<Mark>>> = const { RefCell::new(None) };
}

/// Notes marks for a computation, and for the enclosing one again when dropped.
struct Noting(Option<Vec<Mark>>);

impl Noting {
    fn begin() -> Noting {
        Noting(NOTED.replace(Some(Vec::new())))
    }

    /// Returns the marks of the computation.
    fn end(self) -> Option<Vec<Mark>> {
        NOTED.take()
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        NOTED.set(self.0.take());
    }
}

/// Cached values by key.
pub(crate) struct Memory<K, V>(Mutex<HashMap<K, Entry<V>>>);

struct Entry<V> {
    /// Version of the index for which the value is known to be valid.
    version: u64,
    /// Epoch of the session in which it was computed, and the caller's own stamp.
    stamp: (u64, Option<u64>),
    /// Marks that it depends on, sorted.
    marks: Box<[Mark]>,
    value: Arc<V>,
}

impl<K, V> Default for Memory<K, V> {
    fn default() -> Memory<K, V> {
        Memory(Mutex::default())
    }
}

impl<K: Eq + Hash, V> Memory<K, V> {
    fn lock(&self) -> MutexGuard<'_, HashMap<K, Entry<V>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached value if it is still valid, else removes it.
    fn recall(&self, core: &Core, key: &K, stamp: (u64, Option<u64>)) -> Option<Arc<V>> {
        let version = core.index.version();
        let mut known = self.lock();
        let entry = known.get_mut(key)?;
        let holds = entry.stamp == stamp
            && (entry.version == version || !core.index.has_forgotten(&entry.marks, entry.version));
        if !holds {
            known.remove(key);
            return None;
        }
        entry.version = version;
        note_marks(Some(&entry.marks));
        Some(entry.value.clone())
    }

    /// Returns the value cached under a stamp, or computes and caches it with `work`.
    pub fn get<E>(
        &self,
        core: &Core,
        key: K,
        stamp: Option<u64>,
        work: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        core.look_at_shared();
        // Updates the date, which may begin a new epoch.
        core.defaults();
        let stamp = (core.session().epoch, stamp);
        // Without a complete watch, changes of facts would go unnoticed.
        let is_watched = || core.at_rest.is_none() && !core.blind.load(Ordering::Relaxed);
        if is_watched()
            && let Some(value) = self.recall(core, &key, stamp)
        {
            return Ok(value);
        }
        let version = core.index.version();
        let noting = Noting::begin();
        let value = work();
        let noted = noting.end();
        // An enclosing computation depends on the same facts.
        note_marks(noted.as_deref());
        let value = Arc::new(value?);
        if let Some(mut marks) = noted.filter(|_| is_watched()) {
            marks.sort_unstable();
            marks.dedup();
            let marks = marks.into_boxed_slice();
            self.lock().insert(key, Entry { version, stamp, marks, value: value.clone() });
        }
        Ok(value)
    }

    /// Removes the values of keys that are not needed any more.
    pub fn keep(&self, is_of_use: impl Fn(&K) -> bool) {
        self.lock().retain(|key, _| is_of_use(key));
    }
}

/// Notes that the current computation depends on an answer.
pub(crate) fn note_answer(answer: &dyn Rests) {
    if answer.is_broken() {
        NOTED.set(None);
    }
    note(answer.depends());
}

/// Notes that the current computation depends on facts. Does nothing outside of [`Memory::get`].
pub(crate) fn note<'a>(asks: impl Iterator<Item = &'a Ask>) {
    NOTED.with_borrow_mut(|noted| {
        if let Some(marks) = noted {
            marks.extend(asks.map(mark));
        }
    });
}

/// Notes the marks of a cached value that the current computation uses; `None` if they are not completely known.
fn note_marks(marks: Option<&[Mark]>) {
    NOTED.with_borrow_mut(|noted| match marks {
        Some(marks) => noted.iter_mut().for_each(|noted| noted.extend_from_slice(marks)),
        None => *noted = None,
    });
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write to scratch directories")]
mod tests {
    use std::cell::Cell;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::engine::settings::Settings;
    use crate::engine::tests::core_for;
    use crate::snapshot::Change;

    /// Requests the cached text of a file, and counts how often it is computed.
    struct Counting<'a> {
        core: Arc<Core>,
        memory: Memory<PathBuf, String>,
        count: Cell<u32>,
        path: &'a Path,
    }

    impl Counting<'_> {
        /// Returns the number of computations so far, and the text.
        fn get(&self, stamp: Option<u64>) -> (u32, String) {
            let work = || {
                self.count.set(self.count.get() + 1);
                let (raw, _) = self.core.read(self.path)?;
                Ok::<_, crate::engine::Error>(String::from_utf8_lossy(&raw).into_owned())
            };
            let value = self.memory.get(&self.core, self.path.to_owned(), stamp, work).expect("it is read");
            (self.count.get(), value.to_string())
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_write_through_another_name_of_a_file_is_seen_by_the_next_answer() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let dir = scratch.path().canonicalize().expect("it is there");
        let (file, other) = (dir.join("p/AGENTS.md"), dir.join("elsewhere.md"));
        std::fs::create_dir(dir.join("p")).expect("it is made");
        std::fs::write(&file, "One.").expect("it is written");
        std::fs::hard_link(&file, &other).expect("it is linked");
        // Nobody is told of anything: nothing is watched yet.
        let core = core_for(&dir.join("home"));
        let counting = Counting { core, memory: Memory::default(), count: Cell::new(0), path: &file };
        assert_eq!(counting.get(None).1, "One.");
        std::fs::write(&other, "Two.").expect("it is written");
        assert_eq!(counting.get(None).1, "Two.");
    }

    #[test]
    fn what_is_remembered_holds_until_something_changes_that_it_rests_on() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let dir = scratch.path().canonicalize().expect("it is there");
        let (file, other) = (dir.join("AGENTS.md"), dir.join("other.md"));
        std::fs::write(&file, "One.").expect("it is written");
        std::fs::write(&other, "Other.").expect("it is written");
        let core = core_for(&dir.join("home"));
        let counting = Counting { core: core.clone(), memory: Memory::default(), count: Cell::new(0), path: &file };
        assert_eq!(counting.get(None), (1, "One.".to_owned()));
        assert_eq!(counting.get(None), (1, "One.".to_owned()));
        core.read(&other).expect("it is read");
        core.happened(vec![Change::Path(other.clone())]);
        assert_eq!(counting.get(None).0, 1, "it does not rest on the other file");
        std::fs::write(&file, "Two.").expect("it is written");
        core.happened(vec![Change::Path(file.clone())]);
        assert_eq!(counting.get(None), (2, "Two.".to_owned()));
        assert_eq!(counting.get(Some(1)).0, 3, "another stamp");
        core.session().set(Settings::default());
        assert_eq!(counting.get(Some(1)).0, 4, "another epoch");
        counting.memory.keep(|_| false);
        assert_eq!(counting.get(Some(1)).0, 5, "it was given up");
        core.blind.store(true, Ordering::Relaxed);
        assert_eq!(counting.get(Some(1)).0, 6, "nobody tells what changes");
    }
}
