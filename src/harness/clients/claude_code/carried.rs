//! The messages that carry nested files: they depend on the version, the model and the tool.
//!
//! Observed: models before the fifth generation receive nested files after the tool result, others as user or system
//! messages. Files that are handed over (nested AGENTS.md) and files that are attached (all others) may arrive in
//! different ways.

use super::loader::Loader;
use super::manner::Manner;
use crate::answer::{Message, Role, Source, Text, Tool};

/// A file that is attached.
pub(super) struct Brought {
    pub(super) text: Text,
    pub(super) source: Source,
}

/// The AGENTS.md files that are handed over, as one text.
pub(super) struct Handed {
    pub(super) text: String,
    pub(super) sources: Vec<Source>,
}

impl Loader<'_, '_> {
    /// Returns the messages in the order in which they are sent.
    pub(super) fn carry(&self, mut handed: Option<Handed>, files: Vec<Brought>) -> Vec<(Message, Vec<Source>)> {
        let mention = self.tool == Tool::Mention;
        let answers = self.manner == Manner::Answers;
        let of_answer = if mention { Role::User } else { Role::Tool };
        let files_by = match answers {
            true => of_answer,
            false if self.edition.files_by_user => Role::User,
            false => Role::System,
        };
        let handed_by = match answers {
            true => of_answer,
            false if mention && self.edition.mentions_by_user => Role::User,
            false => Role::System,
        };
        // A separate system message needs no tag around it.
        let is_bare = |role: Role| role == Role::System && self.manner == Manner::System;
        let hook = if mention { "prompt.mention" } else { "tool.call" };
        let before = format!("{hook} hook additional context: ");
        // Handed-over and attached files share one system message, unless the user mentions the file.
        if let Some(handed) = handed.take_if(|_| !mention && is_bare(files_by) && !files.is_empty()) {
            let texts: Vec<Text> =
                std::iter::once(handed.text.into()).chain(files.iter().map(|file| file.text.clone())).collect();
            let sources = handed.sources.into_iter().chain(files.into_iter().map(|file| file.source)).collect();
            let text = Text::joined(&texts, "\n\n");
            return vec![(Message::instructions(self.trigger(), handed_by, text).between(before, ""), sources)];
        }
        let handed = handed.map(|Handed { text, sources }| {
            let message = Message::instructions(self.trigger(), handed_by, text);
            let message = match is_bare(handed_by) {
                true => message.between(before, ""),
                false => message.between(format!("<system-reminder>\n{before}"), "\n</system-reminder>"),
            };
            (message, sources)
        });
        let files: Vec<(Message, Vec<Source>)> = if is_bare(files_by) && !files.is_empty() {
            let texts: Vec<Text> = files.iter().map(|file| file.text.clone()).collect();
            let message = Message::instructions(self.trigger(), files_by, Text::joined(&texts, "\n\n"));
            vec![(message, files.into_iter().map(|file| file.source).collect())]
        } else {
            let message = |file: Brought| {
                let text = Text::framed("<system-reminder>\n", file.text, "\n</system-reminder>");
                (Message::instructions(self.trigger(), files_by, text), vec![file.source])
            };
            files.into_iter().map(message).collect()
        };
        match files_by == Role::User && handed_by == Role::System {
            true => files.into_iter().chain(handed).collect(),
            false => handed.into_iter().chain(files).collect(),
        }
    }
}
