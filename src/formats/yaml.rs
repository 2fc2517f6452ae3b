//! YAML, as it stands at the head of instruction files: values with spans, and what clients' libraries make of them.
//!
//! This file makes values of the events of a parser, by the rules of a [`Dialect`]. `npm`, `js_yaml`, `python` and `lenient` stand on it,
//! each named after whose rules it follows. `rust` stands by itself: it is the library.

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

/// How deep values may nest, so that dropping them cannot overflow the stack.
const DEPTH_LIMIT: usize = 64;

/// How many values a text may have, repetitions by alias included.
const VALUE_LIMIT: usize = 100_000;

/// As many bytes of text as count as a value where they are repeated.
const BYTES_PER_VALUE: usize = 160;

/// Libraries take this for a character like any other, our parser does not: a private one stands in for it meanwhile.
const BYTE_ORDER_MARK: char = '\u{feff}';
const STAND_IN: char = '\u{f8fe}';

/// What libraries differ in.
struct Dialect {
    /// What a scalar is, which may be plain and have a tag; `None` where that is an error.
    scalar: fn(&str, bool, Option<&Tag>) -> Option<Value>,
    /// Whether a list or a table may have this tag.
    allows: fn(&Tag) -> bool,
    /// The text that a key becomes.
    name: fn(&Value) -> String,
    /// Which keys are the same, if none may stand twice in one table.
    identity: Option<fn(&Value, &str) -> String>,
    /// What becomes of a finished table; `None` where that is an error.
    finished: fn(Node) -> Option<Node>,
}

/// What most libraries in JavaScript have in common.
const LOOSE: Dialect = Dialect {
    scalar: |text, is_plain, tag| {
        Some(if is_plain && tag.is_none() { core_value(text) } else { Value::Text(text.to_owned()) })
    },
    allows: |_| true,
    name: |key| name_of(key).unwrap_or_default(),
    identity: None,
    finished: Some,
};

/// The value of a YAML text of one document. Of a duplicate key, the last one counts.
pub fn parse_yaml(text: &str) -> Result<Node, FormatError> {
    parse(text, &LOOSE)
}

fn parse(text: &str, dialect: &Dialect) -> Result<Node, FormatError> {
    let parsed = |text: &str| built(text, dialect);
    // Libraries take a tab behind a colon for a space; our parser does not always.
    parsed(text).or_else(|error| match text.contains(":\t") {
        true => parsed(&text.replace(":\t", ": ")).map_err(|_| error),
        false => Err(error),
    })
}

fn built(text: &str, dialect: &Dialect) -> Result<Node, FormatError> {
    of_pairs(text, dialect).map_or_else(|| Builder::new(text, dialect).build(), Ok)
}

/// What the builder makes of lines of `key: value`; nothing, where there is anything else.
fn of_pairs(text: &str, dialect: &Dialect) -> Option<Node> {
    let entry = |pair: &Pair| {
        let key = (dialect.scalar)(&text[pair.key.clone()], true, None).filter(|key| matches!(key, Value::Text(_)))?;
        let value = (dialect.scalar)(pair.inner(text), pair.style == Style::Bare, None)?;
        Some(((dialect.name)(&key), Node { at: pair.value.clone(), value }))
    };
    let entries = pairs(text)?.iter().map(entry).collect::<Option<_>>()?;
    (dialect.finished)(Node { at: 0..text.len(), value: Value::Table(entries) })
}

/// A list or a table that is not finished yet.
struct Open {
    start: usize,
    anchor: usize,
    list: Vec<Node>,
    /// `None`: it is a list.
    table: Option<OpenTable>,
}

/// A table that is not finished yet.
#[derive(Default)]
struct OpenTable {
    entries: Vec<(String, Node)>,
    /// A key without its value.
    key: Option<String>,
    /// The keys so far, as far as they may not stand twice.
    keys: HashSet<String>,
}

/// Makes a value of the events of a text.
struct Builder<'a> {
    text: &'a str,
    dialect: &'a Dialect,
    /// The byte offset of every character, because the parser counts those.
    offsets: Vec<usize>,
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, usize)>,
    values: usize,
    documents: usize,
    root: Option<Node>,
}

/// A value, and the number of its anchor; 0 for none.
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

    /// The value of an anchor once more.
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

    /// Puts the value where it belongs.
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

/// The text with its byte order marks replaced, but for the first character: only there the parser knows one.
fn with_stand_ins(text: &str) -> Cow<'_, str> {
    let first = text.chars().next().map_or(0, char::len_utf8);
    match text[first..].contains(BYTE_ORDER_MARK) {
        true => {
            Cow::from(format!("{}{}", &text[..first], text[first..].replace(BYTE_ORDER_MARK, &STAND_IN.to_string())))
        }
        false => Cow::from(text),
    }
}

/// Moves the spans of a value that was read from an altered text to where `place` says that they are in the original.
fn moved(node: &mut Node, place: &impl Fn(usize) -> usize) {
    node.at = place(node.at.start)..place(node.at.end);
    match &mut node.value {
        Value::List(list) => list.iter_mut().for_each(|node| moved(node, place)),
        Value::Table(entries) => entries.iter_mut().for_each(|(_, node)| moved(node, place)),
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) | Value::Text(_) | Value::Date(_) => {}
    }
}

/// How many values there are in a value; a long text counts as many.
fn count(node: &Node) -> usize {
    match &node.value {
        Value::Text(text) | Value::Date(text) => 1 + text.len() / BYTES_PER_VALUE,
        Value::List(list) => 1 + list.iter().map(count).sum::<usize>(),
        Value::Table(entries) => 1 + entries.iter().map(|(_, node)| count(node)).sum::<usize>(),
        _ => 1,
    }
}

/// A scalar as JavaScript makes a text of it; `None` for a list, a table and null, which libraries call by other names.
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

/// What a scalar without quotes or tag is, by the core schema.
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
