//! The text of a file as it is sent, with its imports.

use std::path::Path;

use super::history::{Behavior, Imports};
use super::imports::Importer;
use super::seen::visible;
use crate::answer::{Answer, Fate, Scope, Source, Text, Trigger};
use crate::search::{Known, Search};
use crate::snapshot::{Content, Errno, Unreadable};

/// Returns the result of reading a file. If it exists but cannot be read, reports it as unreadable.
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

/// Returns true if the client follows imports in this file: in all whole files except GEMINI.md.
pub(super) fn imports_anything(path: &Path) -> bool {
    !path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("GEMINI.md"))
}

/// Returns the text of a file as it is sent, with its imports.
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
