//! What was made of short texts before: heads of rules are parsed for every answer, and hardly ever change.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// Longer texts are parsed every time.
const TEXT_LIMIT_BYTES: usize = 4096;

/// How many texts are remembered at most; then all are forgotten.
const COUNT_LIMIT: usize = 4096;

/// What a function makes of texts. It depends on nothing else, so nobody can tell whether it was called.
pub struct Remembered<T> {
    by_text: LazyLock<RwLock<HashMap<Box<str>, Arc<T>>>>,
}

impl<T> Remembered<T> {
    /// Remembers nothing yet.
    #[expect(clippy::new_without_default, reason = "it stands in statics, which have no use for `default`")]
    pub const fn new() -> Remembered<T> {
        Remembered { by_text: LazyLock::new(RwLock::default) }
    }

    /// What `read` makes of `text`.
    pub fn of(&self, text: &str, read: impl FnOnce(&str) -> T) -> Arc<T> {
        if text.len() > TEXT_LIMIT_BYTES {
            return Arc::new(read(text));
        }
        if let Some(before) = self.by_text.read().unwrap_or_else(PoisonError::into_inner).get(text) {
            return before.clone();
        }
        let read = Arc::new(read(text));
        let mut by_text = self.by_text.write().unwrap_or_else(PoisonError::into_inner);
        if by_text.len() >= COUNT_LIMIT {
            by_text.clear();
        }
        by_text.insert(text.into(), read.clone());
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_once_unless_it_is_long_or_there_are_too_many() {
        let (lengths, mut calls) = (Remembered::new(), 0);
        let mut length = |text: &str| {
            *lengths.of(text, |text| {
                calls += 1;
                (calls, text.len())
            })
        };
        assert_eq!((length("a"), length("bc"), length("a")), ((1, 1), (2, 2), (1, 1)));
        let long = "x".repeat(TEXT_LIMIT_BYTES + 1);
        assert_eq!((length(&long).0, length(&long).0), (3, 4));
        let many = (0..COUNT_LIMIT).map(|number| length(&number.to_string()));
        assert!(many.last() > Some((COUNT_LIMIT, 4)));
        assert!(length("a").0 > 4);
    }
}
