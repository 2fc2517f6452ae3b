//! Changes on the disk, and the answers that they may affect.

use std::path::{Path, PathBuf};

use super::{Ask, Entry, Fact, FileType};

/// A change on the disk, in an editor or in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The path was created, removed, moved, or changed in an unknown way.
    Path(PathBuf),
    /// The content of an existing file changed. Its directory has the same entries as before.
    Content(PathBuf),
    /// Events were lost; everything may have changed.
    Everything,
}

impl Change {
    /// Returns the path of the change, if it has one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Change::Path(path) | Change::Content(path) => Some(path),
            Change::Everything => None,
        }
    }
}

/// Returns true if `change` may change the answer to `ask`, which depends on the path `rest`. `fact` is the current
/// answer, if known.
pub fn may_change(change: &Change, ask: &Ask, rest: &Path, fact: Option<&Fact>) -> bool {
    match change {
        Change::Everything => true,
        Change::Content(path) => rest == path && rests_on_bytes(ask),
        Change::Path(path) if rest.starts_with(path) => true,
        Change::Path(path) => path.strip_prefix(rest).is_ok_and(|below| rests_on_entry(ask, below, fact)),
    }
}

/// Returns true if the answer may change when the content of a file changes.
fn rests_on_bytes(ask: &Ask) -> bool {
    match ask {
        Ask::Kind(_) | Ask::LinkKind(_) | Ask::Content(_) | Ask::Git(_) | Ask::Rows { .. } => true,
        Ask::Remote(_) => true,
        Ask::Real(_) | Ask::Target(_) | Ask::Listing(_) | Ask::Glob { .. } => false,
    }
}

/// Returns true if a change at the path `below`, relative to a directory that the answer depends on, may change the
/// answer.
fn rests_on_entry(ask: &Ask, below: &Path, fact: Option<&Fact>) -> bool {
    match ask {
        Ask::Glob { .. } => true,
        Ask::Listing(_) => {
            let mut names = below.iter();
            let (name, deeper) = (names.next().unwrap_or_default(), names.next().is_some());
            match fact {
                // Changes deeper down do not affect the listing, unless the entry that leads there is not listed yet.
                Some(Fact::Listing(Ok(entries))) if deeper => {
                    let leads_on = |entry: &Entry| matches!(entry.kind, FileType::Dir | FileType::Link);
                    !entries.iter().any(|entry| entry.name == name && leads_on(entry))
                }
                _ => true,
            }
        }
        Ask::Kind(_) | Ask::LinkKind(_) | Ask::Real(_) | Ask::Target(_) => false,
        Ask::Content(_) | Ask::Git(_) | Ask::Rows { .. } | Ask::Remote(_) => false,
    }
}
