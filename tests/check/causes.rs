//! One cause is one finding.

use serde_json::Value;

use super::{git, out};
use crate::place::Place;

#[test]
fn what_a_link_or_a_comment_makes_equal_is_not_shadowed() {
    let rules = "Write tests for every function that you change, please.\n";
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", rules),
        ("project/api/AGENTS.md", &format!("<!-- for people -->\n\n{rules}Of the API.\n")),
        ("project/api/CLAUDE.md", &format!("{rules}<!-- for others -->\nOf the API.\n")),
        ("project/api/a.rs", ""),
        ("project/.agents/skills/lint/SKILL.md", "---\nname: lint\ndescription: Lints the code.\n---\nRun it.\n"),
        ("linked/.git/HEAD", "ref: refs/heads/main\n"),
        ("linked/skills/lint/SKILL.md", "---\nname: lint\ndescription: Lints the code.\n---\nRun it.\n"),
    ]);
    for folder in [".claude", ".agents"].map(|folder| place.root.join("linked").join(folder)) {
        std::fs::create_dir_all(&folder).expect("a directory");
        std::os::unix::fs::symlink("../skills", folder.join("skills")).expect("a link");
    }
    for agents in ["copilot-cli", "opencode", "kilo"] {
        let check = ["check", "--no-home", "--format", "concise", "--agents", agents];
        assert_eq!(place.prints("linked", &check), "", "{agents}");
    }
    let root = place.root.join("project");
    std::os::unix::fs::symlink("AGENTS.md", root.join("CLAUDE.md")).expect("a link");
    std::fs::create_dir_all(root.join(".claude")).expect("a directory");
    std::os::unix::fs::symlink("../.agents/skills", root.join(".claude/skills")).expect("a link");
    let said = place.prints("project", &["check", "--no-home", "--format", "concise"]);
    assert_eq!(said, "");
}

#[test]
fn hidden_characters_of_one_kind_in_one_file_are_one_finding() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/CLAUDE.md", "One\u{200b}.\nTwo\u{200b}.\nThree\u{200b}\u{200b}.\nFour\u{202e}.\n"),
    ]);
    let said = place.prints("project", &["check", "--no-home", "--exit-zero", "--format", "concise"]);
    let expected = [
        "CLAUDE.md:1:4: warning[hidden-characters] 1 hidden character that only the model sees: U+200B zero width space \
         (also CLAUDE.md:2 and CLAUDE.md:3)",
        "CLAUDE.md:4:5: warning[hidden-characters] 1 hidden character that only the model sees: U+202E right-to-left override",
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn rules_of_one_folder_that_nobody_reads_are_one_finding_and_so_is_one_mistake_in_many_heads() {
    let head = "---\nglobs: \"*.md\"\n---\nText.\n";
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.cursor/rules/a.mdc", head),
        ("project/.cursor/rules/b.mdc", head),
        ("project/app/.cursor/rules/c.mdc", head),
        ("project/.claude/rules/a.md", head),
        ("project/app/.claude/rules/b.md", head),
    ]);
    let check = |agents| {
        let said =
            place.prints("project", &["check", "--no-home", "--exit-zero", "--format", "concise", "--agents", agents]);
        said.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let codex = check("codex");
    assert_eq!(codex.len(), 2, "{codex:?}");
    assert!(codex[0].contains("[never-read]") && codex[0].ends_with("(also .cursor/rules/b.mdc)"), "{codex:?}");
    let claude = check("claude-code");
    let heads: Vec<_> = claude.iter().filter(|line| line.contains("[front-matter]")).collect();
    assert!(heads.len() == 1 && heads[0].ends_with("(also app/.claude/rules/b.md)"), "{claude:?}");
}

#[test]
fn rules_of_one_folder_whose_patterns_match_nothing_are_one_finding_that_names_each_place_once() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.claude/rules/a.md", "---\npaths: [\"gone/**\", \"lost/**\"]\n---\nText.\n"),
        ("project/.claude/rules/b.md", "---\npaths:\n- \"gone/**\"\n- \"lost/**\"\n---\nText.\n"),
        ("project/app/.claude/rules/c.md", "---\npaths: \"gone/**\"\n---\nText.\n"),
        ("project/app/a.rs", ""),
    ]);
    let check = ["check", "--no-home", "--exit-zero", "--format", "concise", "--agents", "claude-code"];
    let said = place.prints("project", &check);
    let found: Vec<&str> = said.lines().collect();
    assert!(found.len() == 2 && found.iter().all(|line| line.contains("[dead-glob]")), "{found:?}");
    assert!(found[0].ends_with("(also .claude/rules/b.md)") && !found[1].contains("(also"), "{found:?}");
}

