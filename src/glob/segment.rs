//! Parses one segment of a pattern as minimatch 10 does: a fixed text, `**`, or something that matches names.
//!
//! A segment is first converted to the source of a regular expression, because several of minimatch's rules (which
//! names with leading dots match, when a pattern is "not magic after all") look at that source. Patterns are UTF-16, as
//! in JavaScript.

use super::class;
use super::fast::Fast;
use super::regex::Regex;
use super::units::{is_one_of, push_escaped, unit, utf16};

/// A parsed segment.
#[derive(Debug)]
pub(super) enum Segment {
    /// Exactly this name.
    Text(String),
    /// `**`: any number of directories.
    Stars,
    /// A pattern for names.
    Magic(Magic),
}

/// A segment with wildcards.
#[derive(Debug)]
pub(super) enum Magic {
    /// A common form, which minimatch tests without a regular expression.
    Fast(Fast),
    /// Any other pattern.
    Regex(Regex),
}

impl Magic {
    /// Returns true if a name matches.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Magic::Fast(fast) => fast.matches(name),
            Magic::Regex(regex) => regex.matches(name),
        }
    }
}

/// Parses one segment; `None` if minimatch throws.
pub(super) fn parse(pattern: &str, dot: bool) -> Option<Segment> {
    if pattern == "**" {
        return Some(Segment::Stars);
    }
    if pattern.is_empty() {
        return Some(Segment::Text(String::new()));
    }
    let units: Vec<u16> = pattern.encode_utf16().collect();
    let mut tree = Tree { nodes: Vec::new(), negations: Vec::new(), filled: false, dot };
    let root = tree.add(None, None);
    tree.parse(&units, root, 0, 0)?;
    tree.fill_negations()?;
    let source = tree.source(root, None);
    if !source.magic {
        return Some(Segment::Text(String::from_utf16_lossy(&source.literal)));
    }
    if let Some(fast) = Fast::of(pattern, dot) {
        return Some(Segment::Magic(Magic::Fast(fast)));
    }
    Regex::new(&source.regex, source.unicode).map(|regex| Segment::Magic(Magic::Regex(regex)))
}

/// The syntax tree of a segment. Nodes refer to their parents, so they are stored in one list.
struct Tree {
    nodes: Vec<Node>,
    negations: Vec<usize>,
    filled: bool,
    dot: bool,
}

struct Node {
    /// Sign of an extended glob: `!`, `?`, `+`, `*` or `@`.
    kind: Option<u8>,
    parent: Option<usize>,
    /// Position among the parts of its parent.
    place: usize,
    parts: Vec<Part>,
    magic: Option<bool>,
    unicode: bool,
    /// True for `@()` and similar.
    empty: bool,
}

#[derive(Clone)]
enum Part {
    Text(Vec<u16>),
    Node(usize),
}

/// The result of converting a node.
struct Source {
    regex: Vec<u16>,
    literal: Vec<u16>,
    magic: bool,
    unicode: bool,
}

/// Maximum nesting depth of extended globs. Deeper ones are meant to break programs, not to find files.
const DEPTH_LIMIT: usize = 50;
/// Maximum number of nodes; copying what follows a `!(…)` into it can double them again and again.
const NODE_LIMIT: usize = 5_000;

fn is_kind(c: u16) -> bool {
    u8::try_from(c).is_ok_and(|c| b"!?+*@".contains(&c))
}

impl Tree {
    fn add(&mut self, kind: Option<u8>, parent: Option<usize>) -> usize {
        let place = parent.map_or(0, |parent| self.nodes[parent].parts.len());
        let magic = kind.is_some().then_some(true);
        self.nodes.push(Node { kind, parent, place, parts: Vec::new(), magic, unicode: false, empty: false });
        let index = self.nodes.len() - 1;
        if kind == Some(b'!') && !self.filled {
            self.negations.push(index);
        }
        index
    }

    fn push_text(&mut self, node: usize, text: &mut Vec<u16>) {
        let text = std::mem::take(text);
        if !text.is_empty() {
            self.nodes[node].parts.push(Part::Text(text));
        }
    }

