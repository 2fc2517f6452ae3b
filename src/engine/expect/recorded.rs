//! Checks recorded sessions against the expectations of a project.

use std::path::Path;

use super::declarations::{declarations, resolved};
use super::{Proof, project};
use crate::answer::SessionKind;
use crate::engine::alone::at_rest;
use crate::engine::below::below;
use crate::engine::settings::Settings;
use crate::glob;
use crate::records::{How, Kind, Purpose, Session};
use crate::report::expect::{Wanted, When};
use crate::report::why::{Plain, Sought};
use crate::request::Defaults;

/// An expectation of a project with the texts that it demands.
pub struct Demanded {
    proof: Proof,
    wanted: Wanted,
}

/// Result of an expectation for a recorded session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Id of the expectation.
    pub id: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Step and reason.
    pub why: String,
}

/// Verdict on an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The expectation held.
    Held,
    /// The expectation failed.
    Failed,
    /// The record is too incomplete to decide.
    Unknown,
}

/// Returns the expectations declared in `cwd`, in its parents up to the root of the project, and below it. Those about sizes or
/// about several agents at once are left out, because a single session cannot answer them.
///
/// # Errors
/// If the settings are invalid. The error is a message for people.
pub fn demanded(base: Defaults, cwd: &Path, settings: Settings) -> Result<Vec<Demanded>, String> {
    let home = base.home.clone();
    let core = at_rest(base, cwd, settings, None)?;
    let cwd = core.session().folders[0].clone();
    let answers = core.started_in(&cwd)?;
    let root = project(&cwd, &home, &answers);
    let mut judged = Vec::new();
    let declared = declarations(&core, &root, &below(&core, &root, &answers).declarations);
    if let Some((path, raw, finding)) = declared.wrong.first() {
        let line = 1 + raw[..finding.range.start.min(raw.len())].iter().filter(|byte| **byte == b'\n').count();
        return Err(format!("{}:{line}: {}", path.display(), finding.message));
    }
    for proof in declared.all {
        let wanted = resolved(&core, &root, &proof.expectation, &proof.path);
        if let Ok(wanted @ (Wanted::Present(_) | Wanted::Absent(_))) = wanted {
            judged.push(Demanded { proof, wanted });
        }
    }
    Ok(judged)
}

impl Demanded {
    /// Checks a session. Returns `None` if the expectation does not apply to it.
    pub fn judge(&self, session: &Session) -> Option<Judgement> {
        let moments = self.moments(session)?;
        let judged = moments.into_iter().map(|moment| self.at(session, moment));
        let rank = |judgement: &Judgement| match judgement.verdict {
            Verdict::Failed => 2,
            Verdict::Unknown => 1,
            Verdict::Held => 0,
        };
        // Take the first moment with the worst verdict.
        judged.reduce(|worst, next| if rank(&next) > rank(&worst) { next } else { worst })
    }

    /// Returns the moments at which the expectation must hold, relative to steps. `None` if it does not apply to the
    /// session.
    fn moments(&self, session: &Session) -> Option<Vec<Moment>> {
        let expectation = &self.proof.expectation;
        let agent = |spec: &String| spec.split('@').next().unwrap_or_default() == session.agent;
        let is_meant = |spec: &String| {
            agent(spec) || crate::queries::roster::MINE == spec || crate::queries::roster::ALL_OF_THEM == spec
        };
        let kind = if session.parent.is_some() { SessionKind::Subagent } else { SessionKind::Main };
        let cwd = session.cwd.as_deref()?;
        let is_start = match &expectation.from {
            Some(from) => from.iter().any(|from| self.proof.dir.join(from) == cwd),
            None => cwd.starts_with(&self.proof.dir) || self.proof.dir.starts_with(cwd),
        };
        let is_whose = expectation.agents.is_empty() || expectation.agents.iter().any(is_meant);
        if !is_start || !is_whose || !expectation.sessions.contains(&kind) || session.steps.is_empty() {
            return None;
        }
        let patterns = glob::plain_set(expectation.paths.iter().map(String::as_str));
        let is_about = |name: &Option<String>| {
            let file = name.as_deref().and_then(|name| Path::new(name).strip_prefix(&self.proof.dir).ok());
            file.is_some_and(|file| expectation.paths.is_empty() || patterns.is_match(file))
        };
        let steps = || session.steps.iter().enumerate();
        let of_kind = |kind| steps().filter(move |(_, step)| step.kind == kind);
        let moments: Vec<Moment> = match expectation.when {
            When::Start => vec![Moment::After(0)],
            When::BeforeRead => {
                of_kind(Kind::Read).filter(|(_, step)| is_about(&step.name)).map(|(at, _)| Moment::After(at)).collect()
            }
            When::BeforeEdit => {
                of_kind(Kind::Edit).filter(|(_, step)| is_about(&step.name)).map(|(at, _)| Moment::Before(at)).collect()
            }
            When::AfterCompaction => of_kind(Kind::Compaction).map(|(at, _)| Moment::After(at)).collect(),
        };
        (!moments.is_empty()).then_some(moments)
    }

    fn at(&self, session: &Session, moment: Moment) -> Judgement {
        let (step, held) = match moment {
            Moment::After(step) => (step, session.held_after(step)),
            // Texts that come with an edit arrive with its result, so they are too late.
            Moment::Before(step) => {
                (step, step.checked_sub(1).map_or_else(Vec::new, |before| session.held_after(before)))
            }
        };
        let given: Vec<_> = held.into_iter().map(|place| session.given(place)).collect();
        let texts: Vec<Plain> =
            given.iter().filter_map(|given| given.sent.as_deref().or(given.text.as_deref())).map(Plain::of).collect();
        let is_known = !given.iter().any(|given| given.purpose == Purpose::Instructions && given.how == How::Unknown);
        let says = |text: &Sought| texts.iter().any(|plain| text.is_within(plain));
        let at = &session.steps[step];
        let place = format!("step {step}: {} {}", at.kind.word(), at.name.as_deref().unwrap_or_default());
        let (is_wrong, why) = match &self.wanted {
            Wanted::Present(all) => match all.iter().find(|text| !says(text)) {
                Some(missing) => (true, format!("“{}” was not in context", super::rows::shortened(missing.text()))),
                None => (false, String::new()),
            },
            Wanted::Absent(text) => (says(text), "the text was in context".to_owned()),
            Wanted::MaxTokens(_) | Wanted::MaxShare(_) | Wanted::Same => (false, String::new()),
        };
        let is_decided = is_known || is_wrong == matches!(self.wanted, Wanted::Absent(_));
        let (verdict, why) = match (is_wrong, is_decided) {
            (_, false) => (Verdict::Unknown, "the record does not hold what was in context".to_owned()),
            (true, true) => (Verdict::Failed, why),
            (false, true) => (Verdict::Held, String::new()),
        };
        let why = if why.is_empty() { why } else { format!("{}: {why}", place.trim_end()) };
        Judgement { id: self.proof.expectation.id.clone(), verdict, why }
    }
}

/// A moment of a session.
#[derive(Clone, Copy)]
enum Moment {
    After(usize),
    Before(usize),
}
