//! Custom agents: those that users declare in a `briefing.toml` or in the settings.
#![doc = include_str!("../../docs/custom-agents.md")]

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::Edition;

// Keys of a definition:
mod choices;
mod definition;
mod files;
mod instruction_config;
mod limit;
mod template;
mod values;

// From a definition to an agent:
mod check;
mod declare;
mod describe;
mod instructions;
pub mod shipped;

// From an agent to an answer: `look` follows the sources (`find`), and `compose` builds messages from their texts.
mod compose;
mod find;
mod finder;
mod found;
mod list;
mod look;
mod shape;
mod standpoint;

pub use super::overrides::{Overrides, kept};
pub use declare::settings_schema;
pub use definition::File;

/// Name of the file in which a workspace declares custom agents.
pub const FILE_NAME: &str = "briefing.toml";

/// Custom agent that the user declared.
pub struct Custom {
    /// Id of the agent.
    pub id: String,
    /// File that declares it; `None` for the settings.
    pub path: Option<PathBuf>,
    /// Display name.
    pub title: String,
    /// One sentence about the files that the agent reads.
    pub summary: String,
    /// Phrases by which people compare agents, in the order of [`super::Details::TITLES`].
    pub details: Vec<String>,
    /// Rules of the agent.
    pub edition: Arc<dyn Edition>,
    /// Hash that differs between two definitions of the same id.
    pub fingerprint: u64,
    /// Names of its instruction files, as glob patterns on path endings.
    pub instruction_names: Vec<String>,
}

/// Declarations of a project: custom agents, the agents that the project is for, and problems.
#[derive(Clone, Default)]
pub struct Customs {
    /// Path of the `briefing.toml`.
    pub path: Option<PathBuf>,
    /// Agents that the project is for, as `id` or `id@version` (key `agents`); empty if the file names none.
    pub agents: Vec<String>,
    /// Valid custom agents, sorted by id.
    pub harnesses: Vec<Arc<Custom>>,
    /// Problems of the other declarations.
    pub problems: Vec<Problem>,
}

/// Problem of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Id of the agent concerned; `None` for the whole file.
    pub harness: Option<String>,
    /// Path of the file; `None` for the settings.
    pub path: Option<PathBuf>,
    /// Line and column, both starting at 1.
    pub position: Option<(usize, usize)>,
    /// Range in the file, in bytes.
    pub range: Range<usize>,
    /// Message: what is wrong, and what to do.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.path, &self.harness) {
            (Some(path), _) => write!(f, "{}:", path.display())?,
            (None, Some(id)) => write!(f, "customHarnesses.{id}: ")?,
            (None, None) => write!(f, "customHarnesses: ")?,
        }
        match self.position.filter(|_| self.path.is_some()) {
            Some((line, column)) => write!(f, "{line}:{column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl Customs {
    /// Returns the custom agent with this id.
    pub fn harness(&self, id: &str) -> Option<&Arc<Custom>> {
        self.harnesses.iter().find(|custom| custom.id == id)
    }

    /// Returns the problem of the custom agent with this id.
    pub fn problem_of(&self, id: &str) -> Option<&Problem> {
        self.problems.iter().find(|problem| problem.harness.as_deref() == Some(id))
    }
}

impl std::fmt::Debug for Customs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids: BTreeMap<&str, u64> =
            self.harnesses.iter().map(|custom| (custom.id.as_str(), custom.fingerprint)).collect();
        f.debug_struct("Customs")
            .field("agents", &self.agents)
            .field("harnesses", &ids)
            .field("problems", &self.problems)
            .finish()
    }
}
