//! Files that tools bring along, from the directories below that they reach.

use std::path::{Path, PathBuf};

use super::{Piece, give, read, scanned};
use crate::answer::{Answer, Certain, Message, Role, Scope, Source, Standpoint, Text, Trigger};
use crate::search::{Known, Search};
use crate::text::grouped;

/// Names in order; the first file that has some text is loaded.
const NAMES: [&str; 5] = ["AGENTS.md", "agents.md", "CLAUDE.md", "claude.md", ".cursorrules"];
/// Maximum number of directories, from that of the file upwards (Hermes 0.19.0).
const LEVELS: usize = 5;
/// Maximum length of one file, in characters (Hermes 0.19.0).
const MOST: usize = 8_000;

pub(super) fn look(at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<()> {
    let Some(target) = &at.target else { return Ok(()) };
    let mut known: Vec<PathBuf> = vec![at.cwd.clone()];
    for earlier in &at.read_before {
        let reached = directories(at, &earlier.file, &known, search)?;
        known.extend(reached);
    }
    let (mut texts, mut sources) = (Vec::new(), Vec::new());
    for dir in directories(at, target, &known, search)? {
        if let Some((text, source)) = of_directory(at, &dir, search, answer)? {
            texts.push(text);
            sources.push(source);
        }
    }
    if texts.len() > 1 {
        answer.doubt(
            &[Certain::Order],
            "where a tool reaches several directories with files, their order changes from run to run",
        );
    }
    if !texts.is_empty() {
        let text: String = texts.join("\n\n");
        give(answer, Message::instructions(Trigger::Read, Role::Tool, Text::from(text)), sources);
    }
    Ok(())
}

/// Returns the directories of a path, from its own up to one that is known.
fn directories(at: &Standpoint, path: &Path, known: &[PathBuf], search: &mut Search) -> Known<Vec<PathBuf>> {
    let path = crate::snapshot::absolute(&at.cwd, path);
    let path = search.real(&path)?.unwrap_or(path);
    let is_file = search.is_file(&path, "a file stands for its directory")?;
    let start = if path.extension().is_some() || is_file { path.parent().unwrap_or(&path) } else { &path };
    let mut dirs = Vec::new();
    for dir in start.ancestors().take(LEVELS).take_while(|dir| !known.iter().any(|known| known == dir)) {
        if dir.starts_with(&at.cwd) && search.is_dir(dir, "a directory that a tool reached")? {
            dirs.push(dir.to_owned());
        }
    }
    Ok(dirs)
}

fn of_directory(
    at: &Standpoint,
    dir: &Path,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Option<(String, Source)>> {
    for path in NAMES.map(|name| dir.join(name)) {
        if !search.is_file(&path, "the first of the names in a directory that a tool reached")? {
            continue;
        }
        let Some((raw, text)) = read(&path, Scope::Nested, search, answer)? else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let scanned = scanned(&text, &name, &path, answer);
        let mut text = scanned.text.clone();
        let total = text.chars().count();
        let shown = crate::snapshot::relative(&at.cwd, &path);
        let piece = Piece { path, raw, scanned, at: 0 };
        let lost = (total > MOST).then_some(MOST..total);
        let source = piece.source(Scope::Nested, lost.as_ref(), MOST, "on the way to what a tool reached");
        let mut source = Source { trigger: Trigger::Read, ..source };
        if lost.is_some() {
            let (first, total): (String, _) = (text.chars().take(MOST).collect(), grouped(total).replace(' ', ","));
            text = format!("{first}\n\n[...truncated {name}: {total} chars total]");
            source.reason = format!("cut at {MOST} characters");
        }
        return Ok(Some((format!("[Subdirectory context discovered: {shown}]\n{text}"), source)));
    }
    Ok(None)
}
