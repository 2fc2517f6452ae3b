//! The front matter of a Markdown file between `---` lines, as gray-matter parses it: first as YAML, then again with
//! plain values that contain a colon treated as texts.

use std::borrow::Cow;

use crate::formats::{Node, Value, parse_js_yaml, parse_json};
use crate::harness::kit::heads::{self, GrayMatter};
use crate::text::{is_js_space, js_trim};

/// A Markdown file, split into front matter and text.
pub(super) struct Markdown {
    /// Values of the front matter; an empty table if there is none.
    pub data: Node,
    /// Text after the front matter.
    pub content: String,
}

/// Parses a file; `None` if its front matter is not YAML in either way.
pub(super) fn parse(text: &str) -> Option<Markdown> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    split(text).or_else(|| {
        let again = sanitized(text);
        // If gray-matter has failed on the same text before, it reports no front matter.
        if again == text { Some(whole(text)) } else { split(&again) }
    })
}

fn whole(text: &str) -> Markdown {
    Markdown { data: Node { at: 0..0, value: Value::Table(Vec::new()) }, content: text.to_owned() }
}

fn split(text: &str) -> Option<Markdown> {
    let empty = || Node { at: 0..0, value: Value::Table(Vec::new()) };
    let Some(GrayMatter { language, head, body }) = heads::gray_matter(text) else { return Some(whole(text)) };
    let without_comments: String = head.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let data = if without_comments.trim().is_empty() { empty() } else { data(js_trim(language), head)? };
    Some(Markdown { data, content: body.to_owned() })
}

/// Parses front matter in the language that its first line names.
fn data(language: &str, text: &str) -> Option<Node> {
    match language {
        "json" => parse_json(text).ok(),
        _ if ["", "yaml", "yml"].iter().any(|yaml| language.eq_ignore_ascii_case(yaml)) => parse_js_yaml(text).ok(),
        _ => None,
    }
}

/// Turns `key: a: b` into a block, so that it is valid YAML.
fn sanitized(text: &str) -> Cow<'_, str> {
    let Some(after) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return Cow::Borrowed(text);
    };
    let Some(end) = after.find("\n---") else { return Cow::Borrowed(text) };
    let head = after[..end].strip_suffix('\r').unwrap_or(&after[..end]);
    let mut lines = Vec::new();
    for line in head.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)) {
        let trimmed = js_trim(line);
        let continues = trimmed.is_empty() || trimmed.starts_with('#') || line.starts_with(is_js_space);
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let (key, value) = (key.trim_end_matches(is_js_space), js_trim(value));
        let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let plain = value.contains(':') && !value.starts_with(['"', '\'']) && value != ">" && value != "|";
        if !continues && is_key && plain {
            lines.push(format!("{key}: |-\n  {value}"));
        } else {
            lines.push(line.to_owned());
        }
    }
    Cow::Owned(text.replacen(head, &lines.join("\n"), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_gray_matter_does() {
        for (text, name, content) in [
            ("---\nname: a\n---\nBody\n", Some("a"), "Body\n"),
            ("---\nname: a: b\n---\nBody", Some("a: b"), "Body"),
            ("---\r\nname: \"q\"\r\n---\r\nBody", Some("q"), "Body"),
            ("No head", None, "No head"),
            ("----\nname: a\n", None, "----\nname: a\n"),
            ("---\n---\nBody", None, "Body"),
            ("---\nname: 5\n---\n", None, ""),
        ] {
            let markdown = parse(text).expect("valid");
            assert_eq!(markdown.data.get("name").and_then(Node::as_text), name, "{text}");
            assert_eq!(markdown.content, content, "{text}");
        }
        assert!(parse("---\nname: [\nx: a: b\n---\n").is_none());
        assert_eq!(
            parse("---\nname: [\n---\n").map(|markdown| markdown.content).as_deref(),
            Some("---\nname: [\n---\n")
        );
    }
}
