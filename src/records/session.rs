//! A recorded session: its steps, the texts that each added to the context, and those that left it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use super::lines::Lines;
use crate::text::Size;

/// Maximum size of all kept texts together, in bytes; only the size of later ones is kept.
pub const TEXTS_CAP_BYTES: usize = 32 * 1024 * 1024;
/// Maximum number of steps; a longer record is read to its end, and its later steps are only counted.
pub const STEPS_CAP: usize = 100_000;
/// Maximum number of unknown kinds of lines that are listed by name.
const UNKNOWN_CAP: usize = 64;

/// A session according to its record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// The agent.
    pub agent: &'static str,
    /// The record.
    pub file: PathBuf,
    /// The client's name for the session.
    pub id: String,
    /// The version that wrote the record last.
    pub version: Option<String>,
    /// The directory in which the client was started.
    pub cwd: Option<PathBuf>,
    /// Time at which the session began.
    pub start: Option<Timestamp>,
    /// Time of the last line that has one.
    pub end: Option<Timestamp>,
    /// The session that started this one, if it is a sub-agent's.
    pub parent: Option<String>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// True if the record holds the requests themselves, so that the context of every request is known.
    pub wire: bool,
    /// The tokens of the last request, as the client counted them.
    pub tokens: Option<u64>,
    /// Unknown kinds of lines, with their numbers.
    pub unknown: BTreeMap<String, usize>,
    /// Descriptions of the parts that could not be read.
    pub problems: Vec<String>,
}

/// One event of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Time of the step.
    pub when: Option<Timestamp>,
    /// Its kind.
    pub kind: Kind,
    /// The file, skill, tool, agent or directory.
    pub name: Option<String>,
    /// Texts that reached the model with it.
    pub given: Vec<Given>,
    /// Earlier texts that are not in context after it.
    pub gone: Vec<Place>,
}

/// Position of a text: the index of its step, and its index in `Step::given`.
pub type Place = (usize, usize);

/// The kinds of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The session begins.
    Start,
    /// A file was read.
    Read,
    /// A file was changed or written.
    Edit,
    /// Another tool was called.
    Tool,
    /// A skill was called.
    Skill,
    /// A sub-agent was started.
    Subagent,
    /// The conversation so far was summarized.
    Compaction,
    /// The session went on in another process, or in another directory, which is its name.
    Resume,
}

impl Kind {
    /// Returns its name on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Start => "start",
            Kind::Read => "read",
            Kind::Edit => "edit",
            Kind::Tool => "tool",
            Kind::Skill => "skill",
            Kind::Subagent => "subagent",
            Kind::Compaction => "compaction",
            Kind::Resume => "resume",
        }
    }
}

/// A text that reached the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The file that it was read from, if the record says so.
    pub path: Option<PathBuf>,
    /// Description of the text.
    pub name: String,
    /// Purpose of the text.
    pub purpose: Purpose,
    /// Tells if the text is recorded, reconstructed or unknown.
    pub how: How,
    /// The text of the file as the client read it.
    pub text: Option<Arc<str>>,
    /// String of the request that contains it, if recorded.
    pub sent: Option<Arc<str>>,
    /// Its size.
    pub size: Size,
    /// Globs of its front matter, which name the files to which it applies.
    pub globs: Vec<String>,
}

/// Purpose of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Instructions of the user, the project or the organization.
    Instructions,
    /// A list of skills, or the body of one.
    Skill,
    /// A list of agents.
    Agents,
    /// Output of a hook.
    Hook,
    /// Instructions of Model Context Protocol servers.
    Mcp,
    /// The client's own prompt.
    System,
    /// The descriptions of tools.
    Tools,
    /// Names instruction files, without their texts.
    Reminder,
}

impl Purpose {
    /// Returns its name on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Purpose::Instructions => "instructions",
            Purpose::Skill => "skill",
            Purpose::Agents => "agents",
            Purpose::Hook => "hook",
            Purpose::Mcp => "mcp",
            Purpose::System => "system",
            Purpose::Tools => "tools",
            Purpose::Reminder => "reminder",
        }
    }
}

/// Tells how a text is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The record has it.
    Recorded,
    /// The record does not have it; it was reconstructed.
    Reconstructed,
    /// The record does not have it.
    Unknown,
}

impl How {
    /// Returns its name on the wire.
    pub fn word(self) -> &'static str {
        match self {
            How::Recorded => "recorded",
            How::Reconstructed => "reconstructed",
            How::Unknown => "unknown",
        }
    }
}

