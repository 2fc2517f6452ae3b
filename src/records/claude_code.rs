//! Claude Code: `projects/*/*.jsonl` in its own directory, one file for each session, and one for each sub-agent.
//!
//! | since | what the record holds |
//! |---|---|
//! | 2.1.100 or earlier | files that came with other files (`nested_memory`), the list of skills |
//! | 2.1.268 or earlier | the files at start (`instructions`), and each text as it was sent (`rendered`) |
//! | 2.1.329 or earlier | the requests themselves, as hashes of their messages (`api-request`) |
//!
//! A request names the request before it (`base`), how many messages it keeps of it, and the messages that follow. With
//! that the messages of every request are known, and a text is in context exactly if one of them holds it. Messages
//! that hold only what the user and the model said have no line of their own.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;

use super::lines::{Lines, parse};
use super::place::{self, Found, Homes};
use super::session::{
    AT_ANY_TIME, Builder, FILE_AGAIN, Given, Kind, Place, Purpose, is_instruction_file, json_needle, time,
};
use super::{Client, Head};
use crate::text::Size;

mod wire;

use wire::{Attachment, Block, CompactMetadata, File, Line, Message, ReadAgain, Rendered, Shape, Skill};

/// Reads the records of Claude Code.
pub const CLIENT: Client = Client {
    agent: "claude-code",
    find,
    head,
    open: super::open,
    read,
    text_of,
    // Titles and summaries have files of their own.
    homeless: None,
    cuts_at: None,
    checked: "2.1.330",
};

/// The first version that is known to write down the files at start.
const START_RECORDED_SINCE: &str = "2.1.268";
/// The first version that is known to write down the files that come with others.
const NESTED_RECORDED_SINCE: &str = "2.1.100";
/// Text before the body of a skill, as JSON.
const SKILL_BODY: &str = "\"Base directory for this skill: ";
/// Number of recent requests that are kept, since a request refers to one of the last few before it.
const REQUESTS_KEPT: usize = 16;

/// Lines of recorded sessions that say nothing of what reached the model, or only what the user and the model said.
const SILENT_LINES: [&str; 6] = ["atis-latch", "cost-state", "last-prompt", "mode", "queue-operation", "tools-used"];

/// Attachments of recorded sessions that hold no instructions.
const SILENT_ATTACHMENTS: [&str; 10] = [
    "auto_mode",
    "command_permissions",
    "date",
    "deferred_tools_delta",
    "environment",
    "model",
    "prompt_snapshot",
    "remote_session_change",
    "session_context",
    "total_tokens_reminder",
];

fn find(homes: &Homes, project: Option<&Path>) -> Vec<Found> {
    let projects = homes.dir("CLAUDE_CONFIG_DIR", ".claude").join("projects");
    let munged = project.map(|project| munge(&project.to_string_lossy()));
    let may_be_meant = |dir: &PathBuf| {
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Long names are cut and end in a hash.
        munged.as_ref().is_none_or(|munged| name.starts_with(&munged[..munged.len().min(180)]))
    };
    let links = place::files(&projects, "").into_iter().filter(may_be_meant).filter_map(Found::at);
    let mut found: Vec<Found> = links.filter(|found| found.problem.is_some()).collect();
    for dir in place::directories(&projects).into_iter().filter(may_be_meant) {
        found.extend(place::files(&dir, ".jsonl").into_iter().filter_map(Found::at));
        for session in place::directories(&dir) {
            let parent = session.file_name().map(|name| name.to_string_lossy().into_owned());
            let agents = place::files(&session.join("subagents"), ".jsonl").into_iter().filter_map(Found::at);
            let head = Head { parent, ..Head::default() };
            found.extend(agents.map(|found| Found { head: head.clone(), ..found }));
        }
    }
    found
}

/// Returns the name that a directory has in `projects`.
fn munge(path: &str) -> String {
    // Claude Code counts UTF-16 units.
    path.encode_utf16()
        .map(|unit| char::from_u32(unit.into()).filter(char::is_ascii_alphanumeric).unwrap_or('-'))
        .collect()
}

fn head(line: &[u8], head: &mut Head) {
    let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
    head.cwd = head.cwd.take().or_else(|| Some(PathBuf::from(&*line.cwd?)));
    head.version = head.version.take().or_else(|| Some(line.version?.into_owned()));
    head.start = head.start.or_else(|| time(&line.timestamp?));
    // The lines of a sub-agent name the session that started it.
    if head.parent.is_some() || (line.is_sidechain && head.id.is_none()) {
        head.parent = head.parent.take().or_else(|| Some(line.session_id?.into_owned()));
        head.id = head.id.take().or_else(|| Some(line.agent_id?.into_owned()));
    } else {
        head.id = head.id.take().or_else(|| Some(line.session_id?.into_owned()));
    }
}

