//! What happens on the disk, and which answers it may change.

use std::path::{Path, PathBuf};

use super::{Ask, Entry, Fact, FileType};

/// Something that happened on the disk, in an editor or in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Something happened to this path: it was made, removed, moved, or nobody knows what.
    Path(PathBuf),
    /// The file at this path holds other bytes. It was there before, and no entry of its directory came or went.
    Content(PathBuf),
    /// Events were lost: everything may have changed.
    Everything,
}

impl Change {
    /// Where it happened, if it happened somewhere.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Change::Path(path) | Change::Content(path) => Some(path),
            Change::Everything => None,
        }
    }
}

/// Whether `change` may change the answer to `ask`, which rests on `rest`. `fact` is that answer, if it is known.
pub fn may_change(change: &Change, ask: &Ask, rest: &Path, fact: Option<&Fact>) -> bool {
    match change {
        Change::Everything => true,
        Change::Content(path) => rest == path && rests_on_bytes(ask),
        Change::Path(path) if rest.starts_with(path) => true,
        Change::Path(path) => path.strip_prefix(rest).is_ok_and(|below| rests_on_entry(ask, below, fact)),
    }
}

/// Whether an answer may be another once a file has other bytes.
fn rests_on_bytes(ask: &Ask) -> bool {
    match ask {
        Ask::Kind(_) | Ask::LinkKind(_) | Ask::Content(_) | Ask::Git(_) | Ask::Rows { .. } => true,
        Ask::Remote(_) => true,
        Ask::Real(_) | Ask::Target(_) | Ask::Listing(_) | Ask::Glob { .. } => false,
    }
}

/// Whether something that happened `below` the directory which an answer rests on may change it.
fn rests_on_entry(ask: &Ask, below: &Path, fact: Option<&Fact>) -> bool {
    match ask {
        Ask::Glob { .. } => true,
        Ask::Listing(_) => {
            let mut names = below.iter();
            let (name, deeper) = (names.next().unwrap_or_default(), names.next().is_some());
            match fact {
                // What happens deeper changes no listing, unless the entry that leads there is not listed yet.
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
