//! Parses lists: decides line by line which lines belong to an item, and then parses the item.

use super::{Block, BlockKind, Lazy, Lexer, lines};
use crate::text::is_js_space;

impl Lexer {
    /// Parses a list.
    pub(super) fn list(&mut self, source: &str, depth: usize) -> Option<Block> {
        let line = lines::first(source);
        let mark = lines::bullet(lines::behind(line, 3)?)?;
        let rest = &lines::behind(line, 3)?[mark.len()..];
        // A bullet followed by a single blank is a paragraph.
        if !rest.is_empty() && (!rest.starts_with([' ', '\t']) || rest.chars().count() < 2) {
            return None;
        }
        let (mut raw, mut items, mut at) = (String::new(), Vec::new(), 0);
        while let Some(item) = item(&source[at..], mark) {
            at += item.length;
            raw.push_str(&item.raw);
            items.push(item.contents);
        }
        if let Some(last) = items.last_mut() {
            last.truncate(last.trim_end_matches(is_js_space).len());
        } else {
            return None;
        }
        raw.truncate(raw.trim_end_matches(is_js_space).len());
        let mut parsed = Vec::new();
        for contents in items {
            self.in_item = true;
            parsed.push(self.blocks(&contents, Vec::new(), depth + 1, Lazy::Not));
        }
        Some(Block { raw, kind: BlockKind::List(parsed) })
    }
}

/// An item that is not parsed yet.
struct Item {
    /// Length of the source that the item takes.
    length: usize,
    raw: String,
    /// Lines of the item without their indentation.
    contents: String,
}

/// Returns the spaces before the bullet of a line, the bullet, and the rest, if the line starts an item of the list
/// whose first bullet is `mark`.
fn begun<'l>(line: &'l str, mark: &str) -> Option<(usize, &'l str, &'l str)> {
    let bare = lines::behind(line, 3)?;
    let bullet = lines::bullet(bare)?;
    let is_same =
        if mark.len() > 1 { bullet.len() > 1 && bullet.ends_with(&mark[mark.len() - 1..]) } else { bullet == mark };
    let behind = &bare[bullet.len()..];
    let is_item = is_same && (behind.is_empty() || behind.starts_with([' ', '\t'])) && !lines::is_rule(bare, b" \t");
    is_item.then_some((line.len() - bare.len(), bullet, behind))
}

fn item(source: &str, mark: &str) -> Option<Item> {
    let first = lines::first(source);
    let (spaces, bullet, behind) = begun(first, mark)?;
    let mut at = (first.len() + 1).min(source.len());
    let mut raw = source[..at].to_owned();
    let tabs = behind.bytes().take_while(|byte| *byte == b'\t').count();
    let mut line = format!("{}{}", " ".repeat(3 * tabs), &behind[tabs..]);
    let mut blank = line.chars().all(is_js_space);
    let mut contents = String::new();
    let indent = if blank {
        spaces + bullet.len() + 1
    } else {
        let gap = lines::indent(behind);
        let gap = if gap > 4 { 1 } else { gap };
        contents.push_str(line.get(gap..).unwrap_or_default());
        gap + spaces + bullet.len()
    };
    let next = lines::first(&source[at..]);
    if blank && lines::is_blank(next) {
        raw.push_str(next);
        raw.push('\n');
        at = (at + next.len() + 1).min(source.len());
        return Some(Item { length: at, raw, contents });
    }
    let near = indent.saturating_sub(1).min(3);
    while at < source.len() {
        let next = lines::first(&source[at..]);
        if begins_something(next, near) || ends_item(next, near) {
            break;
        }
        let flat = next.replace('\t', "    ");
        let empty = next.chars().all(is_js_space);
        if (lines::indent(&flat) >= indent && lines::indent(&flat) < flat.len()) || empty {
            contents.push('\n');
            contents.push_str(tail(&flat, indent));
        } else {
            let flat_line = line.replace('\t', "    ");
            let code = lines::indent(&flat_line) >= 4 && lines::indent(&flat_line) < flat_line.len();
            if blank || code || fence_or_heading(&line, near) || rule(&line, near) {
                break;
            }
            contents.push('\n');
            contents.push_str(next);
        }
        blank |= empty;
        raw.push_str(next);
        raw.push('\n');
        at = (at + next.len() + 1).min(source.len());
        line = tail(&flat, indent).to_owned();
    }
    Some(Item { length: at, raw, contents })
}

/// Returns `text` without its first `count` characters.
fn tail(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or("", |(at, _)| &text[at..])
}

fn fence_or_heading(line: &str, near: usize) -> bool {
    lines::behind(line, near)
        .is_some_and(|rest| rest.starts_with("```") || rest.starts_with("~~~") || rest.starts_with('#'))
}

fn rule(line: &str, near: usize) -> bool {
    lines::behind(line, near).is_some_and(|rest| lines::is_rule(rest, b" "))
}

/// Returns true if a line starts a fence, a heading, or HTML.
fn begins_something(line: &str, near: usize) -> bool {
    fence_or_heading(line, near)
        || lines::behind(line, near).and_then(|rest| rest.strip_prefix('<')).is_some_and(|rest| {
            rest.starts_with("!--") || (rest.starts_with(|c: char| c.is_ascii_alphabetic()) && rest[1..].contains('>'))
        })
}

/// Returns true if a line starts another item, or is a thematic break.
fn ends_item(line: &str, near: usize) -> bool {
    let bulleted = lines::behind(line, near).is_some_and(|rest| {
        lines::bullet(rest).is_some_and(|bullet| {
            let after = &rest[bullet.len()..];
            after.is_empty() || after.starts_with([' ', '\t'])
        })
    });
    bulleted || rule(line, near)
}
