//! Lines of text that fit into the terminal.

use std::fmt::Write;

/// Additional indentation of the rest of a broken line, in columns.
const INDENT: usize = 4;

/// Returns the words of a text. The groups of a number and its unit are one: `32 768 B`.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let is_group = digits == 3 && !word[digits..].starts_with(char::is_alphanumeric);
        let is_unit = ["B", "%", "bytes", "tokens"].contains(&word.trim_end_matches([',', ';', '.', ')', ':']));
        match words.last_mut() {
            Some(last) if (is_group || is_unit) && last.ends_with(|c: char| c.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// Wraps the paragraphs and list items of a Markdown text at `width`. Code and tables stay as they are.
pub(super) fn markdown(text: &str, width: usize) -> String {
    let (mut out, mut paragraph, mut in_code) = (String::new(), String::new(), false);
    let flush = |paragraph: &mut String, out: &mut String| {
        let (mark, text) = match paragraph.strip_prefix("- ") {
            Some(text) => ("- ", text),
            None => ("", paragraph.as_str()),
        };
        for (at, line) in wrapped(text, width.saturating_sub(mark.len())).iter().enumerate() {
            let before = if at == 0 { mark } else { &" ".repeat(mark.len()) };
            let _ = writeln!(out, "{before}{line}");
        }
        paragraph.clear();
    };
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        let stands_alone = in_code || is_fence || line.is_empty() || line.starts_with(['#', '|']);
        in_code ^= is_fence;
        if stands_alone || line.starts_with("- ") {
            flush(&mut paragraph, &mut out);
        }
        if stands_alone {
            let _ = writeln!(out, "{line}");
            continue;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(line.trim());
    }
    flush(&mut paragraph, &mut out);
    out
}

/// Wraps a text at `width`, without breaking words.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words(text) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// Breaks the lines that are wider than the terminal. The rest of a line goes below, indented: from the last gap
/// between columns on, or else word by word. Style codes take no space.
pub(super) fn fitted(text: &str, width: usize) -> String {
    text.split_inclusive('\n').map(|line| fitted_line(line, width)).collect()
}

fn fitted_line(line: &str, width: usize) -> String {
    let indent = " ".repeat(line.len() - line.trim_start_matches(' ').len() + INDENT);
    let (mut out, mut rest) = (String::new(), line.to_owned());
    while let Some(at) = break_of(&rest, indent.len(), width) {
        out.push_str(rest[..at].trim_end());
        out.push('\n');
        rest = format!("{indent}{}", rest[at..].trim_start());
    }
    out + &rest
}

/// Returns where a line that is too wide is broken: at a gap in its second half, or at the last space that fits. `None`
/// if it fits.
fn break_of(line: &str, indent: usize, width: usize) -> Option<usize> {
    let (mut column, mut in_style) = (0, false);
    let (mut space, mut gap) = (None, None);
    let bytes = line.as_bytes();
    for (at, c) in line.char_indices().filter(|&(_, c)| c != '\n') {
        match c {
            '\u{1b}' => in_style = true,
            'm' if in_style => in_style = false,
            _ if in_style => {}
            _ if column >= width && (space.is_some() || c == ' ') => return gap.or(space).or(Some(at)),
            ' ' if column > indent => {
                let before = bytes[at - 1];
                if before == b' ' && column > width / 2 {
                    gap = Some(at);
                }
                // The groups of a number and its unit stay together.
                let is_part = |next: &u8| next.is_ascii_digit() || b"B%".contains(next);
                let is_in_number = before.is_ascii_digit() && bytes.get(at + 1).is_some_and(is_part);
                if !is_in_number {
                    space = Some(at);
                }
                column += 1;
            }
            _ => column += 1,
        }
    }
    None
}

/// Returns the width of lines: that of `COLUMNS` or the terminal, or else 100.
pub(super) fn width() -> usize {
    known_width().unwrap_or(100)
}

/// Returns the width of lines if `COLUMNS` or the terminal gives one.
pub(super) fn known_width() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    said.or_else(|| Some(usize::from(terminal_size::terminal_size()?.0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_stay_whole() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("32 768 of 34 566 B, 5 of 400 lines", 12), ["32 768 of", "34 566 B, 5", "of 400 lines"]);
        assert_eq!(
            markdown("# A b\n\n- one two\n  three\nfour\n\n```\na b c d e f\n```\n", 9),
            "# A b\n\n- one two\n  three\n  four\n\n```\na b c d e f\n```\n"
        );
    }

    #[test]
    fn a_line_that_is_too_wide_goes_on_below() {
        let fits = "  ● loaded  AGENTS.md  1 816 B  said\n";
        assert_eq!(fitted(fits, 36), fits);
        assert_eq!(
            fitted("  ● loaded  AGENTS.md  1 816 B  the first name that exists\nand so on\n", 36),
            "  ● loaded  AGENTS.md  1 816 B\n      the first name that exists\nand so on\n"
        );
        let styled = "  \u{1b}[2mone two\u{1b}[0m 1 234 567 B and-a-word-longer-than-the-rest of it";
        assert_eq!(
            fitted(styled, 18),
            "  \u{1b}[2mone two\u{1b}[0m\n      1 234 567 B\n      and-a-word-longer-than-the-rest\n      of it"
        );
    }
}
