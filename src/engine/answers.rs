//! Works out what is not remembered, on threads that may wait for the disk, and only as long as somebody wants it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use tokio::sync::OwnedSemaphorePermit;

use super::thread::{self, unbroken};
use super::{Core, memory};
use crate::answer::{Resolution, Standpoint};
use crate::disk::{self, Watching};
use crate::harness::Choice;
use crate::index::{Index, Keep, Reply};
use crate::snapshot::{Ask, Fact};

/// How many threads work out the answers to one request at most.
static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, usize::from).min(4));

/// A question, and which of several it is.
type Numbered = (usize, Choice, Arc<Standpoint>);

impl Core {
    /// The answer. What is remembered comes at once; else it is worked out on a thread that may wait for the disk.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        choice: Choice,
        standpoint: Arc<Standpoint>,
    ) -> (Arc<Resolution>, u64) {
        let answers = self.answers_to(vec![(choice, standpoint)]).await;
        answers.into_iter().next().expect("one answer per question")
    }

    /// The answers, in the order of the questions. Those that are not remembered are worked out.
    pub(crate) async fn answers_to(
        self: &Arc<Self>,
        questions: Vec<(Choice, Arc<Standpoint>)>,
    ) -> Vec<(Arc<Resolution>, u64)> {
        if let Some(at_rest) = &self.at_rest {
            let look = |asks| disk::facts(&self.files, asks);
            let answer = |(choice, at): &(Choice, _)| (at_rest.answer(&look, choice, at), 0);
            return questions.iter().map(answer).collect();
        }
        let mut answers = Vec::with_capacity(questions.len());
        let mut missing = Vec::new();
        for (number, (choice, standpoint)) in questions.into_iter().enumerate() {
            answers.push(self.index.recall(&choice, &standpoint));
            if answers[number].is_none() {
                missing.push((number, choice, standpoint));
            }
        }
        if !missing.is_empty() {
            self.work_out(missing, &mut answers).await;
        }
        let answers = answers.into_iter().map(|answer| answer.expect("they are still wanted: we wait for them"));
        answers.inspect(|(answer, _)| memory::note_answer(answer)).collect()
    }

    /// Works out numbered questions, which share as many threads as there are cores.
    pub(crate) async fn work_out(
        self: &Arc<Self>,
        questions: Vec<Numbered>,
        answers: &mut [Option<(Arc<Resolution>, u64)>],
    ) {
        let wanted = Wanted::default();
        let flag = thread::wanted().unwrap_or_else(|| wanted.flag());
        let permit = self.readers.clone().acquire_owned().await.expect("never closed");
        // Whoever waited for a second permit while holding one would wait for others who do the same.
        let more = (1..questions.len().min(*CORES)).map_while(|_| self.readers.clone().try_acquire_owned().ok());
        let (core, more, still_wanted) = (self.clone(), more.collect::<Vec<_>>(), flag.clone());
        let next = AtomicUsize::new(0);
        let share = Arc::new(move |permit| {
            let _permit: OwnedSemaphorePermit = permit;
            let mine = std::iter::from_fn(|| questions.get(next.fetch_add(1, Ordering::Relaxed)));
            let answer = |(number, choice, at): &Numbered| {
                (*number, core.answer_reading(choice, at, Keep::Answer, &still_wanted))
            };
            mine.map(answer).collect::<Vec<_>>()
        });
        let mut take = |found: Vec<_>| found.into_iter().for_each(|(number, answer)| answers[number] = answer);
        let lead = move || {
            // The system puts threads that are woken together on one core. So only this one is woken by the request; it
            // wakes the others once it runs on a core of its own.
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
            // Whoever gave this up ends it here.
            std::future::pending::<()>().await;
        }
    }

    /// Returns a fact, which is looked at if it is not known.
    pub(crate) fn fact(&self, ask: &Ask) -> Option<Fact> {
        let watching = self.watching();
        let fact = self.index.fact(&|asks| disk::observe_all(&watching, asks), ask);
        self.blind.fetch_or(watching.was_blind(), Ordering::Relaxed);
        fact
    }

    /// Returns the disk, of which everything is watched that is looked at.
    fn watching(&self) -> Watching<'_> {
        let Some(watcher) = self.watcher.get() else { unreachable!("set when the server was made") };
        Watching::new(&self.files, watcher)
    }

    /// Asks, reads what is missing, and asks again; `None` once nobody wants the answer any more.
    pub(crate) fn answer_reading(
        &self,
        choice: &Choice,
        standpoint: &Arc<Standpoint>,
        keep: Keep,
        wanted: &AtomicBool,
    ) -> Option<(Arc<Resolution>, u64)> {
        for round in 0.. {
            if !wanted.load(Ordering::Relaxed) {
                break;
            }
            let (asks, tick) = match self.index.ask(choice, standpoint, keep) {
                Reply::Answer(answer, version) => return Some((answer, version)),
                Reply::Missing(asks, tick) => (asks, tick),
            };
            let watching = self.watching().as_long_as(wanted);
            let observe = |asks| disk::observe_all(&watching, asks);
            let observed = self.index.observed(round, asks, &observe, choice, standpoint);
            if !wanted.load(Ordering::Relaxed) {
                break;
            }
            if watching.was_blind() {
                // Nobody would tell when such facts change, so they hold for this answer only.
                self.blind.store(true, Ordering::Relaxed);
                let (answer, _) =
                    Index::default().answer(&|asks| disk::observe_all(&self.files, asks), choice, standpoint);
                return Some((answer, self.index.version()));
            }
            self.index.learn(observed, tick);
        }
        None
    }
}

/// Clears its flag when it is dropped: then nobody waits any more.
pub(crate) struct Wanted(Arc<AtomicBool>);

impl Wanted {
    /// Whether somebody still waits.
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
