//! Why nothing more is found out: something is not told yet, or the client would not start.

use crate::answer::Refusal;
use crate::search::Untold;

/// Ends the work on an answer, through any number of functions, by `?`.
pub(super) enum Stop {
    Untold,
    Refused(Refusal),
}

/// What is found out, unless it comes to a stop.
pub(super) type Going<T> = Result<T, Stop>;

impl From<Untold> for Stop {
    fn from(Untold: Untold) -> Stop {
        Stop::Untold
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}
