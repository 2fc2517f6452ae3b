//! Copilot CLI: `session-state/SESSION/events.jsonl` in its own directory.
//!
//! An event `system.message` holds the whole system prompt, with the instruction files, whenever it changes. Files that
//! are found later are user messages in 1.0.66; 1.0.102 records their paths without their texts, and they leave the
//! context when a session is resumed in another process. Texts of sub-agents are skipped.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lines::{Lines, parse};
use super::place::{self, Found, Homes};
use super::session::{Builder, Given, How, Kind, Purpose, time};
use super::{Client, Head};
use crate::text::Size;

/// Reads the records of Copilot CLI.
pub const CLIENT: Client = Client {
    agent: "copilot-cli",
    find,
    head,
    open: super::open,
    read,
    text_of: super::no_text,
    homeless: super::NO_CWD,
    cuts_at: None,
    checked: "1.0.102",
};

/// Texts before and after the instruction files in the system prompt.
const BEFORE: &str = "\n</tools>\n\n";
const AFTER: &str = "\n<system_notifications>\n";
/// Tags around the list of skills in the system prompt.
const SKILLS: [&str; 2] = ["<available_skills>", "</available_skills>"];

/// Events of recorded sessions that hold no instructions.
const SILENT: [&str; 19] = [
    "assistant.message",
    "assistant.turn_end",
    "assistant.turn_start",
    "model.message",
    "model.messages_snapshot",
    "model.model_call_started",
    "model.model_call_success",
    "model.response",
    "model.turn_ended",
    "model.turn_started",
    "session.compaction_start",
    "session.model_change",
    "session.shutdown",
    "session.usage_record",
    "skill.context_delivered_ref",
    "subagent.completed",
    "subagent.configured",
    "subagent.started",
    "tool.execution_complete",
];

fn find(homes: &Homes, _: Option<&Path>) -> Vec<Found> {
    let sessions = place::directories(&homes.dir("COPILOT_HOME", ".copilot").join("session-state"));
    sessions.into_iter().filter_map(|dir| Found::at(dir.join("events.jsonl"))).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    agent_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start {
    session_id: Option<String>,
    copilot_version: Option<String>,
    context: Option<Context>,
}

#[derive(Deserialize)]
struct Context {
    cwd: Option<PathBuf>,
}

#[derive(Deserialize)]
struct System<'a> {
    #[serde(borrow)]
    content: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    source: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    tool_name: String,
    #[serde(default)]
    arguments: Arguments,
}

/// Arguments of a tool call that name something.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Arguments {
    path: Option<String>,
    skill: Option<String>,
    agent_type: Option<String>,
}

#[derive(Deserialize)]
struct Notification {
    kind: Option<Discovery>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Discovery {
    #[serde(rename = "type")]
    kind: String,
    source_path: Option<String>,
}

#[derive(Deserialize)]
struct Skill {
    name: String,
    path: Option<PathBuf>,
    content: String,
}

#[derive(Deserialize)]
struct Compaction {
    #[serde(default)]
    success: bool,
}

#[derive(Deserialize)]
struct Record {
    usage: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    #[serde(default)]
    input_tokens: u64,
}

fn head(line: &[u8], head: &mut Head) {
    let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
    if line.kind != "session.start" || head.id.is_some() {
        return;
    }
    let Some(start) = line.data.and_then(parse::<Start>) else { return };
    head.start = line.timestamp.as_deref().and_then(time);
    head.id = start.session_id;
    head.version = start.copilot_version;
    head.cwd = start.context.and_then(|context| context.cwd);
}

fn read(lines: &mut Lines, builder: &mut Builder) {
    let mut reading = Reading { builder, current: 0 };
    lines.each(|line| reading.take(line));
}

struct Reading<'b> {
    builder: &'b mut Builder,
    /// Step to which the following events belong.
    current: usize,
}

