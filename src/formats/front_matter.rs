//! YAML, as it stands in the front matter of instruction files, and the second chance that harnesses give it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::js_yaml;
use super::{FormatError, Node, Value};

/// How deep values may nest, so that dropping them cannot overflow the stack.
const DEPTH_LIMIT: usize = 64;

/// What a harness takes for a character like any other, and what stands for it while it is parsed.
const BYTE_ORDER_MARK: &str = "\u{feff}";
const STAND_IN: &str = "\u{f8fe}";

/// How many values a text may have, repetitions by alias included.
const VALUE_LIMIT: usize = 100_000;

/// The value of a YAML text of one document. Of a key that stands twice, the last one counts.
pub fn parse_yaml(text: &str) -> Result<Node, FormatError> {
    let parsed = |text: &str| Builder::new(text, Dialect::JavaScript).build();
    // Behind a colon a tab is as good as a space.
    parsed(text).or_else(|error| parsed(&text.replace(":\t", ": ")).map_err(|_| error))
}

/// YAML as npm's `yaml` reads it: no key may stand twice in one table, and no tab may indent.
pub fn parse_npm_yaml(text: &str) -> Result<Node, FormatError> {
    let is_indented = |line: &str| line.trim_start_matches(' ').starts_with('\t') && !line.trim().is_empty();
    if text.lines().any(is_indented) {
        return Err(FormatError { at: 0..0, message: "a tab that indents".to_owned() });
    }
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    if first.is_some_and(|line| line.trim_end() == "...") {
        return Err(FormatError { at: 0..0, message: "more than one document".to_owned() });
    }
    let node = parse_spaced(text)?;
    match repeated_key(&node) {
        Some(key) => Err(FormatError { at: 0..0, message: format!("`{key}` stands twice") }),
        None => Ok(node),
    }
}

/// `parse_yaml`, where `{a:{b: c}}` is `{a: {b: c}}`: in braces, a bracket behind a colon needs no space.
fn parse_spaced(text: &str) -> Result<Node, FormatError> {
    let mut parsed = parse_yaml(text);
    let mut spaced = text.to_owned();
    for _ in 0..DEPTH_LIMIT {
        match &parsed {
            Err(error) if error.message.starts_with("':' may not precede any of") => {
                let behind = error.at.start + 1;
                if !spaced.is_char_boundary(behind) || !spaced[..behind].ends_with(':') {
                    break;
                }
                spaced.insert(behind, ' ');
                parsed = parse_yaml(&spaced);
            }
            Ok(_) | Err(_) => break,
        }
    }
    parsed
}

fn repeated_key(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Table(entries) => {
            let mut seen = HashSet::new();
            let twice = entries.iter().find(|(key, _)| !seen.insert(key));
            let below = || entries.iter().find_map(|(_, node)| repeated_key(node));
            twice.map(|(key, _)| key.as_str()).or_else(below)
        }
        Value::List(list) => list.iter().find_map(repeated_key),
        _ => None,
    }
}

/// Control characters and the two that are none are errors.
pub(super) fn refuse_unprintable(text: &str) -> Result<(), FormatError> {
    let unprintable = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    match text.find(unprintable) {
        Some(at) => Err(FormatError { at: at..at, message: "a control character".to_owned() }),
        None => Ok(()),
    }
}

/// `parse_yaml`; if that fails, once more with every value quoted that has special characters in it, as Claude Code
/// does: `globs: **/*.ts` is common. `None` where that fails as well.
pub fn parse_leniently(text: &str) -> Option<Node> {
    let bare = |text: String| parse_yaml(text.trim_start_matches('\t')).ok();
    let found =
        bare(text.to_owned()).or_else(|| bare(plain(text.trim_start_matches('\t')))).or_else(|| bare(quoted(text)));
    found.map(with_merges)
}

/// The value with the keys of tables behind `<<` added, where they stand not there already.
pub fn with_merges(mut node: Node) -> Node {
    let Value::Table(entries) = &mut node.value else { return node };
    let merges: Vec<Node> = entries.extract_if(.., |(key, _)| key == "<<").map(|(_, node)| node).collect();
    let tables = merges.into_iter().flat_map(|node| match node.value {
        Value::List(list) => list,
        _ => vec![node],
    });
    for table in tables {
        let Value::Table(more) = table.value else { continue };
        for (key, value) in more {
            if !entries.iter().any(|(known, _)| *known == key) {
                entries.push((key, value));
            }
        }
    }
    node
}

