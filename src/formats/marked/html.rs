//! Recognizes HTML in Markdown: the start and end of blocks, and tags within a line.

use super::lines;
use crate::text::is_js_space;

/// Tags that start a block anywhere.
const BLOCK_TAGS: &[&str] = &[
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "meta",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];

/// Tags whose content is not parsed.
const RAW_TAGS: &[&str] = &["script", "pre", "style", "textarea"];

/// Returns the length of the block of HTML at the start of `source`.
pub(super) fn block(source: &str) -> Option<usize> {
    let line = lines::first(source);
    let body = &source[line.len() - lines::behind(line, 3)?.len()..];
    let rest = body.strip_prefix('<')?;
    for tag in RAW_TAGS {
        let Some(after) = without_prefix(rest, tag) else { continue };
        if after.starts_with(|c: char| is_js_space(c) || c == '>') {
            let close = format!("</{tag}>");
            let line_end = find_ignoring_case(after, &close).and_then(|at| after[at..].find('\n').map(|end| at + end));
            return Some(line_end.map_or(source.len(), |end| source.len() - after.len() + newlines(after, end)));
        }
    }
    let length = |inner: usize| source.len() - body.len() + inner;
    if let Some(comment) = body.strip_prefix("<!--") {
        let end = if comment.starts_with('>') {
            5
        } else if comment.starts_with("->") {
            6
        } else {
            comment.find("-->").map_or(body.len(), |at| 4 + at + 3)
        };
        let line_end = body[end..].find('\n').map_or(body.len(), |at| end + at);
        return Some(length(newlines(body, line_end)));
    }
    let until = |open: usize, close: &str| {
        body[open..].find(close).map_or(body.len(), |at| newlines(body, open + at + close.len()))
    };
    if body.starts_with("<?") {
        return Some(length(until(2, "?>")));
    }
    if without_prefix(body, "<![CDATA[").is_some() {
        return Some(length(until(9, "]]>")));
    }
    if let Some(rest) = body.strip_prefix("<!") {
        return rest.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| length(until(2, ">")));
    }
    let begins = known_tag(rest, str::eq_ignore_ascii_case) || lone_tag(body);
    begins.then(|| length(to_blank_line(body)))
}

/// Removes `prefix` from `text`, ignoring case.
fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.get(..prefix.len()).filter(|head| head.eq_ignore_ascii_case(prefix)).map(|_| &text[prefix.len()..])
}

