//! Says resolutions as plain data: the one JSON form that all doors serve, findings, hovers and explanations.

pub mod briefing;
pub mod compare;
pub mod context;
pub mod diagnostics;
pub mod explain;
pub mod hover;
