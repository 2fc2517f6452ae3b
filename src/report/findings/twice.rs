//! Finds text that one agent gets twice.

use std::collections::HashSet;

use super::super::markdown::headings;
use super::super::words::Paths;
use super::{Finding, Kind, Subject, first_line};
use crate::answer::{Fate, MessageKind, Resolution, Source};
use crate::snapshot::Content;
use crate::text::without_comments;

/// Minimum length of a text to compare, in bytes: shorter texts repeat by chance.
const SHORTEST: usize = 40;
/// Maximum length of a text to compare, in bytes: the search runs at every keystroke.
const LONGEST: usize = 256 * 1024;
/// Minimum number of lines of a text that may be a copy.
const FEWEST: usize = 10;
/// Minimum number of headings of a text that may be another edition.
const FEWEST_HEADINGS: usize = 4;
/// Number of lines at the beginning of a copy that may be its own.
const OWN: usize = 2;

/// Returns the findings about text that one agent gets twice.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    let Some(text) = searchable(subject.raw) else { return Vec::new() };
    let mut found = Vec::new();
    for answer in subject.answers {
        let own = answer.sources_of(subject.path).find(|source| is_there(source));
        let Some(own) = own.filter(|own| own.fate == Fate::Loaded) else { continue };
        // The agent's rules report it already.
        if answer.warnings_about(subject.path).any(|warning| warning.code == "loaded-twice") {
            continue;
        }
        let same_size = |other: &&Source| other.place != own.place && is_there(other) && other.size == own.size;
        // A second load of the same file, such as by an import, is not reported here. Of two files, the later one
        // repeats the earlier.
        let mut earlier = answer.answer.sources.iter().take_while(|other| !std::ptr::eq(*other, own));
        let Some(other) = earlier.find(same_size) else { continue };
        if count(text, answer) < 2 {
            continue;
        }
        let paths = Paths::of(answer);
        let name = other.path().map_or_else(|| other.place.to_string(), |path| paths.path(path));
        let message = format!("{} loads this text twice: {name} has it too", answer.title);
        let related = other.path().map(|path| (path.to_owned(), "the same text".to_owned()));
        found.push(Finding {
            fate: Some(own.fate),
            related: related.into_iter().collect(),
            ..Finding::new(Kind::LoadedTwice, first_line(subject.raw), message).of(&answer.harness)
        });
    }
    found
}

/// Returns true if an agent gets the text, from whatever file. Comments are ignored, since some agents remove them.
pub(super) fn is_said_elsewhere(raw: &Content, answer: &Resolution) -> bool {
    let Some(text) = searchable(raw) else { return false };
    if texts(answer).any(|message| message.contains(text)) {
        return true;
    }
    let own = without_comments(text);
    own.len() >= SHORTEST && texts(answer).any(|message| without_comments(message).contains(&own))
}

/// Returns true if an agent gets every line of the text from other files, except for the first two: a copy that was
/// made for another agent has a title and an introduction of its own.
pub(super) fn is_a_copy(raw: &Content, answer: &Resolution) -> bool {
    let Some(text) = raw.as_text() else { return false };
    let said: HashSet<&str> = texts(answer).flat_map(str::lines).map(str::trim).collect();
    let says_something = |line: &&str| line.contains(char::is_alphanumeric) && !line.starts_with("```");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(says_something).collect();
    lines.len() >= FEWEST && lines.iter().skip(OWN).all(|line| said.contains(line))
}

/// Returns true if three quarters of the headings of a text stand in the texts that an agent gets: they are another
/// edition of it, written for this agent.
pub(super) fn is_an_edition(raw: &Content, answer: &Resolution) -> bool {
    let Some(text) = searchable(raw) else { return false };
    let own = headings(text);
    let said: HashSet<String> = texts(answer).flat_map(headings).collect();
    let shared = own.iter().filter(|heading| said.contains(*heading)).count();
    own.len() >= FEWEST_HEADINGS && shared * 4 >= own.len() * 3
}

fn searchable(raw: &Content) -> Option<&str> {
    let text = raw.as_text()?.trim();
    (SHORTEST..=LONGEST).contains(&text.len()).then_some(text)
}

fn count(text: &str, answer: &Resolution) -> usize {
    texts(answer).map(|message| message.matches(text).count()).sum()
}

/// Returns the texts of the instructions that an agent gets.
pub(super) fn texts(answer: &Resolution) -> impl Iterator<Item = &str> {
    let messages = answer.answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
    messages.map(|message| &*message.text)
}

fn is_there(source: &Source) -> bool {
    matches!(source.fate, Fate::Loaded | Fate::Truncated)
}
