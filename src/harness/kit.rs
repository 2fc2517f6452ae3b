//! Parts that implementations share: finding and reading files in ways common to several agents. Everything that
//! belongs to one agent is in that agent's room.

pub(in crate::harness) mod agents;
pub(in crate::harness) mod conventional;
pub(in crate::harness) mod folders;
pub(in crate::harness) mod front_matter;
pub(in crate::harness) mod heads;
pub(in crate::harness) mod section;
pub(in crate::harness) mod servers;
pub(in crate::harness) mod skills;
pub(in crate::harness) mod vscode;
