//! Reads expectations from the text of a `briefing.toml`.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{Demand, Expectation, When};
use crate::answer::SessionKind;
use crate::glob;
use crate::report::findings::{Finding, Kind, first_line};

/// The expectations that one file declares.
#[derive(Default)]
pub struct Declared {
    /// Valid expectations, in the order of the file.
    pub all: Vec<Expectation>,
    /// Another `briefing.toml` whose expectations hold here too, relative to this file.
    pub extends: Option<Spanned<String>>,
    /// Findings about the invalid expectations.
    pub wrong: Vec<Finding>,
}

/// The part of a `briefing.toml` that is about expectations.
#[derive(Deserialize)]
struct File {
    #[serde(default)]
    expect: Vec<Spanned<toml::Value>>,
    extends: Option<Spanned<String>>,
}

/// An expectation: a sentence that must, or must not, reach an agent. Exactly one of `text`, `file`, `section`,
/// `absent`, `max_tokens`, `max_share` and `same_for` says what is expected.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Expectation")]
pub struct Entry {
    /// The name of the expectation, unique in its file.
    id: String,
    /// A sentence that must reach the agents. How it is wrapped does not matter.
    text: Option<String>,
    /// A file whose every paragraph must reach the agents, relative to this `briefing.toml`.
    file: Option<String>,
    /// A section whose every paragraph must reach the agents, such as `AGENTS.md#Security`.
    section: Option<String>,
    /// A sentence that must reach no agent.
    absent: Option<String>,
    /// The largest number of tokens that the instructions may have, estimated.
    max_tokens: Option<usize>,
    /// The largest share of the agent's limit that its instruction files may use, such as `80%`.
    max_share: Option<String>,
    /// Agents that must get the same instructions, in any order and any wrapping.
    same_for: Option<Vec<String>>,
    /// Whom it is about: ids, `mine`, or `all` for the agents of the project. Default: `all`.
    agents: Option<Vec<String>>,
    /// The files it is about, as patterns relative to this `briefing.toml`. Default: no file, only the start of a
    /// session.
    #[serde(default)]
    paths: Vec<String>,
    /// When the text must have reached the agent. Default: `before-edit` with `paths`, else `start`.
    when: Option<When>,
    /// Where the agent is started, relative to this `briefing.toml`; `/` is its own directory. Default: that directory
    /// and every directory between it and the file.
    from: Option<Vec<String>>,
    /// The kinds of session. Default: `main`.
    #[schemars(with = "Option<Vec<String>>")]
    sessions: Option<Vec<String>>,
    /// Why it is expected.
    reason: Option<String>,
}

/// Parses the expectations in the text of a `briefing.toml`. Invalid TOML is reported where the agents of the file are
/// parsed, not here.
pub fn declared(raw: &[u8]) -> Declared {
    let mut declared = Declared::default();
    let Ok(text) = std::str::from_utf8(raw) else { return declared };
    let file: File = match toml::from_str(text) {
        Ok(file) => file,
        Err(error) if error.message().contains("expect") || error.message().contains("extends") => {
            let message = "expectations are declared as [[expect]], and `extends` is the path of a briefing.toml";
            declared.wrong.push(finding(raw, error.span().unwrap_or(0..0), message));
            return declared;
        }
        Err(_) => return declared,
    };
    declared.extends = file.extends;
    for entry in file.expect {
        let at = entry.span();
        match expectation(entry) {
            Ok(expectation) if declared.all.iter().any(|other| other.id == expectation.id) => {
                let message = format!("the id `{}` is already used in this file", expectation.id);
                declared.wrong.push(finding(raw, at, &message));
            }
            Ok(expectation) => declared.all.push(expectation),
            Err(problem) => declared.wrong.push(finding(raw, at, &problem)),
        }
    }
    declared
}

/// Reports what is wrong with a declaration on its first line.
fn finding(raw: &[u8], at: Range<usize>, problem: &str) -> Finding {
    let line = first_line(&raw[at.start.min(raw.len())..]);
    let at = at.start + line.start..at.start + line.end;
    Finding::new(Kind::Declaration, at, format!("This expectation cannot be checked: {problem}"))
}

fn expectation(entry: Spanned<toml::Value>) -> Result<Expectation, String> {
    let at = entry.span();
    let in_words = |error: toml::de::Error| error.message().replace("unknown field", "unknown key");
    let entry: Entry = entry.into_inner().try_into().map_err(in_words)?;
    if entry.id.trim().is_empty() {
        return Err("`id` is empty".to_owned());
    }
    let demand = demand(&entry)?;
    for pattern in &entry.paths {
        if pattern.starts_with('/') || !glob::is_plain(pattern) {
            return Err(format!("`{pattern}` is not a pattern relative to this file"));
        }
    }
    let when = entry.when.unwrap_or(if entry.paths.is_empty() { When::Start } else { When::BeforeEdit });
    if entry.paths.is_empty() && matches!(when, When::BeforeRead | When::BeforeEdit) {
        return Err(format!("when = \"{when}\" needs `paths`: which files are read or edited"));
    }
    let sessions = entry.sessions.unwrap_or_else(|| vec![SessionKind::Main.word().to_owned()]);
    let session = |word: &String| {
        SessionKind::named(word).ok_or_else(|| {
            let known: Vec<_> = SessionKind::ALL.iter().map(|kind| kind.word()).collect();
            format!("sessions: `{word}` is not one of {}", known.join(", "))
        })
    };
    Ok(Expectation {
        demand,
        agents: entry.agents.unwrap_or_else(|| vec!["all".to_owned()]),
        paths: entry.paths,
        when,
        from: entry.from.map(|from| from.iter().map(|dir| dir.trim_matches('/').to_owned()).collect()),
        sessions: sessions.iter().map(session).collect::<Result<_, _>>()?,
        reason: entry.reason.filter(|reason| !reason.trim().is_empty()),
        id: entry.id,
        at,
    })
}

