//! Effects of a change of files on the instructions of each agent, moment by moment, as plain data.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compare::{Comparison, Difference};
use super::front_matter::head;
use super::inspection::{GrantChange, Note};
use super::judged::Judged;
use super::sentences;
use crate::answer::{Fate, Leaf, Place, Resolution, Source, Tool, Trigger};
use crate::formats;
use crate::snapshot::Content;

/// Result of `briefing compare --base`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Change {
    /// Version of the JSON form.
    pub version: u64,
    /// Name of the change, as the user gave it.
    pub base: String,
    /// Fork that the change comes from, as OWNER/NAME, if the user named one; git does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<String>,
    /// Hash of the commit before the change.
    pub before: String,
    /// Hash of the commit after the change; `null`: the working tree.
    pub after: Option<String>,
    /// Agents that were asked, each with the reason.
    pub judged: Vec<Judged>,
    /// Every moment that was asked about.
    pub asked: Vec<When>,
    /// Moments that were not asked about, because answering for all of them would cost too much.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_asked: Vec<When>,
    /// Moments at which an agent gets other texts than before, agent by agent.
    pub moments: Vec<Moment>,
    /// Changes in what the repository makes clients run or allows them.
    #[serde(default)]
    pub grants: Vec<GrantChange>,
    /// Hidden and look-alike characters that are added, and added files that are not the repository's own.
    #[serde(default)]
    pub notes: Vec<Note>,
}

/// A moment of a session, independent of the agent.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
pub struct When {
    /// Event at this moment.
    pub kind: Kind,
    /// Where the agent is started, relative to the directory that is asked about; `.` is that directory.
    pub start: String,
    /// File that is read or called; `null` at a start.
    pub file: Option<String>,
}

impl When {
    /// Returns the start of a session in a directory.
    pub fn start(dir: &str) -> When {
        When { kind: Kind::Start, start: dir.to_owned(), file: None }
    }

    /// Returns the tool that the kind of moment implies; `None` if the request decides.
    pub fn tool(&self) -> Option<Tool> {
        (self.kind == Kind::Attach).then_some(Tool::Mention)
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
    /// The user hands a file to the agent.
    Attach,
    /// The agent calls a skill.
    Skill,
    /// The user or the agent calls a command.
    Command,
    /// A sub-agent is started.
    Subagent,
}

/// Effect of a change on one agent at one moment.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Moment {
    /// Id of the agent.
    pub agent: String,
    /// Version of the agent: the installed one, or else the name of the rules that were applied.
    pub version: String,
    /// Display name of the agent.
    #[serde(skip)]
    pub title: String,
    /// The moment.
    #[serde(flatten)]
    pub when: When,
    /// Sentences that are added, in the order of the text.
    pub added: Vec<String>,
    /// Sentences that are removed.
    pub removed: Vec<String>,
    /// Explanations for removed sentences that a limit cuts, or that come at another moment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<Instead>,
    /// Differences, file by file.
    pub differences: Vec<Difference>,
}

/// Explanation for a removed sentence.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct Instead {
    /// The sentence.
    pub sentence: String,
    /// `cut`: the file still contains it, but a limit leaves it out; `moved`: the agent gets it at another moment.
    pub kind: String,
    /// Explanation for people.
    pub message: String,
}

impl Moment {
    /// Returns the explanation of what happened to a removed sentence.
    pub fn instead_of(&self, sentence: &str) -> Option<&Instead> {
        self.instead.iter().find(|one| one.sentence == sentence)
    }

    /// Creates the moment for the difference between two answers; `None` if they are the same. `texts` are the texts of
    /// the files before and after.
    pub fn of(when: &When, after: &Resolution, texts: (&str, &str), comparison: Comparison) -> Option<Moment> {
        if comparison.same && comparison.differences.is_empty() {
            return None;
        }
        let (added, removed) = sentences::difference(texts.0, texts.1);
        // A file that is sent twice counts as one changed file.
        let (added, removed) = (once(added), once(removed));
        Some(Moment { added, removed, differences: once(comparison.differences), ..Moment::for_agent(when, after) })
    }

    /// Keeps only additions if `comes` is true (the start directory is new), else only removals (it no longer exists).
    /// Returns `None` if nothing is left.
    pub fn only(self, comes: bool) -> Option<Moment> {
        let (added, removed) = if comes { (self.added, Vec::new()) } else { (Vec::new(), self.removed) };
        let kind = if comes { "added" } else { "lost" };
        let differences: Vec<_> = self.differences.into_iter().filter(|one| one.kind == kind).collect();
        let is_something = !(added.is_empty() && removed.is_empty() && differences.is_empty());
        is_something.then_some(Moment { added, removed, differences, ..self })
    }

    /// Returns true if `other` has the same effect on the same version of the same agent.
    pub fn is_like(&self, other: &Moment) -> bool {
        (&self.agent, &self.version) == (&other.agent, &other.version)
            && (&self.added, &self.removed, &self.differences) == (&other.added, &other.removed, &other.differences)
    }

    /// Creates a moment without any changes.
    pub fn for_agent(when: &When, answer: &Resolution) -> Moment {
        Moment {
            agent: answer.harness.clone(),
            version: answer.claim.running.clone().unwrap_or_else(|| answer.edition.clone()),
            title: answer.title.clone(),
            when: when.clone(),
            added: Vec::new(),
            removed: Vec::new(),
            instead: Vec::new(),
            differences: Vec::new(),
        }
    }
}

