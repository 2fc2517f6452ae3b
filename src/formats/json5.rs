//! Parses JSON5, and thereby JSON, into a [`Node`] with spans.
//!
//! Written here because some JSON5 crates keep no positions and others follow nesting as deep as a broken file
//! requires; jsonc-parser, which keeps positions and limits nesting, reads JSON with comments but not JSON5.

use super::{FormatError, Node, Value};

/// Maximum nesting depth; settings have a handful of levels.
const DEPTH_LIMIT: usize = 256;

/// Parses a JSON5 text.
pub fn parse_json5(text: &str) -> Result<Node, FormatError> {
    let mut parser = Parser { text, at: 0 };
    let node = parser.value(0)?;
    parser.space()?;
    match parser.peek() {
        None => Ok(node),
        Some(c) => Err(parser.unexpected(c)),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

type Parsed<T> = Result<T, FormatError>;

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.text[self.at..].starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn next(&mut self) -> Parsed<char> {
        let Some(c) = self.peek() else { return Err(self.error(self.at, "the text ends too early")) };
        self.at += c.len_utf8();
        Ok(c)
    }

    fn error(&self, at: usize, message: impl Into<String>) -> FormatError {
        FormatError { at: at..self.at.max(at), message: message.into() }
    }

    fn unexpected(&self, c: char) -> FormatError {
        self.error(self.at, format!("unexpected {c:?}"))
    }

    /// Skips white space and comments.
    fn space(&mut self) -> Parsed<()> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches(|c: char| crate::text::is_js_space(c));
            self.at += rest.len() - trimmed.len();
            let length = if trimmed.starts_with("//") {
                trimmed.find(['\n', '\r', '\u{2028}', '\u{2029}']).unwrap_or(trimmed.len())
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else {
                    return Err(self.error(self.at, "a comment that does not end"));
                };
                end + 4
            } else {
                return Ok(());
            };
            self.at += length;
        }
    }

    fn value(&mut self, depth: usize) -> Parsed<Node> {
        self.space()?;
        let start = self.at;
        let value = match self.peek() {
            None => return Err(self.error(start, "the text ends where a value should be")),
            Some('{' | '[') if depth == DEPTH_LIMIT => {
                return Err(self.error(start, format!("more than {DEPTH_LIMIT} levels of nesting")));
            }
            Some('{') => self.table(depth)?,
            Some('[') => self.list(depth)?,
            Some('"' | '\'') => Value::Text(self.string()?),
            Some(c) if c.is_ascii_digit() || matches!(c, '+' | '-' | '.') => self.number()?,
            Some(c) if is_name_start(c) => match self.name()?.as_str() {
                "null" => Value::Null,
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                "Infinity" => Value::Float(f64::INFINITY),
                "NaN" => Value::Float(f64::NAN),
                other => {
                    let message = format!("unexpected word `{other}`");
                    return Err(self.error(start, message));
                }
            },
            Some(c) => return Err(self.unexpected(c)),
        };
        Ok(Node { at: start..self.at, value })
    }

    fn table(&mut self, depth: usize) -> Parsed<Value> {
        self.next()?;
        let mut entries = Vec::new();
        loop {
            self.space()?;
            let key = match self.peek() {
                Some('}') => break,
                Some('"' | '\'') => self.string()?,
                Some(c) if is_name_start(c) || c == '\\' => self.name()?,
                Some(c) => return Err(self.unexpected(c)),
                None => return Err(self.error(self.at, "the text ends inside an object")),
            };
            self.space()?;
            if !self.take(":") {
                return Err(self.error(self.at, "expected `:` after the key"));
            }
            entries.push((key, self.value(depth + 1)?));
            if !self.comma('}')? {
                break;
            }
        }
        self.next()?;
        Ok(Value::Table(entries))
    }

    fn list(&mut self, depth: usize) -> Parsed<Value> {
        self.next()?;
        let mut items = Vec::new();
        loop {
            self.space()?;
            if self.peek() == Some(']') {
                break;
            }
            items.push(self.value(depth + 1)?);
            if !self.comma(']')? {
                break;
            }
        }
        self.next()?;
        Ok(Value::List(items))
    }

    /// Returns true if a comma follows, after which there may be more; otherwise `end` must follow.
    fn comma(&mut self, end: char) -> Parsed<bool> {
        self.space()?;
        if self.take(",") {
            return Ok(true);
        }
        match self.peek() {
            Some(c) if c == end => Ok(false),
            Some(_) => Err(self.error(self.at, format!("expected `,` or `{end}`"))),
            None => Err(self.error(self.at, format!("the text ends where `,` or `{end}` should be"))),
        }
    }

    fn string(&mut self) -> Parsed<String> {
        let start = self.at;
        let quote = self.next()?;
        let mut units: Vec<u16> = Vec::new();
        let mut buffer = [0; 2];
        loop {
            match self.next()? {
                c if c == quote => return Ok(String::from_utf16_lossy(&units)),
                '\n' | '\r' => return Err(self.error(start, "a string that does not end on its line")),
                '\\' => self.escape(&mut units)?,
                c => units.extend_from_slice(c.encode_utf16(&mut buffer)),
            }
        }
    }

    fn escape(&mut self, units: &mut Vec<u16>) -> Parsed<()> {
        let start = self.at - 1;
        let plain = match self.next()? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => '\0',
            'x' => return self.hex(2, units),
            'u' => return self.hex(4, units),
            '\r' => {
                self.take("\n");
                return Ok(());
            }
            '\n' | '\u{2028}' | '\u{2029}' => return Ok(()),
            c if c.is_ascii_digit() => return Err(self.error(start, "no such escape")),
            c => c,
        };
        units.extend_from_slice(plain.encode_utf16(&mut [0; 2]));
        Ok(())
    }

    fn hex(&mut self, digits: usize, units: &mut Vec<u16>) -> Parsed<()> {
        let mut unit = 0;
        for _ in 0..digits {
            let at = self.at;
            let Some(digit) = self.next()?.to_digit(16) else {
                return Err(self.error(at, "expected a hexadecimal digit"));
            };
            unit = unit << 4 | digit as u16;
        }
        units.push(unit);
        Ok(())
    }

    fn number(&mut self) -> Parsed<Value> {
        let start = self.at;
        let negative = self.peek() == Some('-');
        if negative || self.peek() == Some('+') {
            self.at += 1;
        }
        let sign = if negative { -1.0 } else { 1.0 };
        for (word, value) in [("Infinity", f64::INFINITY), ("NaN", f64::NAN)] {
            if self.take(word) {
                return Ok(Value::Float(sign * value));
            }
        }
        if self.take("0x") || self.take("0X") {
            let mut value = 0.0;
            let first = self.at;
            while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) {
                value = value * 16.0 + f64::from(digit);
                self.at += 1;
            }
            if self.at == first {
                return Err(self.error(start, "expected a hexadecimal digit"));
            }
            return self.ended(start, number(sign * value));
        }
        let digits_from = self.at;
        let whole = self.digits();
        if whole > 1 && self.text[digits_from..].starts_with('0') {
            return Err(self.error(start, "a number must not begin with a zero"));
        }
        let fraction = if self.take(".") { self.digits() } else { 0 };
        if whole + fraction == 0 {
            return Err(self.error(start, "expected a digit"));
        }
        if self.take("e") || self.take("E") {
            if !self.take("-") {
                self.take("+");
            }
            if self.digits() == 0 {
                return Err(self.error(start, "expected a digit of the exponent"));
            }
        }
        let Ok(value) = self.text[digits_from..self.at].parse::<f64>() else {
            return Err(self.error(start, "not a number"));
        };
        self.ended(start, number(sign * value))
    }

    fn digits(&mut self) -> usize {
        let count = self.text[self.at..].bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        count
    }

    fn ended(&self, start: usize, value: Value) -> Parsed<Value> {
        match self.peek() {
            Some(c) if is_name_start(c) || c.is_ascii_digit() => Err(self.error(start, "not a number")),
            _ => Ok(value),
        }
    }

    fn name(&mut self) -> Parsed<String> {
        let start = self.at;
        let mut name = String::new();
        while let Some(c) = self.peek() {
            if c == '\\' {
                self.at += 1;
                if !self.take("u") {
                    return Err(self.error(start, "no such escape in a name"));
                }
                let mut unit = Vec::new();
                self.hex(4, &mut unit)?;
                name.push_str(&String::from_utf16_lossy(&unit));
            } else if is_name_start(c) || c.is_alphanumeric() || matches!(c, '\u{200c}' | '\u{200d}') {
                self.at += c.len_utf8();
                name.push(c);
            } else {
                break;
            }
        }
        Ok(name)
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '$' | '_')
}

