//! Traces a sentence to its files: which agents send it, and why the others do not.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::explain::explain;
use super::findings::Subject;
use super::front_matter::head;
use super::judged::Judged;
use super::paths::short;
use crate::answer::{Fate, Message, Place, Purpose, Resolution, Source, Trigger};
use crate::snapshot::Content;
use crate::text::without_passwords;

mod search;

pub use search::{Line, Plain, Sought};

/// Result of `briefing why`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Why {
    /// The text that was looked for.
    pub text: String,
    /// Agents that were asked, each with the reason.
    #[serde(default)]
    pub judged: Vec<Judged>,
    /// Places in files where the text occurs, in the order of their paths.
    pub places: Vec<Standing>,
    /// Agents that send the text although no file contains it.
    pub elsewhere: Vec<Unfiled>,
    /// Most similar lines, the nearest first, if the text was found nowhere.
    pub near: Vec<Near>,
    /// Number of files with the text for which no agent was asked, because answering for all of them would cost too
    /// much.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_asked: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Why {
    /// Keeps at most `limit` places from as many files as possible: the first of each file, then the second. Order is
    /// kept.
    pub fn spread(&mut self, limit: usize) {
        let mut rounds: HashMap<&str, usize> = HashMap::new();
        let mut order: Vec<(usize, usize)> = Vec::with_capacity(self.places.len());
        for (at, place) in self.places.iter().enumerate() {
            let round = rounds.entry(&place.path).or_default();
            order.push((*round, at));
            *round += 1;
        }
        order.sort_unstable();
        let kept: HashSet<usize> = order.into_iter().take(limit).map(|(_, at)| at).collect();
        let mut at = 0..;
        self.places.retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
    }
}

/// A place in a file where the text occurs.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Standing {
    /// The file.
    pub path: String,
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Its first byte in the file.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// How each agent treats the text here.
    pub harnesses: Vec<Reach>,
    /// Other names of the file: links that lead to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
}

impl Standing {
    /// Merges the results for the same text at another moment, or under another name of the file. The better result
    /// wins.
    pub fn add(&mut self, other: &Standing) {
        for more in &other.harnesses {
            let same = |own: &&mut Reach| (&own.harness, &own.edition) == (&more.harness, &more.edition);
            match self.harnesses.iter_mut().find(same) {
                Some(own) if own.rank() >= more.rank() => {}
                Some(own) => *own = more.clone(),
                None => self.harnesses.push(more.clone()),
            }
        }
    }
}

/// How one agent treats a text in a file.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Reach {
    /// Id of the agent.
    pub harness: String,
    /// Name of the rules that were applied.
    pub edition: String,
    /// True if the model gets the text from this place.
    pub reaches: bool,
    /// When: `session`, `read`, `attach` or `call`.
    pub trigger: Option<String>,
    /// Fate of the file; `null`: the agent does not consider it.
    pub fate: Option<String>,
    /// Reason.
    pub reason: String,
    /// Directory in which the agent must be started to send it, if not here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
}

impl Reach {
    /// Creates a result that contains only the agent and the fate of the file.
    fn of(answer: &Resolution, source: Option<&Source>) -> Reach {
        Reach {
            harness: answer.harness.clone(),
            edition: answer.edition.clone(),
            reaches: false,
            trigger: None,
            fate: source.map(|source| source.fate.word().to_owned()),
            reason: String::new(),
            start: None,
        }
    }

    /// Ranks results for one text: a higher rank means that more of the text reaches the agent.
    fn rank(&self) -> u8 {
        match (self.reaches, self.fate.as_deref().and_then(Fate::named), &self.start) {
            (true, ..) => 4,
            (false, Some(fate), _) if fate.reaches() => 3,
            (false, Some(_), _) => 2,
            (false, None, Some(_)) => 1,
            (false, None, None) => 0,
        }
    }
}

/// An agent that sends the text, but not from a file.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Unfiled {
    /// Id of the agent.
    pub harness: String,
    /// Name of the rules that were applied.
    pub edition: String,
    /// Index of the message.
    pub message: usize,
    /// URL that serves the text; `null`: the text is the client's own, or made from what the client finds.
    pub url: Option<String>,
}

