//! Parses JSON with comments and trailing commas as npm's `jsonc-parser` (Microsoft) does with `allowTrailingComma`.
//!
//! Its scanner is neither lenient nor JSON: a comment also ends at a lone carriage return, only space, tab and the two
//! line ends are white space, and a control character in a string is an error. The crate of the same name cannot be
//! configured to do this, so the few rules are implemented here.

use std::collections::HashMap;

use super::{FormatError, Node, Value};

/// Maximum nesting depth. JavaScript's own stack ends at a few thousand, which stops the client as well.
const DEPTH_LIMIT: usize = 500;

/// Parses a whole file. Stops at the first error, as OpenCode does.
pub fn parse_jsonc(text: &str) -> Result<Node, FormatError> {
    parse(text, Dialect::Comments)
}

/// Parses a whole file without comments and trailing commas; the last of duplicate keys counts.
pub(super) fn parse_plain(text: &str) -> Result<Node, FormatError> {
    parse(text, Dialect::Plain)
}

fn parse(text: &str, dialect: Dialect) -> Result<Node, FormatError> {
    let mut parser = Parser { text, dialect, at: 0 };
    parser.skip()?;
    let node = parser.value(0)?;
    parser.skip()?;
    if parser.at < text.len() { Err(parser.problem("EndOfFileExpected")) } else { Ok(node) }
}

/// Extensions of JSON to accept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// Comments and trailing commas.
    Comments,
    /// None.
    Plain,
}

