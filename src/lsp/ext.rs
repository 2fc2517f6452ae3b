//! The server's custom messages, in the order of `docs/protocol.md`.
#![doc = include_str!("../../docs/protocol.md")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::request;

use crate::answer::{Fate, Resolution, SessionKind};
use crate::harness::custom::{Custom, FILE_NAME};
use crate::report::briefing::{self, Probe, Size};
use crate::report::readers;
use crate::report::roster::UsedHere;
use crate::report::session::SessionStep;
use crate::request::{OneOrMany, Request};
use crate::{harness, search};

/// Request: what each agent loads when it reads a file.
pub const EFFECTIVE_INSTRUCTIONS: &str = "briefing/effectiveInstructions";
/// Request: the agents that Briefing knows.
pub const HARNESSES: &str = "briefing/harnesses";
/// Request: the agents used here, and the evidence.
pub const ROSTER: &str = "briefing/roster";
/// Request: why an agent loads a file, or does not.
pub const EXPLAIN: &str = "briefing/explain";
/// Request: state of the server and its watches.
pub const STATUS: &str = "briefing/status";
/// Request: share of the context that each source takes.
pub const CONTEXT_REPORT: &str = "briefing/contextReport";
/// Request: a session of one agent, step by step.
pub const SESSION: &str = "briefing/session";
/// Request: the agents of clients, and what each is told.
pub const AGENTS: &str = "briefing/agents";
/// Request: two answers side by side.
pub const COMPARE: &str = "briefing/compare";
/// Request: the agents that get each part of an instruction file.
pub const READERS: &str = "briefing/readers";
/// Request: every known instruction file, and the agents that read it.
pub const INSTRUCTION_FILES: &str = "briefing/instructionFiles";
/// Request: the exact prompt, and the file that each part comes from.
pub const PREVIEW: &str = "briefing/preview";
/// Request of LSP 3.18: text of a document that the server provides.
pub const TEXT_DOCUMENT_CONTENT: &str = "workspace/textDocumentContent";
/// Request: instructions that recorded sessions received, without texts.
pub const SESSIONS: &str = "briefing/sessions";
/// Request: instructions that one recorded session received, step by step.
pub const AUDIT: &str = "briefing/audit";
/// Notification: the open files whose instructions changed.
pub const DID_CHANGE_INSTRUCTIONS: &str = "briefing/didChangeInstructions";
/// URI scheme of previews: `briefing:/HARNESS/FILE`.
pub const SCHEME: &str = "briefing";

/// A document. The URI is a plain string here, so that an invalid one gets a clear error.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct TextDocument {
    /// URI of the document.
    pub uri: String,
}

/// Parameters of `briefing/effectiveInstructions`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EffectiveInstructionsParams {
    /// File that the agent would read. Absent: the start of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_document: Option<TextDocument>,
    /// Directory in which the agent was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Files read earlier in this session, in order. Briefing derives which instruction files came with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_before: Vec<String>,
    /// Instruction files that were injected earlier in this session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub already_loaded: Vec<String>,
    /// Parameters that name no files.
    #[serde(flatten)]
    pub request: Request,
}

/// Parameters of requests without parameters.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct NoParams {}

/// Parameters of `briefing/sessions`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsParams {
    /// Only sessions started in or below this directory. Absent: in the repository of the first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Only sessions that were active in the last so many hours. Absent: in the last week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<u32>,
    /// Only sessions of these agents. Empty: of all agents whose records Briefing reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
}

/// Parameters of `briefing/audit`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditParams {
    /// Beginning of the session's name; with `cwd`, of a session in or below that directory. Absent: the latest session
    /// of `cwd`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Directory, as in `briefing/sessions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Only texts that contain this one, regardless of wrapping.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Parameters of `briefing/compare`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct CompareParams {
    /// Side to compare with.
    pub left: Side,
    /// Side that is compared.
    pub right: Side,
}

/// One side of a comparison.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Side {
    /// A question to one agent.
    #[serde(flatten)]
    pub question: EffectiveInstructionsParams,
    /// A revision of the git repository, as `git rev-parse` accepts it: branch, tag, hash, `HEAD~2`. Absent: the files
    /// as they are now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

/// Parameters of `briefing/session`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct SessionParams {
    /// Directory in which the agent was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Steps of the session, in order; files are URIs.
    pub steps: Vec<SessionStep>,
    /// One agent, and the other parameters that name no files.
    #[serde(flatten)]
    pub request: Request,
}