    /// Parses from `from` on, which for an extended glob is its parenthesis. Returns the end.
    fn parse(&mut self, text: &[u16], node: usize, from: usize, depth: usize) -> Option<usize> {
        if depth > DEPTH_LIMIT || self.nodes.len() > NODE_LIMIT {
            return None;
        }
        let extended = self.nodes[node].kind.is_some();
        let mut at = if extended { from + 1 } else { from };
        let mut part = if extended { self.add(None, Some(node)) } else { node };
        let mut parts = Vec::new();
        let mut collected = Vec::new();
        let mut scan = Scan::default();
        while at < text.len() {
            let c = text[at];
            at += 1;
            if scan.passes(c, at) {
                collected.push(c);
                continue;
            }
            if is_kind(c) && text.get(at) == Some(&unit(b'(')) {
                self.push_text(part, &mut collected);
                let inner = self.add(u8::try_from(c).ok(), Some(part));
                if extended {
                    self.nodes[part].parts.push(Part::Node(inner));
                    at = self.parse(text, inner, at, depth + 1)?;
                } else {
                    at = self.parse(text, inner, at, depth + 1)?;
                    self.nodes[part].parts.push(Part::Node(inner));
                }
                continue;
            }
            if extended && c == unit(b'|') {
                self.push_text(part, &mut collected);
                parts.push(Part::Node(part));
                part = self.add(None, Some(node));
                continue;
            }
            if extended && c == unit(b')') {
                if collected.is_empty() && self.nodes[node].parts.is_empty() {
                    self.nodes[node].empty = true;
                }
                self.push_text(part, &mut collected);
                parts.push(Part::Node(part));
                self.nodes[node].parts.append(&mut parts);
                return Some(at);
            }
            collected.push(c);
        }
        if extended {
            // The group is never closed, so its text is literal.
            let node = &mut self.nodes[node];
            (node.kind, node.magic) = (None, None);
            node.parts = vec![Part::Text(text[from - 1..].to_vec())];
        } else {
            self.push_text(part, &mut collected);
        }
        Some(at)
    }

    /// Copies what follows a negation into it: `!(a)b` must not match `ab`.
    fn fill_negations(&mut self) -> Option<()> {
        self.filled = true;
        while let Some(negation) = self.negations.pop() {
            if self.nodes[negation].kind != Some(b'!') {
                continue;
            }
            let mut child = negation;
            while let Some(parent) = self.nodes[child].parent {
                if self.nodes[parent].kind.is_none() {
                    let following: Vec<Part> =
                        self.nodes[parent].parts.get(self.nodes[child].place + 1..).unwrap_or_default().to_vec();
                    for part in following {
                        for alternative in self.nodes[negation].parts.clone() {
                            if let Part::Node(alternative) = alternative {
                                self.copy_in(alternative, &part)?;
                            }
                        }
                    }
                }
                child = parent;
            }
        }
        Some(())
    }

    fn copy_in(&mut self, into: usize, part: &Part) -> Option<()> {
        if self.nodes.len() > NODE_LIMIT {
            return None;
        }
        match part {
            Part::Text(text) => self.nodes[into].parts.push(Part::Text(text.clone())),
            Part::Node(original) => {
                let copy = self.add(self.nodes[*original].kind, Some(into));
                for part in self.nodes[*original].parts.clone() {
                    self.copy_in(copy, &part)?;
                }
                self.nodes[into].parts.push(Part::Node(copy));
            }
        }
        Some(())
    }

    fn is_start(&self, node: usize) -> bool {
        let Some(parent) = self.nodes[node].parent else { return true };
        // After negations only, it is still the start.
        self.is_start(parent)
            && self.nodes[parent].parts.iter().take(self.nodes[node].place).all(|part| match part {
                Part::Text(_) => false,
                Part::Node(before) => self.nodes[*before].kind == Some(b'!'),
            })
    }

    fn is_end(&self, node: usize) -> bool {
        let Some(parent) = self.nodes[node].parent else { return true };
        if self.nodes[parent].kind == Some(b'!') {
            return true;
        }
        if !self.is_end(parent) {
            return false;
        }
        self.nodes[node].kind.is_none() || self.nodes[node].place + 1 == self.nodes[parent].parts.len()
    }

