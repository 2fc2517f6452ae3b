//! Reads recorded sessions of real clients, and compares what the record is said to tell with what the client sent.
//!
//! A case of `tests/records/CLIENT/` holds a record and, for each turn, the texts of the request that hold something of
//! the case's instruction files (`tests/conformance/recorded.py`). Every text that Briefing says was in context must be
//! in the request, byte for byte; and what is in the request must be what Briefing says, or it must say that it does
//! not know.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use briefing::records::lines::Lines;
use briefing::records::place::Found;
use briefing::records::session::IN_SYSTEM_PROMPT;
use briefing::records::{self, Head, How, Session};
use briefing::report::case::escape;

use crate::homes::{briefing, opencode_home, root_of};
use crate::world::Case;

pub(crate) fn cases() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records");
    for client in std::fs::read_dir(root).expect("a directory") {
        let client = client.expect("an entry").path();
        found.extend(std::fs::read_dir(client).expect("a directory").map(|entry| entry.expect("an entry").path()));
    }
    found.sort();
    found
}

/// The client's records of a case, each with its path.
fn recorded(case: &Case) -> Vec<(PathBuf, &str)> {
    case.all("@record").map(|(path, body)| (PathBuf::from(path), body)).collect()
}

fn read(case: &Case, agent: &str, file: &Path, body: &str, lines: usize) -> Session {
    let client = records::client(agent).expect("a client whose records are read");
    let bytes: Vec<u8> = body.split_inclusive('\n').take(lines).collect::<String>().into_bytes();
    let root = recorded(case).into_iter().find(|(path, _)| path.ends_with(".project_root"));
    let cwd = root.map(|(_, root)| PathBuf::from(root.trim_end()));
    let head = Head { cwd, ..Head::default() };
    let found = Found { bytes: bytes.len() as u64, head, ..Found::named(agent_name(agent), file.to_owned()) };
    client.session(&mut Lines::new(std::io::Cursor::new(bytes)), &found)
}

fn agent_name(agent: &str) -> &'static str {
    records::client(agent).map_or("", |client| client.agent)
}

/// The lines by which the texts of a case's own files are known.
fn sentinels(case: &Case) -> Vec<String> {
    let is_text = |header: &str| {
        let path = header.split(" * ").next().unwrap_or_default();
        (path.starts_with('/') || path.starts_with("@then "))
            && [".md", ".mdc", ".toml"].iter().any(|end| path.ends_with(end))
    };
    let bodies = case.sections.iter().filter(|section| is_text(&section.header)).map(|section| section.body.as_str());
    let mut lines: Vec<String> = bodies.flat_map(str::lines).map(|line| line.trim().to_owned()).collect();
    let heads = ["name: ", "paths: ", "globs: ", "description: "];
    lines.retain(|line| line.len() >= 8 && !line.contains("---") && !heads.iter().any(|head| line.starts_with(head)));
    lines.sort();
    lines.dedup();
    lines
}

/// Compares the audit after a turn with the request. Returns true if the record holds all of it.
fn compare(case: &Case, session: &Session, request: &str, sentinels: &[String], wrong: &mut Vec<String>) -> bool {
    let last = session.steps.len().saturating_sub(1);
    let held: Vec<_> = session.held_after(last).into_iter().map(|place| session.given(place)).collect();
    let mut shown = String::new();
    for given in &held {
        let Some(text) = given.sent.as_deref().or(given.text.as_deref()) else { continue };
        shown.push_str(text);
        if !sentinels.iter().any(|line| text.contains(line.as_str())) {
            continue; // What it says is cut in the case.
        }
        if given.sent.is_none() && given.name == "file, read again" {
            // It is sent with the numbers of its lines.
            let said = text.lines().map(str::trim).filter(|line| sentinels.iter().any(|known| known == line));
            wrong.extend(said.filter(|line| !request.contains(line)).map(|line| format!("not in the request: {line}")));
            continue;
        }
        let bare =
            text.trim().strip_prefix("<system-reminder>\n").and_then(|bare| bare.strip_suffix("\n</system-reminder>"));
        if ![Some(text), bare].into_iter().flatten().any(|text| request.contains(escape(text).trim_end())) {
            wrong.push(format!("not in the request: {} {text:?}", given.label()));
        }
    }
    let unknown: Vec<_> = held.iter().filter(|given| given.how == How::Unknown).collect();
    // What is said to be unknown is one file, or stands in the system prompt, or may be anywhere.
    let is_excused = |line: &str| {
        unknown.iter().any(|given| match &given.path {
            Some(path) => case.all(&path.display().to_string()).any(|(_, body)| body.contains(line)),
            None if given.name.ends_with(IN_SYSTEM_PROMPT) => !outside_of_system(request).contains(line),
            None => true,
        })
    };
    let missing = sentinels.iter().filter(|line| request.contains(line.as_str()) && !shown.contains(line.as_str()));
    let missing: Vec<&String> = missing.filter(|line| !is_excused(line)).collect();
    if !missing.is_empty() {
        wrong.push(format!("in the request, and not said: {missing:?}"));
    }
    unknown.is_empty()
}

