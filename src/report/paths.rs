//! Short forms of paths for people.

use std::path::Path;

use crate::answer::Standpoint;

/// Shortens a path: relative to the standpoint's working directory, or with `~` for the home directory.
pub(crate) fn short(path: &Path, at: &Standpoint) -> String {
    match (path.strip_prefix(&at.cwd), path.strip_prefix(&at.home)) {
        (Ok(inside), _) if !inside.as_os_str().is_empty() => inside.display().to_string(),
        (_, Ok(inside)) if !inside.as_os_str().is_empty() => format!("~/{}", inside.display()),
        _ => path.display().to_string(),
    }
}
