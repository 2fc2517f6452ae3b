//! The editor's features: thin halves that put the plain data of `report` into the words of LSP.

pub(super) mod actions;
pub(super) mod completion;
pub(super) mod diagnostics;
mod hover;
mod navigation;
mod notes;
mod rename;
mod symbols;
pub(super) mod view;
