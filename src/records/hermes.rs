//! Hermes: one database for all sessions, `state.db` in its own directory and in that of each profile.
//!
//! A session holds the system prompt, with SOUL.md at the beginning and the project's files in a section, and the
//! messages; the files of directories that tools reach are at the end of what the tools return. The client's version is
//! not recorded.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::database::{self, Tables, millis};
use super::lines::Lines;
use super::place::{self, Found, Homes};
use super::session::{Builder, Given, IN_SYSTEM_PROMPT, Kind, Purpose};
use super::{Client, NO_CWD};
use crate::text::Size;

/// Reads the records of Hermes.
pub const CLIENT: Client = Client {
    agent: "hermes",
    find,
    head: database::head,
    open,
    read,
    text_of,
    homeless: NO_CWD,
    cuts_at: None,
    checked: "0.19.0",
};

/// Tables of a database. The first line after that of a session has its prompt, the others its messages.
const TABLES: Tables = Tables {
    sessions: "select s.id, json_object('session', s.id, 'parent', s.parent_session_id, 'directory', s.cwd, \
         'created', cast(s.started_at * 1000 as integer), 'updated', cast((select max(m.timestamp) from messages m \
         where m.session_id = s.id) * 1000 as integer)), coalesce(length(s.system_prompt), 0) + coalesce((select \
         sum(length(m.content)) from messages m where m.session_id = s.id), 0) from sessions s where ?1 = ''",
    lines: "select line from (select -1 as at, json_object('prompt', system_prompt) as line from sessions \
         where id = ?1 union all select id, json_object('created', cast(timestamp * 1000 as integer), 'role', role, \
         'content', content, 'calls', iif(json_valid(tool_calls), json(tool_calls), null), 'compacted', compacted) \
         from messages where session_id = ?1) order by at",
    names: &["sessions", "messages"],
};

/// First words of the client's own prompt (0.19.0).
const OWN: &str = "\n\nYou run on Hermes Agent";
/// First and last sentence of the text that stands in place of SOUL.md if there is none (0.19.0).
const IDENTITY: [&str; 2] = [
    "You are Hermes Agent, an intelligent AI assistant created by Nous Research.",
    "Be targeted and efficient in your exploration and investigations.",
];
/// Title of the section with the project's files, its first sentence, and the words after it.
const SECTION: [&str; 3] = [
    "# Project Context\n",
    "The following project context files have been loaded and should be followed:\n\n",
    "\n\nConversation started: ",
];
/// Head of a file that came with what a tool returned, and the end of that head.
const FOUND: [&str; 2] = ["\n\n[Subdirectory context discovered: ", "]\n"];

fn find(homes: &Homes, project: Option<&Path>) -> Vec<Found> {
    let own = homes.dir("HERMES_HOME", ".hermes");
    let profiles = place::directories(&own.join("profiles"));
    let databases = [own].into_iter().chain(profiles).map(|dir| dir.join("state.db"));
    databases.flat_map(|file| database::find(&file, project, &TABLES)).collect()
}

fn open(found: &Found) -> Result<Lines, String> {
    match &found.key {
        Some(key) => database::open(found, key, &TABLES),
        None => Lines::open(&found.file),
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    prompt: Option<Cow<'a, str>>,
    created: Option<i64>,
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<Cow<'a, str>>,
    calls: Option<Vec<Call>>,
    #[serde(default)]
    compacted: i64,
}

#[derive(Deserialize)]
struct Call {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    arguments: String,
}

/// Arguments of a tool call that name something.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Arguments {
    path: Option<String>,
    name: Option<String>,
}

fn read(lines: &mut Lines, builder: &mut Builder) {
    lines.each(|line| {
        if database::begin(line, builder).is_some() {
            return Ok(());
        }
        let line: Line = serde_json::from_slice(line)?;
        let when = line.created.and_then(millis);
        builder.at(when);
        match (line.prompt, line.role.as_deref()) {
            (Some(prompt), _) => start(builder, &prompt),
            (None, _) if line.compacted != 0 => builder.unknown("message that was compacted"),
            (None, Some("assistant")) => line.calls.iter().flatten().for_each(|one| call(builder, one, when)),
            (None, Some("tool")) => bring(builder, line.content.as_deref().unwrap_or_default()),
            (None, Some("user")) => {}
            (None, role) => builder.unknown(&format!("message {}", role.unwrap_or("without a role"))),
        }
        Ok(())
    });
}

