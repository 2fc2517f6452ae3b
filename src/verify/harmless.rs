//! Replaces settings that must not be copied: secrets, and programs that a client would start by itself.

use std::cmp::Reverse;
use std::path::Path;

use super::settings::place;
use crate::formats::{FormatError, Node, parse_json5, parse_jsonc, parse_yaml};

/// Settings key that gets another value in a copy.
pub struct Harmless {
    /// The keys that lead to it; `*` is any.
    pub path: &'static [&'static str],
    /// The value that it has in the copy, in the syntax of JSON.
    pub value: &'static str,
}

impl Harmless {
    /// Creates a replacement for the value at `path`.
    pub const fn new(path: &'static [&'static str], value: &'static str) -> Harmless {
        Harmless { path, value }
    }
}

/// Returns the bytes of a file for the copy.
pub fn harmless(path: &Path, bytes: &[u8], keys: &[Harmless]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(bytes) else { return bytes.to_vec() };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json" | "jsonc") => in_place(text, |text| parse_jsonc(text).or_else(|_| parse_json5(text)), keys),
        Some("yaml" | "yml") => in_place(text, parse_yaml, keys),
        Some("toml") => toml(text, keys),
        _ => text.to_owned(),
    }
    .into_bytes()
}

/// Replaces values in place. A text that cannot be parsed is left unchanged: it starts nothing.
fn in_place(text: &str, parse: impl Fn(&str) -> Result<Node, FormatError>, keys: &[Harmless]) -> String {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Ok(node) = parse(bare) else { return text.to_owned() };
    let mut found = Vec::new();
    keys.iter().for_each(|key| values(&node, key.path, key.value, &mut found));
    let mut found: Vec<_> = found.into_iter().map(|(node, value)| (place(bare, node), value)).collect();
    found.sort_by_key(|(at, _)| Reverse(at.start));
    let mut out = bare.to_owned();
    let mut before = usize::MAX;
    for (at, value) in found {
        if at.end <= before {
            before = at.start;
            out.replace_range(at, &format!(" {value}"));
        }
    }
    format!("{}{out}", &text[..text.len() - bare.len()])
}

fn values<'a>(node: &'a Node, path: &[&str], value: &'static str, found: &mut Vec<(&'a Node, &'static str)>) {
    let Some((first, rest)) = path.split_first() else {
        found.push((node, value));
        return;
    };
    for (key, inner) in node.as_table().unwrap_or_default() {
        if *first == "*" || key == first {
            values(inner, rest, value, found);
        }
    }
}

/// Removes keys in every TOML notation: tables, dotted keys and inline tables.
fn toml(text: &str, keys: &[Harmless]) -> String {
    let Ok(mut table) = text.parse::<toml::Table>() else { return text.to_owned() };
    let left_out = keys.iter().filter(|key| leave_out(&mut table, key.path)).count();
    if left_out == 0 { text.to_owned() } else { table.to_string() }
}

/// Removes the value at `path`; returns true if there was one.
fn leave_out(table: &mut toml::Table, path: &[&str]) -> bool {
    match path {
        [] => false,
        [last] => table.remove(*last).is_some(),
        [first, rest @ ..] => {
            let inner = table.get_mut(*first).and_then(toml::Value::as_table_mut);
            inner.is_some_and(|table| leave_out(table, rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [Harmless; 2] = [Harmless::new(&["hooks"], "{}"), Harmless::new(&["agent", "*", "model"], "\"m\"")];

    #[test]
    fn settings_start_nothing_and_are_otherwise_as_they_were() {
        for (name, before, after) in [
            ("a.json", "{\"hooks\": {\"x\": [1]}, // c\n \"a\": 1}", "{\"hooks\": {}, // c\n \"a\": 1}"),
            ("a.json", "\u{feff}{\"a\": {\"hooks\": 1}}", "\u{feff}{\"a\": {\"hooks\": 1}}"),
            (
                "a.json",
                "{\"agent\": {\"b\": {\"model\": \"x/y\", \"c\": 1}}}",
                "{\"agent\": {\"b\": {\"model\": \"m\", \"c\": 1}}}",
            ),
            ("a.json", "{\"hooks\": ", "{\"hooks\": "),
            ("a.toml", "a = 1\n[hooks.y]\nz = 1\n[b]\nhooks = 1\n", "a = 1\n\n[b]\nhooks = 1\n"),
            ("a.toml", "[[hooks.y]]\nz = 1\n[\"b\"]\nc = 1\n", "[b]\nc = 1\n"),
            ("a.toml", "hooks.y.z = 1\n\"hooks\".x = 2\nc = 1\n", "c = 1\n"),
            ("a.toml", "hooks = {y = 1}\nc = 1\n", "c = 1\n"),
            ("a.toml", "c = 1 # as it was\n", "c = 1 # as it was\n"),
            ("a.toml", "hooks = ", "hooks = "),
            ("a.md", "{\"hooks\": 1}", "{\"hooks\": 1}"),
            ("a.yaml", "hooks:\n- x\nb: 1\n", "hooks: {}\nb: 1\n"),
            ("a.yaml", "hooks:\nb: 1\n", "hooks: {}\nb: 1\n"),
            ("a.yml", "agent: {b: {model: x, c: 1}}\n", "agent: {b: {model: \"m\", c: 1}}\n"),
            ("a.yaml", "agent:\n  b:\n    model: |\n      x\n    c: 1\n", "agent:\n  b:\n    model: \"m\"\n    c: 1\n"),
            ("a.yaml", "hooks: [", "hooks: ["),
        ] {
            let copied = harmless(Path::new(name), before.as_bytes(), &KEYS);
            assert_eq!(String::from_utf8_lossy(&copied), after, "{before}");
        }
    }
}