/// Returns the requirement of an entry, or an error unless exactly one key states one.
fn demand(entry: &Entry) -> Result<Demand, String> {
    let text = |key: &str, text: &str| match text.trim() {
        "" => Err(format!("`{key}` is empty")),
        text => Ok(text.to_owned()),
    };
    let mut demands = Vec::new();
    if let Some(sentence) = &entry.text {
        demands.push(Demand::Text(text("text", sentence)?));
    }
    if let Some(file) = &entry.file {
        demands.push(Demand::File(text("file", file)?));
    }
    if let Some(section) = &entry.section {
        let split = section.split_once('#').filter(|(file, heading)| !file.is_empty() && !heading.trim().is_empty());
        let (file, heading) = split.ok_or("`section` is FILE#HEADING, such as AGENTS.md#Security")?;
        demands.push(Demand::Section { file: file.to_owned(), heading: heading.trim().to_owned() });
    }
    if let Some(sentence) = &entry.absent {
        demands.push(Demand::Absent(text("absent", sentence)?));
    }
    if let Some(tokens) = entry.max_tokens {
        demands.push(Demand::MaxTokens(tokens));
    }
    if let Some(share) = &entry.max_share {
        let percent = share.trim().strip_suffix('%').and_then(|number| number.trim().parse().ok());
        demands.push(Demand::MaxShare(percent.ok_or("`max_share` is a percentage, such as 80%")?));
    }
    if let Some(agents) = &entry.same_for {
        if agents.len() < 2 {
            return Err("`same_for` names at least two agents".to_owned());
        }
        demands.push(Demand::SameFor(agents.clone()));
    }
    match (demands.pop(), demands.is_empty()) {
        (Some(demand), true) => Ok(demand),
        (Some(_), false) => {
            Err("it expects several things; declare an expectation for each (text, file, section, absent, max_tokens, \
                 max_share or same_for)"
                .to_owned())
        }
        (None, _) => {
            Err("it expects nothing; add text = \"…\", file, section, absent, max_tokens, max_share or same_for"
                .to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expectation_is_read_with_its_defaults() {
        let raw = "extends = \"../policy/briefing.toml\"\n\n[[expect]]\nid = \"no-pii\"\ntext = \"Never log personal data\"\n\
            paths = [\"services/payments/**\"]\nfrom = [\"/\", \"services/payments/\"]\nreason = \"PCI\"\n";
        let declared = declared(raw.as_bytes());
        assert_eq!(declared.extends.as_ref().map(|extends| &**extends.as_ref()), Some("../policy/briefing.toml"));
        assert!(declared.wrong.is_empty());
        let [expectation] = &declared.all[..] else { panic!("one expectation") };
        assert_eq!(expectation.id, "no-pii");
        assert_eq!(expectation.demand, Demand::Text("Never log personal data".to_owned()));
        assert_eq!(expectation.agents, ["all"]);
        assert_eq!(expectation.when, When::BeforeEdit);
        assert_eq!(expectation.from, Some(vec![String::new(), "services/payments".to_owned()]));
        assert_eq!(expectation.sessions, [SessionKind::Main]);
    }

    #[test]
    fn a_wrong_declaration_says_what_to_do() {
        for (text, problem) in [
            ("text = \"a\"", "missing field `id`"),
            ("id = \"a\"", "it expects nothing"),
            ("id = \"a\"\ntext = \" \"", "`text` is empty"),
            ("id = \"a\"\ntext = \"a\"\nabsent = \"b\"", "it expects several things"),
            ("id = \"a\"\nsection = \"AGENTS.md\"", "`section` is FILE#HEADING"),
            ("id = \"a\"\nmax_share = \"much\"", "`max_share` is a percentage"),
            ("id = \"a\"\nsame_for = [\"codex\"]", "`same_for` names at least two agents"),
            ("id = \"a\"\ntext = \"a\"\nwhen = \"later\"", "unknown variant `later`"),
            ("id = \"a\"\ntext = \"a\"\nwhen = \"before-edit\"", "needs `paths`"),
            ("id = \"a\"\ntext = \"a\"\npaths = [\"[\"]", "`[` is not a pattern"),
            ("id = \"a\"\ntext = \"a\"\nsessions = [\"all\"]", "sessions: `all` is not one of main"),
            ("id = \"a\"\ntext = \"a\"\nagent = [\"codex\"]", "unknown key `agent`"),
        ] {
            let text = format!("[[expect]]\n{text}\n");
            let found = declared(text.as_bytes()).wrong;
            assert!(found.len() == 1 && found[0].message.contains(problem), "{text}: {found:?}");
        }
        assert_eq!(declared(b"expect = 3\n").wrong.len(), 1);
        let twice = b"[[expect]]\nid = \"a\"\ntext = \"a\"\n[[expect]]\nid = \"a\"\ntext = \"b\"\n";
        assert!(declared(twice).wrong[0].message.contains("already used"));
    }
}
