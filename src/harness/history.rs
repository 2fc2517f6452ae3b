//! Changes of an agent's rules from version to version, and what replays on the real client allow to claim of a
//! version.
//!
//! A difference between versions is a [`Change`] with the first version that has it. A profile lists its changes in one
//! table and builds the rules of any version from those up to it. The replayed versions and their results are data
//! written by a run of `tests/conformance/versions`; nothing about versions is typed twice.

use std::cmp::Ordering;
use std::sync::LazyLock;

use serde::Deserialize;

use super::About;
use crate::answer::{Claim, Standing};

/// A change of an agent's rules.
#[derive(Debug)]
pub struct Change {
    /// First version with the change. The client's answer differs between it and the version published before it.
    pub since: &'static str,
    /// Description of the change.
    pub what: &'static str,
    /// Cases that prove the change: file names below `tests/cases`, without extension.
    pub cases: &'static [&'static str],
}

/// Version of a client, as far as its rules depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a>(pub &'a str);

impl Version<'_> {
    /// Returns true if the version has the change.
    pub fn has(self, change: &Change) -> bool {
        self.is_since(change.since)
    }

    /// Returns `since` if the version has the change, otherwise `before`.
    pub fn pick<T>(self, change: &Change, since: T, before: T) -> T {
        if self.has(change) { since } else { before }
    }

    /// Returns true if this is `version` or a later one.
    pub fn is_since(self, version: &str) -> bool {
        compare(self.0, version) != Ordering::Less
    }
}

/// Returns the name of a version's rules: `first` if it has no change, `last` if it has all of them, otherwise the
/// version of its newest change.
pub fn name(version: Version, changes: &[&Change], (first, last): (&'static str, &'static str)) -> &'static str {
    match changes.iter().rposition(|change| version.has(change)) {
        None => first,
        Some(newest) if newest + 1 == changes.len() => last,
        Some(newest) => changes[newest].since,
    }
}

/// Result of a replay on one version.
#[derive(Clone, Debug, Deserialize)]
pub struct Replay {
    /// The replayed version.
    pub version: String,
    /// Date of the run, such as `2026-11-22`.
    pub date: String,
    /// Number of questions asked.
    pub asked: usize,
    /// Number of answers that were equal, byte for byte.
    pub equal: usize,
    /// Cases whose answers differ.
    #[serde(default)]
    pub different: Vec<String>,
    /// Cases without a result, because the client did not run.
    #[serde(default)]
    pub failed: Vec<String>,
    /// Cases at which the client refused to start, as Briefing predicted.
    #[serde(default)]
    pub refused: Vec<String>,
    /// Hash of all answers of the client: equal if two versions answered alike.
    #[serde(default)]
    pub answers: String,
}

impl Replay {
    /// Returns true if there are equal answers and no different ones.
    pub fn is_clean(&self) -> bool {
        self.equal > 0 && self.different.is_empty()
    }
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    version: Vec<Replay>,
}

/// Replays of one agent, oldest version first.
pub type Replays = LazyLock<Vec<Replay>>;

/// Parses the file that a run wrote. A file that does not parse yields no replays; a test parses every one.
pub fn replays(toml: &str) -> Vec<Replay> {
    let mut found = toml::from_str::<File>(toml).map(|file| file.version).unwrap_or_default();
    found.sort_by(|one, other| compare(&one.version, &other.version));
    found
}

/// Returns the claim for an edition that was named, or taken because no version is known.
pub fn of_edition(about: &About) -> Claim {
    let (first, last) = about.checked;
    let last = if first.starts_with(last) { first } else { last };
    Claim { rules: last.to_owned(), checked: (first.to_owned(), last.to_owned()), ..Claim::default() }
}

/// Returns the claim for a version of an agent without a history, described by the nearest edition.
pub fn near_edition(title: &str, version: &str, about: &About, newer_edition: bool) -> Claim {
    let claim = of_edition(about);
    let (first, last) = (claim.checked.0.as_str(), claim.checked.1.as_str());
    let is_inside = compare(first, version) != Ordering::Greater && compare(version, last) != Ordering::Greater;
    let standing = if is_inside {
        Standing::Covered
    } else if compare(version, last) == Ordering::Greater && !newer_edition {
        Standing::Newer
    } else {
        let (name, checked) = (about.name, about.checked_on());
        Standing::Uncertain(format!(
            "{title} {version} was not checked; the rules shown are those of {name} (checked on {checked})."
        ))
    };
    Claim { running: Some(version.to_owned()), standing, ..claim }
}

/// Returns the claim for `version`, based on the replays and the known changes.
pub fn claim(title: &str, version: &str, replays: &[Replay], history: &[&Change]) -> Claim {
    let (Some(first), Some(last)) = (replays.first(), replays.last()) else {
        let none = format!("no version of {title} was replayed");
        return Claim {
            running: Some(version.to_owned()),
            rules: version.to_owned(),
            standing: Standing::Uncertain(none),
            ..Claim::default()
        };
    };
    let older = replays.iter().rfind(|replay| compare(&replay.version, version) != Ordering::Greater);
    let newer = replays.iter().find(|replay| compare(&replay.version, version) != Ordering::Less);
    let (standing, rules, by) = match (older, newer) {
        (Some(own), Some(same)) if own.version == same.version => (standing_of(title, own), version, Some(own)),
        (Some(older), Some(newer)) => (between(title, (older, newer), history), version, Some(newer)),
        (Some(_), None) => (Standing::Newer, last.version.as_str(), None),
        (None, _) => {
            let why = format!("{title} {version} is older than {}, the oldest version that was checked", first.version);
            let changed = changed(history, version, &first.version);
            let known =
                if changed.is_empty() { changed } else { format!("; what is known to have changed: {changed}") };
            (Standing::Uncertain(why + &known), version, None)
        }
    };
    Claim {
        running: Some(version.to_owned()),
        rules: rules.to_owned(),
        checked: (first.version.clone(), last.version.clone()),
        verified: by.map(|replay| replay.date.clone()),
        standing,
        ..Claim::default()
    }
}

