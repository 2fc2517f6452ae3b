//! OpenCode and its fork Kilo: one database, `opencode.db` or `kilo.db`, for all sessions. Before 1.2 OpenCode kept
//! each message and each part of a message in a JSON file below `storage`.
//!
//! A session is read as lines: one about itself, and one for each part of a message. Tool results hold the files that
//! were added by reads. The system prompt, which has the files at start, is not recorded.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::database::{self, Tables, millis};
use super::lines::{Lines, parse};
use super::place::{self, Found, Homes};
use super::session::{Builder, Given, IN_SYSTEM_PROMPT, Kind, Purpose};
use super::{Client, Head};

/// Reads the records of OpenCode.
pub const OPENCODE: Client = Client {
    agent: "opencode",
    find: |homes, project| find(homes, "opencode", project),
    head,
    open,
    read,
    text_of,
    homeless: super::NO_CWD,
    cuts_at: None,
    checked: "1.18.33",
};

/// Reads the records of Kilo.
pub const KILO: Client =
    Client { agent: "kilo", find: |homes, project| find(homes, "kilo", project), checked: "7.7.9", ..OPENCODE };

/// Tables of a database.
const TABLES: Tables = Tables { sessions: SESSIONS, lines: PARTS, names: &["session", "message", "part"] };
/// Query for all sessions, each as its line, with the size of its parts in bytes.
const SESSIONS: &str = "select s.id, json_object('session', s.id, 'parent', s.parent_id, 'directory', s.directory, \
     'version', s.version, 'created', s.time_created, 'updated', s.time_updated), \
     (select sum(length(p.data)) from part p where p.session_id = s.id) from session s where ?1 = ''";
/// Query for the parts of one session, each as its line.
const PARTS: &str = "select json_object('created', p.time_created, 'role', json_extract(m.data, '$.role'), \
     'part', json(p.data)) from part p join message m on m.id = p.message_id \
     where p.session_id = ?1 and json_valid(p.data) and json_valid(m.data) order by m.time_created, m.id, p.id";

fn find(homes: &Homes, name: &str, project: Option<&Path>) -> Vec<Found> {
    let data = homes.dir("XDG_DATA_HOME", ".local/share").join(name);
    let mut found = database::find(&data.join(format!("{name}.db")), project, &TABLES);
    for project in place::directories(&data.join("storage/session")) {
        let files = place::files(&project, ".json").into_iter().filter_map(Found::at);
        found.extend(files.map(|file| Found { key: Some(KEPT_IN_FILES.to_owned()), ..file }));
    }
    found
}

/// Marks a session that is kept in files.
const KEPT_IN_FILES: &str = "storage";

/// Opens a session as lines.
fn open(found: &Found) -> Result<Lines, String> {
    let Some(key) = &found.key else { return Lines::open(&found.file) };
    if key == KEPT_IN_FILES {
        return kept_in_files(&found.file);
    }
    database::open(found, key, &TABLES)
}

/// Maximum number of messages that are read of a session stored in files.
const MESSAGES_CAP: usize = 10_000;

#[derive(Deserialize)]
struct Stored<'a> {
    id: String,
    #[serde(borrow, rename = "parentID")]
    parent: Option<Cow<'a, str>>,
    #[serde(borrow)]
    directory: Option<Cow<'a, str>>,
    #[serde(borrow)]
    version: Option<Cow<'a, str>>,
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    time: Option<Times>,
}

#[derive(Deserialize)]
struct Times {
    created: Option<i64>,
    updated: Option<i64>,
}

/// Puts the lines of a session together from its files.
fn kept_in_files(file: &Path) -> Result<Lines, String> {
    let no = || format!("{}: is no session", file.display());
    let whole = |file: &Path| place::start_of(file, super::LINE_CAP_BYTES);
    let bytes = whole(file).ok_or_else(no)?;
    let session: Stored = serde_json::from_slice(&bytes).map_err(|_| no())?;
    let time = session.time.as_ref();
    let line = serde_json::json!({
        "session": session.id, "parent": session.parent, "directory": session.directory, "version": session.version,
        "created": time.and_then(|time| time.created), "updated": time.and_then(|time| time.updated),
    });
    let mut text = format!("{line}\n");
    let storage = file.ancestors().nth(3).ok_or_else(no)?;
    // Names begin with the time.
    for message in place::files(&storage.join("message").join(&session.id), ".json").iter().take(MESSAGES_CAP) {
        let Some(bytes) = whole(message) else { continue };
        let Ok(message) = serde_json::from_slice::<Stored>(&bytes) else { continue };
        for part in place::files(&storage.join("part").join(&message.id), ".json") {
            let Some(part) = whole(&part).and_then(|part| serde_json::from_slice::<Box<RawValue>>(&part).ok()) else {
                continue;
            };
            let created = message.time.as_ref().and_then(|time| time.created);
            let part = part.get().replace('\n', " ");
            let role = serde_json::json!(message.role);
            text.push_str(&format!(
                "{{\"created\":{},\"role\":{role},\"part\":{part}}}\n",
                created.unwrap_or_default()
            ));
        }
    }
    Ok(Lines::new(std::io::Cursor::new(text.into_bytes())))
}

#[derive(Deserialize)]
struct Line<'a> {
    created: Option<i64>,
    #[serde(borrow)]
    part: Part<'a>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    tool: Option<Cow<'a, str>>,
    #[serde(borrow)]
    state: Option<State<'a>>,
    tokens: Option<Tokens>,
}

#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<Cow<'a, str>>,
    metadata: Option<Metadata>,
}

