//! Codex: `sessions/YEAR/MONTH/DAY/rollout-*.jsonl` in its own directory.
//!
//! A rollout holds the items of the conversation as they are sent, including the instruction files. After a compaction
//! the conversation is the `replacement_history` of `compacted`; early versions record only the summary, without the
//! texts that they add before it again.
//!
//! Nothing marks that a session is resumed in another process. A process sends the files once, and again only from
//! another directory; files in a later turn therefore mean that the session was resumed (0.169, two turns of one `codex
//! app-server`).

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lines::{Lines, parse};
use super::place::{self, Found, Homes};
use super::session::{Builder, Given, Kind, Purpose, time};
use super::{Client, Head};
use crate::text::Size;

/// Reads the records of Codex.
pub const CLIENT: Client = Client {
    agent: "codex",
    find,
    head,
    open: super::open,
    read,
    text_of: super::no_text,
    homeless: super::NO_CWD,
    cuts_at: Some(32_768),
    checked: "0.169.0",
};

/// Prefixes of texts that are not prompts of the user.
const AGENTS_MD: [&str; 2] = ["# AGENTS.md instructions", "<user_instructions>"];
const SKILL: &str = "<skill>";
const SKILLS: &str = "<skills_instructions>";
/// Text before files that replace earlier ones (0.169).
const REPLACES: &str = "These AGENTS.md instructions replace all previously provided AGENTS.md instructions.\n\n";

/// Lines and items of recorded sessions that hold no instructions.
const SILENT_LINES: [&str; 4] =
    ["inter_agent_communication_metadata", "token_usage_record", "turn_context", "world_state"];
const SILENT_ITEMS: [&str; 4] = ["agent_message", "custom_tool_call_output", "function_call_output", "reasoning"];

fn find(homes: &Homes, _: Option<&Path>) -> Vec<Found> {
    let sessions = homes.dir("CODEX_HOME", ".codex").join("sessions");
    let below = |dirs: Vec<PathBuf>| dirs.iter().flat_map(|dir| place::directories(dir)).collect::<Vec<_>>();
    let days = below(below(place::directories(&sessions)));
    let files = days.iter().flat_map(|day| place::files(day, ".jsonl"));
    files.filter_map(Found::at).collect()
}

/// A line.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

/// Facts about the whole session.
#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cli_version: Option<Cow<'a, str>>,
    #[serde(borrow)]
    base_instructions: Option<&'a RawValue>,
    #[serde(borrow)]
    forked_from_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    parent_thread_id: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct BaseInstructions {
    text: String,
}

/// An item of the conversation.
#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    #[serde(borrow, rename = "internal_chat_message_metadata_passthrough")]
    about: Option<About<'a>>,
}

/// Sources of the texts of a message; older versions do not record them.
#[derive(Deserialize)]
struct About<'a> {
    #[serde(borrow, default)]
    content_item_kinds: Vec<Cow<'a, str>>,
}

/// The kind of a text that the user has typed.
const TYPED: &str = "user.text";

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Compacted<'a> {
    #[serde(borrow)]
    replacement_history: Option<Vec<Item<'a>>>,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    info: Option<Info>,
}

#[derive(Deserialize)]
struct Info {
    last_token_usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: u64,
}

fn head(line: &[u8], head: &mut Head) {
    // The first line holds the model's prompt and may be longer than the part that is read.
    let text = String::from_utf8_lossy(line);
    if !text.contains("\"session_meta\"") || head.id.is_some() {
        return;
    }
    let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
    let Some(meta) = line.payload.and_then(parse::<Meta>) else { return };
    head.start = line.timestamp.as_deref().and_then(time);
    head.id = meta.id.map(Cow::into_owned);
    head.cwd = meta.cwd.as_deref().map(PathBuf::from);
    head.version = meta.cli_version.map(Cow::into_owned);
    head.parent = meta.parent_thread_id.map(Cow::into_owned);
}

