//! The full parser: character by character, with the tokens that the package keeps to rewrite the expression if
//! necessary.

mod classes;
mod groups;

use super::repeats::{self, Verdict};
use super::{GLOBSTAR, NO_DOTS_SLASH, ONE_CHAR, STAR, escaped, fast, replaced};
use crate::glob::regex::Regex;
use crate::glob::units::utf16;

/// Returns the expression without anchors, and true if it is what must not match.
pub(super) fn parse(pattern: &str, shortcuts: bool) -> (String, bool) {
    let pattern = replaced(pattern);
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    if let Some(output) = fast::plain(pattern).filter(|_| shortcuts) {
        return (output, false);
    }
    let mut parser = Parser::new(pattern);
    while parser.at < parser.input.len() {
        parser.consume();
        parser.at += 1;
    }
    parser.end()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Start,
    Text,
    Slash,
    Dot,
    Dots,
    Question,
    Plus,
    At,
    Star,
    Globstar,
    Paren,
    Bracket,
    Brace,
    Comma,
}

#[derive(Clone, Debug)]
struct Token {
    kind: Type,
    value: String,
    /// Output for the token, if it differs from its value.
    output: Option<String>,
    /// True for a part of a group such as `!(…)`.
    in_group: bool,
    many_stars: bool,
    has_posix: bool,
    before: usize,
}

impl Token {
    fn new(kind: Type, value: &str) -> Token {
        let value = value.to_owned();
        Token { kind, value, output: None, in_group: false, many_stars: false, has_posix: false, before: START }
    }

    fn written(self, output: &str) -> Token {
        Token { output: Some(output.to_owned()), ..self }
    }

    fn grouped(self) -> Token {
        Token { in_group: true, ..self }
    }

    fn source(&self) -> &str {
        self.output.as_deref().unwrap_or(&self.value)
    }

    /// Returns the source; an empty output counts as none.
    fn loose_source(&self) -> &str {
        self.output.as_deref().filter(|output| !output.is_empty()).unwrap_or(&self.value)
    }
}

/// An open group `!(…)`, `?(…)`, `+(…)` or `*(…)`.
struct Group {
    sign: char,
    parens: i32,
    /// Length of the output before the group.
    written: usize,
    start: usize,
    token: usize,
    first: usize,
    inner: String,
    stands_first: bool,
}

/// An open brace.
struct Brace {
    token: usize,
    written: usize,
    first: usize,
    has_comma: bool,
    has_dots: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Parens,
    Brackets,
    Braces,
}

/// Index of the token before all others.
const START: usize = 0;

struct Parser {
    input: Vec<char>,
    at: usize,
    start: usize,
    output: String,
    negated: bool,
    /// True if the whole expression is rewritten at the end.
    anew: bool,
    quoted: bool,
    brackets: i32,
    parens: i32,
    braces_open: i32,
    /// All tokens ever created (`arena`), and those that count (`tokens`).
    arena: Vec<Token>,
    tokens: Vec<usize>,
    prev: usize,
    groups: Vec<Group>,
    braces: Vec<Brace>,
    stack: Vec<Open>,
}

impl Parser {
    fn new(pattern: &str) -> Parser {
        Parser {
            input: pattern.chars().collect(),
            at: 0,
            start: 0,
            output: String::new(),
            negated: false,
            anew: false,
            quoted: false,
            brackets: 0,
            parens: 0,
            braces_open: 0,
            arena: vec![Token::new(Type::Start, "").written("")],
            tokens: vec![START],
            prev: START,
            groups: Vec::new(),
            braces: Vec::new(),
            stack: Vec::new(),
        }
    }

    fn peek(&self, n: usize) -> Option<char> {
        self.input.get(self.at + n).copied()
    }

    fn rest(&self) -> &[char] {
        self.input.get(self.at + 1..).unwrap_or_default()
    }

    fn is_last(&self) -> bool {
        self.at + 1 >= self.input.len()
    }

    fn prev(&mut self) -> &mut Token {
        &mut self.arena[self.prev]
    }

    fn kind(&self) -> Type {
        self.arena[self.prev].kind
    }

    fn prev_is(&self, value: &str) -> bool {
        self.arena[self.prev].value == value
    }

    fn open(&mut self, what: Open) {
        *self.count(what) += 1;
        self.stack.push(what);
    }

    fn close(&mut self, what: Open) {
        *self.count(what) -= 1;
        self.stack.pop();
    }

