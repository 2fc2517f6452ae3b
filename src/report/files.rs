//! Lists the agents that read each known instruction file, and when: one entry per file and agent.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::explain::explain;
use crate::answer::{Fate, Resolution, Source};

/// Result of `briefing/instructionFiles`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct InstructionFiles {
    /// Version of the index; grows with every change.
    pub version: u64,
    /// True if the whole workspace was searched.
    pub complete: bool,
    /// The files, in the order of their paths.
    pub files: Vec<InstructionFile>,
}

/// One instruction file.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct InstructionFile {
    /// Path of the file.
    pub path: String,
    /// How each agent treats the file.
    pub harnesses: Vec<Reading>,
}

/// How one agent treats a file.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Reading {
    /// Id of the agent.
    pub harness: String,
    /// Name of the rules that were applied.
    pub edition: String,
    /// Fate of the file; `null`: this agent never reads it.
    pub fate: Option<String>,
    /// When it reaches the model: `session`, or `read` for a file that comes with the files beside it.
    pub trigger: Option<String>,
    /// Reason for the fate.
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
