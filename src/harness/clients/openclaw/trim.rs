//! Cuts a file to its budget: head, marker and tail, and for AGENTS.md a digest of its policy lines.
//!
//! The markers name the planned lengths, even if a slice shrinks so as not to split a surrogate pair.

use super::digest::{candidates, digest};
use super::excerpt::Excerpt;
use super::units;
use crate::text::{js_trim_end, utf16_len};

/// Method by which an edition divides a budget. Shares of the limit are IEEE doubles, then floored, as in JavaScript.
pub enum Method {
    /// Head and tail of these shares of the limit, plus the marker. As in JavaScript's `slice(-0)`, a tail of length
    /// zero is the whole text; halves of surrogate pairs are counted.
    HeadAndTail(f64, f64),
    /// Head and tail of what the marker leaves, so that the limit is kept; AGENTS.md with a digest.
    Fitting(Shares),
}

/// The shares of [`Method::Fitting`].
pub struct Shares {
    /// Ordinary files: head and tail of what the marker leaves.
    pub file: (f64, f64),
    /// AGENTS.md: head, tail and digest of the limit.
    pub agents: (f64, f64, f64),
    /// Minimum that the long marker must leave for the file, in UTF-16 units; otherwise the short one is used.
    pub least_utf16: usize,
}

/// A file after trimming.
pub struct Trimmed {
    /// Remaining text.
    pub excerpt: Excerpt,
    /// True if something is missing.
    pub truncated: bool,
    /// Length of the file without trailing white space, in UTF-16 units.
    pub length: usize,
}

/// Cuts `content`, the decoded text of the file `name`, to at most `limit` UTF-16 units.
pub fn trim(content: &str, name: &str, limit: usize, method: &Method) -> Trimmed {
    let text = js_trim_end(content);
    let length = utf16_len(text);
    if length <= limit {
        return Trimmed { excerpt: Excerpt::whole(text), truncated: false, length };
    }
    let cut = Cut { text, length, limit };
    let mut excerpt = match method {
        Method::HeadAndTail(head, tail) => cut.head_and_tail(name, share(limit, *head), share(limit, *tail)),
        Method::Fitting(shares) if name.eq_ignore_ascii_case("AGENTS.md") => cut.agents(shares),
        Method::Fitting(shares) => cut.ordinary(name, shares),
    };
    if let Method::Fitting(_) = method {
        excerpt.cut(limit);
    }
    Trimmed { excerpt, truncated: true, length }
}

/// A text that is longer than its limit.
struct Cut<'a> {
    text: &'a str,
    length: usize,
    limit: usize,
}

