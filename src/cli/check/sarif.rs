//! Findings as SARIF 2.1.0, which code scanning takes: paths relative to the repository, help for each rule,
//! fingerprints.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Found, Report, kinds};
use crate::report::escape;
use crate::report::findings::page::section;
use crate::report::findings::{Kind, Severity, Standing};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Where the kinds of findings are documented.
const DOCUMENTATION: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/findings.md");

pub(super) fn sarif(report: &Report) -> Result<String, String> {
    let kinds = kinds(report);
    let rules: Vec<Value> = kinds.iter().map(|kind| rule(*kind)).collect();
    // Lines that are alike are told apart by their number.
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut nth = |fingerprint| -> usize {
        let count = seen.entry(fingerprint).or_default();
        *count += 1;
        *count
    };
    let results: Vec<Value> = report.all.iter().map(|found| result(found, &kinds, nth(&found.fingerprint))).collect();
    let driver = json!({
        "name": "Briefing",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results,
            "properties": {"judged": report.judged}}],
    });
    Ok(escape::json(&log)? + "\n")
}

fn rule(kind: Kind) -> Value {
    let help = section(kind);
    // Without the severity that stands before it.
    let text = help.split_once(" · ").map_or(help, |(_, text)| text);
    let sentence = text.split_once(". ").map_or(text, |(first, _)| first).replace('\n', " ");
    json!({
        "id": kind.code(),
        "shortDescription": {"text": sentence.trim_end_matches('.')},
        "help": {"text": text, "markdown": text},
        "helpUri": format!("{DOCUMENTATION}#{}", kind.code()),
        "defaultConfiguration": {"enabled": kind.standing() == Standing::On, "level": level(kind.severity())},
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}

fn result(found: &Found, kinds: &[Kind], nth: usize) -> Value {
    let (start, end) = found.span();
    let mut region = json!({"startLine": start.0, "startColumn": start.1, "endLine": end.0, "endColumn": end.1});
    if found.raw.is_empty() {
        region = json!({"startLine": 1});
    }
    let place = json!({"physicalLocation": {"artifactLocation": {"uri": uri(&found.path)}, "region": region}});
    let locations = if found.path.is_empty() { json!([]) } else { json!([place]) };
    json!({
        "ruleId": found.code(),
        "ruleIndex": kinds.iter().position(|kind| *kind == found.finding.kind),
        "level": level(found.severity),
        "message": {"text": escape::sarif(&found.finding.message)},
        "locations": locations,
        "partialFingerprints": {
            "briefing/v1": found.fingerprint,
            // What code scanning tells alerts apart by: it stays when lines move.
            "primaryLocationLineHash": format!("{}:{nth}", found.fingerprint),
        },
    })
}

/// Converts a relative path to a URI reference (RFC 3986).
fn uri(path: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(byte);
    path.bytes()
        .map(|byte| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_help_that_begins_with_a_sentence() {
        for kind in Kind::ALL {
            let rule = rule(*kind);
            let sentence = rule["shortDescription"]["text"].as_str().unwrap_or_default();
            assert!(sentence.len() > 10 && !sentence.contains('*'), "{}: {sentence}", kind.code());
        }
    }

    #[test]
    fn a_path_with_odd_characters_is_a_uri() {
        assert_eq!(uri("a b/ü%.md"), "a%20b/%C3%BC%25.md");
    }
}
