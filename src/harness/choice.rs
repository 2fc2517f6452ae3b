//! Chooses an agent by name, and the rules of one of its versions.

use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::Arc;

use super::custom::{Custom, Customs};
use super::history::{self, compare};
use crate::answer::{Claim, Warning};
use crate::harness::{ALL, Edition, History, Profile, Version, profile};

/// Version that stands for the installed one: `codex@auto`.
pub const AUTO: &str = "auto";

/// A harness and an edition, chosen by name.
#[derive(Clone)]
pub struct Choice {
    /// The agent and its rules.
    pub chosen: Chosen,
    /// Claim about the requested version.
    pub claim: Claim,
    /// Warning about how the edition was chosen, if the user should know.
    pub note: Option<Warning>,
}

/// An agent of [`ALL`], or a custom one that the user declared.
#[derive(Clone)]
pub enum Chosen {
    /// An agent that Briefing knows.
    BuiltIn(&'static Profile, EditionRef),
    /// A custom agent that the user declared.
    Custom(Arc<Custom>),
}

/// The rules of one version.
#[derive(Clone)]
pub enum EditionRef {
    /// The rules of an edition.
    Named(&'static dyn Edition),
    /// Rules that were built for one version.
    Built(Arc<dyn Edition>),
}

impl Deref for EditionRef {
    type Target = dyn Edition;

    fn deref(&self) -> &(dyn Edition + 'static) {
        match self {
            EditionRef::Named(edition) => *edition,
            EditionRef::Built(edition) => &**edition,
        }
    }
}

impl Choice {
    /// Creates a choice of an edition of an agent that Briefing knows.
    pub fn named(profile: &'static Profile, edition: &'static dyn Edition) -> Choice {
        let claim = history::of_edition(edition.about());
        Choice { chosen: Chosen::BuiltIn(profile, EditionRef::Named(edition)), claim, note: None }
    }

    /// Creates a choice of a custom agent.
    pub fn custom(custom: Arc<Custom>) -> Choice {
        Choice { chosen: Chosen::Custom(custom), claim: Claim::default(), note: None }
    }

    /// Returns the agent's id.
    pub fn id(&self) -> &str {
        match &self.chosen {
            Chosen::BuiltIn(profile, _) => profile.id,
            Chosen::Custom(custom) => &custom.id,
        }
    }

    /// Returns the agent's display name.
    pub fn title(&self) -> &str {
        match &self.chosen {
            Chosen::BuiltIn(profile, _) => profile.title,
            Chosen::Custom(custom) => &custom.title,
        }
    }

    /// Returns the rules.
    pub fn edition(&self) -> &dyn Edition {
        match &self.chosen {
            Chosen::BuiltIn(_, rules) => &**rules,
            Chosen::Custom(custom) => &*custom.edition,
        }
    }

