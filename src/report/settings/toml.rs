//! Finds the key or value at a byte of TOML, line by line, even if the text is incomplete.

use std::ops::Range;

use super::{Part, Spot};

/// Returns the place at a byte.
pub(super) fn spot(text: &str, byte: usize) -> Option<Spot> {
    let mut table: Vec<String> = Vec::new();
    let mut key: Vec<String> = Vec::new();
    // Number of open brackets; the value continues on the next line while there are any.
    let mut open = 0_usize;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let here = (start..=start + content.len()).contains(&byte).then(|| byte - start);
        let trimmed = content.trim_start();
        if open == 0 && trimmed.starts_with('[') {
            if here.is_some() {
                return None;
            }
            let name = trimmed.trim_start_matches('[').split(']').next().unwrap_or_default();
            table = keys(name);
            start += line.len();
            continue;
        }
        let equals = if open == 0 { position(content, |c| c == '=') } else { None };
        if open == 0 {
            let name = &content[..equals.unwrap_or(content.len())];
            key = keys(name);
            if here.is_some_and(|here| equals.is_none_or(|equals| here <= equals)) {
                if trimmed.starts_with('#') {
                    return None;
                }
                let from = start + name.len() - name.trim_start().len();
                let at = from..from + name.trim().len();
                return Some(Spot { way: [table, key].concat(), part: Part::Key, at, quoted: false });
            }
        }
        let value_from = equals.map_or(0, |equals| equals + 1);
        if let Some(here) = here {
            let (at, quoted) = word(content, value_from, here)?;
            let at = start + at.start..start + at.end;
            return Some(Spot { way: [table, key].concat(), part: Part::Value, at, quoted });
        }
        if equals.is_some() || open > 0 {
            outside(&content[value_from..], |c| match c {
                '[' => open += 1,
                ']' => open = open.saturating_sub(1),
                _ => {}
            });
        }
        start += line.len();
    }
    // A key may begin after the last line ending.
    (open == 0 && byte == text.len()).then(|| {
        table.push(String::new());
        Spot { way: table, part: Part::Key, at: byte..byte, quoted: false }
    })
}

/// Splits a dotted key such as `a."b.c".d` into its parts.
fn keys(name: &str) -> Vec<String> {
    let (mut found, mut from) = (Vec::new(), 0);
    let mut dots = Vec::new();
    outside_at(name, |at, c| dots.extend((c == '.').then_some(at)));
    for end in dots.into_iter().chain([name.len()]) {
        found.push(name[from..end].trim().trim_matches(['"', '\'']).to_owned());
        from = end + 1;
    }
    found
}

/// Returns the range of the word around `here`, and true if the word is quoted. A word is a string, or the text between
/// white space and punctuation. `None` in a comment.
fn word(line: &str, from: usize, here: usize) -> Option<(Range<usize>, bool)> {
    let mut quote: Option<(char, usize)> = None;
    let mut bare = from;
    for (at, c) in line.char_indices().filter(|(at, _)| *at >= from) {
        match quote {
            Some((mark, start)) => {
                if c == mark {
                    if (start..=at).contains(&here) {
                        return Some((start..at, true));
                    }
                    (quote, bare) = (None, at + 1);
                }
            }
            None => {
                if c == '#' {
                    if at < here {
                        return None;
                    }
                    break;
                }
                let ends = c.is_whitespace() || matches!(c, '"' | '\'' | '[' | ']' | '{' | '}' | ',');
                if ends && (bare..=at).contains(&here) {
                    return Some((bare..at, false));
                }
                if ends {
                    bare = at + c.len_utf8();
                }
                if matches!(c, '"' | '\'') {
                    quote = Some((c, at + 1));
                }
            }
        }
    }
    match quote {
        Some((_, start)) => Some((start..line.len(), true)),
        None => Some((bare.min(here)..line.len().max(here), false)),
    }
}

/// Calls `each` for every character outside of strings and comments.
fn outside(text: &str, mut each: impl FnMut(char)) {
    outside_at(text, |_, c| each(c));
}

/// Calls `each` with the offset of every character outside of strings and comments, and the character.
fn outside_at(text: &str, mut each: impl FnMut(usize, char)) {
    let mut quote: Option<char> = None;
    for (at, c) in text.char_indices() {
        match quote {
            Some(mark) if c == mark => quote = None,
            Some(_) => {}
            None if c == '#' => return,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None => each(at, c),
        }
    }
}

/// Returns the offset of the first wanted character outside of strings and comments.
fn position(text: &str, wanted: impl Fn(char) -> bool) -> Option<usize> {
    let mut found = None;
    outside_at(text, |at, c| {
        if found.is_none() && wanted(c) {
            found = Some(at);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::super::said;

    #[test]
    fn keys_and_values_are_known_while_they_are_typed() {
        for (text, expected) in [
            ("a|b = 1\n", "Key ab `ab`"),
            ("ab = 1|2\n", "Value ab `12`"),
            ("ab = |", "Value ab ``"),
            ("a = [\n  'b',\n  'c|d'\n]\n", "Value a `cd` quoted"),
            ("a = [\n  'b', 'c|\n", "Value a `c` quoted"),
            ("a = ['b']\nc|\n", "Key c `c`"),
            ("[projects.\"/a.b\"]\ntrust_level = \"tr|\"\n", "Value projects./a.b.trust_level `tr` quoted"),
            ("[t]\n|", "Key t. ``"),
            ("x.y = 1 # a = |\n", "nothing"),
            ("# a|\n", "nothing"),
            ("[ta|ble]\n", "nothing"),
            ("[[t]]\nk|\n", "Key t.k `k`"),
        ] {
            assert_eq!(said("/r/x.toml", text), expected, "{text}");
        }
    }
}
