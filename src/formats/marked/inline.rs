//! The inline lexer: finds the text of a paragraph between emphasis, code, links and tags.

use std::collections::{HashMap, HashSet};

use super::blocks::{bracketed, link_name};
use super::html;
use crate::text::is_js_space;

/// Number of characters that may still be re-examined for a document. `marked` has no such limit and takes minutes for
/// some texts; when it is exhausted, marks count as text.
pub(super) struct Patience(usize);

impl Default for Patience {
    fn default() -> Self {
        Patience(20_000_000)
    }
}

impl Patience {
    fn spend(&mut self, steps: usize) -> bool {
        self.0 = self.0.saturating_sub(steps);
        self.0 > 0
    }
}

/// Adds every piece of text in `words` to `texts`, in order.
pub(super) fn texts(words: &str, links: &HashSet<String>, texts: &mut Vec<String>, patience: &mut Patience) {
    Inline { links, texts, patience }.take_apart(words, 0);
}

struct Inline<'a> {
    links: &'a HashSet<String>,
    texts: &'a mut Vec<String>,
    patience: &'a mut Patience,
}

/// Last positions of the closing marks in a source, so that a mark is not searched for again where there is none.
#[derive(Default)]
struct Last {
    marks: HashMap<&'static str, Option<usize>>,
    /// Last positions of backtick runs, by length.
    ticks: Option<HashMap<usize, usize>>,
}

impl Last {
    /// Returns true if the mark occurs after `at`.
    fn comes(&mut self, mark: &'static str, at: usize, source: &str) -> bool {
        let last = self.marks.entry(mark).or_insert_with(|| source.rfind(mark));
        last.is_some_and(|last| last > at)
    }

    /// Returns true if a run of as many backticks as at `at` occurs later.
    fn ticks_come(&mut self, at: usize, source: &str) -> bool {
        let run = |at: usize| source[at..].bytes().take_while(|byte| *byte == b'`').count();
        let ticks = self.ticks.get_or_insert_with(|| {
            let (mut ticks, mut from) = (HashMap::new(), 0);
            while let Some(found) = source[from..].find('`').map(|found| from + found) {
                ticks.insert(run(found), found);
                from = found + run(found);
            }
            ticks
        });
        ticks.get(&run(at)).is_some_and(|last| *last > at)
    }
}

/// Maximum nesting depth of emphasis and links.
const DEPTH_LIMIT: usize = 100;

/// A piece that is not text: its length, and the words in it to parse in turn.
struct Piece {
    length: usize,
    inner: Option<String>,
}

