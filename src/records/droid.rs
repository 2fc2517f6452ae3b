//! Droid: `sessions/PROJECT/*.jsonl` in `.factory` of the home directory.
//!
//! A record holds the messages of the conversation as they are sent, with the files at start and those that reads add.
//! It lacks the system prompt, which has no files, and the client's version.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lines::{Lines, parse};
use super::place::{self, Found, Homes};
use super::session::{Builder, Given, Kind, Purpose, time};
use super::{Client, Head};

/// Reads the records of Droid.
pub const CLIENT: Client = Client {
    agent: "droid",
    find,
    head,
    open: super::open,
    read,
    text_of,
    homeless: super::NO_CWD,
    cuts_at: None,
    checked: "0.225.2",
};

/// Opening of the files at start, and the possible ends of the last of them.
const AT_START: &str = "# Codebase and user instructions are shown below.";
const ENDS: [&str; 2] = ["</coding_guidelines>", "</design_guidelines>"];
/// Tags around the files that a read adds.
const ON_READ: [&str; 2] = ["<system-reminder>\n", "\n</system-reminder>"];
const DISCOVERED: &str = "Additional project instructions discovered along the accessed paths:";

fn find(homes: &Homes, _: Option<&Path>) -> Vec<Found> {
    let sessions = homes.dir("FACTORY_HOME_OVERRIDE", "").join(".factory/sessions");
    let files = place::directories(&sessions).into_iter().flat_map(|dir| place::files(&dir, ".jsonl"));
    files.filter_map(Found::at).collect()
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    input: Option<Input>,
}

#[derive(Deserialize)]
struct Input {
    file_path: Option<String>,
}

fn head(line: &[u8], head: &mut Head) {
    let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
    if line.kind == "session_start" {
        head.id = line.id.map(Cow::into_owned);
        head.cwd = line.cwd.as_deref().map(PathBuf::from);
    } else {
        head.start = head.start.or_else(|| line.timestamp.as_deref().and_then(time));
    }
}

fn read(lines: &mut Lines, builder: &mut Builder) {
    lines.each(|line| {
        let line: Line = serde_json::from_slice(line)?;
        let when = line.timestamp.as_deref().and_then(time);
        builder.at(when);
        match (line.kind.as_ref(), line.message) {
            ("session_start", _) => {
                builder.session.id = line.id.map(Cow::into_owned).unwrap_or_default();
                builder.session.cwd = line.cwd.as_deref().map(PathBuf::from);
            }
            ("message", Some(message)) => take(builder, &message, when),
            (kind, _) => builder.unknown(kind),
        }
        Ok(())
    });
}

fn take(builder: &mut Builder, message: &Message, when: Option<jiff::Timestamp>) {
    let blocks = message.content.and_then(parse::<Vec<Block>>).unwrap_or_default();
    for block in &blocks {
        match (message.role.as_ref(), block.kind.as_ref()) {
            ("user", "text") => text(builder, block.text.as_deref().unwrap_or_default(), when),
            ("assistant", "tool_use") => call(builder, block, when),
            _ => {}
        }
    }
}

fn text(builder: &mut Builder, text: &str, when: Option<jiff::Timestamp>) {
    if builder.session.steps.is_empty() {
        builder.step(when, Kind::Start, None);
    }
    let at_start = text.find(AT_START).filter(|_| text.starts_with("<system-reminder>")).and_then(|start| {
        let end = ENDS.iter().filter_map(|end| Some(text.rfind(end)? + end.len())).max()?;
        text.get(start..end)
    });
    let on_read = text.strip_prefix(ON_READ[0]).filter(|text| text.starts_with(DISCOVERED));
    let on_read = on_read.and_then(|text| text.strip_suffix(ON_READ[1]));
    let Some(block) = at_start.or(on_read) else { return };
    let step = builder.last_step();
    let home = builder.session.file.ancestors().find(|dir| dir.ends_with(".factory")).and_then(Path::parent);
    let home = home.map(Path::to_owned).unwrap_or_default();
    let sent: Arc<str> = Arc::from(block);
    for (path, text) in files(block, &home).unwrap_or_else(|| vec![(None, block)]) {
        let given = Given::recorded(Purpose::Instructions, "instruction file", path, Arc::from(text));
        builder.give(step, Given { sent: Some(sent.clone()), ..given });
    }
}

/// Returns the files of a block; `None` if there are none, or if its marks are ambiguous because a file contains one.
fn files<'a>(block: &'a str, home: &Path) -> Option<Vec<(Option<PathBuf>, &'a str)>> {
    let mut found = Vec::new();
    for kind in ["coding", "design"] {
        let (first, last) = (format!("\n<{kind}_guidelines>\n"), format!("\n</{kind}_guidelines>"));
        let opens = block.match_indices(&first).map(|(at, _)| at);
        let closes = block.match_indices(&last).map(|(at, _)| at);
        if block.matches(&first).count() != block.matches(&last).count() {
            return None;
        }
        for (open, close) in opens.zip(closes) {
            let head = block[..open].rsplit('\n').next()?;
            let path = head.strip_prefix("% cat ").or_else(|| head.strip_prefix("## "))?;
            let path = match path.strip_prefix("~/") {
                Some(below) => home.join(below),
                None => PathBuf::from(path),
            };
            found.push((open, (Some(path), block.get(open + first.len()..close)?)));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    (!found.is_empty()).then(|| found.into_iter().map(|(_, file)| file).collect())
}

/// Finds the text of a file between its marks.
fn text_of<'a>(block: &'a str, path: &Path, _: &Path, home: &Path) -> Option<&'a str> {
    files(block, home)?.into_iter().find(|(of, _)| of.as_deref() == Some(path)).map(|(_, text)| text)
}

fn call(builder: &mut Builder, block: &Block, when: Option<jiff::Timestamp>) {
    let file = block.input.as_ref().and_then(|input| input.file_path.clone());
    let (kind, name) = match (block.name.as_deref().unwrap_or_default(), file) {
        ("Read", file) => (Kind::Read, file),
        ("Edit" | "Create" | "MultiEdit", file) => (Kind::Edit, file),
        (tool, _) => (Kind::Tool, Some(tool.to_owned())),
    };
    builder.step(when, kind, name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_imitates_the_marks_makes_the_block_one_text() {
        let block = "x\n% cat ~/.factory/AGENTS.md\n<coding_guidelines>\nOne.\n</coding_guidelines>";
        let found = files(block, Path::new("/h")).expect("a file");
        assert_eq!(found, [(Some(PathBuf::from("/h/.factory/AGENTS.md")), "One.")]);
        assert_eq!(files(&block.replace("One.", "One.\n</coding_guidelines>\n"), Path::new("/h")), None);
    }
}
