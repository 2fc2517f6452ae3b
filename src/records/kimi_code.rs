//! Kimi Code: `sessions/WORKSPACE/SESSION/agents/AGENT/wire.jsonl` in its own directory; `state.json` of the session
//! has its directory.
//!
//! A record holds the system prompt, with the files at start as one text, and reminders that list the files for the
//! path that a tool reached. A compaction keeps the system prompt. The client's version is not recorded.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::lines::Lines;
use super::place::{self, Found, Homes};
use super::session::{Builder, Given, Kind, Purpose};
use super::{Client, Head};
use crate::text::Size;

/// Reads the records of Kimi Code.
pub const CLIENT: Client = Client {
    agent: "kimi-code",
    find,
    head,
    open: super::open,
    read,
    text_of: super::no_text,
    homeless: Some("not read, since no state.json of its session says where it was started"),
    cuts_at: None,
    checked: "2.1.0",
};

/// Marks around the files in the system prompt.
const FENCES: [&str; 2] = ["\nThe applicable `AGENTS.md` instructions are:\n\n```````\n", "\n```````\n"];
/// Tags around a reminder.
const REMINDER: [&str; 2] = ["<system-reminder>\n", "\n</system-reminder>"];
/// Lines of recorded sessions that hold no instructions.
const SILENT: [&str; 18] = [
    "agent.message.appended",
    "agent.turn.ended",
    "agent.turn.started",
    "context.undo",
    "full_compaction.begin",
    "full_compaction.complete",
    "llm.request",
    "metadata",
    "permission.set_mode",
    "plugin.session_start",
    "prompt.completed",
    "runtime.set_binding",
    "token_counting.measured",
    "token_counting.turn_recorded",
    "turn.ended",
    "turn.prompt",
    "usage.record",
    "llm.tools_snapshot",
];
/// Maximum number of bytes that are read of `state.json`.
const STATE_CAP_BYTES: usize = 64 * 1024;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct State {
    id: String,
    cwd: PathBuf,
    created_at: Option<i64>,
}

fn find(homes: &Homes, _: Option<&Path>) -> Vec<Found> {
    let sessions = homes.dir("KIMI_CODE_HOME", ".kimi-code").join("sessions");
    let sessions = place::directories(&sessions).into_iter().flat_map(|dir| place::directories(&dir));
    let records = sessions.flat_map(|session| {
        let state = place::start_of(&session.join("state.json"), STATE_CAP_BYTES);
        let state: Option<State> = state.and_then(|state| serde_json::from_slice(&state).ok());
        let agents = place::directories(&session.join("agents")).into_iter();
        agents.filter_map(move |agent| {
            let found = Found::at(agent.join("wire.jsonl"))?;
            Some(Found { head: head_of(state.as_ref(), agent.file_name()?.to_str()?), ..found })
        })
    });
    records.collect()
}

/// Returns what is known of an agent's record; all agents but `main` were started by it.
fn head_of(state: Option<&State>, agent: &str) -> Head {
    let Some(state) = state else { return Head::default() };
    let is_main = agent == "main";
    Head {
        id: Some(if is_main { state.id.clone() } else { format!("{}-{agent}", state.id) }),
        cwd: Some(state.cwd.clone()),
        start: state.created_at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok()),
        parent: (!is_main).then(|| state.id.clone()),
        ..Head::default()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    time: Option<i64>,
    #[serde(borrow)]
    system_prompt: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow)]
    event: Option<Event<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<Vec<Content<'a>>>,
    #[serde(borrow)]
    origin: Option<Origin<'a>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Origin<'a> {
    #[serde(borrow)]
    variant: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    args: Option<Args>,
}

#[derive(Deserialize)]
struct Args {
    path: Option<String>,
}

fn head(line: &[u8], head: &mut Head) {
    let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
    head.start = head.start.or_else(|| time(line.time));
}

fn time(milliseconds: Option<i64>) -> Option<jiff::Timestamp> {
    jiff::Timestamp::from_millisecond(milliseconds?).ok()
}

fn read(lines: &mut Lines, builder: &mut Builder) {
    let session = builder.session.file.ancestors().nth(3).and_then(Path::file_name);
    builder.session.id = session.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // A reminder about a call is written before the next request.
    let mut is_called = false;
    lines.each(|line| {
        let line: Line = serde_json::from_slice(line)?;
        let when = time(line.time);
        builder.at(when);
        match line.kind.as_ref() {
            "profile.bind" => start(builder, line.system_prompt.as_deref().unwrap_or_default(), when),
            "context.append_message" => {
                if let Some(message) = &line.message {
                    remind(builder, message);
                }
            }
            "context.append_loop_event" => {
                let event = line.event.as_ref();
                is_called &= event.is_none_or(|event| event.kind != "step.begin");
                if let Some(event) = event.filter(|event| event.kind == "tool.call") {
                    call(builder, event, when);
                    is_called = true;
                }
            }
            "context.apply_compaction" | "context.clear" => {
                let step = builder.step(when, Kind::Compaction, None);
                builder.forget(step, |_, given| given.name == REMINDS);
            }
            kind if SILENT.contains(&kind) => {}
            kind => builder.unknown(kind),
        }
        Ok(())
    });
    if is_called {
        let step = builder.last_step();
        builder.give(step, Given::unknown(Purpose::Reminder, REMINDS, None));
    }
}

/// Name of a reminder that lists files.
const REMINDS: &str = "reminder that names files";

fn start(builder: &mut Builder, prompt: &str, when: Option<jiff::Timestamp>) {
    let step = builder.step(when, if builder.session.steps.is_empty() { Kind::Start } else { Kind::Resume }, None);
    // A prompt that is bound anew takes the place of the one before it.
    builder.forget(step, |place, given| place.0 != step && given.name != REMINDS);
    let own = Given::recorded(Purpose::System, "the client's own prompt", None, Arc::from(""));
    let files = prompt.find(FENCES[0]).and_then(|start| {
        let start = start + FENCES[0].len();
        prompt.get(start..prompt.rfind(FENCES[1])?)
    });
    builder.give(
        step,
        Given { text: None, size: Size { bytes: prompt.len() - files.map_or(0, str::len), ..Size::default() }, ..own },
    );
    if let Some(files) = files.filter(|files| !files.is_empty()) {
        let text: Arc<str> = Arc::from(files);
        let given = Given::recorded(Purpose::Instructions, "AGENTS.md instructions", None, text.clone());
        builder.give(step, Given { sent: Some(text), ..given });
    }
}

fn remind(builder: &mut Builder, message: &Message) {
    if message.origin.as_ref().and_then(|origin| origin.variant.as_deref()) != Some("agents_md") {
        return;
    }
    let step = builder.last_step();
    for text in message.content.iter().flatten().filter_map(|content| content.text.as_deref()) {
        let text = text.strip_prefix(REMINDER[0]).and_then(|text| text.strip_suffix(REMINDER[1])).unwrap_or(text);
        builder.give(step, Given::recorded(Purpose::Reminder, REMINDS, None, Arc::from(text)));
    }
}

fn call(builder: &mut Builder, event: &Event, when: Option<jiff::Timestamp>) {
    let path = event.args.as_ref().and_then(|args| args.path.clone());
    let (kind, name) = match (event.name.as_deref().unwrap_or_default(), path) {
        ("Read", path) => (Kind::Read, path),
        ("Edit" | "Write", path) => (Kind::Edit, path),
        ("Agent", _) => (Kind::Subagent, None),
        (tool, _) => (Kind::Tool, Some(tool.to_owned())),
    };
    builder.step(when, kind, name);
}
