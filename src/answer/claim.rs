//! What Briefing claims about the client version that an answer is for.

use super::Fidelity;

/// How well the rules for a client version have been checked, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// Installed or requested version; `None` if an edition was requested, or nothing.
    pub running: Option<String>,
    /// Version whose rules are shown.
    pub rules: String,
    /// Oldest and newest version that were replayed.
    pub checked: (String, String),
    /// Day on which the version, or the newer of its neighbors, was replayed.
    pub verified: Option<String>,
    /// Where the version was replayed.
    pub replayed: Replayed,
    /// Whether replays cover the version.
    pub standing: Standing,
}

/// Where a version was compared with the real client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replayed {
    /// During development of Briefing: its test cases hold what the client sent.
    #[default]
    Recorded,
    /// On this machine, by `briefing verify --suite`.
    Here,
}

/// Coverage of a version by replays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// The version was replayed, or lies between two replayed versions that have the same rules.
    #[default]
    Covered,
    /// The version is newer than every replayed version.
    Newer,
    /// Not every byte is certain, for the given reason.
    Uncertain(String),
}

impl Claim {
    /// Returns how far an answer can be trusted if its rules raise no doubts of their own.
    pub fn fidelity(&self) -> Fidelity {
        match self.standing {
            Standing::Covered => Fidelity::Exact,
            Standing::Newer => Fidelity::Unchecked,
            Standing::Uncertain(_) => Fidelity::Files,
        }
    }
}
