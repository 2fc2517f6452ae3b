//! YAML front matter of an instruction file, as far as rules use it: keys with texts, lists and booleans.
//!
//! If the block is not valid YAML, such as `globs: **/*.ts` without quotation marks, the value can still be read from
//! its line. Agents differ in how they treat this, so both readings are offered.

use std::ops::Range;
use std::sync::Arc;

use crate::formats::Remembered;
use crate::harness::kit::heads;

/// Keys by which agents select the files that a rule applies to.
pub(in crate::harness) const PATTERN_KEYS: [&str; 4] = ["applyTo", "paths", "globs", "fileMatchPattern"];

/// Returns a pattern key of another agent that the front matter has, if it has none of the agent's own.
fn foreign_key(own: &[&str], has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let foreign = || PATTERN_KEYS.into_iter().find(|key| !own.contains(key) && has(key));
    if own.iter().any(|key| has(key)) { None } else { foreign() }
}

/// Describes the problem of a front matter that lacks the pattern keys in `own`: it is not closed, or uses another
/// agent's key. `always` is the consequence, in words.
pub(in crate::harness) fn problem(
    text: &str,
    own: &[&str],
    has: impl Fn(&str) -> bool,
    always: &str,
) -> Option<String> {
    if is_open(text) {
        return Some(format!("no `---` line closes the front matter, so it is sent as text, and {always}"));
    }
    let foreign = foreign_key(own, has)?;
    Some(format!("`{foreign}` is another agent's key; use {}: without it, {always}", own[0]))
}

/// Returns true if the front matter is not closed, so that it is taken for text.
fn is_open(text: &str) -> bool {
    let mut lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
    let begins = lines.next().is_some_and(|line| line.trim_end() == "---");
    let keys = PATTERN_KEYS.into_iter().chain(["alwaysApply", "description", "inclusion"]);
    let is_key = |line: &str| keys.clone().any(|key| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')));
    begins && lines.clone().next().is_some_and(is_key) && !lines.any(|line| line.contains("---"))
}

type Entries = Option<Vec<(String, Value)>>;

/// The front matter of one file.
pub(in crate::harness) struct FrontMatter<'a> {
    /// Keys and values; `None` if the block is not YAML.
    entries: Arc<Entries>,
    block: &'a str,
}

/// Front matter as ranges, without the text.
pub(in crate::harness) struct Head {
    entries: Arc<Entries>,
    block: Range<usize>,
    /// Start of the text after the front matter, in bytes.
    pub body: usize,
}

impl Head {
    /// Parses the block between a first line `---` and the next line that begins with `---`.
    pub(in crate::harness) fn of(text: &str) -> Option<Head> {
        static READ: Remembered<Entries> = Remembered::new();
        let (block, body) = heads::vscode(text)?;
        let entries = READ.of(block, |block| entries(&lines_of(block).collect::<Vec<_>>()));
        let start = text.find('\n').map_or(text.len(), |end| end + 1);
        Some(Head { entries, block: start..start + block.len(), body: text.len() - body.len() })
    }

    /// Returns the front matter with the text that it is part of.
    pub(in crate::harness) fn front_matter<'a>(&self, text: &'a str) -> FrontMatter<'a> {
        FrontMatter { entries: self.entries.clone(), block: &text[self.block.clone()] }
    }
}

fn lines_of(block: &str) -> impl Iterator<Item = &str> {
    block.split_inclusive('\n').map(|line| line.trim_end_matches(['\n', '\r']))
}

/// Value of one of the shapes that rules use.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::harness) enum Value {
    Text(String),
    List(Vec<String>),
    Bool(bool),
    /// A number, null, a table.
    Other,
}

impl<'a> FrontMatter<'a> {
    /// Parses the block between a first line `---` and the next line that begins with `---`.
    pub(in crate::harness) fn of(text: &'a str) -> Option<FrontMatter<'a>> {
        Some(Head::of(text)?.front_matter(text))
    }

    /// Returns true if the block is YAML.
    pub(in crate::harness) fn is_yaml(&self) -> bool {
        self.entries.is_some()
    }

    /// Returns the value of a key. If a key occurs twice, the last one counts.
    pub(in crate::harness) fn get(&self, key: &str) -> Option<&Value> {
        self.entries.as_ref().as_ref()?.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns true if the key occurs, whatever its value.
    pub(in crate::harness) fn has(&self, key: &str) -> bool {
        self.get(key).is_some() || (!self.is_yaml() && self.raw(key).is_some())
    }

    /// Returns the text of a key.
    pub(in crate::harness) fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            Value::List(_) | Value::Bool(_) | Value::Other => None,
        }
    }

    /// Returns the text of a key. If the block is not YAML, returns the rest of the key's line.
    pub(in crate::harness) fn word(&self, key: &str) -> Option<&str> {
        if self.is_yaml() { self.text(key) } else { self.raw(key) }
    }

    /// Returns the patterns of a key: a list, or one text separated by commas. If the block is not YAML, reads the rest
    /// of the key's line. `None` if there is no value.
    pub(in crate::harness) fn patterns(&self, key: &str) -> Option<Vec<String>> {
        match (self.is_yaml(), self.get(key)) {
            (true, Some(Value::Text(text))) => Some(split(text)),
            (true, Some(Value::List(list))) => {
                Some(list.iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect())
            }
            (true, Some(Value::Bool(_) | Value::Other) | None) => None,
            (false, _) => self.raw(key).map(split),
        }
    }

