//! What words lead to that name files: an import, a path or a pattern in a settings file.

use std::fmt::Write;

use super::super::findings::title;
use super::super::words::{fate, list};
use super::{Hover, cell};
use crate::answer::Place;
use crate::report::findings::Subject;
use crate::report::mentions::{Named, named};
use crate::report::paths::short;
use crate::text::grouped;

/// How many files a pattern may match before the rest is only counted.
const SHOWN: usize = 20;

/// What is said of the words at a byte.
pub(super) fn hover(subject: &Subject, byte: usize) -> Option<Hover> {
    let named = named(subject.path, subject.raw, &subject.everywhere());
    let words = named.into_iter().find(|words| words.at.start <= byte && byte <= words.at.end)?;
    Some(Hover { text: said(&words, subject), at: words.at })
}

fn said(words: &Named, subject: &Subject) -> String {
    let beside = subject.beside().map(|(beside, _)| beside);
    let named = |id| title(subject, Some(id)).or_else(|| title(beside.as_ref()?, Some(id)));
    let titles: Vec<&str> = words.harnesses.iter().filter_map(|id| named(id)).collect();
    let who = list(&titles);
    let mut text = match words.leads_to.len() {
        0 => format!("`{}` matches no file ({who})\n", words.text),
        1 if !words.is_pattern() => String::new(),
        count => format!("`{}` matches {} files ({who})\n\n", words.text, grouped(count)),
    };
    for place in words.leads_to.iter().take(SHOWN) {
        let name = match place {
            Place::Path(path) => subject
                .answers
                .first()
                .map_or_else(|| path.display().to_string(), |answer| short(path, &answer.standpoint)),
            url @ Place::Url(_) => url.to_string(),
        };
        let _ = writeln!(text, "- {}{}", cell(&name), fates(place, words, subject));
    }
    if let Some(more) = words.leads_to.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(text, "- and {} more", grouped(more));
    }
    text
}

/// What becomes of a file for each harness to which the words mean something.
fn fates(place: &Place, words: &Named, subject: &Subject) -> String {
    let mut said = String::new();
    for answer in subject.everywhere().iter().filter(|answer| words.harnesses.contains(&answer.harness)) {
        let Some(source) = answer.answer.sources.iter().find(|source| source.place == *place) else { continue };
        let size = source.size.map_or_else(String::new, |size| format!(", {} B", grouped(size.bytes)));
        let _ = write!(said, "; {}: {}{size}", answer.title, fate(source.fate));
    }
    said
}
