//! Two answers side by side: `briefing compare`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::project;
use crate::place::Place;
use crate::revision::git;

/// A repository of one commit.
fn repository(files: &[(&str, &str)]) -> (Place, PathBuf) {
    let place = Place::new(files);
    let root = place.root.join("project");
    git(&root, &["init", "-q"]);
    commit(&root);
    (place, root)
}

fn commit(root: &Path) -> String {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "a change"]);
    String::from_utf8(git(root, &["rev-parse", "HEAD"])).expect("a hash").trim().to_owned()
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
    std::fs::write(path, text).expect("a file");
}

/// The moments of a change, as `agent kind start file`.
fn moments(place: &Place, arguments: &[&str]) -> Vec<String> {
    let json = place.prints("project", &[&["compare", "--format", "json"], arguments].concat());
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let moment = |one: &Value| {
        let word = |name: &str| one[name].as_str().unwrap_or("-").to_owned();
        format!("{} {} {} {}", word("agent"), word("kind"), word("start"), word("file"))
    };
    json["moments"].as_array().expect("a list").iter().map(moment).collect()
}

#[test]
fn compare_says_what_changed_since_a_revision() {
    let (place, root) = repository(&[
        ("project/AGENTS.md", "Root rules.\n"),
        ("project/docs/a.md", "More. And more.\n"),
        ("project/CLAUDE.md", "Root rules.\n"),
    ]);
    let harnesses = ["--agents", "claude-code,codex,junie"];
    let compare = |more: &[&str]| place.prints("project", &[&["compare"], &harnesses[..], more].concat());
    let judged = "Judged for: Claude Code 2.1, Codex 0.169 and Junie 2026.11, named\n";
    let same = compare(&["--exit-code"]);
    let head = same.split(", from").next().expect("a line");
    assert_eq!(head, format!("{judged}nothing changes for Claude Code, Codex and Junie; asked about 1 start"));
    let editions = ["compare", "--harness", "claude-code@2.1.267,claude-code@2.1.330"];
    assert!(place.prints("project", &editions).contains("nothing changes for Claude Code;"));
    write(&root, "CLAUDE.md", "Root rules. @docs/a.md\n");
    write(&root, "AGENTS.md", "Root\nrules!\n");
    let expected = "\
Claude Code 2.1, started in this directory
  ~ grew   CLAUDE.md  23 B, was 12 B
  + added  docs/a.md  loaded (imported by CLAUDE.md)
    + @docs/a.md
    + More.
    + And more.

Codex 0.169 and Junie 2026.11, started in this directory
  ~ edited AGENTS.md  other text, and as much of it
    + Root rules!
    - Root rules.

asked about 1 start and 1 read, from ";
    let said = compare(&["--base", "HEAD"]);
    assert!(said.starts_with(&format!("{judged}{expected}")), "{said}");
    assert!(said.ends_with(" to the working tree\n"), "{said}");
    let json: Value = serde_json::from_str(&compare(&["--format", "json"])).expect("JSON");
    assert_eq!(json["moments"][1]["added"], serde_json::json!(["Root rules!"]));
    assert_eq!(json["judged"][1]["agent"], "codex");
    let changed = place.run("project", &["compare", "--exit-code", "--agents", "codex"]);
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
fn a_change_is_what_a_branch_did_since_it_left_the_other() {
    let (place, root) = repository(&[("project/AGENTS.md", "One.\n")]);
    git(&root, &["checkout", "-q", "-b", "topic"]);
    write(&root, "AGENTS.md", "One.\nTwo.\n");
    commit(&root);
    git(&root, &["checkout", "-q", "main"]);
    write(&root, "AGENTS.md", "One.\nOf main.\n");
    commit(&root);
    git(&root, &["checkout", "-q", "topic"]);
    let sentences = |base: &str| {
        let json = place.prints("project", &["compare", "--agents", "codex", "--format", "json", "--base", base]);
        let json: Value = serde_json::from_str(&json).expect("JSON");
        format!("+{} -{}", json["moments"][0]["added"], json["moments"][0]["removed"])
    };
    assert_eq!(sentences("main"), "+[\"Two.\"] -[]");
    assert_eq!(sentences("main...topic"), "+[\"Two.\"] -[]");
    assert_eq!(sentences("topic...main"), "+[\"Of main.\"] -[]");
    assert_eq!(sentences("main..topic"), "+[\"Two.\"] -[\"Of main.\"]");
    assert_eq!(sentences("main~1"), "+[\"Two.\"] -[]");
    // Both sides of a range are commits, whatever the working tree holds.
    write(&root, "AGENTS.md", "");
    assert_eq!(sentences("main...topic"), "+[\"Two.\"] -[]");
    // `check` counts from the same commit.
    write(&root, "AGENTS.md", &format!("One.\nTwo.\n{}", "Write tests.\n".repeat(2600)));
    let check = place.run("project", &["check", "--no-home", "--agents", "codex", "--base", "main"]);
    assert!(String::from_utf8_lossy(&check.stdout).contains("This change cuts"), "{check:?}");
    let check = place.run("project", &["check", "--no-home", "--agents", "codex", "--base", "main...topic"]);
    assert!(String::from_utf8_lossy(&check.stdout).contains("Nothing is worse since main...topic"), "{check:?}");
}

#[test]
fn compare_asks_every_moment_that_a_change_may_touch() {
    let skill = |text: &str| format!("---\nname: lint\ndescription: Lints.\n---\n\n{text}\n");
    let agent = |text: &str| format!("---\nname: review\ndescription: Reviews.\n---\n\n{text}\n");
    let rule = |text: &str| format!("---\npaths: \"web/**/*.ts\"\n---\n\n{text}\n");
    let (place, root) = repository(&[
        ("project/CLAUDE.md", "Root.\n"),
        ("project/api/CLAUDE.md", "One.\n"),
        ("project/api/src/main.rs", "fn main() {}\n"),
        ("project/web/a.ts", "let a\n"),
        ("project/.claude/skills/lint/SKILL.md", &skill("Run it.")),
        ("project/.claude/agents/review.md", &agent("Be kind.")),
        ("project/.claude/rules/web.md", &rule("Use tabs.")),
    ]);
    let asked = |arguments: &[&str]| moments(&place, &[&["--agents", "claude-code"], arguments].concat());
    write(&root, "api/CLAUDE.md", "One. Two.\n");
    assert_eq!(asked(&[]), ["claude-code start api -", "claude-code read . api/src/main.rs"]);
    git(&root, &["checkout", "-q", "api"]);
    write(&root, ".claude/rules/web.md", &rule("Use spaces."));
    assert_eq!(asked(&[]), ["claude-code read . web/a.ts"]);
    git(&root, &["checkout", "-q", ".claude"]);
    write(&root, ".claude/skills/lint/SKILL.md", &skill("Run it twice."));
    assert_eq!(asked(&[]), ["claude-code skill . .claude/skills/lint/SKILL.md"]);
    git(&root, &["checkout", "-q", ".claude"]);
    write(&root, ".claude/agents/review.md", &agent("Be strict."));
    assert_eq!(asked(&[]), ["claude-code subagent . .claude/agents/review.md"]);
    git(&root, &["checkout", "-q", ".claude"]);
    write(&root, ".claude/settings.json", "{\"claudeMdExcludes\": [\"**/api/CLAUDE.md\"]}");
    assert_eq!(asked(&[]), ["claude-code read . api/src/main.rs"]);
    // One file is asked about as it is, however it changed.
    assert_eq!(asked(&["api/src/main.rs"]), ["claude-code read . api/src/main.rs"]);
}

#[test]
fn the_comment_shows_the_sentences_of_each_agent_and_moment() {
    let (place, root) = repository(&[("project/AGENTS.md", "Root.\n"), ("project/api/AGENTS.md", "Use `x`.\n")]);
    write(&root, "api/AGENTS.md", "Use ```y```. Ask <first>.\n");
    let comment =
        place.run("project", &["check", "--no-home", "--agents", "codex", "--base", "HEAD", "--format", "markdown"]);
    let comment = String::from_utf8(comment.stdout).expect("UTF-8");
    let expected = "\
#### What agents are told

**Codex 0.169, started in api**

- grew `api/AGENTS.md`: 26 B, was 9 B

````diff
+ Use ```y```.
+ Ask <first>.
- Use `x`.
````

asked about 2 starts, from ";
    let (head, section) = comment.split_once("#### ").expect("a section");
    assert!(
        head.starts_with("### Briefing\n\nJudged for: Codex 0.169, named\n\nNothing is worse since HEAD"),
        "{head}"
    );
    assert!(format!("#### {section}").starts_with(expected), "{section}");
    // The command says the same, without findings.
    let alone = place.prints("project", &["compare", "--no-home", "--agents", "codex", "--format", "markdown"]);
    assert!(alone.ends_with(&format!("#### {section}")), "{alone}");
}

#[test]
fn a_shallow_clone_is_told_how_the_history_comes() {
    let (place, root) = repository(&[("project/AGENTS.md", "One.\n")]);
    let first = String::from_utf8(git(&root, &["rev-parse", "HEAD"])).expect("a hash");
    for text in ["Two.\n", "Three.\n"] {
        write(&root, "AGENTS.md", text);
        commit(&root);
    }
    let from = format!("file://{}", root.display());
    git(&place.root, &["clone", "-q", "--depth", "1", &from, "shallow"]);
    for command in ["compare", "check"] {
        let said = place.run("shallow", &[command, "--agents", "codex", "--base", first.trim()]);
        let error = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(2), "{error}");
        assert!(error.contains("`git fetch --unshallow` brings it") && error.contains("`fetch-depth: 0`"), "{error}");
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
        ("agent=plan", "--left: begin with an agent"),
        ("codex plan", "--left: `plan` is no NAME=VALUE; the names are agent"),
        ("codex agnt=plan", "--left: there is no `agnt`; the names are agent"),
        ("codex revision=main", "--left: @/project is in no git repository"),
        ("mine", "--left: it takes one agent to compare, not "),
        ("claud", "--left: there is no agent `claud`; did you mean claude-code?"),
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
    let expected = "\
Judged for: Codex 0.169 and Claude Code 2.1, named
           Codex  Claude Code
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

/// Of each moment: whom, when, and the sentences that come and go.
fn told(place: &Place, arguments: &[&str]) -> Vec<String> {
    let json = place.prints("project", &[&["compare", "--no-home", "--format", "json"], arguments].concat());
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let moment = |one: &Value| {
        format!("{} {} +{} -{}", one["agent"], one["kind"], one["added"], one["removed"]).replace('"', "")
    };
    json["moments"].as_array().expect("a list").iter().map(moment).collect()
}

#[test]
fn a_file_that_is_as_long_as_before_is_named_and_one_that_is_sent_twice_changes_once() {
    let (place, root) = repository(&[("project/AGENTS.md", "abc def.\n"), ("project/CLAUDE.md", "@AGENTS.md\n")]);
    write(&root, "AGENTS.md", "abc xyz.\n");
    let said = place.prints("project", &["compare", "--no-home", "--agents", "codex"]);
    assert!(said.contains("~ edited AGENTS.md"), "{said}");
    write(&root, "AGENTS.md", "abc xyz. More.\n");
    let said = place.prints("project", &["compare", "--no-home", "--agents", "copilot-cli", "--format", "markdown"]);
    assert_eq!((said.matches("grew").count(), said.matches("More.").count()), (1, 1), "{said}");
    let report = place.prints("project", &["report", "--no-home", "--agents", "copilot-cli"]);
    assert_eq!(report.matches("  AGENTS.md").count(), 2, "{report}");
}

#[test]
fn a_file_that_is_attached_is_a_moment_of_its_own() {
    let rule = |text: &str| format!("---\napplyTo: \"**/*.ts\"\n---\n\n{text}\n");
    let (place, root) = repository(&[
        ("project/src/a.ts", "let a\n"),
        ("project/.github/instructions/ts.instructions.md", &rule("Use tabs.")),
    ]);
    write(&root, ".github/instructions/ts.instructions.md", &rule("Use spaces."));
    let told = told(&place, &["--agents", "copilot-vscode"]);
    assert!(told.iter().any(|one| one.starts_with("copilot-vscode attach +[Use spaces.] -[Use tabs.]")), "{told:?}");
    let said = place.prints("project", &["compare", "--no-home", "--agents", "copilot-vscode"]);
    assert!(said.contains("src/a.ts attached\n") && !said.contains("nothing changes"), "{said}");
}

#[test]
fn a_new_directory_brings_its_own_sentences_and_no_words_of_a_client() {
    let (place, root) = repository(&[("project/AGENTS.md", "Root.\n"), ("project/CLAUDE.md", "@AGENTS.md\n")]);
    write(&root, "new/AGENTS.md", "Fresh rules.\n");
    write(&root, "new/CLAUDE.md", "Other rules.\n");
    write(&root, "new/a.txt", "a\n");
    let agents = ["--agents", "codex,claude-code,opencode,copilot-cli,gemini-cli"];
    for one in told(&place, &agents) {
        let (_, sentences) = one.split_once(" +").expect("sentences");
        // Copilot CLI loads both.
        let wanted = ["[Fresh rules.] -[]", "[Other rules.] -[]", "[Fresh rules.,Other rules.] -[]"];
        assert!(wanted.contains(&sentences), "{one}");
    }
    git(&root, &["add", "-A"]);
    commit(&root);
    write(&root, "CLAUDE.md", "");
    for one in told(&place, &agents) {
        assert!(!one.contains("system-reminder") && !one.contains("OVERRIDE"), "{one}");
    }
}

#[test]
fn spaces_are_no_sentences_and_a_long_paragraph_is_not_one() {
    let long = "and so it goes on for a while\n".repeat(60);
    let (place, root) = repository(&[("project/AGENTS.md", "Use  two spaces.\n"), ("project/api/AGENTS.md", &long)]);
    write(&root, "AGENTS.md", "Use two  spaces, always.\n");
    write(&root, "api/AGENTS.md", &format!("{long}until it ends\n"));
    let told = told(&place, &["--agents", "codex"]);
    assert_eq!(told[0], "codex start +[Use two spaces, always.] -[Use two spaces.]");
    assert!(told[1].ends_with("until it ends] -[Use two spaces.]") && !told[1].contains("and so it goes"), "{told:?}");
    write(&root, "AGENTS.md", "Use two spaces.\n");
    let said = place.prints("project", &["compare", "--no-home", "--agents", "codex"]);
    assert!(said.contains("the sentences are the same"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_changed_file_is_said_with_its_sentences() {
    let (place, root) = repository(&[("project/AGENTS.md", "Root.\n"), ("project/docs/a.md", "a\n")]);
    std::os::unix::fs::symlink("../AGENTS.md", root.join("docs/AGENTS.md")).expect("a link");
    commit(&root);
    write(&root, "AGENTS.md", "Root. More.\n");
    let said = place.prints("project", &["compare", "--no-home", "--agents", "codex"]);
    assert_eq!(said.matches("    + More.\n").count(), 1, "{said}");
    assert!(said.contains("started in this directory and docs\n") && said.contains("docs/AGENTS.md"), "{said}");
}

#[test]
fn an_agent_that_is_allowed_something_new_is_not_said_to_be_unchanged() {
    let (place, root) = repository(&[("project/CLAUDE.md", "Root.\n"), ("project/AGENTS.md", "Root.\n")]);
    write(&root, ".claude/settings.json", "{\"permissions\": {\"allow\": [\"Bash(rm:*)\"]}}\n");
    let said = place.prints("project", &["compare", "--no-home", "--agents", "claude-code,codex"]);
    assert!(said.contains("Bash(rm:*)") && said.contains("nothing changes for Codex;"), "{said}");
}

#[test]
fn a_sentence_that_goes_says_whether_it_is_cut_or_moved() {
    let (place, root) = repository(&[
        ("project/CLAUDE.md", "Root.\n\nTwo reviewers.\n\nShort names.\n"),
        ("project/AGENTS.md", "Last rule.\n\nLast word.\n"),
        ("project/pay/a.ts", ""),
    ]);
    write(&root, "CLAUDE.md", "Root.\n");
    write(&root, "pay/CLAUDE.md", "Two reviewers.\n");
    write(&root, "AGENTS.md", &format!("{}Last rule.\n\nLast word.\n", "Write tests.\n".repeat(2600)));
    let json = place.prints("project", &["compare", "--agents", "claude-code,codex", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let instead = |agent: &str| {
        let mut moments = json["moments"].as_array().expect("moments").iter();
        let start = moments.find(|one| one["agent"] == agent && one["kind"] == "start" && one["start"] == ".");
        start.unwrap_or_else(|| panic!("{json}"))["instead"].clone()
    };
    let moved = serde_json::json!([{"sentence": "Two reviewers.", "kind": "moved", "message": "now with pay/a.ts"}]);
    assert_eq!(instead("claude-code"), moved, "{json}");
    assert_eq!(instead("codex")[0]["kind"], "cut", "{json}");
    let said = place.prints("project", &["compare", "--agents", "claude-code,codex"]);
    assert!(said.contains("    - Two reviewers. (now with pay/a.ts)\n"), "{said}");
    assert!(
        said.contains("    - Last rule. (cut: the 32 768 B limit") && said.contains("    - Short names.\n"),
        "{said}"
    );
    assert!(said.contains("    - Last word. (cut)\n"), "why it is cut is said once\n{said}");
}

#[test]
fn descriptions_of_skills_are_quoted_whole_and_each_by_itself() {
    let skill = |name: &str, description: &str| format!("---\nname: {name}\ndescription: {description}\n---\nText.\n");
    let (place, root) = repository(&[("project/AGENTS.md", "Rules.\n")]);
    let first = "Make a pull request, or open one, when the user asks. Use it often.";
    write(&root, ".agents/skills/pr/SKILL.md", &skill("pr", first));
    write(&root, ".agents/skills/land/SKILL.md", &skill("land", "Use when the user asks to create"));
    let said = place.prints("project", &["compare", "--agents", "codex,copilot-cli"]);
    for sentence in ["Make a pull request, or open one, when the user asks.", "Use when the user asks to create"] {
        assert!(said.lines().any(|line| line.trim() == format!("+ {sentence}")), "{sentence}\n{said}");
    }
}