#[test]
fn one_cause_is_one_finding_that_names_the_other_files() {
    let nested = ["a", "b", "c", "d", "e", "f"].map(|dir| (format!("project/{dir}/AGENTS.md"), format!("Of {dir}.\n")));
    let mut files = vec![("project/.git/HEAD", "ref: refs/heads/main\n"), ("project/CLAUDE.md", "Root.\n")];
    files.extend(nested.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let place = Place::new(&files);
    let check = |more: &[&str]| {
        let arguments = [&["check", "--no-home", "--agents", "claude-code", "--format"], more].concat();
        place.prints("project", &arguments)
    };
    let said = check(&["concise"]);
    assert!(said.starts_with("a/AGENTS.md:1:1: information[agents-displaced] "), "{said}");
    assert!(said.ends_with("(also b/AGENTS.md, c/AGENTS.md, d/AGENTS.md and 2 more files)\n"), "{said}");
    let json: Value = serde_json::from_str(&check(&["json"])).expect("JSON");
    assert_eq!(json["findings"][0]["also"].as_array().map(Vec::len), Some(5));
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn samples_are_judged_only_where_they_are_named_or_read() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/CLAUDE.md", "Root.\n\n@tests/fixtures/read/AGENTS.md\n"),
        ("project/tests/fixtures/read/AGENTS.md", "Read.\n\n@gone.md\n"),
        ("project/tests/fixtures/app/AGENTS.md", "Of a fixture.\n"),
        ("project/skills/lint/SKILL.md", "---\nname: lint\ndescription: Lints.\n---\n"),
        ("project/skills/lint/examples/AGENTS.md", "Of an example.\n"),
        ("project/src/AGENTS.md", "Of the source.\n"),
        ("project/templates/AGENTS.md", "Of projects that are made from this one.\n"),
        ("project/src/template/AGENTS.md", "Of one of them.\n"),
    ]);
    let check = |more: &[&str]| {
        let arguments =
            [&["check", "--no-home", "--exit-zero", "--agents", "claude-code", "--format", "json"], more].concat();
        let said: Value = serde_json::from_str(&place.prints("project", &arguments)).expect("JSON");
        let findings = said["findings"].as_array().expect("a list");
        let paths: Vec<String> = findings.iter().map(|one| one["path"].as_str().expect("a path").to_owned()).collect();
        (paths, said["samples"].clone())
    };
    let read = "tests/fixtures/read/AGENTS.md".to_owned();
    assert_eq!(check(&[]), (vec!["src/AGENTS.md".to_owned(), read], 4.into()));
    let app = "tests/fixtures/app/AGENTS.md".to_owned();
    assert_eq!(check(&["tests/fixtures/app"]), (vec![app], 0.into()));
    let words = place.prints("project", &["check", "--no-home", "--exit-zero", "--agents", "claude-code"]);
    assert!(words.contains("; 4 samples not judged"), "{words}");
}

#[test]
fn a_copy_for_another_agent_is_not_displaced() {
    let rules: String = (0..40).map(|number| format!("- Rule number {number}.\n")).collect();
    let (agents, claude) = (format!("# AGENTS.md\n\n{rules}"), format!("# CLAUDE.md\n\n{rules}- One more.\n"));
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", &agents),
        ("project/CLAUDE.md", &claude),
    ]);
    let check = ["check", "--no-home", "--agents", "claude-code", "--format", "concise"];
    assert_eq!(place.prints("project", &check), "");
    // One rule of forty is more than a title.
    let fewer = claude.replace("- Rule number 2.\n", "");
    std::fs::write(place.root.join("project/CLAUDE.md"), fewer).expect("it is written");
    let said = place.prints("project", &check);
    assert!(said.starts_with("AGENTS.md:1:1: information[agents-displaced] "), "{said}");
}

#[test]
fn a_version_that_reads_no_agents_md_loses_it_in_one_finding() {
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/AGENTS.md", "Root rules.\n"),
        ("home/project/src/AGENTS.md", "Source rules.\n"),
        ("home/project/src/main.rs", ""),
    ]);
    let check = ["check", "--format", "concise", "--agents", "codex,claude-code@2.1.197"];
    let said = out(&place.run("home/project", &check));
    assert!(said.starts_with("AGENTS.md:1:1: warning[agents-displaced] "), "{said}");
    assert!(
        said.contains("this version reads no AGENTS.md (also src/AGENTS.md)") && said.lines().count() == 1,
        "{said}"
    );
    // An import brings it.
    for file in ["CLAUDE.md", "src/CLAUDE.md"] {
        std::fs::write(place.root.join("home/project").join(file), "@AGENTS.md\n").expect("it is written");
    }
    assert_eq!(out(&place.run("home/project", &check)), "");
}

