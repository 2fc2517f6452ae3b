//! `briefing check`: the findings below a directory, for continuous integration and hooks.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::show::{print, print_styled, say, write};
use super::whom::{Home, here, searched};
use super::{FINDINGS, Failure, compare, lines, screen};
use crate::answer::Resolution;
use crate::disk::{Change, Filesystem, Real};
use crate::engine::change::{Changing, change};
use crate::engine::check::{Check as Checked, Checking, check};
use crate::engine::settings::Settings;
use crate::report::credentials::starred;
use crate::report::escape::{self, visible};
use crate::report::findings::{Finding, Kind, Severity, page, share};
use crate::report::judged::{Judged, sentence};
use crate::report::words::count;
use crate::request::Request;
use crate::snapshot::absolute;
use crate::text;

mod causes;
mod forms;
mod sarif;
mod services;
mod worse;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing check                                   what is wrong with the instructions below this directory
  briefing check packages/api AGENTS.md            only there
  briefing check --no-home --format github         in CI: every machine says the same
  briefing check --agents codex --budget codex=90%
  briefing check --base origin/main                only what this branch makes worse
  briefing check --write-baseline known.json       from now on only what is new: --baseline known.json";

/// Arguments of `briefing check`.
#[derive(Args)]
pub(super) struct Check {
    /// Files and directories to check [default: the directory agents are started in]
    paths: Vec<PathBuf>,
    /// Only for these agents, as in `briefing show`
    #[arg(long = "agents", visible_alias = "harness", value_name = "ID[@VERSION]|mine|all", value_delimiter = ',')]
    harness: Vec<String>,
    /// Where agents are started [default: the working directory]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    home: Home,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The least severity that is printed
    #[arg(long, value_enum, default_value_t = Level::Information, value_name = "SEVERITY")]
    level: Level,
    /// The least severity that makes the exit code 1
    #[arg(long, value_enum, default_value_t = Level::Warning, value_name = "SEVERITY")]
    fail_on: Level,
    /// The severity of a kind of findings, or `off`: missing-path=warning; some are off by default; may be repeated
    #[arg(long, value_name = "CODE=SEVERITY", value_delimiter = ',', value_parser = pair)]
    severity: Vec<(String, String)>,
    /// Print every kind of findings with what its findings were worth in public repositories, and check nothing
    #[arg(long)]
    explain_all: bool,
    /// Exit with 0 even if something is found
    #[arg(long)]
    exit_zero: bool,
    /// Report an agent that uses that share of its limit, or more: codex=90%; may be repeated
    #[arg(long, value_name = "ID=PERCENT", value_delimiter = ',', value_parser = budget)]
    budget: Vec<(String, usize)>,
    /// Report only what the changes since a git revision make worse: a branch, a tag, a hash, HEAD~2. Counts from where
    /// the two parted, as in a pull request; A..B and A...B check B
    #[arg(long, value_name = "REV|A..B|A...B")]
    base: Option<String>,
    /// The fork that the change comes from, to be named in a comment: git does not know, and a pull request does
    #[arg(long, value_name = "OWNER/NAME", requires = "base")]
    fork: Option<String>,
    /// Leave out the findings that FILE lists
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings there are into FILE, for --baseline
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people, with the lines it is about
    Text,
    /// One line for each finding
    Concise,
    /// For other programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// A comment for a pull request
    Markdown,
    /// JUnit XML, for services that show tests
    Junit,
    /// The Code Quality report of GitLab
    Gitlab,
}

#[derive(Clone, Copy, ValueEnum)]
enum Level {
    Error,
    Warning,
    Information,
    Hint,
}

impl Level {
    fn severity(self) -> Severity {
        match self {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Information => Severity::Information,
            Level::Hint => Severity::Hint,
        }
    }
}

