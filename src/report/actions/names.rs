//! Fixes of names and places: rename a file, delete a duplicate, import an AGENTS.md.

use std::path::Path;

use super::{Action, Context, Edit};
use crate::report::findings::{Finding, Kind, names};

/// Returns the fixes of a finding that rename, delete or import the file.
pub(super) fn fixes(ctx: &Context, finding: &Finding) -> Vec<Action> {
    let found = match finding.kind {
        Kind::WrongCase => renamed(ctx, finding, names::right_case(ctx.path())),
        Kind::DeprecatedName => renamed(ctx, finding, (ctx.subject.name() == "CONTEXT.md").then_some("AGENTS.md")),
        Kind::Shadowed | Kind::LoadedTwice => twin(ctx, finding),
        Kind::AgentsDisplaced => imported(ctx, finding),
        _ => None,
    };
    found.into_iter().collect()
}

fn renamed(ctx: &Context, finding: &Finding, name: Option<&str>) -> Option<Action> {
    let name = name?;
    let to = ctx.path().with_file_name(name);
    // Uses the listing, because on a case-insensitive disk the new name exists as soon as the old one does.
    let listed = ctx.disk.names(ctx.dir()).iter().any(|other| other == name);
    let edit = Edit::Rename { from: ctx.path().to_owned(), to };
    (!listed).then(|| Action::fix(finding, format!("Rename to {name}"), vec![edit]).preferred())
}

/// Deletes a duplicate if every agent that reads it also reads the other file.
fn twin(ctx: &Context, finding: &Finding) -> Option<Action> {
    let (other, _) = finding.related.first()?;
    let same = ctx.disk.read(other)?.trim() == ctx.text.trim();
    // Every agent that reads this file must also read the other one.
    let other_is_missed = ctx.subject.answers.iter().any(|answer| {
        let reads = |path: &Path| answer.sources_of(path).any(|source| source.fate.reaches());
        reads(ctx.path()) && !reads(other)
    });
    // If the other file is a link to this one, it would dangle. Of an AGENTS.md and a page with its text, the page is
    // the copy.
    let is_copy = names::is_distinctive(other) || !names::is_distinctive(ctx.path());
    if !same || other_is_missed || !is_copy || ctx.disk.is_link(other) {
        return None;
    }
    let title = format!("Delete {}, whose text is in {}", ctx.subject.name(), other.display());
    Some(Action::fix(finding, title, vec![Edit::Delete { path: ctx.path().to_owned() }]))
}

/// Creates or edits a CLAUDE.md beside the file that imports the file.
pub(super) fn imported(ctx: &Context, finding: &Finding) -> Option<Action> {
    let name = ctx.subject.name();
    let claude = ctx.dir().join("CLAUDE.md");
    if !ctx.disk.is_taken(&claude) {
        let edit = Edit::Create { path: claude, text: format!("@{name}\n") };
        return Some(Action::fix(finding, format!("Create CLAUDE.md that imports {name}"), vec![edit]).preferred());
    }
    let text = ctx.disk.read(&claude).filter(|_| !ctx.disk.is_link(&claude))?;
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    // The import goes after the front matter.
    let at = super::super::front_matter::head(&text)
        .map_or(at, |head| text[head.at.end..].find('\n').map_or(text.len(), |newline| head.at.end + newline + 1));
    let edit = Edit::Replace { path: claude, range: at..at, text: format!("@{name}\n\n") };
    Some(Action::fix(finding, format!("Import {name} in CLAUDE.md"), vec![edit]).preferred())
}
