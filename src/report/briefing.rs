//! JSON form of an answer, with the fields that the protocol document defines.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judged::Judged;
use crate::answer::{self, Resolution};
use crate::search;
use crate::text::{grouped, without_passwords};

/// The answer to one `briefing/effectiveInstructions` request.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Effective {
    /// Version of the index; grows with every change.
    pub version: u64,
    /// Agents that were asked, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<Judged>,
    /// Answers, one for each agent that was asked about.
    pub briefings: Vec<Briefing>,
}

/// Answer for one agent.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Briefing {
    /// Id of the agent.
    pub harness: String,
    /// Name of the rules that were applied.
    pub edition: String,
    /// `exact`, `unchecked` or `files`.
    pub fidelity: String,
    /// Version of the client, and how well it was checked; absent for custom agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// Aspects that are certain: `set`, `order`, `text`.
    pub certain: Vec<String>,
    /// Standpoint of the question.
    pub standpoint: Standpoint,
    /// File that the agent would read.
    pub target: Option<String>,
    /// Set if the client would refuse to start.
    pub refusal: Option<Refusal>,
    /// Messages that the model gets, in order.
    pub messages: Vec<Message>,
    /// Every file and URL that the agent considered.
    pub sources: Vec<Source>,
    /// Sizes of all instruction messages together.
    pub totals: Totals,
    /// Sizes of everything that is sent, as far as it is known.
    #[serde(default)]
    pub whole: Whole,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// Every probe of the disk, in order; only on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Probe>>,
}

/// Version of the client, and how well Briefing's rules for it were checked.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Version {
    /// The version that is installed, or was asked for.
    pub running: Option<String>,
    /// The version whose rules are shown.
    pub rules: String,
    /// The oldest and the newest version that were compared with the real client.
    pub checked: (String, String),
    /// The day of the comparison that covers this version, `2026-11-22`.
    pub verified: Option<String>,
    /// `true` if the comparison was made on this machine, by `briefing verify --suite`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub here: Option<bool>,
}

/// Standpoint of a question.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Standpoint {
    /// The physical working directory.
    pub cwd: String,
    /// The home directory.
    pub home: String,
    /// Root directory of the project, if the agent has the concept.
    pub root: Option<String>,
    /// The kind of session.
    pub session: String,
    /// Tool with which the agent reaches the target.
    pub tool: String,
    /// Active agent; in a sub-agent's session, its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The environment variables that were used.
    pub env: BTreeMap<String, String>,
}

/// Reason why the client would not start.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Refusal {
    /// File that stops the client.
    pub path: String,
    /// Problem in this file.
    pub message: String,
}

/// One message.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Message {
    /// When the message is sent: `session`, `read`, `attach` or `call`.
    pub trigger: String,
    /// Role under which the message is sent.
    pub role: String,
    /// Kind of content; absent for `instructions`.
    #[serde(default = "instructions", skip_serializing_if = "is_instructions")]
    pub kind: String,
    /// Name of the message, if its text is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Exact text; only on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Text before the message, in the same string of the client's request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Text after the message, in the same string of the client's request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Separately formatted entries that the text is joined from; only on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<String>>,
}

fn instructions() -> String {
    answer::MessageKind::Instructions.word().to_owned()
}

fn is_instructions(kind: &str) -> bool {
    kind == answer::MessageKind::Instructions.word()
}

/// A file or URL that the agent considered.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Source {
    /// Path, if the source is a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// URL, if the source has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Scope that the source belongs to: `user`, `project`, `nested` …
    pub scope: String,
    /// When it reaches the model.
    pub trigger: String,
    /// What became of it.
    pub fate: String,
    /// Purpose of the source: `instructions`, `memory`, `skill` …
    pub purpose: String,
    /// Path that shadowed or displaced the source.
    pub by: Option<String>,
    /// Reason for the fate.
    pub reason: String,
    /// Size of the file, if it was read.
    pub size: Option<Size>,
    /// Limit that applied, if any.
    pub limit: Option<Limit>,
    /// Byte ranges of the file that reach the model.
    pub kept: Vec<Range>,
    /// Size of the text from or about the source that reaches the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Sent>,
    /// Index of the message that contains the source.
    pub message: Option<usize>,
    /// Index of the part within that message.
    pub part: Option<usize>,
}

/// A size in three units.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Size {
    /// Bytes.
    pub bytes: usize,
    /// UTF-16 units.
    pub utf16: usize,
    /// Lines.
    pub lines: usize,
}

/// Size of the text that reaches the model.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Sent {
    /// Bytes.
    pub bytes: usize,
    /// UTF-16 units, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utf16: Option<usize>,
}

/// A limit.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Limit {
    /// Maximum size.
    pub value: usize,
    /// Unit of the maximum: `bytes`, `utf16`, `lines` or `tokens`.
    pub unit: String,
    /// `source` if each file has the limit for itself, `chain` if all files share it.
    pub per: String,
    /// `default`, or the settings file that set it.
    pub from: String,
}

