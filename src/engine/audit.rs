//! Audits sessions: finds the records of a project, reads them, and compares their content with what would be sent now.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::answer::{Fate, Message, MessageKind, Resolution, Role, Source, Standpoint, Tool, Trigger, Unit};
use crate::harness::Choice;
use crate::records::audit::{Audit, Cut, Standing, audit, listed as head_only};
pub use crate::records::audit::{Audits, Texts};
pub use crate::records::client;
use crate::records::place::{self, Found, Homes};
use crate::records::session::{FILE_AGAIN, IN_SYSTEM_PROMPT, Place};
use crate::records::{CLIENTS, Client, Given, Head, How, Kind, Purpose, Session};
use crate::request::{Defaults, OneOrMany, Places, Request};
use crate::snapshot::{Ask as Fact, absolute};
use crate::text::grouped;

/// Maximum size of all records that a list reads, in bytes. Of further sessions only the heads are read.
pub const LIST_BYTES: u64 = 64 * 1024 * 1024;

/// A session counts as running if its record was written within this time.
pub const RUNNING: jiff::SignedDuration = jiff::SignedDuration::from_mins(5);

/// Resolves a question with the current files.
pub type Ask<'a> = &'a dyn Fn(&Choice, &Standpoint) -> Arc<Resolution>;

/// Filter for sessions.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only sessions started in or below this directory.
    pub project: Option<PathBuf>,
    /// Only sessions whose record was written since this time.
    pub since: Option<jiff::Timestamp>,
    /// Only sessions of these agents; empty means all.
    pub agents: Vec<String>,
}

/// A session whose head was read.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Location of the record.
    pub found: Found,
    /// Head of the record.
    pub head: Head,
}

impl Listed {
    /// Returns the client that wrote the record.
    pub fn client(&self) -> &'static Client {
        client(self.found.agent).expect("a record is found by its client")
    }

    /// Returns true if the session is still running.
    fn is_running(&self) -> bool {
        self.found.written.is_some_and(|written| jiff::Timestamp::now().duration_since(written) < RUNNING)
    }

    /// Returns an audit from the head alone.
    fn audit(&self) -> Audit {
        Audit { running: self.is_running(), ..head_only(&self.found, &self.head) }
    }
}

/// Returns the directories in which the user's clients keep their records.
pub fn homes(defaults: &Defaults) -> Homes {
    Homes { home: defaults.home.clone(), env: (*defaults.env).clone() }
}

/// Finds the sessions that match the filter, latest first.
pub fn sessions(homes: &Homes, wanted: &Wanted) -> Vec<Listed> {
    let is_meant =
        |client: &&Client| wanted.agents.is_empty() || wanted.agents.iter().any(|agent| agent == client.agent);
    let mut found: Vec<Found> =
        CLIENTS.iter().filter(is_meant).flat_map(|client| client.find(homes, wanted.project.as_deref())).collect();
    found.retain(|found| wanted.since.is_none_or(|since| found.written.is_some_and(|written| written >= since)));
    found.sort_by(|a, b| b.written.cmp(&a.written).then_with(|| a.file.cmp(&b.file)));
    let listed = found.into_iter().map(|found| {
        let head = client(found.agent).expect("a record is found by its client").head(&found);
        let problem = found.problem.or_else(|| head.problem.map(str::to_owned));
        Listed { found: Found { problem, ..found }, head }
    });
    let is_here = |listed: &Listed| match (&wanted.project, &listed.head.cwd) {
        // A record may contain a path such as `/r/../elsewhere`.
        (Some(project), Some(cwd)) => absolute(Path::new("/"), cwd).starts_with(project),
        (Some(_), None) => false,
        // A file without a start is not a session: clients keep titles and summaries in separate files.
        (None, cwd) => cwd.is_some(),
    };
    let is_here = |listed: &Listed| listed.found.problem.is_some() || is_here(listed);
    listed.filter(|listed| !listed.head.is_silent).filter(is_here).collect()
}

/// Reads a session and audits it.
///
/// # Errors
/// If the record cannot be opened. The error is a message for people.
pub fn audited(listed: &Listed, defaults: &Defaults, texts: Texts, ask: Ask) -> Result<(Session, Audit), String> {
    let mut session = listed.client().read(&listed.found)?;
    let now = Now::of(&session, defaults, ask);
    if let Some(now) = &now {
        reconstruct(&mut session, now);
    }
    let standing = |place: Place| now.as_ref().map(|now| now.standing(&session, place)).unwrap_or_default();
    let audit = Audit { running: listed.is_running(), ..audit(&session, texts, &standing) };
    Ok((session, audit))
}

