//! Computes answers that are not cached, on several threads, for as long as somebody waits for them.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use super::{Core, Error, helpers, memory, wanted};
use crate::answer::{Resolution, Standpoint};
use crate::disk::{self, Watching};
use crate::harness::custom::Customs;
use crate::harness::{Choice, Profile};
use crate::index::{Index, Keep, Reply};
use crate::queries::declarations::Declarations;
use crate::queries::installed::InstalledVersion;
use crate::queries::roster::{Reasons, Roster};
use crate::query::{Found, Kept, Key, Query, typed};
use crate::report::judged::{Judged, judged};
use crate::request::{Defaults, Places, Request};
use crate::resolve::AgentQuestion;
use crate::snapshot::{Ask, Fact};

/// A question and its index in the request.
type Numbered = (usize, Key);

impl Core {
    /// Returns the answers to a request, and the version of the index that they belong to.
    pub(crate) fn answers(&self, request: &Request, places: &Places) -> Result<(Vec<Arc<Resolution>>, u64), Error> {
        let questions = self.questions(request, places)?;
        let questions = questions.into_iter().map(|(choice, at)| AgentQuestion::new(choice, at)).collect();
        let before = self.index.version();
        let (answers, versions): (Vec<_>, Vec<_>) = self.answers_to(questions).into_iter().unzip();
        let answers = answers.into_iter().map(|answer| self.told_here(answer)).collect();
        Ok((answers, versions.into_iter().fold(before, u64::max)))
    }

    /// Converts a request to questions, one per agent.
    pub(crate) fn questions(&self, request: &Request, places: &Places) -> Result<Vec<(Choice, Standpoint)>, Error> {
        let customs = self.customs(&places.cwd);
        let mut defaults = Defaults { customs, ..(*self.defaults()).clone() };
        if request.wants_roster(&defaults) {
            defaults.roster = self.roster(&places.cwd, &defaults);
        }
        for profile in request.to_look_up(&defaults) {
            self.look_up(profile, &places.cwd, &mut defaults);
        }
        request.questions(&defaults, places).map_err(Error::invalid)
    }

    /// Returns the agents that answer if the request names none, and why they were chosen.
    pub(crate) fn judged(&self, places: &Places, answers: &[Arc<Resolution>]) -> Vec<Judged> {
        let customs = self.customs(&places.cwd);
        let defaults = Defaults { customs, ..(*self.defaults()).clone() };
        let roster = match Request::default().wants_roster(&defaults) {
            true => Some(self.roster(&places.cwd, &defaults)),
            false => None,
        };
        judged(answers.iter().map(|answer| &**answer), roster.as_deref())
    }

    /// Detects the installed version of an agent, as found from the start directory `cwd`.
    pub(crate) fn look_up(&self, profile: &Profile, cwd: &Path, defaults: &mut Defaults) {
        let found = self.query(InstalledVersion::of(profile, cwd, &defaults.home, &defaults.env));
        defaults.installed.found.insert(profile.id.to_owned(), found.value.clone());
    }

    /// Returns the agents used by people who start them in `cwd`.
    pub(crate) fn roster(&self, cwd: &Path, defaults: &Defaults) -> Arc<Roster> {
        // Agents that the project names count without evidence.
        if !defaults.customs.agents.is_empty() {
            return Arc::new(Roster::of(&[], &defaults.customs, &defaults.editor));
        }
        let found = self.query(Reasons::of(cwd, &defaults.home, &defaults.env));
        let mut found = found.value.clone();
        // What lies at the start or above it is the better reason.
        for (id, reason) in self.evidence_below(cwd) {
            if !found.iter().any(|(known, other)| *known == id && other.what == reason.what) {
                found.push((id, reason));
            }
        }
        Arc::new(Roster::of(&found, &defaults.customs, &defaults.editor))
    }

    /// Returns the agents declared for the start directory `cwd`, by its workspace and by the settings.
    pub(crate) fn customs(&self, cwd: &Path) -> Arc<Customs> {
        let declared = self.query(Declarations::of(cwd));
        self.session().customs(declared.value.as_ref())
    }

    /// Returns the result of a query: from the cache, or computed.
    pub(crate) fn query<Q: Query>(&self, query: Q) -> Arc<Found<Q::Out>> {
        let answers = self.answers_to_any(vec![Key::of(query)]);
        typed::<Q>(answers.into_iter().next().expect("one answer per question").0)
    }

    /// Returns the answers about agents in the order of the questions, each with the index version it belongs to.
    pub(crate) fn answers_to(&self, questions: Vec<AgentQuestion>) -> Vec<(Arc<Resolution>, u64)> {
        let answers = self.answers_to_any(questions.into_iter().map(Key::of).collect());
        answers.into_iter().map(|(answer, version)| (typed::<AgentQuestion>(answer), version)).collect()
    }

