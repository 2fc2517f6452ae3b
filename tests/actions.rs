//! What can be done about findings, and that it helps: every edit is carried out, and the file is looked at again.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use briefing::disk::Filesystem;
use briefing::formats::position;
use briefing::report::actions::{self, Action, Edit, Group};
use briefing::report::findings::findings;

use crate::findings::with_subject;
use crate::world::{Case, World};

/// So many lines of a text are shown.
const LINES: usize = 30;

/// The golden text of `@actions FILE[:LINE] [HARNESS,...]`; without a line the whole file is meant.
pub fn offered(case: &Case, world: &World, ask: &str) -> String {
    let (place, harnesses) = ask.split_once(' ').unwrap_or((ask, ""));
    let (file, line) = place.split_once(':').map_or((place, None), |(file, line)| (file, line.parse().ok()));
    let file = Path::new(file);
    let raw = world.read(file).expect("the file of @actions is there");
    let range = line.map_or(0..raw.len(), |line| line_of(&raw, line));
    let offered = with_subject(case, world, harnesses, file, |subject| actions::actions(subject, world, &range, &[]));
    let mut out = String::new();
    for action in &offered {
        out.push_str(&said(world, action));
        if action.group == Group::Fix {
            let _ = writeln!(out, "  then {}", afterwards(case, world, harnesses, file, action));
        }
    }
    out
}

/// The golden text of `@workspace DIR`.
pub fn for_workspace(world: &World, dir: &str) -> String {
    actions::for_workspace(Path::new(dir), world).iter().map(|action| said(world, action)).collect()
}

/// The bytes of a line, counted from one.
fn line_of(raw: &[u8], line: usize) -> Range<usize> {
    let start = raw.split_inclusive(|byte| *byte == b'\n').take(line - 1).map(<[u8]>::len).sum();
    let len = raw[start..].iter().position(|byte| *byte == b'\n').unwrap_or(raw.len() - start);
    start..start + len
}

fn said(world: &World, action: &Action) -> String {
    let mut out = String::from(action.group.word());
    let _ = action.fixes.iter().try_for_each(|finding| write!(out, " {}", finding.kind.code()));
    let preferred = if action.preferred { " preferred" } else { "" };
    let _ = writeln!(out, "{preferred}  {}", action.title);
    for edit in &action.edits {
        match edit {
            Edit::Replace { path, range, text } => {
                let old = world.read(path).expect("an edit is of a file that is there");
                let old_text = String::from_utf8_lossy(&old);
                let ((line, column), (last, end)) = (position(&old_text, range.start), position(&old_text, range.end));
                let _ = writeln!(out, "  {} {line}:{column}-{last}:{end}", path.display());
                out.push_str(&shown('-', &String::from_utf8_lossy(&old[range.clone()])));
                out.push_str(&shown('+', text));
            }
            Edit::Form { path, at, text, .. } => {
                let old = world.read(path).expect("an edit is of a file that is there");
                let (line, column) = position(&String::from_utf8_lossy(&old), *at);
                let _ = writeln!(out, "  {} {line}:{column}", path.display());
                out.push_str(&shown('+', text));
            }
            Edit::Create { path, text } => {
                let _ = writeln!(out, "  create {}", path.display());
                out.push_str(&shown('+', text));
            }
            Edit::Rename { from, to } => {
                let _ = writeln!(out, "  rename {} to {}", from.display(), to.display());
            }
            Edit::Delete { path } => {
                let _ = writeln!(out, "  delete {}", path.display());
            }
        }
    }
    out
}

fn shown(sign: char, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut out: String = lines.iter().take(LINES).map(|line| format!("    {sign} {line}\n")).collect();
    if lines.len() > LINES {
        let _ = writeln!(out, "    {sign} … {} lines", lines.len());
    }
    out
}

/// What is wrong with the file once the edits are made.
fn afterwards(case: &Case, world: &World, harnesses: &str, file: &Path, action: &Action) -> String {
    let (world, file) = carried_out(world, file, action);
    let Some(file) = file else { return "it is gone".to_owned() };
    let left = with_subject(case, &world, harnesses, &file, findings);
    let codes: Vec<&str> = left.iter().map(|finding| finding.kind.code()).collect();
    if codes.is_empty() { "nothing is wrong".to_owned() } else { codes.join(", ") }
}

/// The disk with the edits made, and where the file then is.
fn carried_out(world: &World, file: &Path, action: &Action) -> (World, Option<PathBuf>) {
    let (mut world, mut file) = (world.clone(), Some(file.to_owned()));
    // Ranges are those of the files as they were, so what stands last goes first.
    let mut replaced: Vec<_> = action.edits.iter().filter(|edit| matches!(edit, Edit::Replace { .. })).collect();
    replaced.sort_by_key(|edit| match edit {
        Edit::Replace { range, .. } => std::cmp::Reverse(range.start),
        _ => unreachable!("only replacements"),
    });
    let others = action.edits.iter().filter(|edit| !matches!(edit, Edit::Replace { .. }));
    for edit in replaced.into_iter().chain(others) {
        match edit {
            Edit::Replace { path, range, text } => {
                let mut raw = world.read(path).expect("an edit is of a file that is there").to_vec();
                raw.splice(range.clone(), text.bytes());
                world.write(path, raw);
            }
            Edit::Form { path, at, text, .. } => {
                let mut raw = world.read(path).expect("an edit is of a file that is there").to_vec();
                raw.splice(*at..*at, text.bytes());
                world.write(path, raw);
            }
            Edit::Create { path, text } => {
                assert!(world.lstat(path).is_err(), "{path:?} is there already");
                world.write(path, text.clone().into_bytes());
            }
            Edit::Rename { from, to } => {
                assert!(world.lstat(to).is_err(), "{to:?} is there already");
                let raw = world.read(from).expect("what is renamed is there").to_vec();
                world.remove(from);
                world.write(to, raw);
                file = Some(to.clone());
            }
            Edit::Delete { path } => {
                world.remove(path);
                file = file.filter(|file| file != path);
            }
        }
    }
    (world, file)
}
