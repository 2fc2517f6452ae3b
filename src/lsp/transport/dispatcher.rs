//! Passes each message to the service in arrival order, and ensures that every request is answered exactly once.

use std::any::Any;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use futures::{FutureExt, SinkExt};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::{JoinSet, coop};
use tokio::time::{self, MissedTickBehavior};
use tower::Service;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp::{ClientSocket, ExitedError, LanguageServer, Loopback, LspService};
use tracing::{debug, error, warn};

use super::client_process::ClientProcess;
use super::incoming::{Call, Incoming};
use super::{Cause, Exit, lsp_3_18};

/// State of one session. Only one task uses it, so there is no lock.
pub struct Dispatcher<S> {
    service: LspService<S>,
    /// Sink for the client's answers to our requests.
    responses: <ClientSocket as Loopback>::ResponseSink,
    /// Sender of our answers.
    answers: mpsc::UnboundedSender<Response>,
    phase: Phase,
    /// Messages that have arrived and are not handled yet.
    inbox: VecDeque<Incoming>,
    /// Requests that are being handled: the client's id, and our number for it.
    in_flight: HashMap<Id, i32>,
    last_number: i32,
    /// Calls that are being handled; without an outcome, one took too long and was dropped.
    running: JoinSet<(Started, Option<Outcome>)>,
    client: ClientProcess,
    /// Time after which a request is given up.
    patience: Duration,
}

impl<S: LanguageServer> Dispatcher<S> {
    pub fn new(
        service: LspService<S>,
        responses: <ClientSocket as Loopback>::ResponseSink,
        answers: mpsc::UnboundedSender<Response>,
        patience: Duration,
    ) -> Dispatcher<S> {
        Dispatcher {
            service,
            responses,
            answers,
            phase: Phase::New,
            inbox: VecDeque::new(),
            in_flight: HashMap::new(),
            last_number: 0,
            running: JoinSet::new(),
            client: ClientProcess::Unknown,
            patience,
        }
    }

    /// Handles messages until the session ends.
    pub async fn dispatch(&mut self, arrivals: &mut mpsc::Receiver<Incoming>) -> Cause {
        let mut client_check = time::interval(CLIENT_CHECK);
        client_check.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            while self.inbox.len() < LOOKAHEAD
                && let Ok(message) = arrivals.try_recv()
            {
                self.admit(message);
            }
            while let Some(done) = self.running.try_join_next() {
                self.finish_task(done);
            }
            if let Some(message) = self.inbox.pop_front() {
                if let Some(cause) = self.handle(message) {
                    return cause;
                }
                coop::consume_budget().await;
                continue;
            }
            tokio::select! {
                arrival = arrivals.recv() => match arrival {
                    Some(message) => self.admit(message),
                    None => return Cause::EndOfInput,
                },
                Some(done) = self.running.join_next() => self.finish_task(done),
                () = self.answers.closed() => return Cause::EndOfOutput,
                _ = client_check.tick() => if self.client.is_gone() {
                    return Cause::ClientGone;
                },
            }
        }
    }

    /// Answers all open requests, then ends the session.
    pub async fn end(mut self, cause: Cause) -> Exit {
        if cause == Cause::EndOfInput {
            let all_answered = async {
                while !self.in_flight.is_empty()
                    && let Some(done) = self.running.join_next().await
                {
                    self.finish_task(done);
                }
            };
            if time::timeout(GRACE, all_answered).await.is_err() {
                debug!("some requests are still running at the end of input");
            }
        }
        while let Some(done) = self.running.try_join_next() {
            self.finish_task(done);
        }
        for (id, _) in std::mem::take(&mut self.in_flight) {
            self.answer(id, Err(Error::request_cancelled()));
        }
        match self.phase {
            Phase::New | Phase::Initializing | Phase::Ready => Exit::Abrupt(cause),
            Phase::ShutDown => Exit::Orderly(cause),
        }
    }
}

/// Maximum number of queued messages that are searched for a cancel before they are handled.
const LOOKAHEAD: usize = 4096;

/// Interval at which the client's process is checked.
const CLIENT_CHECK: Duration = Duration::from_secs(2);