/// The texts of a request that are no part of its system prompt.
fn outside_of_system(request: &str) -> String {
    let texts = request.split("\n>>> ").map(|text| text.trim_start_matches(">>> "));
    texts.filter(|text| !text.starts_with("system\n")).collect::<Vec<_>>().join("\n")
}

/// The timeline of a session in a few words, for goldens.
fn timeline(session: &Session) -> String {
    let mut out = String::new();
    let version = session.version.as_deref().unwrap_or("?");
    let _ =
        writeln!(out, "{} {version} in {}", session.agent, session.cwd.as_deref().unwrap_or(Path::new("?")).display());
    for step in &session.steps {
        let _ = writeln!(
            out,
            "{}",
            format!("{} {}", step.kind.word(), step.name.as_deref().unwrap_or_default()).trim_end()
        );
        for given in &step.given {
            // What the client brings itself differs from version to version and is cut in the case.
            let is_own = given.text.is_none() && given.how == How::Recorded;
            let size = if is_own || given.text.as_deref().is_some_and(|text| text.contains(" characters)")) {
                String::new()
            } else {
                format!(" {} B", given.size.bytes)
            };
            let _ = writeln!(out, "  + {} ({}){size}", given.label(), given.how.word());
        }
        for &place in &step.gone {
            let _ = writeln!(out, "  - {}", session.given(place).label());
        }
    }
    for (kind, count) in &session.unknown {
        let _ = writeln!(out, "unknown: {kind} x{count}");
    }
    for problem in &session.problems {
        let _ = writeln!(out, "problem: {problem}");
    }
    out
}

