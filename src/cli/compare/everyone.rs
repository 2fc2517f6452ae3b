//! `briefing compare --all`: which lines reach which of my agents.

use std::fmt::Write;
use std::path::Path;

use super::{BOLD, FAINT};
use crate::answer::Resolution;
use crate::disk::{Filesystem, Real};
use crate::report::escape::visible;
use crate::report::portable::{FileReach, Part, Portability, portability};
use crate::report::words::{Paths, count, list};

/// Compares the texts that reach each agent, and renders the result as a table with details.
pub(super) fn run(answers: &[Resolution]) -> (Portability, String) {
    let all = portability(answers, |path| Real.read(path).ok());
    let said = words(&all, answers);
    (all, said)
}

fn words(all: &Portability, answers: &[Resolution]) -> String {
    let mut out = String::new();
    let Some(first) = answers.first() else { return out };
    let paths = Paths::of(first);
    let name = |file: &FileReach| visible(&paths.path(Path::new(&file.path)));
    let width = all.files.iter().map(|file| name(file).chars().count()).max().unwrap_or(0);
    let _ = write!(out, "{BOLD}{:width$}", "");
    for answer in answers {
        let _ = write!(out, "  {}", visible(&answer.title));
    }
    let _ = writeln!(out, "{BOLD:#}");
    for file in &all.files {
        let _ = write!(out, "{:width$}", name(file));
        for answer in answers {
            let reached = file.reach.get(&answer.harness).copied().unwrap_or(0);
            let cell = match reached {
                0 => "-".to_owned(),
                reached if reached == file.lines => "all".to_owned(),
                reached => format!("{reached} of {}", file.lines),
            };
            let column = visible(&answer.title).chars().count();
            let _ = write!(out, "  {cell:column$}");
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    for file in &all.files {
        let parts: Vec<&Part> = file.parts.iter().filter(|part| part.harnesses.len() < answers.len()).collect();
        if parts.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{BOLD}{}{BOLD:#}", name(file));
        for part in parts {
            let place = if part.first == part.last {
                format!("line {}", part.first)
            } else {
                format!("lines {}-{}", part.first, part.last)
            };
            let _ = writeln!(
                out,
                "  {place:<15} {FAINT}{:<10}{FAINT:#} {}",
                count(part.lines, "line"),
                whom(part, answers)
            );
        }
    }
    if all.files.iter().all(|file| file.parts.iter().all(|part| part.harnesses.len() == answers.len())) {
        let _ = writeln!(out, "{FAINT}every line reaches everyone{FAINT:#}");
    }
    out
}

fn whom(part: &Part, answers: &[Resolution]) -> String {
    let titles: Vec<&str> = answers
        .iter()
        .filter(|answer| part.harnesses.contains(&answer.harness))
        .map(|answer| answer.title.as_str())
        .collect();
    match titles.as_slice() {
        [] => "reaches nobody".to_owned(),
        titles => format!("{} only", visible(&list(titles))),
    }
}