fn read(lines: &mut Lines, builder: &mut Builder) {
    // Earlier versions wrote what sub-agents did into the record of the session as well.
    let is_agent = place::stem(&builder.session.file).is_some_and(|name| name.starts_with("agent-"));
    let mut reading = Reading {
        builder,
        is_agent,
        current: 0,
        tools: HashMap::new(),
        instructions: Instructions::NotSeen,
        kept: HashMap::new(),
        needles: Vec::new(),
        holds: HashMap::new(),
        requests: VecDeque::new(),
        compaction: None,
        shape: 0,
        since_model: 0,
    };
    lines.each(|line| reading.take(line));
    reading.end();
}

/// Tells if the record holds the files at start.
#[derive(PartialEq, Eq)]
enum Instructions {
    NotSeen,
    Seen,
}

/// A record that is being read.
struct Reading<'b> {
    builder: &'b mut Builder,
    is_agent: bool,
    /// The step to which attachments belong.
    current: usize,
    /// The steps of calls of tools.
    tools: HashMap<String, usize>,
    instructions: Instructions,
    /// The line in which something was given, by its name.
    kept: HashMap<Place, String>,
    /// Bytes by which each text is found in a message.
    needles: Vec<(Place, Vec<Vec<u8>>)>,
    /// The texts that messages hold.
    holds: HashMap<String, Vec<Place>>,
    /// The last requests, each with its messages.
    requests: VecDeque<(String, Vec<Arc<str>>)>,
    /// A compaction after which there was no request yet.
    compaction: Option<usize>,
    /// The size of the client's own prompt.
    shape: usize,
    /// Number of texts that were added after the model's last message or the last tool result.
    since_model: usize,
}

