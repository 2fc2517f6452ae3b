//! Parses one instruction file: removes front matter and comments, and finds imports.

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

/// How a file is put together that holds `<!--`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unstripped {
    /// From its blocks: without link definitions, and with LF for CRLF, whether or not a comment is removed.
    Rejoined,
    /// As it is written if no comment is removed; otherwise with LF for CRLF, and without the comments (2.1.330).
    AsWritten,
}

impl Unstripped {
    /// Returns the rule by which a file is read, which names the variant.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Unstripped::Rejoined => "its imports and comments",
            Unstripped::AsWritten => "its imports, and the comments that are blocks",
        }
    }

    /// Returns the variant of a rule.
    pub(super) fn of_rule(rule: &str) -> Unstripped {
        let all = [Unstripped::Rejoined, Unstripped::AsWritten];
        all.into_iter().find(|one| one.rule() == rule).unwrap_or(Unstripped::Rejoined)
    }
}

/// Parses the bytes of a file.
pub(super) fn take_apart(raw: &Content, unstripped: Unstripped) -> Document {
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
        Some(markdown) if comments && (unstripped == Unstripped::Rejoined || loses_a_comment(&markdown)) => {
            let (text, kept) = rejoined(body, &markdown, unstripped);
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
/// removed, and link definitions too before 2.1.330. CRLF becomes LF; ranges are unknown then, and the whole body counts as kept.
fn rejoined(body: &str, markdown: &marked::Document, unstripped: Unstripped) -> (String, Vec<Range<usize>>) {
    let (mut text, mut kept, mut at) = (String::new(), Vec::<Range<usize>>::new(), 0);
    let exact = !body.contains('\r');
    if unstripped == Unstripped::AsWritten {
        let source = body.replace("\r\n", "\n").replace('\r', "\n");
        for block in markdown.blocks.iter().filter(|block| block.kind == BlockKind::Html) {
            let Some(found) = source[at..].find(&block.raw).map(|found| at + found) else { continue };
            let Some(rest) = without_comments(&block.raw) else { continue };
            kept.push(at..found);
            text.push_str(&source[at..found]);
            at = found + block.raw.len();
            if !js_trim(&rest).is_empty() {
                kept.push(found..at);
                text.push_str(&rest);
            }
        }
        kept.push(at..source.len());
        text.push_str(&source[at..]);
        return if exact { (text, kept) } else { (text, std::iter::once(0..body.len()).collect()) };
    }
    for block in &markdown.blocks {
        let found = if exact { body[at..].find(&block.raw).map(|found| at + found) } else { None };
        let uncommented = match block.kind {
            BlockKind::Html => without_comments(&block.raw),
            _ => None,
        };
        let is_gone = uncommented.as_deref().is_some_and(|rest| js_trim(rest).is_empty());
        if !is_gone {
            text.push_str(uncommented.as_deref().unwrap_or(&block.raw));
            kept.extend(found.map(|from| from..from + block.raw.len()));
        }
        at = found.map_or(at, |found| found + block.raw.len());
    }
    if !exact {
        let everything = 0..body.len();
        return (text, vec![everything]);
    }
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in kept {
        match merged.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => merged.push(range),
        }
    }
    (text, merged)
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
            assert_eq!(take_apart(&source.into(), Unstripped::Rejoined).text, left, "{source:?}");
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
            assert_eq!(take_apart(&source.into(), Unstripped::Rejoined).text, left, "{source:?}");
        }
    }
}