/// `codex=90%`.
fn budget(text: &str) -> Result<(String, usize), String> {
    let parsed = text.split_once('=').and_then(|(id, share)| {
        let percent = share.strip_suffix('%').unwrap_or(share).parse().ok()?;
        Some((id.to_owned(), percent))
    });
    parsed
        .filter(|(_, percent)| (1..=100).contains(percent))
        .ok_or_else(|| "expected ID=PERCENT, such as codex=90%".to_owned())
}

/// `missing-path=warning`.
fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(code, severity)| (code.to_owned(), severity.to_owned()));
    pair.ok_or_else(|| "expected CODE=SEVERITY, such as missing-path=warning".to_owned())
}

/// Data that every format prints.
struct Report<'a> {
    /// Agents that were judged, each with the reason.
    judged: &'a [Judged],
    /// The findings, file by file.
    all: Vec<Found<'a>>,
    /// Number of files that were checked.
    files: usize,
    /// Number of sample files that were not judged.
    samples: usize,
    /// Number of findings below the requested severity.
    hidden: usize,
    /// Number of findings that were left out: those of a baseline, and those that existed before the change.
    known: usize,
    /// Revision with which the findings were compared; only what got worse since then is reported.
    since: Option<&'a str>,
}

/// One finding, with its place for people and programs.
struct Found<'a> {
    /// Path relative to the directory that is checked, with slashes.
    path: String,
    raw: &'a [u8],
    severity: Severity,
    finding: Finding,
    /// Fingerprint: equal on every machine, and unchanged as long as the line stays the same.
    fingerprint: String,
    /// Other files with a finding of the same cause; for further places in this file, `FILE:LINE`.
    also: Vec<String>,
}

impl Found<'_> {
    /// Returns line and column of a byte of the file, from 1. Columns count characters.
    fn position(&self, byte: usize) -> (usize, usize) {
        let before = text::lossy(&self.raw[..byte.min(self.raw.len())]);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }

    /// Returns the positions of the start and the end.
    fn span(&self) -> ((usize, usize), (usize, usize)) {
        (self.position(self.finding.range.start), self.position(self.finding.range.end))
    }

    /// Returns file and line, as `FILE:LINE`.
    fn place(&self) -> String {
        format!("{}:{}", self.path, self.position(self.finding.range.start).0)
    }

    fn code(&self) -> &'static str {
        self.finding.kind.code()
    }
}

/// Findings that are already known, and are not reported again.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Baseline {
    /// Version of the format.
    version: u64,
    /// The findings by their fingerprints.
    known: BTreeMap<String, Known>,
}

/// A finding of a baseline.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Known {
    /// Number of occurrences; version 1 contains nothing else.
    Count(usize),
    /// Number of occurrences, and a description for people.
    Told {
        /// How often it was found.
        count: usize,
        /// The file.
        path: String,
        /// The code.
        code: String,
        /// The message.
        message: String,
    },
}

impl Known {
    fn count(&self) -> usize {
        match self {
            Known::Count(count) | Known::Told { count, .. } => *count,
        }
    }
}

/// Version of the baselines that are written. Version 1 can be read as well.
const BASELINE_VERSION: u64 = 2;

