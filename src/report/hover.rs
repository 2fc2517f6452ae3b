//! What a hover on an instruction file says: who reads it, and how much of it survives.

use std::fmt::Write;
use std::path::Path;

use crate::answer::{Fate, Resolution, Source};
use crate::text::grouped;

/// A Markdown table with one row per harness that considers `path`; `None` if none does.
pub fn hover<'a>(path: &Path, resolutions: impl IntoIterator<Item = &'a Resolution>) -> Option<String> {
    let mut rows = String::new();
    let mut notes = String::new();
    for resolution in resolutions {
        let considered = resolution.answer.sources.iter().enumerate().filter(|(_, source)| source.path() == Some(path));
        for (order, source) in considered {
            let _ = writeln!(
                rows,
                "| {} {} | {} | {} | {} of {} | {} |",
                resolution.harness,
                resolution.edition,
                source.fate,
                source.trigger,
                order + 1,
                resolution.answer.sources.len(),
                survives(source)
            );
            let _ = writeln!(notes, "- **{}**: {}", resolution.harness, source.reason);
        }
    }
    if rows.is_empty() {
        return None;
    }
    Some(format!("| harness | fate | when | order | reaches the model |\n|---|---|---|---|---|\n{rows}\n{notes}"))
}

fn survives(source: &Source) -> String {
    let Some(size) = source.size else { return "—".to_owned() };
    let kept: usize = source.kept.iter().map(ExactSizeIterator::len).sum();
    let limit = source.limit.as_ref().map_or_else(String::new, |limit| {
        format!(" (limit {} {} per {})", grouped(limit.value), limit.unit, limit.per)
    });
    match source.fate {
        Fate::Loaded => format!("all {} B{limit}", grouped(size.bytes)),
        _ => format!("{} of {} B{limit}", grouped(kept), grouped(size.bytes)),
    }
}
