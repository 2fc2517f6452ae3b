//! Fast path for most front matter: lines of `key: value`, each value a bare word or a quoted text. All YAML parsers
//! agree on the parts of such a line; the caller interprets the value.

use std::ops::Range;

/// Maximum number of lines; more than front matter usually has, and than pay off.
const LINES: usize = 32;

/// The parts of a line, as byte ranges of the text.
pub(super) struct Pair {
    pub key: Range<usize>,
    /// Value with its quotation marks.
    pub value: Range<usize>,
    pub style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Bare,
    Quoted,
}

impl Pair {
    /// Returns the value without its quotation marks.
    pub(super) fn inner<'a>(&self, text: &'a str) -> &'a str {
        let marks = usize::from(self.style == Style::Quoted);
        &text[self.value.start + marks..self.value.end - marks]
    }
}

/// Returns the lines of a text that has no other kind of line; `None` if a parser is required.
pub(super) fn pairs(text: &str) -> Option<Vec<Pair>> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        let mut pair = pair(line)?;
        let is_known = |other: &Pair| text[other.key.clone()] == line[pair.key.clone()];
        if found.len() == LINES || found.iter().any(is_known) {
            return None;
        }
        for range in [&mut pair.key, &mut pair.value] {
            *range = start + range.start..start + range.end;
        }
        found.push(pair);
        start += line.len() + 1;
    }
    Some(found)
}

fn pair(line: &str) -> Option<Pair> {
    let bytes = line.as_bytes();
    if !bytes.first()?.is_ascii_alphabetic() {
        return None;
    }
    let key = 0..bytes.iter().position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-'))?;
    let value = key.end + ": ".len()..line.len();
    if key.len() > 64 || !line[key.end..].starts_with(": ") || !bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return None;
    }
    let style = match &bytes[value.clone()] {
        [mark @ (b'"' | b'\''), inner @ .., last] if mark == last => {
            // Inside the quotes there must be no escapes.
            let is_plain = |byte: &u8| byte != mark && (*mark == b'\'' || *byte != b'\\');
            inner.iter().all(is_plain).then_some(Style::Quoted)?
        }
        [first, ..] if first.is_ascii_alphanumeric() => {
            let bare = &line[value.clone()];
            let is_more = bare.contains(": ") || bare.contains(" #") || bare.ends_with([' ', ':']);
            (!is_more).then_some(Style::Bare)?
        }
        _ => return None,
    };
    Some(Pair { key, value, style })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Pieces that are special to some parser.
    const PIECES: [&str; 44] = [
        "a",
        "z",
        "Null",
        "null",
        "true",
        "False",
        "yes",
        "No",
        "inf",
        "nan",
        "0",
        "12",
        "0x1f",
        "0o7",
        "0b1",
        "1e3",
        "1_0",
        "12:30",
        "2020-01-01",
        "+",
        "-",
        ".",
        "/",
        "*",
        "#",
        ":",
        ",",
        " ",
        "  ",
        "'",
        "\"",
        "\\",
        "?",
        "!",
        "&",
        "[",
        "}",
        "|",
        ">",
        "%",
        "@",
        "`",
        "=",
        "<<",
    ];

    /// Returns every text of a few lines, made of three pieces, that consists only of pairs.
    pub(in super::super) fn texts() -> impl Iterator<Item = String> {
        let words = || PIECES.iter().flat_map(|one| PIECES.iter().map(move |two| format!("{one}{two}")));
        let words = words().flat_map(|word| [""].iter().chain(&PIECES).map(move |last| format!("{word}{last}")));
        let lines = words.flat_map(|word| {
            [
                format!("a: {word}"),
                format!("b: 'c d'\na: {word}\n"),
                format!("{word}: a\n"),
                format!("a: \"{word}\"\nb: c"),
            ]
        });
        lines.filter(|text| pairs(text).is_some())
    }

    #[test]
    fn what_else_a_line_may_be_is_left_to_the_parser() {
        let values = |text: &str| Some(pairs(text)?.iter().map(|pair| pair.inner(text).to_owned()).collect::<Vec<_>>());
        let one = |value: &str| Some(vec![value.to_owned()]);
        for (text, value) in [
            ("a: b c\n", "b c"),
            ("a: src/**/*.rs", "src/**/*.rs"),
            ("a: \"**/*.rs\"\n", "**/*.rs"),
            ("a: 'b: \\ #'\n", "b: \\ #"),
            ("a: \"\"\n", ""),
            ("a: x:y#z", "x:y#z"),
        ] {
            assert_eq!(values(text), one(value), "{text}");
        }
        for text in [
            "",
            "\n",
            "a",
            "a:",
            "a: ",
            "a: b\n\n",
            " a: b",
            "a: b\n c",
            "a: b\n- c",
            "a : b",
            "a: b ",
            "a: b # c",
            "a: b: c",
            "a: b:",
            "a:  b",
            "a: *b",
            "a: [b]",
            "a: \"b\" c",
            "a: \"b\\n\"",
            "a: 'b''c'",
            "a: \"",
            "a: é",
            "a: b\r\n",
            "a: b\tc",
            "a: b\na: c",
            "---\na: b",
            "a: b\n---",
            "# a\na: b",
            "a.b: c",
            "- a: b",
            "a: |",
            "a: -b",
        ] {
            assert!(pairs(text).is_none(), "{text:?}");
        }
    }
}
