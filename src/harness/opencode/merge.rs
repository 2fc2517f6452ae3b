//! How settings are laid over each other.

use std::collections::HashMap;

use crate::formats::{Node, Value};

/// Tables merge, everything else replaces.
pub(super) fn merge(into: &mut Node, from: Node) {
    match (&mut into.value, from.value) {
        (Value::Table(entries), Value::Table(more)) => {
            let mut places: HashMap<String, usize> =
                entries.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect();
            for (key, node) in more {
                match places.get(&key) {
                    Some(at) => merge(&mut entries[*at].1, node),
                    None => {
                        places.insert(key.clone(), entries.len());
                        entries.push((key, node));
                    }
                }
            }
        }
        (_, value) => *into = Node { at: from.at, value },
    }
}
