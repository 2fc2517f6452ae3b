//! The budget of an answer: it ends whatever a repository holds.
//!
//! Counts questions, weighted by the size of their answers, and never time: an answer must not depend on the machine's
//! load.

use std::path::{Path, PathBuf};

use super::{Halt, Known};
use crate::glob::Meter;
use crate::snapshot::{Ask, Errno, Fact, Remote, Unreadable};

/// Budget after which nothing more is looked at. Ten thousand rules with their imports use less than half of it. The
/// machine on which it was measured takes a second for it, and 200 MB if each question becomes a source.
const LIMIT: usize = crate::snapshot::ROUND_WEIGHT;

/// Effort up to which a fact is accepted even if it exceeds the limit: a single large file is answered, but not in
/// addition to much else.
const EARLY: usize = LIMIT / 16;

/// Unit in which what was spent before a part is counted for it, so that answers that spent about as much share its result even
/// if the budget ends within it.
const STEP: usize = EARLY / 2;

/// Effort after which rules that go on asking are stopped.
const PATIENCE: usize = 8 * LIMIT;

/// What is taken over from an earlier answer costs one part in so many of what it cost then.
const SHARED: usize = 16;

/// Length of a path that weighs as much as a question, in bytes: two thousand nested directories have four megabytes of
/// paths for each name that is looked for.
const PATH_BYTES: usize = 192;

/// Length above which a path costs more, in bytes: every directory above it is asked for as well, so that twice the
/// length is four times the work. Paths of projects are shorter.
const LONG_PATH_BYTES: usize = 1024;

/// Weight of a glob before it has found anything: it is compiled, and a walk begins.
const GLOB_WEIGHT: usize = 25;

/// The cost of one answer so far.
#[derive(Default)]
pub(super) struct Effort {
    spent: usize,
    /// Share of `spent` caused by matching.
    matched: usize,
    /// Share of `spent` that was spent by an earlier answer, whose parts this one takes over.
    reused: usize,
    /// Weight of announced questions; counts as spent only when they are asked.
    announced: usize,
    /// Path at which the limit was reached.
    place: Option<PathBuf>,
}

impl Effort {
    /// Returns true if one more question may be asked.
    pub fn allows(&mut self, ask: &Ask) -> Known<bool> {
        self.spent += asking(ask);
        if self.spent > PATIENCE {
            return Err(Halt::Pending);
        }
        self.close(ask.path());
        Ok(self.place.is_none())
    }

    /// Ends the budget at this path if the limit is exceeded and it has not ended before.
    pub fn close(&mut self, at: &Path) {
        if self.spent > LIMIT && self.place.is_none() {
            self.place = Some(at.to_owned());
        }
    }

    /// Counts the cost of matching names against patterns. If a match was aborted, the limit is exceeded.
    pub fn matched(&mut self, meter: &Meter) {
        let matched = meter.weight();
        self.spent += matched - self.matched;
        self.matched = matched;
        if meter.has_given_up() {
            self.spent = self.spent.max(LIMIT + 1);
        }
    }

    /// Returns true if one more question may be announced.
    pub fn may_announce(&mut self, ask: &Ask) -> bool {
        self.announced += asking(ask);
        self.announced <= LIMIT
    }

    /// Counts the weight of an announced fact that is already known; above the limit, nothing more is announced.
    pub fn announced(&mut self, weight: usize) {
        self.announced += weight;
    }

    /// Counts the weight of a fact. Returns true if it is accepted.
    pub fn takes(&mut self, ask: &Ask, fact: &Fact) -> bool {
        let before = self.spent;
        self.spent += fact.weight();
        if before > EARLY {
            self.close(ask.path());
        }
        self.place.is_none()
    }

    /// Adds the cost of something else.
    pub fn add(&mut self, cost: usize) {
        self.spent += cost;
    }

    /// Adds the cost of a part that an earlier answer computed.
    pub fn reuse(&mut self, cost: usize) {
        self.spent += cost;
        self.reused += cost;
    }

    /// Returns what counts as spent before a part that begins now.
    pub fn before_part(&self) -> usize {
        self.spent.next_multiple_of(STEP)
    }

    /// Returns true if a part of this cost ends within the budget.
    pub fn has_room_for(&self, part: usize) -> bool {
        self.before_part() + part <= LIMIT
    }

    /// Takes back what counted as spent before a part that came to no result.
    pub fn take_back(&mut self, counted: usize) {
        if !self.is_over() {
            self.spent -= counted;
        }
    }

    /// Returns true if the limit is exceeded.
    pub fn is_over(&self) -> bool {
        self.spent > LIMIT
    }

    /// Returns the cost of the answer if what it shares with earlier ones hardly counts. `again` is the cost of matches
    /// whose results were remembered.
    pub fn fresh(&self, again: usize) -> usize {
        let shared = self.reused + again;
        self.spent.saturating_sub(shared) + shared / SHARED
    }

    pub fn spent(&self) -> usize {
        self.spent
    }

    /// Returns the path at which the limit was reached, if it was.
    pub fn place(&self) -> Option<&PathBuf> {
        self.place.as_ref()
    }

    /// Returns true if the rules had to be stopped.
    pub fn is_exhausted(&self) -> bool {
        self.spent > PATIENCE
    }
}

/// Returns the weight of a question, whatever the answer.
fn asking(ask: &Ask) -> usize {
    let question = if matches!(ask, Ask::Glob { .. }) { GLOB_WEIGHT } else { 1 };
    let length = ask.path().as_os_str().len();
    question + length / PATH_BYTES + 2 * (length / LONG_PATH_BYTES).pow(2)
}

/// Returns the fact that is used once the budget is exhausted: as if nothing existed.
pub(super) fn nothing(ask: &Ask) -> Fact {
    match ask {
        Ask::Kind(_) | Ask::LinkKind(_) => Fact::Kind(Err(Errno::NOENT)),
        Ask::Real(_) | Ask::Target(_) => Fact::Real(Err(Errno::NOENT)),
        Ask::Content(_) => Fact::Content(Err(Unreadable::Errno(Errno::NOENT))),
        Ask::Listing(_) => Fact::Listing(Err(Errno::NOENT)),
        Ask::Glob { .. } => Fact::Glob(Default::default()),
        Ask::Git(_) => Fact::Git(None),
        Ask::Rows { .. } => Fact::Rows(Ok(Default::default())),
        Ask::Remote(_) => Fact::Remote(Remote::NotFetched),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_about_a_long_path_weighs_more() {
        let weight = |length: usize| asking(&Ask::Kind(PathBuf::from("d".repeat(length))));
        assert_eq!((weight(1), weight(150), weight(4_000), weight(6_000)), (1, 1, 39, 82));
    }
}