fn standing_of(title: &str, replay: &Replay) -> Standing {
    if replay.is_clean() {
        return Standing::Covered;
    }
    let Replay { version, asked, equal, .. } = replay;
    let why = format!("{title} {version} answered {equal} of {asked} checked questions as Briefing does");
    Standing::Uncertain(why)
}

/// Returns the standing of a version between two replayed ones: covered if no change lies between them and both
/// answered correctly.
fn between(title: &str, (older, newer): (&Replay, &Replay), history: &[&Change]) -> Standing {
    let changed = changed(history, &older.version, &newer.version);
    if changed.is_empty() {
        return match standing_of(title, older) {
            Standing::Covered => standing_of(title, newer),
            uncertain => uncertain,
        };
    }
    Standing::Uncertain(format!(
        "{title} changed between {} and {}, the nearest versions that were checked: {changed}",
        older.version, newer.version
    ))
}

/// Lists the changes later than `after` and up to `until`.
fn changed(history: &[&Change], after: &str, until: &str) -> String {
    let changed = history.iter().filter(|change| {
        compare(change.since, after) == Ordering::Greater && compare(change.since, until) != Ordering::Greater
    });
    changed.map(|change| format!("{} (since {})", change.what, change.since)).collect::<Vec<_>>().join("; ")
}

/// Compares versions number by number: `2026.2.6` < `2026.2.6-3` < `2026.2.19`.
pub fn compare(one: &str, other: &str) -> Ordering {
    numbers(one).cmp(numbers(other))
}

fn numbers(version: &str) -> impl Iterator<Item = u64> + '_ {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Fidelity;

    #[test]
    fn versions_compare_number_by_number() {
        for (one, other, order) in [
            ("1.18", "1.18.33", Ordering::Less),
            ("2026.2.6", "2026.2.6-3", Ordering::Less),
            ("2026.2.6-3", "2026.2.19", Ordering::Less),
            ("0.169", "0.104", Ordering::Greater),
        ] {
            assert_eq!(compare(one, other), order, "{one} {other}");
        }
    }

    const FOOTER: Change = Change { since: "1.2.0", what: "a longer footer", cases: &[] };
    const WRAPPER: Change = Change { since: "1.5.0", what: "another header", cases: &[] };

    fn seen(version: &str, different: &[&str]) -> Replay {
        Replay {
            version: version.to_owned(),
            date: "2026-11-22".to_owned(),
            asked: 10,
            equal: 10 - different.len(),
            different: different.iter().map(|&name| name.to_owned()).collect(),
            failed: Vec::new(),
            refused: Vec::new(),
            answers: String::new(),
        }
    }

    #[test]
    fn a_version_is_covered_where_it_was_replayed_or_lies_between_two_with_the_same_rules() {
        let replays = [seen("1.2.0", &[]), seen("1.4.0", &[]), seen("1.6.0", &[]), seen("1.8.0", &["odd"])];
        for (version, fidelity, rules, words) in [
            ("1.2.0", Fidelity::Exact, "1.2.0", ""),
            ("1.3.7", Fidelity::Exact, "1.3.7", ""),
            (
                "1.5.0",
                Fidelity::Files,
                "1.5.0",
                "changed between 1.4.0 and 1.6.0, the nearest versions that were checked: another header (since 1.5.0)",
            ),
            ("1.6.0", Fidelity::Exact, "1.6.0", ""),
            ("1.7.0", Fidelity::Files, "1.7.0", "1.8.0 answered 9 of 10"),
            ("1.8.0", Fidelity::Files, "1.8.0", "1.8.0 answered 9 of 10"),
            ("1.9.0", Fidelity::Unchecked, "1.8.0", ""),
            (
                "1.1.0",
                Fidelity::Files,
                "1.1.0",
                "older than 1.2.0, the oldest version that was checked; what is known to have changed: a longer footer (since 1.2.0)",
            ),
            ("1.2.0-1", Fidelity::Exact, "1.2.0-1", ""),
        ] {
            let claim = claim("It", version, &replays, &[&FOOTER, &WRAPPER]);
            assert_eq!((claim.fidelity(), claim.rules.as_str()), (fidelity, rules), "{version}");
            let said = if let Standing::Uncertain(why) = &claim.standing { why.as_str() } else { "" };
            assert!(said.contains(words) && said.is_empty() == words.is_empty(), "{version}: {said}");
        }
    }

    #[test]
    fn a_change_is_part_of_its_version_and_of_later_ones() {
        for (version, has) in [("1.4.99", false), ("1.5.0", true), ("1.10", true)] {
            assert_eq!(Version(version).has(&WRAPPER), has, "{version}");
        }
    }
}
