//! Findings as text with source lines, as JSON, as annotations, and as a comment.

use std::fmt::Write;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde_json::json;

use super::super::lines;
use super::{Found, Report};
use crate::report::credentials::starred;
use crate::report::escape;
use crate::report::escape::visible;
use crate::report::findings::{Severity, page};
use crate::report::judged::sentence;
use crate::report::words::count;
use crate::text;

/// Maximum number of characters shown after the start of the marked text; a terminal shows fewer.
const WIDTH: usize = 160;

/// Renders the report for people: each finding with its line, and a count. Also returns how many findings could not be
/// shown.
pub(super) fn text(report: &Report) -> (String, usize) {
    let width = lines::width();
    let renderer = Renderer::styled().term_width(width);
    let (mut out, mut lost) = (String::new(), 0);
    for found in &report.all {
        let said = Said::of(found, width);
        let shown = isolated(|| renderer.render(&[said.group(found)])).unwrap_or_else(|| {
            lost += 1;
            let name = format!("{} of {}", found.code(), visible(&found.path));
            format!("error[internal-error]: {name} could not be shown; this is a mistake of Briefing's own")
        });
        let _ = write!(out, "{shown}\n\n");
    }
    let end = [kinds(report), Some(summary(report))];
    for line in end.iter().flatten().flat_map(|text| lines::wrapped(text, width)) {
        let _ = writeln!(out, "{line}");
    }
    (out, lost)
}

/// Number of findings above which the kinds are counted, since they fill more than a screen.
const MANY: usize = 10;

/// Counts the findings of each kind, the most frequent first, if there are many: `55 dropped, 10 dead-glob, 9
/// shadowed`.
fn kinds(report: &Report) -> Option<String> {
    let mut kinds: Vec<(usize, &str)> = Vec::new();
    for code in report.all.iter().map(Found::code) {
        match kinds.iter_mut().find(|(_, known)| *known == code) {
            Some((number, _)) => *number += 1,
            None => kinds.push((1, code)),
        }
    }
    kinds.sort_by_key(|(number, code)| (std::cmp::Reverse(*number), *code));
    let counted: Vec<String> = kinds.iter().map(|(number, code)| format!("{number} {code}")).collect();
    (report.all.len() > MANY).then(|| counted.join(", "))
}

/// Renders a line for each finding, for editors and `grep`.
pub(super) fn concise(report: &Report) -> String {
    let mut out = String::new();
    for found in &report.all {
        let (line, column) = found.position(found.finding.range.start);
        let place = match found.path.as_str() {
            "" => String::new(),
            path => format!("{}:{line}:{column}: ", visible(&path)),
        };
        let (severity, code) = (found.severity.word(), found.code());
        let _ = writeln!(out, "{place}{severity}[{code}] {}", visible(&found.finding.message));
    }
    out
}

/// Runs `render`; returns `None` if it panics, so that only one finding is lost.
fn isolated(render: impl FnOnce() -> String) -> Option<String> {
    catch_unwind(AssertUnwindSafe(render)).ok()
}

/// The line on which a finding begins, with its number and the marked range.
struct Line {
    text: String,
    number: usize,
    marked: Range<usize>,
}

fn line_of(found: &Found) -> Line {
    let (start, end) = (found.finding.range.start.min(found.raw.len()), found.finding.range.end.min(found.raw.len()));
    let from = found.raw[..start].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let to = found.raw[start..].iter().position(|&byte| byte == b'\n').map_or(found.raw.len(), |at| start + at);
    let raw = &found.raw[from..to];
    let decoded = text::lossy(raw);
    let whole = starred(&decoded.replace('\r', "")).into_owned();
    let (number, column) = found.position(start);
    let cut = whole.char_indices().nth(column + WIDTH).map_or(whole.len(), |(at, _)| at);
    // A range may end within a character, and invalid bytes are shown as one character.
    let place = |byte: usize| {
        let at = text::decoded_offset(raw, byte - from);
        (at - decoded[..at].matches('\r').count()).min(cut)
    };
    let marked = place(start)..place(end.clamp(start, to));
    Line { text: whole[..cut].to_owned(), number, marked }
}

/// Returns the remedy for a finding, and where it is explained.
pub(super) fn help(found: &Found) -> String {
    let code = found.code();
    match found.finding.fix.clone().or_else(|| page::fix(found.finding.kind)) {
        Some(fix) => format!("{fix} (`briefing explain {code}`)"),
        None => format!("`briefing explain {code}` says what it means"),
    }
}

/// A finding as it is printed: without characters that steer a terminal, and wrapped.
struct Said {
    path: String,
    message: String,
    line: Line,
    help: String,
}

impl Said {
    fn of(found: &Found, width: usize) -> Said {
        // `information[code]: ` stands before the message, and `  = help: ` before the help.
        let broken = |text: &str, before: usize| lines::wrapped(text, width.saturating_sub(before)).join("\n");
        let before = found.severity.word().len() + found.code().len() + "[]: ".len();
        let line = line_of(found);
        let gutter = line.number.to_string().len() + " = help: ".len() + 1;
        Said {
            path: visible(&found.path),
            message: broken(&visible(&found.finding.message), before),
            help: broken(&visible(&help(found)), gutter),
            line,
        }
    }

    fn group(&self, found: &Found) -> Group<'_> {
        let Said { path, message, line, help } = self;
        let level = match found.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Information => Level::INFO,
            Severity::Hint => Level::HELP.with_name("hint"),
        };
        let title = level.primary_title(message).id(found.code());
        if path.is_empty() {
            return Group::with_title(title);
        }
        let help = Level::HELP.message(help);
        if line.text.is_empty() {
            return title.element(Origin::path(path).line(line.number)).element(help);
        }
        let annotation = AnnotationKind::Primary.span(line.marked.clone());
        let snippet = Snippet::source(&line.text).line_start(line.number).path(path).annotation(annotation);
        title.element(snippet).element(help)
    }
}

