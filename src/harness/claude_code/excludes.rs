//! `claudeMdExcludes`: globs on absolute paths, as the npm package `picomatch` understands them with `dot: true`.

use std::path::Path;

use regex_lite::Regex;

use crate::search::{Search, Told};
use crate::snapshot::absolute;

/// Longest glob that is read, in bytes; the client's own bound is 65 536 characters.
const GLOB_LIMIT_BYTES: usize = 8 * 1024;

/// How deep groups and braces may nest; deeper ones stand for themselves.
const DEPTH_LIMIT: usize = 30;

/// The globs of all settings together.
#[derive(Default)]
pub(super) struct Excludes(Vec<Glob>);

impl Excludes {
    /// Reads the globs. What stands before the first wildcard may lead through links, and counts by both names.
    pub(super) fn new<'p>(patterns: impl Iterator<Item = &'p str>, search: &mut Search) -> Told<Excludes> {
        let mut globs = Vec::new();
        for pattern in patterns {
            let pattern = pattern.replace('\\', "/");
            globs.extend(Glob::new(&pattern));
            if !pattern.starts_with('/') || pattern.starts_with("//") {
                continue;
            }
            let wild = pattern.find(['*', '?', '[', '{', '(', '!', '+', '@']).unwrap_or(pattern.len());
            let Some(slash) = pattern[..wild].rfind('/') else { continue };
            let prefix = absolute(Path::new("/"), Path::new(&pattern[..slash]));
            let real = search.real(&prefix)?.unwrap_or(prefix);
            let resolved = format!("{}{}", real.to_string_lossy().trim_end_matches('/'), &pattern[slash..]);
            if resolved != pattern {
                globs.extend(Glob::new(&resolved));
            }
        }
        Ok(Excludes(globs))
    }

    /// The glob that takes this path out.
    pub(super) fn matching(&self, path: &Path) -> Option<&str> {
        let path = path.to_str()?;
        self.0.iter().find(|glob| glob.matches(path)).map(|glob| glob.pattern.as_str())
    }
}

struct Glob {
    pattern: String,
    negative: bool,
    regex: Regex,
    /// What `!(…)` says must not stand there: the same glob with `@(…)`.
    not: Option<Regex>,
}

impl Glob {
    fn new(pattern: &str) -> Option<Glob> {
        let mut body = pattern.strip_prefix("./").unwrap_or(pattern);
        let mut negative = false;
        while body.starts_with('!') && !body.starts_with("!(") {
            negative = !negative;
            body = &body[1..];
        }
        if body.is_empty() || body.len() > GLOB_LIMIT_BYTES {
            return None;
        }
        let build = |not| Regex::new(&format!("^(?:{})$", Translator { not, depth: 0 }.all(body))).ok();
        let not = if body.contains("!(") { build(Not::Taken) } else { None };
        Some(Glob { pattern: pattern.to_owned(), negative, regex: build(Not::Anything)?, not })
    }

    fn matches(&self, path: &str) -> bool {
        let found = self.regex.is_match(path) && !self.not.as_ref().is_some_and(|not| not.is_match(path));
        path == self.pattern || found != self.negative
    }
}

/// What `!(…)` becomes.
#[derive(Clone, Copy)]
enum Not {
    Anything,
    Taken,
}

#[derive(Clone, Copy)]
struct Translator {
    not: Not,
    depth: usize,
}

impl Translator {
    fn inner(self, glob: &str) -> String {
        let deeper = Translator { depth: self.depth + 1, ..self };
        if deeper.depth > DEPTH_LIMIT { regex_lite::escape(glob) } else { deeper.all(glob) }
    }

