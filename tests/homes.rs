//! Homes in which sessions of real clients were recorded, laid out from the cases of `tests/records`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::world::{Case, World};

/// Lays a case out with its record below a directory, in the place of the root.
pub fn lay_out(case: &str, root: &Path) {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records").join(case))
        .expect("a case");
    let case = Case::parse(&text);
    let at = root.to_str().expect("UTF-8");
    let munged: String = format!("{at}/r").chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    World::of(&case).unpack(root);
    // Settings may name directories.
    for file in
        files(&root.join("h")).iter().filter(|file| file.extension().is_some_and(|end| end == "toml" || end == "json"))
    {
        write(file, &moved(&std::fs::read_to_string(file).expect("settings"), at));
    }
    let asked = case.all("@recorded").next().expect("a question").0;
    let cwd = asked.split(' ').nth(2).expect("a directory").trim_start_matches('/');
    for (path, body) in case.all("@record") {
        let path = path.replace("/projects/-r/", &format!("/projects/{munged}/"));
        let file = root.join(path.trim_start_matches('/'));
        // It holds nothing but the path.
        let body = if path.ends_with(".project_root") { format!("{at}/{cwd}") } else { moved(body, at) };
        write(&file, &body);
        beside(&file, &root.join(cwd));
    }
}

/// Puts a directory before the paths of a record, `/r` and `/h` and what is below them.
fn moved(text: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, path) = rest.split_at(at);
        out.push_str(before);
        let is_word = |c: char| c.is_ascii_alphanumeric() || "-_./~%".contains(c);
        let begins = before.ends_with("\\n") || !out.ends_with(is_word);
        let ends = path.strip_prefix("/r").or_else(|| path.strip_prefix("/h"));
        let ends = ends.is_some_and(|rest| rest.starts_with('/') || !rest.starts_with(is_word));
        if begins && ends {
            out.push_str(to);
        }
        out.push('/');
        rest = &path[1..];
    }
    out + rest
}

fn write(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
    std::fs::write(file, text).expect("a file");
}

/// Writes what a client keeps beside a record to say where the session was begun.
fn beside(record: &Path, cwd: &Path) {
    let (up, name, text) = match record.to_str().expect("UTF-8") {
        path if path.contains("/.kimi-code/sessions/") => {
            (3, "state.json", json!({"id": "k", "cwd": cwd, "createdAt": 1_795_627_499_230_u64}))
        }
        path if path.contains("/.grok/sessions/") => (1, "summary.json", json!({"info": {"id": "g", "cwd": cwd}})),
        path if path.contains("/.vibe/logs/") => {
            (2, "meta.json", json!({"session_id": "v", "environment": {"working_directory": cwd}}))
        }
        _ => return,
    };
    write(&record.ancestors().nth(up).expect("a directory").join(name), &text.to_string());
}

pub fn briefing(root: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_briefing"))
        .args(arguments)
        .current_dir(root.join("r"))
        .env_clear()
        .env("HOME", root.join("h"))
        .envs([("TZ", "UTC"), ("COLUMNS", "200")])
        .output()
        .expect("the program runs");
    let said = String::from_utf8(output.stdout).expect("UTF-8") + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), said.replace(root.to_str().expect("UTF-8"), ""))
}

/// A case with its record, laid out in a directory of its own.
pub fn root_of(case: &str) -> tempfile::TempDir {
    let root = tempfile::Builder::new().prefix("audit").tempdir().expect("a directory");
    lay_out(case, root.path());
    databases(root.path());
    root
}

/// The same, with the session in the future, so that no file has changed since.
pub fn later_root_of(case: &str) -> tempfile::TempDir {
    let root = tempfile::Builder::new().prefix("audit").tempdir().expect("a directory");
    lay_out(case, root.path());
    in_the_future(root.path());
    databases(root.path());
    root
}

