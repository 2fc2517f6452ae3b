//! Parses groups: `{a,b}`, and a sign before `(`, as in `!(a|b)`.

use super::*;

impl Parser {
    pub(super) fn close_brace(&mut self, brace: &Brace) {
        let (mut value, mut output) = ("}", ")".to_owned());
        if brace.has_dots {
            let mut words = Vec::new();
            while let Some(token) = self.tokens.pop().map(|token| &self.arena[token]) {
                match token.kind {
                    Type::Brace => break,
                    Type::Dots => {}
                    _ => words.push(token.value.clone()),
                }
            }
            words.reverse();
            output = range(words);
            self.anew = true;
        } else if !brace.has_comma {
            let open = &mut self.arena[brace.token];
            *open = Token { value: "\\{".to_owned(), ..open.clone() }.written("\\{");
            (value, output) = ("\\}", "\\}".to_owned());
            cut(&mut self.output, brace.written);
            for token in self.tokens.get(brace.first..).unwrap_or_default() {
                self.output.push_str(self.arena[*token].loose_source());
            }
        }
        self.push(Token::new(Type::Brace, value).written(&output));
        self.close(Open::Braces);
    }

    pub(super) fn open_group(&mut self, sign: char, kind: Type) {
        let group = Group {
            sign,
            parens: self.parens,
            written: self.output.len(),
            start: self.at,
            token: self.arena.len(),
            first: self.tokens.len(),
            inner: String::new(),
            stands_first: self.output.is_empty(),
        };
        self.open(Open::Parens);
        // A separate type prevents merging with text before it.
        let kind = if kind == Type::Text { Type::At } else { kind };
        self.push(Token::new(kind, &sign.to_string()).written(if group.stands_first { ONE_CHAR } else { "" }));
        self.at += 1;
        self.push(Token::new(Type::Paren, "(").grouped().written(if sign == '!' { "(?:(?!(?:" } else { "(?:" }));
        self.groups.push(group);
    }

    pub(super) fn close_group(&mut self, group: Group) {
        let closed = Token::new(Type::Paren, ")").grouped();
        let literal: String = self.input[group.start..=self.at].iter().collect();
        let verdict = match group.sign {
            '+' | '*' => repeats::judge(&literal[2..literal.len() - 1]),
            _ => Verdict::Fine,
        };
        let instead = match verdict {
            Verdict::Fine => None,
            Verdict::Literal => Some(escaped(&literal)),
            Verdict::Instead(source) if group.stands_first => Some(ONE_CHAR.to_owned() + &source),
            Verdict::Instead(source) => Some(source),
        };
        if let Some(instead) = instead {
            let open = &mut self.arena[group.token];
            *open = Token { kind: Type::Text, value: literal, ..open.clone() }.written(&instead);
            for token in self.tokens.get(group.first + 1..).unwrap_or_default() {
                let token = &mut self.arena[*token];
                *token = Token { value: String::new(), ..token.clone() }.written("");
            }
            cut(&mut self.output, group.written);
            self.output.push_str(&instead);
            self.anew = true;
            self.push(closed.written(""));
            return self.close(Open::Parens);
        }
        let output = match group.sign {
            '?' => ")?".to_owned(),
            '+' => ")+".to_owned(),
            '*' => ")*".to_owned(),
            _ => self.end_of_not(&group),
        };
        self.push(closed.written(&output));
        self.close(Open::Parens);
    }

    /// Returns the output at the end of `!(…)`, which depends on the rest of the pattern.
    fn end_of_not(&self, group: &Group) -> String {
        let has_slash = group.inner.chars().count() > 1 && group.inner.contains('/');
        let star = if has_slash { GLOBSTAR } else { STAR };
        let rest = self.rest();
        if group.inner.contains('*')
            && let ['.', name @ ..] = rest
            && !name.is_empty()
            && !name.iter().any(|c| matches!(c, '\\' | '/' | '.'))
        {
            let (extension, _) = parse(&rest.iter().collect::<String>(), false);
            return format!("){extension}){star})");
        }
        if has_slash || rest.iter().all(|c| *c == ')') { format!(")$)){star}") } else { format!(")){star})") }
    }
}

/// Converts `{a..c}` to a class, or to text if the class is invalid.
fn range(mut words: Vec<String>) -> String {
    words.sort_by_cached_key(|word| utf16(word));
    let class = format!("[{}]", words.join("-"));
    if Regex::new(&utf16(&class), false).is_some() {
        return class;
    }
    words.iter().map(|word| escaped(word)).collect::<Vec<_>>().join("..")
}
