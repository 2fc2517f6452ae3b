//! `briefing expect` and `briefing check`: which expectations hold, for whom, and why the others do not.

use std::path::Path;

use serde_json::Value;

use crate::place::Place;

mod failures;
mod formats;
mod gates;

/// Runs `briefing expect` in a project whose `briefing.toml` is `declaration`, and returns its code and its rows as
/// `id agent from file: why`, with `*` where a file is created. No `agents`: those of the project.
fn expect(files: &[(&str, &str)], declaration: &str, agents: &str) -> (Option<i32>, Vec<String>) {
    let mut all = vec![("home/p/.git/HEAD", "ref: refs/heads/main\n"), ("home/p/briefing.toml", declaration)];
    all.extend(files);
    let whom = if agents.is_empty() { vec![] } else { vec!["--harness", agents] };
    let output = Place::new(&all).run("home/p", &[&["expect", "--format", "json"], &whom[..]].concat());
    let json: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let mut rows = Vec::new();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for expectation in json["expectations"].as_array().expect("a list") {
        let id = text(&expectation["id"]);
        if let Some(problem) = expectation["problem"].as_str() {
            rows.push(format!("{id}: {problem}"));
        }
        for row in expectation["rows"].as_array().expect("a list") {
            let (agent, from, file) = (text(&row["agent"]), text(&row["from"]), text(&row["file"]));
            let creates = if row["creates"] == true { "*" } else { "" };
            let why = row["why"].as_str().unwrap_or("holds");
            let session = text(&row["session"]);
            let session = if session == "main" { String::new() } else { format!(" {session}") };
            rows.push(format!("{id} {agent}{session} /{from} {file}{creates}: {why}"));
        }
    }
    rows.extend(
        json["problems"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|problem| format!("{}:{}: {}", text(&problem["path"]), problem["line"], text(&problem["message"]))),
    );
    (output.status.code(), rows)
}

const RULES: (&str, &str) =
    ("home/p/AGENTS.md", "# Rules\n\n## Security\n\nNever log\n  *personal* data.\n\n## Style\n\n- Short names.\n");

#[test]
fn a_sentence_reaches_whoever_is_started_at_or_below_its_file() {
    let nested = ("home/p/pay/AGENTS.md", "Two reviewers.\n");
    let declaration =
        "[[expect]]\nid = \"two\"\ntext = \"Two reviewers.\"\npaths = [\"pay/**\"]\nwhen = \"before-read\"\n";
    let (code, rows) = expect(&[RULES, nested, ("home/p/pay/a.ts", "")], declaration, "codex,opencode");
    assert_eq!(code, Some(1));
    let held: Vec<&String> = rows.iter().filter(|row| row.ends_with(": holds")).collect();
    assert_eq!(
        held,
        ["two opencode / pay/a.ts: holds", "two codex /pay pay/a.ts: holds", "two opencode /pay pay/a.ts: holds"]
    );
    assert!(rows[0].starts_with("two codex / pay/a.ts: below the start directory"), "{rows:?}");
}

#[test]
fn what_comes_with_a_file_does_not_reach_an_agent_that_creates_one() {
    let rule = ("home/p/.claude/rules/ts.md", "---\npaths: [\"**/*.ts\"]\n---\nStrict types.\n");
    let declaration = "[[expect]]\nid = \"strict\"\ntext = \"Strict types.\"\npaths = [\"**/*.ts\"]\nfrom = [\"/\"]\n";
    let (code, rows) = expect(&[rule, ("home/p/a.ts", "")], declaration, "claude-code");
    assert_eq!(code, Some(1));
    assert_eq!(
        rows,
        [
            "strict claude-code / a.ts*: a new file brings nothing with it; waits until a file is read that matches **/*.ts",
            "strict claude-code / a.ts: holds",
        ]
    );
    let before_read = declaration.replace("from", "when = \"before-read\"\nfrom");
    let (code, rows) = expect(&[rule, ("home/p/a.ts", "")], &before_read, "claude-code");
    assert_eq!((code, rows), (Some(0), vec!["strict claude-code / a.ts: holds".to_owned()]));
}

