//! Findings about the head of a rule: patterns that match nothing.

use std::path::Path;

use super::super::front_matter;
use super::{Finding, Kind, Subject};
use crate::text;

/// Returns the globs in the front matter of a rule.
pub fn patterns(raw: &[u8]) -> Vec<String> {
    let begins = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw).starts_with(b"---");
    let head = if begins { front_matter::head(&text::lossy(raw)) } else { None };
    head.iter().flat_map(front_matter::Head::patterns).map(|(pattern, _)| pattern.clone()).collect()
}

/// Returns the findings about the front matter.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    if subject.dead.is_empty() {
        return Vec::new();
    }
    let Some(head) = subject.raw.as_text().and_then(front_matter::head) else { return Vec::new() };
    let base = subject.base();
    let dead = head.patterns().filter(|(pattern, _)| subject.dead.contains(pattern));
    dead.map(|(pattern, at)| Finding::new(Kind::DeadGlob, at.clone(), message(pattern, &base))).collect()
}

fn message(pattern: &str, base: &Path) -> String {
    let name = base.file_name().map_or_else(|| base.display().to_string(), |name| name.to_string_lossy().into_owned());
    format!("`{pattern}` matches no file in {name}")
}