impl Reading<'_> {
    fn take(&mut self, line: &[u8]) -> Result<(), serde_json::Error> {
        let line: Line = serde_json::from_slice(line)?;
        let when = line.timestamp.as_deref().and_then(time);
        self.builder.at(when);
        // A sub-agent has its own context.
        if line.agent_id.is_some() {
            return Ok(());
        }
        match &*line.kind {
            "session.start" => self.start(line.data.and_then(parse), when),
            "session.resume" => self.resume(when),
            "system.message" => {
                if let Some(system) = line.data.and_then(parse::<System>) {
                    self.system(&system.content);
                }
            }
            "user.message" => {
                if let Some(message) = line.data.and_then(parse::<Message>) {
                    self.user(&message);
                }
            }
            "system.notification" => self.notification(line.data.and_then(parse)),
            "tool.execution_start" => {
                if let Some(call) = line.data.and_then(parse) {
                    self.call(call, when);
                }
            }
            "skill.invoked" => {
                if let Some(skill) = line.data.and_then(parse) {
                    self.skill(skill, when);
                }
            }
            "session.compaction_complete" if line.data.and_then(parse).is_some_and(|done: Compaction| done.success) => {
                self.current = self.builder.step(when, Kind::Compaction, None);
                self.builder.forget(self.current, |_, given| !is_of_system(given));
            }
            "session.compaction_complete" => {}
            "session.usage_record" => {
                let usage = line.data.and_then(parse::<Record>).and_then(|record| record.usage);
                let tokens = usage.map(|usage| usage.input_tokens).filter(|&tokens| tokens > 0);
                self.builder.session.tokens = tokens.or(self.builder.session.tokens);
            }
            kind if SILENT.contains(&kind) => {}
            kind => self.builder.unknown(kind),
        }
        Ok(())
    }

    fn start(&mut self, start: Option<Start>, when: Option<jiff::Timestamp>) {
        let Some(start) = start else { return };
        let session = &mut self.builder.session;
        session.id = start.session_id.unwrap_or_default();
        session.version = start.copilot_version;
        session.cwd = start.context.and_then(|context| context.cwd);
        self.current = self.builder.step(when, Kind::Start, None);
    }

    fn resume(&mut self, when: Option<jiff::Timestamp>) {
        self.current = self.builder.step(when, Kind::Resume, None);
        self.builder.forget(self.current, |_, given| given.name == FOUND_LATER);
    }

    /// Replaces the texts of the previous system prompt by those of a new one.
    fn system(&mut self, prompt: &str) {
        self.builder.last_step();
        self.builder.forget(self.current, |_, given| is_of_system(given));
        let own =
            Given { text: None, size: Size::of(prompt), ..Given::recorded(Purpose::System, PROMPT, None, "".into()) };
        self.builder.give(self.current, own);
        let skills = super::context::between(prompt, SKILLS[0], SKILLS[1]);
        if let Some(skills) = skills {
            self.builder.give(self.current, Given::recorded(Purpose::Skill, LIST, None, skills.into()));
        }
        let end = prompt.rfind(AFTER);
        let start = end.and_then(|end| Some(prompt[..end].rfind(BEFORE)? + BEFORE.len()));
        match (start, end) {
            (Some(start), Some(end)) if !prompt[start..end].trim().is_empty() => {
                let given = Given::recorded(Purpose::Instructions, INSTRUCTIONS, None, prompt[start..end].into());
                self.builder.give(self.current, given);
            }
            (Some(_), Some(_)) => {}
            // There is no instruction file, or the prompt has an unknown form.
            _ if !prompt.contains("<custom_instruction>") && prompt.contains("</tools>\n<system_notifications>\n") => {}
            _ => {
                self.builder.give(self.current, Given::unknown(Purpose::Instructions, INSTRUCTIONS, None));
            }
        }
    }

    fn notification(&mut self, notification: Option<Notification>) {
        let Some(found) = notification.and_then(|notification| notification.kind) else { return };
        if found.kind != "instruction_discovered" {
            return self.builder.unknown(&format!("notification {}", found.kind));
        }
        let path = found.source_path.map(|path| self.absolute(&path));
        self.builder.last_step();
        self.builder.give(self.current, Given::unknown(Purpose::Instructions, FOUND_LATER, path));
    }

    /// Adds a file from a user message that the client itself wrote.
    fn user(&mut self, message: &Message) {
        if message.source.as_deref() != Some("instruction-discovery") {
            return;
        }
        let Some(sent) = parse::<String>(message.content) else { return };
        let text = sent.split_once(FOUND_HEAD).and_then(|(_, rest)| rest.split_once(FOUND_END));
        let path = text.map(|(path, _)| self.absolute(path));
        let body = text.and_then(|(_, body)| body.trim_end().strip_suffix("</system_reminder>")).map(str::trim);
        let body = body.unwrap_or(&sent).into();
        let given = Given::recorded(Purpose::Instructions, "instruction file", path.clone(), body);
        let given = Given { sent: Some(sent.trim().into()), ..given };
        let step = self.builder.last_step();
        let is_announced = |given: &&mut Given| given.name == FOUND_LATER && given.path == path;
        match self.builder.session.steps[step].given.iter_mut().find(is_announced) {
            Some(announced) => *announced = given,
            None => {
                self.builder.give(step, given);
            }
        }
    }

    fn absolute(&self, path: &str) -> PathBuf {
        let cwd = self.builder.session.cwd.clone().unwrap_or_default();
        crate::snapshot::absolute(&cwd, Path::new(path))
    }

    fn call(&mut self, call: Call, when: Option<jiff::Timestamp>) {
        let args = call.arguments;
        let (kind, name) = match call.tool_name.as_str() {
            "view" => (Kind::Read, args.path),
            "create" | "edit" => (Kind::Edit, args.path),
            "skill" => (Kind::Skill, args.skill),
            "task" => (Kind::Subagent, args.agent_type),
            _ => (Kind::Tool, Some(call.tool_name)),
        };
        self.current = self.builder.step(when, kind, name);
    }

    fn skill(&mut self, skill: Skill, when: Option<jiff::Timestamp>) {
        let is_called = self.builder.session.steps.last().is_some_and(|step| step.kind == Kind::Skill);
        if !is_called {
            self.current = self.builder.step(when, Kind::Skill, Some(skill.name));
        }
        let given = Given::recorded(Purpose::Skill, "body of a skill", skill.path, skill.content.into());
        self.builder.give(self.current, given);
    }
}

const PROMPT: &str = "the client's own prompt";
const LIST: &str = "list of skills";
const INSTRUCTIONS: &str = "custom instructions";
/// Texts before and after the path of a file that was found later.
const FOUND_HEAD: &str = "Custom instructions from ";
const FOUND_END: &str = ". Apply these to any code you write here:\n";
const FOUND_LATER: &str = "instruction file that was found";

/// Returns true if a text is part of the system prompt.
fn is_of_system(given: &Given) -> bool {
    [PROMPT, LIST, INSTRUCTIONS].contains(&given.name.as_str()) && given.how != How::Reconstructed
}
