//! Says as plain data what a change of the files does to each agent, moment by moment.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compare::{Comparison, Difference};
use super::inspection::{GrantChange, Note};
use super::judged::Judged;
use super::sentences;
use crate::answer::{Resolution, Trigger};

/// Result of `briefing compare --base`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Change {
    /// Of the form.
    pub version: u64,
    /// How the user named the change.
    pub base: String,
    /// The hash of the commit before it.
    pub before: String,
    /// The hash of the commit after it; `null`: the working tree.
    pub after: Option<String>,
    /// Who was asked, and why they.
    pub judged: Vec<Judged>,
    /// Every moment that was asked about.
    pub asked: Vec<When>,
    /// The moments at which an agent is told something else, agent by agent.
    pub moments: Vec<Moment>,
    /// What the repository makes clients run or allows them, and did not before, or no longer does.
    #[serde(default)]
    pub grants: Vec<GrantChange>,
    /// Hidden and look-alike characters that come, and files that come and are not the repository's own.
    #[serde(default)]
    pub notes: Vec<Note>,
}

/// A moment, whoever the agent is.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
pub struct When {
    /// What happens.
    pub kind: Kind,
    /// Where the agent is started, relative to the directory that is asked about; `.` is that directory.
    pub start: String,
    /// The file that is read, or that holds the body; `null` at a start.
    pub file: Option<String>,
}

impl When {
    /// Returns the start of a session in a directory.
    pub fn start(dir: &str) -> When {
        When { kind: Kind::Start, start: dir.to_owned(), file: None }
    }
}

/// What happens at a moment.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A session starts.
    Start,
    /// The agent reads a file.
    Read,
    /// The agent calls a skill.
    Skill,
    /// The user or the agent calls a command.
    Command,
    /// A sub-agent is started.
    Subagent,
}

/// What a change does to one agent at one moment.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Moment {
    /// The agent.
    pub agent: String,
    /// Its version: the one that is installed, or the name of the rules that were used.
    pub version: String,
    /// Its name, for people.
    #[serde(skip)]
    pub title: String,
    /// When.
    #[serde(flatten)]
    pub when: When,
    /// The sentences that come, in the order of the text.
    pub added: Vec<String>,
    /// The sentences that go.
    pub removed: Vec<String>,
    /// What becomes of the files.
    pub differences: Vec<Difference>,
}

impl Moment {
    /// Returns what the two answers make of a moment; `None` if the agent is told the same.
    pub fn of(when: &When, (before, after): (&Resolution, &Resolution), comparison: Comparison) -> Option<Moment> {
        if comparison.same && comparison.differences.is_empty() {
            return None;
        }
        let (mut added, mut removed) = sentences::difference(&text(before), &text(after));
        for (own, answer) in [(&mut added, after), (&mut removed, before)] {
            // Words around a file name it; the differences do so, too.
            let names: Vec<String> = answer.answer.sources.iter().map(|source| source.place.to_string()).collect();
            own.retain(|sentence| !names.iter().any(|name| sentence.contains(name)));
            own.iter_mut().for_each(|sentence| *sentence = unescaped(sentence));
        }
        Some(Moment { added, removed, differences: comparison.differences, ..Moment::for_agent(when, after) })
    }

    /// Creates a moment at which nothing happens yet.
    pub fn for_agent(when: &When, answer: &Resolution) -> Moment {
        Moment {
            agent: answer.harness.clone(),
            version: answer.claim.running.clone().unwrap_or_else(|| answer.edition.clone()),
            title: answer.title.clone(),
            when: when.clone(),
            added: Vec::new(),
            removed: Vec::new(),
            differences: Vec::new(),
        }
    }
}

/// Returns a sentence as it stands in its file: some agents send it as XML.
fn unescaped(sentence: &str) -> String {
    let entities = [("&apos;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    entities.iter().fold(sentence.to_owned(), |text, (entity, letter)| text.replace(entity, letter))
}

/// Returns the sentences that an agent is told, without those that only name a file or import one.
pub fn texts(answer: &Resolution) -> BTreeSet<String> {
    let names: Vec<String> = answer.answer.sources.iter().map(|source| source.place.to_string()).collect();
    // A line that names a file ends the paragraph before it and is no part of the one behind it.
    let text = text(answer);
    let own = text.lines().map(|line| if names.iter().any(|name| line.contains(name.as_str())) { "" } else { line });
    let all = sentences::sentences(&own.collect::<Vec<_>>().join("\n"));
    let is_import = |sentence: &String| sentence.starts_with('@') && !sentence.contains(' ');
    // A section that moves may get another level.
    let plain = |one: &String| unescaped(one.trim_start_matches('#').trim_start());
    all.iter().map(plain).filter(|one| !is_import(one)).collect()
}

fn text(answer: &Resolution) -> String {
    answer.answer.messages.iter().map(|message| &*message.text).collect::<Vec<_>>().join("\n\n")
}

/// Returns an answer with nothing but what reading its target brings: what was sent at the start is another moment.
pub fn on_read(answer: &Resolution) -> Resolution {
    let messages = &answer.answer.messages;
    let later: Vec<usize> = (0..messages.len()).filter(|at| messages[*at].trigger == Trigger::Read).collect();
    let mut read = answer.clone();
    read.answer.messages = later.iter().map(|at| messages[*at].clone()).collect();
    read.answer.sources.retain(|source| source.trigger == Trigger::Read);
    for source in &mut read.answer.sources {
        source.message = source.message.and_then(|was| later.iter().position(|at| *at == was));
    }
    read
}