    /// Returns the value on the line of `key`, without the quotation marks around it.
    fn raw(&self, key: &str) -> Option<&'a str> {
        let line = lines_of(self.block).find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        let value = line.trim();
        let unquoted = value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
        Some(unquoted.unwrap_or(value))
    }
}

/// Parses the keys and values of a YAML block; `None` if it is not valid.
fn entries(block: &[&str]) -> Entries {
    let mut entries = Vec::new();
    let mut lines = block.iter().peekable();
    while let Some(line) = lines.next() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let (key, rest) = line.split_once(':')?;
        if line.starts_with([' ', '\t', '-']) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
            return None;
        }
        let rest = uncommented(rest).trim();
        let mut below = Vec::new();
        while let Some(next) = lines.next_if(|next| next.starts_with([' ', '\t', '-']) || next.trim().is_empty()) {
            below.push(next.trim());
        }
        let value = if rest.is_empty() {
            let items = below.iter().filter(|item| !item.is_empty());
            let items: Option<Vec<String>> = items.map(|item| scalar(item.strip_prefix('-')?.trim())).collect();
            match items? {
                list if list.is_empty() => Value::Other,
                list => Value::List(list),
            }
        } else if rest.starts_with(['>', '|']) {
            Value::Text(below.join(if rest.starts_with('>') { " " } else { "\n" }))
        } else if let Some(inner) = rest.strip_prefix('[') {
            let inner = inner.strip_suffix(']')?;
            let items = split_flow(inner);
            Value::List(items.iter().map(|item| scalar(item)).collect::<Option<_>>()?)
        } else {
            match rest {
                "true" | "True" | "TRUE" => Value::Bool(true),
                "false" | "False" | "FALSE" => Value::Bool(false),
                "null" | "Null" | "NULL" | "~" => Value::Other,
                // YAML treats words such as `Infinity`, which Rust parses as numbers, as texts.
                number
                    if number.ends_with(|c: char| c.is_ascii_digit() || c == '.') && number.parse::<f64>().is_ok() =>
                {
                    Value::Other
                }
                text => Value::Text(scalar(text)?),
            }
        };
        entries.push((key.trim().to_owned(), value));
    }
    Some(entries)
}

/// Parses a scalar; `None` if YAML would reject it.
fn scalar(text: &str) -> Option<String> {
    let text = uncommented(text).trim();
    if let Some(inner) = text.strip_prefix('"') {
        let inner = inner.strip_suffix('"')?;
        return Some(inner.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\"));
    }
    if let Some(inner) = text.strip_prefix('\'') {
        return Some(inner.strip_suffix('\'')?.replace("''", "'"));
    }
    let forbidden = text.starts_with(['*', '&', '!', '%', '@', '`', '|', '>', ']', '}']) || text.contains(": ");
    (!forbidden).then(|| text.to_owned())
}

/// Removes a comment, which begins with ` #` outside of quotation marks.
fn uncommented(text: &str) -> &str {
    if text.trim_start().starts_with(['"', '\'']) {
        return text;
    }
    text.find(" #").map_or(text, |at| &text[..at])
}

/// Splits the items of a flow list.
fn split_flow(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (',', None) => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        items.last_mut().expect("starts with one").push(c);
    }
    items.into_iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

/// Splits patterns at commas, except at those between braces.
pub(in crate::harness) fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_in_a_text_a_list_or_on_a_line_that_is_no_yaml() {
        for (block, patterns) in [
            ("globs: a.ts, b/{c,d}.ts", Some(vec!["a.ts", "b/{c,d}.ts"])),
            ("globs: [\"a, b\", c]", Some(vec!["a, b", "c"])),
            ("globs:\n  - a\n  - \"**/b\"", Some(vec!["a", "**/b"])),
            ("globs: **/*.ts,*.md", Some(vec!["**/*.ts", "*.md"])),
            ("globs: []", Some(vec![])),
            ("globs:", None),
            ("globs: 5", None),
            ("other: x", None),
        ] {
            let text = format!("---\n{block}\n---\nbody");
            let front = FrontMatter::of(&text).expect("front matter");
            let expected = patterns.map(|list: Vec<&str>| list.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(front.patterns("globs"), expected, "{block}");
            assert_eq!(&text[Head::of(&text).expect("the same").body..], "body");
        }
        assert!(FrontMatter::of("---\nglobs: a\n").is_none(), "never closed");
    }

    #[test]
    fn only_a_bare_word_is_a_boolean() {
        let front = FrontMatter::of("---\na: true\nb: \"true\"\nc: false # no\n---\n").expect("front matter");
        assert_eq!(front.get("a"), Some(&Value::Bool(true)));
        assert_eq!(front.text("b"), Some("true"));
        let front_of_words = FrontMatter::of("---\na: Infinity\nb: nan\nc: 1.5e3\n---\n").expect("front matter");
        assert_eq!(["a", "b", "c"].map(|key| front_of_words.text(key)), [Some("Infinity"), Some("nan"), None]);
        assert_eq!(front.get("c"), Some(&Value::Bool(false)));
    }

    #[test]
    fn a_word_stands_on_its_line_even_where_the_block_is_no_yaml() {
        let front = FrontMatter::of("---\ntrigger: glob\nglobs: **/*.ts\n---\n").expect("front matter");
        assert_eq!((front.text("trigger"), front.word("trigger")), (None, Some("glob")));
    }
}
