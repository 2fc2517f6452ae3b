//! `briefing mcp` as a process: how it starts, what it does with nonsense, how it ends. `tests/doors` asks it with the
//! official clients.

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
fn why_and_check_say_who_was_asked() {
    let place = project();
    std::fs::write(place.root.join("project/CLAUDE.md"), "Other rules.\n").expect("a file");
    let mut session = Session::start(&place, &["--agents", "codex,claude-code"]);
    session.begin();
    let mut call = |name: &str, arguments: Value| {
        let answer = session.ask(2, "tools/call", &json!({"name": name, "arguments": arguments}));
        answer["result"]["structuredContent"].clone()
    };
    let why = call("why", json!({"text": "root rules"}));
    assert_eq!(
        (&why["places"][0]["line"], &why["places"][0]["harnesses"][0]["reaches"]),
        (&json!(1), &json!(true)),
        "{why}"
    );
    let near = call("why", json!({"text": "rot ruls", "harness": "codex"}));
    assert_eq!(
        (&near["near"][0]["text"], &near["near"][0]["harnesses"][0]["harness"]),
        (&json!("Root rules."), &json!("codex")),
        "{near}"
    );
    let one = call("why", json!({"text": "rules", "limit": 1}));
    assert_eq!((one["places"].as_array().map(Vec::len), &one["more"]), (Some(1), &json!(1)), "{one}");
    assert_eq!(call("check", json!({}))["judged"][0]["agent"], "codex");
}

#[test]
fn what_is_quoted_beside_a_question_has_stars_for_credentials() {
    // Put together here, so that no scanner takes this file for a leak.
    let token = ["ghp_", "q7Zp2LkV9xTfB4mWc8RsYd3HnJ6gAe5uPo1i"].concat();
    let rules = format!("- Deploy rules need the token {token} here.\n");
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", &rules),
        ("project/a/AGENTS.md", &rules.replace("Deploy", "Release")),
    ]);
    let mut session = Session::start(&place, &[]);
    session.begin();
    let mut call = |id: u64, name: &str, arguments: Value| {
        session.ask(id, "tools/call", &json!({"name": name, "arguments": arguments})).to_string()
    };
    let near = call(2, "why", json!({"text": "Deploy rules need teh tokne"}));
    assert!(near.contains("Deploy rules need the token") && !near.contains(&token), "{near}");
    let sides = json!({"left": {"cwd": "."}, "right": {"cwd": "a"}, "include": ["text"]});
    let compared = call(3, "compare", sides);
    assert!(compared.contains("Release rules need the token") && !compared.contains(&token), "{compared}");
    let sent = call(4, "effective_instructions", json!({"include": ["text"]}));
    assert!(sent.contains(&token), "{sent}");
    assert_eq!(session.end(), Some(0));
}

#[test]
fn who_says_nothing_is_no_trouble_and_a_workspace_that_is_not_there_is_said() {
    let place = project();
    assert_eq!(Session::start(&place, &[]).end(), Some(0));
    for (arguments, problem) in [
        (&["mcp", "--cwd", "gone"][..], "--cwd: there is no directory gone"),
        (&["mcp", "--harness", "claud"], "--agents: "),
    ] {
        let output = place.run("project", arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(problem), "{arguments:?}");
    }
}

