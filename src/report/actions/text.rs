//! Fixes inside the file: remove harmful text, and rewrite text that an agent misreads.

use std::ops::Range;

use super::super::front_matter;
use super::split::imports;
use super::{Action, Context, Edit};
use crate::report::findings::{Finding, Kind, content, findings};
use crate::snapshot::FileType;

/// Returns the fixes of a finding that edit only its own range.
pub(super) fn fixes(ctx: &Context, finding: &Finding) -> Vec<Action> {
    match finding.kind {
        Kind::HiddenCharacters => hidden(ctx, finding),
        Kind::ImportPunctuation => punctuation(ctx, finding).into_iter().collect(),
        Kind::ImportInProse => vec![in_backticks(ctx, finding)],
        Kind::LinkAsText => link_as_text(ctx, finding).into_iter().collect(),
        Kind::FrontMatter => head(ctx, finding).into_iter().collect(),
        Kind::StrippedComment => comment(ctx, finding).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Punctuation that may follow a path in prose and is not part of it.
const PUNCTUATION: [char; 10] = ['.', ',', ';', ':', '!', '?', ')', ']', '"', '\''];

fn hidden(ctx: &Context, finding: &Finding) -> Vec<Action> {
    let remove = |range: &Range<usize>| ctx.replace(range.clone(), "");
    let one = Action::fix(finding, "Remove these hidden characters", vec![remove(&finding.range)]);
    let all: Vec<Edit> = findings(ctx.subject)
        .iter()
        .filter(|other| other.kind == Kind::HiddenCharacters)
        .map(|other| remove(&other.range))
        .collect();
    match all.len() {
        0 | 1 => vec![one.preferred()],
        _ => vec![one.preferred(), Action::fix(finding, "Remove all hidden characters of this file", all)],
    }
}

fn in_backticks(ctx: &Context, finding: &Finding) -> Action {
    let word = ctx.text[finding.range.clone()].trim_end_matches(PUNCTUATION);
    let place = finding.range.start..finding.range.start + word.len();
    let edit = ctx.replace(place, format!("`{word}`"));
    Action::fix(finding, format!("Put {word} in backticks"), vec![edit]).preferred()
}

/// Inserts a space between the path and the punctuation after it.
fn punctuation(ctx: &Context, finding: &Finding) -> Option<Action> {
    let token = ctx.text.get(finding.range.clone())?;
    let end = token.trim_end_matches(PUNCTUATION).len();
    if end == token.len() || !token.starts_with('@') {
        return None;
    }
    let at = finding.range.start + end;
    let title = format!("Put a space behind {}", &token[..end]);
    Some(Action::fix(finding, title, vec![ctx.replace(at..at, " ")]).preferred())
}

/// Replaces a comment with its text.
fn comment(ctx: &Context, finding: &Finding) -> Option<Action> {
    let start = finding.range.start;
    let inner = ctx.text.get(start..)?.strip_prefix("<!--")?;
    let inner = &inner[..inner.find("-->")?];
    let edit = ctx.replace(start..start + inner.len() + "<!---->".len(), inner.trim());
    Some(Action::fix(finding, "Write the comment as text", vec![edit]).preferred())
}

/// Replaces a checked-out link with an import; only for files whose agent follows imports.
fn link_as_text(ctx: &Context, finding: &Finding) -> Option<Action> {
    let path = content::only_path(ctx.text.get(finding.range.clone())?)?.0.replace('\\', "/");
    let is_there = ctx.disk.kind(&ctx.dir().join(&path)) == Some(FileType::File);
    if !is_there || !ctx.subject.sources().any(|(answer, _)| imports(answer, ctx.path())) {
        return None;
    }
    let title = format!("Import {path} in place of the link");
    let edit = ctx.replace(finding.range.clone(), format!("@{path}"));
    Some(Action::fix(finding, title, vec![edit]).preferred())
}

/// Renames a key to the one that the agent reads, removes quotes from a boolean, or closes the front matter.
fn head(ctx: &Context, finding: &Finding) -> Option<Action> {
    let head = front_matter::head(ctx.text)?;
    if !head.closed {
        // The front matter ends after its last key.
        let end = head.entries.last().map(|entry| entry.values.last().map_or(entry.at.end, |(_, at)| at.end))?;
        let end = ctx.text[end..].find('\n').map_or(ctx.text.len(), |at| end + at);
        let blank = ctx.text[end..].starts_with("\n\n") || ctx.text[end..].trim().is_empty();
        let edit = ctx.replace(end..end, "\n---");
        return blank.then(|| Action::fix(finding, "End the head with a line of dashes", vec![edit]).preferred());
    }
    let entry = head.entries.iter().find(|entry| entry.at == finding.range)?;
    let key = match entry.key.as_str() {
        "alwaysApply" => {
            let (_, at) = entry.values.first()?;
            let quoted = at.start - 1..at.end + 1;
            let edit = ctx.replace(quoted, "true");
            return Some(Action::fix(finding, "Write true without quotation marks", vec![edit]).preferred());
        }
        _ => front_matter::PATTERN_KEYS
            .into_iter()
            .find(|key| *key != entry.key && finding.message.contains(&format!("use {key}:")))?,
    };
    let title = format!("Write {key} in place of {}", entry.key);
    Some(Action::fix(finding, title, vec![ctx.replace(entry.at.clone(), key)]).preferred())
}
