//! The small part of JavaScript's regular expressions that minimatch makes of a path segment, matched in bounded time.
//!
//! A name is matched unit by unit (UTF-16, or code points with the `u` flag), by following the *set* of places a match may
//! have reached. Without back references that gives the same yes or no as backtracking, but no pattern can make it slow.

use std::collections::HashMap;

/// A compiled expression, anchored at both ends.
#[derive(Debug)]
pub(super) struct Regex {
    root: Alternatives,
    unicode: bool,
    looks: usize,
}

type Alternatives = Vec<Vec<Item>>;

#[derive(Debug)]
struct Item {
    atom: Atom,
    repeat: Repeat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeat {
    Once,
    Optional,
    Any,
    Some,
}

#[derive(Debug)]
enum Atom {
    Unit(u32),
    /// Anything but a line end.
    Dot,
    Class(Class),
    Start,
    End,
    Group(Alternatives),
    /// A negative look-ahead, with its number for remembering results.
    Not(Alternatives, usize),
}

#[derive(Debug)]
struct Class {
    negated: bool,
    ranges: Vec<(u32, u32)>,
    properties: Vec<&'static str>,
}

/// How deep groups may nest; deeper than anyone writes, far from the end of the stack.
const DEPTH_LIMIT: usize = 100;

impl Regex {
    /// Compiles `source`; `None` where JavaScript throws a syntax error.
    pub fn new(source: &[u16], unicode: bool) -> Option<Regex> {
        let units = if unicode { code_points(source) } else { source.iter().map(|&unit| u32::from(unit)).collect() };
        let mut parser = Parser { units, at: 0, unicode, looks: 0 };
        let root = parser.alternatives(0)?;
        (parser.at == parser.units.len()).then_some(Regex { root, unicode, looks: parser.looks })
    }

    /// Whether the whole name matches.
    pub fn matches(&self, name: &str) -> bool {
        let input: Vec<u32> = if self.unicode {
            name.chars().map(u32::from).collect()
        } else {
            name.encode_utf16().map(u32::from).collect()
        };
        let mut run = Run { input: &input, looked: HashMap::with_capacity(self.looks) };
        let mut start = vec![false; input.len() + 1];
        start[0] = true;
        run.alternatives(&self.root, &start)[input.len()]
    }
}

fn code_points(units: &[u16]) -> Vec<u32> {
    char::decode_utf16(units.iter().copied())
        .map(|c| c.map_or_else(|lone| u32::from(lone.unpaired_surrogate()), u32::from))
        .collect()
}

struct Parser {
    units: Vec<u32>,
    at: usize,
    unicode: bool,
    looks: usize,
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

    fn alternatives(&mut self, depth: usize) -> Option<Alternatives> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        let mut all = vec![Vec::new()];
        while self.at < self.units.len() && self.peek() != Some(')') {
            if self.eat("|") {
                all.push(Vec::new());
                continue;
            }
            let atom = self.atom(depth)?;
            let repeat = if self.eat("*") {
                Repeat::Any
            } else if self.eat("+") {
                Repeat::Some
            } else if self.eat("?") {
                Repeat::Optional
            } else {
                Repeat::Once
            };
            if repeat != Repeat::Once {
                // Lazy or greedy finds the same set of places.
                self.eat("?");
            }
            all.last_mut().expect("starts with one").push(Item { atom, repeat });
        }
        Some(all)
    }

    fn atom(&mut self, depth: usize) -> Option<Atom> {
        if self.eat("(?:") {
            let inner = self.alternatives(depth + 1)?;
            return self.eat(")").then_some(Atom::Group(inner));
        }
        if self.eat("(?!") {
            let number = self.looks;
            self.looks += 1;
            let inner = self.alternatives(depth + 1)?;
            return self.eat(")").then_some(Atom::Not(inner, number));
        }
        if self.eat("(") {
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
            Some('\\') => Atom::Unit(self.escaped(false)?),
            _ => Atom::Unit(unit),
        })
    }

    /// What follows a backslash: itself, or with the `u` flag an error where it needs no escape.
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
            if let Some(property) = PROPERTIES.iter().find(|property| self.eat(&format!("\\p{{{property}}}"))) {
                class.properties.push(property);
                continue;
            }
            let first = self.member()?;
            let is_range = self.peek() == Some('-') && self.units.get(self.at + 1) != Some(&u32::from(']'));
            let last = if is_range {
                self.at += 1;
                self.member()?
            } else {
                first
            };
            class.ranges.push((first, last));
        }
        Some(class)
    }

    fn member(&mut self) -> Option<u32> {
        let unit = *self.units.get(self.at)?;
        self.at += 1;
        if unit == u32::from('\\') { self.escaped(true) } else { Some(unit) }
    }
}

