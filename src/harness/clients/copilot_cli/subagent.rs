//! Sub-agents begin without instructions, except the general-purpose one.

use crate::answer::{Answer, Certain, Fate, SessionKind, Standpoint, Trigger, Warning};

/// Kind of sub-agent that begins with the same texts as a session (Copilot CLI 1.0.102).
const GENERAL: &str = "general-purpose";
/// Removes the texts of the start if a sub-agent does not get them.
pub(super) fn leaves_out(at: &Standpoint, answer: &mut Answer) {
    if at.session != SessionKind::Subagent {
        return;
    }
    let kind = at.agent.as_deref();
    if kind == Some(GENERAL) {
        return;
    }
    answer.messages.clear();
    let reason = format!("a sub-agent of the kind {} begins without instructions", kind.unwrap_or("task"));
    for source in answer.sources.iter_mut().filter(|source| source.trigger == Trigger::Session) {
        source.message = None;
        source.part = None;
        if source.fate.reaches() {
            source.kept.clear();
            source.fate = Fate::Excluded;
            source.reason.clone_from(&reason);
        }
    }
    if kind.is_none() {
        let message =
            format!("only sub-agents of the kind {GENERAL} begin with instructions; name the kind with --agent");
        answer.warnings.push(Warning::general("kind-of-sub-agent", message.clone()));
        answer.doubt(&[Certain::Set], message);
    }
}
