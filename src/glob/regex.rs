//! The subset of JavaScript's regular expressions that npm's glob packages generate, matched in bounded time.
//!
//! A name is matched unit by unit (UTF-16, or code points with the `u` flag), following the *set* of positions that a
//! match may have reached. Without back references the result equals that of backtracking, but no pattern can make it
//! slow.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::meter;

mod parse;

use parse::Parser;

/// A compiled expression.
#[derive(Debug)]
pub(super) struct Regex {
    root: Alternatives,
    unicode: bool,
    /// The `i` flag: both sides are compared in the form of [`canonical`].
    folds: bool,
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
    /// Minimum and maximum number of repetitions; without a maximum, any number.
    Times(usize, Option<usize>),
}

#[derive(Debug)]
enum Atom {
    Unit(u32),
    /// Any character but a line end.
    Dot,
    Class(Class),
    Start,
    End,
    Group(Alternatives),
    Look(Look),
    /// True for a word boundary, false for the opposite.
    Edge(bool),
}

/// A look-ahead.
#[derive(Debug)]
struct Look {
    inner: Alternatives,
    /// True if it must match, false if it must not.
    wanted: bool,
    /// Number for caching results.
    number: usize,
    /// Maximum number of units that it looks at.
    reach: usize,
}

#[derive(Debug)]
struct Class {
    negated: bool,
    ranges: Vec<(u32, u32)>,
    properties: Vec<&'static str>,
}

/// Maximum number of steps of one match, each over the whole name; then the match is aborted.
const EFFORT_LIMIT: usize = 200_000;

/// Fixed cost of a step in addition to the length of the name, in characters.
const STEP: usize = 16;

impl Regex {
    /// Compiles `source`; `None` if JavaScript throws a syntax error.
    pub fn new(source: &[u16], unicode: bool) -> Option<Regex> {
        Regex::with_flags(source, unicode, false)
    }

    /// Compiles `source` with the `i` flag.
    pub fn ignoring_case(source: &[u16]) -> Option<Regex> {
        Regex::with_flags(source, false, true)
    }

    fn with_flags(source: &[u16], unicode: bool, folds: bool) -> Option<Regex> {
        let units = if unicode { code_points(source) } else { source.iter().map(|&unit| u32::from(unit)).collect() };
        let mut parser = Parser { units, at: 0, unicode, folds, looks: 0, captures: false, refers: false };
        let root = parser.alternatives(0)?;
        let is_whole = parser.at == parser.units.len();
        // Back references are not supported.
        (is_whole && !(parser.captures && parser.refers)).then_some(Regex { root, unicode, folds })
    }

    /// Returns true if the whole name matches.
    pub fn matches(&self, name: &str) -> bool {
        let places = self.run(name, |place| place == 0);
        places.last() == Some(&true)
    }

    /// Returns true if a part of the name matches.
    pub fn is_found_in(&self, name: &str) -> bool {
        self.run(name, |_| true).contains(&true)
    }

    /// Returns the ends of matches that start at the positions that `starts` accepts.
    fn run(&self, name: &str, starts: impl Fn(usize) -> bool) -> Places {
        let input: Vec<u32> = if self.unicode {
            name.chars().map(u32::from).collect()
        } else {
            let units = name.encode_utf16().map(u32::from);
            if self.folds { units.map(canonical).collect() } else { units.collect() }
        };
        let mut run = Run { input: &input, base: 0, looked: HashMap::default(), effort: 0 };
        let start = (0..=input.len()).map(starts).collect();
        run.alternatives(&self.root, &start)
    }
}

/// Returns the canonical form of a unit for comparison without case, as in JavaScript: its upper case, if that is one
/// unit. A non-ASCII unit never becomes ASCII.
fn canonical(unit: u32) -> u32 {
    let Some(c) = char::from_u32(unit) else { return unit };
    if c.is_ascii() {
        return u32::from(c.to_ascii_uppercase());
    }
    let mut capitals = c.to_uppercase().map(u32::from);
    match (capitals.next(), capitals.next()) {
        (Some(capital @ 0x80..=0xffff), None) => capital,
        _ => unit,
    }
}