/// Time that requests may continue after the end of input, so that `printf … | briefing` gets its answers.
const GRACE: Duration = Duration::from_secs(1);

/// Code of an answer to a request that is valid, but failed (LSP 3.17, `RequestFailed`).
const REQUEST_FAILED: i64 = -32803;

type Outcome = Result<Result<Option<Response>, ExitedError>, Box<dyn Any + Send>>;

/// Phase of the session. The service has the same state, but does not expose it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Initializing,
    Ready,
    ShutDown,
}

/// A call that the service is handling. The service gets our numbers instead of the client's ids: it can cancel only
/// ids that fit an `i32`, and it would keep the id of a request that panicked for ever.
struct Started {
    id: Option<(Id, i32)>,
    method: String,
}

impl Started {
    /// Returns true for notifications, and for requests that wait for people, for the network or for a whole workspace.
    fn has_own_bound(&self) -> bool {
        let own = ["initialize", "shutdown", "workspace/executeCommand", "workspace/diagnostic"];
        self.id.is_none() || own.contains(&self.method.as_str())
    }
}

impl<S: LanguageServer> Dispatcher<S> {
    /// Queues a message. A cancel takes effect at once instead.
    fn admit(&mut self, message: Incoming) {
        let Incoming::Cancel(id) = message else {
            self.inbox.push_back(message);
            return;
        };
        let is_it = |queued: &Incoming| matches!(queued, Incoming::Call(call) if call.id.as_ref() == Some(&id));
        if let Some(at) = self.inbox.iter().rposition(is_it) {
            self.inbox.remove(at);
            self.answer(id, Err(Error::request_cancelled()));
        } else if let Some(&number) = self.in_flight.get(&id) {
            self.cancel(number);
        }
    }

    fn handle(&mut self, message: Incoming) -> Option<Cause> {
        match message {
            Incoming::Call(call) if call.method == "exit" => return Some(Cause::ExitNotification),
            Incoming::Call(call) => self.call(call),
            Incoming::Answer(response) => {
                // The sink is a table lookup that never waits; it fails only after `exit`.
                let _ = self.responses.send(response).now_or_never();
            }
            Incoming::Invalid(id, error) => {
                warn!(%id, %error, "refused a message");
                self.answer(id, Err(error));
            }
            Incoming::Cancel(_) => unreachable!("admit never queues a cancel"),
        }
        None
    }

    fn call(&mut self, call: Call) {
        if let Err(error) = self.permit(&call) {
            match call.id {
                Some(id) => self.answer(id, Err(error)),
                None => debug!(method = call.method, %error, "ignored a notification"),
            }
            return;
        }
        match call.method.as_str() {
            "initialize" => self.phase = Phase::Initializing,
            "shutdown" => self.phase = Phase::ShutDown,
            _ => {}
        }
        self.start(call);
    }

    /// Checks LSP's rules on which messages are allowed in which phase. The service itself checks only the methods it
    /// knows.
    fn permit(&self, call: &Call) -> Result<(), Error> {
        if let Some(id) = &call.id
            && self.in_flight.contains_key(id)
        {
            return Err(invalid(format!("id {id} belongs to a request that is still running")));
        }
        match (self.phase, call.method.as_str()) {
            (Phase::New, "initialize") if call.id.is_some() => Ok(()),
            (Phase::Initializing | Phase::Ready, "initialize") => Err(invalid("initialize was sent before")),
            (Phase::New | Phase::Initializing, _) => Err(Error {
                code: ErrorCode::ServerError(-32002),
                message: "initialize has to be answered first".into(),
                data: None,
            }),
            (Phase::Ready, _) => Ok(()),
            (Phase::ShutDown, _) => Err(invalid("the server was shut down")),
        }
    }

