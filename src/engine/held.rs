//! Finds texts in a session's context that have changed since.

use std::collections::BTreeSet;
use std::path::Path;

use super::audit::Now;
use crate::answer::{self, Trigger};
use crate::records::audit::{Change, Fate};
use crate::records::session::{FILE_AGAIN, Place};
use crate::records::{Given, How, Purpose, Session};
use crate::text::line_difference;

/// Compares the context at the end of a session with what would be sent now.
pub fn changes(session: &Session, now: &Now) -> Vec<Change> {
    let Some(last) = session.steps.len().checked_sub(1) else { return Vec::new() };
    let held = session.held_after(last);
    let mut changes = Vec::new();
    for &place in &held {
        let given = session.given(place);
        if given.purpose != Purpose::Instructions || given.name == FILE_AGAIN {
            continue;
        }
        let knows = |&other: &Place| {
            other > place
                && session.given(other).label() == given.label()
                && now.standing(session, other).same == Some(true)
        };
        // A session that was told of a change has the new text beside the old one.
        let is_beside = held.iter().any(knows) && now.standing(session, place).same == Some(false);
        changes.extend(match is_beside {
            true => Some(of(given, Fate::Beside)),
            false => change(session, place, now),
        });
    }
    changes.extend(unheard(session, now));
    changes
}

fn change(session: &Session, place: Place, now: &Now) -> Option<Change> {
    let given = session.given(place);
    let (fate, lines) = match (now.standing(session, place).same, now.text(session, place)) {
        // A file may be as it was, and not be sent any more, because nothing imports it now.
        (Some(true), None) if place.0 == 0 && given.path.is_some() => (Fate::None, Vec::new()),
        (Some(true), _) => return None,
        (None, _) => (Fate::Unknown, Vec::new()),
        (Some(false), None) => (Fate::None, Vec::new()),
        (Some(false), Some(text)) => {
            let before = given.text.as_deref().unwrap_or_default();
            let lines = line_difference(before.trim_end(), text.trim_end());
            (Fate::Other, lines.iter().map(|(mark, line)| format!("{mark}{line}")).collect())
        }
    };
    let why = (fate == Fate::Unknown).then(|| {
        match (given.text.is_some(), now.at(session, place.0).answer.refusal.is_some()) {
            (false, _) => "its text is not in the record",
            (_, true) => "the client would not start here now",
            _ => "what would be sent of it now is not known",
        }
        .to_owned()
    });
    Some(Change { why, lines, ..of(given, fate) })
}

fn of(given: &Given, now: Fate) -> Change {
    Change { path: given.path.clone(), name: given.name.clone(), now, why: None, lines: Vec::new() }
}

/// Returns the files that would be sent at the start and never were, if the record names the files that were.
fn unheard(session: &Session, now: &Now) -> Vec<Change> {
    let started = session.steps[0].given.iter().filter(|given| given.purpose == Purpose::Instructions);
    let is_named = started.clone().all(|given| given.path.is_some() && given.how != How::Unknown);
    let answer = now.at(session, 0);
    if !is_named || started.count() == 0 || answer.answer.refusal.is_some() {
        return Vec::new();
    }
    let known: BTreeSet<&Path> = session.everything().filter_map(|(_, given)| given.path.as_deref()).collect();
    let sent = answer.answer.sources.iter().filter(|source| {
        source.fate.reaches()
            && source.trigger == Trigger::Session
            && matches!(source.purpose, answer::Purpose::Instructions)
    });
    let new = sent.filter_map(|source| source.path()).filter(|path| !known.contains(path));
    let new = new.map(|path| Change {
        path: Some(path.to_owned()),
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        now: Fate::New,
        why: None,
        lines: Vec::new(),
    });
    new.collect()
}
