//! Carries LSP messages between the client's pipes and the `LspService`, in order and fault-tolerantly.
//!
//! ```text
//! input ─► frames ─► incoming ─► dispatcher ─► LspService      one thread reads, so parsing never delays an answer
//!                                    │ answers                 one task dispatches and owns all state: no locks
//! output ◄────── outbox ◄────────────┴──── ClientSocket        one thread writes
//! ```
//!
//! - Frames are handled in arrival order. Each call is polled once, inline, before the next frame is looked at: the code of a
//!   handler before its first await is ordered. The rest of a pending handler runs as its own task.
//! - Only `$/cancelRequest` overtakes, so that it reaches a request that is still queued.
//! - A notification about documents or files that cannot be parsed is passed on as [`NOT_UNDERSTOOD`]. If it were dropped, the
//!   server would continue with a text that no longer exists.
//! - Every request gets exactly one answer, even if its handler panics, it is cancelled, or the client disconnects.
//! - Messages that a handler sends to the client before it answers are written before the answer.

mod client_process;
mod dispatcher;
mod frames;
mod incoming;
mod lenient_changes;
mod lsp_3_18;
mod notification;
mod outbox;

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time;
use tower_lsp::{ClientSocket, LanguageServer, LspService};
use tracing::{info, warn};

use super::own_thread::OwnThread;
use dispatcher::Dispatcher;
use frames::Frames;
use incoming::Incoming;
pub(super) use lsp_3_18::{FOLDS, SNIPPET, SNIPPETS, TEXT_DOCUMENT_CONTENT};
pub use notification::{NOT_UNDERSTOOD, NotUnderstood};

/// Outcome of a session; `code` is the exit status of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The client requested `shutdown` before it disconnected.
    Orderly(Cause),
    /// The client disconnected without `shutdown`.
    Abrupt(Cause),
}

/// Event that ended a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The `exit` notification.
    ExitNotification,
    /// The client closed the server's input.
    EndOfInput,
    /// The client closed the server's output.
    EndOfOutput,
    /// The client's process (`processId` of `initialize`) has exited.
    ClientGone,
}

impl Exit {
    /// Returns the exit status: 0 after `shutdown`, else 1 (LSP 3.17, `exit`).
    pub fn code(self) -> i32 {
        match self {
            Exit::Orderly(_) => 0,
            Exit::Abrupt(_) => 1,
        }
    }
}

/// Time after which a request is given up, so that no request is waited for without end.
const PATIENCE: Duration = Duration::from_secs(30);

/// Serves one client until it disconnects. All answers available by then are written and flushed.
pub async fn serve<S: LanguageServer>(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    service: LspService<S>,
    socket: ClientSocket,
) -> Exit {
    serve_within(PATIENCE, input, output, service, socket).await
}

/// Serves like [`serve`], and gives requests up that take longer than `patience`.
pub async fn serve_within<S: LanguageServer>(
    patience: Duration,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    service: LspService<S>,
    socket: ClientSocket,
) -> Exit {
    let (requests, responses) = socket.split();
    let (arrived, mut arrivals) = mpsc::channel(ARRIVALS);
    let (answers, queue) = mpsc::unbounded_channel();
    let reader = OwnThread::spawn("briefing-reads", read(Frames::new(input), arrived));
    let mut writer = OwnThread::spawn("briefing-writes", outbox::write(output, queue, requests));

    let mut dispatcher = Dispatcher::new(service, responses, answers, patience);
    let cause = dispatcher.dispatch(&mut arrivals).await;
    info!(?cause, "the session ends");
    let exit = dispatcher.end(cause).await;

    reader.abort();
    if time::timeout(FLUSH_LIMIT, writer.done()).await.is_err() {
        warn!("the client does not read; what it was not yet told is lost");
        writer.abort();
    }
    exit
}

/// Maximum number of frames parsed ahead of the dispatcher; after that, reading waits.
const ARRIVALS: usize = 256;

/// Longest time that a client that does not read may delay the exit.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);

async fn read<R: AsyncRead + Unpin>(mut frames: Frames<R>, arrived: mpsc::Sender<Incoming>) {
    while let Some(frame) = frames.next().await {
        if arrived.send(Incoming::from(frame)).await.is_err() {
            return;
        }
    }
}
