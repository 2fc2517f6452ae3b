//! Converts `[…]` in a pattern to a regular expression, as minimatch does.

use super::units::{is_one_of, push_escaped, unit, utf16};

/// A converted `[…]`.
pub(super) struct ClassSource {
    pub regex: Vec<u16>,
    pub unicode: bool,
    /// Length in the pattern, in UTF-16 units.
    pub length: usize,
    /// False for `[x]`, which means a literal x.
    pub magic: bool,
}

/// POSIX classes: name, members, true if they need the `u` flag, and true if the members are those that must not match.
/// As in minimatch, `[:print:]` is not negated: its table lacks the third column there.
const POSIX: [(&str, &str, bool, bool); 14] = [
    ("[:alnum:]", "\\p{L}\\p{Nl}\\p{Nd}", true, false),
    ("[:alpha:]", "\\p{L}\\p{Nl}", true, false),
    ("[:ascii:]", "\\x00-\\x7f", false, false),
    ("[:blank:]", "\\p{Zs}\\t", true, false),
    ("[:cntrl:]", "\\p{Cc}", true, false),
    ("[:digit:]", "\\p{Nd}", true, false),
    ("[:graph:]", "\\p{Z}\\p{C}", true, true),
    ("[:lower:]", "\\p{Ll}", true, false),
    ("[:print:]", "\\p{C}", true, false),
    ("[:punct:]", "\\p{P}", true, false),
    ("[:space:]", "\\p{Z}\\t\\r\\n\\v\\f", true, false),
    ("[:upper:]", "\\p{Lu}", true, false),
    ("[:word:]", "\\p{L}\\p{Nl}\\p{Nd}\\p{Pc}", true, false),
    ("[:xdigit:]", "A-Fa-f0-9", false, false),
];

/// The content of the brackets, as parts of a class.
#[derive(Default)]
struct Members {
    ranges: Vec<Vec<u16>>,
    /// Classes whose members must not match.
    others: Vec<Vec<u16>>,
    unicode: bool,
    /// Start of a range that has no end yet.
    range_start: Option<u16>,
}

/// Converts the `[…]` at the start of `glob`; `None` if it is never closed, so that the bracket is literal.
pub(super) fn source(glob: &[u16]) -> Option<ClassSource> {
    // A class that matches nothing makes the whole segment match nothing.
    let poison = || Some(ClassSource { regex: utf16("$."), unicode: false, length: glob.len(), magic: true });
    let negated = glob.get(1).is_some_and(|c| is_one_of(*c, "!^"));
    let first = if negated { 2 } else { 1 };
    let mut members = Members::default();
    let mut at = first;
    loop {
        match *glob.get(at)? {
            c if c == unit(b']') && at > first => break,
            c if c == unit(b'\\') => {
                at += 1;
                at += members.add(glob, at)?;
            }
            c if c == unit(b'[') => match posix(&glob[at..]) {
                Some(_) if members.range_start.is_some() => return poison(),
                Some(class) => at += members.add_posix(class),
                None => at += members.add(glob, at)?,
            },
            _ => at += members.add(glob, at)?,
        }
    }
    if members.ranges.is_empty() && members.others.is_empty() {
        return poison();
    }
    let (regex, magic) = match members.only().filter(|_| !negated) {
        Some(only) => {
            // `[x]` means a literal x.
            let mut regex = Vec::new();
            push_escaped(&mut regex, only);
            (regex, false)
        }
        None => (members.source(negated), true),
    };
    Some(ClassSource { regex, unicode: magic && members.unicode, length: at + 1, magic })
}

/// Returns the POSIX class at the start of a text.
fn posix(text: &[u16]) -> Option<&'static (&'static str, &'static str, bool, bool)> {
    let begins =
        |name: &str| text.len() >= name.len() && name.bytes().zip(text).all(|(byte, unit)| u16::from(byte) == *unit);
    POSIX.iter().find(|(name, ..)| begins(name))
}

impl Members {
    /// Adds the member at a position, or a range that ends or starts there. Returns its length in units; `None` at the
    /// end.
    fn add(&mut self, glob: &[u16], at: usize) -> Option<usize> {
        let c = *glob.get(at)?;
        if let Some(start) = self.range_start.take() {
            if c > start {
                self.ranges.push([in_class(&[start]), utf16("-"), in_class(&[c])].concat());
            } else if c == start {
                self.ranges.push(in_class(&[c]));
            }
            return Some(1);
        }
        if glob[at + 1..].starts_with(&[unit(b'-'), unit(b']')]) {
            self.ranges.push(in_class(&[c, unit(b'-')]));
            return Some(2);
        }
        if glob.get(at + 1) == Some(&unit(b'-')) {
            self.range_start = Some(c);
            return Some(2);
        }
        self.ranges.push(in_class(&[c]));
        Some(1)
    }

    /// Adds a POSIX class. Returns the length of its name in units.
    fn add_posix(&mut self, (name, class, unicode, is_other): &(&str, &str, bool, bool)) -> usize {
        if *is_other { &mut self.others } else { &mut self.ranges }.push(utf16(class));
        self.unicode |= unicode;
        name.len()
    }

    /// Returns the only member if there is exactly one and it is a single unit.
    fn only(&self) -> Option<u16> {
        let ([only], []) = (self.ranges.as_slice(), self.others.as_slice()) else { return None };
        let is_single = only.len() == 1 || (only.len() == 2 && only[0] == unit(b'\\'));
        only.last().copied().filter(|c| is_single && !matches!(*c, 0x0a | 0x0d | 0x2028 | 0x2029))
    }

    fn source(&self, negated: bool) -> Vec<u16> {
        let class = |negated: bool, members: &[Vec<u16>]| {
            [utf16(if negated { "[^" } else { "[" }), members.concat(), utf16("]")].concat()
        };
        let (positive, negative) = (class(negated, &self.ranges), class(!negated, &self.others));
        match (self.ranges.is_empty(), self.others.is_empty()) {
            (false, false) => [utf16("("), positive, utf16("|"), negative, utf16(")")].concat(),
            (false, true) => positive,
            (true, _) => negative,
        }
    }
}

fn in_class(units: &[u16]) -> Vec<u16> {
    let mut out = Vec::new();
    for c in units {
        if is_one_of(*c, "[]\\-") {
            out.push(unit(b'\\'));
        }
        out.push(*c);
    }
    out
}
