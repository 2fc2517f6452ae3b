//! Versions that nobody checked are answered by the edition before them, and every harness says so.

use std::path::Path;

use briefing::answer::{Fidelity, Resolution, Standpoint};
use briefing::harness::custom::Customs;
use briefing::harness::{self, About};
use briefing::resolve::{Outcome, resolve};
use briefing::snapshot::Environment;

use crate::world::{Case, World};

#[test]
fn outside_the_checked_range_only_the_files_are_certain() {
    for profile in harness::ALL {
        for edition in profile.editions {
            let about = edition.about();
            let (first, last) = about.checked;
            for inside in [about.name, first, last] {
                let (told, warning) = asked(profile.id, inside);
                assert_eq!(told.edition, about.name, "{}@{inside}", profile.id);
                assert_eq!(warning, None, "{}@{inside}", profile.id);
            }
            let above = next(last);
            let (told, warning) = asked(profile.id, &above);
            let said = warning.unwrap_or_default();
            assert_eq!((told.edition.as_str(), told.fidelity), (about.name, Fidelity::Files), "{}@{above}", profile.id);
            let words =
                format!("{} {above} was not checked; the rules shown are those of {}", profile.title, about.name);
            assert!(said.starts_with(&words), "{}@{above}: {said}", profile.id);
        }
    }
}

#[test]
fn right_before_the_next_edition_everything_that_changed_is_named() {
    for profile in harness::ALL {
        for pair in profile.editions.windows(2) {
            let (about, newer) = (pair[0].about(), pair[1].about());
            let before = previous(newer.name);
            let (told, warning) = asked(profile.id, &before);
            let said = warning.unwrap_or_default();
            assert_eq!(told.edition, about.name, "{}@{before}", profile.id);
            for change in changes_until(about, &before) {
                assert!(said.contains(change), "{}@{before} does not name: {change}\n{said}", profile.id);
            }
        }
    }
}

/// What an edition says had changed by a version, as far as that is known from the version where it ended. What had changed
/// before the edition was checked is in its rules.
fn changes_until(about: &'static About, version: &str) -> impl Iterator<Item = &'static str> {
    let numbers = |version: &str| version.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u64>>();
    let (from, until) = (numbers(about.checked.0), numbers(version));
    let by_then = about.changed.iter().filter(move |change| {
        let end = change.between.split(" → ").nth(1).unwrap_or_default();
        from < numbers(end) && numbers(end) <= until
    });
    by_then.map(|change| change.what)
}

fn asked(id: &str, version: &str) -> (Resolution, Option<String>) {
    let choice = harness::choose(&format!("{id}@{version}"), &Customs::default()).expect("a version of it");
    let world = World::of(&Case::parse("-- /h/ --\n-- /r/ --\n"));
    let standpoint = Standpoint::plain(Path::new("/r"), Path::new("/h"), Environment::default());
    let Outcome::Answer(told) = resolve(&world, &choice, &standpoint) else { panic!("everything was told") };
    let warning = told.answer.warnings.iter().find(|warning| warning.code == "between-editions");
    let message = warning.map(|warning| warning.message.clone());
    (*told, message)
}

/// The version behind: the last number counts on.
fn next(version: &str) -> String {
    let (head, last) = version.rsplit_once('.').unwrap_or(("", version));
    format!("{head}{}{}", if head.is_empty() { "" } else { "." }, last.parse::<u64>().expect("a number") + 1)
}

/// A version before: the last number that is not 0 counts back, and what follows is high.
fn previous(version: &str) -> String {
    let mut numbers: Vec<u64> = version.split('.').map(|part| part.parse().expect("a number")).collect();
    let at = numbers.iter().rposition(|number| *number > 0).expect("a version above 0");
    numbers[at] -= 1;
    numbers[at + 1..].iter_mut().for_each(|number| *number = 9_999);
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}
