//! Short notes inside the text: where it is cut, where it goes on, where 85 % of a limit are used.

use super::findings::{NEAR_PERCENT, Subject, gaps, uses};
use crate::answer::Fate;
use crate::text::grouped;

/// A note at a byte of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Where.
    pub at: usize,
    /// What is shown there.
    pub label: String,
    /// What is shown when somebody points at it.
    pub tooltip: String,
}

/// The notes of a file, in the order of the file.
pub fn hints(subject: &Subject) -> Vec<Hint> {
    let mut found = Vec::new();
    for (answer, source) in subject.sources() {
        if source.fate != Fate::Truncated {
            continue;
        }
        let (harness, len) = (&answer.harness, subject.raw.len());
        for gap in gaps(&source.kept, len) {
            let to_the_end = gap.end >= len;
            let rest = if to_the_end { " to the end" } else { "" };
            let lost = grouped(gap.len());
            let label = format!("✂ {harness}: {lost} B lost from here{rest}");
            found.push(Hint { at: gap.start, label, tooltip: source.reason.clone() });
            if !to_the_end {
                found.push(Hint {
                    at: gap.end,
                    label: format!("{harness}: read again from here"),
                    tooltip: source.reason.clone(),
                });
            }
        }
    }
    for usage in uses(subject) {
        let Some(at) = usage.near else { continue };
        let limit = &usage.limit;
        let label = format!("{NEAR_PERCENT} % of {} {} ({})", grouped(limit.value), limit.unit, usage.harness);
        let from = if limit.from == "default" { "the default".to_owned() } else { limit.from.clone() };
        let tooltip = format!(
            "{} of {} {} are used by the end of this file. The limit is {from}.",
            grouped(usage.used()),
            grouped(limit.value),
            limit.unit
        );
        found.push(Hint { at, label, tooltip });
    }
    found.sort_by_key(|hint| hint.at);
    found
}
