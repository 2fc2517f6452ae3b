//! Reasons why a search ends without a value: a fact is missing, or the client refuses to start.

use std::path::PathBuf;

/// The end of a search without a value. Propagates through functions with `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A fact has not been read yet. Must not be taken for "absent".
    Pending,
    /// The client would not start.
    Refused(Refusal),
}

/// The reason why a client does not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// File that prevents the start.
    pub path: PathBuf,
    /// Text that says what is wrong there, and what to do.
    pub message: String,
}

impl Refusal {
    /// Creates a refusal caused by the file at `path`.
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
    /// Ends a search because the client stops at the file at `path`.
    pub fn refused(path: impl Into<PathBuf>, message: impl Into<String>) -> Halt {
        Halt::Refused(Refusal::new(path, message))
    }
}
