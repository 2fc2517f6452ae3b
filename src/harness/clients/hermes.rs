//! Hermes: SOUL.md describes the agent; one kind of file contains the project's instructions; directories below add
//! theirs as tools reach them.
//!
//! Checked on the real client 0.19.0 (`hermes chat -q` against a loopback mock of a provider), November 2026. The
//! client matches texts against patterns of attacks, and sends a note in place of a text that matches. Skills, which
//! are listed in the system prompt, are not read.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::answer::{
    Answer, Certain, Fate, Limit, Message, Per, Role, Scope, Source, Standpoint, Text, Tool, Trigger, Unit,
};
use crate::formats::{Value, dotenv, parse_python_yaml};
use crate::harness::history::replays;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::conventional::PLAIN;
use crate::harness::kit::{folders, heads, skills};
use crate::harness::{
    About, Attaches, Change, Details, Edition, Evidence, History, Profile, Program, Replays, Switches, switches,
};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, Content, Errno, Unreadable};
use crate::text::{is_py_space, py_trimmed};

mod below;
mod profile;
mod soul;
mod suspicion;

/// Profile of Hermes.
pub static PROFILE: Profile = Profile {
    id: "hermes",
    title: "Hermes",
    summary: "~/.hermes/SOUL.md; of the project the first of .hermes.md or HERMES.md, AGENTS.md, CLAUDE.md, the rules of Cursor; nested ones as tools reach them",
    editions: &[&Hermes],
    history: Some(&HISTORY),
    instruction_names: &[
        ".hermes.md",
        "HERMES.md",
        "AGENTS.md",
        "agents.md",
        "CLAUDE.md",
        "claude.md",
        ".cursorrules",
        ".cursor/rules/*.mdc",
        ".hermes/SOUL.md",
    ],
    settings_names: &[".hermes/config.yaml"],
    keys: KEYS,
    program: Some(Program { command: "hermes", package: "hermes-agent" }),
    evidence: Evidence {
        traces: &[&["$HERMES_HOME/state.db", "~/.hermes/state.db"]],
        homes: &[&["$HERMES_HOME", "~/.hermes"]],
        files: &[".hermes.md", "HERMES.md"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &[".hermes/config.yaml"],
    keys: &[Key::new(
        "context_file_max_chars",
        Takes::Limit(Per::Source),
        "The most characters of one file; else it follows from the window of the model.",
    )],
}];

/// Briefing has no rules for versions before this change, so answers for them are not exact.
const MARK: Change = Change {
    since: "0.19.0",
    what: "a byte order mark is taken off; before, a file that begins with one was blocked",
    cases: &["hermes/texts_are_trimmed_and_a_byte_order_mark_goes"],
};

static HISTORY: History = History { changes: &[&MARK], rules: |_| Arc::new(Hermes), replays: &REPLAYS };

static REPLAYS: Replays = LazyLock::new(|| replays(include_str!("../../../tests/conformance/versions/hermes.toml")));

static ABOUT: About = About {
    name: "0.19",
    checked: ("0.19.0", "0.19"),
    details: Details {
        files: "the first kind that has some text: .hermes.md or HERMES.md up to the root of the repository; AGENTS.md, CLAUDE.md, or .cursorrules and .cursor/rules of the working directory",
        place: "system prompt, under Project Context, below the file's name; SOUL.md at the very beginning",
        truncation: "per file 24 % of the model's window in characters, at least 20 000 and at most 500 000, or context_file_max_chars; 70 % of that from the beginning, 20 % from the end",
        triggers: "session start; tools that reach a directory below bring its file",
        nested: "the first of AGENTS.md, CLAUDE.md, .cursorrules of each directory, once a session, at most five levels up, 8 000 characters each",
        global: "~/.hermes/SOUL.md",
        persona: "SOUL.md",
        ..PLAIN
    },
};

const HEAD: &str =
    "# Project Context\n\nThe following project context files have been loaded and should be followed:\n\n";
/// Minimum and maximum of the limit for one file, in characters; the minimum is also the limit for an unknown model
/// (Hermes 0.19.0).
const LEAST: usize = 20_000;
const MOST: usize = 500_000;

/// Sections of the settings that must be tables or empty, or else the client stops; others may be anything (Hermes
/// 0.19.0).
const SECTIONS: [&str; 3] = ["agent", "display", "terminal"];

struct Hermes;

impl Edition for Hermes {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("hermes")
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read | Tool::Edit | Tool::Write | Tool::Shell => Attaches::AsRead,
            Tool::Mention => Attaches::Unknown,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut answer = Answer { root: Some(at.cwd.clone()), ..Answer::default() };
        let own = profile::own_folder(at, search)?;
        folders::require(&own, search, &mut answer)?;
        let window = Window::of(at, &own.join("config.yaml"), search)?;
        if sends_rules(at, &own, search, &mut answer)? {
            soul::look(&own.join("SOUL.md"), &window, search, &mut answer)?;
            project(at, &window, search, &mut answer)?;
        }
        below::look(at, search, &mut answer)?;
        skills::doubted(vec![own.join("skills")], search, &mut answer)?;
        Ok(answer)
    }
}

