//! The program as a newcomer meets it: what it prints, and the codes it exits with.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A scratch home and project, and the program run in it with an empty environment.
struct Place {
    _scratch: TempDir,
    root: PathBuf,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let root = scratch.path().canonicalize().expect("it exists");
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
            std::fs::write(path, text).expect("a file");
        }
        std::fs::create_dir_all(root.join("home")).expect("a home");
        Place { _scratch: scratch, root }
    }

    fn run(&self, cwd: &str, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_briefing"))
            .args(arguments)
            .current_dir(self.root.join(cwd))
            .env_clear()
            .env("HOME", self.root.join("home"))
            .output()
            .expect("the program runs")
    }

    /// What it prints, with the scratch directory written as `@`.
    fn prints(&self, cwd: &str, arguments: &[&str]) -> String {
        let output = self.run(cwd, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8").replace(&self.root.display().to_string(), "@")
    }
}

fn project() -> Place {
    Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", "Root rules.\n"),
        ("project/src/AGENTS.md", "Source rules.\n"),
        ("project/src/main.rs", "fn main() {}\n"),
        ("home/.codex/AGENTS.md", "Be brief.\n"),
    ])
}

#[test]
fn show_says_which_files_reach_the_model_and_why() {
    let text = project().prints("project", &["show", "src/main.rs", "--harness", "codex"]);
    let expected = "\
codex 0.169 · started in @/project · reading src/main.rs · 99 B ≈ 25 tokens · exact
  ● loaded     @/home/.codex/AGENTS.md";
    // The path of the scratch directory counts among the bytes, so the first line is compared without its figures.
    let words = |text: &str| text.lines().next().map(|line| line.split(" · ").take(3).collect::<Vec<_>>().join(" · "));
    assert_eq!(words(&text), words(expected), "{text}");
    for (fate, file, reason) in [
        ("● loaded", "@/home/.codex/AGENTS.md", "the first global file with text"),
        ("● loaded", "@/project/AGENTS.md", "the first name that exists in its directory"),
        ("○ dropped", "@/project/src/AGENTS.md", "below the start directory"),
    ] {
        let line = text.lines().find(|line| line.contains(&format!("{file} ")));
        assert!(line.is_some_and(|line| line.contains(fate) && line.contains(reason)), "{file}: {text}");
    }
}

#[test]
fn why_prints_every_probe_in_the_order_asked() {
    let text = project().prints("project/src", &["show", "main.rs", "--harness", "codex", "--why"]);
    let asked: Vec<&str> = text.lines().skip_while(|line| !line.contains("asked, in this order")).skip(1).collect();
    let at =
        |words: &str| asked.iter().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {text}"));
    assert!(at("@/home/.codex/config.toml → absent") < at("@/project/src/.git → absent"));
    assert!(at("@/project/AGENTS.override.md → absent") < at("@/project/AGENTS.md → file"));
    assert!(at("@/project/AGENTS.md → 12 B") < at("@/project/src/AGENTS.md → 14 B"));
}

#[test]
fn prompt_is_the_exact_text_and_nothing_else() {
    let text = project().prints("project", &["show", "--harness", "codex", "--format", "prompt"]);
    assert_eq!(
        text,
        "# AGENTS.md instructions for @/project\n\n<INSTRUCTIONS>\nBe brief.\n\n--- project-doc ---\n\nRoot rules.\n\n</INSTRUCTIONS>"
    );
}

#[test]
fn json_has_texts_and_parts_and_the_trace_only_with_why() {
    let place = project();
    let parse = |arguments: &[&str]| serde_json::from_str::<Value>(&place.prints("project", arguments)).expect("JSON");
    let answer = parse(&["show", "src/main.rs", "--harness", "codex", "--format", "json"]);
    let briefing = &answer["briefings"][0];
    assert_eq!(briefing["harness"], "codex");
    assert_eq!(briefing["target"], "@/project/src/main.rs");
    assert_eq!(briefing["messages"][0]["role"], "user");
    assert!(briefing["messages"][0]["parts"][0].is_string());
    assert_eq!(briefing["messages"][1]["kind"], "environment");
    assert!(briefing.get("trace").is_none());
    let traced = parse(&["show", "--harness", "codex", "--format", "json", "--why"]);
    assert!(traced["briefings"][0]["trace"].as_array().is_some_and(|trace| !trace.is_empty()));
}

#[test]
fn a_refusal_is_an_answer_and_misuse_is_not() {
    let place = Place::new(&[("project/AGENTS.md", "R\n"), ("home/.codex/config.toml", "model = \n")]);
    let refused = place.prints("project", &["show", "--harness", "codex"]);
    assert!(refused.contains("refuses to start") && refused.contains("@/home/.codex/config.toml:1:"), "{refused}");
    for (arguments, words) in [
        (&["show", "--harness", "kodex"][..], "there is no harness `kodex`; the harnesses are codex"),
        (&["show", "--harness", "codex@0.1"], "older than every edition"),
        (&["show", "--session", "night"], "session: `night` is none of main"),
        (&["show", "--request", "{"], "--request:"),
        (&["shw"], "unrecognized subcommand"),
    ] {
        let output = place.run("project", arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn home_and_cwd_can_be_assumed_and_versions_outside_the_checked_range_are_marked() {
    let place = project();
    let elsewhere = Place::new(&[("home/.codex/AGENTS.md", "Another home.\n")]);
    let home = elsewhere.root.join("home");
    let text = place.prints(
        ".",
        &[
            "show",
            "--harness",
            "codex@0.170.3",
            "--format",
            "json",
            "--home",
            &home.display().to_string(),
            "--cwd",
            "project/src",
        ],
    );
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    let briefing = &answer["briefings"][0];
    assert_eq!(briefing["standpoint"]["cwd"], "@/project/src");
    assert!(briefing["messages"][0]["text"].as_str().is_some_and(|text| text.contains("Another home.")));
    assert_eq!((&briefing["edition"], &briefing["fidelity"]), (&"0.169".into(), &"files".into()));
    assert_eq!(briefing["warnings"][0]["code"], "between-editions");
}

#[test]
fn nothing_is_written_anywhere() {
    let place = project();
    let before = listing(&place.root);
    place.prints("project", &["show", "src/main.rs", "--why"]);
    assert_eq!(listing(&place.root), before);
}

/// Every path with its size and time of change.
fn listing(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = vec![root.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            let meta = std::fs::symlink_metadata(&path).expect("it exists");
            found.push(format!("{} {} {:?}", path.display(), meta.len(), meta.modified()));
            if meta.is_dir() {
                todo.push(path);
            }
        }
    }
    found.sort();
    found
}
