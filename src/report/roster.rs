//! Agents that are used in the workspace, as plain data for other programs and in words for people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::harness::{self, Choice};
use crate::queries::installed::{Installations, Installed};
use crate::queries::roster::{Reason, Roster, What};

/// Result of `briefing/roster`: the agents that are used here, with the reasons.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct UsedHere {
    /// Agents that are used here, those with the strongest reasons first.
    pub mine: Vec<Mine>,
    /// Ids of all other agents.
    pub others: Vec<String>,
    /// True if nothing shows which agents are used, so that common ones are assumed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed: bool,
}

/// An agent that is used here.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct Mine {
    /// Id of the agent.
    pub harness: String,
    /// Name of the rules that are applied.
    pub edition: String,
    /// Installed version, if it is known.
    pub running: Option<String>,
    /// Reasons why it counts as used, the strongest first.
    pub because: Vec<Because>,
    /// Directory that looks like the agent's own workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

/// A reason why an agent counts as used.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct Because {
    /// `set` (declared in a `briefing.toml` or the settings), `run` (before), `installed`, `editor`, `configured`,
    /// `repository` (a file that is its own), or `shared` (an AGENTS.md, which many agents read).
    pub what: String,
    /// The file that proves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The extension of the editor that proves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl UsedHere {
    /// Converts a roster, in its order, with the edition chosen for each agent and the installed versions.
    pub fn of(roster: &Roster, choices: &[Choice], installed: &Installations) -> UsedHere {
        let edition =
            |id: &str| choices.iter().find(|choice| choice.id() == id).map(|choice| choice.edition().about().name);
        let mine = roster.mine.iter().map(|used| Mine {
            harness: used.id.clone(),
            edition: edition(&used.id).unwrap_or_default().to_owned(),
            running: match installed.found.get(&used.id) {
                Some(Installed::Version(version, _)) => Some(version.clone()),
                Some(Installed::Unversioned(_) | Installed::Nowhere) | None => None,
            },
            because: used.because.iter().map(because).collect(),
            workspace: used.workspace.as_ref().map(|dir| dir.to_string_lossy().into_owned()),
        });
        let others = harness::ALL.iter().filter(|profile| roster.mine.iter().all(|used| used.id != profile.id));
        UsedHere {
            mine: mine.collect(),
            others: others.map(|profile| profile.id.to_owned()).collect(),
            assumed: roster.is_assumed(),
        }
    }
}

fn because(reason: &Reason) -> Because {
    Because {
        what: reason.what.word().to_owned(),
        path: reason.path.as_ref().map(|path| path.to_string_lossy().into_owned()),
        name: reason.name.clone(),
    }
}

impl Because {
    /// Formats the reason for people.
    pub fn words(&self) -> String {
        let what = What::ALL.into_iter().find(|what| what.word() == self.what);
        let words = what.map_or("", |what| match what {
            What::Set => "declared",
            What::Run => "was run",
            What::Installed => "installed",
            What::Editor => "editor extension",
            What::Configured => "configured",
            What::Repository => "in this repository",
            What::Shared => "read by many agents",
        });
        match self.path.as_ref().or(self.name.as_ref()) {
            Some(proof) => format!("{words}: {proof}"),
            None => words.to_owned(),
        }
    }
}
