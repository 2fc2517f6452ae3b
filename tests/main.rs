//! The contents page of the tests.
#![expect(clippy::disallowed_methods, reason = "tests read case files and make scratch directories")]
#![allow(missing_docs, reason = "tests are true sentences")]

mod action;
mod actions;
mod agents;
mod audit;
mod bounds;
mod by_hand;
mod cases;
mod check;
mod cli;
mod client;
mod compare;
mod disk;
mod docs;
mod editions;
mod evidence;
mod expect;
mod findings;
mod fuzz;
mod git;
mod homes;
mod hook;
mod incremental;
mod inspect;
mod libraries;
mod mcp;
mod messages;
mod packaging;
mod place;
mod plan;
mod platforms;
mod process;
mod protocol;
mod records;
mod remote;
mod report;
mod revision;
mod secrets;
mod session;
mod switches;
mod tidy;
mod transport;
#[cfg(target_os = "linux")]
mod verify;
mod watch;
mod why;
mod world;
