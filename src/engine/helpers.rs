//! Threads that help others to compute answers. They are kept for a while, because starting one takes as long as many answers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SendError, Sender, channel};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, available_parallelism};
use std::time::Duration;

/// Work for a helper; it must not panic.
pub type Job = Box<dyn FnOnce() + Send>;

/// Maximum number of helpers in the whole program.
static MOST: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, usize::from).min(4) - 1);

/// Number of helpers.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Helpers that wait for a job, the last one to become free at the end.
static FREE: Mutex<Vec<Sender<Job>>> = Mutex::new(Vec::new());

/// Time after which a helper without a job ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// Gives a job to a helper. Returns false if none is free; the job is not done then.
pub fn help(mut job: Job) -> bool {
    loop {
        let Some(last) = free().pop() else { return start(job) };
        match last.send(job) {
            Ok(()) => return true,
            // It has ended.
            Err(SendError(again)) => job = again,
        }
    }
}

/// Starts a helper with its first job, unless there are enough helpers.
fn start(mut job: Job) -> bool {
    let more = |count| (count < *MOST).then_some(count + 1);
    if COUNT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
        return false;
    }
    let (helper, jobs) = channel();
    let work = move || {
        loop {
            job();
            free().push(helper.clone());
            match jobs.recv_timeout(PATIENCE) {
                Ok(next) => job = next,
                Err(_) => break,
            }
        }
        COUNT.fetch_sub(1, Ordering::Relaxed);
    };
    let started = Builder::new().name("briefing-helps".to_owned()).spawn(work).is_ok();
    if !started {
        COUNT.fetch_sub(1, Ordering::Relaxed);
    }
    started
}

fn free() -> MutexGuard<'static, Vec<Sender<Job>>> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}
