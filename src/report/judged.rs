//! Lists the agents that an answer is about, with the reason for each: "Judged for: Codex 0.169, because of AGENTS.md".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::paths::short;
use super::words::list;
use crate::answer::Resolution;
use crate::queries::roster::{Reason, Roster, What};

/// Maximum number of agents listed by name per reason; the others are only counted.
const NAMED: usize = 6;

/// Reason for an agent that the user selected by name.
pub const NAMED_BY_USER: &str = "named";

/// An agent that was asked, with the reason.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct Judged {
    /// Id of the agent.
    pub agent: String,
    /// The version that is installed or was asked for; else the name of the rules that were used.
    pub version: String,
    /// Reason why it was asked: `installed`, `because of AGENTS.md`, `named` …
    pub because: String,
    /// Display name of the agent.
    #[serde(skip)]
    pub title: String,
}

/// Returns the agents of these answers. `roster` is the roster that selected them; `None` if the user named them.
pub fn judged<'a>(answers: impl IntoIterator<Item = &'a Resolution>, roster: Option<&Roster>) -> Vec<Judged> {
    answers.into_iter().map(|answer| one(answer, roster)).collect()
}

fn one(answer: &Resolution, roster: Option<&Roster>) -> Judged {
    let running = answer.claim.running.clone();
    let used = roster.and_then(|roster| roster.mine.iter().find(|used| used.id == answer.harness));
    let because = match used.map(|used| used.because.as_slice()) {
        None => NAMED_BY_USER.to_owned(),
        Some([]) => "as nothing here shows which agents are used".to_owned(),
        Some([first, ..]) if running.is_some() && first.what != What::Set => "installed".to_owned(),
        Some([first, ..]) => reason(first, answer),
    };
    Judged {
        agent: answer.harness.clone(),
        version: running.unwrap_or_else(|| answer.edition.clone()),
        because,
        title: answer.title.clone(),
    }
}

fn reason(reason: &Reason, answer: &Resolution) -> String {
    let path = reason.path.as_ref().map(|path| short(path, &answer.standpoint));
    let proof = path.or_else(|| reason.name.clone()).unwrap_or_default();
    match reason.what {
        What::Installed => "installed".to_owned(),
        What::Run => format!("run before ({proof})"),
        What::Editor => format!("an extension of the editor ({proof})"),
        What::Configured => format!("configured in {proof}"),
        What::Set if proof.is_empty() => "declared in the settings".to_owned(),
        What::Set | What::Repository | What::Shared => format!("because of {proof}"),
    }
}

/// Returns the line for people, with agents grouped by reason; empty if there are no agents.
pub fn sentence(judged: &[Judged]) -> String {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for one in judged {
        let name = format!("{} {}", one.title, one.version);
        match groups.iter_mut().find(|(because, _)| *because == one.because) {
            Some((_, names)) => names.push(name),
            None => groups.push((&one.because, vec![name])),
        }
    }
    if groups.is_empty() {
        return String::new();
    }
    let group = |(because, mut names): (&str, Vec<String>)| {
        let hidden = names.len().saturating_sub(NAMED);
        if hidden > 1 {
            names.truncate(NAMED);
            names.push(format!("{hidden} more"));
        }
        format!("{}, {because}", list(&names))
    };
    format!("Judged for: {}", groups.into_iter().map(group).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_with_one_reason_stand_together() {
        let one = |title: &str, because: &str| Judged {
            agent: title.to_lowercase(),
            version: "1.2".to_owned(),
            because: because.to_owned(),
            title: title.to_owned(),
        };
        let judged = [one("Codex", "because of AGENTS.md"), one("Pi", "installed"), one("Amp", "because of AGENTS.md")];
        assert_eq!(sentence(&judged), "Judged for: Codex 1.2 and Amp 1.2, because of AGENTS.md; Pi 1.2, installed");
        assert_eq!(sentence(&[]), "");
    }
}
