//! Sub-agents begin with everything that a session begins with, except for the list of skills.

use crate::answer::{Answer, Certain, Fate, MessageKind, Purpose, SessionKind, Standpoint, Text, Warning};
use crate::harness::kit::agents::Described;

/// Built-in kinds, with the number of times that the list of skills is in their prompt (Gemini CLI 0.61).
const KINDS: [(&str, usize); 3] = [("generalist", 2), ("codebase_investigator", 0), ("cli_help", 0)];

/// Returns true for a sub-agent, whose prompt keeps every newline of the files (Gemini CLI 0.61).
pub(super) fn keeps_newlines(at: &Standpoint) -> bool {
    at.session == SessionKind::Subagent
}

/// Turns the answer for a session into that for a sub-agent; `own` is the one that answers, if a file describes it.
pub(super) fn look(at: &Standpoint, own: Option<&Described>, answer: &mut Answer) {
    if at.session != SessionKind::Subagent {
        return;
    }
    let kind = at.agent.as_deref().unwrap_or("generalist");
    let known = KINDS.iter().find(|(known, _)| *known == kind).map(|(_, times)| *times);
    let Some(times) = own.map(|own| usize::from(own.has_tool("activate_skill"))).or(known) else {
        let message = format!("no file describes the sub-agent {kind}, and Gemini CLI has none of that name");
        answer.warnings.push(Warning::general("kind-of-sub-agent", message.clone()));
        return answer.doubt(&[Certain::Set], message);
    };
    if times == 0 {
        answer.messages.retain(|message| message.kind != MessageKind::Skills);
        for source in answer.sources.iter_mut().filter(|source| source.purpose == Purpose::Skill) {
            source.message = None;
            source.part = None;
            if source.fate.reaches() {
                source.fate = Fate::Excluded;
                source.reason = format!("a sub-agent of the kind {kind} has no list of skills");
            }
        }
    }
    for message in answer.messages.iter_mut().filter(|message| message.kind == MessageKind::Skills) {
        message.text = Text::joined(&vec![message.text.clone(); times], "\n");
    }
}
