//! Actions that add an exception for a finding, in the file or in the project's `briefing.toml`; and the action that
//! applies all safe fixes of a file.

use std::ops::Range;
use std::path::Path;

use super::{Action, Context, Edit, Group, actions, disk::Disk, touches};
use crate::harness::custom::FILE_NAME;
use crate::report::findings::exceptions::Day;
use crate::report::findings::{Finding, Kind, Subject};
use crate::report::front_matter;
use crate::snapshot::Facts;

/// Reason of an exception for the whole project, until somebody writes a better one.
const OFF: &str = "turned off for this project";

/// Returns the actions that add an exception for the findings at a range: for its line, and for the project with the
/// root `top`.
pub fn ignoring(
    subject: &Subject,
    facts: &dyn Facts,
    found: &[Finding],
    range: &Range<usize>,
    top: Option<&Path>,
    until: Day,
) -> Vec<Action> {
    let Some(text) = subject.raw.as_text() else { return Vec::new() };
    let ctx = Context { subject, disk: Disk(facts), text };
    let mut offered: Vec<Action> = Vec::new();
    for finding in found {
        let can_be_ignored = !finding.faded && finding.kind != Kind::Exception && touches(&finding.range, range);
        if !can_be_ignored || offered.iter().any(|other| other.title.ends_with(finding.kind.code())) {
            continue;
        }
        offered.extend(here(&ctx, finding, until));
        offered.extend(top.and_then(|top| everywhere(&ctx, finding, top)));
    }
    offered
}

/// Inserts a comment above the line of a finding. The reason is left to the user: without one, nothing is ignored.
fn here(ctx: &Context, finding: &Finding, (year, month, day): Day) -> Option<Action> {
    let line = ctx.text[..finding.range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let head = front_matter::head(ctx.text).filter(|head| head.closed);
    let is_json = |path: &Path| path.extension().is_some_and(|extension| extension == "json");
    let is_toml = ctx.path().extension().is_some_and(|extension| extension == "toml");
    let (at, suffix, opening, closing) = match head {
        // A comment above the first line would make the front matter plain text.
        Some(head) if line <= head.at.start => {
            (ctx.text[line..].find('\n').map(|newline| line + newline + 1)?, "-file", "#", "")
        }
        Some(head) if line < head.at.end => (line, "", "#", ""),
        _ if is_json(ctx.path()) => return None,
        _ if is_toml => (line, "", "#", ""),
        // A byte order mark stays at the beginning.
        _ => (line.max(if ctx.text.starts_with('\u{feff}') { 3 } else { 0 }), "", "<!--", " -->"),
    };
    let code = finding.kind.code();
    let newline = if ctx.text.contains("\r\n") { "\r\n" } else { "\n" };
    let date = format!("{year:04}-{month:02}-{day:02}");
    let start = format!("{opening} briefing-ignore{suffix} {code} until={date}: ");
    let day = start.len() - date.len() - 2..start.len() - 2;
    let reason = start.len()..start.len();
    let edit = Edit::Form {
        path: ctx.path().to_owned(),
        at,
        text: format!("{start}{closing}{newline}"),
        blanks: vec![reason, day],
    };
    Some(Action::fix(finding, format!("Ignore here (reason, until {date}): {code}"), vec![edit]))
}

/// Adds an exception to the `briefing.toml` of the project.
fn everywhere(ctx: &Context, finding: &Finding, top: &Path) -> Option<Action> {
    let (path, code) = (top.join(FILE_NAME), finding.kind.code());
    let entry = format!("[[exceptions]]\ncode = \"{code}\"\nreason = \"{OFF}\"\n");
    let edit = if ctx.disk.is_taken(&path) {
        let text = ctx.disk.read(&path)?;
        let before = match text.as_str() {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        Edit::Replace { path, range: text.len()..text.len(), text: format!("{before}{entry}") }
    } else {
        Edit::Create { path, text: entry }
    };
    Some(Action::fix(finding, format!("Turn off in this project: {code}"), vec![edit]))
}

/// Returns one action with the preferred fix of every finding, as far as these only edit the file itself and do not
/// overlap.
pub fn fix_all(subject: &Subject, facts: &dyn Facts) -> Option<Action> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut fixed = 0;
    for action in actions(subject, facts, &(0..subject.raw.len()), &[]) {
        let own = |edit: &Edit| match edit {
            Edit::Replace { path, range, .. } if path == subject.path => Some(range.clone()),
            _ => None,
        };
        let Some(own) = action.edits.iter().map(own).collect::<Option<Vec<_>>>() else { continue };
        let is_free = own.iter().all(|range| ranges.iter().all(|other| !touches(range, other)));
        if action.preferred && is_free && !own.is_empty() {
            ranges.extend(own);
            edits.extend(action.edits);
            fixed += 1;
        }
    }
    edits.sort_by_key(|edit| match edit {
        Edit::Replace { range, .. } => range.start,
        _ => 0,
    });
    let title = "Fix all that can be fixed safely in this file".to_owned();
    (fixed > 0).then_some(Action { title, group: Group::All, fixes: None, preferred: false, edits })
}
