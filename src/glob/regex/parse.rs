//! Parses an expression.

use super::{Alternatives, Atom, Class, Item, Look, PROPERTIES, Repeat, canonical, canonical_ranges, width};

/// Maximum nesting depth of groups; deeper than anyone writes, far from the end of the stack.
const DEPTH_LIMIT: usize = 100;

/// Maximum number of repetitions in `{n}`.
const REPEAT_LIMIT: usize = 1_000;

/// Parser of an expression.
pub(super) struct Parser {
    pub units: Vec<u32>,
    pub at: usize,
    pub unicode: bool,
    pub folds: bool,
    pub looks: usize,
    /// True if there is a capturing group (`captures`), and a reference (`refers`).
    pub captures: bool,
    pub refers: bool,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.units.get(self.at).and_then(|unit| char::from_u32(*unit))
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = text.chars().enumerate().all(|(i, c)| self.units.get(self.at + i) == Some(&u32::from(c)));
        self.at += if found { text.len() } else { 0 };
        found
    }

    pub(super) fn alternatives(&mut self, depth: usize) -> Option<Alternatives> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        let mut all = vec![Vec::new()];
        while self.at < self.units.len() && self.peek() != Some(')') {
            if self.eat("|") {
                all.push(Vec::new());
                continue;
            }
            let atom = match self.atom(depth)? {
                Atom::Unit(unit) if self.folds => Atom::Unit(canonical(unit)),
                Atom::Class(class) if self.folds => {
                    Atom::Class(Class { ranges: canonical_ranges(class.ranges), ..class })
                }
                atom => atom,
            };
            let repeat = if self.eat("*") {
                Repeat::Any
            } else if self.eat("+") {
                Repeat::Some
            } else if self.eat("?") {
                Repeat::Optional
            } else {
                self.times()?.unwrap_or(Repeat::Once)
            };
            if repeat != Repeat::Once {
                // Lazy and greedy matching reach the same set of positions.
                self.eat("?");
            }
            all.last_mut().expect("starts with one").push(Item { atom, repeat });
        }
        Some(all)
    }

    /// Parses `{n}`, `{n,}` or `{n,m}`; anything else in braces is text.
    fn times(&mut self) -> Option<Option<Repeat>> {
        let start = self.at;
        if !self.eat("{") {
            return Some(None);
        }
        let first = self.number();
        let last = if self.eat(",") { self.number() } else { first };
        let is_endless = self.units.get(self.at - 1) == Some(&u32::from(','));
        if first.is_none() || !self.eat("}") {
            self.at = start;
            return Some(None);
        }
        let (first, last) = (first?, if is_endless { None } else { last });
        let is_ordered = last.is_none_or(|last| first <= last && last <= REPEAT_LIMIT);
        (is_ordered && first <= REPEAT_LIMIT).then_some(Some(Repeat::Times(first, last)))
    }

    fn number(&mut self) -> Option<usize> {
        let digits: String =
            self.units[self.at..].iter().map_while(|unit| char::from_u32(*unit).filter(char::is_ascii_digit)).collect();
        self.at += digits.len();
        if digits.is_empty() { None } else { Some(digits.parse().unwrap_or(usize::MAX)) }
    }

    fn atom(&mut self, depth: usize) -> Option<Atom> {
        if self.eat("(?:") {
            let inner = self.alternatives(depth + 1)?;
            return self.eat(")").then_some(Atom::Group(inner));
        }
        for (open, wanted) in [("(?!", false), ("(?=", true)] {
            if self.eat(open) {
                let number = self.looks;
                self.looks += 1;
                let inner = self.alternatives(depth + 1)?;
                let reach = width(&inner);
                return self.eat(")").then_some(Atom::Look(Look { inner, wanted, number, reach }));
            }
        }
        if self.eat("(") {
            self.captures = true;
            let inner = self.alternatives(depth + 1)?;
            return self.eat(")").then_some(Atom::Group(inner));
        }
        if self.eat("[") {
            return self.class().map(Atom::Class);
        }
        let unit = *self.units.get(self.at)?;
        self.at += 1;
        Some(match char::from_u32(unit) {
            Some('.') => Atom::Dot,
            Some('^') => Atom::Start,
            Some('$') => Atom::End,
            Some('*' | '+' | '?') => return None,
            Some('\\') if !self.unicode => match self.peek() {
                Some(c @ ('b' | 'B')) => {
                    self.at += 1;
                    Atom::Edge(c == 'b')
                }
                Some(c) if shorthand(c).is_some() => {
                    self.at += 1;
                    Atom::Class(Class { negated: false, ranges: shorthand(c)?, properties: Vec::new() })
                }
                Some('1'..='9') => {
                    self.refers = true;
                    Atom::Unit(self.loosely_escaped()?)
                }
                _ => Atom::Unit(self.loosely_escaped()?),
            },
            Some('\\') => Atom::Unit(self.escaped(false)?),
            _ => Atom::Unit(unit),
        })
    }

    /// Parses what follows a backslash without the `u` flag: a control character, a number, or a literal.
    fn loosely_escaped(&mut self) -> Option<u32> {
        let unit = *self.units.get(self.at)?;
        self.at += 1;
        let number = |from: usize, len: usize, radix: u32| {
            let digits: String =
                self.units.get(from..from + len)?.iter().filter_map(|unit| char::from_u32(*unit)).collect();
            let all = digits.len() == len && digits.chars().all(|c| c.is_digit(radix));
            all.then(|| u32::from_str_radix(&digits, radix).ok())?
        };
        let (value, len) = match char::from_u32(unit) {
            Some('t') => (9, 0),
            Some('n') => (10, 0),
            Some('v') => (11, 0),
            Some('f') => (12, 0),
            Some('r') => (13, 0),
            Some('c') => match self.peek().filter(char::is_ascii_alphabetic) {
                Some(letter) => (u32::from(letter) % 32, 1),
                None => {
                    // The backslash is literal.
                    self.at -= 1;
                    return Some(u32::from('\\'));
                }
            },
            Some('x') => number(self.at, 2, 16).map_or((unit, 0), |value| (value, 2)),
            Some('u') => number(self.at, 4, 16).map_or((unit, 0), |value| (value, 4)),
            Some('0'..='7') => (1..=3)
                .rev()
                .find_map(|len| Some((number(self.at - 1, len, 8).filter(|value| *value < 256)?, len - 1)))
                .unwrap_or((unit, 0)),
            _ => (unit, 0),
        };
        self.at += len;
        Some(value)
    }

    /// Parses what follows a backslash: a literal; with the `u` flag, an error if it needs no escape.
    fn escaped(&mut self, in_class: bool) -> Option<u32> {
        let unit = *self.units.get(self.at)?;
        self.at += 1;
        let c = char::from_u32(unit);
        match c {
            Some('x') if in_class => {
                let digits: String =
                    self.units[self.at..].iter().take(2).filter_map(|unit| char::from_u32(*unit)).collect();
                self.at += 2;
                return u32::from_str_radix(&digits, 16).ok();
            }
            Some('t') if in_class => return Some(9),
            Some('n') if in_class => return Some(10),
            Some('v') if in_class => return Some(11),
            Some('f') if in_class => return Some(12),
            Some('r') if in_class => return Some(13),
            _ => {}
        }
        let syntax = c.is_some_and(|c| "^$\\.*+?()[]{}|/".contains(c) || (in_class && c == '-'));
        (syntax || !self.unicode).then_some(unit)
    }

    fn class(&mut self) -> Option<Class> {
        let mut class = Class { negated: self.eat("^"), ranges: Vec::new(), properties: Vec::new() };
        while !self.eat("]") {
            // Names are compared only where one can occur: a class may be as long as its file.
            if self.peek() == Some('\\')
                && let Some(property) = PROPERTIES.iter().find(|property| self.eat(&format!("\\p{{{property}}}")))
            {
                class.properties.push(property);
                continue;
            }
            if let Some(ranges) = self.shorthand() {
                class.ranges.extend(ranges);
                continue;
            }
            let first = self.member()?;
            let is_range = self.peek() == Some('-') && self.units.get(self.at + 1) != Some(&u32::from(']'));
            let last = if is_range {
                self.at += 1;
                if let Some(ranges) = self.shorthand() {
                    class.ranges.extend(ranges.into_iter().chain([(first, first), (45, 45)]));
                    continue;
                }
                self.member()?
            } else {
                first
            };
            if first > last {
                return None;
            }
            class.ranges.push((first, last));
        }
        Some(class)
    }

    /// Parses `\d` and similar in a class.
    fn shorthand(&mut self) -> Option<Vec<(u32, u32)>> {
        let name = char::from_u32(*self.units.get(self.at + 1)?)?;
        let ranges = shorthand(name).filter(|_| !self.unicode && self.peek() == Some('\\'))?;
        self.at += 2;
        // `\d-x` is not a range.
        Some(ranges)
    }

    fn member(&mut self) -> Option<u32> {
        let unit = *self.units.get(self.at)?;
        self.at += 1;
        match (unit == u32::from('\\'), self.unicode, self.peek()) {
            (false, _, _) => Some(unit),
            (true, false, Some('b')) => {
                self.at += 1;
                Some(8)
            }
            (true, false, _) => self.loosely_escaped(),
            (true, true, _) => self.escaped(true),
        }
    }
}

/// Returns the units that `\d`, `\w`, `\s` and their opposites match.
fn shorthand(name: char) -> Option<Vec<(u32, u32)>> {
    let ranges: &[(u32, u32)] = match name.to_ascii_lowercase() {
        'd' => &[(48, 57)],
        'w' => &[(48, 57), (65, 90), (95, 95), (97, 122)],
        's' => &[
            (9, 13),
            (32, 32),
            (0xa0, 0xa0),
            (0x1680, 0x1680),
            (0x2000, 0x200a),
            (0x2028, 0x2029),
            (0x202f, 0x202f),
            (0x205f, 0x205f),
            (0x3000, 0x3000),
            (0xfeff, 0xfeff),
        ],
        _ => return None,
    };
    if name.is_ascii_lowercase() {
        return Some(ranges.to_vec());
    }
    let starts = std::iter::once(0).chain(ranges.iter().map(|(_, last)| last + 1));
    let ends = ranges.iter().map(|(first, _)| first - 1).chain([u32::MAX]);
    Some(starts.zip(ends).collect())
}
