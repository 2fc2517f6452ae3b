//! The kind of messages that a model takes within the conversation.

use super::Edition21;
use crate::answer::{SessionKind, Standpoint};

/// Kind of message in which the model receives texts within the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// In system messages within the conversation.
    System,
    /// In system messages within the conversation, each text in a block of its own.
    Blocks,
    /// Not in system messages: texts that a tool brings follow its result.
    Answers,
}

/// Models that take no system message within the conversation. Each name was checked on Claude Code 2.1.300 and
/// 2.1.330.
const OF_ANSWERS: [&str; 9] = [
    "claude-3",
    "sonnet-4-0",
    "sonnet-4-2",
    "sonnet-4-5",
    "sonnet-4-6",
    "opus-4-5",
    "opus-4-6",
    "opus-4-7",
    "haiku-4-5",
];

/// Returns the manner of the question's model, or else of the model in the settings; an unknown model is treated like
/// the newest ones.
pub(super) fn manner(edition: &Edition21, at: &Standpoint, in_settings: Option<&str>) -> Manner {
    let explores = at.session == SessionKind::Subagent && at.agent.as_deref() == Some("Explore");
    if !edition.tells_by_system || edition.explores_by_haiku && explores {
        return Manner::Answers;
    }
    let model = at.model.as_deref().or(in_settings).unwrap_or_default().to_ascii_lowercase();
    if OF_ANSWERS.iter().any(|name| model.contains(name)) {
        Manner::Answers
    } else if model.contains("sonnet-5") && !model.contains("sonnet-5-5") {
        edition.sonnet_5
    } else {
        Manner::System
    }
}
