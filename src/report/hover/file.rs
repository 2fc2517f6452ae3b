//! Summary of the agents that read an instruction file and how much of it they load: a sentence, and a line per agent.

use super::super::words::{Paths, fate, list, per, unit, when};
use super::grouped_by_words;
use crate::answer::{Fate, Resolution, Source, Trigger};
use crate::report::escape::inert;
use crate::report::findings::Subject;
use crate::text::grouped;

/// Maximum number of agents named as not reading a file; more are counted.
const NAMED: usize = 3;

/// Action of one agent on the file.
#[derive(PartialEq, Eq)]
enum Does {
    /// The agent reads the file or a part of it.
    Reads(Trigger, Part),
    /// The agent would read the file if started in this directory.
    ReadsFrom(String),
    /// The agent does not read the file.
    Nothing,
}

/// Part of the file that reaches the model.
#[derive(PartialEq, Eq)]
enum Part {
    Whole,
    Bytes { kept: usize, of: usize },
    Description,
}

/// Describes the file as a whole; `None` if no agent considers it.
pub(super) fn describe(subject: &Subject) -> Option<String> {
    let mut lines = lines(subject, "");
    // A file below the working directory may be read only by agents that are started beside it.
    let beside = subject.beside();
    if let Some((beside, start)) = &beside {
        lines.extend(self::lines(beside, &format!("if started in {start}: ")));
    }
    if lines.is_empty() {
        return None;
    }
    Some(format!("{}\n\n{}", sentence(subject, beside.as_ref()), grouped_by_words(lines)))
}

/// `Claude Code and Codex read this file whole; OpenCode does not.`
fn sentence(subject: &Subject, beside: Option<&(Subject, String)>) -> String {
    let mut found: Vec<(Does, Vec<&str>)> = Vec::new();
    for answer in subject.answers {
        let does = does(answer, subject, beside);
        match found.iter_mut().find(|(other, _)| *other == does) {
            Some((_, titles)) => titles.push(&answer.title),
            None => found.push((does, vec![&answer.title])),
        }
    }
    // Agents that read most of the file come first, those that do not read it last.
    found.sort_by_key(|(does, _)| match does {
        Does::Reads(_, Part::Whole) => 0,
        Does::Reads(_, Part::Bytes { .. }) => 1,
        Does::Reads(_, Part::Description) => 2,
        Does::ReadsFrom(_) => 3,
        Does::Nothing => 4,
    });
    let alone = found.len() == 1;
    let clauses = found.iter().enumerate().map(|(at, (does, titles))| clause(does, titles, at == 0, alone));
    format!("{}.", clauses.collect::<Vec<_>>().join("; "))
}

fn does(answer: &Resolution, subject: &Subject, beside: Option<&(Subject, String)>) -> Does {
    if answer.sources_of(subject.path).any(waits) {
        return Does::Reads(Trigger::Read, Part::Whole);
    }
    if let Some(source) = answer.sources_of(subject.path).find(|source| source.fate.reaches()) {
        let kept = source.kept.iter().map(ExactSizeIterator::len).sum();
        let part = match (source.fate, source.size) {
            (Fate::Truncated, Some(size)) => Part::Bytes { kept, of: size.bytes },
            (Fate::Listed, _) => Part::Description,
            _ => Part::Whole,
        };
        return Does::Reads(source.trigger, part);
    }
    let there = beside.and_then(|(beside, start)| {
        let mut sources = beside.sources().filter(|(other, _)| other.harness == answer.harness);
        sources.any(|(_, source)| source.fate.reaches()).then(|| start.clone())
    });
    there.map_or(Does::Nothing, Does::ReadsFrom)
}

/// Returns true if the agent reads the file once it works on a file of the rule's pattern.
fn waits(source: &Source) -> bool {
    source.fate == Fate::Dropped && source.limit.is_none() && source.trigger == Trigger::Read
}

fn clause(does: &Does, titles: &[&str], first: bool, alone: bool) -> String {
    let many = titles.len() > 1;
    let ending = if many { "" } else { "s" };
    let (who, file) = (list(titles), if first { "this file" } else { "it" });
    match does {
        Does::Reads(trigger, part) => {
            let once = match trigger {
                Trigger::Session => "",
                Trigger::Read if many => " once they read a file that it is for",
                Trigger::Read => " once it reads a file that it is for",
                Trigger::Attach => " if somebody attaches it",
                Trigger::Call => " if it is called",
            };
            match part {
                Part::Whole => format!("{who} read{ending} {file} whole{once}"),
                Part::Bytes { kept, of } => {
                    format!("{who} read{ending} {} of {} B of {file}{once}", grouped(*kept), grouped(*of))
                }
                Part::Description => {
                    format!("{who} {} only the name and description of {file}", if many { "see" } else { "sees" })
                }
            }
        }
        Does::ReadsFrom(start) => format!("{who} read{ending} {file} only if started in {start}"),
        Does::Nothing if alone && titles.len() > NAMED => format!("None of {} agents reads this file", titles.len()),
        Does::Nothing => {
            let others = titles.len() > NAMED;
            let who = if others { format!("the {} others", titles.len()) } else { who };
            let verb = if many { "do" } else { "does" };
            if first { format!("{who} {verb} not read this file") } else { format!("{who} {verb} not") }
        }
    }
}

/// Returns a line for each time an agent considers the file: the agent with its edition, and the fate of the file.
fn lines(subject: &Subject, condition: &str) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for answer in subject.answers {
        let sources = &answer.answer.sources;
        for (order, source) in sources.iter().enumerate().filter(|(_, source)| source.is_file(subject.path)) {
            let place = format!("{condition}{}, {} of {}", when(source.trigger), order + 1, sources.len());
            let reason = inert(&Paths::of(answer).text(&source.reason));
            let said = format!("{place}, {}: {reason}", outcome(source));
            lines.push((format!("{} {}", answer.title, answer.edition), said));
        }
    }
    lines
}

/// Renders the fate of the file, with the loaded size and the limit.
fn outcome(source: &Source) -> String {
    let limit = source.limit.as_ref().map_or_else(String::new, |limit| {
        format!(" (limit {} {} {}, {})", grouped(limit.value), unit(limit.unit), per(limit.per), inert(&limit.from))
    });
    match (source.fate, source.size) {
        _ if waits(source) => "not yet".to_owned(),
        (Fate::Truncated, Some(size)) => {
            let kept: usize = source.kept.iter().map(ExactSizeIterator::len).sum();
            format!("cut, {} of {} B loaded{limit}", grouped(kept), grouped(size.bytes))
        }
        (Fate::Loaded, Some(size)) => format!("{} B loaded{limit}", grouped(size.bytes)),
        (other, _) => fate(other).to_owned(),
    }
}
