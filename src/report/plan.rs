//! A plan for instruction files as plain data: a patch, and what it does to each agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{count, list};

/// Result of `briefing plan`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Plan {
    /// A patch for `git apply`; empty if there is nothing to do.
    pub patch: String,
    /// Changes that the plan makes and leaves out, for people.
    pub notes: Vec<String>,
    /// Comparison of what agents get before and after the plan.
    pub proof: Proof,
}

/// Effects of a plan on agents, from answers before and after it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Proof {
    /// Number of questions: agents, times starts and files.
    pub asked: usize,
    /// Sizes before, by agent.
    pub before: Vec<Size>,
    /// Sizes after.
    pub after: Vec<Size>,
    /// Sentences that an agent gets now, and would no longer get.
    pub lost: Vec<Loss>,
    /// Sentences that an agent would get only when it reads a file, and not at the start.
    pub later: Vec<Loss>,
    /// Expectations of `briefing.toml`.
    pub expectations: Expectations,
}

impl Proof {
    /// Says in one clause what agents lose, and which expectations would fail.
    pub fn verdict(&self) -> String {
        let mut all = match by_sentence(&self.lost).len() {
            0 => vec!["nothing is lost".to_owned()],
            lost => vec![format!("lost: {}", count(lost, "sentence"))],
        };
        let later = by_sentence(&self.later).len();
        if later > 0 {
            all.push(format!("only with a file that is read: {}", count(later, "sentence")));
        }
        let broken: Vec<&String> = self.expectations.broken().collect();
        if !broken.is_empty() {
            all.push(format!("expectations that would fail: {}", list(&broken)));
        }
        all.join("; ")
    }
}

impl Expectations {
    /// Returns the ids of the expectations that hold now and would fail.
    pub fn broken(&self) -> impl Iterator<Item = &String> {
        self.after.iter().filter(|id| !self.before.contains(id))
    }
}

/// Groups losses by sentence; each comes with the agents and where they are started.
pub fn by_sentence(all: &[Loss]) -> Vec<(&str, Vec<String>)> {
    let mut sentences: Vec<(&str, Vec<String>)> = Vec::new();
    for loss in all {
        let whom = format!("{} started in {}", loss.agent, if loss.start == "." { "/" } else { &loss.start });
        match sentences.iter_mut().find(|(sentence, _)| *sentence == loss.sentence) {
            Some((_, agents)) if agents.contains(&whom) => {}
            Some((_, agents)) => agents.push(whom),
            None => sentences.push((&loss.sentence, vec![whom])),
        }
    }
    sentences
}

/// Size of an agent's instructions at the start of a session in the directory itself.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct Size {
    /// The agent.
    pub agent: String,
    /// Its version.
    pub version: String,
    /// The bytes of its instructions.
    pub bytes: usize,
    /// Number of files that a limit cuts or leaves out.
    pub cut: usize,
}

/// A sentence that does not reach an agent any more.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
pub struct Loss {
    /// The agent.
    pub agent: String,
    /// Where it is started.
    pub start: String,
    /// The file that it reads; `null`: the start of a session.
    pub file: Option<String>,
    /// The sentence.
    pub sentence: String,
}

/// Expectations that do not hold, by their ids.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct Expectations {
    /// Number of expectations.
    pub count: usize,
    /// Ids of those that fail now.
    pub before: Vec<String>,
    /// Ids of those that would fail.
    pub after: Vec<String>,
}
