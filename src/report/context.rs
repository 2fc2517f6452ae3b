//! How much of the context each source takes: sizes and shares, for reports and charts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::briefing::{Size, Tokens, Totals, totals};
use crate::answer::{MessageKind, Resolution};

/// Result of `briefing/contextReport`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct ContextReports {
    /// Of the index.
    pub version: u64,
    /// One per harness.
    pub reports: Vec<ContextReport>,
}

/// What one harness's instructions take of the context.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct ContextReport {
    /// The harness.
    pub harness: String,
    /// Its edition.
    pub edition: String,
    /// `exact` or `files`.
    pub fidelity: String,
    /// All instruction messages together.
    pub totals: Totals,
    /// What wrappers, headings and separators take of that, in bytes.
    pub frame: usize,
    /// Every considered source, largest share first.
    pub sources: Vec<SourceShare>,
}

/// What one source takes.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct SourceShare {
    /// The file or URL.
    pub name: String,
    /// What became of it.
    pub fate: String,
    /// When it reaches the model.
    pub trigger: String,
    /// How large it is.
    pub size: Option<Size>,
    /// Bytes of it that reach the model.
    pub injected: usize,
    /// The same in tokens.
    pub tokens: Tokens,
    /// Per cent of all instruction bytes, to one decimal.
    pub share: f64,
}

/// The report of one answer.
pub fn context_report(resolution: &Resolution) -> ContextReport {
    let answer = &resolution.answer;
    let totals = totals(answer);
    let in_instructions =
        |message: usize| answer.messages.get(message).is_some_and(|message| message.kind == MessageKind::Instructions);
    let mut sources: Vec<SourceShare> = answer
        .sources
        .iter()
        .map(|source| {
            let kept: usize = source.kept.iter().map(ExactSizeIterator::len).sum();
            let injected = if source.message.is_some_and(in_instructions) { kept } else { 0 };
            SourceShare {
                name: source.place.to_string(),
                fate: source.fate.word().to_owned(),
                trigger: source.trigger.word().to_owned(),
                size: source.size.map(|size| Size { bytes: size.bytes, utf16: size.utf16, lines: size.lines }),
                injected,
                tokens: Tokens { value: injected.div_ceil(4), method: "bytes/4".to_owned() },
                share: percent(injected, totals.bytes),
            }
        })
        .collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source.injected));
    let injected: usize = sources.iter().map(|source| source.injected).sum();
    ContextReport {
        harness: resolution.harness.clone(),
        edition: resolution.edition.clone(),
        fidelity: resolution.fidelity.word().to_owned(),
        // Invalid bytes of a file become longer characters, so the sum of the files may be more than the text.
        frame: totals.bytes.saturating_sub(injected),
        totals,
        sources,
    }
}

/// To one decimal; of nothing, nothing.
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 * 1000.0 / whole as f64).round() / 10.0 }
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn shares_have_one_decimal_and_nothing_of_nothing_is_nothing() {
        for (part, whole, share) in [(1, 3, 33.3), (2, 3, 66.7), (5, 5, 100.0), (0, 0, 0.0)] {
            assert_eq!(percent(part, whole), share, "{part} of {whole}");
        }
    }
}
