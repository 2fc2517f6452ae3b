//! Compiles whole patterns: expands braces, splits at slashes, and simplifies as minimatch does at its level 2.

use std::collections::HashMap;
use std::rc::Rc;

use super::meter;
use super::segment::{self, Segment};
use super::{Found, PATTERN_LIMIT, braces};

/// A pattern without braces, ready for a walk.
#[derive(Debug)]
pub(super) struct Pattern {
    /// Compiled segments; patterns share those that are written alike.
    segments: Vec<Rc<Segment>>,
    /// Segments as written, by which patterns are compared.
    pub globs: Vec<String>,
    /// True if the pattern starts at `/`; its empty first segment is dropped.
    pub absolute: bool,
}

impl Pattern {
    /// Returns the segment at a position.
    pub fn segment(&self, at: usize) -> Option<&Segment> {
        self.segments.get(at).map(|segment| &**segment)
    }

    /// Returns the number of segments.
    pub fn len(&self) -> usize {
        self.segments.len()
    }
}

/// Reasons why a pattern is not used for a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// minimatch throws, so nothing is found.
    Thrown,
    /// The pattern exceeds a limit of this implementation: what it finds is unknown.
    TooMuch,
}

impl Refused {
    /// Returns the result without a walk.
    pub fn found(self) -> Found {
        Found { cut_short: self == Refused::TooMuch, ..Found::default() }
    }
}

/// Maximum number of patterns that rewriting `**/..` may create; each occurrence doubles them.
const REWRITE_LIMIT: usize = 10_000;

/// Maximum number of segments of all patterns together that one pattern expands to.
const PARTS_LIMIT: usize = 250_000;

/// Maximum number of segments compared to find patterns that cover others; minimatch compares each with all others.
const COMPARED_LIMIT: usize = 20_000_000;

/// Returns the patterns that `pattern` expands to, in order.
pub(super) fn compile(pattern: &str, dot: bool) -> Result<Vec<Pattern>, Refused> {
    if pattern.encode_utf16().count() > PATTERN_LIMIT {
        return Err(Refused::Thrown);
    }
    if pattern.is_empty() {
        return Ok(Vec::new());
    }
    let expanded = braces::expand(pattern).ok_or(Refused::TooMuch)?;
    let mut sets: Vec<Vec<String>> = expanded.iter().map(|pattern| split(pattern)).collect();
    simplify(&mut sets).ok_or(Refused::TooMuch)?;
    let sets = merged_where_covered(sets, dot).ok_or(Refused::TooMuch)?;
    let mut known = HashMap::new();
    sets.into_iter().map(|globs| finish(globs, dot, &mut known)).collect::<Option<_>>().ok_or(Refused::Thrown)
}

