//! Patterns in the front matter of a rule: parsed as YAML, or line by line as Qwen Code does if it is not valid YAML.

use crate::formats::{Node, Value, parse_npm_yaml};
use crate::text::js_trim;

/// Returns the patterns of the key `paths`.
pub(super) fn paths(head: &str) -> Vec<String> {
    let table = parse_npm_yaml(head).ok().filter(|node| matches!(node.value, Value::Table(_)));
    let paths = match &table {
        Some(table) => table.get("paths").map(|node| node.value.clone()),
        None => line_by_line(head).into_iter().rev().find(|(key, _)| key == "paths").map(|(_, value)| value),
    };
    match paths {
        Some(Value::List(list)) => words(&list).unwrap_or_default(),
        Some(Value::Text(pattern)) => vec![pattern],
        _ => Vec::new(),
    }
}

/// Converts items to texts, without null; `None` if one is a table.
fn words(items: &[Node]) -> Option<Vec<String>> {
    let items = items.iter().filter(|node| !matches!(node.value, Value::Null));
    items.map(|node| word(&node.value)).collect()
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::List(list) => Some(words(list)?.join(",")),
        Value::Null | Value::Date(_) | Value::Table(_) => None,
    }
}

/// Parses keys with values after their colons, or with lists of items indented by two spaces. Tables are skipped.
fn line_by_line(head: &str) -> Vec<(String, Value)> {
    let lines: Vec<&str> =
        head.split('\n').filter(|line| !matches!(js_trim(line).chars().next(), None | Some('#'))).collect();
    let mut found = Vec::new();
    let (mut key, mut items, mut in_table) = (String::new(), None::<Vec<Node>>, false);
    for (at, line) in lines.iter().enumerate() {
        if let Some(item) = line.strip_prefix("  - ") {
            items.get_or_insert_default().push(Node { at: 0..0, value: value(js_trim(item)) });
            continue;
        }
        if let Some(items) = items.take() {
            found.push((std::mem::take(&mut key), Value::List(items)));
        }
        let is_indented = line.starts_with("  ");
        if in_table && is_indented {
            continue;
        }
        in_table = false;
        let Some((name, rest)) = line.split_once(':') else { continue };
        let (name, rest) = (js_trim(name).to_owned(), js_trim(rest));
        if !rest.is_empty() {
            found.push((name, value(rest)));
            continue;
        }
        let next = lines.get(at + 1);
        if next.is_some_and(|next| next.starts_with("  ") && !next.starts_with("  - ")) {
            found.push((name, Value::Table(Vec::new())));
            in_table = true;
            key.clear();
        } else {
            key = name;
        }
    }
    found.extend(items.map(|items| (key, Value::List(items))));
    found
}

fn value(text: &str) -> Value {
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    match (text, quoted) {
        ("true" | "false", _) => Value::Bool(text == "true"),
        ("null", _) => Value::Null,
        (_, Some(inner)) => Value::Text(inner.replace("\\\"", "\"").replace("\\\\", "\\")),
        _ => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Value::Float(number),
            _ => Value::Text(text.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_yaml_is_read_line_by_line() {
        for (head, expected) in [
            ("x: [\npaths: [\"s/**\"]", "[\"s/**\"]"),
            ("x: [\npaths: \"s/**\"", "s/**"),
            ("paths: *.ts", "*.ts"),
            ("x: \"a\npaths:\n  - s/**\n  - 7", "s/** 7"),
            ("paths: [\"s\"]\npaths: t", "t"),
            ("paths:\n\t- s/**", ""),
            ("x: [\npaths:\n  a: b\n  c: d", ""),
            ("- paths", ""),
            ("paths: [a, null, true, [b, null, c]]", "a true b,c"),
            ("paths: [a, {b: c}]", ""),
        ] {
            assert_eq!(paths(head).join(" "), expected, "{head}");
        }
    }
}