impl Inline<'_> {
    fn take_apart(&mut self, source: &str, depth: usize) {
        if depth > DEPTH_LIMIT || !self.patience.spend(source.len()) {
            self.texts.push(source.to_owned());
            return;
        }
        let masked = self.masked(source);
        let mut last = Last::default();
        let mut text = String::new();
        let mut before: Option<char> = None;
        let mut at = 0;
        while at < source.len() {
            let rest = &source[at..];
            if let Some(piece) = self.piece(source, &masked, at, before, &mut last) {
                if !text.is_empty() {
                    self.texts.push(std::mem::take(&mut text));
                }
                if let Some(inner) = piece.inner {
                    self.take_apart(&inner, depth + 1);
                }
                at += piece.length;
                before = None;
                continue;
            }
            let length = match rest.as_bytes()[0] {
                // A bracket that does not start a link.
                b'[' if bracket_text(rest).is_some() => 1,
                b'!' if rest[1..].starts_with('[') && bracket_text(&rest[1..]).is_some() => 1,
                _ => {
                    let length = run_of_text(rest);
                    let last = rest[..length].chars().next_back();
                    if last != Some('_') {
                        before = last;
                    }
                    text.push_str(&rest[..length]);
                    at += length;
                    continue;
                }
            };
            text.push_str(&rest[..length]);
            at += length;
            before = None;
        }
        if !text.is_empty() {
            self.texts.push(text);
        }
    }

    /// Returns the piece that starts at `at`, or `None` for text.
    fn piece(&mut self, source: &str, masked: &str, at: usize, before: Option<char>, last: &mut Last) -> Option<Piece> {
        let rest = &source[at..];
        let opaque = |length| Some(Piece { length, inner: None });
        match rest.as_bytes()[0] {
            b'\\' if rest[1..].starts_with(|c: char| c.is_ascii_punctuation()) => opaque(2),
            b'\\' if rest[1..].starts_with('\n') && rest[2..].contains(|c| !is_js_space(c)) => opaque(2),
            b'<' => {
                let tag = if html::closing(rest).is_none_or(|mark| last.comes(mark, at, source)) {
                    html::inline(rest)
                } else {
                    None
                };
                tag.or_else(|| autolink(rest))
                    .and_then(opaque)
                    .map(|piece| Piece { inner: tag.is_none().then(|| rest[1..piece.length - 1].to_owned()), ..piece })
            }
            b'[' => self.link(rest, 0),
            b'!' if rest[1..].starts_with('[') => self.link(rest, 1),
            b'*' | b'_' => self.emphasis(rest, &masked[at..], before),
            b'`' if last.ticks_come(at, source) => code(rest).and_then(opaque),
            b' ' => {
                let spaces = rest.bytes().take_while(|byte| *byte == b' ').count();
                let breaks = spaces >= 2 && rest[spaces..].starts_with('\n');
                (breaks && rest[spaces + 1..].contains(|c| !is_js_space(c)))
                    .then_some(Piece { length: spaces + 1, inner: None })
            }
            _ => None,
        }
    }

    /// Parses a link or an image, inline or by reference.
    fn link(&mut self, rest: &str, image: usize) -> Option<Piece> {
        let brackets = &rest[image..];
        let label = label(brackets);
        let target = label.and_then(|end| {
            let target = brackets[end..].strip_prefix('(')?;
            self.patience.spend(end).then(|| destination(target)).flatten().map(|length| end + 1 + length)
        });
        let (length, label) = match (target, label) {
            (Some(length), Some(label)) => (length, label),
            _ => self.reference(brackets, label)?,
        };
        let words = brackets[1..label - 1].replace("\\[", "[").replace("\\]", "]");
        Some(Piece { length: image + length, inner: (image == 0).then_some(words) })
    }

    /// Parses a reference `[words][name]`, `[name][]` or `[name]` if the name is defined.
    fn reference(&self, brackets: &str, label: Option<usize>) -> Option<(usize, usize)> {
        if let Some(label) = label
            && let Some(name) = bracketed(&brackets[label..])
        {
            let known = self.links.contains(&link_name(&brackets[label + 1..label + name - 1]));
            return known.then_some((label + name, label));
        }
        let name = bracketed(brackets)?;
        let length = if brackets[name..].starts_with("[]") { name + 2 } else { name };
        self.links.contains(&link_name(&brackets[1..name - 1])).then_some((length, name))
    }

    /// Parses `*emphasis*` and `**strong**`, also with `_`.
    fn emphasis(&mut self, rest: &str, masked: &str, before: Option<char>) -> Option<Piece> {
        let mark = rest.chars().next()?;
        let open = rest.chars().take_while(|c| *c == mark).count();
        let next = rest[open..].chars().next().filter(|c| !is_js_space(*c))?;
        if mark == '_' && !is_punctuation(next) && before.is_some_and(char::is_alphanumeric) {
            return None;
        }
        // Before punctuation, emphasis must follow the start, a space, or other punctuation.
        if is_punctuation(next)
            && before.is_some_and(|c| matches!(c, '*' | '_') || !(is_js_space(c) || is_punctuation(c)))
        {
            return None;
        }
        let close = self.closing(&masked[open..], mark, open)?;
        let length = open + close.at + close.marks;
        let strength = if open.min(close.marks) % 2 == 1 { 1 } else { 2 };
        Some(Piece { length, inner: Some(rest.get(strength..length - strength)?.to_owned()) })
    }

    /// Finds the end of emphasis that started with `open` marks, in the masked text after them.
    fn closing(&mut self, text: &str, mark: char, open: usize) -> Option<Close> {
        let (mut total, mut middle) = (open as isize, 0isize);
        let mut at = orphan(text, mark);
        while let Some(found) = text[at..].find(mark).map(|found| at + found) {
            if !self.patience.spend(found - at + 1) {
                return None;
            }
            let marks = text[found..].chars().take_while(|c| *c == mark).count();
            let previous = text[..found].chars().next_back().filter(|_| found > at);
            let next = text[found + marks..].chars().next();
            at = found + marks;
            let Some(previous) = previous else { continue };
            let count = marks as isize;
            match side(previous, next, mark) {
                Side::Neither => continue,
                Side::Opens => {
                    total += count;
                    continue;
                }
                Side::Either if !open.is_multiple_of(3) && (open + marks).is_multiple_of(3) => {
                    middle += count;
                    continue;
                }
                Side::Either | Side::Closes => total -= count,
            }
            if total > 0 {
                continue;
            }
            let marks = count.min(count + total + middle);
            return Some(Close { at: found, marks: usize::try_from(marks).ok()? });
        }
        None
    }

    /// Returns `source` with code, links, tags and escapes masked, so that nothing in them looks like emphasis. The
    /// length stays the same.
    fn masked(&mut self, source: &str) -> String {
        let mut masked = source.as_bytes().to_vec();
        if !self.links.is_empty() {
            let mut at = 0;
            while let Some(found) = source[at..].find('[').map(|found| at + found) {
                at = match self.reference_to_mask(&source[found..]) {
                    Some(length) => {
                        mask(&mut masked[found..found + length]);
                        found + length
                    }
                    None => found + 1,
                };
            }
        }
        let text = String::from_utf8(masked).expect("masks are whole characters");
        let mut masked = text.clone().into_bytes();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if c == '\\'
                && let Some((next, escaped)) = chars.peek().copied().filter(|(_, c)| is_punctuation(*c))
            {
                masked[at..next + escaped.len_utf8()].fill(b'+');
                chars.next();
            }
        }
        let text = String::from_utf8(masked).expect("masks are whole characters");
        let mut masked = text.clone().into_bytes();
        let mut at = 0;
        while let Some(found) = text[at..].find(['[', '`', '<']).map(|found| at + found) {
            at = match self.skipped(&text[found..]) {
                Some(length) => {
                    mask(&mut masked[found..found + length]);
                    found + length
                }
                None => found + 1,
            };
        }
        String::from_utf8(masked).expect("masks are whole characters")
    }

    /// Returns the length of a reference whose last name is defined.
    fn reference_to_mask(&self, text: &str) -> Option<usize> {
        let label = label(text);
        let full = label.and_then(|label| bracketed(&text[label..]).map(|name| label + name));
        let length = full.or_else(|| {
            let name = bracketed(text)?;
            let length = if text[name..].starts_with("[]") { name + 2 } else { name };
            (!text[length..].starts_with('(')).then_some(length)
        })?;
        let name = &text[text[..length].rfind('[')? + 1..length - 1];
        self.links.contains(name).then_some(length)
    }

    /// Returns the approximate length of a link, a code span or a tag.
    fn skipped(&mut self, text: &str) -> Option<usize> {
        let inner = &text[1..];
        let length = match text.as_bytes()[0] {
            b'`' => inner.find('`').map(|end| end + 2),
            b'<' => inner.find(['<', '>']).filter(|end| inner.as_bytes()[*end] == b'>').map(|end| end + 2),
            _ => {
                let label = inner.find(['[', ']']).filter(|end| inner.as_bytes()[*end] == b']')? + 2;
                text[label..].strip_prefix('(')?;
                parentheses(&text[label..]).map(|length| label + length)
            }
        };
        let steps = length.unwrap_or(text.len());
        if self.patience.spend(steps) { length } else { None }
    }
}

