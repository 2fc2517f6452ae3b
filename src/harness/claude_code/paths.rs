//! The `paths` of a rule: what may be written there, and gitignore patterns as the npm package `ignore` understands them.

use std::path::Path;

use regex_lite::Regex;

use crate::formats::{Node, Value};

/// How many patterns the braces of one rule may make; the client has a bound of its own.
const PATTERN_LIMIT: usize = 10_000;

/// How long they may be together, in bytes.
const PATTERNS_LIMIT_BYTES: usize = 1 << 20;

/// The patterns of a rule that depends on the file that is read; `None` for a rule without any that count.
pub(super) fn patterns(front_matter: &Node) -> Option<Vec<String>> {
    let mut patterns = Vec::new();
    collect(front_matter.get("paths")?, &mut patterns);
    let patterns: Vec<String> = patterns
        .into_iter()
        .map(|pattern| pattern.strip_suffix("/**").map_or(pattern.clone(), str::to_owned))
        .filter(|pattern| !pattern.is_empty())
        .collect();
    // Nothing but stars is no condition at all.
    (!patterns.iter().all(|pattern| pattern == "**")).then_some(patterns)
}

/// The patterns that begin with `./` or `../`, as they are written: no path that they are compared with does.
pub(super) fn never_matching(front_matter: &Node) -> Vec<&str> {
    let Some(paths) = front_matter.get("paths") else { return Vec::new() };
    let texts = paths.as_text().into_iter().chain(paths.as_list().unwrap_or_default().iter().filter_map(Node::as_text));
    texts.flat_map(split).filter(|word| word.starts_with("./") || word.starts_with("../")).collect()
}

fn collect(node: &Node, patterns: &mut Vec<String>) {
    match &node.value {
        Value::Text(text) | Value::Date(text) => {
            split(text).iter().for_each(|word| expand(word, patterns));
        }
        Value::List(list) => {
            for node in list {
                match &node.value {
                    Value::Integer(number) => patterns.push(number.to_string()),
                    _ => collect(node, patterns),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) | Value::Table(_) => {}
    }
}

/// The words between commas that stand in no braces.
fn split(text: &str) -> Vec<&str> {
    let (mut words, mut depth, mut start) = (Vec::new(), 0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                words.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    words.push(&text[start..]);
    words.into_iter().map(crate::text::js_trim).filter(|word| !word.is_empty()).collect()
}

/// `a{b,c}` as `ab` and `ac`. Braces do not nest, and empty ones stand for themselves.
fn expand(word: &str, patterns: &mut Vec<String>) {
    let mut todo = vec![word.to_owned()];
    while let Some(word) = todo.pop() {
        let braces = word.find('{').and_then(|open| {
            let close = word[open..].find('}').map(|at| open + at)?;
            (close > open + 1).then_some((open, close))
        });
        match braces {
            Some((open, close))
                if patterns.len() + todo.len() < PATTERN_LIMIT
                    && (patterns.len() + todo.len()) * word.len() < PATTERNS_LIMIT_BYTES =>
            {
                let words = word[open + 1..close].split(',').map(crate::text::js_trim);
                let expanded = words.map(|choice| format!("{}{choice}{}", &word[..open], &word[close + 1..]));
                todo.extend(expanded.collect::<Vec<_>>().into_iter().rev());
            }
            _ => patterns.push(word),
        }
    }
}

/// Whether a list of patterns holds for the file at `relative`, seen from the directory they belong to.
pub(super) fn matches(patterns: &[String], relative: &Path) -> bool {
    let Some(relative) = relative.to_str() else { return false };
    if !patterns.iter().any(|pattern| may_match(pattern, relative)) {
        return false;
    }
    let rules: Vec<Rule> = patterns.iter().filter_map(|pattern| Rule::new(pattern)).collect();
    let mut ends: Vec<usize> = relative.match_indices('/').map(|(at, _)| at + 1).collect();
    ends.push(relative.len());
    // What lies below a directory that matches cannot be taken out again.
    ends.into_iter().any(|end| ignored(&rules, &relative[..end]))
}

/// Whether the last plain characters of a pattern are in the path: cheaper than a regular expression for each of many
/// rules.
fn may_match(pattern: &str, path: &str) -> bool {
    if !path.is_ascii() || !pattern.is_ascii() || pattern.contains(['[', '\\']) {
        return true;
    }
    let plain = pattern.split(['*', '?', '/']).rfind(|run| !run.is_empty()).unwrap_or_default();
    path.to_ascii_lowercase().contains(&plain.trim_end().to_ascii_lowercase())
}

fn ignored(rules: &[Rule], path: &str) -> bool {
    rules.iter().fold(false, |ignored, rule| if rule.regex.is_match(path) { !rule.negative } else { ignored })
}

struct Rule {
    negative: bool,
    regex: Regex,
}

impl Rule {
    fn new(pattern: &str) -> Option<Rule> {
        let (negative, pattern) = pattern.strip_prefix('!').map_or((false, pattern), |rest| (true, rest));
        if pattern.is_empty() || (pattern.starts_with('#') && !negative) {
            return None;
        }
        let regex = Regex::new(&format!("(?i){}", translated(pattern)?)).ok()?;
        Some(Rule { negative, regex })
    }
}

/// A pattern as a regular expression on relative paths, where those of directories end in a slash.
fn translated(pattern: &str) -> Option<String> {
    let anchored =
        pattern.trim_end_matches('/').contains('/') || pattern.strip_suffix('/').unwrap_or(pattern).contains('/');
    let body = pattern.strip_prefix('/').unwrap_or(pattern);
    if body.is_empty() {
        return None;
    }
    let mut out = String::from(if anchored { "^" } else { "(?:^|/)" });
    let mut rest = body;
    if let Some(after) = rest.strip_prefix("**/") {
        out = "^(?:.*/)?".to_owned();
        rest = after;
    }
    let mut at_start = true;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '/' if after.starts_with("**") && (after.len() == 2 || after[2..].starts_with('/')) => {
                out.push_str(if after.len() == 2 { "/.+" } else { "(?:/[^/]+)*" });
                &after[2..]
            }
            '*' => {
                let after = after.trim_start_matches('*');
                let whole = after.is_empty() && ((at_start && anchored) || out.ends_with('/'));
                out.push_str(if whole { "[^/]+" } else { "[^/]*" });
                after
            }
            '?' => {
                out.push_str("[^/]");
                after
            }
            '[' => class(after, &mut out)?,
            '\\' => {
                let escaped = after.chars().next()?;
                match escaped {
                    // Other escapes reach the regular expression as they are.
                    'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'b' | 'B' => {
                        out.push('\\');
                        out.push(escaped);
                    }
                    't' | 'n' | 'r' | 'f' | 'v' => {
                        out.push('\\');
                        out.push(escaped);
                    }
                    // A slash is escaped before, and leaves the backslash alone.
                    '/' => out.push_str("\\\\"),
                    _ => out.push_str(&regex_lite::escape(&escaped.to_string())),
                }
                if escaped == '/' { after } else { &after[escaped.len_utf8()..] }
            }
            _ => {
                out.push_str(&regex_lite::escape(&c.to_string()));
                after
            }
        };
        at_start = false;
    }
    out.push_str(if out.ends_with('/') { "$" } else { "/?$" });
    Some(out)
}

