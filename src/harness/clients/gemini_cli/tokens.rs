//! Import tokens `@path` of a text, and the code in which they do not count.

use std::ops::Range;

/// Token `@path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Range of the whole token, in bytes of the text.
    pub at: Range<usize>,
    /// Text after the `@`.
    pub path: String,
}

/// Returns at most `limit` tokens of `text` outside of code: an `@` at the start or after white space, and everything
/// up to the next white space, if it begins with a dot, a slash or an ASCII letter. Punctuation belongs to the path.
pub(super) fn imports(text: &str, limit: usize) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut code = code_regions(text).into_iter().peekable();
    let mut tokens = Vec::new();
    let mut from = 0;
    while let Some(found) = text[from..].find('@')
        && tokens.len() < limit
    {
        let start = from + found;
        if start > 0 && !is_space(bytes[start - 1]) {
            from = start + 1;
            continue;
        }
        let len = bytes[start + 1..].iter().position(|&byte| is_space(byte));
        let end = len.map_or(text.len(), |len| start + 1 + len);
        from = (end + 1).min(text.len());
        let path = &text[start + 1..end];
        if !path.starts_with(|c: char| c == '.' || c == '/' || c.is_ascii_alphabetic()) {
            continue;
        }
        while code.next_if(|region| region.end <= start).is_some() {}
        if code.peek().is_none_or(|region| start < region.start) {
            tokens.push(Token { at: start..end, path: path.to_owned() });
        }
    }
    tokens
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns the code regions as the client finds them: every match of the regular expression `` (`+)([\s\S]*?)\1 ``. A
/// run of backticks closes with as many anywhere later; if no later run is as long, the expression backtracks to fewer.
fn code_regions(text: &str) -> Vec<Range<usize>> {
    let runs = backtick_runs(text);
    // Length of the longest run at or after each index.
    let mut longest_later = vec![0; runs.len() + 1];
    for index in (0..runs.len()).rev() {
        longest_later[index] = runs[index].len().max(longest_later[index + 1]);
    }
    let mut regions = Vec::new();
    let (mut index, mut at) = (0, 0);
    while let Some(run) = runs.get(index) {
        let start = run.start.max(at);
        let len = run.end.saturating_sub(start);
        if len == 0 {
            index += 1;
            continue;
        }
        // The rest of the same run may close it too.
        let ticks = len.min(longest_later[index + 1].max(len / 2));
        if ticks == 0 {
            // A lone backtick with nothing after it.
            index += 1;
            continue;
        }
        if len - ticks >= ticks {
            at = start + 2 * ticks;
        } else {
            index += 1;
            while runs[index].len() < ticks {
                index += 1;
            }
            at = runs[index].start + ticks;
        }
        regions.push(start..at);
    }
    regions
}

fn backtick_runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_ends_at_white_space_and_follows_it() {
        for (text, paths) in [
            ("@a @b\t@./c\n@/d", vec!["a", "b", "./c", "/d"]),
            ("x@a (@b) @~/c @1 @ @@a", vec![]),
            ("@a, @b.", vec!["a,", "b."]),
            ("@a\u{a0}b", vec!["a\u{a0}b"]),
            ("@ä @é", vec![]),
        ] {
            let found: Vec<_> = imports(text, 9).into_iter().map(|token| token.path).collect();
            assert_eq!(found, paths, "{text:?}");
        }
    }

    #[test]
    fn code_is_what_the_regular_expression_matches() {
        let cases: [(&str, &[(usize, usize)]); 9] = [
            ("`a` b", &[(0, 3)]),
            ("``a` b", &[(0, 2)]),
            ("```a`` b", &[(0, 6)]),
            ("```a`` b ` c", &[(0, 6)]),
            ("`` `a`` `", &[(0, 7)]),
            ("```` x", &[(0, 4)]),
            ("``` x", &[(0, 2)]),
            ("` x", &[]),
            ("`a ``", &[(0, 4)]),
        ];
        for (text, regions) in cases {
            let found: Vec<_> = code_regions(text).into_iter().map(|region| (region.start, region.end)).collect();
            assert_eq!(found, regions, "{text:?}");
        }
    }
}