pub(super) fn run(arguments: &Check) -> Result<ExitCode, Failure> {
    if arguments.explain_all {
        print(&page::worths())?;
        return Ok(ExitCode::SUCCESS);
    }
    let here = here()?;
    let root = searched("--cwd", arguments.cwd.as_deref(), &here)?;
    let only: Vec<PathBuf> = arguments.paths.iter().map(|path| absolute(&here, path)).collect();
    for (path, named) in only.iter().zip(&arguments.paths) {
        super::whom::exists("PATH", &here, named)?;
        if !path.starts_with(&root) {
            return Err(format!("{} is not below {}: start there with --cwd", named.display(), root.display()).into());
        }
    }
    let severities = arguments.severity.iter().cloned().collect();
    let settings = Settings::of_harnesses(&arguments.harness, &super::show::customs(&Real, &root))?
        .with_severities(severities)
        .map_err(|problem| problem.replace("briefing.severities", "--severity"))?;
    let base = arguments.home.defaults(&root)?;
    let change = arguments.base.as_ref().map(|revision| Change::open(&Real, &root, revision)).transpose();
    let change = change.map_err(|problem| format!("--base: {problem}"))?;
    let revision = change.as_ref().and_then(|change| change.after.as_deref());
    let now = Checking { root: &root, settings: settings.clone(), only: &only, revision };
    let checked = check(base.clone(), now)?;
    let mut report = report(&checked, arguments.level.severity());
    let mut left: BTreeSet<PathBuf> = checked.left.iter().cloned().collect();
    report.all.extend(over_budget(&checked, &arguments.budget)?);
    let mut changed = None;
    if let Some(change) = &change {
        // Who is asked does not change with the revision.
        let harnesses = if arguments.harness.is_empty() { asked(&checked) } else { arguments.harness.clone() };
        let settings = Settings { harnesses, ..settings };
        if matches!(arguments.format, Format::Markdown) {
            let (settings, request) = (settings.clone(), Request::default());
            let fork = arguments.fork.as_deref();
            let changing = Changing { root: &root, settings, request: &request, file: None, base: &change.name, fork };
            changed = Some(self::change(base.clone(), &changing).map_err(|problem| format!("--base: {problem}"))?);
        }
        let then = Checking { root: &root, settings, only: &only, revision: Some(&change.before) };
        let before = check(base, then).map_err(|problem| format!("--base: {problem}"))?;
        // Of files that were not checked before, it is not known what got worse.
        let unknown: BTreeSet<String> = before.left.iter().map(|file| below(file, &before.root)).collect();
        report.all.retain(|found| !unknown.contains(&found.path));
        left.extend(before.left.iter().cloned());
        let mut known = self::report(&before, Severity::Hint);
        known.all.extend(over_budget(&before, &arguments.budget).unwrap_or_default());
        worse::keep_worse(&mut report, &known, |id| title(&checked, id));
        report.since = Some(&change.name);
    }
    let mut written = None;
    if let Some(file) = &arguments.write_baseline {
        write(&here.join(file), &baseline(&report)?)?;
        written = Some((file, report.all.len()));
    }
    if let Some(file) = &arguments.baseline {
        leave_out(&mut report, &known(&here.join(file))?);
    }
    causes::put_together(&mut report, &checked.root);
    report.all.extend(not_judged(&left, &checked));
    if let Some((file, all)) = written {
        let printed = report.all.len();
        let merged = if printed == all { String::new() } else { format!(", {printed} without those of one cause") };
        say(&format!("{} written to {}{merged}", count(all, "finding"), visible(&file.display())));
    }
    let mut lost = 0;
    match arguments.format {
        Format::Text => {
            let text;
            (text, lost) = forms::text(&report);
            print_styled(&format!("{}{text}", screen::judged(report.judged, lines::width())))?;
        }
        Format::Json => print(&forms::json(&report)?)?,
        Format::Concise => {
            // Every line of the output is a finding.
            say(&sentence(report.judged));
            print(&forms::concise(&report))?;
        }
        Format::Junit => print(&services::junit(&report))?,
        Format::Gitlab => print(&services::gitlab(&report)?)?,
        Format::Github => print(&forms::github(&report))?,
        Format::Markdown => {
            let changed = changed.map(|changed| format!("\n{}", compare::changed::section(&changed, &root)));
            print(&starred(&(forms::markdown(&report) + &changed.unwrap_or_default())))?;
        }
        Format::Sarif => print(&sarif::sarif(&report)?)?,
    }
    let fails = report.all.iter().any(|found| found.severity <= arguments.fail_on.severity());
    let is_quiet = arguments.exit_zero || arguments.write_baseline.is_some();
    Ok(if (fails && !is_quiet) || lost > 0 { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS })
}

/// Returns the agents that were asked, as `id` or `id@version`.
fn asked(checked: &Checked) -> Vec<String> {
    let spec = |answer: &Arc<Resolution>| match &answer.claim.running {
        Some(version) => format!("{}@{version}", answer.harness),
        None => answer.harness.clone(),
    };
    checked.session.iter().map(spec).collect()
}

