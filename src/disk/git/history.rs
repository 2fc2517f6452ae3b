//! The two sides of a change: which commits `REV`, `A..B` and `A...B` name, and where two histories meet.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::path::Path;

use super::ids::Id;
use super::objects::Objects;
use super::refs::Refs;
use crate::disk::Filesystem;

/// The most commits that are looked at to find where two histories meet.
const MOST_COMMITS: usize = 1_000_000;

/// Which side a commit was reached from, and whether it is behind a common one.
const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const BOTH: u8 = LEFT | RIGHT;
const BEHIND: u8 = 4;

/// A change: from one state of the working tree to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The hash of the commit before it.
    pub before: String,
    /// The hash of the commit after it; `None`: the working tree as it is now.
    pub after: Option<String>,
    /// How the user named it.
    pub name: String,
}

impl Change {
    /// Finds the two sides of a change in the repository around `dir`. As in a pull request, `REV` stands for everything since
    /// the working tree left it, and `A...B` for everything in B since it left A; `A..B` compares the two themselves.
    ///
    /// # Errors
    /// If there is no such revision, or nothing that both sides come from; in words that say what to do.
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
                    // What is no commit has no history, and before the first commit there is none either.
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

/// Returns the newest commit that both come from.
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

/// Walks both histories at once, the newest commits first, until nothing is left that only one side has. `ends` are commits
/// whose parents are not there. The walk is that of `paint_down_to_common` in git 2.47.
fn merge_base(objects: &Objects, ends: &HashSet<Id>, left: &Id, right: &Id) -> Result<Option<Id>, String> {
    let mut reached: HashMap<Id, u8> = HashMap::new();
    let mut queue: BinaryHeap<(i64, Id)> = BinaryHeap::new();
    let mut common: Vec<(i64, Id)> = Vec::new();
    for (id, side) in [(left, LEFT), (right, RIGHT)] {
        *reached.entry(id.clone()).or_default() |= side;
        queue.push((objects.commit(id)?.time, id.clone()));
    }
    // Each entry of the queue that is not behind a common commit may still lead to one.
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
