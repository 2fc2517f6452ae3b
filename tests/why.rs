//! `briefing why`: where a sentence comes from, who gets it, and why the others do not.

use serde_json::Value;

use crate::place::Place;

const BOTH: [&str; 2] = ["--harness", "codex,claude-code"];

fn project() -> Place {
    let rules = format!("# Rules\nRun the\n  linter.\n{}The last rule.\n", "- Write small functions.\n".repeat(1400));
    let claude = "Ask before you delete.\n\n<!--\nNobody reads this.\n-->\n\n@AGENTS.md\n";
    Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/AGENTS.md", &rules),
        ("home/project/CLAUDE.md", claude),
        ("home/project/src/AGENTS.md", "Handlers return errors.\n"),
        ("home/project/src/CLAUDE.md", "Handlers log nothing.\n"),
        ("home/project/src/main.rs", "fn main() {}\n"),
        ("home/.codex/AGENTS.md", "Be brief.\n"),
    ])
}

/// Of each place that is found: the file with its line, and of each harness whether it gets the text, and when or why
/// not.
fn found(place: &Place, text: &str) -> Vec<String> {
    let output = place.run("home/project", &["why", text, BOTH[0], BOTH[1], "--format", "json"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut said = Vec::new();
    for standing in json["places"].as_array().expect("a list") {
        let path = standing["path"].as_str().unwrap_or_default().replace(&place.root.display().to_string(), "@");
        said.push(format!("{path}:{}:{}", standing["line"], standing["column"]));
        for told in standing["harnesses"].as_array().expect("a list") {
            let what = if told["reaches"] == true { told["trigger"].as_str() } else { told["reason"].as_str() };
            let start = told["start"].as_str().map_or_else(String::new, |start| format!(" [{start}]"));
            let what = what.unwrap_or("").replace(&place.root.display().to_string(), "@");
            said.push(format!("{} {what}{start}", told["harness"].as_str().unwrap_or("")));
        }
    }
    said
}

#[test]
fn why_says_who_gets_a_sentence_and_why_the_others_do_not() {
    let place = project();
    for (text, said) in [
        // However it is wrapped.
        ("Run the linter.", &["@/home/project/AGENTS.md:2:1", "codex session", "claude-code session"][..]),
        (
            "The last rule.",
            &[
                "@/home/project/AGENTS.md:1404:1",
                "codex cut: the 32 768 B limit for all project files ends inside this file",
                "claude-code session",
            ],
        ),
        (
            "Nobody reads this.",
            &[
                "@/home/project/CLAUDE.md:4:1",
                "codex Codex does not look at this path",
                "claude-code it stands in an HTML comment, which Claude Code takes out",
            ],
        ),
        (
            "Handlers return errors.",
            &[
                "@/home/project/src/AGENTS.md:1:1",
                "codex below the start directory",
                "claude-code @/home/project/src/CLAUDE.md is read instead",
            ],
        ),
        (
            "Handlers log nothing.",
            &["@/home/project/src/CLAUDE.md:1:1", "codex Codex does not look at this path", "claude-code read"],
        ),
        ("Be brief.", &["@/home/.codex/AGENTS.md:1:1", "codex session", "claude-code Claude Code does not look"]),
    ] {
        let found = found(&place, text);
        assert_eq!(found.len(), said.len(), "{text}: {found:#?}");
        for (found, said) in found.iter().zip(said) {
            assert!(found.starts_with(said), "{text}: {found:?} instead of {said:?}");
        }
    }
    let small = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/src/AGENTS.md", "Handlers return errors.\n"),
    ]);
    assert!(found(&small, "Handlers return errors.")[1].ends_with(" [src]"), "where it would be read");
}

#[test]
fn why_is_said_in_words() {
    let text = project().prints(
        "home/project",
        &["why", "handlers  log nothing.", BOTH[0], BOTH[1]]
            .map(|word| if word.starts_with("handlers") { "Handlers  log nothing." } else { word }),
    );
    assert!(text.contains("\nsrc/CLAUDE.md:1:1\n  ● claude-code 2."), "{text}");
    assert!(text.contains("  on read  ") && text.contains("○ not read by codex 0."), "{text}");
    let own = project().prints("home/project", &["why", "Contents of", "--harness", "claude-code"]);
    assert!(own.contains("\n● claude-code 2.") && own.contains("its own words"), "{own}");
}

