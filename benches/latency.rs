//! How long an editor waits: the real binary through its pipes, on trees of this bench's own making.
//!
//! `cargo bench --bench latency` prints one line per figure, with the target where there is one. On a busy machine the
//! ratios say more than the times.
#![expect(clippy::disallowed_methods, reason = "a bench makes its own tree and starts the program")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use briefing::disk::scan::{Progress, Threads, scan};
use briefing::harness::names::INSTRUCTION_FILES;
use ignore::{WalkBuilder, WalkState};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Trees to compare: an answer for one file must not depend on how many others there are.
const SMALL_FILES: usize = 1_000;
const LARGE_FILES: usize = 100_000;

/// Servers started for one cold figure, requests for one warm figure, edits, and changes outside the editor.
const STARTS: usize = 40;
const REQUESTS: usize = 5_000;
const EDITS: usize = 300;
const EVENTS: usize = 100;

const MS: Duration = Duration::from_millis(1);

fn main() {
    let scratch = TempDir::new().expect("a scratch directory");
    let small = tree(&scratch.path().join("small"), SMALL_FILES);
    let large = tree(&scratch.path().join("large"), LARGE_FILES);

    println!("{:<58} {:>9} {:>9} {:>9}", "", "p50 ms", "p99 ms", "target");
    starts(&small, &large);
    warm(&large);
    for (what, bytes, target) in [("20 KiB", 20 << 10, MS), ("1 MiB", 1 << 20, 5 * MS)] {
        edits(&large, what, bytes, target);
    }
    events(&large);
    scans(&large);
}

/// From the start of the process to the first answer, and to the first diagnostics.
fn starts(small: &Tree, large: &Tree) {
    let first_answer = |tree: &Tree| {
        measured(STARTS, || {
            let mut server = Server::start(tree);
            // Nothing of the answer, but the server has settled.
            server.ask("briefing/status", json!(null));
            let started = Instant::now();
            server.effective(tree, json!({"cwd": uri(tree.file.parent().expect("a directory"))}));
            started.elapsed()
        })
    };
    let first_diagnostics = |tree: &Tree| {
        measured(STARTS, || {
            let started = Instant::now();
            let mut server = Server::start(tree);
            server.open(&tree.root.join("AGENTS.md"), &"Rules.\n".repeat(100));
            started.elapsed()
        })
    };
    compared("cold: the first answer", &first_answer, [small, large], 5 * MS);
    compared("cold: spawn to the first diagnostics, all harnesses", &first_diagnostics, [small, large], 30 * MS);
}

fn compared(what: &str, time: &dyn Fn(&Tree) -> Vec<Duration>, [small, large]: [&Tree; 2], target: Duration) {
    let (few, many) = (time(small), time(large));
    line(&format!("{what}, 1 000 files"), &few, Some(target));
    line(&format!("{what}, 100 000 files"), &many, Some(target));
    println!("{:<58} {:>9.2}", "  ratio of the two", ratio(&many, &few));
}

/// Requests whose answer is remembered.
fn warm(tree: &Tree) {
    let mut server = Server::start(tree);
    server.effective(tree, json!({}));
    let mut ask = |more: Value| measured(REQUESTS, || timed(|| drop(server.effective(tree, more.clone()))));
    line("warm: sizes and fates", &ask(json!({})), Some(MS / 5));
    line("warm: with the texts", &ask(json!({"include": ["text"]})), None);
}

/// Edits of the instruction file at the root, up to their diagnostics; every harness answers.
fn edits(tree: &Tree, what: &str, bytes: usize, target: Duration) {
    let mut server = Server::start(tree);
    let path = tree.root.join("AGENTS.md");
    server.open(&path, &"- Never guess.\n".repeat(bytes / 15));
    server.settle();
    let mut version = 1;
    let found = measured(EDITS, || {
        version += 1;
        let range = json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 1}});
        let changes = json!([{"range": range, "text": "x"}]);
        timed(|| {
            let document = json!({"uri": uri(&path), "version": version});
            server.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
            server.diagnostics(&path, Some(version));
        })
    });
    line(&format!("edit to diagnostics, {what}, all harnesses"), &found, Some(target));
}

