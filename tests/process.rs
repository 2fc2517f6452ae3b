//! The real binary: bursts, broken messages, panics, slow requests, and every way to leave.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{DEADLINE, framed, message, take};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const INVALID_PARAMS: i64 = -32602;
const METHOD_NOT_FOUND: i64 = -32601;
const CANCELLED: i64 = -32800;

/// `briefing lsp` in a scratch workspace with a scratch home.
struct Server {
    process: Child,
    messages: Receiver<Value>,
    scratch: TempDir,
}

impl Server {
    fn start() -> Server {
        let scratch = TempDir::new().expect("a scratch directory");
        for dir in ["home", "project/.git"] {
            std::fs::create_dir_all(scratch.path().join(dir)).expect("a directory");
        }
        let mut process = Command::new(env!("CARGO_BIN_EXE_briefing"))
            .args(["lsp", "--stdio"])
            .current_dir(scratch.path())
            .env_clear()
            .env("HOME", scratch.path().join("home"))
            .env("BRIEFING_LOG", "error")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut output = process.stdout.take().expect("piped");
        let (arrived, messages) = channel();
        std::thread::spawn(move || {
            let (mut bytes, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                bytes.extend_from_slice(&buffer[..count]);
                while let Some(message) = take(&mut bytes) {
                    if arrived.send(message).is_err() {
                        return;
                    }
                }
            }
            assert!(bytes.is_empty(), "half a message at the end");
        });
        Server { process, messages, scratch }
    }

    fn initialized() -> Server {
        let mut server = Server::start();
        server.initialize(json!(null));
        server
    }

    fn initialize(&mut self, process: Value) {
        let folder = json!({"uri": self.uri("project"), "name": "project"});
        self.ask(0, "initialize", json!({"capabilities": {}, "processId": process, "workspaceFolders": [folder]}));
        assert_eq!(self.read()["result"]["serverInfo"]["name"], "briefing");
        self.tell("initialized", json!({}));
    }

    fn path(&self, inside: &str) -> std::path::PathBuf {
        self.scratch.path().join(inside)
    }

    fn uri(&self, inside: &str) -> String {
        format!("file://{}", self.path(inside).display())
    }

    fn bytes(&mut self, bytes: impl AsRef<[u8]>) {
        let input = self.process.stdin.as_mut().expect("not closed");
        input.write_all(bytes.as_ref()).and_then(|()| input.flush()).expect("the server reads");
    }

    fn ask(&mut self, id: impl Into<Value>, method: &str, params: impl Into<Option<Value>>) {
        let (id, params): (Value, Option<Value>) = (id.into(), params.into());
        self.bytes(framed(message(json!({"jsonrpc": "2.0", "id": id, "method": method}), params)));
    }

    fn tell(&mut self, method: &str, params: impl Into<Option<Value>>) {
        self.bytes(framed(message(json!({"jsonrpc": "2.0", "method": method}), params.into())));
    }

    /// The next message that is no diagnostics.
    fn read(&mut self) -> Value {
        loop {
            let message = self.messages.recv_timeout(DEADLINE).expect("a message in time");
            if !["textDocument/publishDiagnostics", "briefing/didChangeInstructions"]
                .iter()
                .any(|by| message["method"] == *by)
            {
                return message;
            }
        }
    }

    fn expect_error(&mut self, id: impl Into<Value>, code: i64) -> Value {
        let (answer, id): (Value, Value) = (self.read(), id.into());
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
        answer
    }

