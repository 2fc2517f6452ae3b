//! Ends work that nobody waits for any more.
//!
//! A door that gives a request up clears the flag of its thread. The work then ends at its next question, by unwinding: a
//! function in between cannot take the end for an answer, and so cannot cache what is incomplete. Commands end by themselves
//! instead, and say what they left out.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Payload of the unwinding that ends the work.
pub struct Cancelled;

/// Runs work on this thread that may end early once `flag` is cleared.
pub fn run<T>(flag: Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    /// Removes the flag from the thread, however the work ends.
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            FLAG.set(None);
        }
    }
    FLAG.set(Some(flag));
    let _reset = Reset;
    work()
}

/// Returns the flag that is set while somebody waits for the work of this thread.
pub(crate) fn flag() -> Arc<AtomicBool> {
    FLAG.with_borrow(Clone::clone).unwrap_or_else(|| Arc::new(AtomicBool::new(true)))
}

/// Returns true while somebody waits for the work of this thread.
pub(crate) fn is_wanted() -> bool {
    FLAG.with_borrow(|flag| flag.as_ref().is_none_or(|flag| flag.load(Ordering::Relaxed)))
}

/// Ends the work of this thread if nobody waits for it.
pub(crate) fn end_if_unwanted() {
    if !is_wanted() {
        // Not a panic: nothing is reported.
        resume_unwind(Box::new(Cancelled));
    }
}