/// Arguments of a tool call that name something.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Input {
    #[serde(rename = "filePath")]
    file_path: Option<String>,
    name: Option<String>,
    subagent_type: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    loaded: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input: u64,
    cache: Option<Cache>,
}

#[derive(Deserialize)]
struct Cache {
    #[serde(default)]
    read: u64,
}

fn head(line: &[u8], head: &mut Head) {
    database::head(line, head);
    if head.id.is_some() {
        return;
    }
    if let Ok(Stored { id, parent, directory: Some(directory), version, time, .. }) = serde_json::from_slice(line) {
        head.id = Some(id);
        head.parent = parent.map(Cow::into_owned);
        head.cwd = Some(PathBuf::from(&*directory));
        head.version = version.map(Cow::into_owned);
        head.start = time.and_then(|time| millis(time.created?));
    }
}

fn read(lines: &mut Lines, builder: &mut Builder) {
    lines.each(|line| {
        match database::begin(line, builder) {
            Some(step) => {
                let name = format!("instruction files {IN_SYSTEM_PROMPT}");
                builder.give(step, Given::unknown(Purpose::Instructions, name, None));
            }
            None => take(builder, &serde_json::from_slice(line)?),
        }
        Ok(())
    });
}

fn take(builder: &mut Builder, line: &Line) {
    let when = line.created.and_then(millis);
    builder.at(when);
    let part = &line.part;
    match &*part.kind {
        "text" => {
            // What is attached to a prompt stands in a text of its own.
            let step = builder.last_step();
            bring(builder, step, part.text.as_deref().unwrap_or_default(), &[]);
        }
        "tool" => call(builder, part, when),
        "compaction" => {
            let step = builder.step(when, Kind::Compaction, None);
            builder.forget(step, |_, given| !given.name.ends_with(IN_SYSTEM_PROMPT));
        }
        "step-finish" => {
            let tokens =
                part.tokens.as_ref().map(|tokens| tokens.input + tokens.cache.as_ref().map_or(0, |cache| cache.read));
            builder.session.tokens = tokens.filter(|&tokens| tokens > 0).or(builder.session.tokens);
        }
        "step-start" => {}
        kind => builder.unknown(&format!("part {kind}")),
    }
}

fn call(builder: &mut Builder, part: &Part, when: Option<jiff::Timestamp>) {
    let state = part.state.as_ref();
    let input = state.and_then(|state| parse::<Input>(state.input?)).unwrap_or_default();
    let cwd = builder.session.cwd.clone().unwrap_or_default();
    let file = input.file_path.map(|file| crate::snapshot::absolute(&cwd, Path::new(&file)).display().to_string());
    let (kind, name) = match part.tool.as_deref().unwrap_or_default() {
        "read" => (Kind::Read, file),
        "edit" | "write" => (Kind::Edit, file),
        "skill" => (Kind::Skill, input.name),
        "task" => (Kind::Subagent, input.subagent_type),
        other => (Kind::Tool, Some(other.to_owned())),
    };
    let step = builder.step(when, kind, name);
    let Some(output) = state.and_then(|state| state.output.as_deref()) else { return };
    if kind == Kind::Skill {
        builder.give(step, Given::recorded(Purpose::Skill, "body of a skill", None, output.into()));
    }
    let loaded = state.and_then(|state| state.metadata.as_ref()).map_or(&[][..], |metadata| &metadata.loaded);
    bring(builder, step, output, loaded);
}

/// Finds the text of a file behind its head.
fn text_of<'a>(block: &'a str, path: &Path, _: &Path, _: &Path) -> Option<&'a str> {
    let block = block.strip_prefix("<system-reminder>\n").unwrap_or(block);
    let text = block.strip_prefix(HEAD)?.strip_prefix(path.to_str()?)?.strip_prefix('\n')?;
    Some(text.strip_suffix("\n</system-reminder>").unwrap_or(text))
}

/// Text before the path of a file.
const HEAD: &str = "Instructions from: ";

/// Adds the files that came with a text. Files that are listed but not found in it are added without text.
fn bring(builder: &mut Builder, step: usize, text: &str, loaded: &[PathBuf]) {
    let start = text.rfind("<system-reminder>\nInstructions from: ");
    let block = start.and_then(|start| text[start..].trim_end().strip_prefix("<system-reminder>\n"));
    let block = block.and_then(|block| block.strip_suffix("\n</system-reminder>")).unwrap_or_default();
    let is_head = |at: usize| {
        let path = block[at + HEAD.len()..].lines().next().unwrap_or_default();
        (at == 0 || block[..at].ends_with("\n\n"))
            && (loaded.is_empty() || loaded.iter().any(|one| one == Path::new(path)))
    };
    let starts: Vec<usize> = block.match_indices(HEAD).map(|(at, _)| at).filter(|&at| is_head(at)).collect();
    let mut found = Vec::new();
    for (number, &at) in starts.iter().enumerate() {
        let end = starts.get(number + 1).map_or(block.len(), |next| next - 2);
        let entry = &block[at..end];
        let (path, body) = entry[HEAD.len()..].split_once('\n').unwrap_or((&entry[HEAD.len()..], ""));
        let given = Given::recorded(Purpose::Instructions, "instruction file", Some(PathBuf::from(path)), body.into());
        builder.give(step, Given { sent: Some(entry.into()), ..given });
        found.push(PathBuf::from(path));
    }
    for path in loaded.iter().filter(|path| !found.contains(path)) {
        builder.give(step, Given::unknown(Purpose::Instructions, "instruction file", Some(path.clone())));
    }
}
