//! Mistral Vibe: `logs/session/unified/SESSION/journal/*.jsonl` in its own directory, the files in order; `meta.json`
//! beside them has directory and time.
//!
//! A record holds every request as the messages that it adds or puts in place of those before: the system prompt has
//! the files at start, and a tool's result those that came with it. When a session goes on, the files before are gone,
//! and the first request repeats the conversation. The client's version is not recorded.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lines::{Lines, parse};
use super::place::{self, Found, Homes};
use super::session::{Builder, Given, Kind, Purpose, time};
use super::{Client, Head};
use crate::text::Size;

/// Reads the records of Mistral Vibe.
pub const CLIENT: Client = Client {
    agent: "mistral-vibe",
    find,
    head,
    open,
    read,
    text_of: super::no_text,
    homeless: Some("not read, since no meta.json of its session says where it was started"),
    cuts_at: None,
    checked: "3.0.2",
};

/// First words of the files in the system prompt, and the last sentence after them (3.0.2).
const FENCES: [&str; 2] = [
    "Codebase and user instructions are shown below.",
    "You should act on these guidelines if they are relevant to your task.",
];
/// Tags around the files that come with a tool's result.
const WARNING: [&str; 2] = ["<vibe_warning>\n", "\n</vibe_warning>"];
/// Words before the path of such a file, and between it and the text.
const CONTENTS: [&str; 2] = ["Contents of ", " (project instructions for this directory):\n\n"];
/// Lines that hold no text for the model.
const SILENT: [&str; 4] = ["command_reserved", "core_input", "projection_delta", "receipt_succeeded"];
/// Maximum number of bytes that are read of `meta.json`.
const META_CAP_BYTES: usize = 64 * 1024;

#[derive(Deserialize)]
struct Meta {
    session_id: String,
    parent_session_id: Option<String>,
    start_time: Option<String>,
    environment: Environment,
}

#[derive(Deserialize)]
struct Environment {
    working_directory: PathBuf,
}

fn find(homes: &Homes, _: Option<&Path>) -> Vec<Found> {
    let sessions = homes.dir("VIBE_HOME", ".vibe").join("logs/session/unified");
    let records = place::directories(&sessions).into_iter().filter_map(|session| {
        let journal = place::files(&session.join("journal"), ".jsonl");
        let mut all = journal.into_iter().filter_map(Found::at);
        let first = all.next()?;
        let found = all.fold(first, |found, next| Found {
            bytes: found.bytes + next.bytes,
            written: found.written.max(next.written),
            problem: found.problem.or(next.problem),
            ..found
        });
        let meta = place::start_of(&session.join("meta.json"), META_CAP_BYTES);
        let head = meta.and_then(|meta| serde_json::from_slice(&meta).ok()).map(head_of).unwrap_or_default();
        Some(Found { head, ..found })
    });
    records.collect()
}

fn head_of(meta: Meta) -> Head {
    Head {
        id: Some(meta.session_id),
        cwd: Some(meta.environment.working_directory),
        start: meta.start_time.as_deref().and_then(time),
        parent: meta.parent_session_id,
        ..Head::default()
    }
}

/// Returns without change: all facts about a session are beside its record.
fn head(_: &[u8], _: &mut Head) {}

/// Opens the files of a session one after the other.
fn open(found: &Found) -> Result<Lines, String> {
    let mut all: Box<dyn Read + Send> = Box::new(std::io::empty());
    for file in place::files(found.file.parent().unwrap_or(&found.file), ".jsonl") {
        let (file, len) = place::open(&file)?;
        all = Box::new(all.chain(file.take(len)));
    }
    Ok(Lines::new(all))
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    payload: &'a RawValue,
}

#[derive(Deserialize)]
struct CoreInput {
    input: Timed,
}

#[derive(Deserialize)]
struct Timed {
    determinism: Determinism,
}

#[derive(Deserialize)]
struct Determinism {
    time_unix_ms: i64,
}

#[derive(Deserialize)]
struct ActionResult {
    result: Done,
}

#[derive(Deserialize)]
struct Done {
    result: Completion,
}

#[derive(Deserialize)]
struct Completion {
    usage: Usage,
}

#[derive(Deserialize)]
struct Usage {
    input_tokens: u64,
}

#[derive(Deserialize)]
struct Intent<'a> {
    #[serde(borrow)]
    request: Request<'a>,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    purpose: Option<Cow<'a, str>>,
    #[serde(borrow)]
    model_input: Option<ModelInput<'a>>,
    #[serde(borrow)]
    call: Option<Call<'a>>,
}

#[derive(Deserialize)]
struct ModelInput<'a> {
    #[serde(borrow)]
    messages: Messages<'a>,
}

#[derive(Deserialize)]
struct Messages<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    messages: Vec<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Vec<Content<'a>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(default)]
    arguments: Arguments,
}