/// Returns the length of `(…)`, which may contain pairs of parentheses one level deep.
fn parentheses(text: &str) -> Option<usize> {
    let (mut depth, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '\n' if escaped => return None,
            _ if std::mem::take(&mut escaped) => {}
            '\\' => escaped = true,
            '(' if depth == 2 => return None,
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Overwrites a range with `[aaa…]`, as `marked` does.
fn mask(bytes: &mut [u8]) {
    bytes.fill(b'a');
    if let [first, .., last] = bytes {
        (*first, *last) = (b'[', b']');
    }
}

/// The end of emphasis.
struct Close {
    /// Start of the closing marks.
    at: usize,
    /// Number of marks that belong to it.
    marks: usize,
}

/// Roles that a run of marks can have.
enum Side {
    Opens,
    Closes,
    Either,
    Neither,
}

/// Determines the role of a run of marks from the characters on both sides.
fn side(previous: char, next: Option<char>, mark: char) -> Side {
    let (space_before, mark_before) = (is_js_space(previous), is_punctuation(previous));
    let space_after = next.is_none_or(is_js_space);
    let mark_after = next.is_some_and(is_punctuation);
    match (space_before, mark_before, space_after, mark_after) {
        (false, true, true, _) => Side::Closes,
        (false, false, true, _) | (false, false, _, true) => Side::Closes,
        (true, _, false, _) => Side::Opens,
        (_, true, false, false) => Side::Opens,
        (_, true, false, true) => Side::Either,
        (false, false, false, false) if mark == '*' => Side::Either,
        (false, false, false, false) | (true, _, true, _) => Side::Neither,
    }
}

/// Returns where the search for closing marks starts: after a lone mark inside strong emphasis of the other kind.
fn orphan(text: &str, mark: char) -> usize {
    let other = if mark == '*' { "__" } else { "**" };
    let either = ['*', '_'];
    let Some(open) = text.find(either).filter(|at| text[*at..].starts_with(other)) else { return 0 };
    let inner = open + 2;
    let Some(lone) = text[inner..].find(either).map(|at| inner + at).filter(|at| text[*at..].starts_with(mark)) else {
        return 0;
    };
    let Some(close) = text[lone + 1..].find(either).map(|at| lone + 1 + at) else { return 0 };
    if text[close..].starts_with(other) { close } else { 0 }
}

/// Returns true for Unicode punctuation and symbols.
fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    use icu_properties::CodePointMapData;
    use icu_properties::props::GeneralCategory as Category;
    matches!(
        CodePointMapData::<Category>::new().get(c),
        Category::ConnectorPunctuation
            | Category::DashPunctuation
            | Category::OpenPunctuation
            | Category::ClosePunctuation
            | Category::InitialPunctuation
            | Category::FinalPunctuation
            | Category::OtherPunctuation
            | Category::MathSymbol
            | Category::CurrencySymbol
            | Category::ModifierSymbol
            | Category::OtherSymbol
    )
}

/// Returns the length of the text at the start, at least one character.
fn run_of_text(text: &str) -> usize {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    let first = if ticks > 0 { ticks } else { text.chars().next().map_or(0, char::len_utf8) };
    let breaks = |at: usize| {
        let spaces = text[at..].bytes().take_while(|byte| *byte == b' ').count();
        spaces >= 2 && text[at + spaces..].starts_with('\n')
    };
    if breaks(first) {
        return first;
    }
    for (at, c) in text[first..].char_indices().map(|(at, c)| (first + at, c)) {
        if matches!(c, '\\' | '<' | '!' | '[' | '`' | '*' | '_') {
            return at;
        }
        if c == ' ' && at > first && !text[..at].ends_with(' ') && breaks(at) {
            return at;
        }
    }
    text.len()
}

/// Returns the length of a code span.
fn code(text: &str) -> Option<usize> {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    let mut at = ticks;
    while let Some(found) = text[at..].find('`').map(|found| at + found) {
        let run = text[found..].bytes().take_while(|byte| *byte == b'`').count();
        if run == ticks {
            return Some(found + run);
        }
        at = found + run;
    }
    None
}

/// Returns the length of brackets at the start that could be a reference. If it is not defined, `marked` takes the
/// bracket as a single character.
fn bracket_text(text: &str) -> Option<usize> {
    label(text).and_then(|label| bracketed(&text[label..])).or_else(|| bracketed(text))
}

/// Returns the length of `[words]`: pairs of other brackets one level deep, code spans and escapes are skipped.
fn label(text: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        let rest = &text[at..];
        at += match rest.chars().next()? {
            ']' => return rest[1..].starts_with(['(', '[']).then_some(at + 1),
            '[' => {
                let mut chars = rest[1..].char_indices();
                loop {
                    match chars.next()? {
                        (_, '\\') => chars.next().filter(|(_, c)| *c != '\n').map(|_| ())?,
                        (at, ']') => break at + 2,
                        (_, '[') => return None,
                        _ => {}
                    }
                }
            }
            '\\' => 1 + rest[1..].chars().next().filter(|c| *c != '\n')?.len_utf8(),
            '`' => rest[1..].find('`')? + 2,
            c => c.len_utf8(),
        };
    }
}

