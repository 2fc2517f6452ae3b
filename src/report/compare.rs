//! Two answers side by side: what is added, lost, moved, or cut differently.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{MessageKind, Resolution, Source};

/// Result of `briefing/compare`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Comparison {
    /// What the left answer is of, as `codex@0.169 from /r`.
    pub left: String,
    /// What the right answer is of.
    pub right: String,
    /// Whether the model gets the same texts.
    pub same: bool,
    /// The differences, in the order of the right answer, then what only the left has.
    pub differences: Vec<Difference>,
    /// The exact texts of both, for a diff view.
    pub texts: Texts,
}

/// The exact texts of both sides.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Texts {
    /// All instruction messages of the left answer, joined by a blank line.
    pub left: String,
    /// The same of the right.
    pub right: String,
}

/// One difference.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Difference {
    /// The file or URL.
    pub name: String,
    /// `added`, `lost`, `moved` or `cut`.
    pub kind: String,
    /// In words.
    pub message: String,
}

/// Compares two answers.
pub fn compare(left: &Resolution, right: &Resolution) -> Comparison {
    let (of_left, of_right) = (reaching(left), reaching(right));
    let texts = Texts { left: text(left), right: text(right) };
    let mut differences = Vec::new();
    let names_of = |sources: &[(String, &Source)], other: &[(String, &Source)]| -> Vec<String> {
        sources
            .iter()
            .filter(|(name, _)| other.iter().any(|(there, _)| there == name))
            .map(|(name, _)| name.clone())
            .collect()
    };
    // Only what both have can have moved; an added file in front moves nothing.
    let order_left: BTreeMap<String, usize> =
        names_of(&of_left, &of_right).into_iter().enumerate().map(|(at, name)| (name, at)).collect();
    let order_right = names_of(&of_right, &of_left);
    for (name, source) in &of_right {
        let Some((_, before)) = of_left.iter().find(|(there, _)| there == name) else {
            differences.push(Difference {
                name: name.clone(),
                kind: "added".to_owned(),
                message: format!("{} ({})", source.fate, source.reason),
            });
            continue;
        };
        let at = order_right.iter().position(|there| there == name);
        if at.is_some() && at != order_left.get(name).copied() {
            let place = |at: Option<usize>| at.map_or_else(String::new, |at| (at + 1).to_string());
            let message = format!("number {} instead of {}", place(at), place(order_left.get(name).copied()));
            differences.push(Difference { name: name.clone(), kind: "moved".to_owned(), message });
        }
        if kept(before) != kept(source) {
            let message = format!("{} B reach the model instead of {} B", kept(source), kept(before));
            differences.push(Difference { name: name.clone(), kind: "cut".to_owned(), message });
        }
    }
    for (name, source) in of_left.iter().filter(|(name, _)| of_right.iter().all(|(there, _)| there != name)) {
        let now = right.answer.sources.iter().find(|other| other.place == source.place);
        let message = now.map_or_else(|| "not considered".to_owned(), |now| format!("{} ({})", now.fate, now.reason));
        differences.push(Difference { name: name.clone(), kind: "lost".to_owned(), message });
    }
    Comparison { left: title(left), right: title(right), same: texts.left == texts.right, differences, texts }
}

/// The sources whose text reaches the model, in order.
fn reaching(resolution: &Resolution) -> Vec<(String, &Source)> {
    let reaches = |source: &&Source| source.fate.reaches();
    resolution.answer.sources.iter().filter(reaches).map(|source| (source.place.to_string(), source)).collect()
}

fn kept(source: &Source) -> usize {
    source.kept.iter().map(ExactSizeIterator::len).sum()
}

fn text(resolution: &Resolution) -> String {
    let texts = resolution.answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
    texts.map(|message| &*message.text).collect::<Vec<_>>().join("\n\n")
}

fn title(resolution: &Resolution) -> String {
    format!("{}@{} from {}", resolution.harness, resolution.edition, resolution.standpoint.cwd.display())
}
