//! Who reads an instruction file, and how much of it survives.

use std::fmt::Write;

use super::super::words::{Paths, fate, per, unit, when};
use super::cell;
use crate::answer::{Fate, Source};
use crate::report::findings::Subject;
use crate::text::grouped;

/// A table with one row per harness that considers the file; `None` if none does.
pub(super) fn table(subject: &Subject) -> Option<String> {
    let (mut rows, mut notes) = (String::new(), String::new());
    add(subject, "", &mut rows, &mut notes);
    // What the standpoint leaves open: a file below the start that is read by those who start beside it.
    if let Some((beside, start)) = subject.beside() {
        add(&beside, &format!("if started in {start}: "), &mut rows, &mut notes);
    }
    if rows.is_empty() {
        return None;
    }
    let head = "| agent | when | order | size | limit | outcome |\n|---|---|---|---|---|---|";
    Some(format!("{head}\n{rows}\n{notes}"))
}

fn add(subject: &Subject, condition: &str, rows: &mut String, notes: &mut String) {
    for answer in subject.answers {
        let sources = &answer.answer.sources;
        for (order, source) in sources.iter().enumerate().filter(|(_, source)| source.is_file(subject.path)) {
            let size = source.size.map_or_else(|| "—".to_owned(), |size| format!("{} B", grouped(size.bytes)));
            let limit = source.limit.as_ref().map_or_else(
                || "none".to_owned(),
                |limit| format!("{} {} {} ({})", grouped(limit.value), unit(limit.unit), per(limit.per), limit.from),
            );
            let (harness, edition, trigger) = (&answer.title, &answer.edition, when(source.trigger));
            let (place, limit, fate) = (order + 1, cell(&limit), said(source));
            let count = sources.len();
            let _ = writeln!(
                rows,
                "| {harness} {edition} | {condition}{trigger} | {place} of {count} | {size} | {limit} | {fate} |"
            );
            let _ = writeln!(notes, "- **{harness}**: {}", cell(&Paths::of(answer).text(&source.reason)));
        }
    }
}

/// The fate, and how much reaches the model where that is not all or nothing.
fn said(source: &Source) -> String {
    match (source.fate, source.size) {
        (Fate::Truncated, Some(size)) => {
            let kept: usize = source.kept.iter().map(ExactSizeIterator::len).sum();
            format!("cut: {} of {} B loaded", grouped(kept), grouped(size.bytes))
        }
        (other, _) => fate(other).to_owned(),
    }
}
