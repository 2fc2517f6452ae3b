//! Matches patterns with `globset`, for agents whose own library is not known.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use globset::{Glob, GlobBuilder, GlobSet};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::PATTERN_LIMIT;
use super::guard::Bounds;
use super::meter::{gives_up, watched};

/// Limits for `globset` 0.4. Its regular expressions may nest 250 deep, but it checks that only after following the
/// braces recursively.
const BOUNDS: Bounds = Bounds { length: PATTERN_LIMIT, depth: 250, alternatives: 16_384 };

/// Maximum size of all lines with wildcards in one `.gitignore`, in bytes, and maximum number of lines. An automaton
/// takes about eighty times as much memory.
const WILDCARDS_LIMIT_BYTES: usize = 64 * 1024;
const LINES_LIMIT: usize = 100_000;

/// Maximum number of cached patterns, and their maximum length in bytes. The automaton of a usual rule takes some ten
/// kilobytes.
const KNOWN_LIMIT: usize = 256;
const KNOWN_LENGTH: usize = 256;

/// Returns true if a pattern, in which `*` stays within a segment, matches a relative path. An invalid glob matches
/// nothing.
pub fn plain(pattern: &str, fold_case: bool, path: &Path) -> bool {
    // Most rules are about other files, which is found out a thousand times faster without compiling the pattern.
    may_match(pattern, fold_case, path.as_os_str().as_encoded_bytes())
        && compiled(pattern, fold_case).is_some_and(|glob| glob.is_match(path))
}

/// Returns true if [`plain`] understands a pattern. A short one without brackets is always valid.
pub fn is_plain(pattern: &str) -> bool {
    (pattern.len() <= KNOWN_LENGTH && !has_brackets(pattern)) || compiled(pattern, false).is_some()
}

/// Compiles the patterns to one matcher; invalid globs are left out.
pub fn plain_set<'p>(patterns: impl IntoIterator<Item = &'p str>) -> GlobSet {
    let globs: Vec<Glob> = patterns.into_iter().filter_map(|pattern| parsed(pattern, false)).collect();
    GlobSet::new(&globs).unwrap_or_else(|_| {
        // One pattern, or all of them together, are too large.
        GlobSet::new(globs.into_iter().filter(|glob| alone(glob.clone()).is_some()))
            .unwrap_or_else(|_| GlobSet::empty())
    })
}

thread_local! {
    /// Cached compiled patterns: case-sensitive ones, and those that ignore case.
    static KNOWN: RefCell<[HashMap<String, Option<Arc<GlobSet>>>; 2]> = RefCell::default();
}

/// Returns the compiled pattern. It is cached, since the rules of a project are compared with one file after the other.
fn compiled(pattern: &str, fold_case: bool) -> Option<Arc<GlobSet>> {
    KNOWN.with_borrow_mut(|known| {
        let known = &mut known[usize::from(fold_case)];
        if let Some(globs) = known.get(pattern) {
            return globs.clone();
        }
        let (globs, gave_up) = watched(|| parsed(pattern, fold_case).and_then(alone).map(Arc::new));
        if pattern.len() <= KNOWN_LENGTH && !gave_up {
            if known.len() >= KNOWN_LIMIT {
                known.clear();
            }
            known.insert(pattern.to_owned(), globs.clone());
        }
        globs
    })
}

/// Parses a pattern without compiling it; `None` for an invalid glob.
pub(super) fn parsed(pattern: &str, fold_case: bool) -> Option<Glob> {
    if !BOUNDS.allow(pattern) {
        gives_up();
        return None;
    }
    GlobBuilder::new(pattern).literal_separator(true).case_insensitive(fold_case).empty_alternates(true).build().ok()
}

/// Creates a set of one glob: `Glob::compile_matcher` panics if a pattern grows too large for the regular expressions
/// behind it.
fn alone(glob: Glob) -> Option<GlobSet> {
    GlobSet::new([glob]).ok()
}

/// Returns true if a pattern has special characters other than `*` and `?`.
fn has_brackets(pattern: &str) -> bool {
    pattern.contains(['[', ']', '{', '}', '\\'])
}

/// Returns false if a path lacks the literal start or end of a pattern, or the texts between its wildcards in the same
/// order. A slash beside a `**` may match nothing.
fn may_match(pattern: &str, fold_case: bool, path: &[u8]) -> bool {
    if pattern.contains('\\') || (fold_case && !pattern.is_ascii()) {
        return true;
    }
    let is_special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '{' | '}');
    let head = pattern.find(is_special).map_or(pattern, |at| &pattern[..at]).trim_end_matches('/').as_bytes();
    let tail = pattern.rfind(is_special).map_or(pattern, |at| &pattern[at + 1..]).trim_start_matches('/').as_bytes();
    let same = |one: &[u8], other: &[u8]| if fold_case { one.eq_ignore_ascii_case(other) } else { one == other };
    let begins = path.get(..head.len()).is_some_and(|start| same(start, head));
    let ends = begins && path.len().checked_sub(tail.len()).is_some_and(|at| same(&path[at..], tail));
    ends && (has_brackets(pattern) || has_in_order(path, pattern.split(['*', '?']), same))
}

/// Returns true if a path contains the words in order.
fn has_in_order<'p>(
    mut path: &[u8],
    words: impl Iterator<Item = &'p str>,
    same: impl Fn(&[u8], &[u8]) -> bool,
) -> bool {
    words.map(|word| word.trim_matches('/').as_bytes()).filter(|word| !word.is_empty()).all(|word| {
        let found = path.windows(word.len()).position(|window| same(window, word));
        found.inspect(|at| path = &path[at + word.len()..]).is_some()
    })
}

