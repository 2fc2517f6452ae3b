//! `briefing plan`: its patches apply, and its proof says what agents are told then.

use std::path::PathBuf;

use serde_json::Value;

use crate::place::Place;
use crate::revision::git;

const RULE: &str = "Never log personal data in any of the services.\n";

/// Plans in a repository, applies the patch with `git apply`, and returns the plan and the repository.
fn planned(files: &[(&str, &str)], arguments: &[&str]) -> (Value, Place, PathBuf) {
    let place = Place::new(files);
    let root = place.root.join("project");
    git(&root, &["init", "-q"]);
    let whole = [&["plan"], arguments, &["--no-home", "--format", "json"]].concat();
    let output = place.run("project", &whole);
    let plan: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let patch = place.root.join("patch");
    std::fs::write(&patch, plan["patch"].as_str().expect("a patch")).expect("it is written");
    if plan["patch"] != "" {
        git(&root, &["apply", "--whitespace=nowarn", patch.to_str().expect("UTF-8")]);
    }
    (plan, place, root)
}

fn text(root: &std::path::Path, name: &str) -> Option<String> {
    std::fs::read_to_string(root.join(name)).ok()
}

#[test]
fn one_truth_leaves_what_only_one_agent_is_told_and_bridges_the_others() {
    let claude = format!("{RULE}\nUse the Task tool for searches.\n");
    let files = [("project/AGENTS.md", RULE), ("project/CLAUDE.md", &claude), ("project/src/a.ts", "")];
    let (plan, place, root) = planned(&files, &["one-truth", "--harness", "codex,claude-code,gemini-cli"]);
    assert_eq!(plan["proof"]["lost"], serde_json::json!([]), "{plan}");
    assert_eq!(text(&root, "CLAUDE.md").as_deref(), Some("@AGENTS.md\n\nUse the Task tool for searches.\n"));
    assert_eq!(text(&root, "GEMINI.md").as_deref(), Some("@./AGENTS.md\n"));
    assert_eq!(text(&root, "QWEN.md"), None);
    for agent in ["codex", "claude-code", "gemini-cli"] {
        let sent = place.prints("project", &["show", "--harness", agent, "--format", "prompt"]);
        assert!(sent.contains("personal data in any"), "{agent}: {sent}");
    }
}

#[test]
fn one_truth_that_is_a_link_to_the_other_file_is_left_alone() {
    let place = Place::new(&[("project/CLAUDE.md", RULE), ("project/pay/CLAUDE.md", RULE), ("project/pay/a.ts", "")]);
    let root = place.root.join("project");
    git(&root, &["init", "-q"]);
    for dir in ["", "pay"] {
        std::os::unix::fs::symlink("CLAUDE.md", root.join(dir).join("AGENTS.md")).expect("a link");
    }
    let arguments = ["plan", "one-truth", "--harness", "codex,claude-code", "--no-home", "--format", "json"];
    let plan: Value = serde_json::from_str(&place.prints("project", &arguments)).expect("JSON");
    assert_eq!(plan["patch"], "", "{plan}");
    assert!(plan.to_string().contains("CLAUDE.md is what AGENTS.md leads to, and stays"), "{plan}");
}

#[test]
fn split_says_what_an_agent_gets_only_later_or_not_at_all() {
    let section = format!(
        "# All\n\n{RULE}\n## pay\n\n{}\n## Style\n\nShort names.\n",
        "- Two reviewers look at each change of an amount.\n".repeat(6)
    );
    let files = [("project/AGENTS.md", section.as_str()), ("project/pay/a.ts", "")];
    let (plan, _place, root) = planned(&files, &["split", "AGENTS.md", "--harness", "codex,opencode"]);
    assert!(text(&root, "pay/AGENTS.md").is_some_and(|text| text.starts_with("# pay\n")), "{plan}");
    let of = |list: &str| -> Vec<String> {
        let all = plan["proof"][list].as_array().expect("a list").iter();
        all.map(|loss| format!("{} {}", loss["agent"], loss["start"])).collect()
    };
    // Codex that is started at the root reads no nested file.
    assert!(of("lost").contains(&"\"codex\" \".\"".to_owned()), "{plan}");
    assert!(of("later").contains(&"\"opencode\" \".\"".to_owned()), "{plan}");
    assert!(!of("lost").iter().any(|loss| loss.starts_with("\"opencode\"")), "{plan}");
}