fn finish(mut globs: Vec<String>, dot: bool, known: &mut HashMap<String, Rc<Segment>>) -> Option<Pattern> {
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
    let mut segments = Vec::with_capacity(globs.len());
    for glob in &globs {
        if !known.contains_key(glob) {
            known.insert(glob.clone(), Rc::new(segment::parse(glob, dot)?));
        }
        segments.push(known[glob].clone());
    }
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

/// Removes `.`, repeated `**`, and `x/..`; `**/../a/b` becomes two patterns. `None` if a limit is exceeded.
fn simplify(sets: &mut Vec<Vec<String>>) -> Option<()> {
    loop {
        let mut changed = false;
        let mut index = 0;
        let mut left = PARTS_LIMIT.checked_sub(sets.iter().map(Vec::len).sum())?;
        while index < sets.len() {
            if sets.len() > REWRITE_LIMIT {
                return None;
            }
            let mut more = split_stars(&mut sets[index], &mut left)?;
            changed |= !more.is_empty();
            sets.append(&mut more);
            changed |= drop_dots(&mut sets[index]);
            changed |= drop_parents(&mut sets[index]);
            index += 1;
        }
        if !changed {
            return Some(());
        }
    }
}

/// Rewrites `**/..` and returns the additional patterns; they may have `left` segments in total.
fn split_stars(parts: &mut Vec<String>, left: &mut usize) -> Option<Vec<Vec<String>>> {
    parts.dedup_by(|next, stars| stars == "**" && next == "**");
    let mut more = Vec::new();
    let mut from = 0;
    while let Some(stars) = position(parts, "**", from) {
        from = stars + 1;
        let name = |at: usize| parts.get(at).is_some_and(|part| !matches!(part.as_str(), "" | "." | ".."));
        if parts.get(stars + 1).is_some_and(|next| next == "..") && name(stars + 2) && name(stars + 3) {
            parts.remove(stars);
            *left = left.checked_sub(parts.len())?;
            let mut other = parts.clone();
            other[stars] = "**".to_owned();
            more.push(other);
            from = stars;
        }
    }
    Some(more)
}

fn drop_dots(parts: &mut Vec<String>) -> bool {
    let before = parts.len();
    let mut kept: Vec<String> = Vec::with_capacity(before);
    for (at, part) in std::mem::take(parts).into_iter().enumerate() {
        let is_inner = at > 0 && at + 1 < before;
        let spared = kept.len() == 1 && part.is_empty() && kept[0].is_empty();
        if !is_inner || spared || !matches!(part.as_str(), "." | "") {
            kept.push(part);
        }
    }
    *parts = kept;
    if parts.len() == 2 && parts[0] == "." && matches!(parts[1].as_str(), "." | "") {
        parts.pop();
    }
    parts.len() < before
}

fn drop_parents(parts: &mut Vec<String>) -> bool {
    let mut changed = false;
    let mut kept: Vec<String> = Vec::with_capacity(parts.len());
    let mut rest = std::mem::take(parts).into_iter().peekable();
    while let Some(part) = rest.next() {
        let is_name = |part: &String| !matches!(part.as_str(), "" | "." | ".." | "**");
        if part != ".." || !kept.last().is_some_and(is_name) {
            kept.push(part);
            continue;
        }
        kept.pop();
        changed = true;
        // A leading `**` would never follow links, so the result must not start with it.
        if kept.is_empty() && rest.peek().is_some_and(|next| next == "**") {
            kept.push(".".to_owned());
        }
    }
    if kept.is_empty() {
        kept.push(String::new());
    }
    *parts = kept;
    changed
}

/// Merges patterns that another one covers into the later place; `None` if there are too many.
fn merged_where_covered(sets: Vec<Vec<String>>, dot: bool) -> Option<Vec<Vec<String>>> {
    let mut names = Names::new(dot);
    let mut sets: Vec<Vec<usize>> =
        sets.into_iter().map(|set| set.into_iter().map(|part| names.number(part)).collect()).collect();
    let mut both = Vec::new();
    let mut compared = 0;
    for one in 0..sets.len().saturating_sub(1) {
        for other in one + 1..sets.len() {
            let merges = names.merge(&sets[one], &sets[other], &mut both);
            compared += 1 + both.len();
            if compared > COMPARED_LIMIT || !meter::takes(1 + both.len()) {
                return None;
            }
            if merges {
                sets[one].clear();
                sets[other].clone_from(&both);
                break;
            }
        }
    }
    let named = |set: Vec<usize>| set.into_iter().map(|number| names.all[number].clone()).collect();
    Some(sets.into_iter().filter(|set| !set.is_empty()).map(named).collect())
}

/// Distinct segments of patterns, by number.
struct Names {
    all: Vec<String>,
    numbers: HashMap<String, usize>,
    /// True for segments that a `*` in their place would cover.
    covered: Vec<bool>,
    dot: bool,
}

const STARS: usize = 0;
const STAR: usize = 1;

impl Names {
    fn new(dot: bool) -> Names {
        let mut names = Names { all: Vec::new(), numbers: HashMap::new(), covered: Vec::new(), dot };
        names.number("**".to_owned());
        names.number("*".to_owned());
        names
    }

    fn number(&mut self, part: String) -> usize {
        if let Some(number) = self.numbers.get(&part) {
            return *number;
        }
        self.covered.push(!part.is_empty() && (self.dot || !part.starts_with('.')) && part != "**");
        self.numbers.insert(part.clone(), self.all.len());
        self.all.push(part);
        self.all.len() - 1
    }

    /// Returns true if two patterns can be merged, with the result in `out`; otherwise `out` holds what they have in
    /// common.
    fn merge(&self, a: &[usize], b: &[usize], out: &mut Vec<usize>) -> bool {
        out.clear();
        if a.len() != b.len() {
            return false;
        }
        let (mut i, mut j) = (0, 0);
        // True if that pattern has a star where the other one has something that it covers.
        let (mut a_is_wider, mut b_is_wider) = (false, false);
        while i < a.len() && j < b.len() {
            if a[i] == b[j] {
                out.push(a[i]);
                (i, j) = (i + 1, j + 1);
            } else if a[i] == STARS && a.get(i + 1) == Some(&b[j]) {
                out.push(STARS);
                i += 1;
            } else if b[j] == STARS && b.get(j + 1) == Some(&a[i]) {
                out.push(STARS);
                j += 1;
            } else if a[i] == STAR && self.covered[b[j]] && !b_is_wider {
                a_is_wider = true;
                out.push(STAR);
                (i, j) = (i + 1, j + 1);
            } else if b[j] == STAR && self.covered[a[i]] && !a_is_wider {
                b_is_wider = true;
                out.push(STAR);
                (i, j) = (i + 1, j + 1);
            } else {
                return false;
            }
        }
        true
    }
}
