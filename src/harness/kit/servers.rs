//! Warns of instructions by MCP servers, which only the servers know; Briefing starts none.

use crate::answer::{Answer, Certain, Message, MessageKind, Role, Warning};
use crate::text::list;

/// Adds the configured servers as a layer of the prompt, and a warning that their instructions are not known.
pub(in crate::harness) fn doubt(names: &[&str], role: Role, answer: &mut Answer) {
    if names.is_empty() {
        return;
    }
    let (servers, names) = (if names.len() == 1 { "server" } else { "servers" }, list(names));
    answer.messages.push(Message::named(
        role,
        MessageKind::Servers,
        format!("instructions of the MCP {servers} {names}"),
    ));
    let message = format!("the MCP {servers} {names} may add instructions of their own, which only they know");
    answer.warnings.push(Warning::general("mcp-instructions", message.clone()));
    answer.doubt(&[Certain::Text], message);
}
