//! Reproduces npm's `ignore`: gitignore patterns converted to regular expressions, with all the package's quirks.
//!
//! The package rewrites a pattern step by step, and the result for unusual patterns depends on the order of the steps
//! alone; so the same steps are taken here. Versions 7.0.0 (bundled with Gemini CLI 0.61) to 7.0.5 read patterns alike,
//! and so does Claude Code 2.1.329, which has its own rewrite of the package. From 7.0.6 on they are read as git reads
//! them.

use std::sync::OnceLock;

use super::regex::Regex;
use super::runs;
use crate::text::is_js_space;

/// A list of patterns; later ones with `!` may revert what earlier ones ignore.
#[derive(Debug)]
pub struct NpmIgnore {
    rules: Vec<Rule>,
    /// Result for a pattern that is not a valid regular expression.
    broken: Result<bool, Thrown>,
}

/// Error of the package: a pattern is not a valid regular expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thrown;

#[derive(Debug)]
struct Rule {
    negative: bool,
    body: String,
    /// Compiled on the first path that it could match, as in the package.
    regex: OnceLock<Option<Regex>>,
}

impl NpmIgnore {
    /// Creates a list. Blank lines, comments and patterns with a stray backslash at the end are left out.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> NpmIgnore {
        NpmIgnore { rules: patterns.into_iter().filter_map(Rule::new).collect(), broken: Err(Thrown) }
    }

    /// Creates a list for a client that ignores patterns for which the package throws.
    pub fn lenient<'p>(patterns: impl IntoIterator<Item = &'p str>) -> NpmIgnore {
        NpmIgnore { broken: Ok(false), ..NpmIgnore::new(patterns) }
    }

    /// Returns true if a relative path, or a directory above it, is ignored. The path of a directory ends with a slash.
    pub fn ignores(&self, path: &str) -> Result<bool, Thrown> {
        let mut folded = None;
        if !self.rules.iter().any(|rule| rule.may_match(path, &mut folded)) {
            return Ok(false);
        }
        let inner = path.strip_suffix('/').unwrap_or(path);
        let above = inner.match_indices('/').map(|(at, _)| at + 1);
        for end in above.chain([path.len()]) {
            // A path below an ignored directory cannot be re-included.
            if self.ignores_itself(&path[..end])? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn ignores_itself(&self, path: &str) -> Result<bool, Thrown> {
        self.rules.iter().try_fold(false, |ignored, rule| {
            // A rule that cannot change the result is not even compiled.
            let changes = ignored == rule.negative && rule.matches(path).map_or(self.broken, Ok)?;
            Ok(ignored != changes)
        })
    }
}

impl Rule {
    fn new(pattern: &str) -> Option<Rule> {
        let trailing = pattern.len() - pattern.trim_end_matches('\\').len();
        if pattern.chars().all(is_js_space) || trailing == 1 || pattern.starts_with('#') {
            return None;
        }
        let (negative, body) = pattern.strip_prefix('!').map_or((false, pattern), |rest| (true, rest));
        let body = body.strip_prefix('\\').filter(|rest| rest.starts_with('!')).unwrap_or(body);
        let body = body.strip_prefix('\\').filter(|rest| rest.starts_with('#')).unwrap_or(body);
        Some(Rule { negative, body: body.to_owned(), regex: OnceLock::new() })
    }

    /// Returns false if the path lacks literal characters of the pattern. With many patterns this is cheaper than
    /// matching each expression.
    fn may_match(&self, path: &str, folded: &mut Option<String>) -> bool {
        if !runs::may_match(&self.body, path, true) {
            return false;
        }
        if !path.is_ascii() || !self.body.is_ascii() || self.body.contains(['[', '\\', '\n', '\r']) {
            return true;
        }
        let plain = self.body.split(['*', '?', '/']).rfind(|run| !run.is_empty()).unwrap_or_default();
        let folded = folded.get_or_insert_with(|| path.to_ascii_lowercase());
        folded.contains(&plain.trim_end().to_ascii_lowercase())
    }

    /// Matches a path; `None` if the pattern is not a valid regular expression.
    fn matches(&self, path: &str) -> Option<bool> {
        // The package compiles the expression at this point, but none of these fails.
        if !runs::may_match(&self.body, path, true) {
            return Some(false);
        }
        let regex = self.regex.get_or_init(|| {
            let source: Vec<u16> = source(&self.body).encode_utf16().collect();
            Regex::ignoring_case(&source)
        });
        Some(regex.as_ref()?.is_found_in(path))
    }
}

/// Returns the source of the regular expression.
fn source(body: &str) -> String {
    let text = body.strip_prefix('\u{feff}').unwrap_or(body);
    let text = with_plain_spaces(&without_trailing_spaces(text));
    let text = anchored(&with_slashes(&escaped(&text)), body);
    let text = with_inner_stars(&with_globstars(&text));
    let text = without_double_escapes(&text);
    ended(with_classes(&text))
}

/// Removes trailing spaces. One after an odd number of backslashes is kept, without its backslash.
fn without_trailing_spaces(text: &str) -> String {
    let bare = text.trim_end_matches(is_js_space);
    let escapes = bare.len() - bare.trim_end_matches('\\').len();
    if bare.len() < text.len() && escapes % 2 == 1 {
        return format!("{} ", &bare[..bare.len() - 1]);
    }
    bare.to_owned()
}

/// Removes the odd backslash of a run before a space, and makes any such space a plain one.
fn with_plain_spaces(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut escapes = 0;
    for c in text.chars() {
        if is_js_space(c) && escapes > 0 {
            out.truncate(out.len() - escapes % 2);
            out.push(' ');
        } else {
            out.push(c);
        }
        escapes = if c == '\\' { escapes + 1 } else { 0 };
    }
    out
}

/// Escapes characters that are special in an expression, and converts question marks.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        match c {
            '\\' | '$' | '.' | '|' | '*' | '+' | '(' | ')' | '{' | '^' => out.extend(['\\', c]),
            '?' => out.push_str("[^/]"),
            _ => out.push(c),
        }
    }
    out
}

