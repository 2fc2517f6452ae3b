//! Findings about the front matter of a rule: patterns that match nothing, and front matter that begins too late.

use std::ops::Range;

use super::super::front_matter::{self, PATTERN_KEYS};
use super::super::words::list;
use super::{Finding, Kind, Subject};
use crate::answer::Scope;
use crate::text;

/// Returns the globs in the front matter of a rule.
pub fn patterns(raw: &[u8]) -> Vec<String> {
    let begins = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw).starts_with(b"---");
    let head = if begins { front_matter::head(&text::lossy(raw)) } else { None };
    head.iter().flat_map(front_matter::Head::patterns).map(|(pattern, _)| pattern.clone()).collect()
}

/// Returns the findings about the front matter.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    if let Some(late) = late(subject) {
        return vec![late];
    }
    if subject.dead.is_empty() {
        return Vec::new();
    }
    let Some(head) = subject.raw.as_text().and_then(front_matter::head) else { return Vec::new() };
    let place = place(subject);
    // Patterns that differ in their ending alone are about one place: `**/*.ts` and `**/*.tsx`.
    let mut places: Vec<(&str, Vec<_>)> = Vec::new();
    for (pattern, at) in head.patterns() {
        let place = without_ending(pattern);
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, patterns)) if patterns.iter().any(|(known, _)| *known == pattern) => {}
            Some((_, patterns)) => patterns.push((pattern, at)),
            None => places.push((place, vec![(pattern, at)])),
        }
    }
    // Rules list alternatives, of which a project has some. So there is a finding only if all of them match nothing.
    let is_dead =
        |(_, patterns): &(&str, Vec<(&String, _)>)| patterns.iter().all(|(one, _)| subject.dead.contains(*one));
    if !places.iter().all(is_dead) {
        return Vec::new();
    }
    let finding = |(_, patterns): &(&str, Vec<(&String, &Range<usize>)>)| {
        let names: Vec<&str> = patterns.iter().map(|(pattern, _)| pattern.as_str()).collect();
        Finding::new(Kind::DeadGlob, patterns[0].1.clone(), message(&names, &place))
    };
    places.iter().map(finding).collect()
}

/// Returns a finding if the front matter of a rule begins only on the second line, after the code fence that a model
/// put around its answer.
fn late(subject: &Subject) -> Option<Finding> {
    let text = subject.raw.as_text()?;
    let first = text.lines().next().filter(|line| line.starts_with("```"))?;
    let begin = first.len() + 1;
    let head = front_matter::head(text.get(begin..)?)?;
    let key = head.entries.iter().find(|entry| PATTERN_KEYS.contains(&&*entry.key))?;
    let is_read = subject.sources().any(|(_, source)| source.scope == Scope::Rule || !source.fate.reaches());
    is_read.then(|| {
        let message = format!("agents take `{}` for text, since a head begins on the first line of a file", key.key);
        Finding::new(Kind::FrontMatter, 0..first.len(), message)
    })
}

/// Returns a pattern without the ending of its last name.
fn without_ending(pattern: &str) -> &str {
    let name = pattern.rfind('/').map_or(0, |at| at + 1);
    pattern[name..].rfind('.').filter(|at| *at > 0).map_or(pattern, |at| &pattern[..name + at])
}

/// Returns where patterns match nothing, in words: the folder as seen from where agents are started.
fn place(subject: &Subject) -> String {
    let base = subject.base();
    let start = subject.answers.first().map(|answer| &answer.standpoint.cwd);
    match (start.and_then(|start| base.strip_prefix(start).ok()), base.file_name()) {
        (Some(inside), _) if !inside.as_os_str().is_empty() => format!("below {}", inside.display()),
        (_, Some(name)) => format!("in {}", name.to_string_lossy()),
        (_, None) => format!("in {}", base.display()),
    }
}

fn message(patterns: &[&str], place: &str) -> String {
    let quoted: Vec<String> = patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
    let verb = if quoted.len() == 1 { "matches" } else { "match" };
    format!("{} {verb} no file {place}", list(&quoted))
}