/// A line that is similar to the text.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Near {
    /// The file.
    pub path: String,
    /// Line number, from 1.
    pub line: usize,
    /// Text of the line.
    pub text: String,
    /// Similarity in percent.
    pub alike: usize,
    /// How each agent treats this line.
    #[serde(default)]
    pub harnesses: Vec<Reach>,
}

/// Returns every place in a file where the text occurs, with the result for each agent.
pub fn places(subject: &Subject, sought: &Sought) -> Vec<Standing> {
    let decoded = subject.raw.text();
    let found = sought.places(&decoded);
    let place = |at: Range<usize>| {
        let raw = subject.raw.raw_ranges(std::slice::from_ref(&at)).pop().unwrap_or(at.clone());
        let before = &decoded[..at.start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let harnesses = subject.answers.iter().map(|answer| {
            let here = told(answer, subject.path, &decoded, (&at, &raw), sought);
            let elsewhere = subject.elsewhere;
            let there = elsewhere.answers.iter().find(|other| !here.reaches && other.harness == answer.harness);
            let Some(there) = there else { return here };
            let beside = told(there, elsewhere.path, &decoded, (&at, &raw), sought);
            let start = short(&there.standpoint.cwd, &answer.standpoint);
            match &beside.fate {
                _ if beside.reaches => Reach { start: Some(start), ..here },
                // If the agent does not consider the file from here, the reason from the other start says more.
                Some(_) if here.fate.is_none() => {
                    Reach { reason: format!("also if started in {start}: {}", beside.reason), ..beside }
                }
                _ => here,
            }
        });
        Standing {
            path: subject.path.to_string_lossy().into_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            start: raw.start,
            end: raw.end,
            harnesses: harnesses.collect(),
            links: Vec::new(),
        }
    };
    found.into_iter().map(place).collect()
}

/// Returns the reason why an agent does not get the text at `at` in a decoded file.
pub fn reason(
    answer: &Resolution,
    path: &Path,
    (raw, decoded): (&Content, &str),
    at: &Range<usize>,
    sought: &Sought,
) -> String {
    let in_file = raw.raw_ranges(std::slice::from_ref(at)).pop().unwrap_or(at.clone());
    told(answer, path, decoded, (at, &in_file), sought).reason
}

/// Returns the result of one answer for the text at `at` in the decoded file and at `raw` in its bytes.
fn told(
    answer: &Resolution,
    path: &Path,
    decoded: &str,
    (at, raw): (&Range<usize>, &Range<usize>),
    sought: &Sought,
) -> Reach {
    let sources: Vec<&Source> = answer.sources_of(path).collect();
    let is_body = head(decoded).filter(|head| head.closed).is_none_or(|head| at.start >= head.at.end);
    if let Some(listed) = sources.iter().find(|source| is_body && sends_body_on_call(source)) {
        return Reach {
            reaches: true,
            trigger: Some(Trigger::Call.word().to_owned()),
            reason: match listed.purpose {
                Purpose::Skill => "its text is sent when the agent calls it".to_owned(),
                _ => listed.reason.clone(),
            },
            ..Reach::of(answer, Some(listed))
        };
    }
    let sends = |source: &&&Source| {
        let whole = source.kept.iter().any(|kept| kept.start <= raw.start && raw.end <= kept.end);
        // A text may span several kept ranges; the text that the model gets decides.
        let known = source.kept.is_empty() || whole || source.kept.iter().any(|kept| kept.contains(&raw.start));
        source.fate.reaches() && known && texts(answer, source).any(|text| sought.is_in(text))
    };
    let source = sources.iter().find(sends);
    let reaches = source.is_some();
    let source = source.or(sources.first()).copied();
    let reason = match source {
        None => explain(path, answer).1,
        Some(source) if reaches || !source.fate.reaches() => source.reason.clone(),
        Some(source) => lost(answer, source, decoded, at, raw),
    };
    // A listed file is announced by the message that lists it, before it is called.
    let trigger = |source: &Source| match source.fate {
        Fate::Listed => source.message.and_then(|at| answer.answer.messages.get(at)).map(|message| message.trigger),
        _ => Some(source.trigger),
    };
    let trigger = source.filter(|_| reaches).and_then(trigger).map(|trigger| trigger.word().to_owned());
    Reach { reaches, trigger, reason, ..Reach::of(answer, source) }
}

/// Returns true for sources that are listed at the start and sent whole when called: skills, commands and sub-agent
/// prompts.
fn sends_body_on_call(source: &Source) -> bool {
    source.fate == Fate::Listed && matches!(source.purpose, Purpose::Skill | Purpose::Agent)
}

/// Returns the texts that may contain a source: its part, its message, or all messages if the answer names none.
fn texts<'a>(answer: &'a Resolution, source: &Source) -> impl Iterator<Item = &'a str> {
    let (own, part) = (source.message, source.part);
    let messages = answer.answer.messages.iter().enumerate();
    messages.filter(move |(at, _)| own.is_none_or(|own| own == *at)).map(move |(_, message): (_, &Message)| {
        let part = part.filter(|_| own.is_some()).and_then(|part| message.parts.get(part));
        &**part.unwrap_or(&message.text)
    })
}

