//! `briefing expect`: which expectations of `briefing.toml` hold, for whom, and why the others do not.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Args;
use serde_json::{Value, json};

use super::show::{print, print_screen, print_words};
use super::whom::{Format, Whom};
use super::{FINDINGS, Failure};
use crate::answer::{SessionKind, Standpoint};
use crate::disk::Real;
use crate::engine::expect::{Proof, Proofs, Row, expect, suggest};
use crate::engine::settings::Settings;
use crate::formats::position;
use crate::report::escape::visible;
use crate::report::words::{Paths, count, list};

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing expect                  what holds, for which agent, and why not
  briefing expect --agents codex   only for Codex
  briefing expect --suggest        entries of what holds today, for briefing.toml";

/// Arguments of `briefing expect`.
#[derive(Args)]
pub(super) struct Expect {
    #[command(flatten)]
    whom: Whom,
    /// Print entries for what reaches the agents today
    #[arg(long)]
    suggest: bool,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Proves the expectations, prints the table, and exits with 1 if one does not hold.
pub(super) fn run(arguments: &Expect) -> Result<ExitCode, Failure> {
    let (cwd, base) = arguments.whom.standing()?;
    let settings = Settings::of_harnesses(&arguments.whom.harness, &super::show::customs(&Real, &cwd))?;
    if arguments.suggest {
        print(&suggest(base, &cwd, settings)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let paths = Paths::from(&Standpoint::plain(&cwd, &base.home, base.env.clone()), None);
    let proofs = expect(base, &cwd, settings, None)?;
    match arguments.format {
        Format::Json => print_words(&json(&proofs))?,
        Format::Text => print_screen(&text(&proofs, &paths))?,
    }
    let failed = !proofs.wrong.is_empty() || proofs.all.iter().any(|proof| !proof.holds());
    Ok(if failed { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS })
}

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();

fn text(proofs: &Proofs, paths: &Paths) -> String {
    let mut out = String::new();
    for proof in &proofs.all {
        of(&mut out, proofs, proof, paths);
    }
    for (path, raw, finding) in &proofs.wrong {
        let (line, _) = position(&raw.text(), finding.range.start);
        let name = inside(path, proofs);
        let _ = writeln!(out, "{BAD}✗{BAD:#} {}:{line}: {}\n", visible(&name), visible(&finding.message));
    }
    if proofs.all.is_empty() && proofs.wrong.is_empty() {
        return "no expectations: declare some as [[expect]] in briefing.toml, or see --suggest\n".to_owned();
    }
    let failed = proofs.all.iter().filter(|proof| !proof.holds()).count();
    let all = count(proofs.all.len(), "expectation");
    let _ = match (failed, proofs.wrong.len()) {
        (0, 0) => writeln!(out, "{all}: every one holds"),
        (failed, 0) => writeln!(out, "{all}: {failed} failed"),
        (failed, wrong) => writeln!(out, "{all}: {failed} failed, {}", count(wrong, "wrong declaration")),
    };
    out
}

/// Writes one expectation with a line for each agent, and the starts that differ below it.
fn of(out: &mut String, proofs: &Proofs, proof: &Proof, paths: &Paths) {
    let expectation = &proof.expectation;
    let mark = if proof.holds() { format!("{GOOD}✓{GOOD:#}") } else { format!("{BAD}✗{BAD:#}") };
    let _ = writeln!(out, "{mark} {BOLD}{}{BOLD:#}  {}", visible(&expectation.id), visible(&expectation.demand));
    let reason = expectation.reason.as_ref().map_or_else(String::new, |reason| format!(" · {reason}"));
    let patterns =
        if expectation.paths.is_empty() { String::new() } else { format!(" {}", expectation.paths.join(", ")) };
    let _ = writeln!(out, "  {FAINT}{}{}{}{FAINT:#}", expectation.when, visible(&patterns), visible(&reason));
    if let Some(problem) = &proof.problem {
        let _ = writeln!(out, "  {BAD}✗{BAD:#} {}", visible(problem));
    }
    let groups = groups(proof);
    let width = groups.iter().map(|group| label(group[0]).chars().count()).max().unwrap_or(0);
    for (number, group) in groups.iter().enumerate() {
        let mark = if group[0].failure.is_none() { format!("{GOOD}✓{GOOD:#}") } else { format!("{BAD}✗{BAD:#}") };
        let _ = writeln!(out, "  {mark} {:<width$}  {}", label(group[0]), visible(&about(group)));
        let reasons = reasons(group);
        // Agents that fail alike share one line.
        let is_same = |next: &Vec<&Row>| self::reasons(next) == reasons && about(next) == about(group);
        if groups.get(number + 1).is_some_and(is_same) {
            continue;
        }
        if let Some((first, more)) = reasons.split_first() {
            let more = if more.is_empty() { "" } else { " (and the like)" };
            let _ = writeln!(out, "      {}{more}", visible(&paths.text(first)));
        }
    }
    if let Some(near) = &proof.near {
        let name = inside(Path::new(&near.path), proofs);
        let _ = writeln!(out, "  {FAINT}similar: {}:{}  {}{FAINT:#}", visible(&name), near.line, visible(&near.text));
    }
    out.push('\n');
}

fn reasons<'a>(group: &[&'a Row]) -> Vec<&'a str> {
    let mut reasons: Vec<&str> = group.iter().filter_map(|row| row.failure.as_deref()).collect();
    reasons.dedup();
    reasons
}

