//! `briefing check`: what it prints in each form, and the codes it exits with.

use std::process::Output;

use serde_json::Value;

use crate::place::Place;
use crate::revision::git;

mod causes;
mod judged;

/// A project whose AGENTS.md is beyond the limit of Codex, and beside it one that Claude Code passes over.
fn project() -> Place {
    let rules = format!("# Rules\n{}", "- Write small functions, and test them.\n".repeat(900));
    Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/AGENTS.md", &rules),
        ("home/project/CLAUDE.md", "Ask before you delete.\n\n@docs/gone.md\n"),
        ("home/project/src/AGENTS.md", "Handlers return errors.\n"),
    ])
}

const BOTH: [&str; 3] = ["check", "--harness", "codex,claude-code"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    BOTH.iter().chain(more).copied().collect()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn codes(place: &Place, arguments: &[&str]) -> Vec<String> {
    let json: Value = serde_json::from_slice(&place.run("home/project", arguments).stdout).expect("JSON");
    let of =
        |found: &Value| format!("{} {}", found["path"].as_str().unwrap_or(""), found["code"].as_str().unwrap_or(""));
    json["findings"].as_array().expect("a list").iter().map(of).collect()
}

#[test]
fn findings_are_shown_with_their_lines_and_counted() {
    let output = project().run("home/project", &BOTH);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "warning[over-budget]: Codex cuts 3 240 of 36 008 bytes",
        " --> AGENTS.md:821:1\n",
        "821 | - Write small functions, and test them.\n    | ^^^^",
        "warning[import-missing]: Claude Code: @docs/gone.md imports",
        "3 | @docs/gone.md\n  | ^^^^^^^^^^^^^",
        "info[agents-displaced]: Claude Code does not load this file",
    ] {
        assert!(text.replace("   --> ", " --> ").contains(part), "{part}\n{text}");
    }
    assert!(text.trim_end().lines().last().is_some_and(|last| last.contains("in 3 files: 2 warnings")), "{text}");
    // The same files in the same order, however often it is asked.
    assert_eq!(text, out(&project().run("home/project", &BOTH)));
}

#[test]
fn a_limit_within_a_character_is_shown_between_characters() {
    // Three bytes are one and a half of these letters; a lone half in the file is shown as one sign.
    for (limit, text) in [(3, "жжжж".as_bytes()), (5, "😀😀".as_bytes()), (3, b"\xff\xd0\xb6\xd0\r\xff")] {
        let place = project();
        std::fs::write(place.root.join("home/project/AGENTS.md"), text).expect("it is written");
        std::fs::create_dir_all(place.root.join("home/.codex")).expect("a directory");
        std::fs::write(place.root.join("home/.codex/config.toml"), format!("project_doc_max_bytes = {limit}\n"))
            .expect("it is written");
        let output = place.run("home/project", &["check", "--harness", "codex"]);
        let shown = out(&output);
        assert_eq!(output.status.code(), Some(1), "{shown}{}", String::from_utf8_lossy(&output.stderr));
        assert!(shown.contains("AGENTS.md:1:"), "{shown}");
    }
}

#[test]
fn the_help_is_the_fix_of_the_place_for_the_first_hundred_findings() {
    let many: String = (0..120).map(|number| format!("{number}: @docs/sty{number}e.md\n\n")).collect();
    let mut files: Vec<(String, &str)> =
        (0..120).map(|number| (format!("project/docs/stl{number}e.md"), "Words.\n")).collect();
    files.extend([("project/.git/HEAD".to_owned(), "ref: refs/heads/main\n"), ("project/CLAUDE.md".to_owned(), &many)]);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let place = Place::new(&files);
    let arguments = ["check", "--no-home", "--agents", "claude-code", "--exit-zero", "--format", "json"];
    let json: Value = serde_json::from_str(&place.prints("project", &arguments)).expect("JSON");
    let all = json["findings"].as_array().expect("a list").iter();
    let helps: Vec<&str> = all.map(|found| found["help"].as_str().unwrap_or_default()).collect();
    let fixed = helps.iter().filter(|help| !help.starts_with("`briefing explain")).count();
    assert!(helps.len() > 100 && fixed == 100, "{fixed} of {}: {:?}", helps.len(), helps.first());
    let shown = place
        .prints("project", &["check", "--no-home", "--agents", "claude-code", "--exit-zero", "--format", "markdown"]);
    assert!(shown.contains("<br>Help: "), "{shown}");
}

