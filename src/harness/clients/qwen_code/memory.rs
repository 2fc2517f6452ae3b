//! Indexes of the client's own memories, of the user and of the project, at the end of the system message.
//!
//! Checked on 0.24.4. The memories that an index refers to are not read: the client lets a model choose among them.

use std::path::{Path, PathBuf};

use super::environment::resolved;
use super::settings::Settings;
use crate::answer::{Answer, Fate, Message, Purpose, Role, Scope, Source, Text, Trigger, Warning};
use crate::harness::kit::conventional::Chain;
use crate::search::Known;
use crate::snapshot::{Ask, Content};
use crate::text::{js_trim, js_trimmed, utf16_len};

/// Maximum length of an index, in lines (Qwen Code 0.24, `MAX_MANAGED_AUTO_MEMORY_INDEX_LINES`).
const LINE_LIMIT: usize = 200;
/// Maximum length of an index, in UTF-16 units (Qwen Code 0.24, `MAX_MANAGED_AUTO_MEMORY_INDEX_BYTES`).
const LIMIT_UTF16: usize = 25_000;

/// Index that is not empty.
pub(super) struct Index {
    path: PathBuf,
    raw: Content,
}

/// Returns the index of the user, then that of the project.
pub(super) fn indexes(chain: &mut Chain, own: &Path, root: &Path, settings: &Settings) -> Known<Vec<Index>> {
    if !settings.remembers {
        return Ok(Vec::new());
    }
    let set = |name: &str| chain.search.env(name).filter(|value| !value.is_empty());
    let base = set("QWEN_CODE_MEMORY_BASE_DIR").or_else(|| set("QWEN_RUNTIME_DIR"));
    let base = base.or_else(|| settings.runtime.clone().filter(|dir| !dir.is_empty()));
    let base = base.map_or_else(|| own.to_owned(), |base| resolved(&base, chain.at));
    let by_workspace =
        set("QWEN_CODE_MEMORY_PROJECT_SCOPE").is_some_and(|scope| scope.trim().eq_ignore_ascii_case("workspace"));
    let project = if by_workspace { &chain.at.cwd } else { root };
    let of_project = if set("QWEN_CODE_MEMORY_LOCAL").as_deref() == Some("1") {
        chain.at.cwd.join(".qwen/memory/MEMORY.md")
    } else {
        base.join("projects").join(folder_name(project)).join("memory/MEMORY.md")
    };
    let paths = [base.join("memories/MEMORY.md"), of_project];
    chain.search.expect(paths.iter().cloned().map(Ask::Content))?;
    let mut found = Vec::new();
    for path in paths {
        let Ok(raw) = chain.search.read(&path, "an index of memories")? else { continue };
        if !js_trim(&raw.text()).is_empty() {
            found.push(Index { path, raw });
        }
    }
    Ok(found)
}

/// Adds each index as a message.
pub(super) fn add(indexes: Vec<Index>, answer: &mut Answer) {
    if let Some(index) = indexes.first() {
        let message = "Qwen Code may recall memories that the index names: a model chooses them";
        answer.warnings.push(Warning::at("memory", &index.path, message));
    }
    let first = answer.messages.iter().take_while(|message| message.trigger == Trigger::Session).count();
    for (place, Index { path, raw }) in (first..).zip(indexes) {
        // Later messages move by one.
        for source in answer.sources.iter_mut().filter(|source| source.message >= Some(place)) {
            source.message = source.message.map(|message| message + 1);
        }
        let text = raw.text();
        let trimmed = js_trimmed(&text);
        let (shown, notice) = cut(&text[trimmed.clone()]);
        let kept = raw.raw_ranges(std::slice::from_ref(&(trimmed.start..trimmed.start + shown.len())));
        let block = format!("## {}\n\n{shown}{notice}", path.display());
        let (fate, reason) = match notice.as_str() {
            "" => (Fate::Loaded, "an index of memories"),
            _ => (Fate::Truncated, "cut at 200 lines or 25 000 UTF-16 units"),
        };
        let source = Source::whole(&path, Scope::Memory, raw.size(), reason);
        let purpose = Purpose::Memory;
        answer.sources.push(Source { fate, kept, purpose, message: Some(place), part: Some(0), ..source });
        answer.messages.insert(place, Message::instructions(Trigger::Session, Role::System, Text::from(block)));
    }
}

/// Returns the name of a project's folder: its path, with a hyphen for every UTF-16 unit that is not an ASCII letter or
/// digit.
fn folder_name(project: &Path) -> String {
    let units =
        project.to_string_lossy().chars().flat_map(|c| std::iter::repeat_n(c, c.len_utf16())).collect::<Vec<_>>();
    units.into_iter().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Returns the part of an index that is shown, and the notice after it if it is cut.
fn cut(text: &str) -> (&str, String) {
    let (lines, units) = (text.split('\n').count(), utf16_len(text));
    let (many, long) = (lines > LINE_LIMIT, units > LIMIT_UTF16);
    if !many && !long {
        return (text, String::new());
    }
    let end_of_lines = text.match_indices('\n').nth(LINE_LIMIT - 1).map_or(text.len(), |(at, _)| at);
    let mut shown = if many { &text[..end_of_lines] } else { text };
    if utf16_len(shown) > LIMIT_UTF16 {
        let at = |limit: usize| {
            let mut passed = 0;
            shown
                .char_indices()
                .find(|(_, c)| {
                    passed += c.len_utf16();
                    passed > limit
                })
                .map_or(shown.len(), |(at, _)| at)
        };
        // A line may end directly after the limit.
        let end = shown[..at(LIMIT_UTF16 + 1)].rfind('\n').filter(|end| *end > 0);
        shown = &shown[..end.unwrap_or_else(|| at(LIMIT_UTF16))];
    }
    let kilobytes = |units: usize| format!("{:.1} KB", units as f64 / 1024.0);
    let reason = match (many, long) {
        (false, _) => format!("{} (limit: {}) — index entries are too long", kilobytes(units), kilobytes(LIMIT_UTF16)),
        (true, false) => format!("{lines} lines (limit: {LINE_LIMIT})"),
        (true, true) => format!("{lines} lines and {}", kilobytes(units)),
    };
    let notice = format!(
        "\n\n> WARNING: MEMORY.md is {reason}. Only part of it was loaded. Keep index entries to one line under ~200 chars; move detail into topic files."
    );
    (shown, notice)
}
