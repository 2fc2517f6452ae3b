//! Findings: problems in an instruction file or a settings file, with byte ranges. Precision comes before coverage.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::paths::short;
use super::words::list;
use crate::answer::{Fate, Resolution, Source, Trigger};
use crate::queries::references::Absent;
use crate::snapshot::Content;

mod budget;
mod comment;
pub mod content;
mod create;
pub mod exceptions;
mod fates;
mod head;
pub mod hidden;
mod kind;
mod named;
pub mod names;
pub mod page;
mod paragraph;
mod prose;
mod secret;
mod skill;
mod subagent;
mod twice;

pub use budget::{NEAR_PERCENT, Share, Use, counts_for_limit, share, uses, whole};
pub use create::{Created, sample};
pub use fates::gaps;
pub use head::patterns;
pub use kind::{Kind, Severity, Standing};
pub use named::missing_imports;
pub use prose::references;
pub use secret::secrets;

/// Input for findings: one file, with everything known about it.
pub struct Subject<'a> {
    /// Path of the file as agents see it: its directory is physical.
    pub path: &'a Path,
    /// Content of the file.
    pub raw: &'a Content,
    /// Answer of every selected agent at the standpoint: at the start, or else when it reads a file beside this one.
    pub answers: &'a [Arc<Resolution>],
    /// Answers of the agents that do not read the file from there, if they are started beside it.
    pub elsewhere: Elsewhere<'a>,
    /// Answers for sub-agents at their start, where the main session loads the file; empty unless requested.
    pub subagents: &'a [Arc<Resolution>],
    /// Answers for agents that read and that create a file of the rule's pattern; empty unless requested.
    pub created: &'a [Created],
    /// Target of the file, if it is a symbolic link.
    pub leads_to: Option<&'a Path>,
    /// Files of [`loaded_instead`] that are links to the same file.
    pub twins: &'a [PathBuf],
    /// Files of [`missing_imports`] that git ignores.
    pub ignored: &'a [PathBuf],
    /// True if no agent reads the file, even if started in a directory above.
    pub never_read: bool,
    /// Globs of its front matter that match no file.
    pub dead: &'a [String],
    /// Files and scripts that its prose names and that do not exist.
    pub absent: &'a [Absent],
    /// Minimum number of lines of a file that is reported as long; 0 disables the finding.
    pub long: usize,
}

/// The file as seen by agents that are started beside it.
#[derive(Clone, Copy)]
pub struct Elsewhere<'a> {
    /// Path of the file as these agents see it.
    pub path: &'a Path,
    /// Answers of these agents.
    pub answers: &'a [Arc<Resolution>],
}

/// Returns true if an answer determines the fate of a file, so that no other working directory need be tried: the agent
/// reads the file, waits for other files to read it, or has probed its content.
pub fn decides(answer: &Resolution, path: &Path) -> bool {
    let left_out =
        |source: &Source| source.fate == Fate::Dropped && source.limit.is_none() && source.trigger == Trigger::Session;
    let mut own = answer.sources_of(path).peekable();
    let is_mentioned = own.peek().is_some();
    answer.answer.refusal.is_some()
        || own.any(|source| source.fate != Fate::Missing && !left_out(source))
        || (!is_mentioned && answer.has_probed(path))
}

