//! Front matter of a rule file, split by line into keys and values with byte ranges. Each agent's own code interprets
//! it.

use std::ops::Range;

/// One key of the front matter, with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Byte range of the key in the file.
    pub at: Range<usize>,
    /// Values without quotation marks, each with its byte range: one value, or the items of a list.
    pub values: Vec<(String, Range<usize>)>,
}

/// Front matter between two lines of three dashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Byte range from the first dash to the last.
    pub at: Range<usize>,
    /// Its keys.
    pub entries: Vec<Entry>,
    /// True if the second line of dashes is present.
    pub closed: bool,
}

/// Keys whose values are the globs of a rule.
pub const PATTERN_KEYS: [&str; 4] = ["applyTo", "paths", "globs", "fileMatchPattern"];

impl Head {
    /// Returns the globs that scope the rule; none if another key (`alwaysApply`, `inclusion`) overrides them.
    pub fn patterns(&self) -> impl Iterator<Item = &(String, Range<usize>)> {
        let said = |key: &str| self.values(key).first().map(|(value, _)| value.as_str());
        let decides = said("alwaysApply") != Some("true") && said("inclusion").is_none_or(|word| word == "fileMatch");
        let keys = PATTERN_KEYS.iter().filter(move |_| decides && self.closed);
        keys.flat_map(|key| self.values(key))
    }

    /// Returns the values of a key.
    pub fn values(&self, key: &str) -> &[(String, Range<usize>)] {
        self.entries.iter().find(|entry| entry.key == key).map_or(&[], |entry| &entry.values)
    }
}

/// Parses the front matter of a text, if there is any. A byte order mark before it is skipped.
pub fn head(text: &str) -> Option<Head> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut at = text.len() - body.len();
    let mut lines = body.split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim_end() == "---")?;
    let start = at;
    at += first.len();
    let mut entries: Vec<Entry> = Vec::new();
    for line in lines {
        let content = line.trim_end();
        if content == "---" {
            return Some(Head { at: start..at + content.len(), entries, closed: true });
        }
        let item = content.trim_start().strip_prefix("- ");
        match (item, content.split_once(':')) {
            (Some(item), _) => {
                let from = at + content.len() - item.len();
                let last = entries.last_mut();
                last.into_iter().for_each(|entry| entry.values.extend(value(item, from)));
            }
            (None, Some((key, rest))) if !key.is_empty() && !key.starts_with([' ', '\t', '#']) => {
                let from = at + key.len() + 1;
                entries.push(Entry {
                    key: key.trim_end().to_owned(),
                    at: at..at + key.trim_end().len(),
                    values: values(rest, from),
                });
            }
            (None, _) => {}
        }
        at += line.len();
    }
    Some(Head { at: start..at, entries, closed: false })
}

/// Parses `"a"`, `a, b` or `["a", "b"]`. Commas inside braces do not separate values.
fn values(text: &str, from: usize) -> Vec<(String, Range<usize>)> {
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
    let (list, start) = match inner {
        Some(inner) => (inner, from + text.find('[').unwrap_or(0) + 1),
        None => (text, from),
    };
    let quoted_whole = inner.is_none() && trimmed.len() > 1 && trimmed.starts_with(['"', '\'']);
    let mut found = Vec::new();
    let (mut depth, mut begin) = (0_usize, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 && !quoted_whole => {
                found.extend(value(&list[begin..at], start + begin));
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.extend(value(&list[begin..], start + begin));
    // `applyTo: "a,b"` is one string with two globs.
    if quoted_whole
        && let [(text, at)] = &found[..]
        && !text.contains('{')
        && text.contains(',')
    {
        let at = at.start;
        let parts = text.split(',').scan(at, |next, part| {
            let start = *next + part.len() - part.trim_start().len();
            *next += part.len() + 1;
            Some((part.trim().to_owned(), start..start + part.trim().len()))
        });
        return parts.collect();
    }
    found
}

fn value(text: &str, from: usize) -> Option<(String, Range<usize>)> {
    let plain = text.trim();
    let mut start = from + text.len() - text.trim_start().len();
    let unquoted = ['"', '\''].into_iter().find_map(|quote| plain.strip_prefix(quote)?.strip_suffix(quote));
    start += usize::from(unquoted.is_some());
    let plain = unquoted.unwrap_or(plain);
    (!plain.is_empty()).then(|| (plain.to_owned(), start..start + plain.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_stand_where_they_are_said_to() {
        for (text, said) in [
            ("---\napplyTo: \"**/*.ts,**/*.tsx\"\n---\n", "applyTo: **/*.ts | **/*.tsx"),
            ("---\nglobs: src/**/*.{ts,js}, b\n---\n", "globs: src/**/*.{ts,js} | b"),
            ("---\npaths:\n  - 'a/**'\n  - b\nname: x: y\n---\n", "paths: a/** | b; name: x: y"),
            ("---\npaths: [\"a\", b]\n", "paths: a | b"),
            ("# no head\n", ""),
        ] {
            let entries = head(text).map(|head| head.entries).unwrap_or_default();
            let said_here: Vec<String> = entries
                .iter()
                .map(|entry| {
                    assert_eq!(&text[entry.at.clone()], entry.key);
                    for (value, at) in &entry.values {
                        assert_eq!(&text[at.clone()], value);
                    }
                    let values: Vec<_> = entry.values.iter().map(|(value, _)| value.as_str()).collect();
                    format!("{}: {}", entry.key, values.join(" | "))
                })
                .collect();
            assert_eq!(said_here.join("; "), said, "{text:?}");
        }
    }
}
