//! Context usage of each source: sizes and shares, for reports and charts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::briefing::{ESTIMATE, Size, Tokens, Totals, Whole, totals};
use super::findings::{NEAR_PERCENT, counts_for_limit, whole};
use super::judged::Judged;
use crate::answer::{self, Answer, Fate, Message, MessageKind, Per, Purpose, Resolution, Source, Trigger, Unit};

/// Result of `briefing/contextReport`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct ContextReports {
    /// Version of the index; grows with every change.
    pub version: u64,
    /// Agents that were asked, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<Judged>,
    /// Reports, one for each agent.
    pub reports: Vec<ContextReport>,
}

/// Context that the instructions of one agent use.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct ContextReport {
    /// Id of the agent.
    pub harness: String,
    /// Name of the rules that were applied.
    pub edition: String,
    /// `exact`, `unchecked` or `files`.
    pub fidelity: String,
    /// Reason why the client would not start; absent if it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// All instruction messages together.
    pub totals: Totals,
    /// Everything that is sent, as far as it is known.
    #[serde(default)]
    pub whole: Whole,
    /// Bytes of the instruction messages that wrappers, headings and separators use.
    pub frame: usize,
    /// Every considered source, largest share first.
    pub sources: Vec<SourceShare>,
    /// Messages other than instructions: lists of skills, the environment, prompts.
    #[serde(default)]
    pub others: Vec<OtherShare>,
    /// The limits that several files share, and how much of each is used.
    #[serde(default)]
    pub limits: Vec<LimitUse>,
    /// Part of the context that is reserved for memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<Reserve>,
    /// Notes on what the figures do not include, and on the accuracy of the tokens.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Context that one source uses.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct SourceShare {
    /// The file or URL.
    pub name: String,
    /// What became of it.
    pub fate: String,
    /// When it reaches the model.
    pub trigger: String,
    /// Purpose of the source.
    #[serde(default)]
    pub purpose: String,
    /// Size of the file, if it was read.
    pub size: Option<Size>,
    /// Bytes of it that reach the model.
    pub injected: usize,
    /// Tokens of these bytes.
    pub tokens: Tokens,
    /// Per cent of all instruction bytes, to one decimal.
    pub share: f64,
    /// Use of the source's own limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitUse>,
}

/// A message other than instructions.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct OtherShare {
    /// `skills`, `environment`, `developer`, `reminder`, `agent` or `provider`.
    pub kind: String,
    /// Name of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of files that the message lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<usize>,
    /// Bytes; absent if the text is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// Tokens of these bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
}

/// Use of a limit.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct LimitUse {
    /// Amount that the files would use if loaded whole.
    pub used: usize,
    /// The limit.
    pub value: usize,
    /// `bytes`, `utf16`, `lines` or `tokens`.
    pub unit: String,
    /// `default`, or the settings file that set it.
    pub from: String,
    /// Amount used, in percent of the limit.
    pub percent: usize,
    /// `fits`, `near` (from 85 % on) or `over`.
    pub state: String,
}

/// Part of the context that is reserved for memory, in tokens.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Reserve {
    /// Size of the whole context.
    pub context: usize,
    /// Size of the reserved part.
    pub kept: usize,
    /// Tokens of the reserved part that files of the purpose `memory` use.
    pub memory: usize,
    /// Tokens of the remaining part that everything else uses.
    pub instructions: usize,
}

impl From<answer::Reserve> for Reserve {
    fn from(reserve: answer::Reserve) -> Reserve {
        let answer::Reserve { context, kept, memory, instructions } = reserve;
        Reserve { context, kept, memory, instructions }
    }
}

/// Method of counting tokens.
pub struct Counter<'a> {
    /// Name of the method: `bytes/4`, `o200k`.
    pub method: &'a str,
    /// Counts the tokens of a text; `None`: a quarter of its bytes.
    pub count: Option<&'a dyn Fn(&str) -> usize>,
    /// Returns the text of a source that reaches the model, if it is available.
    pub text: &'a dyn Fn(&Source) -> Option<String>,
    /// Returns a note on the accuracy of the figures for an answer's agent and model.
    pub remark: &'a dyn Fn(&Resolution) -> Option<String>,
}

impl Counter<'_> {
    /// Estimates a quarter of the bytes.
    pub const ESTIMATE: Counter<'static> =
        Counter { method: ESTIMATE, count: None, text: &|_| None, remark: &|_| None };

    fn of(&self, text: &str) -> Tokens {
        match self.count {
            Some(count) => Tokens { value: count(text), method: self.method.to_owned() },
            None => estimate(text.len()),
        }
    }

    fn of_source(&self, source: &Source, bytes: usize) -> Tokens {
        match (self.count, bytes) {
            (Some(_), 1..) => (self.text)(source).map_or_else(|| estimate(bytes), |text| self.of(&text)),
            (_, _) => estimate(bytes),
        }
    }
}

fn estimate(bytes: usize) -> Tokens {
    Tokens { value: bytes.div_ceil(4), method: ESTIMATE.to_owned() }
}

/// Note on the parts of the context that no report includes.
pub const OUT_OF_SIGHT: &str = "Not in sight: the schemas of tools and MCP servers, which often take more than all \
    instructions, and the conversation";

