//! Says a resolution as plain data: the one JSON form that all doors serve.

pub mod briefing;
