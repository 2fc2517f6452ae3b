//! The key `paths` of a rule: the values it accepts, and gitignore patterns as the npm package `ignore` matches them.

use std::path::Path;

use crate::formats::{Node, Value};
use crate::glob::{self, NpmIgnore};

/// Maximum number of patterns into which the braces of one rule expand; the client has a limit of its own.
const PATTERN_LIMIT: usize = 10_000;

/// Maximum size of the patterns into which the braces of one word expand, in bytes, including intermediate ones.
const COPIED_LIMIT_BYTES: usize = 8 << 20;

/// Returns the patterns of a rule that depends on the file that is read; `None` if the rule has no pattern that counts.
pub(super) fn patterns(front_matter: &Node) -> Option<Vec<String>> {
    let mut patterns = Vec::new();
    collect(front_matter.get("paths")?, &mut patterns);
    let patterns: Vec<String> = patterns
        .into_iter()
        .map(|pattern| pattern.strip_suffix("/**").map_or(pattern.clone(), str::to_owned))
        .filter(|pattern| !pattern.is_empty())
        .collect();
    // A rule that has only `**` applies to every file.
    (!patterns.iter().all(|pattern| pattern == "**")).then_some(patterns)
}

/// Returns the patterns that begin with `./` or `../`, as written. They never match, because no compared path begins
/// so.
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

/// Splits at commas outside of braces.
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

/// Expands `a{b,c}` to `ab` and `ac`. Braces do not nest, and empty ones are literal.
fn expand(word: &str, patterns: &mut Vec<String>) {
    let (mut todo, mut copied) = (vec![word.to_owned()], 0);
    while let Some(word) = todo.pop() {
        let braces = word.find('{').and_then(|open| {
            let close = word[open..].find('}').map(|at| open + at)?;
            (close > open + 1).then_some((open, close))
        });
        let Some((open, close)) = braces else {
            patterns.push(word);
            continue;
        };
        let choices = 1 + word[open..close].matches(',').count();
        copied += choices.saturating_mul(word.len());
        if patterns.len() + todo.len() + choices > PATTERN_LIMIT {
            patterns.push(word);
        } else if copied > COPIED_LIMIT_BYTES {
            glob::gives_up();
            patterns.push(word);
        } else {
            let words = word[open + 1..close].split(',').map(crate::text::js_trim);
            let expanded = words.map(|choice| format!("{}{choice}{}", &word[..open], &word[close + 1..]));
            todo.extend(expanded.collect::<Vec<_>>().into_iter().rev());
        }
    }
}

/// Returns true if the patterns match the file. `relative` is relative to the directory of the rule.
pub(super) fn matches(patterns: &[String], relative: &Path) -> bool {
    let Some(relative) = relative.to_str() else { return false };
    // Observed: a pattern that is not a valid regular expression does not invalidate the others.
    NpmIgnore::lenient(patterns.iter().map(String::as_str)).ignores(relative) == Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob::Meter;

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
        assert!(patterns.iter().map(String::len).sum::<usize>() < 2 * COPIED_LIMIT_BYTES);
        // Each comma makes a pattern nearly as long as the whole.
        let mut patterns = Vec::new();
        expand(&("{a,".repeat(20_000) + &"}".repeat(20_000)), &mut patterns);
        assert!(patterns.iter().map(String::len).sum::<usize>() < 2 * COPIED_LIMIT_BYTES);
        // Each pair is expanded by itself.
        let meter = Meter::default();
        expand(&("{a: ".repeat(100_000) + &"}".repeat(100_000)), &mut Vec::new());
        assert!(meter.has_given_up());
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
