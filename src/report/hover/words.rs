//! Hover for words that name files: an import, or a path or glob in a settings file.

use std::fmt::Write;
use std::sync::Arc;

use super::super::findings::title;
use super::super::words::{fate, list};
use super::Hover;
use crate::answer::{Fate, Place, Resolution, Source};
use crate::report::escape::{code_span, inert};
use crate::report::findings::Subject;
use crate::report::mentions::{Named, named};
use crate::report::paths::short;
use crate::text::grouped;

/// Maximum number of matched files that are listed; more are counted.
const SHOWN: usize = 9;

/// Returns the hover for the words at a byte offset.
pub(super) fn hover(subject: &Subject, byte: usize) -> Option<Hover> {
    let named = named(subject.path, subject.raw, &subject.everywhere());
    let words = named.into_iter().find(|words| words.at.start <= byte && byte <= words.at.end)?;
    Some(Hover { text: describe(&words, subject), at: words.at })
}

fn describe(words: &Named, subject: &Subject) -> String {
    let beside = subject.beside().map(|(beside, _)| beside);
    let named = |id| title(subject, Some(id)).or_else(|| title(beside.as_ref()?, Some(id)));
    let titles: Vec<&str> = words.harnesses.iter().filter_map(|id| named(id)).collect();
    let who = list(&titles);
    let mut text = match words.leads_to.len() {
        0 => format!("{} matches no file ({who})\n", code_span(&words.text)),
        1 if !words.is_pattern() => return one(&words.leads_to[0], words, subject),
        count => format!("{} matches {} files ({who})\n\n", code_span(&words.text), grouped(count)),
    };
    for place in words.leads_to.iter().take(SHOWN) {
        let _ = writeln!(text, "- {}{}", name(place, subject), fates(place, words, subject));
    }
    if let Some(more) = words.leads_to.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(text, "- and {} more", grouped(more));
    }
    text
}

/// `docs/style.md (1 204 B): Claude Code reads it whole.`
fn one(place: &Place, words: &Named, subject: &Subject) -> String {
    let mut size = String::new();
    let mut said: Vec<(Fate, Vec<String>)> = Vec::new();
    for (answer, source) in sources(&subject.everywhere(), place, words) {
        if let Some(known) = source.size {
            size = format!(" ({} B)", grouped(known.bytes));
        }
        match said.iter_mut().find(|(fate, _)| *fate == source.fate) {
            Some((_, titles)) if titles.contains(&answer.title) => {}
            Some((_, titles)) => titles.push(answer.title.clone()),
            None => said.push((source.fate, vec![answer.title.clone()])),
        }
    }
    let name = name(place, subject);
    if said.is_empty() {
        return format!("Leads to {name}");
    }
    let clauses: Vec<String> =
        said.iter().map(|(fate, titles)| format!("{} {}", list(titles), verb(*fate, titles.len() > 1))).collect();
    format!("{name}{size}: {}", clauses.join("; "))
}

/// Describes how one agent, or many, treat a file with this fate.
fn verb(fate: Fate, many: bool) -> &'static str {
    match (fate, many) {
        (Fate::Loaded, false) => "reads it whole",
        (Fate::Loaded, true) => "read it whole",
        (Fate::Truncated, false) => "reads a part of it",
        (Fate::Truncated, true) => "read a part of it",
        (Fate::Listed, false) => "sees its name and description",
        (Fate::Listed, true) => "see its name and description",
        (Fate::Shadowed, false) => "reads another file in its place",
        (Fate::Shadowed, true) => "read another file in its place",
        (Fate::Dropped, false) => "skips it",
        (Fate::Dropped, true) => "skip it",
        (Fate::Empty, false) => "finds nothing in it",
        (Fate::Empty, true) => "find nothing in it",
        (Fate::Excluded, false) => "leaves it out",
        (Fate::Excluded, true) => "leave it out",
        (Fate::Missing, false) => "does not find it",
        (Fate::Missing, true) => "do not find it",
        (Fate::Unreadable, _) => "cannot read it",
        (Fate::Pending, _) => "would fetch it",
    }
}

fn name(place: &Place, subject: &Subject) -> String {
    let name = match place {
        Place::Path(path) => {
            subject.answers.first().map_or_else(|| path.display().to_string(), |answer| short(path, &answer.standpoint))
        }
        url @ Place::Url(_) => url.to_string(),
    };
    inert(&name)
}

/// Returns the source of the file in the answer of each agent that understands the words.
fn sources<'a>(
    answers: &'a [Arc<Resolution>],
    place: &'a Place,
    words: &'a Named,
) -> impl Iterator<Item = (&'a Resolution, &'a Source)> {
    answers
        .iter()
        .filter(|answer| words.harnesses.contains(&answer.harness))
        .filter_map(|answer| Some((&**answer, answer.answer.sources.iter().find(|source| source.place == *place)?)))
}

/// Lists the fate of the file for each agent that understands the words.
fn fates(place: &Place, words: &Named, subject: &Subject) -> String {
    let mut said = String::new();
    for (answer, source) in sources(&subject.everywhere(), place, words) {
        let size = source.size.map_or_else(String::new, |size| format!(", {} B", grouped(size.bytes)));
        let _ = write!(said, "; {}: {}{size}", answer.title, fate(source.fate));
    }
    said
}