fn label(row: &Row) -> String {
    format!("{} {}", row.agent, row.version)
}

/// Groups the rows of one agent that have one outcome, those that hold first. Files that exist and files that the agent
/// creates are in one group if they have one outcome.
fn groups(proof: &Proof) -> Vec<Vec<&Row>> {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in &proof.rows {
        let key = |row: &Row| {
            (row.agent.clone(), row.version.clone(), row.session, row.failure.is_some(), row.file.is_none())
        };
        let is_alike = |one: &Row| one.creates == row.creates || one.failure == row.failure;
        match groups.iter_mut().find(|group| key(group[0]) == key(row) && is_alike(group[0])) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups.sort_by_key(|group| group[0].failure.is_some());
    groups
}

/// Describes a group of rows: where the agent is started, and which files it touches.
fn about(group: &[&Row]) -> String {
    let mut starts: Vec<String> = Vec::new();
    for row in group {
        let from = if row.from.as_os_str().is_empty() { "/".to_owned() } else { row.from.display().to_string() };
        if !starts.contains(&from) {
            starts.push(from);
        }
    }
    let row = group.iter().find(|row| !row.creates).unwrap_or(&group[0]);
    let creates = !row.creates && group.iter().any(|row| row.creates);
    let session = if row.session == SessionKind::Main { String::new() } else { format!(" ({})", row.session) };
    let starts = format!("started in {}{session}", shortened(starts));
    let Some(file) = &row.file else { return starts };
    let dir = file.parent().map_or_else(String::new, |dir| dir.display().to_string());
    let files = group.iter().map(|row| row.files).max().unwrap_or(0);
    let new = if creates { ", and new ones" } else { "" };
    match (row.creates, files) {
        (true, _) => format!("{starts}; creates a file in {}", if dir.is_empty() { "/" } else { &dir }),
        (false, 2..) => format!("{starts}; {} such as {}{new}", count(files, "file"), file.display()),
        (false, _) => format!("{starts}; {}{new}", file.display()),
    }
}

/// Lists the first names, and the number of the others.
fn shortened(names: Vec<String>) -> String {
    const MOST: usize = 3;
    match names.len().checked_sub(MOST).filter(|more| *more > 1) {
        Some(more) => format!("{} and {more} more", names[..MOST].join(", ")),
        None => list(&names),
    }
}

fn inside(path: &Path, proofs: &Proofs) -> String {
    path.strip_prefix(&proofs.root).unwrap_or(path).display().to_string()
}

fn json(proofs: &Proofs) -> Value {
    let of = |proof: &Proof| {
        let (line, _) = position(&proof.raw.text(), proof.expectation.at.start);
        let rows = proof.rows.iter().map(|row| {
            json!({
                "agent": row.agent,
                "version": row.version,
                "from": row.from,
                "session": row.session.word(),
                "file": row.file,
                "files": row.files,
                "creates": row.creates,
                "holds": row.failure.is_none(),
                "why": row.failure,
            })
        });
        json!({
            "id": proof.expectation.id,
            "path": inside(&proof.path, proofs),
            "line": line,
            "expects": proof.expectation.demand.to_string(),
            "when": proof.expectation.when,
            "reason": proof.expectation.reason,
            "holds": proof.holds(),
            "problem": proof.problem,
            "near": proof.near,
            "rows": rows.collect::<Vec<_>>(),
        })
    };
    let problems = proofs.wrong.iter().map(|(path, raw, finding)| {
        let (line, _) = position(&raw.text(), finding.range.start);
        json!({ "path": inside(path, proofs), "line": line, "message": finding.message })
    });
    json!({
        "holds": proofs.wrong.is_empty() && proofs.all.iter().all(Proof::holds),
        "expectations": proofs.all.iter().map(of).collect::<Vec<_>>(),
        "problems": problems.collect::<Vec<_>>(),
    })
}
