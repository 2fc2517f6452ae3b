//! Errors of the engine, which each door reports in its own way.

use std::fmt;

/// Reason why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Kind of error.
    pub kind: Kind,
    /// Message for people.
    pub message: String,
}

/// Kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The question is wrong, or names something that is not there.
    Invalid,
    /// The question is right, but cannot be answered.
    Failed,
    /// The file was edited while it was looked at; the editor asks again.
    Modified,
}

impl Error {
    /// Creates the error of a question that is wrong.
    pub fn invalid(message: impl Into<String>) -> Error {
        Error { kind: Kind::Invalid, message: message.into() }
    }

    /// Creates the error of a question that cannot be answered.
    pub fn failed(message: impl Into<String>) -> Error {
        Error { kind: Kind::Failed, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl From<Error> for String {
    fn from(error: Error) -> String {
        error.message
    }
}
