//! Document links: imports and settings entries that resolve to exactly one place.

use std::ops::Range;

use super::findings::Subject;
use super::mentions::{Named, named};
use crate::answer::Place;

/// A link in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Byte range in the file.
    pub at: Range<usize>,
    /// Target of the link.
    pub to: Place,
    /// Ids of the agents that resolve this text.
    pub harnesses: Vec<String>,
}

/// Returns the links of a file, in text order.
pub fn links(subject: &Subject) -> Vec<Link> {
    let named = named(subject.path, subject.raw, &subject.everywhere());
    let link = |words: Named| match <[Place; 1]>::try_from(words.leads_to) {
        Ok([to]) => Some(Link { at: words.at, to, harnesses: words.harnesses }),
        Err(_) => None,
    };
    named.into_iter().filter_map(link).collect()
}

/// Returns the mention at a byte: its range and all places that it resolves to.
pub fn leads(subject: &Subject, byte: usize) -> Option<(Range<usize>, Vec<Place>)> {
    let named = named(subject.path, subject.raw, &subject.everywhere());
    // The mark of an import belongs to it.
    let mark = |start: usize| usize::from(start > 0 && subject.raw[start - 1] == b'@');
    let words =
        named.into_iter().find(|words| words.at.start - mark(words.at.start) <= byte && byte <= words.at.end)?;
    Some((words.at, words.leads_to))
}