/// Arguments of a tool call that name something.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Arguments {
    path: Option<String>,
    file_path: Option<String>,
    name: Option<String>,
}

fn read(lines: &mut Lines, builder: &mut Builder) {
    let session = builder.session.file.ancestors().nth(2).and_then(Path::file_name);
    builder.session.id = session.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    lines.each(|line| {
        let line: Line = serde_json::from_slice(line)?;
        match line.kind.as_ref() {
            "core_input" => {
                let at = parse::<CoreInput>(line.payload).map(|input| input.input.determinism.time_unix_ms);
                builder.at(at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok()));
            }
            "action_intent" => {
                let intent: Intent = serde_json::from_str(line.payload.get())?;
                take(builder, &intent.request);
            }
            "action_result" => {
                let tokens = parse::<ActionResult>(line.payload).map(|done| done.result.result.usage.input_tokens);
                builder.session.tokens = tokens.filter(|&tokens| tokens > 0).or(builder.session.tokens);
            }
            kind if SILENT.contains(&kind) => {}
            kind => builder.unknown(kind),
        }
        Ok(())
    });
}

fn take(builder: &mut Builder, request: &Request) {
    match (request.kind.as_ref(), &request.model_input, &request.call) {
        ("llm_call", Some(input), _) if request.purpose.as_deref() == Some("agent") => put(builder, &input.messages),
        ("runtime_builtin_tool_call", _, Some(one)) => call(builder, one),
        ("hook_call", ..) => {}
        (kind, ..) => builder.unknown(&format!("{kind} {}", request.purpose.as_deref().unwrap_or_default())),
    }
}

/// Adds the texts of messages that are put in place of those before, or added to them.
fn put(builder: &mut Builder, messages: &Messages) {
    let step = match (messages.kind.as_ref(), builder.session.steps.is_empty()) {
        ("append", _) => builder.last_step(),
        ("replace", true) => {
            let is_old = messages.messages.iter().any(|message| message.role == "assistant");
            builder.step(builder.session.end, if is_old { Kind::Resume } else { Kind::Start }, None)
        }
        ("replace", false) => {
            let step = builder.step(builder.session.end, Kind::Compaction, None);
            builder.forget_all(step);
            step
        }
        (kind, _) => return builder.unknown(&format!("messages {kind}")),
    };
    for message in &messages.messages {
        for text in message.content.iter().filter_map(|content| content.text.as_deref()) {
            match message.role.as_ref() {
                "system" => start(builder, step, text),
                "tool" => bring(builder, step, text),
                _ => {}
            }
        }
    }
}

fn start(builder: &mut Builder, step: usize, prompt: &str) {
    let files = prompt.find(FENCES[0]).and_then(|start| {
        let end = prompt.rfind(FENCES[1])? + FENCES[1].len();
        prompt.get(start..end)
    });
    if let Some(files) = files {
        let text: Arc<str> = files.into();
        let given = Given::recorded(Purpose::Instructions, "AGENTS.md instructions", None, text.clone());
        builder.give(step, Given { sent: Some(text), ..given });
    }
    let own = Given::recorded(Purpose::System, "the client's own prompt", None, Arc::from(""));
    let bytes = prompt.len() - files.map_or(0, str::len);
    builder.give(step, Given { text: None, size: Size { bytes, ..Size::default() }, ..own });
}

fn call(builder: &mut Builder, call: &Call) {
    let arguments = &call.arguments;
    let file = arguments.path.clone().or_else(|| arguments.file_path.clone());
    let (kind, name) = match call.name.as_deref().unwrap_or_default() {
        "file_system.read_file" => (Kind::Read, file),
        "file_system.write_file" | "file_system.search_replace" => (Kind::Edit, file),
        "skill" => (Kind::Skill, arguments.name.clone()),
        tool => (Kind::Tool, Some(tool.to_owned())),
    };
    builder.step(builder.session.end, kind, name);
}

/// Adds the files that came with a tool's result.
fn bring(builder: &mut Builder, step: usize, result: &str) {
    let Some(whole) = result.strip_prefix(WARNING[0]).and_then(|warning| warning.strip_suffix(WARNING[1])) else {
        if result.contains(WARNING[0]) {
            builder.give(step, Given::unknown(Purpose::Instructions, "instruction files in a tool's result", None));
        }
        return;
    };
    let sent: Arc<str> = whole.into();
    let file = whole.strip_prefix(CONTENTS[0]).and_then(|file| file.split_once(CONTENTS[1]));
    // A file may imitate the head of another, so that only one that is alone has a certain path.
    let given = match file.filter(|(_, text)| !text.contains(CONTENTS[1])) {
        Some((path, text)) => {
            Given::recorded(Purpose::Instructions, "instruction file", Some(PathBuf::from(path)), text.into())
        }
        None => Given::recorded(Purpose::Instructions, "instruction files", None, sent.clone()),
    };
    builder.give(step, Given { sent: Some(sent), ..given });
}
