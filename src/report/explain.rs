//! Explains why a file is, or is not, in a briefing.

use std::path::Path;

use crate::answer::{Fate, Resolution};
use crate::search::Probe;

/// Returns the fate of `path`, the reason for it, and the probes of the agent for this path.
pub fn explain<'a>(path: &Path, resolution: &'a Resolution) -> (Option<Fate>, String, Vec<&'a Probe>) {
    let probes: Vec<&Probe> = resolution.trace.iter().filter(|probe| probe.path == path).collect();
    if let Some(source) = resolution.sources_of(path).next() {
        return (Some(source.fate), source.reason.clone(), probes);
    }
    let reason = match (&resolution.answer.refusal, probes.last()) {
        (Some(refusal), _) => format!("{} does not start: {}", resolution.title, refusal.message),
        (None, Some(_)) if resolution.standpoint.target.as_deref() == Some(path) => {
            format!("{} reads it as it reads any file, and takes no instructions from it", resolution.title)
        }
        (None, Some(probe)) => {
            format!("{} looks for it and finds: {} ({})", resolution.title, probe.answer, probe.rule)
        }
        (None, None) => {
            let root = resolution
                .answer
                .root
                .as_deref()
                .map_or_else(String::new, |root| format!(", project root {}", root.display()));
            format!(
                "{} does not look at this path when started in {}{root}",
                resolution.title,
                resolution.standpoint.cwd.display()
            )
        }
    };
    (None, reason, probes)
}
