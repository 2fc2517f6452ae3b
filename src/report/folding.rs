//! What of a file can be folded away: text that the model never sees, the head, and sections.

use std::ops::Range;

use super::findings::{Kind, Subject, findings, title};
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
        if finding.kind != Kind::OverBudget {
            continue;
        }
        let title = title(subject, finding.harness.as_deref()).unwrap_or_default();
        for range in finding.lost.iter().filter(|lost| !lost.is_empty()) {
            if found.iter().all(|fold| fold.range != *range) {
                let instead = Some(format!("✂ {} B cut for {title}", text::grouped(range.len())));
                found.push(Fold { range: range.clone(), instead });
            }
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
