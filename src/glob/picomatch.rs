//! Converts patterns to regular expressions as npm's `picomatch` 4 does with `dot: true`, with all its quirks.
//!
//! The package reads a pattern character by character and writes the expression as it goes. Its output for some unusual
//! patterns follows from these steps alone, and clients match paths with it. So the same steps are taken here.

mod fast;
mod parse;
mod repeats;

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::regex::Regex;
use super::units::utf16;
use super::{meter, runs};

/// Maximum length of a pattern, in UTF-16 units; the package throws above 65 536.
const PATTERN_LIMIT: usize = 8 * 1024;

/// One character of a name.
const QMARK: &str = "[^/]";
/// Any characters of a name.
const STAR: &str = "[^/]*?";
/// At least one character must follow.
const ONE_CHAR: &str = "(?=.)";
/// The following name is neither `.` nor `..`.
const NO_DOTS_SLASH: &str = "(?!\\.{1,2}(?:\\/|$))";
/// Any path without `.` and `..`.
const GLOBSTAR: &str = "(?:(?:(?!(?:^|\\/)\\.{1,2}(?:\\/|$)).)*?)";

/// A compiled pattern.
#[derive(Debug)]
pub struct Picomatch {
    pattern: String,
    /// Compiled on the first path that could match; `None` if the expression is invalid, so that the pattern matches
    /// only itself.
    regex: OnceLock<Option<Regex>>,
    /// Results that took many steps, by path and with those steps: they count again, so that an answer does not depend
    /// on those before it.
    known: Mutex<HashMap<String, (bool, usize)>>,
}

/// Maximum number of remembered results.
const KNOWN_LIMIT: usize = 4096;

/// Number of steps from which on a result is remembered: fifty thousand globs must not remember every path.
const WORTH_REMEMBERING: usize = 512;

impl Picomatch {
    /// Creates a matcher; `None` if the package throws.
    pub fn new(pattern: &str) -> Option<Picomatch> {
        if pattern.is_empty() || pattern.encode_utf16().count() > PATTERN_LIMIT {
            return None;
        }
        Some(Picomatch { pattern: pattern.to_owned(), regex: OnceLock::new(), known: Mutex::default() })
    }

    /// Returns the pattern as written.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Returns true if a path matches.
    pub fn matches(&self, path: &str) -> bool {
        !path.is_empty() && (path == self.pattern || (self.may_match(path) && self.is_found_in(path)))
    }

    /// Returns false if the path lacks letters of the pattern. Skips patterns with classes, since the package's output
    /// for them depends on the context.
    fn may_match(&self, path: &str) -> bool {
        self.pattern.contains(['[', ']', '?']) || runs::may_match(&self.pattern, path, false)
    }

    fn is_found_in(&self, path: &str) -> bool {
        let compiled = || Regex::new(&utf16(&expression(&self.pattern)), false);
        let Some(regex) = self.regex.get_or_init(compiled) else { return false };
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied();
        if let Some((found, steps)) = known {
            let may = meter::takes_again(steps);
            if !may {
                meter::gives_up();
            }
            return may && found;
        }
        let ((found, aborted), steps) = meter::counted(|| meter::watched(|| regex.is_found_in(path)));
        if !aborted && steps >= WORTH_REMEMBERING {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= KNOWN_LIMIT {
                known.clear();
            }
            known.insert(path.to_owned(), (found, steps));
        }
        found
    }
}

/// Returns the source of the expression.
fn expression(pattern: &str) -> String {
    let short = if pattern.starts_with(['.', '*']) { fast::usual(replaced(pattern)) } else { None };
    let (output, negated) = match short {
        Some(output) => (output, false),
        None => parse::parse(pattern, true),
    };
    let source = format!("^(?:{output})$");
    if negated { format!("^(?!{source}).*$") } else { source }
}

/// Replaces whole patterns that have a shorter equivalent.
fn replaced(pattern: &str) -> &str {
    match pattern {
        "***" => "*",
        "**/**" | "**/**/**" => "**",
        other => other,
    }
}