impl Cut<'_> {
    fn head(&self, units: usize) -> &str {
        units::prefix(self.text, units)
    }

    fn tail(&self, units: usize) -> &str {
        units::suffix(self.text, units)
    }

    fn take_tail(&self, out: &mut Excerpt, units: usize) {
        let tail = self.tail(units);
        out.take(tail, self.text.len() - tail.len());
    }

    fn head_and_tail(&self, name: &str, head: usize, tail: usize) -> Excerpt {
        let mut out = Excerpt::default();
        out.take(self.head(head), 0);
        if utf16_len(self.head(head)) < head {
            out.take_half();
        }
        let marker = Marker::Long { name, of: self.length };
        out.make(&format!("\n{}\n", marker.text(head, tail)));
        if tail == 0 {
            // JavaScript's `slice(-0)`.
            out.take(self.text, 0);
            return out;
        }
        if utf16_len(self.tail(tail)) < tail {
            out.take_half();
        }
        self.take_tail(&mut out, tail);
        out
    }

    fn ordinary(&self, name: &str, shares: &Shares) -> Excerpt {
        let marker = Marker::fitting(name, self, shares.least_utf16);
        let (mut head, mut tail) = (0, 0);
        let mut length = marker.units(0, 0);
        // The marker names the counts, so its length depends on them; the client does three rounds as well.
        for _ in 0..3 {
            let left = self.limit.saturating_sub(length + marker.separators(head, tail));
            let (next_head, next_tail) = (share(left, shares.file.0), share(left, shares.file.1));
            let next_length = marker.units(next_head, next_tail);
            if (next_head, next_tail, next_length) == (head, tail, length) {
                break;
            }
            (head, tail, length) = (next_head, next_tail, next_length);
        }
        let rendered = |head, tail| head + tail + marker.units(head, tail) + marker.separators(head, tail);
        while rendered(head, tail) > self.limit && (head > 0 || tail > 0) {
            let over = rendered(head, tail) - self.limit;
            let shrinks = if tail > 0 { &mut tail } else { &mut head };
            *shrinks = shrinks.saturating_sub(over);
        }
        if head == 0 && tail == 0 && rendered(1, 0) <= self.limit {
            head = 1;
        }
        marker.render(self, head, tail)
    }

    fn agents(&self, shares: &Shares) -> Excerpt {
        let (mut head, mut tail, mut budget) = (
            share(self.limit, shares.agents.0),
            share(self.limit, shares.agents.1),
            share(self.limit, shares.agents.2),
        );
        let candidates = if budget > 0 { candidates(self.text) } else { Vec::new() };
        let mut kept = digest(&candidates, budget);
        loop {
            let mut out = Excerpt::default();
            out.take(self.head(head), 0);
            let mut line = |part: &str| {
                if !part.is_empty() {
                    out.make(if out.text().is_empty() { "" } else { "\n" });
                    out.make(part);
                }
            };
            line("[...truncated, read AGENTS.md for full content...]");
            line(if kept.text.is_empty() { "" } else { "[Policy digest from AGENTS.md]" });
            line(&kept.text);
            if kept.omitted > 0 {
                line(&format!("[...{} more policy lines omitted...]", kept.omitted));
            }
            line(&format!(
                "…(truncated AGENTS.md: kept {head}+policy {}+{tail} chars of {})…",
                kept.units, self.length
            ));
            if tail > 0 && !self.tail(tail).is_empty() {
                out.make("\n");
                self.take_tail(&mut out, tail);
            }
            let length = out.units();
            if length <= self.limit || (tail == 0 && head <= 1 && budget == 0) {
                return out;
            }
            let over = length - self.limit;
            if tail > 0 {
                tail = tail.saturating_sub(over);
            } else if head > 1 {
                head = head.saturating_sub(over).max(1);
            } else {
                budget = budget.saturating_sub(over);
                kept = digest(&candidates, budget);
            }
        }
    }
}

/// Text between head and tail.
enum Marker<'a> {
    /// Two lines that name the file, with an empty line on either side.
    Long { name: &'a str, of: usize },
    /// A few characters within the line.
    Short { of: usize },
}

impl<'a> Marker<'a> {
    fn fitting(name: &'a str, cut: &Cut, least: usize) -> Marker<'a> {
        let long = Marker::Long { name, of: cut.length };
        let around = long.units(0, 0) + long.separators(1, 1);
        if cut.limit >= around + least { long } else { Marker::Short { of: cut.length } }
    }

    fn text(&self, head: usize, tail: usize) -> String {
        match self {
            Marker::Long { name, of } => format!(
                "\n[...truncated, read {name} for full content...]\n…(truncated {name}: kept {head}+{tail} chars of {of})…\n"
            ),
            Marker::Short { of } => format!("[…truncated {head}+{tail}/{of}]"),
        }
    }

    fn units(&self, head: usize, tail: usize) -> usize {
        utf16_len(&self.text(head, tail))
    }

    fn separators(&self, head: usize, tail: usize) -> usize {
        match self {
            Marker::Long { .. } => usize::from(head > 0) + usize::from(tail > 0),
            Marker::Short { .. } => 0,
        }
    }

    fn render(&self, cut: &Cut, head: usize, tail: usize) -> Excerpt {
        let separator = match self {
            Marker::Long { .. } => "\n",
            Marker::Short { .. } => "",
        };
        let mut out = Excerpt::default();
        if !cut.head(head).is_empty() {
            out.take(cut.head(head), 0);
            out.make(separator);
        }
        out.make(&self.text(head, tail));
        if tail > 0 && !cut.tail(tail).is_empty() {
            out.make(separator);
            cut.take_tail(&mut out, tail);
        }
        out
    }
}

fn share(of: usize, ratio: f64) -> usize {
    (of as f64 * ratio).floor() as usize
}
