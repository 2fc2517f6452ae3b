//! The report as one page of HTML that needs nothing else: no script, no font, no network.

use std::fmt::Write;

use super::{Counted, amounts, figure};
use crate::report::context::{ContextReport, OUT_OF_SIGHT, SourceShare};
use crate::report::escape::markup;
use crate::report::words::Paths;
use crate::text::grouped;

const STYLE: &str = include_str!("report.css");

/// Content security policy: nothing is loaded, and nothing is run.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Renders the whole page. Every tag is closed and every attribute quoted, so that it is XML as well.
pub(super) fn page(all: &[Counted], judged: &str) -> String {
    let (telling, silent): (Vec<_>, Vec<_>) = all.iter().partition(|counted| counted.says_something());
    let place = all.first().map(|counted| {
        let at = &counted.answer.standpoint;
        let cwd = Paths::home(&at.home).path(&at.cwd);
        match &at.target {
            Some(target) => format!("{} read in {cwd}", Paths::of(&counted.answer).path(target)),
            None => format!("the start of a session in {cwd}"),
        }
    });
    let title = format!("What fills the context: {}", place.unwrap_or_default());
    let mut out = String::new();
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n",
        markup(POLICY),
        markup(&title),
        markup(&title)
    );
    let _ = writeln!(out, "<p>{}</p>", markup(judged));
    overview(&mut out, &telling);
    telling.iter().for_each(|counted| section(&mut out, counted));
    if !silent.is_empty() {
        let names: Vec<&str> = silent.iter().map(|counted| counted.answer.title.as_str()).collect();
        let _ = writeln!(out, "<p class=\"faint\">Nothing for {}.</p>", markup(&names.join(", ")));
    }
    let _ = writeln!(out, "<p class=\"faint end\">{}.</p>", markup(OUT_OF_SIGHT));
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// Renders a table that compares the agents, if there are several.
fn overview(out: &mut String, all: &[&Counted]) {
    if all.len() < 2 {
        return;
    }
    let most = all.iter().map(|counted| counted.report.whole.bytes).max().unwrap_or(0);
    out.push_str("<table class=\"overview\">\n<thead><tr><th scope=\"col\">Agent</th><th scope=\"col\">Bytes</th><th scope=\"col\">Tokens</th><th scope=\"col\" class=\"wide\">Compared</th></tr></thead>\n<tbody>\n");
    for counted in all {
        let whole = &counted.report.whole;
        let percent = (whole.bytes * 100).checked_div(most).unwrap_or(0);
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\"><a href=\"#{}\">{}</a></th><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
            markup(&counted.report.harness),
            markup(&counted.answer.title),
            grouped(whole.bytes),
            figure(&whole.tokens),
            bar(percent, "fits")
        );
    }
    out.push_str("</tbody>\n</table>\n");
}

fn section(out: &mut String, counted: &Counted) {
    let report = &counted.report;
    let _ = writeln!(
        out,
        "<section id=\"{}\">\n<h2>{} <small>{} · {}</small></h2>\n<p class=\"total\"><b>{}</b> bytes · <b>{}</b> tokens</p>",
        markup(&report.harness),
        markup(&counted.answer.title),
        markup(&report.edition),
        markup(&report.fidelity),
        grouped(report.whole.bytes),
        figure(&report.whole.tokens)
    );
    if report.whole.layers.len() > 1 {
        let _ = writeln!(out, "<p class=\"faint\">{}</p>", markup(&report.whole.parts()));
    }
    if let Some(refusal) = &report.refusal {
        let _ = writeln!(out, "<p class=\"over\">Does not start: {}</p>", markup(&counted.said(refusal)));
    }
    for limit in &report.limits {
        let said = format!("{} % of the limit for all files: {}", limit.percent, amounts(limit));
        let _ = writeln!(out, "<p class=\"limit\">{} {}</p>", bar(limit.percent, &limit.state), markup(&said));
    }
    reserve(out, report);
    sources(out, counted);
    others(out, counted);
    for note in report.notes.iter().filter(|note| *note != OUT_OF_SIGHT) {
        let _ = writeln!(out, "<p class=\"faint\">{}.</p>", markup(note));
    }
    out.push_str("</section>\n");
}

