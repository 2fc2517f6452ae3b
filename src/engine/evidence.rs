//! Compares recorded sessions with Briefing's answers: each record is the answer of a real client to a question.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::audit::{Ask, Listed, Now, is_moved};
use crate::answer::{self, Certain, Resolution, Source, Trigger};
use crate::records::place;
use crate::records::session::{AT_ANY_TIME, Place};
use crate::records::{Given, How, Kind, Purpose, Session};
use crate::request::Defaults;

/// Result of comparing the records of one version.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Evidence {
    /// Id of the agent.
    pub agent: String,
    /// Version that wrote the records.
    pub version: String,
    /// Number of steps that were compared.
    pub asked: usize,
    /// Number of compared steps that are equal.
    pub equal: usize,
    /// Number of compared steps that differ.
    pub different: usize,
    /// Number of steps that cannot be compared, because the record is incomplete or files changed since.
    pub incomparable: usize,
    /// Number of incomparable steps by reason.
    pub reasons: BTreeMap<&'static str, usize>,
    /// Start times of the first and the last session with an equal step.
    pub sessions: Option<(jiff::Timestamp, jiff::Timestamp)>,
    /// Differences found.
    pub differences: Vec<Difference>,
}

impl Evidence {
    /// Counts a step that cannot be compared.
    fn leave_out(&mut self, why: &'static str) {
        self.incomparable += 1;
        *self.reasons.entry(why).or_default() += 1;
    }
}

/// A step whose record differs from Briefing's answer.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// Name of the session.
    pub session: String,
    /// Description of the step.
    pub step: String,
    /// Texts that reached the model and are not in Briefing's answer.
    pub recorded: Vec<String>,
    /// Files that Briefing's answer sends and the record does not contain.
    pub expected: Vec<String>,
    /// Briefing's answer.
    #[serde(skip)]
    pub answer: Arc<Resolution>,
    /// Texts that reached the model.
    #[serde(skip)]
    pub texts: Vec<Arc<str>>,
}

/// Compares sessions and groups the results by agent and version. Records that cannot be opened are skipped.
pub fn evidence(sessions: &[Listed], defaults: &Defaults, ask: Ask) -> Vec<Evidence> {
    let mut all: BTreeMap<(&str, Option<String>), Evidence> = BTreeMap::new();
    for listed in sessions {
        let Ok(session) = listed.client().read(&listed.found) else { continue };
        let of_version = all.entry((session.agent, session.version.clone())).or_insert_with(|| Evidence {
            agent: session.agent.to_owned(),
            version: session.version.clone().unwrap_or_default(),
            ..Evidence::default()
        });
        compare(&session, defaults, ask, of_version);
    }
    all.into_values().collect()
}

