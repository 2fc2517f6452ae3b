//! Escapers, one for each kind of output. They keep names, patterns and texts of a workspace from acting as markup or
//! as control codes there.
//!
//! | place | function |
//! |---|---|
//! | a terminal: a name or sentence in a line, several lines, a whole screen with styles | [`visible`], [`lines`], [`screen`] |
//! | a hover: text, code, a block of code | [`inert`], [`code_span`], [`fenced`] |
//! | a comment on GitHub: text, code; it may stand in a table | [`comment`], [`comment_code`] |
//! | HTML and XML, as text or as the value of an attribute | [`markup`] |
//! | workflow commands of GitHub: the message, a property, a line of the log | [`command`], [`command_property`], [`log_line`] |
//! | a message in SARIF, which knows links | [`sarif`] |
//! | JSON in any form | [`json`], [`write_json`] |
//!
//! `tests/fuzz/escapers.rs` states for each place what its output never contains.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// Returns true for control characters, and for characters that are invisible or change the order of others. Zero-width
/// joiners are part of words and emoji.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        )
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns text for one line of a terminal, with escapes in place of characters that would steer it.
pub fn visible(text: &impl ToString) -> String {
    without_steering(&text.to_string(), |_| false)
}

/// Returns text for lines of a terminal: line ends stay.
pub fn lines(text: &str) -> String {
    without_steering(text, |c| c == '\n')
}

/// Escapes a whole screen for a terminal. Line ends and style codes are kept.
pub fn screen(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&lines(&rest[..at]));
        let style = style(&rest[at..]);
        out.push_str(if style == 0 { "\\u{1b}" } else { &rest[at..at + style] });
        rest = &rest[at + style.max(1)..];
    }
    out + &lines(rest)
}

/// Returns the length of the style code at the beginning of a text: `ESC [ 1 ; 31 m`; 0 if there is none.
fn style(text: &str) -> usize {
    let Some(numbers) = text.strip_prefix("\u{1b}[") else { return 0 };
    let end = numbers.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    if numbers[end..].starts_with('m') { "\u{1b}[".len() + end + "m".len() } else { 0 }
}

fn without_steering(text: &str, stays: impl Fn(char) -> bool) -> String {
    if !text.contains(|c| steers(c) && !stays(c)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !steers(c) || stays(c) => out.push(c),
            c if c.is_control() => out.extend(c.escape_debug()),
            c => out.extend(c.escape_unicode()),
        }
    }
    out
}

/// Escapes text for one block of Markdown, so that it contains no active link, image or markup. Code spans stay code.
pub fn inert(text: &str) -> String {
    beside_code(&on_one_line(text), code_span, |c, rest, out| {
        out.extend(is_live(c, rest).then_some('\\').into_iter().chain([c]))
    })
}

/// Returns true if a character of Markdown may begin or end markup, given the text after it.
fn is_live(c: char, rest: &str) -> bool {
    match c {
        '<' | '`' => true,
        // A footnote.
        '[' => rest.starts_with('^'),
        // A bracket pair alone, as in `app/[id]/page.tsx`, is no link. The opening bracket may be in another text.
        ']' => rest.is_empty() || rest.starts_with(['(', '[', ']', ':']),
        // A backslash would cancel the escape of the character after it.
        '\\' => rest.chars().next().is_none_or(|next| next.is_ascii_punctuation()),
        _ => false,
    }
}

/// Returns text for a comment on GitHub, which may stand in a table: shown as it is, without mentions, references and
/// links. Code spans in it stay code.
pub fn comment(text: &str) -> String {
    let mut before = ' ';
    beside_code(&visible(&text), comment_code, |c, rest, out| {
        match c {
            // GitHub searches for these after it has parsed the Markdown, so a backslash does not escape them.
            '@' => out.push_str("@&#8203;"),
            '#' if rest.starts_with(|next: char| next.is_ascii_digit()) => out.push_str("#&#8203;"),
            '-' if rest.starts_with(|next: char| next.is_ascii_digit()) && before.eq_ignore_ascii_case(&'h') => {
                out.push_str("-&#8203;")
            }
            ':' if rest.starts_with("//") => out.push_str(":&#8203;"),
            '.' if before.eq_ignore_ascii_case(&'w') => out.push_str("&#8203;."),
            '|' => out.push_str("&#124;"),
            '&' => out.push_str("&amp;"),
            c if "\\`*_[]<>#~$".contains(c) => out.extend(['\\', c]),
            c => out.push(c),
        }
        before = c;
    })
}

/// Returns text as code in a comment on GitHub, which may stand in a table.
pub fn comment_code(text: &str) -> String {
    let text = visible(&text);
    if !text.contains(['`', '|']) && !text.is_empty() {
        return format!("`{text}`");
    }
    // In a table, only an entity escapes a vertical bar in all cases.
    let entity = |c: char| if c.is_ascii_punctuation() { format!("&#{};", u32::from(c)) } else { c.to_string() };
    format!("<code>{}</code>", text.chars().map(entity).collect::<String>())
}

