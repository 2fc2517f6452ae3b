//! `briefing harnesses`: what Briefing knows, and what people compare agents by.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::show::{customs, installed, print_json, print_screen, print_styled, roster, say};
use super::whom::Format;
use super::{Failure, lines};
use crate::answer::{Claim, Replayed};
use crate::disk::Real;
use crate::harness::custom::Customs;
use crate::harness::history::Replay;
use crate::harness::{self, Details};
use crate::queries::installed::{Installations, Installed};
use crate::queries::roster::{ALL_OF_THEM, MINE, Roster};
use crate::records::holds;
use crate::report::escape::visible;
use crate::report::roster::{Because, Mine, UsedHere};
use crate::request::Defaults;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing harnesses
  briefing harnesses --details --agents codex,claude-code";

/// Arguments of `briefing harnesses`.
#[derive(Args)]
pub(super) struct Harnesses {
    /// Compare them: file names, triggers, place in the prompt, truncation …
    #[arg(long)]
    details: bool,
    /// Only these agents: codex,opencode@1.1; may be repeated
    #[arg(long = "agents", visible_alias = "harness", value_name = "ID[@VERSION]", value_delimiter = ',')]
    harness: Vec<String>,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The rules of an agent for a range of versions, or a custom agent.
#[derive(Serialize)]
struct Row {
    harness: String,
    edition: String,
    title: String,
    summary: String,
    /// First and last version that the rules were checked on; `null` for a custom agent.
    checked: Option<(String, String)>,
    /// Claim about the version that is used if none is named; `None` for other rules.
    #[serde(skip)]
    claim: Option<Claim>,
    /// Installed version that has these rules, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    installed: Option<String>,
    /// A phrase by topic, in the order of [`Details::TITLES`].
    #[serde(skip_serializing_if = "Map::is_empty")]
    details: Map<String, Value>,
    /// Contents of the agent's recorded sessions; only with `--details`.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<&'static str>,
    /// Facts that hold for all versions of the agent; only with `--details`.
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<Facts>,
}

/// Files of an agent, settings that matter, changes by version, and replayed versions.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Facts {
    instruction_files: &'static [&'static str],
    settings_files: &'static [&'static str],
    keys: Vec<Value>,
    changes: Vec<Value>,
    replayed: Vec<Value>,
}

impl Facts {
    fn of(profile: &harness::Profile) -> Facts {
        let keys = profile.keys.iter().map(|of| {
            let named = of.keys.iter().map(|key| json!({"name": key.name, "meaning": key.meaning}));
            json!({"files": of.files, "keys": named.collect::<Vec<_>>()})
        });
        let changes = profile.history.map(|history| history.changes).unwrap_or_default();
        let replays = profile.history.map(|history| history.replays.as_slice()).unwrap_or_default();
        let replayed =
            |one: &Replay| json!({"version": one.version, "date": one.date, "asked": one.asked, "equal": one.equal});
        Facts {
            instruction_files: profile.instruction_names,
            settings_files: profile.settings_names,
            keys: keys.collect(),
            changes: changes
                .iter()
                .map(|change| json!({"since": change.since, "what": change.what, "cases": change.cases}))
                .collect(),
            replayed: replays.iter().map(replayed).collect(),
        }
    }
}

