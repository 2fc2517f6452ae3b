//! Detects repeated groups, `+(…)` and `*(…)`, that could make an expression slow; the package treats them as text.

use super::escaped;

/// The treatment of a repeated group.
pub(super) enum Verdict {
    /// The group is repeated.
    Fine,
    /// The group is literal text.
    Literal,
    /// The group is replaced by this expression.
    Instead(String),
}

/// Judges a group by the text between its parentheses.
pub(super) fn judge(body: &str) -> Verdict {
    let branches: Vec<&str> = split(body).into_iter().map(crate::text::js_trim).collect();
    let is_wild = |branch: &&str| branch.chars().all(|c| c == '*' || c == '?');
    if branches.len() > 1 && (branches.iter().any(is_wild) || overlap(&branches)) {
        return Verdict::Literal;
    }
    let (mut signs, mut has_stars, mut only_signs) = (Vec::new(), false, true);
    for branch in branches {
        if let Some(found) = starred(branch) {
            has_stars = true;
            signs.extend(found);
        } else if let Some(sign) = simple(branch).and_then(|text| single(&text)) {
            signs.push(sign);
        } else {
            only_signs = false;
            if repeated(branch).is_some_and(|(_, _, rest)| rest.is_empty()) {
                return Verdict::Literal;
            }
        }
    }
    match (has_stars, only_signs) {
        (false, _) => Verdict::Fine,
        (true, false) => Verdict::Literal,
        (true, true) => {
            let mut set = Vec::new();
            for sign in signs {
                if !set.contains(&sign) {
                    set.push(sign);
                }
            }
            let inner: String = set.iter().map(|sign| escaped(&sign.to_string())).collect();
            Verdict::Instead(if set.len() == 1 { format!("{inner}*") } else { format!("[{inner}]*") })
        }
    }
}

/// Splits at bars outside of brackets, parentheses and quotation marks.
fn split(body: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    let mut depth = Depth::default();
    for (at, c) in body.char_indices() {
        if depth.is_outside(c) && c == '|' {
            parts.push(&body[from..at]);
            from = at + 1;
        }
    }
    parts.push(&body[from..]);
    parts
}

/// Nesting depth of brackets, parentheses and quotation marks.
#[derive(Default)]
struct Depth {
    escaped: bool,
    quoted: bool,
    brackets: usize,
    parens: usize,
}

impl Depth {
    /// Consumes one character. Returns true if it is outside of all of these.
    fn is_outside(&mut self, c: char) -> bool {
        if std::mem::take(&mut self.escaped) {
            return false;
        }
        match c {
            '\\' => self.escaped = true,
            '"' => self.quoted = !self.quoted,
            _ if self.quoted => {}
            '[' => self.brackets += 1,
            ']' => self.brackets = self.brackets.saturating_sub(1),
            _ if self.brackets > 0 => {}
            '(' => self.parens += 1,
            ')' => self.parens = self.parens.saturating_sub(1),
            _ => return self.parens == 0,
        }
        false
    }
}

/// Returns true if two branches repeat the same character.
fn overlap(branches: &[&str]) -> bool {
    let texts = branches.iter().filter_map(|branch| simple(branch)).filter(|text| !text.is_empty());
    let mut seen = Vec::new();
    for text in texts {
        let first = text.chars().next();
        if text.chars().all(|c| Some(c) == first) {
            if seen.contains(&first) {
                return true;
            }
            seen.push(first);
        }
    }
    false
}

/// Returns a branch without its backslashes; `None` if it has wildcards.
fn simple(branch: &str) -> Option<String> {
    let mut text = crate::text::js_trim(branch);
    while let Some(inner) = text.strip_prefix("@(").and_then(|text| text.strip_suffix(')'))
        && !inner.is_empty()
        && !inner.contains(['\\', '(', ')', '[', ']', '{', '}', '|'])
    {
        text = inner;
    }
    let (mut out, mut signs) = (String::new(), text.chars());
    while let Some(c) = signs.next() {
        match c {
            '\\' => out.push(signs.next().unwrap_or('\\')),
            '?' | '*' | '+' | '@' | '!' | '(' | ')' | '[' | ']' | '{' | '}' => return None,
            _ => out.push(c),
        }
    }
    Some(out)
}

/// Returns the only character of a text if it is a single UTF-16 unit.
fn single(text: &str) -> Option<char> {
    let mut signs = text.chars();
    signs.next().filter(|c| signs.next().is_none() && c.len_utf16() == 1)
}

/// Returns the characters of a sequence such as `*(a)*(b)`.
fn starred(text: &str) -> Option<Vec<char>> {
    let (mut signs, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let ('*', body, behind) = repeated(rest)? else { return None };
        let [branch] = split(body)[..] else { return None };
        signs.push(simple(branch).and_then(|text| single(&text))?);
        rest = behind;
    }
    (!signs.is_empty()).then_some(signs)
}

/// Parses `+(…)` or `*(…)` at the start: its sign, its content, and the text after it.
fn repeated(text: &str) -> Option<(char, &str, &str)> {
    let sign = text.chars().next().filter(|c| matches!(c, '+' | '*'))?;
    let group = text[1..].strip_prefix('(')?;
    let mut depth = Depth { parens: 1, ..Depth::default() };
    for (at, c) in group.char_indices() {
        depth.is_outside(c);
        if depth.parens == 0 {
            return Some((sign, &group[..at], &group[at + 1..]));
        }
    }
    None
}
