//! Caches answers and invalidates exactly those that a change could affect. Its one invariant: *cached equals fresh*.
//!
//! A fact is kept until something happens at a path that it depends on, an answer until one of its facts is
//! invalidated. Invalidating too much is allowed, too little never.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::BuildHasher;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::answer::Resolution;
use crate::query::{Kept, Key, Outcome, Question, typed};
use crate::search::{Part, PartKey, Parts};
use crate::snapshot::{Ask, AskHasher, Change, Fact, Facts, GlobFlavor, Observed, ROUND_WEIGHT, Snapshot, may_change};

mod at_rest;

pub use at_rest::{AtRest, Look};

/// A short hash of a fact, kept with results that were computed from the fact. Two facts may have the same mark.
pub type Mark = u32;

/// Returns the mark of a fact.
pub fn mark(ask: &Ask) -> Mark {
    // The upper half is as good as the lower one.
    (foldhash::fast::FixedState::default().hash_one(ask) >> 32) as Mark
}

/// Maximum number of cached answers; then all are dropped, and the open files ask again.
const MEMO_LIMIT: usize = 4096;

/// Maximum number of cached parts; then all parts and answers are dropped.
const PART_LIMIT: usize = 32 * 1024;

/// Maximum number of recorded changes, used to judge facts that were observed while the changes happened.
const CHANGE_LIMIT: usize = 1024;

/// Maximum weight of the known facts, in questions about small files; then all facts and answers are dropped. Facts of usual
/// workspaces weigh a tenth of it, and a fact takes about a kilobyte.
const FACT_LIMIT: usize = 2 * ROUND_WEIGHT;

/// Number of rounds of an answer that observe only what is missing; most answers take fewer.
const ROUNDS: usize = 8;

/// Maximum number of recorded marks of invalidated facts, used to judge results that were computed from them.
const MARK_LIMIT: usize = 64 * 1024;

/// Maximum number of facts to observe again before a question that was answered before is retried.
const LATELY_LIMIT: usize = 16;

/// Maximum number of paths with recorded invalidated facts, used to observe those facts together.
const FORGOTTEN_LIMIT: usize = 1024;

/// The current snapshot and the answers that hold for it.
#[derive(Default)]
pub struct Index {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Increases with every change that affected a fact.
    version: u64,
    snapshot: Snapshot,
    /// Weight of all known facts.
    weight: usize,
    /// True if facts were dropped: results that rest on them may be in use, so that every change may affect one.
    has_dropped: bool,
    /// Facts that a change at or above a path may affect.
    resting_on: BTreeMap<PathBuf, HashSet<Ask>>,
    /// Paths that each fact depends on: reverse index of `resting_on`.
    paths_of: HashMap<Ask, Vec<PathBuf>, AskHasher>,
    memo: HashMap<Key, Kept, AskHasher>,
    /// Hashes of the questions that were answered.
    answered: HashSet<u64>,
    /// Cached questions whose answers depend on a fact directly, not through a part.
    answers_of: HashMap<Ask, Questions, AskHasher>,
    /// Cached parts that answers share.
    parts: Parts,
    /// Parts that depend on a fact.
    parts_of: HashMap<Ask, HashSet<PartKey, AskHasher>, AskHasher>,
    /// Cached questions whose answers use a part.
    answers_with: HashMap<PartKey, Questions, AskHasher>,
    /// Invalidated facts by path: a question that needs one of them will need the others too.
    forgotten: HashMap<PathBuf, Vec<Ask>>,
    /// Facts that the last change invalidated, if they are few and quick to observe: an answer that was invalidated
    /// with them needs just these.
    lately: Vec<Ask>,
    /// Invalidated answers. Freeing them takes time, so [`Index::tidy`] does it while the server is idle.
    bin: Vec<Kept>,
    /// Number of answers computed so far.
    worked_out: u64,
    /// Counts changes. A fact is judged by the changes after the tick at which it was observed.
    tick: u64,
    changes: VecDeque<(u64, Change)>,
    /// Marks of invalidated facts, each with the version that the invalidation started. Complete for versions from
    /// `marks_since` on.
    marks: VecDeque<(u64, Mark)>,
    marks_since: u64,
}

