//! Finds a sentence regardless of wrapping and Markdown, and lines similar to it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

/// Minimum similarity of a line that is reported as similar, in percent.
const ALIKE_PERCENT: usize = 60;

/// Minimum share of a text's letters found in a line for it to count as a misspelling, in percent. Below it, most lines
/// match.
const ALIKE_LETTERS_PERCENT: usize = 70;

/// Maximum length of a line that is compared for similarity, in bytes.
const LONGEST_LINE_BYTES: usize = 4096;

/// A search text. Wrapping, indentation and Markdown are ignored, and so is letter case if the text has no capital
/// letter.
pub struct Sought {
    /// Plain words of the text, separated by one space.
    text: String,
    /// The text in lower case, for similarity.
    lower: String,
    /// True if letter case counts.
    has_capitals: bool,
    /// Forms for similarity, computed on first use.
    likeness: OnceLock<Box<Likeness>>,
}

/// A text in the forms in which lines are compared with it.
struct Likeness {
    pairs: Pairs,
    bigrams: Vec<(char, char)>,
    places: Places,
}

impl Sought {
    /// Creates a search text; `None` if it has no words.
    pub fn new(text: &str) -> Option<Sought> {
        let text = Plain::of(text).text;
        let has_capitals = text.chars().any(char::is_uppercase);
        let likeness = OnceLock::new();
        (!text.is_empty()).then(|| Sought { lower: text.to_lowercase(), text, has_capitals, likeness })
    }

    /// Returns the text without Markdown and with one space between words.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the byte range of every occurrence in a text.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        self.places_in(&Plain::of(text))
    }

    /// Returns the byte range of every occurrence in the original of a plain text.
    pub fn places_in(&self, plain: &Plain) -> Vec<Range<usize>> {
        let place = |at: usize| {
            let end = at + self.text.len();
            // Ends after the last matching byte, without the marks and white space that follow.
            plain.original(at)..plain.original(end - 1) + 1
        };
        self.cased(plain).match_indices(self.text.as_str()).map(|(at, _)| place(at)).collect()
    }

    /// Returns true if a text contains the search text.
    pub fn is_in(&self, text: &str) -> bool {
        // Fast path: the text usually occurs verbatim.
        text.contains(&self.text) || self.is_within(&Plain::of(text))
    }

    /// Returns true if a plain text contains the search text.
    pub fn is_within(&self, plain: &Plain) -> bool {
        self.cased(plain).contains(&self.text)
    }

    /// Returns the plain text, in lower case if letter case does not count.
    fn cased<'p>(&self, plain: &'p Plain) -> &'p str {
        if self.has_capitals { &plain.text } else { plain.folded.get_or_init(|| folded(&plain.text)) }
    }

    /// Returns the similarity of a line in percent, if it is at least `ALIKE_PERCENT`.
    pub(super) fn alike(&self, line: &Line) -> Option<usize> {
        let of_text = || {
            Box::new(Likeness {
                pairs: Pairs::of(&self.lower),
                bigrams: bigrams(&self.lower),
                places: Places::of(&self.lower),
            })
        };
        let likeness = self.likeness.get_or_init(of_text);
        if line.lower.is_empty() || likeness.pairs.percent_in(&line.pairs) < LEAST_PAIRS_PERCENT {
            return None;
        }
        let line = line.lower.as_str();
        let words: Vec<&str> = self.lower.split(' ').collect();
        let shared = words.iter().filter(|word| line.split(' ').any(|other| other == **word)).count();
        let by_words = shared * 100 / words.len();
        let by_pairs = percent_shared(&likeness.bigrams, &bigrams(line));
        let letters = likeness.places.count;
        let mistakes = likeness.places.mistakes_in(line).min(letters);
        let by_letters = (letters - mistakes) * 100 / letters;
        let by_letters = if by_letters >= ALIKE_LETTERS_PERCENT { by_letters } else { 0 };
        // Only the first letters of a long text are compared, so a line without mistakes is searched for all of it.
        let alike = if mistakes == 0 && line.contains(&self.lower) {
            100
        } else {
            by_words.max(by_pairs).max(by_letters).min(99)
        };
        (alike >= ALIKE_PERCENT).then_some(alike)
    }
}

