//! A section moved out of a file that has grown: into the directory it is about, or to a file that is imported or named.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::super::symbols::{Section, symbols};
use super::disk::chosen;
use super::{Action, Context, Edit, Group};
use crate::answer::{Fate, Purpose, Resolution, Scope};
use crate::report::findings::{Finding, Kind};
use crate::snapshot::FileType;
use crate::text::grouped;

/// Shorter sections are not worth a file of their own, in bytes.
const SHORTEST: usize = 200;

/// Names that harnesses read in every directory, once a file there is worked on.
const NESTED: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// The fixes of a file that is too large: the section where it is cut, else the largest.
pub(super) fn fixes(ctx: &Context, finding: &Finding) -> Vec<Action> {
    let section = match finding.kind {
        Kind::OverBudget => at(ctx.text, finding.range.start).or_else(|| largest(ctx.text)),
        Kind::NearBudget | Kind::TooLong => largest(ctx.text),
        _ => None,
    };
    let moves = section.map(|section| moves(ctx, &section)).unwrap_or_default();
    moves.into_iter().map(|(title, edits)| Action::fix(finding, title, edits)).collect()
}

/// The section at the cursor, whatever the size of the file.
pub(super) fn extractions(ctx: &Context, range: &Range<usize>) -> Vec<Action> {
    let moves = at(ctx.text, range.start).map(|section| moves(ctx, &section)).unwrap_or_default();
    let action = |(title, edits)| Action { title, group: Group::Extract, fixes: None, preferred: false, edits };
    moves.into_iter().map(action).collect()
}

/// Whether a harness that reads the file imports what it names with `@path`.
pub(super) fn imports(answer: &Resolution, path: &Path) -> bool {
    chosen(answer).is_some_and(|choice| choice.edition().imports_into(path))
}

/// The innermost section at a byte that may be moved: the title of the whole file stays.
fn at(text: &str, byte: usize) -> Option<Section> {
    let sections = movable(text);
    sections.into_iter().filter(|section| section.range.contains(&byte)).max_by_key(|section| section.range.start)
}

fn largest(text: &str) -> Option<Section> {
    movable(text).into_iter().max_by_key(|section| section.range.len())
}

/// The sections of the first level that has several, and those inside of them.
fn movable(text: &str) -> Vec<Section> {
    let mut top = symbols(text);
    while let [only] = &mut top[..] {
        top = std::mem::take(&mut only.children);
    }
    let mut all = Vec::new();
    while let Some(section) = top.pop() {
        top.extend(section.children.iter().cloned());
        all.push(section);
    }
    all.retain(|section| section.range.len() >= SHORTEST);
    all
}

/// The ways to move a section, each with its title.
fn moves(ctx: &Context, section: &Section) -> Vec<(String, Vec<Edit>)> {
    let given = ctx.subject.sources().filter(|(_, source)| {
        let there = matches!(source.fate, Fate::Loaded | Fate::Truncated | Fate::Dropped);
        there && source.purpose != Purpose::Memory && source.scope != Scope::Managed
    });
    let readers: Vec<&Resolution> = given.map(|(answer, _)| answer).collect();
    if readers.is_empty() {
        return Vec::new();
    }
    let is_users_own = ctx.subject.sources().any(|(_, source)| source.scope == Scope::User);
    let (nested, ruled) = match is_users_own {
        true => (None, None),
        false => (nested(ctx, section), ruled(ctx, section, &readers)),
    };
    let beside = beside(ctx, section, &readers, is_users_own);
    nested.into_iter().chain(ruled).chain(beside).collect()
}

/// To the directory that the heading names.
fn nested(ctx: &Context, section: &Section) -> Option<(String, Vec<Edit>)> {
    let name = NESTED.into_iter().find(|name| *name == ctx.subject.name())?;
    let below = section.title.trim_matches('`').trim_end_matches('/').trim_start_matches("./");
    let plain =
        !below.is_empty() && !below.starts_with('/') && below.split('/').all(|part| part != ".." && part != ".");
    let dir = ctx.dir().join(below);
    let path = dir.join(name);
    if !plain || ctx.disk.kind(&dir) != Some(FileType::Dir) || ctx.disk.is_taken(&path) {
        return None;
    }
    let title = format!("Move “{}” ({} B) to {below}/{name}", section.title, grouped(section.range.len()));
    Some((title, moved(ctx, section, path, "")))
}

/// Rules for the files of a pattern: who reads them, where they lie, how they end, and how their front matter begins.
const RULES: [(&str, &str, &str, &str); 2] = [
    ("claude-code", ".claude/rules", ".md", "paths"),
    ("copilot-cli", ".github/instructions", ".instructions.md", "applyTo"),
];