    /// Returns the answers to questions of any type, computing those that are not cached.
    fn answers_to_any(&self, questions: Vec<Key>) -> Vec<(Kept, u64)> {
        if let Some(at_rest) = &self.at_rest {
            let look = |asks| disk::facts(&self.files, asks);
            return questions.iter().map(|question| (at_rest.answer_any(&look, question), 0)).collect();
        }
        wanted::end_if_unwanted();
        self.look_at_shared();
        let mut answers = Vec::with_capacity(questions.len());
        let mut missing = Vec::new();
        for (number, question) in questions.into_iter().enumerate() {
            answers.push(self.index.recall(&question));
            if answers[number].is_none() {
                missing.push((number, question));
            }
        }
        if !missing.is_empty() {
            self.work_out(missing, &mut answers);
            wanted::end_if_unwanted();
        }
        let answers = answers.into_iter().map(|answer| answer.expect("they are still wanted"));
        answers.inspect(|(answer, _)| memory::note_answer(&**answer)).collect()
    }

    /// Computes numbered questions on this thread, and on others if they are free.
    fn work_out(&self, questions: Vec<Numbered>, answers: &mut [Option<(Kept, u64)>]) {
        let (flag, more, next) = (wanted::flag(), questions.len() - 1, AtomicUsize::new(0));
        let share = Arc::new(move |core: &Core| {
            let mine = std::iter::from_fn(|| questions.get(next.fetch_add(1, Ordering::Relaxed)));
            let answer =
                |(number, question): &Numbered| (*number, core.any_answer_reading(question, Keep::Answer, &flag));
            mine.map(answer).collect::<Vec<_>>()
        });
        let (done, shares) = channel();
        for core in std::iter::repeat_with(|| self.me.upgrade()).take(more).flatten() {
            let (share, done) = (share.clone(), done.clone());
            let help = move || drop(done.send(catch_unwind(AssertUnwindSafe(|| share(&core)))));
            if !helpers::help(Box::new(help)) {
                break;
            }
        }
        drop(done);
        let mut take = |found: Vec<_>| found.into_iter().for_each(|(number, answer)| answers[number] = answer);
        take(share(self));
        for found in shares {
            take(found.unwrap_or_else(|panic| resume_unwind(panic)));
        }
    }

    /// Returns a fact, reading the disk if it is not cached.
    pub(crate) fn fact(&self, ask: &Ask) -> Option<Fact> {
        self.look_at_shared();
        let watching = self.watching();
        let fact = self.index.fact(&|asks| disk::observe_all(&watching, asks), ask);
        self.blind.fetch_or(watching.was_blind(), Ordering::Relaxed);
        fact
    }

    /// Returns the disk with a watch on everything that is read.
    fn watching(&self) -> Watching<'_> {
        let Some(watcher) = self.watcher.get() else { unreachable!("set when the server was made") };
        Watching::new(&self.files, watcher)
    }

    /// Answers a question about an agent on this thread.
    pub(crate) fn answer_reading(&self, question: AgentQuestion, keep: Keep) -> Arc<Resolution> {
        let answer = self.any_answer_reading(&Key::of(question), keep, &wanted::flag());
        wanted::end_if_unwanted();
        typed::<AgentQuestion>(answer.expect("it is still wanted").0)
    }

    /// Answers a question, reading missing facts until the answer is complete. Returns `None` once `wanted` is cleared.
    fn any_answer_reading(&self, question: &Key, keep: Keep, wanted: &AtomicBool) -> Option<(Kept, u64)> {
        for round in 0.. {
            if !wanted.load(Ordering::Relaxed) {
                break;
            }
            let (asks, tick) = match self.index.ask(question, keep) {
                Reply::Answer(answer, version) => return Some((answer, version)),
                Reply::Missing(asks, tick) => (asks, tick),
            };
            let watching = self.watching().as_long_as(wanted);
            let observe = |asks| disk::observe_all(&watching, asks);
            let observed = self.index.observed(round, asks, &observe, question);
            if !wanted.load(Ordering::Relaxed) {
                break;
            }
            if watching.was_blind() {
                // Changes of unwatched facts would go unnoticed, so they are used for this answer only.
                self.blind.store(true, Ordering::Relaxed);
                let (answer, _) = Index::default().answer_any(&|asks| disk::observe_all(&self.files, asks), question);
                return Some((answer, self.index.version()));
            }
            self.index.learn(observed, tick);
        }
        None
    }
}