    fn all(self, glob: &str) -> String {
        let mut out = String::new();
        let mut rest = glob;
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            rest = match c {
                '@' | '+' | '*' | '?' | '!' if group(after).is_some() => {
                    let end = group(after).unwrap_or_default();
                    let inner = self.inner(&after[1..end - 1]);
                    out.push_str(&match (c, self.not) {
                        ('@', _) | ('!', Not::Taken) => format!("(?:{inner})"),
                        ('!', Not::Anything) => "[^/]*".to_owned(),
                        _ => format!("(?:{inner}){c}"),
                    });
                    &after[end..]
                }
                '(' if group(rest).is_some() => {
                    let end = group(rest).unwrap_or_default();
                    out.push_str(&format!("(?:{})", self.inner(&rest[1..end - 1])));
                    &rest[end..]
                }
                '|' => {
                    out.push('|');
                    after
                }
                '/' if after == "**" => {
                    out.push_str("(?:/.*)?");
                    ""
                }
                '*' => {
                    let after = after.trim_start_matches('*');
                    let stars = rest.len() - after.len();
                    let segment_starts = out.is_empty() || out.ends_with('/');
                    match (stars >= 2 && segment_starts, after.strip_prefix('/')) {
                        (true, Some(after)) => {
                            out.push_str("(?:.*/)?");
                            after
                        }
                        (true, None) if after.is_empty() => {
                            out.push_str(".*");
                            after
                        }
                        _ => {
                            let whole = segment_starts && (after.is_empty() || after.starts_with('/'));
                            out.push_str(if whole { "[^/]+" } else { "[^/]*" });
                            after
                        }
                    }
                }
                '?' => {
                    out.push_str("[^/]");
                    after
                }
                '[' => self.class(after, &mut out),
                '{' => self.braces(after, &mut out),
                '"' => after,
                _ => {
                    out.push_str(&regex_lite::escape(&c.to_string()));
                    after
                }
            };
        }
        out
    }

    /// A class behind its bracket; one that is not closed is literal.
    fn class<'a>(self, text: &'a str, out: &mut String) -> &'a str {
        let mut from = usize::from(text.starts_with('^'));
        from += usize::from(text[from..].starts_with(']'));
        while let Some(name) = text[from..].find("[:") {
            let Some(end) = text[from + name..].find(":]") else { break };
            if text[from..from + name].contains(']') {
                break;
            }
            from += name + end + 2;
        }
        let Some(end) = text[from..].find(']').map(|end| from + end) else {
            out.push_str("\\[");
            return text;
        };
        let inner = text[..end].replace('\\', "\\\\");
        let candidate = format!("[{inner}]");
        if Regex::new(&candidate).is_ok() {
            out.push_str(&candidate);
        } else {
            out.push_str(&regex_lite::escape(&format!("[{}]", &text[..end])));
        }
        &text[end + 1..]
    }

    /// Braces with commas are alternatives; others are literal.
    fn braces<'a>(self, text: &'a str, out: &mut String) -> &'a str {
        let (mut depth, mut parts, mut start) = (0, Vec::new(), 0);
        for (at, c) in text.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    parts.push(&text[start..at]);
                    if parts.len() > 1 {
                        let words: Vec<String> = parts.iter().map(|part| self.inner(part)).collect();
                        out.push_str(&format!("(?:{})", words.join("|")));
                    } else if parts[0].contains("..") {
                        out.push_str(&self.inner(parts[0]));
                    } else {
                        out.push_str(&format!("\\{{{}\\}}", self.inner(parts[0])));
                    }
                    return &text[at + 1..];
                }
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    parts.push(&text[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        out.push_str("\\{");
        text
    }
}

/// The length of `(…)` at the start.
fn group(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (at > 0).then_some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_absolute_paths() {
        for (glob, path, expected) in [
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
            assert_eq!(Glob::new(glob).is_some_and(|glob| glob.matches(path)), expected, "{glob} {path}");
        }
    }

    #[test]
    fn absurd_globs_end() {
        for glob in ["{", "(", "+(", "{a,", "[", "*", "**/", "!(", "!", "{a,b}"] {
            for times in [20, 1_000, 100_000] {
                let close = if glob.contains('{') { "}" } else { ")" };
                for pattern in [glob.repeat(times), glob.repeat(times) + &close.repeat(times)] {
                    Glob::new(&format!("/{pattern}")).map(|glob| glob.matches(&format!("/{}", "a".repeat(200))));
                }
            }
        }
    }
}
