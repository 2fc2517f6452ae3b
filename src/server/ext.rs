//! Every custom message of the server, beside its document: `extensions.md`.
#![doc = include_str!("extensions.md")]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Fate, Resolution};
use crate::report::briefing::{self, Probe};
use crate::request::{OneOrMany, Request};
use crate::{harness, search};

/// What each harness tells an agent that reads a file.
pub const EFFECTIVE_INSTRUCTIONS: &str = "briefing/effectiveInstructions";
/// What Briefing knows about harnesses.
pub const HARNESSES: &str = "briefing/harnesses";
/// Why a file is or is not in a briefing.
pub const EXPLAIN: &str = "briefing/explain";
/// What the server holds and watches.
pub const STATUS: &str = "briefing/status";

/// A document, by URI. The URI is a text of its own here, so that a wrong one gets a clear answer.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct TextDocument {
    /// Its URI.
    pub uri: String,
}

/// Parameters of `briefing/effectiveInstructions`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EffectiveInstructionsParams {
    /// The file the agent would read; absent: the start of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_document: Option<TextDocument>,
    /// Where the agent was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Files injected earlier in this session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub already_loaded: Vec<String>,
    /// Everything that does not name files.
    #[serde(flatten)]
    pub request: Request,
}

/// Parameters of `briefing/explain`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainParams {
    /// The instruction file in question.
    pub text_document: TextDocument,
    /// The file the agent would read; absent: the start of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Where the agent was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The harnesses to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<OneOrMany>,
}

/// Result of `briefing/explain`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanations {
    /// One per harness.
    pub explanations: Vec<Explanation>,
}

/// Why a file is or is not in one harness's briefing.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The harness.
    pub harness: String,
    /// Its edition.
    pub edition: String,
    /// What became of the file; `null`: the harness does not consider it.
    pub fate: Option<String>,
    /// Why.
    pub reason: String,
    /// What the harness asked about this path.
    pub probes: Vec<Probe>,
}

/// Result of `briefing/harnesses`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Harnesses {
    /// All of them.
    pub harnesses: Vec<Harness>,
}

/// One harness.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Harness {
    /// Its id.
    pub id: String,
    /// Its name.
    pub title: String,
    /// What it reads, in a sentence.
    pub summary: String,
    /// Its editions, oldest first.
    pub editions: Vec<Edition>,
    /// The names of its instruction files.
    pub instruction_files: Vec<String>,
    /// The names of the settings files that decide what it reads.
    pub settings_files: Vec<String>,
}

/// One edition.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Edition {
    /// Its name.
    pub name: String,
    /// First and last version it was checked on.
    pub checked: (String, String),
}

/// Result of `briefing/status`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The server's version.
    pub server: String,
    /// Of the index.
    pub version: u64,
    /// How many facts are known.
    pub facts: usize,
    /// How many answers are remembered.
    pub answers: usize,
    /// How many directories are watched.
    pub watched_directories: usize,
}

impl Harness {
    /// What is known about a profile.
    pub(super) fn of(profile: &harness::Profile) -> Harness {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let editions = profile.editions.iter().map(|edition| {
            let about = edition.about();
            Edition { name: about.name.to_owned(), checked: (about.checked.0.to_owned(), about.checked.1.to_owned()) }
        });
        Harness {
            id: profile.id.to_owned(),
            title: profile.title.to_owned(),
            summary: profile.summary.to_owned(),
            editions: editions.collect(),
            instruction_files: owned(profile.instruction_names),
            settings_files: owned(profile.settings_names),
        }
    }
}

impl Explanation {
    /// What was found out about one file in one answer.
    pub(super) fn of(
        answer: &Resolution,
        (fate, reason, probes): (Option<Fate>, String, Vec<&search::Probe>),
    ) -> Explanation {
        Explanation {
            harness: answer.harness.clone(),
            edition: answer.edition.clone(),
            fate: fate.map(|fate| fate.word().to_owned()),
            reason,
            probes: probes.into_iter().map(briefing::probe).collect(),
        }
    }
}
