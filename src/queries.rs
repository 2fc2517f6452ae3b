//! Briefing's own questions about the disk, each a [`crate::query::Query`].
//!
//! Before an agent is asked: [`declarations`], [`roster`], [`installed`]. Beside its answer: [`neighbour`], [`patterns`],
//! [`references`] with [`manifests`], [`twins`].

pub mod declarations;
pub mod installed;
pub mod manifests;
pub mod neighbour;
pub mod patterns;
pub mod references;
pub mod roster;
pub mod twins;