/// Variables that move the project or other folders if the user's `.env` sets them (Hermes 0.19.0). The client itself
/// sets `TERMINAL_CWD` in the environment, but a `TERMINAL_CWD` in the file replaces the working directory.
const ELSEWHERE: [&str; 8] = [
    "TERMINAL_CWD",
    "TERMINAL_ENV",
    "HERMES_HOME",
    "HERMES_CONFIG",
    "HERMES_MANAGED_DIR",
    "HERMES_IGNORE_USER_CONFIG",
    "HERMES_EPHEMERAL_SYSTEM_PROMPT",
    "HERMES_SAFE_MODE",
];

/// Returns false if files are excluded at the start: by an option, or by a variable of the user's `.env` or of the
/// environment.
fn sends_rules(at: &Standpoint, own: &Path, search: &mut Search, answer: &mut Answer) -> Known<bool> {
    const NAME: &str = "HERMES_IGNORE_RULES";
    if at.flag("hermes", "ignore-rules") || at.flag("hermes", "safe-mode") {
        return Ok(false);
    }
    let path = own.join(".env");
    let text = match search.read(&path, "the user's variables come before the environment")? {
        Ok(raw) => raw.text().into_owned(),
        Err(Unreadable::Errno(Errno::ACCES)) => {
            return Err(Halt::refused(path, "the client stops where it cannot read its variables"));
        }
        Err(_) => String::new(),
    };
    // A byte order mark becomes part of the first name, and a value may refer to other variables.
    if text.contains(NAME) && text.contains(['\u{feff}', '$', '`']) {
        answer.doubt(&[Certain::Set], format!("what {} says of {NAME} is not followed", path.display()));
    }
    let pairs = dotenv(&text);
    if let Some((moves, _)) = pairs.iter().find(|(name, _)| ELSEWHERE.contains(&name.as_str())) {
        answer.doubt(&[Certain::Set], format!("what {moves} in {} does was not asked about", path.display()));
    }
    let of_file = pairs.into_iter().find(|(name, _)| name == NAME).map(|(_, value)| value);
    let value = of_file.or_else(|| search.env(NAME).map(|value| value.to_string()));
    Ok(value.as_deref() != Some("1"))
}

/// Limit of one file, in characters.
struct Window {
    limit: usize,
    /// True if the model's window is not known, so that the real limit may be higher.
    guessed: bool,
}

