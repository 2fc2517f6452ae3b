//! UTF-16 units, the characters of JavaScript's patterns.

/// Returns an ASCII character as a unit.
pub(super) const fn unit(c: u8) -> u16 {
    c as u16
}

/// Converts a text to units.
pub(super) fn utf16(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// Returns true if a unit is an ASCII character of a set.
pub(super) fn is_one_of(c: u16, set: &str) -> bool {
    u8::try_from(c).is_ok_and(|c| c.is_ascii() && set.contains(char::from(c)))
}

/// Appends a unit, escaped if it matches `/[-[\]{}()*+?.,\\^$|#\s]/`.
pub(super) fn push_escaped(out: &mut Vec<u16>, c: u16) {
    let space = char::from_u32(u32::from(c)).is_some_and(crate::text::is_js_space);
    if is_one_of(c, "-[]{}()*+?.,\\^$|#") || space {
        out.push(unit(b'\\'));
    }
    out.push(c);
}
