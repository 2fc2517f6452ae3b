//! Settings as layers of tables, lowest first.

use std::path::Path;

use crate::formats::{self, Node, Value};

/// Source shown for `-c` settings.
pub(super) const ARGUMENTS: &str = "-c";

/// Settings tables, each with its file, lowest first. Tables are merged and other values replaced, so a value is the
/// one in the highest layer that has its path.
#[derive(Clone, Default)]
pub(super) struct Layers(pub Vec<(String, Node)>);

impl Layers {
    /// Returns the value at a path of keys, and the layer that set it.
    pub fn value(&self, path: &[&str]) -> Option<(&Node, &str)> {
        self.0.iter().rev().find_map(|(from, table)| Some((table.at_path(path)?, from.as_str())))
    }

    /// Returns the index of the highest layer that sets the value at a path.
    pub fn height(&self, path: &[&str]) -> Option<usize> {
        self.0.iter().rposition(|(_, table)| table.at_path(path).is_some())
    }

    /// Returns the keys of the table at a path in any layer, sorted.
    pub fn names(&self, path: &[&str]) -> Vec<&str> {
        let tables = self.0.iter().filter_map(|(_, table)| table.at_path(path)?.as_table());
        let mut names: Vec<&str> = tables.flatten().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    pub fn extend(&mut self, from: &Path, table: Option<Node>) {
        self.0.extend(table.map(|table| (from.display().to_string(), table)));
    }
}

/// Parses `-c key.path=value` options into one table, later ones over earlier ones; a value that is not TOML is a
/// string.
pub(super) fn arguments(options: &[&str]) -> Result<Node, String> {
    let mut table = Value::Table(Vec::new());
    for option in options {
        let Some((key, value)) = option.split_once('=') else {
            return Err(format!("Invalid override (missing '='): {option}"));
        };
        let key = key.trim();
        if key.is_empty() {
            return Err(format!("Empty key in override: {option}"));
        }
        // Parsed as a line of its own, so that comments, multi-line tables and trailing text are handled as in Codex.
        let value = match formats::parse_toml(&format!("value = {}", value.trim())) {
            Ok(line) => line.get("value").map_or(Value::Null, |node| node.value.clone()),
            Err(_) => Value::Text(value.trim().trim_matches(['"', '\'']).to_owned()),
        };
        put(&mut table, &key.split('.').collect::<Vec<_>>(), value);
    }
    Ok(Node { at: 0..0, value: table })
}

fn put(table: &mut Value, path: &[&str], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *table = value;
        return;
    };
    if !matches!(table, Value::Table(_)) {
        *table = Value::Table(Vec::new());
    }
    let Value::Table(entries) = table else { unreachable!("made a table just above") };
    let index = entries.iter().position(|(key, _)| key == first).unwrap_or_else(|| {
        entries.push(((*first).to_owned(), Node { at: 0..0, value: Value::Table(Vec::new()) }));
        entries.len() - 1
    });
    put(&mut entries[index].1.value, rest, value);
}