impl Window {
    fn of(at: &Standpoint, config: &Path, search: &mut Search) -> Known<Window> {
        let read = search.read(config, "the limit of files, and the window of the model")?;
        let node = read.ok().and_then(|raw| parse_python_yaml(&raw.text()).ok());
        for section in SECTIONS {
            let found = node.as_ref().and_then(|node| node.get(section)).map(|node| &node.value);
            if found.is_some_and(|value| !matches!(value, Value::Table(_) | Value::Null)) {
                return Err(Halt::refused(config, format!("`{section}` must be a table")));
            }
        }
        let number = |path: &[&str]| match node.as_ref().and_then(|node| node.at_path(path)).map(|node| &node.value) {
            Some(Value::Integer(number)) => usize::try_from(*number).ok().filter(|number| *number > 0),
            _ => None,
        };
        let most = match node.as_ref().and_then(|node| node.get("context_file_max_chars")).map(|node| &node.value) {
            // Python treats true as 1.
            Some(Value::Bool(true)) => Some(1),
            Some(Value::Float(number)) if *number > 0.0 && number.is_finite() => Some(*number as usize),
            _ => number(&["context_file_max_chars"]),
        };
        if let Some(limit) = most {
            return Ok(Window { limit, guessed: false });
        }
        let said = at.option("hermes", "context-length").and_then(|words| words.parse().ok());
        Ok(match said.or_else(|| number(&["model", "context_length"])) {
            Some(tokens) => {
                Window { limit: ((tokens as f64 * 4.0 * 0.06) as usize).clamp(LEAST, MOST), guessed: false }
            }
            None => Window { limit: LEAST, guessed: true },
        })
    }

    /// Returns the text as it is sent, and the range of it that is lost, in characters; `None` if it is not cut.
    fn cut(&self, text: String, label: &str, path: &Path, answer: &mut Answer) -> (String, Option<Range<usize>>) {
        let total = text.chars().count();
        if total <= self.limit {
            return (text, None);
        }
        if self.guessed {
            let reason =
                format!("{}: the limit follows from the window of the model, which is not known here", path.display());
            answer.doubt(&[Certain::Text], reason);
        }
        let (head, tail) = ((self.limit as f64 * 0.7) as usize, (self.limit as f64 * 0.2) as usize);
        // With a tail of 0, Python's slice is the whole text.
        let from = if tail == 0 { 0 } else { total - tail };
        let first: String = text.chars().take(head).collect();
        let last: String = text.chars().skip(from).collect();
        let shown = path.display();
        let marker = format!(
            "\n\n[...truncated {label}: kept {head}+{tail} of {total} chars. The middle is omitted — if you need the full \
             instructions, read the complete file with the read_file tool: {shown}]\n\n"
        );
        (first + &marker + &last, Some(head..from.max(head)))
    }
}

/// Decodes a text as Python does: strict UTF-8, with LF line ends, stripped. `None` if it is not valid or empty.
fn text_of(raw: &Content) -> Option<String> {
    let text = raw.as_text()?.replace("\r\n", "\n").replace('\r', "\n");
    Some(text[py_trimmed(&text)].to_owned()).filter(|text| !text.is_empty())
}

/// Returns true if a path exists. If it leads into a folder that may not be entered, Python raises an error, and the
/// client stops.
fn exists(path: &Path, rule: &'static str, search: &mut Search) -> Known<bool> {
    match search.stat(path, rule)? {
        Ok(_) => Ok(true),
        Err(Errno::ACCES) => {
            Err(Halt::refused(path, "it lies in a folder that may not be entered, and the client stops"))
        }
        Err(_) => Ok(false),
    }
}

/// Reads and decodes a file. Reports it if it is unreadable or empty.
fn read(path: &Path, scope: Scope, search: &mut Search, answer: &mut Answer) -> Known<Option<(Content, String)>> {
    let raw = match search.read(path, "a file of the project's context")? {
        Ok(raw) => raw,
        Err(problem) => {
            if search.is_file(path, "a file of the project's context")? {
                answer.sources.push(Source::new(path, scope, Fate::Unreadable, problem.to_string()));
            }
            return Ok(None);
        }
    };
    let text = text_of(&raw);
    if text.is_none() {
        let reason = if raw.as_text().is_some() { "only white space" } else { "it is not UTF-8" };
        let fate = if raw.as_text().is_some() { Fate::Empty } else { Fate::Unreadable };
        answer.sources.push(Source { size: Some(raw.size()), ..Source::new(path, scope, fate, reason) });
    }
    Ok(text.map(|text| (raw, text)))
}