#[test]
fn what_is_less_severe_is_counted_and_a_hint_is_called_one() {
    let place = Place::new(&[("project/.git/HEAD", "ref: refs/heads/main\n"), ("project/CLAUDE.md", "")]);
    let check =
        |more: &[&str]| place.prints("project", &[&["check", "--no-home", "--agents", "claude-code"], more].concat());
    assert!(check(&[]).ends_with("No findings in 1 file; 1 more with --level hint\n"), "{}", check(&[]));
    assert!(check(&["--level", "hint"]).contains("\nhint[empty]: "), "{}", check(&["--level", "hint"]));
}

#[cfg(unix)]
#[test]
fn a_rule_behind_a_link_has_the_patterns_of_the_project() {
    let rule = "---\npaths:\n  - \"**/*.cs\"\n---\nWords.\n";
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/.ai/rules/a.md", rule),
        ("home/project/.claude/CLAUDE.md", "Words.\n"),
        ("home/project/src/A.cs", ""),
    ]);
    let rules = place.root.join("home/project/.claude/rules");
    std::fs::create_dir_all(&rules).expect("a folder");
    std::os::unix::fs::symlink("../../.ai/rules/a.md", rules.join("a.md")).expect("a link");
    std::fs::create_dir_all(place.root.join("home/project/.github")).expect("a folder");
    let instructions = place.root.join("home/project/.github/instructions");
    std::os::unix::fs::symlink("../.ai/rules", instructions).expect("a link");
    let found = codes(&place, &["check", "--no-home", "--agents", "claude-code,copilot-cli", "--format", "json"]);
    assert!(found.iter().all(|found| !found.ends_with("dead-glob")), "{found:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_cannot_be_listed_is_said() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::process::Command;

    let place = Place::new(&[("home/shut/AGENTS.md", "Rules.\n")]);
    let shut = place.root.join("home/shut");
    set_permissions(&shut, Permissions::from_mode(0o311)).expect("the owner may");
    // Root may list everything, unless it gives that up.
    let without = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];
    let is_root = metadata(&shut).expect("it exists").uid() == 0;
    let before = if is_root { without.as_slice() } else { &["env"] };
    for command in ["check", "inspect", "plan trim"] {
        let mut asked = Command::new(before[0]);
        asked.args(&before[1..]).arg(env!("CARGO_BIN_EXE_briefing")).args(command.split(' ')).current_dir(&shut);
        let output = asked.output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert!(said.contains("cannot be listed (permission denied)"), "{command}: {said}");
    }
    set_permissions(&shut, Permissions::from_mode(0o755)).expect("it can be removed");
}

