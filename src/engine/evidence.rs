//! Compares recorded sessions with what Briefing says: each of them is a question that a real client has answered.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::audit::{Ask, Listed, Now, is_moved};
use crate::answer::{self, Resolution, Source, Trigger};
use crate::records::place;
use crate::records::{Given, How, Kind, Purpose, Session};
use crate::request::Defaults;

/// What the records of one version say beside what Briefing says.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Evidence {
    /// The agent.
    pub agent: String,
    /// The version that wrote the records.
    pub version: String,
    /// Steps that were compared.
    pub asked: usize,
    /// Of them, those that are equal.
    pub equal: usize,
    /// Of them, those that differ.
    pub different: usize,
    /// Steps of which the record does not hold enough, or whose files are other ones now.
    pub incomparable: usize,
    /// Why they are, each with how many there are.
    pub reasons: BTreeMap<&'static str, usize>,
    /// When the first and the last session began of which something was equal.
    pub sessions: Option<(jiff::Timestamp, jiff::Timestamp)>,
    /// The differences.
    pub differences: Vec<Difference>,
}

impl Evidence {
    /// Counts a step that cannot be compared.
    fn leave_out(&mut self, why: &'static str) {
        self.incomparable += 1;
        *self.reasons.entry(why).or_default() += 1;
    }
}

/// A step at which a record differs from what Briefing says.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// The session.
    pub session: String,
    /// The step, in words.
    pub step: String,
    /// Texts that reached the model, and that Briefing does not say.
    pub recorded: Vec<String>,
    /// Files that Briefing says reach the model, and that the record does not hold.
    pub expected: Vec<String>,
    /// Briefing's answer.
    #[serde(skip)]
    pub answer: Arc<Resolution>,
    /// The texts that reached the model.
    #[serde(skip)]
    pub texts: Vec<Arc<str>>,
}

/// Compares sessions, and sums up by agent and version. Records that cannot be opened are left out.
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

/// Compares the start of a session and its reads with what would be sent now, where the files are those of then.
fn compare(session: &Session, defaults: &Defaults, ask: Ask, out: &mut Evidence) {
    let Some(now) = Now::of(session, defaults, ask) else {
        return out.leave_out(match session.parent {
            Some(_) => "what a sub-agent is started with is not in its record",
            None => "its directory or the rules of its version are not known",
        });
    };
    let mut came: Vec<PathBuf> = Vec::new();
    for (number, step) in session.steps.iter().enumerate() {
        let is_start = number == 0;
        // An edit or a compaction changes what comes later in ways that differ from version to version.
        if !is_start && step.kind != Kind::Read {
            continue;
        }
        let given: Vec<&Given> = step.given.iter().filter(|given| given.purpose == Purpose::Instructions).collect();
        let answer = now.at(session, number);
        let expected: Vec<&Source> = answer
            .answer
            .sources
            .iter()
            .filter(|source| source.fate.reaches() && (source.trigger == Trigger::Session) == is_start)
            .filter(|source| matches!(source.purpose, answer::Purpose::Instructions))
            .filter(|source| source.path().is_some_and(|path| !came.iter().any(|came| came == path)))
            .collect();
        if !is_start && given.is_empty() && expected.is_empty() {
            continue;
        }
        let is_moment = |trigger| (trigger == Trigger::Session) == is_start;
        let is_said = |given: &&Given| now.is_sent(&answer, given, is_moment);
        let is_known = given.iter().all(|given| given.how == How::Recorded && given.text.is_some());
        // A file that is newer than the session is the one of then if what would be sent of it now is what was sent.
        let is_that_of_then = |file: &PathBuf| {
            let mut of_file = session.everything().filter(|(_, given)| given.path.as_ref() == Some(file));
            of_file.any(|(place, _)| now.standing(session, place).same == Some(true))
                || given.iter().any(|given| given.path.is_none() && is_said(given))
        };
        let begun = session.start.unwrap_or(jiff::Timestamp::MIN);
        let is_other = now.changes(&answer, begun).any(|file| !is_that_of_then(&file));
        let is_gone = given.iter().filter_map(|given| given.path.as_ref()).any(|path| {
            // What is neither among the sources nor where it was cannot be asked about.
            !answer.answer.sources.iter().any(|source| source.path() == Some(path)) && place::changed(path).is_none()
        });
        // Of a text without paths nothing says which files it is of.
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
        out.asked += 1;
        let recorded: Vec<String> = given.iter().filter(|given| !is_said(given)).map(|given| given.label()).collect();
        let is_recorded =
            |source: &&Source| given.iter().any(|given| given.path.is_none() || given.path.as_deref() == source.path());
        let missing: Vec<String> = expected
            .iter()
            .filter(|source| !is_recorded(source))
            .filter_map(|source| Some(source.path()?.display().to_string()))
            .collect();
        came.extend(given.iter().filter_map(|given| given.path.clone()));
        if recorded.is_empty() && missing.is_empty() {
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
                // A message may hold several files.
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
