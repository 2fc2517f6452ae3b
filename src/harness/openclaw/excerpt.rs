//! A text that remembers which of its bytes were taken from a file.

use std::ops::Range;

use super::units;
use crate::text::utf16_len;

/// What is left of a file's decoded text, with markers in between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    text: String,
    /// Byte ranges of `text`, and where in the file's decoded text each begins; in order.
    taken: Vec<(Range<usize>, usize)>,
}

impl Excerpt {
    /// A text that is not from a file.
    pub fn made(text: impl Into<String>) -> Excerpt {
        Excerpt { text: text.into(), taken: Vec::new() }
    }

    /// The beginning of a file's decoded text.
    pub fn whole(text: &str) -> Excerpt {
        let mut excerpt = Excerpt::default();
        excerpt.take(text, 0);
        excerpt
    }

    /// Appends a text that is not from the file.
    pub fn make(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends a part of the file that stands at byte `at` of its decoded text.
    pub fn take(&mut self, text: &str, at: usize) {
        let start = self.text.len();
        self.text.push_str(text);
        if !text.is_empty() {
            self.taken.push((start..self.text.len(), at));
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its length in UTF-16 units.
    pub fn units(&self) -> usize {
        utf16_len(&self.text)
    }

    /// Keeps at most `units` UTF-16 units; whether anything was cut.
    pub fn cut(&mut self, units: usize) -> bool {
        let kept = units::prefix(&self.text, units).len();
        if kept == self.text.len() {
            return false;
        }
        self.text.truncate(kept);
        self.taken.retain_mut(|(range, _)| {
            range.end = range.end.min(kept);
            range.start < range.end
        });
        true
    }

    /// The text less the byte ranges `removed`, which are in order.
    pub fn without(&self, removed: &[Range<usize>]) -> Excerpt {
        let mut out = Excerpt::default();
        let mut from = 0;
        for gap in removed {
            out.copy(self, from..gap.start);
            from = gap.end;
        }
        out.copy(self, from..self.text.len());
        out
    }

    /// Byte ranges of the file's decoded text that are still here.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (range, at) in &self.taken {
            match ranges.last_mut() {
                Some(last) if last.end == *at => last.end = at + range.len(),
                _ => ranges.push(*at..at + range.len()),
            }
        }
        ranges
    }

    fn copy(&mut self, from: &Excerpt, range: Range<usize>) {
        let shift = self.text.len();
        self.text.push_str(&from.text[range.clone()]);
        for (taken, at) in &from.taken {
            let (start, end) = (taken.start.max(range.start), taken.end.min(range.end));
            if start < end {
                self.taken.push((start - range.start + shift..end - range.start + shift, at + (start - taken.start)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_knows_what_is_left_of_the_file() {
        let mut excerpt = Excerpt::default();
        excerpt.take("head", 0);
        excerpt.make("\n…\n");
        excerpt.take("tail", 100);
        assert_eq!(excerpt.ranges(), [0..4, 100..104]);
        let without = excerpt.without(&[1..2, 9..11]);
        assert_eq!((without.text(), without.ranges()), ("had\n…\nil", vec![0..1, 2..4, 102..104]));
        assert!(excerpt.cut(9));
        assert_eq!((excerpt.text(), excerpt.ranges()), ("head\n…\nta", vec![0..4, 100..102]));
        assert!(!excerpt.cut(9));
    }
}
