//! Gemini CLI: `.gemini/tmp/PROJECT/chats/session-*.jsonl` in its home directory; `.project_root` beside `chats` names
//! the project.
//!
//! A record holds the messages of the conversation, the first of which has the files of the project and of extensions;
//! `$set` puts replaces them when a session is resumed or summarized. The system instruction, which has the files of
//! the user, is not recorded, and neither is the client's version.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::context::{AtEnd, at_end, between, entries};
use super::lines::{Lines, parse};
use super::place::{self, Found, Homes};
use super::session::{Builder, Given, IN_SYSTEM_PROMPT, Kind, Place, Purpose, json_needle, time};
use super::{Client, Head};

/// Reads the records of Gemini CLI.
pub const CLIENT: Client = Client {
    agent: "gemini-cli",
    find,
    head,
    open: super::open,
    read,
    text_of: super::context::text_of,
    homeless: Some("not read, since no .project_root beside it says where it was started"),
    cuts_at: None,
    checked: "0.61.0",
};

/// Marks around the files that are added when a tool reaches a path.
const DISCOVERED: [&str; 2] = ["--- Newly Discovered Project Context ---\n", "\n--- End Project Context ---"];

fn find(homes: &Homes, project: Option<&Path>) -> Vec<Found> {
    let home = homes.dir("GEMINI_CLI_HOME", "").join(".gemini/tmp");
    let mut found = Vec::new();
    for dir in place::directories(&home) {
        let root = place::start_of(&dir.join(".project_root"), 4096).and_then(|root| String::from_utf8(root).ok());
        let root = root.map(|root| PathBuf::from(root.trim_end()));
        if let (Some(project), Some(root)) = (project, &root)
            && !root.starts_with(project)
        {
            continue;
        }
        let files = place::files(&dir.join("chats"), ".jsonl").into_iter().filter_map(Found::at);
        let head = Head { cwd: root, ..Head::default() };
        found.extend(files.map(|found| Found { head: head.clone(), ..found }));
    }
    found
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    start_time: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "$set")]
    set: Option<Set<'a>>,
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Call<'a>>>,
    tokens: Option<Tokens>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Set<'a> {
    #[serde(borrow)]
    messages: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    last_updated: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input: u64,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default)]
    args: Arguments,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
}

/// Arguments of a tool call that name something.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Arguments {
    file_path: Option<String>,
    name: Option<String>,
    agent_name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    function_response: Option<FunctionResponse<'a>>,
}

#[derive(Deserialize)]
struct FunctionResponse<'a> {
    #[serde(borrow)]
    response: Option<Response<'a>>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    output: Option<Cow<'a, str>>,
}

fn head(line: &[u8], head: &mut Head) {
    let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
    // A process that resumes a session of another minute leaves a record without messages behind.
    if line.start_time.is_some() && head.start.is_none() {
        head.is_silent = true;
    }
    head.is_silent &= line.kind.is_none();
    head.start = head.start.or_else(|| time(&line.start_time?));
    head.id = head.id.take().or_else(|| Some(line.session_id?.into_owned()));
}

fn read(lines: &mut Lines, builder: &mut Builder) {
    let mut reading = Reading { builder, begins: false, last: None, gone: Vec::new(), needles: Vec::new() };
    lines.each(|line| reading.take(line));
}

struct Reading<'b> {
    builder: &'b mut Builder,
    /// True if a process has begun and no message has followed yet.
    begins: bool,
    /// The name of the last message.
    last: Option<String>,
    /// Texts missing in the messages that replaced the conversation, until the next message.
    gone: Vec<Place>,
    /// Bytes by which each text is found among the messages.
    needles: Vec<(Place, Vec<u8>)>,
}

