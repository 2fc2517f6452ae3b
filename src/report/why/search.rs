//! Finds a sentence however it is wrapped and indented, and what is like it.

use std::ops::Range;

/// From this share on a line is worth showing to somebody who misremembers it, in percent.
const ALIKE_PERCENT: usize = 60;

/// A longer line is not compared letter by letter, in bytes.
const LONGEST_LINE_BYTES: usize = 4096;

/// A text that is looked for. White space counts as one space, whatever it is.
pub struct Sought {
    /// Its words, with a space between them.
    text: String,
    /// The same in lower case, for what is only like it.
    lower: String,
}

impl Sought {
    /// A text to look for; `None` if it says nothing.
    pub fn new(text: &str) -> Option<Sought> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then(|| Sought { lower: text.to_lowercase(), text })
    }

    /// Every place in a text where it stands, in bytes.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        let (joined, starts) = joined(text);
        let place = |at: usize| {
            let end = at + self.text.len();
            // The last byte, and not the white space behind it.
            self.original(&starts, at)..self.original(&starts, end - 1) + 1
        };
        joined.match_indices(&self.text).map(|(at, _)| place(at)).collect()
    }

    fn original(&self, starts: &[(usize, usize)], at: usize) -> usize {
        let run = starts.partition_point(|(joined, _)| *joined <= at).saturating_sub(1);
        starts.get(run).map_or(at, |(joined, original)| original + (at - joined))
    }

    /// Whether a text says it.
    pub fn is_in(&self, text: &str) -> bool {
        // Most of the time it stands there as it is.
        text.contains(&self.text) || joined(text).0.contains(&self.text)
    }

    /// How much of it a line says, in percent, if that is worth knowing.
    pub(super) fn alike(&self, line: &str) -> Option<usize> {
        let line = joined(line).0.to_lowercase();
        if line.is_empty() || line.len() > LONGEST_LINE_BYTES {
            return None;
        }
        let words: Vec<&str> = self.lower.split(' ').collect();
        let shared = words.iter().filter(|word| line.split(' ').any(|other| other == **word)).count();
        let by_words = shared * 100 / words.len();
        let by_letters = (strsim::sorensen_dice(&self.lower, &line) * 100.0) as usize;
        let alike = if line.contains(&self.lower) { 100 } else { by_words.max(by_letters).min(99) };
        (alike >= ALIKE_PERCENT).then_some(alike)
    }
}

/// The words of a text with one space between them, and where each run of them begins there and in the text.
fn joined(text: &str) -> (String, Vec<(usize, usize)>) {
    let mut joined = String::with_capacity(text.len());
    let mut starts = Vec::new();
    for word in text.split_whitespace() {
        if !joined.is_empty() {
            joined.push(' ');
        }
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        starts.push((joined.len(), at));
        joined.push_str(word);
    }
    (joined, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sought(text: &str) -> Sought {
        Sought::new(text).expect("it says something")
    }

    #[test]
    fn a_sentence_is_found_however_it_is_wrapped() {
        for (text, needle, places) in [
            ("Run the linter.", "the linter", &["the linter"][..]),
            ("- Run\n  the  linter.\n", "Run the linter.", &["Run\n  the  linter."]),
            ("Run\r\nthe linter", " Run\tthe\n", &["Run\r\nthe"]),
            ("ä bö ä bö", "ä bö", &["ä bö", "ä bö"]),
            ("Tests first. Tests", "tests", &[]),
            ("linters", "linter", &["linter"]),
        ] {
            let sought = sought(needle);
            let found: Vec<&str> = sought.places(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, places, "{needle:?} in {text:?}");
            assert_eq!(sought.is_in(text), !places.is_empty());
        }
        assert!(Sought::new(" \n").is_none());
    }

    #[test]
    fn what_is_like_it_is_told_from_what_is_not() {
        let alike = |needle: &str, line: &str| sought(needle).alike(line);
        assert_eq!(alike("always RUN the linter", "- Always run the linter."), Some(100));
        assert!(alike("always run the lintre", "- Always run the linter first.").is_some_and(|alike| alike < 100));
        assert_eq!(alike("always run the linter", "Handlers return errors."), None);
        assert_eq!(alike("always run the linter", ""), None);
    }
}
