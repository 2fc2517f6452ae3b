//! Qwen Code: `projects/PROJECT/chats/*.jsonl` in its own directory.
//!
//! A record holds the messages of the conversation as they are sent, with the rules that come with files, and the
//! bodies of skills. The system prompt, which has the context files, is not recorded; nor is the resumption of a
//! session in another process.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::context::{AtEnd, at_end, entries};
use super::lines::{Lines, parse};
use super::place::{self, Found, Homes};
use super::session::{Builder, Given, IN_SYSTEM_PROMPT, Kind, Place, Purpose, json_needle, time};
use super::{Client, Head};

/// Reads the records of Qwen Code.
pub const CLIENT: Client = Client {
    agent: "qwen-code",
    find,
    head,
    open: super::open,
    read,
    text_of: super::context::text_of,
    homeless: super::NO_CWD,
    cuts_at: None,
    checked: "0.24.4",
};

/// Text before the body of a skill.
const SKILL_BODY: &str = "Base directory for this skill: ";

/// Tags around the rules that are added when a tool reaches a path, and the opening of such a block.
const REMINDER: [&str; 2] = ["<system-reminder>\n", "\n</system-reminder>"];
const RULES: &str = "<system-reminder>\n--- Rule from: ";

fn find(homes: &Homes, _: Option<&Path>) -> Vec<Found> {
    let projects = place::directories(&homes.dir("QWEN_HOME", ".qwen").join("projects"));
    let files = projects.iter().flat_map(|dir| place::files(&dir.join("chats"), ".jsonl"));
    files.filter_map(Found::at).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    subtype: Option<Cow<'a, str>>,
    #[serde(borrow)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow)]
    version: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    usage_metadata: Option<Usage>,
    #[serde(borrow)]
    system_payload: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    parts: Option<Vec<Part<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow)]
    function_call: Option<Call<'a>>,
    #[serde(borrow)]
    function_response: Option<FunctionResponse<'a>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default)]
    args: Arguments,
}

/// Arguments of a tool call that name something.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Arguments {
    file_path: Option<String>,
    skill: Option<String>,
    subagent_type: Option<String>,
}

#[derive(Deserialize)]
struct FunctionResponse<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    response: Option<Response<'a>>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    output: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    #[serde(default)]
    prompt_token_count: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Compressed<'a> {
    #[serde(borrow)]
    compressed_history: Option<&'a RawValue>,
}

fn head(line: &[u8], head: &mut Head) {
    let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
    head.id = head.id.take().or_else(|| Some(line.session_id?.into_owned()));
    head.cwd = head.cwd.take().or_else(|| Some(PathBuf::from(&*line.cwd?)));
    head.version = head.version.take().or_else(|| Some(line.version?.into_owned()));
    head.start = head.start.or_else(|| time(&line.timestamp?));
}

fn read(lines: &mut Lines, builder: &mut Builder) {
    let mut reading = Reading { builder, calls: Vec::new(), needles: Vec::new() };
    lines.each(|line| reading.take(line));
}

struct Reading<'b> {
    builder: &'b mut Builder,
    /// Calls that have no result yet, with their steps.
    calls: Vec<(String, usize)>,
    /// Bytes by which each text is found in a summarized conversation.
    needles: Vec<(Place, Vec<u8>)>,
}