/// Returns the length of `target "title")` after the opening parenthesis.
fn destination(text: &str) -> Option<usize> {
    let start = text.len() - text.trim_start_matches(is_js_space).len();
    let target = &text[start..];
    let closes = |at: usize| {
        let rest = &text[at..];
        let rest_trimmed = rest.trim_start_matches(is_js_space);
        rest_trimmed.starts_with(')').then(|| text.len() - rest_trimmed.len() + 1)
    };
    let ends = |at: usize| title(text, at).and_then(closes).or_else(|| closes(at));
    if target.starts_with('<')
        && let Some(end) = angled(target)
        && let Some(length) = ends(start + end)
    {
        return Some(length);
    }
    let longest = target.find(|c: char| matches!(c, ' ' | '\t' | '\n') || c < '\u{20}').unwrap_or(target.len());
    // Give back characters until the rest matches; in practice the last parenthesis.
    let ends_at = (0..=longest).rev().filter(|at| target.is_char_boundary(*at)).take(4096);
    let (end, length) = ends_at.into_iter().find_map(|end| ends(start + end).map(|length| (end, length)))?;
    let href = &target[..end];
    if href.starts_with('<') {
        return None;
    }
    let mut level = 0;
    let mut escaped = false;
    for (at, c) in href.char_indices() {
        match c {
            _ if std::mem::take(&mut escaped) => {}
            '\\' => escaped = true,
            '(' => level += 1,
            ')' if level == 0 => return Some(at + 1),
            ')' => level -= 1,
            _ => {}
        }
    }
    (level == 0).then_some(length)
}

