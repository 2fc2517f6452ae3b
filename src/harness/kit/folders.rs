//! Folders that a client makes for itself when it starts.

use std::path::Path;

use crate::search::{Halt, Known, Search};
use crate::snapshot::{Errno, FileType};

/// Refuses a folder that the client cannot make, because it is, or lies below, something that is not a directory.
pub(in crate::harness) fn require(folder: &Path, search: &mut Search) -> Known<()> {
    match search.stat(folder, "a folder of the client's own, which it makes where it is missing")? {
        Ok(meta) if meta.kind == FileType::Dir => Ok(()),
        Ok(_) | Err(Errno::NOTDIR) => {
            let message = format!("{} cannot be a folder, and the client stops where it has none", folder.display());
            Err(Halt::refused(folder, message))
        }
        Err(_) => Ok(()),
    }
}
