//! `briefing watch`: a line whenever what an agent is told changes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Args;

use super::whom::{Format, Whom};
use super::{Failure, log, today};
use crate::engine::watch::{Change, Heard, watch};
use crate::report::escape::{self, visible};
use crate::report::words::{Paths, list};
use crate::request::Places;
use crate::tasks;
use crate::text::grouped;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing watch                          what your agents are told at the start of a session here
  briefing watch src/main.rs              what they are told when they read src/main.rs
  briefing watch --agents codex --format json";

/// Arguments of `briefing watch`.
#[derive(Args)]
pub(super) struct Watch {
    /// The file the agent would read, relative to where it is started; without it, the start of a session
    file: Option<PathBuf>,
    #[command(flatten)]
    whom: Whom,
    /// How to print the changes, one on each line
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Watches until it is interrupted, or until nobody reads any more.
pub(super) fn run(arguments: &Watch) -> Result<ExitCode, Failure> {
    let (cwd, base) = arguments.whom.standing()?;
    let request = arguments.whom.request();
    let places = Places { cwd, target: arguments.file.clone(), read_before: Vec::new(), already_loaded: Vec::new() };
    log();
    let mut failure = None;
    let mut say = |heard: Heard| match heard {
        Heard::Begun(harnesses) => {
            // Ignored if standard error is closed.
            let _ = writeln!(std::io::stderr(), "briefing: watching for {}; Ctrl-C ends it", list(&harnesses));
            true
        }
        Heard::Changed(change) => {
            let mut out = anstream::stdout().lock();
            match writeln!(out, "{}", line(&change, arguments.format)).and_then(|()| out.flush()) {
                Ok(()) => true,
                Err(error) => {
                    let gone = error.kind() == std::io::ErrorKind::BrokenPipe;
                    failure = (!gone).then(|| Failure::unwritten("standard output", &error));
                    false
                }
            }
        }
    };
    tasks::end_on_signals()?;
    watch(base, &request, &places, today, &mut say)?;
    failure.map_or(Ok(ExitCode::SUCCESS), Err)
}

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

fn line(change: &Change, format: Format) -> String {
    match format {
        Format::Json => escape::json_line(change).expect("a change is plain data"),
        Format::Text => text(change),
    }
}

fn text(change: &Change) -> String {
    let paths = Paths::home(&change.home);
    let name = |name: &str| {
        let path = Path::new(name);
        visible(&path.strip_prefix(&change.cwd).map_or_else(|_| paths.path(path), |below| below.display().to_string()))
    };
    let what: Vec<String> = change
        .differences
        .iter()
        .map(|difference| {
            let color = match difference.kind.as_str() {
                "added" => AnsiColor::Green,
                "lost" => AnsiColor::Red,
                _ => AnsiColor::Yellow,
            };
            let style = color.on_default();
            format!("{style}{}{style:#} {}", difference.kind, name(&difference.name))
        })
        .collect();
    let what = match (&change.refusal, what.as_slice()) {
        (Some(refusal), _) => format!("does not start: {}", visible(refusal)),
        (None, []) => "the same files, with other text".to_owned(),
        (None, what) => what.join(", "),
    };
    let (harness, edition, bytes, tokens) =
        (&change.harness, &change.edition, grouped(change.bytes), grouped(change.tokens));
    let sign = if change.bytes < change.bytes_before { '-' } else { '+' };
    let by = grouped(change.bytes.abs_diff(change.bytes_before));
    format!("{BOLD}{harness} {edition}{BOLD:#}  {bytes} B ≈ {tokens} tokens {FAINT}({sign}{by} B){FAINT:#}  {what}")
}
