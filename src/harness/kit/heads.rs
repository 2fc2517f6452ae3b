//! Finds the end of the front matter of a Markdown file: the readings of all clients side by side, each named after its
//! client. Parsing of the front matter is elsewhere.
//!
//! | reading | first line | ends with | notes |
//! |---|---|---|---|
//! | [`whole_lines`] | `---`, then white space | such a line | Claude Code's skills and agents, Copilot CLI's, Gemini CLI's and OpenClaw's skills |
//! | [`vscode`] | the same | a line that begins with `---` | rules of Copilot CLI, Cursor and agents that follow them |
//! | [`vscode_chat`] | the same | such a line, or the end | files with patterns of Copilot in VS Code |
//! | [`codex`] | `---`, white space on both sides | such a line | |
//! | [`claude_code`] | `---`, perhaps after a byte order mark | three dashes, wherever they stand | white space after them goes |
//! | [`gray_matter`] | `---`, and the name of a language | a line that begins with `---`, or the end | OpenCode |
//! | [`cline`] | exactly `---` | a line that begins with `---` | |
//! | [`qwen_code`] | exactly `---` | exactly `---` | |
//! | [`continue_dev`] | any line of `---` | the next one | later such lines lose their line ends |
//! | [`pi`], [`hermes`], [`grok_build`], [`openclaw_early`] | begins with `---` | a line that begins with `---` | they differ in what else is cut off |

use std::ops::Range;

use crate::text::{is_js_space, js_trimmed};

/// Front matter and the text after it; `None` if there is no front matter, or it is not closed.
type Parts<'a> = Option<(&'a str, &'a str)>;

/// Splits at a first line of three dashes and the next such line.
pub(in crate::harness) fn whole_lines(text: &str) -> Parts<'_> {
    let is_border = |line: &str| line.trim_end() == "---";
    between(text, is_border, is_border)
}

/// Splits at a first line of three dashes and the next line that begins with them.
pub(in crate::harness) fn vscode(text: &str) -> Parts<'_> {
    between(text, |line| line.trim_end() == "---", |line| line.starts_with("---"))
}

/// Returns the front matter that VS Code itself reads for its chat: from a first line of three dashes to the next, or
/// to the end.
pub(in crate::harness) fn vscode_chat(text: &str) -> Option<&str> {
    let is_border = |line: &str| line.trim_end() == "---";
    let first = text.split_inclusive('\n').next().filter(|line| is_border(line))?;
    Some(between(text, is_border, is_border).map_or(&text[first.len()..], |(head, _)| head))
}

/// Splits at a first line of three dashes and the next one. White space around the dashes is ignored.
pub(in crate::harness) fn codex(text: &str) -> Parts<'_> {
    let is_border = |line: &str| line.trim() == "---";
    between(text, is_border, is_border)
}

/// Splits at a first line that satisfies `begins` and the next one that satisfies `ends`.
fn between(text: &str, begins: impl Fn(&str) -> bool, ends: impl Fn(&str) -> bool) -> Parts<'_> {
    let mut lines = text.split_inclusive('\n');
    let start = lines.next().filter(|line| begins(line))?.len();
    let mut at = start;
    for line in lines {
        if ends(line) {
            return Some((&text[start..at], &text[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// Splits at the first three dashes after the first line, even in the middle of a line.
pub(in crate::harness) fn claude_code(text: &str) -> Parts<'_> {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text).strip_prefix("---")?;
    let space = rest.len() - rest.trim_start_matches(is_js_space).len();
    let (head, behind) = rest[rest[..space].rfind('\n')? + 1..].split_once("---")?;
    Some((head, behind.trim_start_matches(is_js_space)))
}

/// Front matter as the library gray-matter reads it.
pub(in crate::harness) struct GrayMatter<'a> {
    /// Text after the opening dashes, such as `json`.
    pub language: &'a str,
    pub head: &'a str,
    pub body: &'a str,
}

/// Splits as gray-matter does. If the front matter is not closed, the body is empty. A first line of more than three
/// dashes opens none.
pub(in crate::harness) fn gray_matter(text: &str) -> Option<GrayMatter<'_>> {
    let after = text.strip_prefix("---").filter(|after| !after.starts_with('-'))?;
    let (language, after) = after.split_at(after.find('\n').unwrap_or(after.len()));
    let (head, behind) = after.split_once("\n---").unwrap_or((after, ""));
    Some(GrayMatter { language, head, body: without_line_end(behind) })
}

/// Splits at a first line `---` and the next line that begins with `---`.
pub(in crate::harness) fn cline(text: &str) -> Parts<'_> {
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let (head, behind) = rest.split_once("\n---")?;
    Some((head.strip_suffix('\r').unwrap_or(head), without_line_end(behind)))
}

fn without_line_end(text: &str) -> &str {
    let text = text.strip_prefix('\r').unwrap_or(text);
    text.strip_prefix('\n').unwrap_or(text)
}

/// Splits at two lines that are exactly `---`. The text's lines must end with LF.
pub(in crate::harness) fn qwen_code(text: &str) -> Parts<'_> {
    let rest = text.strip_prefix("---\n")?;
    let ends = rest.match_indices("\n---").map(|(at, dashes)| (at, &rest[at + dashes.len()..]));
    let (end, behind) = ends.into_iter().find(|(_, behind)| behind.is_empty() || behind.starts_with('\n'))?;
    Some((&rest[..end], behind.strip_prefix('\n').unwrap_or(behind)))
}

