//! Reads the session records of clients, on request; the only module that opens them.
//!
//! A record is read once, from its start, and never written. The recorded texts that reached the model become a
//! [`Session`]: steps, each with its texts. The user's prompts and the model's replies are skipped. Read [`session`]
//! first, then `lines` and `place`, which limit how much is read, then one client after another.

use std::io::Read;
use std::path::{Path, PathBuf};

pub mod audit;
mod claude_code;
mod codex;
mod context;
mod copilot_cli;
mod database;
mod droid;
mod gemini_cli;
mod grok_build;
mod hermes;
mod kimi_code;
pub mod lines;
mod mistral_vibe;
mod opencode;
mod pi;
pub mod place;
mod qwen_code;
pub mod session;

pub use lines::LINE_CAP_BYTES;
pub use session::{Given, How, Kind, Purpose, Session, Step};

use lines::Lines;
use place::{Found, Homes};
use session::Builder;

/// Number of bytes at the start of a record that are read to list it.
const HEAD_BYTES: usize = 64 * 1024;
/// A record whose directory is not known by then is read on until it is, at most so far, in bytes. A picture that is
/// pasted into the first prompt comes before it.
const HEAD_CAP_BYTES: u64 = 32 * 1024 * 1024;

/// Facts about a record that are known without reading all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The client's name for the session.
    pub id: Option<String>,
    /// The version of the client that began it.
    pub version: Option<String>,
    /// The directory in which the client was started.
    pub cwd: Option<PathBuf>,
    /// Time at which the session began.
    pub start: Option<jiff::Timestamp>,
    /// The session that started this one, if it is a sub-agent's.
    pub parent: Option<String>,
    /// True if the session has no messages.
    pub is_silent: bool,
    /// Reason why the client's working directory is unknown.
    pub problem: Option<&'static str>,
}

impl Head {
    fn is_complete(&self) -> bool {
        self.id.is_some() && self.version.is_some() && self.cwd.is_some() && self.start.is_some()
    }
}

/// A client whose records can be read.
pub struct Client {
    /// The agent's name.
    pub agent: &'static str,
    /// Finds its records; given the directory that is asked about, only those that may be about it.
    find: fn(&Homes, Option<&Path>) -> Vec<Found>,
    /// Updates the head with the facts of one line about the whole session.
    head: fn(&[u8], &mut Head),
    /// Opens a record as lines.
    open: fn(&Found) -> Result<Lines, String>,
    /// Reads a whole record.
    read: fn(&mut Lines, &mut Builder),
    /// Finds the text of a file in what the client sends.
    text_of: TextOf,
    /// Problem of a record without a working directory; `None` if such files need not be sessions.
    homeless: Option<&'static str>,
    /// The size at which the client cuts its files unless a setting says otherwise, in bytes.
    pub cuts_at: Option<usize>,
    /// The newest version whose records were compared with its requests.
    checked: &'static str,
}

/// Finds in a block the text of the file at a path, as seen from a working directory and a home directory.
type TextOf = for<'a> fn(&'a str, &Path, &Path, &Path) -> Option<&'a str>;

/// Returns `None`, for clients whose text does not separate the files.
const fn no_text<'a>(_: &'a str, _: &Path, _: &Path, _: &Path) -> Option<&'a str> {
    None
}

/// Problem of a record that lacks the line with its working directory.
const NO_CWD: Option<&str> = Some("not read, since it does not say in which directory it was started");

/// The clients, in the order in which they are listed.
pub static CLIENTS: [Client; 13] = [
    claude_code::CLIENT,
    codex::CLIENT,
    copilot_cli::CLIENT,
    gemini_cli::CLIENT,
    qwen_code::CLIENT,
    opencode::OPENCODE,
    opencode::KILO,
    droid::CLIENT,
    grok_build::CLIENT,
    kimi_code::CLIENT,
    pi::CLIENT,
    hermes::CLIENT,
    mistral_vibe::CLIENT,
];

/// Instructions that session records hold, by agent; observed with the clients, see `docs/audit.md`.
const HOLDS: [(&str, &str); 16] = [
    (
        "claude-code",
        "at start since 2.1.268 or earlier, with files since 2.1.100 or earlier; the requests themselves since 2.1.329 or earlier",
    ),
    ("codex", "at start, as one text without paths; after a compaction since 0.149 or earlier"),
    ("copilot-cli", "at start, as one text without paths; with files their paths (1.0.102)"),
    ("gemini-cli", "the project's files at start and those that reads bring, not the user's (0.51)"),
    ("qwen-code", "what comes with files, not the start (0.24)"),
    ("opencode", "what comes with files, not the start (1.1)"),
    ("kilo", "what comes with files, not the start (7.7)"),
    ("droid", "at start and with files (0.225)"),
    ("grok-build", "at start, as two texts without paths and times (1.0.41)"),
    ("kimi-code", "at start, as one text without paths (2.1)"),
    ("pi", "at start, as sections of the system prompt without paths (0.87.1)"),
    ("hermes", "at start, SOUL.md and the project's files as two texts; what comes with tools (0.19)"),
    ("mistral-vibe", "at start, as one text without paths; what comes with files (3.0)"),
    ("goose", "only the last requests, as a log (1.52); Briefing does not read it"),
    ("cline", "no text (3.0)"),
    ("continue", "no text of a session without a terminal (1.5)"),
];