impl<'a> Subject<'a> {
    /// Creates the input for a file of which nothing is known but these answers.
    pub fn plain(path: &'a Path, raw: &'a Content, answers: &'a [Arc<Resolution>]) -> Subject<'a> {
        Subject {
            path,
            raw,
            answers,
            elsewhere: Elsewhere { path, answers: &[] },
            subagents: &[],
            created: &[],
            leads_to: None,
            twins: &[],
            ignored: &[],
            never_read: false,
            dead: &[],
            absent: &[],
            long: 0,
        }
    }

    /// Returns the answers from every start, for checks that do not depend on the working directory.
    pub(crate) fn everywhere(&self) -> Vec<Arc<Resolution>> {
        self.answers.iter().chain(self.elsewhere.answers).cloned().collect()
    }

    /// Returns the subject for agents that are started beside the file, and their working directory as named from the
    /// standpoint.
    pub(crate) fn beside(&self) -> Option<(Subject<'a>, String)> {
        let there = self.elsewhere.answers.first()?;
        let here = self.answers.first().map_or(there, |answer| answer);
        let start = short(&there.standpoint.cwd, &here.standpoint);
        let subject = Subject {
            path: self.elsewhere.path,
            answers: self.elsewhere.answers,
            elsewhere: Elsewhere { path: self.path, answers: &[] },
            subagents: &[],
            created: &[],
            never_read: false,
            ..*self
        };
        Some((subject, start))
    }

    /// Returns the name of the file.
    pub(super) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the directory of the file, or the one that holds the agent's folder.
    pub(super) fn base(&self) -> PathBuf {
        crate::harness::names::beside(self.path)
    }

    /// Returns the sources of every answer that are this file.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&Resolution, &Source)> {
        self.answers.iter().flat_map(|answer| answer.sources_of(self.path).map(move |source| (&**answer, source)))
    }
}

/// A problem in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Kind of the finding.
    pub kind: Kind,
    /// Id of the agent that it applies to; `None`: any agent.
    pub harness: Option<String>,
    /// Fate of the file for that agent.
    pub fate: Option<Fate>,
    /// Byte range in the file.
    pub range: Range<usize>,
    /// Byte ranges of the text that the agent does not load.
    pub lost: Vec<Range<usize>>,
    /// Number of bytes lost to a limit.
    pub cut: usize,
    /// True if the finding only lets editors fade its range: text that no agent loads.
    pub faded: bool,
    /// Message: problem, place and remedy.
    pub message: String,
    /// Working directory for which alone it holds, if that is not the standpoint.
    pub start: Option<String>,
    /// Related files, each with a description.
    pub related: Vec<(PathBuf, String)>,
    /// True if it stands for others of its kind, which are only counted.
    pub is_rest: bool,
    /// Title of the fix that resolves it, if one was looked for and found.
    pub fix: Option<String>,
}

impl Finding {
    /// Creates a finding about the file that holds for any agent.
    pub fn new(kind: Kind, range: Range<usize>, message: impl Into<String>) -> Finding {
        let (harness, fate, lost, start, related, fix) = (None, None, Vec::new(), None, Vec::new(), None);
        let (message, cut, faded, is_rest) = (message.into(), 0, false, false);
        Finding { kind, harness, fate, range, lost, cut, faded, message, start, related, is_rest, fix }
    }

    /// Restricts the finding to one agent.
    fn of(self, harness: &str) -> Finding {
        Finding { harness: Some(harness.to_owned()), ..self }
    }

    /// Returns the default severity.
    pub fn severity(&self) -> Severity {
        self.as_bad_as(self.kind.severity())
    }

    /// Returns the effective severity for a severity of its kind. A finding for another start is information at most,
    /// and an import that is lost only there a hint: the agent asks for approval where it matters.
    pub fn as_bad_as(&self, kind: Severity) -> Severity {
        match (self.faded, &self.start) {
            (true, _) => Severity::Hint,
            (false, Some(_)) if self.kind == Kind::ImportOutside => kind.max(Severity::Hint),
            (false, Some(_)) => kind.max(Severity::Information),
            // A version that reads no AGENTS.md loses all of it, without another file in its place.
            (false, None) if self.kind == Kind::AgentsDisplaced && self.fate == Some(Fate::Excluded) => {
                kind.min(Severity::Warning)
            }
            (false, None) => kind,
        }
    }