/// The Unicode properties that POSIX classes become.
const PROPERTIES: [&str; 13] = ["L", "Nl", "Nd", "Zs", "Cc", "Z", "C", "Ll", "P", "Lu", "Pc", "N", "S"];

fn has_property(c: u32, property: &str) -> bool {
    use icu_properties::CodePointMapData;
    use icu_properties::props::GeneralCategory as Category;
    let category = CodePointMapData::<Category>::new().get32(c);
    use Category::*;
    match property {
        "L" => matches!(category, UppercaseLetter | LowercaseLetter | TitlecaseLetter | ModifierLetter | OtherLetter),
        "Nl" => category == LetterNumber,
        "Nd" => category == DecimalNumber,
        "Zs" => category == SpaceSeparator,
        "Cc" => category == Control,
        "Z" => matches!(category, SpaceSeparator | LineSeparator | ParagraphSeparator),
        "C" => matches!(category, Control | Format | Surrogate | PrivateUse | Unassigned),
        "Ll" => category == LowercaseLetter,
        "Lu" => category == UppercaseLetter,
        "Pc" => category == ConnectorPunctuation,
        "P" => matches!(
            category,
            ConnectorPunctuation
                | DashPunctuation
                | OpenPunctuation
                | ClosePunctuation
                | InitialPunctuation
                | FinalPunctuation
                | OtherPunctuation
        ),
        _ => false,
    }
}

impl Class {
    fn has(&self, unit: u32) -> bool {
        let inside = self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&unit))
            || self.properties.iter().any(|property| has_property(unit, property));
        inside != self.negated
    }
}

/// One match of one name.
struct Run<'a> {
    input: &'a [u32],
    /// What a look-ahead said at a place: asked once each.
    looked: HashMap<(usize, usize), bool>,
}

type Places = Vec<bool>;

impl Run<'_> {
    fn alternatives(&mut self, all: &[Vec<Item>], from: &Places) -> Places {
        let mut out = vec![false; from.len()];
        for sequence in all {
            let mut places = from.clone();
            for item in sequence {
                places = self.repeated(item, &places);
                if !places.contains(&true) {
                    break;
                }
            }
            join(&mut out, &places);
        }
        out
    }

    fn repeated(&mut self, item: &Item, from: &Places) -> Places {
        match item.repeat {
            Repeat::Once => self.atom(&item.atom, from),
            Repeat::Optional => {
                let mut out = self.atom(&item.atom, from);
                join(&mut out, from);
                out
            }
            Repeat::Any | Repeat::Some => {
                let mut out = if item.repeat == Repeat::Any { from.clone() } else { self.atom(&item.atom, from) };
                let mut fresh = out.clone();
                while fresh.contains(&true) {
                    let next = self.atom(&item.atom, &fresh);
                    fresh = next.iter().zip(&out).map(|(next, known)| *next && !known).collect();
                    join(&mut out, &fresh);
                }
                out
            }
        }
    }

    fn atom(&mut self, atom: &Atom, from: &Places) -> Places {
        let input = self.input;
        let step = |hit: &dyn Fn(u32) -> bool| {
            let mut out = vec![false; from.len()];
            for (place, unit) in input.iter().enumerate() {
                out[place + 1] = from[place] && hit(*unit);
            }
            out
        };
        match atom {
            Atom::Unit(wanted) => step(&|unit| unit == *wanted),
            Atom::Dot => step(&|unit| !matches!(unit, 0x0a | 0x0d | 0x2028 | 0x2029)),
            Atom::Class(class) => step(&|unit| class.has(unit)),
            Atom::Start => from.iter().enumerate().map(|(place, here)| *here && place == 0).collect(),
            Atom::End => from.iter().enumerate().map(|(place, here)| *here && place == input.len()).collect(),
            Atom::Group(inner) => self.alternatives(inner, from),
            Atom::Not(inner, number) => {
                (0..from.len()).map(|place| from[place] && !self.looks_at(inner, *number, place)).collect()
            }
        }
    }

    fn looks_at(&mut self, inner: &[Vec<Item>], number: usize, place: usize) -> bool {
        if let Some(known) = self.looked.get(&(number, place)) {
            return *known;
        }
        let mut from = vec![false; self.input.len() + 1];
        from[place] = true;
        let found = self.alternatives(inner, &from).contains(&true);
        self.looked.insert((number, place), found);
        found
    }
}

fn join(out: &mut Places, more: &Places) {
    for (out, more) in out.iter_mut().zip(more) {
        *out |= more;
    }
}
