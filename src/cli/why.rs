//! `briefing why`: where a sentence comes from, which harnesses send it, and why the others do not.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Args;

use super::show::{here, print, print_styled};
use super::whom::{Format, Whom};
use super::words::visible;
use super::{FINDINGS, Failure, screen};
use crate::answer::{Fate, Standpoint, Trigger};
use crate::disk::Real;
use crate::engine::settings::Settings;
use crate::engine::why::why;
use crate::report::why::{Reach, Standing, Why as Found};
use crate::report::words::{self, Paths, list};
use crate::snapshot::absolute;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing why 'run the linter'                     who is told so, from which file, and who is not
  briefing why 'run the linter' --agents all
  briefing why 'run the linter' --require codex,claude-code
  briefing why 'run the linter' --cwd packages/api  for agents that are started there";

/// Arguments of `briefing why`.
#[derive(Args)]
pub(super) struct Why {
    /// A sentence, or some words of it; how it is wrapped and marked up does not matter, and letter case only if it has
    /// capitals
    #[arg(allow_hyphen_values = true, required_unless_present = "file")]
    text: Option<String>,
    /// Take the text from FILE instead; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,
    /// Exit with 1 if one of these agents does not get it, from whatever place; may be repeated
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    require: Vec<String>,
    /// How many places are shown
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    whom: Whom,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Looks, says, and exits with 1 if the text is nowhere.
pub(super) fn run(arguments: &Why) -> Result<ExitCode, Failure> {
    let (cwd, base) = arguments.whom.standing()?;
    let settings = Settings::of_harnesses(&arguments.whom.harness, &super::show::customs(&Real, &cwd))?;
    let paths = Paths::from(&Standpoint::plain(&cwd, &base.home, base.env.clone()), None);
    let sought = match (&arguments.text, &arguments.file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => super::session::read(&absolute(&here()?, file))
            .map_err(|problem| format!("--file: {}: {problem}", file.display()))?,
        (None, None) => String::new(),
    };
    let found = why(base, &cwd, settings, &sought)?;
    match arguments.format {
        Format::Json => {
            let json = serde_json::to_string_pretty(&found).map_err(|error| error.to_string())?;
            print(&format!("{json}\n"))?;
        }
        Format::Text => {
            let head = screen::judged(&found.judged, screen::width());
            print_styled(&format!("{head}{}", text(&found, &paths, arguments.limit.max(1))))?;
        }
    }
    let nowhere = found.places.is_empty() && found.elsewhere.is_empty();
    let missing: Vec<&str> = arguments.require.iter().map(String::as_str).filter(|id| !gets(&found, id)).collect();
    if !missing.is_empty() {
        eprintln!(
            "briefing: --require: {} {} not get it",
            list(&missing),
            if missing.len() == 1 { "does" } else { "do" }
        );
    }
    Ok(if nowhere || !missing.is_empty() { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS })
}

/// Whether an agent gets the text, from whatever place.
fn gets(found: &Found, id: &str) -> bool {
    let id = id.split('@').next().unwrap_or(id);
    let told = found.places.iter().flat_map(|place| &place.harnesses);
    told.clone().any(|told| told.reaches && told.harness == id) || found.elsewhere.iter().any(|own| own.harness == id)
}

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();

fn text(found: &Found, paths: &Paths, limit: usize) -> String {
    let mut out = String::new();
    for places in blocks(&found.places[..found.places.len().min(limit)]) {
        standing(&mut out, &places, paths);
    }
    if let Some(more @ 1..) = found.places.len().checked_sub(limit) {
        let _ = writeln!(out, "{FAINT}{}: --limit {}{FAINT:#}\n", words::count(more, "more place"), found.places.len());
    }
    for unfiled in &found.elsewhere {
        let from = match &unfiled.url {
            Some(url) => format!("from {url}"),
            None => "from no file: its own words, or made from what it finds".to_owned(),
        };
        let (harness, edition) = (&unfiled.harness, &unfiled.edition);
        let _ = writeln!(out, "{GOOD}●{GOOD:#} {harness} {edition} says it, {}", visible(&from));
    }
    if found.places.is_empty() && found.elsewhere.is_empty() {
        let _ = writeln!(out, "no instruction file that is read or could be read here says this, and no harness does");
    }
    if !found.near.is_empty() {
        let _ = writeln!(out, "\nthe nearest lines are");
    }
    for near in &found.near {
        let name = visible(&paths.path(Path::new(&near.path)));
        let _ = writeln!(out, "  {name}:{}  {FAINT}{}{FAINT:#}", near.line, visible(&near.text));
    }
    out
}

/// The places of one file at which the same becomes of the text.
fn blocks(places: &[Standing]) -> Vec<Vec<&Standing>> {
    let mut blocks: Vec<Vec<&Standing>> = Vec::new();
    for place in places {
        let same = |block: &&mut Vec<&Standing>| block[0].path == place.path && block[0].harnesses == place.harnesses;
        match blocks.iter_mut().find(same) {
            Some(block) => block.push(place),
            None => blocks.push(vec![place]),
        }
    }
    blocks
}

/// The places of one block, with the harnesses that get the text before those that do not.
fn standing(out: &mut String, places: &[&Standing], paths: &Paths) {
    let place = places[0];
    let name = visible(&paths.path(Path::new(&place.path)));
    let at: Vec<String> = places.iter().map(|place| format!("{}:{}", place.line, place.column)).collect();
    let _ = writeln!(out, "{BOLD}{name}:{}{BOLD:#}", at.join(", "));
    let label = |told: &Reach| format!("{} {}", told.harness, told.edition);
    let width = place.harnesses.iter().map(|told| label(told).chars().count()).max().unwrap_or(0);
    let (gets, misses): (Vec<_>, Vec<_>) = place.harnesses.iter().partition(|told| told.reaches);
    for told in gets {
        let when = told.trigger.as_deref().and_then(Trigger::named).map_or("", words::when);
        let reason = visible(&paths.text(&told.reason));
        let _ = writeln!(out, "  {GOOD}●{GOOD:#} {:<width$}  {when:<8} {FAINT}{reason}{FAINT:#}", label(told));
    }
    let (known, unknown): (Vec<_>, Vec<_>) = misses.into_iter().partition(|told| told.fate.is_some());
    for told in known {
        let (mark, fate) = match told.fate.as_deref().and_then(Fate::named) {
            // Some of the file is sent, and this is not.
            Some(fate) if fate.reaches() => ('◐', "lost"),
            Some(fate) => ('○', words::fate(fate)),
            None => ('○', ""),
        };
        let reason = visible(&paths.text(&told.reason));
        let instead = told.start.as_deref().filter(|_| !reason.contains("; start "));
        let instead = instead.map_or_else(String::new, |start| format!("; started in {} it gets it", visible(&start)));
        let _ = writeln!(
            out,
            "  {WARNING}{mark}{WARNING:#} {:<width$}  {fate:<8} {FAINT}{reason}{instead}{FAINT:#}",
            label(told)
        );
    }
    // Those that never look there are put together by their reason.
    let (started, never): (Vec<_>, Vec<_>) = unknown.into_iter().partition(|told| told.start.is_some());
    for told in started {
        let start = visible(&told.start.as_deref().unwrap_or_default());
        let _ = writeln!(
            out,
            "  {WARNING}○{WARNING:#} {:<width$}  not here {FAINT}started in {start} it gets it{FAINT:#}",
            label(told)
        );
    }
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for told in never {
        // The reason begins with the agent's name, for people.
        let reason = paths.text(&told.reason);
        let reason = match reason.split_once(" does not ").or_else(|| reason.split_once(" looks ")) {
            Some((title, _)) => reason[title.len() + 1..].to_owned(),
            None => reason,
        };
        match reasons.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, labels)) => labels.push(label(told)),
            None => reasons.push((reason, vec![label(told)])),
        }
    }
    for (reason, labels) in reasons {
        let _ = writeln!(out, "  {FAINT}○ not read by {}: {}{FAINT:#}", list(&labels), visible(&reason));
    }
    out.push('\n');
}