/// Changes outside the editor, up to the diagnostics; what one costs; and what the server needs in memory by then.
fn events(tree: &Tree) {
    let mut server = Server::start(tree);
    let path = tree.root.join("AGENTS.md");
    server.open(&path, "Rules.\n");
    server.settle();
    println!("{:<58} {:>9}           {:>9}", "memory when all is known, MB", server.memory_kb() / 1000, 40);
    let over = tree.root.join("AGENTS.override.md");
    let before = server.cpu();
    let found = measured(EVENTS, || {
        timed(|| {
            // One rename, so that nobody sees a file that is half written.
            fs::write(tree.root.join("new"), "Instead.\n").expect("it is written");
            fs::rename(tree.root.join("new"), &over).expect("it is there");
            server.diagnostics(&path, None);
        });
        timed(|| {
            fs::remove_file(&over).expect("it is there");
            server.diagnostics(&path, None);
        })
    });
    line("a change outside the editor to diagnostics", &found, Some(200 * MS));
    let each = (server.cpu() - before) / (2 * EVENTS as u32);
    println!("{:<58} {:>9.3}           {:>9}", "  CPU of one, all harnesses, ms", each.as_secs_f64() * 1e3, 2.0);
}

/// The scan of a workspace against a walk that does nothing with what it finds.
fn scans(tree: &Tree) {
    let wanted = |name: &std::ffi::OsStr| INSTRUCTION_FILES.may_match(name);
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        bare.push(timed(|| {
            let seen = AtomicUsize::new(0);
            WalkBuilder::new(&tree.root).standard_filters(false).build_parallel().run(|| {
                Box::new(|_| {
                    seen.fetch_add(1, Ordering::Relaxed);
                    WalkState::Continue
                })
            });
        }));
        ours.push(timed(|| drop(scan(&tree.root, Threads::PerCore, &wanted, |_| {}, &Progress::default()))));
    }
    ours.sort_unstable();
    bare.sort_unstable();
    line("the scan of 100 000 files", &ours, None);
    let verdict = if ratio(&ours, &bare) <= 1.5 { "✓" } else { "✗" };
    println!("{:<58} {:>9.2} {:>19} {verdict}", "  ratio to a bare walk", ratio(&ours, &bare), 1.5);
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

/// Times, sorted.
fn measured(count: usize, mut time: impl FnMut() -> Duration) -> Vec<Duration> {
    let mut found: Vec<Duration> = (0..count).map(|_| time()).collect();
    found.sort_unstable();
    found
}

fn timed(mut work: impl FnMut()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
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
        let abilities = json!({"textDocument": {"publishDiagnostics": {"versionSupport": true}}});
        server.ask("initialize", json!({"capabilities": abilities, "workspaceFolders": folders}));
        server.tell("initialized", json!({}));
        server
    }

    /// Opens a file, and waits for its diagnostics.
    fn open(&mut self, path: &Path, text: &str) {
        let document = json!({"uri": uri(path), "languageId": "markdown", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
        self.diagnostics(path, Some(1));
    }

    /// Waits until the workspace is looked through, which takes all cores.
    fn settle(&mut self) {
        while self.ask("briefing/status", json!(null))["complete"] != true {}
    }

    /// Waits for diagnostics of a file, of a certain version if one is named.
    fn diagnostics(&mut self, path: &Path, version: Option<i64>) {
        loop {
            let message = self.read();
            let found = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics"
                && found["uri"] == uri(path)
                && version.is_none_or(|version| found["version"] == version)
            {
                return;
            }
        }
    }

    /// What the process has used of the processors so far; nothing where the system does not say.
    fn cpu(&self) -> Duration {
        let line = fs::read_to_string(format!("/proc/{}/stat", self.process.id())).unwrap_or_default();
        let fields: Vec<&str> = line.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
        // In hundredths of a second, user and system.
        Duration::from_millis(10 * (ticks(11) + ticks(12)))
    }

    fn memory_kb(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
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