/// Prints the list, or the comparison.
#[expect(clippy::disallowed_methods, reason = "the command line is where the working directory is read")]
pub(super) fn run(arguments: &Harnesses) -> Result<ExitCode, Failure> {
    let here = std::env::current_dir().map_err(|error| format!("the working directory cannot be read: {error}"))?;
    let customs = customs(&Real, &here);
    for problem in &customs.problems {
        say(&problem.to_string());
    }
    let defaults = Defaults { customs: Arc::new(customs), ..super::defaults(None) };
    let installed = versions(&here, &defaults);
    let used = used_here(&roster(&here, &defaults), &installed, &defaults.customs)?;
    let rows = rows(&defaults.customs, &installed, &used, arguments)?;
    match arguments.format {
        Format::Json => print_json(&json!({ "harnesses": rows, "roster": used }))?,
        Format::Text if arguments.details => print_styled(&side_by_side(&rows, lines::width()))?,
        Format::Text => {
            print_screen(&list(&rows, &used, &here, &defaults.home, lines::width()))?;
            if used.assumed {
                say("nothing here shows which agents you use; those that most people use are taken");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the installed version of every agent, as seen from `here`.
fn versions(here: &Path, defaults: &Defaults) -> Installations {
    let look = |profile: &&'static harness::Profile| (profile.id.to_owned(), installed(profile, here, defaults));
    Installations { found: harness::ALL.iter().map(look).collect(), ..defaults.installed.clone() }
}

/// Converts the roster, with the rules that are used for each agent.
fn used_here(roster: &Roster, installed: &Installations, customs: &Customs) -> Result<UsedHere, String> {
    let choices: Result<Vec<_>, _> = roster.mine.iter().map(|used| installed.choose(&used.id, customs)).collect();
    Ok(UsedHere::of(roster, &choices?, installed))
}

fn rows(
    customs: &Customs,
    installations: &Installations,
    used: &UsedHere,
    arguments: &Harnesses,
) -> Result<Vec<Row>, String> {
    let details = |phrases: Vec<String>| -> Map<String, Value> {
        let all = Details::TITLES.into_iter().zip(phrases).map(|(topic, text)| (topic.to_owned(), text.into()));
        all.filter(|_| arguments.details).collect()
    };
    let built_in = harness::ALL.iter().flat_map(|profile| {
        let version = match installations.found.get(profile.id) {
            Some(Installed::Version(version, _)) => Some(version),
            Some(Installed::Unversioned(_) | Installed::Nowhere) | None => None,
        };
        let chosen = installations.choose(profile.id, customs).ok();
        let chosen = chosen.map(|choice| (choice.edition().about().name, replayed(profile, choice.claim.clone())));
        // The newest first: that is the one that counts when no version is named.
        profile.editions.iter().rev().map(move |edition| {
            let about = edition.about();
            let claim = chosen.as_ref().filter(|(name, _)| *name == about.name).map(|(_, claim)| claim.clone());
            Row {
                harness: profile.id.to_owned(),
                edition: about.name.to_owned(),
                title: profile.title.to_owned(),
                summary: profile.summary.to_owned(),
                checked: Some((about.checked.0.to_owned(), about.checked.1.to_owned())),
                installed: version.filter(|_| claim.is_some()).cloned(),
                claim,
                details: details(about.details.phrases().map(str::to_owned).to_vec()),
                records: holds(profile.id).filter(|_| arguments.details),
                facts: arguments.details.then(|| Facts::of(profile)),
            }
        })
    });
    let declared = customs.harnesses.iter().map(|custom| Row {
        harness: custom.id.clone(),
        edition: "custom".to_owned(),
        title: custom.title.clone(),
        summary: custom.summary.clone(),
        checked: None,
        installed: None,
        claim: None,
        details: details(custom.details.clone()),
        records: None,
        facts: None,
    });
    // A custom agent replaces a built-in one of the same name.
    let built_in = built_in.filter(|row| customs.harness(&row.harness).is_none());
    let mut all: Vec<Row> = built_in.chain(declared).collect();
    // Agents of the roster come first, in its order; the editions of an agent keep their order.
    all.sort_by_key(|row| used.mine.iter().position(|mine| mine.harness == row.harness).unwrap_or(usize::MAX));
    wanted(all, customs, installations, used, arguments)
}

/// Keeps the rows of the requested agents; all rows if none is named.
fn wanted(
    all: Vec<Row>,
    customs: &Customs,
    installations: &Installations,
    used: &UsedHere,
    arguments: &Harnesses,
) -> Result<Vec<Row>, String> {
    let named = |spec: &&String| **spec != MINE && **spec != ALL_OF_THEM || customs.harness(spec).is_some();
    let words: Vec<_> = arguments.harness.iter().filter(|spec| !named(spec)).collect();
    if arguments.harness.is_empty() || words.iter().any(|word| *word == ALL_OF_THEM) {
        return Ok(all);
    }
    let mut wanted: Vec<(String, Option<&str>)> = Vec::new();
    if !words.is_empty() {
        wanted.extend(used.mine.iter().map(|mine| (mine.harness.clone(), None)));
    }
    for spec in arguments.harness.iter().filter(named) {
        let choice = installations.choose(spec, customs)?;
        let name = choice.edition().about().name;
        wanted.push((choice.id().to_owned(), spec.contains('@').then_some(name)));
    }
    let is_wanted = |row: &Row| {
        wanted.iter().any(|(id, edition)| *id == row.harness && edition.is_none_or(|edition| edition == row.edition))
    };
    Ok(all.into_iter().filter(is_wanted).collect())
}

/// Completes a claim with the first and the last replayed version, unless the client's own version is known.
fn replayed(profile: &harness::Profile, claim: Claim) -> Claim {
    let replays = profile.history.filter(|_| claim.running.is_none()).map(|history| history.replays.as_slice());
    match replays.unwrap_or_default() {
        [] => claim,
        [first, ..] => {
            let last = replays.and_then(<[_]>::last).unwrap_or(first);
            let checked = (first.version.clone(), last.version.clone());
            Claim { checked, verified: Some(last.date.clone()), ..claim }
        }
    }
}

/// Indentation of text that is written below its agent, in columns.
const BELOW: usize = 4;
/// Minimum width of a column of text; a narrower one is written below the names.
const NARROW: usize = 30;

/// Renders a line for each agent: the version that runs, the rules that are shown, and how these are known.
fn list(rows: &[Row], used: &UsedHere, here: &Path, home: &Path, width: usize) -> String {
    let head = ["", "running", "rules", "checked on", "by", "last", ""].map(str::to_owned);
    let lines: Vec<[String; 7]> =
        rows.chunk_by(|one, next| one.harness == next.harness).map(|of| line(of, used, here, home)).collect();
    let of_column =
        |column: usize| lines.iter().chain([&head]).map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len() - 1).map(of_column).collect();
    let of_columns: usize = widths.iter().map(|width| width + 2).sum();
    let mut out = String::new();
    for line in [&head].into_iter().chain(&lines) {
        let columns = line.iter().zip(&widths).map(|(text, &width)| format!("{text:<width$}  ")).collect::<String>();
        let remarks = &line[widths.len()];
        let _ = match of_columns + remarks.chars().count() <= width {
            true => writeln!(out, "{}", format!("{columns}{remarks}").trim_end()),
            // What does not fit beside the columns stands below them, and so do the later columns of a narrow terminal.
            false => writeln!(out, "{}", columns.trim_end()),
        };
        if of_columns + remarks.chars().count() > width {
            let below = lines::wrapped(remarks, width.saturating_sub(BELOW));
            below.iter().for_each(|text| out.push_str(&format!("{:BELOW$}{text}\n", "")));
        }
    }
    out
}

/// Returns the columns of the line about one agent.
fn line(of: &[Row], used: &UsedHere, here: &Path, home: &Path) -> [String; 7] {
    let row = of.iter().find(|row| row.claim.is_some()).unwrap_or(&of[0]);
    let mine = used.mine.iter().find(|mine| mine.harness == row.harness);
    let others: Vec<&str> =
        of.iter().filter(|other| other.edition != row.edition).map(|row| row.edition.as_str()).collect();
    let others = (!others.is_empty()).then(|| format!("also {}", others.join(", ")));
    let remarks: Vec<String> = mine.map(|mine| yours(mine, here, home)).into_iter().chain(others).collect();
    let (first, last) = row.checked.clone().unwrap_or_default();
    let claim = row.claim.clone().unwrap_or_else(|| Claim {
        rules: row.edition.clone(),
        checked: (first, last),
        ..Claim::default()
    });
    let (first, last) = &claim.checked;
    [
        format!("{} {}", if mine.is_some() { '●' } else { ' ' }, row.harness),
        visible(&claim.running.unwrap_or_default()),
        claim.rules,
        if first == last { first.clone() } else { format!("{first} to {last}") },
        known_by(row).to_owned(),
        claim.verified.unwrap_or_default(),
        visible(&remarks.join("; ")),
    ]
}

/// Returns how the rules are known. Rules that are named after a month come from reading the agent's source, and were
/// not compared with the client.
fn known_by(row: &Row) -> &'static str {
    let here = row.claim.as_ref().is_some_and(|claim| claim.replayed == Replayed::Here);
    match &row.checked {
        Some(_) if here => "this machine",
        None => "you",
        Some((first, _)) if *first == row.edition && harness::is_month(first) => "reading",
        Some(_) => "client",
    }
}

/// Returns why an agent counts as used, in a few words.
fn yours(mine: &Mine, here: &Path, home: &Path) -> String {
    let because: Vec<String> = mine.because.iter().map(Because::words).collect();
    let because = if because.is_empty() { "assumed".to_owned() } else { because.join(", ") };
    let workspace = mine.workspace.as_ref().map_or_else(String::new, |dir| format!(", {dir} looks like its workspace"));
    let home = format!("{}/", home.display());
    let here = format!("{}/", here.display());
    format!("{because}{workspace}").replace(&here, "").replace(&home, "~/")
}

/// Renders the comparison topic by topic, so that agents can be compared line by line.
fn side_by_side(rows: &[Row], width: usize) -> String {
    let mut out = String::new();
    let of_names = rows.iter().map(|row| name(row).len()).max().unwrap_or(0);
    let add = |out: &mut String, name: &str, text: &str| {
        let beside = width.saturating_sub(of_names + 4);
        let lines = lines::wrapped(&visible(&text), if beside < NARROW { width.saturating_sub(BELOW) } else { beside });
        let indent = if beside < NARROW { BELOW } else { of_names + 4 };
        let gap = if beside < NARROW { format!("\n{:indent$}", "") } else { "  ".to_owned() };
        let text = lines.join(&format!("\n{:indent$}", ""));
        let _ = writeln!(out, "{}", format!("  {name:<of_names$}{gap}{text}").trim_end());
    };
    for topic in Details::TITLES {
        let _ = writeln!(out, "{}{topic}", if out.is_empty() { "" } else { "\n" });
        for row in rows {
            let text = row.details.get(topic).and_then(Value::as_str).unwrap_or_default();
            add(&mut out, &name(row), text);
        }
    }
    let _ = writeln!(out, "\nrecords");
    for of in rows.chunk_by(|one, next| one.harness == next.harness) {
        let holds = holds(&of[0].harness).unwrap_or("not looked into");
        add(&mut out, &of[0].harness, holds);
    }
    out
}

fn name(row: &Row) -> String {
    if row.checked.is_some() { format!("{}@{}", row.harness, row.edition) } else { row.harness.clone() }
}
