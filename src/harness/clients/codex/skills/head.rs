//! The front matter of a SKILL.md as Codex 0.169 parses it, including its second attempt.

use crate::formats::{Node, Value, parse_rust_yaml_in_part};
use crate::harness::kit::heads;
use crate::harness::kit::skills::as_written;

/// Front matter of a SKILL.md.
#[derive(Default)]
pub(super) struct Head {
    pub name: Option<String>,
    pub description: Option<String>,
}

impl Head {
    /// Parses the front matter of a file; `None` if it has none that can be parsed.
    pub fn of_file(text: &str, second_chance: bool) -> Option<Head> {
        let (head, _) = heads::codex(text)?;
        Head::of(head).or_else(|| second_chance.then(|| Head::of(&quoted(head)))?)
    }

    /// Parses front matter; `None` if it is not YAML, or has a list or a table in place of a text. Numbers keep their
    /// digits.
    fn of(head: &str) -> Option<Head> {
        let node = parse_rust_yaml_in_part(head).ok()?;
        // No known key may occur twice.
        if ["name", "description", "metadata"].iter().any(|key| times(&node, key) > 1) {
            return None;
        }
        let text = |key: &str| match node.get(key).map(|node| &node.value) {
            None | Some(Value::Null) => Some(None),
            Some(Value::Text(text) | Value::Date(text)) => Some(Some(text.clone())),
            Some(Value::Bool(_) | Value::Integer(_) | Value::Float(_)) => {
                let written = as_written(head, key)?;
                Some(Some(written.split(" #").next().unwrap_or_default().to_owned()))
            }
            Some(Value::List(_) | Value::Table(_)) => None,
        };
        let has_metadata = node.get("metadata").is_none_or(is_metadata);
        has_metadata.then_some(Head { name: text("name")?, description: text("description")? })
    }
}

/// Returns true for a table whose one known key, if present, has a scalar value, and for no value at all.
fn is_metadata(node: &Node) -> bool {
    let is_table = matches!(node.value, Value::Null | Value::Table(_));
    is_table && times(node, "short-description") < 2 && node.get("short-description").is_none_or(is_scalar)
}

/// Counts how often a key occurs in a table.
pub(super) fn times(node: &Node, key: &str) -> usize {
    node.as_table().map_or(0, |entries| entries.iter().filter(|(name, _)| name == key).count())
}

/// Returns true for anything but a list or a table.
pub(super) fn is_scalar(node: &Node) -> bool {
    !matches!(node.value, Value::List(_) | Value::Table(_))
}

/// Quotes the values that are meant as texts but are not valid YAML. Multi-line texts are left alone.
fn quoted(head: &str) -> String {
    let mut block: Option<usize> = None;
    let mut lines = Vec::new();
    for line in head.lines() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if block.is_some_and(|of_key| indent > of_key || line.trim().is_empty()) {
            lines.push(line.to_owned());
            continue;
        }
        let value = line.split_once(':').map(|(key, value)| (key, without_comment(value.trim())));
        block = value.filter(|(_, value)| value.starts_with(['|', '>'])).map(|_| indent);
        lines.push(match value {
            Some((key, value)) if is_meant_as_text(value) => format!("{key}: '{}'", value.replace('\'', "''")),
            Some(_) | None => line.to_owned(),
        });
    }
    lines.join("\n")
}

fn without_comment(value: &str) -> &str {
    let end = value.find(" #").into_iter().chain(value.find("\t#")).min();
    value[..end.unwrap_or(value.len())].trim_end()
}

fn is_meant_as_text(value: &str) -> bool {
    if value.starts_with(['"', '\'', '|', '>', '#']) {
        return false;
    }
    let is_open = || value.starts_with(['[', '{']) && parse_rust_yaml_in_part(value).is_err();
    value.contains(": ") || value.contains(":\t") || value.starts_with(['@', '`']) || is_open()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_no_yaml_are_taken_as_people_mean_them() {
        for (value, read) in [
            ("Plain.", Some("Plain.")),
            ("Use when: a colon", Some("Use when: a colon")),
            ("it's: x", Some("it's: x")),
            ("{x: y}", Some("{x: y}")),
            ("{x: y", Some("{x: y")),
            ("[open", Some("[open")),
            ("[a] [b]", Some("[a] [b]")),
            ("@at", Some("@at")),
            ("`tick`", Some("`tick`")),
            ("1.50 # a number", Some("1.50")),
            ("a: b # c", Some("a: b")),
            ("1e3", Some("1e3")),
            ("true", Some("true")),
            ("~", None),
            ("[a, b]", None),
            ("*star", None),
            ("- a", None),
            ("| a: b", None),
        ] {
            let text = format!("---\nname: a\ndescription: {value}\n---\n");
            let head = Head::of_file(&text, true).unwrap_or_default();
            assert_eq!(head.description.as_deref(), read, "{value}");
        }
    }
}
