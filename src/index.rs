//! Remembers answers, and forgets exactly those that a change could touch. Its one invariant: *remembered equals fresh*.
//!
//! Facts are told once and kept until something happens at a path they rest on. An answer is kept until one of its facts
//! is forgotten. Forgetting too much is allowed, forgetting too little never.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::answer::{Resolution, Standpoint};
use crate::disk::{self, Filesystem};
use crate::harness::Choice;
use crate::resolve::{Outcome, resolve};
use crate::snapshot::{Ask, Change, Fact, Snapshot};

/// How many answers are remembered at most; then all are forgotten, and the open files ask again.
const MEMO_LIMIT: usize = 4096;

/// How many changes are remembered, to judge facts that were observed while they happened.
const CHANGE_LIMIT: usize = 1024;

/// The snapshot of now, and the answers that hold for it.
#[derive(Default)]
pub struct Index {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Grows with every change that touched a fact.
    version: u64,
    snapshot: Snapshot,
    /// The facts that a change at, or above, a path may touch.
    resting_on: BTreeMap<PathBuf, HashSet<Ask>>,
    /// The paths each fact rests on: `resting_on` turned round.
    paths_of: HashMap<Ask, Vec<PathBuf>>,
    memo: HashMap<Question, Arc<Resolution>>,
    /// The remembered questions whose answers rest on a fact.
    answers_of: HashMap<Ask, HashSet<Question>>,
    /// Counts changes; a fact observed at a tick is judged by the changes since.
    tick: u64,
    changes: VecDeque<(u64, Change)>,
}

/// One question, as a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Question {
    harness: String,
    edition: &'static str,
    /// A custom harness may be declared anew under the same name.
    fingerprint: u64,
    version: Option<String>,
    standpoint: Arc<Standpoint>,
}

impl Question {
    fn new(choice: &Choice, standpoint: &Arc<Standpoint>) -> Question {
        Question {
            harness: choice.id().to_owned(),
            edition: choice.edition().about().name,
            fingerprint: choice.fingerprint(),
            version: choice.unchecked_version.clone(),
            standpoint: standpoint.clone(),
        }
    }
}

/// An answer, or what must be observed before it can be given.
pub enum Reply {
    /// The answer, and the version of the index it belongs to.
    Answer(Arc<Resolution>, u64),
    /// Facts that are missing, to be given to [`Index::learn`].
    Missing(Vec<Ask>, Tick),
}

/// The moment from which facts are observed.
#[derive(Clone, Copy, Debug)]
pub struct Tick(u64);

/// A fact with the paths it rests on.
pub struct Observed {
    ask: Ask,
    fact: Fact,
    rests_on: Vec<PathBuf>,
}

/// Observes facts. The one slow step of an answer; it holds no lock.
pub fn observe(fs: &dyn Filesystem, asks: Vec<Ask>) -> Vec<Observed> {
    let look = |ask: Ask| {
        // In this order: a file system that is watched while it is looked at must know the targets of links first.
        let rests_on = disk::touches(fs, &ask);
        Observed { fact: disk::observe(fs, &ask), ask, rests_on }
    };
    asks.into_iter().map(look).collect()
}

impl Observed {
    /// The paths at which a change may change this fact.
    pub fn rests_on(&self) -> &[PathBuf] {
        &self.rests_on
    }
}

impl Index {
    /// The answer, if it is remembered; nothing is worked out. With the version of the index it belongs to.
    pub fn recall(&self, choice: &Choice, standpoint: &Arc<Standpoint>) -> Option<(Arc<Resolution>, u64)> {
        let state = self.lock();
        let remembered = state.memo.get(&Question::new(choice, standpoint))?;
        Some((remembered.clone(), state.version))
    }

    /// The answer, if everything it needs has been told.
    pub fn ask(&self, choice: &Choice, standpoint: &Arc<Standpoint>) -> Reply {
        let question = Question::new(choice, standpoint);
        let (snapshot, tick, version) = {
            let state = self.lock();
            if let Some(remembered) = state.memo.get(&question) {
                return Reply::Answer(remembered.clone(), state.version);
            }
            (state.snapshot.clone(), state.tick, state.version)
        };
        match resolve(&snapshot, choice, standpoint) {
            Outcome::Untold(asks) => Reply::Missing(asks, Tick(tick)),
            Outcome::Answer(resolution) => {
                let answer = Arc::from(resolution);
                // Only what one file adds to a session depends on what came before; such questions do not come back.
                if standpoint.already_loaded.is_empty() {
                    self.remember(question, &answer, tick);
                }
                Reply::Answer(answer, version)
            }
        }
    }

