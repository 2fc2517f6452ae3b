//! The exact prompt as one text, with the byte ranges that come from files.

use std::ops::Range;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Message, MessageKind, Resolution};
use crate::snapshot::Content;

/// Result of `briefing/preview`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Preview {
    /// The texts; if there are several, a line introduces each.
    pub text: String,
    /// Ranges of the text that are copied from a file, in text order.
    pub spans: Vec<Span>,
}

/// A range of a preview that is copied from a file.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// First byte in the text.
    pub start: usize,
    /// One past the last byte in the text.
    pub end: usize,
    /// The file.
    pub path: String,
    /// First byte in the file.
    pub path_start: usize,
}

/// Returns the exact texts. With several messages or agents, a line introduces each, since they are separate texts.
pub fn prompt<'a>(answers: impl IntoIterator<Item = &'a Resolution>) -> String {
    laid_out(answers).0
}

/// Returns only the texts of one agent: its messages in order, each starting on a new line, or only message `number`,
/// counted from 1.
pub fn exact(answer: &Resolution, number: Option<usize>) -> Result<String, String> {
    let messages = answer.answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
    let texts: Vec<String> =
        messages.map(|message| format!("{}{}{}", message.before, message.text, message.after)).collect();
    if let Some(number) = number {
        let text = texts.get(number.wrapping_sub(1));
        return text.cloned().ok_or_else(|| match texts.len() {
            0 => format!("--message: {} sends no message of instructions", answer.title),
            1 => format!("--message: {} sends one message, so there is no number {number}", answer.title),
            count => format!("--message: {} sends {count} messages, so there is no number {number}", answer.title),
        });
    }
    let mut out = String::new();
    for text in texts {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&text);
    }
    Ok(out)
}

/// Returns every known layer that agents send, in the order of each answer. A line before each layer states its
/// trigger, role and kind. For a client's own text there is only this line, with the edition that it belongs to. If a
/// single agent sends a single message of instructions, returns only its text.
pub fn layers(answers: &[Resolution]) -> String {
    if let [answer] = answers
        && let [Message { kind: MessageKind::Instructions, .. }] = &*answer.answer.messages
    {
        return exact(answer, None).unwrap_or_default();
    }
    let mut out = String::new();
    for answer in answers {
        let whose = if answers.len() > 1 { format!("{} · ", answer.title) } else { String::new() };
        for message in &answer.answer.messages {
            let name = message.name.as_ref().map_or_else(String::new, |name| format!(" {name}"));
            let size = match message.text.len() {
                0 => format!("not repeated, {} {}", answer.harness, answer.edition),
                size => format!("{size} bytes"),
            };
            let (trigger, role, kind) = (message.trigger, message.role, message.kind);
            out.push_str(&format!("===== {whose}{trigger} · {role} · {kind}{name} · {size} =====\n"));
            if !message.text.is_empty() {
                out.push_str(&format!("{}{}{}\n", message.before, message.text, message.after));
            }
        }
    }
    out
}

/// Returns the text of one answer as [`prompt`] lays it out, with its spans. `bytes` returns the content of a file.
pub fn preview(answer: &Resolution, bytes: impl Fn(&Path) -> Option<Content>) -> Preview {
    let (text, starts) = laid_out([answer]);
    let mut spans: Vec<Span> = Vec::new();
    for (message, start) in starts {
        let index = answer.answer.messages.iter().position(|other| std::ptr::eq(other, message));
        let mut from = 0;
        for source in answer.answer.sources.iter().filter(|source| source.message == index) {
            let Some(path) = source.path() else { continue };
            let Some(raw) = bytes(path) else { continue };
            for kept in &source.kept {
                let Some(kept_bytes) = raw.get(kept.clone()) else { continue };
                let mut at = kept.start;
                for chunk in kept_bytes.utf8_chunks() {
                    for (found, inside) in runs(&message.text, chunk.valid(), from) {
                        let begin = start + found;
                        from = found + inside.len();
                        let path = path.to_string_lossy().into_owned();
                        spans.push(Span { start: begin, end: start + from, path, path_start: at + inside.start });
                    }
                    at += chunk.valid().len() + chunk.invalid().len();
                }
            }
        }
    }
    spans.sort_by_key(|span| (span.start, span.end));
    Preview { text, spans }
}

