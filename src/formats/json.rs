//! Parses JSON as `serde_json` does: strictly, with keys in the order of the file; the last of duplicate keys counts.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{FormatError, Node, Value};

/// Parses a whole file. Its values have no spans; errors have a position.
pub fn parse_rust_json(text: &str) -> Result<Node, FormatError> {
    serde_json::from_str::<Plain>(text).map(|plain| plain.0).map_err(|error| {
        let line_start = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
        let at = text.floor_char_boundary(line_start + error.column().saturating_sub(1));
        FormatError { at: at..at, message: error.to_string() }
    })
}

/// Replaces comments by spaces as npm's `strip-json-comments` 3 does: `//` to the end of the line, and `/* */`, outside
/// of strings. An unclosed comment ends at the end of the file.
pub fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['"', '/']) {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let len = match from.as_bytes() {
            [b'"', ..] => string_len(from),
            [b'/', b'/', ..] => {
                from.find('\n').map_or(from.len(), |end| end - usize::from(from[..end].ends_with('\r')))
            }
            [b'/', b'*', ..] => from[2..].find("*/").map_or(from.len(), |end| end + 4),
            _ => 1,
        };
        if from.starts_with("//") || from.starts_with("/*") {
            out.extend(from[..len].chars().map(|c| if c.is_whitespace() { c } else { ' ' }));
        } else {
            out.push_str(&from[..len]);
        }
        rest = &from[len..];
    }
    out.push_str(rest);
    out
}

/// Returns the length of the string at the start of `text`, including its quotation marks.
fn string_len(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at + 1,
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    text.len()
}

struct Plain(Node);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values).map(|value| Plain(Node { at: 0..0, value }))
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or(Value::Float(value as f64), Value::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::of_float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Plain(node)) = items.next_element()? {
            list.push(node);
        }
        // With three hundred thousand short lists, spare capacity takes a quarter of the memory.
        list.shrink_to_fit();
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut table: Vec<(String, Node)> = Vec::new();
        while let Some((key, Plain(node))) = entries.next_entry::<String, Plain>()? {
            table.push((key, node));
        }
        let mut keys = HashSet::new();
        if !table.iter().all(|(key, _)| keys.insert(key.as_str())) {
            drop(keys);
            table = last_of_equals(table);
        }
        table.shrink_to_fit();
        Ok(Value::Table(table))
    }
}

/// Keeps the last of duplicate keys, in the place of the first.
fn last_of_equals(entries: Vec<(String, Node)>) -> Vec<(String, Node)> {
    let mut table: Vec<(String, Node)> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    for (key, node) in entries {
        if let Some(&known) = index.get(&key) {
            table[known].1 = node;
        } else {
            index.insert(key.clone(), table.len());
            table.push((key, node));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_spaces_and_strings_stay() {
        for (text, stripped) in [
            ("{} // a\n{}", "{}     \n{}"),
            ("// a\r\n1", "    \r\n1"),
            ("\"//\" /* \" */ 1", "\"//\"         1"),
            ("\"a\\\"//\"/", "\"a\\\"//\"/"),
            ("1 /* open", "1        "),
        ] {
            assert_eq!(without_comments(text), stripped, "{text:?}");
        }
    }

    #[test]
    fn keys_keep_their_order_and_the_last_of_equals_counts() {
        let node = parse_rust_json("{\"b\": 1, \"a\": [null, 1.5], \"b\": \"x\"}").expect("valid");
        let keys: Vec<_> = node.as_table().expect("a table").iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["b", "a"]);
        assert_eq!(node.get("b").and_then(Node::as_text), Some("x"));
        assert_eq!(
            parse_rust_json("-0").map(|node| node.value),
            Ok(Value::Integer(0)),
            "as it is to whoever reads settings"
        );
        assert!(parse_rust_json("{\"a\": 1,}").is_err());
        assert!(parse_rust_json("\u{feff}{}").is_err());
    }
}