/// A line of a text, prepared for similarity comparison.
pub struct Line {
    /// Line number, from 1.
    pub number: usize,
    /// The line without the spaces around it.
    pub text: String,
    lower: String,
    pairs: Pairs,
}

impl Line {
    /// Splits a text into lines. Lines that are too long to compare are never similar.
    pub fn all(text: &str) -> Vec<Line> {
        let line = |(at, line): (usize, &str)| {
            let lower = Plain::of(line).text.to_lowercase();
            let lower = if lower.len() > LONGEST_LINE_BYTES { String::new() } else { lower };
            Line { number: at + 1, text: line.trim().to_owned(), pairs: Pairs::of(&lower), lower }
        };
        text.lines().enumerate().map(line).collect()
    }
}

/// Minimum share of a text's letter pairs that a similar line has, in percent: 30 mistakes in 100 letters change at
/// most 60 of 100 pairs.
const LEAST_PAIRS_PERCENT: u32 = 35;

/// Set of the pairs of neighbouring letters in a text, hashed into 1024 bits.
struct Pairs([u64; 16]);

impl Pairs {
    fn of(text: &str) -> Pairs {
        let mut pairs = [0; 16];
        for (one, next) in text.chars().zip(text.chars().skip(1)) {
            let mixed = (u32::from(one).wrapping_mul(0x9e37_79b1) ^ u32::from(next)).wrapping_mul(0x85eb_ca6b) >> 22;
            pairs[mixed as usize / 64] |= 1 << (mixed % 64);
        }
        Pairs(pairs)
    }

    /// Returns the share of these pairs that another text has, in percent; 100 if there are no pairs.
    fn percent_in(&self, other: &Pairs) -> u32 {
        let all: u32 = self.0.iter().map(|bits| bits.count_ones()).sum();
        let shared: u32 = self.0.iter().zip(&other.0).map(|(own, others)| (own & others).count_ones()).sum();
        (shared * 100).checked_div(all).unwrap_or(100)
    }
}

/// Returns the sorted pairs of neighbouring letters in a text without white space, with repetitions.
fn bigrams(text: &str) -> Vec<(char, char)> {
    let letters = || text.chars().filter(|letter| !letter.is_whitespace());
    let mut pairs: Vec<_> = letters().zip(letters().skip(1)).collect();
    pairs.sort_unstable();
    pairs
}

/// Returns the share of two sorted lists that is in both, in percent (Dice's coefficient).
fn percent_shared(one: &[(char, char)], other: &[(char, char)]) -> usize {
    let (mut at, mut shared) = (0, 0_usize);
    for pair in one {
        at += other[at..].iter().take_while(|next| *next < pair).count();
        if other.get(at) == Some(pair) {
            (at, shared) = (at + 1, shared + 1);
        }
    }
    (200 * shared).checked_div(one.len() + other.len()).unwrap_or(0)
}

/// Maximum number of letters that are searched for with mistakes: the bits of a `u128`.
const MOST_LETTERS: usize = 128;

/// Positions of each letter in a text, as bit masks.
struct Places {
    ascii: [u128; 128],
    others: HashMap<char, u128>,
    count: usize,
}

impl Places {
    fn of(text: &str) -> Places {
        let mut places = Places { ascii: [0; 128], others: HashMap::new(), count: 0 };
        for (at, letter) in text.chars().take(MOST_LETTERS).enumerate() {
            match places.ascii.get_mut(letter as usize) {
                Some(bits) => *bits |= 1 << at,
                None => *places.others.entry(letter).or_default() |= 1 << at,
            }
            places.count = at + 1;
        }
        places
    }