#[test]
fn a_text_that_is_nowhere_exits_with_1_and_names_what_is_like_it() {
    let place = project();
    let output = place.run("home/project", &["why", "handlers RETURN errors", BOTH[0], BOTH[1]]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("\nno instruction file that is read or could be read here says this"), "{text}");
    assert!(text.contains("the nearest lines are\n  src/AGENTS.md:1: Handlers return errors.\n"), "{text}");
    for (arguments, code, problem) in [
        (&["why", " \n "][..], 2, "the text is empty"),
        (&["why", "x", "--cwd", "gone"], 2, "--cwd: there is no directory gone"),
        (&["why", "x", "--harness", "claud"], 2, "--agents: "),
        (&["why", "completely different things"], 1, ""),
    ] {
        let output = place.run("home/project", arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(problem), "{arguments:?}");
    }
}

/// A project with everything that is sent later than at the start.
fn later() -> Place {
    Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/CLAUDE.md", "Root.\n"),
        (
            "home/project/.claude/skills/deep/SKILL.md",
            "---\nname: deep\ndescription: Thinks hard.\n---\n\nAsk why carefully.\n",
        ),
        ("home/project/.claude/commands/ship.md", "---\ndescription: Ships the parcel.\n---\nPack the box first.\n"),
        (
            "home/project/.claude/agents/critic.md",
            "---\nname: critic\ndescription: Judges it.\n---\nBe a stern judge.\n",
        ),
        ("home/project/.claude/rules/ts.md", "---\npaths: src/**/*.ts\n---\nUse no any here.\n"),
        (
            "home/project/.github/instructions/ts.instructions.md",
            "---\napplyTo: \"src/**/*.ts\"\n---\nUse tabs here.\n",
        ),
        ("home/project/src/b.ts", "let b\n"),
    ])
}

#[test]
fn a_description_is_sent_at_the_start_and_a_body_when_it_is_called() {
    let place = later();
    for (text, trigger) in [
        ("Thinks hard", "session"),
        ("why carefully", "call"),
        ("the parcel", "session"),
        ("Pack the box", "call"),
        ("Judges it", "session"),
        ("stern judge", "call"),
        // A rule is sent when a file is read that it is for.
        ("no any", "read"),
    ] {
        let output = place.run(
            "home/project",
            &["why", text, "--agents", "claude-code", "--require", "claude-code", "--format", "json"],
        );
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(json["places"][0]["harnesses"][0]["trigger"], trigger, "{text}: {json:#}");
        assert_eq!(output.status.code(), Some(0), "{text}");
    }
    let said = place.prints("home/project", &["why", "why carefully", "--agents", "claude-code"]);
    assert!(said.contains("if called its text is sent when the agent calls it"), "{said}");
    let attached = place.prints("home/project", &["why", "Use tabs", "--agents", "copilot-vscode"]);
    assert!(attached.contains("● copilot-vscode"), "{attached}");
}

#[test]
fn who_must_get_a_text_is_asked_and_must_exist() {
    let place = project();
    let required = |text: &str, ids: &str| {
        let output = place.run("home/project", &["why", text, "--agents", "codex", "--require", ids]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(required("Handlers log nothing", "claude-code"), (Some(0), String::new()));
    assert_eq!(required("Handlers log nothing", "codex").0, Some(1));
    let (code, said) = required("Handlers log nothing", "nonsense");
    assert!(code == Some(2) && said.contains("--require: there is no agent `nonsense`"), "{code:?} {said}");
}

#[cfg(unix)]
#[test]
fn the_names_of_one_file_share_a_block() {
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/AGENTS.md", "Run the linter.\n"),
    ]);
    std::os::unix::fs::symlink("AGENTS.md", place.root.join("home/project/CLAUDE.md")).expect("a link");
    let said = place.prints("home/project", &["why", "the linter", BOTH[0], BOTH[1]]);
    assert_eq!(said.matches(":1:5\n").count(), 1, "{said}");
    assert!(said.contains("CLAUDE.md is a link to it") && said.matches('●').count() == 2, "{said}");
    let near = place.run("home/project", &["why", "the lintr", BOTH[0], BOTH[1]]);
    let near = String::from_utf8_lossy(&near.stdout).into_owned();
    assert!(near.contains("goes to codex 0.169 (at start) and claude-code 2.1 (at start)"), "{near}");
}