/// Compares the start and the reads of a session with what would be sent now, if the files have not changed.
fn compare(session: &Session, defaults: &Defaults, ask: Ask, out: &mut Evidence) {
    let Some(now) = Now::of(session, defaults, ask) else {
        return out.leave_out(match session.parent {
            Some(_) => "what a sub-agent is started with is not in its record",
            None => "its directory or the rules of its version are not known",
        });
    };
    let mut came: BTreeSet<PathBuf> = BTreeSet::new();
    // What files bring is not in the records of some versions at all.
    let is_silent =
        session.steps.first().is_some_and(|start| start.given.iter().any(|given| given.name == AT_ANY_TIME));
    for (number, step) in session.steps.iter().enumerate() {
        let came_before = came.clone();
        came.extend(step.given.iter().filter_map(|given| given.path.clone()));
        let is_start = number == 0;
        // Edits and compactions change later steps in ways that differ between versions.
        if !is_start && step.kind != Kind::Read {
            continue;
        }
        let is_instruction = |given: &&Given| matches!(given.purpose, Purpose::Instructions | Purpose::Reminder);
        let given: Vec<&Given> = step.given.iter().filter(is_instruction).collect();
        let answer = now.at(session, number);
        let expected: Vec<&Source> = answer
            .answer
            .sources
            .iter()
            .filter(|source| source.fate.reaches() && (source.trigger == Trigger::Session) == is_start)
            .filter(|source| matches!(source.purpose, answer::Purpose::Instructions))
            .filter(|source| source.path().is_some_and(|path| !came_before.contains(path)))
            .collect();
        if !is_start && given.is_empty() && expected.is_empty() {
            continue;
        }
        let is_moment = |trigger| (trigger == Trigger::Session) == is_start;
        let is_said = |given: &&Given| now.is_sent(&answer, given, is_moment);
        let is_known = !is_silent && given.iter().all(|given| given.how == How::Recorded && given.text.is_some());
        // A file changed after the session began still counts as unchanged if what would be sent of it now equals what
        // was sent.
        let is_that_of_then = |file: &PathBuf| {
            let of_start = |source: &Source| source.path() == Some(file) && source.trigger == Trigger::Session;
            // A text without a path holds files that are sent at start.
            let is_of_start = answer.answer.sources.iter().any(of_start);
            let is_of_file = |(step, _): Place, given: &Given| match &given.path {
                Some(path) => path == file,
                None => is_of_start && step <= number && given.purpose == Purpose::Instructions,
            };
            let texts: Vec<Place> = session
                .everything()
                .filter(|&(place, given)| is_of_file(place, given))
                .map(|(place, _)| place)
                .collect();
            // What the session was told later, after a change, is no evidence for what it was told before.
            let until_now = texts.iter().rev().find(|place| place.0 <= number);
            until_now.or(texts.first()).is_some_and(|&place| now.standing(session, place).same == Some(true))
        };
        let begun = session.start.unwrap_or(jiff::Timestamp::MIN);
        let is_other = now.changes(&answer, begun).any(|file| !is_that_of_then(&file));
        let is_gone = given.iter().filter_map(|given| given.path.as_ref()).any(|path| {
            // A file that is neither a source nor on disk cannot be asked about.
            !answer.answer.sources.iter().any(|source| source.path() == Some(path)) && place::changed(path).is_none()
        });
        // A text without paths does not say which files it consists of.
        let is_gone =
            is_gone || given.iter().any(|given| given.path.is_none() && !is_said(given)) && is_moved(&answer, begun);
        let reason = match (is_known, is_other, is_gone, answer.answer.refusal.is_some()) {
            (false, ..) => Some("the text is not in the record"),
            (_, true, ..) => Some("a file is another one now"),
            (_, _, true, _) => Some("a file is not there any more"),
            (.., true) => Some("the client would not start there now"),
            _ => None,
        };
        if let Some(reason) = reason {
            out.leave_out(reason);
            continue;
        }
        // Where the order of files changes from run to run, one text of several cannot be compared with another order of them.
        let lines = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        let is_reordered = |given: &&Given| {
            let of_text = given.text.as_deref().filter(|_| given.path.is_none() && !is_said(given)).map(lines);
            let mut messages = answer.answer.messages.iter().filter(|message| is_moment(message.trigger));
            of_text.is_some_and(|of_text| messages.any(|message| lines(&message.text) == of_text))
        };
        if given.iter().any(is_reordered) && !answer.answer.certain().contains(&Certain::Order) {
            out.leave_out("the order of the files changes from run to run");
            continue;
        }
        let recorded: Vec<String> = given.iter().filter(|given| !is_said(given)).map(|given| given.label()).collect();
        let is_recorded =
            |source: &&Source| given.iter().any(|given| given.path.is_none() || given.path.as_deref() == source.path());
        let missing: Vec<String> = expected
            .iter()
            .filter(|source| !is_recorded(source))
            .filter_map(|source| Some(source.path()?.display().to_string()))
            .collect();
        let is_equal = recorded.is_empty() && missing.is_empty();
        // In another order the files are the same ones, and that is compared above.
        let certain = answer.answer.certain();
        let is_doubted = match certain.contains(&Certain::Order) {
            true => !certain.contains(&Certain::Text),
            false => !certain.contains(&Certain::Set),
        };
        if !is_equal && is_doubted {
            out.leave_out("Briefing's answer is not exact");
            continue;
        }
        out.asked += 1;
        if is_equal {
            out.equal += 1;
            if let Some(start) = session.start {
                let (first, last) = out.sessions.unwrap_or((start, start));
                out.sessions = Some((first.min(start), last.max(start)));
            }
            continue;
        }
        out.different += 1;
        out.differences.push(Difference {
            session: session.id.clone(),
            step: format!("{} {}", step.kind.word(), step.name.as_deref().unwrap_or_default()).trim_end().to_owned(),
            recorded,
            expected: missing,
            texts: {
                // A message may contain several files.
                let mut texts: Vec<Arc<str>> = Vec::new();
                for text in given.iter().filter_map(|given| given.sent.clone().or_else(|| given.text.clone())) {
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
                texts
            },
            answer,
        });
    }
}
