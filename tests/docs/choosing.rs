//! The tables of `docs/choosing.md`, made from the rules: how agents differ in what they load.

use std::fmt::Write;

use briefing::answer::MessageKind;
use briefing::harness::{ALL, Changed, Compacts, Details, Edition, Profile, Resumes};

use super::{between, read, up_to_date};
use crate::cases;
use crate::world::{Case, World};

const PAGE: &str = "docs/choosing.md";

/// The tables by their mark: the title of each column, and the phrase of [`Details::TITLES`] that it shows.
const TABLES: [(&str, &[(&str, &str)]); 5] = [
    (
        "files",
        &[
            ("files, and which comes first", "files"),
            ("outside of the project", "global"),
            ("which paths are one file", "dedupe"),
        ],
    ),
    ("limits", &[("limits, and how a text is cut", "truncation")]),
    ("nested", &[("when", "triggers"), ("below the start directory", "nested")]),
    ("sub-agents", &[("kinds of session", "sessions")]),
    ("more", &[("hooks", "hooks"), ("persona", "persona"), ("addresses", "urls"), ("patterns", "globs")]),
];

#[test]
fn the_tables_of_the_page_on_choosing_are_made_from_the_rules() {
    for (mark, columns) in TABLES {
        let mut rows = head(columns.iter().map(|(title, _)| *title));
        for (profile, details) in newest().map(|(profile, edition)| (profile, edition.about().details)) {
            let phrase = |name: &str| {
                let at = Details::TITLES.iter().position(|title| *title == name).expect("a title");
                details.phrases()[at].replace('|', "\\|")
            };
            row(&mut rows, profile, columns.iter().map(|(_, name)| phrase(name)));
        }
        up_to_date(PAGE, &between(PAGE, mark, &rows));
    }
    let mut rows = head(["after a compaction", "in a session that goes on"].into_iter());
    for (profile, edition) in newest() {
        let (compacted, resumed) = (compacted(edition.compacts()), resumed(edition.resumes()));
        if let (Some(compacted), Some(resumed)) = (&compacted, &resumed) {
            row(&mut rows, profile, [compacted.clone(), resumed.clone()].into_iter());
        } else if compacted.is_some() || resumed.is_some() {
            let known = |words: Option<String>| words.unwrap_or_else(|| "not asked".to_owned());
            row(&mut rows, profile, [known(compacted), known(resumed)].into_iter());
        }
    }
    up_to_date(PAGE, &between(PAGE, "compaction", &rows));
}

#[test]
fn the_page_on_choosing_says_what_an_empty_project_costs() {
    let case = Case::parse("-- /p/ | git --\n");
    let world = World::of(&case);
    let mut rows = head(["texts that Briefing knows whole", "texts of the client's own"].into_iter());
    for (profile, _) in newest() {
        let Ok(answer) = cases::answer(&case, &world, &format!("{} from /p", profile.id)) else { continue };
        let messages = || answer.answer.messages.iter().filter(|message| message.kind != MessageKind::Reserve);
        let bytes: usize = messages().map(|message| message.text.len()).sum();
        let named = messages().filter(|message| message.text.is_empty());
        let named: Vec<String> = named
            .map(|message| {
                format!("{} {}", message.kind, message.name.as_deref().unwrap_or_default()).trim().to_owned()
            })
            .collect();
        if bytes > 0 || !named.is_empty() {
            let named = if named.is_empty() { "not counted".to_owned() } else { named.join("; ") };
            row(&mut rows, profile, [format!("{bytes} B"), named].into_iter());
        }
    }
    up_to_date(PAGE, &between(PAGE, "empty", &rows));
}

/// Each paragraph on a use names agents that have a row, in the tables that it points to.
#[test]
fn the_uses_on_the_page_cite_rows() {
    let page = read(PAGE);
    let uses = page.split_once("## Which fits").expect("the uses").1;
    let cited =
        uses.split('`').skip(1).step_by(2).filter(|word| !word.contains([' ', '.', '/', '-']) || word.contains('-'));
    let ids: Vec<&str> = cited.filter(|word| ALL.iter().any(|profile| profile.id == *word)).collect();
    assert!(ids.len() >= 9, "{ids:?}");
    for target in uses.split("](#").skip(1).map(|rest| rest.split(')').next().unwrap_or_default()) {
        let heading = page.lines().filter_map(|line| line.strip_prefix("## "));
        let anchors: Vec<String> =
            heading.map(|title| title.to_lowercase().replace(',', "").replace(' ', "-")).collect();
        assert!(anchors.iter().any(|anchor| anchor == target), "{target} is none of {anchors:?}");
    }
}

/// Every agent with its newest edition.
fn newest() -> impl Iterator<Item = (&'static Profile, &'static dyn Edition)> {
    ALL.iter().filter_map(|profile| Some((*profile, *profile.editions.last()?)))
}

fn head(titles: impl Iterator<Item = &'static str> + Clone) -> String {
    let line = titles.clone().collect::<Vec<_>>().join(" | ");
    format!("| agent | {line} |\n|---{}|\n", "|---".repeat(titles.count()))
}

fn row(out: &mut String, profile: &Profile, cells: impl Iterator<Item = String>) {
    let _ = writeln!(out, "| `{}` | {} |", profile.id, cells.collect::<Vec<_>>().join(" | "));
}

fn compacted(compacts: Compacts) -> Option<String> {
    match compacts {
        Compacts::NotAsked => None,
        Compacts::Forgets => Some("the texts of the start; what came with files is gone".to_owned()),
        Compacts::ReadsAgain { most, but } => {
            let but = if but.is_empty() { String::new() } else { format!(", but not {}", but.join(", ")) };
            Some(format!("the texts of the start; up to {most} files read last are read again{but}"))
        }
        Compacts::KeepsTheLast => Some("the texts of the start, and as much of the end as fits".to_owned()),
    }
}

fn resumed(resumes: Resumes) -> Option<String> {
    let changed = |changed: Changed| match changed {
        Changed::Replaced => "a file that changed has its new text",
        Changed::Beside => "a file that changed has its old text and the new one",
    };
    match resumes {
        Resumes::NotAsked => None,
        Resumes::AsBefore(how) => Some(format!("all that was there; {}", changed(how))),
        Resumes::ComesAgain(how) => {
            Some(format!("all that was there, and texts of files come again; {}", changed(how)))
        }
        Resumes::WithoutFiles(how) => {
            Some(format!("the texts of the start; those of files come again with the next; {}", changed(how)))
        }
    }
}