    fn count(&mut self, what: Open) -> &mut i32 {
        match what {
            Open::Parens => &mut self.parens,
            Open::Brackets => &mut self.brackets,
            Open::Braces => &mut self.braces_open,
        }
    }

    fn push(&mut self, token: Token) {
        if self.kind() == Type::Globstar {
            let in_brace = self.braces_open > 0 && matches!(token.kind, Type::Comma | Type::Brace);
            if !matches!(token.kind, Type::Slash | Type::Paren) && !in_brace && !token.in_group {
                // Two stars that do not form a whole segment are one.
                let len = self.prev().source().len();
                drop_end(&mut self.output, len);
                *self.prev() = Token { kind: Type::Star, value: "*".to_owned(), ..self.prev().clone() }.written(STAR);
                self.output.push_str(STAR);
            }
        }
        if token.kind != Type::Paren
            && let Some(group) = self.groups.last_mut()
        {
            group.inner.push_str(&token.value);
        }
        self.output.push_str(token.source());
        if self.kind() == Type::Text && token.kind == Type::Text {
            // The output for the second one is lost if the whole expression is rewritten.
            let prev = self.prev();
            prev.output = Some(prev.loose_source().to_owned() + &token.value);
            prev.value += &token.value;
            return;
        }
        self.arena.push(Token { before: self.prev, ..token });
        self.prev = self.arena.len() - 1;
        self.tokens.push(self.prev);
    }

    fn text(&mut self, value: &str) {
        self.push(Token::new(Type::Text, value));
    }

    /// Appends to the last token.
    fn more(&mut self, value: &str) {
        self.prev().value += value;
        self.output.push_str(value);
    }

    /// Consumes one character, or several that belong together.
    fn consume(&mut self) {
        let c = self.input[self.at];
        let mut value = c.to_string();
        if c == '\0' || (c == '\\' && self.escape(&mut value)) {
            return;
        }
        let opens_class = self.prev_is("[") || self.prev_is("[^");
        if self.brackets > 0 && (value != "]" || opens_class) {
            return self.in_class(&value, opens_class);
        }
        match c {
            '"' => self.quoted = !self.quoted,
            _ if self.quoted => self.more(&escaped(&value)),
            '(' | ')' | '[' | ']' | '{' | '}' => self.bracket(c),
            '|' | ',' | '/' | '.' => self.separator(c),
            '?' | '!' | '+' | '@' | '*' => self.wildcard(c),
            _ => self.run(c),
        }
    }

    /// Consumes a backslash and the character that it escapes. Returns true if they are complete or have no output.
    fn escape(&mut self, value: &mut String) -> bool {
        match self.peek(1) {
            Some('/' | '.' | ';') => return true,
            None => {
                self.text("\\\\");
                return true;
            }
            Some(_) => {}
        }
        let run = self.rest().iter().take_while(|c| **c == '\\').count();
        if run > 2 {
            self.at += run;
            if run % 2 != 0 {
                value.push('\\');
            }
        }
        if let Some(next) = self.peek(1) {
            self.at += 1;
            value.push(next);
        }
        if self.brackets == 0 {
            self.text(value);
        }
        self.brackets == 0
    }

    fn bracket(&mut self, c: char) {
        match c {
            '(' => {
                self.open(Open::Parens);
                self.push(Token::new(Type::Paren, "("));
            }
            ')' => match self.groups.pop_if(|group| group.parens + 1 == self.parens) {
                Some(group) => self.close_group(group),
                None => {
                    let output = if self.parens == 0 { "\\)" } else { ")" };
                    self.push(Token::new(Type::Paren, ")").written(output));
                    self.close(Open::Parens);
                }
            },
            '[' => {
                let ends = self.rest().contains(&']');
                if ends {
                    self.open(Open::Brackets);
                }
                self.push(Token::new(Type::Bracket, if ends { "[" } else { "\\[" }));
            }
            ']' => self.close_class(),
            '{' => {
                self.open(Open::Braces);
                let (written, first) = (self.output.len(), self.tokens.len());
                self.push(Token::new(Type::Brace, "{").written("("));
                self.braces.push(Brace { token: self.prev, written, first, has_comma: false, has_dots: false });
            }
            _ => match self.braces.pop() {
                Some(brace) => self.close_brace(&brace),
                None => self.push(Token::new(Type::Text, "}").written("}")),
            },
        }
    }

