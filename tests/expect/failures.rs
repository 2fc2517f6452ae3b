//! Each way in which an expectation can fail, and each key, in words.

use super::{RULES, expect};

/// Declares one expectation.
fn entry(keys: &str) -> String {
    format!("[[expect]]\nid = \"e\"\n{keys}\n")
}

#[test]
fn a_missing_text_says_what_becomes_of_its_file() {
    let long = format!("{}\nLast rule.\n", "- Write small functions.\n".repeat(1500));
    let rule = ("home/p/.claude/rules/js.md", "---\npaths: [\"**/*.js\"]\n---\nStrict types.\n");
    let ts = ("home/p/a.ts", "");
    for (files, keys, agents, expected) in [
        (
            vec![("home/p/AGENTS.md", &*long)],
            "text = \"Last rule.\"",
            "codex",
            "e codex / : cut: the 32 768 B limit for all project files ends inside this file: 32 768 of 37 512 B are kept",
        ),
        (
            vec![("home/p/AGENTS.md", "Old rule.\n"), ("home/p/AGENTS.override.md", "New.\n")],
            "text = \"Old rule.\"",
            "codex",
            "e codex / : AGENTS.override.md in the same directory is loaded instead",
        ),
        (
            vec![("home/p/pay/AGENTS.md", "Two reviewers.\n"), ("home/p/pay/a.ts", "")],
            "text = \"Two reviewers.\"\npaths = [\"pay/**\"]\nfrom = [\"/\"]\nwhen = \"before-read\"",
            "codex",
            "e codex / pay/a.ts: below the start directory",
        ),
        (
            vec![rule, ts],
            "text = \"Strict types.\"\npaths = [\"*.ts\"]\nwhen = \"before-read\"",
            "claude-code",
            "e claude-code / a.ts: waits until a file is read that matches **/*.js",
        ),
        (
            vec![rule, ts, ("home/p/b.js", "")],
            "text = \"Strict types.\"\npaths = [\"*.js\"]",
            "claude-code",
            "e claude-code / b.js*: a new file brings nothing with it; waits until a file is read that matches **/*.js",
        ),
        (
            vec![("home/p/AGENTS.md", "A rule.\n")],
            "text = \"A rule.\"\nsessions = [\"main\", \"subagent\"]",
            "copilot-cli",
            "e copilot-cli subagent / : a sub-agent of the kind task begins without instructions",
        ),
        (
            vec![("home/p/AGENTS.md", "A rule.\n"), ("home/.codex/config.toml", "model = 3\n")],
            "text = \"A rule.\"",
            "codex",
            "e codex / : it does not start: `model` must be a string that is not empty, not 3",
        ),
        (
            vec![("home/p/AGENTS.md", "A rule.\n")],
            "text = \"A rule.\"\nagents = [\"codex@0.104\"]\nwhen = \"after-compaction\"",
            "codex",
            "e codex / : what it sends again after a compaction is not known",
        ),
    ] {
        let (code, rows) = expect(&files, &entry(keys), agents);
        let failed: Vec<&String> = rows.iter().filter(|row| !row.ends_with(": holds")).collect();
        assert_eq!((code, failed.len()), (Some(1), 1), "{keys}: {rows:?}");
        assert!(failed[0].starts_with(expected), "{keys}: {rows:?}");
    }
}

#[test]
fn agents_are_ids_with_or_without_a_version_mine_or_all() {
    let files = [("home/p/AGENTS.md", "A rule.\n"), ("home/p/.cursorrules", "Be brief.\n")];
    let of = |agents: &str, asked: &str| expect(&files, &entry(&format!("text = \"A rule.\"{agents}")), asked).1;
    let versions = of("\nagents = [\"claude-code@2.1.197\", \"codex@0.104.0\"]", "");
    assert_eq!(versions, ["e claude-code / : this version reads no AGENTS.md", "e codex / : holds"]);
    let all = of("", "opencode,codex");
    assert_eq!(all, ["e opencode / : holds", "e codex / : holds"], "those that are asked for");
    // Only the file of Cursor shows which agents are used here; AGENTS.md speaks to the usual ones.
    let mine = of("\nagents = [\"mine\"]", "opencode");
    assert!(mine[0].starts_with("e cursor / "), "{mine:?}");
    assert!(!mine.iter().any(|row| row.contains("opencode")), "{mine:?}");
    assert_eq!(of("", ""), of("\nagents = [\"all\"]", ""));
    let nobody = of("\nagents = [\"codecs\"]", "codex");
    assert!(nobody.len() == 1 && nobody[0].starts_with("e: there is no agent `codecs`"), "{nobody:?}");
}

