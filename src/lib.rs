//! Briefing shows exactly what a coding agent is told before it touches a file.
pub mod answer;
pub mod cli;
pub mod disk;
pub mod formats;
pub mod harness;
pub mod index;
pub mod report;
pub mod request;
pub mod resolve;
pub mod search;
pub mod server;
pub mod snapshot;
pub mod text;