#[test]
fn an_audit_is_what_the_client_sent_or_says_that_it_does_not_know() {
    let update = std::env::var("UPDATE").is_ok_and(|value| value == "1");
    let wanted = std::env::var("CASES").unwrap_or_default();
    let (mut failures, mut counts) = (Vec::new(), BTreeMap::<String, [usize; 2]>::new());
    for path in cases() {
        let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("below the project").display().to_string();
        if !name.contains(&wanted) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a case");
        let mut case = Case::parse(&text);
        let agent =
            case.all("@recorded").next().expect("a question").0.split(['@', ' ']).next().expect("a name").to_owned();
        let sentinels = sentinels(&case);
        let mut wrong = Vec::new();
        let mut knows_all = true;
        let records = recorded(&case);
        for (turn, request) in case.all("@turn") {
            let [step, number, lines] = turn.split(' ').collect::<Vec<_>>()[..] else {
                panic!("a step and two numbers")
            };
            let (file, body) = &records[number.parse::<usize>().expect("a number") - 1];
            let session = read(&case, &agent, file, body, lines.parse().expect("a number"));
            let mut here = Vec::new();
            knows_all &= compare(&case, &session, request, &sentinels, &mut here);
            wrong.extend(here.into_iter().map(|wrong| format!("after {step}: {wrong}")));
        }
        counts.entry(agent.clone()).or_default()[usize::from(!knows_all)] += 1;
        let said: Vec<String> = records
            .iter()
            .filter(|(file, _)| !file.ends_with(".project_root"))
            .map(|(file, body)| timeline(&read(&case, &agent, file, body, usize::MAX)))
            .collect();
        let said = said.join("\n");
        let golden = case.all("@audit").next().map(|(_, body)| body.to_owned());
        if golden.as_deref() != Some(&said) {
            if update {
                case.sections.retain(|section| section.header != "@audit");
                case.sections.push(crate::world::Section { header: "@audit".to_owned(), body: said.clone() });
                std::fs::write(&path, case.format()).expect("a case");
                println!("rewritten: {name}");
            } else {
                wrong.push(format!("the audit is now\n{said}"));
            }
        }
        if !wrong.is_empty() {
            failures.push(format!("{name}\n{}", wrong.join("\n")));
        }
    }
    for (agent, [equal, unknown]) in &counts {
        println!("{agent}: {equal} equal, {unknown} unknown");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn what_a_call_brought_is_not_known_before_the_next_request() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records/kimi-code/a_read_below_a_start_below_the_root.txt");
    let case = Case::parse(&std::fs::read_to_string(path).expect("a case"));
    let (file, body) = recorded(&case).remove(0);
    let call = body.lines().position(|line| line.contains("\"tool.call\"")).expect("a call") + 1;
    let known = |lines| -> Vec<How> {
        let session = read(&case, "kimi-code", &file, body, lines);
        session.steps.last().expect("a step").given.iter().map(|given| given.how).collect()
    };
    assert_eq!(known(call), [How::Unknown]);
    assert_eq!(known(usize::MAX), [How::Recorded]);
}

/// What stands between the lines of a session that is made up here.
const START: &str = r#"{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-11-24T10:00:00.000Z","cwd":"/r","sessionId":"s","version":"2.1.330","message":{"role":"user","content":"a secret prompt"}}
{"type":"attachment","uuid":"a1","timestamp":"2026-11-24T10:00:01.000Z","cwd":"/r","sessionId":"s","version":"2.1.330","attachment":{"type":"instructions","files":[{"path":"/r/CLAUDE.md","type":"Project","content":"Use tabs."}]},"rendered":[{"content":"Use tabs."}]}
"#;

fn made_up(bytes: Vec<u8>) -> Session {
    let client = records::client("claude-code").expect("a client");
    client.session(
        &mut Lines::new(std::io::Cursor::new(bytes)),
        &Found::named("claude-code", PathBuf::from("/h/s.jsonl")),
    )
}

#[test]
fn a_record_that_is_damaged_is_read_as_far_as_it_goes() {
    let whole = made_up(START.into());
    assert_eq!(whole.steps[0].given.len(), 1);
    assert_eq!(whole.problems, Vec::<String>::new());
    for (more, problem) in [
        (&b"{\"type\":\"user\",\"mess"[..], "the last line is cut"),
        (b"not json\n{\"type\":\"mode\"}\n", "line 3 cannot be parsed"),
        (b"\xff\n\n{\"type\":\"mode\"}\n", "line 3 cannot be parsed"),
        (b"[1]\n\n{\"type\":\"mode\"}\n", "line 3 cannot be parsed"),
        (b"{\"type\":\"mode\",\"uuid\":\"\xff\"}\n", "1 line is not valid UTF-8"),
    ] {
        let session = made_up([START.as_bytes(), more].concat());
        assert_eq!(session.steps, whole.steps, "{problem}");
        assert!(session.problems.iter().any(|said| said == problem), "{:?} has no `{problem}`", session.problems);
    }
}

#[test]
fn a_line_of_a_hundred_megabytes_is_passed_over_without_being_held() {
    use std::io::Read;
    struct Long(usize);
    impl Read for Long {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let len = into.len().min(self.0);
            into[..len].fill(b'x');
            self.0 -= len;
            Ok(len)
        }
    }
    let bytes =
        std::io::Cursor::new(START).chain(Long(100 << 20)).chain(std::io::Cursor::new("\n{\"type\":\"mode\"}\n"));
    let mut lines = Lines::new(bytes);
    let client = records::client("claude-code").expect("a client");
    let session = client.session(&mut lines, &Found::named("claude-code", PathBuf::from("/h/s.jsonl")));
    assert_eq!(session.problems, ["line 3 longer than 16 MiB: not read"]);
    assert_eq!(session.steps[0].given.len(), 1);
}

#[test]
fn kinds_of_lines_that_are_not_known_are_counted_and_named() {
    let more = "{\"type\":\"telepathy\"}\n{\"type\":\"telepathy\"}\n{\"type\":\"attachment\",\"attachment\":{\"type\":\"a<b>\\n\"}}\n";
    let session = made_up([START, more].concat().into());
    let unknown: Vec<(&str, usize)> = session.unknown.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    assert_eq!(unknown, [("attachment a?b??", 1), ("telepathy", 2)]);
}

#[test]
fn a_record_of_a_newer_version_says_so() {
    let session = made_up(START.replace("2.1.330", "3.0.1").into());
    assert_eq!(session.problems, ["written by 3.0.1; records are known up to 2.1.330"]);
}

