//! What profiles share: how files are found and read that several harnesses treat alike, and what is asked about all of
//! them. Everything that is one harness's own is in that harness's file.

pub(in crate::harness) mod conventional;
pub mod evidence;
pub(in crate::harness) mod front_matter;
pub(in crate::harness) mod heads;
pub mod installed;
pub mod keys;
pub mod manifests;
pub mod names;
pub mod neighbour;
pub mod patterns;
pub mod references;
pub(in crate::harness) mod section;
pub(in crate::harness) mod skills;
pub(in crate::harness) mod vscode;