/// A class behind its bracket. `!` and `^` stand for themselves in it; `None` if it can match nothing.
fn class<'a>(text: &'a str, out: &mut String) -> Option<&'a str> {
    let end = text.find([']', '/', '*', '?'])?;
    let (inner, after) = (&text[..end], &text[end + 1..]);
    if inner.ends_with('\\') {
        return None;
    }
    match text.as_bytes()[end] {
        b']' if inner.is_empty() => None,
        b']' => {
            let class = members(inner);
            if class.is_empty() {
                return None;
            }
            out.push_str(&format!("[{class}]"));
            Some(after)
        }
        // A wildcard is replaced first, by a class of its own; its bracket closes the one around it: `[*.ts]`, as it
        // remains of a list that was no YAML, matches nothing that ends in `.ts`.
        b'?' => {
            out.push_str(&format!("[{}\\[\\^/]", members(inner)));
            Some(after)
        }
        b'*' => {
            let stars = after.len() - after.trim_start_matches('*').len();
            if stars == after.len() && stars == 0 {
                return None;
            }
            out.push_str(&format!("[{}\\[\\^/]*", members(inner)));
            // The last star of the pattern stays one.
            Some(if stars == after.len() { "*" } else { &after[stars..] })
        }
        // With a slash in it, it is the class of the regular expression.
        _ => {
            let close = after.find([']', '*', '?']).filter(|at| after.as_bytes()[*at] == b']')?;
            out.push_str(&format!("[{}]", members(&text[..end + 1 + close])));
            Some(&after[close + 1..])
        }
    }
}

