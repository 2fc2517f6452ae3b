//! Audits sessions: finds the records of a project, reads them, and compares what they hold with what would be sent now.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::answer::{Fate, Message, MessageKind, Resolution, Source, Standpoint, Tool, Trigger, Unit};
use crate::harness::Choice;
use crate::records::audit::{Audit, Standing, Texts, audit, listed};
use crate::records::place::{self, Found, Homes};
use crate::records::session::Place;
use crate::records::{CLIENTS, Client, Given, Head, How, Kind, Purpose, Session, client};
use crate::request::{Defaults, OneOrMany, Places, Request};
use crate::text::grouped;

/// A list reads so many bytes of records; of further sessions only the heads are read.
pub const LIST_BYTES: u64 = 64 * 1024 * 1024;

/// Answers a question about the files as they are.
pub type Ask<'a> = &'a dyn Fn(&Choice, &Standpoint) -> Arc<Resolution>;

/// Which sessions are meant.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only those that were started in or below it.
    pub project: Option<PathBuf>,
    /// Only those whose record was written to since.
    pub since: Option<jiff::Timestamp>,
    /// Only those of these agents.
    pub agents: Vec<String>,
}

/// A session of which the head was read.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The record.
    pub found: Found,
    /// Its head.
    pub head: Head,
}

impl Listed {
    /// Returns the client that wrote the record.
    pub fn client(&self) -> &'static Client {
        client(self.found.agent).expect("a record is found by its client")
    }
}

/// Returns where the clients of a user keep their records.
pub fn homes(defaults: &Defaults) -> Homes {
    Homes { home: defaults.home.clone(), env: (*defaults.env).clone() }
}

/// Finds the sessions that are meant, the latest first.
pub fn sessions(homes: &Homes, wanted: &Wanted) -> Vec<Listed> {
    let is_meant =
        |client: &&Client| wanted.agents.is_empty() || wanted.agents.iter().any(|agent| agent == client.agent);
    let mut found: Vec<Found> =
        CLIENTS.iter().filter(is_meant).flat_map(|client| client.find(homes, wanted.project.as_deref())).collect();
    found.retain(|found| wanted.since.is_none_or(|since| found.written.is_some_and(|written| written >= since)));
    found.sort_by(|a, b| b.written.cmp(&a.written).then_with(|| a.file.cmp(&b.file)));
    let listed = found.into_iter().map(|found| {
        let head = client(found.agent).expect("a record is found by its client").head(&found);
        Listed { found, head }
    });
    let is_here = |listed: &Listed| match (&wanted.project, &listed.head.cwd) {
        (Some(project), Some(cwd)) => cwd.starts_with(project),
        (Some(_), None) => false,
        // A file without a start is no session: titles and summaries have files of their own.
        (None, cwd) => cwd.is_some(),
    };
    listed.filter(is_here).collect()
}

/// Reads a session and audits it.
///
/// # Errors
/// If the record cannot be opened; in words.
pub fn audited(listed: &Listed, defaults: &Defaults, texts: Texts, ask: Ask) -> Result<(Session, Audit), String> {
    let mut session = listed.client().read(&listed.found)?;
    let now = Now::of(&session, defaults, ask);
    if let Some(now) = &now {
        reconstruct(&mut session, now);
    }
    let standing = |place: Place| now.as_ref().map(|now| now.standing(&session, place)).unwrap_or_default();
    let audit = audit(&session, texts, &standing);
    Ok((session, audit))
}

/// Audits a list of sessions; those beyond a number of bytes are listed only.
pub fn list(sessions: &[Listed], defaults: &Defaults, ask: Ask) -> Vec<Audit> {
    let mut bytes = 0;
    let audits = sessions.iter().map(|one| {
        bytes += one.found.bytes;
        let read = (bytes <= LIST_BYTES).then(|| audited(one, defaults, Texts::Hidden, ask));
        match read {
            Some(Ok((_, audit))) => audit,
            Some(Err(problem)) => Audit { problems: vec![problem], ..listed(&one.found, &one.head) },
            None => listed(&one.found, &one.head),
        }
    });
    audits.collect()
}

type Answers = HashMap<(Option<PathBuf>, Tool), Arc<Resolution>>;

/// What would be sent now in the place of a session.
pub struct Now<'a> {
    choice: Choice,
    start: Standpoint,
    ask: Ask<'a>,
    /// Answers, by the file that is reached and the tool.
    answers: RefCell<Answers>,
}

