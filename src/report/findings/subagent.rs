//! Findings about files that sessions load and the client's own sub-agents do not.

use std::collections::BTreeMap;

use super::super::words::list;
use super::{Finding, Kind, Subject, first_line};
use crate::answer::Resolution;

/// Returns a finding for each agent with sub-agents that do not load the file.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    let reaches = |answer: &Resolution| answer.sources_of(subject.path).any(|source| source.fate.reaches());
    let mut without: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for answer in subject.subagents.iter().filter(|answer| !reaches(answer)) {
        let agent = answer.standpoint.agent.as_deref().unwrap_or("sub-agents");
        without.entry((&answer.harness, &answer.title)).or_default().push(agent);
    }
    let finding = |((harness, title), agents): ((&str, &str), Vec<&str>)| {
        let message = format!("{title} does not send this file to its sub-agents {}", list(&agents));
        Finding::new(Kind::NotForSubagents, first_line(subject.raw), message).of(harness)
    };
    without.into_iter().map(finding).collect()
}
