//! Harnesses that users declare themselves, in a `briefing.toml` or in the settings.
#![doc = include_str!("../../docs/custom-agents.md")]

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::Edition;

// What a declaration may say, key by key.
mod choices;
mod definition;
mod files;
mod instruction_config;
mod limit;
mod template;
mod values;

// From a declaration to a harness.
mod check;
mod declare;
mod describe;
mod instructions;
pub mod shipped;

// From a harness to an answer: `look` follows the sources (`find`), and `compose` puts together what they gave.
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

/// The name of the file in which a workspace declares harnesses.
pub const FILE_NAME: &str = "briefing.toml";

/// A harness that the user declared.
pub struct Custom {
    /// Its id.
    pub id: String,
    /// The file that declares it; `None`: the settings.
    pub path: Option<PathBuf>,
    /// Its name, for people.
    pub title: String,
    /// What it reads, in a sentence.
    pub summary: String,
    /// What people compare harnesses by, in the order of [`super::Details::TITLES`].
    pub details: Vec<String>,
    /// Its rules.
    pub edition: Arc<dyn Edition>,
    /// Two definitions of the same id have different ones.
    pub fingerprint: u64,
    /// The names of its instruction files, as glob patterns on path endings.
    pub instruction_names: Vec<String>,
}

/// What a project declares: agents of its own, which agents it is for, and what is wrong with the rest.
#[derive(Clone, Default)]
pub struct Customs {
    /// The `briefing.toml`.
    pub path: Option<PathBuf>,
    /// The agents that the project is for, as `id` or `id@version`: its key `agents`. Empty: it names none.
    pub agents: Vec<String>,
    /// Those that can be asked, in the order of their declaration.
    pub harnesses: Vec<Arc<Custom>>,
    /// Why others cannot.
    pub problems: Vec<Problem>,
}

/// What is wrong with a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The harness it concerns; `None`: the whole file.
    pub harness: Option<String>,
    /// The file, or `None` for the settings.
    pub path: Option<PathBuf>,
    /// Line and column, both from one.
    pub position: Option<(usize, usize)>,
    /// The same in bytes of the file.
    pub range: Range<usize>,
    /// What is wrong, and what to do.
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
    /// The custom harness of that id.
    pub fn harness(&self, id: &str) -> Option<&Arc<Custom>> {
        self.harnesses.iter().find(|custom| custom.id == id)
    }

    /// Why the harness of that id cannot be asked.
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
