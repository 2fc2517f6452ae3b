//! Works out what is not remembered, on threads that may wait for the disk, and only as long as somebody wants it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinError;

use super::{Core, thread};
use crate::answer::{Resolution, Standpoint};
use crate::disk::{self, Watching};
use crate::harness::Choice;
use crate::index::{Index, Keep, Reply};

/// How many threads work out the answers to one request at most.
static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, usize::from).min(4));

impl Core {
    /// The answer. What is remembered comes at once; else it is worked out on a thread that may wait for the disk.
    pub(super) async fn answer(
        self: &Arc<Self>,
        choice: Choice,
        standpoint: Arc<Standpoint>,
    ) -> (Arc<Resolution>, u64) {
        let answers = self.answers_to(vec![(choice, standpoint)]).await;
        answers.into_iter().next().expect("one answer per question")
    }

    /// The answers, in the order of the questions. Those that have to be worked out share as many threads as there are
    /// cores.
    pub(super) async fn answers_to(
        self: &Arc<Self>,
        questions: Vec<(Choice, Arc<Standpoint>)>,
    ) -> Vec<(Arc<Resolution>, u64)> {
        let remembered = questions.iter().map(|(choice, standpoint)| self.index.recall(choice, standpoint));
        if let Some(remembered) = remembered.collect() {
            return remembered;
        }
        let wanted = Wanted::default();
        let permit = self.readers.clone().acquire_owned().await.expect("never closed");
        // Whoever waited for a second permit while holding one would wait for others who do the same.
        let more = (1..questions.len().min(*CORES)).map_while(|_| self.readers.clone().try_acquire_owned().ok());
        let (more, questions, flag) = (more.collect::<Vec<_>>(), Arc::new(questions), wanted.flag());
        let (core, count) = (self.clone(), questions.len());
        let next = AtomicUsize::new(0);
        let share = Arc::new(move |permit| {
            let _permit: OwnedSemaphorePermit = permit;
            let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
            let mine = numbers.map_while(|number| Some((number, questions.get(number)?)));
            let answer = |(number, (choice, at)): (usize, &(Choice, _))| {
                (number, core.answer_reading(choice, at, Keep::Answer, &flag))
            };
            mine.map(answer).collect::<Vec<_>>()
        });
        let mut answers = vec![None; count];
        let mut take = |found: Vec<_>| found.into_iter().for_each(|(number, answer)| answers[number] = answer);
        let lead = move || {
            // Threads that are woken together are put on one core. Whoever does the first share wakes the others when it
            // runs already, and whoever woke it does not any more.
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
        answers.into_iter().map(|answer| answer.expect("they are still wanted: we wait for them")).collect()
    }

    /// Asks, reads what is missing, and asks again; `None` once nobody wants the answer any more.
    pub(super) fn answer_reading(
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
            let Some(watcher) = self.watcher.get() else { unreachable!("set when the server was made") };
            let watching = Watching::new(&self.files, watcher).as_long_as(wanted);
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

/// What work on another thread gave; it panics as that did.
fn unbroken<T>(joined: Result<T, JoinError>) -> T {
    joined.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => unreachable!("blocking work is not cancelled while the runtime lives"),
    })
}

/// Says, when it is dropped, that nobody waits any more.
pub(super) struct Wanted(Arc<AtomicBool>);

impl Wanted {
    /// What says so.
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