/// Parameters of `briefing/agents`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct AgentsParams {
    /// Only the agent of this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Directory in which the clients are started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// One client or several, and the other parameters that name no files.
    #[serde(flatten)]
    pub request: Request,
}

/// Parameters of `briefing/instructionFiles`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct InstructionFilesParams {
    /// One agent or several. Absent: all enabled agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<OneOrMany>,
    /// Directory in which agents are started. Absent: the directory in the settings, else the workspace folder of each
    /// file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// Result of the command `briefing.fetch`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Fetched {
    /// First version of the index whose answers use the fetched texts.
    pub version: u64,
    /// Every URL that the answers depend on. Empty if the user declined.
    pub fetched: Vec<FetchedUrl>,
}

/// Result of fetching one URL.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct FetchedUrl {
    /// The URL.
    pub url: String,
    /// Size of the response, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// Reason why there is no response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Parameters of `briefing/preview` and `workspace/textDocumentContent`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct PreviewParams {
    /// URI `briefing:/HARNESS[@EDITION]/FILE`. Without a file: the start of a session.
    pub uri: String,
}

/// Result of `workspace/textDocumentContent`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct TextDocumentContent {
    /// The text.
    pub text: String,
}

/// Parameters of `briefing/didChangeInstructions`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct DidChangeInstructionsParams {
    /// Version of the index.
    pub version: u64,
    /// Open files whose instructions changed, once per agent. Empty: only previews changed.
    pub documents: Vec<ChangedDocument>,
}

/// An open file whose instructions changed.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct ChangedDocument {
    /// URI of the document.
    pub uri: String,
    /// Id of the agent.
    pub harness: String,
    /// Current size of all instruction messages.
    pub sizes: Size,
    /// True if a limit cuts text of some file.
    pub truncated: bool,
}

/// Parameters of `briefing/readers`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadersParams {
    /// The instruction file.
    pub text_document: TextDocument,
}

/// Result of `briefing/readers`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Readers {
    /// Version of the index.
    pub version: u64,
    /// The parts of the file, in order; none if no agent gets any of it.
    pub parts: Vec<ReadPart>,
}

/// A part of a file that the same agents get.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct ReadPart {
    /// Its start.
    pub start: Place,
    /// Its end, exclusive.
    pub end: Place,
    /// Agents that get it; the note says when.
    pub told: Vec<Reader>,
    /// Agents that get another part of the file, or would get this one without a limit; the note says why they do not.
    pub missed: Vec<Reader>,
}

/// A position in a document, in the position encoding of the session.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct Place {
    /// Line, from 0.
    pub line: u32,
    /// Character, from 0.
    pub character: u32,
}

/// An agent that reads an instruction file.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct Reader {
    /// Id of the agent.
    pub harness: String,
    /// Title of the agent.
    pub title: String,
    /// When the agent gets the part, or why it does not.
    pub note: String,
}

impl Reader {
    pub(crate) fn of(reader: readers::Reader) -> Reader {
        let readers::Reader { harness, title, note } = reader;
        Reader { harness, title, note }
    }
}

/// The request `workspace/foldingRange/refresh` of LSP 3.18.
pub enum FoldingRangeRefresh {}

impl request::Request for FoldingRangeRefresh {
    type Params = ();
    type Result = ();
    const METHOD: &'static str = "workspace/foldingRange/refresh";
}

/// The notification `briefing/didChangeInstructions`.
pub enum DidChangeInstructions {}

impl Notification for DidChangeInstructions {
    type Params = DidChangeInstructionsParams;
    const METHOD: &'static str = DID_CHANGE_INSTRUCTIONS;
}

/// The request `workspace/textDocumentContent/refresh` of LSP 3.18.
pub enum TextDocumentContentRefresh {}

impl request::Request for TextDocumentContentRefresh {
    type Params = PreviewParams;
    type Result = ();
    const METHOD: &'static str = "workspace/textDocumentContent/refresh";
}

/// Parameters of `briefing/explain`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainParams {
    /// Instruction file in question.
    pub text_document: TextDocument,
    /// File that the agent would read. Absent: the start of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Directory in which the agent was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Agents to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<OneOrMany>,
}

/// Result of `briefing/explain`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanations {
    /// One explanation per agent.
    pub explanations: Vec<Explanation>,
}