fn start(builder: &mut Builder, prompt: &str) {
    let step = builder.last_step();
    let section = prompt.find(SECTION[1]).and_then(|at| {
        let start = prompt[..at].rfind(SECTION[0])?;
        let end = prompt.rfind(SECTION[2]).filter(|&end| end >= at)?;
        Some((start, &prompt[start..end], prompt.get(at + SECTION[1].len()..end)?))
    });
    // SOUL.md may have these words, too; the client's own come last.
    let before = &prompt[..section.map_or(prompt.len(), |(start, ..)| start)];
    let Some(end) = before.rfind(OWN) else {
        let name = format!("instruction files {IN_SYSTEM_PROMPT}");
        builder.give(step, Given::unknown(Purpose::Instructions, name, None));
        return;
    };
    let soul = Some(&prompt[..end]).filter(|soul| !(soul.starts_with(IDENTITY[0]) && soul.ends_with(IDENTITY[1])));
    if let Some(soul) = soul {
        let path = builder.session.file.with_file_name("SOUL.md");
        let text: Arc<str> = soul.into();
        let given = Given::recorded(Purpose::Instructions, "SOUL.md", Some(path), text.clone());
        builder.give(step, Given { sent: Some(text), ..given });
    }
    let own = prompt.len() - soul.map_or(0, str::len) - section.map_or(0, |(_, whole, _)| whole.len());
    if let Some((_, whole, files)) = section {
        let given = Given::recorded(Purpose::Instructions, "files of the project's context", None, files.into());
        builder.give(step, Given { sent: Some(whole.into()), ..given });
    }
    let given = Given::recorded(Purpose::System, "the client's own prompt", None, Arc::from(""));
    builder.give(step, Given { text: None, size: Size { bytes: own, ..Size::default() }, ..given });
}

fn call(builder: &mut Builder, call: &Call, when: Option<jiff::Timestamp>) {
    let arguments: Arguments = serde_json::from_str(&call.function.arguments).unwrap_or_default();
    let cwd = builder.session.cwd.clone().unwrap_or_default();
    let file = arguments.path.map(|file| crate::snapshot::absolute(&cwd, Path::new(&file)).display().to_string());
    let (kind, name) = match call.function.name.as_str() {
        "read_file" => (Kind::Read, file),
        "write_file" | "patch" => (Kind::Edit, file),
        "skill_view" => (Kind::Skill, arguments.name),
        "delegate_task" => (Kind::Subagent, None),
        tool => (Kind::Tool, Some(tool.to_owned())),
    };
    builder.step(when, kind, name);
}

/// Splits files that came with what a tool returned into their paths, as seen from the working directory, and texts.
fn parts(block: &str) -> impl Iterator<Item = (&str, &str)> {
    let entries = block.strip_prefix(&FOUND[0][2..]).map(|entries| entries.split(FOUND[0]));
    entries.into_iter().flatten().filter_map(|one| one.split_once(FOUND[1]))
}

/// Finds the text of SOUL.md, or of a file that came with what a tool returned.
fn text_of<'a>(block: &'a str, path: &Path, cwd: &Path, _: &Path) -> Option<&'a str> {
    if path.ends_with("SOUL.md") {
        return Some(block);
    }
    parts(block).find(|(shown, _)| cwd.join(shown) == path).map(|(_, text)| text)
}

/// Adds the files that came with what a tool returned, which is JSON: they are behind it.
fn bring(builder: &mut Builder, result: &str) {
    if !result.contains(FOUND[0]) {
        return;
    }
    let step = builder.last_step();
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    let mut starts = result.match_indices(FOUND[0]).map(|(at, _)| at);
    let Some(start) = starts.find(|&at| is_json(&result[..at])) else {
        builder.give(step, Given::unknown(Purpose::Instructions, "instruction files after a tool's result", None));
        return;
    };
    let whole: Arc<str> = result[start + 2..].into();
    // A file may imitate the head of another, so that only one that is alone has a certain path.
    let given = match &parts(&whole).collect::<Vec<_>>()[..] {
        [(path, text)] => {
            let path = builder.session.cwd.as_ref().map(|cwd| cwd.join(path));
            Given::recorded(Purpose::Instructions, "instruction file", path, (*text).into())
        }
        _ => Given::recorded(Purpose::Instructions, "instruction files", None, whole.clone()),
    };
    builder.give(step, Given { sent: Some(whole), ..given });
}