/// Returns the whole text, and the offset at which the text of each message starts.
fn laid_out<'a>(answers: impl IntoIterator<Item = &'a Resolution>) -> (String, Vec<(&'a Message, usize)>) {
    let of_answer = |answer: &'a Resolution| {
        let messages = answer.answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
        messages.map(move |message| (answer, message))
    };
    let messages: Vec<_> = answers.into_iter().flat_map(of_answer).collect();
    if let [(_, only)] = messages.as_slice() {
        return (format!("{}{}{}", only.before, only.text, only.after), vec![(only, only.before.len())]);
    }
    let (mut text, mut starts) = (String::new(), Vec::new());
    for (answer, message) in messages {
        text.push_str(&format!("===== {} · {} · {} =====\n", answer.harness, message.trigger, message.role));
        text.push_str(&message.before);
        starts.push((message, text.len()));
        text.push_str(&message.text);
        text.push_str(&message.after);
        text.push('\n');
    }
    (text, starts)
}

/// Minimum length of a line to search for, in bytes; shorter lines may occur anywhere by chance.
const SHORTEST_LINE_BYTES: usize = 4;

/// Number of lines not found after which the rest of a file counts as rewritten.
const MISSES: usize = 100;

/// Finds `piece` in `text` from byte `from` on: whole, without surrounding white space, or line by line. Returns each
/// position with the range of `piece` found there.
fn runs(text: &str, piece: &str, from: usize) -> Vec<(usize, Range<usize>)> {
    let trimmed = piece.trim();
    if trimmed.is_empty() {
        return Vec::new();
    }
    let lead = piece.len() - piece.trim_start().len();
    for (part, skipped) in [(piece, 0), (trimmed, lead)] {
        if let Some(at) = text[from..].find(part) {
            return vec![(from + at, skipped..skipped + part.len())];
        }
    }
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    let (mut at, mut in_piece, mut misses) = (from, 0, 0);
    for line in piece.split_inclusive('\n') {
        let here = in_piece;
        in_piece += line.len();
        if let Some((start, range)) = found.last_mut()
            && range.end == here
            && text[*start + range.len()..].starts_with(line)
        {
            range.end += line.len();
            at = *start + range.len();
            continue;
        }
        let content = line.trim_end_matches(['\n', '\r']);
        if content.trim().len() < SHORTEST_LINE_BYTES || misses > MISSES {
            continue;
        }
        let place = [line, content].into_iter().find_map(|part| Some((text[at..].find(part)?, part.len())));
        let Some((offset, len)) = place else {
            misses += 1;
            continue;
        };
        found.push((at + offset, here..here + len));
        at += offset + len;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_whole_or_trimmed_or_by_its_lines() {
        let check = |text: &str, piece: &str, wanted: &[(usize, &str)]| {
            let found: Vec<_> = runs(text, piece, 0).into_iter().map(|(at, range)| (at, &piece[range])).collect();
            assert_eq!(found, wanted, "{piece:?} in {text:?}");
            for (at, run) in found {
                assert!(text[at..].starts_with(run));
            }
        };
        check("head\nRules.\nfoot", "Rules.\n", &[(5, "Rules.\n")]);
        check("head Rules. foot", "\n\nRules.\n", &[(5, "Rules.")]);
        check("line one\nline two\n", "line one\r\nline two\r\n", &[(0, "line one"), (9, "line two")]);
        check(
            "first line\nimported\nthird\nlast\n",
            "first line\n@import.md\nthird\nlast\n",
            &[(0, "first line\n"), (20, "third\nlast\n")],
        );
        check("nothing of it", "something else", &[]);
        check("anything", " \n", &[]);
    }
}
