//! Says what a session was told: its timeline as plain data, and in words what is wrong with it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Head;
use super::place::Found;
use super::session::{Given, How, Kind, Place, Purpose, Session};
use crate::text::{Size, grouped, list};

/// Several sessions, as they are on the wire.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Audits {
    /// The sessions, the latest first.
    pub sessions: Vec<Audit>,
}

/// A session, as it is on the wire.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// The client's name for it.
    pub id: String,
    /// The agent.
    pub agent: String,
    /// The version that wrote the record.
    pub version: Option<String>,
    /// The directory in which the client was started.
    pub cwd: Option<PathBuf>,
    /// When it began.
    #[schemars(with = "Option<String>")]
    pub start: Option<Timestamp>,
    /// When the record was last written to.
    #[schemars(with = "Option<String>")]
    pub end: Option<Timestamp>,
    /// The session that started this one, if it is a sub-agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The record.
    pub record: PathBuf,
    /// Whether the session goes on: its record was written to in the last minutes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub running: bool,
    /// Whether the record was read whole; of one that is listed only, steps and verdicts are not known.
    pub read: bool,
    /// Whether the record holds the requests themselves.
    pub wire: bool,
    /// The tokens of the last request, as the client counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The steps.
    pub steps: Vec<Stage>,
    /// What is wrong, in words.
    pub verdicts: Vec<Verdict>,
    /// Kinds of lines that are not known, with how many there are.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub unknown: std::collections::BTreeMap<String, usize>,
    /// What could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// What it holds beside what it would be told now, where that was asked for; empty if that is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<Change>>,
}

