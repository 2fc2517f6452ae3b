//! Parses one instruction file: removes front matter and comments, and finds imports.

use std::borrow::Cow;
use std::ops::Range;

use crate::answer::Text;
use crate::formats::marked::{self, BlockKind};
use crate::formats::{Node, parse_leniently};
use crate::harness::kit::heads;
use crate::snapshot::Content;
use crate::text::{is_js_space, js_trim};

/// An instruction file as Claude Code parses it.
#[derive(Debug)]
pub(super) struct Document {
    /// The remaining text; at the start of a session it is trimmed as well.
    pub(super) text: Text,
    /// Front matter, if the file begins with some.
    pub(super) front: Front,
    /// Words after an `@` that may be imports, in order, as written.
    pub(super) imports: Vec<String>,
    /// Ranges of the file's bytes that `text` is made of.
    pub(super) kept: Vec<Range<usize>>,
}

/// Front matter of a file.
#[derive(Debug)]
pub(super) enum Front {
    /// The file has no front matter.
    None,
    /// Front matter that could be parsed, strictly or leniently.
    Matter(Node),
    /// Front matter that is not YAML.
    Broken,
}

/// Returns true if the file may have imports or comments, so that it must be parsed as Markdown.
pub(super) fn has_markup(raw: &Content) -> bool {
    let text = raw.text();
    text.contains('@') || text.contains("<!--")
}

/// What a file with comments is put together from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joins {
    /// Its blocks: link definitions are lost, and CRLF becomes LF, whether or not a comment is removed.
    Blocks,
    /// Everything but comments; a text that loses none stays as it is written (2.1.330).
    Everything,
}

impl Joins {
    /// Returns the rule by which a file is read, which names the variant.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Joins::Blocks => "its imports and comments",
            Joins::Everything => "its imports, and the comments that are blocks",
        }
    }

    /// Returns the variant of a rule.
    pub(super) fn of_rule(rule: &str) -> Joins {
        if rule == Joins::Everything.rule() { Joins::Everything } else { Joins::Blocks }
    }
}

/// Parses the bytes of a file.
pub(super) fn take_apart(raw: &Content, joins: Joins) -> Document {
    let decoded = raw.text();
    let (front, start) = front_matter(&decoded);
    let body = &decoded[start..];
    let everything = 0..body.len();
    let mut document = Document { text: Text::default(), front, imports: Vec::new(), kept: Vec::new() };
    let comments = body.contains("<!--");
    let markdown = (comments || body.contains('@')).then(|| marked::parse(body));
    if let Some(markdown) = &markdown {
        let texts = markdown.texts_and_html(|html| without_comments(html).filter(|rest| !js_trim(rest).is_empty()));
        document.imports = texts.iter().flat_map(|text| words(text)).collect();
    }
    let kept = match markdown {
        Some(markdown) if comments && (joins == Joins::Blocks || loses_a_comment(&markdown)) => {
            let (text, kept) = rejoined(body, &markdown, joins);
            document.text = text.into();
            kept
        }
        _ => {
            document.text = Text::of(raw, body);
            vec![everything]
        }
    };
    let kept: Vec<_> = kept.into_iter().map(|range| start + range.start..start + range.end).collect();
    document.kept = raw.raw_ranges(&kept);
    document
}

/// Parses the front matter, and returns where the text after it begins. It ends at the first three dashes, wherever
/// they are.
fn front_matter(text: &str) -> (Front, usize) {
    let Some((head, body)) = heads::claude_code(text) else { return (Front::None, 0) };
    (parse_leniently(head).map_or(Front::Broken, Front::Matter), text.len() - body.len())
}

/// Returns a block of HTML that begins with a comment, without its comments; `None` for any other block.
fn without_comments(html: &str) -> Option<String> {
    let start = html.trim_start_matches(is_js_space);
    if !start.starts_with("<!--") || !html.contains("-->") {
        return None;
    }
    let (mut out, mut rest) = (String::new(), html);
    while let Some((open, close)) = comment(rest) {
        out.push_str(&rest[..open]);
        rest = &rest[close..];
    }
    out.push_str(rest);
    Some(out)
}

