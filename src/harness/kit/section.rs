//! Builder for a message of whole files and texts around them, one after the other.

use std::ops::Range;
use std::path::Path;

use crate::answer::{Answer, Fate, Message, Role, Scope, Source, Text, Trigger};
use crate::snapshot::Content;

/// Builder for a message.
pub(in crate::harness) struct Section {
    trigger: Trigger,
    role: Role,
    parts: Vec<Text>,
    sources: Vec<Source>,
}

impl Section {
    /// Creates an empty section.
    pub fn new(trigger: Trigger, role: Role) -> Section {
        Section { trigger, role, parts: Vec::new(), sources: Vec::new() }
    }

    /// Returns true if the section has no parts.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds a text that comes from no file.
    pub fn words(&mut self, text: impl Into<Text>) {
        self.parts.push(text.into());
    }

    /// Adds a range of a file's text, formatted by `show`.
    pub fn file(&mut self, file: Given<'_>, show: impl FnOnce(Text) -> Text) {
        let Given { path, raw, range, scope, reason } = file;
        let decoded = raw.text();
        let shown = Text::of(raw, &decoded).slice(range.clone());
        let kept = if range.is_empty() { Vec::new() } else { raw.raw_ranges(&[range]) };
        let (part, trigger) = (Some(self.parts.len()), self.trigger);
        let source = Source { size: Some(raw.size()), ..Source::new(path, scope, Fate::Loaded, reason) };
        self.sources.push(Source { kept, part, trigger, message: Some(0), ..source });
        self.parts.push(show(shown));
    }

    /// Returns the source of the last file, for further remarks such as that it was cut.
    pub fn last(&mut self) -> Option<&mut Source> {
        self.sources.last_mut()
    }

    /// Appends the section to the answer. A section without parts becomes no message.
    pub fn finish(self, separator: &str, answer: &mut Answer) {
        let message = answer.messages.len();
        answer.sources.extend(self.sources.into_iter().map(|source| Source { message: Some(message), ..source }));
        if !self.parts.is_empty() {
            answer.messages.push(Message::joined(self.trigger, self.role, self.parts, separator));
        }
    }
}

/// A file, and the range of its text that is sent.
pub(in crate::harness) struct Given<'f> {
    pub path: &'f Path,
    pub raw: &'f Content,
    /// Range in the decoded text, including a byte order mark.
    pub range: Range<usize>,
    pub scope: Scope,
    pub reason: &'f str,
}

/// Returns the range of the text after a byte order mark.
pub(in crate::harness) fn behind_mark(text: &str) -> Range<usize> {
    text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len()..text.len()
}
