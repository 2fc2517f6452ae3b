//! Why nothing more is found out: something is not told yet, or the client would not start.

use std::path::Path;

use crate::answer::Refusal;
use crate::search::Pending;

/// Ends the work on an answer, through any number of functions, by `?`.
pub(super) enum Stop {
    Pending,
    Refused(Refusal),
}

/// What is found out, unless it comes to a stop.
pub(super) type Going<T> = Result<T, Stop>;

impl From<Pending> for Stop {
    fn from(Pending: Pending) -> Stop {
        Stop::Pending
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

/// What a client comes to that opens a FIFO.
pub(super) fn endless(path: &Path) -> Refusal {
    Refusal::new(path, "a FIFO: Codex waits until somebody writes into it")
}
