//! Finds paragraphs that two files give to one agent.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::super::words::{Paths, count};
use super::{Finding, Kind, Subject, names};
use crate::answer::{Fate, Leaf, MessageKind, Resolution, Scope};
use crate::formats::Remembered;
use crate::snapshot::Content;

/// Minimum length of a paragraph to compare, in bytes: shorter ones repeat by chance.
const SHORTEST: usize = 80;
/// Minimum length of all repeated paragraphs together, in bytes: less than that, about 100 tokens, is not worth a
/// finding.
const WORTH: usize = 400;
/// Maximum length of a file to search, in bytes: the search runs at every keystroke.
const LONGEST: usize = 256 * 1024;

/// Returns the findings about paragraphs that one agent already gets from an earlier file.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    let Some(text) = subject.raw.as_text().filter(|text| text.len() <= LONGEST) else { return Vec::new() };
    let own: Vec<Range<usize>> = paragraphs(text).collect();
    let mut found: Vec<Finding> = Vec::new();
    // Pages that others import are written for people, and repeat each other.
    let reads_it =
        |answer: &&Arc<Resolution>| answer.sources_of(subject.path).any(|source| source.scope != Scope::Import);
    if own.is_empty() {
        return found;
    }
    for answer in subject.answers.iter().filter(reads_it) {
        for finding in of_answer(subject, text, &own, answer) {
            // Most agents get the same files.
            if found.iter().all(|other| other.range != finding.range) {
                found.push(finding);
            }
        }
    }
    found
}

fn of_answer(subject: &Subject, text: &str, own: &[Range<usize>], answer: &Resolution) -> Vec<Finding> {
    let messages = answer.answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
    let mut leaves = Vec::new();
    messages.for_each(|message| message.text.leaves(&mut leaves));
    let files: Vec<(&Content, &Range<usize>)> = leaves
        .into_iter()
        .filter_map(|leaf| match leaf {
            Leaf::File(content, part) => Some((content, part)),
            Leaf::Own(_) => None,
        })
        .collect();
    let Some(at) = files.iter().position(|(content, _)| **content == *subject.raw) else { return Vec::new() };
    let (_, sent) = files[at];
    let mut found = Vec::new();
    for (other, part) in &files[..at] {
        let Some(theirs) = places_of_paragraphs(other) else { continue };
        let is_there = |words: &str| theirs.get(words).is_some_and(|at| part.start <= at.start && at.end <= part.end);
        let is_sent = |at: &Range<usize>| sent.start <= at.start && at.end <= sent.end;
        let repeated: Vec<bool> = own.iter().map(|at| is_sent(at) && is_there(&text[at.clone()])).collect();
        let all = repeated.iter().filter(|repeated| **repeated).count();
        let size: usize = own.iter().zip(&repeated).filter(|(_, repeated)| **repeated).map(|(at, _)| at.len()).sum();
        if size < WORTH {
            continue;
        }
        let Some((name, related)) = named(subject, answer, other) else { continue };
        // One file repeats another: that is one finding, at the first place.
        if let Some(run) = runs(&repeated).first() {
            let range = first_words(text, own[run.start].start)..own[run.end - 1].end;
            let (what, them) = match (all, all == run.len()) {
                (1, _) => ("this paragraph".to_owned(), "it"),
                (several, true) => (format!("these {}", count(several, "paragraph")), "them"),
                (several, false) => (format!("{}, this one the first,", count(several, "paragraph")), "them"),
            };
            let message = format!("{} loads {what} twice: {name} has {them} too", answer.title);
            found.push(Finding {
                fate: Some(Fate::Loaded),
                related,
                ..Finding::new(Kind::RepeatedParagraph, range, message).of(&answer.harness)
            });
        }
    }
    found
}

/// Returns where the text of a paragraph begins: in a code block, after the opening fence.
fn first_words(text: &str, at: usize) -> usize {
    let is_fence = text[at..].starts_with("```") || text[at..].starts_with("~~~");
    text[at..].find('\n').filter(|_| is_fence).map_or(at, |end| at + end + 1)
}

/// Returns the paragraphs of a file by their text, with their ranges. Cached, since many answers contain the same file.
fn places_of_paragraphs(content: &Content) -> Option<Arc<HashMap<String, Range<usize>>>> {
    static KNOWN: Remembered<HashMap<String, Range<usize>>> = Remembered::new();
    let text = content.as_text().filter(|text| text.len() <= LONGEST)?;
    Some(KNOWN.of(text, |text| paragraphs(text).map(|at| (text[at.clone()].to_owned(), at)).collect()))
}

/// Returns the name of the file with this content, shortened for the standpoint, and its path as a related file. The
/// file is found by its size. `None` if both files are for different agents: then each agent needs the text.
fn named(subject: &Subject, answer: &Resolution, content: &Content) -> Option<(String, Vec<(PathBuf, String)>)> {
    let size = content.size();
    let same = answer.answer.sources.iter().filter(|source| source.fate.reaches() && source.size == Some(size));
    let mut paths = same.filter_map(|source| source.path()).filter(|path| *path != subject.path);
    let path = paths.find(|path| names::are_for_one_agent(subject.path, path))?;
    Some((Paths::of(answer).path(path), vec![(path.to_owned(), "the same paragraph".to_owned())]))
}

/// Iterates over the paragraphs that are long enough to compare: lines between blank lines, without surrounding white
/// space.
fn paragraphs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let (mut found, mut at, mut open): (Vec<Range<usize>>, usize, bool) = (Vec::new(), 0, false);
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        if words.is_empty() {
            open = false;
        } else {
            let start = at + line.find(words).unwrap_or(0);
            let end = start + words.len();
            match found.last_mut().filter(|_| open) {
                Some(last) => last.end = end,
                None => found.push(start..end),
            }
            open = true;
        }
        at += line.len();
    }
    found.into_iter().filter(|at| at.len() >= SHORTEST)
}

/// Returns the runs of `true`.
fn runs(repeated: &[bool]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in (0..repeated.len()).filter(|at| repeated[*at]) {
        match found.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_stand_between_blank_lines_and_say_enough() {
        let long = "word ".repeat(20);
        let text = format!("# Short\n\n  {long}\n- more\n\r\n\n{long}");
        let found: Vec<_> = paragraphs(&text).map(|at| text[at].to_owned()).collect();
        assert_eq!(found, [format!("{long}\n- more"), long.trim_end().to_owned()]);
        assert_eq!(runs(&[true, true, false, true]), [0..2, 3..4]);
    }
}
