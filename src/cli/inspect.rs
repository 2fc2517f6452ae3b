//! `briefing inspect`: what a repository tells agents, makes them run and allows them, before one is started in it.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Args;

use super::show::{print_json, print_screen};
use super::whom::{Format, Home, here, searched};
use super::{Failure, lines, screen};
use crate::disk::Real;
use crate::engine::inspect::inspect;
use crate::engine::settings::Settings;
use crate::report::escape::visible;
use crate::report::grants::Grant;
use crate::report::inspection::{Inspection, OfAgent};
use crate::report::words::count;
use crate::text::grouped;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing inspect ~/Downloads/project     before an agent is started in a strange repository
  briefing inspect --agents claude-code    only for Claude Code
  briefing inspect --format json           everything, with file and line";

/// Maximum number of lines of one kind that are shown.
const SHOWN: usize = 8;

/// Arguments of `briefing inspect`.
#[derive(Args)]
pub(super) struct Inspect {
    /// The repository [default: the working directory]
    dir: Option<PathBuf>,
    /// Only these agents, as in `briefing show`
    #[arg(long = "agents", visible_alias = "harness", value_name = "ID[@VERSION]|mine|all", value_delimiter = ',')]
    harness: Vec<String>,
    #[command(flatten)]
    home: Home,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Inspects the repository, and says what is found.
pub(super) fn run(arguments: &Inspect) -> Result<ExitCode, Failure> {
    let here = here()?;
    let root = searched("DIR", arguments.dir.as_deref(), &here)?;
    let defaults = arguments.home.defaults(&root)?;
    let settings = Settings::of_harnesses(&arguments.harness, &super::show::customs(&Real, &root))?;
    let mut found = inspect(defaults, &root, settings)?;
    if !arguments.harness.is_empty() && !arguments.harness.iter().any(|word| word == "all" || word == "mine") {
        found.agents.retain(|one| found.judged.iter().any(|judged| judged.agent == one.agent));
    }
    match arguments.format {
        Format::Json => print_json(&found)?,
        Format::Text => print_screen(&text(&found, lines::width()))?,
    }
    Ok(ExitCode::SUCCESS)
}

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const WARNS: Style = AnsiColor::Yellow.on_default();

fn text(found: &Inspection, width: usize) -> String {
    let mut out = screen::judged(&found.judged, width);
    section(&mut out, "Runs", &merged(found, |one| &one.runs), width);
    section(&mut out, "Allows", &merged(found, |one| &one.allows), width);
    if !found.hidden.is_empty() {
        let _ = writeln!(out, "{BOLD}Not what it looks like{BOLD:#}");
        for note in found.hidden.iter().take(SHOWN) {
            let line = note.line.map_or_else(String::new, |line| format!(":{line}"));
            let said = fitted(&format!("{}{line}  {}", visible(&note.path), visible(&note.what)), width - 2);
            let _ = writeln!(out, "  {WARNS}{said}{WARNS:#}");
        }
        more(&mut out, found.hidden.len());
        out.push('\n');
    }
    let _ = writeln!(out, "{BOLD}Tells{BOLD:#}");
    for one in found.agents.iter().filter(|one| !one.told.is_empty()).take(SHOWN) {
        let bytes: usize = one.told.iter().map(|told| told.bytes).sum();
        let names: Vec<&str> = one.told.iter().map(|told| told.path.as_str()).collect();
        let said = format!("{:<15}  {} B  {}", one.agent, grouped(bytes), visible(&names.join(", ")));
        let _ = writeln!(out, "  {}", fitted(&said, width - 2));
    }
    if found.agents.iter().all(|one| one.told.is_empty()) {
        let _ = writeln!(out, "  {FAINT}nothing, to the agents above{FAINT:#}");
    }
    more(&mut out, found.agents.iter().filter(|one| !one.told.is_empty()).count());
    let _ = writeln!(
        out,
        "\n{FAINT}Read from files; nothing was run. Everything, with file and line: --format json{FAINT:#}"
    );
    out
}

/// Returns the grants in one list of every agent; equal ones are merged.
fn merged(found: &Inspection, list: impl Fn(&OfAgent) -> &Vec<Grant>) -> Vec<Grant> {
    let mut all: Vec<Grant> = Vec::new();
    for grant in found.agents.iter().flat_map(list) {
        let key = |grant: &Grant| (grant.path.clone(), grant.line, grant.kind, grant.what.clone(), grant.when.clone());
        match all.iter_mut().find(|other| key(other) == key(grant)) {
            Some(other) => other.agents.extend(grant.agents.clone()),
            None => all.push(grant.clone()),
        }
    }
    all.sort_by(|one, other| (one.kind, &one.path, one.line).cmp(&(other.kind, &other.path, other.line)));
    all
}

fn section(out: &mut String, title: &str, all: &[Grant], width: usize) {
    let _ = writeln!(out, "{BOLD}{title}{BOLD:#}");
    if all.is_empty() {
        let _ = writeln!(out, "  {FAINT}nothing that the settings of known clients name{FAINT:#}");
    }
    for grant in all.iter().take(SHOWN) {
        let place = format!("{}:{}", visible(&grant.path), grant.line);
        let said = format!("{:<10}  {}", grant.kind.word(), visible(&grant.what.replace('\n', " ")));
        let about = format!("{}: {}", grant.agents.join(", "), visible(&grant.when));
        let _ = writeln!(out, "  {}", fitted(&said, width - 2));
        let _ = writeln!(out, "  {FAINT}{:<10}  {}{FAINT:#}", "", fitted(&format!("{place}  {about}"), width - 14));
    }
    more(out, all.len());
    out.push('\n');
}

fn more(out: &mut String, all: usize) {
    if let Some(rest) = all.checked_sub(SHOWN).filter(|rest| *rest > 0) {
        let _ = writeln!(out, "  {FAINT}and {}{FAINT:#}", count(rest, "more line"));
    }
}

/// Cuts a line to the width of the screen.
fn fitted(line: &str, width: usize) -> String {
    match line.char_indices().nth(width) {
        Some(_) => line.chars().take(width - 1).chain(['…']).collect(),
        None => line.to_owned(),
    }
}
