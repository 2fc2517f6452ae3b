//! Lets asynchronous doors use the synchronous engine: requests on threads, work in the background, and signals.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::sleep;

use crate::engine::{Core, wanted};

/// Maximum number of requests that are worked on at the same time; each has a thread.
const MOST_REQUESTS: usize = 64;

/// Delay of work in the background, so that the file that is opened first is answered first.
const HEAD_START: Duration = Duration::from_millis(50);

/// Runs a request on one thread. Dropping the future ends the request at its next question.
pub(crate) async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    /// Clears its flag when dropped.
    struct Waiting(Arc<AtomicBool>);
    impl Drop for Waiting {
        fn drop(&mut self) {
            self.0.store(false, Ordering::Relaxed);
        }
    }
    static TURNS: Semaphore = Semaphore::const_new(MOST_REQUESTS);
    let turn = TURNS.acquire().await.expect("never closed");
    let waiting = Waiting(Arc::new(AtomicBool::new(true)));
    let flag = waiting.0.clone();
    // A request that was given up keeps its turn while the disk keeps it.
    let run = move || {
        let _turn = turn;
        wanted::run(flag, work)
    };
    unbroken(spawn_blocking(run).await)
}

/// Runs work on a thread in the background, after a short delay.
pub(crate) async fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    sleep(HEAD_START).await;
    unbroken(spawn_blocking(work).await)
}

/// Starts watching after a short delay.
pub(crate) fn watch_soon(core: &Arc<Core>) {
    let core = core.clone();
    tokio::spawn(in_background(move || core.watch()));
}

/// Returns the result of work on another thread, or resumes its panic.
fn unbroken<T>(joined: Result<T, JoinError>) -> T {
    joined.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => unreachable!("blocking work is not cancelled while the runtime lives"),
    })
}

/// Ends the program with success once the user or the system asks it to end, but not in the middle of a line.
pub(crate) fn end_on_signals() -> Result<(), String> {
    let built = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let runtime = built.map_err(|error| format!("no signal can be waited for: {error}"))?;
    let wait = move || {
        runtime.block_on(asked_to_end());
        let _whole_lines = std::io::stdout().lock();
        std::process::exit(0)
    };
    let spawned = std::thread::Builder::new().name("briefing-ends".to_owned()).spawn(wait);
    spawned.map(drop).map_err(|error| format!("no thread can be started: {error}"))
}

/// Waits until the user or the parent process ends the program.
async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminated) = signal(SignalKind::terminate()) else { return std::future::pending().await };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        }
    }
    #[cfg(not(unix))]
    {
        let _ = tokio::signal::ctrl_c().await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_request_that_is_given_up_ends_at_its_next_question() {
        let (said, heard) = oneshot::channel();
        let (ended, end) = oneshot::channel::<()>();
        let request = tokio::spawn(on_thread(move || {
            let _ended = ended;
            said.send(wanted::flag()).expect("somebody hears");
            loop {
                wanted::end_if_unwanted();
                std::thread::yield_now();
            }
        }));
        let flag = heard.await.expect("it began");
        assert!(flag.load(Ordering::Relaxed));
        request.abort();
        assert!(end.await.is_err(), "the work is dropped");
        assert!(!flag.load(Ordering::Relaxed));
    }

    #[tokio::test]
    #[should_panic(expected = "on purpose")]
    async fn a_panic_goes_on_where_the_request_is_waited_for() {
        on_thread(|| panic!("on purpose")).await
    }
}