/// Summarizes the report: `3 findings in 2 of 40 files: 1 error, 2 warnings; 4 known`.
fn summary(report: &Report) -> String {
    let files = count(report.files, "file");
    let known = if report.known == 0 { String::new() } else { format!("; {} known", text::grouped(report.known)) };
    let samples = match report.samples {
        0 => String::new(),
        samples => format!("; {} not judged", count(samples, "sample")),
    };
    let hidden = match report.hidden {
        0 => String::new(),
        hidden => format!("; {} more with --level hint", text::grouped(hidden)),
    };
    let since = report.since.map_or_else(String::new, |revision| format!(" since {revision}"));
    if report.all.is_empty() {
        let found = if report.since.is_some() { "Nothing is worse" } else { "No findings" };
        return format!("{found}{since} in {files}{known}{samples}{hidden}");
    }
    let number = |severity: Severity| report.all.iter().filter(|found| found.severity == severity).count();
    let counts = [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Information, "note"),
        (Severity::Hint, "hint"),
    ];
    let counts = counts.map(|(severity, word)| (number(severity), word));
    let counts: Vec<String> =
        counts.iter().filter(|(number, _)| *number > 0).map(|(number, word)| count(*number, word)).collect();
    format!("{}{since} in {files}: {}{known}{samples}{hidden}", count(report.all.len(), "finding"), counts.join(", "))
}

/// Renders the report as JSON.
pub(super) fn json(report: &Report) -> Result<String, String> {
    let findings: Vec<_> = report
        .all
        .iter()
        .map(|found| {
            let (start, end) = found.span();
            json!({
                "path": found.path,
                "code": found.code(),
                "severity": found.severity.word(),
                "harness": found.finding.harness,
                "message": found.finding.message,
                "help": help(found),
                "range": {
                    "start": {"line": start.0, "column": start.1},
                    "end": {"line": end.0, "column": end.1},
                },
                "bytes": {"start": found.finding.range.start, "end": found.finding.range.end},
                "fingerprint": found.fingerprint,
                "also": found.also,
            })
        })
        .collect();
    let all = json!({"version": 1, "judged": report.judged, "files": report.files, "samples": report.samples, "known": report.known, "findings": findings});
    Ok(escape::json(&all)? + "\n")
}

/// Renders the report as workflow commands of GitHub Actions:
/// <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>
pub(super) fn github(report: &Report) -> String {
    // The log shows lines that are no commands as they are.
    let mut out = escape::log_line(&sentence(report.judged)) + "\n";
    for found in &report.all {
        let level = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information | Severity::Hint => "notice",
        };
        let (start, end) = found.span();
        let place = if found.path.is_empty() {
            String::new()
        } else if start.0 == end.0 && end.1 > start.1 {
            format!(
                "file={},line={},col={},endColumn={},",
                escape::command_property(&found.path),
                start.0,
                start.1,
                end.1
            )
        } else {
            format!("file={},line={},", escape::command_property(&found.path), start.0)
        };
        let (code, message) = (found.code(), escape::command(&found.finding.message));
        let _ = writeln!(
            out,
            "::{level} {place}title=Briefing ({code})::{message}%0AHelp: {}",
            escape::command(&help(found))
        );
    }
    out
}

/// Renders the report as a comment for a pull request.
pub(super) fn markdown(report: &Report) -> String {
    let mut out = format!("### Briefing\n\n{}\n\n", escape::comment(&sentence(report.judged)));
    if !report.all.is_empty() {
        out.push_str("| severity | where | what |\n|---|---|---|\n");
    }
    for found in &report.all {
        let place = match found.path.as_str() {
            "" => String::new(),
            path => escape::comment_code(&format!("{path}:{}", found.position(found.finding.range.start).0)),
        };
        let message = escape::comment(&found.finding.message);
        let help = escape::comment(&help(found));
        let _ = writeln!(out, "| {} | {place} | {message} ({})<br>Help: {help} |", found.severity.word(), found.code());
    }
    let _ = writeln!(out, "{}{}", if report.all.is_empty() { "" } else { "\n" }, escape::comment(&summary(report)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::findings::{Finding, Kind};

    #[test]
    fn what_is_marked_ends_between_characters_wherever_a_range_ends() {
        let texts: [&[u8]; 6] =
            ["жж\rжж\nж".as_bytes(), "😀\u{301}a😀".as_bytes(), b"a\xffb\xe2\x82c", b"\xf0\x9f\x98", b"\r\r\n\r", b""];
        for raw in texts {
            for start in 0..=raw.len() + 1 {
                for end in start..=raw.len() + 1 {
                    let finding = Finding::new(Kind::TooLong, start..end, "it is long");
                    let (path, fingerprint) = ("a".to_owned(), String::new());
                    let also = Vec::new();
                    let found = Found { path, raw, severity: Severity::Error, finding, fingerprint, also };
                    let line = line_of(&found);
                    assert!(line.text.get(line.marked.clone()).is_some(), "{raw:?} {start}..{end}: {:?}", line.marked);
                    let said = Said { line, ..Said::of(&found, 100) };
                    assert!(isolated(|| Renderer::plain().render(&[said.group(&found)])).is_some());
                }
            }
        }
    }

    #[test]
    fn one_finding_that_cannot_be_shown_is_lost_alone() {
        assert_eq!(isolated(|| "shown".to_owned()).as_deref(), Some("shown"));
        assert_eq!(isolated(|| panic!("it is meant to")), None);
    }
}
