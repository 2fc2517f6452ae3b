//! What each harness is told when it reads a source file, in one line per harness.

use std::fmt::Write;
use std::sync::Arc;

use super::super::words::{Paths, list};
use super::cell;
use crate::answer::{Fate, Resolution, Source};
use crate::report::briefing::totals;
use crate::report::paths::short;
use crate::text::grouped;

/// A table with one row per harness that is told anything; `None` if none is.
pub fn chain(answers: &[Arc<Resolution>]) -> Option<String> {
    let mut rows = String::new();
    let mut silent = Vec::new();
    for answer in answers {
        let name = format!("{} {}", answer.title, answer.edition);
        if let Some(refusal) = &answer.answer.refusal {
            let _ =
                writeln!(rows, "| {name} | does not start: {} | — |", cell(&Paths::of(answer).text(&refusal.message)));
            continue;
        }
        let told = |source: &&Source| source.fate.reaches();
        let files: Vec<String> = answer.answer.sources.iter().filter(told).map(|source| link(source, answer)).collect();
        if files.is_empty() {
            silent.push(name);
            continue;
        }
        let lost = answer.answer.sources.iter().filter(|source| source.fate == Fate::Dropped && source.limit.is_some());
        let lost = match lost.count() {
            0 => String::new(),
            count => format!(" ({count} more skipped)"),
        };
        let totals = totals(&answer.answer);
        let amount = format!("{} B ≈ {} tokens", grouped(totals.bytes), grouped(totals.tokens.value));
        let _ = writeln!(rows, "| {name} | {}{lost} | {amount} |", files.join(" → "));
    }
    if rows.is_empty() {
        return None;
    }
    let silent = match silent.as_slice() {
        [] => String::new(),
        silent => format!("\nNo instruction files for {}.\n", list(silent)),
    };
    Some(format!("| agent | loads | in all |\n|---|---|---|\n{rows}{silent}"))
}

fn link(source: &Source, answer: &Resolution) -> String {
    let name = source.path().map_or_else(|| source.place.to_string(), |path| short(path, &answer.standpoint));
    let cut = if source.fate == Fate::Truncated { " ✂" } else { "" };
    format!("{}{cut}", cell(&name))
}