/// Returns true if a block is a comment, which is removed.
fn loses_a_comment(markdown: &marked::Document) -> bool {
    markdown.blocks.iter().any(|block| block.kind == BlockKind::Html && without_comments(&block.raw).is_some())
}

/// Returns the range of the first comment that is closed.
fn comment(text: &str) -> Option<(usize, usize)> {
    let open = text.find("<!--")?;
    let close = text[open + 4..].find("-->")?;
    Some((open, open + 4 + close + 3))
}

/// Joins the Markdown blocks again, and returns the text with the ranges that are kept. Comments that are blocks are
/// removed, and what lies between blocks, link definitions, is as well before 2.1.330. CRLF becomes LF; ranges are unknown
/// then, and the whole body counts as kept.
fn rejoined(body: &str, markdown: &marked::Document, joins: Joins) -> (String, Vec<Range<usize>>) {
    let (mut text, mut kept, mut at) = (String::new(), Vec::<Range<usize>>::new(), 0);
    let exact = !body.contains('\r');
    let source = if exact { Cow::Borrowed(body) } else { body.replace("\r\n", "\n").replace('\r', "\n").into() };
    let mut keep = |range: Range<usize>| match kept.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => kept.push(range),
    };
    for block in &markdown.blocks {
        let found = source[at..].find(&block.raw).map_or(at..at, |found| at + found..at + found + block.raw.len());
        if joins == Joins::Everything && found.start > at {
            text.push_str(&source[at..found.start]);
            keep(at..found.start);
        }
        let uncommented = match block.kind {
            BlockKind::Html => without_comments(&block.raw),
            _ => None,
        };
        let is_gone = uncommented.as_deref().is_some_and(|rest| js_trim(rest).is_empty());
        if !is_gone {
            text.push_str(uncommented.as_deref().unwrap_or(&block.raw));
            if !found.is_empty() {
                keep(found.clone());
            }
        }
        at = found.end;
    }
    if joins == Joins::Everything && at < source.len() {
        text.push_str(&source[at..]);
        keep(at..source.len());
    }
    if exact { (text, kept) } else { (text, std::iter::once(0..body.len()).collect()) }
}

/// Returns the words after an `@` at the start of the text or after white space. In them, `\ ` is a space.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut before = None;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at += c.len_utf8();
        if c != '@' || before.is_some_and(|before| !is_js_space(before)) {
            before = Some(c);
            continue;
        }
        let start = at;
        loop {
            let rest = &text[at..];
            match rest.chars().next() {
                Some('\\') if rest[1..].starts_with(' ') => at += 2,
                Some(c) if c != '\\' && !is_js_space(c) => at += c.len_utf8(),
                _ => break,
            }
        }
        if at > start {
            words.push(text[start..at].to_owned());
        }
        before = text[..at].chars().next_back();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_behind_an_at_sign_end_at_white_space() {
        assert_eq!(words("@a b@c @d\\ e, (@f) @@g @ @h#i"), ["a", "d\\ e,", "@g", "h#i"]);
    }

    #[test]
    fn comments_that_are_blocks_go_with_their_lines() {
        for (source, left) in [
            ("# T\n<!-- a -->\n\nb\n", "# T\nb\n"),
            ("a <!-- b --> c", "a <!-- b --> c"),
            ("<!-- a --> b\n", " b\n"),
            ("<!-- a --> <!-- b -->\n\nc", "c"),
            ("a <!-- -->\r\nb\r\n", "a <!-- -->\nb\n"),
            ("a <!-- -->\n\n[x]: y\n\nb", "a <!-- -->\n\nb"),
            ("a\r\nb", "a\r\nb"),
        ] {
            assert_eq!(take_apart(&source.into(), Joins::Blocks).text, left, "{source:?}");
        }
    }

    #[test]
    fn front_matter_ends_with_three_dashes_anywhere() {
        for (source, left) in [
            ("---\na: b---c\n---\nd", "c\n---\nd"),
            ("\u{feff}---\na: b\n---\n\n\nd", "d"),
            ("\n---\na: b\n---\nd", "\n---\na: b\n---\nd"),
            ("--- x\n---\n", "--- x\n---\n"),
            ("---\nopen", "---\nopen"),
        ] {
            assert_eq!(take_apart(&source.into(), Joins::Blocks).text, left, "{source:?}");
        }
    }
}
