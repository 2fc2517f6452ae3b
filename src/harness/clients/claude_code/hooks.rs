//! Hooks: programs named by settings, whose output the model receives. Briefing does not run them; it names them.
//!
//! Observed on 2.1.329: the output of SessionStart and UserPromptSubmit is sent as it is, the output of the others if
//! it is JSON with `additionalContext`. A sub-agent gets the output of SubagentStart instead, and a mention runs no
//! tool hooks.

use std::path::{Path, PathBuf};

use regex_lite::Regex;

use super::USUAL;
use super::layers::Layer;
use super::manner::Manner;
use crate::answer::{Answer, Certain, Message, MessageKind, Role, SessionKind, Standpoint, Tool, Trigger, Warning};
use crate::formats::Node;
use crate::text::list;

/// Events that run a hook; only those whose output the model receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    SessionStart,
    UserPromptSubmit,
    SubagentStart,
    PreToolUse,
    PostToolUse,
    PostToolBatch,
}

const EVENTS: [(&str, Event); 6] = [
    ("SessionStart", Event::SessionStart),
    ("UserPromptSubmit", Event::UserPromptSubmit),
    ("SubagentStart", Event::SubagentStart),
    ("PreToolUse", Event::PreToolUse),
    ("PostToolUse", Event::PostToolUse),
    ("PostToolBatch", Event::PostToolBatch),
];

/// A hook from the settings.
pub(super) struct Hook {
    event: Event,
    name: &'static str,
    matcher: String,
    from: PathBuf,
}

/// Returns true if `disableAllHooks` is set. Observed: the strongest layer that has the key decides.
pub(super) fn are_off(layers: &[Layer]) -> bool {
    let off = layers.iter().rev().find_map(|layer| layer.node.get("disableAllHooks")).and_then(Node::as_bool);
    off == Some(true)
}

/// Returns the hooks of all layers.
pub(super) fn of_layers(layers: &[Layer]) -> Vec<Hook> {
    if are_off(layers) {
        return Vec::new();
    }
    layers.iter().flat_map(|layer| of_node(&layer.node, &layer.from)).collect()
}

/// Returns the hooks of a settings file, or of a file in its form.
pub(super) fn of_node(node: &Node, from: &Path) -> impl Iterator<Item = Hook> {
    EVENTS.iter().flat_map(move |(name, event)| {
        let entries = node.at_path(&["hooks", name]).and_then(Node::as_list).unwrap_or_default();
        let runs = |entry: &&Node| entry.get("hooks").and_then(Node::as_list).is_some_and(|hooks| !hooks.is_empty());
        entries.iter().filter(runs).map(move |entry| {
            let matcher = entry.get("matcher").and_then(Node::as_text).unwrap_or_default().to_owned();
            Hook { event: *event, name, matcher, from: from.to_owned() }
        })
    })
}

impl Hook {
    /// Returns true if the hook runs for the question; `agent` is the kind of the sub-agent.
    fn runs(&self, at: &Standpoint, agent: &str) -> bool {
        let is_subagent = at.session == SessionKind::Subagent;
        let tool = at.target.as_ref().and_then(|_| tool(at.tool));
        match self.event {
            Event::SessionStart => !is_subagent && self.takes("startup"),
            Event::UserPromptSubmit => !is_subagent,
            Event::SubagentStart => is_subagent && self.takes(agent),
            Event::PreToolUse | Event::PostToolUse => tool.is_some_and(|tool| self.takes(tool)),
            Event::PostToolBatch => tool.is_some(),
        }
    }

    /// Returns true if the matcher accepts the word: plain words separated by `|` are compared, anything else is a
    /// regular expression.
    fn takes(&self, word: &str) -> bool {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '|');
        match self.matcher.as_str() {
            "" | "*" => true,
            matcher if matcher.chars().all(is_plain) => matcher.split('|').any(|plain| plain == word),
            // Look-around is not supported here, so such a matcher may accept any word.
            matcher => Regex::new(matcher).map_or(true, |matcher| matcher.is_match(word)),
        }
    }

    fn is_of_the_start(&self) -> bool {
        matches!(self.event, Event::SessionStart | Event::UserPromptSubmit | Event::SubagentStart)
    }
}

/// Returns the name of a tool in hooks.
fn tool(tool: Tool) -> Option<&'static str> {
    match tool {
        Tool::Read => Some("Read"),
        Tool::Edit => Some("Edit"),
        Tool::Write => Some("Write"),
        Tool::Shell => Some("Bash"),
        Tool::Mention => None,
    }
}

/// Names the hooks that run for the question, in messages of their own and in one warning per settings file.
pub(super) fn name(hooks: &[Hook], at: &Standpoint, manner: Manner, answer: &mut Answer) {
    let agent = at.agent.as_deref().unwrap_or(USUAL);
    let mut running: Vec<&Hook> = hooks.iter().filter(|hook| hook.runs(at, agent)).collect();
    running.dedup_by_key(|hook| (hook.event, &hook.from));
    let role = if manner == Manner::Answers { Role::User } else { Role::System };
    for hook in &running {
        let trigger = if hook.is_of_the_start() { Trigger::Session } else { Trigger::Read };
        let name = format!("{} hooks of {}", hook.name, hook.from.display());
        answer.messages.push(Message { trigger, ..Message::named(role, MessageKind::Reminder, name) });
    }
    let mut files: Vec<&PathBuf> = running.iter().map(|hook| &hook.from).collect();
    files.dedup();
    for file in files {
        let events: Vec<&str> = running.iter().filter(|hook| hook.from == *file).map(|hook| hook.name).collect();
        let message = format!(
            "{}: the model is also told what the {} hooks print; Briefing does not run them",
            file.display(),
            list(&events)
        );
        answer.warnings.push(Warning::at("hooks", file, message));
    }
    // Observed: after the output of a PreToolUse hook, nothing more is put into the tool's own result.
    let moves = |hook: &&&Hook| hook.event == Event::PreToolUse && manner != Manner::System;
    if let Some(hook) = running.iter().find(moves) {
        let reason = format!(
            "where this model is told nested files depends on what the PreToolUse hook of {} prints",
            hook.from.display()
        );
        answer.doubt(&[Certain::Text], reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matcher_that_is_not_understood_may_take_any_word() {
        for (matcher, takes) in
            [("", true), ("Read|Bash", true), ("Bash", false), ("^R.*", true), ("^B.*", false), ("^(?!Bash).*", true)]
        {
            let hook = Hook {
                event: Event::PreToolUse,
                name: "PreToolUse",
                matcher: matcher.to_owned(),
                from: PathBuf::new(),
            };
            assert_eq!(hook.takes("Read"), takes, "{matcher}");
        }
    }
}
