//! Agents that get each part of an instruction file, and when.

use std::ops::Range;

use super::findings::Subject;
use super::hints::{Hint, line_end};
use super::symbols::{Section, symbols};
use super::words::{Paths, list, when};
use crate::answer::{Fate, Resolution, Source, Trigger};

/// Maximum number of agents that a label names; more are counted.
const NAMED: usize = 4;

/// An agent that reads a file, with a note: when it gets a part, or why it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reader {
    /// Id of the agent.
    pub harness: String,
    /// Title of the agent.
    pub title: String,
    /// When the agent gets the part, or why it does not.
    pub note: String,
}

/// A part of a file that the same agents get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Byte range in the file.
    pub range: Range<usize>,
    /// Agents that get the part.
    pub told: Vec<Reader>,
    /// Agents that get another part of the file, or would get this one without a limit.
    pub missed: Vec<Reader>,
}

impl Part {
    /// `Codex and Goose at start; Claude Code on read; not OpenClaw`.
    fn label(&self) -> String {
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for Reader { title, note, .. } in &self.told {
            match groups.iter_mut().find(|(other, _)| other == note) {
                Some((_, titles)) => titles.push(title),
                None => groups.push((note, vec![title])),
            }
        }
        let mut said: Vec<String> = groups.iter().map(|(note, titles)| format!("{} {note}", named(titles))).collect();
        let missed: Vec<&str> = self.missed.iter().map(|reader| &*reader.title).collect();
        if said.is_empty() {
            return "read by none of your agents".to_owned();
        }
        if !missed.is_empty() {
            said.push(format!("not {}", named(&missed)));
        }
        said.join("; ")
    }

    /// Returns one statement per agent.
    fn statements(&self) -> String {
        let told = self.told.iter().map(|reader| format!("{}: {}", reader.title, reader.note));
        let missed = self.missed.iter().map(|reader| format!("{}: not loaded: {}", reader.title, reader.note));
        told.chain(missed).collect::<Vec<_>>().join("\n")
    }
}

fn named(titles: &[&str]) -> String {
    if titles.len() > NAMED { format!("{} agents", titles.len()) } else { list(titles) }
}

/// An agent that reads the file, and the byte ranges that it gets.
struct Share {
    agent: (String, String),
    when: String,
    kept: Vec<Range<usize>>,
    reason: String,
}

/// Returns the parts of a file, in order; none if no agent gets any of it.
pub fn parts(subject: &Subject) -> Vec<Part> {
    let (raw, shares) = (subject.raw, shares(subject));
    if shares.iter().all(|share| share.kept.is_empty()) {
        return Vec::new();
    }
    let ends = shares.iter().flat_map(|share| share.kept.iter().flat_map(|kept| [kept.start, kept.end]));
    let mut ends: Vec<usize> = ends.chain([0, raw.len()]).filter(|end| *end <= raw.len()).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut parts: Vec<Part> = Vec::new();
    for range in ends.windows(2).map(|ends| ends[0]..ends[1]) {
        let is_told = |share: &&Share| share.kept.iter().any(|kept| kept.start <= range.start && range.end <= kept.end);
        let (told, missed): (Vec<&Share>, Vec<&Share>) = shares.iter().partition(is_told);
        let reader = |share: &Share, note: &str| {
            let (harness, title) = share.agent.clone();
            Reader { harness, title, note: note.to_owned() }
        };
        let told = told.into_iter().map(|share| reader(share, &share.when)).collect();
        let missed = missed.into_iter().map(|share| reader(share, &share.reason)).collect();
        let is_blank = raw[range.clone()].trim_ascii().is_empty();
        match parts.last_mut() {
            // White space belongs to the part before it.
            Some(last) if is_blank || (last.told == told && last.missed == missed) => last.range.end = range.end,
            _ => parts.push(Part { range, told, missed }),
        }
    }
    parts
}

fn shares(subject: &Subject) -> Vec<Share> {
    let mut shares: Vec<Share> = Vec::new();
    for (answer, source) in subject.sources() {
        add(&mut shares, subject, answer, source, String::new());
    }
    if let Some((beside, start)) = subject.beside() {
        for (answer, source) in beside.sources() {
            add(&mut shares, subject, answer, source, format!(" in {start}"));
        }
    }
    shares
}

fn add(shares: &mut Vec<Share>, subject: &Subject, answer: &Resolution, source: &Source, start: String) {
    let agent = (answer.harness.clone(), answer.title.clone());
    // An agent that reads a file twice gets it once; editions of one agent have one title.
    if shares.iter().any(|share| share.agent == agent) {
        return;
    }
    let whole = || std::iter::once(0..subject.raw.len()).collect::<Vec<_>>();
    let kept = match source.fate {
        Fate::Truncated => source.kept.clone(),
        Fate::Dropped if source.limit.is_some() => Vec::new(),
        // A rule with globs is loaded later, together with a matching file; a listed file is sent when it is called.
        Fate::Dropped if source.trigger != Trigger::Session => whole(),
        Fate::Loaded | Fate::Listed => whole(),
        Fate::Dropped | Fate::Shadowed | Fate::Empty | Fate::Excluded => return,
        Fate::Missing | Fate::Unreadable | Fate::Pending => return,
    };
    let when = if source.fate == Fate::Listed { when(Trigger::Call) } else { when(source.trigger) };
    let reason = Paths::of(answer).text(&source.reason);
    shares.push(Share { agent, when: format!("{when}{start}"), kept, reason });
}

/// Places that have a hint with the agents that read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// Each heading, or the first alone if the same agents get the whole file.
    Headings,
    /// Each heading, and each line with other readers than the heading above it.
    Lines,
}

/// Returns the hints that say which agents get a heading, or a line.
pub fn hints(subject: &Subject, places: Places) -> Vec<Hint> {
    let parts = parts(subject);
    let Some(text) = subject.raw.as_text().filter(|_| !parts.is_empty()) else { return Vec::new() };
    let mut headings = Vec::new();
    symbols(text).iter().for_each(|section| flatten(section, &mut headings));
    if parts.len() == 1 {
        headings.truncate(1);
    }
    let part = |byte: usize| parts.iter().find(|part| part.range.contains(&byte)).or(parts.last());
    let hint = |part: &Part, at: usize| Hint {
        at: line_end(subject.raw, at),
        label: part.label(),
        tooltip: part.statements(),
    };
    let mut found = Vec::new();
    let mut heading = headings.iter().peekable();
    let (mut start, mut above) = (0, part(0));
    for line in text.split_inclusive('\n') {
        let last = start + line.trim_end().len().saturating_sub(1);
        let here = part(last);
        if heading.next_if(|heading| heading.start == start).is_some() {
            found.extend(here.map(|part| hint(part, start)));
            above = here;
        } else if places == Places::Lines && !line.trim().is_empty() && here != above {
            found.extend(here.map(|part| hint(part, start)));
        }
        start += line.len();
    }
    found
}

fn flatten(section: &Section, headings: &mut Vec<Range<usize>>) {
    headings.push(section.heading.clone());
    section.children.iter().for_each(|child| flatten(child, headings));
}
