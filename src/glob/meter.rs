//! What matching has cost on this thread, so that an answer comes to its end whatever patterns a repository holds.
//!
//! It counts steps, and never time: an answer must not depend on how busy a machine is.

use std::cell::Cell;

/// How many steps may be taken under one meter, each over one character of a name. They take about a tenth of a second.
const ALLOWANCE: u64 = 30_000_000;

/// How many steps weigh as much as one question about a file.
const QUESTION: u64 = 512;

thread_local! {
    static SPENT: Cell<u64> = const { Cell::new(0) };
    /// Up to where steps may be taken.
    static CEILING: Cell<u64> = const { Cell::new(u64::MAX) };
    /// How many matches were given up.
    static GIVEN_UP: Cell<u64> = const { Cell::new(0) };
}

/// Counts from when it is made. Meters nest: one that is made later must be dropped earlier, and what it counted does not count
/// for those around it.
#[derive(Debug)]
pub struct Meter {
    began: u64,
    given_up: u64,
    /// The ceiling of the meter around it.
    outer: u64,
}

impl Default for Meter {
    fn default() -> Meter {
        let began = SPENT.get();
        let outer = CEILING.replace(began.saturating_add(ALLOWANCE));
        Meter { began, given_up: GIVEN_UP.get(), outer }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        SPENT.set(self.began);
        CEILING.set(self.outer);
        GIVEN_UP.set(self.given_up);
    }
}

impl Meter {
    /// The steps since it was made, in questions about files.
    pub fn weight(&self) -> usize {
        usize::try_from(self.spent() / QUESTION).unwrap_or(usize::MAX)
    }

    fn spent(&self) -> u64 {
        SPENT.get() - self.began
    }

    /// Whether some match was given up since: then what did not match may have matched.
    pub fn has_given_up(&self) -> bool {
        GIVEN_UP.get() > self.given_up
    }
}

/// Takes so many steps; whether there may be more.
pub(super) fn takes(steps: usize) -> bool {
    let spent = SPENT.get() + steps as u64;
    SPENT.set(spent);
    spent <= CEILING.get()
}

/// Notes that a match was given up, or that a pattern is beyond a bound which the client does not have.
pub fn gives_up() {
    GIVEN_UP.set(GIVEN_UP.get() + 1);
}

/// Runs `work`. Returns its value, and true if something was given up meanwhile.
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
