//! A version is called exact only where it was replayed on the real client, or lies between two that were and have the
//! same rules; and every harness says so where that is not the case.

use std::path::Path;

use briefing::answer::{Fidelity, Resolution, Standpoint};
use briefing::harness;
use briefing::harness::custom::Customs;
use briefing::harness::history::{self, Replay};
use briefing::resolve::{Outcome, resolve};
use briefing::snapshot::Environment;

use crate::world::{Case, World};

#[test]
fn what_was_not_checked_is_not_called_exact() {
    for profile in harness::ALL {
        for (version, fidelity, code) in
            [("99999.0", Fidelity::Unchecked, "unchecked-version"), ("0.0.1", Fidelity::Files, "between-editions")]
        {
            let told = asked(profile.id, version);
            assert_eq!(told.claim.fidelity(), fidelity, "{}@{version}", profile.id);
            assert!(warning(&told, code).is_some(), "{}@{version} does not say so", profile.id);
        }
    }
}

#[test]
fn what_was_only_read_is_not_called_exact() {
    // These two are designs, and Briefing is what shows them.
    let is_design = |id| matches!(id, "etcode" | "agentcore");
    for profile in harness::ALL.iter().filter(|profile| !is_design(profile.id)) {
        let edition = harness::newest(profile).edition().about().name;
        if harness::is_month(edition) {
            assert_eq!(asked(profile.id, edition).fidelity, Fidelity::Files, "{}", profile.id);
        }
    }
}

#[test]
fn an_edition_and_the_versions_it_was_checked_on_are_answered_by_it() {
    for profile in harness::ALL {
        for about in profile.editions.iter().map(|edition| edition.about()) {
            let told = asked(profile.id, about.name);
            assert_eq!((told.edition.as_str(), told.claim.fidelity()), (about.name, Fidelity::Exact), "{}", profile.id);
            if profile.history.is_none() {
                let told = asked(profile.id, about.checked.0);
                assert_eq!(
                    (told.edition.as_str(), told.claim.fidelity()),
                    (about.name, Fidelity::Exact),
                    "{}",
                    profile.id
                );
            }
        }
    }
}

#[test]
fn a_version_that_was_replayed_without_a_difference_is_exact() {
    for profile in harness::ALL {
        let Some(history) = profile.history else { continue };
        assert!(history.replays.iter().any(Replay::is_clean), "{}", profile.id);
        for replay in history.replays.iter() {
            let told = asked(profile.id, &replay.version);
            let clean = if replay.is_clean() { Fidelity::Exact } else { Fidelity::Files };
            assert_eq!(told.claim.fidelity(), clean, "{}@{}", profile.id, replay.version);
            assert_eq!(told.claim.running.as_deref(), Some(replay.version.as_str()));
        }
    }
}

#[test]
fn what_was_replayed_and_what_changed_names_versions_and_cases_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for profile in harness::ALL {
        let Some(history) = profile.history else { continue };
        let file = root.join(format!("conformance/versions/{}.toml", profile.id));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let written = table["version"].as_array().map_or(0, Vec::len);
        assert_eq!(history::replays(&text).len(), written, "{}", file.display());
        for pair in history.replays.windows(2) {
            assert!(history::compare(&pair[0].version, &pair[1].version).is_lt(), "{}", profile.id);
        }
        for pair in history.changes.windows(2) {
            assert!(history::compare(pair[0].since, pair[1].since).is_le(), "{}: {}", profile.id, pair[1].what);
        }
        let named = history.changes.iter().flat_map(|change| change.cases.iter().copied());
        let replayed = history.replays.iter().flat_map(|replay| [&replay.different, &replay.failed, &replay.refused]);
        for case in named.chain(replayed.flatten().map(String::as_str)) {
            assert!(root.join("cases").join(format!("{case}.txt")).is_file(), "{}: no case {case}", profile.id);
        }
    }
}

/// Two runs that asked as much are taken for runs of the same cases.
#[test]
fn where_two_neighbours_answered_otherwise_a_change_lies_between_them() {
    for profile in harness::ALL {
        let Some(history) = profile.history else { continue };
        for pair in history.replays.windows(2).filter(|pair| pair[0].asked == pair[1].asked) {
            let [older, newer] = [&pair[0], &pair[1]];
            let lies_between = |since: &str| {
                history::compare(&older.version, since).is_lt() && history::compare(since, &newer.version).is_le()
            };
            assert!(
                older.answers == newer.answers || history.changes.iter().any(|change| lies_between(change.since)),
                "{}: {} and {} answer otherwise",
                profile.id,
                older.version,
                newer.version
            );
        }
    }
}

#[test]
fn the_cases_that_are_replayed_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let lists =
        std::fs::read_dir(root.join("conformance/versions")).expect("lists").map(|entry| entry.expect("a list").path());
    let lists: Vec<_> = lists.filter(|path| path.extension().is_some_and(|ending| ending == "cases")).collect();
    assert!(!lists.is_empty());
    for list in lists {
        let text = std::fs::read_to_string(&list).expect("a list is text");
        for case in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            assert!(root.join("cases").join(format!("{case}.txt")).is_file(), "{}: no case {case}", list.display());
        }
    }
}

#[test]
fn right_before_the_next_edition_the_one_before_it_is_shown_and_named() {
    for profile in harness::ALL.iter().filter(|profile| profile.history.is_none()) {
        for pair in profile.editions.windows(2) {
            let (about, newer) = (pair[0].about(), pair[1].about());
            let before = previous(newer.name);
            let told = asked(profile.id, &before);
            assert_eq!(told.edition, about.name, "{}@{before}", profile.id);
            let said = warning(&told, "between-editions").unwrap_or_default();
            assert!(
                said.contains(&format!("the rules shown are those of {}", about.name)),
                "{}@{before}: {said}",
                profile.id
            );
        }
    }
}

#[test]
fn settings_of_earlier_versions_that_no_rules_were_made_of_are_doubted() {
    for settings in [r#"{"experimental": {"jitContext": false}}"#, r#"{"context": {"fileName": ["X.md", ""]}}"#] {
        let files = format!("-- /h/.gemini/settings.json --\n{settings}\n-- /r/GEMINI.md --\nR\n");
        let fidelity = |version: &str| asked_about("gemini-cli", version, &files).fidelity;
        assert_eq!((fidelity("0.47.0"), fidelity("0.43.0")), (Fidelity::Exact, Fidelity::Files), "{settings}");
    }
}

fn asked(id: &str, version: &str) -> Resolution {
    asked_about(id, version, "-- /h/ --\n-- /r/ --\n")
}

fn asked_about(id: &str, version: &str, files: &str) -> Resolution {
    let choice = harness::choose(&format!("{id}@{version}"), &Customs::default()).expect("a version of it");
    let world = World::of(&Case::parse(files));
    let standpoint = Standpoint::plain(Path::new("/r"), Path::new("/h"), Environment::default());
    let Outcome::Answer(told) = resolve(&world, &choice, &standpoint) else { panic!("everything was told") };
    *told
}

fn warning<'a>(told: &'a Resolution, code: &str) -> Option<&'a str> {
    told.answer.warnings.iter().find(|warning| warning.code == code).map(|warning| warning.message.as_str())
}

/// A version before: the last number that is not 0 counts back, and what follows is high.
fn previous(version: &str) -> String {
    let mut numbers: Vec<u64> = version.split('.').map(|part| part.parse().expect("a number")).collect();
    let at = numbers.iter().rposition(|number| *number > 0).expect("a version above 0");
    numbers[at] -= 1;
    numbers[at + 1..].iter_mut().for_each(|number| *number = 9_999);
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}
