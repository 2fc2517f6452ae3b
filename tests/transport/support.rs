//! A server with handlers of every temper, and a client that knows them.

use std::ops::{Deref, DerefMut};
use std::sync::mpsc as blocking;
use std::sync::{Arc, Mutex};

use briefing::lsp::transport::Exit;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use crate::client;
pub use crate::client::{DEADLINE, PIPE_BYTES};

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

/// A client of that server.
pub struct Client {
    client: client::Client,
    release: Option<blocking::Sender<()>>,
    signs: Arc<Signs>,
}

impl Deref for Client {
    type Target = client::Client;

    fn deref(&self) -> &client::Client {
        &self.client
    }
}

impl DerefMut for Client {
    fn deref_mut(&mut self) -> &mut client::Client {
        &mut self.client
    }
}

impl Client {
    /// A client whose server knows nothing of it yet.
    pub fn new() -> Client {
        let (release, held) = blocking::channel();
        let signs = Arc::<Signs>::default();
        let client = client::Client::of(service_with(held, signs.clone()));
        Client { client, release: Some(release), signs }
    }

    /// A client of a server that waits for no request that pends.
    pub async fn impatient() -> Client {
        let (release, held) = blocking::channel();
        let signs = Arc::<Signs>::default();
        let client = client::Client::of_impatient(service_with(held, signs.clone()));
        Client { client, release: Some(release), signs }.begun().await
    }

    /// A client that has been through `initialize`.
    pub async fn initialized() -> Client {
        Client::new().begun().await
    }

    async fn begun(self) -> Client {
        let mut client = self;
        client.ask(0, "initialize", json!({"capabilities": {}})).await;
        assert_eq!(client.read().await, json!({"jsonrpc": "2.0", "id": 0, "result": {"capabilities": {}}}));
        client
    }

    pub async fn change(&mut self, text: &str) {
        let document = json!({"uri": "file:///a", "version": 1});
        self.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": text}]}))
            .await;
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

    /// See [`client::Client::vanish`].
    pub async fn vanish(self) -> Exit {
        self.client.vanish().await
    }

    /// See [`client::Client::ignore`].
    pub async fn ignore(self) -> Exit {
        self.client.ignore().await
    }

    /// See [`client::Client::end`].
    pub async fn end(self) -> Exit {
        self.client.end().await
    }

    /// See [`client::Client::leave`].
    pub async fn leave(self) {
        self.client.leave().await;
    }
}