    fn start(&mut self, call: Call) {
        if call.method == "initialize" {
            self.client = ClientProcess::from_initialize(call.params.as_ref());
        }
        let mut request = Request::build(call.method.clone());
        if let Some(params) = call.params {
            request = request.params(params);
        }
        let id = call.id.map(|id| {
            self.last_number = self.last_number.checked_add(1).unwrap_or(1);
            self.in_flight.insert(id.clone(), self.last_number);
            (id, self.last_number)
        });
        if let Some((_, number)) = id {
            request = request.id(i64::from(number));
        }
        let started = Started { id, method: call.method };
        let request = request.finish();

        // Parameters are deserialized in `call`, so `call` can panic as well as the future.
        let future = match catch_unwind(AssertUnwindSafe(|| self.service.call(request))) {
            Ok(future) => future,
            Err(panic) => return self.finish(started, Err(panic)),
        };
        let mut future = Box::pin(AssertUnwindSafe(future).catch_unwind());
        // Unconstrained, because tokio's budget could make the first await of a handler pend without a reason. The
        // waker of this poll is lost, which is harmless: `spawn` polls again.
        match coop::unconstrained(&mut future).now_or_never() {
            Some(outcome) => self.finish(started, outcome),
            None => {
                let patience = self.patience;
                self.running.spawn(async move {
                    let outcome = match started.has_own_bound() {
                        true => Some(future.await),
                        false => time::timeout(patience, future).await.ok(),
                    };
                    (started, outcome)
                });
            }
        }
    }

    fn finish_task(&mut self, done: Result<(Started, Option<Outcome>), tokio::task::JoinError>) {
        // A task catches its panics and is not aborted while we listen, so there is always a result.
        match done {
            Ok((started, Some(outcome))) => self.finish(started, outcome),
            Ok((started, None)) => self.give_up(started),
            Err(_) => {}
        }
    }

    /// Answers a request that took too long.
    fn give_up(&mut self, started: Started) {
        warn!(method = started.method, "a request took too long");
        let Some((id, number)) = started.id else { return };
        // The service still counts it as pending.
        self.cancel(number);
        self.in_flight.remove(&id);
        let message = format!("{} took more than {} s", started.method, self.patience.as_secs());
        self.answer(
            id,
            Err(Error { code: ErrorCode::ServerError(REQUEST_FAILED), message: message.into(), data: None }),
        );
    }

    fn finish(&mut self, started: Started, outcome: Outcome) {
        if let Err(panic) = &outcome {
            error!(method = started.method, message = panic_message(panic.as_ref()), "a handler panicked");
        }
        let Some((id, number)) = started.id else { return };
        let result = match outcome {
            Ok(Ok(Some(response))) if started.method == "initialize" => response.into_parts().1.map(lsp_3_18::placed),
            Ok(Ok(Some(response))) if matches!(&*started.method, "codeAction/resolve" | "textDocument/codeAction") => {
                response.into_parts().1.map(lsp_3_18::with_snippets)
            }
            Ok(Ok(Some(response))) => response.into_parts().1,
            // The service leaves unknown `$/` requests unanswered; LSP wants MethodNotFound.
            Ok(Ok(None)) => Err(Error::method_not_found()),
            Ok(Err(ExitedError { .. })) => Err(invalid("the server has exited")),
            Err(panic) => {
                // The service still counts it as pending.
                self.cancel(number);
                Err(Error {
                    code: ErrorCode::InternalError,
                    message: format!("{} panicked: {}", started.method, panic_message(panic.as_ref())).into(),
                    data: None,
                })
            }
        };
        if started.method == "initialize" && self.phase == Phase::Initializing {
            self.phase = if result.is_ok() { Phase::Ready } else { Phase::New };
        }
        self.in_flight.remove(&id);
        self.answer(id, result);
    }

    /// Makes the service drop a running request; the request itself then answers that it was cancelled.
    fn cancel(&mut self, number: i32) {
        let request = Request::build("$/cancelRequest").params(json!({ "id": number })).finish();
        let _ = self.service.call(request).now_or_never();
    }

    fn answer(&self, id: Id, result: Result<Value, Error>) {
        // Fails when the client has closed our output, which `dispatch` notices by itself.
        let _ = self.answers.send(Response::from_parts(id, result));
    }
}

fn invalid(message: impl Into<Cow<'static, str>>) -> Error {
    Error { code: ErrorCode::InvalidRequest, message: message.into(), data: None }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}
