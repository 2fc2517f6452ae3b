//! Formatting of the prompt and comparison of files, as in oh-my-pi 18.2.3: line by line, and paragraph by paragraph.

use std::borrow::Cow;

use crate::text::{is_js_space, js_trim, js_trim_end};

/// Formats a text as in the prompt: without white space at line ends, with narrow tables, single blank lines, and none
/// before a closing tag. Between fences only line ends change.
pub(super) fn tidied(text: &str) -> String {
    let mut lines = text.split('\n').peekable();
    let is_blank = |line: &&str| js_trim(line).is_empty();
    // Every line with its line end.
    let mut out = String::new();
    let mut fenced = false;
    while let Some(line) = lines.next() {
        let line = js_trim_end(line);
        let inner = line.trim_start_matches([' ', '\t']);
        let inner =
            if inner.starts_with(|c: char| !c.is_ascii()) { line.trim_start_matches(is_js_space) } else { inner };
        let is_fence = inner.starts_with("```") || inner.starts_with("~~~");
        if is_fence || fenced {
            fenced ^= is_fence;
            out.extend([line, "\n"]);
            continue;
        }
        if line.is_empty() {
            if lines.peek().is_none_or(is_blank) {
                drop_blanks(&mut out);
                while lines.next_if(is_blank).is_some() {}
            } else if !ends_blank(&out) {
                out.push('\n');
            }
            continue;
        }
        if is_closing_tag(inner) {
            drop_blanks(&mut out);
        }
        out.extend([&line[..line.len() - inner.len()], &narrow(inner), "\n"]);
    }
    drop_blanks(&mut out);
    out.pop();
    out
}

/// Returns true if there is no line, or the last one is blank.
fn ends_blank(lines: &str) -> bool {
    lines.is_empty() || lines == "\n" || lines.ends_with("\n\n")
}

fn drop_blanks(lines: &mut String) {
    while !lines.is_empty() && ends_blank(lines) {
        lines.pop();
    }
}

/// Returns true if a line is a single tag `</name>`.
fn is_closing_tag(line: &str) -> bool {
    let name = line.strip_prefix("</").and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'_')
    })
}

/// Removes white space around the cells of a table row. Returns any other line unchanged.
fn narrow(line: &str) -> Cow<'_, str> {
    let is_row = line.len() > 1
        && line.starts_with('|')
        && line.ends_with('|')
        && !line.contains(['\r', '\u{2028}', '\u{2029}']);
    let is_rule = line.len() > 2
        && line.starts_with('|')
        && line.ends_with('|')
        && line.chars().all(|c| matches!(c, '|' | '-' | ':') || is_js_space(c));
    let cells = line.split('|').map(js_trim);
    if is_rule {
        let rules: Vec<&str> = cells
            .filter(|cell| !cell.is_empty())
            .map(|cell| match (cell.starts_with(':'), cell.ends_with(':')) {
                (true, true) => ":---:",
                (true, false) => ":---",
                (false, true) => "---:",
                (false, false) => "---",
            })
            .collect();
        return format!("|{}|", rules.join("|")).into();
    }
    if is_row { cells.collect::<Vec<_>>().join("|").into() } else { line.into() }
}

/// Returns the paragraphs by which files are compared. Fenced blocks are not split.
pub(super) fn paragraphs(text: &str) -> Vec<String> {
    let tidied = tidied(js_trim(text));
    let mut found: Vec<String> = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut fenced = false;
    let mut end = |lines: &mut Vec<&str>| {
        let block = lines.join("\n");
        let block = js_trim(&block);
        if !block.is_empty() {
            found.push(block.to_owned());
        }
        lines.clear();
    };
    for line in js_trim(&tidied).split('\n') {
        let inner = line.trim_start_matches(is_js_space);
        fenced ^= inner.starts_with("```") || inner.starts_with("~~~");
        let is_break =
            !fenced && js_trim(line).is_empty() && lines.last().is_some_and(|last| !js_trim(last).is_empty());
        if is_break {
            end(&mut lines);
        } else {
            lines.push(line);
        }
    }
    end(&mut lines);
    found
}

/// Returns true if `text` contains all paragraphs of `inner` in a row.
pub(super) fn holds(text: &[String], inner: &[String]) -> bool {
    if inner.is_empty() {
        return false;
    }
    // Knuth-Morris-Pratt: for each prefix of `inner`, the length of its longest proper suffix that is also a prefix.
    let mut again = vec![0; inner.len()];
    let mut same = 0;
    for at in 1..inner.len() {
        same = longer(inner, &again, same, &inner[at]);
        again[at] = same;
    }
    let mut same = 0;
    text.iter().any(|paragraph| {
        same = longer(inner, &again, same, paragraph);
        same == inner.len()
    })
}

/// Returns the length of the matched prefix of `inner` after `next`, if `same` paragraphs matched before it.
fn longer(inner: &[String], again: &[usize], mut same: usize, next: &str) -> usize {
    while same > 0 && inner[same] != next {
        same = again[same - 1];
    }
    same + usize::from(inner[same] == next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_tidied_as_the_client_does() {
        for (text, tidy) in [
            ("a  \n\n\n\nb", "a\nb"),
            ("a\n \nb\n", "a\n\nb"),
            ("a\n\n</file>", "a\n</file>"),
            ("```\na  \n\n\nb\n```\n\n", "```\na\n\n\nb\n```"),
            ("| a  |  b |\n|----|:-:|", "|a|b|\n|---|:---:|"),
            ("\n\na", "a"),
            ("  | a |", "  |a|"),
        ] {
            assert_eq!(tidied(text), tidy, "{text:?}");
        }
    }

    #[test]
    fn a_text_stands_in_another_by_its_paragraphs() {
        let of = |text: &str| paragraphs(text);
        assert!(holds(&of("x\n\na\n\nb\n\ny"), &of("a\n\nb\n")));
        assert!(!holds(&of("a\nb"), &of("a")));
        assert!(!holds(&of("```\na\n\nb\n```"), &of("b")));
        assert!(!holds(&of("a"), &of(" \n")));
        assert!(holds(&of("a\n\na\n\nb"), &of("a\n\nb")));
        assert!(holds(&of("a\n\nb\n\na\n\nb\n\nc"), &of("a\n\nb\n\nc")));
        assert!(!holds(&of("a\n\nb\n\nb\n\nc"), &of("a\n\nb\n\nc")));
        let same = |count: usize, last: &str| [vec!["a".to_owned(); count], vec![last.to_owned()]].concat();
        assert!(!holds(&same(200_000, "b"), &same(100_000, "c")));
    }
}