    fn separator(&mut self, c: char) {
        match c {
            '|' => self.text("|"),
            ',' => {
                let in_brace = self.stack.last() == Some(&Open::Braces);
                let brace = self.braces.last_mut().filter(|_| in_brace);
                let output = if brace.is_some() { "|" } else { "," };
                if let Some(brace) = brace {
                    brace.has_comma = true;
                }
                self.push(Token::new(Type::Comma, ",").written(output));
            }
            '/' if self.kind() == Type::Dot && self.at == self.start + 1 => {
                self.start = self.at + 1;
                self.output.clear();
                self.tokens.pop();
                self.prev = START;
            }
            '/' => self.push(Token::new(Type::Slash, "/").written("\\/")),
            _ => self.dot(),
        }
    }

    fn wildcard(&mut self, c: char) {
        match c {
            '?' => self.question(),
            '!' if self.peek(1) == Some('(') && !(self.peek(2) == Some('?') && self.peek(3).is_some_and(is_look)) => {
                self.open_group('!', Type::Text);
            }
            '!' if self.at == 0 => self.negate(),
            '!' => self.run('!'),
            '+' if self.opens_group() => self.open_group('+', Type::Plus),
            '+' if self.prev_is("(") => self.push(Token::new(Type::Plus, "+").written("\\+")),
            '+' => {
                let repeats = matches!(self.kind(), Type::Bracket | Type::Paren | Type::Brace) || self.parens > 0;
                self.push(Token::new(Type::Plus, if repeats { "+" } else { "\\+" }));
            }
            '@' if self.opens_group() => self.push(Token::new(Type::At, "@").grouped().written("")),
            '@' => self.text("@"),
            _ => self.star(),
        }
    }

    /// Consumes a literal character and all literal characters after it.
    fn run(&mut self, c: char) {
        let plain: String = self.rest().iter().take_while(|c| !"@![].,$*+?^{}()|\\/".contains(**c)).collect();
        self.at += plain.chars().count();
        let escape = if matches!(c, '$' | '^') { "\\" } else { "" };
        self.text(&format!("{escape}{c}{plain}"));
    }

    /// Returns true if `(` follows, but not `(?`.
    fn opens_group(&self) -> bool {
        self.peek(1) == Some('(') && self.peek(2) != Some('?')
    }

    /// Consumes all leading `!`.
    fn negate(&mut self) {
        let mut count = 1;
        while self.peek(1) == Some('!') && (self.peek(2) != Some('(') || self.peek(3) == Some('?')) {
            self.at += 1;
            self.start += 1;
            count += 1;
        }
        if count % 2 == 1 {
            self.negated = true;
            self.start += 1;
        }
    }

    fn dot(&mut self) {
        if self.braces_open > 0 && self.kind() == Type::Dot {
            let prev = self.prev();
            let output = prev.output.take().unwrap_or_default() + ".";
            *prev = Token { kind: Type::Dots, value: prev.value.clone() + ".", output: Some(output), ..prev.clone() };
            if let Some(brace) = self.braces.last_mut() {
                brace.has_dots = true;
            }
            return;
        }
        let is_text = self.braces_open + self.parens == 0 && !matches!(self.kind(), Type::Start | Type::Slash);
        self.push(Token::new(if is_text { Type::Text } else { Type::Dot }, ".").written("\\."));
    }

    fn question(&mut self) {
        if !self.prev_is("(") && self.opens_group() {
            return self.open_group('?', Type::Question);
        }
        if self.kind() != Type::Paren {
            return self.push(Token::new(Type::Question, "?").written(super::QMARK));
        }
        let next = self.peek(1);
        let is_literal =
            (self.prev_is("(") && !next.is_some_and(is_look)) || (next == Some('<') && !self.looks_behind());
        self.push(Token::new(Type::Text, "?").written(if is_literal { "\\?" } else { "?" }));
    }

    /// Returns true if the remaining pattern contains `<=`, `<!` or `<name>`.
    fn looks_behind(&self) -> bool {
        let rest = self.rest();
        (0..rest.len()).filter(|at| rest[*at] == '<').any(|at| {
            let word = rest[at + 1..].iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').count();
            let behind = rest.get(at + 1 + word);
            if word == 0 { matches!(behind, Some('=' | '!')) } else { behind == Some(&'>') }
        })
    }