#[test]
fn what_sub_agents_are_not_told_is_said_where_somebody_asks() {
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/CLAUDE.md", "Root rules. @rules.md\n"),
        ("home/project/rules.md", "Rules.\n"),
    ]);
    let check = ["check", "--format", "concise", "--agents", "claude-code"];
    assert_eq!(out(&place.run("home/project", &check)), "");
    let said =
        out(&place.run("home/project", &[&check[..], &["--severity", "not-for-subagents=information"]].concat()));
    assert!(said.contains("CLAUDE.md:1:1: information[not-for-subagents] Claude Code does not send this file to its sub-agents Explore and Plan"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn an_import_of_what_lies_above_is_asked_about_from_its_own_directory() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/RULES.md", "Rules.\n"),
        ("project/app/CLAUDE.md", "@../RULES.md\n"),
        ("project/app/a.rs", ""),
    ]);
    let check = ["check", "--no-home", "--format", "concise", "--agents", "claude-code"];
    assert_eq!(place.prints("project", &check), "");
    let said = place.prints("project", &[&check[..], &["--level", "hint"]].concat());
    assert!(said.starts_with("app/CLAUDE.md:1:1: hint[import-outside] If started in app: "), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn an_agent_that_loads_both_files_of_a_directory_does_so_in_every_one() {
    let rules = "Write tests for every function that you change, please.\n";
    let files = ["", "a/", "b/"].map(|dir| (format!("project/{dir}AGENTS.md"), format!("{dir}{rules}")));
    let mut files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("project/.git/HEAD", "ref: refs/heads/main\n"));
    let place = Place::new(&files);
    for dir in ["", "a/", "b/"] {
        let link = place.root.join("project").join(dir).join("CLAUDE.md");
        std::os::unix::fs::symlink("AGENTS.md", link).expect("a link");
    }
    let said = place.prints("project", &["check", "--no-home", "--format", "concise", "--agents", "crush"]);
    assert!(said.starts_with("CLAUDE.md:1:1: information[loaded-twice] Crush loads this text twice"), "{said}");
    assert!(said.ends_with("(also a/CLAUDE.md and b/CLAUDE.md)\n") && said.lines().count() == 1, "{said}");
}

#[test]
fn a_change_of_the_first_line_displaces_nothing_anew_and_copies_shadow_nothing() {
    let skill = "---\nname: lint\ndescription: Lints the code.\n---\nRun it.\n";
    let place = Place::new(&[
        ("home/project/CLAUDE.md", "Root.\n"),
        ("home/project/AGENTS.md", "Mine.\n"),
        ("home/project/.claude/skills/lint/SKILL.md", skill),
        ("home/project/.agents/skills/lint/SKILL.md", skill),
    ]);
    let root = place.root.join("home/project");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "one"]);
    let check = ["check", "--no-home", "--format", "concise", "--agents"];
    assert_eq!(out(&place.run("home/project", &[&check[..], &["copilot-cli,opencode,kilo"]].concat())), "");
    std::fs::write(root.join("AGENTS.md"), "Yours.\n").expect("it is written");
    let since = [&check[..], &["claude-code", "--base", "HEAD"]].concat();
    assert_eq!(out(&place.run("home/project", &since)), "");
}

#[test]
fn what_cannot_be_read_is_said() {
    let place = Place::new(&[("project/.git/HEAD", "ref: refs/heads/main\n"), ("project/a/x.rs", "")]);
    std::os::unix::fs::symlink("gone.md", place.root.join("project/AGENTS.md")).expect("a link");
    let said = place.run("project", &["check", "--no-home", "--format", "concise", "--agents", "codex"]);
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(
        text.starts_with("AGENTS.md:1:1: warning[unreadable] this link leads to gone.md, where nothing is"),
        "{text}"
    );
    assert_eq!(said.status.code(), Some(1));
    // A link written from the root leads elsewhere.
    std::os::unix::fs::symlink("a/rules.md", place.root.join("project/a/AGENTS.md")).expect("a link");
    let said = out(&place.run("project", &["check", "--no-home", "--format", "concise", "--agents", "codex"]));
    assert!(said.contains("a/AGENTS.md:1:1: warning[unreadable] this link leads to a/a/rules.md, where"), "{said}");
    std::fs::remove_file(place.root.join("project/a/AGENTS.md")).expect("it is there");
    std::fs::create_dir_all(place.root.join("project/b/CLAUDE.md/c")).expect("a directory");
    let said = out(&place.run("project", &["check", "--no-home", "--format", "concise", "--agents", "codex"]));
    assert!(said.contains("b/CLAUDE.md:1:1: warning[unreadable] this is a directory"), "{said}");
}