    fn as_text(&self, node: usize) -> Vec<u16> {
        let parts = self.nodes[node].parts.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Node(inner) => self.as_text(*inner),
        });
        match self.nodes[node].kind {
            None => parts.flatten().collect(),
            Some(kind) => {
                let mut out = vec![unit(kind), unit(b'(')];
                out.extend(parts.collect::<Vec<_>>().join(&unit(b'|')));
                out.push(unit(b')'));
                out
            }
        }
    }

    fn source(&mut self, node: usize, allow_dot: Option<bool>) -> Source {
        let dot = allow_dot.unwrap_or(self.dot);
        match self.nodes[node].kind {
            None => self.sequence_source(node, allow_dot, dot),
            Some(kind) => self.extended_source(node, kind, allow_dot == Some(true), dot),
        }
    }

    fn sequence_source(&mut self, node: usize, allow_dot: Option<bool>, dot: bool) -> Source {
        let parts = self.nodes[node].parts.clone();
        let (at_start, at_end) = (self.is_start(node), self.is_end(node));
        let no_empty = at_start && at_end && parts.iter().all(|part| matches!(part, Part::Text(_)));
        let mut regex = Vec::new();
        for part in &parts {
            let source = match part {
                Part::Text(text) => text_source(text, self.nodes[node].magic == Some(true), no_empty),
                Part::Node(inner) => self.source(*inner, allow_dot),
            };
            self.nodes[node].magic = Some(self.nodes[node].magic == Some(true) || source.magic);
            self.nodes[node].unicode |= source.unicode;
            regex.extend(source.regex);
        }
        let mut whole: Vec<u16> = Vec::new();
        if at_start
            && let Some(Part::Text(first)) = parts.first()
            && !(parts.len() == 1 && (*first == utf16(".") || *first == utf16("..")))
        {
            let opens = |at: usize| regex.get(at).is_some_and(|c| *c == unit(b'[') || *c == unit(b'.'));
            let no_traversal = (dot && opens(0))
                || (regex.starts_with(&utf16("\\.")) && opens(2))
                || (regex.starts_with(&utf16("\\.\\.")) && opens(4));
            if no_traversal {
                whole.extend(utf16("(?!(?:^|/)\\.\\.?(?:$|/))"));
            } else if !dot && allow_dot != Some(true) && opens(0) {
                whole.extend(utf16(NO_DOT));
            }
        }
        whole.extend(&regex);
        let parent_negates = self.nodes[node].parent.is_some_and(|parent| self.nodes[parent].kind == Some(b'!'));
        if at_end && self.filled && parent_negates {
            whole.extend(utf16("(?:$|\\/)"));
        }
        let magic = self.nodes[node].magic == Some(true);
        Source { regex: whole, literal: unescape(&regex), magic, unicode: self.nodes[node].unicode }
    }

    fn extended_source(&mut self, node: usize, kind: u8, allow_dot: bool, dot: bool) -> Source {
        let mut body = self.alternatives(node, dot);
        let (at_start, at_end) = (self.is_start(node), self.is_end(node));
        if at_start && at_end && body.is_empty() && kind != b'!' {
            // An extended glob that is the whole segment must not be empty.
            let text = self.as_text(node);
            let this = &mut self.nodes[node];
            (this.kind, this.magic) = (None, None);
            this.parts = vec![Part::Text(text.clone())];
            return Source { literal: unescape(&text), regex: text, magic: false, unicode: false };
        }
        let repeated = matches!(kind, b'*' | b'+');
        // Later repetitions may start with a dot.
        let with_dots = if !repeated || allow_dot || dot { Vec::new() } else { self.alternatives(node, true) };
        let two = !with_dots.is_empty() && with_dots != body;
        if two {
            body = [utf16("(?:"), body, utf16(")(?:"), with_dots, utf16(")*?")].concat();
        }
        let no_dot = if at_start && !dot { NO_DOT } else { "" };
        let regex = if kind == b'!' && self.nodes[node].empty {
            utf16(&format!("{no_dot}{STAR_SOME}"))
        } else {
            let close = match kind {
                b'!' => format!(")){}{STAR})", if allow_dot { "" } else { no_dot }),
                b'@' => ")".to_owned(),
                b'?' => ")?".to_owned(),
                b'+' if two => ")".to_owned(),
                b'*' if two => ")?".to_owned(),
                other => format!("){}", char::from(other)),
            };
            let open = if kind == b'!' { "(?:(?!(?:" } else { "(?:" };
            [utf16(open), body.clone(), utf16(&close)].concat()
        };
        self.nodes[node].magic = Some(self.nodes[node].magic == Some(true));
        Source { regex, literal: unescape(&body), magic: true, unicode: self.nodes[node].unicode }
    }

    fn alternatives(&mut self, node: usize, dot: bool) -> Vec<u16> {
        let whole_segment = self.is_start(node) && self.is_end(node);
        let mut sources = Vec::new();
        for part in self.nodes[node].parts.clone() {
            let Part::Node(inner) = part else { continue };
            let source = self.source(inner, Some(dot));
            self.nodes[node].unicode |= source.unicode;
            if !whole_segment || !source.regex.is_empty() {
                sources.push(source.regex);
            }
        }
        sources.join(&unit(b'|'))
    }
}

