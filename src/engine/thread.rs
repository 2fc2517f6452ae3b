//! Threads for work that blocks often and briefly.
//!
//! A task on a pool may move to another thread at every wait. Work with its own thread stays there, and may block in the kernel.

use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures::future::{AbortHandle, Abortable};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinError;

thread_local! {
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
    static WANTED: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Returns true if this thread serves no other work, so that it may block.
pub fn is_own() -> bool {
    IS_OWN.get()
}

/// Returns the flag that says whether this thread's work is still wanted, if it can be cancelled.
pub fn wanted() -> Option<Arc<AtomicBool>> {
    WANTED.with_borrow(Clone::clone)
}

/// Runs `work` on one thread of the blocking pool. Dropping the future cancels it.
pub async fn on_one<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    /// Cancels the work when dropped.
    struct Given(Arc<AtomicBool>, AbortHandle);
    impl Drop for Given {
        fn drop(&mut self) {
            self.0.store(false, Ordering::Relaxed);
            self.1.abort();
        }
    }
    // Far fewer than the pool has threads: if all of them did such work, none would be left to help with it.
    static TURNS: Semaphore = Semaphore::const_new(16);
    if is_own() {
        return work.await;
    }
    let _turn = TURNS.acquire().await.expect("never closed");
    let (abort, registration) = AbortHandle::new_pair();
    let given = Given(Arc::new(AtomicBool::new(true)), abort);
    let (runtime, wanted) = (Handle::current(), given.0.clone());
    let run = move || {
        let _owned = Owned::with(wanted);
        runtime.block_on(Abortable::new(work, registration))
    };
    let done = unbroken(tokio::task::spawn_blocking(run).await);
    done.unwrap_or_else(|_| unreachable!("only who does not wait any more gives it up"))
}

/// Runs blocking work on this thread that may end early once `wanted` is cleared.
pub fn while_wanted<T>(wanted: Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    WANTED.set(Some(wanted));
    let done = work();
    WANTED.set(None);
    done
}

/// Marks a thread of the pool as reserved for one work, until dropped.
struct Owned;

impl Owned {
    fn with(wanted: Arc<AtomicBool>) -> Owned {
        IS_OWN.set(true);
        WANTED.set(Some(wanted));
        Owned
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        IS_OWN.set(false);
        WANTED.set(None);
    }
}

/// Returns the result of work on another thread, or resumes its panic.
pub fn unbroken<T>(joined: Result<T, JoinError>) -> T {
    joined.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => unreachable!("blocking work is not cancelled while the runtime lives"),
    })
}

/// Work on its own thread.
pub struct OwnThread {
    abort: AbortHandle,
    done: oneshot::Receiver<()>,
}

impl OwnThread {
    /// Starts the thread. Must be called within a runtime, whose timers and tasks the work may use.
    ///
    /// # Panics
    /// If the system cannot create a thread.
    /// If the system has no thread left.
    pub fn spawn(name: &'static str, work: impl Future<Output = ()> + Send + 'static) -> OwnThread {
        let (abort, registration) = AbortHandle::new_pair();
        let (said, done) = oneshot::channel();
        let runtime = Handle::current();
        let run = move || {
            IS_OWN.set(true);
            // Completed and aborted work are the same to those who wait.
            let _ = runtime.block_on(Abortable::new(work, registration));
            let _ = said.send(());
        };
        std::thread::Builder::new().name(name.to_owned()).spawn(run).expect("the system has another thread");
        OwnThread { abort, done }
    }

    /// Aborts the work at its next await. A call that blocks in the kernel continues.
    pub fn abort(&self) {
        self.abort.abort();
    }

    /// Waits until the work has ended, or its thread is gone.
    pub async fn done(&mut self) {
        let _ = (&mut self.done).await;
    }
}

/// Blocking I/O with an async interface, for work on its own thread.
pub struct BlockingIo<T>(pub T);

impl<T: Read + Unpin> AsyncRead for BlockingIo<T> {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let input = &mut self.get_mut().0;
        let count = again(|| input.read(buffer.initialize_unfilled()))?;
        buffer.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl<T: Write + Unpin> AsyncWrite for BlockingIo<T> {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let output = &mut self.get_mut().0;
        Poll::Ready(again(|| output.write(bytes)))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let output = &mut self.get_mut().0;
        Poll::Ready(again(|| output.flush()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

/// Retries operations that a signal interrupted.
fn again<T>(mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match work() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// A reader that is interrupted before every byte.
    struct Halting<'a>(&'a [u8], bool);

    impl Read for Halting<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            Read::read(&mut self.0, &mut buffer[..1])
        }
    }

    #[tokio::test]
    async fn work_on_a_thread_of_its_own_is_done_or_told_to_stop() {
        let (said, heard) = oneshot::channel();
        let mut own = OwnThread::spawn("test", async { said.send(is_own()).expect("somebody hears") });
        assert_eq!(heard.await, Ok(true));
        own.done().await;
        assert!(!is_own());
        let mut endless = OwnThread::spawn("test", std::future::pending());
        endless.abort();
        endless.done().await;
    }

    #[tokio::test]
    async fn work_on_one_thread_of_the_pool_goes_on_there_and_ends_when_it_is_dropped() {
        let threads = on_one(async {
            let before = std::thread::current().id();
            tokio::task::yield_now().await;
            (is_own(), before == std::thread::current().id(), on_one(async { is_own() }).await)
        });
        assert_eq!(threads.await, (true, true, true));
        let (said, heard) = oneshot::channel();
        let (dropped, gone) = oneshot::channel::<()>();
        let endless = tokio::spawn(on_one(async move {
            let _dropped = dropped;
            said.send(wanted().expect("somebody may give it up")).expect("somebody hears");
            std::future::pending::<()>().await;
        }));
        let wanted = heard.await.expect("it began");
        assert!(wanted.load(Ordering::Relaxed));
        endless.abort();
        assert!(gone.await.is_err(), "the work is dropped");
        assert!(!wanted.load(Ordering::Relaxed));
    }

    #[tokio::test]
    async fn what_is_interrupted_is_done_again() {
        let mut read = String::new();
        BlockingIo(Halting(b"text", false)).read_to_string(&mut read).await.expect("it is read");
        let mut output = BlockingIo(Vec::new());
        output.write_all(read.as_bytes()).await.expect("it is written");
        output.flush().await.expect("nothing is left");
        assert_eq!(output.0, b"text");
    }
}