/// A byte range.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Range {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Sizes of all instruction messages together.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Totals {
    /// Bytes.
    pub bytes: usize,
    /// UTF-16 units.
    pub utf16: usize,
    /// Tokens, and how they were counted.
    pub tokens: Tokens,
}

/// Sizes of everything that is sent, as far as its text is known: instructions, lists of skills, environment and the
/// rest.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Whole {
    /// Bytes of all layers.
    pub bytes: usize,
    /// Tokens of all layers.
    pub tokens: Tokens,
    /// Sizes by kind of message, in the order in which the kinds first come.
    pub layers: Vec<LayerSize>,
    /// Number of messages of the client's own whose text Briefing does not show; they are not counted.
    pub unmeasured: usize,
}

/// Sizes of all messages of one kind.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct LayerSize {
    /// `instructions`, `skills`, `environment` …
    pub kind: String,
    /// Bytes of these messages.
    pub bytes: usize,
    /// Tokens of these messages.
    pub tokens: Tokens,
}

impl Whole {
    /// Measures an answer. `count` returns the tokens of a text; without it they are estimated.
    pub fn of(answer: &answer::Answer, method: &str, count: Option<&dyn Fn(&str) -> usize>) -> Whole {
        let tokens = |value| Tokens { value, method: method.to_owned() };
        let (mut layers, mut unmeasured) = (Vec::<LayerSize>::new(), 0);
        for message in answer.messages.iter().filter(|message| message.kind != answer::MessageKind::Reserve) {
            if message.text.is_empty() {
                unmeasured += usize::from(message.name.is_some());
                continue;
            }
            let kind = message.kind.word();
            let at = layers.iter().position(|layer| layer.kind == kind).unwrap_or_else(|| {
                layers.push(LayerSize { kind: kind.to_owned(), bytes: 0, tokens: tokens(0) });
                layers.len() - 1
            });
            layers[at].bytes += message.text.len();
            layers[at].tokens.value += count.map_or(0, |count| count(&message.text));
        }
        let bytes = layers.iter().map(|layer| layer.bytes).sum::<usize>();
        if count.is_none() {
            layers.iter_mut().for_each(|layer| layer.tokens.value = layer.bytes.div_ceil(4));
        }
        let all = count.map_or(bytes.div_ceil(4), |_| layers.iter().map(|layer| layer.tokens.value).sum());
        Whole { bytes, tokens: tokens(all), layers, unmeasured }
    }

    /// Formats the sizes by kind, as `instructions 321 B, skills 26 B`; empty if there are fewer than two kinds.
    pub fn parts(&self) -> String {
        if self.layers.len() < 2 {
            return String::new();
        }
        let part = |layer: &LayerSize| format!("{} {} B", layer.kind, grouped(layer.bytes));
        self.layers.iter().map(part).collect::<Vec<_>>().join(", ")
    }
}

/// Method of estimating tokens if no tokenizer is known.
pub const ESTIMATE: &str = "bytes/4";

/// Returns the sizes of everything that is sent, with estimated tokens.
pub fn whole(answer: &answer::Answer) -> Whole {
    Whole::of(answer, ESTIMATE, None)
}

/// A number of tokens, and the method of counting.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Tokens {
    /// The number.
    pub value: usize,
    /// Method of counting: `bytes/4` for an estimate, else the name of a vocabulary, such as `o200k`.
    pub method: String,
}

/// Something the user should know.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Warning {
    /// A stable code.
    pub code: String,
    /// File that the warning is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Text that says what is wrong, where, and what to do.
    pub message: String,
}

/// One probe of the disk.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Probe {
    /// Path that was asked about.
    pub path: String,
    /// Kind of question, such as `content` or `glob`.
    pub asked: String,
    /// Answer of the disk.
    pub answer: String,
    /// Rule of the agent behind the question.
    pub rule: String,
}

/// Selects optional parts of the JSON form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Include {
    /// Includes the texts and parts of messages.
    pub text: bool,
    /// Includes the trace.
    pub trace: bool,
}

