//! An agent of a client: what a session starts with, or what another agent starts.

use std::path::PathBuf;

/// An agent that a client has at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Who starts it.
    pub usage: Usage,
    /// The file that describes it; `None` for one of the client's own, or of settings.
    pub from: Option<PathBuf>,
    /// The model that it is given.
    pub model: Option<String>,
    /// Its tools, in the client's words.
    pub tools: Option<String>,
}

/// Who starts an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// A session starts with it.
    Primary,
    /// Another agent starts it.
    Subagent,
    /// Both.
    All,
    /// The client itself, for work of its own such as titles.
    Hidden,
}

impl Usage {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Usage::Primary => "primary",
            Usage::Subagent => "subagent",
            Usage::All => "all",
            Usage::Hidden => "hidden",
        }
    }
}