#[test]
fn an_agent_that_nobody_knows_fails_its_own_expectation_only() {
    let declaration = entry("text = \"Short names.\"\nagents = [\"codecs\"]")
        + &entry("text = \"Short names.\"").replace("\"e\"", "\"held\"");
    let (code, rows) = expect(&[RULES], &declaration, "codex");
    assert_eq!((code, rows.len()), (Some(1), 2), "{rows:?}");
    assert_eq!(rows[1], "held codex / : holds");
}

#[test]
fn a_pinned_policy_is_proven_where_it_is_extended_and_not_in_its_own_folder() {
    let policy =
        ("home/p/policy/briefing.toml", &*entry("text = \"Short names.\"\npaths = [\"src/**\"]\nfrom = [\"/\"]"));
    let files = [RULES, policy, ("home/p/src/a.ts", "")];
    let (code, rows) = expect(&files, "extends = \"policy/briefing.toml\"\n", "codex");
    assert_eq!(
        (code, rows),
        (Some(0), vec!["e codex / src/a.ts*: holds".to_owned(), "e codex / src/a.ts: holds".to_owned()])
    );
    let (code, rows) = expect(&files, "", "codex");
    assert_eq!((code, rows), (Some(1), vec!["e: `src/**` matches no file, so nothing is proven".to_owned()]));
    // A nested file that extends the one above it does not take it from there.
    let nested = ("home/p/src/briefing.toml", "extends = \"../briefing.toml\"\n");
    let (code, rows) = expect(&[RULES, nested], &entry("text = \"Short names.\""), "codex");
    assert_eq!((code, rows), (Some(0), vec!["e codex / : holds".to_owned(), "e codex /src : holds".to_owned()]));
}

#[test]
fn a_chain_of_policies_ends_after_eight_files_and_never_in_a_circle() {
    let text = |n: usize| (format!("home/{n}/briefing.toml"), format!("extends = \"../{}/briefing.toml\"\n", n + 1));
    let chain = |last: usize| {
        let mut files: Vec<(String, String)> = (1..last).map(text).collect();
        files.push((format!("home/{last}/briefing.toml"), entry("text = \"Short names.\"")));
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).chain([RULES]).collect();
        expect(&files, "extends = \"../1/briefing.toml\"\n", "codex")
    };
    assert_eq!(chain(7), (Some(0), vec!["e codex / : holds".to_owned()]));
    let (code, rows) = chain(8);
    assert_eq!((code, rows.len()), (Some(1), 1));
    assert!(rows[0].ends_with("/home/7/briefing.toml:1: `extends` leads through more than 8 files"), "{rows:?}");
    let circle = ("home/1/briefing.toml", "\n# extends\nextends = \"../p/briefing.toml\"\n");
    let (code, rows) = expect(&[RULES, circle], "extends = \"../1/briefing.toml\"\n", "codex");
    assert_eq!((code, rows.len()), (Some(1), 1));
    assert!(rows[0].ends_with("/home/1/briefing.toml:3: `extends` leads back to ../p/briefing.toml"), "{rows:?}");
    let wrong = ("home/1/briefing.toml", "[[expect]]\nid = \"x\"\n");
    let (code, rows) = expect(&[RULES, wrong], "extends = \"../1/briefing.toml\"\n", "codex");
    assert_eq!((code, rows.len()), (Some(1), 1));
    assert!(rows[0].contains("/home/1/briefing.toml:1: This expectation cannot be checked"), "{rows:?}");
}

#[test]
fn sizes_and_sameness_say_by_how_much_and_in_what_they_fail() {
    for (keys, agents, expected) in [
        ("max_tokens = 3", "codex", "e codex / : the instructions have about "),
        ("max_share = \"0%\"", "codex", "e codex / : 0 % of the limit are used (77 of 32 768 bytes)"),
        ("absent = \"Short names.\"", "codex", "e codex / : it gets the text, from AGENTS.md"),
        (
            "same_for = [\"claude-code\", \"codex\"]",
            "opencode",
            "e codex / : Codex gets “Never log personal data.”, Claude Code does not",
        ),
        (
            "same_for = [\"codex\", \"claude-code\"]",
            "opencode",
            "e claude-code / : Codex gets “Never log personal data.”, Claude Code does not",
        ),
    ] {
        let (code, rows) = expect(&[RULES, ("home/p/CLAUDE.md", "Rules\n")], &entry(keys), agents);
        let failed: Vec<&String> = rows.iter().filter(|row| !row.ends_with(": holds")).collect();
        assert_eq!((code, failed.len()), (Some(1), 1), "{keys}: {rows:?}");
        assert!(failed[0].starts_with(expected), "{keys}: {rows:?}");
    }
}