/// Converts a leading slash to the start of the text, and escapes all others.
fn with_slashes(text: &str) -> String {
    match text.strip_prefix('/') {
        Some(rest) => format!("^{}", rest.replace('/', "\\/")),
        None => text.replace('/', "\\/"),
    }
}

/// Prepends what may precede the match: any directory, or the start if `body` has a slash before its last character.
fn anchored(text: &str, body: &str) -> String {
    if let Some(rest) = text.trim_start_matches('^').strip_prefix("\\*\\*\\/") {
        return format!("^(?:.*\\/)?{rest}");
    }
    let has_slash = body.strip_suffix('/').unwrap_or(body).contains('/');
    match text.chars().next() {
        None | Some('^') => text.to_owned(),
        Some(_) if has_slash => format!("^{text}"),
        Some(_) => format!("(?:^|\\/){text}"),
    }
}

/// Converts `/**`: before a slash to any directories, at the end to anything.
fn with_globstars(text: &str) -> String {
    const GLOBSTAR: &str = "\\/\\*\\*";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(GLOBSTAR) {
        let behind = &rest[at + GLOBSTAR.len()..];
        out.push_str(&rest[..at]);
        if behind.is_empty() {
            out.push_str("\\/.+");
        } else if behind.starts_with("\\/") {
            out.push_str("(?:\\/[^\\/]+)*");
        } else {
            // The next match may start in the middle of this one.
            out.push('\\');
            rest = &rest[at + 1..];
            continue;
        }
        rest = behind;
    }
    out + rest
}

/// Converts stars to any characters but slashes, if something follows them and no backslash precedes them.
fn with_inner_stars(text: &str) -> String {
    let is_line_end = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut may_begin = true;
    while let Some(c) = rest.chars().next() {
        let bare = rest.trim_start_matches("\\*");
        let mut stars = (rest.len() - bare.len()) / 2;
        // The last star of the text is kept.
        if bare.is_empty() || bare.starts_with(is_line_end) {
            stars = stars.saturating_sub(1);
        }
        if may_begin && stars > 0 {
            out.push_str("[^\\/]*");
            rest = &rest[2 * stars..];
            may_begin = false;
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
        may_begin = c != '\\';
    }
    out
}

/// Undoes the second escape of characters that the pattern itself escapes, and halves pairs of backslashes.
fn without_double_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let three =
            rest.strip_prefix("\\\\\\").filter(|rest| rest.starts_with(['$', '.', '|', '*', '+', '(', ')', '{', '^']));
        out.push(c);
        rest = three.unwrap_or(&rest[c.len_utf8()..]);
    }
    out.replace("\\\\", "\\")
}

/// Converts `[…]` and repairs its ranges; one that is unclosed or ends with a backslash matches nothing.
fn with_classes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let inner = &rest[at + 1..];
        let end = inner.find([']', '/']).unwrap_or(inner.len());
        if inner[end..].starts_with('/') {
            out.push_str(&rest[..=at]);
            rest = inner;
            continue;
        }
        let (lead, is_literal) = match rest[..at].strip_suffix('\\') {
            Some(lead) => (lead, true),
            None => (&rest[..at], false),
        };
        let range = inner[..end].trim_end_matches('\\');
        let escapes = end - range.len();
        let is_closed = end < inner.len();
        out.push_str(lead);
        if is_literal {
            let close = if is_closed { "]" } else { "" };
            out.push_str(&format!("\\[{range}{}{close}", &inner[range.len()..end - escapes % 2]));
        } else if is_closed && escapes.is_multiple_of(2) {
            out.push_str(&format!("[{}{}]", with_ranges_in_order(range), &inner[range.len()..end]));
        } else {
            out.push_str("[]");
        }
        rest = &inner[(end + 1).min(inner.len())..];
    }
    out + rest
}

/// Removes ranges of ASCII characters that are in the wrong order.
fn with_ranges_in_order(range: &str) -> String {
    let mut out = String::with_capacity(range.len());
    let mut rest = range;
    while let Some(c) = rest.chars().next() {
        match rest.as_bytes() {
            [from @ b'0'..=b'z', b'-', to @ b'0'..=b'z', ..] => {
                out.push_str(if from <= to { &rest[..3] } else { "" });
                rest = &rest[3..];
            }
            _ => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

/// Appends what may follow the match: nothing, or the slash of a directory.
fn ended(text: String) -> String {
    let text = match text.chars().last() {
        None | Some('*') => text,
        Some('/') => text + "$",
        Some(_) => text + "(?=$|\\/$)",
    };
    match text.strip_suffix("\\*") {
        Some(rest) if rest.ends_with("\\/") => format!("{rest}[^/]+(?=$|\\/$)"),
        Some(rest) => format!("{rest}[^/]*(?=$|\\/$)"),
        None => text,
    }
}
