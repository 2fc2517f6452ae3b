//! Excerpt of the text that the model gets where a file is truncated: the end of the head, the marker, the start of the
//! tail.

use std::ops::Range;

use super::super::words::Paths;
use super::Hover;
use crate::answer::{Fate, Resolution, Source};
use crate::report::escape::{fenced, inert};
use crate::report::findings::{Subject, gaps};
use crate::text::{self, grouped};

/// Maximum length of the text shown on each side of a cut, in bytes.
const AROUND_BYTES: usize = 160;

/// Maximum length of the text shown on each side of a cut, in lines.
const AROUND_LINES: usize = 2;

/// Length of the message text after the head that is searched for the tail, in bytes. A marker may stand between.
const MARKER_BYTES: usize = 1024;

/// Returns the hover for the cuts at a byte: in the lost text, and in the lines where the lost text begins and ends.
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
    // One excerpt is enough; if agents cut at different places, it is the excerpt of the first agent.
    let (title, first) = seen.first()?;
    let model = if seen.iter().all(|(_, other)| other == first) { "The model" } else { title };
    let sees = format!("{model} sees\n\n{}", fenced("text", first));
    let said = match said.as_slice() {
        [one] => one.clone(),
        _ => said.iter().map(|one| format!("- {one}")).collect::<Vec<_>>().join("\n"),
    };
    at.map(|at| Hover { text: format!("{said}\n\n{sees}"), at })
}

/// Extends a range to whole lines.
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

/// Returns the text that the model gets around a cut. If the message does not contain it, joins the kept ends of the
/// file.
fn excerpt(answer: &Resolution, source: &Source, raw: &[u8], gap: &Range<usize>) -> String {
    let (head, tail) = (head(raw, gap.start), tail(raw, gap.end));
    passage(answer, source, &head, &tail).unwrap_or_else(|| format!("{head}\n…\n{tail}"))
}

/// Returns the passage of the message from the end of the head to the start of the tail, with any marker between them.
fn passage(answer: &Resolution, source: &Source, head: &str, tail: &str) -> Option<String> {
    let message = answer.answer.messages.get(source.message?)?;
    let text = source.part.and_then(|part| message.parts.get(part)).unwrap_or(&message.text);
    let (head, tail) = (head.trim(), tail.trim());
    if head.is_empty() {
        return None;
    }
    // The message may contain the head more than once; only an occurrence that the tail follows counts.
    let ends = text.match_indices(head).map(|(at, _)| at + head.len());
    let found = ends.filter_map(|end| {
        let reach = text.floor_char_boundary(end + MARKER_BYTES);
        let between = text[end..reach].find(tail)?;
        Some((end, end + between + tail.len()))
    });
    // If the end of the file is lost, no tail follows: then the last occurrence counts.
    let (head_end, end) = found.min_by_key(|(start, end)| (end - start, std::cmp::Reverse(*start)))?;
    let end = if tail.is_empty() { text.floor_char_boundary(head_end + AROUND_BYTES) } else { end };
    // The marker between head and tail has its own lines.
    let behind: String = text[head_end..end].split_inclusive('\n').take(2 * AROUND_LINES).collect();
    Some(format!("…{}{behind}", &text[head_end - head.len()..head_end]))
}

/// Returns the last lines before a byte offset.
fn head(raw: &[u8], end: usize) -> String {
    let start = end.saturating_sub(AROUND_BYTES);
    let text = whole(&text::lossy(&raw[start..end]));
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines[lines.len().saturating_sub(AROUND_LINES)..].concat()
}

/// Returns the first lines from a byte offset on.
fn tail(raw: &[u8], start: usize) -> String {
    let end = (start + AROUND_BYTES).min(raw.len());
    whole(&text::lossy(&raw[start..end])).split_inclusive('\n').take(AROUND_LINES).collect()
}

/// Removes split characters at both ends.
fn whole(text: &str) -> String {
    text.trim_matches('\u{fffd}').to_owned()
}