/// Returns the length of `<…>`.
fn angled(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next().filter(|(_, c)| *c != '\n')?;
            }
            '>' => return (at > 1).then_some(at + 1),
            '\n' | '<' => return None,
            _ => {}
        }
    }
    None
}

/// Returns the end of a title that starts after `at`.
fn title(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix('\n').map_or(rest, |rest| rest.trim_start_matches([' ', '\t']));
    let close = match rest.chars().next()? {
        '"' => '"',
        '\'' => '\'',
        '(' => ')',
        _ => return None,
    };
    let mut escaped = false;
    let end = rest[1..].find(|c| {
        let was = std::mem::take(&mut escaped);
        escaped = !was && c == '\\';
        !was && c == close
    })?;
    Some(text.len() - rest.len() + 1 + end + 1)
}

/// Returns the length of `<scheme:…>` or `<name@host>`.
fn autolink(text: &str) -> Option<usize> {
    // Neither a URL nor an email address contains these.
    let end = text[1..].find(|c: char| matches!(c, '<' | '>') || is_js_space(c))?;
    let inner = &text[1..1 + end];
    if !text[1 + end..].starts_with('>') {
        return None;
    }
    let scheme = inner.split_once(':').is_some_and(|(scheme, rest)| {
        (2..=32).contains(&scheme.len())
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
            && !rest.contains(|c: char| is_js_space(c) || c < '\u{20}' || c == '<')
    });
    let mail = inner.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?_`{|}~-".contains(&byte))
            && host.contains('.')
            && host.split('.').all(|label| {
                (1..=63).contains(&label.len())
                    && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                    && !label.starts_with('-')
                    && !label.ends_with('-')
            })
    });
    (scheme || mail).then_some(inner.len() + 2)
}
