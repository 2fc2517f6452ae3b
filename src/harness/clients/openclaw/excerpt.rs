//! A text that tracks which of its bytes come from a file.

use std::ops::Range;

use super::units;
use crate::text::utf16_len;

/// Part of a file's decoded text, with markers in between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    text: String,
    /// Byte ranges of `text` that come from the file, each with its position in the file's decoded text; in order.
    taken: Vec<(Range<usize>, usize)>,
    /// Positions in `text` of half surrogate pairs: they count for the budget, but are lost before the text is sent.
    halves: Vec<usize>,
}

impl Excerpt {
    /// Creates a text that is not from a file.
    pub fn made(text: impl Into<String>) -> Excerpt {
        Excerpt { text: text.into(), ..Excerpt::default() }
    }

    /// Creates a text from the beginning of a file's decoded text.
    pub fn whole(text: &str) -> Excerpt {
        let mut excerpt = Excerpt::default();
        excerpt.take(text, 0);
        excerpt
    }

    /// Appends a text that is not from the file.
    pub fn make(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends a part of the file that begins at byte `at` of its decoded text.
    pub fn take(&mut self, text: &str, at: usize) {
        let start = self.text.len();
        self.text.push_str(text);
        if !text.is_empty() {
            self.taken.push((start..self.text.len(), at));
        }
    }

    /// Appends half a surrogate pair, which is counted but is not text.
    pub fn take_half(&mut self) {
        self.halves.push(self.text.len());
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its length in UTF-16 units, as the client counts it.
    pub fn units(&self) -> usize {
        utf16_len(&self.text) + self.halves.len()
    }

    /// Returns the length of the file's text in it, in UTF-16 units, without the markers.
    pub fn units_of_file(&self) -> usize {
        self.taken.iter().map(|(taken, _)| utf16_len(&self.text[taken.clone()])).sum()
    }

    /// Keeps at most `units` UTF-16 units; returns true if anything was cut.
    pub fn cut(&mut self, units: usize) -> bool {
        if self.units() <= units {
            return false;
        }
        let before = |(index, at): &(usize, &usize)| utf16_len(&self.text[..**at]) + index < units;
        let halves = self.halves.iter().enumerate().take_while(before).count();
        self.halves.truncate(halves);
        let kept = units::prefix(&self.text, units - halves).len();
        self.text.truncate(kept);
        self.taken.retain_mut(|(range, _)| {
            range.end = range.end.min(kept);
            range.start < range.end
        });
        true
    }

    /// Returns the text without the byte ranges `removed`, which are in order.
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

    /// Returns the byte ranges of the file's decoded text that are still included.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        let mut taken: Vec<Range<usize>> = self.taken.iter().map(|(range, at)| *at..at + range.len()).collect();
        taken.sort_by_key(|range| range.start);
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for range in taken {
            match ranges.last_mut() {
                Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
                _ => ranges.push(range),
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

    #[test]
    fn half_a_pair_is_counted_and_no_text() {
        let mut excerpt = Excerpt::default();
        excerpt.take("ab", 0);
        excerpt.take_half();
        excerpt.make("\n");
        excerpt.take("ab😀", 0);
        assert_eq!((excerpt.text(), excerpt.units()), ("ab\nab😀", 8));
        assert!(excerpt.ranges().iter().eq([&(0..6)]));
        for (units, text) in
            [(8, "ab\nab😀"), (7, "ab\nab"), (6, "ab\nab"), (4, "ab\n"), (3, "ab"), (2, "ab"), (1, "a")]
        {
            let mut cut = excerpt.clone();
            assert_eq!((cut.cut(units), cut.text()), (units < 8, text), "{units} units");
        }
    }
}
