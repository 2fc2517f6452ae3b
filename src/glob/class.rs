//! `[…]` in a pattern, as minimatch makes a regular expression of it.

use super::segment::{unit, utf16};

/// Whether an ASCII unit is in a set.
pub(super) fn is_one_of(c: u16, set: &str) -> bool {
    u8::try_from(c).is_ok_and(|c| c.is_ascii() && set.contains(char::from(c)))
}

/// `/[-[\]{}()*+?.,\\^$|#\s]/` gets a backslash.
pub(super) fn push_escaped(out: &mut Vec<u16>, c: u16) {
    let space = char::from_u32(u32::from(c)).is_some_and(crate::text::is_js_space);
    if is_one_of(c, "-[]{}()*+?.,\\^$|#") || space {
        out.push(unit(b'\\'));
    }
    out.push(c);
}

/// `[…]` as a regular expression.
pub(super) struct ClassSource {
    pub regex: Vec<u16>,
    pub unicode: bool,
    /// How many units of the pattern it takes.
    pub length: usize,
    /// False for `[x]`, which is a way to write a literal x.
    pub magic: bool,
}

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

/// `None` when it never ends, so that the bracket is a literal one. `[:print:]` lacks minimatch's negation on purpose:
/// its table has no third column there.
pub(super) fn source(glob: &[u16]) -> Option<ClassSource> {
    // A class that can match nothing spoils the rest of the segment.
    let poison = || Some(ClassSource { regex: utf16("$."), unicode: false, length: glob.len(), magic: true });
    let (mut ranges, mut others): (Vec<Vec<u16>>, Vec<Vec<u16>>) = (Vec::new(), Vec::new());
    let (mut saw_start, mut escaping, mut negated, mut unicode) = (false, false, false, false);
    let mut range_start: Option<u16> = None;
    let mut end = None;
    let mut at = 1;
    'units: while at < glob.len() {
        let c = glob[at];
        if at == 1 && (c == unit(b'!') || c == unit(b'^')) {
            negated = true;
            at += 1;
            continue;
        }
        if c == unit(b']') && saw_start && !escaping {
            end = Some(at + 1);
            break;
        }
        saw_start = true;
        if c == unit(b'\\') && !escaping {
            escaping = true;
            at += 1;
            continue;
        }
        if c == unit(b'[') && !escaping {
            for (name, class, needs_unicode, other) in POSIX {
                if glob[at..].starts_with(&utf16(name)) {
                    if range_start.is_some() {
                        return poison();
                    }
                    at += name.len();
                    if other { &mut others } else { &mut ranges }.push(utf16(class));
                    unicode |= needs_unicode;
                    continue 'units;
                }
            }
        }
        escaping = false;
        if let Some(start) = range_start.take() {
            if c > start {
                ranges.push([in_class(&[start]), utf16("-"), in_class(&[c])].concat());
            } else if c == start {
                ranges.push(in_class(&[c]));
            }
            at += 1;
            continue;
        }
        if glob[at + 1..].starts_with(&utf16("-]")) {
            ranges.push(in_class(&[c, unit(b'-')]));
            at += 2;
            continue;
        }
        if glob.get(at + 1) == Some(&unit(b'-')) {
            range_start = Some(c);
            at += 2;
            continue;
        }
        ranges.push(in_class(&[c]));
        at += 1;
    }
    let length = end?;
    if ranges.is_empty() && others.is_empty() {
        return poison();
    }
    if let ([only], [], false) = (ranges.as_slice(), others.as_slice(), negated)
        && (only.len() == 1 || (only.len() == 2 && only[0] == unit(b'\\')))
        && only.last().is_some_and(|c| !matches!(*c, 0x0a | 0x0d | 0x2028 | 0x2029))
    {
        // `[x]` is a way to write a literal x.
        let mut regex = Vec::new();
        push_escaped(&mut regex, only[only.len() - 1]);
        return Some(ClassSource { regex, unicode: false, length, magic: false });
    }
    let class = |negated: bool, members: &[Vec<u16>]| {
        [utf16(if negated { "[^" } else { "[" }), members.concat(), utf16("]")].concat()
    };
    let (positive, negative) = (class(negated, &ranges), class(!negated, &others));
    let regex = match (ranges.is_empty(), others.is_empty()) {
        (false, false) => [utf16("("), positive, utf16("|"), negative, utf16(")")].concat(),
        (false, true) => positive,
        (true, _) => negative,
    };
    Some(ClassSource { regex, unicode, length, magic: true })
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
