//! Finds the agents that each line of an instruction file reaches, and lines that reach only some agents.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::{Finding, Kind, Subject};
use super::words::{count, list};
use crate::answer::{Fate, MessageKind, Purpose, Resolution};
use crate::snapshot::Content;

/// Files that some agent loads, or would load, and the agents that their lines reach.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Portability {
    /// Ids of the agents that were asked.
    pub harnesses: Vec<String>,
    /// The files, in the order of their paths.
    pub files: Vec<FileReach>,
}

/// A file, and the agents that its lines reach. Lines without a letter or digit do not count.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct FileReach {
    /// The file.
    pub path: String,
    /// Number of lines.
    pub lines: usize,
    /// Number of lines that reach each agent.
    pub reach: BTreeMap<String, usize>,
    /// Parts in text order; consecutive lines that reach the same agents are one part.
    pub parts: Vec<Part>,
}

/// Lines that reach the same agents.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Part {
    /// The first line, from 1 on.
    pub first: usize,
    /// The last line.
    pub last: usize,
    /// Number of lines that count.
    pub lines: usize,
    /// Ids of the agents.
    pub harnesses: Vec<String>,
}

/// Returns the agents that the files of these answers reach. `read` returns the content of a file.
pub fn portability(answers: &[Resolution], read: impl Fn(&Path) -> Option<Content>) -> Portability {
    let told: Vec<Lines> = answers.iter().map(told_by).collect();
    let sources = answers.iter().flat_map(|answer| &answer.answer.sources);
    let counts = sources.filter(|source| {
        let stands = matches!(source.fate, Fate::Loaded | Fate::Truncated | Fate::Shadowed | Fate::Dropped);
        stands && source.purpose == Purpose::Instructions
    });
    let mut paths: Vec<PathBuf> = counts.filter_map(|source| Some(source.path()?.to_owned())).collect();
    paths.sort();
    paths.dedup();
    let files = paths.iter().filter_map(|path| {
        let raw = read(path)?;
        let mut reach: BTreeMap<String, usize> = answers.iter().map(|answer| (answer.harness.clone(), 0)).collect();
        let parts = parts(&raw.text(), &told);
        for part in &parts {
            for at in &part.reached {
                *reach.entry(answers[*at].harness.clone()).or_default() += part.lines;
            }
        }
        let part = |part: Stretch| Part {
            first: part.first + 1,
            last: part.last + 1,
            lines: part.lines,
            harnesses: part.reached.iter().map(|at| answers[*at].harness.clone()).collect(),
        };
        let lines = parts.iter().map(|part| part.lines).sum();
        let parts = parts.into_iter().map(part).collect();
        Some(FileReach { path: path.to_string_lossy().into_owned(), lines, reach, parts })
    });
    let harnesses = answers.iter().map(|answer| answer.harness.clone()).collect();
    Portability { harnesses, files: files.filter(|file| file.lines > 0).collect() }
}

/// Returns findings for lines of a file that reach some agents but not all: one finding for each group of agents.
pub fn findings(subject: &Subject) -> Vec<Finding> {
    let told: Vec<Lines> = subject.answers.iter().map(|answer| told_by(answer)).collect();
    let text = subject.raw.text();
    let mut groups: BTreeMap<Vec<usize>, Vec<Stretch>> = BTreeMap::new();
    for part in parts(&text, &told) {
        if !part.reached.is_empty() && part.reached.len() < told.len() {
            groups.entry(part.reached.clone()).or_default().push(part);
        }
    }
    let name = subject.path.file_name().unwrap_or_default().to_string_lossy();
    let finding = |(reached, parts): (Vec<usize>, Vec<Stretch>)| {
        let lines: usize = parts.iter().map(|part| part.lines).sum();
        let titles: Vec<&str> = reached.iter().map(|at| subject.answers[*at].title.as_str()).collect();
        let these = if lines == 1 { "This line".to_owned() } else { format!("These {}", count(lines, "line")) };
        let verb = if lines == 1 { "reaches" } else { "reach" };
        let message = format!("{these} of {name} {verb} {} only", list(&titles));
        let range = subject.raw.raw_ranges(&[line(&text, parts[0].first)]).pop().unwrap_or(0..0);
        Finding::new(Kind::NotForEveryone, range, message)
    };
    groups.into_iter().map(finding).collect()
}

/// Lines that reach the model, without the white space around them.
type Lines = HashSet<String>;

fn told_by(answer: &Resolution) -> Lines {
    let messages = answer.answer.messages.iter();
    let texts = messages.filter(|message| message.kind == MessageKind::Instructions);
    texts.flat_map(|message| message.text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>()).collect()
}

/// Range of lines that reach the same agents, with line numbers from 0 on.
struct Stretch {
    first: usize,
    last: usize,
    lines: usize,
    /// Indices of the agents in the list of answers.
    reached: Vec<usize>,
}

fn parts(text: &str, told: &[Lines]) -> Vec<Stretch> {
    let mut parts: Vec<Stretch> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        // Lines such as fences and rules occur in every file.
        if !line.contains(char::is_alphanumeric) {
            continue;
        }
        let reached: Vec<usize> = (0..told.len()).filter(|at| told[*at].contains(line)).collect();
        match parts.last_mut() {
            Some(part) if part.reached == reached => {
                part.last = number;
                part.lines += 1;
            }
            _ => parts.push(Stretch { first: number, last: number, lines: 1, reached }),
        }
    }
    parts
}

/// Returns the byte range of a line.
fn line(text: &str, number: usize) -> Range<usize> {
    let start = text.split_inclusive('\n').take(number).map(str::len).sum();
    start..start + text[start..].lines().next().map_or(0, str::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_reach_the_same_are_one_part() {
        let told = [&["# Rules", "one", "two"][..], &["# Rules", "two"]];
        let told = told.map(|lines| lines.iter().map(|line| (*line).to_owned()).collect::<Lines>());
        let text = "# Rules\n\n  one\n---\ntwo\n\nthree\n";
        let parts: Vec<_> =
            parts(text, &told).into_iter().map(|part| (part.first, part.last, part.lines, part.reached)).collect();
        assert_eq!(parts, [(0, 0, 1, vec![0, 1]), (2, 2, 1, vec![0]), (4, 4, 1, vec![0, 1]), (6, 6, 1, vec![])]);
        assert_eq!((&text[line(text, 0)], &text[line(text, 2)]), ("# Rules", "  one"));
    }
}