#[test]
fn every_kind_of_expectation_holds_or_says_why_not() {
    for (entry, code, part) in [
        ("text = \"Short names.\"", 0, "e codex / : holds"),
        ("text = \"Long names.\"", 1, "e codex / : no instruction file says it"),
        ("file = \"AGENTS.md\"", 0, "e codex / : holds"),
        ("file = \"docs/policy.md\"", 1, "e codex / : no instruction file says it"),
        ("file = \"gone.md\"", 1, "e: gone.md cannot be read"),
        ("file = \"../../secret.md\"", 1, "e: ../../secret.md lies outside the project"),
        ("section = \"AGENTS.md#Security\"", 0, "e codex / : holds"),
        ("section = \"AGENTS.md#Safety\"", 1, "e: AGENTS.md has no heading `Safety`"),
        ("absent = \"Long names.\"", 0, "e codex / : holds"),
        ("absent = \"Short names.\"", 1, "e codex / : it gets the text, from AGENTS.md"),
        ("max_tokens = 1000", 0, "e codex / : holds"),
        ("max_tokens = 10", 1, "e codex / : the instructions have about"),
        ("max_share = \"50%\"", 0, "e codex / : holds"),
        ("max_share = \"0%\"", 1, "e codex / : "),
        ("same_for = [\"codex\", \"opencode\"]", 0, "e opencode / : holds"),
        ("same_for = [\"codex\", \"claude-code\"]", 1, "e claude-code / : Codex gets “Never log personal data.”"),
        ("text = \"Short names.\"\nwhen = \"after-compaction\"", 0, "e codex / : holds"),
        ("text = \"Short names.\"\npaths = [\"gone/**\"]", 1, "e: `gone/**` matches no file, so nothing is proven"),
        ("text = \"Short names.\"\nsession = \"main\"", 1, "unknown key `session`"),
    ] {
        let declaration = format!("[[expect]]\nid = \"e\"\n{entry}\n");
        let files = [
            RULES,
            ("home/p/CLAUDE.md", "Only Claude.\n"),
            ("home/p/docs/policy.md", "Always two.\n"),
            ("home/secret.md", "hunter2\n"),
        ];
        let (found, rows) = expect(&files, &declaration, "codex");
        assert_eq!(found, Some(code), "{entry}: {rows:?}");
        assert!(rows.iter().any(|row| row.contains(part)), "{entry}: {rows:?}");
        assert!(!rows.concat().contains("hunter2"), "{rows:?}");
    }
}

#[test]
fn a_policy_that_is_extended_holds_where_it_is_extended() {
    let policy = ("home/policy/briefing.toml", "[[expect]]\nid = \"org\"\ntext = \"Never log personal data.\"\n");
    let (code, rows) = expect(&[RULES, policy], "extends = \"../policy/briefing.toml\"\n", "codex");
    assert_eq!((code, rows), (Some(0), vec!["org codex / : holds".to_owned()]));
    let (code, rows) = expect(&[RULES], "extends = \"../policy/briefing.toml\"\n", "codex");
    assert_eq!(code, Some(1));
    assert!(rows[0].contains("`extends` leads to ../policy/briefing.toml, which cannot be read"), "{rows:?}");
    let (_, rows) = expect(&[RULES], "extends = \"../../etc/passwd\"\n", "codex");
    assert!(rows[0].contains("which is not a briefing.toml"), "{rows:?}");
}

#[test]
fn the_table_is_readable_and_names_what_is_similar() {
    let declaration = "[[expect]]\nid = \"typo\"\ntext = \"Shorter names.\"\nreason = \"taste\"\n";
    let place = Place::new(&[
        ("home/p/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/p/briefing.toml", declaration),
        (RULES.0, RULES.1),
    ]);
    let output = place.run("home/p", &["expect", "--harness", "codex"]);
    let text = String::from_utf8_lossy(&output.stdout).replace(|c: char| c.is_ascii_digit(), "N");
    let expected = "\
✗ typo  “Shorter names.”
  start · taste
  ✗ codex N.NNN  started in /
      no instruction file says it
  similar: AGENTS.md:NN  - Short names.

N expectation: N failed
";
    assert_eq!(text, expected);
}

