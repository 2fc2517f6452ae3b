//! What stands on the screen of `show`, and how wide it is.

use super::*;

#[test]
fn show_says_which_files_reach_the_model_and_why() {
    let text = project().prints("project", &["show", "src/main.rs", "--harness", "codex", "-v"]);
    let expected = "\
codex 0.169 · started in @/project · reading src/main.rs · 99 B ≈ 25 tokens · exact
  ● loaded     @/home/.codex/AGENTS.md";
    // The path of the scratch directory counts among the bytes, so the first line is compared without its figures.
    let judged = "Judged for: Codex 0.169, named\n";
    let text = text.strip_prefix(judged).unwrap_or_else(|| panic!("who was judged comes first: {text}")).to_owned();
    let words = |text: &str| text.lines().next().map(|line| line.split(" · ").take(3).collect::<Vec<_>>().join(" · "));
    assert_eq!(words(&text), words(expected), "{text}");
    for (fate, file, reason) in [
        ("● loaded", " ~/.codex/AGENTS.md", "the first global file with text"),
        ("● loaded", " AGENTS.md", "the first name that exists in its directory"),
        ("○ skipped", " src/AGENTS.md", "below the start directory"),
    ] {
        let line = text.lines().find(|line| line.contains(&format!("{file} ")));
        assert!(line.is_some_and(|line| line.contains(fate) && line.contains(reason)), "{file}: {text}");
    }
}

#[test]
fn harnesses_that_read_nothing_share_one_line_unless_they_are_asked_for() {
    let place = project();
    let all = place.prints("project", &["show", "src/main.rs", "--harness", "all"]);
    let last = all.lines().last().unwrap_or_default();
    assert!(last.starts_with("no instruction files for ") && last.contains("gemini-cli"), "{all}");
    assert!(!last.contains("codex") && all.lines().any(|line| line.starts_with("codex 0.")), "{all}");
    let one = place.prints("project", &["show", "src/main.rs", "--harness", "gemini-cli", "-v"]);
    assert!(one.contains("\ngemini-cli 0.") && one.contains("  no instruction files\n"), "{one}");
}

#[test]
fn the_first_screen_has_a_line_for_each_harness_and_only_what_is_not_plain() {
    let long = "An instruction.\n".repeat(2100);
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", &long),
        ("project/CLAUDE.md", "Other rules.\n"),
        ("project/src/main.rs", "fn main() {}\n"),
    ]);
    let show = ["show", "src/main.rs", "--harness", "codex,claude-code,junie,kiro"];
    let text = place.prints("project", &show);
    let figures = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = text.lines().skip(1).map(figures).collect();
    assert_eq!(lines[0], "src/main.rs, read by agents started in @/project");
    assert!(lines[1].starts_with("codex 0.169 exact ") && lines[1].ends_with("██████ 102 % 1 cut AGENTS.md"), "{text}");
    assert_eq!(lines[2], "instructions 32 853 B, environment 429 B", "{text}");
    let lines = &lines[1..];
    assert!(lines[2].starts_with("claude-code 2.1 exact ") && lines[2].ends_with(" tokens CLAUDE.md"), "{text}");
    assert_eq!(lines[3..5], ["junie 2026.11, kiro 2026.11", "files 33 600 B ≈ 8 400 tokens AGENTS.md"], "{text}");
    assert_eq!(lines[6], "cut AGENTS.md codex", "{text}");
    assert!(lines[7].starts_with("the 32 768 B limit for all project files ends inside this file: "), "{text}");
    assert!(lines[8] == "files junie" && lines[9].starts_with("based on JetBrains' help"), "{text}");
    assert!(text.contains("shadowed  AGENTS.md  claude-code  CLAUDE.md exists"), "{text}");
    let narrow = place.command("project", show.iter()).env("COLUMNS", "60").output().expect("the program runs");
    let narrow = String::from_utf8_lossy(&narrow.stdout).into_owned();
    assert!(narrow.lines().count() > text.lines().count(), "{narrow}");
    assert!(narrow.lines().all(|line| line.trim_end().chars().count() <= 66), "{narrow}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn no_line_of_a_screen_is_wider_than_the_terminal() {
    let skill = "---\nname: release\ndescription: Makes a release\n---\nTag it.\n";
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", "Rules.\n"),
        ("project/CLAUDE.md", "@AGENTS.md\n@docs/a-file-that-nobody-wrote-yet.md\n"),
        ("project/.agents/skills/a-skill-with-a-rather-long-name/SKILL.md", skill),
        (
            "project/.claude/settings.json",
            r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo"}]}]}}"#,
        ),
        ("project/a-directory/with-another/and-a-file.rs", ""),
    ]);
    let agents = "codex,claude-code,opencode,gemini-cli";
    let file = "a-directory/with-another/and-a-file.rs";
    for arguments in [
        &["show", "-v", file, "--agents", agents][..],
        &["show", "--agents", agents],
        &["session", "--agents", "claude-code", "--read", file],
        &["report", "--agents", agents],
        &["harnesses"],
        &["inspect"],
        &["expect"],
        &["agents", "--agents", "claude-code"],
        &["audit", "no-session-of-this-name"],
        &["verify", "--records"],
    ] {
        for columns in [60, 80] {
            let mut command = place.command("project", arguments.iter());
            let output = command.env("COLUMNS", columns.to_string()).output().expect("the program runs");
            let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            assert!(text.lines().count() > 0, "{arguments:?}");
            for line in text.lines() {
                let is_one_word = !line.trim().contains(' ');
                assert!(line.chars().count() <= columns || is_one_word, "{arguments:?} {columns}: {line}");
            }
        }
    }
}

