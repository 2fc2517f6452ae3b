//! Agents that a client defines: those that a session starts with, and those that other agents start.

use std::path::PathBuf;

/// An agent that a client defines at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Name of the agent.
    pub name: String,
    /// What starts the agent.
    pub usage: Usage,
    /// File that describes the agent; `None` if it is built in or comes from settings.
    pub from: Option<PathBuf>,
    /// Model that the agent is configured to use.
    pub model: Option<String>,
    /// Tools of the agent, in the client's notation.
    pub tools: Option<String>,
}

impl Agent {
    /// Creates an agent of which nothing else is known.
    pub fn named(name: &str, usage: Usage) -> Agent {
        Agent { name: name.to_owned(), usage, from: None, model: None, tools: None }
    }
}

/// What starts an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// A session starts with it.
    Primary,
    /// Another agent starts it.
    Subagent,
    /// A session or another agent starts it.
    All,
    /// The client starts it for internal work, such as titles.
    Hidden,
}

impl Usage {
    /// Returns the word for this value, as on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Usage::Primary => "primary",
            Usage::Subagent => "subagent",
            Usage::All => "all",
            Usage::Hidden => "hidden",
        }
    }
}