/// What stands in a class: characters and ranges that are not upside down.
fn members(inner: &str) -> String {
    let mut chars = Vec::new();
    let mut hyphens = Vec::new();
    let mut escaped = false;
    for c in inner.chars() {
        if c == '\\' {
            escaped = true;
            continue;
        }
        // An escaped hyphen makes no range.
        if c == '-' && !std::mem::take(&mut escaped) {
            hyphens.push(chars.len());
        }
        escaped = false;
        chars.push(c);
    }
    let mut class = String::new();
    let mut at = 0;
    while at < chars.len() {
        let range = hyphens.contains(&(at + 1)) && chars.get(at + 2).is_some();
        let last = if range { chars[at + 2] } else { chars[at] };
        if chars[at] <= last {
            for (number, c) in [chars[at], last].into_iter().take(if range { 2 } else { 1 }).enumerate() {
                class.push_str(if number == 1 { "-" } else { "" });
                if !c.is_alphanumeric() {
                    class.push('\\');
                }
                class.push(c);
            }
        }
        at += if range { 3 } else { 1 };
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_gitignore() {
        for (pattern, path, expected) in [
            ("*.ts", "src/sub/a.ts", true),
            ("src", "lib/src/a.ts", true),
            ("src/", "src", false),
            ("src/*", "src/sub/a.ts", true),
            ("/src/sub/a.ts", "src/sub/a.ts", true),
            ("./src/a.ts", "src/a.ts", false),
            ("SRC/A.TS", "src/a.ts", true),
            ("sub/a.ts", "src/sub/a.ts", false),
            ("src/**/a.ts", "src/a.ts", true),
            ("src/s?b/[a-c].ts", "src/sub/a.ts", true),
            ("**/*", "a.ts", true),
            ("src**", "src/a.ts", true),
            ("lib**/a.ts", "lib/src/a.ts", false),
            ("lib/src/[!b].ts", "lib/src/a.ts", false),
            ("lib/src/[^b].ts", "lib/src/a.ts", false),
            (r"lib/src/\w.ts", "lib/src/a.ts", true),
            (r"lib/src/\t.ts", "lib/src/t.ts", false),
            (r"lib/src\/a.ts", "lib/src/a.ts", false),
            (r"lib/src/[a\-z].ts", "lib/src/b.ts", false),
            (r"lib/src/[a\-z].ts", "lib/src/z.ts", true),
            ("lib[/]src/a.ts", "lib/src/a.ts", true),
            ("lib/src/[a", "lib/src/a", false),
            ("[*.ts]", "src/a.ts", false),
            ("[**", "src/a.ts", true),
            ("[*", "src/a.ts", false),
            ("[*.ts]", "src/s/a.md", false),
            ("[s*.ts]", "lib/s.ts]", true),
            ("[s?]", "src/s]", true),
            ("lib/***/a.ts", "lib/src/a.ts", true),
            ("lib?src/a.ts", "lib/src/a.ts", false),
            ("**/", "a.ts", false),
            ("**/", "src/a.ts", true),
            ("/*", "lib/src/a.ts", true),
            ("/", "a.ts", false),
            ("/", "src/a.ts", false),
            ("*/a.ts", "lib/src/a.ts", false),
        ] {
            assert_eq!(matches(&[pattern.to_owned()], Path::new(path)), expected, "{pattern} {path}");
        }
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert!(!matches(&list(&["*.ts", "!a.ts"]), Path::new("lib/a.ts")));
        assert!(matches(&list(&["lib", "!lib/a.ts"]), Path::new("lib/a.ts")));
    }

    #[test]
    fn strings_are_split_at_commas_outside_of_braces() {
        assert_eq!(split("a, {b,c} ,, d"), ["a", "{b,c}", "d"]);
        assert_eq!(split("a}, b"), ["a}, b"]);
        let mut patterns = Vec::new();
        expand("{a,b}{.c,}", &mut patterns);
        assert_eq!(patterns, ["a.c", "a", "b.c", "b"]);
        expand(&"{a,b}".repeat(200), &mut patterns);
        assert!(patterns.len() <= PATTERN_LIMIT + 10);
        let mut patterns = Vec::new();
        expand(&("{a,b}".repeat(20) + &"x".repeat(100_000)), &mut patterns);
        assert!(patterns.iter().map(String::len).sum::<usize>() < 4 * PATTERNS_LIMIT_BYTES);
    }

    #[test]
    fn absurd_patterns_end() {
        for pattern in ["*", "**/", "?", "[a-z]*", "a*", "[", "\\", "!", "{", "/"] {
            for times in [30, 500] {
                matches(&[pattern.repeat(times) + "b"], Path::new(&("a/".repeat(60) + &"a".repeat(120))));
            }
        }
    }
}