#[test]
fn packages_and_people_are_no_imports() {
    let text = "Use @scope/name, ask @ada and [@bob](https://example.org). See @docs/gone.md.\n";
    let place = Place::new(&[("project/.git/HEAD", "ref: refs/heads/main\n"), ("project/CLAUDE.md", text)]);
    let said =
        place.run("project", &["check", "--no-home", "--format", "concise", "--agents", "claude-code,copilot-cli"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.lines().count() == 1 && said.contains("docs/gone.md"), "{said}");
}

#[test]
fn a_rule_that_does_not_come_with_a_new_file_is_said_where_somebody_asks() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.github/instructions/ts.instructions.md", "---\napplyTo: \"**/*.ts\"\n---\nNo any.\n"),
        ("project/.claude/rules/ts.md", "---\npaths: \"**/*.ts\"\n---\nNo any.\n"),
        ("project/src/a.ts", ""),
    ]);
    let check = ["check", "--no-home", "--format", "concise", "--agents", "copilot-cli,claude-code@2.1.329"];
    assert_eq!(place.prints("project", &check), "");
    let said = place.prints("project", &[&check[..], &["--severity", "rule-not-on-create=information"]].concat());
    let finding = |place: &str| {
        format!(
            "{place}: information[rule-not-on-create] Copilot CLI sends this rule when it reads a file that matches `**/*.ts`, and \
             not when it creates one\n"
        )
    };
    assert_eq!(said, finding(".claude/rules/ts.md:2:9") + &finding(".github/instructions/ts.instructions.md:2:11"));
}

#[test]
fn a_file_that_uses_up_a_shared_limit_is_one_finding_with_those_that_lose_by_it() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", &"- A rule of the root, one of many.\n".repeat(1_000)),
        ("project/.a/AGENTS.md", "Rules of a.\n"),
        ("project/.a/a.rs", ""),
        ("project/b/AGENTS.md", "Rules of b.\n"),
        ("project/b/b.rs", ""),
    ]);
    let output = place.run("project", &["check", "--no-home", "--format", "concise", "--agents", "codex"]);
    let said = out(&output);
    assert!(said.starts_with("AGENTS.md:937:9: warning[over-budget] Codex cuts 2 232 of 35 000 bytes"), "{said}");
    assert!(said.ends_with(" (also .a/AGENTS.md and b/AGENTS.md)\n") && said.lines().count() == 1, "{said}");
    let output = place.run("project", &["check", "--no-home", "--agents", "codex", "--write-baseline", "known.json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("3 findings written to known.json, 1 without those of one cause\n"), "{said}");
}

#[test]
fn files_for_different_agents_may_repeat_each_other_and_decisions_are_said_once() {
    let paragraph =
        "Every handler returns an error that says what happened, where, and what to do about it. ".repeat(6);
    let own = |name: &str| format!("# {name}\n\n{paragraph}\n\nWords of {name} alone, which nobody else has.\n");
    let (agents, claude, windsurf) = (own("Agents"), own("Claude Code"), own("Windsurf"));
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", &agents),
        ("project/CLAUDE.md", &claude),
        ("project/.windsurfrules", &windsurf),
        ("project/CRUSH.md", &own("Crush")),
        ("project/app/AGENTS.md", &agents),
        ("project/app/CLAUDE.md", &claude),
    ]);
    let said = |agents: &str| {
        place.prints("project", &["check", "--no-home", "--format", "concise", "--exit-zero", "--agents", agents])
    };
    let windsurf = said("windsurf");
    assert!(!windsurf.contains("repeated-paragraph"), "{windsurf}");
    let crush = said("crush");
    assert!(!crush.contains("repeated-paragraph"), "{crush}");
    let claude = said("claude-code");
    assert!(claude.contains("(also app/AGENTS.md)") && claude.lines().count() == 1, "{claude}");
    std::fs::create_dir_all(place.root.join("project/lib")).expect("a directory");
    std::fs::write(place.root.join("project/lib/AGENTS.md"), &agents).expect("a file");
    // The one at the root hides two, and the one beside app/AGENTS.md that one.
    let claude = said("claude-code");
    assert!(claude.contains("(also lib/AGENTS.md)") && claude.lines().count() == 2, "{claude}");
}

