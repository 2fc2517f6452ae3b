//! Resolves the two sides of a change: the commits that `REV`, `A..B` and `A...B` name, and their merge base.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::path::Path;

use super::ids::Id;
use super::objects::Objects;
use super::refs::Refs;
use crate::disk::Filesystem;

/// Maximum number of commits to visit in the search for a merge base.
const MOST_COMMITS: usize = 1_000_000;

/// Flags of a visited commit: the sides it was reached from, and whether it is an ancestor of a common commit.
const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const BOTH: u8 = LEFT | RIGHT;
const BEHIND: u8 = 4;

/// A change from one state of the working tree to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Hash of the commit before the change.
    pub before: String,
    /// Hash of the commit after the change; `None` for the current working tree.
    pub after: Option<String>,
    /// The change as the user wrote it.
    pub name: String,
}

impl Change {
    /// Finds the two sides of a change in the repository around `dir`. As in a pull request, `REV` means everything
    /// since the working tree diverged from it, and `A...B` everything in B since it diverged from A; `A..B` compares
    /// the two directly.
    ///
    /// # Errors
    /// Fails if a revision does not exist or both sides have no common ancestor. Messages say what to do.
    pub fn open(disk: &dyn Filesystem, dir: &Path, name: &str) -> Result<Change, String> {
        super::at_revision::opened(disk, dir, name, |refs, _| {
            let or_head = |side: &str| if side.is_empty() { "HEAD".to_owned() } else { side.to_owned() };
            let (before, after) = match (name.split_once("..."), name.split_once("..")) {
                (Some((from, to)), _) => {
                    let to = refs.resolve(&or_head(to))?;
                    (meeting(refs, &refs.resolve(&or_head(from))?, &to, name)?, Some(to))
                }
                (None, Some((from, to))) => (refs.resolve(&or_head(from))?, Some(refs.resolve(&or_head(to))?)),
                (None, None) => {
                    let from = refs.resolve(name)?;
                    // An object that is not a commit has no history, and neither has a repository without commits.
                    let base = match (refs.objects.is_commit(&from), refs.resolve("HEAD")) {
                        (true, Ok(head)) => meeting(refs, &from, &head, name)?,
                        _ => from,
                    };
                    (base, None)
                }
            };
            let after = after.map(|id| id.to_string());
            Ok(Change { before: before.to_string(), after, name: name.to_owned() })
        })
    }
}

/// Returns the newest common ancestor.
fn meeting(refs: &Refs, left: &Id, right: &Id, name: &str) -> Result<Id, String> {
    let (left, right) = (refs.objects.peeled(left.clone())?.0, refs.objects.peeled(right.clone())?.0);
    let found = merge_base(refs.objects, &shallow(refs), &left, &right)?;
    found.ok_or_else(|| format!("`{name}`: the two sides have no commit in common"))
}

/// Returns the commits at which a shallow clone ends.
fn shallow(refs: &Refs) -> HashSet<Id> {
    let raw = refs.fs.read(&refs.common_dir.join("shallow"));
    let text = raw.map(|raw| String::from_utf8_lossy(&raw).into_owned()).unwrap_or_default();
    text.lines().filter_map(|line| Id::from_hex(line.trim())).collect()
}

/// Walks both histories at once, newest commits first, until only common ancestors are left. `ends` are commits whose
/// parents are missing. Implements `paint_down_to_common` of git 2.47.
fn merge_base(objects: &Objects, ends: &HashSet<Id>, left: &Id, right: &Id) -> Result<Option<Id>, String> {
    let mut reached: HashMap<Id, u8> = HashMap::new();
    let mut queue: BinaryHeap<(i64, Id)> = BinaryHeap::new();
    let mut common: Vec<(i64, Id)> = Vec::new();
    for (id, side) in [(left, LEFT), (right, RIGHT)] {
        *reached.entry(id.clone()).or_default() |= side;
        queue.push((objects.commit(id)?.time, id.clone()));
    }
    // Each queue entry that is not an ancestor of a common commit may still lead to one.
    while queue.iter().any(|(_, id)| reached[id] & BEHIND == 0) {
        let Some((time, id)) = queue.pop() else { break };
        let mut flags = reached[&id];
        if flags & (BOTH | BEHIND) == BOTH {
            if common.iter().all(|(_, known)| *known != id) {
                common.push((time, id.clone()));
            }
            flags |= BEHIND;
        }
        if ends.contains(&id) {
            continue;
        }
        for parent in objects.commit(&id)?.parents {
            let known = reached.entry(parent.clone()).or_default();
            if *known & flags == flags {
                continue;
            }
            *known |= flags;
            let time = objects.commit(&parent)?.time;
            queue.push((time, parent));
            if reached.len() > MOST_COMMITS {
                return Err(format!("more than {MOST_COMMITS} commits lie between the two sides"));
            }
        }
    }
    Ok(common.into_iter().find(|(_, id)| reached[id] & BEHIND == 0).map(|(_, id)| id))
}