/// Number of units from which a range is processed as a large one.
const MANY_UNITS: usize = 4096;

/// Returns the canonical units for all units in the ranges. One range may contain all units, and a pattern may have
/// thousands of such ranges.
fn canonical_ranges(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    static ALL: LazyLock<Vec<u16>> = LazyLock::new(|| (0..=0xffff).map(|unit| canonical(unit) as u16).collect());
    ranges.sort_unstable();
    let mut all: Vec<u32> = Vec::new();
    let mut many: Option<Vec<bool>> = None;
    let mut done = 0;
    for (first, last) in ranges {
        let (first, end) = (first.max(done) as usize, last.min(0xffff) as usize + 1);
        let units = ALL.get(first..end).unwrap_or_default();
        done = done.max(end as u32);
        if units.len() < MANY_UNITS {
            all.extend(units.iter().copied().map(u32::from));
            continue;
        }
        // Sorting so many takes longer than marking them in a table of all units.
        let many = many.get_or_insert_with(|| vec![false; ALL.len()]);
        units.iter().for_each(|unit| many[usize::from(*unit)] = true);
    }
    all.extend((0..).zip(many.unwrap_or_default()).filter(|(_, is_one)| *is_one).map(|(unit, _)| unit));
    all.sort_unstable();
    all.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for unit in all {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == unit => *last = unit,
            Some(_) | None => ranges.push((unit, unit)),
        }
    }
    ranges
}

fn code_points(units: &[u16]) -> Vec<u32> {
    char::decode_utf16(units.iter().copied())
        .map(|c| c.map_or_else(|lone| u32::from(lone.unpaired_surrogate()), u32::from))
        .collect()
}

/// Unicode properties that POSIX classes use.
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

/// A single match of one name.
struct Run<'a> {
    input: &'a [u32],
    /// Position in the input that the first of the places stands for: a look-ahead has places only as far as it
    /// reaches.
    base: usize,
    /// Cached results of look-aheads by number and position.
    looked: HashMap<(usize, usize), bool, foldhash::fast::FixedState>,
    effort: usize,
}

type Places = Vec<bool>;

impl Atom {
    /// Returns true if the atom takes exactly one unit, whatever stands before it.
    fn is_unit(&self) -> bool {
        match self {
            Atom::Unit(_) | Atom::Dot | Atom::Class(_) => true,
            Atom::Start | Atom::End | Atom::Group(_) | Atom::Look(_) | Atom::Edge(_) => false,
        }
    }

    fn takes(&self, unit: u32) -> bool {
        match self {
            Atom::Unit(wanted) => unit == *wanted,
            Atom::Dot => !matches!(unit, 0x0a | 0x0d | 0x2028 | 0x2029),
            Atom::Class(class) => class.has(unit),
            Atom::Start | Atom::End | Atom::Group(_) | Atom::Look(_) | Atom::Edge(_) => false,
        }
    }

    /// Returns the atom that takes one unit, and those before it that take none, if this one is nothing else.
    fn as_unit(&self) -> Option<(&Atom, &[Item])> {
        match self {
            Atom::Group(inner) => {
                let [sequence] = &inner[..] else { return None };
                let (last, before) = sequence.split_last()?;
                let takes_none =
                    |item: &Item| matches!(item.atom, Atom::Look(_) | Atom::Start | Atom::End | Atom::Edge(_));
                let is_plain = before.iter().all(takes_none) && sequence.iter().all(|item| item.repeat == Repeat::Once);
                (is_plain && last.atom.is_unit()).then_some((&last.atom, before))
            }
            atom => atom.is_unit().then_some((atom, &[])),
        }
    }

    /// Returns the maximum number of units that the atom takes; `usize::MAX` if there is none.
    fn width(&self) -> usize {
        match self {
            Atom::Unit(_) | Atom::Dot | Atom::Class(_) => 1,
            Atom::Start | Atom::End | Atom::Look(_) | Atom::Edge(_) => 0,
            Atom::Group(inner) => width(inner),
        }
    }
}