    /// Returns a number that differs between two definitions of the same custom agent; 0 for an agent that Briefing
    /// knows.
    pub fn fingerprint(&self) -> u64 {
        match &self.chosen {
            Chosen::BuiltIn(..) => 0,
            Chosen::Custom(custom) => custom.fingerprint,
        }
    }
}

/// Returns the newest edition of an agent.
pub fn newest(profile: &'static Profile) -> Choice {
    Choice::named(profile, *profile.editions.last().expect("a profile has an edition: a test looks"))
}

/// Parses `codex`, `codex@0.169`, `codex@0.168.2` or the id of a custom agent. `codex@auto` yields the newest edition:
/// only [`crate::queries::installed::Installations`] know the installed version.
pub fn choose(spec: &str, customs: &Customs) -> Result<Choice, String> {
    let (id, version) = spec.split_once('@').map_or((spec, None), |(id, version)| (id, Some(version)));
    if let Some(problem) = customs.problem_of(id) {
        return Err(problem.to_string());
    }
    if let Some(custom) = customs.harness(id) {
        return match version {
            Some(version) => Err(format!("`{id}` is a custom agent and has no versions; `@{version}` names none")),
            None => Ok(Choice::custom(custom.clone())),
        };
    }
    let Some(profile) = profile(id) else {
        let declared = customs.harnesses.iter().map(|custom| custom.id.as_str());
        let known: Vec<_> = ALL.iter().map(|profile| profile.id).chain(declared).collect();
        let near = nearest(id, &known);
        // A definition file that cannot be read may declare this agent.
        let unread = customs.problems.iter().find(|problem| problem.harness.is_none());
        let unread = unread.map_or_else(String::new, |problem| format!(" ({problem})"));
        let known = match near.as_slice() {
            [] => format!("the agents are {}", known.join(", ")),
            near => format!("did you mean {}?", near.join(" or ")),
        };
        return Err(format!("there is no agent `{id}`; {known}{unread}"));
    };
    let Some(version) = version.filter(|version| *version != AUTO) else {
        return Ok(newest(profile));
    };
    if !version.starts_with(|c: char| c.is_ascii_digit()) {
        let editions = profile.editions.iter().map(|edition| edition.about().name).collect::<Vec<_>>().join(", ");
        return Err(format!("`{version}` is not a version of {id}; its editions are {editions}"));
    }
    Ok(of_version(profile, version))
}

/// Returns the rules of a version: those of the edition with this name, unless the history has a replay of exactly this
/// version and so knows more; otherwise those built from the history; without a history, those of the nearest edition.
fn of_version(profile: &'static Profile, version: &str) -> Choice {
    let is_replayed = |history: &History| history.replays.iter().any(|replay| replay.version == version);
    let named = profile.editions.iter().find(|edition| edition.about().name == version);
    if let Some(edition) = named.filter(|_| !profile.history.is_some_and(is_replayed)) {
        return Choice::named(profile, *edition);
    }
    if let Some(history) = profile.history {
        let claim = history::claim(profile.title, version, history.replays, history.changes);
        let rules = (history.rules)(Version(&claim.rules));
        return Choice { chosen: Chosen::BuiltIn(profile, EditionRef::Built(rules)), claim, note: None };
    }
    let not_above = |edition: &&&dyn Edition| compare(edition.about().name, version) != Ordering::Greater;
    let edition = *profile.editions.iter().rfind(not_above).unwrap_or(&profile.editions[0]);
    let next = profile.editions.iter().find(|edition| compare(edition.about().name, version) == Ordering::Greater);
    let claim = history::near_edition(profile.title, version, edition.about(), next.is_some());
    Choice { claim, ..Choice::named(profile, edition) }
}

/// Returns up to three known ids that are similar to `id`, the most similar first.
pub(crate) fn nearest<'a>(id: &str, known: &[&'a str]) -> Vec<&'a str> {
    const ALIKE: f64 = 0.8;
    let id = id.to_ascii_lowercase();
    let like = |known: &'a str| match known.starts_with(&id) && !id.is_empty() {
        true => (1.0, known),
        false => (strsim::jaro_winkler(&id, known), known),
    };
    let mut near: Vec<(f64, &str)> = known.iter().copied().map(like).filter(|(alike, _)| *alike >= ALIKE).collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    near.into_iter().map(|(_, known)| known).take(3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Fidelity;

    #[test]
    fn a_version_is_answered_by_the_nearest_rules() {
        let choose = |spec: &str| choose(spec, &Customs::default());
        let name = |spec: &str| choose(spec).map(|choice| (choice.edition().about().name, choice.claim.fidelity()));
        for (spec, edition, fidelity) in [
            ("crush", "2026.11", Fidelity::Exact),
            ("crush@2026.11", "2026.11", Fidelity::Exact),
            ("crush@2027.1", "2026.11", Fidelity::Unchecked),
            ("crush@2025.1", "2026.11", Fidelity::Files),
        ] {
            assert_eq!(name(spec), Ok((edition, fidelity)), "{spec}");
        }
        assert!(name("codex@latest").is_err_and(|message| message.contains("not a version")));
        assert!(name("kodex").is_err_and(|message| message.contains("codex")));
    }
}
