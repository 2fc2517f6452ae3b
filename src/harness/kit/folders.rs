//! Folders that a client makes for itself when it starts, and that it is started in.

use std::path::Path;

use crate::answer::{Answer, Certain};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Errno, FileType};

/// Refuses a folder that the client cannot make.
pub(in crate::harness) fn require(folder: &Path, search: &mut Search) -> Known<()> {
    if is_lost(folder, search)? {
        let message = format!("{} cannot be a folder, and the client stops where it has none", folder.display());
        return Err(Halt::refused(folder, message));
    }
    Ok(())
}

/// Returns true if a folder cannot be made, because it is, or lies below, something that is not a directory or that may
/// not be entered.
pub(in crate::harness) fn is_lost(folder: &Path, search: &mut Search) -> Known<bool> {
    Ok(match search.stat(folder, "a folder of the client's own, which it makes where it is missing")? {
        Ok(meta) => meta.kind != FileType::Dir,
        Err(error) => matches!(error, Errno::NOTDIR | Errno::ACCES),
    })
}

/// Doubts an answer for a working directory with a backslash, which some clients take for a separator.
pub(in crate::harness) fn doubt_backslash(cwd: &Path, answer: &mut Answer) {
    if cwd.as_os_str().as_encoded_bytes().contains(&b'\\') {
        answer.doubt(&[Certain::Set], "a backslash in the path of the working directory is not followed");
    }
}
