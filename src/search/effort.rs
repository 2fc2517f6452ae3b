//! How much an answer may cost: whatever a repository holds, an answer comes to its end.
//!
//! It counts questions, weighed by what their answers hold, and never time: an answer must not depend on how busy a machine is.

use std::path::{Path, PathBuf};

use super::{Halt, Known};
use crate::glob::Meter;
use crate::snapshot::{Ask, Errno, Fact, Remote, Unreadable};

/// The effort after which nothing more is looked at. Ten thousand rules with their imports are less than half of it; the
/// machine it was measured on takes a second for it, and 200 MB where each question becomes a source.
const LIMIT: usize = crate::snapshot::ROUND_WEIGHT;

/// Up to this effort a fact is taken in even if it goes beyond the limit: one large file is an answer, but not on top of
/// much else.
const EARLY: usize = LIMIT / 16;

/// The effort after which a harness that goes on asking all the same is stopped.
const PATIENCE: usize = 8 * LIMIT;

/// So many bytes of a path weigh as much as a question: two thousand directories within each other have four megabytes of paths
/// for each name that is looked for.
const PATH_BYTES: usize = 192;

/// Every directory above a long path is asked about as well, so that twice the length is four times the work. Paths of projects
/// are shorter than this.
const LONG_PATH_BYTES: usize = 1024;

/// What a glob weighs before it has found anything: it is compiled, and a walk begins.
const GLOB_WEIGHT: usize = 25;

/// What one answer has cost so far.
#[derive(Default)]
pub(super) struct Effort {
    spent: usize,
    /// How much of `spent` is the cost of matching.
    matched: usize,
    /// The weight of what was announced; it counts as spent only when it is asked.
    announced: usize,
    /// Where the limit was reached.
    place: Option<PathBuf>,
}

impl Effort {
    /// Whether one more question may be asked.
    pub fn allows(&mut self, ask: &Ask) -> Known<bool> {
        self.spent += asking(ask);
        if self.spent > PATIENCE {
            return Err(Halt::Pending);
        }
        self.close(ask.path());
        Ok(self.place.is_none())
    }

    /// If the limit is exceeded, the effort ends at this place, unless it has ended before.
    pub fn close(&mut self, at: &Path) {
        if self.spent > LIMIT && self.place.is_none() {
            self.place = Some(at.to_owned());
        }
    }

    /// Counts the cost of matching names against patterns; where a match was given up, the limit is exceeded.
    pub fn matched(&mut self, meter: &Meter) {
        let matched = meter.weight();
        self.spent += matched - self.matched;
        self.matched = matched;
        if meter.has_given_up() {
            self.spent = self.spent.max(LIMIT + 1);
        }
    }

    /// Whether one more question may be announced.
    pub fn may_announce(&mut self, ask: &Ask) -> bool {
        self.announced += asking(ask);
        self.announced <= LIMIT
    }

    /// Counts the weight of an announced fact that is told already: too much of that, and nothing more is announced.
    pub fn announced(&mut self, weight: usize) {
        self.announced += weight;
    }

    /// Counts what was told; whether it is taken in.
    pub fn takes(&mut self, ask: &Ask, fact: &Fact) -> bool {
        let before = self.spent;
        self.spent += fact.weight();
        if before > EARLY {
            self.close(ask.path());
        }
        self.place.is_none()
    }

    /// Counts what something else has cost.
    pub fn add(&mut self, cost: usize) {
        self.spent += cost;
    }

    /// Whether so much more keeps within the limit.
    pub fn has_room_for(&self, more: usize) -> bool {
        self.spent + more <= LIMIT
    }

    pub fn spent(&self) -> usize {
        self.spent
    }

    /// Where the limit was reached, if it was.
    pub fn place(&self) -> Option<&PathBuf> {
        self.place.as_ref()
    }

    /// Whether the harness had to be stopped.
    pub fn is_exhausted(&self) -> bool {
        self.spent > PATIENCE
    }
}

/// What a question weighs, whatever the answer.
fn asking(ask: &Ask) -> usize {
    let question = if matches!(ask, Ask::Glob { .. }) { GLOB_WEIGHT } else { 1 };
    let length = ask.path().as_os_str().len();
    question + length / PATH_BYTES + 2 * (length / LONG_PATH_BYTES).pow(2)
}

/// The fact that stands in once the effort is spent: as if nothing were there.
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
