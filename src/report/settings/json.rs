//! Finds the key or value at a byte of JSON with comments, even if the text is incomplete.

use std::ops::Range;

use super::{Part, Spot};

/// An object or a list that is open.
enum Open {
    Object {
        /// Key of the current entry, once it has been read.
        key: Option<String>,
        /// True if a key comes next.
        wants_key: bool,
    },
    List,
}

/// Returns the place at a byte.
pub(super) fn spot(text: &str, byte: usize) -> Option<Spot> {
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() && at <= byte {
        let token = token(text, at);
        match bytes[at] {
            b'{' if at < byte => open.push(Open::Object { key: None, wants_key: true }),
            b'[' if at < byte => open.push(Open::List),
            b'}' | b']' if at < byte => {
                open.pop();
            }
            b',' if at < byte => {
                if let Some(Open::Object { key, wants_key }) = open.last_mut() {
                    (*key, *wants_key) = (None, true);
                }
            }
            b':' if at < byte => {
                if let Some(Open::Object { wants_key, .. }) = open.last_mut() {
                    *wants_key = false;
                }
            }
            // Inside a comment. Whoever types at the end of one that ends with its line is still inside.
            b'/' if token.len() > 1 && byte > at && byte < token.end + usize::from(bytes[at + 1] == b'/') => {
                return None;
            }
            c if c == b'"' || c == b'\'' || is_word(c) => {
                let inside = inside(text, &token);
                if inside.start <= byte && byte <= inside.end {
                    return found(&open, &text[inside.clone()], inside, c == b'"' || c == b'\'');
                }
                if let Some(Open::Object { key, wants_key: true }) = open.last_mut() {
                    *key = Some(text[inside].to_owned());
                }
            }
            _ => {}
        }
        at = token.end;
    }
    found(&open, "", byte..byte, false)
}

fn found(open: &[Open], word: &str, at: Range<usize>, quoted: bool) -> Option<Spot> {
    let (last, before) = open.split_last()?;
    let key_of = |open: &Open| match open {
        Open::Object { key, .. } => key.clone(),
        Open::List => None,
    };
    let mut way: Vec<String> = before.iter().filter_map(key_of).collect();
    let part = match last {
        Open::Object { wants_key: true, .. } => {
            way.push(word.to_owned());
            Part::Key
        }
        Open::Object { .. } | Open::List => {
            way.extend(key_of(last));
            Part::Value
        }
    };
    Some(Spot { way, part, at, quoted })
}

/// Returns the token that begins at a byte: a string up to its end or that of its line, a comment, a word, or one
/// character.
fn token(text: &str, start: usize) -> Range<usize> {
    let rest = &text[start..];
    let len = match rest.as_bytes()[0] {
        quote @ (b'"' | b'\'') => {
            let mut escaped = false;
            let end = rest.bytes().enumerate().skip(1).find(|(_, byte)| {
                let ends = *byte == b'\n' || (*byte == quote && !escaped);
                escaped = *byte == b'\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |(at, byte)| at + usize::from(byte == quote))
        }
        b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
        byte if is_word(byte) => rest.bytes().take_while(|byte| is_word(*byte)).count(),
        _ => 1,
    };
    start..start + len
}

/// Returns the range of a token without its quotation marks.
fn inside(text: &str, token: &Range<usize>) -> Range<usize> {
    let Some(quote) = text[token.clone()].chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return token.clone();
    };
    let closed = token.len() > 1 && text[token.clone()].ends_with(quote);
    token.start + 1..token.end - usize::from(closed)
}

/// Returns true for bytes of names and numbers. All bytes that are not ASCII belong to them.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+$".contains(&byte) || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::super::said;

    #[test]
    fn keys_and_values_are_known_while_they_are_typed() {
        for (text, expected) in [
            ("{\"a|\": 1}", "Key a `a` quoted"),
            ("{\"a\": \"b|\"}", "Value a `b` quoted"),
            ("{\"a\": {\"b\": [\"c\", \"d|\n", "Value a.b `d` quoted"),
            ("{\"a\": {\"b\": 1}, |", "Key  ``"),
            ("{\"a\": {\"b\": 1}, \"c\": |}", "Value c ``"),
            ("{\"a\": {\"b\": 1}, c|", "Key c `c`"),
            ("{\"a\": [{\"x\": 1}, {\"y|\"", "Key a.y `y` quoted"),
            ("{ // \"a\": |\n}", "nothing"),
            ("{ // \"a\":\n \"b\": tr|ue}", "Value b `true`"),
            ("{\"a\\\"b\": \"ü|\"}", "Value a\\\"b `ü` quoted"),
            ("|{}", "nothing"),
            ("{\"a\": \"b\"|}", "Value a ``"),
        ] {
            assert_eq!(said("/r/x.json", text), expected, "{text}");
        }
    }
}