#[test]
fn the_exit_code_says_whether_something_is_bad_enough() {
    let place = project();
    for (arguments, code) in [
        (&[][..], 1),
        (&["--exit-zero"], 0),
        (&["--fail-on", "error"], 0),
        (&["src", "--fail-on", "warning"], 0),
        (&["src", "--fail-on", "information"], 1),
        (&["--budget", "codex=90%", "--fail-on", "error"], 1),
        (&["--budget", "codex=90"], 1),
        (&["nowhere"], 2),
        (&[".."], 2),
        (&["--budget", "codex=900%"], 2),
        (&["--budget", "goose=90%"], 2),
        (&["--baseline", "nowhere.json"], 2),
        (&["--harness", "claud"], 2),
    ] {
        let output = place.run("home/project", &with(arguments));
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let said = String::from_utf8(place.run("home/project", &["check", "--harness", "claud"]).stderr).expect("UTF-8");
    assert!(said.contains("--agents: there is no agent `claud`") && said.contains("claude-code"), "{said}");
}

#[test]
fn only_the_named_files_and_severities_are_shown() {
    let place = project();
    assert_eq!(codes(&place, &with(&["--format", "json", "CLAUDE.md"])), ["CLAUDE.md import-missing"]);
    assert_eq!(
        codes(&place, &with(&["--format", "json", "--level", "warning"])),
        ["AGENTS.md over-budget", "CLAUDE.md import-missing"]
    );
}

#[test]
fn settings_that_agents_read_are_checked_as_well() {
    let place = project();
    let settings = "{\"instructions\": [\"docs/gone.md\"]}\n";
    std::fs::write(place.root.join("home/project/opencode.json"), settings).expect("a file");
    let found =
        |only: &[&str]| codes(&place, &[&["check", "--harness", "opencode", "--format", "json"], only].concat());
    assert_eq!(found(&["opencode.json"]), ["opencode.json missing-file"]);
    assert!(found(&[]).contains(&"opencode.json missing-file".to_owned()));
}

#[test]
fn what_a_baseline_lists_is_left_out_until_there_is_more_of_it() {
    let place = project();
    let written = place.run("home/project", &with(&["--write-baseline", "known.json"]));
    assert_eq!(written.status.code(), Some(0));
    let again = place.run("home/project", &with(&["--baseline", "known.json"]));
    assert_eq!(again.status.code(), Some(0));
    assert!(out(&again).contains("\nNo findings in 3 files; "), "{}", out(&again));
    std::fs::write(place.root.join("home/project/CLAUDE.md"), "@docs/other.md\n\nMore.\n\n@docs/gone.md\n")
        .expect("a file");
    assert_eq!(
        codes(&place, &with(&["--format", "json", "--baseline", "known.json"])),
        ["CLAUDE.md import-missing"],
        "a finding that moved is known, another is not"
    );
    let known = |more: &[&str]| {
        let json = place.run("home/project", &with(&[&["--format", "json"], more].concat())).stdout;
        serde_json::from_slice::<Value>(&json).expect("JSON")["known"].clone()
    };
    let root = place.root.join("home/project");
    std::fs::remove_dir_all(root.join(".git")).expect("it is removed");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "one"]);
    assert_eq!(known(&["--base", "HEAD", "--baseline", "known.json"]), known(&["--base", "HEAD"]), "they add up");
    let names = std::fs::read_dir(&root).expect("a directory").map(|entry| entry.expect("an entry").file_name());
    let beside: Vec<_> = names.filter(|name| name.to_string_lossy().ends_with(".new")).collect();
    assert!(beside.is_empty(), "it was written beside, and has its name: {beside:?}");
    for (text, wanted) in [
        (r#"{"version": 7, "known": {}}"#, "version 7 is not known; write it anew with --write-baseline"),
        ("{}", "not a baseline; write one with --write-baseline"),
        ("{", "EOF while parsing an object at line 1 column 1; write it anew with --write-baseline"),
    ] {
        std::fs::write(place.root.join("home/project/known.json"), text).expect("a file");
        let output = place.run("home/project", &with(&["--baseline", "known.json"]));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(wanted), "{said}");
    }
}

/// The project above, in a repository with one commit.
fn repository() -> Place {
    let place = project();
    let root = place.root.join("home/project");
    std::fs::remove_dir_all(root.join(".git")).expect("it is removed");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "one"]);
    place
}

#[test]
fn only_what_a_change_makes_worse_is_said_with_its_figures() {
    let place = repository();
    let root = place.root.join("home/project");
    let since = with(&["--base", "HEAD"]);
    let clean = place.run("home/project", &since);
    assert!(out(&clean).contains("\nNothing is worse since HEAD in 3 files; "), "{}", out(&clean));
    assert_eq!(clean.status.code(), Some(0));
    let rules = std::fs::read_to_string(root.join("AGENTS.md")).expect("it is there");
    // What is cut less is better, wherever the line is now on which it happens.
    std::fs::write(root.join("AGENTS.md"), &rules[..rules.len() - 400]).expect("it is written");
    assert_eq!(codes(&place, &[&since[..], &["--format", "json"]].concat()), [""; 0]);
    std::fs::write(root.join("AGENTS.md"), format!("{rules}{}", "x".repeat(812))).expect("it is written");
    std::fs::write(root.join("CLAUDE.md"), "Ask before you delete.\n\n\n@docs/gone.md\n@docs/new.md\n")
        .expect("it is written");
    let worse = place.run("home/project", &since);
    let text = out(&worse).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(worse.status.code(), Some(1), "{text}");
    for part in [
        "This change cuts 812 bytes of AGENTS.md for Codex. Codex cuts 4 052 of 36 820 bytes",
        "Claude Code: @docs/new.md imports",
        "2 findings since HEAD in 3 files: 2 warnings; ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("docs/gone.md imports"), "{text}");
    // A file that did not change is cut for those who start beside it, as one above it has grown.
    git(&root, &["checkout", "-q", "."]);
    std::fs::create_dir_all(root.join("src/api")).expect("a directory");
    let mine = "- Handlers return errors.\n".repeat(60);
    std::fs::write(root.join("AGENTS.md"), "x".repeat(31_000)).expect("it is written");
    std::fs::write(root.join("src/api/AGENTS.md"), &mine).expect("it is written");
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "two"]);
    std::fs::write(root.join("AGENTS.md"), "x".repeat(32_000)).expect("it is written");
    let text = out(&place.run("home/project", &since)).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("This change cuts 8") && text.contains(" bytes of src/api/AGENTS.md for Codex. If started in "),
        "{text}"
    );
}

