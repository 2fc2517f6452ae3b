//! Who is judged by `briefing check`, and how each form says so.

use serde_json::Value;

use super::{codes, out, project};
use crate::place::Place;

/// The ids of those who are judged.
fn judged(place: &Place, arguments: &[&str]) -> Vec<String> {
    let json: Value = serde_json::from_slice(&place.run("home/project", arguments).stdout).expect("JSON");
    let id = |one: &Value| one["agent"].as_str().unwrap_or_default().to_owned();
    json["judged"].as_array().expect("a list").iter().map(id).collect()
}

const BARE: [&str; 4] = ["check", "--no-home", "--format", "json"];

#[test]
fn without_a_home_every_machine_says_the_same() {
    let place = project();
    let bare = out(&place.run("home/project", &BARE));
    std::fs::create_dir_all(place.root.join("home/.qwen")).expect("a home of Qwen Code");
    let mut command = place.command("home/project", &BARE);
    command.env("CODEX_HOME", place.root.join("home/.codex")).env("PATH", "/usr/bin:/bin");
    assert_eq!(bare, out(&command.output().expect("it runs")));
    // With the home, only those are judged that are used here.
    assert_eq!(judged(&place, &["check", "--format", "json"]), ["qwen-code", "claude-code"]);
}

#[test]
fn a_claude_md_beside_an_agents_md_leaves_the_readers_of_the_agents_md_judged() {
    let place = project();
    assert_eq!(judged(&place, &BARE), ["claude-code", "codex", "copilot-cli", "agents-md"]);
    assert!(codes(&place, &BARE).contains(&"AGENTS.md over-budget".to_owned()));
    // As it is in many repositories: the one is a link to the other.
    std::fs::remove_file(place.root.join("home/project/CLAUDE.md")).expect("it was there");
    std::os::unix::fs::symlink("AGENTS.md", place.root.join("home/project/CLAUDE.md")).expect("a link");
    assert!(codes(&place, &BARE).contains(&"AGENTS.md over-budget".to_owned()));
}

#[test]
fn folders_of_copilot_speak_to_copilot() {
    for folder in ["agents/a.agent.md", "skills/a/SKILL.md", "prompts/a.prompt.md", "chatmodes/a.chatmode.md"] {
        let file = format!("home/project/.github/{folder}");
        let place = Place::new(&[("home/project/.git/HEAD", "ref: refs/heads/main\n"), (file.as_str(), "Text.\n")]);
        let judged = judged(&place, &BARE);
        assert!(judged.contains(&"copilot-vscode".to_owned()), "{folder}: {judged:?}");
    }
}

#[test]
fn a_project_says_who_is_judged_and_every_form_repeats_it() {
    let place = project();
    let declare = |text: &str| {
        std::fs::write(place.root.join("home/project/briefing.toml"), text).expect("it is written");
    };
    declare("agents = [\"gemini-cli\", \"claude-code@2.1.197\"]\n");
    assert_eq!(judged(&place, &BARE), ["gemini-cli", "claude-code"]);
    assert_eq!(judged(&place, &[&BARE[..], &["--agents", "codex"]].concat()), ["codex"]);
    let said = "Judged for: Gemini CLI 0.61 and Claude Code 2.1.197, because of briefing.toml";
    for form in ["text", "github", "markdown"] {
        let text = out(&place.run("home/project", &["check", "--no-home", "--format", form]));
        assert!(text.contains(said), "{form}: {text}");
    }
    let sarif: Value =
        serde_json::from_slice(&place.run("home/project", &["check", "--no-home", "--format", "sarif"]).stdout)
            .expect("JSON");
    let judged =
        serde_json::json!({"agent": "claude-code", "version": "2.1.197", "because": "because of briefing.toml"});
    assert_eq!(sarif["runs"][0]["properties"]["judged"][1], judged);
    for command in [&["show"][..], &["report"], &["why", "Ask before"], &["compare", "--all"]] {
        let text = out(&place.run("home/project", command));
        assert!(text.contains("Gemini CLI 0.61") || text.contains("Gemini CLI  "), "{command:?}: {text}");
        let json: Value =
            serde_json::from_slice(&place.run("home/project", &[command, &["--format", "json"]].concat()).stdout)
                .expect("JSON");
        assert!(json.get("judged").is_none_or(|list| list[1] == judged), "{command:?}: {json}");
    }
    // What is wrong with the list has its place, and the others count.
    declare("agents = [\"codex\",\n  \"kodex\"]\n");
    let text = out(&place.run("home/project", &["check", "--no-home"]));
    assert!(text.contains("`agents`: there is no agent `kodex`") && text.contains("briefing.toml:2:3"), "{text}");
    assert!(text.starts_with("Judged for: Codex 0.169, because of briefing.toml\n"), "{text}");
    declare("agents = \"codex\"\n");
    let text = out(&place.run("home/project", &["check", "--no-home"]));
    assert!(text.contains("`agents`: expected a list of agents"), "{text}");
}

#[test]
fn agents_to_whom_only_files_below_the_root_speak_are_judged() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/CLAUDE.md", "Root.\n"),
        ("project/web/AGENTS.md", "Of the web.\n"),
        ("project/app/.cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nOf the app.\n"),
        // Neither what tests and skills bring, nor the code of others.
        ("project/tests/fixtures/GEMINI.md", "Of a fixture.\n"),
        ("project/vendor/lib/.clinerules/a.md", "Of a library.\n"),
        ("project/skills/lint/SKILL.md", "---\nname: lint\ndescription: Lints.\n---\n"),
        ("project/skills/lint/QWEN.md", "Of a skill.\n"),
    ]);
    let judged = |from: &str, command: &[&str]| {
        let said: Value = serde_json::from_str(&out(&place.run(from, command))).expect("JSON");
        let judged = said["judged"].as_array().expect("a list").clone();
        judged
            .into_iter()
            .map(|one| {
                format!("{} {}", one["agent"].as_str().unwrap_or_default(), one["because"].as_str().unwrap_or_default())
            })
            .collect::<Vec<_>>()
    };
    let check = ["check", "--no-home", "--exit-zero", "--format", "json"];
    let expected = [
        "claude-code because of CLAUDE.md",
        "cursor because of app/.cursor/rules/a.mdc",
        "codex because of web/AGENTS.md",
        "copilot-cli because of web/AGENTS.md",
        "agents-md because of web/AGENTS.md",
    ];
    assert_eq!(judged("project", &check), expected);
    assert_eq!(judged("project", &["why", "--no-home", "--format", "json", "Of the web."]), expected);
    // What lies elsewhere does not speak to those who start here.
    assert_eq!(judged("project/app", &check)[1], "cursor because of .cursor");
    assert_eq!(judged("project/app", &check).len(), 2);
}