    /// The answer, observing what is missing on the way. For callers that may wait for the disk.
    pub fn answer(&self, fs: &dyn Filesystem, choice: &Choice, standpoint: &Arc<Standpoint>) -> (Arc<Resolution>, u64) {
        loop {
            match self.ask(choice, standpoint) {
                Reply::Answer(answer, version) => return (answer, version),
                Reply::Missing(asks, tick) => self.learn(observe(fs, asks), tick),
            }
        }
    }

    /// Takes facts in that were observed from `since` on; those that a change has touched meanwhile are dropped.
    pub fn learn(&self, observed: Vec<Observed>, since: Tick) {
        let mut state = self.lock();
        let oldest = state.changes.front().map_or(state.tick, |(tick, _)| tick - 1);
        if since.0 < oldest {
            return;
        }
        let changes: Vec<Change> =
            state.changes.iter().filter(|(tick, _)| *tick > since.0).map(|(_, change)| change.clone()).collect();
        for Observed { ask, fact, rests_on } in observed {
            let touched = changes.iter().any(|change| match change {
                Change::Everything => true,
                Change::Path(path) => rests_on.iter().any(|rest| may_touch(path, rest, disk::rests_on_entries(&ask))),
            });
            if touched {
                continue;
            }
            for path in &rests_on {
                state.resting_on.entry(path.clone()).or_default().insert(ask.clone());
            }
            state.paths_of.insert(ask.clone(), rests_on);
            state.snapshot.tell(ask, fact);
        }
    }

    /// Forgets every fact that `changes` may touch, and every answer that rests on one. Whether there was any.
    pub fn forget(&self, changes: impl IntoIterator<Item = Change>) -> bool {
        let mut state = self.lock();
        let mut forgot = false;
        for change in changes {
            let touched = match &change {
                Change::Everything => state.paths_of.keys().cloned().collect(),
                Change::Path(path) => state.touched_by(path),
            };
            state.tick += 1;
            let tick = state.tick;
            state.changes.push_back((tick, change));
            if state.changes.len() > CHANGE_LIMIT {
                state.changes.pop_front();
            }
            forgot |= !touched.is_empty();
            for ask in touched {
                state.forget(&ask);
            }
        }
        if forgot {
            state.version += 1;
        }
        forgot
    }

    /// Grows with every change that touched a fact.
    pub fn version(&self) -> u64 {
        self.lock().version
    }

    /// How many facts and answers it holds, for status reports.
    pub fn sizes(&self) -> (usize, usize) {
        let state = self.lock();
        (state.snapshot.len(), state.memo.len())
    }

    fn remember(&self, question: Question, answer: &Arc<Resolution>, tick: u64) {
        let mut state = self.lock();
        // Something happened while the answer was worked out. It was right for its moment; it may not be now.
        if state.tick != tick {
            return;
        }
        if state.memo.len() >= MEMO_LIMIT {
            state.memo.clear();
            state.answers_of.clear();
        }
        for ask in &answer.depends {
            state.answers_of.entry(ask.clone()).or_default().insert(question.clone());
        }
        state.memo.insert(question, answer.clone());
    }

    /// A panic while the lock was held cannot leave the state half changed in a way that matters: at worst a fact is
    /// kept whose index entry is missing, and then `forget` would miss it. So everything is dropped.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            self.state.clear_poison();
            let mut state = poisoned.into_inner();
            *state = State { version: state.version + 1, tick: state.tick + 1, ..State::default() };
            state
        })
    }
}

impl State {
    /// The facts that rest on `path`, on something below it, or on the entries of a directory above it.
    fn touched_by(&self, path: &Path) -> HashSet<Ask> {
        let mut touched = HashSet::new();
        let from = (Bound::Included(path.to_owned()), Bound::Unbounded);
        for (_, asks) in self.resting_on.range::<PathBuf, _>(from).take_while(|(rest, _)| rest.starts_with(path)) {
            touched.extend(asks.iter().cloned());
        }
        for above in path.ancestors().skip(1) {
            let Some(asks) = self.resting_on.get(above) else { continue };
            touched.extend(asks.iter().filter(|ask| disk::rests_on_entries(ask)).cloned());
        }
        touched
    }

    fn forget(&mut self, ask: &Ask) {
        self.snapshot.forget(ask);
        for path in self.paths_of.remove(ask).unwrap_or_default() {
            if let Some(asks) = self.resting_on.get_mut(&path) {
                asks.remove(ask);
                if asks.is_empty() {
                    self.resting_on.remove(&path);
                }
            }
        }
        for question in self.answers_of.remove(ask).unwrap_or_default() {
            self.memo.remove(&question);
        }
    }
}

/// Whether something that happened to `path` may change a fact that rests on `rest`.
fn may_touch(path: &Path, rest: &Path, entries: bool) -> bool {
    rest.starts_with(path) || (entries && path.starts_with(rest))
}