type Questions = HashSet<Key, AskHasher>;

/// An answer, or the facts that must be observed first.
pub enum Reply {
    /// The answer, and the version of the index that it belongs to.
    Answer(Kept, u64),
    /// Missing facts, to be observed and passed to [`Index::learn`].
    Missing(Vec<Ask>, Tick),
}

/// What to cache for a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The answer and the facts that it depends on.
    Answer,
    /// Only the facts: the question is one of many and will not be asked again soon.
    FactsOnly,
}

/// A moment at which an observation of facts begins.
#[derive(Clone, Copy, Debug)]
pub struct Tick(u64);

/// Observes facts on the disk: [`crate::disk::observe_all`], or a test's tree.
pub type Observe<'a> = &'a dyn Fn(Vec<Ask>) -> Vec<Observed>;

impl Index {
    /// Returns the cached answer, if there is one, and the version of the index that it belongs to. Computes nothing.
    pub fn recall(&self, question: &Key) -> Option<(Kept, u64)> {
        let state = self.lock();
        let remembered = state.memo.get(question)?;
        Some((remembered.clone(), state.version))
    }

    /// Returns the answer if all required facts are known.
    pub fn ask(&self, question: &Key, keep: Keep) -> Reply {
        let (snapshot, parts, tick, version, again) = {
            let state = self.lock();
            if let Some(remembered) = state.memo.get(question) {
                return Reply::Answer(remembered.clone(), state.version);
            }
            let again = state.answered.contains(&question.hash());
            let lately: Vec<Ask> = state.lately.iter().filter(|ask| !state.snapshot.is_told(ask)).cloned().collect();
            if again && !lately.is_empty() {
                return Reply::Missing(lately, Tick(state.tick));
            }
            (state.snapshot.clone(), state.parts.clone(), state.tick, state.version, again)
        };
        match question.resolve(&snapshot, &parts, again) {
            Outcome::Pending(asks) => Reply::Missing(self.with_forgotten(asks), Tick(tick)),
            Outcome::Answer(answer) => {
                let keep = keep == Keep::Answer && question.comes_back() && !answer.is_broken();
                self.remember(keep.then_some(question), &answer, (&snapshot, version));
                Reply::Answer(*answer, version)
            }
        }
    }

    /// Returns the answer and observes missing facts on the way. For callers that may wait for the disk.
    pub fn answer<Q: Question>(&self, observe: Observe, question: Q) -> (Arc<Q::Answer>, u64) {
        let (answer, version) = self.answer_any(observe, &Key::of(question));
        (typed::<Q>(answer), version)
    }

    /// Returns the answer to a question of any type, see [`Index::answer`].
    pub fn answer_any(&self, observe: Observe, question: &Key) -> (Kept, u64) {
        for round in 0.. {
            match self.ask(question, Keep::Answer) {
                Reply::Answer(answer, version) => return (answer, version),
                Reply::Missing(asks, tick) => self.learn(self.observed(round, asks, observe, question), tick),
            }
        }
        unreachable!("rounds have no end")
    }

    /// Observes missing facts. After `ROUNDS` rounds also observes whatever turns out to be missing then, so that a
    /// file with ten thousand imports does not take ten thousand rounds.
    pub fn observed(&self, round: usize, asks: Vec<Ask>, observe: Observe, question: &Key) -> Vec<Observed> {
        if round < ROUNDS {
            return observe(asks);
        }
        let (snapshot, parts) = {
            let state = self.lock();
            (state.snapshot.clone(), state.parts.clone())
        };
        let ahead = Ahead { known: RefCell::new(snapshot), observe, observed: RefCell::default() };
        // Some facts may only have been announced: resolving alone would never observe those.
        ahead.learn(asks);
        question.resolve(&ahead, &parts, false);
        ahead.observed.into_inner()
    }

