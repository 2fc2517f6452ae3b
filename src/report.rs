//! Says resolutions as plain data: the one JSON form that all doors serve, findings, hovers and explanations.

pub mod actions;
pub mod briefing;
pub mod case;
pub mod compare;
pub mod completion;
pub mod context;
pub mod explain;
pub mod files;
pub mod findings;
pub mod folding;
pub mod front_matter;
pub mod hints;
pub mod hover;
pub mod lens;
pub mod links;
pub mod markdown;
pub mod mentions;
mod paths;
pub mod preview;
pub mod rename;
pub mod roster;
pub mod session;
mod settings;
pub mod symbols;
mod vocabulary;
pub mod why;
pub mod words;
