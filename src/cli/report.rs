//! `briefing report`: what fills the context of each agent, source by source.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::show::{Asked, asked, print, print_screen, say, write};
use super::whom::{Whom, directory, exists, here};
use super::{Failure, lines, screen};
use crate::answer::{Place, Resolution, Source};
use crate::disk::{Buffers, Filesystem, Real};
use crate::report::briefing::{ESTIMATE, Tokens};
use crate::report::context::{ContextReport, ContextReports, Counter, LimitUse, context_report};
use crate::report::escape::{self, visible};
use crate::report::judged::sentence;
use crate::report::words::Paths;
use crate::request::{Places, Request};
use crate::snapshot::{FileType, absolute};
use crate::text::{grouped, lossy};

mod html;
mod text;
mod tokens;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing report                              the start of a session here
  briefing report src/main.rs                  once the agent has read src/main.rs
  briefing report packages/api                 for agents that are started in packages/api
  briefing report --agents codex --tokens o200k
  briefing report --format html -o context.html";

/// Arguments of `briefing report`.
#[derive(Args)]
pub(super) struct Report {
    /// The file that the agent reads, or the directory in which it is started; without it, the start of a session here
    path: Option<PathBuf>,
    #[command(flatten)]
    whom: Whom,
    /// The kind of session: main, subagent, cron, group, local
    #[arg(long, value_name = "KIND")]
    session: Option<String>,
    /// The model that answers
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// How tokens are counted
    #[arg(long, value_enum, default_value_t)]
    tokens: tokens::Method,
    /// How to print the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the report into FILE
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people, with bars
    Text,
    /// For other programs, as `briefing/contextReport` answers
    Json,
    /// One page that needs nothing else
    Html,
}

/// Answer for one agent, and the report on its context.
struct Counted {
    answer: Resolution,
    report: ContextReport,
}

impl Counted {
    /// Returns the name of a source, as seen from where the agent is started.
    fn name(&self, source: &str) -> String {
        let is_path = source.starts_with('/');
        visible(&if is_path { Paths::of(&self.answer).path(Path::new(source)) } else { source.to_owned() })
    }

    /// Returns a sentence with its paths as seen from where the agent is started.
    fn said(&self, sentence: &str) -> String {
        visible(&Paths::of(&self.answer).text(sentence))
    }

    /// Returns true if there is anything to report: a source, a message with a known text, or a refusal.
    fn says_something(&self) -> bool {
        let report = &self.report;
        report.refusal.is_some()
            || !report.sources.is_empty()
            || report.others.iter().any(|other| other.bytes > Some(0))
    }
}

/// Measures the context of each agent, and prints the report.
pub(super) fn run(arguments: &Report) -> Result<ExitCode, Failure> {
    let here = here()?;
    let start = directory("--cwd", arguments.whom.cwd.as_deref(), &here)?;
    let (cwd, target) = standpoint(arguments.path.as_deref(), start.as_deref(), &here)?;
    let base = arguments.whom.home.defaults(&cwd)?;
    let (session, model) = (arguments.session.clone(), arguments.model.clone());
    let request = Request { session, model, ..arguments.whom.request() };
    let files = Buffers::over(Real);
    let places = Places { cwd, target, read_before: Vec::new(), already_loaded: Vec::new() };
    let Asked { answers, problems, judged } = asked(&files, &request, &places, base)?;
    for problem in &problems {
        say(&problem.to_string());
    }
    let counted = counted(answers, arguments.tokens, &files)?;
    let out = match arguments.format {
        Format::Text => screen::judged(&judged, lines::width()) + &text::text(&counted, lines::width()),
        Format::Html => html::page(&counted, &sentence(&judged)),
        Format::Json => {
            let reports = counted.iter().map(|counted| counted.report.clone()).collect();
            escape::json(&ContextReports { version: 1, judged, reports })? + "\n"
        }
    };
    match (&arguments.output, arguments.format) {
        (Some(file), Format::Text) => write(&here.join(file), &anstream::adapter::strip_str(&out).to_string())?,
        (Some(file), Format::Json | Format::Html) => write(&here.join(file), &out)?,
        (None, Format::Text) => print_screen(&out)?,
        (None, Format::Json | Format::Html) => print(&out)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the directory in which the agent is started, and the file that it reads.
fn standpoint(path: Option<&Path>, start: Option<&Path>, here: &Path) -> Result<(PathBuf, Option<PathBuf>), String> {
    let cwd = start.unwrap_or(here).to_owned();
    let Some(path) = path else { return Ok((cwd, None)) };
    exists("PATH", &cwd, path)?;
    let place = absolute(&cwd, path);
    let is_dir = Real.stat(&place).is_ok_and(|meta| meta.kind == FileType::Dir);
    Ok(if is_dir { (place, None) } else { (cwd, Some(path.to_owned())) })
}

fn counted(answers: Vec<Resolution>, method: tokens::Method, files: &Buffers) -> Result<Vec<Counted>, String> {
    let count = tokens::counter(method)?;
    // Returns the text of a file that reaches the model unchanged.
    let text = |source: &Source| {
        let Place::Path(path) = &source.place else { return None };
        let raw = files.read(path).ok()?;
        let part = |range: &Range<usize>| raw.get(range.clone()).map(|part| lossy(part).into_owned());
        source.kept.iter().map(part).collect::<Option<String>>()
    };
    let remark = |answer: &Resolution| tokens::remark(method, answer);
    let counter = Counter { method: method.word(), count: count.as_deref(), text: &text, remark: &remark };
    let of = |answer: Resolution| Counted { report: context_report(&answer, &counter), answer };
    Ok(answers.into_iter().map(of).collect())
}

/// Formats a number of tokens: `≈1 024`, or `1 024` if they were counted.
fn figure(tokens: &Tokens) -> String {
    let about = if tokens.method == ESTIMATE { "≈" } else { "" };
    format!("{about}{}", grouped(tokens.value))
}

/// Formats the use of a limit: `3 000 of 4 096 bytes`.
fn amounts(limit: &LimitUse) -> String {
    let unit = if limit.unit == "utf16" { "UTF-16 units" } else { &limit.unit };
    format!("{} of {} {unit}", grouped(limit.used), grouped(limit.value))
}
