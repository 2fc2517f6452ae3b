//! Reports failed expectations as findings, at their entries and at the texts that do not reach an agent.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use super::{Proof, Proofs};
use crate::report::expect::SIMILAR;
use crate::report::findings::{Finding, Kind};
use crate::report::words::list;
use crate::snapshot::Content;

/// Reports every failed expectation: at its entry, and at the text that does not reach an agent.
pub(crate) fn findings(proofs: &Proofs) -> Vec<(PathBuf, Content, Finding)> {
    let failed = proofs.all.iter().filter(|proof| !proof.holds());
    proofs.wrong.iter().cloned().chain(failed.flat_map(of_proof)).collect()
}

/// Reports one failed expectation.
pub fn of_proof(proof: &Proof) -> Vec<(PathBuf, Content, Finding)> {
    let reason = proof.expectation.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
    let message = match &proof.problem {
        Some(problem) => format!("Expectation `{}` cannot be proven: {problem}", proof.expectation.id),
        None => format!("Expectation `{}` does not hold{reason}: {}", proof.expectation.id, failures(proof)),
    };
    let near = proof.near.iter().map(|near| (PathBuf::from(&near.path), format!("{SIMILAR}{}", near.text)));
    let failing: BTreeSet<&str> =
        proof.rows.iter().filter(|row| row.failure.is_some()).map(|row| row.agent.as_str()).collect();
    let at = |range: Range<usize>| Finding {
        harness: failing.first().filter(|_| failing.len() == 1).map(|agent| (*agent).to_owned()),
        related: near.clone().collect(),
        ..Finding::new(Kind::ExpectationFailed, range, message.clone())
    };
    let start = proof.expectation.at.start;
    let line = proof.raw[start..].iter().position(|byte| *byte == b'\n').map_or(proof.raw.len(), |end| start + end);
    let places = proof.places.iter().map(|(path, raw, place)| (path.clone(), raw.clone(), at(place.clone())));
    [(proof.path.clone(), proof.raw.clone(), at(start..line))].into_iter().chain(places).collect()
}

/// Says why an expectation fails, using the first row of each agent. Agents that fail alike are named together.
fn failures(proof: &Proof) -> String {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for row in &proof.rows {
        let is_known = reasons.iter().any(|(_, agents)| agents.contains(&row.title.as_str()));
        let Some(failure) = row.failure.as_deref().filter(|_| !is_known) else { continue };
        let start = if row.from.as_os_str().is_empty() { "/".to_owned() } else { row.from.display().to_string() };
        let about = match &row.file {
            Some(file) if row.creates => format!(", creating a file beside {}", file.display()),
            Some(file) => format!(", reading {}", file.display()),
            None => String::new(),
        };
        let reason = format!(" started in {start}{about}: {failure}");
        match reasons.iter_mut().find(|(same, _)| *same == reason) {
            Some((_, agents)) => agents.push(&row.title),
            None => reasons.push((reason, vec![&row.title])),
        }
    }
    let words = reasons.iter().map(|(reason, agents)| format!("{}{reason}", list(agents)));
    words.collect::<Vec<_>>().join("; ")
}