impl<'a> Now<'a> {
    /// Asks from where a session was started; `None` if that is not known, or the version is older than all that are known.
    pub fn of(session: &Session, defaults: &Defaults, ask: Ask<'a>) -> Option<Now<'a>> {
        // Of a sub-agent the record does not say everything that decides what it is told.
        if session.parent.is_some() {
            return None;
        }
        let (cwd, version) = (session.cwd.clone()?, session.version.as_deref()?);
        let spec = format!("{}@{version}", session.agent);
        let request = Request { harness: Some(OneOrMany::One(spec)), ..Request::default() };
        let places = Places { cwd, target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        let (choice, start) = request.questions(defaults, &places).ok()?.into_iter().next()?;
        Some(Now { choice, start, ask, answers: RefCell::default() })
    }

    /// Returns what would be sent now at a step.
    pub fn at(&self, session: &Session, step: usize) -> Arc<Resolution> {
        let step = &session.steps[step];
        let target = match step.kind {
            Kind::Read | Kind::Edit => step.name.as_ref().map(PathBuf::from),
            _ => None,
        };
        let tool = if step.kind == Kind::Edit { Tool::Edit } else { Tool::Read };
        let key = (target.clone(), tool);
        if let Some(answer) = self.answers.borrow().get(&key) {
            return answer.clone();
        }
        let answer = (self.ask)(&self.choice, &Standpoint { target, tool, ..self.start.clone() });
        self.answers.borrow_mut().insert(key, answer.clone());
        answer
    }

    /// Compares a text with what would be sent now.
    pub fn standing(&self, session: &Session, place: Place) -> Standing {
        let given = session.given(place);
        let is_comparable =
            given.purpose == Purpose::Instructions && given.text.is_some() && given.name != "file, read again";
        if !is_comparable {
            return Standing::default();
        }
        let answer = self.at(session, place.0);
        if answer.answer.refusal.is_some() {
            return Standing::default();
        }
        let is_it = |source: &&Source| given.path.as_deref().is_none_or(|path| source.path() == Some(path));
        let is_sent = answer.answer.messages.iter().any(|message| is_sent(message, given));
        let same = is_sent.then_some(true).or_else(|| {
            let begun = session.steps[place.0].when.or(session.start)?;
            match &given.path {
                Some(path) => match place::changed(path) {
                    None => Some(false),
                    Some(changed) if changed < begun => Some(true),
                    // Without its trigger a file may be loaded no more, or only not be asked about.
                    Some(_) => answer
                        .answer
                        .sources
                        .iter()
                        .any(|source| source.fate.reaches() && is_it(&source))
                        .then_some(false),
                },
                None => self.changed_since(&answer, session).map(|_| false),
            }
        });
        let cut = answer.answer.sources.iter().filter(|source| source.fate == Fate::Truncated).find(is_it);
        let cut = cut.filter(|_| is_sent).and_then(|source| source.limit.as_ref());
        Standing { same, cut: cut.map(|limit| format!("{} {}", grouped(limit.value), unit(limit.unit))) }
    }

    /// Returns what would be sent now of a file, or in the place of a text that names none.
    pub fn text(&self, session: &Session, place: Place) -> Option<String> {
        let answer = self.at(session, place.0);
        let given = session.given(place);
        let mut messages = answer.answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
        match &given.path {
            Some(path) => messages.find_map(|message| segment(&message.text.to_string(), path).map(str::to_owned)),
            None => messages.next().map(|message| message.text.to_string()),
        }
    }

    /// Returns the first file that changed since the session began, of those that an answer rests on.
    pub fn changed_since(&self, answer: &Resolution, session: &Session) -> Option<PathBuf> {
        let start = session.start?;
        let files = answer.answer.sources.iter().filter_map(|source| source.path());
        files.map(Path::to_owned).find(|file| place::changed(file).is_some_and(|changed| changed > start))
    }
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "B",
        _ => crate::report::words::unit(unit),
    }
}

/// Returns true if a message that would be sent now holds a text, whole and with nothing more of its file.
fn is_sent(message: &Message, given: &Given) -> bool {
    let now = message.text.to_string();
    if given.sent.as_deref().is_some_and(|sent| sent == now) {
        return true;
    }
    let Some(text) = given.text.as_deref() else { return false };
    match &given.path {
        Some(path) => message.parts.iter().any(|part| *part == *text) || is_whole(&now, path, text.trim()),
        None => now == text,
    }
}

/// Returns true if a block of files has exactly that text under a path. What stands behind it must be the end or another file.
fn is_whole(block: &str, path: &Path, text: &str) -> bool {
    let head = format!("Contents of {}", path.display());
    block.match_indices(&head).any(|(at, _)| {
        let Some(behind) = body(&block[at + head.len()..]) else { return false };
        let rest = behind.trim_start().strip_prefix(text).map(str::trim_start);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with("Contents of ") || rest.starts_with("</system-reminder>")
        })
    })
}

/// Returns what follows a head such as `Contents of /p/CLAUDE.md (project instructions):`.
fn body(behind_path: &str) -> Option<&str> {
    let (head, body) = behind_path.split_once("\n\n")?;
    (head.ends_with(':') && (head == ":" || head.starts_with(" ("))).then_some(body)
}

/// Returns the text under a path in a block of files.
fn segment<'a>(block: &'a str, path: &Path) -> Option<&'a str> {
    let head = format!("Contents of {}", path.display());
    let body = block.match_indices(&head).find_map(|(at, _)| body(&block[at + head.len()..]))?;
    let end = body.find("\n\nContents of ").or_else(|| body.rfind("\n</system-reminder>")).unwrap_or(body.len());
    Some(&body[..end])
}

