//! Finds the key or value at a byte of a settings file or of the front matter of a rule. Files are incomplete while
//! they are being typed, so this does not use a parser.

use std::ops::Range;
use std::path::Path;

use super::front_matter;
use crate::formats::{self, Node, Value};

mod json;
mod toml;

/// A place in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Path of keys to the place, including the key itself.
    pub way: Vec<String>,
    /// Part of the entry: key or value.
    pub part: Part,
    /// Byte range of the word, without quotation marks.
    pub at: Range<usize>,
    /// True if the word is quoted, even if the closing quotation mark is missing.
    pub quoted: bool,
}

/// Part of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A key.
    Key,
    /// A value.
    Value,
}

/// Returns the place at a byte of a file; `None` if neither a key nor a value can be there.
pub fn spot(path: &Path, text: &str, byte: usize) -> Option<Spot> {
    let byte = text.floor_char_boundary(byte.min(text.len()));
    match format(path)? {
        Format::Json => json::spot(text, byte),
        Format::Toml => toml::spot(text, byte),
        Format::FrontMatter => in_front_matter(text, byte),
    }
}

/// Returns every string in a settings file with its byte range, without quotation marks; `None` if the file is not JSON
/// or TOML, or does not parse.
pub fn texts(path: &Path, raw: &[u8]) -> Option<Vec<(String, Range<usize>)>> {
    let text = std::str::from_utf8(raw).ok()?;
    let root = match format(path)? {
        Format::Json => formats::parse_json5(text).ok()?,
        Format::Toml => formats::parse_toml(text).ok()?,
        Format::FrontMatter => return None,
    };
    let mut found = Vec::new();
    let mut nodes: Vec<&Node> = vec![&root];
    while let Some(node) = nodes.pop() {
        match &node.value {
            Value::Text(value) => {
                let inside = node.at.start + 1..node.at.end.saturating_sub(1);
                if text.get(inside.clone()) == Some(value.as_str()) {
                    found.push((value.clone(), inside));
                }
            }
            Value::List(list) => nodes.extend(list),
            Value::Table(table) => nodes.extend(table.iter().map(|(_, node)| node)),
            Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) | Value::Date(_) => {}
        }
    }
    found.sort_by_key(|(_, at)| at.start);
    Some(found)
}

enum Format {
    Json,
    Toml,
    /// The head of a Markdown file.
    FrontMatter,
}

fn format(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "json" | "jsonc" | "json5" => Some(Format::Json),
        "toml" => Some(Format::Toml),
        "md" | "mdc" => Some(Format::FrontMatter),
        _ => None,
    }
}

fn in_front_matter(text: &str, byte: usize) -> Option<Spot> {
    let head = front_matter::head(text)?;
    let line_start = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
    if line_start <= head.at.start || byte > head.at.end || (head.closed && line_start + 3 >= head.at.end) {
        return None;
    }
    let line = text[line_start..].lines().next().unwrap_or_default();
    let before = &text[line_start..byte];
    let nested = line.starts_with([' ', '\t', '-']);
    if !before.contains(':') && !nested {
        let len = line.find(':').unwrap_or(line.trim_end().len());
        let key = line[..len].trim_end();
        let at = line_start..line_start + key.len();
        return Some(Spot { way: vec![key.to_owned()], part: Part::Key, at, quoted: false });
    }
    let entry = head.entries.iter().rfind(|entry| entry.at.start <= byte)?;
    let known = entry.values.iter().find(|(_, at)| at.start <= byte && byte <= at.end);
    let at = known.map_or(byte..byte, |(_, at)| at.clone());
    let quoted = text[..at.start].ends_with(['"', '\'']);
    Some(Spot { way: vec![entry.key.clone()], part: Part::Value, at, quoted })
}

#[cfg(test)]
pub(super) fn said(path: &str, text_with_mark: &str) -> String {
    let byte = text_with_mark.find('|').expect("a mark");
    let text = text_with_mark.replacen('|', "", 1);
    match spot(Path::new(path), &text, byte) {
        Some(spot) => {
            let quoted = if spot.quoted { " quoted" } else { "" };
            format!("{:?} {} `{}`{quoted}", spot.part, spot.way.join("."), &text[spot.at])
        }
        None => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_has_keys_and_values() {
        for (text, expected) in [
            ("---\nin|clusion: manual\n---\n", "Key inclusion `inclusion`"),
            ("---\ninclusion: man|\n---\n", "Value inclusion `man`"),
            ("---\ninclusion: |\n---\n", "Value inclusion ``"),
            ("---\n|\n---\n", "Key  ``"),
            ("---\nincl|\n", "Key incl `incl`"),
            ("---\npaths:\n  - 'src/|**'\n---\n", "Value paths `src/**` quoted"),
            ("---\npaths:\n  - |\n---\n", "Value paths ``"),
            ("---\na: b\n--|-\n", "nothing"),
            ("---\na: b\n---\ntext|", "nothing"),
            ("te|xt", "nothing"),
        ] {
            assert_eq!(said("/r/x.md", text), expected, "{text:?}");
        }
    }

    #[test]
    fn texts_stand_inside_of_their_quotation_marks() {
        for (path, text, expected) in [
            ("/r/x.json", "{\"a\": [\"b\", \"c\\n\"], // \"no\"\n \"d\": \"ü\"}", "b@8..9 ü@35..37"),
            ("/r/x.toml", "a = ['b']\n[t]\nc = \"d\"\n", "b@6..7 d@19..20"),
        ] {
            let found = texts(Path::new(path), text.as_bytes()).expect("a settings file");
            let said: Vec<_> = found.into_iter().map(|(text, at)| format!("{text}@{at:?}")).collect();
            assert_eq!(said.join(" "), expected, "{text}");
        }
        assert_eq!(texts(Path::new("/r/x.json"), b"{"), None);
    }
}