/// Audits a list of sessions. Of sessions beyond the limit [`LIST_BYTES`], only the heads are read.
pub fn list(sessions: &[Listed], defaults: &Defaults, ask: Ask) -> Vec<Audit> {
    let mut left = LIST_BYTES;
    let audits = sessions.iter().map(|one| {
        let fits = left.checked_sub(one.found.bytes);
        left = fits.unwrap_or(left);
        let read = fits.map(|_| audited(one, defaults, Texts::Hidden, ask));
        match read {
            Some(Ok((_, audit))) => audit,
            Some(Err(problem)) => Audit { problems: vec![problem], ..one.audit() },
            None => one.audit(),
        }
    });
    audits.collect()
}

/// Finds the places at which a text was sent, regardless of wrapping and letter case.
pub fn places_of(session: &Session, text: &str) -> Vec<Place> {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let wanted = flat(text);
    let holds = |text: Option<&str>| text.is_some_and(|text| flat(text).contains(&wanted));
    let said = session.everything().filter(|(_, given)| holds(given.text.as_deref()) || holds(given.sent.as_deref()));
    // A block of several files is the sent form of each of them.
    let exact = |given: &Given| given.text.is_none() || holds(given.text.as_deref());
    said.filter(|(_, given)| exact(given)).map(|(place, _)| place).collect()
}

/// Reduces an audit to the items at the given places, and the steps at which they left the context.
pub fn only(session: &Session, mut audit: Audit, places: &[Place]) -> Audit {
    for (number, step) in audit.steps.iter_mut().enumerate() {
        let mut given = (0..).map(|at| places.contains(&(number, at)));
        step.given.retain(|_| given.next() == Some(true));
        let mut gone = session.steps[number].gone.iter().map(|place| places.contains(place));
        step.gone.retain(|_| gone.next() == Some(true));
    }
    audit
}

/// Cached answers, by the parts of the standpoint that change between steps: directory, reached file and tool.
type Answers = HashMap<(PathBuf, Option<PathBuf>, Tool), Arc<Resolution>>;

/// Answers for a recorded session with the current files.
pub struct Now<'a> {
    client: &'static Client,
    choice: Choice,
    start: Standpoint,
    ask: Ask<'a>,
    answers: RefCell<Answers>,
}