#[test]
fn a_revision_that_cannot_be_read_is_misuse() {
    let place = repository();
    let said = |more: &[&str]| {
        let output = place.run("home/project", &with(more));
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert!(said(&["--base", "none"]).contains("--base: there is no revision `none`"), "{}", said(&["--base", "none"]));
    let config = place.root.join("home/project/.git/HEAD");
    std::fs::remove_file(&config).expect("it is removed");
    assert!(said(&["--base", "main"]).contains("is in no git repository"), "{}", said(&["--base", "main"]));
    let git = place.root.join("home/project/.git");
    std::fs::remove_dir_all(&git).expect("it is removed");
    std::fs::write(&git, "gitdir: /nowhere\n").expect("it is written");
    assert!(said(&["--base", "main"]).contains("is in no git repository"), "{}", said(&["--base", "main"]));
}

#[test]
fn exceptions_stand_in_the_file_or_in_that_of_the_project() {
    let place = project();
    let root = place.root.join("home/project");
    let json = with(&["--format", "json"]);
    let before = codes(&place, &json);
    assert!(
        before.contains(&"CLAUDE.md import-missing".to_owned()) && before.contains(&"AGENTS.md over-budget".to_owned())
    );
    std::fs::write(root.join("CLAUDE.md"), "<!-- briefing-ignore import-missing: later -->\n@docs/gone.md\n")
        .expect("it is written");
    let declared = "[[exceptions]]\ncode = \"over-budget\"\nharness = \"codex\"\nreason = \"it is moved soon\"\n\n[[exceptions]]\ncode = \"secret\"\nreason = \"none\"\n";
    std::fs::write(root.join("briefing.toml"), declared).expect("it is written");
    let after = codes(&place, &json);
    assert!(!after.iter().any(|code| code.contains("import-missing") || code.contains("over-budget")), "{after:?}");
    assert_eq!(after.iter().filter(|code| *code == "briefing.toml exception").count(), 1, "{after:?}");
    assert!(!after.contains(&"briefing.toml declaration".to_owned()), "{after:?}");
    let past = declared.replace("reason = \"it", "until = 2020-02-29\nreason = \"it");
    std::fs::write(root.join("briefing.toml"), past).expect("it is written");
    let text = out(&place.run("home/project", &[&BOTH[..], &["--format", "concise"]].concat()));
    assert!(text.contains("(its exception ended on 2020-02-29)"), "{text}");
}

#[test]
fn annotations_and_comments_name_place_and_code() {
    let place = project();
    let github = out(&place.run("home/project", &with(&["--format", "github"])));
    let wanted = "::warning file=CLAUDE.md,line=3,col=1,endColumn=14,title=Briefing (import-missing)::Claude Code: @docs/gone.md";
    assert!(github.lines().any(|line| line.starts_with(wanted)), "{github}");
    let markdown = out(&place.run("home/project", &with(&["--format", "markdown"])));
    assert!(markdown.contains("| warning | `CLAUDE.md:3` | Claude Code: @&#8203;docs/gone.md"), "{markdown}");
    let odd =
        Place::new(&[("home/p/a, b: 100%/CLAUDE.md", "@gone.md\n"), ("home/p/.git/HEAD", "ref: refs/heads/main\n")]);
    let github = out(&odd.run("home/p", &["check", "--harness", "claude-code", "--format", "github"]));
    assert!(github.contains("file=a%2C b%3A 100%25/CLAUDE.md,"), "{github}");
    let heading = Place::new(&[
        ("home/p/a\n\n# Approved\n/CLAUDE.md", "@gone.md\n"),
        ("home/p/.git/HEAD", "ref: refs/heads/main\n"),
    ]);
    let markdown = out(&heading.run("home/p", &["check", "--harness", "claude-code", "--format", "markdown"]));
    assert!(markdown.contains(r"`a\n\n# Approved\n/CLAUDE.md:1`") && !markdown.contains("\n# "), "{markdown}");
}

#[test]
fn sarif_has_rules_with_help_relative_places_and_fingerprints() {
    let output = project().run("home/project", &with(&["--format", "sarif"]));
    let log: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in run["results"].as_array().expect("results") {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small")];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["help"]["text"].as_str().is_some_and(|help| help.len() > 20), "{rule}");
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a place");
        assert!(["AGENTS.md", "CLAUDE.md", "src/AGENTS.md"].contains(&uri), "{uri}");
        assert!(place["region"]["startLine"].as_u64() >= Some(1), "{place}");
        assert_eq!(result["partialFingerprints"]["briefing/v1"].as_str().map(str::len), Some(16), "{result}");
    }
    assert_eq!((&log["version"], rules.len()), (&Value::from("2.1.0"), 3));
}

#[test]
fn a_severity_switches_a_kind_of_findings_on_or_off() {
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/AGENTS.md", "Run `npm run tset`, read [this](docs/gone.md).\n"),
        ("home/project/package.json", "{\"scripts\": {\"test\": \"x\"}}"),
    ]);
    let check = ["check", "--harness", "codex", "--format", "json"];
    let with = |severity: &str| codes(&place, &[&check[..], &["--severity", severity]].concat());
    assert_eq!(codes(&place, &check), Vec::<String>::new());
    assert_eq!(with("missing-script=error"), ["AGENTS.md missing-script"]);
    assert_eq!(
        with("missing-script=hint,missing-path=information"),
        ["AGENTS.md missing-path"],
        "hints are not printed unless they are asked for"
    );
    for (severity, said) in [
        ("missing-pat=error", "--severity: there is no finding `missing-pat`"),
        ("missing-path=loud", "--severity.missing-path: `loud` is not one of error"),
        ("missing-path", "expected CODE=SEVERITY"),
    ] {
        let output = place.run("home/project", &[&check[..], &["--severity", severity]].concat());
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(output.status.code() == Some(2) && error.contains(said), "{error}");
    }
}

