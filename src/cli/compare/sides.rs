//! Two answers of any kind side by side: harnesses, agents, models, sessions, start directories, revisions.

use std::fmt::Write;
use std::path::Path;

use super::{BOLD, Compare, difference_lines};
use crate::answer::Resolution;
use crate::cli::Failure;
use crate::cli::show::{Asked, asked};
use crate::cli::whom::directory;
use crate::disk::{AtRevision, Real};
use crate::report::compare::{Comparison, compare};
use crate::request::{Defaults, OneOrMany, Places, Request};

/// Names of the options that a side may have after its agent.
const NAMES: [&str; 9] =
    ["agent", "previousAgent", "model", "session", "promptMode", "tool", "cwd", "file", "revision"];

/// Compares the two sides that were named. Returns the comparison, and its text for people.
pub(super) fn run(
    arguments: &Compare,
    (left, right): (&str, &str),
    places: &Places,
    defaults: &Defaults,
) -> Result<(Comparison, String), Failure> {
    let (left, left_at) = side(arguments, ("--left", left), places, defaults.clone())?;
    let (right, right_at) = side(arguments, ("--right", right), places, defaults.clone())?;
    let mut comparison = compare(&left, &right);
    if left_at != right_at {
        for (label, revision) in [(&mut comparison.left, left_at), (&mut comparison.right, right_at)] {
            let _ = match revision {
                Some(revision) => write!(label, ", at {revision}"),
                None => write!(label, ", as it is now"),
            };
        }
    }
    let said = format!("{BOLD}{} → {}{BOLD:#}\n{}", comparison.left, comparison.right, words(&comparison, &right));
    Ok((comparison, said))
}

fn words(comparison: &Comparison, right: &Resolution) -> String {
    if super::is_same(comparison) {
        return "  the same on both sides\n".to_owned();
    }
    difference_lines(comparison, right)
}

/// Returns the answer of one side, and its revision.
fn side(
    arguments: &Compare,
    (option, said): (&str, &str),
    places: &Places,
    defaults: Defaults,
) -> Result<(Resolution, Option<String>), Failure> {
    let mut words = said.split_whitespace();
    let harness = words.next().filter(|word| !word.contains('='));
    let Some(harness) = harness else {
        return Err(format!("{option}: begin with an agent, such as '{option} \"codex agent=plan\"'").into());
    };
    let mut request = Request {
        harness: Some(OneOrMany::One(harness.to_owned())),
        session: arguments.session.clone(),
        ..Request::default()
    };
    let (mut places, mut revision) = (places.clone(), None);
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let value = || Some(value.to_owned()).filter(|value| !value.is_empty());
        match name {
            _ if value().is_none() => {
                return Err(format!("{option}: `{word}` is no NAME=VALUE; the names are {}", NAMES.join(", ")).into());
            }
            "agent" => request.agent = value(),
            "previousAgent" => request.previous_agent = value(),
            "model" => request.model = value(),
            "session" => request.session = value(),
            "promptMode" => request.prompt_mode = value(),
            "tool" => request.tool = value(),
            "file" => places.target = value().map(Into::into),
            "revision" => revision = value(),
            "cwd" => {
                let named = value().unwrap_or_default();
                let dir = directory(option, Some(Path::new(&named)), &places.cwd)?;
                places.cwd = dir.unwrap_or_else(|| places.cwd.clone());
            }
            other => {
                return Err(format!("{option}: there is no `{other}`; the names are {}", NAMES.join(", ")).into());
            }
        }
    }
    let said = |problem: String| format!("{option}: {problem}");
    let Asked { mut answers, .. } = match &revision {
        None => asked(&Real, &request, &places, defaults).map_err(said)?,
        Some(revision) => {
            let files = AtRevision::open(&Real, &places.cwd, revision).map_err(said)?;
            asked(&files, &request, &places, defaults).map_err(said)?
        }
    };
    let count = answers.len();
    match answers.pop().filter(|_| count == 1) {
        Some(answer) => Ok((answer, revision)),
        None => Err(said(format!("it takes one agent to compare, not {count}")).into()),
    }
}
