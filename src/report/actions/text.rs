//! Fixes inside the file: what should not stand there goes, what is mistaken is put so that it is not.

use std::ops::Range;

use super::super::front_matter;
use super::{Action, Desk, Edit};
use crate::report::findings::{Finding, Kind, findings};

/// The fixes of a finding that change its own place only.
pub(super) fn fixes(desk: &Desk, finding: &Finding) -> Vec<Action> {
    match finding.kind {
        Kind::HiddenCharacters => hidden(desk, finding),
        Kind::ImportPunctuation => punctuation(desk, finding).into_iter().collect(),
        Kind::ImportInProse => {
            let word = &desk.text[finding.range.clone()];
            let end = word.trim_end_matches(PUNCTUATION).len();
            let place = finding.range.start..finding.range.start + end;
            let edit = desk.replace(place, format!("`{}`", &word[..end]));
            vec![Action::fix(finding, format!("Put {} in backticks", &word[..end]), vec![edit]).preferred()]
        }
        Kind::LinkAsText => link_as_text(desk, finding).into_iter().collect(),
        Kind::FrontMatter => head(desk, finding).into_iter().collect(),
        Kind::StrippedComment => comment(desk, finding).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// What stands behind a path in prose, and is no part of it.
const PUNCTUATION: [char; 10] = ['.', ',', ';', ':', '!', '?', ')', ']', '"', '\''];

fn hidden(desk: &Desk, finding: &Finding) -> Vec<Action> {
    let remove = |range: &Range<usize>| desk.replace(range.clone(), "");
    let one = Action::fix(finding, "Remove these hidden characters", vec![remove(&finding.range)]);
    let all: Vec<Edit> = findings(desk.subject)
        .iter()
        .filter(|other| other.kind == Kind::HiddenCharacters)
        .map(|other| remove(&other.range))
        .collect();
    match all.len() {
        0 | 1 => vec![one.preferred()],
        _ => vec![one.preferred(), Action::fix(finding, "Remove all hidden characters of this file", all)],
    }
}

/// Parts the path from the punctuation behind it.
fn punctuation(desk: &Desk, finding: &Finding) -> Option<Action> {
    let token = desk.text.get(finding.range.clone())?;
    let end = token.trim_end_matches(PUNCTUATION).len();
    if end == token.len() || !token.starts_with('@') {
        return None;
    }
    let at = finding.range.start + end;
    let title = format!("Put a space behind {}", &token[..end]);
    Some(Action::fix(finding, title, vec![desk.replace(at..at, " ")]).preferred())
}

/// Writes as text what stands in a comment.
fn comment(desk: &Desk, finding: &Finding) -> Option<Action> {
    let start = finding.range.start;
    let inner = desk.text.get(start..)?.strip_prefix("<!--")?;
    let inner = &inner[..inner.find("-->")?];
    let edit = desk.replace(start..start + inner.len() + "<!---->".len(), inner.trim());
    Some(Action::fix(finding, "Write the comment as text", vec![edit]).preferred())
}

/// An import works where a link does not; only for files whose own harness imports.
fn link_as_text(desk: &Desk, finding: &Finding) -> Option<Action> {
    let path = desk.text.get(finding.range.clone())?.replace('\\', "/");
    let imports = |(answer, _): (&crate::answer::Resolution, _)| super::split::imports(answer, desk.path());
    let is_there = desk.disk.kind(&desk.dir().join(&path)) == Some(crate::snapshot::FileType::File);
    if !is_there || !desk.subject.sources().any(imports) {
        return None;
    }
    let title = format!("Import {path} in place of the link");
    let edit = desk.replace(finding.range.clone(), format!("@{path}"));
    Some(Action::fix(finding, title, vec![edit]).preferred())
}

/// Names the key that the harness reads, or ends the head.
fn head(desk: &Desk, finding: &Finding) -> Option<Action> {
    let head = front_matter::head(desk.text)?;
    if !head.closed {
        // The head ends where its last key ends.
        let end = head.entries.last().map(|entry| entry.values.last().map_or(entry.at.end, |(_, at)| at.end))?;
        let end = desk.text[end..].find('\n').map_or(desk.text.len(), |at| end + at);
        let blank = desk.text[end..].starts_with("\n\n") || desk.text[end..].trim().is_empty();
        let edit = desk.replace(end..end, "\n---");
        return blank.then(|| Action::fix(finding, "End the head with a line of dashes", vec![edit]).preferred());
    }
    let entry = head.entries.iter().find(|entry| entry.at == finding.range)?;
    let key = match entry.key.as_str() {
        "alwaysApply" => {
            let (_, at) = entry.values.first()?;
            let quoted = at.start - 1..at.end + 1;
            let edit = desk.replace(quoted, "true");
            return Some(Action::fix(finding, "Write true without quotation marks", vec![edit]).preferred());
        }
        _ => front_matter::PATTERN_KEYS
            .into_iter()
            .find(|key| *key != entry.key && finding.message.contains(&format!("use {key}:")))?,
    };
    let title = format!("Write {key} in place of {}", entry.key);
    Some(Action::fix(finding, title, vec![desk.replace(entry.at.clone(), key)]).preferred())
}
