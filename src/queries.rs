//! Briefing's own questions about the disk, each a [`crate::query::Query`].
//!
//! Asked before an agent's rules are applied: [`declarations`], [`roster`], [`installed`]. Asked about an answer:
//! [`neighbour`], [`patterns`], [`references`] with [`manifests`], [`twins`], [`ignored`].

pub mod declarations;
pub mod ignored;
pub mod installed;
pub mod manifests;
pub mod neighbour;
pub mod patterns;
pub mod references;
pub mod roster;
pub mod twins;
