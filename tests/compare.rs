//! Two answers side by side: `briefing compare`.

use serde_json::Value;

use crate::cli::project;
use crate::place::Place;
use crate::revision::git;

#[test]
fn compare_says_what_changed_since_a_revision() {
    let place = Place::new(&[
        ("project/AGENTS.md", "Root rules.\n"),
        ("project/docs/a.md", "More.\n"),
        ("project/CLAUDE.md", "Root rules.\n"),
    ]);
    let root = place.root.join("project");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "one"]);
    let harnesses = ["--harness", "claude-code", "--harness", "codex", "--harness", "junie"];
    let compare = |more: &[&str]| place.prints("project", &[&["compare"], &harnesses[..], more].concat());
    assert_eq!(compare(&["--exit-code"]), "nothing changes for Claude Code, Codex and Junie\n");
    let editions = ["compare", "--harness", "claude-code@2.1.267,claude-code@2.1.330"];
    assert_eq!(place.prints("project", &editions), "nothing changes for Claude Code and Claude Code\n");
    std::fs::write(root.join("CLAUDE.md"), "Root rules. @docs/a.md\n").expect("a file");
    std::fs::write(root.join("AGENTS.md"), "Root rules!\n").expect("a file");
    let expected = "\
Claude Code 2.1
  ~ grew   CLAUDE.md  23 B, was 12 B
  + added  docs/a.md  loaded (imported by CLAUDE.md)
Codex 0.169
  the same files and sizes, with other text
Junie 2026.11
  the same files and sizes, with other text
";
    assert_eq!(compare(&["--base", "HEAD"]), expected);
    let json: Value = serde_json::from_str(&compare(&["--format", "json"])).expect("JSON");
    assert_eq!((&json[1]["harness"], &json[1]["same"]), (&Value::Null, &Value::Bool(false)));
    let changed = place.run("project", &["compare", "--exit-code"]);
    assert_eq!(changed.status.code(), Some(1));
    let wrong = place.run("project", &["compare", "--base", "none"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("there is no revision `none`"));
    for (revision, words) in [("HEAD^0é", "is not understood from `é` on"), ("HEAD~150000", "further than the 100000")]
    {
        let wrong = place.run("project", &["compare", "--base", revision]);
        let said = String::from_utf8_lossy(&wrong.stderr);
        assert!(wrong.status.code() == Some(2) && said.contains(words), "{said}");
    }
}

#[test]
fn two_sides_of_any_kind_are_compared_by_what_tells_them_apart() {
    let place = project();
    std::fs::write(place.root.join("project/CLAUDE.md"), "For Claude.\n").expect("a file");
    let compare = |left: &str, right: &str, more: &[&str]| {
        place.prints("project", &[&["compare", "--left", left, "--right", right], more].concat())
    };
    let same = compare("codex", "codex", &["--exit-code"]);
    assert_eq!(same, "Codex 0.169 in @/project → Codex 0.169 in @/project\n  the same on both sides\n");
    let below = compare("codex", "codex cwd=src", &[]);
    assert!(below.starts_with("Codex 0.169 in @/project → Codex 0.169 in @/project/src\n  + added"), "{below}");
    let agents = compare("opencode agent=plan", "opencode agent=build", &[]);
    assert!(agents.contains("/project, agent plan → OpenCode 1.18 in @/project, agent build\n"), "{agents}");
    let model = compare("claude-code", "claude-code model=claude-sonnet-4-5 file=src/main.rs", &["--session", "main"]);
    assert!(
        model.contains(", no model, no file → ") && model.contains(", model claude-sonnet-4-5, file @/"),
        "{model}"
    );
    let json: Value = serde_json::from_str(&compare("codex", "claude-code", &["--format", "json"])).expect("JSON");
    assert_eq!(json[0]["same"], false);
    assert_eq!(
        place.run("project", &["compare", "--left", "codex", "--right", "claude-code", "--exit-code"]).status.code(),
        Some(1)
    );
    for (left, words) in [
        ("agent=plan", "--left: begin with a harness"),
        ("codex plan", "--left: `plan` is no NAME=VALUE; the names are agent"),
        ("codex agnt=plan", "--left: there is no `agnt`; the names are agent"),
        ("codex revision=main", "--left: @/project is in no git repository"),
        ("mine", "--left: it takes one harness to compare, not "),
        ("claud", "--left: there is no harness `claud`; did you mean claude-code?"),
        ("codex cwd=none", "--left: there is no directory none"),
    ] {
        let output = place.run("project", &["compare", "--left", left, "--right", "codex"]);
        let said = String::from_utf8_lossy(&output.stderr).replace(&place.root.display().to_string(), "@");
        assert!(output.status.code() == Some(2) && said.contains(words), "{left}: {said}");
    }
    assert_eq!(place.run("project", &["compare", "--left", "codex"]).status.code(), Some(2));
}

#[test]
fn compare_shows_which_lines_reach_whom() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", "# Rules\n\nRoot rules.\n"),
        ("project/CLAUDE.md", "@AGENTS.md\n\n- For Claude.\n- And more.\n"),
    ]);
    let harness = ["--harness", "codex,claude-code"];
    let all = place.prints("project", &[&["compare", "--all"], &harness[..]].concat());
    let expected = "           Codex  Claude Code
AGENTS.md  all    all
CLAUDE.md  -      all

CLAUDE.md
  lines 1-4       3 lines    Claude Code only
";
    assert_eq!(all, expected);
    let json = place.prints("project", &[&["compare", "--all", "--format", "json"], &harness[..]].concat());
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["files"][1]["parts"][0]["harnesses"], serde_json::json!(["claude-code"]));
    let check = [&["check", "--format", "json", "--severity", "not-for-everyone=information"], &harness[..]].concat();
    let found: Value = serde_json::from_str(&place.prints("project", &check)).expect("JSON");
    let messages: Vec<&str> =
        found["findings"].as_array().expect("a list").iter().filter_map(|one| one["message"].as_str()).collect();
    assert_eq!(messages, ["These 3 lines of CLAUDE.md reach Claude Code only"]);
    let off = place.prints("project", &[&["check"], &harness[..]].concat());
    assert!(off.contains("\nNo findings"), "{off}");
}

#[test]
fn agents_of_one_harness_differ_by_their_prompts_and_reminders() {
    let settings = r#"{"agent": {"build": {"prompt": "You are my build."}}}"#;
    let place = Place::new(&[("project/AGENTS.md", "R\n"), ("project/opencode.json", settings)]);
    let arguments = ["compare", "--left", "opencode agent=build", "--right", "opencode agent=plan"];
    let said = place.prints("project", &arguments);
    for line in ["+ added  provider chosen by the model", "+ added  reminder plan (1484 bytes", "- lost   agent build"]
    {
        assert!(said.contains(line), "{said}");
    }
    assert!(place.prints("project", &["compare", "--left", "opencode", "--right", "opencode"]).contains("the same"));
}
