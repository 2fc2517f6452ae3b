//! The block lexer: one pass over the source, which recognizes each block by its start.

use std::collections::HashSet;

use super::{Block, BlockKind, html, lines};
use crate::text::{is_js_space, utf16_len};

mod list;

/// Maximum nesting depth of quotes and lists. `marked` is limited only by its stack, which overflows at some thousands.
const DEPTH_LIMIT: usize = 100;

/// Maximum number of bytes to examine per document; the rest counts as a paragraph. `marked` has no such limit.
const PATIENCE_BYTES: usize = 200_000_000;

/// Relation of a text's first paragraph to the last one before it.
pub(super) enum Lazy {
    /// It continues the paragraph, in a quote.
    GoesOn,
    /// It starts a new paragraph.
    Not,
}

/// State that nested blocks share.
#[derive(Default)]
pub(super) struct Lexer {
    /// Names of the link definitions found so far.
    pub(super) links: HashSet<String>,
    /// True inside a list item, where words are text and not a paragraph. The end of any item resets it, also for the
    /// enclosing item.
    in_item: bool,
    /// Number of bytes examined; the content of quotes and lists counts several times.
    looked_at: usize,
}

impl Lexer {
    /// Parses `source` and adds its blocks to `blocks`.
    pub(super) fn blocks(&mut self, source: &str, mut blocks: Vec<Block>, depth: usize, mut lazy: Lazy) -> Vec<Block> {
        let mut rest = source;
        self.looked_at += source.len();
        if self.looked_at > PATIENCE_BYTES {
            blocks.push(Block { raw: source.to_owned(), kind: BlockKind::Paragraph(source.to_owned()) });
            rest = "";
        }
        let mut plain = usize::MAX;
        while !rest.is_empty() {
            // A quote whose last list was parsed again may claim more bytes than there are, as in `marked`.
            let length = self.next(rest, &mut blocks, depth, &mut lazy, &mut plain);
            rest = &rest[rest.floor_char_boundary(length)..];
        }
        self.in_item = false;
        blocks
    }

    /// Adds the block at the start of `source` and returns its length. As long as more than `plain` bytes remain, there
    /// is no underlined heading, since the search for one has already failed.
    fn next(
        &mut self,
        source: &str,
        blocks: &mut Vec<Block>,
        depth: usize,
        lazy: &mut Lazy,
        plain: &mut usize,
    ) -> usize {
        let length = space(source);
        if length > 0 {
            match blocks.last_mut() {
                Some(last) if length == 1 => last.raw.push('\n'),
                _ => blocks.push(Block { raw: source[..length].to_owned(), kind: BlockKind::Space }),
            }
            return length;
        }
        if let Some(length) = code(source) {
            add_code(&source[..length], blocks);
            return length;
        }
        let simple = fenced(source)
            .map(|length| (length, BlockKind::Code))
            .or_else(|| heading(source).map(|(length, words)| (length, BlockKind::Heading(words))))
            .or_else(|| rule(source).map(|length| (length, BlockKind::Rule)));
        if let Some((length, kind)) = simple {
            blocks.push(Block { raw: source[..length].to_owned(), kind });
            return length;
        }
        if depth < DEPTH_LIMIT
            && let Some(block) = self.quote(source, depth).or_else(|| self.list(source, depth))
        {
            let length = block.raw.len();
            blocks.push(block);
            return length;
        }
        if let Some(length) = html::block(source) {
            blocks.push(Block { raw: source[..length].to_owned(), kind: BlockKind::Html });
            return length;
        }
        if let Some((length, name)) = definition(source) {
            match blocks.last_mut() {
                Some(Block { raw, kind: BlockKind::Paragraph(words) | BlockKind::Text(words) }) => {
                    add_line([raw, words], &source[..length]);
                }
                // A definition adds no block: the raw texts of the blocks lack it.
                _ => {
                    self.links.insert(name);
                }
            }
            return length;
        }
        if source.len() <= *plain {
            match underlined(source) {
                Ok((length, words)) => {
                    blocks.push(Block { raw: source[..length].to_owned(), kind: BlockKind::Heading(words) });
                    return length;
                }
                Err(end) => {
                    self.looked_at += end;
                    *plain = source.len() - end;
                }
            }
        }
        if self.in_item {
            let words = lines::first(source);
            match blocks.last_mut() {
                Some(Block { raw, kind: BlockKind::Text(text) }) => add_line([raw, text], words),
                _ => blocks.push(Block { raw: words.to_owned(), kind: BlockKind::Text(words.to_owned()) }),
            }
            return words.len();
        }
        paragraph_or_more(source, blocks, lazy)
    }

