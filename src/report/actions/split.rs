//! Actions that move a section out of a large file: into the directory it is about, or to a file that is imported or
//! linked.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::super::symbols::{Section, symbols};
use super::disk::chosen;
use super::{Action, Context, Edit, Group};
use crate::answer::{Fate, Purpose, Resolution, Scope};
use crate::report::findings::{Finding, Kind};
use crate::snapshot::FileType;
use crate::text::grouped;

/// Minimum length of a section that is worth its own file, in bytes.
const SHORTEST: usize = 200;

/// Names that agents read in every directory, once they work on a file there.
const NESTED: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Returns the fixes of a file that is too large: moves of the section where it is cut, or else of the largest.
pub(super) fn fixes(ctx: &Context, finding: &Finding) -> Vec<Action> {
    let section = match finding.kind {
        Kind::OverBudget => at(ctx.text, finding.range.start).or_else(|| largest(ctx.text)),
        Kind::NearBudget | Kind::TooLong => largest(ctx.text),
        _ => None,
    };
    let moves = section.map(|section| moves(ctx, &section)).unwrap_or_default();
    moves.into_iter().map(|(title, edits)| Action::fix(finding, title, edits)).collect()
}

/// Returns the moves of the section at the cursor, whatever the size of the file.
pub(super) fn extractions(ctx: &Context, range: &Range<usize>) -> Vec<Action> {
    let moves = at(ctx.text, range.start).map(|section| moves(ctx, &section)).unwrap_or_default();
    let action = |(title, edits)| Action { title, group: Group::Extract, fixes: None, preferred: false, edits };
    moves.into_iter().map(action).collect()
}

/// Returns true if the agent follows `@path` imports in the file.
pub(super) fn imports(answer: &Resolution, path: &Path) -> bool {
    chosen(answer).is_some_and(|choice| choice.edition().imports_into(path))
}

/// Returns the innermost movable section at a byte offset. The section of the file's title stays.
fn at(text: &str, byte: usize) -> Option<Section> {
    let sections = movable(text);
    sections.into_iter().filter(|section| section.range.contains(&byte)).max_by_key(|section| section.range.start)
}

fn largest(text: &str) -> Option<Section> {
    movable(text).into_iter().max_by_key(|section| section.range.len())
}

/// Returns true if a text has sections that are worth files of their own.
pub fn has_movable(text: &str) -> bool {
    !movable(text).is_empty()
}

/// Returns the sections of the first level that has several, and their subsections.
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

/// Returns the ways to move a section, each with its title.
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

/// Moves the section to the directory that the heading names.
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

/// Rule files with a glob: agent, directory, file name ending, and front matter key of the glob.
const RULES: [(&str, &str, &str, &str); 2] = [
    ("claude-code", ".claude/rules", ".md", "paths"),
    ("copilot-cli", ".github/instructions", ".instructions.md", "applyTo"),
];

/// Moves a section whose heading is a glob to a rule for its files, if all readers of the file share a rule directory.
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
    // A name without a slash matches in every directory.
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

/// Moves the section to a file in `docs`, which is imported if all readers of the file follow imports, and else named.
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

/// Creates the new file, and replaces the section with the text `left`.
fn moved(ctx: &Context, section: &Section, path: PathBuf, left: &str) -> Vec<Edit> {
    let rest = &ctx.text[section.range.end..];
    let blank = rest.len() - rest.trim_start_matches(['\n', '\r']).len();
    let end = section.range.end + blank;
    // A blank line separates the remaining text from the next section.
    let gap = if left.is_empty() || end == ctx.text.len() { "" } else { "\n" };
    let text = format!("{}\n", promoted(ctx.text, section));
    vec![Edit::Create { path, text }, ctx.replace(section.range.start..end, format!("{left}{gap}"))]
}

/// Returns the text of a section with its headings promoted, so that its heading is the title of a file.
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

/// Turns a heading into a file name.
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
