//! The head of a Markdown file between `---` lines, as gray-matter reads it: first as YAML, then once more with plain
//! values that hold a colon taken as texts.

use std::borrow::Cow;

use saphyr::{LoadableYamlNode, Scalar, Yaml};

use crate::formats::{Node, Value};
use crate::text::{is_js_space, js_trim};

/// What stands in the head, and what follows it.
pub(super) struct Markdown {
    /// The values; an empty table without a head.
    pub data: Node,
    /// The text behind the head.
    pub content: String,
}

/// Parses a file; `None` when its head is no YAML in either way.
pub(super) fn parse(text: &str) -> Option<Markdown> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    split(text).or_else(|| split(&sanitized(text)))
}

fn split(text: &str) -> Option<Markdown> {
    let empty = || Node { at: 0..0, value: Value::Table(Vec::new()) };
    let plain = || Some(Markdown { data: empty(), content: text.to_owned() });
    let Some(after) = text.strip_prefix("---") else { return plain() };
    // A longer line of dashes is no head.
    if after.starts_with('-') {
        return plain();
    }
    // What stands behind the dashes names a language; only YAML is meant here.
    let after = after.find('\n').map_or("", |newline| &after[newline..]);
    let (head, rest) = after.split_once("\n---").unwrap_or((after, ""));
    let content = rest.strip_prefix('\r').unwrap_or(rest);
    let content = content.strip_prefix('\n').unwrap_or(content);
    let without_comments: String = head.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let data = if without_comments.trim().is_empty() { empty() } else { yaml(head)? };
    Some(Markdown { data, content: content.to_owned() })
}

fn yaml(text: &str) -> Option<Node> {
    // gray-matter's loader takes one document; deep or self-referring ones are for breaking programs.
    let documents = Yaml::load_from_str(text).ok()?;
    match documents.as_slice() {
        [document] => node(document, 0),
        [] => Some(Node { at: 0..0, value: Value::Null }),
        _ => None,
    }
}

/// The deepest nesting that is looked at.
const DEPTH_LIMIT: usize = 50;

fn node(yaml: &Yaml, depth: usize) -> Option<Node> {
    if depth > DEPTH_LIMIT {
        return None;
    }
    let value = match yaml {
        Yaml::Value(Scalar::Null) => Value::Null,
        Yaml::Value(Scalar::Boolean(flag)) => Value::Bool(*flag),
        Yaml::Value(Scalar::Integer(number)) => Value::Integer(*number),
        Yaml::Value(Scalar::FloatingPoint(number)) => Value::Float(number.into_inner()),
        Yaml::Value(Scalar::String(text)) => {
            if is_date(text) {
                Value::Date(text.to_string())
            } else {
                Value::Text(text.to_string())
            }
        }
        Yaml::Sequence(list) => Value::List(list.iter().map(|inner| node(inner, depth + 1)).collect::<Option<_>>()?),
        Yaml::Mapping(map) => {
            let mut entries = Vec::new();
            for (key, inner) in map {
                entries.push((key_text(key)?, node(inner, depth + 1)?));
            }
            Value::Table(entries)
        }
        Yaml::Tagged(_, inner) => return node(inner, depth + 1),
        Yaml::Representation(text, ..) => Value::Text(text.to_string()),
        Yaml::Alias(_) | Yaml::BadValue => return None,
    };
    Some(Node { at: 0..0, value })
}

fn key_text(key: &Yaml) -> Option<String> {
    Some(match key {
        Yaml::Value(Scalar::String(text)) => text.to_string(),
        Yaml::Value(Scalar::Integer(number)) => number.to_string(),
        Yaml::Value(Scalar::Boolean(flag)) => flag.to_string(),
        Yaml::Value(Scalar::Null) => "null".to_owned(),
        _ => return None,
    })
}

/// js-yaml makes a date of `2026-01-31`, which is then no string.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, b)| if at == 4 || at == 7 { *b == b'-' } else { b.is_ascii_digit() })
}

/// `key: a: b` becomes a block, so that it is valid YAML.
fn sanitized(text: &str) -> Cow<'_, str> {
    let Some(after) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return Cow::Borrowed(text);
    };
    let Some(end) = after.find("\n---") else { return Cow::Borrowed(text) };
    let head = after[..end].strip_suffix('\r').unwrap_or(&after[..end]);
    let mut lines = Vec::new();
    for line in head.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)) {
        let trimmed = js_trim(line);
        let continues = trimmed.is_empty() || trimmed.starts_with('#') || line.starts_with(is_js_space);
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let (key, value) = (key.trim_end_matches(is_js_space), js_trim(value));
        let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let plain = value.contains(':') && !value.starts_with(['"', '\'']) && value != ">" && value != "|";
        if !continues && is_key && plain {
            lines.push(format!("{key}: |-\n  {value}"));
        } else {
            lines.push(line.to_owned());
        }
    }
    Cow::Owned(text.replacen(head, &lines.join("\n"), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_gray_matter_does() {
        for (text, name, content) in [
            ("---\nname: a\n---\nBody\n", Some("a"), "Body\n"),
            ("---\nname: a: b\n---\nBody", Some("a: b"), "Body"),
            ("---\r\nname: \"q\"\r\n---\r\nBody", Some("q"), "Body"),
            ("No head", None, "No head"),
            ("----\nname: a\n", None, "----\nname: a\n"),
            ("---\n---\nBody", None, "Body"),
            ("---\nname: 5\n---\n", None, ""),
        ] {
            let markdown = parse(text).expect("valid");
            assert_eq!(markdown.data.get("name").and_then(Node::as_text), name, "{text}");
            assert_eq!(markdown.content, content, "{text}");
        }
        assert!(parse("---\nname: [\n---\n").is_none());
    }
}
