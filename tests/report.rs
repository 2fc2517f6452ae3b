//! `briefing report`: what it counts, in each form, and that its page needs nothing else.

use std::process::Output;

use serde_json::Value;

use crate::place::Place;

/// A name that would be markup if it were not escaped.
const ODD: &str = "a<b>&\"c'";

/// A project whose AGENTS.md is beyond the limit of Codex, with a skill, and a directory of an odd name.
fn project() -> Place {
    let rules = format!("# Rules\n{}", "- Write small functions, and test them.\n".repeat(900));
    Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/AGENTS.md", &rules),
        ("home/project/CLAUDE.md", "Ask before you delete.\n"),
        ("home/project/src/CLAUDE.md", "Handlers return errors.\n"),
        ("home/project/src/main.rs", "fn main() {}\n"),
        ("home/project/.claude/skills/ship/SKILL.md", "---\nname: ship\ndescription: Releases.\n---\nDo.\n"),
        (&format!("home/project/{ODD}/AGENTS.md"), "Odd rules.\n"),
    ])
}

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["report", "--harness", "codex,claude-code"].iter().chain(more).copied().collect()
}

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

#[test]
fn each_source_has_its_bar_and_what_is_cut_is_marked() {
    let text = out(&project().run("home/project", &with(&["src/main.rs"])));
    for part in [
        "codex 0.169  exact",
        "████████████ 109 %  limit for all files: 36 008 of 32 768 bytes: 3 240 too many",
        "████████████ 100 %  32 768 of 36 008 B  ≈8 192 tokens  AGENTS.md  cut",
        "B around them: headings and wrappers",
        "CLAUDE.md",
        "src/CLAUDE.md  on read",
        "+ skills, 1 listed: ",
        "Claude has no public tokenizer",
        "Not in sight: the schemas of tools",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let at_start = out(&project().run("home/project", &with(&["src"])));
    assert!(!at_start.contains("on read"), "a directory is where the agent starts\n{at_start}");
}

#[test]
fn a_limit_that_is_nearly_used_up_is_marked() {
    let place = Place::new(&[("home/project/.git/HEAD", "x"), ("home/project/AGENTS.md", &"word ".repeat(6000))]);
    let text = out(&place.run("home/project", &["report", "--harness", "codex"]));
    assert!(text.contains(" 91 %  limit for all files: 30 000 of 32 768 bytes: nearly full"), "{text}");
}

#[test]
fn json_is_what_the_server_answers_and_its_figures_add_up() {
    let json: Value =
        serde_json::from_str(&out(&project().run("home/project", &with(&["--format", "json"])))).expect("JSON");
    for report in json["reports"].as_array().expect("a list") {
        let sources = report["sources"].as_array().expect("a list");
        let number = |value: &Value| value.as_u64().expect("a number");
        let sent: u64 = sources.iter().map(|source| number(&source["injected"])).sum();
        assert_eq!(sent + number(&report["frame"]), number(&report["totals"]["bytes"]), "{report}");
        assert_eq!(report["totals"]["tokens"]["method"], "bytes/4");
    }
    let codex = &json["reports"][0];
    assert_eq!((&codex["limits"][0]["state"], &codex["limits"][0]["percent"]), (&"over".into(), &109.into()));
}

#[test]
fn what_is_kept_free_for_memory_is_counted_against_it() {
    let declared = "[harness.mine]\nmax_context_tokens = 1000\nmemory_tokens_ratio = 0.1\n\
        [[harness.mine.source]]\nfiles = [\"RULES.md\"]\n\
        [[harness.mine.source]]\nfiles = [\"MEMORY.md\"]\npurpose = \"memory\"\n";
    let place = Place::new(&[
        ("home/project/briefing.toml", declared),
        ("home/project/RULES.md", &"r".repeat(400)),
        ("home/project/MEMORY.md", &"m".repeat(200)),
    ]);
    let json = out(&place.run("home/project", &["report", "--harness", "mine", "--format", "json"]));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let reserve = &json["reports"][0]["reserve"];
    let of = |key: &str| reserve[key].as_u64().unwrap_or_else(|| panic!("{key}: {json}"));
    assert_eq!((of("context"), of("kept"), of("memory")), (1000, 100, 50));
    assert!((100..200).contains(&of("instructions")), "the memory is no part of it: {reserve}");
    let text = out(&place.run("home/project", &["report", "--harness", "mine"]));
    assert!(text.contains("100 of 1 000 tokens kept free for memory: memory takes ≈50"), "{text}");
    assert!(text.contains("MEMORY.md  memory"), "{text}");
}

/// The names of the elements of a page, in order, if each is closed and each attribute is quoted.
fn elements(page: &str) -> Vec<String> {
    let (mut open, mut all): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("a doctype");
    while let Some(start) = rest.find('<') {
        let (text, tag) = rest.split_at(start);
        assert!(!text.contains('>'), "{text}");
        let end = tag.find('>').expect("a tag ends");
        let inner = &tag[1..end];
        let name: String = inner.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(inner.matches('"').count() % 2 == 0, "{inner}");
        if inner.starts_with('/') {
            assert_eq!(open.pop().as_deref(), Some(&*name), "{inner}");
        } else {
            all.push(name.clone());
            if !inner.ends_with('/') {
                open.push(name);
            }
        }
        rest = &tag[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    all
}

#[test]
fn the_page_is_well_formed_and_needs_nothing_else() {
    let page = out(&project().run("home/project", &with(&[ODD, "--format", "html"])));
    let elements = elements(&page);
    for element in ["script", "link", "img", "iframe", "object", "base", "form"] {
        assert!(!elements.iter().any(|name| name == element), "{element}");
    }
    for outside in ["http://", "https://", "src=", "url(", "@import", "<b>&\"c"] {
        assert!(!page.contains(outside), "{outside}\n{page}");
    }
    for part in [
        "Content-Security-Policy\" content=\"default-src &#39;none&#39;",
        "prefers-color-scheme: dark",
        "a&lt;b&gt;&amp;&quot;c&#39;",
        "<span class=\"bar over\"",
        "<span class=\"mark over\">cut</span>",
        "36 008",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}

#[test]
fn what_cannot_be_done_is_said_with_its_exit_code() {
    let place = project();
    for (arguments, code, said) in [
        (&["nowhere.rs"][..], 2, "nowhere.rs does not exist"),
        (&["--cwd", "nowhere"], 2, "--cwd: there is no directory nowhere"),
        (&["--tokens", "words"], 2, "[possible values: estimate, o200k, cl100k]"),
        (&["-o", "nowhere/report.html", "--format", "html"], 3, "cannot be written"),
    ] {
        let output = place.run("home/project", &with(arguments));
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(output.status.code() == Some(code) && error.contains(said), "{arguments:?}: {error}");
    }
    assert!(place.run("home/project", &with(&["--format", "html", "-o", "report.html"])).stdout.is_empty());
    let written = std::fs::read_to_string(place.root.join("home/project/report.html")).expect("it was written");
    assert!(elements(&written).len() > 20);
}

#[cfg(not(feature = "tokens"))]
#[test]
fn a_program_without_vocabularies_says_how_to_get_them() {
    let output = project().run("home/project", &with(&["--tokens", "o200k"]));
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.code() == Some(2) && error.contains("--features tokens"), "{error}");
}

#[cfg(feature = "tokens")]
#[test]
fn tokens_are_counted_by_the_vocabulary_that_is_named() {
    let json = out(&project().run("home/project", &with(&["--tokens", "o200k", "--format", "json"])));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let (codex, claude) = (&json["reports"][0], &json["reports"][1]);
    let sent = &codex["sources"][0]["tokens"];
    assert!(sent["method"] == "o200k" && sent["value"].as_u64().is_some_and(|tokens| tokens != 8192), "{sent}");
    assert!(codex["notes"][0].as_str().is_some_and(|note| note.contains("o200k, the vocabulary")), "{codex}");
    assert!(
        claude["notes"][0].as_str().is_some_and(|note| note.contains("Claude has no public tokenizer")),
        "{claude}"
    );
}
