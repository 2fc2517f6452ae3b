//! The report on a terminal: a bar for each source.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::super::lines::wrapped;
use super::super::screen::{bar, shortened};
use super::{Counted, amounts, figure, visible};
use crate::report::briefing::Tokens;
use crate::report::context::{LimitUse, OUT_OF_SIGHT, SourceShare};
use crate::report::words::count;
use crate::text::grouped;

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const WARNING: Style = AnsiColor::Yellow.on_default();
const ERROR: Style = AnsiColor::Red.on_default();

/// Number of characters of a bar.
const BAR: usize = 12;
/// Minimum width of the screen, in columns.
const NARROWEST: usize = 50;
/// Maximum number of sources of one agent that are shown; more are counted.
const SHOWN: usize = 20;

/// Renders every agent that gets something, in `width` columns.
pub(super) fn text(all: &[Counted], width: usize) -> String {
    let width = width.max(NARROWEST);
    let (telling, silent): (Vec<_>, Vec<_>) = all.iter().partition(|counted| counted.says_something());
    let mut out = String::new();
    for counted in &telling {
        of_one(&mut out, counted, width);
        out.push('\n');
    }
    if !silent.is_empty() {
        let names: Vec<&str> = silent.iter().map(|counted| counted.report.harness.as_str()).collect();
        faint(&mut out, &format!("nothing for {}", names.join(", ")), width);
    }
    faint(&mut out, OUT_OF_SIGHT, width);
    out
}

fn of_one(out: &mut String, counted: &Counted, width: usize) {
    let report = &counted.report;
    let sizes = format!("{} B  {}", grouped(report.whole.bytes), tokens(&report.whole.tokens));
    let _ = writeln!(out, "{BOLD}{} {}{BOLD:#}  {}  {sizes}", report.harness, report.edition, report.fidelity);
    if let Some(refusal) = &report.refusal {
        for line in wrapped(&format!("does not start: {}", counted.said(refusal)), width - 2) {
            let _ = writeln!(out, "  {ERROR}{line}{ERROR:#}");
        }
    }
    for limit in &report.limits {
        let (style, mark) = (style(&limit.state), mark(limit));
        let _ = writeln!(
            out,
            "  {style}{}{style:#} {:>3} %  limit for all files: {}{mark}",
            bar(limit.percent, BAR),
            limit.percent,
            amounts(limit)
        );
    }
    if let Some(reserve) = report.reserve {
        let _ = writeln!(
            out,
            "  {} of {} tokens kept free for memory: memory takes ≈{}, everything else ≈{} of the {} that are left",
            grouped(reserve.kept),
            grouped(reserve.context),
            grouped(reserve.memory),
            grouped(reserve.instructions),
            grouped(reserve.context.saturating_sub(reserve.kept))
        );
    }
    if report.whole.layers.len() > 1 && report.totals.bytes > 0 {
        let (size, count) = (grouped(report.totals.bytes), tokens(&report.totals.tokens));
        let _ = writeln!(out, "  instructions: {size} B  {count}");
    }
    sources(out, counted, width);
    others(out, counted);
    for note in report.notes.iter().filter(|note| *note != OUT_OF_SIGHT) {
        faint(out, &format!("  {note}"), width);
    }
}

fn sources(out: &mut String, counted: &Counted, width: usize) {
    let report = &counted.report;
    let sent: Vec<&SourceShare> = report.sources.iter().filter(|source| source.injected > 0).collect();
    let sizes: Vec<String> = sent.iter().take(SHOWN).map(|source| size(source)).collect();
    let figures: Vec<String> = sent.iter().take(SHOWN).map(|source| tokens(&source.tokens)).collect();
    let widest = |cells: &[String]| cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
    let (of_sizes, of_figures) = (widest(&sizes), widest(&figures));
    for ((source, size), figure) in sent.iter().zip(&sizes).zip(&figures) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is within 0 and 100")]
        let percent = source.share.round() as usize;
        let remark = remark(source);
        let used = BAR + of_sizes + of_figures + remark.chars().count() + 15;
        let name = shortened(&counted.name(&source.name), width.saturating_sub(used).max(16));
        let _ = writeln!(
            out,
            "  {} {percent:>3} %  {size:>of_sizes$}  {figure:>of_figures$}  {name}{WARNING}{remark}{WARNING:#}",
            bar(percent, BAR)
        );
    }
    if sent.len() > SHOWN {
        let rest: usize = sent[SHOWN..].iter().map(|source| source.injected).sum();
        let _ =
            writeln!(out, "  {FAINT}and {} with {} B{FAINT:#}", count(sent.len() - SHOWN, "more file"), grouped(rest));
    }
    if report.frame > 0 {
        let _ = writeln!(out, "  {FAINT}{} B around them: headings and wrappers{FAINT:#}", grouped(report.frame));
    }
    let lost = report.sources.iter().filter(|source| source.fate == "dropped" && source.trigger != "call").count();
    if lost > 0 {
        let _ = writeln!(out, "  {WARNING}{} skipped{WARNING:#}", count(lost, "file"));
    }
}

/// Writes the parts that are not instruction files.
fn others(out: &mut String, counted: &Counted) {
    for other in &counted.report.others {
        let name = other.name.as_ref().map(|name| format!(" `{name}`")).unwrap_or_default();
        let listed = other.listed.map(|listed| format!(", {listed} listed")).unwrap_or_default();
        let size = match (other.bytes, &other.tokens) {
            (Some(bytes), Some(count)) => format!("{} B  {}", grouped(bytes), tokens(count)),
            (_, _) => "its text is not known".to_owned(),
        };
        let _ = writeln!(out, "  + {}{}{listed}: {size}", other.kind, visible(&counted.said(&name)));
    }
}

/// Formats the size of a source: `3 700 B`, or `3 700 of 12 000 B` if part of it is lost.
fn size(source: &SourceShare) -> String {
    match source.size {
        Some(size) if size.bytes != source.injected => {
            format!("{} of {} B", grouped(source.injected), grouped(size.bytes))
        }
        _ => format!("{} B", grouped(source.injected)),
    }
}

fn tokens(tokens: &Tokens) -> String {
    format!("{} tokens", figure(tokens))
}

/// Returns the remark about a source; empty if it needs none.
fn remark(source: &SourceShare) -> String {
    let mut said = Vec::new();
    if source.fate == "truncated" {
        said.push("cut".to_owned());
    }
    if source.trigger == "read" {
        said.push("on read".to_owned());
    }
    if source.purpose == "memory" {
        said.push("memory".to_owned());
    }
    said.extend(
        source
            .limit
            .as_ref()
            .filter(|limit| limit.state == "near")
            .map(|limit| format!("{} % of its limit", limit.percent)),
    );
    if said.is_empty() { String::new() } else { format!("  {}", said.join(", ")) }
}

fn mark(limit: &LimitUse) -> String {
    match limit.state.as_str() {
        "over" => format!(": {} too many", grouped(limit.used - limit.value)),
        "near" => ": nearly full".to_owned(),
        _ => String::new(),
    }
}

fn style(state: &str) -> Style {
    match state {
        "over" => ERROR,
        "near" => WARNING,
        _ => Style::new(),
    }
}

fn faint(out: &mut String, text: &str, width: usize) {
    let indent = text.len() - text.trim_start().len();
    for line in wrapped(text.trim_start(), width - indent) {
        let _ = writeln!(out, "{:indent$}{FAINT}{line}{FAINT:#}", "");
    }
}
