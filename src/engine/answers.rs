//! Computes answers that are not cached, on blocking threads, for as long as somebody waits for them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use tokio::sync::OwnedSemaphorePermit;

use tower_lsp::jsonrpc::{Error, Result};

use super::thread::{self, unbroken};
use super::{Core, memory};
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

/// Maximum number of threads that compute the answers to one request.
static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, usize::from).min(4));

/// A question and its index in the request.
type Numbered = (usize, Key);

impl Core {
    /// Returns the answers to a request, and the version of the index that they belong to.
    pub(crate) async fn answers(
        self: &Arc<Self>,
        request: &Request,
        places: &Places,
    ) -> Result<(Vec<Arc<Resolution>>, u64)> {
        let questions = self.questions(request, places).await?;
        let questions = questions.into_iter().map(|(choice, at)| AgentQuestion::new(choice, at)).collect();
        let before = self.index.version();
        let (answers, versions): (Vec<_>, Vec<_>) = self.answers_to(questions).await.into_iter().unzip();
        let answers = answers.into_iter().map(|answer| self.told_here(answer)).collect();
        Ok((answers, versions.into_iter().fold(before, u64::max)))
    }

    /// Converts a request to questions, one per agent.
    pub(crate) async fn questions(
        self: &Arc<Self>,
        request: &Request,
        places: &Places,
    ) -> Result<Vec<(Choice, Standpoint)>> {
        let customs = self.customs(&places.cwd).await;
        let mut defaults = Defaults { customs, ..(*self.defaults()).clone() };
        if request.wants_roster(&defaults) {
            defaults.roster = self.roster(&places.cwd, &defaults).await;
        }
        for profile in request.to_look_up(&defaults) {
            self.look_up(profile, &places.cwd, &mut defaults).await;
        }
        request.questions(&defaults, places).map_err(Error::invalid_params)
    }

    /// Returns the agents that answer if the request names none, and why they were chosen.
    pub(crate) async fn judged(self: &Arc<Self>, places: &Places, answers: &[Arc<Resolution>]) -> Vec<Judged> {
        let customs = self.customs(&places.cwd).await;
        let defaults = Defaults { customs, ..(*self.defaults()).clone() };
        let roster = match Request::default().wants_roster(&defaults) {
            true => Some(self.roster(&places.cwd, &defaults).await),
            false => None,
        };
        judged(answers.iter().map(|answer| &**answer), roster.as_deref())
    }

    /// Detects the installed version of an agent, as found from the start directory `cwd`.
    pub(crate) async fn look_up(self: &Arc<Self>, profile: &Profile, cwd: &Path, defaults: &mut Defaults) {
        let found = self.query(InstalledVersion::of(profile, cwd, &defaults.home, &defaults.env)).await;
        defaults.installed.found.insert(profile.id.to_owned(), found.value.clone());
    }