impl Reading<'_> {
    fn take(&mut self, line: &[u8]) -> Result<(), serde_json::Error> {
        let line: Line = serde_json::from_slice(line)?;
        if line.is_sidechain && !self.is_agent {
            return Ok(());
        }
        let when = line.timestamp.as_deref().and_then(time);
        self.builder.at(when);
        self.note_whose(&line);
        match &*line.kind {
            "assistant" => {
                self.since_model = 0;
                self.model(&line);
            }
            "user" => self.user(&line),
            "system" if line.subtype.as_deref() == Some("compact_boundary") => self.compact(&line),
            "system" => {}
            "attachment" => self.attachment(&line),
            "api-request-shape" => self.shape(&line),
            "api-request-blob" => self.blob(&line),
            "api-request" => self.request(&line),
            kind if SILENT_LINES.contains(&kind) => {}
            kind => self.builder.unknown(kind),
        }
        Ok(())
    }

    fn note_whose(&mut self, line: &Line) {
        let session = &mut self.builder.session;
        if let Some(version) = &line.version
            && session.version.as_deref() != Some(version)
        {
            session.version = Some(version.clone().into_owned());
        }
        if session.cwd.is_none() {
            session.cwd = line.cwd.as_deref().map(PathBuf::from);
        }
        if session.id.is_empty() {
            let id = if self.is_agent { &line.agent_id } else { &line.session_id };
            session.id = id.as_deref().unwrap_or_default().to_owned();
        }
        if self.is_agent && session.parent.is_none() {
            session.parent = line.session_id.as_deref().map(str::to_owned);
        }
    }

    /// Notes the tools that the model calls.
    fn model(&mut self, line: &Line) {
        let Some(message) = line.message.and_then(parse::<Message>) else { return };
        if let Some(usage) = &message.usage {
            let tokens = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
            self.builder.session.tokens = Some(tokens).filter(|&tokens| tokens > 0).or(self.builder.session.tokens);
        }
        self.builder.last_step();
        let blocks = message.content.and_then(parse::<Vec<Block>>).unwrap_or_default();
        for block in blocks.into_iter().filter(|block| block.kind == "tool_use") {
            let (Some(id), Some(name)) = (block.id, block.name) else { continue };
            let input = block.input.unwrap_or_default();
            let file = input.file_path.or(input.notebook_path);
            let (kind, name) = match &*name {
                "Read" => (Kind::Read, file),
                "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => (Kind::Edit, file),
                "Skill" => (Kind::Skill, input.skill),
                "Agent" | "Task" => (Kind::Subagent, input.subagent_type),
                other => (Kind::Tool, Some(other.to_owned())),
            };
            let when = line.timestamp.as_deref().and_then(time);
            self.current = self.builder.step(when, kind, name);
            self.tools.insert(id.into_owned(), self.current);
        }
    }

    /// Notes whose result follows, and the body of a skill.
    fn user(&mut self, line: &Line) {
        self.builder.last_step();
        let Some(content) = line.message.and_then(parse::<Message>).and_then(|message| message.content) else { return };
        if !content.get().starts_with('[') {
            return;
        }
        for block in parse::<Vec<Block>>(content).unwrap_or_default() {
            if let Some(step) = block.tool_use_id.and_then(|id| self.tools.remove(&*id)) {
                self.current = step;
                self.since_model = 0;
            }
            let Some(text) = block.text.filter(|text| text.get().starts_with(SKILL_BODY)).and_then(parse::<String>)
            else {
                continue;
            };
            let dir = text[SKILL_BODY.len() - 1..].lines().next().unwrap_or_default();
            let path = PathBuf::from(dir).join("SKILL.md");
            let given = Given::recorded(Purpose::Skill, "body of a skill", Some(path), text.into());
            self.give(line, given, None);
        }
    }

    fn attachment(&mut self, line: &Line) {
        let Some(attachment) = line.attachment.and_then(parse::<Attachment>) else {
            self.builder.unknown("attachment");
            return;
        };
        self.builder.last_step();
        let sent = line.rendered.and_then(parse::<Vec<Rendered>>).unwrap_or_default();
        let sent: Vec<Arc<str>> = sent.iter().filter_map(|one| parse::<String>(one.content)).map(Arc::from).collect();
        let text = || attachment.content.and_then(parse::<String>);
        match &*attachment.kind {
            "instructions" => {
                self.instructions = Instructions::Seen;
                for file in attachment.files.iter().flatten() {
                    self.file(line, file, sent.first());
                }
            }
            "nested_memory" => {
                if let Some(file) = attachment.content.and_then(parse::<File>) {
                    self.file(line, &file, sent.first());
                }
            }
            "file" => {
                // After a compaction Claude Code reads earlier files again, including instruction files.
                let Some(path) = attachment.filename.as_deref().map(PathBuf::from) else { return };
                let was_given = self.builder.session.everything().any(|(_, given)| given.path.as_ref() == Some(&path));
                let content = attachment.content.and_then(parse::<ReadAgain>);
                if let Some(content) = content.filter(|_| was_given || is_instruction_file(&path)) {
                    let text = Arc::from(content.file.content);
                    let given = Given::recorded(Purpose::Instructions, FILE_AGAIN, Some(path), text);
                    self.give(line, given, sent.last());
                }
            }
            "skill_listing" => self.list(line, Purpose::Skill, "list of skills", text(), &sent),
            "agent_listing_delta" => {
                let lines = attachment.added_lines.and_then(parse::<Vec<String>>).map(|lines| lines.join("\n"));
                self.list(line, Purpose::Agents, "list of agents", lines, &sent);
            }
            "mcp_instructions_delta" => {
                let blocks = attachment.added_blocks.and_then(parse::<Vec<String>>).map(|blocks| blocks.join("\n\n"));
                self.list(line, Purpose::Mcp, "instructions of MCP servers", blocks, &sent);
            }
            "invoked_skills" => {
                for skill in attachment.skills.and_then(parse::<Vec<Skill>>).unwrap_or_default() {
                    let path = skill.path.map(PathBuf::from);
                    let given = Given::recorded(Purpose::Skill, "body of a skill", path, skill.content.into());
                    self.give(line, given, sent.first());
                }
            }
            kind if kind.starts_with("hook_") => {
                let said = attachment.content.and_then(parse::<Vec<String>>).map(|said| said.join("\n"));
                let name = format!("hook {}", attachment.hook_name.as_deref().unwrap_or_default());
                if let Some(said) = said.or_else(text).filter(|said| !said.is_empty() && !sent.is_empty()) {
                    let given = match file_of_hook(attachment.hook_name.as_deref(), &said) {
                        Some((path, text)) => {
                            Given::recorded(Purpose::Instructions, "instruction file", Some(path), text.into())
                        }
                        None => Given::recorded(Purpose::Hook, name.trim_end(), None, said.into()),
                    };
                    self.give(line, given, sent.first());
                }
            }
            "output_style" => {
                if let Some(sent) = sent.first() {
                    let given = Given::recorded(Purpose::System, "output style", None, sent.clone());
                    self.give(line, given, Some(sent));
                }
            }
            kind if SILENT_ATTACHMENTS.contains(&kind) => {}
            kind => self.builder.unknown(&format!("attachment {kind}")),
        }
    }

    fn file(&mut self, line: &Line, file: &File, sent: Option<&Arc<str>>) {
        let path = PathBuf::from(&*file.path);
        let name = if is_instruction_file(&path) { "instruction file" } else { "rule" };
        let given = Given::recorded(Purpose::Instructions, name, Some(path), Arc::from(&*file.content));
        self.give(line, Given { globs: file.globs.clone().unwrap_or_default(), ..given }, sent);
    }

    fn list(&mut self, line: &Line, purpose: Purpose, name: &str, text: Option<String>, sent: &[Arc<str>]) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.give(line, Given::recorded(purpose, name, None, text.into()), sent.first());
        }
    }

    fn give(&mut self, line: &Line, given: Given, sent: Option<&Arc<str>>) {
        let mut needles = Vec::new();
        if let Some(sent) = sent {
            needles.push(json_needle(sent));
            // In a system message the text has no tags.
            let bare = sent
                .trim()
                .strip_prefix("<system-reminder>\n")
                .and_then(|bare| bare.strip_suffix("\n</system-reminder>"));
            needles.extend(bare.map(json_needle));
        } else if let Some(text) = given.text.as_deref() {
            needles.push(json_needle(text));
        }
        let place = self.builder.give(self.current, Given { sent: sent.cloned(), ..given });
        self.kept.extend(line.uuid.as_deref().map(|uuid| (place, uuid.to_owned())));
        self.needles.push((place, needles));
        self.since_model += 1;
    }

    fn compact(&mut self, line: &Line) {
        let when = line.timestamp.as_deref().and_then(time);
        let step = self.builder.step(when, Kind::Compaction, None);
        self.current = step;
        self.compaction = Some(step);
        if self.builder.session.wire {
            return; // The next request says what is left.
        }
        let kept: HashSet<String> = line
            .compact_metadata
            .and_then(parse::<CompactMetadata>)
            .and_then(|metadata| metadata.preserved_messages)
            .map(|kept| kept.all_uuids.into_iter().collect())
            .unwrap_or_default();
        let lines = &self.kept;
        self.builder
            .forget(step, |place, _| place.0 != step && lines.get(&place).is_none_or(|line| !kept.contains(line)));
    }

    /// Notes the size of the client's own prompt and of the tools.
    fn shape(&mut self, line: &Line) {
        let Some(shape) = line.shape.filter(|shape| shape.get().len() != self.shape) else { return };
        let Some(parts) = parse::<Shape>(shape) else { return };
        self.shape = shape.get().len();
        let step = self.builder.last_step();
        self.builder
            .forget(step, |_, given| matches!(given.purpose, Purpose::System | Purpose::Tools) && given.text.is_none());
        let system = Size::of(&parts.system.iter().map(|block| &*block.text).collect::<String>());
        let tools = Size { bytes: parts.tools.map_or(0, |tools| tools.get().len()), ..Size::default() };
        for (purpose, name, size) in
            [(Purpose::System, "the client's own prompt", system), (Purpose::Tools, "tools", tools)]
        {
            let given = Given { text: None, size, ..Given::recorded(purpose, name, None, Arc::from("")) };
            self.builder.give(step, given);
        }
    }

    /// Notes which texts a message holds.
    fn blob(&mut self, line: &Line) {
        let (Some(hash), Some(message)) = (&line.hash, line.message) else { return };
        let raw = message.get().as_bytes();
        let is_in = |needles: &Vec<Vec<u8>>| needles.iter().any(|needle| memmem::find(raw, needle).is_some());
        let found: Vec<Place> =
            self.needles.iter().filter(|(_, needles)| is_in(needles)).map(|(place, _)| *place).collect();
        if !found.is_empty() {
            self.holds.insert(hash.clone().into_owned(), found);
        }
    }

    /// Removes the texts from the context that no message of a request holds.
    fn request(&mut self, line: &Line) {
        let source = line.query_source.as_deref().unwrap_or_default();
        if !(source == "sdk" || source.starts_with("repl_main_thread") || source.starts_with("agent:")) {
            return;
        }
        let (Some(id), Some(tail)) = (&line.id, &line.tail) else { return };
        let base = line.base.as_ref().map(|base| self.requests.iter().find(|(id, _)| id == base));
        let mut messages = match base {
            Some(Some((_, messages))) => messages[..line.keep.unwrap_or(0).min(messages.len())].to_vec(),
            Some(None) => return, // The request it goes on from is not known.
            None => Vec::new(),
        };
        messages.extend(tail.iter().map(|hash| Arc::from(&**hash)));
        self.builder.session.wire = true;
        let goes_on = self.requests.back().is_some_and(|(_, last)| !last.is_empty() && messages.starts_with(last));
        if line.base.is_none() && goes_on && self.compaction.is_none() {
            self.resume(line);
        }
        let sent: HashSet<&Place> = messages.iter().filter_map(|hash| self.holds.get(&**hash)).flatten().collect();
        let found: HashSet<&Place> = self.holds.values().flatten().collect();
        let compaction = self.compaction.take();
        let step = compaction.unwrap_or(self.current);
        let anew: HashSet<(Option<PathBuf>, Option<Arc<str>>)> = match compaction {
            Some(step) => self.builder.session.steps[step..].iter().flat_map(|step| &step.given).map(what).collect(),
            None => HashSet::new(),
        };
        self.builder.forget(step, |place, given| {
            let is_sent_anew = place.0 < step && given.text.is_some() && anew.contains(&what(given));
            is_sent_anew || (found.contains(&place) && !sent.contains(&place))
        });
        self.requests.push_back((id.clone().into_owned(), messages));
        if self.requests.len() > REQUESTS_KEPT {
            self.requests.pop_front();
        }
    }

    /// Begins a step for a process that resumes the session. Texts added since the model's last message belong to it.
    fn resume(&mut self, line: &Line) {
        let before = std::mem::replace(&mut self.current, 0);
        self.current = self.builder.step(line.timestamp.as_deref().and_then(time), Kind::Resume, None);
        for _ in 0..std::mem::take(&mut self.since_model) {
            let Some((from, to)) = self.builder.move_last(before, self.current) else { break };
            let move_place = |place: &mut Place| match *place {
                place_now if place_now == from => *place = to,
                (step, _) if step == to.0 => place.1 += 1,
                _ => {}
            };
            self.needles.iter_mut().map(|(place, _)| place).for_each(move_place);
            self.holds.values_mut().flatten().for_each(move_place);
            self.kept = std::mem::take(&mut self.kept)
                .into_iter()
                .map(|(mut place, line)| {
                    move_place(&mut place);
                    (place, line)
                })
                .collect();
        }
    }

    fn end(mut self) {
        if let Some(step) = self.compaction.take().filter(|_| self.builder.session.wire) {
            self.builder.forget(step, |place, _| place.0 < step);
        }
        if self.instructions == Instructions::NotSeen && !self.builder.session.steps.is_empty() {
            let version = self.builder.session.version.as_deref().unwrap_or_default();
            if !records_start(version) {
                let name = match super::is_at_least(version, NESTED_RECORDED_SINCE) {
                    true => "instruction files at start",
                    false => AT_ANY_TIME,
                };
                let given = Given::unknown(Purpose::Instructions, name, None);
                self.builder.give(0, given);
            }
        }
    }
}

