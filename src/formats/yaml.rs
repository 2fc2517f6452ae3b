//! Parses the YAML of front matter into values with spans, as the clients' libraries do.
//!
//! Builds values from the events of a parser by the rules of a [`Dialect`]. `npm`, `js_yaml`, `python` and `lenient`
//! use it, each named after the library that it follows. `rust` is separate, since it uses the library itself.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::{FormatError, Node, Value};
use crate::glob::gives_up;

mod js_yaml;
mod lenient;
mod npm;
mod pairs;
mod python;
mod rust;

pub use js_yaml::parse_js_yaml;
pub use lenient::{parse_leniently, with_merges};
pub use npm::parse_npm_yaml;
pub use python::parse_python_yaml;
pub use rust::{parse_rust_yaml, parse_rust_yaml_in_part};

use pairs::{Pair, Style, pairs};

/// Maximum nesting depth, so that dropping values cannot overflow the stack.
const DEPTH_LIMIT: usize = 64;

/// Maximum number of values in a text, including repetitions by alias.
const VALUE_LIMIT: usize = 100_000;

/// Number of bytes of text that count as one value when they are repeated.
const BYTES_PER_VALUE: usize = 160;

/// Libraries treat a byte order mark as an ordinary character, our parser does not: this private character replaces it
/// during parsing.
const BYTE_ORDER_MARK: char = '\u{feff}';
const STAND_IN: char = '\u{f8fe}';

/// Differences between libraries.
struct Dialect {
    /// Returns the value of a scalar from its text, whether it is plain, and its tag; `None` for an error.
    scalar: fn(&str, bool, Option<&Tag>) -> Option<Value>,
    /// Returns true if a list or table may have the tag.
    allows: fn(&Tag) -> bool,
    /// Returns the text of a key.
    name: fn(&Value) -> String,
    /// Returns the identity of a key, if duplicate keys are an error.
    identity: Option<fn(&Value, &str) -> String>,
    /// Completes a finished table; `None` for an error.
    finished: fn(Node) -> Option<Node>,
}

/// Rules that most JavaScript libraries share.
const LOOSE: Dialect = Dialect {
    scalar: |text, is_plain, tag| {
        Some(if is_plain && tag.is_none() { core_value(text) } else { Value::Text(text.to_owned()) })
    },
    allows: |_| true,
    name: |key| name_of(key).unwrap_or_default(),
    identity: None,
    finished: Some,
};

/// Parses a YAML text of one document. The last of duplicate keys counts.
pub fn parse_yaml(text: &str) -> Result<Node, FormatError> {
    parse(text, &LOOSE)
}

fn parse(text: &str, dialect: &Dialect) -> Result<Node, FormatError> {
    let parsed = |text: &str| built(text, dialect);
    // Libraries treat a tab after a colon as a space; our parser does not always.
    parsed(text).or_else(|error| match text.contains(":\t") {
        true => parsed(&text.replace(":\t", ": ")).map_err(|_| error),
        false => Err(error),
    })
}

fn built(text: &str, dialect: &Dialect) -> Result<Node, FormatError> {
    of_pairs(text, dialect).map_or_else(|| Builder::new(text, dialect).build(), Ok)
}

/// Parses lines of `key: value` without the builder; `None` if the text contains anything else.
fn of_pairs(text: &str, dialect: &Dialect) -> Option<Node> {
    let entry = |pair: &Pair| {
        let key = (dialect.scalar)(&text[pair.key.clone()], true, None).filter(|key| matches!(key, Value::Text(_)))?;
        let value = (dialect.scalar)(pair.inner(text), pair.style == Style::Bare, None)?;
        Some(((dialect.name)(&key), Node { at: pair.value.clone(), value }))
    };
    let entries = pairs(text)?.iter().map(entry).collect::<Option<_>>()?;
    (dialect.finished)(Node { at: 0..text.len(), value: Value::Table(entries) })
}

/// An unfinished list or table.
struct Open {
    start: usize,
    anchor: usize,
    list: Vec<Node>,
    /// Table under construction; `None` for a list.
    table: Option<OpenTable>,
}