#[test]
fn imports_that_are_lost_only_where_agents_are_started_below_are_one_finding() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/RULES.md", "Rules.\n"),
        ("project/STYLE.md", "Style.\n"),
        ("project/a/CLAUDE.md", "@../RULES.md\n@../STYLE.md\n"),
        ("project/b/c/CLAUDE.md", "Words.\n\n@../../RULES.md\n"),
    ]);
    let check = ["check", "--no-home", "--format", "concise", "--level", "hint", "--agents", "claude-code"];
    let said = place.prints("project", &check);
    assert!(said.contains("(also a/CLAUDE.md:2 and b/c/CLAUDE.md)") && said.lines().count() == 1, "{said}");
    std::fs::write(place.root.join("project/a/CLAUDE.local.md"), "@../RULES.md\n").expect("it is written");
    let said = place
        .prints("project/a", &["check", "--no-home", "--format", "concise", "--exit-zero", "--agents", "claude-code"]);
    assert!(said.starts_with("CLAUDE.local.md:1:1: warning[import-outside] "), "{said}");
    assert!(said.contains("(also CLAUDE.md)") && said.lines().count() == 2, "{said}");
}

#[test]
fn an_import_above_that_is_lost_where_agents_are_started_is_said_there() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", "Rules.\n"),
        ("project/CLAUDE.md", "@AGENTS.md\n"),
        ("project/sub/CLAUDE.md", "Words.\n"),
    ]);
    let check = ["check", "--no-home", "--format", "concise", "--exit-zero", "--agents", "claude-code"];
    assert_eq!(place.prints("project", &check), "");
    let said = place.prints("project/sub", &check);
    assert!(said.starts_with("../CLAUDE.md:1:1: warning[import-outside] @AGENTS.md is outside"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn skills_that_have_the_names_of_commands_are_one_finding() {
    let command = "---\ndescription: Words.\n---\nText.\n";
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Words.\n---\nOther text.\n");
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.claude/commands/lint.md", command),
        ("project/.claude/commands/test.md", command),
        ("project/.claude/skills/lint/SKILL.md", &skill("lint")),
        ("project/.claude/skills/test/SKILL.md", &skill("test")),
    ]);
    let said = place.prints("project", &["check", "--no-home", "--format", "concise", "--agents", "claude-code"]);
    assert!(said.contains("(also .claude/commands/test.md)") && said.lines().count() == 1, "{said}");
}

#[test]
fn files_that_repeat_one_file_are_one_finding() {
    let paragraph =
        "Every handler returns an error that says what happened, where, and what to do about it. ".repeat(6);
    let below = |name: &str| format!("# {name}\n\n{paragraph}\n\nWords of {name} alone, which nobody else has.\n");
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", &below("All")),
        ("project/a/AGENTS.md", &below("A")),
        ("project/b/AGENTS.md", &below("B")),
    ]);
    let said = place.prints("project", &["check", "--no-home", "--format", "concise", "--agents", "codex"]);
    assert!(said.contains("[repeated-paragraph]") && said.contains("(also b/AGENTS.md)"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_skill_whose_name_is_there_twice_is_one_finding() {
    let skill = |words: &str| format!("---\nname: lint\ndescription: Words.\n---\n{words}\n");
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.opencode/skills/lint/SKILL.md", &skill("One.")),
        ("project/.agents/skills/lint/SKILL.md", &skill("Another.")),
    ]);
    let said =
        place.prints("project", &["check", "--no-home", "--format", "concise", "--exit-zero", "--agents", "opencode"]);
    assert!(said.contains("[duplicate-skill]") && said.lines().count() == 1, "{said}");
}

#[test]
fn skills_that_are_hidden_in_one_folder_are_one_finding() {
    let skill = |name: &str, words: &str| format!("---\nname: {name}\ndescription: Words.\n---\n{words}\n");
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.gemini/skills/lint/SKILL.md", &skill("lint", "One.")),
        ("project/.gemini/skills/test/SKILL.md", &skill("test", "One.")),
        ("project/.agents/skills/lint/SKILL.md", &skill("lint", "Another.")),
        ("project/.agents/skills/test/SKILL.md", &skill("test", "Another.")),
    ]);
    let said = place.prints("project", &["check", "--no-home", "--format", "concise", "--agents", "gemini-cli"]);
    assert!(said.starts_with(".gemini/skills/lint/SKILL.md:1:1: information[shadowed] "), "{said}");
    assert!(said.ends_with(" (also .gemini/skills/test/SKILL.md)\n") && said.lines().count() == 1, "{said}");
}

