//! `briefing why`: where a sentence comes from, which harnesses send it, and why the others do not.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Args;

use super::show::{print, print_styled};
use super::whom::{Format, Whom};
use super::words::visible;
use super::{FINDINGS, Failure, screen};
use crate::answer::{Fate, Standpoint, Trigger};
use crate::disk::Real;
use crate::engine::settings::Settings;
use crate::engine::why::why;
use crate::report::why::{Reach, Standing, Why as Found};
use crate::report::words::{self, Paths, list};

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing why 'run the linter'                     who is told so, from which file, and who is not
  briefing why 'run the linter' --harness all
  briefing why 'run the linter' --cwd packages/api  for agents that are started there";

/// Arguments of `briefing why`.
#[derive(Args)]
pub(super) struct Why {
    /// A sentence, or some words of it; how it is wrapped does not matter
    text: String,
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
    let found = why(base, &cwd, settings, &arguments.text)?;
    match arguments.format {
        Format::Json => {
            let json = serde_json::to_string_pretty(&found).map_err(|error| error.to_string())?;
            print(&format!("{json}\n"))?;
        }
        Format::Text => {
            let head = screen::judged(&found.judged, screen::width());
            print_styled(&format!("{head}{}", text(&found, &paths)))?;
        }
    }
    let nowhere = found.places.is_empty() && found.elsewhere.is_empty();
    Ok(if nowhere { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS })
}

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();

fn text(found: &Found, paths: &Paths) -> String {
    let mut out = String::new();
    for place in &found.places {
        standing(&mut out, place, paths);
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

/// One place, with the harnesses that get it before those that do not.
fn standing(out: &mut String, place: &Standing, paths: &Paths) {
    let name = visible(&paths.path(Path::new(&place.path)));
    let _ = writeln!(out, "{BOLD}{name}:{}:{}{BOLD:#}", place.line, place.column);
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
    // Those that never look there have nothing more to say about it.
    let (started, never): (Vec<_>, Vec<_>) = unknown.into_iter().partition(|told| told.start.is_some());
    for told in started {
        let start = visible(&told.start.as_deref().unwrap_or_default());
        let _ = writeln!(
            out,
            "  {WARNING}○{WARNING:#} {:<width$}  not here {FAINT}started in {start} it gets it{FAINT:#}",
            label(told)
        );
    }
    if !never.is_empty() {
        let never: Vec<String> = never.into_iter().map(label).collect();
        let _ = writeln!(out, "  {FAINT}○ not read by {}{FAINT:#}", list(&never));
    }
    out.push('\n');
}