#[cfg(unix)]
#[test]
fn links_and_fifos_are_not_read() {
    let home = tempfile::tempdir().expect("a directory");
    let dir = home.path().join(".claude/projects/-r");
    std::fs::create_dir_all(&dir).expect("a directory");
    std::fs::write(home.path().join("elsewhere.jsonl"), START).expect("a file");
    std::os::unix::fs::symlink(home.path().join("elsewhere.jsonl"), dir.join("link.jsonl")).expect("a link");
    std::os::unix::fs::symlink("/", dir.join("root")).expect("a link");
    std::process::Command::new("mkfifo").arg(dir.join("fifo.jsonl")).status().expect("a FIFO");
    std::fs::write(dir.join("s.jsonl"), START).expect("a file");
    let homes = records::place::Homes { home: home.path().to_owned(), env: BTreeMap::new() };
    let client = records::client("claude-code").expect("a client");
    let found = client.find(&homes, Some(Path::new("/r")));
    let found: Vec<_> = found.iter().map(|found| (found.file.clone(), found.problem.as_deref())).collect();
    let wanted = [
        ("fifo.jsonl", Some("not read, since it is no regular file")),
        ("link.jsonl", Some("not read, since it is a link")),
        ("s.jsonl", None),
    ];
    assert_eq!(found, wanted.map(|(name, problem)| (dir.join(name), problem)));
    for name in ["link.jsonl", "fifo.jsonl"] {
        let problem = client.read(&Found::named("claude-code", dir.join(name))).expect_err("is not read");
        assert!(problem.contains("not read, since it is"), "{problem}");
    }
    assert!(client.find(&homes, Some(Path::new("/other"))).is_empty());
}

