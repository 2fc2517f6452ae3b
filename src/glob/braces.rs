//! Expands braces as npm's `brace-expansion` does: `{b,a}` in that order, `{1..3}`, nested, with Bash's quirks.

/// Maximum number of expansions of one pattern (`braceExpandMax` of glob 13).
const EXPANSION_LIMIT: usize = 10_000;
/// Maximum size of intermediate results, in bytes. The original has no such limit and may run out of memory.
const LENGTH_LIMIT: usize = 500_000;
/// Maximum recursion depth. JavaScript's own stack ends somewhere above.
const DEPTH_LIMIT: usize = 500;

// Stand-ins for escaped characters during expansion: noncharacters, which no pattern needs.
const SLASH: char = '\u{fdd0}';
const OPEN: char = '\u{fdd1}';
const CLOSE: char = '\u{fdd2}';
const COMMA: char = '\u{fdd3}';
const PERIOD: char = '\u{fdd4}';
const ESCAPES: [(&str, char, &str); 4] =
    [("\\\\", SLASH, "\\"), ("\\{", OPEN, "{"), ("\\}", CLOSE, "}"), ("\\,", COMMA, ",")];

/// Returns every distinct pattern that `pattern` expands to, in order; `None` if a limit is exceeded.
pub(super) fn expand(pattern: &str) -> Option<Vec<String>> {
    if !has_set(pattern) {
        return Some(vec![pattern.to_owned()]);
    }
    let protected = match pattern.strip_prefix("{}") {
        // Bash keeps a leading {} as it is.
        Some(rest) => format!("\\{{\\}}{rest}"),
        None => pattern.to_owned(),
    };
    let escaped = ESCAPES.iter().fold(protected, |text, (from, to, _)| text.replace(from, to.encode_utf8(&mut [0; 4])));
    let escaped = with_periods(&escaped);
    let mut seen = std::collections::HashSet::new();
    let expanded = level(&escaped, true, 0)?
        .into_iter()
        .map(|text| ESCAPES.iter().fold(text, |text, (_, from, to)| text.replace(*from, to)).replace(PERIOD, "."));
    Some(expanded.filter(|text| seen.insert(text.clone())).collect())
}

/// Replaces escaped periods. The original's expression `/\\./g` matches a backslash with any character.
fn with_periods(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escapes = c == '\\' && chars.peek().is_some_and(|next| !is_line_end(*next));
        out.push(if escapes { PERIOD } else { c });
        if escapes {
            chars.next();
        }
    }
    out
}

