//! The editor's features: thin halves that put the plain data of `report` into the words of LSP.

pub(crate) mod actions;
pub(crate) mod completion;
pub(crate) mod diagnostics;
mod hover;
mod navigation;
mod notes;
mod rename;
mod symbols;