    /// Adds facts that were observed from `since` on; drops those that a later change affects.
    pub fn learn(&self, observed: Vec<Observed>, since: Tick) {
        let mut state = self.lock();
        let oldest = state.changes.front().map_or(state.tick, |(tick, _)| tick - 1);
        if since.0 < oldest {
            return;
        }
        let changes: Vec<Change> =
            state.changes.iter().filter(|(tick, _)| *tick > since.0).map(|(_, change)| change.clone()).collect();
        for Observed { ask, fact, rests_on } in observed {
            let touches = |change| rests_on.iter().any(|rest| may_change(change, &ask, rest, Some(&fact)));
            if changes.iter().any(touches) {
                continue;
            }
            for path in &rests_on {
                state.resting_on.entry(path.clone()).or_default().insert(ask.clone());
            }
            state.weight += weight_of(&fact);
            state.weight -= state.snapshot.told_weight(&ask).map_or(0, |before| before + 1);
            state.paths_of.insert(ask.clone(), rests_on);
            state.snapshot.tell(ask, fact);
        }
    }

    /// Invalidates every fact that `changes` may affect, and every answer that depends on one. Returns true if there
    /// was any.
    pub fn forget(&self, changes: impl IntoIterator<Item = Change>) -> bool {
        let mut state = self.lock();
        let mut forgot = Vec::new();
        for change in changes {
            let touched = state.touched_by(&change);
            state.note(change);
            for ask in touched {
                state.forget(&ask);
                forgot.push(ask);
            }
        }
        if state.has_dropped {
            state.next_version_for_all();
        } else if forgot.is_empty() {
            return false;
        }
        state.next_version(&forgot);
        let is_quick = forgot.len() <= LATELY_LIMIT && forgot.iter().all(is_quick);
        state.lately = if is_quick { forgot } else { Vec::new() };
        true
    }

    /// Returns all known facts, to be observed again and passed to [`Index::confirm`]. Observations in progress will
    /// not be accepted, since they may be older.
    pub fn told(&self) -> Vec<Ask> {
        let mut state = self.lock();
        state.note(Change::Everything);
        state.paths_of.keys().cloned().collect()
    }

    /// Invalidates every fact that differs from the given observation. Returns true if there was any.
    pub fn confirm(&self, observed: Vec<Observed>) -> bool {
        let mut state = self.lock();
        let is_other = |Observed { ask, fact, rests_on }: &Observed| {
            state.snapshot.told(ask).is_some_and(|told| told != *fact || state.paths_of.get(ask) != Some(rests_on))
        };
        let others: Vec<Observed> = observed.into_iter().filter(is_other).collect();
        if state.has_dropped {
            state.next_version_for_all();
        } else if others.is_empty() {
            return false;
        }
        let others: Vec<Ask> = others.into_iter().map(|other| other.ask).collect();
        others.iter().for_each(|ask| state.forget(ask));
        state.next_version(&others);
        true
    }

    /// Returns true if a fact with one of the `marks`, which must be sorted, may have been invalidated since a version.
    pub fn has_forgotten(&self, marks: &[Mark], since: u64) -> bool {
        let state = self.lock();
        let from = state.marks.partition_point(|(version, _)| *version <= since);
        since < state.marks_since || state.marks.range(from..).any(|(_, mark)| marks.binary_search(mark).is_ok())
    }

    /// Returns a fact and observes it if it is not known.
    pub fn fact(&self, observe: Observe, ask: &Ask) -> Option<Fact> {
        let tick = {
            let state = self.lock();
            if let Some(fact) = state.snapshot.told(ask) {
                return Some(fact);
            }
            Tick(state.tick)
        };
        let observed = observe(vec![ask.clone()]);
        let fact = observed.first().map(|observed| observed.fact.clone());
        self.learn(observed, tick);
        fact
    }

    /// Frees invalidated answers. For moments when nobody waits.
    pub fn tidy(&self) {
        let bin = std::mem::take(&mut self.lock().bin);
        drop(bin);
    }

    /// Returns a number that increases with every change that affected a fact.
    pub fn version(&self) -> u64 {
        self.lock().version
    }

    /// Returns the number of answers computed so far, including those that are not cached.
    pub fn worked_out(&self) -> u64 {
        self.lock().worked_out
    }

    /// Returns the number of facts and answers, for status reports. Results of queries are not counted: they belong to
    /// no agent.
    pub fn sizes(&self) -> (usize, usize) {
        let state = self.lock();
        let is_about_agent = |kept: &&Kept| (&***kept as &dyn Any).is::<Resolution>();
        let answers = state.memo.values().filter(is_about_agent);
        (state.snapshot.len(), answers.count())
    }