impl<'a> Now<'a> {
    /// Creates the questions from the session's start. Returns `None` if its directory is not recorded, or its version
    /// is older than all known rules.
    pub fn of(session: &Session, defaults: &Defaults, ask: Ask<'a>) -> Option<Now<'a>> {
        // The record of a sub-agent lacks facts that decide which instructions it gets.
        if session.parent.is_some() {
            return None;
        }
        let cwd = session.cwd.clone()?;
        let version = session.version.iter().map(|version| format!("@{version}"));
        let spec = [session.agent.to_owned()].into_iter().chain(version).collect();
        let request = Request { harness: Some(OneOrMany::One(spec)), ..Request::default() };
        let places = Places { cwd, target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        let (choice, start) = request.questions(defaults, &places).ok()?.into_iter().next()?;
        let client = client(session.agent)?;
        Some(Now { client, choice, start, ask, answers: RefCell::default() })
    }

    /// Returns what would be sent now at a step.
    pub fn at(&self, session: &Session, step: usize) -> Arc<Resolution> {
        let tool = if session.steps[step].kind == Kind::Edit { Tool::Edit } else { Tool::Read };
        self.at_tool(session, step, tool)
    }

    fn at_tool(&self, session: &Session, step: usize, tool: Tool) -> Arc<Resolution> {
        let step = &session.steps[step];
        let target = match step.kind {
            Kind::Read | Kind::Edit => step.name.as_ref().map(PathBuf::from),
            _ => None,
        };
        let moved = step.name.as_deref().filter(|_| step.kind == Kind::Resume).map(PathBuf::from);
        let cwd = moved.unwrap_or_else(|| self.start.cwd.clone());
        let key = (cwd.clone(), target.clone(), tool);
        if let Some(answer) = self.answers.borrow().get(&key) {
            return answer.clone();
        }
        let answer = (self.ask)(&self.choice, &Standpoint { cwd, target, tool, ..self.start.clone() });
        self.answers.borrow_mut().insert(key, answer.clone());
        answer
    }

    /// Compares a recorded text with what would be sent now.
    pub fn standing(&self, session: &Session, place: Place) -> Standing {
        let given = session.given(place);
        let is_comparable = given.purpose == Purpose::Instructions && given.text.is_some() && given.name != FILE_AGAIN;
        if !is_comparable {
            return Standing::default();
        }
        let answer = self.at(session, place.0);
        if answer.answer.refusal.is_some() {
            return Standing::default();
        }
        let is_sent = self.is_sent(&answer, given, |_| true);
        let same = is_sent.then_some(true).or_else(|| {
            let begun = session.steps[place.0].when.or(session.start)?;
            match &given.path {
                Some(path) => match place::changed(path) {
                    None => Some(false),
                    Some(changed) if changed < begun => Some(true),
                    // The file may not be loaded any more, or only its trigger may be missing from this question; so
                    // compare the text.
                    Some(_) => {
                        self.text(session, place).map(|now| given.text.as_deref().map(str::trim) == Some(now.trim()))
                    }
                },
                None => (self.changes(&answer, begun).next().is_some() || is_moved(&answer, begun)).then_some(false),
            }
        });
        Standing { same, cut: self.cut(&answer, given, is_sent) }
    }

    /// Returns the limit that cut a text. If the text differs from what would be sent now, the limit is a guess: one
    /// that the text reaches.
    fn cut(&self, answer: &Resolution, given: &Given, is_sent: bool) -> Option<Cut> {
        // A text without a path is the message that holds its files.
        let is_whole = |message: usize| {
            let whole = answer.answer.messages.get(message).map(|message| &*message.text);
            whole.is_some() && (whole == given.text.as_deref() || whole == given.sent.as_deref())
        };
        let is_it = |source: &&Source| match &given.path {
            Some(path) => source.path() == Some(path),
            None => !is_sent || source.message.is_some_and(is_whole),
        };
        let mut sources = answer.answer.sources.iter().filter(is_it);
        if is_sent {
            let limit = sources.find(|source| source.fate == Fate::Truncated)?.limit.as_ref()?;
            return Some(Cut { limit: limit_words(limit.value, limit.unit), is_certain: true });
        }
        let limit = sources.filter_map(|source| source.limit.as_ref()).find(|limit| limit.unit == Unit::Bytes);
        let limit = limit.map(|limit| limit.value).or(self.client.cuts_at.filter(|_| given.path.is_none()))?;
        (given.size.bytes >= limit).then(|| Cut { limit: limit_words(limit, Unit::Bytes), is_certain: false })
    }

    /// Returns what would be sent now of a file, or instead of a text without a path.
    pub fn text(&self, session: &Session, place: Place) -> Option<String> {
        let answer = self.at(session, place.0);
        match &session.given(place).path {
            Some(path) => {
                // An edit may create the file or not, and some rules apply only to certain tools.
                let others = [Tool::Read, Tool::Write].into_iter().map(|tool| self.at_tool(session, place.0, tool));
                let mut answers = [answer].into_iter().chain(others);
                answers.find_map(|answer| self.text_of(&answer, path, |_| true))
            }
            None => {
                let mut messages = answer.answer.messages.iter();
                messages
                    .find(|message| message.kind == MessageKind::Instructions)
                    .map(|message| message.text.to_string())
            }
        }
    }

    /// Returns the text of a file in an answer, or `None` if it does not reach the model or cannot be separated from
    /// the client's own words.
    fn text_of(&self, answer: &Resolution, path: &Path, is_moment: impl Fn(Trigger) -> bool) -> Option<String> {
        let mut reached = answer
            .answer
            .sources
            .iter()
            .filter(|source| source.fate.reaches() && source.path() == Some(path) && is_moment(source.trigger));
        reached.find_map(|source| {
            let message = answer.answer.messages.get(source.message?)?;
            let at = &answer.standpoint;
            let mut blocks = message.parts.iter().chain([&message.text]);
            let text = blocks.find_map(|block| self.client.text_of(block, path, &at.cwd, &at.home))?;
            // The client's own words may follow the last file.
            let sent = source.reaches().and_then(|(bytes, _)| text.get(..bytes));
            Some(sent.unwrap_or(text).to_owned())
        })
    }

    /// Returns the texts of a message, each with its file if they can be separated.
    fn texts(&self, answer: &Resolution, number: usize, message: &Message) -> Vec<Given> {
        let reached = answer.answer.sources.iter();
        let reached = reached.filter(|source| source.message == Some(number) && source.fate.reaches());
        let paths: Vec<&Path> = reached.filter_map(Source::path).collect();
        let given = |path: Option<&Path>, text: &str| {
            let path = path.map(Path::to_owned);
            let given = Given::recorded(Purpose::Instructions, "instruction files", path, text.into());
            Given { how: How::Reconstructed, ..given }
        };
        let parts: Option<Vec<Given>> =
            paths.iter().map(|path| Some(given(Some(path), &self.text_of(answer, path, |_| true)?))).collect();
        match (parts, &paths[..]) {
            (Some(parts), [_, ..]) => parts,
            (_, [path]) => vec![given(Some(path), &message.text)],
            _ => vec![given(None, &message.text)],
        }
    }

    /// Returns true if a text would be sent now, complete and with no other text of its file, with one of the triggers
    /// that `is_moment` accepts.
    pub fn is_sent(&self, answer: &Resolution, given: &Given, is_moment: impl Fn(Trigger) -> bool) -> bool {
        let Some(text) = given.text.as_deref() else { return false };
        let is_in = |message: &Message| {
            let whole = &*message.text;
            given.sent.as_deref() == Some(whole)
                || match &given.path {
                    Some(_) => message.parts.iter().any(|part| **part == *text),
                    None => whole == text,
                }
        };
        let mut messages = answer.answer.messages.iter().filter(|message| is_moment(message.trigger));
        let of_file = || self.text_of(answer, given.path.as_ref()?, &is_moment);
        messages.any(is_in) || of_file().is_some_and(|now| now.trim() == text.trim())
    }

    /// Returns the files behind an answer that changed since a time.
    pub fn changes(&self, answer: &Resolution, since: jiff::Timestamp) -> impl Iterator<Item = PathBuf> {
        let files = answer.answer.sources.iter().filter_map(|source| source.path()).map(Path::to_owned);
        files.filter(move |file| place::changed(file).is_some_and(|changed| changed > since))
    }
}

/// Returns true if a file that is missing now may have existed at `since` and changed the answer: the directory in
/// which it was looked for has changed since.
pub fn is_moved(answer: &Resolution, since: jiff::Timestamp) -> bool {
    // Clients write into their settings and data directories all the time, so only paths that may be texts count.
    let is_text =
        |path: &Path| path.extension().is_some_and(|end| ["md", "mdc", "txt"].iter().any(|known| end == *known));
    let directory = |fact: &Fact| match fact {
        Fact::Kind(path) | Fact::LinkKind(path) | Fact::Real(path) | Fact::Target(path) | Fact::Content(path) => {
            path.parent().filter(|_| is_text(path) && place::changed(path).is_none()).map(Path::to_owned)
        }
        Fact::Listing(path) | Fact::Glob { base: path, .. } => Some(path.clone()),
        Fact::Git(_) | Fact::Rows { .. } | Fact::Remote(_) => None,
    };
    let directories: BTreeSet<PathBuf> = answer.depends().filter_map(directory).collect();
    let changed = |dir: &PathBuf| dir.ancestors().find_map(place::changed);
    directories.iter().any(|dir| changed(dir).is_some_and(|changed| changed > since))
}

fn limit_words(value: usize, unit: Unit) -> String {
    format!("{} {}", grouped(value), self::unit(unit))
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "B",
        _ => crate::report::words::unit(unit),
    }
}

/// Fills in texts that a record lacks with what would be sent now, if none of the files involved changed since.
fn reconstruct(session: &mut Session, now: &Now) {
    for step in 0..session.steps.len() {
        let given = &session.steps[step].given;
        let is_unknown = |given: &Given| given.purpose == Purpose::Instructions && given.how == How::Unknown;
        let Some(at) = given.iter().position(is_unknown) else { continue };
        let (path, name) = (given[at].path.clone(), given[at].name.clone());
        let answer = now.at(session, step);
        let begun = session.start.unwrap_or(jiff::Timestamp::MIN);
        let is_other = now.changes(&answer, begun).next().is_some() || is_moved(&answer, begun);
        if answer.answer.refusal.is_some() || is_other {
            continue;
        }
        let is_at_start = step == 0;
        let messages = answer.answer.messages.iter().enumerate().filter(|(_, message)| {
            message.kind == MessageKind::Instructions
                && (message.trigger == Trigger::Session) == is_at_start
                && (!name.ends_with(IN_SYSTEM_PROMPT) || message.role == Role::System)
        });
        let files: Vec<Given> = messages
            .flat_map(|(number, message)| now.texts(&answer, number, message))
            .filter(|given| path.is_none() || given.path == path)
            .collect();
        if files.is_empty() {
            continue;
        }
        session.put(step, at, files);
    }
}
