//! Findings about rules that come with a file that is read, and not with one that the agent creates.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Finding, Kind, Subject};
use crate::answer::Resolution;
use crate::report::front_matter::head;

/// Answers of one agent for files of one pattern of the rule.
pub struct Created {
    /// Pattern of the rule.
    pub pattern: String,
    /// Answer for the agent that reads a file.
    pub read: Arc<Resolution>,
    /// Answer for the agent that creates another one.
    pub written: Arc<Resolution>,
}

/// Returns a finding for each agent that gets the rule with a file that it reads, and not with one that it creates; at
/// the first such pattern.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    let Some(head) = subject.raw.as_text().and_then(head) else { return Vec::new() };
    let reaches = |answer: &Resolution| answer.sources_of(subject.path).any(|source| source.fate.reaches());
    let mut seen = HashSet::new();
    let lost = subject.created.iter().filter(|Created { read, written, .. }| reaches(read) && !reaches(written));
    lost.filter(|lost| seen.insert(&lost.read.harness))
        .filter_map(|Created { pattern, read, .. }| {
            let (_, at) = head.patterns().find(|(other, _)| other == pattern)?;
            let message = format!(
                "{} sends this rule when it reads a file that matches `{pattern}`, and not when it creates one",
                read.title
            );
            Some(Finding::new(Kind::RuleNotOnCreate, at.clone(), message).of(&read.harness))
        })
        .collect()
}

/// Returns a path that a pattern of the usual forms matches. Takes the first alternative, and letters for wildcards. An
/// agent's own matcher may disagree. `None` if the pattern is malformed, or excludes files or characters.
pub fn sample(pattern: &str) -> Option<String> {
    let mut path = String::new();
    let mut rest = pattern.strip_prefix("./").unwrap_or(pattern).trim_start_matches('/');
    while let Some(letter) = rest.chars().next() {
        let (written, length) = match letter {
            '!' if path.is_empty() => return None,
            '*' if rest.starts_with("**/") => ("", 3),
            '*' => ("new", rest.len() - rest.trim_start_matches('*').len()),
            '?' => ("n", 1),
            '[' if rest[1..].starts_with(['!', '^']) => return None,
            '[' => (rest[1..].get(..1)?, rest.find(']')? + 1),
            '{' => {
                let group = rest[1..].get(..rest.find('}')? - 1)?;
                (group.split(',').next()?, group.len() + 2)
            }
            other => (&rest[..other.len_utf8()], other.len_utf8()),
        };
        path.push_str(written);
        rest = &rest[length..];
    }
    (!path.is_empty() && !path.ends_with('/')).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_a_path_that_the_pattern_matches() {
        for (pattern, path) in [
            ("**/*.ts", Some("new.ts")),
            ("/src/**", Some("src/new")),
            ("src/**/*.{ts,tsx}", Some("src/new.ts")),
            ("./a/[bc]?.md", Some("a/bn.md")),
            ("ж/*.md", Some("ж/new.md")),
            ("a.md", Some("a.md")),
            ("!*.md", None),
            ("a/", None),
            ("", None),
            ("[", None),
            ("[!a].md", None),
            ("{a", None),
            ("[ж]", None),
        ] {
            assert_eq!(sample(pattern).as_deref(), path, "{pattern}");
        }
    }
}
