//! `briefing compare`: what a change to the working tree does to what each harness tells.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};

use super::Failure;
use super::show::{Asked, asked, here, print, print_styled};
use super::words::visible;
use crate::disk::{AtRevision, Real};
use crate::report::compare::{Comparison, compare};
use crate::request::{OneOrMany, Places, Request};
use crate::snapshot::absolute;

/// Arguments of `briefing compare`.
#[derive(Args)]
pub(super) struct Compare {
    /// The file the agent would read, relative to where it is started; without it, the start of a session
    file: Option<PathBuf>,
    /// The revision to compare the working tree with: a branch, a tag, a hash, HEAD~2
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    base: String,
    /// Only this harness, or this edition of it; may be repeated
    #[arg(long, value_name = "ID[@EDITION]")]
    harness: Vec<String>,
    /// Where the agent is started [default: the working directory]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The home directory to assume
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// How to print the differences
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// As `briefing/compare` says them, one for each harness
    Json,
}

/// Asks for both, and says what is different.
pub(super) fn run(arguments: &Compare) -> Result<ExitCode, Failure> {
    let here = here()?;
    let mut request = Request::default();
    if !arguments.harness.is_empty() {
        request.harness = Some(OneOrMany::Many(arguments.harness.clone()));
    }
    let cwd = arguments.cwd.as_ref().map_or_else(|| here.clone(), |cwd| here.join(cwd));
    let places = Places { cwd, target: arguments.file.clone(), read_before: Vec::new(), already_loaded: Vec::new() };
    let defaults = super::defaults(arguments.home.as_ref().map(|home| absolute(&here, home)));
    let before = AtRevision::open(&Real, &places.cwd, &arguments.base)?;
    let Asked { answers: before, .. } = asked(&before, &request, &places, defaults.clone())?;
    let Asked { answers: now, .. } = asked(&Real, &request, &places, defaults)?;
    let mut comparisons = Vec::new();
    for now in &now {
        // A harness that is declared only now has nothing to be compared with.
        let Some(before) = before.iter().find(|before| before.harness == now.harness) else { continue };
        let mut comparison = compare(before, now);
        let _ = write!(comparison.left, " at {}", arguments.base);
        comparisons.push(comparison);
    }
    match arguments.format {
        Format::Json => {
            let json = serde_json::to_string_pretty(&comparisons).map_err(|error| error.to_string())?;
            print(&format!("{json}\n"))?;
        }
        Format::Text => print_styled(&words(&comparisons))?,
    }
    Ok(ExitCode::SUCCESS)
}

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

fn words(comparisons: &[Comparison]) -> String {
    let mut out = String::new();
    let (same, other): (Vec<_>, Vec<_>) = comparisons.iter().partition(|one| one.same && one.differences.is_empty());
    for comparison in other {
        let _ = writeln!(out, "{BOLD}{}{BOLD:#}, now and {}", visible(&comparison.right), visible(&comparison.left));
        for difference in &comparison.differences {
            let (mark, color) = match difference.kind.as_str() {
                "added" => ('+', AnsiColor::Green),
                "lost" => ('-', AnsiColor::Red),
                _ => ('~', AnsiColor::Yellow),
            };
            let style = color.on_default();
            let (kind, name, message) = (&difference.kind, visible(&difference.name), visible(&difference.message));
            let _ = writeln!(out, "  {style}{mark} {kind:<6}{style:#} {name}  {FAINT}{message}{FAINT:#}");
        }
        if comparison.differences.is_empty() {
            let _ = writeln!(out, "  {FAINT}the same files with other text{FAINT:#}");
        }
    }
    if !same.is_empty() {
        let names: Vec<&str> = same.iter().filter_map(|one| one.right.split(" from ").next()).collect();
        let _ = writeln!(out, "{FAINT}the same for {}{FAINT:#}", names.join(", "));
    }
    out
}