/// A home with a database of OpenCode in which one session was recorded; the rows are in its log still.
pub fn opencode_home() -> (tempfile::TempDir, rusqlite::Connection) {
    let root = tempfile::Builder::new().prefix("audit").tempdir().expect("a directory");
    let data = root.path().join("h/.local/share/opencode");
    for dir in [&data, &root.path().join("r/.git")] {
        std::fs::create_dir_all(dir).expect("a directory");
    }
    let database = rusqlite::Connection::open(data.join("opencode.db")).expect("a database");
    let at = root.path().join("r");
    let at = at.to_str().expect("UTF-8");
    let part = format!(
        r#"{{"type":"tool","tool":"read","state":{{"status":"completed","input":{{"filePath":"src/a.ts"}},"output":"1: x\n\n<system-reminder>\nInstructions from: {at}/src/AGENTS.md\nUse tabs.\n</system-reminder>","metadata":{{"loaded":["{at}/src/AGENTS.md"]}}}}}}"#
    );
    database
        .execute_batch(&format!(
            "pragma journal_mode=wal; pragma wal_autocheckpoint=0;
             {OPENCODE}
             insert into session values ('ses_1', null, '{at}', '1.18.33', 1795615835059, 1795615843773);
             insert into session values ('ses_2', null, '/elsewhere', '1.18.33', 1795615835059, 1795615843773);
             insert into message values ('msg_1', 'ses_1', 1795615841000, '{{\"role\":\"assistant\"}}');
             insert into part values ('prt_1', 'msg_1', 'ses_1', 1795615841000, '{part}');
             insert into part values ('prt_2', 'msg_1', 'ses_1', 1795615842000, 'no JSON');"
        ))
        .expect("rows");
    (root, database)
}

/// Moves the times of all records of a home into the future.
pub fn in_the_future(root: &Path) {
    for file in files(&root.join("h")) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        std::fs::write(&file, text.replace("2026-11-2", "2096-11-2").replace("1795", "3995")).expect("a file");
    }
}

/// All files below a directory.
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Puts the rows that cases hold as lines, in files `DATABASE#SESSION`, into databases.
pub fn databases(root: &Path) {
    for file in files(&root.join("h")) {
        let path = file.to_str().expect("UTF-8");
        let Some((database, _)) = path.rsplit_once(".db#") else { continue };
        let lines = std::fs::read_to_string(&file).expect("lines");
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        std::fs::remove_file(&file).expect("a file");
        let database = rusqlite::Connection::open(format!("{database}.db")).expect("a database");
        let [head, rest @ ..] = &lines[..] else { panic!("a session") };
        if path.contains("/.hermes/") { hermes(&database, head, rest) } else { opencode(&database, head, rest) }
    }
}

const OPENCODE: &str = "
    create table if not exists session (id text, parent_id text, directory text, version text, time_created int, time_updated int);
    create table if not exists message (id text, session_id text, time_created int, data text);
    create table if not exists part (id text, message_id text, session_id text, time_created int, data text);";

fn opencode(database: &rusqlite::Connection, head: &Value, parts: &[Value]) {
    let id = head["session"].as_str();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    database.execute_batch(OPENCODE).expect("tables");
    let session = (
        id,
        text(&head["parent"]),
        text(&head["directory"]),
        text(&head["version"]),
        head["created"].as_i64(),
        head["updated"].as_i64(),
    );
    database.execute("insert into session values (?1, ?2, ?3, ?4, ?5, ?6)", session).expect("a row");
    for (number, part) in parts.iter().enumerate() {
        let (name, created) = (format!("{number:05}"), part["created"].as_i64());
        let data = json!({"role": part["role"], "summary": part["summary"]}).to_string();
        database.execute("insert into message values (?1, ?2, ?3, ?4)", (&name, id, created, data)).expect("a row");
        let part = (&name, &name, id, created, part["part"].to_string());
        database.execute("insert into part values (?1, ?2, ?3, ?4, ?5)", part).expect("a row");
    }
}

fn hermes(database: &rusqlite::Connection, head: &Value, rest: &[Value]) {
    database
        .execute_batch(
            "create table sessions (id text, parent_session_id text, system_prompt text, cwd text, started_at real);
             create table messages (id integer primary key, session_id text, role text, content text, tool_calls text,
              timestamp real, compacted int);",
        )
        .expect("tables");
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let seconds = |value: &Value| value.as_f64().expect("a time") / 1000.0;
    let [prompt, messages @ ..] = rest else { panic!("a prompt") };
    // What is cut of the prompt in the case is none of the files.
    let prompt = prompt["prompt"].as_str().expect("a prompt").replace("\n(1 characters)\n", "\n\n");
    let session = (text(&head["session"]), &prompt, text(&head["directory"]), seconds(&head["created"]));
    database.execute("insert into sessions values (?1, null, ?2, ?3, ?4)", session).expect("a row");
    for line in messages {
        let calls = (!line["calls"].is_null()).then(|| line["calls"].to_string());
        let message =
            (text(&head["session"]), text(&line["role"]), text(&line["content"]), calls, seconds(&line["created"]));
        database.execute("insert into messages values (null, ?1, ?2, ?3, ?4, ?5, 0)", message).expect("a row");
    }
}
