//! What implementations share: how files are found and read that several agents treat alike. Everything that is one agent's
//! own is in that agent's room.

pub(in crate::harness) mod conventional;
pub(in crate::harness) mod front_matter;
pub(in crate::harness) mod heads;
pub(in crate::harness) mod section;
pub(in crate::harness) mod servers;
pub(in crate::harness) mod skills;
pub(in crate::harness) mod vscode;
