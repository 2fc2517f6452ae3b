//! YAML, as it stands in the front matter of instruction files, and the second chance that harnesses give it.

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::{FormatError, Node, Value};

/// How deep values may nest, so that dropping them cannot overflow the stack.
const DEPTH_LIMIT: usize = 64;

/// How many values a text may have, repetitions by alias included.
const VALUE_LIMIT: usize = 100_000;

/// The value of a YAML text of one document. Of a key that stands twice, the last one counts.
pub fn parse_yaml(text: &str) -> Result<Node, FormatError> {
    Builder::new(text).build()
}

/// `parse_yaml`; if that fails, once more with every value quoted that has special characters in it, as Claude Code
/// does: `globs: **/*.ts` is common. `None` where that fails as well.
pub fn parse_leniently(text: &str) -> Option<Node> {
    let text = text.trim_start_matches('\t');
    parse_yaml(text).or_else(|_| parse_yaml(&quoted(text))).ok()
}

/// Every line `key: value` with a value in quotes, if the value has characters that mean something in YAML.
fn quoted(text: &str) -> String {
    let lines = text.split('\n').map(|line| match entry(line) {
        Some((key, value)) if wants_quotes(value) => {
            format!("{key}: \"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
        }
        Some(_) | None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The key and the value of a line that has both. A carriage return anywhere in it spoils it.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let named = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let trimmed = value.trim_start_matches(crate::text::is_js_space);
    let single = !trimmed.is_empty() && !trimmed.contains(['\r', '\u{2028}', '\u{2029}']);
    (named && single && trimmed.len() < value.len()).then_some((key, trimmed))
}

fn wants_quotes(value: &str) -> bool {
    let enclosed = |open: char, close: char| value.starts_with(open) && value.ends_with(close);
    if enclosed('"', '"') || enclosed('\'', '\'') || (enclosed('[', ']') && parse_yaml(value).is_ok()) {
        return false;
    }
    value.contains(['{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`'])
        || value.contains(": ")
        || value.starts_with(',')
}

/// A list or a table that is not finished yet.
struct Open {
    start: usize,
    anchor: usize,
    list: Vec<Node>,
    /// `None`: it is a list.
    table: Option<(Vec<(String, Node)>, Option<String>)>,
}

struct Builder<'a> {
    text: &'a str,
    /// The byte offset of every character, because the parser counts those.
    offsets: Vec<usize>,
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, usize)>,
    values: usize,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str) -> Self {
        let offsets = text.char_indices().map(|(at, _)| at).collect();
        Builder { text, offsets, open: Vec::new(), anchors: HashMap::new(), values: 0 }
    }

    fn build(mut self) -> Result<Node, FormatError> {
        let mut root = None;
        let mut documents = 0;
        for event in Parser::new_from_str(self.text) {
            let (event, span) = event.map_err(|error| {
                let at = self.byte(error.marker().index());
                FormatError { at: at..at, message: error.info().to_owned() }
            })?;
            let at = self.byte(span.start.index())..self.byte(span.end.index());
            let problem = |message: &str| FormatError { at: at.clone(), message: message.to_owned() };
            let done = match event {
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => None,
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(problem("more than one document"));
                    }
                    None
                }
                Event::Alias(anchor) => {
                    let (node, values) =
                        self.anchors.get(&anchor).cloned().ok_or_else(|| problem("an alias of nothing"))?;
                    self.values += values;
                    Some((node, 0))
                }
                Event::Scalar(text, style, anchor, tag) => {
                    let plain = style == ScalarStyle::Plain && tag.is_none();
                    let value = if plain { plain_value(&text) } else { Value::Text(text.into_owned()) };
                    Some((Node { at: at.clone(), value }, anchor))
                }
                Event::SequenceStart(anchor, _) => {
                    self.open.push(Open { start: at.start, anchor, list: Vec::new(), table: None });
                    None
                }
                Event::MappingStart(anchor, _) => {
                    let table = Some((Vec::new(), None));
                    self.open.push(Open { start: at.start, anchor, list: Vec::new(), table });
                    None
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(&at),
            };
            self.values += 1;
            if self.open.len() > DEPTH_LIMIT || self.values > VALUE_LIMIT {
                return Err(problem("too many values, or too deep"));
            }
            if let Some((node, anchor)) = done {
                self.put(node, anchor, &mut root);
            }
        }
        Ok(root.unwrap_or(Node { at: 0..self.text.len(), value: Value::Null }))
    }

    fn byte(&self, character: usize) -> usize {
        self.offsets.get(character).copied().unwrap_or(self.text.len())
    }

    fn close(&mut self, at: &Range<usize>) -> Option<(Node, usize)> {
        let open = self.open.pop()?;
        let value = match open.table {
            Some((entries, _)) => Value::Table(entries),
            None => Value::List(open.list),
        };
        Some((Node { at: open.start..at.end, value }, open.anchor))
    }

    fn put(&mut self, node: Node, anchor: usize, root: &mut Option<Node>) {
        if anchor > 0 {
            let values = count(&node);
            self.anchors.insert(anchor, (node.clone(), values));
        }
        match self.open.last_mut() {
            None => *root = Some(node),
            Some(Open { table: None, list, .. }) => list.push(node),
            Some(Open { table: Some((entries, key)), .. }) => match key.take() {
                Some(name) => entries.push((name, node)),
                None => *key = Some(name_of(node)),
            },
        }
    }
}

