//! Counts the cost of matching on the current thread, so that an answer ends whatever patterns a repository holds.
//!
//! Counts steps, and never time: an answer must not depend on the machine's load.

use std::cell::Cell;

/// Number of steps allowed under one meter, each over one character of a name. They take about a tenth of a second.
const ALLOWANCE: u64 = 30_000_000;

/// Number of steps that weigh as much as one question about a file.
const QUESTION: u64 = 512;

thread_local! {
    static SPENT: Cell<u64> = const { Cell::new(0) };
    /// Value of `SPENT` up to which steps are allowed.
    static CEILING: Cell<u64> = const { Cell::new(u64::MAX) };
    /// Share of `SPENT` that earlier matches took, whose results were remembered.
    static REMEMBERED: Cell<u64> = const { Cell::new(0) };
    /// Number of matches that were aborted.
    static GIVEN_UP: Cell<u64> = const { Cell::new(0) };
}

/// Counts from its creation. Meters nest: one that is created later must be dropped earlier, and its steps do not count
/// for the enclosing ones.
#[derive(Debug)]
pub struct Meter {
    began: u64,
    remembered: u64,
    given_up: u64,
    /// Ceiling of the enclosing meter.
    outer: u64,
}

impl Default for Meter {
    fn default() -> Meter {
        let began = SPENT.get();
        let outer = CEILING.replace(began.saturating_add(ALLOWANCE));
        Meter { began, remembered: REMEMBERED.get(), given_up: GIVEN_UP.get(), outer }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        SPENT.set(self.began);
        REMEMBERED.set(self.remembered);
        CEILING.set(self.outer);
        GIVEN_UP.set(self.given_up);
    }
}

impl Meter {
    /// Returns the steps since its creation, in questions about files.
    pub fn weight(&self) -> usize {
        usize::try_from(self.spent() / QUESTION).unwrap_or(usize::MAX)
    }

    /// Returns the share of [`Meter::weight`] that was not spent again, since results were remembered.
    pub fn remembered(&self) -> usize {
        usize::try_from((REMEMBERED.get() - self.remembered) / QUESTION).unwrap_or(usize::MAX)
    }

    fn spent(&self) -> u64 {
        SPENT.get() - self.began
    }

    /// Returns true if a match was aborted since its creation: then a name that did not match may have matched.
    pub fn has_given_up(&self) -> bool {
        GIVEN_UP.get() > self.given_up
    }
}

/// Returns the value of `work` and the steps that it took.
pub(super) fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = SPENT.get();
    let made = work();
    (made, usize::try_from(SPENT.get() - before).unwrap_or(usize::MAX))
}

/// Counts the steps of a match whose result is remembered. Returns true if they are allowed.
pub(super) fn takes_again(steps: usize) -> bool {
    REMEMBERED.set(REMEMBERED.get() + steps as u64);
    takes(steps)
}

/// Counts `steps`. Returns true if more are allowed.
pub(super) fn takes(steps: usize) -> bool {
    let spent = SPENT.get() + steps as u64;
    SPENT.set(spent);
    spent <= CEILING.get()
}

/// Records that a match was aborted, or that a pattern exceeds a limit that the client does not have.
pub fn gives_up() {
    GIVEN_UP.set(GIVEN_UP.get() + 1);
}

/// Runs `work`. Returns its value, and true if something was aborted meanwhile.
pub fn watched<T>(work: impl FnOnce() -> T) -> (T, bool) {
    let before = GIVEN_UP.get();
    let made = work();
    (made, GIVEN_UP.get() > before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_own_allowance_and_sees_what_those_within_it_took() {
        let outer = Meter::default();
        assert!(takes(10));
        {
            let inner = Meter::default();
            assert!(takes(ALLOWANCE as usize) && !takes(1));
            gives_up();
            assert!(inner.has_given_up() && inner.spent() == ALLOWANCE + 1);
        }
        assert!(!outer.has_given_up() && outer.spent() == 10);
        assert!(takes(ALLOWANCE as usize - 10) && !takes(1));
    }
}