/// Returns the text that is sent: without a byte order mark, or a note if the client takes it for an attack. `label` is
/// the client's name for the text.
fn scanned(text: &str, label: &str, path: &Path, answer: &mut Answer) -> Scanned {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let suspicion = suspicion::of(text);
    if suspicion.is_unordered {
        let reason = format!("{}: the order of what the client says it found changes from run to run", path.display());
        answer.doubt(&[Certain::Text], reason);
    }
    if suspicion.found.is_empty() {
        return Scanned { text: text.to_owned(), blocked: None };
    }
    let found = suspicion.found.join(", ");
    let note = format!("[BLOCKED: {label} contained potential prompt injection ({found}). Content not loaded.]");
    Scanned { text: note, blocked: Some(format!("taken for an attack on the agent: {found}")) }
}

struct Scanned {
    text: String,
    /// Reason why the text is a note in place of the file.
    blocked: Option<String>,
}

/// Returns a limit in characters.
fn limit(value: usize) -> Limit {
    Limit { value, unit: Unit::Utf16, per: Per::Source, from: "default".to_owned() }
}

/// Part of a composed text that comes from one file.
struct Piece {
    path: PathBuf,
    raw: Content,
    scanned: Scanned,
    /// Start of the part, in characters.
    at: usize,
}

impl Piece {
    /// Returns the source of the part. `lost` is the range of the composed text that does not reach the model, in
    /// characters.
    fn source(&self, scope: Scope, lost: Option<&Range<usize>>, max: usize, reason: &str) -> Source {
        let source = |fate, reason: &str| Source {
            size: Some(self.raw.size()),
            ..Source::new(&self.path, scope, fate, reason.to_owned())
        };
        if let Some(reason) = &self.scanned.blocked {
            return source(Fate::Dropped, reason);
        }
        let everything = 0..self.raw.len();
        let end = self.at + self.scanned.text.chars().count();
        let lost = lost.map(|lost| lost.start.clamp(self.at, end) - self.at..lost.end.clamp(self.at, end) - self.at);
        let Some(lost) = lost.filter(|lost| !lost.is_empty()) else {
            let kept = if everything.is_empty() { Vec::new() } else { vec![everything] };
            return Source { kept, ..source(Fate::Loaded, reason) };
        };
        let (from, to) = (self.raw_at(lost.start), self.raw_at(lost.end));
        let kept = [0..from, to..self.raw.len()].into_iter().filter(|kept| !kept.is_empty()).collect();
        let source = source(Fate::Truncated, &format!("cut to {max} characters: beginning and end stay"));
        Source { kept, limit: Some(limit(max)), ..source }
    }

    /// Returns the byte offset in the file of a character of the sent text, which is a part of the file with LF line
    /// ends.
    fn raw_at(&self, character: usize) -> usize {
        let raw = self.raw.text();
        let unix = raw.replace("\r\n", "\n").replace('\r', "\n");
        let before = unix.find(&self.scanned.text).map_or(0, |at| unix[..at].chars().count());
        let mut chars = raw.char_indices().filter(|(at, c)| *c != '\n' || !raw[..*at].ends_with('\r'));
        chars.nth(before + character).map_or(raw.len(), |(at, _)| at)
    }
}

fn give(answer: &mut Answer, message: Message, sources: Vec<Source>) {
    let at = Some(answer.messages.len());
    answer.sources.extend(sources.into_iter().map(|source| Source { message: at, part: Some(0), ..source }));
    answer.messages.push(message);
}

/// Adds the first kind of file that has some text.
fn project(at: &Standpoint, window: &Window, search: &mut Search, answer: &mut Answer) -> Known<()> {
    let kinds = [["AGENTS.md", "agents.md"], ["CLAUDE.md", "claude.md"]];
    search.expect(kinds.iter().flatten().map(|name| Ask::Content(at.cwd.join(name))))?;
    let mut found = hermes_md(at, search, answer)?;
    for names in kinds {
        for name in names.into_iter().map(|name| at.cwd.join(name)) {
            if found.is_some() {
                shadowed(&name, search, answer)?;
                continue;
            }
            if !exists(&name, "a file of the project's context", search)? {
                continue;
            }
            let Some((raw, text)) = read(&name, Scope::Project, search, answer)? else { continue };
            let shown = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let scanned = scanned(&text, &shown, &name, answer);
            found = Some(Kind::of_one(&shown, names[0], name, raw, scanned));
        }
    }
    let found = match found {
        Some(found) => found,
        None => match cursor(at, search, answer)? {
            Some(found) => found,
            None => return Ok(()),
        },
    };
    let (text, lost) = window.cut(found.text, found.label, &found.path, answer);
    // The client strips the composed text.
    let text = text.trim_end_matches(is_py_space);
    let reason = "the first kind of file that has some text";
    let source = |piece: &Piece| piece.source(Scope::Project, lost.as_ref(), window.limit, reason);
    let sources = found.files.iter().map(source).collect();
    give(answer, Message::instructions(Trigger::Session, Role::System, Text::from(format!("{HEAD}{text}"))), sources);
    Ok(())
}

