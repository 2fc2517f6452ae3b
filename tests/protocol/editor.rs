//! An editor: a client of the real server, a scratch workspace and a scratch home.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use briefing::answer::Surroundings;
use briefing::engine::Date;
use briefing::lsp::convert;
use briefing::lsp::service_on;
use briefing::request::Defaults;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, DEADLINE};

pub struct Editor {
    client: Client,
    /// Notifications and requests of the server that nobody has looked at yet.
    said: Vec<Value>,
    last_id: i64,
    scratch: Arc<TempDir>,
}

/// What is asked of Codex about the start of a session in the workspace, texts included.
pub fn codex() -> Value {
    json!({"harness": "codex", "include": ["text"]})
}

impl Editor {
    /// An editor whose server has answered `initialize` with these additional parameters.
    pub async fn with(params: Value) -> Editor {
        let mut editor = Editor::new();
        let result = editor.initialize(params).await;
        assert_eq!(result["serverInfo"]["name"], "briefing", "{result}");
        editor.tell("initialized", json!({})).await;
        editor
    }

    /// An editor that can do everything that the server makes use of.
    pub async fn open() -> Editor {
        Editor::with(json!({"capabilities": Editor::abilities()})).await
    }

    /// An editor that has said nothing yet.
    pub fn new() -> Editor {
        Editor::on_day(|| (2026, 11, 21))
    }

    /// The same with a clock.
    pub fn on_day(today: impl Fn() -> Date + Send + Sync + 'static) -> Editor {
        let scratch = TempDir::new().expect("a scratch directory");
        let here = scratch.path();
        for dir in ["home", "project/.git", "project/src"] {
            std::fs::create_dir_all(here.join(dir)).expect("a scratch directory");
        }
        Editor::in_directory(Arc::new(scratch), today)
    }

    /// Another editor on the same files, whose server knows nothing yet.
    pub async fn another(&self) -> Editor {
        let mut editor = Editor::in_directory(self.scratch.clone(), || (2026, 11, 21));
        editor.initialize(json!({"capabilities": Editor::abilities()})).await;
        editor.tell("initialized", json!({})).await;
        editor
    }

    fn in_directory(scratch: Arc<TempDir>, today: impl Fn() -> Date + Send + Sync + 'static) -> Editor {
        let here = scratch.path();
        let defaults = Defaults {
            home: here.join("home"),
            env: Arc::new(BTreeMap::new()),
            surroundings: Surroundings {
                date: (2026, 11, 21),
                time_zone: "Etc/UTC".to_owned(),
                shell: "bash".to_owned(),
                platform: "linux".to_owned(),
            },
            enabled: vec!["codex".to_owned()],
            roster: Arc::default(),
            editor: Vec::new(),
            customs: Arc::default(),
            installed: Default::default(),
            sessions: BTreeMap::new(),
        };
        Editor { client: Client::of(service_on(defaults, today)), said: Vec::new(), last_id: 0, scratch }
    }

    pub fn abilities() -> Value {
        json!({"textDocument": {"publishDiagnostics": {
            "relatedInformation": true, "versionSupport": true, "tagSupport": {"valueSet": [1, 2]},
        }}})
    }

    pub async fn initialize(&mut self, params: Value) -> Value {
        let mut all = json!({
            "capabilities": {},
            "workspaceFolders": [{"uri": self.uri("project"), "name": "project"}],
        });
        for (name, value) in params.as_object().expect("an object") {
            all[name] = value.clone();
        }
        self.ask("initialize", all).await.expect("a result")
    }

    /// A path in the scratch directory: `home/…`, `project/…`, or another.
    pub fn path(&self, inside: &str) -> PathBuf {
        self.scratch.path().join(inside)
    }

    pub fn uri(&self, inside: &str) -> String {
        convert::uri_of(&self.path(inside)).expect("a URI").as_str().to_owned()
    }

    pub fn write(&self, inside: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(inside);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(path, bytes).expect("it is written");
    }

    pub async fn tell(&mut self, method: &str, params: Value) {
        self.client.tell(method, params).await;
    }

