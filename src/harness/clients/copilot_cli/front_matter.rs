//! Front matter of an instruction file: its patterns, its description, and the agents it excludes.

use std::sync::Arc;

use super::history::Heads;
use crate::formats::{Node, Remembered, Value, parse_rust_yaml};
use crate::harness::kit::front_matter::{self, PATTERN_KEYS};
use crate::harness::kit::heads;
use crate::text::js_trim;

/// Names in `excludeAgent` that refer to this client (Copilot CLI 1.0.102).
const OWN_NAMES: [&str; 2] = ["coding-agent", "cloud-agent"];

/// Front matter, as far as Copilot CLI reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    /// Patterns of `applyTo` or `paths`. A text is split at commas; the entries of a list are not.
    pub patterns: Vec<String>,
    /// Value of `description`, without surrounding white space.
    pub description: String,
    /// True if `excludeAgent` names this client.
    pub excluded: bool,
    /// Pattern keys that occur.
    keys: Vec<&'static str>,
}

impl FrontMatter {
    /// Returns true if the file applies to everything, so that it is sent at the start.
    pub(super) fn is_everywhere(&self) -> bool {
        self.patterns.iter().all(|pattern| matches!(pattern.as_str(), "**" | "**/*" | "*"))
    }
}

/// Returns the problem of the front matter, if there is one.
pub(super) fn problem(text: &str) -> Option<String> {
    let front = heads::vscode(text).map(|(head, _)| read(head));
    let has = |key: &str| front.as_ref().is_some_and(|front| front.keys.contains(&key));
    front_matter::problem(text, &["applyTo", "paths"], has, "the file applies to everything")
}

/// Parses the front matter of `text`.
pub(super) fn parse(text: &str, heads: Heads) -> FrontMatter {
    let Some((block, _)) = heads::vscode(text) else { return FrontMatter::default() };
    match heads {
        Heads::Paths => read(block).as_ref().clone(),
        Heads::Whole | Heads::Commas | Heads::Braces => read_as(block, heads),
    }
}

/// Parses a block as the newest version does.
fn read(block: &str) -> Arc<FrontMatter> {
    static READ: Remembered<FrontMatter> = Remembered::new();
    READ.of(block, |block| read_as(block, Heads::Paths))
}

fn read_as(block: &str, heads: Heads) -> FrontMatter {
    match parse_rust_yaml(block) {
        Ok(node) => of_yaml(&node, block, heads),
        Err(_) => of_lines(block, heads),
    }
}

/// Splits one text into patterns.
fn of_text(text: &str, heads: Heads) -> Vec<String> {
    match heads {
        Heads::Whole => Some(text.to_owned()).filter(|text| !text.is_empty()).into_iter().collect(),
        Heads::Commas => text.split(',').map(js_trim).filter(|part| !part.is_empty()).map(str::to_owned).collect(),
        Heads::Braces | Heads::Paths => split(text),
    }
}

fn of_yaml(node: &Node, block: &str, heads: Heads) -> FrontMatter {
    let paths = || node.get("paths").filter(|_| heads == Heads::Paths);
    let patterns = match node.get("applyTo").or_else(paths).map(|node| &node.value) {
        Some(Value::Text(text)) => of_text(text, heads),
        Some(Value::List(list)) if heads == Heads::Whole => of_text(&texts(list).collect::<Vec<_>>().join(", "), heads),
        Some(Value::List(list)) => texts(list).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let description = node.get("description").and_then(Node::as_text).unwrap_or_default().trim().to_owned();
    let excluded = match node.get("excludeAgent").map(|node| &node.value) {
        Some(Value::Text(name)) => OWN_NAMES.contains(&name.as_str()),
        Some(Value::List(list)) => texts(list).any(|name| OWN_NAMES.contains(&name)),
        _ => false,
    };
    let has = |key: &&str| node.get(key).is_some() || raw(block, key).is_some();
    FrontMatter { patterns, description, excluded, keys: PATTERN_KEYS.into_iter().filter(has).collect() }
}

/// Reads the pattern from its line. The client does this if the block is not YAML, such as `applyTo: **/*.ts` without
/// quotation marks, and ignores all other keys.
fn of_lines(block: &str, heads: Heads) -> FrontMatter {
    let paths = || raw(block, "paths").filter(|_| heads == Heads::Paths);
    let line = raw(block, "applyTo").or_else(paths);
    let line = match heads {
        Heads::Braces | Heads::Paths => line,
        // In JavaScript these characters end a line too.
        Heads::Whole | Heads::Commas => line.and_then(|line| line.split(['\u{2028}', '\u{2029}']).next()),
    };
    let patterns = line.map(|line| of_text(line, heads)).unwrap_or_default();
    let keys = PATTERN_KEYS.into_iter().filter(|key| raw(block, key).is_some()).collect();
    FrontMatter { patterns, keys, ..FrontMatter::default() }
}

fn texts(list: &[Node]) -> impl Iterator<Item = &str> {
    list.iter().filter_map(Node::as_text)
}

/// Returns the value on the first line of `key`, without one pair of quotation marks around it, or else without a
/// comment.
fn raw<'a>(block: &'a str, key: &str) -> Option<&'a str> {
    let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let value = line.strip_prefix(char::is_whitespace)?.trim();
    for quote in ['"', '\''] {
        if value.starts_with(quote) && value.ends_with(quote) {
            return Some(value.get(1..value.len() - 1).unwrap_or_default());
        }
    }
    let comment = value.char_indices().find(|&(at, c)| c == '#' && value[..at].ends_with(char::is_whitespace));
    Some(comment.map_or(value, |(at, _)| value[..at].trim_end())).filter(|value| !value.is_empty())
}

/// Splits patterns at commas, except those in braces, in brackets, or after a backslash.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut class, mut escaped) = (vec![String::new()], 0_usize, false, false);
    for c in text.chars() {
        let literal = std::mem::take(&mut escaped);
        match c {
            _ if literal => {}
            '\\' => escaped = true,
            ']' => class = false,
            _ if class => {}
            '[' => class = true,
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("starts with one").push(c);
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}