/// Returns the maximum number of units that one of the alternatives takes; `usize::MAX` if there is none.
fn width(all: &[Vec<Item>]) -> usize {
    let of_item = |item: &Item| match item.repeat {
        Repeat::Once | Repeat::Optional => item.atom.width(),
        Repeat::Times(_, Some(most)) => item.atom.width().saturating_mul(most),
        Repeat::Any | Repeat::Some | Repeat::Times(_, None) => usize::MAX,
    };
    let of_sequence = |sequence: &Vec<Item>| sequence.iter().map(of_item).fold(0, usize::saturating_add);
    all.iter().map(of_sequence).max().unwrap_or_default()
}

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
            Repeat::Times(least, most) => {
                let mut places = from.clone();
                for _ in 0..least {
                    places = self.atom(&item.atom, &places);
                }
                let mut out = places.clone();
                for _ in least..most.unwrap_or(self.input.len().max(least)) {
                    places = self.atom(&item.atom, &places);
                    if !places.contains(&true) {
                        break;
                    }
                    join(&mut out, &places);
                }
                out
            }
            Repeat::Any | Repeat::Some => {
                if let (Repeat::Any, Some((unit, before))) = (item.repeat, item.atom.as_unit()) {
                    return self.one_by_one(unit, before, from);
                }
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

    /// Repeats an atom that takes one unit: every place is reached from the one before it, so one pass finds all.
    fn one_by_one(&mut self, unit: &Atom, before: &[Item], from: &Places) -> Places {
        let mut out = from.clone();
        if !self.may_go_on(from.len()) {
            return vec![false; from.len()];
        }
        let start = self.base;
        for place in 0..from.len() - 1 {
            if !out[place] || out[place + 1] || !unit.takes(self.input[start + place]) {
                continue;
            }
            self.base = start + place;
            out[place + 1] = before.iter().all(|item| self.atom(&item.atom, &vec![true])[0]);
        }
        self.base = start;
        out
    }

    /// Counts a step over some places. Returns false if the match has to be aborted.
    fn may_go_on(&mut self, places: usize) -> bool {
        self.effort += 1;
        let may = self.effort <= EFFORT_LIMIT && meter::takes(places + STEP);
        if !may {
            meter::gives_up();
        }
        may
    }

    fn atom(&mut self, atom: &Atom, from: &Places) -> Places {
        if !self.may_go_on(from.len()) {
            return vec![false; from.len()];
        }
        let (input, base) = (self.input, self.base);
        let only =
            |is_one: &dyn Fn(usize) -> bool| (base..).zip(from).map(|(place, here)| *here && is_one(place)).collect();
        match atom {
            Atom::Unit(_) | Atom::Dot | Atom::Class(_) => {
                let taken = from.iter().zip(&input[base..]).map(|(here, unit)| *here && atom.takes(*unit));
                std::iter::once(false).chain(taken).take(from.len()).collect()
            }
            Atom::Start => only(&|place| place == 0),
            Atom::End => only(&|place| place == input.len()),
            Atom::Group(inner) => self.alternatives(inner, from),
            Atom::Look(look) => {
                (base..).zip(from).map(|(place, here)| *here && self.looks_at(look, place) == look.wanted).collect()
            }
            Atom::Edge(wanted) => {
                let is_word = |place: usize| {
                    let c = input.get(place).and_then(|unit| char::from_u32(*unit));
                    c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
                };
                let is_edge = |place: usize| (place > 0 && is_word(place - 1)) != is_word(place);
                only(&|place| is_edge(place) == *wanted)
            }
        }
    }

    fn looks_at(&mut self, look: &Look, place: usize) -> bool {
        if let Some(known) = self.looked.get(&(look.number, place)) {
            return *known;
        }
        let mut from = vec![false; look.reach.min(self.input.len() - place) + 1];
        from[0] = true;
        let outer = std::mem::replace(&mut self.base, place);
        let found = self.alternatives(&look.inner, &from).contains(&true);
        self.base = outer;
        self.looked.insert((look.number, place), found);
        found
    }
}

fn join(out: &mut Places, more: &Places) {
    for (out, more) in out.iter_mut().zip(more) {
        *out |= more;
    }
}