    /// Parses a block quote, with the lines that lazily continue its last paragraph or list.
    fn quote(&mut self, source: &str, depth: usize) -> Option<Block> {
        let length = quoted(source)?;
        let mut all: Vec<&str> = source[..length].trim_end_matches('\n').split('\n').collect();
        let mut lines = all.as_slice();
        let mut raw = String::new();
        let mut blocks = Vec::new();
        let mut kept: String;
        while !lines.is_empty() {
            let is_quote = |line: &&str| lines::behind(line, 3).is_some_and(|rest| rest.starts_with('>'));
            let lazy = lines.iter().take_while(|line| !is_quote(line)).count();
            let marked = lines[lazy..].iter().take_while(|line| is_quote(line)).count();
            let current = lines[..lazy + marked].join("\n");
            let remaining = &lines[lazy + marked..];
            if !raw.is_empty() {
                raw.push('\n');
            }
            raw.push_str(&current);
            let outside = std::mem::replace(&mut self.in_item, false);
            blocks = self.blocks(&unquoted(&current), blocks, depth + 1, Lazy::GoesOn);
            self.in_item = outside;
            if remaining.is_empty() {
                break;
            }
            let Some(last) = blocks.last() else { break };
            if self.looked_at > PATIENCE_BYTES {
                break;
            }
            let with_rest = || format!("{}\n{}", last.raw, remaining.join("\n"));
            match last.kind {
                BlockKind::Code => break,
                BlockKind::Quote(_) => {
                    let with_rest = with_rest();
                    self.looked_at += with_rest.len() + raw.len();
                    let again = self.quote(&with_rest, depth + 1)?;
                    cut_behind(&mut raw, &last.raw);
                    raw.push_str(&again.raw);
                    *blocks.last_mut().expect("looked at just now") = again;
                    break;
                }
                BlockKind::List(_) => {
                    let with_rest = with_rest();
                    self.looked_at += with_rest.len() + raw.len();
                    let again = self.list(&with_rest, depth + 1)?;
                    cut_behind(&mut raw, &last.raw);
                    raw.push_str(&again.raw);
                    kept = with_rest[utf16_end(&with_rest, utf16_len(&again.raw))..].to_owned();
                    *blocks.last_mut().expect("looked at just now") = again;
                    all = kept.split('\n').collect();
                    lines = &all;
                }
                _ => lines = remaining,
            }
        }
        Some(Block { raw, kind: BlockKind::Quote(blocks) })
    }
}

/// Returns the length of the blank lines at the start.
fn space(source: &str) -> usize {
    let mut length = 0;
    for line in source.split_inclusive('\n') {
        if !lines::is_blank(line.trim_end_matches('\n')) {
            break;
        }
        length += line.len();
    }
    length
}

/// Returns the length of indented code, including the blank lines in and after it.
fn code(source: &str) -> Option<usize> {
    let mut length = 0;
    for line in source.split_inclusive('\n') {
        let text = line.trim_end_matches('\n');
        let blank = length > 0 && lines::is_blank(text);
        if !blank && !lines::is_code(text) {
            break;
        }
        length += line.len();
    }
    (length > 0).then_some(length)
}

