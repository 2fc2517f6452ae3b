//! Parses classes such as `[abc]`, and the POSIX names in them.

use std::collections::HashMap;

use super::super::is_special;
use super::*;

impl Parser {
    pub(super) fn in_class(&mut self, value: &str, opens: bool) {
        if value == ":" && self.posix() {
            return;
        }
        let next = self.peek(1);
        let needs =
            (value == "[" && next != Some(':')) || (value == "-" && next == Some(']')) || (value == "]" && opens);
        self.more(&format!("{}{value}", if needs { "\\" } else { "" }));
    }

    /// Handles `[:alpha:]` at its second colon.
    fn posix(&mut self) -> bool {
        let is_first =
            self.arena[START].output.as_ref().is_none_or(String::is_empty) && self.tokens.get(1) == Some(&self.prev);
        let prev = self.prev();
        let inner = prev.value.get(1..).unwrap_or_default();
        if !inner.contains('[') {
            return false;
        }
        prev.has_posix = true;
        let Some(at) = prev.value.rfind('[').filter(|_| prev.value[1..].contains(':')) else { return false };
        let Some(class) = prev.value.get(at + 2..).and_then(named) else { return false };
        prev.value.truncate(at);
        prev.value += class;
        self.anew = true;
        self.at += 1;
        if is_first {
            self.arena[START].output = Some(ONE_CHAR.to_owned());
        }
        true
    }

    pub(super) fn close_class(&mut self) {
        let is_empty = self.kind() == Type::Bracket && self.arena[self.prev].value.chars().count() == 1;
        if is_empty || self.brackets == 0 {
            return self.push(Token::new(Type::Text, "]").written("\\]"));
        }
        self.close(Open::Brackets);
        let prev = &self.arena[self.prev];
        let inner: String = prev.value.chars().skip(1).collect();
        // A negated class never matches a slash.
        let adds_slash = !prev.has_posix && inner.starts_with('^') && !inner.contains('/');
        self.more(if adds_slash { "/]" } else { "]" });
        if inner.contains(is_special) {
            return;
        }
        // `[abc]` may also be meant literally.
        let value = self.prev().value.clone();
        drop_end(&mut self.output, value.len());
        let both = format!("(?:{}|{value})", escaped(&value));
        self.output.push_str(&both);
        self.prev().value = both;
    }
}

/// Returns the class for a POSIX name.
fn named(name: &str) -> Option<&'static str> {
    let names = HashMap::from([
        ("alnum", "a-zA-Z0-9"),
        ("alpha", "a-zA-Z"),
        ("ascii", "\\x00-\\x7F"),
        ("blank", " \\t"),
        ("cntrl", "\\x00-\\x1F\\x7F"),
        ("digit", "0-9"),
        ("graph", "\\x21-\\x7E"),
        ("lower", "a-z"),
        ("print", "\\x20-\\x7E "),
        ("punct", "\\-!\"#$%&'()\\*+,./:;<=>?@[\\]^_`{|}~"),
        ("space", " \\t\\r\\n\\v\\f"),
        ("upper", "A-Z"),
        ("word", "A-Za-z0-9_"),
        ("xdigit", "A-Fa-f0-9"),
    ]);
    names.get(name).copied()
}