    /// Returns the agents used by people who start them in `cwd`.
    pub(crate) async fn roster(self: &Arc<Self>, cwd: &Path, defaults: &Defaults) -> Arc<Roster> {
        // Agents that the project names count without evidence.
        if !defaults.customs.agents.is_empty() {
            return Arc::new(Roster::of(&[], &defaults.customs, &defaults.editor));
        }
        let found = self.query(Reasons::of(cwd, &defaults.home, &defaults.env)).await;
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
    pub(crate) async fn customs(self: &Arc<Self>, cwd: &Path) -> Arc<Customs> {
        let declared = self.query(Declarations::of(cwd)).await;
        self.session().customs(declared.value.as_ref())
    }

    /// Returns the result of a query: from the cache, or computed on a thread that may block on the disk.
    pub(crate) async fn query<Q: Query>(self: &Arc<Self>, query: Q) -> Arc<Found<Q::Out>> {
        let answers = self.answers_to_any(vec![Key::of(query)]).await;
        typed::<Q>(answers.into_iter().next().expect("one answer per question").0)
    }

    /// Returns the answers about agents in the order of the questions, each with the index version it belongs to.
    pub(crate) async fn answers_to(self: &Arc<Self>, questions: Vec<AgentQuestion>) -> Vec<(Arc<Resolution>, u64)> {
        let answers = self.answers_to_any(questions.into_iter().map(Key::of).collect()).await;
        answers.into_iter().map(|(answer, version)| (typed::<AgentQuestion>(answer), version)).collect()
    }

    /// Returns the answers to questions of any type, computing those that are not cached.
    async fn answers_to_any(self: &Arc<Self>, questions: Vec<Key>) -> Vec<(Kept, u64)> {
        if let Some(at_rest) = &self.at_rest {
            let look = |asks| disk::facts(&self.files, asks);
            return questions.iter().map(|question| (at_rest.answer_any(&look, question), 0)).collect();
        }
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
            self.work_out(missing, &mut answers).await;
        }
        let answers = answers.into_iter().map(|answer| answer.expect("they are still wanted: we wait for them"));
        answers.inspect(|(answer, _)| memory::note_answer(&**answer)).collect()
    }

    /// Computes numbered questions on a limited number of threads.
    async fn work_out(self: &Arc<Self>, questions: Vec<Numbered>, answers: &mut [Option<(Kept, u64)>]) {
        let wanted = Wanted::default();
        let flag = thread::wanted().unwrap_or_else(|| wanted.flag());
        let permit = self.readers.clone().acquire_owned().await.expect("never closed");
        // Only `try_acquire` for further permits: waiting for one while holding another could deadlock.
        let more = (1..questions.len().min(*CORES)).map_while(|_| self.readers.clone().try_acquire_owned().ok());
        let (core, more, still_wanted) = (self.clone(), more.collect::<Vec<_>>(), flag.clone());
        let next = AtomicUsize::new(0);
        let share = Arc::new(move |permit| {
            let _permit: OwnedSemaphorePermit = permit;
            let mine = std::iter::from_fn(|| questions.get(next.fetch_add(1, Ordering::Relaxed)));
            let answer = |(number, question): &Numbered| {
                (*number, core.any_answer_reading(question, Keep::Answer, &still_wanted))
            };
            mine.map(answer).collect::<Vec<_>>()
        });
        let mut take = |found: Vec<_>| found.into_iter().for_each(|(number, answer)| answers[number] = answer);
        let lead = move || {
            // The scheduler puts threads that are woken together on one core. So the request wakes only this one, and
            // this one wakes the others once it runs on its own core.
            let help = |permit| {
                let share = share.clone();
                tokio::task::spawn_blocking(move || share(permit))
            };
            let helpers: Vec<_> = more.into_iter().map(help).collect();
            (share(permit), helpers)
        };
        let (found, helpers) =
            if thread::is_own() { lead() } else { unbroken(tokio::task::spawn_blocking(lead).await) };
        take(found);
        for helper in helpers {
            take(unbroken(helper.await));
        }
        if !flag.load(Ordering::Relaxed) {
            // The request was cancelled; the caller drops this future.
            std::future::pending::<()>().await;
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

    /// Answers a question about an agent, reading missing facts until the answer is complete. Returns `None` once
    /// `wanted` is cleared.
    pub(crate) fn answer_reading(
        &self,
        question: AgentQuestion,
        keep: Keep,
        wanted: &AtomicBool,
    ) -> Option<Arc<Resolution>> {
        let (answer, _) = self.any_answer_reading(&Key::of(question), keep, wanted)?;
        Some(typed::<AgentQuestion>(answer))
    }

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

/// Clears its flag when dropped, which tells workers that nobody waits any more.
pub(crate) struct Wanted(Arc<AtomicBool>);

impl Wanted {
    /// Returns the flag, which is true while somebody waits.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted(Arc::new(AtomicBool::new(true)))
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
