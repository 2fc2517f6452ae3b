//! Patterns as `globset` has them, where no harness's own library is known.

use std::path::Path;

use globset::GlobBuilder;

/// Whether a pattern, in which `*` stays within a segment, matches a relative path. One that is no glob matches nothing.
pub fn plain(pattern: &str, fold_case: bool, path: &Path) -> bool {
    // Most rules are about other files, and to compile a pattern takes a thousand times as long as to see that.
    if !may_match(pattern, fold_case, path.as_os_str().as_encoded_bytes()) {
        return false;
    }
    let glob =
        GlobBuilder::new(pattern).literal_separator(true).case_insensitive(fold_case).empty_alternates(true).build();
    glob.is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

/// Whether a path begins and ends with what a pattern begins and ends with, up to its wildcards. A slash beside a `**` may
/// stand for nothing.
fn may_match(pattern: &str, fold_case: bool, path: &[u8]) -> bool {
    if pattern.contains('\\') || (fold_case && !pattern.is_ascii()) {
        return true;
    }
    let is_special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '{' | '}');
    let head = pattern.find(is_special).map_or(pattern, |at| &pattern[..at]).trim_end_matches('/').as_bytes();
    let tail = pattern.rfind(is_special).map_or(pattern, |at| &pattern[at + 1..]).trim_start_matches('/').as_bytes();
    let same = |one: Option<&[u8]>, other: &[u8]| match one {
        Some(one) if fold_case => one.eq_ignore_ascii_case(other),
        Some(one) => one == other,
        None => false,
    };
    same(path.get(..head.len()), head) && same(path.len().checked_sub(tail.len()).map(|at| &path[at..]), tail)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ];
        let paths =
            ["a", "b", "a/b", "a/b.rs", "a/x/b.rs", "b.rs", "x.ts", "a/b.rs/c", "A/B.RS", "a*b", "*", "ü", "Ü", ""];
        for pattern in patterns {
            for path in paths.map(Path::new) {
                for fold in [false, true] {
                    let glob = GlobBuilder::new(pattern)
                        .literal_separator(true)
                        .case_insensitive(fold)
                        .empty_alternates(true)
                        .build();
                    let matches = glob.is_ok_and(|glob| glob.compile_matcher().is_match(path));
                    assert_eq!(plain(pattern, fold, path), matches, "{pattern:?} {path:?} {fold}");
                }
            }
        }
    }
}