impl Reading<'_> {
    fn take(&mut self, line: &[u8]) -> Result<(), serde_json::Error> {
        let line: Line = serde_json::from_slice(line)?;
        let when = line.timestamp.as_deref().and_then(time);
        self.builder.at(when);
        self.begin(&line, when);
        let parts = || line.message.as_ref().and_then(|message| message.parts.as_deref()).unwrap_or_default();
        match &*line.kind {
            "user" => {}
            "assistant" => {
                let tokens = line.usage_metadata.as_ref().map(|usage| usage.prompt_token_count);
                self.builder.session.tokens = tokens.filter(|&tokens| tokens > 0).or(self.builder.session.tokens);
                parts().iter().filter_map(|part| part.function_call.as_ref()).for_each(|call| self.call(call, when));
            }
            "tool_result" => {
                parts()
                    .iter()
                    .filter_map(|part| part.function_response.as_ref())
                    .for_each(|result| self.result(result));
            }
            "system" if line.subtype.as_deref() == Some("chat_compression") => {
                let payload = line.system_payload.and_then(parse::<Compressed>);
                self.compact(payload.and_then(|payload| payload.compressed_history), when);
            }
            "system" if matches!(line.subtype.as_deref(), Some("ui_telemetry" | "attribution_snapshot")) => {}
            "system" => self.builder.unknown(&format!("system {}", line.subtype.as_deref().unwrap_or_default())),
            kind => self.builder.unknown(kind),
        }
        Ok(())
    }

    fn begin(&mut self, line: &Line, when: Option<jiff::Timestamp>) {
        let session = &mut self.builder.session;
        if let Some(version) = &line.version
            && session.version.as_deref() != Some(version)
        {
            session.version = Some(version.clone().into_owned());
        }
        if !session.steps.is_empty() {
            return;
        }
        session.id = line.session_id.as_deref().unwrap_or_default().to_owned();
        session.cwd = line.cwd.as_deref().map(PathBuf::from);
        let step = self.builder.step(when, Kind::Start, None);
        let name = format!("context files {IN_SYSTEM_PROMPT}");
        self.builder.give(step, Given::unknown(Purpose::Instructions, name, None));
    }

    fn call(&mut self, call: &Call, when: Option<jiff::Timestamp>) {
        let args = &call.args;
        let (kind, name) = match &*call.name {
            "read_file" => (Kind::Read, args.file_path.clone()),
            "write_file" | "edit" => (Kind::Edit, args.file_path.clone()),
            "skill" => (Kind::Skill, args.skill.clone()),
            "agent" => (Kind::Subagent, args.subagent_type.clone()),
            other => (Kind::Tool, Some(other.to_owned())),
        };
        let step = self.builder.step(when, kind, name);
        self.calls.extend(call.id.as_deref().map(|id| (id.to_owned(), step)));
    }

    fn result(&mut self, result: &FunctionResponse) {
        let call = self.calls.iter().rposition(|(id, _)| Some(id.as_str()) == result.id.as_deref());
        let step = call.map_or_else(|| self.builder.last_step(), |at| self.calls.swap_remove(at).1);
        let Some(output) = result.response.as_ref().and_then(|response| response.output.as_deref()) else { return };
        if let Some(dir) = output.strip_prefix(SKILL_BODY).and_then(|rest| rest.lines().next()) {
            let path = Path::new(dir).join("SKILL.md");
            self.give(step, Given::recorded(Purpose::Skill, "body of a skill", Some(path), output.into()));
        }
        match at_end(output, REMINDER[0], REMINDER[1]) {
            AtEnd::Block(block) => self.rules(step, block),
            // Other reminders stand there as well.
            AtEnd::Unclear if output.contains(RULES) => {
                self.give(step, Given::unknown(Purpose::Instructions, "rules that may have come with it", None));
            }
            AtEnd::Nothing | AtEnd::Unclear => {}
        }
    }

    fn rules(&mut self, step: usize, block: &str) {
        let inner = block.strip_prefix(REMINDER[0]).and_then(|rest| rest.strip_suffix(REMINDER[1]));
        let sent: Arc<str> = inner.unwrap_or(block).into();
        let cwd = self.builder.session.cwd.clone();
        for entry in entries(block) {
            let path = entry.path_from(cwd.as_deref());
            let given = Given::recorded(Purpose::Instructions, "rule", Some(path), entry.text.into());
            self.give(step, Given { sent: Some(sent.clone()), ..given });
        }
    }

    fn give(&mut self, step: usize, given: Given) {
        let needle = given.sent.as_deref().or(given.text.as_deref()).map(json_needle);
        let place = self.builder.give(step, given);
        self.needles.extend(needle.map(|needle| (place, needle)));
    }

    fn compact(&mut self, history: Option<&RawValue>, when: Option<jiff::Timestamp>) {
        let step = self.builder.step(when, Kind::Compaction, None);
        let history = history.map_or("", RawValue::get).as_bytes();
        let needles = &self.needles;
        self.builder.forget(step, |place, given| {
            let mut of_it = needles.iter().filter(|(known, _)| *known == place);
            given.text.is_some() && !of_it.any(|(_, needle)| memmem::find(history, needle).is_some())
        });
    }
}