/// Converts a resolution to its JSON form.
pub fn briefing(resolution: &Resolution, include: Include) -> Briefing {
    let answer = &resolution.answer;
    Briefing {
        harness: resolution.harness.clone(),
        edition: resolution.edition.clone(),
        fidelity: resolution.fidelity.word().to_owned(),
        version: version(&resolution.claim),
        certain: answer.certain().into_iter().map(|part| part.word().to_owned()).collect(),
        standpoint: Standpoint {
            cwd: path(&resolution.standpoint.cwd),
            home: path(&resolution.standpoint.home),
            root: answer.root.as_deref().map(path),
            session: resolution.standpoint.session.word().to_owned(),
            tool: resolution.standpoint.tool.word().to_owned(),
            agent: resolution.standpoint.agent.clone(),
            env: resolution.env_used.clone(),
        },
        target: resolution.standpoint.target.as_deref().map(path),
        refusal: answer
            .refusal
            .as_ref()
            .map(|refusal| Refusal { path: path(&refusal.path), message: refusal.message.clone() }),
        messages: answer.messages.iter().map(|message| self::message(message, include)).collect(),
        sources: answer.sources.iter().map(source).collect(),
        totals: totals(answer),
        whole: whole(answer),
        warnings: warnings(resolution),
        trace: include.trace.then(|| resolution.trace.iter().map(probe).collect()),
    }
}

/// Returns the warnings of an answer, preceded by the reason why it is not exact.
fn warnings(resolution: &Resolution) -> Vec<Warning> {
    let answer = &resolution.answer;
    let unsaid = |reason: &&String| answer.warnings.iter().all(|warning| warning.message != **reason);
    let not_exact = answer.files_only.as_ref().filter(unsaid).map(|reason| Warning {
        code: "not-exact".to_owned(),
        path: None,
        message: reason.clone(),
    });
    let others = answer.warnings.iter().map(|warning| Warning {
        code: warning.code.to_owned(),
        path: warning.path.as_deref().map(path),
        message: warning.message.clone(),
    });
    not_exact.into_iter().chain(others).collect()
}

/// Returns the reason why an answer is not exact, in one sentence; empty if it is exact.
pub fn uncertainty(resolution: &Resolution) -> String {
    if let Some(reason) = &resolution.answer.files_only {
        return reason.clone();
    }
    let said = resolution.answer.warnings.iter().find(|warning| warning.code == "unchecked-version");
    said.filter(|_| resolution.fidelity != answer::Fidelity::Exact)
        .map_or_else(String::new, |said| said.message.clone())
}

fn version(claim: &answer::Claim) -> Option<Version> {
    let answer::Claim { running, rules, checked, verified, replayed, standing: _ } = claim.clone();
    let here = (replayed == answer::Replayed::Here).then_some(true);
    (!rules.is_empty()).then_some(Version { running, rules, checked, verified, here })
}

/// Returns the total size of all instruction messages of an answer.
pub fn totals(answer: &answer::Answer) -> Totals {
    let texts = answer.messages.iter().filter(|message| message.kind == answer::MessageKind::Instructions);
    let sizes = texts.map(|message| message.text.size());
    let (bytes, utf16) = sizes.fold((0, 0), |(bytes, utf16), size| (bytes + size.bytes, utf16 + size.utf16));
    Totals { bytes, utf16, tokens: Tokens { value: bytes.div_ceil(4), method: ESTIMATE.to_owned() } }
}

/// Converts a message to its JSON form.
pub(super) fn message(message: &answer::Message, include: Include) -> Message {
    let around = |text: &String| (include.text && !text.is_empty()).then(|| text.clone());
    Message {
        trigger: message.trigger.word().to_owned(),
        role: message.role.word().to_owned(),
        kind: message.kind.word().to_owned(),
        name: message.name.clone(),
        text: include.text.then(|| message.text.to_string()),
        before: around(&message.before),
        after: around(&message.after),
        parts: include.text.then(|| message.parts.iter().map(ToString::to_string).collect()),
    }
}

/// Converts a source to its JSON form.
pub(super) fn source(source: &answer::Source) -> Source {
    let (file, url) = match &source.place {
        answer::Place::Path(file) => (Some(path(file)), None),
        answer::Place::Url(url) => (None, Some(without_passwords(url).into_owned())),
    };
    Source {
        path: file,
        url,
        scope: source.scope.word().to_owned(),
        trigger: source.trigger.word().to_owned(),
        fate: source.fate.word().to_owned(),
        purpose: source.purpose.word().to_owned(),
        by: source.by.as_deref().map(path),
        reason: source.reason.clone(),
        size: source.size.map(|size| Size { bytes: size.bytes, utf16: size.utf16, lines: size.lines }),
        limit: source.limit.as_ref().map(|limit| Limit {
            value: limit.value,
            unit: limit.unit.word().to_owned(),
            per: limit.per.word().to_owned(),
            from: limit.from.clone(),
        }),
        kept: source.kept.iter().map(|range| Range { start: range.start, end: range.end }).collect(),
        sent: source.reaches().map(|(bytes, utf16)| Sent { bytes, utf16 }),
        message: source.message,
        part: source.part,
    }
}

/// Converts one line of a trace to its JSON form.
pub fn probe(probe: &search::Probe) -> Probe {
    Probe {
        path: path(&probe.path),
        asked: probe.asked.to_owned(),
        answer: probe.answer.clone().into_owned(),
        rule: probe.rule.clone().into_owned(),
    }
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
