//! What a change makes worse: the findings that were not there before, and cuts that have grown.

use std::collections::BTreeMap;

use super::Report;
use crate::report::findings::{Finding, Kind};
use crate::text::grouped;

/// Identity of a finding, without its figures.
type Key<'a> = (&'a str, Kind, Option<&'a str>, Option<&'a str>);

fn key<'a>(path: &'a str, finding: &'a Finding) -> Key<'a> {
    (path, finding.kind, finding.harness.as_deref(), finding.start.as_deref())
}

/// Removes findings that were as bad before. `title` returns the title of an agent.
pub(super) fn keep_worse(report: &mut Report, before: &Report, title: impl Fn(&str) -> String) {
    let mut cut: BTreeMap<Key, usize> = BTreeMap::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for found in &before.all {
        let bytes = cut.entry(key(&found.path, &found.finding)).or_default();
        *bytes = (*bytes).max(found.finding.cut);
        *known.entry(&found.fingerprint).or_default() += 1;
    }
    let all = report.all.len();
    report.all.retain_mut(|found| {
        let was = cut.get(&key(&found.path, &found.finding)).copied();
        match found.finding.kind {
            Kind::OverBudget if found.finding.cut > 0 => {
                let more = found.finding.cut.saturating_sub(was.unwrap_or(0));
                let harness = title(found.finding.harness.as_deref().unwrap_or_default());
                let unit = if more == 1 { "byte" } else { "bytes" };
                let said = format!("This change cuts {} {unit} of {} for {harness}", grouped(more), found.path);
                found.finding.message = format!("{said}. {}", found.finding.message);
                more > 0
            }
            // The line on which a limit is met moves with every change.
            Kind::OverBudget | Kind::NearBudget | Kind::TooLong => was.is_none(),
            _ => match known.get_mut(found.fingerprint.as_str()) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    false
                }
                Some(_) | None => true,
            },
        }
    });
    report.known += all - report.all.len();
}
