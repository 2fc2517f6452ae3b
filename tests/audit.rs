//! Asks `briefing audit` and `briefing verify --records` about sessions of real clients, laid out as they were
//! recorded.

use std::path::Path;

use briefing::engine::audit::LIST_BYTES;
use briefing::records::lines::Lines;
use serde_json::{Value, json};

use crate::homes::{briefing, databases, files, in_the_future, later_root_of, lay_out, opencode_home, root_of};

mod differences;

const ALL: [&str; 3] = ["audit", "--since", "all"];

fn audit(root: &Path, more: &[&str]) -> (Option<i32>, String) {
    briefing(root, &[&ALL[..], more].concat())
}

fn audit_json(root: &Path, more: &[&str]) -> Value {
    let (_, said) = audit(root, &[more, &["--format", "json"]].concat());
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"))
}

/// A session of Claude Code that was begun in a directory, of which one file was given.
fn made_up(root: &Path, id: &str, more: &str) -> std::path::PathBuf {
    let cwd = root.join("r");
    let cwd = cwd.to_str().expect("UTF-8");
    let folder: String = cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let line = json!({
        "type": "attachment", "sessionId": id, "cwd": cwd, "timestamp": "2026-11-24T10:00:00Z", "version": "2.1.330",
        "attachment": {"type": "instructions", "files": [{"path": format!("{cwd}/CLAUDE.md"), "content": "Use tabs."}]}
    });
    let file = root.join("h/.claude/projects").join(folder).join(format!("{id}.jsonl"));
    std::fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
    std::fs::create_dir_all(root.join("r/.git")).expect("a directory");
    std::fs::write(&file, format!("{line}\n{more}")).expect("a file");
    file
}

fn place() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("audit").tempdir().expect("a directory")
}

