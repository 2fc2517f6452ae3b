//! What can be followed from a file: each import and each entry that leads to one place.

use std::ops::Range;

use super::findings::Subject;
use super::mentions::{Named, named};
use crate::answer::Place;

/// Words that can be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where they stand, in bytes of the file.
    pub at: Range<usize>,
    /// Where they lead.
    pub to: Place,
    /// To which harnesses that means something.
    pub harnesses: Vec<String>,
}

/// The links of a file, in its order.
pub fn links(subject: &Subject) -> Vec<Link> {
    let named = named(subject.path, subject.raw, &subject.everywhere());
    let link = |words: Named| match <[Place; 1]>::try_from(words.leads_to) {
        Ok([to]) => Some(Link { at: words.at, to, harnesses: words.harnesses }),
        Err(_) => None,
    };
    named.into_iter().filter_map(link).collect()
}

/// Everything that the words at a byte lead to.
pub fn leads(subject: &Subject, byte: usize) -> Option<(Range<usize>, Vec<Place>)> {
    let named = named(subject.path, subject.raw, &subject.everywhere());
    let words = named.into_iter().find(|words| words.at.start <= byte && byte <= words.at.end)?;
    Some((words.at, words.leads_to))
}
