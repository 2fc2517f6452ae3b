//! Findings about the content of a file that hold for any agent.

use std::borrow::Cow;
use std::ops::Range;

use super::super::words::{Paths, count, list};
use super::{Finding, Kind, Subject, first_line, hidden, secret};
use crate::answer::{Fate, Purpose, Source, Trigger};
use crate::text::{self, grouped};

/// Maximum number of findings of one kind.
const MOST: usize = 50;

/// Returns the findings about the text itself, only for files that some agent considers.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    if subject.sources().next().is_none() {
        return found;
    }
    if is_utf16(subject.raw) {
        let message = "this looks like UTF-16, with a NUL in every other byte: save the file as UTF-8".to_owned();
        found.push(Finding::new(Kind::NotUtf8, first_line(subject.raw), message));
        return found;
    }
    if subject.raw.as_text().is_none() {
        let at = subject.raw.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
        let invalid = subject.raw.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
        let places = count(invalid, "invalid byte sequence");
        let message = format!("not UTF-8: the model gets \u{fffd} in place of {places}; save the file as UTF-8");
        found.push(Finding::new(Kind::NotUtf8, at..at + 1, message));
    }
    let decoded = subject.raw.text();
    let at = |range: Range<usize>| match decoded {
        Cow::Borrowed(_) => range,
        Cow::Owned(_) => text::raw_offset(subject.raw, range.start)..text::raw_offset(subject.raw, range.end),
    };
    for run in hidden::hidden(&decoded).into_iter().take(MOST) {
        let message = format!("{} that only the model sees: {}", count(run.count, "hidden character"), run.meaning);
        found.push(Finding::new(Kind::HiddenCharacters, at(run.range), message));
    }
    for (range, what) in secret::secrets(&decoded).into_iter().take(MOST) {
        let message = format!("this looks like {what}, and every agent that loads the file sends it to its model");
        found.push(Finding::new(Kind::Secret, at(range), message));
    }
    found.extend(empty(subject, &decoded));
    found.extend(long(subject));
    found.extend(link_as_text(&decoded));
    found
}

/// Returns true for a text of two bytes per character: a third of them or more is NUL.
fn is_utf16(raw: &[u8]) -> bool {
    let marked = raw.starts_with(b"\xff\xfe") || raw.starts_with(b"\xfe\xff");
    marked || (raw.len() > 3 && raw.iter().filter(|byte| **byte == 0).count() >= raw.len() / 3)
}

fn empty(subject: &Subject, text: &str) -> Option<Finding> {
    if !text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
        return None;
    }
    let counts = |fate| matches!(fate, Fate::Empty | Fate::Loaded);
    let (answer, source) = subject.sources().find(|(_, source)| counts(source.fate))?;
    let message = match source.fate {
        Fate::Empty => format!("{}: {}", answer.title, Paths::of(answer).text(&source.reason)),
        _ => "this file has no text".to_owned(),
    };
    Some(Finding { fate: Some(Fate::Empty), ..Finding::new(Kind::Empty, 0..subject.raw.len(), message) })
}

/// Returns a finding for a long file that agents load without a limit, since models follow long texts less well. For an
/// agent with a limit, use of the limit is reported instead.
fn long(subject: &Subject) -> Option<Finding> {
    let lines = subject.raw.size().lines;
    if subject.long == 0 || lines < subject.long {
        return None;
    }
    let unlimited = |source: &Source| {
        source.limit.is_none() && source.fate == Fate::Loaded && source.purpose == Purpose::Instructions
    };
    let (start, later): (Vec<_>, Vec<_>) = subject
        .sources()
        .filter(|(_, source)| unlimited(source))
        .map(|(answer, source)| (answer.title.as_str(), source.trigger))
        .partition(|(_, trigger)| *trigger == Trigger::Session);
    let moments = [(start, "with every session"), (later, "when a file beside or below is read")];
    let mut said = Vec::new();
    for (titles, moment) in moments.into_iter().filter(|(titles, _)| !titles.is_empty()) {
        let verb = if titles.len() == 1 { "sends" } else { "send" };
        let titles: Vec<&str> = titles.into_iter().map(|(title, _)| title).collect();
        said.push(if said.is_empty() {
            format!("{} {verb} these {} lines {moment}", list(&titles), grouped(lines))
        } else {
            format!("{} {moment}", list(&titles))
        });
    }
    if said.is_empty() {
        return None;
    }
    let message = format!("{}; models follow shorter instructions better", said.join(", "));
    Some(Finding { fate: Some(Fate::Loaded), ..Finding::new(Kind::TooLong, first_line(subject.raw), message) })
}

/// Returns a finding for a file that contains only a path or a link to another file. By default, Git for Windows checks
/// out a symbolic link as a file that contains its path. A lone Markdown link, or an `!include` of other tools, does
/// not bring an agent the text either.
fn link_as_text(text: &str) -> Option<Finding> {
    let (path, is_bare) = only_path(text)?;
    let message = if is_bare {
        format!(
            "this file holds only the path `{path}`, as git checks a link out without core.symlinks: no agent is sent the text behind it"
        )
    } else {
        format!("this file holds only a link to `{path}`: no agent is sent the text behind it")
    };
    Some(Finding::new(Kind::LinkAsText, 0..text.trim_end().len(), message))
}

/// Returns the path of a Markdown file that is all that a text holds, and whether it stands there bare.
pub fn only_path(text: &str) -> Option<(&str, bool)> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let link = || text.strip_prefix('[')?.split_once("](")?.1.strip_suffix(')');
    let path = text.strip_prefix("!include ").or_else(link).unwrap_or(text);
    let is_path = (4..200).contains(&path.len())
        && path.ends_with(".md")
        && path.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '\\'));
    is_path.then_some((path, path == text))
}
