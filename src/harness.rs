//! The rules of every agent that loads instruction files.
//!
//! Read [`edition`] first: it holds the trait and the types that an implementation needs, and names no implementation.
//! [`kit`] holds what implementations share, [`clients`] has one room per agent, [`custom`] reads definitions of the
//! user's own, and [`registry`] lists them all. Settings, `--harness`, `briefing harnesses`, the installed versions
//! that are looked up and the file names worth watching all derive from that list.

pub mod choice;
pub mod clients;
pub mod custom;
pub mod edition;
pub mod evidence;
pub mod history;
pub mod keys;
pub mod kit;
pub mod names;
pub mod overrides;
pub mod registry;
pub mod switches;

pub use choice::{Choice, Chosen, EditionRef, choose, newest};
pub use edition::*;
pub use evidence::Evidence;
pub use history::{Change, Replays, Version};
pub use registry::{ALL, profile};
pub use switches::Switches;