/// Returns the title of an agent; its id if it was not asked.
fn title(checked: &Checked, id: &str) -> String {
    let answer = checked.session.iter().find(|answer| answer.harness == id);
    answer.map_or_else(|| id.to_owned(), |answer| answer.title.clone())
}

fn report(checked: &Checked, level: Severity) -> Report<'_> {
    let (mut all, mut hidden) = (Vec::new(), 0);
    for file in &checked.files {
        let path = below(&file.path, &checked.root);
        let (shown, others): (Vec<_>, Vec<_>) = file.found.iter().partition(|(severity, _)| *severity <= level);
        hidden += others.len();
        all.extend(shown.into_iter().map(|(severity, finding)| Found {
            fingerprint: fingerprint(&path, &file.raw, finding),
            path: path.clone(),
            also: Vec::new(),
            raw: &file.raw,
            severity: *severity,
            finding: finding.clone(),
        }));
    }
    let (judged, files, samples) = (&checked.judged, checked.count, checked.samples);
    Report { judged, all, files, samples, hidden, known: 0, since: None }
}

/// Returns the path of a file, relative to the directory that is checked, with slashes.
fn below(file: &Path, root: &Path) -> String {
    let parts = |path: &Path| path.iter().map(OsStr::to_string_lossy).collect::<Vec<_>>().join("/");
    let way_down = file.parent().and_then(|dir| root.strip_prefix(dir).ok());
    match (file.strip_prefix(root), way_down) {
        (Ok(inside), _) => parts(inside),
        (Err(_), Some(way)) => {
            "../".repeat(way.iter().count()) + &parts(Path::new(file.file_name().unwrap_or_default()))
        }
        (Err(_), None) => parts(file),
    }
}

/// Returns a finding about the files that were not checked, if there are any.
fn not_judged<'a>(left: &BTreeSet<PathBuf>, checked: &Checked) -> Option<Found<'a>> {
    let first = below(left.first()?, &checked.root);
    let (files, all) = (count(left.len(), "file"), text::grouped(checked.count));
    let (were, from) = if left.len() == 1 { ("was", first) } else { ("were", format!("{first} and others")) };
    let message = format!(
        "{files} of {all} {were} not judged, {from}: there is too much to look at; name the directories that count, as in \
         `briefing check docs`"
    );
    let finding = Finding::new(Kind::NotJudged, 0..0, message);
    let fingerprint = hash(&format!("not-judged\0{from}"));
    Some(Found { path: String::new(), raw: &[], severity: Severity::Error, finding, fingerprint, also: Vec::new() })
}

/// Returns a finding for each agent that uses more of its limit than `--budget` allows.
fn over_budget<'a>(checked: &Checked, budgets: &[(String, usize)]) -> Result<Vec<Found<'a>>, String> {
    let mut all = Vec::new();
    for (id, percent) in budgets {
        let Some(answer) = checked.session.iter().find(|answer| answer.harness == *id) else {
            return Err(format!("--budget: {id} is not among the agents that are checked; name it with --agents"));
        };
        let Some(share) = share(answer) else {
            say(&format!("--budget {id}: nothing that {} loads here has a limit", answer.title));
            continue;
        };
        if share.percent() >= *percent {
            let (title, used, limit) = (&answer.title, text::grouped(share.used), text::grouped(share.limit));
            let unit = share.unit.word();
            let message = format!(
                "{title} uses {} % of its limit ({used} of {limit} {unit}); --budget allows less than {percent} %",
                share.percent()
            );
            let finding = Finding::new(Kind::OverBudget, 0..0, message);
            let fingerprint = hash(&format!("budget\0{id}\0{percent}"));
            let (path, also) = (String::new(), Vec::new());
            all.push(Found { path, raw: &[], severity: Severity::Error, finding, fingerprint, also });
        }
    }
    Ok(all)
}

