//! What the model sees where a file is cut: the end of the head, the marker, the beginning of the tail.

use std::ops::Range;

use super::super::words::Paths;
use super::{Hover, fenced};
use crate::answer::{Fate, Resolution, Source};
use crate::report::findings::{Subject, gaps};
use crate::report::markdown::inert;
use crate::text::{self, grouped};

/// How much is shown of what stands around a cut, in bytes.
const AROUND_BYTES: usize = 160;

/// And in lines.
const AROUND_LINES: usize = 2;

/// The longest marker that is looked for between head and tail, in bytes.
const MARKER_BYTES: usize = 1024;

/// What is said of the cuts at a byte: in the text that is lost, and in the lines where it begins and ends.
pub(super) fn hover(subject: &Subject, byte: usize) -> Option<Hover> {
    let (mut said, mut seen) = (Vec::new(), Vec::new());
    let mut at: Option<Range<usize>> = None;
    for (answer, source) in subject.sources().filter(|(_, source)| source.fate == Fate::Truncated) {
        for gap in gaps(&source.kept, subject.raw.len()) {
            let lines = lines(subject.raw, &gap);
            if byte < lines.start || byte > lines.end {
                continue;
            }
            said.push(sentence(answer, source, subject.raw, &gap));
            seen.push((&*answer.title, excerpt(answer, source, subject.raw, &gap)));
            at.get_or_insert(gap);
        }
    }
    // One excerpt shows how it looks; where agents are cut at different places, it is that of the first.
    let (title, first) = seen.first()?;
    let model = if seen.iter().all(|(_, other)| other == first) { "The model" } else { title };
    let sees = format!("{model} sees\n\n{}", fenced(first));
    let said = match said.as_slice() {
        [one] => one.clone(),
        _ => said.iter().map(|one| format!("- {one}")).collect::<Vec<_>>().join("\n"),
    };
    at.map(|at| Hover { text: format!("{said}\n\n{sees}"), at })
}

/// A range up to the ends of its lines.
fn lines(raw: &[u8], range: &Range<usize>) -> Range<usize> {
    let start = raw[..range.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let end = raw[range.end..].iter().position(|byte| *byte == b'\n').map_or(raw.len(), |end| range.end + end);
    start..end
}

fn sentence(answer: &Resolution, source: &Source, raw: &[u8], gap: &Range<usize>) -> String {
    let percent = gap.len() * 100 / raw.len().max(1);
    format!(
        "**{}** cuts {} of {} B here ({percent} %): {}",
        answer.title,
        grouped(gap.len()),
        grouped(raw.len()),
        inert(&Paths::of(answer).text(&source.reason))
    )
}

/// What the model sees around a cut; where the message does not have it, what is left of the file.
fn excerpt(answer: &Resolution, source: &Source, raw: &[u8], gap: &Range<usize>) -> String {
    let (head, tail) = (head(raw, gap.start), tail(raw, gap.end));
    passage(answer, source, &head, &tail).unwrap_or_else(|| format!("{head}\n…\n{tail}"))
}

/// The passage of the message from the end of the head to the beginning of the tail, with whatever stands between.
fn passage(answer: &Resolution, source: &Source, head: &str, tail: &str) -> Option<String> {
    let message = answer.answer.messages.get(source.message?)?;
    let text = source.part.and_then(|part| message.parts.get(part)).unwrap_or(&message.text);
    let (head, tail) = (head.trim(), tail.trim());
    if head.is_empty() {
        return None;
    }
    // The same words may stand elsewhere; those that the tail follows are meant.
    let ends = text.match_indices(head).map(|(at, _)| at + head.len());
    let found = ends.filter_map(|end| {
        let reach = text.floor_char_boundary(end + MARKER_BYTES);
        let between = text[end..reach].find(tail)?;
        Some((end, end + between + tail.len()))
    });
    // What is lost up to the end of the file is followed by nothing of it: then the last place is meant.
    let (head_end, end) = found.min_by_key(|(start, end)| (end - start, std::cmp::Reverse(*start)))?;
    let end = if tail.is_empty() { text.floor_char_boundary(head_end + AROUND_BYTES) } else { end };
    // A marker stands between them, in lines of its own.
    let behind: String = text[head_end..end].split_inclusive('\n').take(2 * AROUND_LINES).collect();
    Some(format!("…{}{behind}", &text[head_end - head.len()..head_end]))
}

/// The end of what stands before a byte.
fn head(raw: &[u8], end: usize) -> String {
    let start = end.saturating_sub(AROUND_BYTES);
    let text = whole(&text::lossy(&raw[start..end]));
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines[lines.len().saturating_sub(AROUND_LINES)..].concat()
}

/// The beginning of what stands from a byte on.
fn tail(raw: &[u8], start: usize) -> String {
    let end = (start + AROUND_BYTES).min(raw.len());
    whole(&text::lossy(&raw[start..end])).split_inclusive('\n').take(AROUND_LINES).collect()
}

/// Without the halves of characters at its ends.
fn whole(text: &str) -> String {
    text.trim_matches('\u{fffd}').to_owned()
}