/// What it prints stands in logs that others read.
#[test]
fn excerpts_repeat_no_password_and_no_secret() {
    let token = format!("ghp_{}", "iK2ZWeqhF".repeat(4));
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/AGENTS.md", &format!("- With {token} at hand.\n")),
        (
            "home/project/opencode.json",
            r#"{"instructions": ["http://user:hidden-password@127.0.0.1:9/a.md", "gone.md"]}"#,
        ),
    ]);
    let said = out(&place.run("home/project", &["check", "--harness", "codex,opencode"]));
    assert!(said.contains("warning[secret]") && said.contains("warning[missing-file]"), "{said}");
    assert!(said.contains(&"*".repeat(token.len())) && !said.contains(&token[8..]), "{said}");
    assert!(said.contains("user:***************@") && !said.contains("hidden-password"), "{said}");
}

#[test]
fn a_harness_that_the_workspace_declares_can_be_named() {
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/briefing.toml", "[harness.house]\nextends = \"agents-md\"\n"),
        ("home/project/AGENTS.md", "Ask before you delete.\n"),
    ]);
    for arguments in [&["check", "--harness", "house"][..], &["why", "Ask before you delete.", "--harness", "house"]] {
        let output = place.run("home/project", arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let output = place.run("home/project", &["check", "--harness", "home"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no agent `home`"));
}

#[test]
fn a_cut_within_a_long_line_is_shown_with_its_place() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", &format!("{} {}\n", "x".repeat(300), "y".repeat(40_000))),
    ]);
    let said = out(&place.run("project", &["check", "--no-home", "--agents", "codex"]));
    assert!(
        said.contains("AGENTS.md:1:32769\n") && said.contains("1 | ...yyyy") && said.contains("= help: "),
        "{said}"
    );
}