fn find_ignoring_case(text: &str, wanted: &str) -> Option<usize> {
    text.as_bytes().windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// Returns the position after all line ends that follow `at`.
fn newlines(text: &str, at: usize) -> usize {
    at + text[at..].bytes().take_while(|byte| *byte == b'\n').count()
}

/// Returns the position after the first blank lines of `text`, or its end.
fn to_blank_line(text: &str) -> usize {
    let mut at = 0;
    while let Some(end) = text[at..].find('\n').map(|end| at + end) {
        let gap = text[end..].bytes().take_while(|byte| matches!(byte, b'\n' | b' ' | b'\t')).count();
        // The last line end of the gap ends it; the indentation of the next line is kept.
        let last = text[end..end + gap].rfind('\n').expect("begins with one");
        if last > 0 {
            return end + last + 1;
        }
        at = end + 1;
    }
    text.len()
}

/// Returns true if `rest`, the text after `<`, is a tag that starts a block anywhere.
fn known_tag(rest: &str, same: fn(&str, &str) -> bool) -> bool {
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let name = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let after = &rest[name..];
    let closes = after.starts_with([' ', '>']) || after.starts_with("/>") || after.starts_with('\n');
    closes && BLOCK_TAGS.iter().any(|tag| same(tag, &rest[..name]))
}

/// Returns true if the first line of `body` is exactly one complete tag.
fn lone_tag(body: &str) -> bool {
    let rest = &body[1..];
    let (rest, closing) = rest.strip_prefix('/').map_or((rest, false), |rest| (rest, true));
    if RAW_TAGS.iter().any(|tag| without_prefix(rest, tag).is_some()) {
        return false;
    }
    let Some(name) = tag_name(rest, |c| c == '-' || c == '_') else { return false };
    let mut rest = &rest[name..];
    if closing {
        rest = rest.trim_start_matches(is_js_space);
    } else {
        while let Some(length) = attribute(rest, |c| c == ' ', |c| c == '\n') {
            rest = &rest[length..];
        }
        rest = rest.trim_start_matches(' ');
        rest = rest.strip_prefix('/').unwrap_or(rest);
    }
    let Some(rest) = rest.strip_prefix('>') else { return false };
    let rest = rest.trim_start_matches([' ', '\t']);
    rest.is_empty() || rest.starts_with('\n')
}

fn tag_name(text: &str, more: fn(char) -> bool) -> Option<usize> {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        .then(|| text.find(|c: char| !c.is_ascii_alphanumeric() && !more(c)).unwrap_or(text.len()))
}

/// Returns the length of one attribute with the space before it. `space` accepts the characters around it; `ends` those
/// that a quoted value may not contain.
fn attribute(text: &str, space: fn(char) -> bool, ends: fn(char) -> bool) -> Option<usize> {
    let name = text.trim_start_matches(space);
    if name.len() == text.len() || !name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, ':' | '_')) {
        return None;
    }
    let end =
        name.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.' | ':' | '-')).unwrap_or(name.len());
    let bare = text.len() - name.len() + end;
    let Some(value) = name[end..].trim_start_matches(space).strip_prefix('=') else { return Some(bare) };
    let value = value.trim_start_matches(space);
    let length = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inner = &value[1..];
            inner.find(quote).filter(|at| !inner[..*at].contains(ends)).map(|at| at + 2)
        }
        _ => Some(
            value
                .find(|c: char| is_js_space(c) || matches!(c, '"' | '\'' | '=' | '<' | '>' | '`'))
                .unwrap_or(value.len()),
        )
        .filter(|length| *length > 0),
    };
    Some(length.map_or(bare, |length| text.len() - value.len() + length))
}

/// Returns true if a line that starts with HTML ends a paragraph.
pub(super) fn interrupts(line: &str, ended: bool) -> bool {
    let Some(rest) = line.strip_prefix('<') else { return false };
    let raw = RAW_TAGS.iter().any(|tag| rest.starts_with(tag)) || rest.starts_with("!--");
    let name_to_end = ended && {
        let name = rest.strip_prefix('/').unwrap_or(rest);
        BLOCK_TAGS.contains(&name)
    };
    raw || name_to_end || known_tag(rest, |one, other| one == other)
}

/// Returns the closing mark of the comment, instruction or declaration at the start of an inline text.
pub(super) fn closing(text: &str) -> Option<&'static str> {
    let marks = [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">")];
    marks.into_iter().find(|(open, _)| text.starts_with(open)).map(|(_, close)| close)
}

/// Returns the length of the tag, comment or declaration at the start of an inline text.
pub(super) fn inline(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('<')?;
    let to = |open: usize, close: &str| text[open..].find(close).map(|at| open + at + close.len());
    if let Some(comment) = rest.strip_prefix("!--") {
        return if comment.starts_with('>') {
            Some(5)
        } else if comment.starts_with("->") {
            Some(6)
        } else {
            to(4, "-->")
        };
    }
    if rest.starts_with('?') {
        return to(2, "?>");
    }
    if rest.starts_with("![CDATA[") {
        return to(9, "]]>");
    }
    if let Some(word) = rest.strip_prefix('!') {
        let name = word.bytes().take_while(u8::is_ascii_alphabetic).count();
        let spaced = name > 0 && word[name..].starts_with(is_js_space);
        return if spaced { to(2 + name, ">") } else { None };
    }
    let mut tag = match rest.strip_prefix('/') {
        Some(close) => {
            let name = tag_name(close, |c| matches!(c, '_' | ':' | '-'))?;
            close[name..].trim_start_matches(is_js_space)
        }
        None => {
            let mut tag = &rest[tag_name(rest, |c| matches!(c, '_' | '-'))?..];
            while let Some(length) = attribute(tag, is_js_space, |_| false) {
                tag = &tag[length..];
            }
            tag = tag.trim_start_matches(is_js_space);
            tag.strip_prefix('/').unwrap_or(tag)
        }
    };
    tag = tag.strip_prefix('>')?;
    Some(text.len() - tag.len())
}