/// Puts what would be sent now in the place of what a record does not hold, if none of its files changed since.
fn reconstruct(session: &mut Session, now: &Now) {
    let Some(at) = session.steps.first().and_then(|step| {
        step.given.iter().position(|given| given.purpose == Purpose::Instructions && given.how == How::Unknown)
    }) else {
        return;
    };
    let answer = now.at(session, 0);
    if answer.answer.refusal.is_some() || now.changed_since(&answer, session).is_some() {
        return;
    }
    let at_start =
        |source: &&Source| source.trigger == Trigger::Session && source.fate.reaches() && source.path().is_some();
    let messages = &answer.answer.messages;
    let files: Vec<Given> = answer
        .answer
        .sources
        .iter()
        .filter(at_start)
        .filter_map(|source| {
            let message = messages.get(source.message?)?.text.to_string();
            let path = source.path()?;
            let text = segment(&message, path).map_or_else(|| message.clone(), str::to_owned);
            let given = Given::recorded(Purpose::Instructions, "instruction file", Some(path.to_owned()), text.into());
            Some(Given { how: How::Reconstructed, ..given })
        })
        .collect();
    if files.is_empty() {
        return;
    }
    let given = &mut session.steps[0].given;
    // It is the last: nothing behind it has a place that would move.
    if at + 1 == given.len() {
        given.truncate(at);
        given.extend(files);
    }
}

/// What the records say beside what Briefing says.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Verified {
    /// The agent.
    pub agent: String,
    /// The version.
    pub version: String,
    /// Steps that were compared.
    pub asked: usize,
    /// Of them, those that are equal.
    pub equal: usize,
    /// Of them, those that differ.
    pub different: usize,
    /// Steps of which the record or the disk does not hold enough.
    pub incomparable: usize,
    /// The differences.
    pub differences: Vec<Difference>,
}

/// A step at which a record differs from what Briefing says.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Difference {
    /// The session.
    pub session: String,
    /// The step, in words.
    pub step: String,
    /// Files that reached the model and that Briefing does not name, or names with another text.
    pub recorded: Vec<String>,
    /// Files that Briefing says reach the model, and that the record does not hold.
    pub expected: Vec<String>,
}

/// Compares what a record says was sent with what Briefing says, step by step.
pub fn verify(session: &Session, defaults: &Defaults, ask: Ask, out: &mut Verified) {
    let Some(now) = Now::of(session, defaults, ask) else {
        out.incomparable += 1;
        return;
    };
    let mut came: Vec<PathBuf> = Vec::new();
    for (number, step) in session.steps.iter().enumerate() {
        let is_start = number == 0;
        if !is_start && step.kind != Kind::Read {
            // An edit or a compaction changes what comes later in ways that differ from version to version.
            continue;
        }
        let given: Vec<&Given> = step.given.iter().filter(|given| given.purpose == Purpose::Instructions).collect();
        let answer = now.at(session, number);
        let is_known = given.iter().all(|given| given.how == How::Recorded && given.text.is_some());
        let trigger = |message: &Message| (message.trigger == Trigger::Session) == is_start;
        let expected: Vec<&Source> = answer
            .answer
            .sources
            .iter()
            .filter(|source| source.fate.reaches() && (source.trigger == Trigger::Session) == is_start)
            .filter(|source| matches!(source.purpose, crate::answer::Purpose::Instructions))
            .filter(|source| source.path().is_some_and(|path| !came.iter().any(|came| came == path)))
            .collect();
        let is_gone =
            given.iter().any(|given| given.path.as_deref().is_some_and(|path| place::changed(path).is_none()));
        if !is_known || is_gone || answer.answer.refusal.is_some() || now.changed_since(&answer, session).is_some() {
            out.incomparable += 1;
            continue;
        }
        if !is_start && given.is_empty() && expected.is_empty() {
            continue;
        }
        out.asked += 1;
        let messages: Vec<&Message> = answer
            .answer
            .messages
            .iter()
            .filter(|message| trigger(message) && message.kind == MessageKind::Instructions)
            .collect();
        let recorded: Vec<String> = given
            .iter()
            .filter(|given| !messages.iter().any(|message| is_sent(message, given)))
            .map(|given| given.label())
            .collect();
        let has = |source: &&&Source| {
            given.iter().any(|given| given.path.is_none() || given.path.as_deref() == source.path())
        };
        let missing: Vec<String> = expected
            .iter()
            .filter(|source| !has(source))
            .filter_map(|source| Some(source.path()?.display().to_string()))
            .collect();
        came.extend(given.iter().filter_map(|given| given.path.clone()));
        if recorded.is_empty() && missing.is_empty() {
            out.equal += 1;
            continue;
        }
        out.different += 1;
        let step = format!("{} {}", step.kind.word(), step.name.as_deref().unwrap_or_default()).trim_end().to_owned();
        out.differences.push(Difference { session: session.id.clone(), step, recorded, expected: missing });
    }
}