#[test]
fn a_session_of_codex_that_goes_on_has_a_step_of_its_own() {
    let root = root_of("codex/a_changed_file.txt");
    std::fs::write(root.path().join("r/AGENTS.md"), "The root rule as it is now.\n").expect("a file");
    let (code, said) = audit(root.path(), &["--last", "--why", "as it is now"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("reached it at step 1 of 2, at 19:33:22: resume"), "{said}");
    let verify = ["verify", "--records", "--since", "all"];
    let (_, said) = briefing(root.path(), &verify);
    assert!(said.contains("0 steps, 0 equal, 0 different; 1 not comparable\n"), "{said}");
    assert!(said.contains("  1 not compared: a file is another one now\n"), "{said}");
    // What it holds at its end is what it would be told now.
    let (_, said) = audit(root.path(), &["--last", "--diff"]);
    assert!(said.contains("what it holds is what it would be told now"), "{said}");
}

#[test]
fn one_large_session_leaves_the_others_in_the_list() {
    let root = place();
    made_up(root.path(), "small", "");
    let large = std::fs::OpenOptions::new().append(true).open(made_up(root.path(), "large", "")).expect("a file");
    large.set_len(LIST_BYTES + 1).expect("a hole");
    let (_, said) = audit(root.path(), &[]);
    assert!(said.contains("not read for this list; `briefing audit large` reads it"), "{said}");
    assert!(said.contains("a start, 1 text of instructions, 9 B"), "{said}");
}

#[test]
fn every_line_fits_on_a_screen_of_80_columns() {
    for case in [
        "claude-code/a_compaction_takes_what_came_with_files.txt",
        "claude-code/an_edit_comes_before_its_rule.txt",
        "codex/a_changed_file.txt",
        "gemini-cli/a_compaction.txt",
        "qwen-code/an_import.txt",
    ] {
        let root = root_of(case);
        std::fs::write(root.path().join("h/.gitconfig"), "").expect("a file");
        for more in [&[][..], &["--last"], &["--last", "--why", "rule of the user"], &["--last", "--diff"]] {
            let output = std::process::Command::new(env!("CARGO_BIN_EXE_briefing"))
                .args(ALL)
                .args(more)
                .current_dir(root.path().join("r"))
                .env_clear()
                .env("HOME", root.path().join("h"))
                .env("COLUMNS", "80")
                .output()
                .expect("the program runs");
            let said = String::from_utf8(output.stdout).expect("UTF-8");
            for line in said.lines() {
                assert!(line.chars().count() <= 80 || !line.trim().contains(' '), "{case} {more:?}: {line}");
            }
        }
    }
}

#[test]
fn a_verdict_names_a_path_where_a_name_is_not_enough() {
    let root = root_of("claude-code/a_start_alone.txt");
    std::fs::write(root.path().join("h/.claude/CLAUDE.md"), "Another rule.\n").expect("a file");
    let (_, said) = audit(root.path(), &[]);
    assert!(said.contains("  holds an older ~/.claude/CLAUDE.md\n"), "{said}");
}

#[test]
fn why_asks_the_latest_session_of_each_agent_and_says_so() {
    let scratch = place();
    let root = scratch.path().canonicalize().expect("a directory");
    for case in ["claude-code/a_start_alone.txt", "codex/a_start_alone.txt"] {
        lay_out(case, &root);
    }
    let (code, said) = audit(&root, &["--why", "root rule"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("claude-code 2.1.330, started in") && said.contains("codex 0.169.0, started in"), "{said}");
    assert!(said.contains("asked: the latest session of each agent here"), "{said}");
    let (_, said) = audit(&root, &["--last", "--why", "root rule"]);
    assert_eq!(said.matches(", started in").count(), 1, "{said}");
    assert_eq!(audit_json(&root, &["--why", "root rule"])["sessions"].as_array().map(Vec::len), Some(2));
    // A text that one of them was not told is missing.
    made_up(&root, "silent", "");
    let (code, said) = audit(&root, &["--why", "root rule"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("nothing in the record says `root rule`"), "{said}");
    for nothing in ["", "  "] {
        let (code, said) = audit(&root, &["--why", nothing]);
        assert!(code == Some(2) && said.contains("say which text"), "{said}");
    }
}

#[test]
fn an_edit_of_another_file_came_before_no_rule_of_its_own() {
    let (root, database) = opencode_home();
    let cwd = root.path().join("r");
    let edit = |id: &str, file: &str, at: i64| {
        let part =
            json!({"type": "tool", "tool": "write", "state": {"input": {"filePath": cwd.join(file)}, "output": ""}});
        let row = (id, "msg_0", "ses_1", at, part.to_string());
        database.execute("insert into part values (?1, ?2, ?3, ?4, ?5)", row).expect("a row");
    };
    database
        .execute("insert into message values ('msg_0', 'ses_1', 1795615840000, '{\"role\":\"assistant\"}')", ())
        .expect("a row");
    edit("prt_0", "db/a.sql", 1795615840000);
    let (_, said) = audit(root.path(), &["--last", "--why", "use tabs"]);
    assert!(said.contains("after 1 edit, before none") && !said.contains("was made before it came"), "{said}");
    edit("prt_01", "src/b.ts", 1795615840001);
    let (_, said) = audit(root.path(), &["--last", "--why", "use tabs"]);
    assert!(said.contains("edit src/b.ts was made before it came") && !said.contains("a.sql was made"), "{said}");
}

#[test]
fn list_and_timeline_say_the_same_size() {
    let root = root_of("claude-code/an_edit_comes_before_its_rule.txt");
    for more in [&[][..], &["--last"]] {
        let (_, said) = audit(root.path(), more);
        assert!(said.contains("a start and 3 steps, 3 texts of instructions, 93 B\n"), "{said}");
    }
}

#[test]
fn a_version_that_is_not_recorded_leaves_no_gap() {
    let root = root_of("gemini-cli/a_start_alone.txt");
    std::fs::write(root.path().join("h/.gemini/tmp/r/.project_root"), root.path().join("r").to_str().expect("UTF-8"))
        .expect("a file");
    let (_, said) = audit(root.path(), &["--last"]);
    assert!(said.contains("gemini-cli, started in"), "{said}");
    assert!(!said.contains("1 tokens") && !said.contains("1 lines"), "{said}");
}

#[test]
fn subagents_stand_with_the_session_that_started_them() {
    let root = root_of("claude-code/a_subagent_has_a_record_of_its_own.txt");
    let (_, said) = audit(root.path(), &[]);
    assert_eq!(said.matches("claude-code 2.1.330").count(), 1, "{said}");
    assert!(said.contains("  1 sub-agent: "), "{said}");
}

#[test]
fn sessions_are_named_by_as_much_as_tells_them_apart() {
    let root = place();
    for id in ["0123456789abcdef-1", "0123456789abcdef-2", "z"] {
        made_up(root.path(), id, "");
    }
    let (_, said) = audit(root.path(), &[]);
    for name in ["0123456789abcdef-1\n", "0123456789abcdef-2\n", "  z\n"] {
        assert!(said.contains(name), "{said}");
    }
    let (code, said) = audit(root.path(), &["0123456789abc"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("more than one session begins like that: 0123456789abcdef-"), "{said}");
    let (code, said) = audit(root.path(), &["z"]);
    assert_eq!(code, Some(0), "{said}");
}

#[cfg(unix)]
#[test]
fn a_record_that_is_a_link_is_named() {
    let root = place();
    let file = made_up(root.path(), "own", "");
    std::os::unix::fs::symlink(&file, file.with_file_name("link.jsonl")).expect("a link");
    let (code, said) = audit(root.path(), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("link.jsonl: not read, since it is a link") && said.contains("  own\n"), "{said}");
    let (_, said) = audit(root.path(), &["--last"]);
    assert!(said.contains("a start, 1 text"), "{said}");
}

#[test]
fn a_database_that_another_process_has_locked_is_read_as_it_was_committed() {
    for mode in ["wal", "delete"] {
        let (root, database) = opencode_home();
        database
            .execute_batch(&format!(
                "pragma journal_mode={mode}; pragma locking_mode=exclusive; begin exclusive;
                 insert into session select 'ses_3', null, directory, version, time_created, time_updated from session;"
            ))
            .expect("a lock");
        let (code, said) = audit(root.path(), &[]);
        assert_eq!(code, Some(0), "{mode}: {said}");
        assert!(said.contains("ses_1") && !said.contains("ses_3"), "{mode}: {said}");
        database.execute_batch("commit;").expect("rows");
        assert!(audit(root.path(), &[]).1.contains("ses_3"), "{mode}");
    }
}

#[test]
fn a_record_that_grows_is_read_as_far_as_it_went_when_it_was_opened() {
    use std::io::Write;
    let root = place();
    let file = made_up(root.path(), "grows", "");
    let mut growing = std::fs::OpenOptions::new().append(true).open(&file).expect("a file");
    let mut lines = Lines::open(&file).expect("a record");
    growing.write_all(b"{\"type\":\"mode\"}\n{\"type\":\"mo").expect("it is written");
    let mut number = 0;
    while lines.next_line().is_some() {
        number += 1;
    }
    assert_eq!((number, lines.problems()), (1, Vec::new()));
    // What is being written at that moment has no end yet.
    let (_, said) = audit(root.path(), &["--last"]);
    assert!(said.contains("the last line is cut") && said.contains("CLAUDE.md  9 B"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn no_command_opens_a_record_unless_it_is_asked_about_sessions() {
    use notify::{EventKind, RecursiveMode, Watcher, event::AccessKind};
    use std::io::Write;
    let root = root_of("claude-code/a_start_alone.txt");
    lay_out("codex/a_start_alone.txt", root.path());
    let mark = root.path().join("h/.claude/mark.jsonl");
    std::fs::write(&mark, "").expect("a file");
    let (heard, events) = std::sync::mpsc::channel();
    let mut watcher = notify::recommended_watcher(move |event| {
        let _ = heard.send(event);
    })
    .expect("a watcher");
    watcher.watch(&root.path().join("h"), RecursiveMode::Recursive).expect("it is watched");
    let opened = || {
        std::fs::read(&mark).expect("a file");
        let mut names = Vec::new();
        while names.last().is_none_or(|name| name != "mark.jsonl") {
            let event: notify::Event =
                events.recv_timeout(crate::client::DEADLINE).expect("an event").expect("no error");
            let records = event.paths.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
            if matches!(event.kind, EventKind::Access(AccessKind::Open(_))) {
                names.extend(records.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())));
            }
        }
        names.len() - 1
    };
    for command in [
        "show --harness all",
        "check",
        "report",
        "why root",
        "expect --suggest",
        "inspect",
        "plan fit",
        "session --agents claude-code --read AGENTS.md",
        "agents --harness claude-code",
        "harnesses --details",
        "explain over-budget",
        "completions bash",
    ] {
        let (code, said) = briefing(root.path(), &command.split(' ').collect::<Vec<_>>());
        assert!(code.is_some_and(|code| code < 2), "{command}: {said}");
        assert_eq!(opened(), 0, "{command}");
    }
    let startup = json!({"hook_event_name": "SessionStart", "cwd": root.path().join("r"), "source": "startup"});
    let call = |id: u64, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    let client =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let tool = json!({"name": "effective_instructions", "arguments": {}});
    let asked = [call(1, "initialize", client), call(2, "tools/list", json!({})), call(3, "tools/call", tool)];
    for (arguments, input) in [(&["hook", "claude-code"][..], startup.to_string()), (&["mcp"], asked.join("\n") + "\n")]
    {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_briefing"))
            .args(arguments)
            .current_dir(root.path().join("r"))
            .env_clear()
            .env("HOME", root.path().join("h"))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("the program runs");
        child.stdin.take().expect("an input").write_all(input.as_bytes()).expect("it is read");
        child.wait_with_output().expect("it ends");
        assert_eq!(opened(), 0, "{arguments:?}");
    }
    audit(root.path(), &[]);
    assert!(opened() > 1, "a list opens them");
}

/// Returns the lines of a record of Claude Code in which the first line is of that size.
fn with_a_long_prompt(root: &Path, bytes: usize) -> std::path::PathBuf {
    let file = made_up(root, "long", "");
    let text = std::fs::read_to_string(&file).expect("a record");
    let prompt = json!({"type": "queue-operation", "sessionId": "long", "content": "x".repeat(bytes)});
    std::fs::write(&file, format!("{prompt}\n{text}")).expect("a file");
    file
}

#[test]
fn a_first_prompt_of_any_length_hides_no_session() {
    for bytes in [45_000, 70_000, 5_000_000] {
        let root = place();
        with_a_long_prompt(root.path(), bytes);
        let (_, said) = audit(root.path(), &[]);
        assert!(said.contains("claude-code 2.1.330") && said.contains("  long\n"), "{bytes}: {said}");
    }
}

#[test]
fn records_that_do_not_say_of_which_session_they_are_have_a_reason() {
    let root = place();
    let own = made_up(root.path(), "own", "");
    let write = |path: &Path, text: &[u8]| {
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    };
    write(&own.with_file_name("empty.jsonl"), b"");
    write(&own.with_file_name("zeros.jsonl"), &[0; 4096]);
    write(&own.with_file_name("title.jsonl"), b"{\"type\":\"summary\",\"summary\":\"A title\"}\n");
    let home = root.path().join("h");
    write(&home.join(".kimi-code/sessions/w/s/agents/main/wire.jsonl"), b"{\"type\":\"metadata\"}\n");
    write(&home.join(".grok/sessions/d/s/chat_history.jsonl"), b"{\"type\":\"system\"}\n");
    let data = home.join(".local/share/opencode/opencode.db");
    std::fs::create_dir_all(data.parent().expect("a directory")).expect("a directory");
    let database = rusqlite::Connection::open(&data).expect("a database");
    database
        .execute_batch(
            "create table session (id text, parent_id text, directory text, version text, time_created int, time_updated int);
             create table message (id text, session_id text, time_created int, data text);",
        )
        .expect("tables");
    let (code, said) = audit(root.path(), &[]);
    assert_eq!(code, Some(0), "{said}");
    for reason in [
        "empty.jsonl: not read, since it is empty",
        "zeros.jsonl: not read, since no line of it can be parsed",
        "wire.jsonl: not read, since no state.json of its session says",
        "chat_history.jsonl: not read, since no summary.json beside it says",
        "opencode.db: not read, since some of its tables are missing: session, message, part",
    ] {
        assert!(said.contains(reason), "{reason}: {said}");
    }
    assert!(!said.contains("title.jsonl") && said.contains("  own\n"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_project_directory_that_is_a_link_is_named() {
    let root = place();
    let file = made_up(root.path(), "own", "");
    let project = file.parent().expect("a directory");
    let elsewhere = root.path().join("elsewhere");
    std::fs::rename(project, &elsewhere).expect("it is moved");
    std::os::unix::fs::symlink(&elsewhere, project).expect("a link");
    let (_, said) = audit(root.path(), &[]);
    assert!(said.contains(": not read, since it is a link"), "{said}");
}

#[test]
fn a_directory_that_only_begins_like_the_project_is_another_one() {
    let root = place();
    let file = made_up(root.path(), "own", "");
    let text = std::fs::read_to_string(&file).expect("a record");
    let cwd = root.path().join("r").display().to_string();
    std::fs::write(&file, text.replace(&format!("\"cwd\":\"{cwd}\""), &format!("\"cwd\":\"{cwd}/../r2\"")))
        .expect("a file");
    let (_, said) = audit(root.path(), &[]);
    assert!(said.contains("no recorded session in"), "{said}");
}

#[test]
fn what_looks_further_is_named_only_where_it_would() {
    let root = place();
    made_up(root.path(), "own", "");
    let agent = ["--agent", "codex"];
    for (more, further) in [
        (&["--since", "1h"][..], "in that time; --since all and --all-projects look further"),
        (&["--since", "1h", "--all-projects"], "in that time; --since all looks further"),
        (&["--since", "all"], "; --all-projects looks further"),
        (&["--since", "all", "--all-projects"], "no recorded session\n"),
    ] {
        let (_, said) = briefing(root.path(), &[&["audit"][..], &agent, more].concat());
        assert!(said.contains(further), "{more:?}: {said}");
    }
}

#[test]
fn a_subagent_is_opened_by_the_name_that_the_list_prints() {
    let root = root_of("claude-code/a_subagent_has_a_record_of_its_own.txt");
    let (_, said) = audit(root.path(), &[]);
    let (_, name) = said.split_once("1 sub-agent: ").expect("a sub-agent");
    let name = name.lines().next().expect("a name");
    let (code, said) = audit(root.path(), &[name]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(name), "{said}");
}

#[test]
fn a_text_that_is_not_known_is_not_one_that_was_not_told() {
    let (root, _open) = opencode_home();
    let (code, said) = audit(root.path(), &["--last", "--why", "nobody says this"]);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("not known: ") && said.contains("not in the record: "), "{said}");
    let root = root_of("claude-code/a_start_alone.txt");
    let (code, said) = audit(root.path(), &["--last", "--why", "nobody says this"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("it was not told: nothing in the record says"), "{said}");
}

#[test]
fn nothing_is_the_rest_where_all_is_unknown() {
    let (root, database) = opencode_home();
    database.execute_batch("delete from part").expect("rows");
    let (_, said) = audit(root.path(), &["--last", "--diff"]);
    assert!(said.contains("system prompt: its text is not in the record") && !said.contains("the rest"), "{said}");
}

#[test]
fn expectations_that_cannot_be_read_are_an_error() {
    let root = root_of("claude-code/a_start_alone.txt");
    std::fs::write(root.path().join("r/briefing.toml"), "[[expect]\n").expect("a file");
    let (code, said) = audit(root.path(), &["--expect"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("/r/briefing.toml:1: "), "{said}");
}

#[test]
fn a_rule_that_came_with_a_new_file_is_compared() {
    let root = root_of("claude-code/an_edit_comes_before_its_rule.txt");
    let rule = root.path().join("r/.claude/rules/migrations.md");
    let text = std::fs::read_to_string(&rule).expect("a rule");
    let (_, said) = audit(root.path(), &["--last", "--diff"]);
    assert!(said.contains("\nwhat it holds is what it would be told now"), "{said}");
    std::fs::write(&rule, format!("{text}And one more.\n")).expect("a rule");
    let (_, said) = audit(root.path(), &["--last", "--diff"]);
    assert!(said.contains("migrations.md\n  + And one more.\n") && !said.contains("cannot be compared"), "{said}");
}

#[test]
fn a_record_without_a_request_says_so() {
    let root = root_of("mistral-vibe/a_start_alone.txt");
    for file in files(&root.path().join("h/.vibe/logs")) {
        if file.extension().is_some_and(|end| end == "jsonl") {
            std::fs::write(file, "").expect("a record");
        }
    }
    let (code, said) = audit(root.path(), &[]);
    assert!(code == Some(0) && said.contains("no request is in the record"), "{said}");
}
