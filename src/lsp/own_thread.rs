//! Threads with one work each, which may wait for timers and messages as well as block.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::future::{AbortHandle, Abortable};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

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
    pub fn spawn(name: &'static str, work: impl Future<Output = ()> + Send + 'static) -> OwnThread {
        let (abort, registration) = AbortHandle::new_pair();
        let (said, done) = oneshot::channel();
        let runtime = Handle::current();
        let run = move || {
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
        let mut own = OwnThread::spawn("test", async { said.send(true).expect("somebody hears") });
        assert_eq!(heard.await, Ok(true));
        own.done().await;
        let mut endless = OwnThread::spawn("test", std::future::pending());
        endless.abort();
        endless.done().await;
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