#[test]
fn why_knows_the_reasons_of_show() {
    let large = "Much has changed.\n".repeat(4000);
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/AGENTS.md", "Root overview.\n"),
        ("home/project/CLAUDE.md", "See @AGENTS.md\n"),
        ("home/project/one/AGENTS.md", "One overview.\n"),
        // Claude Code refuses to read it, and brings nothing then.
        ("home/project/one/CHANGELOG.md", &large.repeat(4)),
        ("home/project/one/src/main.rs", "fn main() {}\n"),
        ("home/project/two/AGENTS.md", "Two overview.\n"),
        ("home/project/two/main.rs", "fn main() {}\n"),
    ]);
    let claude = ["--agents", "claude-code"];
    let said = place.prints("home/project", &["why", "overview", claude[0], claude[1]]);
    assert_eq!(said.matches("CLAUDE.md is read instead").count(), 2, "{said}");
    // From below the cause is an import that was not approved.
    let said = place.prints("home/project/one", &["why", "Root overview", claude[0], claude[1]]);
    assert!(said.contains("skipped") && said.contains("imports from outside were not approved"), "{said}");
    let said = place.prints("home/project/one", &["why", "Two overview", claude[0], claude[1]]);
    assert!(said.contains("hides every AGENTS.md"), "{said}");
}

#[test]
fn a_limit_is_spent_on_many_files_and_near_lines_name_who_gets_them() {
    let many = "Ask for a review.\n".repeat(50);
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/AGENTS.md", &many),
        ("home/project/docs/AGENTS.md", &many),
        ("home/project/docs/a.txt", "a\n"),
        ("home/project/src/AGENTS.md", "Always run the linter before you commit anything.\n"),
        ("home/project/src/a.txt", "a\n"),
    ]);
    let said = place.prints("home/project", &["why", "a", "--agents", "opencode", "--limit", "4"]);
    for name in ["AGENTS.md:1:", "docs/AGENTS.md:1:", "src/AGENTS.md:1:"] {
        assert!(said.contains(&format!("\n{name}")), "{name}: {said}");
    }
    assert!(said.contains(" more places in 3 files: --limit "), "{said}");
    let output = place.run("home/project", &["why", "alwys rn teh lintr befor", "--agents", "opencode,codex"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("src/AGENTS.md:1: Always run the linter"), "{said}");
    assert!(said.contains("goes to opencode 1.18 (on read)"), "{said}");
}

#[cfg(unix)]
#[test]
fn lines_are_as_wide_as_the_terminal() {
    let place = project();
    let narrow = |arguments: &[&str]| {
        let output = place.command("home/project", arguments).env("COLUMNS", "60").output().expect("it runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    for arguments in [
        &["why", "linter", "--agents", "all"][..],
        &["why", "The last rule.", "--agents", "all"],
        &["explain", "over-budget"],
        &["explain"],
        &["check", "--agents", "codex,claude-code"],
        &["show", "src/main.rs", "--agents", "all"],
    ] {
        let said = narrow(arguments);
        let mut in_code = false;
        for line in said.lines().filter(|line| line.split_whitespace().count() > 1 || line.starts_with("```")) {
            in_code ^= line.starts_with("```");
            // The lines of a file, and words without a space, are as they are.
            let is_code = in_code || line.contains(" | ") || line.starts_with('|');
            assert!(is_code || line.chars().count() <= 60, "{arguments:?}: {line}");
        }
    }
}
