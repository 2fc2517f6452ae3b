//! A failed expectation in every format of `briefing check`: at its entry, and at the sentence.

use super::RULES;
use crate::place::Place;

#[test]
fn every_format_holds_a_failure_at_its_entry_and_at_the_sentence() {
    let declaration = "\n[[expect]]\nid = \"two\"\ntext = \"Two reviewers.\"\nreason = \"SOX\"\n";
    let place = Place::new(&[
        ("home/p/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/p/briefing.toml", declaration),
        ("home/p/pay/AGENTS.md", "# Pay\n\nTwo reviewers.\n"),
        RULES,
    ]);
    let why = "Expectation `two` does not hold (SOX): Codex started in /: it does not look at pay/AGENTS.md";
    for (format, entry, sentence) in [
        ("text", "--> briefing.toml:2:1", "--> pay/AGENTS.md:3:1"),
        ("concise", "briefing.toml:2:1: error[expectation-failed]", "pay/AGENTS.md:3:1: error[expectation-failed]"),
        ("json", "\"path\": \"briefing.toml\"", "\"path\": \"pay/AGENTS.md\""),
        ("sarif", "\"uri\": \"briefing.toml\"", "\"uri\": \"pay/AGENTS.md\""),
        ("gitlab", "\"path\": \"briefing.toml\"", "\"path\": \"pay/AGENTS.md\""),
        ("junit", "file=\"briefing.toml\" line=\"2\"", "file=\"pay/AGENTS.md\" line=\"3\""),
        ("github", "::error file=briefing.toml,line=2,", "::error file=pay/AGENTS.md,line=3,"),
        ("markdown", "| error | `briefing.toml:2` |", "| error | `pay/AGENTS.md:3` |"),
    ] {
        let output = place.run("home/p", &["check", "--harness", "codex", "--no-home", "--format", format]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(
            said.contains(entry) && said.contains(sentence) && said.contains("expectation-failed"),
            "{format}: {said}"
        );
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words.matches(why).count(), 2, "{format}: {said}");
        if matches!(format, "json" | "sarif" | "gitlab") {
            let lines: String = said.chars().filter(|letter| !letter.is_whitespace()).collect();
            let at = |line| {
                ["\"line\":", "\"startLine\":", "\"begin\":"].iter().any(|key| lines.contains(&format!("{key}{line}")))
            };
            assert!(at(2) && at(3), "{format}: {said}");
        }
    }
}
