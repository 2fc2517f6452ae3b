//! Matches one part of a pattern against a name as Bun 1.3 does: no extended globs, a leading `!` negates, `\n` is a
//! line end, and braces are processed by their positions in the text, so that unclosed ones still match something.

use std::collections::{HashMap, HashSet};

use crate::glob::meter;

/// Maximum number of braces that one path through a pattern may open (Bun 1.3).
const BRACE_LIMIT: usize = 10;

/// Cost of each state of a match, in steps over one character.
const STATE: usize = 32;

/// A part of a pattern.
pub(in crate::glob) struct Name {
    glob: Vec<char>,
    negated: bool,
    /// Starts of the branches, by the position of the opening brace.
    branches: HashMap<usize, Vec<usize>>,
    /// For each position, the end of the closing brace of the branch around it.
    ends: Vec<usize>,
}

/// A position in the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    at: usize,
    /// Number of braces that Bun assumes to be in. After the second pair of `{a}{b}` it still assumes one.
    depth: usize,
    /// Number of braces opened so far.
    opened: usize,
}

impl Name {
    pub(in crate::glob) fn new(text: &str) -> Name {
        let marks = text.bytes().take_while(|byte| *byte == b'!').count();
        let glob: Vec<char> = text[marks..].chars().collect();
        let opening = (0..glob.len()).filter(|at| glob[*at] == '{');
        let branches = opening.map(|at| (at, branches(&glob, at))).collect();
        let ends = ends(&glob);
        Name { glob, negated: marks % 2 == 1, branches, ends }
    }

    pub(in crate::glob) fn matches(&self, name: &str) -> bool {
        let mut states = HashSet::new();
        self.reach(State { at: 0, depth: 0, opened: 0 }, &mut states);
        for c in name.chars() {
            let mut next = HashSet::new();
            for state in &states {
                self.take(*state, c, &mut next);
            }
            states = next;
            if !meter::takes(STATE * states.len()) {
                meter::gives_up();
                return false;
            }
        }
        states.iter().any(|state| state.at >= self.glob.len()) != self.negated
    }

    /// Adds every state that is reachable without consuming a character.
    fn reach(&self, from: State, states: &mut HashSet<State>) {
        let mut todo = vec![from];
        while let Some(state) = todo.pop() {
            if !states.insert(state) {
                continue;
            }
            match self.glob.get(state.at) {
                Some('*') => todo.push(State { at: state.at + 1, ..state }),
                Some('{') if state.opened < BRACE_LIMIT => {
                    let opened = state.opened + 1;
                    let branches = self.branches[&state.at].iter();
                    todo.extend(branches.map(|at| State { at: *at, depth: opened, opened }));
                }
                Some(',' | '}') if state.depth > 0 => {
                    todo.push(State { at: self.ends[state.at], depth: state.depth - 1, ..state });
                }
                _ => {}
            }
        }
    }

    fn take(&self, state: State, c: char, next: &mut HashSet<State>) {
        let to = match self.glob.get(state.at) {
            None | Some('{') => return,
            Some(',' | '}') if state.depth > 0 => return,
            Some('*') => Some(state.at),
            Some('?') => Some(state.at + 1),
            Some('[') => class(&self.glob, state.at, c),
            Some(_) => escaped(&self.glob, state.at).filter(|(known, _)| *known == c).map(|(_, end)| end),
        };
        if let Some(at) = to {
            self.reach(State { at, ..state }, next);
        }
    }
}

/// Returns a character that may be escaped, and the position after it.
fn escaped(glob: &[char], at: usize) -> Option<(char, usize)> {
    let c = *glob.get(at)?;
    if c != '\\' {
        return Some((c, at + 1));
    }
    let c = match *glob.get(at + 1)? {
        'b' => '\u{8}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    };
    Some((c, at + 2))
}

/// Returns the position after the `[…]` at `open` if it is closed and contains `c`.
fn class(glob: &[char], open: usize, c: char) -> Option<usize> {
    let mut at = open + 1;
    let negated = matches!(glob.get(at), Some('^' | '!'));
    at += usize::from(negated);
    let (mut first, mut hit) = (true, false);
    while first || *glob.get(at)? != ']' {
        let (low, after) = escaped(glob, at)?;
        at = after;
        let is_range = glob.get(at) == Some(&'-') && glob.get(at + 1).is_some_and(|end| *end != ']');
        let high = if is_range {
            let (high, after) = escaped(glob, at + 1)?;
            at = after;
            high
        } else {
            low
        };
        hit |= low <= c && c <= high;
        first = false;
    }
    (hit != negated).then_some(at + 1)
}

/// Returns the starts of the branches of the braces at `open`. A branch counts once its end was seen.
fn branches(glob: &[char], open: usize) -> Vec<usize> {
    let (mut found, mut begin, mut depth, mut in_class) = (Vec::new(), open + 1, 0, false);
    let mut at = open;
    while let Some(c) = glob.get(at) {
        match c {
            '{' if !in_class => depth += 1,
            '}' if !in_class => {
                depth -= 1;
                if depth == 0 {
                    found.push(begin);
                    break;
                }
            }
            // Also within `[…]`.
            ',' if depth == 1 => {
                found.push(begin);
                begin = at + 1;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns for each position the end of the first brace that closes without having been opened after the position.
fn ends(glob: &[char]) -> Vec<usize> {
    let length = glob.len();
    // One table for positions outside `[…]` and one for those within, filled from the end.
    let mut outside = vec![length; length + 2];
    let mut within = vec![length; length + 2];
    for at in (0..length).rev() {
        let both = |place: usize| (outside[place], within[place]);
        (outside[at], within[at]) = match glob[at] {
            '{' => (outside[outside[at + 1]], within[at + 1]),
            '}' => (at + 1, within[at + 1]),
            '[' => (within[at + 1], within[at + 1]),
            ']' => (outside[at + 1], outside[at + 1]),
            '\\' => both(at + 2),
            _ => both(at + 1),
        };
    }
    outside.truncate(length);
    outside
}