/// Composed text of one kind of file.
struct Kind {
    text: String,
    /// The client's name for it in the note about a cut.
    label: &'static str,
    /// Path that the agent is told to read for the full text.
    path: PathBuf,
    files: Vec<Piece>,
}

impl Kind {
    /// Creates the text of one file below its name.
    fn of_one(name: &str, label: &'static str, path: PathBuf, raw: Content, scanned: Scanned) -> Kind {
        let head = format!("## {name}\n\n");
        let text = format!("{head}{}", scanned.text);
        let piece = Piece { path: path.clone(), raw, scanned, at: head.chars().count() };
        Kind { text, label, path, files: vec![piece] }
    }
}

fn shadowed(path: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
    if search.is_file(path, "asked only to explain: another kind comes first")? {
        answer.sources.push(Source::new(path, Scope::Project, Fate::Shadowed, "another kind of file comes first"));
    }
    Ok(())
}

/// Returns the nearest `.hermes.md` or `HERMES.md` up to the repository root; without a repository, that of the working
/// directory.
fn hermes_md(at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<Option<Kind>> {
    search.expect(at.cwd.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    let mut root = None;
    for dir in at.cwd.ancestors() {
        if exists(&dir.join(".git"), "the root of the repository ends the search", search)? {
            root = Some(dir);
            break;
        }
    }
    answer.root = root.map(Path::to_owned).or_else(|| Some(at.cwd.clone()));
    for dir in at.cwd.ancestors().take_while(|dir| root.map_or(*dir == at.cwd, |root| dir.starts_with(root))) {
        for path in [".hermes.md", "HERMES.md"].map(|name| dir.join(name)) {
            if !exists(&path, "the nearest counts", search)? || !search.is_file(&path, "the nearest counts")? {
                continue;
            }
            let Some((raw, text)) = read(&path, Scope::Project, search, answer)? else { return Ok(None) };
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let scanned = scanned(heads::hermes(&text), &name, &path, answer);
            return Ok(Some(Kind::of_one(&name, ".hermes.md", path.clone(), raw, scanned)));
        }
    }
    Ok(None)
}

/// Returns `.cursorrules`, then `.cursor/rules/*.mdc` sorted by name.
fn cursor(at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<Option<Kind>> {
    let own = at.cwd.join(".cursorrules");
    let folder = at.cwd.join(".cursor/rules");
    let mut paths = vec![own.clone()];
    exists(&own, "the rules of Cursor", search)?;
    if exists(&folder, "the rules of Cursor", search)?
        && let Ok(entries) = search.list(&folder, "the rules of Cursor")?
    {
        let mut names: Vec<_> = entries.iter().map(|entry| entry.name.clone()).collect();
        names.retain(|name| name.to_string_lossy().ends_with(".mdc"));
        names.sort();
        paths.extend(names.into_iter().map(|name| folder.join(name)));
    }
    search.expect(paths.iter().cloned().map(Ask::Content))?;
    let (mut text, mut files) = (String::new(), Vec::new());
    for path in paths {
        let Some((raw, content)) = read(&path, Scope::Rule, search, answer)? else { continue };
        let name = crate::snapshot::relative(&at.cwd, &path);
        text += &format!("## {name}\n\n");
        let at = text.chars().count();
        let scanned = scanned(&content, &name, &path, answer);
        text += &format!("{}\n\n", scanned.text);
        files.push(Piece { path, raw, scanned, at });
    }
    Ok((!files.is_empty()).then_some(Kind { text, label: ".cursorrules", path: own, files }))
}
