//! Fixes of names and places: another letter case, a twin that goes, an AGENTS.md that is imported.

use std::path::Path;

use super::{Action, Context, Edit};
use crate::report::findings::{Finding, Kind, names};

/// The fixes of a finding that rename, remove or import the file.
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
    // On a disk that does not tell case apart, the new name is the old one.
    let listed = ctx.disk.names(ctx.dir()).iter().any(|other| other == name);
    let edit = Edit::Rename { from: ctx.path().to_owned(), to };
    (!listed).then(|| Action::fix(finding, format!("Rename to {name}"), vec![edit]).preferred())
}

/// Removes a file whose text another one has, and that nobody else reads.
fn twin(ctx: &Context, finding: &Finding) -> Option<Action> {
    let (other, _) = finding.related.first()?;
    let same = ctx.disk.read(other)?.trim() == ctx.text.trim();
    // Whoever reads this file must read the other one as well.
    let harnesses_without = ctx.subject.answers.iter().any(|answer| {
        let reads =
            |path: &Path| answer.answer.sources.iter().any(|source| source.is_file(path) && source.fate.reaches());
        reads(ctx.path()) && !reads(other)
    });
    // A link to this file would lead nowhere; and of an AGENTS.md and a page with its text, the page is the copy.
    let is_copy = names::is_distinctive(other) || !names::is_distinctive(ctx.path());
    if !same || harnesses_without || !is_copy || ctx.disk.is_link(other) {
        return None;
    }
    let title = format!("Delete {}, whose text is in {}", ctx.subject.name(), other.display());
    Some(Action::fix(finding, title, vec![Edit::Delete { path: ctx.path().to_owned() }]))
}

/// A CLAUDE.md beside the file that imports it.
pub(super) fn imported(ctx: &Context, finding: &Finding) -> Option<Action> {
    let name = ctx.subject.name();
    let claude = ctx.dir().join("CLAUDE.md");
    if !ctx.disk.is_taken(&claude) {
        let edit = Edit::Create { path: claude, text: format!("@{name}\n") };
        return Some(Action::fix(finding, format!("Create CLAUDE.md that imports {name}"), vec![edit]).preferred());
    }
    let text = ctx.disk.read(&claude).filter(|_| !ctx.disk.is_link(&claude))?;
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    // What stands behind a head stays behind it.
    let at = super::super::front_matter::head(&text)
        .map_or(at, |head| text[head.at.end..].find('\n').map_or(text.len(), |newline| head.at.end + newline + 1));
    let edit = Edit::Replace { path: claude, range: at..at, text: format!("@{name}\n\n") };
    Some(Action::fix(finding, format!("Import {name} in CLAUDE.md"), vec![edit]).preferred())
}
