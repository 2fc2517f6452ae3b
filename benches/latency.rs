//! How long an editor waits: the real binary through its pipes, on trees of this bench's own making.
//!
//! `cargo bench --bench latency` prints one line per question, with the target where there is one.
#![expect(clippy::disallowed_methods, reason = "a bench makes its own tree and starts the program")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Trees to compare: an answer for one file must not depend on how many others there are.
const SMALL_FILES: usize = 1_000;
const LARGE_FILES: usize = 100_000;

/// Servers started for one cold figure, and requests for one warm figure.
const STARTS: usize = 40;
const REQUESTS: usize = 5_000;

const WARM_TARGET: Duration = Duration::from_micros(200);
const COLD_TARGET: Duration = Duration::from_millis(5);

fn main() {
    let scratch = TempDir::new().expect("a scratch directory");
    let small = tree(&scratch.path().join("small"), SMALL_FILES);
    let large = tree(&scratch.path().join("large"), LARGE_FILES);

    println!("{:<58} {:>9} {:>9} {:>9}", "", "p50 ms", "p99 ms", "target");
    let cold_small = cold(&small);
    line("cold: the first answer, 1 000 files", &cold_small, Some(COLD_TARGET));
    let cold_large = cold(&large);
    line("cold: the first answer, 100 000 files", &cold_large, Some(COLD_TARGET));
    println!("{:<58} {:>9.2}", "cold: ratio of the two", ratio(&cold_large, &cold_small));

    let mut server = Server::start(&large);
    server.effective(&large, json!({}));
    let sizes = times(REQUESTS, || drop(server.effective(&large, json!({}))));
    line("warm: sizes and fates", &sizes, Some(WARM_TARGET));
    let texts = times(REQUESTS, || drop(server.effective(&large, json!({"include": ["text"]}))));
    line("warm: with the texts", &texts, None);
    let uri = uri(&large.root.join("AGENTS.md"));
    let document = json!({"uri": uri, "languageId": "markdown", "version": 1, "text": "Rules.\n".repeat(2000)});
    server.tell("textDocument/didOpen", json!({"textDocument": document}));
    let mut version = 1;
    let edited = times(REQUESTS / 5, || {
        version += 1;
        let range = json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 1}});
        let changes = json!([{"range": range, "text": "x"}]);
        let document = json!({"uri": uri, "version": version});
        server.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
        server.effective(&large, json!({}));
    });
    line("typed: an edit of AGENTS.md, then the answer", &edited, None);
}

/// A workspace, and a source file in it.
struct Tree {
    root: PathBuf,
    file: PathBuf,
}

/// Ten files to a directory, eight directories to a directory, a file of instructions in every fifth.
fn tree(root: &Path, files: usize) -> Tree {
    let mut dirs = vec![root.to_owned()];
    let mut next = 0;
    while dirs.len() * 10 < files {
        let parent = dirs[next].clone();
        next += 1;
        dirs.extend((0..8).map(|child| parent.join(format!("d{child}"))));
    }
    fs::create_dir_all(root.join(".git")).expect("a directory");
    for (number, dir) in dirs.iter().enumerate() {
        fs::create_dir_all(dir).expect("a directory");
        for file in 0..10 {
            fs::write(dir.join(format!("f{file}.rs")), "// a file\n").expect("it is written");
        }
        if number % 5 == 0 {
            fs::write(dir.join("AGENTS.md"), "- Never guess.\n".repeat(100)).expect("it is written");
        }
    }
    // At the same depth in every tree, since it is the file's own ancestors that are looked at.
    Tree { root: root.to_owned(), file: root.join("d0/d0/f0.rs") }
}

/// Times to the first answer of servers that were just started.
fn cold(tree: &Tree) -> Vec<Duration> {
    let mut found: Vec<Duration> = (0..STARTS)
        .map(|_| {
            let mut server = Server::start(tree);
            let started = Instant::now();
            let answer = server.effective(tree, json!({"cwd": uri(tree.file.parent().expect("a directory"))}));
            let took = started.elapsed();
            assert!(
                answer["briefings"][0]["sources"].as_array().is_some_and(|sources| !sources.is_empty()),
                "{answer}"
            );
            took
        })
        .collect();
    found.sort_unstable();
    found
}

fn times(count: usize, mut question: impl FnMut()) -> Vec<Duration> {
    let mut found: Vec<Duration> = (0..count)
        .map(|_| {
            let started = Instant::now();
            question();
            started.elapsed()
        })
        .collect();
    found.sort_unstable();
    found
}

fn line(what: &str, found: &[Duration], target: Option<Duration>) {
    let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
    let (p50, p99) = (found[found.len() / 2], found[found.len() * 99 / 100]);
    let verdict = target
        .map_or_else(String::new, |target| format!("{:>6.1} {}", ms(target), if p50 <= target { "✓" } else { "✗" }));
    println!("{what:<58} {:>9.3} {:>9.3} {verdict:>9}", ms(p50), ms(p99));
}

fn ratio(one: &[Duration], other: &[Duration]) -> f64 {
    one[one.len() / 2].as_secs_f64() / other[other.len() / 2].as_secs_f64()
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// `briefing lsp` after `initialize`, with an empty home.
struct Server {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Server {
    fn start(tree: &Tree) -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_briefing"))
            .arg("lsp")
            .env_clear()
            .env("HOME", tree.root.join("nobody"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = process.stdin.take().expect("piped");
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let mut server = Server { process, input, output, last_id: 0 };
        let folders = json!([{"uri": uri(&tree.root), "name": "tree"}]);
        server.ask("initialize", json!({"capabilities": {}, "workspaceFolders": folders}));
        server.tell("initialized", json!({}));
        // Nothing of the answer, but the server has settled.
        server.ask("briefing/status", json!(null));
        server
    }

    fn effective(&mut self, tree: &Tree, more: Value) -> Value {
        let mut params = json!({"textDocument": {"uri": uri(&tree.file)}, "harness": "codex"});
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        self.ask("briefing/effectiveInstructions", params)
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut message = self.read();
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{message}");
                return message["result"].take();
            }
        }
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.input.write_all(frame.as_bytes()).expect("the server reads");
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("the server writes");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(digits) => length = digits.parse().expect("a number"),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a whole message");
        serde_json::from_slice(&body).expect("JSON")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
