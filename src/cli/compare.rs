//! `briefing compare`: what a change does to what each agent is told, two sides of any kind, and what reaches everyone.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::show::{Asked, Editions, asked, print, print_styled, print_words};
use super::whom::{Home, directory, here};
use super::{Failure, lines, screen};
use crate::answer::Resolution;
use crate::disk::Real;
use crate::engine::change::{Changing, change};
use crate::engine::settings::Settings;
use crate::report::compare::{Comparison, Difference};
use crate::report::credentials::starred;
use crate::report::escape::visible;
use crate::report::words::Paths;
use crate::request::{OneOrMany, Places, Request};

pub(super) mod changed;
mod everyone;
mod sides;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing compare                           what the uncommitted changes do
  briefing compare --base main               what this branch does, since it left main
  briefing compare --base v1.2..v1.3         what changed between two revisions; A...B since they parted
  briefing compare --base main --exit-code   exit with 1 if anything changes
  briefing compare --agents codex --format json
  briefing compare --left codex --right claude-code
  briefing compare --left 'opencode agent=plan' --right 'opencode agent=build'
  briefing compare --all                     which lines reach which of your agents";

/// Arguments of `briefing compare`.
#[derive(Args)]
pub(super) struct Compare {
    /// The file the agent would read, relative to where it is started; without it, every moment that the change may
    /// touch
    file: Option<PathBuf>,
    /// The revision since which the working tree changed: a branch, a tag, a hash, HEAD~2. Counts from where the two
    /// parted, as in a pull request; A..B and A...B compare two revisions
    #[arg(long, value_name = "REV|A..B|A...B", default_value = "HEAD")]
    base: String,
    /// The fork that the change comes from, to be named: git does not know, and a pull request does
    #[arg(long, value_name = "OWNER/NAME", conflicts_with_all = ["left", "all"])]
    fork: Option<String>,
    /// One side, instead of a revision: an agent, and what else tells it from the other, such as agent=plan,
    /// model=NAME, session=subagent, cwd=packages/api, file=src/a.ts, revision=main
    #[arg(long, value_name = "ID [NAME=VALUE]…", requires = "right", conflicts_with_all = ["base", "harness"])]
    left: Option<String>,
    /// The other side
    #[arg(long, value_name = "ID [NAME=VALUE]…", requires = "left", conflicts_with_all = ["base", "harness"])]
    right: Option<String>,
    /// Show which lines reach which of your agents, as the files are now
    #[arg(long, conflicts_with_all = ["base", "left", "right", "exit_code"])]
    all: bool,
    /// The version of agents that are named without one [default: auto, and newest where none is installed]
    #[arg(long = "rules", alias = "edition", value_enum)]
    edition: Option<Editions>,
    /// The kind of session: main, subagent, cron, group, local
    #[arg(long, value_name = "KIND")]
    session: Option<String>,
    /// Only these agents, or these versions of them: codex,opencode@1.1; may be repeated
    #[arg(long = "agents", visible_alias = "harness", value_name = "ID[@VERSION]", value_delimiter = ',')]
    harness: Vec<String>,
    /// Where the agent is started [default: the working directory]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    home: Home,
    /// How to print the differences
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Exit with 1 if an agent is told something else at any moment
    #[arg(long)]
    exit_code: bool,
}

/// How the differences are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For other programs
    Json,
    /// A comment for a pull request
    Markdown,
}

/// Compares the two sides, and prints the differences.
pub(super) fn run(arguments: &Compare) -> Result<ExitCode, Failure> {
    let here = here()?;
    let mut request = Request { session: arguments.session.clone(), ..Request::default() };
    if !arguments.harness.is_empty() {
        request.harness = Some(OneOrMany::Many(arguments.harness.clone()));
    }
    let cwd = directory("--cwd", arguments.cwd.as_deref(), &here)?.unwrap_or_else(|| here.clone());
    let places = Places { cwd, target: arguments.file.clone(), read_before: Vec::new(), already_loaded: Vec::new() };
    let mut defaults = arguments.home.defaults(&places.cwd)?;
    Editions::set(arguments.edition, &mut defaults);
    if arguments.all {
        let Asked { answers, judged, .. } = asked(&Real, &request, &places, defaults)?;
        let (all, said) = everyone::run(&answers);
        return tell(arguments.format, &all, &format!("{}{said}", screen::judged(&judged, lines::width())));
    }
    if let (Some(left), Some(right)) = (&arguments.left, &arguments.right) {
        let (comparison, said) = sides::run(arguments, (left, right), &places, &defaults)?;
        let differs = !is_same(&comparison);
        tell(arguments.format, &[comparison], &said)?;
        return Ok(code(arguments, differs));
    }
    let settings = Settings::of_harnesses(&arguments.harness, &super::show::customs(&Real, &places.cwd))?;
    let (root, file) = (places.cwd.as_path(), arguments.file.as_deref());
    let changing =
        Changing { root, settings, request: &request, file, base: &arguments.base, fork: arguments.fork.as_deref() };
    let found = change(defaults, &changing).map_err(|problem| format!("--base: {problem}"))?;
    match arguments.format {
        Format::Text => print_styled(&changed::text(&found, root, lines::width()))?,
        Format::Markdown => print(&starred(&changed::markdown(&found, root)))?,
        Format::Json => print_words(&found)?,
    }
    if !found.not_asked.is_empty() {
        return Ok(ExitCode::from(super::FINDINGS));
    }
    let is_same = found.moments.is_empty() && found.grants.is_empty();
    Ok(code(arguments, !is_same))
}

fn tell(format: Format, all: &(impl Serialize + ?Sized), said: &str) -> Result<ExitCode, Failure> {
    match format {
        Format::Json => print_words(all)?,
        Format::Text => print_styled(said)?,
        Format::Markdown => return Err("--format markdown is for changes since a revision".to_owned().into()),
    }
    Ok(ExitCode::SUCCESS)
}

fn code(arguments: &Compare, differs: bool) -> ExitCode {
    ExitCode::from(if arguments.exit_code && differs { super::FINDINGS } else { 0 })
}

fn is_same(comparison: &Comparison) -> bool {
    comparison.same && comparison.differences.is_empty()
}

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// Renders a line for each difference.
fn difference_lines(comparison: &Comparison, now: &Resolution) -> String {
    let mut out = String::new();
    let paths = Paths::of(now);
    let name = |difference: &Difference| visible(&paths.path(Path::new(&difference.name)));
    let width = comparison.differences.iter().map(|difference| name(difference).chars().count()).max().unwrap_or(0);
    for difference in &comparison.differences {
        let (mark, color) = match difference.kind.as_str() {
            "added" => ('+', AnsiColor::Green),
            "lost" => ('-', AnsiColor::Red),
            _ => ('~', AnsiColor::Yellow),
        };
        let style = color.on_default();
        let message = visible(&paths.text(&difference.message));
        let (kind, name) = (&difference.kind, name(difference));
        let _ = writeln!(out, "  {style}{mark} {kind:<6}{style:#} {name:<width$}  {FAINT}{message}{FAINT:#}");
    }
    if comparison.differences.is_empty() {
        let _ = writeln!(out, "  {FAINT}the same files and sizes, with other text{FAINT:#}");
    }
    out
}