    fn star(&mut self) {
        if self.kind() == Type::Globstar || self.arena[self.prev].many_stars {
            let prev = self.prev();
            prev.value.push('*');
            *prev = Token { kind: Type::Star, many_stars: true, ..prev.clone() }.written(STAR);
            self.anew = true;
            return;
        }
        if self.peek(1) == Some('(') && self.peek(2).is_some_and(|c| c != '?') {
            return self.open_group('*', Type::Star);
        }
        if self.kind() == Type::Star {
            return self.second_star();
        }
        if self.at == self.start || matches!(self.kind(), Type::Slash | Type::Dot) {
            let mut guard = match self.kind() {
                Type::Dot => "(?!\\.{0,1}(?:\\/|$))".to_owned(),
                _ => NO_DOTS_SLASH.to_owned(),
            };
            if self.peek(1) != Some('*') {
                guard.push_str(ONE_CHAR);
            }
            self.output.push_str(&guard);
            self.prev().output.get_or_insert_default().push_str(&guard);
        }
        self.push(Token::new(Type::Star, "*").written(STAR));
    }

    /// Handles the second of two stars: any directories if they form a whole segment.
    fn second_star(&mut self) {
        let prior = self.arena[self.prev].before;
        let (prior_kind, before) = (self.arena[prior].kind, self.arena[prior].before);
        let before_kind = self.arena[before].kind;
        let starts = matches!(prior_kind, Type::Slash | Type::Start);
        let in_brace = self.braces_open > 0 && matches!(prior_kind, Type::Comma | Type::Brace);
        if !starts && prior_kind != Type::Paren && !in_brace {
            return self.push(Token::new(Type::Star, "*").written(""));
        }
        while self.rest().starts_with(&['/', '*', '*']) && matches!(self.peek(4), None | Some('/')) {
            self.at += 3;
        }
        let ends = self.is_last();
        let slash_follows = self.peek(1) == Some('/');
        let inside = prior_kind == Type::Slash && before_kind != Type::Start;
        let after_star = prior != START && matches!(before_kind, Type::Star | Type::Globstar);
        let written = self.arena[self.prev].source().len();
        let both = written + self.arena[prior].source().len();
        let (output, takes_slash) = if inside && ((ends && !after_star) || slash_follows) {
            drop_end(&mut self.output, both);
            let opened = format!("(?:{}", self.arena[prior].source());
            self.output.push_str(&opened);
            self.arena[prior].output = Some(opened);
            if ends {
                (format!("{GLOBSTAR}|$)"), false)
            } else {
                let end = if self.peek(2).is_some() { "|$" } else { "" };
                (format!("{GLOBSTAR}\\/|\\/{end})"), true)
            }
        } else if prior_kind == Type::Start && ends {
            self.output.clear();
            (GLOBSTAR.to_owned(), false)
        } else if prior_kind == Type::Start && slash_follows {
            self.output.clear();
            (format!("(?:^|\\/|{GLOBSTAR}\\/)"), true)
        } else {
            drop_end(&mut self.output, written);
            (GLOBSTAR.to_owned(), false)
        };
        self.output.push_str(&output);
        let prev = self.prev();
        prev.value.push('*');
        *prev = Token { kind: Type::Globstar, ..prev.clone() }.written(&output);
        if takes_slash {
            self.at += 1;
            self.push(Token::new(Type::Slash, "/").written(""));
        }
    }

    fn end(mut self) -> (String, bool) {
        for (count, sign) in [(self.brackets, '['), (self.parens, '('), (self.braces_open, '{')] {
            for _ in 0..count {
                escape_last(&mut self.output, sign);
            }
        }
        if matches!(self.kind(), Type::Star | Type::Bracket) {
            self.push(Token::new(Type::Slash, "").written("\\/?"));
        }
        if self.anew {
            self.output = self.tokens.iter().map(|token| self.arena[*token].source()).collect();
        }
        (self.output, self.negated)
    }
}

/// Returns true for a character that makes `(?` a special group.
fn is_look(c: char) -> bool {
    matches!(c, '!' | '=' | '<' | ':')
}

/// Removes `bytes` bytes from the end. Zero removes everything, as in JavaScript's `slice(0, -0)`.
fn drop_end(text: &mut String, bytes: usize) {
    cut(text, if bytes == 0 { 0 } else { text.len().saturating_sub(bytes) });
}

/// Shortens the text to a length, or to the character boundary before it.
fn cut(text: &mut String, len: usize) {
    text.truncate(text.floor_char_boundary(len));
}

/// Escapes the last occurrence of a character that is not escaped.
fn escape_last(text: &mut String, sign: char) {
    let found = text.rmatch_indices(sign).map(|(at, _)| at).find(|at| !text[..*at].ends_with('\\'));
    if let Some(at) = found {
        text.insert(at, '\\');
    }
}
