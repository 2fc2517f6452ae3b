//! `briefing watch`: a line whenever what an agent is told changes, and how it ends.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use crate::client::DEADLINE;
use crate::place::Place;

struct Watch {
    process: Child,
    lines: Receiver<String>,
    rules: std::path::PathBuf,
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (heard, lines) = channel();
    std::thread::spawn(move || {
        BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| heard.send(line.clone()).is_ok()).count()
    });
    lines
}

impl Watch {
    /// Starts, and waits until nothing is missed any more.
    fn start(place: &Place, arguments: &[&str]) -> Watch {
        let arguments: Vec<&str> = ["watch", "--harness", "codex"].iter().chain(arguments).copied().collect();
        let mut command = place.command("project", &arguments);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let (lines, said) =
            (lines(process.stdout.take().expect("piped")), lines(process.stderr.take().expect("piped")));
        let begun = said.recv_timeout(DEADLINE).expect("it says that it watches");
        assert!(begun.starts_with("briefing: watching for codex 0."), "{begun}");
        Watch { process, lines, rules: place.root.join("project/AGENTS.md") }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(DEADLINE).expect("a line")
    }

    fn write(&self, text: &str) {
        write(&self.rules, text);
    }

    fn signal(&mut self, signal: &str) -> Option<i32> {
        let id = self.process.id().to_string();
        assert!(
            std::process::Command::new("kill").args(["-s", signal, &id]).status().expect("kill is there").success()
        );
        self.process.wait().expect("it ends").code()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It has ended already where a test came to its end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn write(file: &Path, text: &str) {
    // In one step: half a file would be another change.
    let whole = file.with_extension("new");
    std::fs::write(&whole, text).expect("it is written");
    std::fs::rename(&whole, file).expect("it is put in place");
}

fn project() -> Place {
    Place::new(&[("project/.git/HEAD", "ref: refs/heads/main\n"), ("project/AGENTS.md", "Rules.\n")])
}

#[test]
#[cfg(unix)]
fn a_line_comes_for_what_the_agent_is_told_and_for_nothing_else() {
    let place = project();
    let mut watch = Watch::start(&place, &[]);
    watch.write("Rules!\n");
    let line = watch.line();
    assert!(line.starts_with("codex 0.") && line.ends_with("(+0 B)  the same files, with other text"), "{line}");
    let long = "- Write small functions, and test them.\n".repeat(900);
    watch.write(&long);
    let line = watch.line();
    assert!(line.contains(" B ≈ ") && line.ends_with("B)  cut AGENTS.md"), "{line}");
    // Behind the limit, and a file that Codex does not read.
    watch.write(&format!("{long}More.\n"));
    write(&place.root.join("project/CLAUDE.md"), "Ask.\n");
    std::fs::remove_file(&watch.rules).expect("it was there");
    let line = watch.line();
    assert!(line.ends_with("lost AGENTS.md"), "{line}");
    assert_eq!(watch.signal("INT"), Some(0));
    assert_eq!(watch.lines.recv_timeout(DEADLINE), Err(std::sync::mpsc::RecvTimeoutError::Disconnected));
}

#[test]
#[cfg(unix)]
fn programs_get_one_object_on_each_line() {
    let place = project();
    let mut watch = Watch::start(&place, &["--format", "json"]);
    write(&place.root.join("project/AGENTS.override.md"), "Other rules.\n");
    let change: Value = serde_json::from_str(&watch.line()).expect("JSON");
    let kinds = change["differences"].as_array().expect("a list").iter().map(|one| one["kind"].as_str());
    assert_eq!(kinds.flatten().collect::<Vec<_>>(), ["added", "lost"], "{change}");
    let number = |name: &str| change[name].as_u64().expect("a number");
    assert!(number("bytes") == number("bytesBefore") + 6 && number("tokens") > 0, "{change}");
    assert_eq!(
        (&change["harness"], &change["fidelity"], &change["refusal"]),
        (&"codex".into(), &"exact".into(), &Value::Null)
    );
    assert_eq!(watch.signal("TERM"), Some(0));
}

#[test]
#[cfg(unix)]
fn it_ends_when_nobody_reads_any_more() {
    let place = project();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let mut command = place.command("project", &["watch", "--harness", "codex"]);
    let mut process = command.stdout(writer).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(command);
    let said = lines(process.stderr.take().expect("piped"));
    said.recv_timeout(DEADLINE).expect("it says that it watches");
    drop(reader);
    write(&place.root.join("project/AGENTS.md"), "Other rules.\n");
    assert_eq!(process.wait().expect("it ends").code(), Some(0));
}