#[test]
fn the_table_has_one_row_for_files_that_exist_and_files_that_are_created() {
    let declaration = "[[expect]]\nid = \"names\"\ntext = \"Short names.\"\npaths = [\"src/**\"]\nfrom = [\"/\"]\n";
    let place = Place::new(&[
        ("home/p/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/p/briefing.toml", declaration),
        ("home/p/src/a.ts", ""),
        (RULES.0, RULES.1),
    ]);
    let output = place.run("home/p", &["expect", "--harness", "codex"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("codex")).collect();
    assert!(rows.len() == 1 && rows[0].ends_with("started in /; src/a.ts, and new ones"), "{text}");
}

#[test]
fn agents_that_fail_alike_share_a_reason() {
    let declaration = "[[expect]]\nid = \"x\"\ntext = \"Quite another thing.\"\npaths = [\"src/**\"]\nfrom = [\"/\"]\n[[expect]]\nid = \"y\"\ntxt = \"\"\n";
    let place = Place::new(&[
        ("home/p/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/p/briefing.toml", declaration),
        ("home/p/src/a.ts", ""),
        (RULES.0, RULES.1),
    ]);
    let output = place.command("home/p", &["expect", "--harness", "codex,opencode"]).env("COLUMNS", "80").output();
    let text = String::from_utf8(output.expect("the program runs").stdout).expect("UTF-8");
    let rows: Vec<&str> = text.lines().skip(2).take(3).collect();
    let [codex, opencode, why] = rows[..] else { panic!("{text}") };
    assert!(codex.contains("codex") && codex.ends_with("started in /; src/a.ts, and new ones"), "{text}");
    assert!(opencode.contains("opencode") && opencode.ends_with("started in /; src/a.ts, and new ones"), "{text}");
    assert_eq!(why.trim(), "no instruction file says it", "{text}");
    assert!(text.ends_with("1 expectation: 1 failed, 1 wrong declaration\n"), "{text}");
    let output = place.run("home/p", &["check", "--harness", "codex,opencode", "--no-home", "--format", "concise"]);
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let together = "does not hold: Codex and OpenCode started in /, creating a file beside src/a.ts: no instruction file says it\n";
    assert!(said.contains(together), "{said}");
}

#[test]
fn suggestions_hold() {
    let own = ("home/.codex/AGENTS.md", "Be brief.\n");
    let more =
        ("home/p/AGENTS.override.md", "# ✨\n\nBe kind.\n\n## Security\n\nSign it.\n\n### security!\n\nTwice.\n");
    let place = Place::new(&[("home/p/.git/HEAD", "ref: refs/heads/main\n"), own, more]);
    let output = place.run("home/p", &["expect", "--suggest", "--harness", "codex"]);
    let suggested = String::from_utf8(output.stdout).expect("UTF-8");
    let ids: Vec<&str> = suggested.lines().filter(|line| line.starts_with("id = ")).collect();
    assert_eq!(ids, ["id = \"section\"", "id = \"security\"", "id = \"security-2\""], "{suggested}");
    assert!(suggested.contains("section = \"AGENTS.override.md#Security\""), "{suggested}");
    let (code, rows) = expect(&[own, more], &suggested, "codex");
    assert_eq!(code, Some(0), "{rows:?}");
}

#[test]
fn check_reports_a_failed_expectation_at_its_entry_and_at_the_sentence() {
    let declaration = "[[expect]]\nid = \"two\"\ntext = \"Two reviewers.\"\nreason = \"SOX\"\n\n[[expect]]\nid = \"held\"\ntext = \"Short names.\"\n";
    let place = Place::new(&[
        ("home/p/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/p/briefing.toml", declaration),
        ("home/p/pay/AGENTS.md", "Two reviewers.\n"),
        (RULES.0, RULES.1),
    ]);
    let output = place.run("home/p", &["check", "--harness", "codex", "--format", "json", "--no-home"]);
    assert_eq!(output.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let failed: Vec<&Value> = json["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|finding| finding["code"] == "expectation-failed")
        .collect();
    let places: Vec<String> = failed.iter().map(|one| one["path"].as_str().unwrap_or_default().to_owned()).collect();
    assert_eq!(places, ["briefing.toml", "pay/AGENTS.md"]);
    let message = failed[0]["message"].as_str().expect("a message");
    assert!(message.starts_with("Expectation `two` does not hold (SOX): Codex started in /: "), "{message}");
    assert!(
        place.run("home/p", &["check", "--harness", "codex", "--severity", "expectation-failed=off"]).status.success()
    );
}

#[test]
fn the_recipes_hold_and_fail_when_their_files_are_broken() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/expectations");
    let long = "- Keep each function small, and its name a verb.\n".repeat(400);
    for (recipe, broken, broken_text) in [
        ("payments", "AGENTS.md", "Nothing.\n"),
        ("one-truth", "CLAUDE.md", "Nothing.\n"),
        ("budget", "AGENTS.md", &long),
        ("sub-agents", "CLAUDE.md", "Nothing.\n"),
        ("vendored", "AGENTS.md", "Release with `make publish`.\n"),
    ] {
        let mut files = Vec::new();
        read(&examples.join(recipe), "home/p", &mut files);
        files.push(("home/p/.git/HEAD".to_owned(), "ref: refs/heads/main\n".to_owned()));
        let run = |files: &[(String, String)]| {
            let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            let output = Place::new(&files).run("home/p", &["expect"]);
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let (code, text) = run(&files);
        assert_eq!(code, Some(0), "{recipe}: {text}");
        let broken = format!("home/p/{broken}");
        files.iter_mut().filter(|(path, _)| *path == broken).for_each(|(_, text)| broken_text.clone_into(text));
        let (code, text) = run(&files);
        assert_eq!(code, Some(1), "{recipe} without {broken}: {text}");
    }
}

/// Reads the files below a folder.
fn read(dir: &Path, name: &str, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(dir).expect("the example is there") {
        let entry = entry.expect("an entry");
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            read(&entry.path(), &name, files);
        } else {
            files.push((name, std::fs::read_to_string(entry.path()).expect("text")));
        }
    }
}

#[test]
fn an_exception_at_the_entry_or_the_sentence_holds_in_check() {
    let expectation =
        "[[expect]]\nid = \"two\"\ntext = \"Two reviewers.\"\nagents = [\"codex\"]\npaths = [\"pay/**\"]\n";
    let sentence = "Two reviewers.\n";
    let check = |declaration: &str, nested: &str, more: &[&str]| {
        let place = Place::new(&[
            ("home/p/.git/HEAD", "ref: refs/heads/main\n"),
            ("home/p/briefing.toml", declaration),
            ("home/p/pay/AGENTS.md", nested),
            ("home/p/pay/a.ts", ""),
        ]);
        let output = place.run("home/p", &[&["check", "--harness", "codex", "--format", "concise"], more].concat());
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        let failed = said.lines().filter(|line| line.contains("expectation-failed") || line.contains("exception"));
        let at = failed.map(|line| line.split(':').next().unwrap_or_default().to_owned());
        at.collect::<Vec<_>>()
    };
    assert_eq!(check(expectation, sentence, &[]), ["briefing.toml", "pay/AGENTS.md"]);
    let excepted = format!("<!-- briefing-ignore expectation-failed: all start there -->\n{sentence}");
    assert_eq!(check(expectation, &excepted, &[]), ["briefing.toml"]);
    let declared = format!("# briefing-ignore expectation-failed: all start there\n{expectation}");
    assert_eq!(check(&declared, &excepted, &[]), Vec::<String>::new());
    // Nobody has proven it where a path is named.
    assert_eq!(check(expectation, &excepted, &["pay/AGENTS.md"]), Vec::<String>::new());
    let held = expectation.replace("codex", "claude-code").replace("Two reviewers", "Nothing");
    assert_eq!(check(&held.replace("text", "absent"), &excepted, &[]), ["pay/AGENTS.md"], "it is not needed");
}