/// To a rule for the files of the pattern that the heading is, if all who read the file have such rules in one place.
fn ruled(ctx: &Context, section: &Section, readers: &[&Resolution]) -> Option<(String, Vec<Edit>)> {
    let is_theirs = |(agent, ..): &&(&str, &str, &str, &str)| readers.iter().all(|answer| answer.harness == *agent);
    let (_, dir, ending, key) = RULES.iter().find(is_theirs)?;
    let pattern = section.title.trim_matches('`').trim_start_matches("./");
    let is_plain = |c: char| !c.is_whitespace() && !"\"'\\`,".contains(c);
    if !pattern.contains('*') || !pattern.chars().all(is_plain) {
        return None;
    }
    let base = ctx.subject.base();
    let inside = ctx.dir().strip_prefix(&base).ok()?.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>();
    // A name alone is meant in every directory.
    let any = if pattern.contains('/') { "" } else { "**/" };
    let pattern = inside.iter().map(|part| format!("{part}/")).collect::<String>() + any + pattern;
    let below = format!("{dir}/{}{ending}", slug(&section.title)?);
    let path = base.join(&below);
    if ctx.disk.is_taken(&path) {
        return None;
    }
    let size = grouped(section.range.len());
    let title = format!("Move “{}” ({size} B) to {below}, for files that match {pattern}", section.title);
    let mut edits = moved(ctx, section, path, "");
    if let Some(Edit::Create { text, .. }) = edits.first_mut() {
        text.insert_str(0, &format!("---\n{key}: \"{pattern}\"\n---\n\n"));
    }
    Some((title, edits))
}

/// To a file in `docs`, which is imported where all who read the file import, and named where not.
fn beside(
    ctx: &Context,
    section: &Section,
    readers: &[&Resolution],
    is_users_own: bool,
) -> Option<(String, Vec<Edit>)> {
    let base = if is_users_own { ctx.dir().to_owned() } else { ctx.subject.base() };
    let up = ctx.dir().strip_prefix(&base).map_or(0, |inside| inside.components().count());
    let below = format!("docs/{}.md", slug(&section.title)?);
    let path = base.join(&below);
    if ctx.disk.is_taken(&path) {
        return None;
    }
    let there = format!("{}{below}", "../".repeat(up));
    let heading = &ctx.text[section.heading.clone()];
    let all_import = readers.iter().all(|answer| imports(answer, ctx.path()));
    let (left, how) = if all_import {
        (format!("@{there}\n"), "import")
    } else {
        (format!("{heading}\n\nSee [{there}]({there}).\n"), "point to")
    };
    let size = grouped(section.range.len());
    let title = format!("Move “{}” ({size} B) to {below} and {how} it", section.title);
    Some((title, moved(ctx, section, path, &left)))
}

/// Makes the new file, and leaves a text in the place of the section.
fn moved(ctx: &Context, section: &Section, path: PathBuf, left: &str) -> Vec<Edit> {
    let rest = &ctx.text[section.range.end..];
    let blank = rest.len() - rest.trim_start_matches(['\n', '\r']).len();
    let end = section.range.end + blank;
    // A blank line parts what is left from what follows.
    let gap = if left.is_empty() || end == ctx.text.len() { "" } else { "\n" };
    let text = format!("{}\n", promoted(ctx.text, section));
    vec![Edit::Create { path, text }, ctx.replace(section.range.start..end, format!("{left}{gap}"))]
}

/// The text of a section whose heading is that of a file.
fn promoted(text: &str, section: &Section) -> String {
    let mut starts = Vec::new();
    let mut todo = vec![section];
    while let Some(section) = todo.pop() {
        starts.push(section.heading.start);
        todo.extend(&section.children);
    }
    starts.sort_unstable();
    let (mut out, mut from) = (String::new(), section.range.start);
    for start in starts {
        out.push_str(&text[from..start]);
        from = start + section.level - 1;
    }
    out.push_str(&text[from..section.range.end]);
    out
}

/// A heading as the name of a file.
fn slug(title: &str) -> Option<String> {
    let plain = title.to_lowercase();
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let slug = words.into_iter().take(8).collect::<Vec<_>>().join("-");
    (!slug.is_empty()).then_some(slug)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_becomes_a_file_with_its_headings_one_level_up() {
        let text = "# All\n\n## One\na\n### Two\n```\n### code\n```\n\n## Three\n";
        let sections = symbols(text);
        assert_eq!(promoted(text, &sections[0].children[0]), "# One\na\n## Two\n```\n### code\n```");
        assert_eq!(slug("How we test: `cargo`").as_deref(), Some("how-we-test-cargo"));
        assert_eq!(slug("…"), None);
    }
}
