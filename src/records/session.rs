//! A recorded session: its steps, what each of them gave to the model, and what was gone after it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use super::lines::Lines;
use crate::text::Size;

/// Texts are kept up to this size together, in bytes; of later ones only the size is.
pub const TEXTS_CAP_BYTES: usize = 32 * 1024 * 1024;
/// A record with more steps is read to its end, and its later steps are counted only.
pub const STEPS_CAP: usize = 100_000;
/// So many kinds of lines that are not known are named.
const UNKNOWN_CAP: usize = 64;

/// A session, as its record tells it.
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
    /// When it began.
    pub start: Option<Timestamp>,
    /// When the record was last written to, as the record itself says.
    pub end: Option<Timestamp>,
    /// The session that started this one, if it is a sub-agent's.
    pub parent: Option<String>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// Whether the record holds the requests themselves, so that what was in context is known of every request.
    pub wire: bool,
    /// The tokens of the last request, as the client counted them.
    pub tokens: Option<u64>,
    /// Kinds of lines that are not known, with how many there are.
    pub unknown: BTreeMap<String, usize>,
    /// What could not be read, in words.
    pub problems: Vec<String>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// When.
    pub when: Option<Timestamp>,
    /// Its kind.
    pub kind: Kind,
    /// The file, skill, tool, agent or directory.
    pub name: Option<String>,
    /// What reached the model with it.
    pub given: Vec<Given>,
    /// What was given before and is not in context after it.
    pub gone: Vec<Place>,
}

/// Where something was given: the numbers of the step and of what it gave.
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
    /// What was said so far was summed up.
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
    /// What it is, in words.
    pub name: String,
    /// What it is for.
    pub purpose: Purpose,
    /// How much of it is known.
    pub how: How,
    /// The text of the file as the client read it.
    pub text: Option<Arc<str>>,
    /// The string of the request that holds it, if the record has that too.
    pub sent: Option<Arc<str>>,
    /// Its size.
    pub size: Size,
    /// The files for which it counts, as its front matter says.
    pub globs: Vec<String>,
}

/// What a text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Instructions of the user, the project or the organization.
    Instructions,
    /// A list of skills, or the body of one.
    Skill,
    /// A list of agents.
    Agents,
    /// What a hook said.
    Hook,
    /// What servers of the Model Context Protocol say of themselves.
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

/// How much of a text is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The record has it.
    Recorded,
    /// The record does not have it, and it was worked out.
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

    /// Creates a text of which the record says only that there may be one.
    pub fn unknown(purpose: Purpose, name: impl Into<String>, path: Option<PathBuf>) -> Given {
        let (name, how, size) = (name.into(), How::Unknown, Size::default());
        Given { path, name, purpose, how, text: None, sent: None, size, globs: Vec::new() }
    }

    /// Returns the path, or the name of what has none.
    pub fn label(&self) -> String {
        self.path.as_ref().map_or_else(|| self.name.clone(), |path| path.display().to_string())
    }
}

impl Session {
    /// Returns what was given at a place.
    pub fn given(&self, (step, at): Place) -> &Given {
        &self.steps[step].given[at]
    }

    /// Returns true if texts may have reached it that its record does not say. The client's own prompt and tools are none of them.
    pub fn has_gaps(&self) -> bool {
        let is_hidden =
            |given: &Given| given.text.is_none() && !matches!(given.purpose, Purpose::System | Purpose::Tools);
        self.everything().any(|(_, given)| is_hidden(given)) || !self.problems.is_empty() || !self.unknown.is_empty()
    }

    /// Puts texts in the place of one that was given. What is behind them moves, with what is said of it.
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

    /// Returns everything that was given, with its place.
    pub fn everything(&self) -> impl Iterator<Item = (Place, &Given)> {
        self.steps
            .iter()
            .enumerate()
            .flat_map(|(step, one)| one.given.iter().enumerate().map(move |(at, given)| ((step, at), given)))
    }

    /// Returns the step after which something was gone.
    pub fn gone_at(&self, place: Place) -> Option<usize> {
        self.steps.iter().position(|step| step.gone.contains(&place))
    }

    /// Returns what is in context after a step.
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
    /// What is in context.
    held: Vec<Place>,
    /// Texts that were given, each kept once.
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

    /// Adds what a step gave, and returns where.
    pub fn give(&mut self, step: usize, mut given: Given) -> Place {
        given.text = given.text.and_then(|text| self.intern(text));
        given.sent = given.sent.and_then(|text| self.intern(text));
        let all = &mut self.session.steps[step].given;
        all.push(given);
        let place = (step, all.len() - 1);
        self.held.push(place);
        place
    }

    /// Moves what a step gave last to a later step, and returns where it is now.
    pub fn move_last(&mut self, step: usize, to: usize) -> Option<(Place, Place)> {
        let given = self.session.steps[step].given.pop()?;
        let from = (step, self.session.steps[step].given.len());
        let all = &mut self.session.steps[to].given;
        all.insert(0, given);
        // What is moved is moved from the last one on, so that the first is where it should be at the end.
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

    /// Returns what is in context.
    pub fn held(&self) -> &[Place] {
        &self.held
    }

    /// Notes that everything in context is gone after a step, but what the step itself gave.
    pub fn forget_all(&mut self, step: usize) {
        self.forget(step, |place, _| place.0 != step);
    }

    /// Notes that what `is_gone` names is not in context after a step.
    pub fn forget(&mut self, step: usize, is_gone: impl Fn(Place, &Given) -> bool) {
        let session = &self.session;
        let (gone, held) = self.held.iter().partition(|&&place| is_gone(place, session.given(place)));
        self.held = held;
        let gone: Vec<Place> = gone;
        self.session.steps[step].gone.extend(gone);
    }

    /// Counts a kind of line that is not known.
    pub fn unknown(&mut self, kind: &str) {
        // A record may hold anything where its client writes a word.
        let is_plain = |c: char| c.is_alphanumeric() || "_-./: ".contains(c);
        let kind: String = kind.chars().take(64).map(|c| if is_plain(c) { c } else { '?' }).collect();
        let unknown = &mut self.session.unknown;
        if unknown.len() < UNKNOWN_CAP || unknown.contains_key(&kind) {
            *unknown.entry(kind).or_default() += 1;
        } else {
            *unknown.entry("others".to_owned()).or_default() += 1;
        }
    }

    /// Notes the time of a line.
    pub fn at(&mut self, when: Option<Timestamp>) {
        let Some(when) = when else { return };
        self.session.start.get_or_insert(when);
        self.session.end = Some(when);
    }

    /// Returns the session, with what could not be read of it.
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

/// Names a file that is sent once more, as it stands then.
pub const FILE_AGAIN: &str = "file, read again";

/// Ends the name of what a record does not hold because it stands in the system prompt.
pub const IN_SYSTEM_PROMPT: &str = "in the system prompt";

/// Returns the bytes by which a text is found within JSON.
pub fn json_needle(text: &str) -> Vec<u8> {
    let mut json = serde_json::to_vec(text).unwrap_or_default();
    json.truncate(json.len().saturating_sub(1));
    json.split_off(1.min(json.len()))
}

/// Parses a time as clients write it.
pub fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

/// Names a file as one that clients load as instructions, whoever asks.
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
