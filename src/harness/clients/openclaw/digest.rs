//! The policy digest: the lines that are kept from the middle of an AGENTS.md that is too long.

use super::units;
use crate::text::{is_js_space, js_trim, utf16_len};

/// Maximum length of a line in a digest, in UTF-16 units (OpenClaw 2026.9.6).
const LINE_LIMIT_UTF16: usize = 240;

/// Words that make a line worth keeping (OpenClaw 2026.9.6). The first [`HIGH_WORDS`] give it high priority.
const WORDS: [&str; 19] = [
    "agents.md",
    "scoped",
    "required",
    "must",
    "never",
    "do not",
    "before subtree",
    "read scoped",
    "security",
    "secret",
    "credential",
    "owner",
    "test",
    "validation",
    "command",
    "commit",
    "push",
    "github",
    "pr",
];
const HIGH_WORDS: usize = 11;

/// Signs that make a line worth keeping, even within a word. The first [`HIGH_SIGNS`] give it high priority.
const SIGNS: [&str; 11] = ["🔴", "禁止", "嚴禁", "不得", "絕不", "絕對不", "切勿", "必須", "務必", "一律", "紅線"];
const HIGH_SIGNS: usize = 7;

/// A line that may be kept, with the prose line above it.
pub struct Candidate {
    text: String,
    units: usize,
    high: bool,
}

/// The lines of a digest, and the number of lines left out.
#[derive(Default)]
pub struct Digest {
    /// Lines of the digest.
    pub text: String,
    /// Length of the lines in UTF-16 units.
    pub units: usize,
    /// Number of candidates left out.
    pub omitted: usize,
}

/// Returns every line of `text` that may be kept, in order.
pub fn candidates(text: &str) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut prose: Option<String> = None;
    for source in text.split('\n') {
        // A CR before the LF belongs to the line break, and is trimmed as white space.
        let line = normalized(source);
        if line.is_empty() || line.starts_with("```") || line.starts_with("~~~") {
            prose = None;
        } else if is_item(&line) || has_keyword(&line, &WORDS, &SIGNS) {
            let high = has_keyword(&line, &WORDS[..HIGH_WORDS], &SIGNS[..HIGH_SIGNS]);
            let text = match prose.take() {
                Some(above) => format!("{above}\n{line}"),
                None => line,
            };
            found.push(Candidate { units: utf16_len(&text), text, high });
        } else {
            prose = Some(line);
        }
    }
    found
}

/// Selects what fits into `budget` units: first the candidates of high priority, then the others; shown in file order.
pub fn digest(candidates: &[Candidate], budget: usize) -> Digest {
    if budget == 0 {
        return Digest::default();
    }
    let mut selected = vec![false; candidates.len()];
    let mut used = 0;
    let mut any = false;
    for high in [true, false] {
        for (candidate, selected) in candidates.iter().zip(&mut selected) {
            let cost = candidate.units + usize::from(any);
            if *selected || (high && !candidate.high) || used + cost > budget {
                continue;
            }
            (*selected, any) = (true, true);
            used += cost;
        }
    }
    let lines: Vec<&str> =
        candidates.iter().zip(&selected).filter(|(_, taken)| **taken).map(|(line, _)| line.text.as_str()).collect();
    let text = lines.join("\n");
    Digest { units: utf16_len(&text), omitted: candidates.len() - lines.len(), text }
}

/// Trims a line, collapses white space to single spaces, and cuts it to 240 units.
fn normalized(source: &str) -> String {
    let mut line = String::new();
    for word in js_trim(source).split(is_js_space).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if units::longer_than(&line, LINE_LIMIT_UTF16) {
        line.truncate(units::prefix(&line, LINE_LIMIT_UTF16 - 1).len());
        line.push('…');
    }
    line
}

/// Returns true for a heading or list item: its sign, one space (after normalizing), and text.
fn is_item(line: &str) -> bool {
    let Some((sign, rest)) = line.split_once(' ') else { return false };
    let is_heading = (1..=6).contains(&sign.len()) && sign.bytes().all(|byte| byte == b'#');
    let is_number = || {
        let digits = sign.strip_suffix(['.', ')']);
        digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    !rest.is_empty() && (is_heading || matches!(sign, "-" | "*" | "+") || is_number())
}

fn has_keyword(line: &str, words: &[&str], signs: &[&str]) -> bool {
    signs.iter().any(|sign| line.contains(sign)) || has_word(line, words)
}

/// Returns true if one of `words` occurs in `line`, in any case and between word boundaries.
///
/// With the flags `iu`, JavaScript folds U+017F to `s` and U+212A to `k`, and counts both as word characters.
fn has_word(line: &str, words: &[&str]) -> bool {
    let folded: Vec<char> = line.chars().map(fold).collect();
    let matches_at = |at: usize, word: &str| {
        let end = at + word.len();
        end <= folded.len()
            && word.chars().zip(&folded[at..end]).all(|(one, other)| one == *other)
            && (at == 0 || !is_word(folded[at - 1]))
            && !folded.get(end).copied().is_some_and(is_word)
    };
    (0..folded.len()).any(|at| words.iter().any(|word| matches_at(at, word)))
}

fn fold(c: char) -> char {
    match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_between_boundaries_in_any_case() {
        for (line, found) in [
            ("You MUST go", true),
            ("mustard", false),
            ("mu\u{17f}t", true),
            ("test\u{17f}", false),
            ("\u{212a}test", false),
            ("\u{17f}coped", true),
            ("émust", true),
            ("do not", true),
            ("a_pr", false),
            ("AGENTS.md", true),
            ("AGENTSxmd", false),
        ] {
            assert_eq!(has_word(line, &WORDS), found, "{line}");
        }
    }

    #[test]
    fn items_need_a_space_and_something_after_it() {
        for (line, item) in [
            ("# a", true),
            ("####### a", false),
            ("#", false),
            ("- a", true),
            ("-a", false),
            ("12) a", true),
            (". a", false),
        ] {
            assert_eq!(is_item(line), item, "{line}");
        }
    }
}