    /// Returns the smallest edit distance between the text and any part of a line (Myers 1999, a bit per letter).
    fn mistakes_in(&self, line: &str) -> usize {
        let last = 1_u128 << (self.count - 1);
        let (mut more, mut less) = (u128::MAX, 0_u128);
        let mut distance = self.count;
        let mut least = distance;
        for letter in line.chars() {
            let of_others = || self.others.get(&letter).copied().unwrap_or(0);
            let same = self.ascii.get(letter as usize).copied().unwrap_or_else(of_others);
            let diagonal = ((same & more).wrapping_add(more) ^ more) | same | less;
            let (up, down) = (less | !(diagonal | more), more & diagonal);
            distance = distance + usize::from(up & last != 0) - usize::from(down & last != 0);
            least = least.min(distance);
            // A match may begin anywhere in the line.
            (more, less) = ((down << 1) | !(diagonal | (up << 1)), (up << 1) & diagonal);
        }
        least
    }
}

/// Folds letters to lower case without changing byte offsets.
fn folded(text: &str) -> String {
    let fold = |c: char| {
        let mut lower = c.to_lowercase();
        lower.next().filter(|one| one.len_utf8() == c.len_utf8() && lower.len() == 0).unwrap_or(c)
    };
    text.chars().map(fold).collect()
}

/// Plain words of a Markdown text, separated by one space, without emphasis, code, heading, list and quote marks and
/// link targets.
pub struct Plain {
    text: String,
    /// The text in lower case, computed on first use.
    folded: OnceLock<String>,
    /// Start of each run of bytes, here and in the original.
    runs: Vec<(usize, usize)>,
}

impl Plain {
    /// Removes the Markdown marks from a text.
    pub fn of(text: &str) -> Plain {
        let mut plain = Plain { text: String::with_capacity(text.len()), folded: OnceLock::new(), runs: Vec::new() };
        let mut at = 0;
        let mut line_start = true;
        let mut before = ' ';
        while let Some(c) = text[at..].chars().next() {
            if line_start && let Some(length) = line_mark(&text[at..]) {
                at += length;
                continue;
            }
            let rest = &text[at + c.len_utf8()..];
            let next = rest.chars().next().unwrap_or(' ');
            let skip = match c {
                '*' | '`' => Some(1),
                '_' if !before.is_alphanumeric() || !next.is_alphanumeric() => Some(1),
                '[' if is_link(rest) => Some(1),
                ']' => link_target(rest).map(|target| 1 + target),
                _ => None,
            };
            match skip {
                Some(length) => at += length,
                None if c.is_whitespace() => at += c.len_utf8(),
                None => {
                    if before.is_whitespace() && !plain.text.is_empty() {
                        plain.runs.push((plain.text.len(), at - 1));
                        plain.text.push(' ');
                    }
                    if plain.runs.last().is_none_or(|(here, there)| there + (plain.text.len() - here) != at) {
                        plain.runs.push((plain.text.len(), at));
                    }
                    plain.text.push(c);
                    at += c.len_utf8();
                }
            }
            if skip.is_none() {
                before = c;
                line_start = c == '\n' || (line_start && c.is_whitespace());
            }
        }
        plain
    }

    /// Returns the words.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Maps a byte offset to the original text.
    fn original(&self, at: usize) -> usize {
        let run = self.runs.partition_point(|(here, _)| *here <= at).saturating_sub(1);
        self.runs.get(run).map_or(at, |(here, there)| there + (at - here))
    }
}

/// Returns the length of a mark at the start of a line: `# `, `> `, `- `, `1. `.
fn line_mark(line: &str) -> Option<usize> {
    let marks = |mark: &[char], most: usize| {
        let length = line.chars().take_while(|c| mark.contains(c)).count();
        (1..=most).contains(&length).then_some(length)
    };
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let length = marks(&['#'], 6)
        .or(marks(&['>'], 1))
        .or(marks(&['-', '*', '+'], 1))
        .or(((1..=9).contains(&digits) && line[digits..].starts_with(['.', ')'])).then_some(digits + 1))?;
    let ends = line[length..].starts_with([' ', '\t']) || (line.starts_with('>') && length == 1);
    ends.then_some(length)
}

/// Maximum length of the text searched for a link's end, in bytes.
const LONGEST_LINK: usize = 1024;

