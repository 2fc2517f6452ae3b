//! Findings about what stands in a file, whichever harness reads it.

use super::{Finding, Kind, Subject, first_line, hidden, secret};
use crate::answer::{Fate, Purpose};
use crate::text::{self, grouped};

/// So many findings of one kind say enough.
const MOST: usize = 50;

/// The findings about the text itself. Only a file that some harness considers is looked into.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    let considered = subject.sources().next().is_some();
    if !considered {
        return found;
    }
    let name = subject.name();
    if subject.raw.as_text().is_none() {
        let at = subject.raw.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
        let invalid = subject.raw.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
        let places = if invalid == 1 { "place is" } else { "places are" };
        let message = format!("{name}: {} {places} not UTF-8; the model gets \u{fffd} there", grouped(invalid));
        found.push(Finding::new(Kind::NotUtf8, at..at + 1, message));
    }
    let decoded = subject.raw.text();
    let at = |range: std::ops::Range<usize>| match decoded {
        std::borrow::Cow::Borrowed(_) => range,
        std::borrow::Cow::Owned(_) => {
            text::raw_offset(subject.raw, range.start)..text::raw_offset(subject.raw, range.end)
        }
    };
    for run in hidden::hidden(&decoded).into_iter().take(MOST) {
        let characters = if run.count == 1 { "character" } else { "characters" };
        let message = format!(
            "{name}: {} hidden {characters}, which the model gets and people do not see: {}",
            run.count, run.meaning
        );
        found.push(Finding::new(Kind::HiddenCharacters, at(run.range), message));
    }
    for (range, what) in secret::secrets(&decoded).into_iter().take(MOST) {
        let message = format!("{name}: this looks like {what}; every agent that reads the file sends it to its model");
        found.push(Finding::new(Kind::Secret, at(range), message));
    }
    found.extend(empty(subject, &decoded));
    found.extend(long(subject));
    found.extend(link_as_text(subject, &decoded));
    found
}

fn empty(subject: &Subject, text: &str) -> Option<Finding> {
    if !text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
        return None;
    }
    let counts = |fate| matches!(fate, Fate::Empty | Fate::Loaded);
    let (answer, source) = subject.sources().find(|(_, source)| counts(source.fate))?;
    let message = match source.fate {
        Fate::Empty => format!("{}: {}: {}", subject.name(), answer.harness, source.reason),
        _ => format!("{}: there is no text in it", subject.name()),
    };
    Some(Finding { fate: Some(Fate::Empty), ..Finding::new(Kind::Empty, 0..subject.raw.len(), message) })
}

/// Long texts are followed less well. Where a harness has a limit, that is what is said.
fn long(subject: &Subject) -> Option<Finding> {
    let lines = subject.raw.size().lines;
    if subject.long == 0 || lines < subject.long {
        return None;
    }
    let unlimited = |source: &crate::answer::Source| {
        source.limit.is_none() && source.fate == Fate::Loaded && source.purpose == Purpose::Instructions
    };
    let harnesses: Vec<&str> =
        subject.sources().filter(|(_, source)| unlimited(source)).map(|(answer, _)| answer.harness.as_str()).collect();
    if harnesses.is_empty() {
        return None;
    }
    let message = format!(
        "{}: {} lines go to the model whole with every session ({}); shorter instructions are followed better",
        subject.name(),
        grouped(lines),
        harnesses.join(", ")
    );
    Some(Finding { fate: Some(Fate::Loaded), ..Finding::new(Kind::TooLong, first_line(subject.raw), message) })
}

/// Git for Windows checks links out as files that hold the path, unless it is told otherwise.
fn link_as_text(subject: &Subject, text: &str) -> Option<Finding> {
    let path = text.strip_suffix('\n').unwrap_or(text);
    let is_path = (4..200).contains(&path.len())
        && path.ends_with(".md")
        && path.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '\\'));
    if !is_path {
        return None;
    }
    let message = format!(
        "{}: it holds nothing but the path `{path}`: a link that was checked out as text (on Windows, set core.symlinks)",
        subject.name()
    );
    Some(Finding::new(Kind::LinkAsText, 0..path.len(), message))
}