#[test]
fn why_says_that_an_edit_was_made_before_its_rule_came() {
    let root = root_of("claude-code/an_edit_comes_before_its_rule.txt");
    let (code, said) = briefing(root.path(), &["audit", "--last", "--since", "all", "--why", "never edited ONCE"]);
    assert_eq!(code, Some(0), "{said}");
    for line in [
        "● .claude/rules/migrations.md reached it at step 1 of 3",
        "after 1 edit, before 1",
        "edit db/n.sql was made before it came",
        "still in context at the end",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let (code, said) = briefing(root.path(), &["audit", "--last", "--since", "all", "--why", "nobody says this"]);
    assert_eq!(code, Some(1), "{said}");
}

#[test]
fn the_list_says_of_each_session_what_is_wrong() {
    let root = root_of("claude-code/an_edit_comes_before_its_rule.txt");
    let (code, said) = briefing(root.path(), &["audit", "--since", "all"]);
    assert_eq!(code, Some(0));
    assert!(said.contains("a start and 3 steps, 3 texts of instructions, 93 B"), "{said}");
    assert!(said.contains("migrations.md came after the first edit it is about"), "{said}");
    let (_, said) = briefing(root.path(), &["audit", "--since", "all", "--cwd", "/"]);
    assert!(said.contains("migrations.md"), "a directory above is the whole of it: {said}");
    let (_, said) = briefing(root.path(), &["audit", "--since", "all", "--agent", "codex"]);
    assert!(said.contains("no recorded session in"), "{said}");
    let (code, said) = briefing(root.path(), &["audit", "--agent", "nobody"]);
    assert_eq!(code, Some(2), "{said}");
}

#[test]
fn the_json_has_sizes_and_paths_and_no_prompts() {
    let root = root_of("claude-code/a_compaction_takes_what_came_with_files.txt");
    let (code, said) = briefing(root.path(), &["audit", "--last", "--since", "all", "--format", "json"]);
    assert_eq!(code, Some(0));
    let json: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    let steps = json["sessions"][0]["steps"].as_array().expect("steps");
    let kinds: Vec<&str> = steps.iter().map(|step| step["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["start", "read", "read", "compaction", "read"]);
    assert_eq!(steps[2]["given"][0]["path"], "/r/.claude/rules/migrations.md");
    assert_eq!(steps[2]["given"][0]["how"], "recorded");
    assert_eq!(steps[2]["given"][0]["sameAsDisk"], true);
    assert!(!said.contains("Migrations are never edited") && !said.contains("go on"), "{said}");
}

#[test]
fn a_session_that_holds_an_older_file_says_so_and_what_is_other() {
    let root = root_of("claude-code/a_start_alone.txt");
    std::fs::write(root.path().join("r/CLAUDE.md"), "The root rule of the project.\nAnd one more.\n").expect("a file");
    let (_, said) = briefing(root.path(), &["audit", "--since", "all"]);
    assert!(said.contains("holds an older CLAUDE.md"), "{said}");
    let (_, said) = briefing(root.path(), &["audit", "--last", "--since", "all", "--diff"]);
    assert!(said.contains("+ And one more.") && !said.contains("- The root rule"), "{said}");
}

#[test]
fn a_database_is_read_with_its_log_while_it_is_open() {
    let (root, _open) = opencode_home();
    let (code, said) = briefing(root.path(), &["audit", "--since", "all"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("opencode 1.18.33") && said.matches("ses_").count() == 1, "{said}");
    let (code, said) = briefing(root.path(), &["audit", "ses_1", "--why", "use tabs"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("src/AGENTS.md reached it at step 1 of 1"), "{said}");
}

#[test]
fn a_database_of_hermes_holds_what_it_sent() {
    let root = root_of("hermes/a_read_of_a_file_below.txt");
    let (code, said) = briefing(root.path(), &["audit", "--last", "--since", "all"]);
    assert_eq!(code, Some(0), "{said}");
    for line in ["SOUL.md", "files of the project's context", "read src/a.ts", "src/AGENTS.md"] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let (_, said) = briefing(root.path(), &["verify", "--records", "--since", "all", "--format", "json"]);
    let said: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    let agents = said["agents"].as_array().expect("agents");
    let hermes = agents.iter().find(|agent| agent["agent"] == "hermes").expect("the agent");
    assert_eq!((&hermes["equal"], &hermes["different"]), (&2.into(), &0.into()), "{said}");
}

#[test]
fn a_request_of_mistral_vibe_that_repeats_the_conversation_takes_the_place_of_what_was_before() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records/mistral-vibe/a_start_alone.txt");
    let case = Case::parse(&std::fs::read_to_string(path).expect("a case"));
    let (file, body) = recorded(&case).remove(0);
    let request = body.lines().find(|line| line.contains("\"llm_call\"")).expect("a request");
    let kinds = |body: &str| -> Vec<(&str, usize)> {
        let session = read(&case, "mistral-vibe", &file, body, usize::MAX);
        session.steps.iter().map(|step| (step.kind.word(), step.gone.len())).collect()
    };
    assert_eq!(kinds(&format!("{body}{request}\n")), [("start", 0), ("compaction", 2)]);
    // A session that goes on begins with its earlier messages.
    let resumed = request.replace(r#""role":"user"}"#, r#""role":"user"},{"content":[],"role":"assistant"}"#);
    assert_eq!(kinds(&format!("{resumed}\n")), [("resume", 0)]);
}

#[test]
fn a_database_that_cannot_be_read_says_so() {
    let (root, open) = opencode_home();
    drop(open);
    let file = root.path().join("h/.local/share/opencode/opencode.db");
    std::fs::write(&file, "no database").expect("a file");
    let (code, said) = briefing(root.path(), &["audit", "--since", "all"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("file is not a database"), "{said}");
}

#[test]
fn sessions_of_gemini_cli_in_which_nobody_said_anything_are_not_listed() {
    let root = root_of("gemini-cli/a_session_that_goes_on_in_another_minute.txt");
    let (code, said) = briefing(root.path(), &["audit", "--since", "all"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.matches("beecd49c").count(), 1, "{said}");
}

#[test]
fn sessions_are_judged_by_the_expectations_of_the_project() {
    let root = root_of("claude-code/an_edit_comes_before_its_rule.txt");
    let expectation = |id: &str, more: &str| format!("[[expect]]\nid = \"{id}\"\nagents = [\"claude-code\"]\n{more}\n");
    let declared = [
        expectation("root", "text = \"The root rule of the project.\""),
        expectation(
            "late",
            "text = \"Migrations are never edited once they ran.\"\npaths = [\"db/**\"]\nwhen = \"before-edit\"",
        ),
        expectation(
            "read",
            "text = \"Migrations are never edited once they ran.\"\npaths = [\"db/*.sql\"]\nwhen = \"before-read\"",
        ),
        expectation("never", "absent = \"The rule of the user.\""),
        expectation("other", "text = \"The root rule of the project.\"\nfrom = [\"src\"]"),
    ];
    std::fs::write(root.path().join("r/briefing.toml"), declared.concat()).expect("a file");
    let (code, said) = briefing(root.path(), &["audit", "--since", "all", "--expect", "--format", "json"]);
    assert_eq!(code, Some(1), "{said}");
    let json: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    let judged = json["sessions"][0]["expectations"].as_array().expect("expectations");
    let judged: Vec<(&str, &str)> = judged
        .iter()
        .map(|one| (one["id"].as_str().expect("an id"), one["verdict"].as_str().expect("a verdict")))
        .collect();
    assert_eq!(judged, [("root", "held"), ("late", "failed"), ("read", "held"), ("never", "failed")]);
    let (_, said) = briefing(root.path(), &["audit", "--last", "--since", "all", "--expect"]);
    assert!(
        said.contains("step 1: edit /r/db/n.sql: “Migrations are never") || said.contains("step 1: edit db/n.sql"),
        "{said}"
    );
}

#[test]
fn the_hook_says_what_changed_since_a_session_began_that_goes_on() {
    use std::io::Write;
    let root = root_of("claude-code/a_start_alone.txt");
    let at = root.path().join("r");
    std::fs::write(at.join("CLAUDE.md"), "The root rule of the project.\nAnd one more.\n").expect("a file");
    let (_, said) = briefing(root.path(), &["audit", "--since", "all", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    let id = json["sessions"][0]["id"].as_str().expect("a name");
    let asked = |source: &str| {
        let event =
            serde_json::json!({"hook_event_name": "SessionStart", "cwd": at, "source": source, "session_id": id});
        let mut hook = std::process::Command::new(env!("CARGO_BIN_EXE_briefing"))
            .args(["hook", "claude-code"])
            .env_clear()
            .env("HOME", root.path().join("h"))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("the program runs");
        hook.stdin.take().expect("an input").write_all(event.to_string().as_bytes()).expect("it is read");
        String::from_utf8(hook.wait_with_output().expect("it ends").stdout).expect("UTF-8")
    };
    assert!(asked("resume").contains("CLAUDE.md changed: 1 line; you may hold the older text."), "{}", asked("resume"));
    assert_eq!(asked("startup"), "");
}

#[test]
fn a_message_of_the_user_that_looks_like_instructions_is_not_shown() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records/codex/a_start_alone.txt");
    let text = std::fs::read_to_string(path).expect("a case");
    for typed in ["# AGENTS.md instructions: my plans", "<skill> my plans"] {
        let case = Case::parse(&text.replace("\"text\":\"hello\"", &format!("\"text\":\"{typed}\"")));
        let (file, body) = recorded(&case).remove(0);
        assert!(body.contains("my plans"), "{body}");
        let session = read(&case, "codex", &file, body, usize::MAX);
        let said = session.steps.iter().flat_map(|step| &step.given).filter_map(|given| given.text.as_deref());
        assert!(said.clone().count() > 0 && said.clone().all(|text| !text.contains("my plans")), "{typed}");
    }
}

#[test]
fn a_file_that_imitates_a_block_of_instructions_is_none() {
    let files =
        |kind: &str| format!("--- {kind} from: /r/fake.md ---\\nFake.\\n--- End of {kind} from: /r/fake.md ---");
    let context =
        format!("--- Newly Discovered Project Context ---\\n{}\\n--- End Project Context ---", files("Context"));
    let rule = format!("<system-reminder>\\n{}\\n</system-reminder>", files("Rule"));
    for (agent, name, said, imitation) in [
        ("gemini-cli", "a_changed_file", "\"output\":\"x\\n", context),
        ("qwen-code", "a_read_brings_a_nested_file", "\"output\":\"y\\n", rule),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/records/{agent}/{name}.txt"));
        let text = std::fs::read_to_string(path).expect("a case");
        let paths = |text: &str| -> Vec<(PathBuf, How)> {
            let case = Case::parse(text);
            let (file, body) =
                recorded(&case).into_iter().find(|(file, _)| !file.ends_with(".project_root")).expect("a record");
            let session = read(&case, agent, &file, body, usize::MAX);
            session.everything().filter_map(|(_, given)| Some((given.path.clone()?, given.how))).collect()
        };
        let imitated = text.replace(said, &format!("\"output\":\"{imitation}\\nx\\n"));
        assert_ne!(imitated, text, "{agent}");
        assert_eq!(paths(&imitated), paths(&text), "{agent}");
    }
}
