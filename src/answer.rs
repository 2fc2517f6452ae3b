//! What an answer consists of: messages, sources with their fates, warnings, and the standpoint it holds for.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

pub use crate::search::Refusal;
use crate::search::Trace;
use crate::snapshot::Ask;
use crate::text::grouped;

pub mod agent;
mod claim;
mod mention;
mod source;
mod standpoint;
mod text;
mod words;

pub use claim::{Claim, Replayed, Standing};
pub use mention::Mention;
pub use source::{Described, Limit, Place, Source};
pub use standpoint::{OptionValue, Provided, Reached, Standpoint, Surroundings};
pub use text::{Leaf, Text};
pub use words::{
    Certain, Fate, Fidelity, MessageKind, Per, PromptMode, Purpose, Role, Scope, SessionKind, Tool, Trigger, Unit,
    Worded,
};

/// One message that the model gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// When.
    pub trigger: Trigger,
    /// From whom.
    pub role: Role,
    /// What for.
    pub kind: MessageKind,
    /// What it is called, where its text is not ours to show (`anthropic`, `plan`).
    pub name: Option<String>,
    /// The separately formatted entries that the text is joined from.
    pub parts: Vec<Text>,
    /// The exact text; empty where only the name is known.
    pub text: Text,
    /// What stands before it, in the same string of the client's request.
    pub before: String,
    /// What stands behind it there.
    pub after: String,
}

impl Message {
    /// A message of instructions in one part.
    pub fn instructions(trigger: Trigger, role: Role, text: impl Into<Text>) -> Message {
        Message::joined(trigger, role, vec![text.into()], "")
    }

    /// A message of instructions from several parts.
    pub fn joined(trigger: Trigger, role: Role, parts: Vec<Text>, separator: &str) -> Message {
        let text = Text::joined(&parts, separator);
        Message {
            trigger,
            role,
            kind: MessageKind::Instructions,
            name: None,
            parts,
            text,
            before: String::new(),
            after: String::new(),
        }
    }

    /// The same between others' words, in one string of the client's request.
    pub fn between(self, before: impl Into<String>, after: impl Into<String>) -> Message {
        Message { before: before.into(), after: after.into(), ..self }
    }

    /// A message that is known by name only.
    pub fn named(role: Role, kind: MessageKind, name: impl Into<String>) -> Message {
        Message {
            trigger: Trigger::Session,
            role,
            kind,
            name: Some(name.into()),
            parts: Vec::new(),
            text: Text::default(),
            before: String::new(),
            after: String::new(),
        }
    }
}

/// Something the user should know about an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Warning {
    /// A stable code, such as `over-budget`.
    pub code: &'static str,
    /// The file it is about.
    pub path: Option<PathBuf>,
    /// What, where and what to do.
    pub message: String,
}

impl Warning {
    /// The code of the warning in an answer that a bug in Briefing has cut off.
    pub const INTERNAL_ERROR: &str = "internal-error";

    /// A warning about a file.
    pub fn at(code: &'static str, path: impl Into<PathBuf>, message: impl Into<String>) -> Warning {
        Warning { code, path: Some(path.into()), message: message.into() }
    }

    /// A warning about the answer as a whole.
    pub fn general(code: &'static str, message: impl Into<String>) -> Warning {
        Warning { code, path: None, message: message.into() }
    }

    /// Returns true if the warning stands for others that are only counted.
    pub fn is_rest(&self) -> bool {
        self.message.ends_with(NOT_LISTED)
    }
}

/// How many warnings of one code about one file are listed.
const MOST_WARNINGS: usize = 1_000;
/// Ends the warning that stands for the rest.
const NOT_LISTED: &str = "more warnings like these are not listed";

impl Answer {
    /// Keeps the first warnings of each code about each file, and counts the rest.
    pub(crate) fn count_further_warnings(&mut self) {
        if self.warnings.len() <= MOST_WARNINGS {
            return;
        }
        let mut counts: HashMap<(&str, Option<PathBuf>), usize> = HashMap::new();
        self.warnings.retain(|warning| {
            let count = counts.entry((warning.code, warning.path.clone())).or_default();
            *count += 1;
            *count <= MOST_WARNINGS
        });
        let mut rest: Vec<_> = counts.into_iter().filter(|(_, count)| *count > MOST_WARNINGS).collect();
        rest.sort();
        self.warnings.extend(rest.into_iter().map(|((code, path), count)| {
            let message = format!("{} {NOT_LISTED}", grouped(count - MOST_WARNINGS));
            Warning { code, path, message }
        }));
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Answer {
        Answer::default().with_refusal(refusal)
    }
}

/// A part of the context that is kept free for memory, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserve {
    /// The whole context.
    pub context: usize,
    /// What is kept free of it.
    pub kept: usize,
    /// What the files of the purpose `memory` take of that.
    pub memory: usize,
    /// What everything else takes of the rest.
    pub instructions: usize,
}

/// What an edition finds out: everything of a resolution that depends on the harness.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Where the project starts, where the harness has such a notion.
    pub root: Option<PathBuf>,
    /// Set when the harness would refuse to start.
    pub refusal: Option<Refusal>,
    /// Set when not every byte is certain, with the reason.
    pub files_only: Option<String>,
    /// What is not certain then; empty: the text alone.
    pub uncertain: Vec<Certain>,
    /// The messages in the order the model gets them.
    pub messages: Vec<Message>,
    /// Every considered source.
    pub sources: Vec<Source>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// Where files name other files.
    pub mentions: Vec<Mention>,
    /// What is kept free for memory.
    pub reserve: Option<Reserve>,
    /// The agents that the client has here; empty where they are not known.
    pub agents: Vec<agent::Agent>,
}