    /// Returns true if the cause is in the text of the file, so that several agents may meet it.
    fn is_in_the_text(&self) -> bool {
        match self.kind {
            Kind::DeadGlob
            | Kind::StrippedComment
            | Kind::MissingFile
            | Kind::Remote
            | Kind::FrontMatter
            | Kind::ImportUnconditional
            | Kind::ImportMissing
            | Kind::ImportCycle
            | Kind::ImportTooDeep
            | Kind::ImportOutside
            | Kind::ImportExtension
            | Kind::ImportPunctuation
            | Kind::ImportInProse
            | Kind::ImportUnreadable
            | Kind::ImportCap => true,
            Kind::OverBudget
            | Kind::NearBudget
            | Kind::Shadowed
            | Kind::AgentsDisplaced
            | Kind::Dropped
            | Kind::Unreadable
            | Kind::NeverRead
            | Kind::TooLong
            | Kind::DeprecatedName
            | Kind::LoadedTwice
            | Kind::Empty
            | Kind::NotUtf8
            | Kind::HiddenCharacters
            | Kind::Secret
            | Kind::BadSettings
            | Kind::IgnoredSettings
            | Kind::UntrustedSettings
            | Kind::Declaration
            | Kind::ExpectationFailed
            | Kind::WrongCase
            | Kind::SymlinkOutside
            | Kind::LinkAsText
            | Kind::ExtensionSkipped
            | Kind::DeletedOnNextRun
            | Kind::DuplicateSkill
            | Kind::InternalError
            | Kind::NotJudged
            | Kind::MissingPath
            | Kind::MissingScript
            | Kind::RepeatedParagraph
            | Kind::SkillShortened
            | Kind::NotForEveryone
            | Kind::NotForSubagents
            | Kind::RuleNotOnCreate
            | Kind::Exception
            | Kind::Remark => false,
        }
    }
}

/// Returns the files that agents load in place of `file`.
pub fn loaded_instead<'a>(file: &Path, answers: impl IntoIterator<Item = &'a Arc<Resolution>>) -> Vec<PathBuf> {
    let sources = answers.into_iter().flat_map(|answer| answer.sources_of(file));
    let instead: BTreeSet<&PathBuf> = sources.filter_map(|source| source.by.as_ref()).collect();
    instead.into_iter().cloned().collect()
}

/// Returns all findings of a file, in the order of the file.
pub fn findings(subject: &Subject) -> Vec<Finding> {
    let mut found = at_standpoint(subject);
    found.extend(for_another_start(subject, &found));
    found.extend(fates::faded(subject, &found));
    found.sort_by(|one, other| {
        let key = |finding: &Finding| (finding.faded, finding.range.start, finding.kind, finding.range.end);
        key(one).cmp(&key(other)).then_with(|| one.harness.cmp(&other.harness))
    });
    found.dedup();
    alike(found, subject)
}

fn at_standpoint(subject: &Subject) -> Vec<Finding> {
    let mut found = fates::findings(subject);
    found.extend(budget::findings(subject));
    found.extend(twice::findings(subject));
    found.extend(named::findings(subject));
    found.extend(head::findings(subject));
    found.extend(names::findings(subject));
    found.extend(content::findings(subject));
    found.extend(prose::findings(subject));
    found.extend(comment::findings(subject));
    found.extend(paragraph::findings(subject));
    found.extend(skill::findings(subject));
    found.extend(subagent::findings(subject));
    found.extend(create::findings(subject));
    once(found, subject)
}

/// Returns the findings for agents that are started beside the file: each cause once, without causes already reported.
/// They have no lost text, since nothing is lost at the standpoint.
fn for_another_start(subject: &Subject, found: &[Finding]) -> Vec<Finding> {
    let Some((beside, start)) = subject.beside() else { return Vec::new() };
    let mut causes: HashSet<(Kind, Range<usize>)> = found.iter().map(cause).collect();
    let mut conditional = Vec::new();
    for finding in at_standpoint(&beside) {
        // `docs/agents.md` is a page about agents, also for those that are started in `docs`.
        let is_page = finding.kind == Kind::WrongCase && names::is_small(beside.path);
        if is_page || !causes.insert(cause(&finding)) {
            continue;
        }
        let message = format!("If started in {start}: {}", finding.message);
        conditional.push(Finding { lost: Vec::new(), message, start: Some(start.clone()), ..finding });
    }
    conditional
}

/// Returns the key by which findings count as one: the same text exceeds the limits of several agents.
fn cause(finding: &Finding) -> (Kind, Range<usize>) {
    match finding.kind {
        Kind::OverBudget | Kind::NearBudget | Kind::TooLong => (finding.kind, 0..0),
        kind => (kind, finding.range.clone()),
    }
}