#[test]
fn trim_keeps_the_copy_that_everybody_gets() {
    let nested = format!("{RULE}\nOnly here: amounts are whole cents.\n");
    let files = [("project/AGENTS.md", RULE), ("project/pay/AGENTS.md", &nested), ("project/pay/a.ts", "")];
    let (plan, _place, root) = planned(&files, &["trim", "--harness", "codex,opencode"]);
    assert_eq!(plan["proof"]["lost"], serde_json::json!([]), "{plan}");
    assert_eq!(text(&root, "pay/AGENTS.md").as_deref(), Some("Only here: amounts are whole cents.\n"));
    assert_eq!(text(&root, "AGENTS.md").as_deref(), Some(RULE));
}

#[test]
fn fit_moves_sections_until_nothing_is_cut() {
    let section = |name: &str| format!("## {name}\n\n{}\n", format!("- A rule about {name}.\n").repeat(900));
    let whole = format!("# All\n\n{}{}", section("one"), section("two"));
    let (plan, _place, root) = planned(&[("project/AGENTS.md", &whole)], &["fit", "--harness", "codex"]);
    assert_eq!(plan["proof"]["before"][0]["cut"], 1, "{}", plan["notes"]);
    assert_eq!(plan["proof"]["after"][0]["cut"], 0, "{}", plan["notes"]);
    assert!(text(&root, "AGENTS.md").is_some_and(|text| text.len() < 32_768));
}

#[test]
fn split_makes_a_rule_of_a_section_that_is_a_pattern_where_all_have_such_rules() {
    let section =
        format!("# All\n\n{RULE}\n## `*.sql`\n\n{}\n## Style\n\nShort.\n", "- No migration is edited.\n".repeat(12));
    let files = [("project/CLAUDE.md", section.as_str()), ("project/db/a.sql", "")];
    let (plan, place, root) = planned(&files, &["split", "CLAUDE.md", "--harness", "claude-code"]);
    let rule = text(&root, ".claude/rules/sql.md").unwrap_or_default();
    assert!(rule.starts_with("---\npaths: \"**/*.sql\"\n---\n\n# `*.sql`\n"), "{plan}");
    assert!(!text(&root, "CLAUDE.md").expect("a file").contains("migration"), "{plan}");
    assert_eq!(plan["proof"]["lost"], serde_json::json!([]), "{plan}");
    assert!(plan["proof"]["later"].as_array().is_some_and(|later| !later.is_empty()), "{plan}");
    let sent = place.prints("project", &["show", "db/a.sql", "--harness", "claude-code", "--format", "prompt"]);
    assert!(sent.contains("No migration is edited"), "{sent}");
    // Codex has none.
    let (plan, ..) =
        planned(&[("project/AGENTS.md", section.as_str()), files[1]], &["split", "AGENTS.md", "--harness", "codex"]);
    assert!(plan["patch"].as_str().is_some_and(|patch| patch.contains("+++ b/docs/sql.md")), "{plan}");
}

#[test]
fn one_truth_names_the_file_in_settings_where_there_is_no_other_bridge() {
    let files = [("project/AGENTS.md", RULE), ("project/.aider.conf.yml", "dark-mode: true\n")];
    let (plan, place, root) = planned(&files, &["one-truth", "--harness", "codex,aider"]);
    assert_eq!(text(&root, ".aider.conf.yml").as_deref(), Some("dark-mode: true\nread: AGENTS.md\n"), "{plan}");
    let sent = place.prints("project", &["show", "--harness", "aider", "--format", "prompt"]);
    assert!(sent.contains("personal data in any"), "{sent}");
    let (plan, ..) = planned(&files, &["one-truth", "--harness", "codex"]);
    assert_eq!(plan["patch"], "", "{plan}");
}

#[test]
fn one_truth_bridges_the_directories_that_have_instructions_of_their_own() {
    let files = [
        ("project/AGENTS.md", RULE),
        ("project/pay/AGENTS.md", "Two reviewers look at each change.\n"),
        ("project/pay/a.ts", ""),
        ("project/web/CLAUDE.md", "Pages work without scripts.\n"),
        ("project/web/a.ts", ""),
        ("project/vendor/x/CLAUDE.md", "Another project's own.\n"),
    ];
    let (plan, place, root) = planned(&files, &["one-truth", "--harness", "codex,claude-code,gemini-cli"]);
    assert_eq!(plan["proof"]["lost"], serde_json::json!([]), "{plan}");
    assert_eq!(text(&root, "web/AGENTS.md").as_deref(), Some("Pages work without scripts.\n"), "{plan}");
    assert_eq!(text(&root, "vendor/x/CLAUDE.md").as_deref(), Some("Another project's own.\n"));
    for (dir, rule) in [("pay", "Two reviewers"), ("web", "without scripts")] {
        for agent in ["codex", "claude-code", "gemini-cli"] {
            let sent = place.prints(&format!("project/{dir}"), &["show", "--harness", agent, "--format", "prompt"]);
            assert!(sent.contains(rule) && sent.contains("personal data in any"), "{agent}: {sent}\n{plan}");
        }
    }
    let again =
        place.prints("project", &["plan", "one-truth", "--harness", "codex,claude-code,gemini-cli", "--no-home"]);
    assert!(again.contains("nothing has to change"), "{again}");
}