/// Returns the report of one answer.
pub fn context_report(resolution: &Resolution, counter: &Counter) -> ContextReport {
    let answer = &resolution.answer;
    let mut totals = totals(answer);
    if counter.count.is_some() {
        let messages = answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
        let value = messages.map(|message| counter.of(&message.text).value).sum();
        totals.tokens = Tokens { value, method: counter.method.to_owned() };
    }
    let mut sources: Vec<SourceShare> =
        answer.sources.iter().map(|source| share_of(answer, source, totals.bytes, counter)).collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source.injected));
    let injected: usize = sources.iter().map(|source| source.injected).sum();
    let notes = (counter.remark)(resolution).into_iter().chain([OUT_OF_SIGHT.to_owned()]);
    ContextReport {
        harness: resolution.harness.clone(),
        edition: resolution.edition.clone(),
        fidelity: resolution.fidelity.word().to_owned(),
        refusal: answer.refusal.as_ref().map(|refusal| refusal.message.clone()),
        // Invalid bytes of a file become longer characters, so the sum of the files may be more than the text.
        frame: totals.bytes.saturating_sub(injected),
        totals,
        whole: Whole::of(answer, counter.method, counter.count),
        sources,
        others: others(answer, counter),
        limits: shared_limits(answer),
        reserve: answer.reserve.map(Reserve::from),
        notes: notes.collect(),
    }
}

fn share_of(answer: &Answer, source: &Source, all: usize, counter: &Counter) -> SourceShare {
    let in_instructions =
        |message: usize| answer.messages.get(message).is_some_and(|message| message.kind == MessageKind::Instructions);
    let kept: usize = source.kept.iter().map(ExactSizeIterator::len).sum();
    let injected = if source.message.is_some_and(in_instructions) { kept } else { 0 };
    let own = source.limit.as_ref().filter(|limit| limit.per == Per::Source && counts_for_limit(source));
    SourceShare {
        name: source.place.to_string(),
        fate: source.fate.word().to_owned(),
        trigger: source.trigger.word().to_owned(),
        purpose: source.purpose.word().to_owned(),
        size: source.size.map(|size| Size { bytes: size.bytes, utf16: size.utf16, lines: size.lines }),
        injected,
        tokens: counter.of_source(source, injected),
        share: percent(injected, all),
        limit: own.map(|limit| usage(whole(source, limit.unit), limit.value, limit.unit, &limit.from)),
    }
}

/// Returns the shares of the messages other than instruction files.
fn others(answer: &Answer, counter: &Counter) -> Vec<OtherShare> {
    let is_other = |message: &Message| !matches!(message.kind, MessageKind::Instructions | MessageKind::Reserve);
    let of = |(at, message): (usize, &Message)| {
        let listed = || {
            let inside = |source: &&Source| match source.message {
                Some(message) => source.fate == Fate::Listed && message == at,
                // Not every agent assigns a skill to a list; most have only one list.
                None => message.kind == MessageKind::Skills && is_skill(source),
            };
            answer.sources.iter().filter(inside).count()
        };
        // The text of a message that is only named is unknown.
        let text = (message.name.is_none() || !message.text.is_empty()).then_some(&*message.text);
        OtherShare {
            kind: message.kind.word().to_owned(),
            name: message.name.clone(),
            listed: Some(listed()).filter(|listed| *listed > 0),
            bytes: text.map(str::len),
            tokens: text.map(|text| counter.of(text)),
        }
    };
    answer.messages.iter().enumerate().filter(|(_, message)| is_other(message)).map(of).collect()
}

/// Returns true if a source is a skill whose text is sent when it is called.
fn is_skill(source: &Source) -> bool {
    source.purpose == Purpose::Skill && source.trigger == Trigger::Call && source.fate.reaches()
}

/// Returns the usage of the limits that several files share.
fn shared_limits(answer: &Answer) -> Vec<LimitUse> {
    let mut found: Vec<(usize, &str, Unit, usize)> = Vec::new();
    for source in answer.sources.iter().filter(|source| counts_for_limit(source)) {
        let Some(limit) = source.limit.as_ref().filter(|limit| limit.per == Per::Chain) else { continue };
        let used = whole(source, limit.unit);
        match found.iter_mut().find(|(value, _, unit, _)| (*value, *unit) == (limit.value, limit.unit)) {
            Some((.., all)) => *all += used,
            None => found.push((limit.value, &limit.from, limit.unit, used)),
        }
    }
    found.into_iter().map(|(value, from, unit, used)| usage(used, value, unit, from)).collect()
}

fn usage(used: usize, value: usize, unit: Unit, from: &str) -> LimitUse {
    let percent = (used * 100).checked_div(value).unwrap_or(100);
    let state = if used > value {
        "over"
    } else if percent >= NEAR_PERCENT {
        "near"
    } else {
        "fits"
    };
    LimitUse { used, value, unit: unit.word().to_owned(), from: from.to_owned(), percent, state: state.to_owned() }
}

/// Returns the percentage, rounded to one decimal; 0 if `whole` is 0.
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 * 1000.0 / whole as f64).round() / 10.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_one_decimal_and_nothing_of_nothing_is_nothing() {
        for (part, whole, share) in [(1, 3, 33.3), (2, 3, 66.7), (5, 5, 100.0), (0, 0, 0.0)] {
            assert_eq!(percent(part, whole), share, "{part} of {whole}");
        }
    }

    #[test]
    fn a_limit_is_near_from_85_per_cent_on_and_over_beyond_it() {
        for (used, state) in [(84, "fits"), (85, "near"), (100, "near"), (101, "over")] {
            assert_eq!(usage(used, 100, Unit::Bytes, "default").state, state, "{used}");
        }
    }
}
