//! Briefing shows exactly what a coding agent is told before it touches a file: which instruction files each harness
//! loads, in what order, cut where, and the exact text.
//!
//! This page is the map. Read it first, then the rooms in the order below.
//!
//! # The idea
//!
//! 1. The core answers one pure question, [`resolve::resolve`]`(facts, choice, standpoint)`. It opens no file, knows no
//!    JSON and no LSP type, and cannot fail: problems are part of the answer.
//! 2. A [`search::Search`] remembers every path it asked about, present or absent. That one record is the *explanation*
//!    ("why is my file not loaded?"), the *dependency list* of a remembered answer, and the *list of what to read next*.
//! 3. The [`snapshot::Snapshot`] has three answers for a question: a fact, absent, or *not told yet*. The shell reads
//!    exactly what is untold and asks again, so a first answer needs no scan of the workspace.
//! 4. The [`index::Index`] remembers answers and forgets precisely those a change could touch. What many answers share, such
//!    as a folder of rules, is a [`search::Part`] and remembered by itself.
//! 5. Every file a harness considered is in the answer, with a [`answer::Fate`].
//! 6. What many harnesses send of one file is held once: an [`answer::Text`] is made of parts of files and of words around
//!    them, and joined only when somebody reads it.
//!
//! # The rooms
//!
//! | room | what it holds |
//! |---|---|
//! | [`text`] | sizes and safe cuts, in the units that harnesses count |
//! | [`paths`] | paths as text: made absolute, made relative |
//! | [`glob`] | each harness's own glob semantics: what a pattern finds, in which order |
//! | [`formats`] | TOML, JSONC, JSON5: settings formats as values with spans |
//! | [`snapshot`] | questions about the disk, facts, errnos |
//! | [`search`] | the verbs by which a harness looks; each remembers what it asked |
//! | [`query`] | what the index keeps: typed questions, and any question as a key |
//! | [`answer`] | what an answer consists of, and the standpoint it holds for |
//! | [`harness`] | what a profile and an edition are, and which is meant; one room per agent; those that users declare |
//! | [`resolve`] | one question, one answer |
//! | [`queries`] | Briefing's own questions: what is installed, used, declared, and what rules and prose name |
//! | [`session`] | a session as it unfolds, question by question |
//! | [`index`] | remembers answers; forgets exactly |
//! | [`report`] | says answers as plain data: JSON, findings and what can be done about them, hovers, explanations |
//! | [`request`] | a question as it comes in from any door |
//! | | *above: pure; below: the outside world* |
//! | [`disk`] | reads, lays buffers over, and watches; the only room that opens files |
//! | [`records`] | reads what the clients themselves recorded of their sessions, on request; the only room that opens those files |
//! | [`remote`] | fetches the URLs that instructions name; the only room that uses the network, when the user says so |
//! | [`verify`] | asks the user's own client, on a copy and without a network; the only room that starts programs, when the user says so |
//! | [`engine`] | answers questions for every door: the state of a workspace, settings, check, why, watch |
//! | `tasks` | runs the synchronous engine for doors that wait: requests on threads, work in the background |
//! | [`lsp`] | the door for editors: the LSP service and its transport |
//! | [`mcp`] | the door for agents, over MCP |
//! | [`cli`] | the same answers on a terminal |
//!
//! A room names only rooms above it, and `disk` and `remote` only `snapshot` and what stands before it; `tests/tidy.rs` keeps that true.
//!
//! # One request
//!
//! ```text
//! editor ─ briefing/effectiveInstructions {textDocument, harness?, cwd?}
//!   ▼ lsp/transport      frames in arrival order; each call is polled once, inline; a thread reads and one writes
//!   ▼ lsp/handlers       from the wire → a thread (tasks) → ask (engine/answers) → say → to the wire
//!   ▼ index              remembered? → the same answer again        else ▼
//!   ▼ resolve            edition.look(standpoint, search) → messages, sources with fates, everything asked
//!   ▼ untold facts?      disk arms its watches, observes exactly those → index.learn → ask again
//!   ▼ report             plain data in byte ranges
//!   ▼ lsp/view           bytes → positions in the negotiated encoding
//!
//! didChange ─► disk/buffers ─► index.forget ─► diagnostics          notify ─► index.forget ─► the same line
//!                                              ╰─► once it is quiet: briefing/didChangeInstructions
//! ```
//!
//! Diagnostics are remembered by file (`engine/memory`) until the index forgets a fact that they rest on.
//!
//! Watched are the directories that answers rest on, those that hold instruction files, and new ones. Elsewhere the client tells
//! of files with the names that agents know; one that does not has its folders looked through again when somebody asks for all.
//!
//! In its first 50 ms a server only notes what is to be watched; then it arms all of it, looks at every fact once more, and
//! forgets those that are others.
//!
//! # Invariants
//!
//! - The core never does IO, and resolving cannot fail.
//! - LSP types are for the doors, byte ranges for everything else. Only the doors wait: the engine is ordinary functions, and a
//!   request that nobody waits for ends at its next question (`engine/wanted`).
//! - Every considered path is in the answer; unknown is never absent.
//! - Remembered equals fresh: `tests/incremental.rs` compares them after random changes.
//! - Every number about a harness carries a unit, and the version of the client it was checked on.
//! - Briefing never writes to the workspace, runs no other program but when [`verify`] is asked to, and fetches nothing without
//!   the user's say.

pub mod answer;
pub mod cli;
pub mod disk;
pub mod engine;
pub mod formats;
pub mod glob;
pub mod harness;
pub mod index;
pub mod lsp;
pub mod mcp;
pub mod paths;
pub mod queries;
pub mod query;
pub mod records;
pub mod remote;
pub mod report;
pub mod request;
pub mod resolve;
pub mod search;
pub mod session;
pub mod snapshot;
mod tasks;
pub mod text;
pub mod verify;