/// Explanation why one agent loads a file, or does not.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Id of the agent.
    pub harness: String,
    /// Name of the rules.
    pub edition: String,
    /// Fate of the file. `null`: the agent does not consider it.
    pub fate: Option<String>,
    /// Reason.
    pub reason: String,
    /// Paths that the agent looked at in connection with this file.
    pub probes: Vec<Probe>,
}

/// Result of `briefing/harnesses`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Harnesses {
    /// All agents. Those declared in the workspace or the settings come last.
    pub harnesses: Vec<Harness>,
    /// Problems of declarations, each with file, line and column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Agents used here.
    #[serde(default)]
    pub roster: UsedHere,
}

/// An agent.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Harness {
    /// Id of the agent.
    pub id: String,
    /// Name for people.
    pub title: String,
    /// Summary of what the agent reads, in one sentence.
    pub summary: String,
    /// Rules by version, oldest first. Empty for a declared agent, which has no versions.
    pub editions: Vec<Edition>,
    /// Properties of a declared agent that people compare agents by. For built-in agents they are in `editions`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, String>,
    /// Names of its instruction files.
    pub instruction_files: Vec<String>,
    /// Names of the settings files that affect what it reads.
    pub settings_files: Vec<String>,
    /// Kinds of session that the agent distinguishes, the usual one first.
    #[serde(default)]
    pub sessions: Vec<String>,
}

/// Rules of an agent for a range of versions.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Edition {
    /// Name of the rules.
    pub name: String,
    /// First and last version that the rules were checked on.
    pub checked: (String, String),
    /// Properties that people compare agents by, one phrase each: `files`, `triggers`, `place`, `truncation`, `nested`,
    /// `global`, `urls`, `globs`, `sessions`, `hooks`, `persona` and `dedupe`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, String>,
}

/// Result of `briefing/status`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Version of the server.
    pub server: String,
    /// Version of the index.
    pub version: u64,
    /// Number of cached facts about the disk.
    pub facts: usize,
    /// Number of cached answers.
    pub answers: usize,
    /// Number of answers computed so far. Answers from the cache do not count.
    pub worked_out: u64,
    /// Number of watched directories.
    pub watched_directories: usize,
    /// Source of file events: `directories` (all relevant directories are watched), `client` (some cannot be watched,
    /// but the client reports changes), or `nothing`.
    pub watching: String,
    /// Number of known instruction files in the workspace folders.
    pub instruction_files: usize,
    /// True if all workspace folders have been scanned.
    pub complete: bool,
}

impl Harness {
    /// Describes a built-in agent.
    pub(crate) fn of(profile: &harness::Profile) -> Harness {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let editions = profile.editions.iter().map(|edition| {
            let about = edition.about();
            let phrases = about.details.phrases().map(str::to_owned);
            Edition {
                name: about.name.to_owned(),
                checked: (about.checked.0.to_owned(), about.checked.1.to_owned()),
                details: by_topic(phrases),
            }
        });
        Harness {
            id: profile.id.to_owned(),
            title: profile.title.to_owned(),
            summary: profile.summary.to_owned(),
            editions: editions.collect(),
            details: BTreeMap::new(),
            instruction_files: owned(profile.instruction_names),
            settings_files: owned(profile.settings_names),
            sessions: words(profile.editions.last().map_or(&[SessionKind::Main], |edition| edition.sessions())),
        }
    }

    /// Describes a declared agent.
    pub(crate) fn of_declared(custom: &Custom) -> Harness {
        Harness {
            id: custom.id.clone(),
            title: custom.title.clone(),
            summary: custom.summary.clone(),
            editions: Vec::new(),
            details: by_topic(custom.details.iter().cloned()),
            instruction_files: custom.instruction_names.clone(),
            settings_files: vec![FILE_NAME.to_owned()],
            sessions: words(&SessionKind::WITH_SUBAGENTS),
        }
    }
}

fn words(kinds: &[SessionKind]) -> Vec<String> {
    kinds.iter().map(|kind| kind.word().to_owned()).collect()
}

fn by_topic(phrases: impl IntoIterator<Item = String>) -> BTreeMap<String, String> {
    harness::Details::TITLES.into_iter().map(str::to_owned).zip(phrases).collect()
}

impl Explanation {
    /// Creates the explanation of one file from one answer.
    pub(crate) fn of(
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
