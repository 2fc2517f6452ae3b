//! Writes messages to the client: our requests and notifications first, then answers.

use std::io;

use futures::{FutureExt, Stream, StreamExt};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::UnboundedReceiver;
use tower_lsp::jsonrpc::{Request, Response};
use tracing::warn;

/// Writes until all answers are written and no sender is left, or the client closes the output.
pub async fn write(
    output: impl AsyncWrite + Unpin,
    answers: UnboundedReceiver<Response>,
    requests: impl Stream<Item = Request> + Unpin,
) {
    if let Err(error) = write_batches(output, Outbox { answers, requests }).await {
        warn!(%error, "cannot write to the client");
    }
}

/// Size in bytes at which a batch is written although more messages are ready.
const BATCH_BYTES: usize = 1 << 20;

struct Outbox<Q> {
    answers: UnboundedReceiver<Response>,
    requests: Q,
}

async fn write_batches<Q>(mut output: impl AsyncWrite + Unpin, mut outbox: Outbox<Q>) -> io::Result<()>
where
    Q: Stream<Item = Request> + Unpin,
{
    while let Some(body) = outbox.next().await {
        let mut batch = Vec::with_capacity(body.len() + 32);
        frame(&mut batch, &body);
        while batch.len() < BATCH_BYTES
            && let Some(Some(body)) = outbox.next().now_or_never()
        {
            frame(&mut batch, &body);
        }
        output.write_all(&batch).await?;
        output.flush().await?;
    }
    Ok(())
}

impl<Q: Stream<Item = Request> + Unpin> Outbox<Q> {
    async fn next(&mut self) -> Option<Vec<u8>> {
        // Biased: messages that a handler sent before it answered are in `requests` by the time the answer is in
        // `answers`. Requests are taken one at a time as they are written, so a slow client slows the handlers down.
        let body = tokio::select! {
            biased;
            Some(request) = self.requests.next() => serde_json::to_vec(&request),
            answer = self.answers.recv() => serde_json::to_vec(&answer?),
        };
        Some(body.expect("JSON values have string keys only"))
    }
}

fn frame(batch: &mut Vec<u8>, body: &[u8]) {
    batch.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    batch.extend_from_slice(body);
}
