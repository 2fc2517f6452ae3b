//! Parsers of file formats: settings and front matter as values with spans, and Markdown as `marked` parses it.
//!
//! The library that each parser reproduces, how the two are compared, and the known differences:
//!
//! | here | library, version | compared by | known differences |
//! |---|---|---|---|
//! | `yaml/rust` | `serde_yaml` 0.9, by way of its fork `serde_norway` | it is the library | more than 10 000 brackets are refused |
//! | `yaml/npm` | npm `yaml` 2.9 | `tests/libraries.rs` | 0.4 % of generated front matters: tags and `?` within brackets, a tab in the last line |
//! | `yaml/js_yaml` | `js-yaml` 3.15 within `gray-matter` 4.0 | `tests/libraries.rs` | 1.3 % of generated front matters: times as keys, null keys, top-level text of several lines |
//! | `yaml/lenient` | Claude Code's own | cases | |
//! | `dotenv` | npm `dotenv` 17 | `tests/libraries.rs` | none known |
//! | `marked` | npm `marked` within Claude Code | cases | |
//! | `json5`, `jsonc`, `json` | npm `json5`, `jsonc-parser`, JavaScript's `JSON` | tables in their unit tests | |
//! | `toml_value` | the crate `toml` | it is the library | |
//!
//! No format depends on another. Within `yaml`, the dialects share one builder; within `marked`, `inline` uses `blocks`
//! and `html`, `blocks` uses `html`, and these two use `lines`.

use std::ops::Range;

mod dotenv;
mod json;
mod json5;
mod jsonc;
pub mod marked;
mod remembered;
mod toml_value;
mod yaml;

pub use dotenv::dotenv;
pub use json::{parse_rust_json, without_comments};
pub use json5::parse_json5;
pub use jsonc::parse_jsonc;
pub use remembered::Remembered;
pub use toml_value::parse_toml;
pub use yaml::{
    parse_js_yaml, parse_leniently, parse_npm_yaml, parse_python_yaml, parse_rust_yaml, parse_rust_yaml_in_part,
    parse_yaml, with_merges,
};

/// Parses a whole file as JavaScript's `JSON.parse` does. Its values have no spans; errors have a position.
///
/// Observed with Node 20: lone surrogates, numbers that are too large and nesting of any depth are accepted, all of
/// which `serde_json` rejects.
pub fn parse_json(text: &str) -> Result<Node, FormatError> {
    parse_rust_json(text).or_else(|error| jsonc::parse_plain(text).map_err(|_| error))
}

/// A value and its position in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Byte range in the file.
    pub at: Range<usize>,
    /// Value at that position.
    pub value: Value,
}

/// A value of any settings format.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// JSON's `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer of TOML, or a JSON number without fraction that fits.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(String),
    /// A TOML date or time.
    Date(String),
    /// A list.
    List(Vec<Node>),
    /// Keys and values in the order of the file.
    Table(Vec<(String, Node)>),
}

impl Node {
    /// Returns the value of a key if this is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            // The last one counts if a format allows duplicate keys.
            Value::Table(entries) => entries.iter().rev().find(|(name, _)| name == key).map(|(_, node)| node),
            _ => None,
        }
    }

    /// Returns the value at a path of keys.
    pub fn at_path(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Returns the string if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the boolean if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the elements if it is a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    /// Returns the keys and values if it is a table.
    pub fn as_table(&self) -> Option<&[(String, Node)]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns the strings if it is a list of strings.
    pub fn as_texts(&self) -> Option<Vec<&str>> {
        self.as_list()?.iter().map(Node::as_text).collect()
    }
}

impl Value {
    /// Creates the value of a JSON number with a fraction, or one that does not fit an integer. Some parsers report
    /// `-0` as such a number; in settings it is the integer 0.
    fn of_float(number: f64) -> Value {
        if number == 0.0 && number.is_sign_negative() { Value::Integer(0) } else { Value::Float(number) }
    }

    /// Returns the kind of value, worded for error messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number",
            Value::Text(_) => "a string",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// Returns the message that `what` must be `wanted` instead of this value. A string is not repeated, since it may
    /// be a secret.
    pub fn must_be(&self, what: &str, wanted: &str) -> String {
        let found = match self {
            Value::Bool(found) => found.to_string(),
            Value::Integer(found) => found.to_string(),
            Value::Text(_) if wanted.starts_with("one of ") => String::new(),
            _ if wanted.starts_with(self.kind()) => String::new(),
            _ => self.kind().to_owned(),
        };
        let not = if found.is_empty() { "" } else { ", not " };
        format!("{what} must be {wanted}{not}{found}")
    }
}

/// An error of a parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// Position in bytes.
    pub at: Range<usize>,
    /// Description of the problem.
    pub message: String,
}

impl FormatError {
    /// Formats the error as `3:14: message`, with line and column (in characters) counted from one.
    pub fn with_position(&self, text: &str) -> String {
        let (line, column) = position(text, self.at.start);
        format!("{line}:{column}: {}", self.message)
    }
}

/// Offsets of the line breaks of a text, for many positions of one text.
pub struct LineBreaks(Vec<usize>);

impl LineBreaks {
    /// Finds the line breaks of a text.
    pub fn of(text: &str) -> LineBreaks {
        LineBreaks(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// Returns the line of a byte offset, counted from one.
    pub fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|newline| *newline < offset) + 1
    }
}

/// Returns line and column (in characters), both counted from one, of a byte offset. Takes time in proportion to the
/// offset.
pub fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