/// An unfinished table.
#[derive(Default)]
struct OpenTable {
    entries: Vec<(String, Node)>,
    /// Key that waits for its value.
    key: Option<String>,
    /// Identities of the keys so far, if duplicates are an error.
    keys: HashSet<String>,
}

/// Builds a value from the events of a text.
struct Builder<'a> {
    text: &'a str,
    dialect: &'a Dialect,
    /// Byte offset of every character, since the parser counts characters.
    offsets: Vec<usize>,
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, usize)>,
    values: usize,
    documents: usize,
    root: Option<Node>,
}

/// A value and the number of its anchor; 0 for none.
type Done = (Node, usize);

impl<'a> Builder<'a> {
    fn new(text: &'a str, dialect: &'a Dialect) -> Self {
        let offsets = text.char_indices().map(|(at, _)| at).collect();
        let (open, anchors) = (Vec::new(), HashMap::new());
        Builder { text, dialect, offsets, open, anchors, values: 0, documents: 0, root: None }
    }

    fn build(mut self) -> Result<Node, FormatError> {
        let text = with_stand_ins(self.text);
        for event in Parser::new_from_str(&text) {
            let (event, span) = event.map_err(|error| {
                let at = self.byte(error.marker().index());
                FormatError { at: at..at, message: error.info().to_owned() }
            })?;
            let at = self.byte(span.start.index())..self.byte(span.end.index());
            self.event(event, &at).map_err(|message| FormatError { at, message: message.to_owned() })?;
        }
        let end = self.text.len();
        Ok(self.root.unwrap_or(Node { at: 0..end, value: Value::Null }))
    }

    fn event(&mut self, event: Event, at: &Range<usize>) -> Result<(), &'static str> {
        let done = match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => None,
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err("more than one document");
                }
                None
            }
            Event::Alias(anchor) => Some(self.repeated(anchor)?),
            Event::Scalar(text, style, anchor, tag) => {
                let value = self.scalar(&text, style, tag.as_deref())?;
                Some((Node { at: at.clone(), value }, anchor))
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(at.start, anchor, tag.as_deref(), None)?;
                None
            }
            Event::MappingStart(anchor, tag) => {
                self.begin(at.start, anchor, tag.as_deref(), Some(OpenTable::default()))?;
                None
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(at)?,
        };
        self.values += 1;
        if self.open.len() > DEPTH_LIMIT || self.values > VALUE_LIMIT {
            gives_up();
            return Err("too many values, or too deep");
        }
        done.map_or(Ok(()), |(node, anchor)| self.put(node, anchor))
    }

    /// Returns the value of an anchor again.
    fn repeated(&mut self, anchor: usize) -> Result<Done, &'static str> {
        let (node, values) = self.anchors.get(&anchor).ok_or("an alias of nothing")?;
        self.values += values;
        if self.values > VALUE_LIMIT {
            gives_up();
            return Err("too many values");
        }
        Ok((node.clone(), 0))
    }

    fn scalar(&self, text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, &'static str> {
        let text = match text.contains(STAND_IN) {
            true => Cow::from(text.replace(STAND_IN, "\u{feff}")),
            false => Cow::from(text),
        };
        (self.dialect.scalar)(&text, style == ScalarStyle::Plain, tag).ok_or("a value that is none here")
    }

    fn begin(
        &mut self,
        start: usize,
        anchor: usize,
        tag: Option<&Tag>,
        table: Option<OpenTable>,
    ) -> Result<(), &'static str> {
        if tag.is_some_and(|tag| !(self.dialect.allows)(tag)) {
            return Err("a tag that is not known");
        }
        self.open.push(Open { start, anchor, list: Vec::new(), table });
        Ok(())
    }

    fn end(&mut self, at: &Range<usize>) -> Result<Option<Done>, &'static str> {
        let Some(open) = self.open.pop() else { return Ok(None) };
        let at = open.start..at.end;
        let node = match open.table {
            None => Node { at, value: Value::List(open.list) },
            Some(table) => (self.dialect.finished)(Node { at, value: Value::Table(table.entries) })
                .ok_or("`<<` with a value that is not a map")?,
        };
        Ok(Some((node, open.anchor)))
    }

    /// Adds a value to the open list or table, or makes it the root.
    fn put(&mut self, node: Node, anchor: usize) -> Result<(), &'static str> {
        if anchor > 0 {
            self.anchors.insert(anchor, (node.clone(), count(&node)));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open { table: None, list, .. }) => list.push(node),
            Some(Open { table: Some(table), .. }) => match table.key.take() {
                Some(name) => table.entries.push((name, node)),
                None => {
                    let name = (self.dialect.name)(&node.value);
                    if self.dialect.identity.is_some_and(|of| !table.keys.insert(of(&node.value, &name))) {
                        return Err("a duplicate key");
                    }
                    table.key = Some(name);
                }
            },
        }
        Ok(())
    }

    fn byte(&self, character: usize) -> usize {
        self.offsets.get(character).copied().unwrap_or(self.text.len())
    }
}

