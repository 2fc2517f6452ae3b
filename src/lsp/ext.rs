//! Every custom message of the server, in the order of its document, `docs/protocol.md`.
#![doc = include_str!("../../docs/protocol.md")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::request;

use crate::answer::{Fate, Resolution, SessionKind};
use crate::harness::custom::{Custom, FILE_NAME};
use crate::report::briefing::{self, Probe, Size};
use crate::report::roster::UsedHere;
use crate::report::session::SessionStep;
use crate::request::{OneOrMany, Request};
use crate::{harness, search};

/// What each harness tells an agent that reads a file.
pub const EFFECTIVE_INSTRUCTIONS: &str = "briefing/effectiveInstructions";
/// What Briefing knows about harnesses.
pub const HARNESSES: &str = "briefing/harnesses";
/// Which harnesses are used here, and what shows it.
pub const ROSTER: &str = "briefing/roster";
/// Why a file is or is not in a briefing.
pub const EXPLAIN: &str = "briefing/explain";
/// What the server holds and watches.
pub const STATUS: &str = "briefing/status";
/// How much of the context each source takes.
pub const CONTEXT_REPORT: &str = "briefing/contextReport";
/// A session of one harness, step by step.
pub const SESSION: &str = "briefing/session";
/// Two answers side by side.
pub const COMPARE: &str = "briefing/compare";
/// Every instruction file that is known, and who reads it.
pub const INSTRUCTION_FILES: &str = "briefing/instructionFiles";
/// The exact prompt, and which file each part of it comes from.
pub const PREVIEW: &str = "briefing/preview";
/// LSP 3.18: the text of a document that the server provides.
pub const TEXT_DOCUMENT_CONTENT: &str = "workspace/textDocumentContent";
/// What recorded sessions were told, without texts.
pub const SESSIONS: &str = "briefing/sessions";
/// What one recorded session was told, step by step.
pub const AUDIT: &str = "briefing/audit";
/// The server says which open files have another briefing now.
pub const DID_CHANGE_INSTRUCTIONS: &str = "briefing/didChangeInstructions";
/// The scheme of previews: `briefing:/HARNESS/FILE`.
pub const SCHEME: &str = "briefing";

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
    /// Files read earlier in this session, in order; what came with them is worked out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_before: Vec<String>,
    /// Files injected earlier in this session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub already_loaded: Vec<String>,
    /// Everything that does not name files.
    #[serde(flatten)]
    pub request: Request,
}

/// Parameters of requests that need none.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct NoParams {}

/// Parameters of `briefing/sessions`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsParams {
    /// Sessions that were started in or below this directory; absent: in the repository around the first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Sessions that went on in the last hours; absent: in the last week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<u32>,
    /// Sessions of these agents; empty: of all whose records are read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
}

/// Parameters of `briefing/audit`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditParams {
    /// The beginning of the session's name, of a session in or below `cwd` if that is given; absent: the latest one of `cwd`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// As for `briefing/sessions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Only texts that hold this one, however it is wrapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Parameters of `briefing/compare`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct CompareParams {
    /// What to compare with.
    pub left: Side,
    /// What to compare.
    pub right: Side,
}

/// One side of a comparison.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Side {
    /// One question, to one harness.
    #[serde(flatten)]
    pub question: EffectiveInstructionsParams,
    /// A revision of the git repository, as `git rev-parse` takes it: branch, tag, hash, `HEAD~2`. Absent: the files as
    /// they are now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

/// Parameters of `briefing/session`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct SessionParams {
    /// Where the agent was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What happens, in order; files are URIs.
    pub steps: Vec<SessionStep>,
    /// One harness, and everything else that does not name files.
    #[serde(flatten)]
    pub request: Request,
}

/// Parameters of `briefing/instructionFiles`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct InstructionFilesParams {
    /// One harness, several, or (absent) every enabled one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<OneOrMany>,
    /// Where agents are started; absent: where the settings say, else the workspace folder of each file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// Result of the command `briefing.fetch`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Fetched {
    /// The version of the index from which on answers hold what was fetched.
    pub version: u64,
    /// Every URL that the answers rest on; none if the user did not want that.
    pub fetched: Vec<FetchedUrl>,
}

/// What became of a URL.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct FetchedUrl {
    /// The URL.
    pub url: String,
    /// How many bytes it served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// Why it served nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Parameters of `briefing/preview` and `workspace/textDocumentContent`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct PreviewParams {
    /// `briefing:/HARNESS[@EDITION]/FILE`; without a file: the start of a session.
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
    /// Of the index.
    pub version: u64,
    /// The open files that have another briefing now, once per harness. Empty: only previews have changed.
    pub documents: Vec<ChangedDocument>,
}

/// An open file with another briefing.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct ChangedDocument {
    /// The document.
    pub uri: String,
    /// Whose briefing.
    pub harness: String,
    /// How large all instruction messages are now.
    pub sizes: Size,
    /// Whether a limit keeps text of some file from the model.
    pub truncated: bool,
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
    /// All of them; those that the workspace or the settings declare come last.
    pub harnesses: Vec<Harness>,
    /// What is wrong with declarations, each with file, line and column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Those that are used here.
    #[serde(default)]
    pub roster: UsedHere,
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
    /// Its editions, oldest first; none: it is declared, and has no versions.
    pub editions: Vec<Edition>,
    /// What people compare declared harnesses by; of others, each edition says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, String>,
    /// The names of its instruction files.
    pub instruction_files: Vec<String>,
    /// The names of the settings files that decide what it reads.
    pub settings_files: Vec<String>,
    /// The kinds of session between which it tells apart, the usual one first.
    #[serde(default)]
    pub sessions: Vec<String>,
}

/// One edition.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Edition {
    /// Its name.
    pub name: String,
    /// First and last version it was checked on.
    pub checked: (String, String),
    /// What people compare harnesses by, in a phrase each: `files`, `triggers`, `place`, `truncation`, `nested`, `global`,
    /// `urls`, `globs`, `sessions`, `hooks`, `persona` and `dedupe`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, String>,
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
    /// How many answers were worked out so far: what was remembered is not worked out again.
    pub worked_out: u64,
    /// How many directories are watched.
    pub watched_directories: usize,
    /// Who tells that files change: `directories` (all that matter are watched), `client` (some cannot be watched, but
    /// the client tells), or `nothing`.
    pub watching: String,
    /// How many instruction files are known in the workspace folders.
    pub instruction_files: usize,
    /// Whether all workspace folders have been looked through.
    pub complete: bool,
}

impl Harness {
    /// What is known about a profile.
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

    /// What is known about a harness that is declared.
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
    /// What was found out about one file in one answer.
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