/// A text that a session holds, and that is not known to be what it would be told now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AuditChange")]
pub struct Change {
    /// The file, if the record says so.
    pub path: Option<PathBuf>,
    /// What it is.
    pub name: String,
    /// What would be sent now: `other`, `none`, `beside` where the session holds the text of now as well, `new` where
    /// the session does not hold the file, or `unknown`.
    pub now: Fate,
    /// Why it is not known, if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The lines that differ, each behind `-` or `+`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

/// What became of a text since a session was given it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "AuditFate")]
pub enum Fate {
    /// Another text is sent now.
    Other,
    /// It is not sent any more.
    None,
    /// Another text is sent now, and the session was given that as well.
    Beside,
    /// The session was never given it.
    New,
    /// The record does not hold the text, or it is not known what would be sent.
    Unknown,
}

/// A step, as it is on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AuditStep")]
pub struct Stage {
    /// When.
    #[schemars(with = "Option<String>")]
    pub when: Option<Timestamp>,
    /// Its kind.
    pub kind: String,
    /// The file, skill, tool or agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What reached the model.
    pub given: Vec<Item>,
    /// What is not in context any more.
    pub gone: Vec<Item>,
}

/// A text that reached the model, as it is on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AuditText")]
pub struct Item {
    /// The file, if the record says so.
    pub path: Option<PathBuf>,
    /// What it is.
    pub name: String,
    /// What it is for.
    pub purpose: String,
    /// How much of it is known: recorded, reconstructed or unknown.
    pub how: String,
    /// What became of the file: loaded, truncated or listed, or unknown.
    pub fate: String,
    /// Its size.
    pub size: Measure,
    /// Whether the same would be sent now; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as_disk: Option<bool>,
    /// The text, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A size, as it is on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AuditSize")]
pub struct Measure {
    /// Bytes.
    pub bytes: usize,
    /// UTF-16 code units.
    pub utf16: usize,
    /// Lines.
    pub lines: usize,
}

impl From<Size> for Measure {
    fn from(size: Size) -> Measure {
        Measure { bytes: size.bytes, utf16: size.utf16, lines: size.lines }
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AuditVerdict")]
pub struct Verdict {
    /// Its kind: `cut`, `late`, `compacted`, `outdated`, `unknown` or `unread`.
    pub code: String,
    /// What it is, in words.
    pub message: String,
    /// The file that it is about, if it is about one.
    pub path: Option<PathBuf>,
}

/// What is known of a text beyond the record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Whether the same would be sent now.
    pub same: Option<bool>,
    /// The limit at which the file was cut, or may have been.
    pub cut: Option<Cut>,
}

/// A limit that ended a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The limit, in words.
    pub limit: String,
    /// Whether more of the file is known than was given; else only that the text is as long as the limit.
    pub is_certain: bool,
}

/// How much an audit shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// Sizes and paths only.
    Hidden,
    /// The texts as well.
    Shown,
}

/// Makes the audit of a session that was read. `standing` says what is known beyond the record.
pub fn audit(session: &Session, texts: Texts, standing: &dyn Fn(Place) -> Standing) -> Audit {
    let item = |place: Place, texts: Texts| item(session.given(place), &standing(place), texts);
    let steps = session.steps.iter().enumerate().map(|(number, step)| Stage {
        when: step.when,
        kind: step.kind.word().to_owned(),
        name: step.name.clone(),
        given: (0..step.given.len()).map(|at| item((number, at), texts)).collect(),
        gone: step.gone.iter().map(|&place| item(place, Texts::Hidden)).collect(),
    });
    Audit {
        id: session.id.clone(),
        agent: session.agent.to_owned(),
        version: session.version.clone(),
        cwd: session.cwd.clone(),
        start: session.start,
        end: session.end,
        parent: session.parent.clone(),
        record: session.file.clone(),
        running: false,
        read: true,
        wire: session.wire,
        tokens: session.tokens,
        steps: steps.collect(),
        verdicts: verdicts(session, standing),
        unknown: session.unknown.clone(),
        problems: session.problems.clone(),
        changes: None,
    }
}

/// Makes the audit of a session of which only the head was read.
pub fn listed(found: &Found, head: &Head) -> Audit {
    Audit {
        id: head.id.clone().unwrap_or_default(),
        agent: found.agent.to_owned(),
        version: head.version.clone(),
        cwd: head.cwd.clone(),
        start: head.start,
        end: found.written,
        parent: head.parent.clone(),
        record: found.file.clone(),
        ..Audit::default()
    }
}

fn item(given: &Given, standing: &Standing, texts: Texts) -> Item {
    let fate = match (given.how, given.purpose, &standing.cut) {
        (How::Unknown, ..) => "unknown",
        (_, _, Some(Cut { is_certain: true, .. })) => "truncated",
        (_, _, Some(_)) => "unknown",
        (_, Purpose::Skill | Purpose::Agents | Purpose::Reminder, _) if given.path.is_none() => "listed",
        _ => "loaded",
    };
    Item {
        path: given.path.clone(),
        name: given.name.clone(),
        purpose: given.purpose.word().to_owned(),
        how: given.how.word().to_owned(),
        fate: fate.to_owned(),
        size: given.size.into(),
        same_as_disk: standing.same,
        text: given.text.as_deref().filter(|_| texts == Texts::Shown).map(str::to_owned),
    }
}

fn verdicts(session: &Session, standing: &dyn Fn(Place) -> Standing) -> Vec<Verdict> {
    let mut found = Vec::new();
    let name = |given: &Given| name(session, given);
    let about = |given: &Given| given.path.clone();
    let instructions = || session.everything().filter(|(_, given)| given.purpose == Purpose::Instructions);
    let mut cut = BTreeSet::new();
    for (place, given) in instructions() {
        if let Some(Cut { limit, is_certain }) = standing(place).cut
            && cut.insert(given.label())
        {
            let was = if is_certain { "cut" } else { "may have been cut" };
            found.push(Verdict {
                code: "cut".to_owned(),
                message: format!("{} {was} at {limit}", name(given)),
                path: about(given),
            });
        }
    }
    let late: Vec<&Given> =
        instructions().filter(|(place, _)| !edits_before(session, *place).is_empty()).map(|(_, given)| given).collect();
    if let [given] = late[..] {
        let message = format!("{} came after the first edit it is about", name(given));
        found.push(Verdict { code: "late".to_owned(), message, path: about(given) });
    } else if late.len() > 1 {
        let message = format!("{} rules came after the first edit they are about", late.len());
        found.push(Verdict { code: "late".to_owned(), message, path: about(late[0]) });
    }
    let last = session.steps.len().saturating_sub(1);
    let held = session.held_after(last);
    for (number, step) in session.steps.iter().enumerate().filter(|(_, step)| step.kind == Kind::Compaction) {
        let is_back = |given: &Given| {
            held.iter().any(|&place| place.0 >= number && session.given(place).label() == given.label())
        };
        let lost: BTreeSet<String> = step
            .gone
            .iter()
            .map(|&place| session.given(place))
            .filter(|given| given.purpose == Purpose::Instructions && !is_back(given))
            .map(name)
            .collect();
        let lost: Vec<String> = lost.into_iter().collect();
        let at = step.when.map_or_else(String::new, |when| format!(" at {}", clock(when)));
        let message = match lost.len() {
            0 => format!("compacted{at}"),
            1..=3 => format!("compacted{at}; {} gone since", list(&lost)),
            more => format!("compacted{at}; {more} files gone since"),
        };
        found.push(Verdict { code: "compacted".to_owned(), message, path: None });
    }
    let mut outdated = BTreeSet::new();
    for &place in &held {
        let given = session.given(place);
        // A session that was told of a change has the new text beside the old one.
        let knows =
            |&other: &Place| session.given(other).label() == given.label() && standing(other).same == Some(true);
        if standing(place).same == Some(false) && !held.iter().any(knows) && outdated.insert(given.label()) {
            let an = if given.path.is_some() { "an older" } else { "older" };
            let message = format!("holds {an} {}", name(given));
            found.push(Verdict { code: "outdated".to_owned(), message, path: about(given) });
        }
    }
    for (_, given) in instructions().filter(|(_, given)| given.how == How::Unknown) {
        let message = format!("not in the record: {}", name(given));
        let verdict = Verdict { code: "unknown".to_owned(), message, path: about(given) };
        if !found.contains(&verdict) {
            found.push(verdict);
        }
    }
    let lines: usize = session.unknown.values().sum();
    if lines > 0 {
        let kinds: Vec<&str> = session.unknown.keys().map(String::as_str).take(3).collect();
        let message = match lines {
            1 => format!("1 line of an unknown kind ({})", kinds.join(", ")),
            _ => format!("{} lines of unknown kinds ({})", grouped(lines), kinds.join(", ")),
        };
        found.push(Verdict { code: "unread".to_owned(), message, path: None });
    }
    if session.steps.is_empty() {
        let message = "no request is in the record".to_owned();
        found.push(Verdict { code: "unread".to_owned(), message, path: None });
    }
    let problems = session.problems.iter();
    found.extend(problems.map(|problem| Verdict { code: "unread".to_owned(), message: problem.clone(), path: None }));
    found
}

/// Returns the edits that something given at a place was about and came too late for.
pub fn edits_before(session: &Session, (step, at): Place) -> Vec<usize> {
    let given = session.given((step, at));
    let Some(path) = given.path.as_deref() else { return Vec::new() };
    let reached = &session.steps[step];
    // What came before already did not come late.
    let is_again = session.everything().any(|(place, other)| place.0 < step && other.path.as_deref() == Some(path));
    if is_again || !matches!(reached.kind, Kind::Read | Kind::Edit) {
        return Vec::new();
    }
    let trigger = reached.name.as_deref().map(Path::new);
    // A nested file is about the files around it; of a rule the file that brought it is known to be one.
    let dir = if given.globs.is_empty() { path.parent() } else { None };
    let is_about = |file: &Path| Some(file) == trigger || dir.is_some_and(|dir| file.starts_with(dir) && file != path);
    let edits = session.steps.iter().enumerate().take(step + 1).filter(|(_, step)| step.kind == Kind::Edit);
    let edits = edits.filter(|(_, step)| step.name.as_deref().is_some_and(|file| is_about(Path::new(file))));
    edits.map(|(number, _)| number).collect()
}

/// Returns the path of a file from where the session was started, or in words what has none.
fn name(session: &Session, given: &Given) -> String {
    let Some(path) = given.path.as_deref() else { return given.name.clone() };
    let below = session.cwd.as_deref().and_then(|cwd| path.strip_prefix(cwd).ok());
    below.unwrap_or(path).display().to_string()
}

/// Returns a time of day, in the local time zone.
pub fn clock(when: Timestamp) -> String {
    when.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M").to_string()
}
