//! The text of a file as it is sent: with its imports in it, and without what nobody sees.

use std::ops::Range;
use std::path::Path;

use super::history::{Behavior, Imports};
use super::imports::Importer;
use crate::answer::{Answer, Fate, Scope, Source, Text, Trigger};
use crate::search::{Known, Search};
use crate::snapshot::{Content, Errno, Unreadable};

/// What reading a file gave, or a source that says why that is nothing.
pub(super) fn readable<'r, T>(
    read: &'r Result<T, Unreadable>,
    path: &Path,
    scope: Scope,
    trigger: Trigger,
    answer: &mut Answer,
) -> Option<&'r T> {
    let problem = match read {
        Ok(read) => return Some(read),
        Err(Unreadable::Errno(Errno::NOENT)) => return None,
        Err(problem) => problem,
    };
    if let Unreadable::TooLarge(_) = problem {
        answer.files_only.get_or_insert_with(|| format!("{}: {problem}", path.display()));
    }
    let source = Source::new(path, scope, Fate::Unreadable, problem.to_string());
    answer.sources.push(Source { trigger, ..source });
    None
}

/// Text without what nobody sees, as the client sends it: once imports and front matter, which it reads as they stand, are
/// dealt with.
pub(super) fn visible(text: &Text) -> Text {
    // What is hidden, and what NFC changes, is not ASCII.
    if text.is_ascii() {
        return text.clone();
    }
    let seen: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    // U+2000 arrives as U+2002.
    icu_normalizer::ComposingNormalizer::new_nfc().normalize(&seen).into_owned().into()
}

/// Byte order marks, zero-width characters (but the joiner), marks of direction and tags: Copilot CLI 1.0.102 takes them out.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// The ranges of a file's bytes that can be seen.
pub(super) fn kept(raw: &Content) -> Vec<Range<usize>> {
    if raw.is_ascii() {
        return std::iter::once(0..raw.len()).filter(|all| !all.is_empty()).collect();
    }
    let decoded = raw.text();
    let mut kept = Vec::new();
    let mut from = 0;
    for (at, c) in decoded.char_indices().filter(|(_, c)| is_hidden(*c)) {
        kept.push(from..at);
        from = at + c.len_utf8();
    }
    kept.push(from..decoded.len());
    raw.raw_ranges(&kept)
}

/// GEMINI.md imports nothing, alone of the whole files.
pub(super) fn imports_anything(path: &Path) -> bool {
    !path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("GEMINI.md"))
}

/// The text of a file with its imports in it, as it is sent.
pub(super) fn expanded(
    path: &Path,
    raw: &Content,
    (limit, behavior): (&Path, &Behavior),
    trigger: Trigger,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Text> {
    let text = Text::of(raw, &raw.text_without_bom());
    if behavior.imports == Imports::None || !imports_anything(path) {
        return Ok(visible(&text));
    }
    let root = search.real(limit)?.unwrap_or_else(|_| limit.to_owned());
    let own = search.real(path)?.unwrap_or_else(|_| path.to_owned());
    let mut importer = Importer::new(&root, trigger, own);
    Ok(visible(&importer.expand(path, &text, 0, search, answer)?))
}