    /// Adds to missing facts the invalidated facts about the same paths.
    fn with_forgotten(&self, mut asks: Vec<Ask>) -> Vec<Ask> {
        let mut state = self.lock();
        for at in 0..asks.len() {
            let before = state.forgotten.remove(asks[at].path()).unwrap_or_default();
            let more: Vec<Ask> = before.into_iter().filter(|ask| !asks.contains(ask)).collect();
            asks.extend(more);
        }
        asks
    }

    /// Counts an answer that was computed from the snapshot `known` at a version, and caches it under `question`, if
    /// given.
    fn remember(&self, question: Option<&Key>, answer: &Kept, (known, version): (&Snapshot, u64)) {
        let mut state = self.lock();
        state.worked_out += 1;
        // Facts were invalidated during the computation, so the answer may be out of date.
        if state.version != version && answer.depends().any(|ask| state.snapshot.told(ask) != known.told(ask)) {
            return;
        }
        if state.memo.len() >= MEMO_LIMIT || state.parts.len() >= PART_LIMIT {
            state.forget_answers();
        }
        answer.trace().parts().for_each(|part| state.keep(part));
        if state.weight > FACT_LIMIT {
            state.drop_facts();
            return;
        }
        let Some(question) = question else { return };
        for part in answer.trace().parts() {
            state.answers_with.entry(part.key.clone()).or_default().insert(question.clone());
        }
        for ask in answer.own_depends() {
            // Most facts have an entry, and `entry` would clone each of them to find it.
            match state.answers_of.get_mut(ask) {
                Some(questions) => {
                    questions.insert(question.clone());
                }
                None => {
                    state.answers_of.insert(ask.clone(), Questions::from_iter([question.clone()]));
                }
            }
        }
        if state.answered.len() >= 4 * MEMO_LIMIT {
            state.answered.clear();
        }
        state.answered.insert(question.hash());
        state.memo.insert(question.clone(), answer.clone());
    }

    /// Locks the state. A panic while the lock was held may leave it inconsistent: a known fact may be missing in
    /// `resting_on`, and `forget` would not find it. So everything is dropped.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            self.state.clear_poison();
            let mut state = poisoned.into_inner();
            let version = state.version + 1;
            *state = State { version, tick: state.tick + 1, marks_since: version, ..State::default() };
            state
        })
    }
}

/// Returns the weight of holding a fact.
fn weight_of(fact: &Fact) -> usize {
    fact.weight() + 1
}

/// Returns true if a fact is quick to observe because it is about a single path.
fn is_quick(ask: &Ask) -> bool {
    matches!(ask, Ask::Kind(_) | Ask::LinkKind(_) | Ask::Real(_) | Ask::Target(_) | Ask::Content(_))
}

/// Facts of a snapshot; missing ones are observed on demand.
struct Ahead<'a> {
    known: RefCell<Snapshot>,
    observe: Observe<'a>,
    observed: RefCell<Vec<Observed>>,
}

impl Ahead<'_> {
    fn learn(&self, asks: Vec<Ask>) {
        let observed = (self.observe)(asks);
        let mut known = self.known.borrow_mut();
        observed.iter().for_each(|observed| known.tell(observed.ask.clone(), observed.fact.clone()));
        self.observed.borrow_mut().extend(observed);
    }
}

impl Facts for Ahead<'_> {
    fn told(&self, ask: &Ask) -> Option<Fact> {
        let known = || self.known.borrow().told(ask);
        known().or_else(|| {
            self.learn(vec![ask.clone()]);
            known()
        })
    }

    /// Returns false only for globs that share one walk and must be announced; everything else is observed on demand.
    fn is_told(&self, ask: &Ask) -> bool {
        !matches!(ask, Ask::Glob { flavor: GlobFlavor::Any, .. }) || self.known.borrow().is_told(ask)
    }

    /// Returns the weight of a known fact. What is announced and never asked is not observed.
    fn told_weight(&self, ask: &Ask) -> Option<usize> {
        self.is_told(ask).then(|| self.known.borrow().told_weight(ask).unwrap_or(0))
    }
}