/// Returns true if `rest` begins with a link's text.
fn is_link(rest: &str) -> bool {
    let rest = &rest[..rest.floor_char_boundary(LONGEST_LINK)];
    rest.find(']').is_some_and(|end| !rest[..end].contains('[') && link_target(&rest[end + 1..]).is_some())
}

/// Returns the length of a link's target after its text: `(https://…)`.
fn link_target(rest: &str) -> Option<usize> {
    let rest = rest[..rest.floor_char_boundary(LONGEST_LINK)].strip_prefix('(')?;
    let end = rest.find([')', '\n'])?;
    rest[end..].starts_with(')').then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sought(text: &str) -> Sought {
        Sought::new(text).expect("it says something")
    }

    #[test]
    fn a_sentence_is_found_however_it_is_wrapped_and_marked_up() {
        for (text, needle, places) in [
            ("Run the linter.", "the linter", &["the linter"][..]),
            ("- Run\n  the  linter.\n", "Run the linter.", &["Run\n  the  linter"]),
            ("Run\r\nthe linter", " Run\tthe\n", &["Run\r\nthe"]),
            ("ä bö ä bö", "ä bö", &["ä bö", "ä bö"]),
            ("Tests first. Tests", "tests", &["Tests", "Tests"]),
            ("tests first. Tests", "Tests", &["Tests"]),
            ("linters", "linter", &["linter"]),
            ("Never *log* **personal** `data`!", "log personal data", &["log* **personal** `data"]),
            ("> Ask\n> before you\n> delete.", "Ask before you delete", &["Ask\n> before you\n> delete"]),
            ("1. See [the guide](docs/a.md) first", "See the guide first", &["See [the guide](docs/a.md) first"]),
            ("Use `snake_case`, not [x].", "use snake_case, not [x]", &["Use `snake_case`, not [x]"]),
            ("## API keys\n\nRotate them", "API keys Rotate", &["API keys\n\nRotate"]),
            ("ÉCOLE 2 - 1", "école 2 - 1", &["ÉCOLE 2 - 1"]),
        ] {
            let sought = sought(needle);
            let found: Vec<&str> = sought.places(text).into_iter().map(|range| &text[range]).collect();
            let found: Vec<&str> = found.iter().map(|place| place.trim_end_matches('.')).collect();
            assert_eq!(found, places, "{needle:?} in {text:?}");
            assert_eq!(sought.is_in(text), !places.is_empty());
        }
        assert!(Sought::new(" \n").is_none());
    }

    #[test]
    fn what_is_like_it_is_told_from_what_is_not() {
        let alike = |needle: &str, line: &str| Line::all(line).iter().find_map(|line| sought(needle).alike(line));
        assert_eq!(alike("always RUN the linter", "- Always run the linter."), Some(100));
        assert!(alike("always run the lintre", "- Always run the linter first.").is_some_and(|alike| alike < 100));
        assert_eq!(alike("always run the linter", "Handlers return errors."), None);
        assert_eq!(alike("always run the linter", ""), None);
        assert!(
            alike("alwys rn teh linter", "In this project you always run the linter, and then commit it.").is_some()
        );
        for (text, line, mistakes) in
            [("abc", "xxabcxx", 0), ("abc", "xabxc", 1), ("abcd", "bcd", 1), ("abc", "", 3), ("äbc", "öbc", 1)]
        {
            assert_eq!(Places::of(text).mistakes_in(line), mistakes, "{text} in {line}");
        }
        for (one, other) in [("never log data", "always log dates"), ("aaa", "aa"), ("a", "ab"), ("", "")] {
            let expected = (strsim::sorensen_dice(one, other) * 100.0) as usize;
            let is_too_short = one.chars().count() < 2;
            assert!(is_too_short || percent_shared(&bigrams(one), &bigrams(other)) == expected, "{one} in {other}");
        }
        assert_eq!(percent_shared(&bigrams("äöä bb"), &bigrams("äö")), 40, "letters count, and not bytes");
        let long = "word ".repeat(60);
        assert_eq!(Places::of(&long).mistakes_in(&long), 0);
    }
}
