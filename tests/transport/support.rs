//! A server with handlers of every temper, and a client that notices each message it did not read.

use std::collections::VecDeque;
use std::sync::mpsc as blocking;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use briefing::server::transport::{Exit, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;
use tower_lsp::{ClientSocket, LanguageServer, LspService};

/// How long anything may take before the test fails; nothing waits this long when it works.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// What the pipe to the server holds before the client has to wait, in bytes.
pub const PIPE_BYTES: usize = 64 << 10;

pub struct Server {
    client: tower_lsp::Client,
    text: Mutex<String>,
    gate: Semaphore,
    held: Mutex<Option<blocking::Receiver<()>>>,
    signs: Arc<Signs>,
}

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        match params.initialization_options.as_ref().and_then(Value::as_str) {
            Some("fail") => return Err(Error::internal_error()),
            Some("panic") => panic!("not today"),
            Some("wait") => self.gate.acquire().await.expect("never closed").forget(),
            Some("speak") => {
                for _ in 0..3 {
                    self.client.log_message(MessageType::LOG, "hello").await;
                }
            }
            _ => {}
        }
        Ok(InitializeResult::default())
    }

    async fn initialized(&self, _: InitializedParams) {
        self.text.lock().unwrap().push_str("initialized");
    }

    async fn did_change(&self, mut params: DidChangeTextDocumentParams) {
        *self.text.lock().unwrap() = params.content_changes.remove(0).text;
        tokio::task::yield_now().await;
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }
}

impl Server {
    /// The text as it is when the request arrives.
    async fn text(&self) -> Result<String> {
        let text = self.text.lock().unwrap().clone();
        tokio::task::yield_now().await;
        Ok(text)
    }

    /// Answers after a `test/release`.
    async fn slow(&self) -> Result<&'static str> {
        let _ends = SlowEnds(self.signs.clone());
        self.gate.acquire().await.expect("never closed").forget();
        Ok("slow")
    }

    async fn release(&self) {
        self.gate.add_permits(1);
    }

    /// Blocks the dispatcher itself, as no handler should, until the test lets go.
    async fn hold(&self) -> Result<&'static str> {
        let held = self.held.lock().unwrap().take().expect("held once only");
        self.signs.held.add_permits(1);
        let _ = held.recv();
        Ok("held")
    }

    async fn panics(&self) -> Result<()> {
        panic!("at once")
    }

    async fn panics_later(&self) -> Result<()> {
        tokio::task::yield_now().await;
        panic!("after {} await", 1)
    }

    async fn panics_unanswered(&self) {
        panic!("in a notification")
    }

    async fn needs_a_number(&self, number: i32) -> Result<i32> {
        Ok(number)
    }

    /// Asks the client, then answers with what it said.
    async fn ask(&self) -> Result<Vec<Value>> {
        let item = ConfigurationItem { scope_uri: None, section: Some("test".into()) };
        self.client.configuration(vec![item]).await
    }

    /// Says ten things before it answers.
    async fn say(&self) -> Result<()> {
        for count in 0..10 {
            self.client.log_message(MessageType::LOG, count).await;
        }
        Ok(())
    }

    /// A large answer.
    async fn large(&self) -> Result<String> {
        Ok("x".repeat(4 * PIPE_BYTES))
    }
}

/// What a test can wait for without sleeping.
struct Signs {
    slow_ended: Semaphore,
    held: Semaphore,
}

impl Default for Signs {
    fn default() -> Signs {
        Signs { slow_ended: Semaphore::new(0), held: Semaphore::new(0) }
    }
}

struct SlowEnds(Arc<Signs>);

impl Drop for SlowEnds {
    fn drop(&mut self) {
        self.0.slow_ended.add_permits(1);
    }
}

/// The service and its socket, for a test that brings its own pipes.
pub fn service() -> (LspService<Server>, ClientSocket) {
    service_with(blocking::channel().1, Arc::default())
}

fn service_with(held: blocking::Receiver<()>, signs: Arc<Signs>) -> (LspService<Server>, ClientSocket) {
    LspService::build(|client| Server {
        client,
        text: Mutex::default(),
        gate: Semaphore::new(0),
        held: Mutex::new(Some(held)),
        signs,
    })
    .custom_method("test/text", Server::text)
    .custom_method("test/slow", Server::slow)
    .custom_method("test/release", Server::release)
    .custom_method("test/hold", Server::hold)
    .custom_method("test/panics", Server::panics)
    .custom_method("test/panicsLater", Server::panics_later)
    .custom_method("test/panicsUnanswered", Server::panics_unanswered)
    .custom_method("test/needsANumber", Server::needs_a_number)
    .custom_method("test/ask", Server::ask)
    .custom_method("test/say", Server::say)
    .custom_method("test/large", Server::large)
    .finish()
}

