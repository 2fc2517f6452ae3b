//! The house rules that the compiler does not keep: which room may name which, and what must not be committed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every room with the rooms it may name. `main` and the crate itself are not rooms.
const MAY_NAME: [(&str, &[&str]); 24] = [
    ("text", &[]),
    ("paths", &[]),
    ("glob", &["text", "paths"]),
    ("formats", &["text", "glob"]),
    ("snapshot", &["text", "paths", "glob", "formats"]),
    ("search", &["text", "glob", "snapshot"]),
    ("query", &["snapshot", "search"]),
    ("answer", &["text", "snapshot", "search"]),
    ("harness", &["text", "glob", "formats", "snapshot", "search", "answer"]),
    ("resolve", &["text", "snapshot", "search", "query", "answer", "harness"]),
    ("session", &["snapshot", "answer", "harness"]),
    ("queries", &["text", "glob", "formats", "snapshot", "search", "query", "answer", "harness"]),
    ("index", &["text", "snapshot", "search", "query", "answer", "harness", "resolve"]),
    (
        "report",
        &["text", "glob", "formats", "snapshot", "search", "answer", "harness", "resolve", "session", "queries"],
    ),
    ("request", &["text", "snapshot", "search", "answer", "harness", "resolve", "queries", "report"]),
    ("disk", &["text", "glob", "formats", "snapshot"]),
    ("records", &["text", "formats", "snapshot", "disk"]),
    ("remote", &["snapshot"]),
    ("verify", &["formats", "snapshot", "answer", "harness", "disk"]),
    (
        "engine",
        &[
            "text", "glob", "formats", "snapshot", "search", "query", "answer", "harness", "resolve", "session",
            "queries", "index", "report", "request", "disk", "records", "remote",
        ],
    ),
    ("tasks", &["engine"]),
    (
        "lsp",
        &[
            "text", "formats", "snapshot", "search", "answer", "harness", "resolve", "session", "queries", "index",
            "report", "request", "disk", "remote", "engine", "tasks",
        ],
    ),
    ("mcp", &["text", "snapshot", "answer", "report", "request", "disk", "engine", "tasks"]),
    (
        "cli",
        &[
            "text", "formats", "snapshot", "search", "query", "answer", "harness", "resolve", "session", "queries",
            "index", "report", "request", "disk", "records", "remote", "verify", "engine", "tasks",
        ],
    ),
];

/// Arrows that still go the wrong way, each with the reason.
const NOT_YET: [(&str, &str); 3] = [
    // Answers in the forms of the protocol, and the requests that make them.
    ("mcp", "lsp"),
    // The commands that start the other two doors.
    ("cli", "lsp"),
    ("cli", "mcp"),
];

#[test]
fn rooms_name_only_the_rooms_they_may() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_NAME.into_iter().collect();
    let mut wrong = Vec::new();
    for file in sources() {
        let room = room_of(&file);
        if matches!(room.as_str(), "lib" | "main") {
            continue;
        }
        let Some(may) = allowed.get(room.as_str()) else {
            wrong.push(format!("{}: the room `{room}` is not in the table", file.display()));
            continue;
        };
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        for (number, line) in text.lines().enumerate() {
            // Documents may point anywhere.
            let code = line.trim_start();
            if code.starts_with("//") {
                continue;
            }
            for named in named_rooms(code) {
                if named != room
                    && allowed.contains_key(named)
                    && !may.contains(&named)
                    && !NOT_YET.contains(&(room.as_str(), named))
                {
                    wrong.push(format!("{}:{}: `{room}` names `{named}`", file.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_stop_in_one_way() {
    for file in sources().into_iter().filter(|file| room_of(file) == "harness") {
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        for other in ["Ok(Err(", "Ok(Ok(", "Refusal>>", ".refusal = "] {
            assert!(!text.contains(other), "{}: `{other}`; use `Err(Halt::…)` and `?`", file.display());
        }
    }
}

#[test]
fn only_the_doors_wait() {
    let doors = ["tasks", "lsp", "mcp", "verify"];
    for file in sources().into_iter().filter(|file| !doors.contains(&room_of(file).as_str())) {
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        for word in ["async ", ".await", "tokio::", "futures::"] {
            assert!(!text.contains(word), "{}: `{word}`; tasks, lsp and mcp run it on a thread", file.display());
        }
    }
}

#[test]
fn protocol_types_stay_in_the_doors() {
    for file in sources().into_iter().filter(|file| !["lsp", "mcp"].contains(&room_of(file).as_str())) {
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        assert!(!text.contains("tower_lsp") && !text.contains("ls_types"), "{} names protocol types", file.display());
    }
}

#[test]
fn every_source_file_opens_with_its_caption() {
    for file in sources() {
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        assert!(text.starts_with("//! "), "{} has no caption", file.display());
    }
}

#[test]
fn no_live_instruction_file_is_committed_below_tests() {
    let listed = Command::new("git").args(["ls-files", "tests"]).current_dir(root()).output();
    let Ok(listed) = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()) else { return };
    let live =
        ["AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "SOUL.md", "CONTEXT.md"];
    let found: Vec<&str> =
        listed.lines().filter(|file| live.iter().any(|name| file.ends_with(&format!("/{name}")))).collect();
    assert!(found.is_empty(), "agents that work here would obey {found:?}");
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![root().join("src")];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// `src/lsp/convert.rs` is in the room `lsp`.
fn room_of(file: &Path) -> String {
    let inside = file.strip_prefix(root().join("src")).expect("below src");
    let first = inside.components().next().expect("a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The rooms named as `crate::ROOM` or `crate::{ROOM, …}` in a line.
fn named_rooms(line: &str) -> Vec<&str> {
    let mut named = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let rest = &line[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            named.extend(list.trim_end_matches(['}', ';']).split(',').map(|item| word(item.trim())));
        } else {
            named.push(word(rest));
        }
    }
    named
}

fn word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}