/// The text without what Claude Code's parser takes and ours does not: tabs behind the colon of a plain value and before
/// the hyphen of an item, and tags with a comma or a star in them, as in `!a.ts, b.ts`.
fn plain(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let bare = line.trim_start_matches('\t');
        let line = if bare.starts_with("- ") && bare.len() < line.len() { format!(" {bare}") } else { line.to_owned() };
        let value = line.find(":\t").or_else(|| line.find(": ")).map(|at| at + 1);
        let Some(at) = value.or_else(|| line.find("- ").map(|at| at + 1)) else { return line };
        let value = line[at..].trim_start_matches(['\t', ' ']);
        let tagged = value.strip_prefix('!').and_then(|rest| rest.split_once(' '));
        let untagged = tagged.filter(|(tag, _)| !tag.contains(['!', '{', '['])).map(|(_, value)| value.trim_start());
        let value = match untagged {
            // Behind a tag a star is no alias.
            Some(value) if value.starts_with('*') => in_quotes(value),
            _ => untagged.unwrap_or(value).to_owned(),
        };
        format!("{} {value}", &line[..at])
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Every line `key: value` with a value in quotes, if the value has characters that mean something in YAML.
fn quoted(text: &str) -> String {
    let lines = text.split('\n').map(|line| match entry(line) {
        Some((key, value)) if wants_quotes(value) => {
            format!("{key}: {}", in_quotes(value))
        }
        Some(_) | None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn in_quotes(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
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

/// Whose YAML it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    JavaScript,
    JsYaml,
}

/// A table that is not finished yet.
#[derive(Default)]
struct OpenTable {
    entries: Vec<(String, Node)>,
    /// A key without its value.
    key: Option<String>,
    /// The keys so far.
    keys: HashSet<String>,
}

/// A list or a table that is not finished yet.
struct Open {
    start: usize,
    anchor: usize,
    list: Vec<Node>,
    /// `None`: it is a list.
    table: Option<OpenTable>,
}

/// Makes a value of the events of a text.
pub(super) struct Builder<'a> {
    text: &'a str,
    dialect: Dialect,
    /// The byte offset of every character, because the parser counts those.
    offsets: Vec<usize>,
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, usize)>,
    values: usize,
}

impl<'a> Builder<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Self {
        let offsets = text.char_indices().map(|(at, _)| at).collect();
        Builder { text, dialect, offsets, open: Vec::new(), anchors: HashMap::new(), values: 0 }
    }

    pub(super) fn build(mut self) -> Result<Node, FormatError> {
        let mut root = None;
        let mut documents = 0;
        // The parser knows a byte order mark as the first character only.
        let first = self.text.chars().next().map_or(0, char::len_utf8);
        let text = format!("{}{}", &self.text[..first], self.text[first..].replace(BYTE_ORDER_MARK, STAND_IN));
        for event in Parser::new_from_str(&text) {
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
                    let text = text.replace(STAND_IN, BYTE_ORDER_MARK);
                    let value = match (self.dialect, style == ScalarStyle::Plain, tag) {
                        (Dialect::JavaScript, true, None) => plain_value(&text),
                        (Dialect::JavaScript, _, _) => Value::Text(text),
                        (Dialect::JsYaml, plain, tag) => js_yaml::value(&text, plain, tag.as_deref())
                            .ok_or_else(|| problem("a value that its tag does not allow"))?,
                    };
                    Some((Node { at: at.clone(), value }, anchor))
                }
                Event::SequenceStart(_, Some(tag)) | Event::MappingStart(_, Some(tag))
                    if self.dialect == Dialect::JsYaml && !js_yaml::is_known(&tag) =>
                {
                    return Err(problem("a tag that is not known"));
                }
                Event::SequenceStart(anchor, _) => {
                    self.open.push(Open { start: at.start, anchor, list: Vec::new(), table: None });
                    None
                }
                Event::MappingStart(anchor, _) => {
                    let table = Some(OpenTable::default());
                    self.open.push(Open { start: at.start, anchor, list: Vec::new(), table });
                    None
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(&at),
            };
            self.values += 1;
            if self.open.len() > DEPTH_LIMIT || self.values > VALUE_LIMIT {
                return Err(problem("too many values, or too deep"));
            }
            if let Some((node, anchor)) = done
                && !self.put(node, anchor, &mut root)
                && self.dialect != Dialect::JavaScript
            {
                return Err(problem("a key that stands twice"));
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
            Some(table) => Value::Table(table.entries),
            None => Value::List(open.list),
        };
        let node = Node { at: open.start..at.end, value };
        Some((if self.dialect == Dialect::JsYaml { with_merges(node) } else { node }, open.anchor))
    }

    /// Puts the value where it belongs; `false`: it is a key that stands there already.
    fn put(&mut self, node: Node, anchor: usize, root: &mut Option<Node>) -> bool {
        if anchor > 0 {
            let values = count(&node);
            self.anchors.insert(anchor, (node.clone(), values));
        }
        match self.open.last_mut() {
            None => *root = Some(node),
            Some(Open { table: None, list, .. }) => list.push(node),
            Some(Open { table: Some(table), .. }) => match table.key.take() {
                Some(name) => table.entries.push((name, node)),
                None => {
                    // In JavaScript every key is a text.
                    let name = name_of(node);
                    let new = table.keys.insert(name.clone());
                    table.key = Some(name);
                    return new;
                }
            },
        }
        true
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
        ".inf" | ".Inf" | ".INF" | "+.inf" => Value::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Value::Float(f64::NEG_INFINITY),
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
            ("\tpaths: x", text("x")),
            ("\tpaths: *.js", None),
            ("paths: \u{feff}x", text("\u{feff}x")),
            ("paths: 'x", None),
            ("- *a\npaths: y", None),
            ("paths: x\npaths: y", text("y")),
        ] {
            assert_eq!(paths(yaml), value, "{yaml}");
        }
    }

    #[test]
    fn npm_wants_no_space_before_a_bracket_and_no_second_document() {
        // Recorded from the package yaml 2.9.1.
        let value = |yaml: &str| parse_npm_yaml(yaml).ok()?.at_path(&["m", "a", "b"]).map(|node| node.value.clone());
        assert_eq!(value("m: {a:{b: 1}}"), Some(Value::Integer(1)));
        assert!(matches!(value("m: {a: {b:[1]}}\n...\n# c"), Some(Value::List(_))));
        assert_eq!(value("...\nm: {a: {b: 1}}"), None);
        assert_eq!(value("m: {a: {b: 1}}\n...\nn: 1"), None);
    }

    #[test]
    fn absurd_values_are_errors() {
        assert!(parse_yaml(&"[".repeat(100_000)).is_err());
        let bomb: String = (1..40).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1)).collect();
        assert!(parse_yaml(&format!("a0: &a0 x\n{bomb}")).is_err());
    }
}