/// Returns the reason why an agent that loads a file does not send this part of it.
fn lost(answer: &Resolution, source: &Source, decoded: &str, at: &Range<usize>, raw: &Range<usize>) -> String {
    let title = &answer.title;
    let is_kept = |byte: usize| source.kept.iter().any(|kept| kept.contains(&byte));
    if is_in_comment(decoded, at) {
        return format!("it stands in an HTML comment, which {title} takes out");
    }
    if head(decoded).is_some_and(|head| head.closed && at.start < head.at.end) {
        return format!("it stands in the front matter, of which {title} sends nothing as it is");
    }
    match source.fate {
        Fate::Listed => source.reason.clone(),
        Fate::Truncated if is_kept(raw.start) => format!("cut in the middle of it: {}", source.reason),
        Fate::Truncated => format!("cut: {}", source.reason),
        _ => format!("{title} does not send this part of the file, or sends it in other words"),
    }
}

/// Returns true if a range lies between `<!--` and `-->`.
fn is_in_comment(text: &str, at: &Range<usize>) -> bool {
    let Some(open) = text[..at.start].rfind("<!--") else { return false };
    !text[open..at.start].contains("-->")
}

/// Returns the agents that send the text although none of the places in files reaches them.
pub fn unfiled<'a>(
    answers: impl IntoIterator<Item = &'a Resolution>,
    places: &[Standing],
    sought: &Sought,
) -> Vec<Unfiled> {
    let from_file = |answer: &Resolution| {
        let told = places.iter().flat_map(|place| &place.harnesses);
        told.clone().any(|told| told.reaches && told.harness == answer.harness)
    };
    let of = |answer: &'a Resolution| {
        let found = answer.answer.messages.iter().position(|message| sought.is_in(&message.text))?;
        Some(Unfiled {
            harness: answer.harness.clone(),
            edition: answer.edition.clone(),
            message: found,
            url: url(answer, found, sought),
        })
    };
    answers.into_iter().filter(|answer| !from_file(answer)).filter_map(of).collect()
}

/// Returns the URL whose part of a message contains the text.
fn url(answer: &Resolution, message: usize, sought: &Sought) -> Option<String> {
    let parts = &answer.answer.messages[message].parts;
    answer.answer.sources.iter().filter(|source| source.message == Some(message)).find_map(|source| {
        let Place::Url(url) = &source.place else { return None };
        let part = parts.get(source.part.unwrap_or(0))?;
        sought.is_in(part).then(|| without_passwords(url).into_owned())
    })
}

/// Returns the lines of a file that are similar to the text.
pub fn near(path: &Path, lines: &[Line], sought: &Sought) -> Vec<Near> {
    let like = |line: &Line| {
        let alike = sought.alike(line)?;
        let path = path.to_string_lossy().into_owned();
        Some(Near { path, line: line.number, text: line.text.clone(), alike, harnesses: Vec::new() })
    };
    lines.iter().filter_map(like).collect()
}
