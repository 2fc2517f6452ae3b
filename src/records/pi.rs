//! pi: `sessions/DIRECTORY/*.jsonl` in its own directory.
//!
//! A record holds the messages of the conversation as they are sent, and the system prompt in sections, one of them
//! with the context files; older versions do not record the prompt, and then its files are unknown. The client's
//! version is not recorded.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lines::{Lines, parse};
use super::place::{self, Found, Homes};
use super::session::{Builder, Given, IN_SYSTEM_PROMPT, Kind, Purpose, time};
use super::{Client, Head};
use crate::text::Size;

/// Reads the records of pi.
pub const CLIENT: Client = Client {
    agent: "pi",
    find,
    head,
    open: super::open,
    read,
    text_of: super::no_text,
    homeless: super::NO_CWD,
    cuts_at: None,
    checked: "0.87.1",
};

/// Lines of recorded sessions that hold no instructions.
const SILENT: [&str; 3] = ["model_change", "session_info", "thinking_level_change"];

fn find(homes: &Homes, _: Option<&Path>) -> Vec<Found> {
    let sessions = homes.dir("PI_CODING_AGENT_DIR", ".pi/agent").join("sessions");
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
    #[serde(borrow)]
    sections: Option<std::collections::BTreeMap<Cow<'a, str>, &'a RawValue>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    arguments: Option<Arguments>,
}

#[derive(Deserialize)]
struct Arguments {
    path: Option<String>,
}

fn head(line: &[u8], head: &mut Head) {
    let Some(line) = serde_json::from_slice::<Line>(line).ok().filter(|line| line.kind == "session") else { return };
    head.id = line.id.map(Cow::into_owned);
    head.cwd = line.cwd.as_deref().map(PathBuf::from);
    head.start = line.timestamp.as_deref().and_then(time);
}

fn read(lines: &mut Lines, builder: &mut Builder) {
    let mut has_prompt = false;
    lines.each(|line| {
        let line: Line = serde_json::from_slice(line)?;
        let when = line.timestamp.as_deref().and_then(time);
        builder.at(when);
        match (line.kind.as_ref(), line.message) {
            ("session", _) => {
                builder.session.id = line.id.map(Cow::into_owned).unwrap_or_default();
                builder.session.cwd = line.cwd.as_deref().map(PathBuf::from);
                builder.step(when, Kind::Start, None);
            }
            ("message", Some(message)) => match message.role.as_ref() {
                "system" => {
                    has_prompt |= message.sections.is_some();
                    prompt(builder, message.sections.unwrap_or_default());
                }
                "assistant" => {
                    let blocks = message.content.and_then(parse::<Vec<Block>>).unwrap_or_default();
                    blocks.iter().for_each(|block| call(builder, block, when));
                }
                _ => {}
            },
            // The system prompt stays as it is.
            ("compaction", _) => drop(builder.step(when, Kind::Compaction, None)),
            (kind, _) if SILENT.contains(&kind) => {}
            (kind, _) => builder.unknown(kind),
        }
        Ok(())
    });
    if !has_prompt {
        let name = format!("context files {IN_SYSTEM_PROMPT}");
        builder.last_step();
        builder.give(0, Given::unknown(Purpose::Instructions, &name, None));
    }
}

/// Adds the sections of a system prompt, which replace those of the previous one.
fn prompt(builder: &mut Builder, sections: std::collections::BTreeMap<Cow<str>, &RawValue>) {
    let step = builder.last_step();
    builder.forget(step, |_, _| true);
    let mut own = 0;
    for (name, section) in sections {
        let (purpose, title) = match name.as_ref() {
            "project_context" => (Purpose::Instructions, "context files"),
            "addendum" => (Purpose::Instructions, "addendum to the prompt"),
            "skills" => (Purpose::Skill, "list of skills"),
            _ => {
                own += section.get().len();
                continue;
            }
        };
        let Some(text) = parse::<Arc<str>>(section) else { continue };
        let given = Given::recorded(purpose, title, None, text.clone());
        builder.give(step, Given { sent: Some(text), ..given });
    }
    if own > 0 {
        let given = Given::recorded(Purpose::System, "the client's own prompt", None, Arc::from(""));
        builder.give(step, Given { text: None, size: Size { bytes: own, ..Size::default() }, ..given });
    }
}

fn call(builder: &mut Builder, block: &Block, when: Option<jiff::Timestamp>) {
    if block.kind != "toolCall" {
        return;
    }
    let path = block.arguments.as_ref().and_then(|arguments| arguments.path.clone());
    let (kind, name) = match (block.name.as_deref().unwrap_or_default(), path) {
        ("read", path) => (Kind::Read, path),
        ("edit" | "write", path) => (Kind::Edit, path),
        (tool, _) => (Kind::Tool, Some(tool.to_owned())),
    };
    builder.step(when, kind, name);
}