#[test]
fn trim_leaves_links_and_files_that_no_agent_is_told() {
    let page = format!("# Agents\n\n{RULE}\nRead on.\n");
    let skill = format!("---\nname: s\n---\n{RULE}");
    let files = [
        ("project/AGENTS.md", RULE),
        ("project/docs/de/agents.md", &page),
        ("project/docs/fr/agents.md", &page),
        ("project/.claude/skills/s/SKILL.md", &skill),
    ];
    let place = Place::new(&files);
    std::os::unix::fs::symlink("AGENTS.md", place.root.join("project/CLAUDE.md")).expect("a link");
    let agents = ["plan", "trim", "--harness", "codex,claude-code,copilot-cli", "--no-home"];
    let said = place.prints("project", &agents);
    assert!(said.contains("nothing has to change"), "{said}");
}

#[test]
fn one_truth_takes_nothing_over_that_is_said_in_code_with_blank_lines() {
    let claude = format!("{RULE}\n```js\nrun();\n\n- stop();\n```\n");
    let (plan, _place, root) =
        planned(&[("project/CLAUDE.md", &claude)], &["one-truth", "--harness", "codex,claude-code"]);
    assert_eq!(text(&root, "AGENTS.md").as_deref(), Some(claude.as_str()), "{plan}");
    assert_eq!(text(&root, "CLAUDE.md"), None, "{plan}");
}

#[test]
fn one_truth_makes_links_where_they_are_asked_for_and_smaller_than_an_import() {
    let files = [("project/AGENTS.md", RULE), ("project/src/GEMINI.md", RULE), ("project/src/a.ts", "")];
    let agents = ["--harness", "codex,gemini-cli"];
    let (plan, place, root) = planned(&files, &[&["one-truth", "--links"], &agents[..]].concat());
    let link = |name: &str| std::fs::read_link(root.join(name)).ok().map(|target| target.display().to_string());
    assert_eq!(link("GEMINI.md").as_deref(), Some("AGENTS.md"), "{plan}");
    assert_eq!(
        (link("src/GEMINI.md"), text(&root, "src/AGENTS.md").as_deref()),
        (Some("AGENTS.md".to_owned()), Some(RULE))
    );
    let notes = plan["notes"].to_string();
    assert!(notes.contains("GEMINI.md is a link to AGENTS.md"), "{notes}");
    assert!(notes.contains("a link instead of an import saves ") && notes.contains("core.symlinks"), "{notes}");
    assert_eq!(plan["proof"]["lost"], serde_json::json!([]), "{plan}");
    let sent = place.prints("project", &["show", "--harness", "gemini-cli", "--format", "prompt"]);
    assert!(sent.contains("personal data in any") && !sent.contains("@./AGENTS.md"), "{sent}");
    // The proof has what the agent is told then, byte for byte.
    let size = |side: &str| plan["proof"][side][1]["bytes"].as_u64().expect("a size");
    let told = place.prints("project", &["show", "--harness", "gemini-cli", "--no-home", "--format", "json"]);
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let bytes = told["briefings"][0]["totals"]["bytes"].as_u64();
    assert_eq!((Some(size("after")), size("before")), (bytes, 0), "{plan}");
    // A file that says more than AGENTS.md cannot be a link, and without `--links` nothing is.
    let more = format!("{RULE}\nUse the shell tool for searches.\n");
    let (plan, _place, root) =
        planned(&[files[0], ("project/GEMINI.md", &more)], &[&["one-truth", "--links"], &agents[..]].concat());
    assert_eq!(
        text(&root, "GEMINI.md").as_deref(),
        Some("@./AGENTS.md\n\nUse the shell tool for searches.\n"),
        "{plan}"
    );
    let (plan, _place, root) = planned(&files, &[&["one-truth"], &agents[..]].concat());
    assert!(std::fs::read_link(root.join("GEMINI.md")).is_err(), "{plan}");
    // Git takes the change of a file into a link.
    let (plan, _place, root) = planned(
        &[files[0], ("project/GEMINI.md", "@./AGENTS.md\n")],
        &[&["one-truth", "--links"], &agents[..]].concat(),
    );
    assert!(std::fs::read_link(root.join("GEMINI.md")).is_ok(), "{plan}");
}