/// Returns the identity of a text: its path and its content.
fn what(given: &Given) -> (Option<PathBuf>, Option<Arc<str>>) {
    (given.path.clone(), given.text.clone())
}

/// Returns true if a version records the files that it loads at start; a record without them then means that there were
/// none.
fn records_start(version: &str) -> bool {
    super::is_at_least(version, START_RECORDED_SINCE)
}

/// Returns the file that the client's own hook adds, which loads the AGENTS.md of the directory of a file that is read.
fn file_of_hook<'a>(hook: Option<&str>, said: &'a str) -> Option<(PathBuf, &'a str)> {
    let (path, text) = said.strip_prefix("Contents of ").filter(|_| hook == Some("tool.call"))?.split_once(":\n\n")?;
    let path = PathBuf::from(path);
    (path.is_absolute() && is_instruction_file(&path)).then_some((path, text))
}

/// Finds the text of a file below its head, such as `Contents of /p/CLAUDE.md (project instructions):`. Behind the last
/// file of a block there may be more words.
fn text_of<'a>(block: &'a str, path: &Path, _: &Path, _: &Path) -> Option<&'a str> {
    let head = format!("Contents of {}", path.display());
    let body = |(at, _): (usize, &str)| {
        let (head, body) = block[at + head.len()..].split_once("\n\n")?;
        (head.ends_with(':') && (head == ":" || head.starts_with(" ("))).then_some(body)
    };
    let body = block.match_indices(&head).find_map(body)?;
    let end = body.find("\n\nContents of ").or_else(|| body.rfind("\n</system-reminder>")).unwrap_or(body.len());
    Some(&body[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_have_the_names_that_claude_code_gives_them() {
        assert_eq!(munge("/r"), "-r");
        assert_eq!(munge("/home/ada/my.app_1/é"), "-home-ada-my-app-1--");
    }
}