impl Given {
    /// Creates a text that the record has.
    pub fn recorded(purpose: Purpose, name: impl Into<String>, path: Option<PathBuf>, text: Arc<str>) -> Given {
        let size = Size::of(&text);
        let (name, how, text) = (name.into(), How::Recorded, Some(text));
        Given { path, name, purpose, how, text, sent: None, size, globs: Vec::new() }
    }

    /// Creates a text that may exist according to the record, which does not have it.
    pub fn unknown(purpose: Purpose, name: impl Into<String>, path: Option<PathBuf>) -> Given {
        let (name, how, size) = (name.into(), How::Unknown, Size::default());
        Given { path, name, purpose, how, text: None, sent: None, size, globs: Vec::new() }
    }

    /// Returns the path, or the name if there is none.
    pub fn label(&self) -> String {
        self.path.as_ref().map_or_else(|| self.name.clone(), |path| path.display().to_string())
    }
}

impl Session {
    /// Returns the text at a place.
    pub fn given(&self, (step, at): Place) -> &Given {
        &self.steps[step].given[at]
    }

    /// Returns true if texts missing in the record may have reached the model, other than the client's prompt and
    /// tools.
    pub fn has_gaps(&self) -> bool {
        let is_hidden =
            |given: &Given| given.text.is_none() && !matches!(given.purpose, Purpose::System | Purpose::Tools);
        self.everything().any(|(_, given)| is_hidden(given)) || !self.problems.is_empty() || !self.unknown.is_empty()
    }

    /// Replaces one text of a step by several, and adjusts the places of the texts after it.
    pub fn put(&mut self, step: usize, at: usize, texts: Vec<Given>) {
        let more = texts.len() - 1;
        self.steps[step].given.splice(at..=at, texts);
        for gone in self.steps.iter_mut().map(|step| &mut step.gone) {
            let is_gone = gone.contains(&(step, at));
            gone.iter_mut().filter(|place| place.0 == step && place.1 > at).for_each(|place| place.1 += more);
            if is_gone {
                gone.extend((at + 1..=at + more).map(|at| (step, at)));
            }
        }
    }

    /// Returns every text with its place.
    pub fn everything(&self) -> impl Iterator<Item = (Place, &Given)> {
        self.steps
            .iter()
            .enumerate()
            .flat_map(|(step, one)| one.given.iter().enumerate().map(move |(at, given)| ((step, at), given)))
    }

    /// Returns the step after which a text was no longer in context.
    pub fn gone_at(&self, place: Place) -> Option<usize> {
        self.steps.iter().position(|step| step.gone.contains(&place))
    }

    /// Returns the places of the texts in context after a step.
    pub fn held_after(&self, step: usize) -> Vec<Place> {
        let before = self.everything().filter(|((at, _), _)| *at <= step).map(|(place, _)| place);
        let gone: std::collections::HashSet<&Place> =
            self.steps.iter().take(step + 1).flat_map(|step| &step.gone).collect();
        before.filter(|place| !gone.contains(place)).collect()
    }
}

/// Puts a session together while its record is read.
pub struct Builder {
    /// The session so far.
    pub session: Session,
    /// Places of the texts in context.
    held: Vec<Place>,
    /// Interned texts.
    texts: HashMap<Arc<str>, (), foldhash::fast::RandomState>,
    kept_bytes: usize,
    /// Steps beyond the cap.
    left_out: usize,
}

impl Builder {
    /// Creates an empty session.
    pub fn new(agent: &'static str, file: PathBuf) -> Builder {
        let session = Session { agent, file, ..Session::default() };
        Builder { session, held: Vec::new(), texts: HashMap::default(), kept_bytes: 0, left_out: 0 }
    }

    /// Adds a step and returns its number.
    pub fn step(&mut self, when: Option<Timestamp>, kind: Kind, name: Option<String>) -> usize {
        if self.session.steps.len() >= STEPS_CAP {
            self.left_out += 1;
            return self.session.steps.len() - 1;
        }
        self.session.steps.push(Step { when, kind, name, given: Vec::new(), gone: Vec::new() });
        self.session.steps.len() - 1
    }

    /// Returns the number of the last step; begins the session if there is none.
    pub fn last_step(&mut self) -> usize {
        match self.session.steps.len() {
            0 => self.step(self.session.start, Kind::Start, None),
            steps => steps - 1,
        }
    }

