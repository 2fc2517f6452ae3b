//! Folding ranges: text that the model never sees, front matter, and sections.

use std::ops::Range;

use super::findings::{Kind, Subject, findings, title};
use super::front_matter::head;
use super::symbols::symbols;
use crate::text;

/// A folding range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Byte range in the file.
    pub range: Range<usize>,
    /// Text shown in place of the folded range.
    pub instead: Option<String>,
}

/// Returns the folding ranges of a file, those of cut text first.
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