/// Returns a hash of the path, the code, the agent and the text of the line, but not the line number. Findings about a
/// whole file have no line.
fn fingerprint(path: &str, raw: &[u8], finding: &Finding) -> String {
    let start = finding.range.start.min(raw.len());
    let line = match finding.kind {
        Kind::AgentsDisplaced | Kind::Shadowed | Kind::LoadedTwice | Kind::NotForSubagents | Kind::NeverRead => &[],
        _ => raw[start..].split(|&byte| byte == b'\n').next().unwrap_or_default(),
    };
    let harness = finding.harness.as_deref().unwrap_or_default();
    hash(&format!("{path}\0{}\0{harness}\0{}", finding.kind.code(), text::lossy(line).trim()))
}

/// Hashes a text with FNV-1a, which is equal on every machine and in every version.
fn hash(text: &str) -> String {
    let mixed = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{mixed:016x}")
}

fn baseline(report: &Report) -> Result<String, String> {
    let mut known = BTreeMap::new();
    for found in &report.all {
        let (path, code, message) = (found.path.clone(), found.code().to_owned(), found.finding.message.clone());
        let new = Known::Told { count: 0, path, code, message };
        if let Known::Told { count, .. } = known.entry(found.fingerprint.clone()).or_insert(new) {
            *count += 1;
        }
    }
    let baseline = Baseline { version: BASELINE_VERSION, known };
    Ok(escape::json(&baseline)? + "\n")
}

fn known(file: &Path) -> Result<Baseline, String> {
    let said = |problem: &dyn std::fmt::Display| format!("--baseline: {}: {problem}", file.display());
    let raw = Real.read(file).map_err(|why| said(&why))?;
    let torn = |error| said(&format!("{error}; write it anew with --write-baseline"));
    let value: serde_json::Value = serde_json::from_slice(&raw).map_err(torn)?;
    match value["version"].as_u64() {
        Some(1..=BASELINE_VERSION) => {}
        Some(other) => return Err(said(&format!("version {other} is not known; write it anew with --write-baseline"))),
        None => return Err(said(&"not a baseline; write one with --write-baseline")),
    }
    serde_json::from_value(value).map_err(|error| said(&error))
}

/// Removes findings that are in the baseline, respecting their counts.
fn leave_out(report: &mut Report, baseline: &Baseline) {
    let mut left: BTreeMap<&str, usize> =
        baseline.known.iter().map(|(fingerprint, known)| (fingerprint.as_str(), known.count())).collect();
    let before = report.all.len();
    report.all.retain(|found| match left.get_mut(found.fingerprint.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        Some(_) | None => true,
    });
    report.known += before - report.all.len();
}

/// Returns the kinds of the findings, in the order of the documentation.
fn kinds(report: &Report) -> Vec<Kind> {
    let found: BTreeSet<Kind> = report.all.iter().map(|found| found.finding.kind).collect();
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_were_not_judged_are_an_error_without_a_file() {
        let root = PathBuf::from("/r");
        let checked = Checked {
            root: root.clone(),
            files: Vec::new(),
            count: 3,
            samples: 0,
            left: Vec::new(),
            session: Vec::new(),
            judged: Vec::new(),
        };
        let about = |names: &[&str]| {
            let left = names.iter().map(|name| root.join(name)).collect();
            let found = not_judged(&left, &checked)?;
            assert_eq!((found.severity, found.path.as_str()), (Severity::Error, ""));
            Some(found.finding.message.split_once(": ").expect("a reason").0.to_owned())
        };
        assert_eq!(about(&[]), None);
        assert_eq!(about(&["a/AGENTS.md"]).as_deref(), Some("1 file of 3 was not judged, a/AGENTS.md"));
        let two = about(&["a/AGENTS.md", "b/AGENTS.md"]);
        assert_eq!(two.as_deref(), Some("2 files of 3 were not judged, a/AGENTS.md and others"));
    }
}