/// Describes the instructions that the session records of an agent hold; `None` if that was not examined.
pub fn holds(agent: &str) -> Option<&'static str> {
    HOLDS.iter().find(|(name, _)| *name == agent).map(|(_, holds)| *holds)
}

/// Opens a record that is a file of lines.
fn open(found: &Found) -> Result<Lines, String> {
    Lines::open(&found.file)
}

/// Returns the client of an agent, if its records can be read.
pub fn client(agent: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.agent == agent)
}

impl Client {
    /// Finds the records of sessions that may have been started in or below `project`, or all of them.
    pub fn find(&self, homes: &Homes, project: Option<&Path>) -> Vec<Found> {
        let mut found = (self.find)(homes, project);
        found.iter_mut().for_each(|found| found.agent = self.agent);
        found
    }

    /// Reads the head of a record, as far as needed to find the client's working directory.
    pub fn head(&self, found: &Found) -> Head {
        let mut head = found.head.clone();
        let bytes = match head.is_complete() || found.problem.is_some() {
            true => Vec::new(),
            false => place::start_of(&found.file, HEAD_BYTES).unwrap_or_default(),
        };
        // A session in a file of its own may be one value that has lines.
        if found.key.is_some() {
            (self.head)(&bytes, &mut head);
        }
        for line in bytes.split(|&byte| byte == b'\n') {
            if head.is_complete() {
                break;
            }
            (self.head)(line, &mut head);
        }
        if head.cwd.is_none() && found.problem.is_none() && found.database.is_none() {
            let is_json = self.read_on(found, &mut head);
            head.problem = match (&head.cwd, found.bytes, is_json) {
                (Some(_), ..) => None,
                (None, 0, _) => Some("not read, since it is empty"),
                (None, _, false) => Some("not read, since no line of it can be parsed"),
                (None, HEAD_CAP_BYTES.., _) => NO_CWD,
                (None, ..) => self.homeless,
            };
        }
        head.id = head.id.or_else(|| place::stem(&found.file));
        head.is_silent &= found.bytes <= HEAD_BYTES as u64;
        head
    }

    /// Reads a record from its start until the working directory is found. Returns true if any line was JSON.
    fn read_on(&self, found: &Found, head: &mut Head) -> bool {
        let Ok((file, _)) = place::open(&found.file) else { return true };
        let mut lines = Lines::new(file.take(HEAD_CAP_BYTES));
        let mut is_json = false;
        while let Some(line) = lines.next_line().filter(|_| head.cwd.is_none()) {
            is_json = is_json || serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
            (self.head)(line, head);
        }
        is_json
    }

    /// Finds the text of the file at a path in a block that the client sends.
    pub fn text_of<'a>(&self, block: &'a str, path: &Path, cwd: &Path, home: &Path) -> Option<&'a str> {
        (self.text_of)(block, path, cwd, home)
    }

    /// Reads a whole record.
    ///
    /// # Errors
    /// If the file cannot be opened, is no regular file or is a link; in words.
    pub fn read(&self, found: &Found) -> Result<Session, String> {
        if let Some(problem) = &found.problem {
            return Err(format!("{}: {problem}", found.file.display()));
        }
        let mut lines = (self.open)(found)?;
        Ok(self.session(&mut lines, found))
    }

    /// Reads a record from the given lines.
    pub fn session(&self, lines: &mut Lines, found: &Found) -> Session {
        let mut builder = Builder::new(self.agent, found.file.clone());
        builder.session.parent.clone_from(&found.head.parent);
        builder.session.cwd.clone_from(&found.head.cwd);
        (self.read)(lines, &mut builder);
        let mut session = builder.finish(lines);
        if let Some(version) = session.version.as_deref().filter(|version| !is_at_least(self.checked, version)) {
            let newest = self.checked;
            session.problems.push(format!("written by {version}; records are known up to {newest}"));
        }
        session
    }
}

/// Compares versions number by number.
fn is_at_least(version: &str, least: &str) -> bool {
    let numbers =
        |version: &str| -> Vec<u64> { version.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect() };
    numbers(version) >= numbers(least)
}
