//! `{env:NAME}` and `{file:PATH}` in the text of settings, replaced before it is parsed.

use std::path::{Path, PathBuf};

use super::OpenCode;
use super::rules::References;
use crate::search::{Search, Told};
use crate::snapshot::{Errno, Kind, Unreadable, absolute};
use crate::text;

/// `text` with its variables replaced, or what OpenCode stops with. `dir` is what relative files are relative to.
pub(super) fn substitute(
    edition: &OpenCode,
    source: &str,
    dir: &Path,
    home: &Path,
    search: &mut Search,
) -> Told<Result<String, String>> {
    let text = with_environment(source, search);
    if edition.settings.references == References::ByText {
        return by_text(edition, text, dir, home, search);
    }
    let mut out = String::new();
    let mut rest_from = 0;
    for (start, end) in references(&text, "{file:") {
        out.push_str(&text[rest_from..start]);
        rest_from = end;
        let line = &text[text[..start].rfind('\n').map_or(0, |newline| newline + 1)..];
        if is_comment(line) {
            out.push_str(&text[start..end]);
            continue;
        }
        match content(edition, &text[start..end], dir, home, search)? {
            Ok(content) => out.push_str(&content),
            Err(problem) => return Ok(Err(problem)),
        }
    }
    out.push_str(&text[rest_from..]);
    Ok(Ok(out))
}

/// As JavaScript's `replace` with a text does it, once for each reference there was.
fn by_text(
    edition: &OpenCode,
    text: String,
    dir: &Path,
    home: &Path,
    search: &mut Search,
) -> Told<Result<String, String>> {
    let mut out = text.clone();
    for (start, end) in references(&text, "{file:") {
        let reference = &text[start..end];
        if text.split('\n').find(|line| line.contains(reference)).is_some_and(is_comment) {
            continue;
        }
        let content = match content(edition, reference, dir, home, search)? {
            Ok(content) => content,
            Err(problem) => return Ok(Err(problem)),
        };
        if let Some((before, after)) = out.split_once(reference) {
            out = format!("{before}{}{after}", replacement(&content, reference, before, after));
        }
        if out.len() > LENGTH_LIMIT_BYTES {
            return Ok(Err(format!("the settings grow beyond {LENGTH_LIMIT_BYTES} bytes by {reference}")));
        }
    }
    Ok(Ok(out))
}

/// The longest text of settings; 1.1 has no limit, and a few files that hold `` $` `` would fill any memory.
const LENGTH_LIMIT_BYTES: usize = 16 << 20;

/// What `$$`, `$&`, `` $` `` and `$'` stand for in the second argument of JavaScript's `replace`.
fn replacement(template: &str, matched: &str, before: &str, after: &str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((plain, sign)) = rest.split_once('$') {
        out.push_str(plain);
        let meaning = match sign.as_bytes().first() {
            Some(b'$') => Some("$"),
            Some(b'&') => Some(matched),
            Some(b'`') => Some(before),
            Some(b'\'') => Some(after),
            _ => None,
        };
        out.push_str(meaning.unwrap_or("$"));
        rest = &sign[usize::from(meaning.is_some())..];
    }
    out.push_str(rest);
    out
}

fn is_comment(line: &str) -> bool {
    line.trim_start_matches(text::is_js_space).starts_with("//")
}

/// What a `{file:PATH}` stands for, or what OpenCode stops with.
fn content(
    edition: &OpenCode,
    reference: &str,
    dir: &Path,
    home: &Path,
    search: &mut Search,
) -> Told<Result<String, String>> {
    let path = file_path(&reference["{file:".len()..reference.len() - 1], dir, home);
    let raw = match search.read(&path, "a {file:} reference in the settings; a missing one stops OpenCode")? {
        Ok(raw) => raw,
        // What a device such as /dev/null gives.
        Err(Unreadable::Not(Kind::Device)) => Vec::new().into(),
        Err(Unreadable::Errno(Errno::NOENT)) => {
            return Ok(Err(format!("bad file reference: \"{reference}\" {} does not exist", path.display())));
        }
        Err(problem) => {
            return Ok(Err(format!("bad file reference: \"{reference}\": {}: {problem}", path.display())));
        }
    };
    // White space is taken off, and so is a byte order mark, which JavaScript counts as that.
    Ok(Ok(json_escaped(text::js_trim(&edition.decoding.decode(&raw)))))
}

fn file_path(named: &str, dir: &Path, home: &Path) -> PathBuf {
    match named.strip_prefix("~/") {
        Some(rest) => absolute(home, Path::new(rest.trim_start_matches('/'))),
        None => absolute(dir, Path::new(named)),
    }
}

fn with_environment(text: &str, search: &Search) -> String {
    let mut out = String::new();
    let mut rest_from = 0;
    for (start, end) in references(text, "{env:") {
        out.push_str(&text[rest_from..start]);
        out.push_str(&search.env(&text[start + "{env:".len()..end - 1]).unwrap_or_default());
        rest_from = end;
    }
    out.push_str(&text[rest_from..]);
    out
}

/// Every `{word:…}` with at least one character before its closing brace.
fn references(text: &str, opening: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(opening).map(|at| at + from) {
        let inner = start + opening.len();
        match text[inner..].find('}') {
            Some(0) => from = inner,
            Some(length) => {
                from = inner + length + 1;
                found.push((start, from));
            }
            None => break,
        }
    }
    found
}

/// What `JSON.stringify` makes of a text, without its quotes.
fn json_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_need_a_name() {
        let found =
            |text: &str| references(text, "{env:").iter().map(|(a, b)| text[*a..*b].to_owned()).collect::<Vec<_>>();
        assert_eq!(found("{env:A} {env:} {env:B C}"), ["{env:A}", "{env:B C}"]);
        assert_eq!(found("{env:A"), [""; 0]);
        assert_eq!(found("{env:{env:A}"), ["{env:{env:A}"]);
    }

    #[test]
    fn signs_in_what_takes_a_place_have_a_meaning() {
        assert_eq!(replacement("a$&b$$c$`d$'e$f$", "<m>", "<b>", "<a>"), "a<m>b$c<b>d<a>e$f$");
    }

    #[test]
    fn texts_are_escaped_as_json_stringify_does() {
        assert_eq!(json_escaped("a\"\\\n\u{1}\u{7f}ä"), "a\\\"\\\\\\n\\u0001\u{7f}ä");
    }
}
