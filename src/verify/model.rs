//! A model on the loopback interface that plays a script: it has the client call its tools, and keeps what it is sent.

use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::process::Event;

mod chat;
mod gemini;
mod messages;
mod responses;

/// A call of one of the client's tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The tool, as the client names it.
    pub name: &'static str,
    /// Its arguments.
    pub arguments: Value,
}

/// Next output of the model.
enum Turn<'a> {
    /// The client is to do something first: the number of the call, and the call.
    Call(usize, &'a Call),
    /// There is nothing more to say.
    End,
}

/// Facts that a protocol module extracts from a request.
struct Exchange {
    /// True if the request belongs to the session; requests for titles and summaries do not.
    of_session: bool,
    /// Number of tool results in the request.
    results: usize,
}

/// Body of an HTTP response, with its content type.
struct Reply {
    kind: &'static str,
    body: String,
}

impl Reply {
    fn json(value: &Value) -> Reply {
        Reply { kind: "application/json", body: value.to_string() }
    }

    fn events(body: String) -> Reply {
        Reply { kind: "text/event-stream", body }
    }
}

/// A listening model; dropping it ends its thread.
pub struct Model {
    /// Port on the loopback interface.
    pub port: u16,
    shared: Arc<Shared>,
    /// Ends the thread when it is dropped.
    _alive: oneshot::Sender<()>,
}

struct Shared {
    calls: Vec<Call>,
    heard: Mutex<Heard>,
    events: Sender<Event>,
}

/// Requests that a model has received.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// The bodies of the session's requests, in order.
    pub requests: Vec<Value>,
    /// Requests that match none of the protocols.
    pub strange: Vec<String>,
}

impl Model {
    /// Starts listening. Sends `Event::Sent` for a request that shows that every call of the script was made.
    pub fn start(calls: Vec<Call>, events: Sender<Event>) -> io::Result<Model> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared { calls, heard: Mutex::default(), events });
        let (alive, ended) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let of_thread = Arc::clone(&shared);
        std::thread::Builder::new().name("model".to_owned()).spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                tokio::select! {
                    () = accept(listener, of_thread) => {}
                    _ = ended => {}
                }
            });
        })?;
        Ok(Model { port, shared, _alive: alive })
    }

    /// Returns the requests received so far.
    pub fn heard(&self) -> Heard {
        self.shared.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let shared = Arc::clone(&shared);
        let service = service_fn(move |request| answer(Arc::clone(&shared), request));
        // The client may go away in the middle of an answer.
        tokio::spawn(async move {
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(shared: Arc<Shared>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path().to_owned();
    let is_asking = request.method() == Method::POST;
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let reply = if is_asking { shared.reply(&path, &body) } else { nothing() };
    let response = Response::builder().header("content-type", reply.kind).body(Full::new(Bytes::from(reply.body)));
    Ok(response.unwrap_or_default())
}

/// Returns an empty list, for requests that ask the model for nothing.
fn nothing() -> Reply {
    Reply::json(&json!({ "object": "list", "data": [], "models": [] }))
}

impl Shared {
    fn reply(&self, path: &str, body: &[u8]) -> Reply {
        let Ok(body) = serde_json::from_slice::<Value>(body) else {
            return self.strange(format!("{path}, with a body that is not JSON"));
        };
        if path.ends_with("/chat/completions") {
            self.turn(&body, chat::exchange(&body), |turn| chat::reply(&body, turn))
        } else if path.ends_with("/responses") {
            self.turn(&body, responses::exchange(&body), responses::reply)
        } else if path.ends_with("/messages") {
            self.turn(&body, messages::exchange(&body), |turn| messages::reply(&body, turn))
        } else if path.contains("enerateContent") {
            self.turn(&body, gemini::exchange(&body), |turn| gemini::reply(path, &body, turn))
        } else if path.contains("ount") && path.contains("oken") {
            Reply::json(&json!({ "totalTokens": 10, "input_tokens": 10 }))
        } else {
            self.strange(path.to_owned())
        }
    }

    fn strange(&self, what: String) -> Reply {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).strange.push(what);
        nothing()
    }

    /// Stores a request of the session and replies with the next step of the script.
    fn turn(&self, body: &Value, exchange: Exchange, say: impl Fn(&Turn) -> Reply) -> Reply {
        if !exchange.of_session {
            return say(&Turn::End);
        }
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).requests.push(body.clone());
        match self.calls.get(exchange.results) {
            Some(call) => say(&Turn::Call(exchange.results, call)),
            None => {
                // The receiver is gone if the run has ended.
                let _ = self.events.send(Event::Sent);
                say(&Turn::End)
            }
        }
    }
}

/// Returns the elements of the list at `key`, or an empty slice if it is not a list.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}