fn read(lines: &mut Lines, builder: &mut Builder) {
    let mut reading = Reading { builder, has_meta: false, is_answered: false };
    lines.each(|line| reading.take(line));
}

struct Reading<'b> {
    builder: &'b mut Builder,
    has_meta: bool,
    /// True if the model has answered since files were last added.
    is_answered: bool,
}

impl Reading<'_> {
    fn take(&mut self, line: &[u8]) -> Result<(), serde_json::Error> {
        let line: Line = serde_json::from_slice(line)?;
        let when = line.timestamp.as_deref().and_then(time);
        self.builder.at(when);
        let payload = line.payload;
        match line.kind.as_deref() {
            Some("session_meta") => self.meta(payload.and_then(parse), when),
            Some("response_item") => {
                if let Some(item) = payload.and_then(parse::<Item>) {
                    self.item(None, &item, when);
                }
            }
            Some("compacted") => self.compacted(payload.and_then(parse), when),
            Some("event_msg") => {
                let event = payload.and_then(parse::<Event>);
                let tokens = event.filter(|event| event.kind.as_deref() == Some("token_count"));
                let tokens = tokens.and_then(|event| event.info?.last_token_usage).map(|usage| usage.input_tokens);
                self.builder.session.tokens = tokens.filter(|&tokens| tokens > 0).or(self.builder.session.tokens);
            }
            Some(kind) if SILENT_LINES.contains(&kind) => {}
            Some(kind) => self.builder.unknown(kind),
            None => self.builder.unknown("a line without a type"),
        }
        Ok(())
    }

    fn meta(&mut self, meta: Option<Meta>, when: Option<jiff::Timestamp>) {
        let Some(meta) = meta else { return };
        // A forked session begins with the lines of the original.
        if std::mem::replace(&mut self.has_meta, true) {
            return;
        }
        let session = &mut self.builder.session;
        session.id = meta.id.map(Cow::into_owned).unwrap_or_default();
        session.cwd = meta.cwd.as_deref().map(PathBuf::from);
        session.version = meta.cli_version.map(Cow::into_owned);
        session.parent = meta.parent_thread_id.or(meta.forked_from_id).map(Cow::into_owned);
        let step = self.builder.step(when, Kind::Start, None);
        if let Some(base) = meta.base_instructions.and_then(parse::<BaseInstructions>) {
            self.own(step, Purpose::System, "the client's own prompt", Size::of(&base.text));
        }
    }

    /// Notes the size of a text that comes with the client.
    fn own(&mut self, step: usize, purpose: Purpose, name: &str, size: Size) {
        let given = Given { text: None, size, ..Given::recorded(purpose, name, None, Arc::from("")) };
        self.builder.give(step, given);
    }

    /// Reads an item, which may belong to the history that a compaction has left.
    fn item(&mut self, compaction: Option<usize>, item: &Item, when: Option<jiff::Timestamp>) {
        match item.kind.as_deref() {
            Some("message") => {
                let contents = item.content.and_then(parse::<Vec<Content>>).unwrap_or_default();
                let role = item.role.as_deref().unwrap_or_default();
                let kinds = item.about.as_ref().map_or(&[][..], |about| &about.content_item_kinds);
                self.is_answered |= compaction.is_none() && role == "assistant";
                for (at, content) in contents.iter().enumerate() {
                    let is_typed = kinds.get(at).is_some_and(|kind| kind == TYPED);
                    if let Some(text) = content.text.filter(|_| !is_typed) {
                        self.text(compaction, role, text, when);
                    }
                }
            }
            Some("function_call" | "custom_tool_call" | "local_shell_call") => self.call(item, when),
            Some("additional_tools") => {
                let bytes = item.tools.map_or(0, |tools| tools.get().len());
                let step = compaction.unwrap_or_else(|| self.builder.last_step());
                self.own(step, Purpose::Tools, "tools", Size { bytes, ..Size::default() });
            }
            Some(kind) if SILENT_ITEMS.contains(&kind) => {}
            Some(kind) => self.builder.unknown(&format!("item {kind}")),
            None => {}
        }
    }

    fn text(&mut self, compaction: Option<usize>, role: &str, raw: &RawValue, when: Option<jiff::Timestamp>) {
        let is = |prefix: &str| raw.get()[1..].starts_with(prefix);
        let (purpose, name) = match role {
            "user" if AGENTS_MD.iter().any(|prefix| is(prefix)) => (Purpose::Instructions, "AGENTS.md instructions"),
            "user" if is(SKILL) => (Purpose::Skill, "body of a skill"),
            "developer" if is(SKILLS) => (Purpose::Skill, "list of skills"),
            _ => return,
        };
        let Some(sent) = parse::<Arc<str>>(raw) else { return };
        let step = match compaction {
            Some(step) => step,
            None if is(SKILL) => self.builder.step(when, Kind::Skill, skill(&sent).map(str::to_owned)),
            None if purpose == Purpose::Instructions && std::mem::take(&mut self.is_answered) => {
                let dir = directory(&sent).filter(|dir| self.builder.session.cwd.as_deref() != Some(Path::new(dir)));
                self.builder.step(when, Kind::Resume, dir.map(str::to_owned))
            }
            None => self.builder.last_step(),
        };
        let text = if sent.contains(REPLACES) { sent.replacen(REPLACES, "", 1).into() } else { sent.clone() };
        self.builder.give(step, Given { sent: Some(sent), ..Given::recorded(purpose, name, None, text) });
    }

    /// Adds a step for each file that a call patches, and one for any other call.
    fn call(&mut self, item: &Item, when: Option<jiff::Timestamp>) {
        let name = item.name.as_deref().unwrap_or("shell");
        let input = [item.arguments, item.input].into_iter().flatten().map(RawValue::get).collect::<String>();
        let mut patched = patched(&input).peekable();
        if patched.peek().is_none() {
            self.builder.step(when, Kind::Tool, Some(name.to_owned()));
        }
        for file in patched {
            self.builder.step(when, Kind::Edit, Some(file.to_owned()));
        }
    }

    fn compacted(&mut self, compacted: Option<Compacted>, when: Option<jiff::Timestamp>) {
        let step = self.builder.step(when, Kind::Compaction, None);
        self.builder.forget_all(step);
        match compacted.and_then(|compacted| compacted.replacement_history) {
            Some(history) => {
                // Tool calls in the kept history were made earlier.
                let said =
                    history.iter().filter(|item| matches!(item.kind.as_deref(), Some("message" | "additional_tools")));
                said.for_each(|item| self.item(Some(step), item, when));
            }
            None => {
                let given = Given::unknown(Purpose::Instructions, "instruction files after the compaction", None);
                self.builder.give(step, given);
            }
        }
    }
}

/// Returns the name of a skill of which this is the body.
fn skill(text: &str) -> Option<&str> {
    Some(text.split_once("<name>")?.1.split_once("</name>")?.0)
}

/// Returns the directory that files are sent for.
fn directory(text: &str) -> Option<&str> {
    text.strip_prefix("# AGENTS.md instructions for ")?.lines().next()
}

/// Finds the paths of a patch within JSON.
fn patched(json: &str) -> impl Iterator<Item = &str> {
    const HEADS: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    json.match_indices("*** ").filter_map(|(at, _)| {
        let rest = HEADS.iter().find_map(|head| json[at..].strip_prefix(head))?;
        let end = rest.find(['\\', '"', '\n']).unwrap_or(rest.len());
        Some(rest[..end].trim()).filter(|file| !file.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_its_files() {
        let json =
            r#"{"input":"*** Begin Patch\n*** Update File: src/a.rs\n@@\n*** Add File: b c.md\n+x\n*** End Patch"}"#;
        assert_eq!(patched(json).collect::<Vec<_>>(), ["src/a.rs", "b c.md"]);
        assert_eq!(patched(r#"{"cmd":"ls"}"#).count(), 0);
    }
}
