//! `briefing mcp` as a process: how it starts, what it does with nonsense, how it ends. `tests/doors` asks it with the official
//! clients.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::client::DEADLINE;
use crate::place::Place;

struct Session {
    process: Child,
    lines: Receiver<Value>,
}

impl Session {
    fn start(place: &Place, arguments: &[&str]) -> Session {
        let arguments: Vec<&str> = ["mcp", "--harness", "codex"].iter().chain(arguments).copied().collect();
        let mut command = place.command("project", &arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("it starts");
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let (heard, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).expect("standard output is the client's alone");
                if heard.send(message).is_err() {
                    return;
                }
            }
        });
        Session { process, lines }
    }

    fn write(&mut self, line: &str) {
        let input = self.process.stdin.as_mut().expect("it is open");
        writeln!(input, "{line}").expect("somebody reads");
    }

    fn ask(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        let answer = std::iter::from_fn(|| self.lines.recv_timeout(DEADLINE).ok()).find(|message| message["id"] == id);
        answer.expect("an answer")
    }

    fn begin(&mut self) -> Value {
        let client = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let answer = self.ask(1, "initialize", &hello);
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        answer
    }

    fn end(mut self) -> Option<i32> {
        drop(self.process.stdin.take());
        self.process.wait().expect("it ends").code()
    }
}

fn project() -> Place {
    Place::new(&[("project/.git/HEAD", "ref: refs/heads/main\n"), ("project/AGENTS.md", "Root rules.\n")])
}

#[test]
fn a_session_survives_nonsense_and_ends_with_its_client() {
    let place = project();
    let mut session = Session::start(&place, &[]);
    assert_eq!(session.begin()["result"]["serverInfo"]["name"], "briefing");
    for nonsense in ["", "{", "not JSON", "[]", "{\"jsonrpc\": \"2.0\", \"method\": 3}", "\u{1}"] {
        session.write(nonsense);
    }
    let unknown = session.ask(2, "tools/nothing", &json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let call = json!({"name": "effective_instructions", "arguments": {"include": ["text"]}});
    let answer = session.ask(3, "tools/call", &call);
    let result = &answer["result"];
    let text = result["structuredContent"]["briefings"][0]["messages"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("Root rules."), "{answer}");
    // Clients that know no structured content get the same as text.
    let same: Value = serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(same, result["structuredContent"]);
    assert_eq!(session.end(), Some(0));
}

#[test]
fn who_says_nothing_is_no_trouble_and_a_workspace_that_is_not_there_is_said() {
    let place = project();
    assert_eq!(Session::start(&place, &[]).end(), Some(0));
    for (arguments, problem) in [
        (&["mcp", "--cwd", "gone"][..], "--cwd: there is no directory gone"),
        (&["mcp", "--harness", "claud"], "--harness: "),
    ] {
        let output = place.run("project", arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(problem), "{arguments:?}");
    }
}
