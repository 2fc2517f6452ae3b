//! `briefing plan`: a patch that restructures instruction files, and the proof of what agents are told then.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::{Args, Subcommand};

use super::show::{print, print_json, print_styled};
use super::whom::{Format, Home, here, searched};
use super::{FINDINGS, Failure};
use crate::disk::Real;
use crate::engine::plan::{Links, Task, plan};
use crate::engine::settings::Settings;
use crate::report::escape::visible;
use crate::report::plan::{Loss, Plan, by_sentence};
use crate::report::words::{count, list};
use crate::text::grouped;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing plan one-truth                    one AGENTS.md for every agent of the project
  briefing plan split AGENTS.md              its sections in the directories that they are about
  briefing plan trim                         what reaches an agent twice, said once
  briefing plan fit                          what has to move so that no limit cuts anything
  briefing plan one-truth --patch | git apply";

/// Maximum number of sentences of one kind that are shown.
const SHOWN: usize = 12;

/// Arguments of `briefing plan`.
#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    task: What,
    /// Only these agents, as in `briefing show`
    #[arg(
        long = "agents",
        visible_alias = "harness",
        global = true,
        value_name = "ID[@VERSION]|mine|all",
        value_delimiter = ','
    )]
    harness: Vec<String>,
    /// The directory [default: the working directory]
    #[arg(long, global = true, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    home: Home,
    /// Print the patch alone
    #[arg(long, global = true)]
    patch: bool,
    /// How to print the plan
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What is planned.
#[derive(Subcommand)]
enum What {
    /// One AGENTS.md, and the smallest bridge for each agent that does not read it
    OneTruth {
        /// Take a link instead of an import where agents follow it and are told less; Windows makes them only with
        /// core.symlinks
        #[arg(long)]
        links: bool,
    },
    /// The sections of a file moved to the directories that they name, or to files that are imported or pointed to
    Split {
        /// The file
        file: PathBuf,
    },
    /// Texts that reach an agent from two files, said once
    Trim,
    /// Sections moved until no limit cuts anything
    Fit,
}

/// Plans, and prints the patch and its proof. Exits with 1 if an agent would lose something, or an expectation would
/// fail.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let here = here()?;
    let root = searched("--cwd", arguments.cwd.as_deref(), &here)?;
    let defaults = arguments.home.defaults(&root)?;
    let settings = Settings::of_harnesses(&arguments.harness, &super::show::customs(&Real, &root))?;
    let task = match &arguments.task {
        What::OneTruth { links } => Task::OneTruth(if *links { Links::WhereSmaller } else { Links::Never }),
        What::Split { file } => Task::Split(file.clone()),
        What::Trim => Task::Trim,
        What::Fit => Task::Fit,
    };
    let found = plan(defaults, &root, settings, &task)?;
    match arguments.format {
        Format::Json => print_json(&found)?,
        Format::Text if arguments.patch => print(&found.patch)?,
        Format::Text => print_styled(&text(&found))?,
    }
    let breaks = found.proof.expectations.broken().next().is_some();
    Ok(if breaks || !found.proof.lost.is_empty() { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS })
}

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default();

/// Renders the notes and the proof, followed by the patch. `git apply` ignores the text before it.
fn text(plan: &Plan) -> String {
    let mut out = String::new();
    for note in &plan.notes {
        let _ = writeln!(out, "{BOLD}{}{BOLD:#}", visible(note));
    }
    let proof = &plan.proof;
    let _ =
        writeln!(out, "\n{BOLD}Proof{BOLD:#}  {FAINT}{}, before and after{FAINT:#}", count(proof.asked, "question"));
    for (before, after) in proof.before.iter().zip(&proof.after) {
        let cut = |count: usize| if count == 0 { String::new() } else { format!(", {count} cut") };
        let (was, is) = (grouped(before.bytes), grouped(after.bytes));
        let name = format!("{} {}", before.agent, before.version);
        let _ = writeln!(out, "  {name:<24} {was} B{} → {is} B{}", cut(before.cut), cut(after.cut));
    }
    losses(&mut out, "lost", &proof.lost);
    losses(&mut out, "only with a file that is read", &proof.later);
    let expected = &proof.expectations;
    let broken: Vec<&String> = expected.broken().collect();
    match (expected.count, broken.is_empty()) {
        (0, _) => {}
        (count, true) => drop(writeln!(out, "  expectations: {count}, none fails that held")),
        (_, false) => drop(writeln!(out, "  {BAD}expectations that would fail: {}{BAD:#}", list(&broken))),
    }
    if !plan.patch.is_empty() {
        let _ = write!(out, "\n{}", shown(&plan.patch));
    }
    out
}

/// Escapes the control characters of a patch, for people.
fn shown(patch: &str) -> String {
    patch.split_inclusive('\n').map(|line| visible(&line.trim_end_matches('\n')) + "\n").collect()
}

/// Lists the sentences that agents would not get, each once with its agents.
fn losses(out: &mut String, title: &str, all: &[Loss]) {
    let sentences = by_sentence(all);
    if sentences.is_empty() {
        let _ = writeln!(out, "  {title}: nothing");
        return;
    }
    let _ = writeln!(out, "  {BAD}{title}: {}{BAD:#}", count(sentences.len(), "sentence"));
    for (sentence, agents) in sentences.iter().take(SHOWN) {
        let _ = writeln!(out, "    - {}  {FAINT}{}{FAINT:#}", visible(sentence), visible(&list(agents)));
    }
    if let Some(more) = sentences.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(out, "    {FAINT}and {}{FAINT:#}", count(more, "more sentence"));
    }
}
