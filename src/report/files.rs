//! Lists the agents that read each known instruction file, and when: one entry per file and agent.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::explain::explain;
use crate::answer::{Fate, Resolution, Source};

/// Result of `briefing/instructionFiles`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct InstructionFiles {
    /// Of the index.
    pub version: u64,
    /// Whether the whole workspace was looked through.
    pub complete: bool,
    /// The files, in the order of their paths.
    pub files: Vec<InstructionFile>,
}

/// One instruction file.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct InstructionFile {
    /// Where it is.
    pub path: String,
    /// What each harness makes of it.
    pub harnesses: Vec<Reading>,
}

/// What one harness makes of a file.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Reading {
    /// The harness.
    pub harness: String,
    /// Its edition.
    pub edition: String,
    /// What becomes of the file; `null`: this harness never reads it.
    pub fate: Option<String>,
    /// When it reaches the model: `session`, or `read` for a file that comes with the files beside it.
    pub trigger: Option<String>,
    /// Why.
    pub reason: String,
}

/// Returns how an agent treats `path`, based on its answers for the start of a session and for reading a file beside
/// `path`.
pub fn reading(path: &Path, session: &Resolution, beside: Option<&Resolution>) -> Reading {
    let (at_start, later) = (source(path, session), beside.and_then(|beside| source(path, beside)));
    // Some agents report a file below the start directory as dropped without a limit: they never look at this file.
    let later = later.filter(|source| source.fate != Fate::Dropped || source.limit.is_some());
    let found = [at_start, later].into_iter().flatten();
    let best = found.clone().find(|source| source.fate.reaches());
    let best = best.or(found.clone().next());
    Reading {
        harness: session.harness.clone(),
        edition: session.edition.clone(),
        fate: best.map(|source| source.fate.word().to_owned()),
        trigger: best.map(|source| source.trigger.word().to_owned()),
        reason: best.map_or_else(|| explain(path, beside.unwrap_or(session)).1, |source| source.reason.clone()),
    }
}

fn source<'a>(path: &Path, answer: &'a Resolution) -> Option<&'a Source> {
    answer.sources_of(path).next()
}
