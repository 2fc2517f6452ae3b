//! Formats: settings and front matter as values with spans, and Markdown as JavaScript takes it apart.
//!
//! Whose formats these are, how each is compared with the real library, and what is known to differ:
//!
//! | here | library, version | compared | known to differ |
//! |---|---|---|---|
//! | `yaml/rust` | `serde_yaml` 0.9, by way of its fork `serde_norway` | it is the library | more than 10 000 brackets are refused |
//! | `yaml/npm` | npm `yaml` 2.9 | `tests/libraries.rs` | 0.4 % of generated heads: tags and `?` within brackets, a tab in the last line |
//! | `yaml/js_yaml` | `js-yaml` 3.15 within `gray-matter` 4.0 | `tests/libraries.rs` | 1.3 % of generated heads: times as keys, keys of nothing, text of many lines at the top |
//! | `yaml/lenient` | Claude Code's own | cases | |
//! | `dotenv` | npm `dotenv` 17 | `tests/libraries.rs` | nothing known |
//! | `marked` | npm `marked` within Claude Code | cases | |
//! | `json5`, `jsonc`, `json` | npm `json5`, `jsonc-parser`, JavaScript's `JSON` | tables in their tests | |
//! | `toml_value` | the crate `toml` | it is the library | |
//!
//! No format names another. Within `yaml`, the dialects stand on one builder; within `marked`, `inline` stands on `blocks` and
//! `html`, `blocks` on `html`, and these two on `lines`.

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

/// A whole file as JavaScript's `JSON.parse` reads it. Its values have no spans; errors have a position.
///
/// Observed with Node 20: lone surrogates, numbers that are too large and nesting of any depth are taken, of which `serde_json`
/// takes none.
pub fn parse_json(text: &str) -> Result<Node, FormatError> {
    parse_rust_json(text).or_else(|error| jsonc::parse_plain(text).map_err(|_| error))
}

/// A value, and where it stands in its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Byte range in the file.
    pub at: Range<usize>,
    /// The value.
    pub value: Value,
}

/// A value of any settings format.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// JSON's `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number as TOML has them, or a JSON number without fraction that fits.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(String),
    /// A TOML date or time.
    Date(String),
    /// A list.
    List(Vec<Node>),
    /// Keys and values, in the order of the file.
    Table(Vec<(String, Node)>),
}

impl Node {
    /// The value of a key, if this is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            // The last one counts where a format allows a key twice.
            Value::Table(entries) => entries.iter().rev().find(|(name, _)| name == key).map(|(_, node)| node),
            _ => None,
        }
    }

    /// The value at a path of keys.
    pub fn at_path(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The elements, if it is a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    /// The keys and values, if it is a table.
    pub fn as_table(&self) -> Option<&[(String, Node)]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// The texts of a list of texts.
    pub fn as_texts(&self) -> Option<Vec<&str>> {
        self.as_list()?.iter().map(Node::as_text).collect()
    }
}

impl Value {
    /// A JSON number that is written with a fraction, or does not fit an integer. Some parsers have `-0` as one of these; to
    /// whoever reads settings it is the integer 0.
    fn of_float(number: f64) -> Value {
        if number == 0.0 && number.is_sign_negative() { Value::Integer(0) } else { Value::Float(number) }
    }

    /// What kind of value it is, in the words of an error message.
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

    /// Says that `what` must be something else than this value. A text is not repeated: it may be a secret.
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

/// Why a file could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// Where, in bytes.
    pub at: Range<usize>,
    /// What is wrong.
    pub message: String,
}

impl FormatError {
    /// `3:14: message`, line and column (in characters) from one.
    pub fn with_position(&self, text: &str) -> String {
        let (line, column) = position(text, self.at.start);
        format!("{line}:{column}: {}", self.message)
    }
}

/// Line and column (in characters), both from one, of a byte offset.
pub fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
