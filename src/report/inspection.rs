//! Effects of a repository on an agent that is started in it, as plain data: instructions, commands and permissions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::hidden::hidden;
use super::grants::Grant;
use super::judged::Judged;
use super::lookalikes::lookalikes;
use crate::formats::LineBreaks;

/// Result of `briefing inspect`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Inspection {
    /// The directory that was looked through.
    pub root: String,
    /// Agents that were asked, each with the reason.
    pub judged: Vec<Judged>,
    /// Agents that get instructions, run commands or are allowed something.
    pub agents: Vec<OfAgent>,
    /// Texts that are not what they look like, and files that are not the repository's own.
    pub hidden: Vec<Note>,
}

/// Effects of a repository on one agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct OfAgent {
    /// The agent.
    pub agent: String,
    /// Files that reach the model at the start, or once the agent reads files of the repository.
    pub told: Vec<Told>,
    /// Commands that the client runs.
    pub runs: Vec<Grant>,
    /// Permissions of the client.
    pub allows: Vec<Grant>,
}

/// A file that reaches the model.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Told {
    /// The file, relative to the root where it lies in it.
    pub path: String,
    /// Fate of the file.
    pub fate: String,
    /// Number of bytes of the file that reach the model.
    pub bytes: usize,
}

/// Something that readers of a text or a name do not see.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
pub struct Note {
    /// The file, relative to the root.
    pub path: String,
    /// The line, from 1 on; `null`: the file itself.
    pub line: Option<usize>,
    /// Description for people.
    pub what: String,
}

/// A grant that came, went or is another one.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct GrantChange {
    /// `added`, `changed` or `gone`.
    pub change: String,
    /// The grant; as it was, if it is gone.
    #[serde(flatten)]
    pub grant: Grant,
    /// Its earlier value, if it is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// Notes hidden characters and look-alikes in a text.
pub fn disguised(path: &str, text: &str) -> Vec<Note> {
    let lines = LineBreaks::of(text);
    let note = |at: usize, what: String| Note { path: path.to_owned(), line: Some(lines.line(at)), what };
    let runs = hidden(text).into_iter().map(|run| note(run.range.start, format!("hidden: {}", run.meaning)));
    let words = lookalikes(text).into_iter().map(|word| {
        let letters: Vec<String> = word.letters.iter().map(|letter| format!("U+{:04X}", *letter as u32)).collect();
        note(word.range.start, format!("looks like “{}”, with {}", word.reads, letters.join(", ")))
    });
    let mut notes: Vec<Note> = runs.chain(words).collect();
    notes.sort();
    notes
}

/// Compares the grants of two states of a repository.
pub fn changes(before: &[Grant], after: &[Grant]) -> Vec<GrantChange> {
    // A grant that moved to another line is the same one.
    let is_same = |one: &Grant, other: &Grant| {
        (&one.path, one.kind, &one.what, &one.when) == (&other.path, other.kind, &other.what, &other.when)
    };
    let only = |own: &[Grant], other: &[Grant]| -> Vec<Grant> {
        let mut left: Vec<&Grant> = other.iter().collect();
        let is_new = |grant: &&Grant| match left.iter().position(|other| is_same(grant, other)) {
            Some(at) => {
                left.remove(at);
                false
            }
            None => true,
        };
        own.iter().filter(is_new).cloned().collect()
    };
    let mut gone = only(before, after);
    let mut found = Vec::new();
    for grant in only(after, before) {
        let key = |grant: &Grant| (grant.path.clone(), grant.kind, grant.when.clone());
        let was = gone.iter().position(|other| key(other) == key(&grant)).map(|at| gone.remove(at).what);
        let change = if was.is_some() { "changed" } else { "added" };
        found.push(GrantChange { change: change.to_owned(), grant, was });
    }
    found.extend(gone.into_iter().map(|grant| GrantChange { change: "gone".to_owned(), grant, was: None }));
    found
}
