//! Carries LSP messages between the client's pipe and the `LspService`: in order, and whatever happens.
//!
//! ```text
//! input ─► frames ─► incoming ─► dispatcher ─► LspService      one thread reads, so parsing never delays an answer
//!                                    │ answers                 one task dispatches and owns all state: no locks
//! output ◄────── outbox ◄────────────┴──── ClientSocket        one thread writes
//! ```
//!
//! - Frames are handled in arrival order. Each call is polled once, inline, before the next frame is looked at: what a
//!   handler does before its first await is ordered. What is still pending then runs as a task of its own.
//! - Only `$/cancelRequest` overtakes, so that it reaches a request that is still queued.
//! - A notification that tells of documents or files and cannot be parsed is handed on as [`NOT_UNDERSTOOD`]: whoever
//!   drops it unseen goes on with a text that nobody has.
//! - Every request gets exactly one answer, also when its handler panics, is cancelled or the client leaves.
//! - What a handler says to the client before it answers is written before the answer.

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

use crate::engine::thread::OwnThread;
use dispatcher::Dispatcher;
use frames::Frames;
use incoming::Incoming;
pub(super) use lsp_3_18::TEXT_DOCUMENT_CONTENT;
pub use notification::{NOT_UNDERSTOOD, NotUnderstood};

/// How a session ended; `code` is what the process should exit with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The client had asked for `shutdown` before it left.
    Orderly(Cause),
    /// The client left without `shutdown`.
    Abrupt(Cause),
}

/// What ended a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The `exit` notification.
    ExitNotification,
    /// The client closed our input.
    EndOfInput,
    /// The client closed our output.
    EndOfOutput,
    /// The process that `initialize` named as `processId` is no more.
    ClientGone,
}

impl Exit {
    /// 0 after `shutdown`, else 1; LSP 3.17, `exit`.
    pub fn code(self) -> i32 {
        match self {
            Exit::Orderly(_) => 0,
            Exit::Abrupt(_) => 1,
        }
    }
}

/// Serves one client until it leaves. Everything answered by then is written and flushed.
pub async fn serve<S: LanguageServer>(
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

    let mut dispatcher = Dispatcher::new(service, responses, answers);
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

/// Frames parsed ahead of the dispatcher before the client has to wait.
const ARRIVALS: usize = 256;

/// How long a client that does not read may hold up our exit.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);

async fn read<R: AsyncRead + Unpin>(mut frames: Frames<R>, arrived: mpsc::Sender<Incoming>) {
    while let Some(frame) = frames.next().await {
        if arrived.send(Incoming::from(frame)).await.is_err() {
            return;
        }
    }
}
