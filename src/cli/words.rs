//! Answers in words, for people at a terminal: `briefing show --verbose`.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use crate::answer::{Fate, Fidelity, Place, Replayed, Resolution, Source};
use crate::report::briefing;
use crate::report::escape::visible;
use crate::report::words::{Paths, certain, fate};
use crate::text::grouped;

/// The widest column of paths, in characters; longer paths push their line out.
const PATH_COLUMN: usize = 60;

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const WARNING: Style = AnsiColor::Yellow.on_default();
const ERROR: Style = AnsiColor::Red.on_default();
const GOOD: Style = AnsiColor::Green.on_default();

/// Renders all answers; with `why`, every probe in the order asked. With `brief`, agents that read nothing share the
/// last line.
pub(super) fn of_all(answers: &[Resolution], why: bool, brief: bool) -> String {
    let reads_nothing = |resolution: &&Resolution| {
        brief && !why && resolution.answer.sources.is_empty() && resolution.answer.refusal.is_none()
    };
    let (silent, telling): (Vec<_>, Vec<_>) = answers.iter().partition(reads_nothing);
    let mut out = telling.into_iter().map(|resolution| of(resolution, why)).collect::<Vec<_>>().join("\n");
    if !silent.is_empty() {
        let names: Vec<_> = silent.iter().map(|silent| format!("{} {}", silent.harness, silent.edition)).collect();
        let between = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{between}{FAINT}no instruction files for {}{FAINT:#}", names.join(", "));
    }
    out
}

/// Renders the answer of one agent.
fn of(resolution: &Resolution, why: bool) -> String {
    let mut out = head(resolution);
    let answer = &resolution.answer;
    if let Some(refusal) = &answer.refusal {
        let _ = writeln!(
            out,
            "  {ERROR}does not start{ERROR:#}: {}\n    {}",
            visible(&Paths::of(resolution).text(&refusal.message)),
            visible(&Paths::of(resolution).path(&refusal.path))
        );
    }
    let paths = Paths::of(resolution);
    let width = answer.sources.iter().map(|source| name(source, &paths).chars().count()).max().unwrap_or(0);
    for source in &answer.sources {
        line(&mut out, source, &paths, width.min(PATH_COLUMN));
    }
    if answer.sources.is_empty() && answer.refusal.is_none() {
        let _ = writeln!(out, "  {FAINT}no instruction files{FAINT:#}");
    }
    if let Some(reason) = &answer.files_only {
        let pending = answer.sources.iter().any(|source| {
            source.fate == Fate::Pending && resolution.urls().any(|url| source.place == Place::Url(url.to_owned()))
        });
        let more = if pending { "; --fetch fetches it" } else { "" };
        let certain = certain(&answer.certain());
        let reason = visible(&paths.text(reason));
        let _ = writeln!(out, "  {WARNING}!{WARNING:#} not exact; {certain}: {reason}{more}");
    }
    for warning in &answer.warnings {
        if answer.files_only.as_ref().is_some_and(|reason| reason.contains(&warning.message)) {
            continue;
        }
        let _ = writeln!(out, "  {WARNING}!{WARNING:#} {}", visible(&paths.text(&warning.message)));
    }
    if why {
        let _ = writeln!(out, "  asked, in this order:");
        for probe in resolution.trace.iter() {
            let _ = writeln!(
                out,
                "    {:<8} {} → {}   {FAINT}({}){FAINT:#}",
                probe.asked,
                visible(&probe.path.display()),
                visible(&probe.answer),
                probe.rule
            );
        }
    }
    out
}

fn head(resolution: &Resolution) -> String {
    let at = &resolution.standpoint;
    let mut out = format!(
        "{BOLD}{} {}{BOLD:#} · started in {}",
        resolution.harness,
        resolution.edition,
        visible(&Paths::home(&at.home).path(&at.cwd))
    );
    if let Some(target) = &at.target {
        let _ = write!(out, " · reading {}", visible(&target.strip_prefix(&at.cwd).unwrap_or(target).display()));
    }
    let whole = briefing::whole(&resolution.answer);
    let parts = Some(whole.parts()).filter(|parts| !parts.is_empty()).map(|parts| format!(" ({parts})"));
    let _ = writeln!(
        out,
        " · {} B ≈ {} tokens{} · {}{}",
        grouped(whole.bytes),
        grouped(whole.tokens.value),
        parts.unwrap_or_default(),
        resolution.fidelity,
        seen_here(resolution)
    );
    out
}

/// Returns a note that the user's own client was asked, and when; empty if it was not.
fn seen_here(resolution: &Resolution) -> String {
    match (&resolution.claim.verified, resolution.claim.replayed, resolution.fidelity) {
        (Some(day), Replayed::Here, Fidelity::Exact) => format!(" (verified on this machine, {day})"),
        _ => String::new(),
    }
}

fn line(out: &mut String, source: &Source, paths: &Paths, width: usize) {
    let (mark, style) = match source.fate {
        Fate::Loaded => ('●', GOOD),
        Fate::Listed => ('◇', GOOD),
        Fate::Truncated => ('◐', WARNING),
        Fate::Shadowed | Fate::Dropped | Fate::Excluded | Fate::Empty => ('○', FAINT),
        Fate::Missing | Fate::Unreadable => ('✗', ERROR),
        Fate::Pending => ('?', WARNING),
    };
    let size = source.size.map_or_else(String::new, |size| format!("{} B", grouped(size.bytes)));
    let _ = writeln!(
        out,
        "  {style}{mark} {:<11}{style:#} {:<width$} {size:>10}  {FAINT}{}{FAINT:#}",
        fate(source.fate),
        name(source, paths),
        visible(&paths.text(&source.reason))
    );
}

fn name(source: &Source, paths: &Paths) -> String {
    visible(&source.path().map_or_else(|| source.place.to_string(), |path| paths.path(path)))
}