/// Whoever asks may be led by what the repository says.
#[cfg(unix)]
#[test]
fn no_text_is_told_but_that_of_the_workspace_and_of_the_agents_own_directories() {
    let place = project();
    let at = |path: &str| place.root.join(path);
    for (path, text) in [
        ("home/.ssh/id_rsa", "PRIVATE"),
        ("other/AGENTS.md", "PRIVATE"),
        ("other/a.rs", ""),
        ("home/.codex/AGENTS.md", "Rules of mine.\n"),
    ] {
        std::fs::create_dir_all(at(path).parent().expect("a directory")).expect("it is made");
        std::fs::write(at(path), text).expect("it is written");
    }
    let key = at("home/.ssh/id_rsa");
    std::os::unix::fs::symlink(at("other"), at("project/link")).expect("a link");
    std::fs::create_dir(at("project/inner")).expect("a directory");
    std::os::unix::fs::symlink(&key, at("project/inner/AGENTS.md")).expect("a link");
    std::fs::write(at("project/.aider.conf.yml"), format!("read: [{}]\n", key.display())).expect("it is written");
    let mut session = Session::start(&place, &[]);
    session.begin();
    let read = json!({"aider": {"read": [key]}});
    let beside = json!({"codex": {"config": ["model_instructions_file=\"../other/AGENTS.md\""]}});
    let call = |name: &str, arguments: Value| ("tools/call", json!({"name": name, "arguments": arguments}));
    let text = json!(["text"]);
    let questions = [
        (call("effective_instructions", json!({"harness": "aider", "include": text})), "withholds this message"),
        (
            call("effective_instructions", json!({"harness": "aider", "options": read, "include": text})),
            "options.aider.read names something outside of the workspace",
        ),
        (call("effective_instructions", json!({"options": beside})), "options.codex.config names something outside"),
        (call("effective_instructions", json!({"cwd": "link", "include": text})), "/link is outside of the workspace"),
        (call("effective_instructions", json!({"file": "link/a.rs"})), "/link/a.rs is outside of the workspace"),
        (call("effective_instructions", json!({"cwd": "inner", "include": text})), "withholds this message"),
        (
            call("compare", json!({"left": {"harness": "codex"}, "right": {"harness": "aider"}, "include": text})),
            "withholds this message",
        ),
        (
            call("compare", json!({"left": {}, "right": {"harness": "aider", "options": read}})),
            "options.aider.read names something outside",
        ),
        (call("check", json!({"paths": ["link/AGENTS.md"]})), "/link/AGENTS.md is outside of the workspace"),
        (call("why", json!({"text": "private"})), "\"places\":[]"),
        (("resources/read", json!({"uri": "briefing:/aider/"})), "withholds this message"),
        (
            ("resources/read", json!({"uri": format!("briefing:/codex{}", at("project/link/a.rs").display())})),
            "/link/a.rs is outside of the workspace",
        ),
        // What is the user's own, and what is the repository's, is told as ever.
        (call("effective_instructions", json!({"include": text})), "Rules of mine."),
        (call("effective_instructions", json!({"include": text})), "Root rules."),
    ];
    for (number, ((method, params), said)) in questions.into_iter().enumerate() {
        let answer = session.ask(10 + number as u64, method, &params).to_string();
        assert!(!answer.contains("PRIVATE"), "{params}: {answer}");
        assert!(answer.contains(said), "{params}: {answer}");
    }
    assert_eq!(session.end(), Some(0));
}

#[test]
fn recorded_sessions_are_asked_about_only_with_records_and_without_texts() {
    let place = project();
    let folder = record(&place);
    let tools = |session: &mut Session| {
        let answer = session.ask(2, "tools/list", &json!({}));
        let tools = answer["result"]["tools"].as_array().expect("tools").clone();
        tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let call = |session: &mut Session, name: &str, arguments: Value| {
        session.ask(3, "tools/call", &json!({"name": name, "arguments": arguments}))["result"].clone()
    };
    let mut without = Session::start(&place, &[]);
    without.begin();
    assert!(!tools(&mut without).iter().any(|tool| tool.contains("session")));
    let refused = call(&mut without, "audit_session", json!({}));
    assert_eq!(refused["content"][0]["text"], "records are not read: start briefing mcp with --records", "{refused}");
    without.end();
    let mut with = Session::start(&place, &["--records"]);
    with.begin();
    assert!(tools(&mut with).ends_with(&["recorded_sessions".to_owned(), "audit_session".to_owned()]));
    let listed = call(&mut with, "recorded_sessions", json!({"hours": 1_000_000}));
    let session = &listed["structuredContent"]["sessions"][0];
    assert_eq!(session["steps"], 1, "{listed}");
    assert_eq!(session["files"], json!([format!("{folder}/CLAUDE.md")]), "{listed}");
    assert_eq!((&session["texts"], &session["bytes"]), (&json!([]), &json!(9)), "{listed}");
    let refused = call(&mut with, "audit_session", json!({"why": " "}));
    assert_eq!(refused["content"][0]["text"], "why: no text is given", "{refused}");
    let audit = call(&mut with, "audit_session", json!({"why": "tabs"}));
    let given = &audit["structuredContent"]["sessions"][0]["steps"][0]["given"][0];
    assert_eq!((&given["size"]["bytes"], &given["text"]), (&json!(9), &Value::Null), "{audit}");
    // A session of another project is not one of this workspace.
    let other = call(&mut with, "audit_session", json!({"session": "elsewhere"}));
    assert_eq!(other["content"][0]["text"], "no such session is recorded", "{other}");
    with.end();
}

/// Puts records of Claude Code beside a project: of a session in it, and of one elsewhere. Returns the project's path.
fn record(place: &Place) -> String {
    let here = place.root.join("project").display().to_string();
    for (id, cwd) in [("recorded", here.clone()), ("elsewhere", "/elsewhere".to_owned())] {
        let folder: String = cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let files = json!([{"path": format!("{cwd}/CLAUDE.md"), "content": "Use tabs."}]);
        let line = json!({
            "type": "attachment", "attachment": {"type": "instructions", "files": files}, "sessionId": id, "cwd": cwd,
            "timestamp": "2026-11-24T10:00:00Z", "version": "2.1.330"
        });
        let folder = place.root.join("home/.claude/projects").join(folder);
        std::fs::create_dir_all(&folder).expect("a directory");
        std::fs::write(folder.join(format!("{id}.jsonl")), format!("{line}\n")).expect("a file");
    }
    here
}