/// Removes the indentation of indented code.
fn unindented(code: &str) -> String {
    let lines = code.trim_end_matches('\n').split('\n').map(|line| {
        let spaces = line.bytes().take_while(|byte| *byte == b' ').count().min(4);
        match line[spaces..].strip_prefix('\t') {
            Some(rest) if spaces < 4 => rest,
            _ => &line[spaces..],
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the length of fenced code, without the line end after it.
fn fenced(source: &str) -> Option<usize> {
    let first = lines::first(source);
    let open = lines::behind(first, 3)?;
    let fence = lines::fence(open)?;
    if fence.starts_with('`') && open[fence.len()..].contains('`') {
        return None;
    }
    let mut at = first.len();
    while at < source.len() {
        at += 1;
        let line = lines::first(&source[at..]);
        at += line.len();
        let closes = lines::behind(line, 3)
            .and_then(|line| line.strip_prefix(fence))
            .is_some_and(|rest| rest.trim_start_matches(['~', '`']).bytes().all(|byte| byte == b' '));
        if closes {
            return Some(at);
        }
    }
    Some(source.len())
}

/// Returns the length and text of a heading with `#`.
fn heading(source: &str) -> Option<(usize, String)> {
    let line = lines::first(source);
    let rest = lines::behind(line, 3)?;
    let rest = &rest[lines::hashes(rest)?..];
    if !(rest.is_empty() || rest.starts_with(is_js_space)) || has_odd_line_end(rest) {
        return None;
    }
    let mut words = rest.trim_matches(is_js_space);
    let bare = words.trim_end_matches('#');
    if bare.is_empty() || bare.ends_with(' ') {
        words = bare.trim_matches(is_js_space);
    }
    Some((past_line_ends(source, line.len()), words.to_owned()))
}

/// Returns true if the line contains a line end for JavaScript's `.` that does not end a line of Markdown.
fn has_odd_line_end(line: &str) -> bool {
    line.contains(['\u{2028}', '\u{2029}'])
}

/// Returns the length of a thematic break.
fn rule(source: &str) -> Option<usize> {
    let line = lines::first(source);
    lines::is_rule(lines::behind(line, 3)?, b" \t").then(|| past_line_ends(source, line.len()))
}

fn past_line_ends(source: &str, at: usize) -> usize {
    at + source[at..].bytes().take_while(|byte| *byte == b'\n').count()
}

/// Returns the length of a block quote: its own lines, and those that continue its paragraphs.
fn quoted(source: &str) -> Option<usize> {
    let mut at = 0;
    while at < source.len() {
        let Some(rest) = lines::behind(lines::first(&source[at..]), 3).and_then(|line| line.strip_prefix('>')) else {
            break;
        };
        let line = lines::first(&source[at..]);
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        at += line.len();
        if !rest.is_empty() {
            at = going_on(source, at);
        }
        at += source[at..].starts_with('\n') as usize;
    }
    (at > 0).then_some(at)
}

/// Returns the end of the paragraph whose line ends at `at`.
fn going_on(source: &str, mut at: usize) -> usize {
    while source[at..].starts_with('\n') {
        let line = lines::first(&source[at + 1..]);
        let end = at + 1 + line.len();
        if line.is_empty() || interrupts(line, end < source.len()) {
            break;
        }
        at = end;
    }
    at
}

/// Returns the text of a quote without the marks. Lines that would underline a heading are indented to prevent that.
fn unquoted(current: &str) -> String {
    let mut text = String::new();
    for (number, line) in current.split('\n').enumerate() {
        if number > 0 {
            text.push('\n');
        }
        if number > 0 && lines::is_underline(line) {
            text.push_str("    ");
            text.push_str(line.trim_start_matches(' '));
            continue;
        }
        let rest = lines::behind(line, 3).and_then(|line| line.strip_prefix('>'));
        text.push_str(rest.map_or(line, |rest| rest.strip_prefix([' ', '\t']).unwrap_or(rest)));
    }
    text
}

/// Returns the length and name of a link definition.
fn definition(source: &str) -> Option<(usize, String)> {
    let line = lines::first(source);
    let start = line.len() - lines::behind(line, 3)?.len();
    let label = bracketed(&source[start..])?;
    let name = &source[start + 1..start + label - 1];
    let at = start + label;
    let rest = source[at..].strip_prefix(':')?.trim_start_matches(' ');
    let rest = rest.strip_prefix('\n').map_or(rest, |rest| rest.trim_start_matches([' ', '\t']));
    let ends = |text: &str| {
        let text = text.trim_start_matches(' ');
        (text.is_empty() || text.starts_with('\n')).then(|| past_line_ends(source, source.len() - text.len()))
    };
    let after = |target: &str| titled(target).and_then(ends).or_else(|| ends(target));
    let length = if rest.starts_with('<') {
        let line = lines::first(rest);
        line.match_indices('>').find_map(|(at, _)| after(&rest[at + 1..]))?
    } else {
        let end = rest.find(is_js_space).unwrap_or(rest.len());
        (end > 0).then(|| after(&rest[end..]))??
    };
    Some((length, link_name(name)))
}

/// Returns the text after a link's title, which white space must precede.
fn titled(text: &str) -> Option<&str> {
    let spaced = text.trim_start_matches(' ');
    let broken = spaced.strip_prefix('\n').map(|rest| rest.trim_start_matches([' ', '\t']));
    let title = broken.unwrap_or(spaced);
    if spaced.len() == text.len() && broken.is_none() {
        return None;
    }
    let inner = title.get(1..)?;
    match title.as_bytes()[0] {
        b'"' => {
            let mut escaped = false;
            let end = inner.find(|c| {
                let was = std::mem::take(&mut escaped);
                escaped = !was && c == '\\';
                !was && c == '"'
            })?;
            Some(&inner[end + 1..])
        }
        b'\'' => {
            let end = inner.find('\'').filter(|end| !inner[..*end].contains("\n\n"))?;
            Some(&inner[end + 1..])
        }
        b'(' => {
            let end = inner.find(['(', ')']).filter(|end| inner.as_bytes()[*end] == b')')?;
            Some(&inner[end + 1..])
        }
        _ => None,
    }
}

/// Returns the length of `[label]` at the start of `text`. The label may contain escapes, but no other brackets, and
/// must not be blank.
pub(super) fn bracketed(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next().filter(|(_, escaped)| *escaped != '\n')?;
            }
            ']' => return inner[..at].contains(|c| !is_js_space(c)).then_some(at + 2),
            '[' => return None,
            _ => {}
        }
    }
    None
}

/// Returns the normalized name of a link definition.
pub(super) fn link_name(label: &str) -> String {
    let mut name = String::new();
    for c in label.chars().flat_map(char::to_lowercase) {
        match is_js_space(c) {
            true if name.ends_with(' ') => {}
            true => name.push(' '),
            false => name.push(c),
        }
    }
    name
}

/// Removes from the end of `raw` as many UTF-16 units as `tail` has, as `marked` does, even if `raw` does not end with
/// `tail`.
fn cut_behind(raw: &mut String, tail: &str) {
    let kept = utf16_len(raw).saturating_sub(utf16_len(tail));
    raw.truncate(utf16_end(raw, kept));
}

/// Returns the byte offset after `units` UTF-16 units.
fn utf16_end(text: &str, units: usize) -> usize {
    let mut left = units;
    let fits = |c: &char| {
        let fits = c.len_utf16() <= left;
        left = left.saturating_sub(c.len_utf16());
        fits
    };
    text.chars().take_while(fits).map(char::len_utf8).sum()
}

/// Returns the length and text of an underlined heading; `Err` is the start of the line that ends the search.
fn underlined(source: &str) -> Result<(usize, String), usize> {
    let mut at = 0;
    loop {
        let line = lines::first(&source[at..]);
        let end = at + line.len();
        if at > 0 && lines::is_underline(line) {
            return Ok((past_line_ends(source, end), source[..at - 1].to_owned()));
        }
        let blank = line.is_empty() || (end < source.len() && line.chars().all(is_js_space));
        let rest = lines::behind(line, 3);
        let other = lines::bullet(line).is_some_and(|bullet| line[bullet.len()..].starts_with(' '))
            || lines::is_code(line)
            || rest.is_some_and(|rest| {
                lines::fence(rest).is_some()
                    || rest.starts_with(['>', '#'])
                    || (end < source.len()
                        && rest.len() > 2
                        && rest.starts_with('<')
                        && rest.find('>') == Some(rest.len() - 1))
            });
        if (at > 0 && blank) || line.is_empty() || other || has_odd_line_end(line) || end >= source.len() {
            return Err(at);
        }
        at = end + 1;
    }
}

/// Adds indented code: as a block, or to the paragraph before it, which it cannot interrupt.
fn add_code(code: &str, blocks: &mut Vec<Block>) {
    match blocks.last_mut() {
        Some(Block { raw, kind: BlockKind::Paragraph(words) | BlockKind::Text(words) }) => {
            raw.push_str(if raw.ends_with('\n') { "" } else { "\n" });
            raw.push_str(code);
            words.push('\n');
            words.push_str(&unindented(code));
        }
        _ => blocks.push(Block { raw: code.to_owned(), kind: BlockKind::Code }),
    }
}

/// Adds a paragraph, or continues the last one if `lazy` says so.
fn paragraph_or_more(source: &str, blocks: &mut Vec<Block>, lazy: &mut Lazy) -> usize {
    let length = going_on(source, lines::first(source).len());
    let words = &source[..length];
    match (std::mem::replace(lazy, Lazy::Not), blocks.last_mut()) {
        (Lazy::GoesOn, Some(Block { raw, kind: BlockKind::Paragraph(text) })) => add_line([raw, text], words),
        _ => blocks.push(Block { raw: words.to_owned(), kind: BlockKind::Paragraph(words.to_owned()) }),
    }
    length
}

/// Adds a line to the raw source and the text of a block.
fn add_line(texts: [&mut String; 2], line: &str) {
    for text in texts {
        text.push('\n');
        text.push_str(line);
    }
}

/// Returns true if `line` would end a paragraph above it. `ended` is true if a line end follows it.
fn interrupts(line: &str, ended: bool) -> bool {
    if ended && !line.is_empty() && line.bytes().all(|byte| byte == b' ') {
        return true;
    }
    if html::interrupts(line, ended) {
        return true;
    }
    let Some(rest) = lines::behind(line, 3) else { return false };
    let heading = lines::hashes(rest).is_some_and(|count| rest[count..].chars().next().is_none_or(is_js_space));
    let fenced =
        ended && lines::fence(rest).is_some_and(|fence| fence.starts_with('~') || !rest[fence.len()..].contains('`'));
    let listed = matches!(lines::bullet(rest), Some(bullet) if matches!(bullet, "*" | "+" | "-" | "1." | "1)") && rest[bullet.len()..].starts_with(' '));
    heading || fenced || listed || rest.starts_with('>') || lines::is_rule(rest, b" \t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_underlined_is_looked_for_once() {
        for source in [
            "- a\n".to_owned() + &"b\n".repeat(40_000),
            "- a\n".repeat(40_000),
            "a\n***\n".repeat(40_000),
            "a\n<b>\n\n".repeat(40_000),
        ] {
            let mut lexer = Lexer::default();
            lexer.blocks(&source, Vec::new(), 0, Lazy::Not);
            assert!(lexer.looked_at < 4 * source.len(), "{} for {:.20}", lexer.looked_at, source);
        }
        let mut lexer = Lexer::default();
        let blocks = lexer.blocks("- a\nb\nc\n===\nd\n", Vec::new(), 0, Lazy::Not);
        assert!(format!("{blocks:?}").contains(r#"Heading("a\nb\nc")"#), "{blocks:?}");
    }
}