    pub async fn open_document(&mut self, inside: &str, text: &str) {
        let uri = self.uri(inside);
        let document = json!({"uri": uri, "languageId": "markdown", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document})).await;
    }

    /// Replaces the whole text.
    pub async fn change(&mut self, inside: &str, version: i32, text: &str) {
        self.change_by(inside, version, json!([{"text": text}])).await;
    }

    pub async fn change_by(&mut self, inside: &str, version: i32, changes: Value) {
        let document = json!({"uri": self.uri(inside), "version": version});
        self.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes})).await;
    }

    pub async fn close_document(&mut self, inside: &str) {
        let document = json!({"uri": self.uri(inside)});
        self.tell("textDocument/didClose", json!({"textDocument": document})).await;
    }

    pub async fn send(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        self.client.ask(self.last_id, method, params).await;
        self.last_id
    }

    /// A request and its result, or its error.
    pub async fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params).await;
        self.answer_to(id).await
    }

    pub async fn answer_to(&mut self, id: i64) -> Result<Value, Value> {
        loop {
            let mut message = self.client.read().await;
            if message.get("method").is_some() {
                self.said.push(message);
                continue;
            }
            assert_eq!(message["id"], id, "{message}");
            return match message.get("error") {
                Some(error) => Err(error.clone()),
                None => Ok(message["result"].take()),
            };
        }
    }

    pub async fn effective(&mut self, params: Value) -> Value {
        self.ask("briefing/effectiveInstructions", params).await.expect("an answer")
    }

    /// The text of all instruction messages that Codex gets at the start of a session in the workspace.
    pub async fn text(&mut self) -> String {
        text_of(&self.effective(codex()).await)
    }

    /// What Codex makes of a file, in a session that starts in the workspace.
    pub async fn source(&mut self, inside: &str) -> Option<Value> {
        let answer = self.effective(codex()).await;
        source_of(&answer, &self.path(inside))
    }

    /// Asks again until the text of the instructions is right.
    pub async fn until_text(&mut self, wanted: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let text = self.text().await;
            if wanted(&text) {
                return text;
            }
            assert!(started.elapsed() < DEADLINE, "it never came; last: {text:?}");
        }
    }

    /// The next message of the server that is no answer.
    pub async fn said(&mut self) -> Value {
        if self.said.is_empty() { self.client.read().await } else { self.said.remove(0) }
    }

    /// The next announcement of changed briefings.
    pub async fn announced(&mut self) -> Value {
        let (mut announced, before) = self.client.announcement().await;
        self.said.extend(before);
        announced["params"].take()
    }

    /// Reads announcements until one is as wanted.
    pub async fn until_announced(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let announced = self.announced().await;
            if wanted(&announced) {
                return announced;
            }
        }
    }

    pub async fn answer(&mut self, question: &Value, result: Value) {
        let body = json!({"jsonrpc": "2.0", "id": question["id"], "result": result});
        self.client.body(body.to_string()).await;
    }

    /// The diagnostics that come next, which must be for this document.
    pub async fn diagnostics(&mut self, inside: &str) -> Value {
        let mut message = self.said().await;
        assert_eq!(message["method"], "textDocument/publishDiagnostics", "{message}");
        assert_eq!(message["params"]["uri"], self.uri(inside), "{message}");
        message["params"].take()
    }

    /// Reads diagnostics until they are as wanted.
    pub async fn until_diagnostics(&mut self, inside: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let found = self.diagnostics(inside).await;
            if wanted(&found) {
                return found;
            }
        }
    }

    /// Reads what is still published for a document that is closed, up to the empty end.
    pub async fn until_quiet(&mut self, inside: &str) {
        // One last state, which is told from all before by its version.
        self.open_document(inside, "Last.\n").await;
        self.change(inside, 1_000_000, "Last.\n").await;
        self.until_diagnostics(inside, |found| found["version"] == 1_000_000).await;
    }

    /// Leaves. A message nobody has looked at fails the test.
    pub async fn leave(self) {
        assert!(self.said.is_empty(), "unread: {:?}", self.said);
        self.client.leave().await;
    }
}

pub fn text_of(answer: &Value) -> String {
    let messages = answer["briefings"][0]["messages"].as_array().expect("messages");
    let instructions = messages.iter().filter(|message| message.get("kind").is_none());
    instructions.map(|message| message["text"].as_str().expect("a text")).collect()
}

pub fn source_of(answer: &Value, path: &Path) -> Option<Value> {
    let sources = answer["briefings"][0]["sources"].as_array().expect("sources");
    sources.iter().find(|source| source["path"] == json!(path)).cloned()
}