/// Returns the lines of a `.gitignore` as the Rust crate `ignore` reads it: without byte order marks at the start,
/// up to the first line that is not UTF-8.
pub fn ignore_lines(mut raw: &[u8]) -> impl Iterator<Item = &str> {
    while let Some(rest) = raw.strip_prefix(b"\xef\xbb\xbf") {
        raw = rest;
    }
    let lines = raw.split(|byte| *byte == b'\n').map_while(|line| std::str::from_utf8(line).ok());
    lines.map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// Returns the matcher of a `.gitignore` in `dir`, as git reads it; an invalid line ignores nothing. Lines beyond the
/// limits are dropped, since all lines with wildcards are compiled to one automaton.
pub fn gitignore<'l>(dir: impl AsRef<Path>, lines: impl Iterator<Item = &'l str>) -> Gitignore {
    let mut left = WILDCARDS_LIMIT_BYTES;
    let lines: Vec<&str> = lines
        .take(LINES_LIMIT)
        .filter(|line| {
            let needs = if line.contains(['*', '?', '[', '{', '\\']) { line.len() } else { 0 };
            let fits = needs <= left && BOUNDS.allow(line);
            if fits {
                left -= needs
            } else {
                gives_up()
            }
            fits
        })
        .collect();
    if lines.len() == LINES_LIMIT {
        gives_up();
    }
    let built = |lines: &[&str]| {
        let mut builder = GitignoreBuilder::new(&dir);
        for line in lines {
            let _ = builder.add_line(None, line);
        }
        builder.build()
    };
    let compiles = |line: &&str| parsed(line, false).and_then(alone).is_some();
    // One line, or all of them together, are too large.
    built(&lines).or_else(|_| built(&lines.into_iter().filter(compiles).collect::<Vec<_>>())).unwrap_or_else(|_| {
        gives_up();
        Gitignore::empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob::Meter;

    #[test]
    fn patterns_beyond_all_bounds_match_nothing() {
        let nested = |depth: usize| "{a,".repeat(depth) + "b" + &"}".repeat(depth);
        for depth in [1, 100] {
            assert!(is_plain(&nested(depth)) && plain(&nested(depth), false, Path::new("b")), "{depth}");
        }
        for pattern in [nested(250), nested(100_000), "{a,b}".repeat(1 << 20), "[α-ω]{a,b}".repeat(6_000)] {
            assert!(!is_plain(&pattern) && !plain(&pattern, true, Path::new("a")), "{} bytes", pattern.len());
            assert!(plain_set([pattern.as_str(), "*.md"]).is_match("a.md"), "the others are what they are");
            let ignored = gitignore("", [pattern.as_str(), "*.md"].into_iter());
            assert!(ignored.matched("a.md", false).is_ignore(), "the other lines are what they are");
        }
    }

    #[test]
    fn a_look_at_both_ends_decides_as_the_pattern_would() {
        let patterns = [
            "*",
            "**",
            "**/*",
            "a",
            "a/b",
            "a/**",
            "a/*",
            "**/a",
            "**/b.rs",
            "a/**/b.rs",
            "*.rs",
            "*.{rs,ts}",
            "{a,b}/**",
            "[ab]/*.rs",
            "a/[!b].rs",
            "a?b",
            "A/**",
            "/a",
            "a/",
            "./a",
            "\\*",
            "[",
            "{a",
            "a/**/",
            "**/",
            "ü*",
            "a//b",
            "",
            "**/a/**/b.rs",
            "**/x/*",
            "?/b*",
            "a*/*b*",
            "*x*x*",
        ];
        let paths =
            ["a", "b", "a/b", "a/b.rs", "a/x/b.rs", "b.rs", "x.ts", "a/b.rs/c", "A/B.RS", "a*b", "*", "ü", "Ü", ""];
        for pattern in patterns {
            for path in paths.map(Path::new) {
                for fold in [false, true] {
                    let matches = compiled(pattern, fold).is_some_and(|glob| glob.is_match(path));
                    assert_eq!(plain(pattern, fold, path), matches, "{pattern:?} {path:?} {fold}");
                }
            }
            assert_eq!(is_plain(pattern), compiled(pattern, false).is_some(), "{pattern:?}");
        }
    }

    #[test]
    fn patterns_of_other_folders_are_told_apart_without_being_compiled() {
        let path = Path::new("w/d1/d2/a.ts");
        for number in 3..2_000 {
            assert!(!plain(&format!("**/d1/d{number}/**/*.ts"), true, path) && is_plain(&format!("d{number}/**")));
        }
        assert!(plain("**/d1/d2/**/*.ts", true, path) && plain("**/D1/**", true, path));
        assert_eq!(KNOWN.with_borrow(|known| known.each_ref().map(HashMap::len)), [0, 2]);
    }

    #[test]
    fn lines_of_gitignore_with_wildcards_are_compiled_up_to_a_length_and_then_given_up() {
        let line = |number: usize| format!("*a{number}*/**/b*");
        let few: Vec<String> = (0..1_000).map(line).chain(["*.md".to_owned()]).collect();
        let meter = Meter::default();
        let ignored = gitignore("", few.iter().map(String::as_str));
        assert!(ignored.matched("a.md", false).is_ignore() && !meter.has_given_up());
        let plain: Vec<String> = (0..5_000).map(|number| format!("build{number}/")).collect();
        assert_eq!(gitignore("", plain.iter().map(String::as_str)).len(), 5_000);
        assert!(!meter.has_given_up());
        let many: Vec<String> = (0..50_000).map(line).collect();
        assert!(gitignore("", many.iter().map(String::as_str)).len() < 10_000 && meter.has_given_up());
    }
}
