//! What of a file can be folded away: text that the model never sees, the head, and sections.

use std::ops::Range;

use super::findings::{Kind, Subject, findings};
use super::front_matter::head;
use super::symbols::symbols;
use crate::text;

/// A part of a file that can be folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Where, in bytes of the file.
    pub range: Range<usize>,
    /// What is shown in its place.
    pub instead: Option<String>,
}

/// The parts, the lost ones first.
pub fn folds(subject: &Subject) -> Vec<Fold> {
    let mut found: Vec<Fold> = Vec::new();
    for finding in findings(subject) {
        let partly = finding.kind == Kind::OverBudget && finding.lost && !finding.range.is_empty();
        if partly && found.iter().all(|fold| fold.range != finding.range) {
            let harness = finding.harness.unwrap_or_default();
            let instead = Some(format!("✂ {} B lost for {harness}", text::grouped(finding.range.len())));
            found.push(Fold { range: finding.range, instead });
        }
    }
    let decoded = subject.raw.text();
    found.extend(head(&decoded).filter(|head| head.closed).map(|head| Fold { range: head.at, instead: None }));
    let mut sections = symbols(&decoded);
    while let Some(section) = sections.pop() {
        found.push(Fold { range: section.range.clone(), instead: None });
        sections.extend(section.children);
    }
    found
}
