//! The action for GitHub: its steps, run one after the other with a `gh` that asks nobody.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use serde_norway::Value;
use sha2::{Digest, Sha256};

use crate::place::Place;
use crate::revision::git;

/// A machine of GitHub's: its scratch directory, and what the steps have said so far.
struct Machine {
    place: Place,
    action: Value,
    inputs: BTreeMap<&'static str, String>,
    /// Repository that the pull request comes from.
    head: &'static str,
}

/// `gh` writes down what it is asked, hands out the release, and knows of one comment once it was posted.
const GH: &str = r#"#!/usr/bin/env bash
echo "$*" >>"$FAKE/asked"
case "$1 $2" in
  "release download") cp "$FAKE/release/"* . ;;
  "api --paginate") if [ -e "$FAKE/comment" ]; then echo 7; fi ;;
  "api --method") for word in "$@"; do case "$word" in body=@*) cp "${word#body=@}" "$FAKE/comment" ;; esac; done ;;
  *) exit 9 ;;
esac
"#;

impl Machine {
    fn new() -> Machine {
        let place = Place::new(&[
            ("fake/gh", GH),
            ("project/AGENTS.md", "Root rules.\n"),
            ("project/CLAUDE.md", "Ask first.\n"),
            ("release/.keep", ""),
        ]);
        let root = place.root.clone();
        let run = |program: &str, arguments: &[&str]| {
            let done = Command::new(program).args(arguments).current_dir(&root).status().expect("it runs");
            assert!(done.success(), "{program} {arguments:?}");
        };
        run("chmod", &["+x", "fake/gh"]);
        let name = "briefing-x86_64-unknown-linux-musl";
        for dir in [name, "fake/release", "temp"] {
            std::fs::create_dir_all(root.join(dir)).expect("a directory");
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_briefing"), root.join(name).join("briefing")).expect("a link");
        run("tar", &["-czf", &format!("fake/release/{name}.tar.gz"), name]);
        let archive = std::fs::read(root.join(format!("fake/release/{name}.tar.gz"))).expect("it was packed");
        let sum: String = Sha256::digest(&archive).iter().map(|byte| format!("{byte:02x}")).collect();
        std::fs::write(root.join("fake/release/SHA256SUMS"), format!("{sum}  {name}.tar.gz\n")).expect("it is written");
        let project = root.join("project");
        git(&project, &["init", "-q"]);
        git(&project, &["add", "-A"]);
        git(&project, &["commit", "-q", "-m", "one"]);
        let text =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml")).expect("the action");
        let action = serde_norway::from_str(&text).expect("YAML");
        let inputs = [("arguments", "--no-home --harness codex,claude-code"), ("base", "HEAD"), ("version", "latest")];
        Machine {
            place,
            action,
            inputs: inputs.map(|(name, value)| (name, value.to_owned())).into(),
            head: "owner/project",
        }
    }

    /// What an expression comes to.
    fn said(&self, expression: &str) -> String {
        let inner = expression.trim_start_matches("${{").trim_end_matches("}}").trim();
        match inner {
            "github.action_repository" => "owner/briefing".to_owned(),
            "github.repository" => "owner/project".to_owned(),
            "github.event.pull_request.number" => "12".to_owned(),
            "github.event.pull_request.head.repo.full_name" => self.head.to_owned(),
            "inputs.token" => "none".to_owned(),
            "steps.check.outputs.code" => {
                let output = std::fs::read_to_string(self.place.root.join("temp/output")).expect("it was written");
                output.lines().rev().find_map(|line| line.strip_prefix("code=")).expect("a code").to_owned()
            }
            other => self.inputs[other.strip_prefix("inputs.").expect(other)].clone(),
        }
    }

    /// Runs the step of that name.
    fn step(&self, name: &str) -> Output {
        let steps = self.action["runs"]["steps"].as_sequence().expect("steps");
        let step = steps.iter().find(|step| step["name"] == name).expect(name);
        let root = &self.place.root;
        let at = |path: &str| root.join(path).display().to_string();
        let path = std::fs::read_to_string(root.join("temp/path")).unwrap_or_default().replace('\n', ":");
        let mut command = Command::new("bash");
        // As GitHub starts it.
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"].as_str().expect("a script")]);
        command.current_dir(root.join("project")).env_clear().env("HOME", at("home")).env("FAKE", at("fake"));
        command.env("PATH", format!("{path}{}:{}", at("fake"), std::env::var("PATH").unwrap_or_default()));
        command.env("RUNNER_OS", "Linux").env("RUNNER_ARCH", "X64").env("RUNNER_TEMP", at("temp"));
        command.env("GITHUB_PATH", at("temp/path")).env("GITHUB_OUTPUT", at("temp/output"));
        command.env("GITHUB_STEP_SUMMARY", at("temp/summary"));
        for (name, value) in step["env"].as_mapping().into_iter().flatten() {
            command.env(name.as_str().expect("a name"), self.said(value.as_str().expect("an expression")));
        }
        command.output().expect("bash runs")
    }

    fn passes(&self, name: &str) -> String {
        let output = self.step(name);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn file(&self, path: &str) -> String {
        std::fs::read_to_string(self.place.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

#[test]
fn the_action_installs_checks_and_keeps_one_comment() {
    let machine = Machine::new();
    machine.passes("Install");
    assert!(
        machine.file("fake/asked").contains("release download --repo owner/briefing --clobber --pattern briefing-x86")
    );
    let judged = "Judged for: Codex 0.169 and Claude Code 2.1, named";
    assert_eq!(machine.passes("Check").lines().map(|line| line.split(';').next()).collect::<Vec<_>>(), [Some(judged)]);
    machine.passes("Comment");
    machine.passes("Result");
    assert!(
        machine
            .file("fake/comment")
            .starts_with("<!-- briefing check -->\n### Briefing\n\nJudged for: Codex 0.169 and Claude Code ")
    );
    std::fs::write(machine.place.root.join("project/CLAUDE.md"), "@gone.md\n").expect("it is written");
    let annotations = machine.passes("Check");
    assert!(annotations.contains("\n::warning file=CLAUDE.md,line=1,"), "{annotations}");
    let sarif: serde_json::Value = serde_json::from_str(&machine.file("temp/briefing.sarif")).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "import-missing");
    assert!(machine.file("temp/summary").contains("| warning | `CLAUDE.md:1` |"));
    machine.passes("Comment");
    let asked = machine.file("fake/asked");
    let calls: Vec<&str> = asked.lines().filter(|line| line.starts_with("api --method")).collect();
    assert!(calls[0].contains("POST repos/owner/project/issues/12/comments "), "{calls:?}");
    assert!(calls[1].contains("PATCH repos/owner/project/issues/comments/7 ") && calls.len() == 2, "{calls:?}");
    assert!(machine.file("fake/comment").contains("CLAUDE.md:1"));
    assert_eq!(machine.step("Result").status.code(), Some(1));
}

#[test]
fn the_comment_has_what_agents_are_told_what_clients_run_and_the_fork_it_comes_from() {
    let mut machine = Machine::new();
    let write = |path: &str, text: &str| {
        let path = machine.place.root.join("project").join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("it is made");
        std::fs::write(path, text).expect("it is written");
    };
    write("CLAUDE.md", "Push without review.\n");
    write("vendor/x/CLAUDE.md", "Another project's own.\n");
    write(
        ".claude/settings.json",
        r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "./setup.sh"}]}]}, "permissions": {"allow": ["Bash(git push:*)"]}}"#,
    );
    machine.passes("Install");
    machine.passes("Check");
    machine.passes("Comment");
    let comment = machine.file("fake/comment");
    for part in [
        "#### What agents are told\n\n**Claude Code ",
        "started in this directory**",
        "+ Push without review.\n- Ask first.\n",
        "#### What clients run here\n\n- + hook ./setup.sh",
        "#### What clients are allowed here\n\n- + permission Bash(git push:\\*)",
        "vendor/x/CLAUDE.md vendored, in vendor",
        "nothing changes for Codex",
    ] {
        assert!(comment.contains(part), "{part}\n{comment}");
    }
    assert!(!comment.contains("the fork"), "{comment}");
    machine.head = "stranger/project";
    machine.passes("Check");
    machine.passes("Comment");
    let comment = machine.file("fake/comment");
    assert!(comment.contains("\n\nThe change comes from the fork `stranger/project`.\n\n**Claude Code "), "{comment}");
}

#[test]
fn the_action_ends_where_a_release_or_a_question_is_wrong() {
    let mut machine = Machine::new();
    std::fs::write(
        machine.place.root.join("fake/release/SHA256SUMS"),
        format!("{}  briefing-x86_64-unknown-linux-musl.tar.gz\n", "0".repeat(64)),
    )
    .expect("it is written");
    assert_eq!(machine.step("Install").status.code(), Some(1));
    assert!(!machine.place.root.join("temp/path").exists(), "nothing that is not the release is run");
    let mut machine_with = |base: &str| {
        machine = Machine::new();
        machine.inputs.insert("base", base.to_owned());
        machine.passes("Install");
        machine.step("Check")
    };
    let output = machine_with("no-such-revision");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no revision `no-such-revision`"));
}
