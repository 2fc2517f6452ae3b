//! Merges settings.

use std::collections::{HashMap, HashSet};

use crate::formats::{Node, Value};

/// Merges `from` into `into`: tables are merged, everything else is replaced.
pub(super) fn merge(into: &mut Node, from: Node) {
    match (&mut into.value, from.value) {
        (Value::Table(entries), Value::Table(more)) => {
            // For three hundred thousand keys, an index takes tens of megabytes.
            let mut keys = HashSet::new();
            if entries.is_empty() && more.iter().all(|(key, _)| keys.insert(key.as_str())) {
                drop(keys);
                *entries = more;
            } else {
                drop(keys);
                lay_over(entries, more, merge);
            }
        }
        (_, value) => *into = Node { at: from.at, value },
    }
}

/// Sets keys like JavaScript: an existing key keeps its position.
pub(super) fn set_all(entries: &mut Vec<(String, Node)>, more: impl IntoIterator<Item = (String, Node)>) {
    lay_over(entries, more, |known, node| *known = node);
}

fn lay_over(
    entries: &mut Vec<(String, Node)>,
    more: impl IntoIterator<Item = (String, Node)>,
    lay: impl Fn(&mut Node, Node),
) {
    let mut places: HashMap<String, usize> =
        entries.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect();
    for (key, node) in more {
        match places.get(&key) {
            Some(at) => lay(&mut entries[*at].1, node),
            None => {
                places.insert(key.clone(), entries.len());
                entries.push((key, node));
            }
        }
    }
}
