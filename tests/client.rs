//! A client on the other end of a pipe, which notices each message it did not read.

use std::collections::VecDeque;
use std::time::Duration;

use briefing::lsp::transport::{Exit, serve, serve_within};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower_lsp::{ClientSocket, LanguageServer, LspService};

/// How long anything may take before the test fails; nothing waits this long when it works.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// What the pipe to the server holds before the client has to wait, in bytes.
pub const PIPE_BYTES: usize = 64 << 10;

/// Tests that run beside a server of their own.
macro_rules! tests {
    ($($(#[$attribute:meta])* async fn $name:ident() $body:block)+) => {
        $($(#[$attribute])* #[tokio::test(flavor = "multi_thread", worker_threads = 2)] async fn $name() $body)+
    };
}
pub(crate) use tests;

/// The other end of the pipe.
pub struct Client {
    input: Option<WriteHalf<DuplexStream>>,
    output: ReadHalf<DuplexStream>,
    arrived: Vec<u8>,
    /// What the server announced meanwhile: that comes once things have settled, whatever else is said.
    announced: VecDeque<Value>,
    served: JoinHandle<Exit>,
}

impl Client {
    /// A client whose server knows nothing of it yet.
    pub fn of<S: LanguageServer>((service, socket): (LspService<S>, ClientSocket)) -> Client {
        let (ours, theirs) = duplex(PIPE_BYTES);
        let (input, output) = split(theirs);
        Client::over(ours, tokio::spawn(serve(input, output, service, socket)))
    }

    /// A client whose server waits for no request that pends.
    pub fn of_impatient<S: LanguageServer>((service, socket): (LspService<S>, ClientSocket)) -> Client {
        let (ours, theirs) = duplex(PIPE_BYTES);
        let (input, output) = split(theirs);
        Client::over(ours, tokio::spawn(serve_within(Duration::ZERO, input, output, service, socket)))
    }

    fn over(ours: DuplexStream, served: JoinHandle<Exit>) -> Client {
        let (output, input) = split(ours);
        Client { input: Some(input), output, arrived: Vec::new(), announced: VecDeque::new(), served }
    }

    pub async fn bytes(&mut self, bytes: impl AsRef<[u8]>) {
        let input = self.input.as_mut().expect("not yet closed");
        timeout(DEADLINE, input.write_all(bytes.as_ref())).await.expect("server reads").expect("pipe is open");
    }

    pub async fn body(&mut self, body: impl AsRef<[u8]>) {
        self.bytes(framed(body)).await;
    }

    pub async fn ask(&mut self, id: impl Into<Value>, method: &str, params: impl Into<Option<Value>>) {
        let id: Value = id.into();
        self.body(message(json!({"jsonrpc": "2.0", "id": id, "method": method}), params.into())).await;
    }

    pub async fn tell(&mut self, method: &str, params: impl Into<Option<Value>>) {
        self.body(message(json!({"jsonrpc": "2.0", "method": method}), params.into())).await;
    }

    /// The next message from the server, announcements put aside.
    pub async fn read(&mut self) -> Value {
        loop {
            let message = self.next().await;
            if !is_announcement(&message) {
                return message;
            }
            self.announced.push_back(message);
        }
    }

    /// The next announcement, and what was said before it came.
    pub async fn announcement(&mut self) -> (Value, Vec<Value>) {
        let mut before = Vec::new();
        if let Some(announced) = self.announced.pop_front() {
            return (announced, before);
        }
        loop {
            let message = self.next().await;
            if is_announcement(&message) {
                return (message, before);
            }
            before.push(message);
        }
    }

    async fn next(&mut self) -> Value {
        loop {
            if let Some(message) = take(&mut self.arrived) {
                return message;
            }
            let count = timeout(DEADLINE, self.output.read_buf(&mut self.arrived)).await.expect("an answer in time");
            assert!(count.expect("pipe is open") > 0, "the server left");
        }
    }

    pub async fn expect_result(&mut self, id: impl Into<Value>, result: impl Into<Value>) {
        let (id, result): (Value, Value) = (id.into(), result.into());
        assert_eq!(self.read().await, json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    /// Reads an error with this id and code, and returns its message.
    pub async fn expect_error(&mut self, id: impl Into<Value>, code: i64) -> String {
        let id: Value = id.into();
        let answer = self.read().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
        answer["error"]["message"].as_str().expect("errors have a message").to_owned()
    }

    pub fn close_input(&mut self) {
        // A half of a duplex pipe closes only when told to.
        let mut input = self.input.take().expect("closed once");
        tokio::spawn(async move { input.shutdown().await });
    }

    /// Stops reading and writing altogether.
    pub async fn vanish(self) -> Exit {
        drop((self.input, self.output));
        timeout(DEADLINE, self.served).await.expect("it ends in time").expect("serve does not panic")
    }

    /// Keeps the pipe open and reads nothing until the server is gone.
    pub async fn ignore(self) -> Exit {
        timeout(DEADLINE, self.served).await.expect("it ends in time").expect("serve does not panic")
    }

    /// Waits for the end. A message nobody has read fails the test.
    pub async fn end(mut self) -> Exit {
        let rest = timeout(DEADLINE, async {
            while self.output.read_buf(&mut self.arrived).await.expect("pipe is open") > 0 {}
        });
        let exit = timeout(DEADLINE, &mut self.served).await.expect("it ends in time").expect("serve does not panic");
        rest.await.expect("the output is closed");
        let mut unread = VecDeque::new();
        while let Some(message) = take(&mut self.arrived) {
            if !is_announcement(&message) {
                unread.push_back(message);
            }
        }
        assert!(unread.is_empty() && self.arrived.is_empty(), "unread: {unread:?}");
        exit
    }

    /// Leaves as LSP wants it.
    pub async fn leave(mut self) {
        self.ask("bye", "shutdown", None).await;
        self.expect_result("bye", Value::Null).await;
        self.tell("exit", None).await;
        assert_eq!(self.end().await.code(), 0);
    }
}

fn is_announcement(message: &Value) -> bool {
    message["method"] == "briefing/didChangeInstructions"
}

/// Takes the first message out of `arrived`, if all of it is there.
pub fn take(arrived: &mut Vec<u8>) -> Option<Value> {
    let end = arrived.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let header = std::str::from_utf8(&arrived[..end]).expect("a header is ASCII");
    let length: usize = header.strip_prefix("Content-Length: ").expect("only frames").parse().expect("a number");
    let body = arrived.get(end + 4..end + 4 + length)?;
    let message = serde_json::from_slice(body).expect("a body is JSON");
    arrived.drain(..end + 4 + length);
    Some(message)
}

/// A body as a frame.
pub fn framed(body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// A message as a body.
pub fn message(mut message: Value, params: Option<Value>) -> String {
    if let Some(params) = params {
        message["params"] = params;
    }
    message.to_string()
}