#[test]
fn services_get_their_own_forms() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", &"Write tests & <more>.\n".repeat(1600)),
    ]);
    let check = |format: &str| {
        let arguments = ["check", "--no-home", "--agents", "codex", "--exit-zero", "--format", format];
        place.prints("project", &arguments)
    };
    let junit = check("junit");
    assert!(junit.contains("tests=\"1\" failures=\"1\"") && junit.contains("file=\"AGENTS.md\""), "{junit}");
    std::fs::write(place.root.join("project/CLAUDE.md"), "Other rules.\n").expect("it is written");
    let note = out(&place.run("project", &["check", "--agents", "claude-code", "--format", "junit"]));
    assert!(note.contains("tests=\"1\" failures=\"0\"") && note.contains("<system-out>information: "), "{note}");
    let gitlab: Value = serde_json::from_str(&check("gitlab")).expect("JSON");
    assert_eq!(gitlab[0]["check_name"], "over-budget");
    let help = "Help: move a section to the directory that its heading names";
    assert!(gitlab[0]["content"]["body"].as_str().is_some_and(|body| body.starts_with(help)), "{gitlab}");
    assert!(junit.contains(&format!(">{help}")), "{junit}");
    assert!(check("github").contains(&format!("%0A{help}")), "the annotation helps as well");
    assert_eq!((&gitlab[0]["severity"], &gitlab[0]["location"]["path"]), (&"major".into(), &"AGENTS.md".into()));
    let sarif: Value = serde_json::from_str(&check("sarif")).expect("JSON");
    let hash = sarif["runs"][0]["results"][0]["partialFingerprints"]["primaryLocationLineHash"].as_str();
    assert!(hash.is_some_and(|hash| hash.ends_with(":1")), "{hash:?}");
    let text = check("text");
    assert!(text.contains("help: move a section to the directory that its heading names"), "{text}");
}

#[test]
fn no_text_of_a_file_steers_the_terminal() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/a\u{9b}b/CLAUDE.md", "@gone.md a\u{9b}31m\u{1b}[31m\u{1b}]0;b\u{7}\n"),
    ]);
    let shown = out(&place.run("project", &["check", "--no-home", "--agents", "claude-code"]));
    assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
    assert!(shown.contains("a\\u{9b}31m") && shown.contains("a\\u{9b}b/CLAUDE.md"), "{shown:?}");
}

#[test]
fn a_file_because_of_which_an_agent_does_not_start_is_an_error() {
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/AGENTS.md", "Rules.\n"),
        ("home/project/.opencode/agents/review.md", "---\ndescription: Reviews.\ntools: [read]\n---\nYou review.\n"),
    ]);
    let found = codes(&place, &["check", "--harness", "opencode", "--format", "json"]);
    assert_eq!(found, [".opencode/agents/review.md bad-settings"]);
}

#[test]
fn many_findings_are_counted_by_kind_below_them() {
    let imports: String = (0..12).map(|number| format!("@gone-{number}.md\n\n")).collect();
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/CLAUDE.md", &imports),
        ("home/project/.claude/agents/plain.md", "You review.\n"),
    ]);
    let text = out(&place.run("home/project", &["check", "--harness", "claude-code"]));
    let end: Vec<&str> = text.trim_end().lines().rev().take(2).collect();
    assert_eq!(end[1], "12 import-missing, 1 dropped", "{text}");
    assert!(end[0].starts_with("13 findings in "), "{text}");
}

#[test]
fn a_skill_is_never_read_only_where_all_who_are_judged_are_known_to_pass_it_over() {
    let skill = "---\nname: flat\ndescription: Explains.\n---\nText.\n";
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/.claude/skills/flat.md", skill),
        ("home/project/.factory/skills/flat.md", skill),
    ]);
    let of = |agents: &str| codes(&place, &["check", "--no-home", "--format", "json", "--agents", agents]);
    assert_eq!(of("claude-code"), [".claude/skills/flat.md never-read", ".factory/skills/flat.md never-read"]);
    assert_eq!(of("claude-code,droid"), [""; 0]);
}