/// Returns an integer for a whole number, however it is written: `1e2` is 100 in JavaScript.
fn number(value: f64) -> Value {
    const SAFE: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < SAFE { Value::Integer(value as i64) } else { Value::Float(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json5_is_more_than_json() {
        let text = "// c\n{ a: 'x\\\n\\u00e9', \"b\": [1, .5, 0x10, 1e2, 5.,], /**/ $c: null, d: -Infinity, }";
        let node = parse_json5(text).expect("JSON5");
        assert_eq!(node.get("a").and_then(Node::as_text), Some("xé"));
        let list = node.get("b").and_then(Node::as_list).expect("a list");
        let values: Vec<_> = list.iter().map(|item| item.value.clone()).collect();
        let expected =
            [Value::Integer(1), Value::Float(0.5), Value::Integer(16), Value::Integer(100), Value::Integer(5)];
        assert_eq!(values, expected);
        assert_eq!(&text[list[2].at.clone()], "0x10");
        assert_eq!(node.get("$c").map(|null| null.value.clone()), Some(Value::Null));
    }

    #[test]
    fn broken_text_says_where() {
        for text in
            ["", "{", "{ a: }", "{} x", "[1 2]", "{ a: 'x }", "[,]", "{ 1: 2 }", "01", "1a", "/*", "'\\1'", "nul", "+"]
        {
            assert!(parse_json5(text).is_err(), "{text:?}");
        }
        let error = parse_json5("{\n  a: @ }").expect_err("broken");
        assert_eq!((error.at.start, error.message.as_str()), (7, "unexpected '@'"));
    }

    #[test]
    fn deep_nesting_is_an_answer() {
        let error = parse_json5(&"[".repeat(100_000)).expect_err("too deep");
        assert!(error.message.contains("nesting"), "{}", error.message);
    }
}
