//! Whole patterns: braces expanded, split at slashes, and simplified for a walk as minimatch does at its level 2.

use super::segment::{self, Segment};
use super::{PATTERN_LIMIT, braces};

/// A pattern without braces, ready for a walk.
#[derive(Debug)]
pub(super) struct Pattern {
    /// What each segment matches.
    pub segments: Vec<Segment>,
    /// Each segment as written, which is what patterns are compared by.
    pub globs: Vec<String>,
    /// Whether it begins at `/`; its first segment is then dropped.
    pub absolute: bool,
}

/// The most patterns that rewriting `**/..` may make; each one doubles them.
const REWRITE_LIMIT: usize = 10_000;

/// The patterns that `pattern` stands for, in order; `None` where minimatch throws.
pub(super) fn compile(pattern: &str, dot: bool) -> Option<Vec<Pattern>> {
    if pattern.encode_utf16().count() > PATTERN_LIMIT {
        return None;
    }
    if pattern.is_empty() {
        return Some(Vec::new());
    }
    let mut sets: Vec<Vec<String>> = braces::expand(pattern)?.iter().map(|pattern| split(pattern)).collect();
    simplify(&mut sets)?;
    merge(&mut sets, dot);
    sets.into_iter().map(|globs| finish(globs, dot)).collect()
}

fn finish(mut globs: Vec<String>, dot: bool) -> Option<Pattern> {
    let absolute = globs.len() > 1 && globs[0].is_empty();
    if absolute {
        globs.remove(0);
        if globs.len() > 1 && globs[0].is_empty() {
            globs.remove(0);
        }
        if globs == [""] {
            globs.clear();
        }
    }
    let segments = globs.iter().map(|glob| segment::parse(glob, dot)).collect::<Option<Vec<_>>>()?;
    Some(Pattern { segments, globs, absolute })
}

/// Splits at slashes; several in a row count as one.
fn split(pattern: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut after_slash = false;
    for c in pattern.chars() {
        if c == '/' {
            if !std::mem::replace(&mut after_slash, true) {
                parts.push(String::new());
            }
        } else {
            after_slash = false;
            parts.last_mut().expect("starts with one").push(c);
        }
    }
    parts
}

fn position(parts: &[String], wanted: &str, from: usize) -> Option<usize> {
    parts.iter().skip(from).position(|part| part == wanted).map(|at| at + from)
}

/// Takes out `.`, doubled `**`, and `x/..`; `**/../a/b` becomes two patterns.
fn simplify(sets: &mut Vec<Vec<String>>) -> Option<()> {
    loop {
        let mut changed = false;
        let mut index = 0;
        while index < sets.len() {
            if sets.len() > REWRITE_LIMIT {
                return None;
            }
            if let Some(mut more) = split_stars(&mut sets[index]) {
                changed = true;
                sets.append(&mut more);
            }
            changed |= drop_dots(&mut sets[index]);
            changed |= drop_parents(&mut sets[index]);
            index += 1;
        }
        if !changed {
            return Some(());
        }
    }
}

fn split_stars(parts: &mut Vec<String>) -> Option<Vec<Vec<String>>> {
    let mut more = Vec::new();
    let mut from = 0;
    while let Some(stars) = position(parts, "**", from) {
        while parts.get(stars + 1).is_some_and(|next| next == "**") {
            parts.remove(stars + 1);
        }
        from = stars + 1;
        let name = |at: usize| parts.get(at).is_some_and(|part| !matches!(part.as_str(), "" | "." | ".."));
        if parts.get(stars + 1).is_some_and(|next| next == "..") && name(stars + 2) && name(stars + 3) {
            parts.remove(stars);
            let mut other = parts.clone();
            other[stars] = "**".to_owned();
            more.push(other);
            from = stars;
        }
    }
    (!more.is_empty()).then_some(more)
}

fn drop_dots(parts: &mut Vec<String>) -> bool {
    let mut changed = false;
    let mut at = 1;
    while at + 1 < parts.len() {
        let spared = at == 1 && parts[1].is_empty() && parts[0].is_empty();
        if !spared && matches!(parts[at].as_str(), "." | "") {
            parts.remove(at);
            changed = true;
        } else {
            at += 1;
        }
    }
    if parts.len() == 2 && parts[0] == "." && matches!(parts[1].as_str(), "." | "") {
        parts.pop();
        changed = true;
    }
    changed
}

fn drop_parents(parts: &mut Vec<String>) -> bool {
    let mut changed = false;
    let mut from = 1;
    while let Some(up) = position(parts, "..", from) {
        from = up + 1;
        if up > 0 && !matches!(parts[up - 1].as_str(), "" | "." | ".." | "**") {
            // What would begin with `**` must not begin with it: only then are links followed once.
            let dot = up == 1 && parts.get(2).is_some_and(|next| next == "**");
            parts.splice(up - 1..=up, dot.then(|| ".".to_owned()));
            if parts.is_empty() {
                parts.push(String::new());
            }
            changed = true;
            from = up.saturating_sub(1);
        }
    }
    changed
}

/// Patterns that another one covers are merged into the later place.
fn merge(sets: &mut Vec<Vec<String>>, dot: bool) {
    for one in 0..sets.len().saturating_sub(1) {
        for other in one + 1..sets.len() {
            if let Some(both) = merged(&sets[one], &sets[other], dot) {
                sets[one].clear();
                sets[other] = both;
                break;
            }
        }
    }
    sets.retain(|set| !set.is_empty());
}

fn merged(a: &[String], b: &[String], dot: bool) -> Option<Vec<String>> {
    if a.len() != b.len() {
        return None;
    }
    #[derive(PartialEq)]
    enum Wider {
        Neither,
        A,
        B,
    }
    let (mut i, mut j) = (0, 0);
    let mut wider = Wider::Neither;
    let mut out = Vec::new();
    let covered = |part: &str| !part.is_empty() && (dot || !part.starts_with('.')) && part != "**";
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            out.push(a[i].clone());
            (i, j) = (i + 1, j + 1);
        } else if a[i] == "**" && a.get(i + 1) == Some(&b[j]) {
            out.push(a[i].clone());
            i += 1;
        } else if b[j] == "**" && b.get(j + 1) == Some(&a[i]) {
            out.push(b[j].clone());
            j += 1;
        } else if a[i] == "*" && covered(&b[j]) {
            if wider == Wider::B {
                return None;
            }
            wider = Wider::A;
            out.push(a[i].clone());
            (i, j) = (i + 1, j + 1);
        } else if b[j] == "*" && covered(&a[i]) {
            if wider == Wider::A {
                return None;
            }
            wider = Wider::B;
            out.push(b[j].clone());
            (i, j) = (i + 1, j + 1);
        } else {
            return None;
        }
    }
    Some(out)
}