#[test]
fn an_import_that_is_missing_has_one_row() {
    let place =
        Place::new(&[("project/.git/HEAD", "ref: refs/heads/main\n"), ("project/CLAUDE.md", "@docs/none.md\n")]);
    let text = place.prints("project", &["show", "--harness", "claude-code"]);
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("none.md")).collect();
    assert!(matches!(rows.as_slice(), [row] if row.starts_with("missing  docs/none.md")), "{text}");
}

#[test]
fn paths_are_relative_to_where_the_agent_is_started_and_what_is_not_there_is_said() {
    let place = project();
    std::fs::write(place.root.join("project/src/CLAUDE.md"), "Beside.\n").expect("a file");
    let named = |file: &str| {
        let already = ["show", "main.rs", "--cwd", "project/src", "--harness", "opencode", "--already", file];
        place.prints(".", &[&already[..], &["--format", "json"]].concat())
    };
    assert!(named("AGENTS.md").contains("@/project/src/main.rs"));
    for (arguments, words) in [
        (&["--cwd", "project/src", "--already", "gone.md"][..], "--already: @/project/src/gone.md does not exist"),
        (&["--read", "project/src/gone.rs"], "--read: @/project/src/gone.rs does not exist"),
        (&["--cwd", "project/src", "--home", "home"], "--home: there is no directory home"),
    ] {
        let output = place.run(".", &[&["show"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr).replace(&place.root.display().to_string(), "@");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    let wrong = place.run("project", &["show", "gone.rs"]);
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert!(wrong.status.code() == Some(2) && said.contains("gone.rs does not exist; --new asks about"), "{said}");
    // An agent creates it, and reads nothing.
    let gone = place.run("project", &["show", "gone.rs", "--new", "--agents", "claude-code", "--format", "json"]);
    let answer: Value = serde_json::from_slice(&gone.stdout).expect("JSON");
    let briefing = &answer["briefings"][0];
    assert_eq!(
        (&briefing["standpoint"]["tool"], &briefing["warnings"]),
        (&"write".into(), &serde_json::json!([])),
        "{answer}"
    );
    let read =
        place.run("project", &["show", "gone.rs", "--new", "--tool", "read", "--agents", "codex", "--format", "json"]);
    let answer: Value = serde_json::from_slice(&read.stdout).expect("JSON");
    assert_eq!(answer["briefings"][0]["warnings"][0]["code"], "missing-target", "{answer}");
}

#[test]
fn a_directory_of_instructions_alone_is_asked_about_by_a_file_that_is_new_there() {
    let place = Place::new(&[("project/.git/HEAD", "ref: refs/heads/main\n"), ("project/docs/CLAUDE.md", "Docs.\n")]);
    let output = place.run("project", &["show", "docs", "--agents", "claude-code"]);
    let (said, words) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(words.contains("this is for creating docs/new-file"), "{words}");
    assert!(said.contains("docs/new-file, written") && said.contains("docs/CLAUDE.md"), "{said}");
}

#[test]
fn a_version_that_is_older_than_all_that_were_checked_is_said_to_be() {
    let place = Place::new(&[("project/.git/HEAD", "ref: refs/heads/main\n")]);
    for files in [&[][..], &["AGENTS.md"]] {
        files
            .iter()
            .for_each(|file| std::fs::write(place.root.join("project").join(file), "Rules.\n").expect("a file"));
        let said = place.prints("project", &["show", "--agents", "codex@0.1"]);
        assert!(said.contains("Codex 0.1 is older than 0.104.0"), "{said}");
    }
}

#[test]
fn a_rule_that_the_file_brings_is_not_said_to_be_left_out() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.github/instructions/ts.instructions.md", "---\napplyTo: \"**/*.ts\"\n---\nUse tabs.\n"),
        ("project/a.ts", "let a\n"),
    ]);
    let said = place.prints("project", &["show", "a.ts", "--agents", "copilot-cli"]);
    assert!(said.contains("ts.instructions.md") && !said.contains("excluded"), "{said}");
}
