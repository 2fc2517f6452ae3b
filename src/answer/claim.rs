//! What is claimed of the version of a client that an answer is for.

use super::Fidelity;

/// What is claimed of the answer for a version, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The version that runs, or was asked for; `None` where an edition was named, or none.
    pub running: Option<String>,
    /// The version whose rules are shown.
    pub rules: String,
    /// The oldest and the newest version that were replayed.
    pub checked: (String, String),
    /// The day on which the version, or the newer of its neighbours, was replayed.
    pub verified: Option<String>,
    /// Where that was.
    pub replayed: Replayed,
    /// Whether the version is covered by what was replayed.
    pub standing: Standing,
}

/// Where a version was compared with the real client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replayed {
    /// Where Briefing is developed: its test cases hold what the client sent.
    #[default]
    Recorded,
    /// On this machine, by `briefing verify --suite`.
    Here,
}

/// Whether a version is covered by what was replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// It was replayed, or lies between two that were and have the same rules.
    #[default]
    Covered,
    /// It is newer than everything that was replayed.
    Newer,
    /// Not every byte is certain, for that reason.
    Uncertain(String),
}

impl Claim {
    /// How far an answer can be trusted that holds no doubts of its own.
    pub fn fidelity(&self) -> Fidelity {
        match self.standing {
            Standing::Covered => Fidelity::Exact,
            Standing::Newer => Fidelity::Unchecked,
            Standing::Uncertain(_) => Fidelity::Files,
        }
    }
}
