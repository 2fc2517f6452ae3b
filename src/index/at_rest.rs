//! Answers from a disk that does not change meanwhile: facts are observed on demand and never invalidated.
//! For commands that answer and exit.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dashmap::DashMap;

use crate::query::{Kept, Key, Outcome, Question, typed};
use crate::search::Parts;
use crate::snapshot::{Ask, AskHasher, Fact, Facts, GlobFlavor, ROUND_WEIGHT};

/// Maximum number of cached answers. The first ones are about the directory where agents start, and are asked for again
/// and again.
const MEMO_LIMIT: usize = 512;

/// Maximum number of further answers that are cached: those for the files of one directory are asked for one after the other.
const RECENT_LIMIT: usize = 128;

/// Maximum number of facts on which the first answers rest together, and the latest.
const MEMO_FACTS: usize = 3 * ROUND_WEIGHT;

/// Maximum weight of the known facts, in questions about small files; then they are dropped, and observed again if they are needed.
/// Walks take longer to repeat than to hold.
const FACT_LIMIT: usize = 4 * ROUND_WEIGHT;

/// Observes facts on the disk: [`crate::disk::facts`].
pub type Look<'a> = &'a dyn Fn(Vec<Ask>) -> Vec<(Ask, Fact)>;

/// The observed facts and the results computed from them.
#[derive(Default)]
pub struct AtRest {
    facts: DashMap<Ask, Fact, AskHasher>,
    /// Weight of the facts.
    weight: AtomicUsize,
    parts: Mutex<Parts>,
    memo: Mutex<Memo>,
    /// Cost of all answers so far, in questions about small files.
    spent: AtomicUsize,
}

/// Cached answers: the first ones, and the latest.
#[derive(Default)]
struct Memo {
    first: Shelf,
    recent: Shelf,
}

#[derive(Default)]
struct Shelf {
    answers: HashMap<Key, Kept, AskHasher>,
    /// Number of facts on which the answers rest.
    facts: usize,
}

impl Shelf {
    fn has_room(&self, most: usize, answer: &Kept) -> bool {
        self.answers.len() < most && self.facts + answer.own_depends().len() <= MEMO_FACTS
    }

    fn keep(&mut self, question: Key, answer: Kept) {
        self.facts += answer.own_depends().len();
        self.answers.insert(question, answer);
    }
}

impl Memo {
    fn get(&self, question: &Key) -> Option<&Kept> {
        self.first.answers.get(question).or_else(|| self.recent.answers.get(question))
    }

    fn keep(&mut self, question: Key, answer: Kept) {
        if self.first.has_room(MEMO_LIMIT, &answer) {
            self.first.keep(question, answer);
            return;
        }
        if !self.recent.has_room(RECENT_LIMIT, &answer) {
            self.recent = Shelf::default();
        }
        self.recent.keep(question, answer);
    }
}

impl AtRest {
    /// Returns the answer.
    pub fn answer<Q: Question>(&self, look: Look, question: Q) -> Arc<Q::Answer> {
        typed::<Q>(self.answer_any(look, &Key::of(question)))
    }

    /// Returns the answer to a question of any type.
    pub fn answer_any(&self, look: Look, question: &Key) -> Kept {
        if let Some(answer) = self.memo.lock().unwrap_or_else(PoisonError::into_inner).get(question) {
            return answer.clone();
        }
        let looking = Looking { known: &self.facts, weight: &self.weight, look };
        loop {
            let known = self.parts.lock().unwrap_or_else(PoisonError::into_inner).clone();
            match question.resolve(&looking, &known, false) {
                Outcome::Pending(asks) => looking.learn(asks),
                Outcome::Answer(answer) => return self.keep(question.clone(), *answer),
            }
        }
    }

    /// Returns the cost of all answers so far, in questions about small files.
    pub fn spent(&self) -> usize {
        self.spent.load(Ordering::Relaxed)
    }

    /// Adds to the cost of all answers.
    pub fn spend(&self, effort: usize) {
        self.spent.fetch_add(effort, Ordering::Relaxed);
    }

    fn keep(&self, question: Key, answer: Kept) -> Kept {
        self.spend(answer.effort());
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        for part in answer.trace().parts() {
            parts.keep(part);
        }
        drop(parts);
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        memo.keep(question, answer.clone());
        drop(memo);
        if self.weight.load(Ordering::Relaxed) > FACT_LIMIT {
            self.facts.retain(|ask, _| is_walk(ask));
            self.weight.store(0, Ordering::Relaxed);
        }
        answer
    }
}

fn is_walk(ask: &Ask) -> bool {
    matches!(ask, Ask::Glob { .. })
}

/// Known facts; missing ones are observed on demand.
struct Looking<'a> {
    known: &'a DashMap<Ask, Fact, AskHasher>,
    weight: &'a AtomicUsize,
    look: Look<'a>,
}

impl Looking<'_> {
    fn learn(&self, asks: Vec<Ask>) {
        for (ask, fact) in (self.look)(asks) {
            if !is_walk(&ask) {
                self.weight.fetch_add(1 + fact.weight(), Ordering::Relaxed);
            }
            self.known.insert(ask, fact);
        }
    }
}

impl Facts for Looking<'_> {
    fn told(&self, ask: &Ask) -> Option<Fact> {
        let known = || self.known.get(ask).map(|fact| fact.clone());
        known().or_else(|| {
            self.learn(vec![ask.clone()]);
            known()
        })
    }

    /// Returns false only for globs that share one walk and must be announced; everything else is observed on demand.
    fn is_told(&self, ask: &Ask) -> bool {
        !matches!(ask, Ask::Glob { flavor: GlobFlavor::Any, .. }) || self.known.contains_key(ask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::tests::Exists;
    use crate::snapshot::{FileType, Meta};

    #[test]
    fn facts_and_answers_that_are_too_many_are_dropped_and_the_answers_stay() {
        let look = |asks: Vec<Ask>| {
            let fact = || Fact::Kind(Ok(Meta::made(FileType::Dir, 0)));
            asks.into_iter().map(|ask| (ask, fact())).collect::<Vec<_>>()
        };
        let at_rest = AtRest::default();
        let ask = |place: &str| at_rest.answer(&look, Exists(place.into()));
        let first = ask("/p");
        let looking = Looking { known: &at_rest.facts, weight: &at_rest.weight, look: &look };
        looking.learn((0..FACT_LIMIT).map(|number| Ask::Kind(format!("/{number}").into())).collect());
        assert!(at_rest.facts.len() > FACT_LIMIT);
        assert_eq!(ask("/q").value, first.value);
        assert_eq!((at_rest.facts.len(), at_rest.weight.load(Ordering::Relaxed)), (0, 0));
        assert!(Arc::ptr_eq(&ask("/p"), &first), "the answer is remembered");
        let mut memo = Memo::default();
        memo.first.facts = MEMO_FACTS;
        for place in ["/p", "/q"] {
            memo.keep(Key::of(Exists(place.into())), first.clone());
            memo.recent.facts = MEMO_FACTS;
        }
        assert_eq!((memo.first.answers.len(), memo.recent.answers.len()), (0, 1), "the latest is");
    }
}
