//! Hover for a settings key: its meaning, its allowed values, and the limit in force.

use std::fmt::Write;

use super::super::words::{self, unit};
use super::Hover;
use crate::answer::{Per, Resolution};
use crate::harness::keys::{Key, Takes};
use crate::report::escape::inert;
use crate::report::findings::Subject;
use crate::report::settings::{Part, spot};
use crate::report::vocabulary::keys_of;
use crate::text::grouped;

/// Returns the hover for the settings key at a byte offset.
pub(super) fn hover(subject: &Subject, byte: usize) -> Option<Hover> {
    let text = subject.raw.text();
    let spot = spot(subject.path, &text, byte).filter(|spot| spot.part == Part::Key)?;
    let mut said = String::new();
    for (harness, key) in keys_of(subject.path).filter(|(_, key)| key.is_at(&spot.way)) {
        let _ = writeln!(said, "**{}** ({harness}): {}\n", key.name, key.meaning);
        said.push_str(&values(key, harness, subject));
    }
    (!said.is_empty()).then_some(Hover { text: said, at: spot.at })
}

fn values(key: &Key, harness: &str, subject: &Subject) -> String {
    match key.takes {
        Takes::Words(words) => format!("One of `{}`.\n\n", words.join("`, `")),
        Takes::Limit(per) => {
            let answers = subject.answers.iter().filter(|answer| answer.harness == harness);
            let in_force = answers.filter_map(|answer| in_force(answer, per)).next();
            in_force.unwrap_or_else(|| "No file counts toward this limit here.\n\n".to_owned())
        }
        Takes::Paths | Takes::Names | Takes::Other => String::new(),
    }
}

fn in_force(answer: &Resolution, per: Per) -> Option<String> {
    let mut limits = answer.answer.sources.iter().filter_map(|source| source.limit.as_ref());
    let limit = limits.find(|limit| limit.per == per)?;
    let from = if limit.from == "default" { "the default".to_owned() } else { inert(&limit.from) };
    let (unit, per) = (unit(limit.unit), words::per(limit.per));
    Some(format!("In force: {} {unit} {per}, from {from}.\n\n", grouped(limit.value)))
}