/// Merges findings of several agents with the same cause in the text, adding the names of the other agents.
fn once(found: Vec<Finding>, subject: &Subject) -> Vec<Finding> {
    let cause = |finding: &Finding| {
        let kind = if finding.kind == Kind::MissingFile { Kind::ImportMissing } else { finding.kind };
        finding.is_in_the_text().then(|| (kind, finding.range.clone()))
    };
    joined(found, cause, |finding| title(subject, finding.harness.as_deref()))
}

/// Merges findings of several agents whose messages differ only in the agent's name.
fn alike(found: Vec<Finding>, subject: &Subject) -> Vec<Finding> {
    let said = |finding: &Finding| {
        let name = title(subject, finding.harness.as_deref())?;
        Some((name.to_owned(), finding.message.replacen(name, "", 1)))
    };
    let words = |finding: &Finding| {
        let (_, message) = said(finding).filter(|_| !finding.faded)?;
        Some((finding.kind, finding.range.clone(), finding.start.clone(), message))
    };
    joined(found, words, |finding| said(finding).map(|(name, _)| name))
}

/// Merges findings with the same key: keeps the first, and adds the names of the other agents.
fn joined<K: Eq + Hash, N: AsRef<str> + PartialEq>(
    found: Vec<Finding>,
    key: impl Fn(&Finding) -> Option<K>,
    name: impl Fn(&Finding) -> Option<N>,
) -> Vec<Finding> {
    let mut kept: Vec<(Finding, Vec<N>)> = Vec::new();
    let mut places: HashMap<K, usize> = HashMap::new();
    for finding in found {
        let place = key(&finding).map(|key| *places.entry(key).or_insert(kept.len()));
        match place.and_then(|place| kept.get_mut(place)) {
            // All editions of an agent have one name.
            Some((other, also)) if other.harness != finding.harness => also.extend(name(&finding)),
            Some(_) => {}
            None => kept.push((finding, Vec::new())),
        }
    }
    let said = |(finding, mut also): (Finding, Vec<N>)| {
        also.dedup();
        for_others(finding, &also)
    };
    kept.into_iter().map(said).collect()
}

/// Adds the names of other agents to the message of a finding.
fn for_others<T: AsRef<str>>(finding: Finding, also: &[T]) -> Finding {
    match also {
        [] => finding,
        also => Finding { message: format!("{} (also {})", finding.message, list(also)), ..finding },
    }
}

/// Returns the title of an agent among the answers.
pub(crate) fn title<'a>(subject: &'a Subject, harness: Option<&str>) -> Option<&'a str> {
    let mut answers = subject.answers.iter().filter(|answer| Some(answer.harness.as_str()) == harness);
    answers.next().map(|answer| answer.title.as_str())
}

/// Returns the range from a byte to the end of its line; if only white space is left there, the next line with text.
fn line_from(raw: &[u8], byte: usize) -> Range<usize> {
    let blank = raw[byte..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let ends = raw[byte..byte + blank].contains(&b'\n') && byte + blank < raw.len();
    let start = if ends { byte + blank } else { byte };
    let end = raw[start..].iter().position(|byte| *byte == b'\n').map_or(raw.len(), |end| start + end);
    start..end - usize::from(raw[start..end].ends_with(b"\r"))
}

/// Returns the range of the first line, without its line ending.
pub(super) fn first_line(raw: &[u8]) -> Range<usize> {
    let end = raw.iter().position(|byte| *byte == b'\n').unwrap_or(raw.len());
    0..end - usize::from(raw[..end].ends_with(b"\r"))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn to_join_findings_each_is_looked_at_once() {
        let finding =
            |at: usize, harness: &str| Finding::new(Kind::ImportMissing, at..at + 1, "it is missing").of(harness);
        let found: Vec<Finding> =
            ["a", "b", "c"].iter().flat_map(|harness| (0..10_000).map(|at| finding(at, harness))).collect();
        let asked = Cell::new(0);
        let key = |finding: &Finding| {
            asked.set(asked.get() + 1);
            Some(finding.range.clone())
        };
        let joined = joined(found, key, |finding| finding.harness.clone());
        assert_eq!((joined.len(), asked.get()), (10_000, 30_000));
        assert_eq!(joined[9_999].message, "it is missing (also b and c)");
    }
}
