//! Sets keys of settings files in the copy, so that a client asks the mock model.

use std::ops::Range;
use std::path::Path;

use serde_json::Value;

use crate::formats::{Node, parse_json5, parse_jsonc, parse_yaml};

/// Returns a settings file with other values at top-level keys. The ending of its name says in which format it is. A text that
/// cannot be parsed is left unchanged: the client shall say what follows.
pub fn set(path: &Path, bytes: &[u8], keys: &[(&str, Value)]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(bytes) else { return bytes.to_vec() };
    let set = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => in_toml(text, keys),
        Some("yaml" | "yml") => in_yaml(text, keys),
        _ => in_json(text, keys),
    };
    set.map_or_else(|| bytes.to_vec(), String::into_bytes)
}

fn in_toml(text: &str, keys: &[(&str, Value)]) -> Option<String> {
    let mut table: toml::Table = text.parse().ok()?;
    for (key, value) in keys {
        table.insert((*key).to_owned(), toml::Value::try_from(value).ok()?);
    }
    Some(table.to_string())
}

fn in_json(text: &str, keys: &[(&str, Value)]) -> Option<String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let mut text = text.to_owned();
    for (key, value) in keys {
        let bare = text.trim_start_matches('\u{feff}');
        let node = parse_jsonc(bare).or_else(|_| parse_json5(bare)).ok()?;
        let value = value.to_string();
        let offset = text.len() - bare.len();
        let inner = node.at.start + bare[node.at.clone()].find('{')? + 1;
        text = put(&text, &node, key, &format!(" {value}"), offset).unwrap_or_else(|| {
            let comma = if node.as_table().is_some_and(<[_]>::is_empty) { "" } else { "," };
            let (before, after) = text.split_at(offset + inner);
            format!("{before}{}: {value}{comma}{after}", Value::from(*key))
        });
    }
    Some(text)
}

fn in_yaml(text: &str, keys: &[(&str, Value)]) -> Option<String> {
    if text.trim_start().starts_with('{') {
        return in_json(text, keys);
    }
    let mut text = text.to_owned();
    for (key, value) in keys {
        let node = parse_yaml(&text).ok()?;
        let value = value.to_string();
        text = put(&text, &node, key, &format!(" {value}"), 0).unwrap_or_else(|| format!("{key}: {value}\n{text}"));
    }
    Some(text)
}

/// Returns where the value of a key stands, from the colon on: the position of a value of YAML is that of its first text, behind
/// dashes and other signs, or before the colon if it is left out, and ends with the indentation of the next line.
pub fn place(text: &str, value: &Node) -> Range<usize> {
    let at = value.at.clone();
    if at.is_empty() && text[at.end..].starts_with(':') {
        return at.end + 1..at.end + 1;
    }
    let start = text[..at.start].rfind(':').map_or(at.start, |colon| colon + 1);
    start..text[..at.end].trim_end().len().max(start)
}

/// Replaces the value of a key, if the table has it.
fn put(text: &str, table: &Node, key: &str, value: &str, offset: usize) -> Option<String> {
    let at = place(&text[offset..], table.get(key)?);
    Some(format!("{}{value}{}", &text[..offset + at.start], &text[offset + at.end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_set_and_the_rest_stays() {
        for (name, before, after) in [
            ("a.json", "", "{\"a\": [1]}"),
            ("a.json", "{}", "{\"a\": [1]}"),
            ("a.json", "{\"b\": 2}", "{\"a\": [1],\"b\": 2}"),
            ("a.json", "\u{feff}{\"a\": {\"x\": 2}, // c\n\"b\": 2}", "\u{feff}{\"a\": [1], // c\n\"b\": 2}"),
            ("a.json", "{b: 2}", "{\"a\": [1],b: 2}"),
            ("a.json", "{\"a\": ", "{\"a\": "),
            ("a.toml", "b = 2\n[a]\nx = 1\n", "a = [1]\nb = 2\n"),
            ("a.toml", "a = ", "a = "),
            ("a.yaml", "", "a: [1]\n"),
            ("a.yaml", "# c\nb: 2\n", "a: [1]\n# c\nb: 2\n"),
            ("a.yaml", "{\"b\": 2}", "{\"a\": [1],\"b\": 2}"),
            ("a.yaml", "a: [\n", "a: [\n"),
        ] {
            let set = set(Path::new(name), before.as_bytes(), &[("a", json!([1]))]);
            assert_eq!(String::from_utf8_lossy(&set), after, "{before}");
        }
    }

    /// What else a YAML text holds is the same value afterwards, in whatever style the replaced one was.
    #[test]
    fn a_value_of_yaml_is_replaced_in_every_style() {
        for a in [
            "a: x",
            "a:",
            "a: {x: 1}",
            "a:\n  x: 1\n  y: 2",
            "a:\n- x\n- y",
            "a: |\n  x\n  y",
            "a: 'x' # c",
            "a: x\n  y",
        ] {
            for (before, after) in [("", ""), ("b: 2\n", "\nc: 3\n"), ("b: 2\n", "\n\n# d\nc: 3")] {
                let set = set(Path::new("a.yaml"), format!("{before}{a}{after}").as_bytes(), &[("a", json!([1]))]);
                let set = String::from_utf8(set).expect("UTF-8");
                let node = parse_yaml(&set).unwrap_or_else(|error| panic!("{set}: {error:?}"));
                assert_eq!(node.get("a").and_then(Node::as_list).map(<[_]>::len), Some(1), "{set}");
                assert_eq!(node.get("b").is_some(), !before.is_empty(), "{set}");
                assert_eq!(node.get("c").is_some(), !after.is_empty(), "{set}");
            }
        }
    }
}