/// Marks removed sentences as moved if the same agent gets them at another moment.
pub fn note_moves(moments: &mut [Moment]) {
    let mut comes: BTreeMap<(String, String), When> = BTreeMap::new();
    for moment in moments.iter() {
        for sentence in &moment.added {
            comes.entry((moment.agent.clone(), sentence.clone())).or_insert_with(|| moment.when.clone());
        }
    }
    for moment in moments {
        for sentence in &moment.removed {
            let comes = comes.get(&(moment.agent.clone(), sentence.clone()));
            let Some(when) = comes.filter(|when| **when != moment.when && moment.instead_of(sentence).is_none()) else {
                continue;
            };
            let message = match (&when.file, when.start.as_str()) {
                (Some(file), _) => format!("now with {file}"),
                (None, ".") => "now at the start in this directory".to_owned(),
                (None, start) => format!("now at the start in {start}"),
            };
            moment.instead.push(Instead { sentence: sentence.clone(), kind: "moved".to_owned(), message });
        }
    }
}

/// Replaces XML entities with their characters, since some agents send sentences as XML.
fn unescaped(sentence: &str) -> String {
    let entities = [("&apos;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    entities.iter().fold(sentence.to_owned(), |text, (entity, letter)| text.replace(entity, letter))
}

/// Returns the sentences that an agent gets from files, without imports. `read` returns the content of a file.
pub fn texts(answer: &Resolution, read: impl Fn(&Path) -> Option<Content>) -> BTreeSet<String> {
    let all = sentences::sentences(&text_of_files(answer, read));
    let is_import = |sentence: &String| sentence.starts_with('@') && !sentence.contains(' ');
    // The heading level is ignored, since it may change when a section moves.
    let plain = |one: &String| unescaped(one.trim_start_matches('#').trim_start());
    all.iter().map(plain).filter(|one| !is_import(one)).collect()
}

/// Minimum length of a line of a file to search for in a client's text, in bytes; shorter lines may match by chance.
const SHORTEST_LINE: usize = 8;

/// Removes duplicates, keeping the order.
fn once<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::with_capacity(all.len());
    for one in all {
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    kept
}

/// Returns the text that an agent gets from files, without the client's own text. `read` returns the content of a file.
pub fn text_of_files(answer: &Resolution, read: impl Fn(&Path) -> Option<Content>) -> String {
    let (mut lines, mut descriptions) = (HashSet::new(), Vec::new());
    for source in answer.answer.sources.iter().filter(|source| source.fate.reaches()) {
        let Some(raw) = source.path().and_then(&read) else { continue };
        let text = raw.text();
        match head(&text).filter(|_| source.fate == Fate::Listed) {
            Some(head) => descriptions.extend(description(&text[head.at])),
            None => lines.extend(text.lines().map(|line| line.trim().to_owned())),
        }
    }
    let of_file = |line: &str| -> Option<String> {
        let line = unescaped(line.trim());
        if lines.contains(&line) {
            return Some(line);
        }
        let parts = lines.iter().filter(|part| part.len() >= SHORTEST_LINE && part.contains(' ')).chain(&descriptions);
        let longest = parts.filter(|part| line.contains(part.as_str())).max_by_key(|part| part.len())?;
        // The client adds its own text around it. The empty line keeps a sentence from continuing in the next line.
        Some(format!("{longest}\n"))
    };
    let mut out = String::new();
    for (at, message) in answer.answer.messages.iter().enumerate() {
        let fetched = |source: &Source| source.message == Some(at) && matches!(source.place, Place::Url(_));
        let is_fetched = answer.answer.sources.iter().any(fetched);
        let mut leaves = Vec::new();
        message.text.leaves(&mut leaves);
        for leaf in leaves {
            match leaf {
                Leaf::File(content, part) => out.push_str(&content.as_text().unwrap_or_default()[part.clone()]),
                Leaf::Own(words) if is_fetched => out.push_str(words),
                Leaf::Own(words) => {
                    for line in words.lines() {
                        out.push_str(&of_file(line).unwrap_or_default());
                        out.push('\n');
                    }
                }
            }
        }
        out.push_str("\n\n");
    }
    out
}

/// Returns the description in the head of a skill, on one line as lists have it.
fn description(head: &str) -> Option<String> {
    let inside = head.trim_start_matches("---").trim_end_matches("---");
    let node = formats::parse_leniently(inside)?;
    let text = node.at_path(&["description"])?.as_text()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the answer reduced to the texts that are added when its target is read or attached. Texts that the agent
/// gets at the start in any case are left out: they belong to another moment. Some clients send texts that come with a
/// file among those of the start, so the sources are compared with the answer `start`.
pub fn on_reaching(answer: &Resolution, start: &Resolution) -> Resolution {
    let is_later = |trigger: Trigger| matches!(trigger, Trigger::Read | Trigger::Attach);
    let began =
        |source: &Source| start.answer.sources.iter().any(|one| (&one.place, one.fate) == (&source.place, source.fate));
    let mut read = answer.clone();
    read.answer.sources.retain(|source| is_later(source.trigger) || !began(source));
    let messages = &answer.answer.messages;
    let is_new = |at: &usize| {
        is_later(messages[*at].trigger)
            || read.answer.sources.iter().any(|source| source.message == Some(*at) && source.fate.reaches())
    };
    let later: Vec<usize> = (0..messages.len()).filter(is_new).collect();
    read.answer.messages = later.iter().map(|at| messages[*at].clone()).collect();
    for source in &mut read.answer.sources {
        source.message = source.message.and_then(|was| later.iter().position(|at| *at == was));
    }
    read
}
