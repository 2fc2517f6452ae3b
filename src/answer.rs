//! Types of an answer: messages, sources and what became of them, warnings, and the standpoint it was computed for.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

pub use crate::search::Refusal;
use crate::search::Trace;
use crate::snapshot::Ask;
use crate::text::grouped;

pub mod agent;
mod by_path;
mod claim;
mod mention;
mod source;
mod standpoint;
mod text;
mod words;

pub use by_path::ByPath;
pub use claim::{Claim, Replayed, Standing};
pub use mention::Mention;
pub use source::{Described, Limit, Place, Source};
pub use standpoint::{OptionValue, Provided, Reached, Standpoint, Surroundings};
pub use text::{Leaf, Text};
pub use words::{
    Certain, Fate, Fidelity, MessageKind, Per, PromptMode, Purpose, Role, Scope, SessionKind, Tool, Trigger, Unit,
    Worded,
};

/// A message that the model receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Moment at which the message is sent.
    pub trigger: Trigger,
    /// Role under which the message is sent.
    pub role: Role,
    /// Kind of content.
    pub kind: MessageKind,
    /// Name of a message whose text Briefing does not show, such as the prompt of `anthropic` or the agent `plan`.
    pub name: Option<String>,
    /// Separately formatted entries that the text is joined from.
    pub parts: Vec<Text>,
    /// Exact text; empty if only the name is known.
    pub text: Text,
    /// Text before the message in the same string of the client's request.
    pub before: String,
    /// Text after the message in the same string of the client's request.
    pub after: String,
}

impl Message {
    /// Creates a message of instructions with one part.
    pub fn instructions(trigger: Trigger, role: Role, text: impl Into<Text>) -> Message {
        Message::joined(trigger, role, vec![text.into()], "")
    }

    /// Creates a message of instructions from several parts.
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

    /// Sets the text around the message in the same string of the client's request.
    pub fn between(self, before: impl Into<String>, after: impl Into<String>) -> Message {
        Message { before: before.into(), after: after.into(), ..self }
    }

    /// Creates a message of which only the name is known.
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
    /// Stable code, such as `over-budget`.
    pub code: &'static str,
    /// File that the warning is about.
    pub path: Option<PathBuf>,
    /// Text that says what is wrong, where, and what to do.
    pub message: String,
}

impl Warning {
    /// Code of the warning in an answer that a bug in Briefing interrupted.
    pub const INTERNAL_ERROR: &str = "internal-error";

    /// Creates a warning about a file.
    pub fn at(code: &'static str, path: impl Into<PathBuf>, message: impl Into<String>) -> Warning {
        Warning { code, path: Some(path.into()), message: message.into() }
    }

    /// Creates a warning about the whole answer.
    pub fn general(code: &'static str, message: impl Into<String>) -> Warning {
        Warning { code, path: None, message: message.into() }
    }

    /// Returns true if the warning replaces further ones that are only counted.
    pub fn is_rest(&self) -> bool {
        self.message.ends_with(NOT_LISTED)
    }
}

/// Maximum number of warnings with one code about one file.
const MOST_WARNINGS: usize = 1_000;
/// End of the message that counts the warnings left out.
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

/// Part of the context window that a client reserves for memory, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Result of applying one version's rules: the part of a [`Resolution`] that depends on the agent.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Root directory of the project, if the agent has the concept.
    pub root: Option<PathBuf>,
    /// Set if the client would refuse to start.
    pub refusal: Option<Refusal>,
    /// Reason why not every byte is certain.
    pub files_only: Option<String>,
    /// Uncertain aspects if `files_only` is set; empty if only the text is uncertain.
    pub uncertain: Vec<Certain>,
    /// Messages in the order in which the model gets them.
    pub messages: Vec<Message>,
    /// Every file and URL that the agent considered.
    pub sources: Vec<Source>,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// Places at which files name other files.
    pub mentions: Vec<Mention>,
    /// Part of the context that is reserved for memory.
    pub reserve: Option<Reserve>,
    /// Agents that the client has here; empty if they are not known.
    pub agents: Vec<agent::Agent>,
}

impl Answer {
    /// Records that `text` in `file` names other files.
    pub fn mention(&mut self, file: &Path, text: &str, leads_to: impl IntoIterator<Item = PathBuf>) {
        self.mentions.push(Mention::new(file, text, leads_to));
    }

    /// Records that the `uncertain` aspects are not certain. The first reason given is the one shown.
    pub fn doubt(&mut self, uncertain: &[Certain], reason: impl Into<String>) {
        self.files_only.get_or_insert_with(|| reason.into());
        self.uncertain.extend(uncertain);
    }

    /// Returns the aspects that are certain.
    pub fn certain(&self) -> Vec<Certain> {
        let lost = |part: &Certain| {
            // If files may be missing or come in another order, the text differs as well.
            let follows = match part {
                Certain::Set => self.uncertain.contains(&Certain::Set),
                Certain::Order => self.uncertain.iter().any(|lost| matches!(lost, Certain::Set | Certain::Order)),
                Certain::Text => true,
            };
            self.files_only.is_some() && follows
        };
        Certain::ALL.iter().copied().filter(|part| !lost(part)).collect()
    }

    /// Returns the answer of a client that does not start, with everything found so far.
    pub fn with_refusal(self, refusal: Refusal) -> Answer {
        Answer { refusal: Some(refusal), ..self }
    }

    /// Creates the answer of a client that does not start.
    pub fn refused(path: impl Into<PathBuf>, message: impl Into<String>) -> Answer {
        Refusal::new(path, message).into()
    }
}

/// Complete answer to one question.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// Id of the agent.
    pub harness: String,
    /// Display name of the agent.
    pub title: String,
    /// Name of the range of versions whose rules were applied.
    pub edition: String,
    /// How far the answer can be trusted.
    pub fidelity: Fidelity,
    /// What Briefing claims about the client's version.
    pub claim: Claim,
    /// Standpoint of the question, with the physical working directory.
    pub standpoint: Standpoint,
    /// Environment variables that were used, with the values to show.
    pub env_used: BTreeMap<String, String>,
    /// Result of applying the rules.
    pub answer: Answer,
    /// Every probe of the disk, in order.
    pub trace: Trace,
    /// Facts that the answer depends on, except those of its parts.
    pub own_depends: Vec<Ask>,
    /// Cost of the answer, in questions about small files.
    pub effort: usize,
    /// Index of the answer by path.
    pub by_path: ByPath,
}

impl Resolution {
    /// Iterates over the facts that the answer depends on. A fact may occur more than once.
    pub fn depends(&self) -> impl Iterator<Item = &Ask> {
        self.own_depends.iter().chain(self.trace.parts().flat_map(|part| &part.depends))
    }

    /// Returns true if a bug in Briefing interrupted the answer. Then not all facts that it depends on are known.
    pub fn is_broken(&self) -> bool {
        self.answer.warnings.iter().any(|warning| warning.code == Warning::INTERNAL_ERROR)
    }

    /// Returns a copy without the texts of messages that contain a file for which `may_tell` returns false, or `None`
    /// if there is no such file. A sentence replaces the text of each such message.
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

    /// Iterates over the URLs whose texts are, or would be, part of the answer.
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