struct Parser<'a> {
    text: &'a str,
    dialect: Dialect,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Creates an error at the current position, with the library's name for it.
    fn problem(&self, name: &str) -> FormatError {
        let end = self.text[self.at..].chars().next().map_or(self.at, |c| self.at + c.len_utf8());
        FormatError { at: self.at..end, message: name.to_owned() }
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Result<(), FormatError> {
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with([' ', '\t', '\n', '\r']) {
                self.at += 1;
            } else if self.dialect == Dialect::Plain {
                return Ok(());
            } else if rest.starts_with("//") {
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else { return Err(self.problem("UnexpectedEndOfComment")) };
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, FormatError> {
        let start = self.at;
        if depth > DEPTH_LIMIT {
            return Err(self.problem("TooDeep"));
        }
        let value = match self.peek() {
            Some(b'{') => self.table(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Node { at: start..self.at, value })
    }

    fn word(&mut self) -> Result<Value, FormatError> {
        let rest = &self.text[self.at..];
        let ends = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '}' | ']' | '{' | '[' | '"' | ':' | ',' | '/');
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let value = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            "" => return Err(self.problem("ValueExpected")),
            _ => return Err(self.problem("InvalidSymbol")),
        };
        self.at += word.len();
        Ok(value)
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> Result<Value, FormatError> {
        let start = self.at;
        if self.eat(b'-') && !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.problem("InvalidSymbol"));
        }
        if !self.eat(b'0') {
            self.digits();
        }
        let mut whole = true;
        if self.eat(b'.') {
            whole = false;
            if !self.digits() {
                return Err(self.problem("UnexpectedEndOfNumber"));
            }
        }
        if self.eat(b'e') || self.eat(b'E') {
            whole = false;
            let _ = self.eat(b'+') || self.eat(b'-');
            if !self.digits() {
                return Err(self.problem("UnexpectedEndOfNumber"));
            }
        }
        let text = &self.text[start..self.at];
        match text.parse::<i64>() {
            Ok(number) if whole => Ok(Value::Integer(number)),
            _ => text.parse().map(Value::of_float).map_err(|_| self.problem("InvalidNumberFormat")),
        }
    }

    fn string(&mut self) -> Result<String, FormatError> {
        let mut units: Vec<u16> = Vec::new();
        self.at += 1;
        loop {
            let Some(c) = self.text[self.at..].chars().next() else {
                return Err(self.problem("UnexpectedEndOfString"));
            };
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(String::from_utf16_lossy(&units));
                }
                '\\' => units.push(self.escape()?),
                '\n' | '\r' => return Err(self.problem("UnexpectedEndOfString")),
                '\0'..='\u{1f}' => return Err(self.problem("InvalidCharacter")),
                c => {
                    self.at += c.len_utf8();
                    units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<u16, FormatError> {
        let bytes = self.text.as_bytes();
        let unit = match bytes.get(self.at + 1) {
            Some(b'"') => b'"',
            Some(b'\\') => b'\\',
            Some(b'/') => b'/',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                let hex = bytes.get(self.at + 2..self.at + 6).filter(|hex| hex.iter().all(u8::is_ascii_hexdigit));
                let unit =
                    hex.and_then(|hex| std::str::from_utf8(hex).ok()).and_then(|hex| u16::from_str_radix(hex, 16).ok());
                self.at += if unit.is_some() { 6 } else { 0 };
                return unit.ok_or_else(|| self.problem("InvalidUnicode"));
            }
            _ => return Err(self.problem("InvalidEscapeCharacter")),
        };
        self.at += 2;
        Ok(u16::from(unit))
    }

    fn list(&mut self, depth: usize) -> Result<Value, FormatError> {
        self.at += 1;
        let mut elements = Vec::new();
        loop {
            self.skip()?;
            if self.eat(b']') {
                return Ok(Value::List(elements));
            }
            if !elements.is_empty() {
                if !self.eat(b',') {
                    return Err(self.problem(if self.peek().is_some() {
                        "CommaExpected"
                    } else {
                        "CloseBracketExpected"
                    }));
                }
                self.skip()?;
                if self.dialect == Dialect::Comments && self.eat(b']') {
                    return Ok(Value::List(elements));
                }
            }
            elements.push(self.value(depth + 1)?);
        }
    }

    fn table(&mut self, depth: usize) -> Result<Value, FormatError> {
        self.at += 1;
        let mut entries: Vec<(String, Node)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        loop {
            self.skip()?;
            if self.eat(b'}') {
                return Ok(Value::Table(entries));
            }
            if !entries.is_empty() {
                if !self.eat(b',') {
                    return Err(self.problem(if self.peek().is_some() {
                        "CommaExpected"
                    } else {
                        "CloseBraceExpected"
                    }));
                }
                self.skip()?;
                if self.dialect == Dialect::Comments && self.eat(b'}') {
                    return Ok(Value::Table(entries));
                }
            }
            if self.peek() != Some(b'"') {
                return Err(self.problem("PropertyNameExpected"));
            }
            let key = self.string()?;
            self.skip()?;
            if !self.eat(b':') {
                return Err(self.problem("ColonExpected"));
            }
            self.skip()?;
            let node = self.value(depth + 1)?;
            let place = match self.dialect {
                Dialect::Comments => entries.len(),
                Dialect::Plain => *places.entry(key.clone()).or_insert(entries.len()),
            };
            match entries.get_mut(place) {
                Some((_, known)) => *known = node,
                None => entries.push((key, node)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_library_accepts_is_accepted_and_nothing_else() {
        for text in [
            "{}",
            "[1,]",
            "{\"a\": 1,}",
            "// c\r{\"a\": /* b */ -1.5e+3}",
            " null // end",
            "\"\\u00e4\\n\"",
            "[[],{}]",
            "{\"a\":0}",
        ] {
            assert!(parse_jsonc(text).is_ok(), "{text}");
        }
        for (text, problem) in [
            ("", "ValueExpected"),
            ("{'a': 1}", "PropertyNameExpected"),
            ("{a: 1}", "PropertyNameExpected"),
            ("[,]", "ValueExpected"),
            ("[1,,2]", "ValueExpected"),
            ("[1 2]", "CommaExpected"),
            ("{\"a\" 1}", "ColonExpected"),
            ("[01]", "CommaExpected"),
            ("[1.]", "UnexpectedEndOfNumber"),
            ("[-]", "InvalidSymbol"),
            ("[NaN]", "InvalidSymbol"),
            ("\"a\tb\"", "InvalidCharacter"),
            ("\"a\nb\"", "UnexpectedEndOfString"),
            ("\"\\q\"", "InvalidEscapeCharacter"),
            ("\"\\u00\"", "InvalidUnicode"),
            ("{} x", "EndOfFileExpected"),
            ("{} /*", "UnexpectedEndOfComment"),
            ("{", "PropertyNameExpected"),
            ("\u{feff}{}", "InvalidSymbol"),
            ("[\u{a0}1]", "InvalidSymbol"),
        ] {
            assert_eq!(parse_jsonc(text).map_err(|error| error.message), Err(problem.to_owned()), "{text}");
        }
        assert!(parse_jsonc(&"[".repeat(100_000)).is_err());
        for zero in ["-0", "-0.0", "-0e5"] {
            assert_eq!(parse_jsonc(zero).map(|node| node.value), Ok(Value::Integer(0)), "{zero}");
        }
    }

    #[test]
    fn plain_json_is_what_javascript_takes() {
        for text in [
            "1e999",
            "-1e999",
            "\"\\ud83d\"",
            "{\"a\": \"\\udead x\"}",
            &format!("{}{}", "[".repeat(200), "]".repeat(200)),
            "\"\u{2028}\u{7f}\"",
            " {\"a\": [1, {}]}\n",
        ] {
            assert!(parse_plain(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "[1,]",
            "{\"a\": 1,}",
            "// c\n1",
            "1 /* c */",
            "01",
            "1.",
            "NaN",
            "\u{a0}1",
            "\u{feff}{}",
            "\"a\tb\"",
            "[1] 2",
        ] {
            assert!(parse_plain(text).is_err(), "{text}");
        }
        let node = parse_plain("{\"b\": 1, \"a\": 2, \"b\": \"\\ud83d\"}").expect("valid");
        let entries = node.as_table().expect("a table");
        assert_eq!(entries.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(node.get("b").and_then(Node::as_text), Some("\u{fffd}"));
    }

    #[test]
    fn values_know_where_they_stand() {
        let text = "{\"a\": [1, \"ä\"]}";
        let node = parse_jsonc(text).expect("valid");
        let list = node.get("a").and_then(Node::as_list).expect("a list");
        assert_eq!(&text[list[1].at.clone()], "\"ä\"");
    }
}
