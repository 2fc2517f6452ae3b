//! Answers from a disk that does not change meanwhile: every fact is observed once, on demand, and never invalidated.
//! For commands that answer and exit.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dashmap::DashMap;

use crate::query::{Kept, Key, Outcome, Question, typed};
use crate::search::Parts;
use crate::snapshot::{Ask, AskHasher, Fact, Facts, GlobFlavor};

/// Maximum number of cached answers. The first ones are about the directory where agents start, and are asked for again
/// and again.
const MEMO_LIMIT: usize = 512;

/// Maximum number of further answers that are cached: those for the files of one directory are asked for one after the other.
const RECENT_LIMIT: usize = 128;

/// Observes facts on the disk: [`crate::disk::facts`].
pub type Look<'a> = &'a dyn Fn(Vec<Ask>) -> Vec<(Ask, Fact)>;

/// The observed facts and the results computed from them.
#[derive(Default)]
pub struct AtRest {
    facts: DashMap<Ask, Fact, AskHasher>,
    parts: Mutex<Parts>,
    memo: Mutex<Memo>,
    /// Cost of all answers so far, in questions about small files.
    spent: AtomicUsize,
}

/// Cached answers: the first ones, and the latest.
#[derive(Default)]
struct Memo {
    first: HashMap<Key, Kept, AskHasher>,
    recent: HashMap<Key, Kept, AskHasher>,
}

impl Memo {
    fn get(&self, question: &Key) -> Option<&Kept> {
        self.first.get(question).or_else(|| self.recent.get(question))
    }

    fn keep(&mut self, question: Key, answer: Kept) {
        if self.first.len() < MEMO_LIMIT {
            self.first.insert(question, answer);
            return;
        }
        if self.recent.len() >= RECENT_LIMIT {
            self.recent.clear();
        }
        self.recent.insert(question, answer);
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
        let looking = Looking { known: &self.facts, look };
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
            if !parts.contains(&part.key) {
                parts.keep(part.clone());
            }
        }
        drop(parts);
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        memo.keep(question, answer.clone());
        answer
    }
}

/// Known facts; missing ones are observed on demand.
struct Looking<'a> {
    known: &'a DashMap<Ask, Fact, AskHasher>,
    look: Look<'a>,
}

impl Looking<'_> {
    fn learn(&self, asks: Vec<Ask>) {
        (self.look)(asks).into_iter().for_each(|(ask, fact)| drop(self.known.insert(ask, fact)));
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
