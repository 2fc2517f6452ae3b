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

/// Of each place that is found: the file with its line, and of each harness whether it gets the text, and when or why not.
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
    assert!(text.contains("the nearest lines are\n  src/AGENTS.md:1  Handlers return errors.\n"), "{text}");
    for (arguments, code, problem) in [
        (&["why", " \n "][..], 2, "the text is empty"),
        (&["why", "x", "--cwd", "gone"], 2, "--cwd: there is no directory gone"),
        (&["why", "x", "--harness", "claud"], 2, "--harness: "),
        (&["why", "completely different things"], 1, ""),
    ] {
        let output = place.run("home/project", arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(problem), "{arguments:?}");
    }
}