const NO_DOT: &str = "(?!\\.)";
const STAR: &str = "[^/]*?";
const STAR_SOME: &str = "[^/]+?";

/// State of a scan: inside an escape or a `[…]`, nothing else is special.
#[derive(Default)]
struct Scan {
    escaping: bool,
    class: Option<Class>,
}

struct Class {
    start: usize,
    negated: bool,
}

impl Scan {
    /// Returns true if `c` is literal here; `at` is the position after it.
    fn passes(&mut self, c: u16, at: usize) -> bool {
        if self.escaping || c == unit(b'\\') {
            self.escaping = !self.escaping;
            return true;
        }
        if let Some(class) = &mut self.class {
            if at == class.start + 1 {
                class.negated |= c == unit(b'^') || c == unit(b'!');
            } else if c == unit(b']') && !(at == class.start + 2 && class.negated) {
                self.class = None;
            }
            return true;
        }
        if c == unit(b'[') {
            self.class = Some(Class { start: at, negated: false });
            return true;
        }
        false
    }
}

/// Converts a part without extended globs.
fn text_source(glob: &[u16], magic: bool, no_empty: bool) -> Source {
    let mut source = Source { regex: Vec::new(), literal: unescape(glob), magic, unicode: false };
    // No class ends after it, so none is searched for there.
    let last_bracket = glob.iter().rposition(|c| *c == unit(b']')).unwrap_or(0);
    let (mut escaping, mut in_star) = (false, false);
    let mut at = 0;
    while at < glob.len() {
        let c = glob[at];
        at += 1;
        if std::mem::take(&mut escaping) {
            if is_one_of(c, "().*{}+?[]^$\\!") {
                source.regex.push(unit(b'\\'));
            }
            source.regex.push(c);
            continue;
        }
        if c == unit(b'*') {
            if !std::mem::replace(&mut in_star, true) {
                let only_stars = glob.iter().all(|c| *c == unit(b'*'));
                source.regex.extend(utf16(if no_empty && only_stars { STAR_SOME } else { STAR }));
                source.magic = true;
            }
            continue;
        }
        in_star = false;
        if c == unit(b'\\') {
            if at == glob.len() {
                source.regex.extend(utf16("\\\\"));
            } else {
                escaping = true;
            }
            continue;
        }
        if c == unit(b'[')
            && at <= last_bracket
            && let Some(class) = class::source(&glob[at - 1..])
        {
            source.regex.extend(class.regex);
            source.unicode |= class.unicode;
            source.magic |= class.magic;
            at += class.length - 1;
            continue;
        }
        if c == unit(b'?') {
            source.regex.extend(utf16("[^/]"));
            source.magic = true;
            continue;
        }
        push_escaped(&mut source.regex, c);
    }
    source
}

/// Implements minimatch's `unescape`: `[x]` → `x`, unless right after another one, then `\x` → `x`.
fn unescape(text: &[u16]) -> Vec<u16> {
    let mut plain: Vec<u16> = Vec::new();
    let bracketed = |at: usize| {
        let inner = *text.get(at + 1)?;
        let whole = text.get(at) == Some(&unit(b'[')) && text.get(at + 2) == Some(&unit(b']'));
        (whole && inner != unit(b'/') && inner != unit(b'\\')).then_some(inner)
    };
    let mut at = 0;
    while at < text.len() {
        let before = text[at];
        let line_end = matches!(before, 0x0a | 0x0d | 0x2028 | 0x2029);
        if before != unit(b'\\')
            && !line_end
            && let Some(inner) = bracketed(at + 1)
        {
            plain.extend([before, inner]);
            at += 4;
        } else if at == 0
            && let Some(inner) = bracketed(0)
        {
            plain.push(inner);
            at += 3;
        } else {
            plain.push(before);
            at += 1;
        }
    }
    let mut out = Vec::new();
    let mut rest = plain.iter().copied().peekable();
    while let Some(c) = rest.next() {
        match rest.peek() {
            Some(next) if c == unit(b'\\') && *next != unit(b'/') => out.extend(rest.next()),
            _ => out.push(c),
        }
    }
    out
}
