//! Letters of other scripts that look like Latin ones, in words that are otherwise Latin: `аgent` is not `agent`.

use std::ops::Range;

/// Letters that people take for the Latin letter beside them.
const ALIKE: [(char, char); 46] = [
    // Cyrillic.
    ('а', 'a'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('ӏ', 'l'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('ѕ', 's'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('у', 'y'),
    ('А', 'A'),
    ('В', 'B'),
    ('С', 'C'),
    ('Е', 'E'),
    ('Н', 'H'),
    ('І', 'I'),
    ('К', 'K'),
    ('М', 'M'),
    ('О', 'O'),
    ('Р', 'P'),
    ('Ѕ', 'S'),
    ('Т', 'T'),
    ('Х', 'X'),
    // Greek.
    ('α', 'a'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('Α', 'A'),
    ('Β', 'B'),
    ('Ε', 'E'),
    ('Η', 'H'),
    ('Ι', 'I'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('Ν', 'N'),
    ('Ο', 'O'),
    ('Ρ', 'P'),
    ('Τ', 'T'),
    ('Χ', 'X'),
    ('Ζ', 'Z'),
];

/// A word with letters that look like Latin ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookalike {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// The letters that look like Latin ones.
    pub letters: Vec<char>,
    /// The word as people read it.
    pub reads: String,
}

/// Returns the words that mix Latin letters with ones that only look like them.
pub fn lookalikes(text: &str) -> Vec<Lookalike> {
    let mut found = Vec::new();
    let mut start = 0;
    if text.is_ascii() {
        return found;
    }
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let letters: Vec<char> = word.chars().filter(|c| latin(*c).is_some()).collect();
        if !letters.is_empty() && word.chars().any(|c| c.is_ascii_alphabetic()) {
            let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            let reads = word.chars().map(|c| latin(c).unwrap_or(c)).collect();
            found.push(Lookalike { range: start..start + word.len(), letters, reads });
        }
        start += word.len();
    }
    found
}

fn latin(letter: char) -> Option<char> {
    ALIKE.iter().find(|(other, _)| *other == letter).map(|(_, latin)| *latin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_of_two_scripts_are_found() {
        for (text, expected) in [
            ("Run the аgent now.", vec!["agent"]),
            ("Привет, агент", vec![]),
            ("naïve café", vec![]),
            ("the α and the β", vec![]),
            ("npm instаll pаypal", vec!["install", "paypal"]),
        ] {
            let found = lookalikes(text);
            assert_eq!(found.iter().map(|one| one.reads.as_str()).collect::<Vec<_>>(), expected, "{text}");
            assert!(found.iter().all(|one| text.get(one.range.clone()).is_some()));
        }
    }
}