/// Escapes characters that are special in an expression, except the backslash.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_special(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn is_special(c: char) -> bool {
    "-*+?.^${}(|)[]".contains(c)
}

#[cfg(test)]
mod tests {
    use super::{Picomatch, meter};

    #[test]
    fn patterns_match_as_the_package_does() {
        for (pattern, path, expected) in [
            ("**/w/CLAUDE.md", "/w/CLAUDE.md", true),
            ("02.md", "/r/02.md", false),
            ("/r/*/a.md", "/r/.claude/a.md", true),
            ("/r/{a,{b,c}}.md", "/r/c.md", true),
            ("/r/0[7-8].md", "/r/07.md", true),
            ("/r/[!a]9.md", "/r/19.md", false),
            ("/r/[^a]9.md", "/r/19.md", true),
            ("/r/[[:digit:]]2.md", "/r/12.md", true),
            ("/r/@(a|b).md", "/r/b.md", true),
            ("/r/!(a|b)6.md", "/r/c6.md", true),
            ("/r/!(a|b)6.md", "/r/a6.md", false),
            ("/r/(25|26).md", "/r/26.md", true),
            ("/r/a.md/**", "/r/a.md", true),
            ("/r/**27.md", "/r/x/27.md", false),
            ("/r/{20}.md", "/r/20.md", false),
            ("!**/keep.md", "/r/other.md", true),
            ("!**/keep.md", "/r/keep.md", false),
            ("/r/(16.md", "/r/(16.md", true),
            ("/r/*9*", "/r/19.md", true),
        ] {
            assert_eq!(Picomatch::new(pattern).is_some_and(|glob| glob.matches(path)), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_look_for_letters_decides_as_the_expression_would() {
        let pieces = ["a", "b", "-", "/", ".", "*", "**", "***", "**/", "./", "../", "a.b", "_c"];
        let mut state = 1_u64;
        let mut made = |most: u64| {
            let mut next = |below: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % below
            };
            (0..1 + next(most)).map(|_| pieces[next(pieces.len() as u64) as usize]).collect::<String>()
        };
        for _ in 0..20_000 {
            let (pattern, path) = (made(6), made(5));
            let Some(glob) = Picomatch::new(&pattern) else { continue };
            assert!(glob.may_match(&path) || !glob.is_found_in(&path), "{pattern:?} {path:?}");
        }
    }

    #[test]
    fn what_is_remembered_counts_as_if_it_were_matched_again() {
        for (pattern, path, is_worth) in
            [("/+(r)/**/c.md", "/r/a/b/c.md".repeat(100), true), ("/r/c.?d", "/r/c.md".to_owned(), false)]
        {
            let glob = Picomatch::new(pattern).expect("a pattern");
            let (first, steps) = meter::counted(|| glob.matches(&path));
            assert_eq!(steps >= super::WORTH_REMEMBERING, is_worth, "{steps} steps");
            let meter = meter::Meter::default();
            let (second, again) = meter::counted(|| glob.matches(&path));
            assert_eq!((first, steps), (second, again));
            assert_eq!(
                (meter.remembered() > 0, glob.known.lock().expect("no panic").len()),
                (is_worth, usize::from(is_worth))
            );
        }
    }

    #[test]
    fn absurd_patterns_end() {
        for part in
            ["{", "(", "+(", "{a,", "[", "*", "**/", "!(", "!", "{a,b}", "(a)+", "\\", "\"", "@(*|", "{1..", "(?="]
        {
            for times in [20, 300, 10_000] {
                for close in ["", ")", "}", ")+", "*)", "]", ")*.x"] {
                    let pattern = format!("/{}a{}", part.repeat(times), close.repeat(times));
                    Picomatch::new(&pattern).map(|glob| glob.matches(&format!("/{}", "a".repeat(200))));
                }
            }
        }
    }
}