/// Splits at the first two lines of three dashes. In the body, white space after any other such line is removed.
pub(in crate::harness) fn continue_dev(text: &str) -> (Option<&str>, String) {
    let lines = dashes(text);
    let [first, second, rest @ ..] = lines.as_slice() else { return (None, text.to_owned()) };
    let mut body = String::new();
    let mut start = second.end;
    for line in rest {
        body.push_str(&text[start..line.start]);
        body.push_str("---");
        start = line.end;
    }
    body.push_str(&text[start..]);
    (Some(&text[first.end..second.start]), body)
}

/// Returns the ranges of the lines of three dashes, each with the white space after it up to the last line end in it.
fn dashes(text: &str) -> Vec<Range<usize>> {
    let is_end = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let mut found: Vec<Range<usize>> = Vec::new();
    for (start, _) in text.match_indices("---") {
        let begins = text[..start].chars().next_back().is_none_or(is_end);
        if !begins || found.last().is_some_and(|line| start < line.end) {
            continue;
        }
        let behind = &text[start + 3..];
        let blanks = js_trimmed(behind).start;
        let mut stops = behind[..blanks].char_indices().filter(|(_, c)| is_end(*c)).map(|(at, _)| at);
        let end = if blanks == behind.len() { Some(blanks) } else { stops.next_back() };
        found.extend(end.map(|end| start..start + 3 + end));
    }
    found
}

/// Returns the text between three dashes and the next line that begins with them; `None` if it is empty.
pub(in crate::harness) fn pi(text: &str) -> Option<&str> {
    to_dashes(text)?.0.get(1..).filter(|head| !head.is_empty())
}

/// Returns the text after the front matter. A text with nothing after its front matter is returned whole.
pub(in crate::harness) fn hermes(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}');
    let body = to_dashes(text).map_or("", |(_, behind)| behind.trim_start_matches('\n'));
    if body.is_empty() { text } else { body }
}

/// Returns the text after the front matter, whatever else is on the lines of dashes.
pub(in crate::harness) fn grok_build(text: &str) -> &str {
    to_dashes(text).map_or(text, |(_, behind)| behind)
}

/// Returns the front matter as OpenClaw read it up to 2026.2: without the first character after the dashes. The text's
/// lines must end with LF.
pub(in crate::harness) fn openclaw_early(text: &str) -> Option<&str> {
    let mut head = to_dashes(text)?.0.chars();
    head.next();
    Some(head.as_str())
}

/// Splits at three dashes at the start and the next line that begins with them. Both parts keep the rest of the dashes'
/// lines.
fn to_dashes(text: &str) -> Parts<'_> {
    text.strip_prefix("---")?.split_once("\n---")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::js_trim;

    #[test]
    fn a_head_stands_between_two_lines_of_dashes() {
        for (text, parts) in [
            ("---\nname: a\n---\nBody\n", Some(("name: a\n", "Body\n"))),
            ("---\r\nname: a\r\n---\r\nBody", Some(("name: a\r\n", "Body"))),
            ("---\n---", Some(("", ""))),
            ("---\nname: a\n", None),
            ("---\nname: a\n--- b\n", None),
            ("name: a\n---\n", None),
            ("\u{feff}---\n---\n", None),
            ("", None),
        ] {
            assert_eq!(whole_lines(text), parts, "{text:?}");
        }
        assert_eq!(vscode("---\nname: a\n--- b\nBody"), Some(("name: a\n", "Body")));
    }

    #[test]
    fn to_codex_white_space_around_the_dashes_does_not_count() {
        for (text, head) in [
            ("---\nname: a\n---\nBody\n", Some("name: a\n")),
            (" ---\nname: a\n  --- \n", Some("name: a\n")),
            ("---\n---", Some("")),
            ("---\nname: a\n", None),
            ("\n---\n---\n", None),
            ("----\n----\n", None),
        ] {
            assert_eq!(codex(text).map(|(head, _)| head), head, "{text:?}");
        }
    }

    #[test]
    fn to_continue_a_head_stands_between_the_first_two_lines_of_dashes() {
        for (text, head, body) in [
            ("---\na: 1\n---\nText", Some("\na: 1\n"), "\nText"),
            ("---\na: 1\n---", Some("\na: 1\n"), ""),
            ("---  \n\na\n---\n\nText\n---\nmore", Some("\na\n"), "\nText\n---\nmore"),
            ("--- x\n---\nText", None, "--- x\n---\nText"),
            ("x---\n---\n---\n", Some(""), ""),
        ] {
            let (found, rest) = continue_dev(text);
            assert_eq!((found.map(js_trim), js_trim(&rest)), (head.map(js_trim), js_trim(body)), "{text:?}");
        }
    }

    #[test]
    fn other_readings_differ_in_what_the_dashes_may_stand_beside() {
        let text = "---x\na: 1\n---y\n\nBody";
        assert_eq!(pi(text), Some("\na: 1"));
        assert_eq!(openclaw_early(text), Some("\na: 1"));
        assert_eq!((hermes(text), grok_build(text)), ("y\n\nBody", "y\n\nBody"));
        assert_eq!((hermes("---\n---\n\n"), grok_build("---\n---\n\n")), ("---\n---\n\n", "\n\n"));
        assert_eq!((cline(text), qwen_code(text), claude_code(text)), (None, None, None));
        let text = "---\na: 1\n---y\n---\nBody";
        assert_eq!(cline(text), Some(("a: 1", "y\n---\nBody")));
        assert_eq!(qwen_code(text), Some(("a: 1\n---y", "Body")));
        assert_eq!(claude_code(text), Some(("a: 1\n", "y\n---\nBody")));
    }
}