    fn open(&mut self, text: &str) {
        let document =
            json!({"uri": self.uri("project/AGENTS.md"), "languageId": "markdown", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn ask_text(&mut self, id: &str) {
        self.ask(id, "briefing/effectiveInstructions", json!({"harness": "codex", "include": ["text"]}));
    }

    /// That the server still answers, and all that was asked before has been answered.
    fn is_served(&mut self) -> String {
        self.ask_text("served?");
        text_of(&self.read(), "served?")
    }

    fn close_input(&mut self) {
        drop(self.process.stdin.take());
    }

    fn exit(mut self) -> ExitStatus {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.process.try_wait().expect("our own child") {
                break status;
            }
            assert!(started.elapsed() < DEADLINE, "it does not exit");
            std::thread::yield_now();
        };
        let unread: Vec<Value> = self.messages.iter().filter(|message| message.get("id").is_some()).collect();
        assert!(unread.is_empty(), "unread: {unread:?}");
        status
    }

    fn leave(mut self) {
        self.ask("bye", "shutdown", None);
        assert_eq!(self.read(), json!({"jsonrpc": "2.0", "id": "bye", "result": null}));
        self.tell("exit", None);
        assert_eq!(self.exit().code(), Some(0));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Only a failed test leaves it running.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn text_of(answer: &Value, id: &str) -> String {
    assert_eq!(answer["id"], id, "{answer}");
    let messages = answer["result"]["briefings"][0]["messages"].as_array().expect("an answer with messages");
    messages.iter().filter(|message| message.get("kind").is_none()).map(|message| message["text"].to_string()).collect()
}

// Order.
#[test]
fn a_request_after_a_burst_of_300_changes_is_never_stale() {
    let mut server = Server::initialized();
    server.open("0");
    let document = server.uri("project/AGENTS.md");
    for burst in 1..=5 {
        for count in 1..=300 {
            server.tell(
                "textDocument/didChange",
                json!({
                    "textDocument": {"uri": document, "version": burst * 1000 + count},
                    "contentChanges": [{"text": format!("Change {burst}-{count}.")}],
                }),
            );
        }
        let text = server.is_served();
        assert!(text.contains(&format!("Change {burst}-300.")), "{text}");
    }
    server.leave();
}

/// A question that takes long without waiting for anything but the disk: hundreds of names in every directory.
fn slow(server: &Server, id: i64) -> Value {
    let names: Vec<String> = (0..400).map(|count| format!("{id}-{count}.md")).collect();
    let mut cwd = server.uri("project");
    for depth in 0..12 {
        cwd += &format!("/{depth}");
    }
    std::fs::create_dir_all(Path::new(cwd.strip_prefix("file://").expect("a file"))).expect("directories");
    let config = format!("project_doc_fallback_filenames={}", json!(names));
    json!({"harness": "codex", "cwd": cwd, "options": {"codex": {"config": [config]}}})
}

#[test]
fn a_cheap_request_does_not_wait_for_five_slow_ones() {
    let mut server = Server::initialized();
    server.open("Rules.");
    server.is_served();
    for id in 1..=5 {
        let question = slow(&server, id);
        server.ask(id, "briefing/effectiveInstructions", question);
    }
    assert!(server.is_served().contains("Rules."));
    let mut answered: Vec<i64> = (1..=5).map(|_| server.read()["id"].as_i64().expect("an id")).collect();
    answered.sort_unstable();
    assert_eq!(answered, [1, 2, 3, 4, 5]);
    server.leave();
}

#[test]
fn a_cancel_takes_effect_while_others_run() {
    let mut server = Server::initialized();
    for id in 1..=5 {
        let question = slow(&server, id);
        server.ask(id, "briefing/effectiveInstructions", question);
    }
    for id in 1..=5 {
        server.tell("$/cancelRequest", json!({"id": id}));
        server.expect_error(id, CANCELLED);
    }
    server.is_served();
    server.leave();
}

// Broken messages.
#[test]
fn broken_messages_are_refused_and_the_session_goes_on() {
    let mut server = Server::initialized();
    for body in ["{\"jsonrpc\":", "nonsense", "", "\u{feff}{}"] {
        server.bytes(framed(body));
        server.expect_error(Value::Null, PARSE_ERROR);
        server.is_served();
    }
    for length in [10, 1000] {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"briefing/harnesses"}"#;
        server.bytes(format!("Content-Length: {length}\r\n\r\n{body}"));
        server.ask_text("next");
        server.expect_error(Value::Null, PARSE_ERROR);
        text_of(&server.read(), "next");
    }
    server.bytes(framed(r#"[{"jsonrpc":"2.0","id":1,"method":"briefing/harnesses"}]"#));
    server.expect_error(Value::Null, INVALID_REQUEST);
    server.leave();
}

#[test]
fn headers_may_be_lower_case() {
    let mut server = Server::initialized();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"briefing/status"}"#;
    server.bytes(format!("content-length: {}\r\n\r\n{body}", body.len()));
    assert_eq!(server.read()["result"]["server"], env!("CARGO_PKG_VERSION"));
    server.leave();
}

#[test]
fn a_lone_surrogate_is_a_replacement_character() {
    let mut server = Server::initialized();
    server.open("SURROGATE");
    let document = json!({"uri": server.uri("project/AGENTS.md"), "version": 2});
    let change = json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
        "textDocument": document, "contentChanges": [{"text": "half SURROGATE here"}],
    }});
    server.bytes(framed(change.to_string().replace("SURROGATE", r"\uD83D")));
    let text = server.is_served();
    assert!(text.contains("half \u{fffd} here"), "{text}");
    server.leave();
}

#[test]
fn bad_parameters_and_unknown_methods_are_errors() {
    let mut server = Server::initialized();
    server.ask(1, "briefing/effectiveInstructions", json!({"textDocument": 5}));
    server.expect_error(1, INVALID_PARAMS);
    server.ask(2, "textDocument/hover", None);
    server.expect_error(2, INVALID_PARAMS);
    server.ask(3, "briefing/nothing", json!({}));
    server.expect_error(3, METHOD_NOT_FOUND);
    server.tell("textDocument/didChange", json!("nonsense"));
    server.is_served();
    server.leave();
}

/// Release builds have no method that panics; `tests/transport.rs` shows the same on a server of its own.
#[cfg(debug_assertions)]
#[test]
fn a_panic_in_a_handler_is_an_answer() {
    let mut server = Server::initialized();
    server.open("Rules.");
    for _ in 0..3 {
        server.ask(1, briefing::lsp::PANIC, None);
        let answer = server.expect_error(1, -32603);
        assert!(answer["error"]["message"].as_str().is_some_and(|words| words.contains("on purpose")), "{answer}");
        assert!(server.is_served().contains("Rules."), "its lock is not lost");
    }
    server.leave();
}

// Ways to leave.
#[test]
fn shutdown_takes_null() {
    for params in [Some(Value::Null), Some(json!({})), None] {
        let mut server = Server::initialized();
        server.ask(1, "shutdown", params.clone());
        assert_eq!(server.read(), json!({"jsonrpc": "2.0", "id": 1, "result": null}));
        server.tell("exit", params);
        assert_eq!(server.exit().code(), Some(0));
    }
}

#[test]
fn exit_without_shutdown_is_code_1() {
    let mut server = Server::initialized();
    server.tell("exit", None);
    assert_eq!(server.exit().code(), Some(1));
}

#[test]
fn the_end_of_input_ends_the_process() {
    let mut server = Server::initialized();
    server.close_input();
    assert_eq!(server.exit().code(), Some(1));

    let mut server = Server::initialized();
    server.ask(1, "shutdown", None);
    server.read();
    server.close_input();
    assert_eq!(server.exit().code(), Some(0));

    let mut server = Server::start();
    server.close_input();
    assert_eq!(server.exit().code(), Some(1));
}

#[test]
fn what_was_asked_before_the_end_of_input_is_answered() {
    let mut server = Server::initialized();
    server.open("Rules.");
    server.ask_text("last");
    server.close_input();
    let answer = server.read();
    assert!(text_of(&answer, "last").contains("Rules."));
    assert_eq!(server.exit().code(), Some(1));
}

#[cfg(unix)]
#[test]
fn the_process_ends_with_that_of_the_client() {
    let mut client = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("cat runs");
    let mut server = Server::start();
    server.initialize(json!(client.id()));
    server.is_served();
    client.kill().expect("it runs");
    client.wait().expect("it was ours");
    assert_eq!(server.exit().code(), Some(1));
}

#[test]
fn the_process_ends_under_load_too() {
    let mut server = Server::initialized();
    for id in 1..=5 {
        let question = slow(&server, id);
        server.ask(id, "briefing/effectiveInstructions", question);
    }
    server.ask("bye", "shutdown", None);
    server.tell("exit", None);
    let mut answers: Vec<Value> = (1..=6).map(|_| server.read()).collect();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!(answers[0], json!({"jsonrpc": "2.0", "id": "bye", "result": null}));
    for answer in &answers[1..] {
        assert_eq!(answer["error"]["code"], CANCELLED, "{answer}");
    }
    assert_eq!(server.exit().code(), Some(0));
}
