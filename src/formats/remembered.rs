//! Caches results of parsing: front matter is parsed for every answer and hardly ever changes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use dashmap::DashMap;

use crate::glob;

/// Maximum size of the cached texts together, in bytes; then all are dropped.
const TEXTS_LIMIT_BYTES: usize = 16 << 20;

/// Maximum number of cached texts; then all are dropped.
const COUNT_LIMIT: usize = 4096;

/// A value computed from a text. If the text exceeded a limit, that is reported again for each answer that uses the
/// value.
struct Kept<T> {
    made: Arc<T>,
    gave_up: bool,
}

/// A cache of a function's results by text. The function must depend on nothing else, so that cached results equal
/// fresh ones.
///
/// Answers are computed on several threads, which ask for the same texts: a lookup locks only one shard of the map.
pub struct Remembered<T> {
    by_text: LazyLock<DashMap<Box<str>, Kept<T>, foldhash::fast::RandomState>>,
    bytes: AtomicUsize,
}

impl<T> Remembered<T> {
    /// Creates an empty cache.
    #[expect(clippy::new_without_default, reason = "it stands in statics, which have no use for `default`")]
    pub const fn new() -> Remembered<T> {
        Remembered { by_text: LazyLock::new(DashMap::default), bytes: AtomicUsize::new(0) }
    }

    /// Returns the result of `read` for `text`, from the cache if possible.
    pub fn of(&self, text: &str, read: impl FnOnce(&str) -> T) -> Arc<T> {
        if let Some(before) = self.by_text.get(text) {
            if before.gave_up {
                glob::gives_up();
            }
            return before.made.clone();
        }
        let (read, gave_up) = glob::watched(|| Arc::new(read(text)));
        if text.len() > TEXTS_LIMIT_BYTES {
            return read;
        }
        let bytes = self.bytes.fetch_add(text.len(), Ordering::Relaxed) + text.len();
        if bytes > TEXTS_LIMIT_BYTES || self.by_text.len() >= COUNT_LIMIT {
            self.by_text.clear();
            self.bytes.store(text.len(), Ordering::Relaxed);
        }
        self.by_text.insert(text.into(), Kept { made: read.clone(), gave_up });
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob::Meter;

    #[test]
    fn what_was_given_up_is_noted_each_time() {
        let lengths = Remembered::new();
        for _ in 0..2 {
            let meter = Meter::default();
            lengths.of("a", |_| glob::gives_up());
            assert!(meter.has_given_up());
            let meter = Meter::default();
            lengths.of("b", |_| ());
            assert!(!meter.has_given_up());
        }
    }

    #[test]
    fn a_text_is_read_once_unless_there_are_too_many_or_they_are_too_long() {
        let (lengths, mut calls) = (Remembered::new(), 0);
        let mut length = |text: &str| {
            *lengths.of(text, |text| {
                calls += 1;
                (calls, text.len())
            })
        };
        assert_eq!((length("a"), length("bc"), length("a")), ((1, 1), (2, 2), (1, 1)));
        let long = "x".repeat(TEXTS_LIMIT_BYTES / 2);
        assert_eq!((length(&long).0, length(&long).0, length("a").0), (3, 3, 1));
        let longer = "x".repeat(TEXTS_LIMIT_BYTES + 1);
        assert_eq!((length(&longer).0, length(&longer).0), (4, 5));
        let other = "y".repeat(TEXTS_LIMIT_BYTES / 2);
        assert_eq!((length(&other).0, length(&other).0), (6, 6), "those before are forgotten");
        assert_eq!(length("a").0, 7);
        let many = (0..COUNT_LIMIT).map(|number| length(&number.to_string()).0);
        assert_eq!(many.last(), Some(7 + COUNT_LIMIT));
        assert!(length("a").0 > 7 + COUNT_LIMIT);
    }
}
