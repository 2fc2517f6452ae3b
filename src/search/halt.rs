//! Why a search ends before it has a value: a fact is missing, or the client refuses to start.

use std::path::PathBuf;

/// The end of a search without a value. It passes through any number of functions by `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The snapshot has not been told a fact yet. Never to be taken for "absent".
    Pending,
    /// The client would not start.
    Refused(Refusal),
}

/// Why a client does not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The file that stops it.
    pub path: PathBuf,
    /// What is wrong there, and what to do.
    pub message: String,
}

impl Refusal {
    /// Creates a refusal because of the file at `path`.
    pub fn new(path: impl Into<PathBuf>, message: impl Into<String>) -> Refusal {
        Refusal { path: path.into(), message: message.into() }
    }
}

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Halt {
        Halt::Refused(refusal)
    }
}

impl Halt {
    /// Returns the end of a search because the client stops at the file at `path`.
    pub fn refused(path: impl Into<PathBuf>, message: impl Into<String>) -> Halt {
        Halt::Refused(Refusal::new(path, message))
    }
}