/// Replaces byte order marks except in the first place, where the parser accepts one.
fn with_stand_ins(text: &str) -> Cow<'_, str> {
    let first = text.chars().next().map_or(0, char::len_utf8);
    match text[first..].contains(BYTE_ORDER_MARK) {
        true => {
            Cow::from(format!("{}{}", &text[..first], text[first..].replace(BYTE_ORDER_MARK, &STAND_IN.to_string())))
        }
        false => Cow::from(text),
    }
}

/// Maps the spans of a value that was parsed from an altered text back to the original; `place` converts positions.
fn moved(node: &mut Node, place: &impl Fn(usize) -> usize) {
    node.at = place(node.at.start)..place(node.at.end);
    match &mut node.value {
        Value::List(list) => list.iter_mut().for_each(|node| moved(node, place)),
        Value::Table(entries) => entries.iter_mut().for_each(|(_, node)| moved(node, place)),
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) | Value::Text(_) | Value::Date(_) => {}
    }
}

/// Counts the values in a value; a long text counts several times.
fn count(node: &Node) -> usize {
    match &node.value {
        Value::Text(text) | Value::Date(text) => 1 + text.len() / BYTES_PER_VALUE,
        Value::List(list) => 1 + list.iter().map(count).sum::<usize>(),
        Value::Table(entries) => 1 + entries.iter().map(|(_, node)| count(node)).sum::<usize>(),
        _ => 1,
    }
}

/// Converts a scalar key to a text as JavaScript does; `None` for lists, tables and null, for which libraries differ.
fn name_of(key: &Value) -> Option<String> {
    Some(match key {
        Value::Text(text) | Value::Date(text) => text.clone(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) if value.is_nan() => "NaN".to_owned(),
        Value::Float(value) if value.is_infinite() => if *value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned(),
        Value::Float(value) => value.to_string(),
        Value::Null | Value::List(_) | Value::Table(_) => return None,
    })
}

/// Returns the value of a scalar without quotes and tag by the core schema.
fn core_value(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Value::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Value::Float(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => Value::Float(f64::NAN),
        _ => {
            let based = |prefix: &str, base| i64::from_str_radix(text.strip_prefix(prefix)?, base).ok();
            if let Some(value) = based("0x", 16).or_else(|| based("0o", 8)) {
                return Value::Integer(value);
            }
            let numeric =
                text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
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

    #[test]
    fn pairs_are_what_the_parser_makes_of_them() {
        let mut seen = 0;
        for text in pairs::tests::texts() {
            for dialect in [&LOOSE, &npm::NPM, &js_yaml::JS_YAML] {
                let Some(short) = of_pairs(&text, dialect) else { continue };
                assert_eq!(Ok(short), Builder::new(&text, dialect).build(), "{text:?}");
                seen += 1;
            }
        }
        assert!(seen > 10_000, "{seen}");
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
    fn absurd_values_are_errors() {
        assert!(parse_yaml(&"[".repeat(100_000)).is_err());
        let bomb: String = (1..40).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1)).collect();
        assert!(parse_yaml(&format!("a0: &a0 x\n{bomb}")).is_err());
        // A long text may be repeated, but not a thousand times.
        let repeated =
            |times: usize| format!("a: &a \"{}\"\nb: [{}]\n", "y".repeat(20_000), vec!["*a"; times].join(", "));
        assert!(parse_yaml(&repeated(20)).is_ok() && parse_yaml(&repeated(1_000)).is_err());
    }
}