/// The other end of the pipe.
pub struct Client {
    input: Option<WriteHalf<DuplexStream>>,
    output: ReadHalf<DuplexStream>,
    arrived: Vec<u8>,
    served: JoinHandle<Exit>,
    release: Option<blocking::Sender<()>>,
    signs: Arc<Signs>,
}

impl Client {
    /// A client whose server knows nothing of it yet.
    pub fn new() -> Client {
        let (ours, theirs) = duplex(PIPE_BYTES);
        let (output, input) = split(ours);
        let (server_input, server_output) = split(theirs);
        let (release, held) = blocking::channel();
        let signs = Arc::<Signs>::default();
        let (service, socket) = service_with(held, signs.clone());
        let served = tokio::spawn(serve(server_input, server_output, service, socket));
        Client { input: Some(input), output, arrived: Vec::new(), served, release: Some(release), signs }
    }

    /// A client that has been through `initialize`.
    pub async fn initialized() -> Client {
        let mut client = Client::new();
        client.ask(0, "initialize", json!({"capabilities": {}})).await;
        assert_eq!(client.read().await, json!({"jsonrpc": "2.0", "id": 0, "result": {"capabilities": {}}}));
        client
    }

    pub async fn bytes(&mut self, bytes: impl AsRef<[u8]>) {
        let input = self.input.as_mut().expect("not yet closed");
        timeout(DEADLINE, input.write_all(bytes.as_ref())).await.expect("server reads").expect("pipe is open");
    }

    pub async fn body(&mut self, body: impl AsRef<[u8]>) {
        let body = body.as_ref();
        let header = format!("Content-Length: {}\r\n\r\n", body.len());
        self.bytes([header.as_bytes(), body].concat()).await;
    }

    pub async fn ask(&mut self, id: impl Into<Value>, method: &str, params: impl Into<Option<Value>>) {
        let id: Value = id.into();
        self.body(message(json!({"jsonrpc": "2.0", "id": id, "method": method}), params.into())).await;
    }

    pub async fn tell(&mut self, method: &str, params: impl Into<Option<Value>>) {
        self.body(message(json!({"jsonrpc": "2.0", "method": method}), params.into())).await;
    }

    pub async fn change(&mut self, text: &str) {
        let document = json!({"uri": "file:///a", "version": 1});
        self.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": text}]}))
            .await;
    }

    /// The next message from the server.
    pub async fn read(&mut self) -> Value {
        loop {
            if let Some(message) = self.take() {
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

    /// That the server is still there and has answered all that was asked before.
    pub async fn is_served(&mut self) {
        self.ask("served?", "test/needsANumber", json!(7)).await;
        self.expect_result("served?", 7).await;
    }

    /// Waits until `test/hold` blocks the dispatcher.
    pub async fn is_held(&self) {
        timeout(DEADLINE, self.signs.held.acquire()).await.expect("it holds in time").expect("never closed").forget();
    }

    /// Lets `test/hold` go on.
    pub fn release_held(&mut self) {
        self.release = None;
    }

    /// Waits until a `test/slow` no longer runs.
    pub async fn slow_has_ended(&mut self) {
        timeout(DEADLINE, self.signs.slow_ended.acquire())
            .await
            .expect("it ends in time")
            .expect("never closed")
            .forget();
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
        while let Some(message) = self.take() {
            unread.push_back(message);
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

    fn take(&mut self) -> Option<Value> {
        let end = self.arrived.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
        let header = std::str::from_utf8(&self.arrived[..end]).expect("a header is ASCII");
        let length: usize = header.strip_prefix("Content-Length: ").expect("only frames").parse().expect("a number");
        let body = self.arrived.get(end + 4..end + 4 + length)?;
        let message = serde_json::from_slice(body).expect("a body is JSON");
        self.arrived.drain(..end + 4 + length);
        Some(message)
    }
}

fn message(mut message: Value, params: Option<Value>) -> String {
    if let Some(params) = params {
        message["params"] = params;
    }
    message.to_string()
}