impl Reading<'_> {
    fn take(&mut self, line: &[u8]) -> Result<(), serde_json::Error> {
        let line: Line = serde_json::from_slice(line)?;
        let when = [&line.timestamp, &line.start_time].into_iter().flatten().find_map(|when| time(when));
        let when = when.or_else(|| time(line.set.as_ref()?.last_updated.as_deref()?));
        self.builder.at(when);
        if line.start_time.is_some() {
            self.begin(line.session_id, when);
        }
        if let Some(messages) = line.set.and_then(|set| set.messages) {
            self.put(&messages, when);
        }
        match line.kind.as_deref() {
            None => {}
            Some("user") => {
                self.said(line.id);
                if let Some(content) = line.content {
                    self.user(content);
                }
            }
            Some("gemini") => {
                self.said(line.id);
                let tokens = line.tokens.map(|tokens| tokens.input).filter(|&tokens| tokens > 0);
                self.builder.session.tokens = tokens.or(self.builder.session.tokens);
                line.tool_calls.iter().flatten().for_each(|call| self.call(call));
            }
            Some("info" | "error" | "warning") => {}
            Some(kind) => self.builder.unknown(kind),
        }
        Ok(())
    }

    fn said(&mut self, id: Option<Cow<str>>) {
        let step = self.builder.last_step();
        self.begins = false;
        self.last = id.map(Cow::into_owned);
        let gone = std::mem::take(&mut self.gone);
        self.builder.forget(step, |place, _| gone.contains(&place));
        self.needles.retain(|(place, _)| !gone.contains(place));
    }

    /// Handles the start of a process, which begins or resumes the session.
    fn begin(&mut self, id: Option<Cow<str>>, when: Option<jiff::Timestamp>) {
        self.begins = true;
        if self.builder.session.steps.is_empty() {
            self.builder.session.id = id.map(Cow::into_owned).unwrap_or_default();
            let step = self.builder.step(when, Kind::Start, None);
            let name = format!("instructions of the user {IN_SYSTEM_PROMPT}");
            self.builder.give(step, Given::unknown(Purpose::Instructions, name, None));
        } else {
            self.builder.step(when, Kind::Resume, None);
        }
    }

    /// Replaces the messages of the conversation. In a resumed session the old messages follow those of the new
    /// process.
    fn put(&mut self, messages: &[&RawValue], when: Option<jiff::Timestamp>) {
        let is_in = |needle: &[u8]| messages.iter().any(|one| memmem::find(one.get().as_bytes(), needle).is_some());
        if !self.begins {
            // A resumed conversation still holds the last message.
            let goes_on = self.last.as_ref().is_some_and(|id| is_in(format!("\"{id}\"").as_bytes()));
            self.builder.step(when, if goes_on { Kind::Resume } else { Kind::Compaction }, None);
        }
        self.builder.last_step();
        self.gone = self.needles.iter().filter(|(_, needle)| !is_in(needle)).map(|(place, _)| *place).collect();
        for message in messages {
            let Some(Line { kind: Some(kind), content: Some(content), .. }) = parse::<Line>(message) else { continue };
            if kind == "user" {
                self.user(content);
            }
        }
    }

    /// Adds the files of a user message.
    fn user(&mut self, content: &RawValue) {
        let step = self.builder.last_step();
        for part in parse::<Vec<Part>>(content).unwrap_or_default() {
            let text = part.text.filter(|text| text.starts_with("<session_context>"));
            if let Some(block) = text.as_deref().and_then(|text| between(text, "<loaded_context>", "</loaded_context>"))
            {
                self.block(step, block);
            }
        }
    }

    /// Adds the files of a block, unless it is already in context.
    fn block(&mut self, step: usize, block: &str) {
        let needle = json_needle(block);
        if self.needles.iter().any(|(_, known)| *known == needle) {
            return;
        }
        let sent: Arc<str> = block.into();
        let cwd = self.builder.session.cwd.clone();
        for entry in entries(block) {
            let path = entry.path_from(cwd.as_deref());
            let given = Given::recorded(Purpose::Instructions, "context file", Some(path), entry.text.into());
            let place = self.builder.give(step, Given { sent: Some(sent.clone()), ..given });
            self.needles.push((place, needle.clone()));
        }
    }

    fn call(&mut self, call: &Call) {
        let when = call.timestamp.as_deref().and_then(time);
        let args = &call.args;
        let (kind, name) = match &*call.name {
            "read_file" => (Kind::Read, args.file_path.clone()),
            "write_file" | "replace" => (Kind::Edit, args.file_path.clone()),
            "activate_skill" => (Kind::Skill, args.name.clone()),
            "invoke_agent" => (Kind::Subagent, args.agent_name.clone()),
            other => (Kind::Tool, Some(other.to_owned())),
        };
        let step = self.builder.step(when, kind, name);
        for part in call.result.and_then(parse::<Vec<Part>>).unwrap_or_default() {
            let Some(output) = part.function_response.and_then(|response| response.response?.output) else { continue };
            if kind == Kind::Skill {
                let text: Arc<str> = output.as_ref().into();
                let place = self.builder.give(step, Given::recorded(Purpose::Skill, "body of a skill", None, text));
                self.needles.push((place, json_needle(&output)));
                continue;
            }
            match at_end(&output, DISCOVERED[0], DISCOVERED[1]) {
                AtEnd::Block(block) => self.block(step, block),
                AtEnd::Nothing => {}
                AtEnd::Unclear => {
                    let given = Given::unknown(Purpose::Instructions, "context files that may have come with it", None);
                    self.builder.give(step, given);
                }
            }
        }
    }
}