/// Implements `/\{(?:(?!\{).)*\}/`: an opening brace and a closing one without another opening one or a line end
/// between.
fn has_set(pattern: &str) -> bool {
    pattern.split('{').skip(1).any(|after| after.split(is_line_end).next().is_some_and(|line| line.contains('}')))
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

fn level(text: &str, top: bool, depth: usize) -> Option<Vec<String>> {
    if depth > DEPTH_LIMIT {
        return None;
    }
    let Some((open, close)) = balanced(text) else { return Some(vec![text.to_owned()]) };
    let (before, body, after) = (&text[..open], &text[open + 1..close], &text[close + 1..]);
    let mut out = Vec::new();
    let tails = |depth| if after.is_empty() { Some(vec![String::new()]) } else { level(after, false, depth) };
    if before.ends_with('$') {
        return Some(tails(depth + 1)?.into_iter().map(|tail| format!("{before}{{{body}}}{tail}")).collect());
    }
    let sequence = Sequence::parse(body);
    if sequence.is_none() && !body.contains(',') {
        if later_set(after) {
            return level(&format!("{before}{{{body}{CLOSE}{after}"), true, depth + 1);
        }
        return Some(vec![text.to_owned()]);
    }
    let values = match &sequence {
        Some(sequence) => sequence.values(),
        None => {
            let mut options = comma_parts(body, depth)?;
            if let [only] = options.as_slice() {
                options = level(only, false, depth + 1)?.into_iter().map(|inner| format!("{{{inner}}}")).collect();
                if let [only] = options.as_slice() {
                    return Some(tails(depth + 1)?.into_iter().map(|tail| format!("{before}{only}{tail}")).collect());
                }
                options
            } else {
                let mut values = Vec::new();
                for option in options {
                    values.extend(level(&option, false, depth + 1)?);
                }
                values
            }
        }
    };
    let tails = tails(depth + 1)?;
    let mut length = 0;
    for value in &values {
        for tail in &tails {
            if out.len() >= EXPANSION_LIMIT {
                return Some(out);
            }
            let whole = format!("{before}{value}{tail}");
            length += whole.len();
            if length > LENGTH_LIMIT {
                return None;
            }
            if !top || sequence.is_some() || !whole.is_empty() {
                out.push(whole);
            }
        }
    }
    Some(out)
}

/// Implements `/,(?!,).*\}/`.
fn later_set(after: &str) -> bool {
    after.match_indices(',').any(|(comma, _)| {
        let rest = &after[comma + 1..];
        !rest.starts_with(',') && rest.split(is_line_end).next().is_some_and(|line| line.contains('}'))
    })
}

/// Returns the first outermost pair of braces, as npm's `balanced-match` does.
fn balanced(text: &str) -> Option<(usize, usize)> {
    let find = |what: char, from: usize| text.get(from..).and_then(|rest| rest.find(what)).map(|at| at + from);
    let mut open = find('{', 0);
    let mut close = find('}', open.map_or(0, |at| at + 1));
    let mut at = open?;
    close?;
    let (mut begun, mut left, mut right) = (Vec::new(), text.len(), None);
    loop {
        if Some(at) == open {
            begun.push(at);
            open = find('{', at + 1);
        } else if begun.len() == 1 {
            return Some((begun[0], close?));
        } else {
            if let Some(begin) = begun.pop()
                && begin < left
            {
                (left, right) = (begin, close);
            }
            close = find('}', at + 1);
        }
        at = match (open, close) {
            (Some(open), Some(close)) if open < close => open,
            (_, Some(close)) => close,
            (_, None) => break,
        };
    }
    if begun.is_empty() { None } else { right.map(|right| (left, right)) }
}

/// Returns the members of a set; a nested set is one member.
fn comma_parts(body: &str, depth: usize) -> Option<Vec<String>> {
    if depth > DEPTH_LIMIT {
        return None;
    }
    let Some((open, close)) = balanced(body) else { return Some(body.split(',').map(str::to_owned).collect()) };
    let mut parts: Vec<String> = body[..open].split(',').map(str::to_owned).collect();
    let after = &body[close + 1..];
    let last = parts.last_mut().expect("split gives at least one");
    last.push_str(&body[open..=close]);
    if !after.is_empty() {
        let mut more = comma_parts(after, depth + 1)?.into_iter();
        last.push_str(&more.next().expect("at least one"));
        parts.extend(more);
    }
    Some(parts)
}

/// A sequence such as `1..5` or `a..e`, with an optional step.
struct Sequence {
    from: i64,
    to: i64,
    step: i64,
    letters: bool,
    width: Option<usize>,
}

impl Sequence {
    fn parse(body: &str) -> Option<Sequence> {
        let parts: Vec<&str> = body.split("..").collect();
        let (&[from, to] | &[from, to, _]) = parts.as_slice() else { return None };
        let number = |text: &str| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let all = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            all.then(|| text.parse::<i64>().unwrap_or(i64::MAX / 4))
        };
        let letter = |text: &str| match text.as_bytes() {
            [one] if one.is_ascii_alphabetic() => Some(i64::from(*one)),
            _ => None,
        };
        let step = match parts.get(2) {
            Some(step) => number(step)?.abs(),
            None => 1,
        };
        let padded = |text: &&str| {
            let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
            digits.len() > 1 && digits[0] == b'0'
        };
        let (from_value, to_value, letters) = match (number(from), number(to)) {
            (Some(one), Some(other)) => (one, other, false),
            _ => (letter(from)?, letter(to)?, true),
        };
        let width = parts.iter().any(padded).then(|| from.len().max(to.len()));
        Some(Sequence { from: from_value, to: to_value, step, letters, width })
    }

    fn values(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut at = self.from;
        let down = self.to < self.from;
        // The original never ends for a step of zero.
        while out.len() < EXPANSION_LIMIT && if down { at >= self.to } else { at <= self.to } {
            out.push(match (self.letters, self.width) {
                (true, _) => {
                    u8::try_from(at).ok().filter(|c| *c != b'\\').map_or(String::new(), |c| char::from(c).into())
                }
                (false, None) => at.to_string(),
                (false, Some(width)) if at < 0 => format!("-{:0>1$}", at.unsigned_abs(), width.saturating_sub(1)),
                (false, Some(width)) => format!("{at:0>width$}"),
            });
            at += if down { -self.step } else { self.step };
        }
        out
    }
}