impl State {
    /// Returns the facts that a change may affect.
    fn touched_by(&self, change: &Change) -> HashSet<Ask> {
        let mut touched = HashSet::new();
        let mut take = |rest: &Path, asks: &HashSet<Ask>| {
            let may = |ask: &&Ask| may_change(change, ask, rest, self.snapshot.told(ask).as_ref());
            touched.extend(asks.iter().filter(may).cloned());
        };
        match change {
            Change::Everything => return self.paths_of.keys().cloned().collect(),
            Change::Content(path) => self.resting_on.get(path).into_iter().for_each(|asks| take(path, asks)),
            Change::Path(path) => {
                let from = (Bound::Included(path.clone()), Bound::Unbounded);
                let below = self.resting_on.range(from).take_while(|(rest, _)| rest.starts_with(path));
                below.for_each(|(rest, asks)| take(rest, asks));
                for above in path.ancestors().skip(1) {
                    self.resting_on.get(above).into_iter().for_each(|asks| take(above, asks));
                }
            }
        }
        touched
    }

    /// Begins a new version in which facts are invalidated.
    fn next_version(&mut self, forgot: &[Ask]) {
        self.version += 1;
        if forgot.len() > MARK_LIMIT {
            self.next_version_for_all();
            return;
        }
        self.marks.extend(forgot.iter().map(|ask| (self.version, mark(ask))));
        while self.marks.len() > MARK_LIMIT {
            self.marks_since = self.marks.pop_front().map_or(self.version, |(version, _)| version);
        }
    }

    /// Begins a new version in which any fact may have been invalidated.
    fn next_version_for_all(&mut self) {
        self.version += 1;
        self.marks.clear();
        self.marks_since = self.version;
    }

    /// Drops all facts and answers.
    fn drop_facts(&mut self) {
        self.forget_answers();
        self.snapshot = Snapshot::default();
        self.resting_on.clear();
        self.paths_of.clear();
        self.forgotten.clear();
        self.lately.clear();
        self.weight = 0;
        self.has_dropped = true;
        self.next_version_for_all();
    }

    /// Records a change, to judge facts that are being observed meanwhile.
    fn note(&mut self, change: Change) {
        self.tick += 1;
        self.changes.push_back((self.tick, change));
        if self.changes.len() > CHANGE_LIMIT {
            self.changes.pop_front();
        }
    }

    /// Caches a part that depends on the current facts.
    fn keep(&mut self, part: &Arc<Part>) {
        if self.parts.keep(part) {
            for ask in &part.depends {
                self.parts_of.entry(ask.clone()).or_default().insert(part.key.clone());
            }
        }
    }

    fn forget_answers(&mut self) {
        self.memo.clear();
        self.answered.clear();
        self.answers_of.clear();
        self.parts = Parts::default();
        self.parts_of.clear();
        self.answers_with.clear();
    }

    fn forget(&mut self, ask: &Ask) {
        self.weight -= self.snapshot.told_weight(ask).map_or(0, |weight| weight + 1);
        self.snapshot.forget(ask);
        if self.forgotten.len() >= FORGOTTEN_LIMIT {
            self.forgotten.clear();
        }
        let of_path = self.forgotten.entry(ask.path().to_owned()).or_default();
        if !of_path.contains(ask) {
            of_path.push(ask.clone());
        }
        for path in self.paths_of.remove(ask).unwrap_or_default() {
            if let Some(asks) = self.resting_on.get_mut(&path) {
                asks.remove(ask);
                if asks.is_empty() {
                    self.resting_on.remove(&path);
                }
            }
        }
        let mut questions = self.answers_of.remove(ask).unwrap_or_default();
        for part in self.parts_of.remove(ask).unwrap_or_default() {
            self.parts.forget(&part);
            questions.extend(self.answers_with.remove(&part).unwrap_or_default());
        }
        if self.bin.len() >= MEMO_LIMIT {
            self.bin.clear();
        }
        self.bin.extend(questions.iter().filter_map(|question| self.memo.remove(question)));
    }
}

#[cfg(test)]
mod tests;
