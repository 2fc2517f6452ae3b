//! The head of a SKILL.md: YAML whose values become texts, with a second chance for a `description` that is none.

use crate::formats::{Node, Value, parse_npm_yaml};

/// The head; `None` where the client loads no such skill.
pub(super) struct Head<'a> {
    block: &'a str,
    node: Node,
}

impl<'a> Head<'a> {
    /// Reads a head. What is no YAML is tried once more with the description in quotes.
    pub(super) fn of(block: &'a str) -> Option<Head<'a>> {
        let table = |text: &str| parse_npm_yaml(text).ok().filter(|node| matches!(node.value, Value::Table(_)));
        let node = table(block).or_else(|| table(&with_quoted_description(block)?))?;
        Some(Head { block, node })
    }

    /// The values.
    pub(super) fn node(&self) -> &Node {
        &self.node
    }

    /// The value of a key, as a text: numbers as JavaScript writes them, lists and tables as JSON, and as it is written
    /// what is null, or a table or list with a colon in it.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let written = self.written(key);
        let text = match self.node.get(key).map(|node| &node.value) {
            None | Some(Value::Null) => written?.to_owned(),
            Some(value @ (Value::List(_) | Value::Table(_))) => match written {
                Some(written) if written.contains(':') => written.to_owned(),
                _ => json(value).to_string(),
            },
            Some(Value::Text(text) | Value::Date(text)) => text.clone(),
            Some(Value::Bool(flag)) => flag.to_string(),
            Some(Value::Integer(number)) => number.to_string(),
            Some(Value::Float(number)) => of_float(*number),
        };
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// What stands on the line of a key.
    fn written(&self, key: &str) -> Option<&'a str> {
        let rest = self.block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        Some(without_quotes(rest.trim())).filter(|text| !text.is_empty())
    }
}

fn of_float(number: f64) -> String {
    if number.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else {
        number.to_string()
    }
}

fn without_quotes(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

/// The block with the line of the description in quotes, unless a text follows on the lines below.
fn with_quoted_description(block: &str) -> Option<String> {
    let line = block.lines().find(|line| line.starts_with("description:"))?;
    let value = line["description:".len()..].trim();
    let is_block = value.starts_with(['|', '>']) && value[1..].chars().all(|c| matches!(c, '+' | '-' | '1'..='9'));
    if value.is_empty() || is_block {
        return None;
    }
    Some(block.replacen(line, &format!("description: {}", serde_json::Value::from(without_quotes(value))), 1))
}

fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(flag) => (*flag).into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Text(text) | Value::Date(text) => text.as_str().into(),
        Value::List(list) => list.iter().map(|node| json(&node.value)).collect(),
        Value::Table(entries) => entries.iter().map(|(key, node)| (key.clone(), json(&node.value))).collect(),
    }
}
