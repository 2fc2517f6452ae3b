//! Paths as people write them.

use std::path::Path;

use crate::answer::Standpoint;

/// A path as people at a standpoint would write it.
pub(crate) fn short(path: &Path, at: &Standpoint) -> String {
    match (path.strip_prefix(&at.cwd), path.strip_prefix(&at.home)) {
        (Ok(inside), _) if !inside.as_os_str().is_empty() => inside.display().to_string(),
        (_, Ok(inside)) if !inside.as_os_str().is_empty() => format!("~/{}", inside.display()),
        _ => path.display().to_string(),
    }
}