/// Rewrites one block of Markdown: the code spans with `code`, and every other character with `beside`.
fn beside_code(text: &str, code: fn(&str) -> String, mut beside: impl FnMut(char, &str, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        if let Some(end) = closing(&rest[ticks..], ticks).filter(|_| ticks > 0) {
            out.push_str(&code(&rest[ticks..ticks + end]));
            rest = &rest[ticks + end + ticks..];
            continue;
        }
        // Unclosed backticks are not code; the whole run is handled at once.
        let (now, behind) = rest.split_at(ticks.max(c.len_utf8()));
        for (at, c) in now.char_indices() {
            beside(c, &rest[at + c.len_utf8()..], &mut out);
        }
        rest = behind;
    }
    out
}

/// Returns text as a code span, whatever backticks are in it.
pub fn code_span(text: &str) -> String {
    let text = on_one_line(text);
    let ticks = "`".repeat(longest_ticks(&text) + 1);
    let pad = if text.is_empty() || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Returns text as a block of code in a language, with a fence that nothing in it closes.
pub fn fenced(language: &str, text: &str) -> String {
    let shown = |c: char| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c };
    let fence = "`".repeat(longest_ticks(text).max(2) + 1);
    let text: String = text.trim_end_matches('\n').replace("\r\n", "\n").chars().map(shown).collect();
    format!("{fence}{language}\n{text}\n{fence}")
}

fn longest_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Returns the offset of the first run of exactly `ticks` backticks.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut from = 0;
    while let Some(start) = text[from..].find('`').map(|at| from + at) {
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        if run == ticks {
            return Some(start);
        }
        from = start + run;
    }
    None
}

fn on_one_line(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\r' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// Returns text for HTML and XML: between tags, or as the value of an attribute. Characters that XML forbids are
/// escaped as in Rust.
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(&text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Returns text for the message of a workflow command of GitHub.
pub fn command(text: &str) -> String {
    log_line(text).replace('%', "%25")
}

/// Returns text for a property of a workflow command of GitHub.
pub fn command_property(text: &str) -> String {
    command(text).replace(':', "%3A").replace(',', "%2C")
}

/// Escapes text for a line of a workflow log, so that it contains no command of the old form, such as `##[group]`.
pub fn log_line(text: &str) -> String {
    visible(&text).replace("##[", "## [")
}

/// Returns text for a message in SARIF, in which `[words](target)` would be a link.
pub fn sarif(text: &str) -> String {
    visible(&text).replace("](", "] (")
}

/// Returns a value as JSON in several lines. Characters that would steer a terminal are written as `\u009b`.
pub fn json(value: &(impl Serialize + ?Sized)) -> Result<String, String> {
    let mut out = Vec::new();
    write_json(value, &mut out).map_err(|error| error.to_string())?;
    String::from_utf8(out).map_err(|error| error.to_string())
}

/// Returns a value as JSON in one line, with the same escapes as `json`.
pub fn json_line(value: &impl Serialize) -> Result<String, String> {
    let mut out = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut out, Harmless(CompactFormatter));
    value.serialize(&mut serializer).map_err(|error| error.to_string())?;
    String::from_utf8(out).map_err(|error| error.to_string())
}

/// Writes a value as [`json`] does.
pub fn write_json(value: &(impl Serialize + ?Sized), out: impl Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Harmless(PrettyFormatter::new()));
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// Formatter that writes JSON as another one does, but escapes characters in strings that would steer a terminal.
struct Harmless<F>(F);

impl<F: Formatter> Formatter for Harmless<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // serde_json has already escaped all ASCII control characters except DEL.
        if fragment.is_ascii() && !fragment.as_bytes().contains(&0x7f) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| steers(*c)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(visible(&"/r/\u{1b}[31mred\n/AGENTS.md"), "/r/\\u{1b}[31mred\\n/AGENTS.md");
        assert_eq!(visible(&"a\u{202e}b\u{200b}c👩\u{200d}💻"), "a\\u{202e}b\\u{200b}c👩\u{200d}💻");
        assert_eq!(screen("\u{1b}[1;31ma\u{1b}[0m\n\u{1b}]0;b\u{9b}"), "\u{1b}[1;31ma\u{1b}[0m\n\\u{1b}]0;b\\u{9b}");
    }

    #[test]
    fn text_without_live_markdown_stays_as_it_is() {
        for text in ["app/[id]/page.tsx", "named by `instructions` of `~/[a](b)`", r"C:\Users\a", "a_b *c* | d"] {
            assert_eq!(inert(text), text);
        }
        assert_eq!(inert("[a](command:b) `"), "[a\\](command:b) \\`");
        assert_eq!((code_span("a*"), code_span("`a")), ("`a*`".to_owned(), "`` `a ``".to_owned()));
    }

    #[test]
    fn a_comment_mentions_nobody() {
        assert_eq!(comment("see `@a/b|c` and @all"), "see <code>&#64;a&#47;b&#124;c</code> and @&#8203;all");
        assert_eq!(comment("`a.md`: #1, **/*.md, https://a.b"), "`a.md`: #&#8203;1, \\*\\*/\\*.md, https:&#8203;//a.b");
    }

    #[test]
    fn json_says_all_without_a_control_character() {
        assert_eq!(json(&["a\u{9b}\u{7f}\u{e0041}\n"]).as_deref(), Ok("[\n  \"a\\u009b\\u007f\\udb40\\udc41\\n\"\n]"));
    }
}
