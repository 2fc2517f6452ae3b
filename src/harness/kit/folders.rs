//! Folders that a client needs when it starts: those that it creates for itself, and the working directory.

use std::path::Path;

use crate::answer::{Answer, Certain};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Errno, FileType};

const RULE: &str = "a folder of the client's own, which it makes where it is missing";

/// Refuses a folder that the client cannot make, and doubts one that it may not write to.
pub(in crate::harness) fn require(folder: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
    refuse_lost(folder, search)?;
    doubt_closed(folder, search, answer)
}

/// Refuses a folder that the client cannot make.
pub(in crate::harness) fn refuse_lost(folder: &Path, search: &mut Search) -> Known<()> {
    if is_lost(folder, search)? {
        let message = format!("{} cannot be a folder, and the client stops where it has none", folder.display());
        return Err(Halt::refused(folder, message));
    }
    Ok(())
}

/// Returns true if a folder cannot be created: its path, or one above it, is not a directory or may not be entered.
pub(in crate::harness) fn is_lost(folder: &Path, search: &mut Search) -> Known<bool> {
    Ok(match search.stat(folder, RULE)? {
        Ok(meta) => meta.kind != FileType::Dir,
        Err(error) => matches!(error, Errno::NOTDIR | Errno::ACCES),
    })
}

/// Doubts the answer if the client may not write to a folder of its own, or to the place where it would create it.
/// Many clients then stop, unless everything that they write to already exists below it.
pub(in crate::harness) fn doubt_closed(folder: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
    for dir in folder.ancestors() {
        let is_closed = match search.stat(dir, RULE)? {
            Err(Errno::NOENT) => continue,
            Ok(meta) => meta.kind == FileType::Dir && !meta.writable,
            Err(error) => error == Errno::ACCES,
        };
        if is_closed {
            let reason = format!("{} may not be written to, and the client may stop there", dir.display());
            answer.doubt(&[Certain::Set], reason);
        }
        break;
    }
    Ok(())
}

/// Doubts an answer for a working directory with a backslash, which some clients take for a separator.
pub(in crate::harness) fn doubt_backslash(cwd: &Path, answer: &mut Answer) {
    if cwd.as_os_str().as_encoded_bytes().contains(&b'\\') {
        answer.doubt(&[Certain::Set], "a backslash in the path of the working directory is not followed");
    }
}
