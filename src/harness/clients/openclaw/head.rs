//! The front matter of a SKILL.md: YAML whose values become texts, parsed again if the `description` is invalid. The
//! early clients do not parse it again, and read front matter twice: strictly for name and description, then in their
//! own way.

use crate::formats::{Node, Value, parse_npm_yaml};
use crate::harness::kit::heads;
use crate::harness::kit::skills;
use crate::text::{is_js_space, js_trim};

/// Parsed front matter of a SKILL.md.
pub(super) struct Head<'a> {
    block: &'a str,
    node: Node,
}

impl<'a> Head<'a> {
    /// Parses front matter. If it is not YAML, it is parsed again with the description in quotes; `None` if that fails
    /// as well, because the client then does not load the skill.
    pub(super) fn of(block: &'a str) -> Option<Head<'a>> {
        let table = |text: &str| parse_npm_yaml(text).ok().filter(|node| matches!(node.value, Value::Table(_)));
        let node = table(block).or_else(|| table(&with_quoted_description(block)?))?;
        Some(Head { block, node })
    }

    /// Returns the value of a key as a text: numbers as JavaScript writes them, lists and tables as JSON. Null, and a
    /// list or table whose line has a colon, are returned as written.
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

    /// Returns the text on the line of a key.
    fn written(&self, key: &str) -> Option<&'a str> {
        let rest = self.block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        Some(without_quotes(rest.trim())).filter(|text| !text.is_empty())
    }
}

/// Front matter as the early clients read it.
pub(super) struct EarlyHead {
    block: String,
    node: Node,
    /// Name of the skill, unless it has that of its folder.
    pub name: Option<String>,
    /// Description of the skill, not trimmed.
    pub description: String,
}

impl EarlyHead {
    /// Parses the front matter of a file; fails with the reason why the client does not load the skill.
    pub(super) fn of(text: &str) -> Result<EarlyHead, &'static str> {
        const NO_HEAD: &str = "it must begin with a head between lines of `---`";
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let block = heads::openclaw_early(&text).ok_or(NO_HEAD)?.to_owned();
        let node = parse_npm_yaml(&block).map_err(|_| "its head is no YAML")?;
        let text_of = |key: &str| match node.get(key).map(|node| &node.value) {
            Some(Value::Text(text) | Value::Date(text)) => Ok(Some(text.clone())),
            Some(Value::Float(number)) if *number == 0.0 || number.is_nan() => Ok(None),
            None | Some(Value::Null | Value::Bool(false) | Value::Integer(0)) => Ok(None),
            Some(Value::Float(_) | Value::Bool(true) | Value::Integer(_)) => Err(()),
            Some(Value::List(_) | Value::Table(_)) => Err(()),
        };
        let name = text_of("name").map_err(|()| "its `name` must be a text")?.filter(|name| !name.is_empty());
        let description = text_of("description").map_err(|()| "its `description` must be a text")?;
        let description = description.filter(|description| !js_trim(description).is_empty());
        let description = description.ok_or("its head must have a `description`")?;
        Ok(EarlyHead { block, node, name, description })
    }

    /// Returns the value of a key as a text. A value that begins with a bracket is returned as written.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        if let Some(written) = self.written(key).filter(|text| text.starts_with(['{', '['])) {
            return Some(written);
        }
        match &self.node.get(key)?.value {
            Value::Null => None,
            Value::Text(text) | Value::Date(text) => Some(js_trim(text).to_owned()),
            value @ (Value::List(_) | Value::Table(_)) => Some(json(value).to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Integer(number) => Some(number.to_string()),
            Value::Float(number) => Some(of_float(*number)),
        }
    }

    /// Returns the text after a key on its line, or on the indented lines below. The last occurrence counts.
    fn written(&self, key: &str) -> Option<String> {
        let mut found = None;
        let mut lines = self.block.split('\n').peekable();
        while let Some(line) = lines.next() {
            let Some(value) = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')) else { continue };
            let value = js_trim(value);
            let mut below = Vec::new();
            if value.is_empty() && lines.peek().is_some_and(|next| next.starts_with([' ', '\t'])) {
                while let Some(next) = lines.next_if(|next| next.is_empty() || next.starts_with([' ', '\t'])) {
                    below.push(next);
                }
            }
            let text = if below.is_empty() { without_quotes(value).to_owned() } else { below.join("\n") };
            found = Some(text.trim_matches(is_js_space).to_owned()).filter(|text| !text.is_empty()).or(found);
        }
        found
    }
}

/// Returns the texts of a list, or the comma-separated parts of a text.
pub(super) fn texts(node: Option<&Node>) -> Vec<String> {
    let texts: Vec<String> = match node.map(|node| &node.value) {
        Some(Value::List(list)) => list.iter().map(|item| skills::words(item).unwrap_or_default()).collect(),
        Some(Value::Text(text)) => text.split(',').map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    texts.iter().map(|text| js_trim(text).to_owned()).filter(|text| !text.is_empty()).collect()
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

/// Returns the block with the description in quotes, unless its text is on the lines below.
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