/// How many values there are in a value.
fn count(node: &Node) -> usize {
    match &node.value {
        Value::List(list) => 1 + list.iter().map(count).sum::<usize>(),
        Value::Table(entries) => 1 + entries.iter().map(|(_, node)| count(node)).sum::<usize>(),
        _ => 1,
    }
}

fn name_of(node: Node) -> String {
    match node.value {
        Value::Text(text) | Value::Date(text) => text,
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        Value::List(_) | Value::Table(_) => String::new(),
    }
}

/// What a scalar without quotes or tag is, by the core schema.
fn plain_value(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => {
            let numeric = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
            match (text.parse::<i64>(), text.parse::<f64>()) {
                (Ok(value), _) => Value::Integer(value),
                (Err(_), Ok(value)) if numeric => Value::Float(value),
                _ => Value::Text(text.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Option<Value> {
        parse_leniently(text)?.get("paths").map(|node| node.value.clone())
    }

    #[test]
    fn values_have_spans_in_bytes() {
        let node = parse_yaml("é: [a, 'b']\nc: 5\n").expect("YAML");
        assert_eq!(node.get("é").and_then(Node::as_texts), Some(vec!["a", "b"]));
        let at = node.get("é").and_then(Node::as_list).map(|list| list[1].at.clone());
        assert_eq!(at, Some(8..11));
        assert_eq!(node.get("c").map(|node| &node.value), Some(&Value::Integer(5)));
    }

    #[test]
    fn a_second_attempt_quotes_what_is_special() {
        let text = |value: &str| Some(Value::Text(value.to_owned()));
        for (yaml, value) in [
            ("paths: **/*.ts", text("**/*.ts")),
            ("x: a: b\npaths: y", text("y")),
            ("x: *a\npaths: y # z", text("y # z")),
            ("paths: \"*.js", text("\"*.js")),
            ("paths: 'x", None),
            ("- *a\npaths: y", None),
            ("paths: x\npaths: y", text("y")),
        ] {
            assert_eq!(paths(yaml), value, "{yaml}");
        }
    }

    #[test]
    fn absurd_values_are_errors() {
        assert!(parse_yaml(&"[".repeat(100_000)).is_err());
        let bomb: String = (1..40).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1)).collect();
        assert!(parse_yaml(&format!("a0: &a0 x\n{bomb}")).is_err());
    }
}