#[test]
fn a_name_that_is_there_twice_is_no_duplicate_where_one_always_wins() {
    let skill = |words: &str| format!("---\nname: lint\ndescription: Words.\n---\n{words}\n");
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.kilo/skills/lint/SKILL.md", &skill("One.")),
        ("project/.agents/skills/lint/SKILL.md", &skill("Another.")),
    ]);
    let check = ["check", "--no-home", "--format", "concise", "--agents"];
    let said = place.prints("project", &[&check[..], &["kilo"]].concat());
    assert!(said.contains(" information[shadowed] Kilo ") && said.lines().count() == 1, "{said}");
    assert_eq!(place.prints("project", &[&check[..], &["kilo,codex"]].concat()), "");
}

#[test]
fn what_agents_read_by_different_links_is_one_finding() {
    let command = "---\ndescription: Words.\n---\nText.\n";
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.claude/commands/lint.md", command),
        ("project/skills/lint/SKILL.md", "---\nname: lint\ndescription: Words.\n---\nOther text.\n"),
        ("project/.github/workflows/ci.yml", ""),
    ]);
    for folder in [".claude/skills", ".github/skills"] {
        std::os::unix::fs::symlink("../skills", place.root.join("project").join(folder)).expect("a link");
    }
    let check = ["check", "--no-home", "--format", "concise", "--agents", "claude-code,copilot-cli"];
    let said = place.prints("project", &check);
    assert!(said.contains("Claude Code does not load this file: .claude/skills/lint/SKILL.md"), "{said}");
    assert!(said.ends_with(" (also Copilot CLI)\n") && said.lines().count() == 1, "{said}");
}

#[test]
fn files_that_are_skipped_for_one_reason_are_one_finding() {
    let broken = |name: &str| format!("---\nname: {name}\ndescription: Words: words\n---\nText.\n");
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.github/skills/lint/SKILL.md", &broken("lint")),
        ("project/.github/skills/test/SKILL.md", &broken("test").replacen("Words", "More words", 1)),
        ("project/.cursor/rules/a.md", "Rules of a.\n"),
        ("project/.cursor/rules/b.md", "Rules of b.\n"),
    ]);
    let said =
        place.prints("project", &["check", "--no-home", "--format", "concise", "--agents", "copilot-cli,cursor"]);
    assert!(said.contains("[dropped] Cursor") && said.contains("(also .cursor/rules/b.md)"), "{said}");
    assert!(said.contains("[dropped] Copilot CLI") && said.contains("(also .github/skills/test/SKILL.md)"), "{said}");
    assert_eq!(said.lines().count(), 2, "{said}");
}

#[test]
fn imports_from_one_directory_that_is_not_there_are_one_finding() {
    let imports = "@.agents/a.md\n@.agents/b.md\n@gone.md\n@other.md\n";
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/CLAUDE.md", "@.agents/all.md\n"),
        ("project/.agents/all.md", imports),
        ("project/.agents/a.md", "A.\n"),
        ("project/.agents/b.md", "B.\n"),
    ]);
    let check = ["check", "--no-home", "--format", "concise", "--exit-zero", "--agents", "claude-code"];
    let said = place.prints("project", &check);
    assert!(said.starts_with(".agents/all.md:1:1: warning[import-missing] "), "{said}");
    assert!(said.contains(" (also .agents/all.md:2)\n") && said.lines().count() == 3, "{said}");
}

#[test]
fn a_name_that_goes_out_of_use_is_one_finding() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/a/CONTEXT.md", "Of a.\n"),
        ("project/a/a.rs", ""),
        ("project/b/CONTEXT.md", "Of b.\n"),
        ("project/b/b.rs", ""),
    ]);
    let check = ["check", "--no-home", "--format", "concise", "--level", "hint", "--agents", "opencode"];
    let said = place.prints("project", &check);
    assert!(said.contains("a/CONTEXT.md:1:1: hint[deprecated-name] "), "{said}");
    assert!(said.ends_with(" (also b/CONTEXT.md)\n") && said.lines().count() == 1, "{said}");
}