impl Answer {
    /// Remembers that `text` in `file` names other files.
    pub fn mention(&mut self, file: &Path, text: &str, leads_to: impl IntoIterator<Item = PathBuf>) {
        self.mentions.push(Mention::new(file, text, leads_to));
    }

    /// Remembers that not every byte is certain, and what is not. The first reason is the one that is told.
    pub fn doubt(&mut self, uncertain: &[Certain], reason: impl Into<String>) {
        self.files_only.get_or_insert_with(|| reason.into());
        self.uncertain.extend(uncertain);
    }

    /// What is certain.
    pub fn certain(&self) -> Vec<Certain> {
        let lost = |part: &Certain| {
            // Where files may be missing, or come in another order, the text differs as well.
            let follows = match part {
                Certain::Set => self.uncertain.contains(&Certain::Set),
                Certain::Order => self.uncertain.iter().any(|lost| matches!(lost, Certain::Set | Certain::Order)),
                Certain::Text => true,
            };
            self.files_only.is_some() && follows
        };
        Certain::ALL.iter().copied().filter(|part| !lost(part)).collect()
    }

    /// Returns the answer of a client that does not start, with what it had found until then.
    pub fn with_refusal(self, refusal: Refusal) -> Answer {
        Answer { refusal: Some(refusal), ..self }
    }

    /// The answer of a harness that does not start.
    pub fn refused(path: impl Into<PathBuf>, message: impl Into<String>) -> Answer {
        Refusal::new(path, message).into()
    }
}

/// The whole answer to one question.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The harness's id.
    pub harness: String,
    /// The harness's name, for people.
    pub title: String,
    /// The edition's name.
    pub edition: String,
    /// How far it can be trusted.
    pub fidelity: Fidelity,
    /// What is claimed of the client's version.
    pub claim: Claim,
    /// From where it was asked, with the physical working directory.
    pub standpoint: Standpoint,
    /// The environment variables that mattered.
    pub env_used: BTreeMap<String, String>,
    /// What the harness found.
    pub answer: Answer,
    /// Everything that was asked, in order.
    pub trace: Trace,
    /// The facts it rests on, beside those of its parts.
    pub own_depends: Vec<Ask>,
}

impl Resolution {
    /// The facts it rests on. One may come several times.
    pub fn depends(&self) -> impl Iterator<Item = &Ask> {
        self.own_depends.iter().chain(self.trace.parts().flat_map(|part| &part.depends))
    }

    /// Whether a bug in Briefing has cut it off. Then the facts it rests on are not all known.
    pub fn is_broken(&self) -> bool {
        self.answer.warnings.iter().any(|warning| warning.code == Warning::INTERNAL_ERROR)
    }

    /// Returns the answer without the messages into which a file goes that `may_tell` refuses; `None` if it refuses none. A
    /// sentence stands for the text of each such message.
    pub fn withheld(&self, may_tell: &dyn Fn(&Path) -> bool) -> Option<Resolution> {
        let refused: Vec<&Source> = self
            .answer
            .sources
            .iter()
            .filter(|source| source.message.is_some() || source.fate.reaches())
            .filter(|source| source.path().is_some_and(|path| !may_tell(path)))
            .collect();
        let first = refused.first()?.path()?.display().to_string();
        let mut answer = self.clone();
        for (number, message) in answer.answer.messages.iter_mut().enumerate() {
            if !refused.iter().any(|source| source.message.is_none_or(|of| of == number)) {
                continue;
            }
            let text = format!("[Briefing withholds this message: {first} lies outside of the workspace]");
            message.text = text.into();
            message.parts = vec![message.text.clone()];
            (message.before, message.after) = (String::new(), String::new());
        }
        let reason = format!("the text of {first} is withheld, since it lies outside of the workspace");
        answer.answer.files_only.get_or_insert(reason);
        answer.fidelity = Fidelity::Files;
        Some(answer)
    }

    /// The URLs whose texts are, or would be, part of it.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.depends().filter_map(|ask| match ask {
            Ask::Remote(url) => Some(url.as_str()),
            Ask::Kind(_) | Ask::LinkKind(_) | Ask::Real(_) | Ask::Target(_) | Ask::Content(_) => None,
            Ask::Listing(_) | Ask::Glob { .. } | Ask::Git(_) | Ask::Rows { .. } => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_of_one_code_about_one_file_are_listed_up_to_a_number_and_then_counted() {
        let mut answer = Answer::default();
        for number in 0..MOST_WARNINGS + 2_500 {
            answer.warnings.push(Warning::at("import-missing", "/p/AGENTS.md", format!("@{number}.md is missing")));
        }
        let other = Warning::general("cut-short", "so much is to be looked at");
        answer.warnings.push(other.clone());
        answer.count_further_warnings();
        let (listed, end) = answer.warnings.split_at(MOST_WARNINGS);
        assert!(listed.iter().all(|warning| warning.code == "import-missing" && !warning.is_rest()));
        let rest = "2 500 more warnings like these are not listed";
        assert_eq!(end, [other, Warning::at("import-missing", "/p/AGENTS.md", rest)]);
        assert!(end[1].is_rest());
    }
}
