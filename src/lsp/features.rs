//! LSP features: thin handlers that convert the plain data of `report` to LSP types.

pub(crate) mod actions;
mod chosen;
pub(crate) mod completion;
pub(crate) mod diagnostics;
mod hover;
mod navigation;
mod notes;
pub(crate) mod plans;
mod rename;
mod symbols;