fn reserve(out: &mut String, report: &ContextReport) {
    let Some(reserve) = report.reserve else { return };
    let left = reserve.context.saturating_sub(reserve.kept);
    let line = |used: usize, of: usize, words: &str| {
        let percent = (used * 100).checked_div(of).unwrap_or(100);
        let state = if used > of { "over" } else { "fits" };
        format!("<p class=\"limit\">{} ≈{} of {} tokens {words}</p>\n", bar(percent, state), grouped(used), grouped(of))
    };
    out.push_str(&line(reserve.memory, reserve.kept, "that are kept free for memory"));
    out.push_str(&line(reserve.instructions, left, "that are left for everything else"));
}

fn sources(out: &mut String, counted: &Counted) {
    let sent: Vec<&SourceShare> =
        counted.report.sources.iter().filter(|source| source.injected > 0 || is_lost(source)).collect();
    if sent.is_empty() {
        return;
    }
    out.push_str("<table>\n<thead><tr><th scope=\"col\">Source</th><th scope=\"col\">File</th><th scope=\"col\">Sent</th><th scope=\"col\">Tokens</th><th scope=\"col\" class=\"wide\">Share</th></tr></thead>\n<tbody>\n");
    for source in sent {
        let raw = source.size.map_or_else(|| "–".to_owned(), |size| grouped(size.bytes));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is within 0 and 100")]
        let percent = source.share.round() as usize;
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}{}</th><td class=\"n\">{raw}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{} {:.1}&#160;%</td></tr>",
            markup(&counted.name(&source.name)),
            marks(source),
            grouped(source.injected),
            figure(&source.tokens),
            bar(percent, "fits"),
            source.share
        );
    }
    let frame = counted.report.frame;
    if frame > 0 {
        let _ = writeln!(
            out,
            "<tr class=\"faint\"><th scope=\"row\">headings and wrappers</th><td class=\"n\">–</td><td class=\"n\">{}</td><td class=\"n\">≈{}</td><td></td></tr>",
            grouped(frame),
            grouped(frame.div_ceil(4))
        );
    }
    out.push_str("</tbody>\n</table>\n");
}

/// Returns true if part or all of the source does not reach the model.
fn is_lost(source: &SourceShare) -> bool {
    matches!(source.fate.as_str(), "dropped" | "truncated") && source.trigger != "call"
}

fn others(out: &mut String, counted: &Counted) {
    if counted.report.others.is_empty() {
        return;
    }
    out.push_str("<ul>\n");
    for other in &counted.report.others {
        let name = other.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        let listed = other.listed.map(|listed| format!(", {listed} listed")).unwrap_or_default();
        let size = match (other.bytes, &other.tokens) {
            (Some(bytes), Some(tokens)) => format!("{} bytes · {} tokens", grouped(bytes), figure(tokens)),
            (_, _) => "its text is not known".to_owned(),
        };
        let _ = writeln!(out, "<li>{}: {size}</li>", markup(&format!("{}{name}{listed}", other.kind)));
    }
    out.push_str("</ul>\n");
}

/// Returns the marks of a source.
fn marks(source: &SourceShare) -> String {
    let mut marks = String::new();
    let mut mark = |class: &str, words: &str| {
        let _ = write!(marks, " <span class=\"mark {class}\">{}</span>", markup(words));
    };
    match source.fate.as_str() {
        "truncated" => mark("over", "cut"),
        "dropped" => mark("over", "skipped"),
        _ => {}
    }
    if let Some(limit) = source.limit.as_ref().filter(|limit| limit.state == "near") {
        mark("near", &format!("{} % of its limit", limit.percent));
    }
    if source.trigger == "read" {
        mark("", "on read");
    }
    if source.purpose == "memory" {
        mark("", "memory");
    }
    marks
}

/// Renders a bar. What it shows is also written beside it, so it is hidden from screen readers.
fn bar(percent: usize, state: &str) -> String {
    let percent = percent.min(100);
    format!(
        "<span class=\"bar {}\" aria-hidden=\"true\"><span style=\"width:{percent}%\"></span></span>",
        markup(state)
    )
}
