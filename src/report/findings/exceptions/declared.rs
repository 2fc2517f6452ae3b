//! Exceptions that a project declares in its `briefing.toml`, so that they cost no agent a byte.

use std::ops::Range;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{Day, Finding, Rule, Standing, UNUSED, came_back, of_declaration};
use crate::glob;
use crate::text::grouped;

/// Maximum number of exceptions that are read: each is compared with each finding.
const MOST: usize = 1_000;

/// The exceptions of a project.
#[derive(Default)]
pub struct Declared {
    all: Vec<Exception>,
    /// Findings about invalid exceptions.
    wrong: Vec<Finding>,
}

struct Exception {
    rule: Rule,
    path: Option<String>,
    harness: Option<String>,
    at: Range<usize>,
    used: bool,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    exceptions: Vec<Spanned<toml::Value>>,
}

/// An exception: findings that are as they should be.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Exception")]
pub struct Entry {
    /// The findings, such as `over-budget`, or a list of them.
    code: Codes,
    /// The files it is about, as a pattern relative to this `briefing.toml`. Default: all.
    path: Option<String>,
    /// The agent it is about. Default: all.
    harness: Option<String>,
    /// The last day on which it holds, such as `2027-01-31`, in quotes or without.
    #[schemars(with = "Option<String>")]
    until: Option<toml::Value>,
    /// Why it is as it should be.
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`code` is a finding such as \"over-budget\", or a list of them")]
enum Codes {
    One(String),
    Many(Vec<String>),
}

/// Parses the exceptions in the text of a `briefing.toml`. Invalid TOML is reported where the agents of the file are
/// parsed, not here.
pub fn declared(raw: &[u8]) -> Declared {
    let mut declared = Declared::default();
    let Ok(text) = std::str::from_utf8(raw) else { return declared };
    let file: File = match toml::from_str(text) {
        Ok(file) => file,
        Err(error) if error.message().contains("exceptions") => {
            let message = "Exceptions are declared as [[exceptions]]".to_owned();
            declared.wrong.push(of_declaration(raw, error.span().unwrap_or(0..0), message));
            return declared;
        }
        Err(_) => return declared,
    };
    for (nth, entry) in file.exceptions.into_iter().enumerate() {
        let at = entry.span();
        if nth == MOST {
            let message = format!("Only the first {} exceptions are looked at", grouped(MOST));
            declared.wrong.push(of_declaration(raw, at, message));
            break;
        }
        match exception(entry) {
            Ok(exception) => declared.all.push(exception),
            Err(why) => {
                let message = format!("This exception excepts nothing: {why}");
                declared.wrong.push(of_declaration(raw, at, message));
            }
        }
    }
    declared
}

fn exception(entry: Spanned<toml::Value>) -> Result<Exception, String> {
    let at = entry.span();
    let said = |error: toml::de::Error| error.message().replace("unknown field", "unknown key");
    let Entry { code, path, harness, until, reason } = entry.into_inner().try_into().map_err(said)?;
    let codes = match code {
        Codes::One(code) => vec![code],
        Codes::Many(codes) => codes,
    };
    let until = until.map(|until| until.as_str().map_or_else(|| until.to_string(), str::to_owned));
    let rule = Rule::new(codes.iter().map(String::as_str), until.as_deref(), &reason)
        .map_err(|why| why.replace("write one behind a colon", "write reason = \"…\""))?;
    if let Some(pattern) = path.as_deref().filter(|pattern| !glob::is_plain(pattern)) {
        return Err(format!("`{pattern}` is no pattern"));
    }
    Ok(Exception { rule, path, harness, at, used: false })
}

impl Declared {
    /// Returns the finding unless an exception covers it, with a note if that exception has expired. `path` is the path
    /// of the finding's file, relative to the directory of the declaration.
    pub fn except(&mut self, finding: Finding, path: &Path, today: Day) -> Option<Finding> {
        for exception in &mut self.all {
            let Some(standing) = exception.rule.covers(&finding, today) else { continue };
            let of_harness = exception.harness.is_none() || exception.harness == finding.harness;
            if !of_harness || exception.path.as_deref().is_some_and(|pattern| !glob::plain(pattern, false, path)) {
                continue;
            }
            exception.used = true;
            return match standing {
                Standing::Holds => None,
                Standing::Over(day) => Some(came_back(finding, day)),
            };
        }
        Some(finding)
    }

    /// Returns the findings about invalid and unneeded exceptions, once all other findings are known.
    pub fn findings(self, raw: &[u8]) -> Vec<Finding> {
        let unused = self.all.into_iter().filter(|exception| !exception.used);
        let unused = unused.map(|exception| of_declaration(raw, exception.at, UNUSED.to_owned()));
        self.wrong.into_iter().chain(unused).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::findings::Kind;

    #[test]
    fn an_exception_holds_for_its_paths_and_harness_until_its_day() {
        let raw = b"[harness.x]\n\n[[exceptions]]\ncode = \"empty\"\npath = \"old/**\"\nuntil = 2026-11-30\nreason = \"later\"\n\n\
            [[exceptions]]\ncode = [\"secret\", \"empty\"]\nharness = \"codex\"\nreason = \"it is none\"\n";
        let mut all = declared(raw);
        let empty = || Finding::new(Kind::Empty, 0..0, "it is empty");
        let of_codex = || Finding { harness: Some("codex".to_owned()), ..empty() };
        let mut except = |finding, path: &str, day| all.except(finding, Path::new(path), (2026, 11, day));
        assert_eq!(except(empty(), "old/a/AGENTS.md", 30), None);
        assert_eq!(except(of_codex(), "AGENTS.md", 30), None);
        assert_eq!(except(empty(), "AGENTS.md", 30), Some(empty()));
        assert!(except(empty(), "old/AGENTS.md", 31).is_some_and(|back| back.message.contains("ended on 2026-11-30")));
        assert!(all.findings(raw).is_empty());
        let unused = declared(raw).findings(raw);
        let lines = |found: &[Finding]| -> Vec<String> {
            found.iter().map(|finding| String::from_utf8_lossy(&raw[finding.range.clone()]).into_owned()).collect()
        };
        assert_eq!(lines(&unused), ["[[exceptions]]", "[[exceptions]]"]);
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (text, why) in [
            ("code = \"empty\"", "it has no reason; write reason = \"…\""),
            ("code = \"emty\"\nreason = \"a\"", "there is no finding `emty`"),
            ("reason = \"a\"", "missing field `code`"),
            ("code = 3\nreason = \"a\"", "`code` is a finding such as \"over-budget\", or a list of them"),
            ("code = \"empty\"\nreason = \"a\"\nuntil = \"soon\"", "`soon` is no day"),
            ("code = \"empty\"\nreason = \"a\"\nfile = \"b\"", "unknown key `file`"),
            ("code = \"empty\"\nreason = \"a\"\npath = \"[\"", "`[` is no pattern"),
        ] {
            let text = format!("[[exceptions]]\n{text}\n");
            let found = declared(text.as_bytes()).findings(text.as_bytes());
            assert!(found.len() == 1 && found[0].message.contains(why), "{text}: {found:?}");
        }
    }
}