    /// Adds a text to a step and returns its place.
    pub fn give(&mut self, step: usize, mut given: Given) -> Place {
        given.text = given.text.and_then(|text| self.intern(text));
        given.sent = given.sent.and_then(|text| self.intern(text));
        let all = &mut self.session.steps[step].given;
        all.push(given);
        let place = (step, all.len() - 1);
        self.held.push(place);
        place
    }

    /// Moves the last text of a step to the front of a later step; returns its old and its new place.
    pub fn move_last(&mut self, step: usize, to: usize) -> Option<(Place, Place)> {
        let given = self.session.steps[step].given.pop()?;
        let from = (step, self.session.steps[step].given.len());
        let all = &mut self.session.steps[to].given;
        all.insert(0, given);
        // Callers move the last text first, so that the original order is kept.
        let moved = |place: &mut Place| {
            if *place == from {
                *place = (to, 0);
            } else if place.0 == to {
                place.1 += 1;
            }
        };
        self.held.iter_mut().for_each(moved);
        Some((from, (to, 0)))
    }

    fn intern(&mut self, text: Arc<str>) -> Option<Arc<str>> {
        if let Some((kept, ())) = self.texts.get_key_value(&text) {
            return Some(kept.clone());
        }
        if self.kept_bytes + text.len() > TEXTS_CAP_BYTES {
            return None;
        }
        self.kept_bytes += text.len();
        self.texts.insert(text.clone(), ());
        Some(text)
    }

    /// Returns the places of the texts in context.
    pub fn held(&self) -> &[Place] {
        &self.held
    }

    /// Removes every text from the context after a step, except those of the step itself.
    pub fn forget_all(&mut self, step: usize) {
        self.forget(step, |place, _| place.0 != step);
    }

    /// Removes the texts for which `is_gone` returns true from the context after a step.
    pub fn forget(&mut self, step: usize, is_gone: impl Fn(Place, &Given) -> bool) {
        let session = &self.session;
        let (gone, held) = self.held.iter().partition(|&&place| is_gone(place, session.given(place)));
        self.held = held;
        let gone: Vec<Place> = gone;
        // A damaged record may go on before it began: then nothing is held.
        if let Some(step) = self.session.steps.get_mut(step) {
            step.gone.extend(gone);
        }
    }

    /// Counts an unknown kind of line.
    pub fn unknown(&mut self, kind: &str) {
        // A damaged record may hold any text here.
        let is_plain = |c: char| c.is_alphanumeric() || "_-./: ".contains(c);
        let kind: String = kind.chars().take(64).map(|c| if is_plain(c) { c } else { '?' }).collect();
        let unknown = &mut self.session.unknown;
        if unknown.len() < UNKNOWN_CAP || unknown.contains_key(&kind) {
            *unknown.entry(kind).or_default() += 1;
        } else {
            *unknown.entry("others".to_owned()).or_default() += 1;
        }
    }

    /// Records the time of a line.
    pub fn at(&mut self, when: Option<Timestamp>) {
        let Some(when) = when else { return };
        self.session.start.get_or_insert(when);
        self.session.end = Some(when);
    }

    /// Returns the session, with its problems.
    pub fn finish(mut self, lines: &Lines) -> Session {
        self.session.problems.extend(lines.problems());
        if self.left_out > 0 {
            self.session.problems.push(format!("{} later steps are left out", self.left_out));
        }
        if self.session.id.is_empty() {
            self.session.id = super::place::stem(&self.session.file).unwrap_or_default();
        }
        self.session
    }
}

/// Name of a file that is sent again with its content at that time.
pub const FILE_AGAIN: &str = "file, read again";

/// Suffix of the name of a text that is not recorded because it is in the system prompt.
pub const IN_SYSTEM_PROMPT: &str = "in the system prompt";

/// Name of texts that a record lacks, whether they come at start or with other files.
pub const AT_ANY_TIME: &str = "instruction files, at start and with other files";

/// Returns the bytes of a text as they occur in a JSON string.
pub fn json_needle(text: &str) -> Vec<u8> {
    let mut json = serde_json::to_vec(text).unwrap_or_default();
    json.truncate(json.len().saturating_sub(1));
    json.split_off(1.min(json.len()))
}

/// Parses a time as clients write it.
pub fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

/// Returns true if the file has a name that some client loads as instructions.
pub fn is_instruction_file(path: &Path) -> bool {
    const NAMES: [&str; 8] = [
        "AGENTS.md",
        "AGENTS.override.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
        "GEMINI.md",
        "QWEN.md",
        "copilot-instructions.md",
        "CONTEXT.md",
    ];
    path.file_name().is_some_and(|name| NAMES.iter().any(|known| name == *known))
}
