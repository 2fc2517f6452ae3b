//! What is wrong with an instruction file or a settings file, as findings with byte ranges. Few and right.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::words::list;
use crate::answer::{Fate, Resolution};
use crate::snapshot::Content;

mod budget;
mod content;
mod fates;
mod head;
pub mod hidden;
mod kind;
mod named;
pub mod names;
mod secret;
mod twice;

pub use budget::{NEAR_PERCENT, Share, Use, share, uses};
pub use fates::gaps;
pub use head::patterns;
pub use kind::{Kind, Severity};

/// What is looked at: one file, with all that is known about it.
pub struct Subject<'a> {
    /// The file, as harnesses see it: its directory is physical.
    pub path: &'a Path,
    /// Its bytes.
    pub raw: &'a Content,
    /// What every enabled harness tells when it is started beside the file.
    pub answers: &'a [Arc<Resolution>],
    /// Where the file really is, if it is a link.
    pub leads_to: Option<&'a Path>,
    /// Whether it was looked for from the directories above, too, and no harness reads it.
    pub never_read: bool,
    /// The patterns of its head that match nothing at all.
    pub dead: &'a [String],
    /// From how many lines on a file is called long; 0: from none.
    pub long: usize,
}

impl Subject<'_> {
    /// The name of the file.
    pub(super) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The directory beside which the file stands: its own, or the one that holds the harness's folder.
    pub(super) fn base(&self) -> PathBuf {
        crate::harness::shared::names::beside(self.path)
    }

    /// Every harness's sources that are this file.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&Resolution, &crate::answer::Source)> {
        self.answers.iter().flat_map(|answer| {
            let own = answer.answer.sources.iter().filter(|source| source.is_file(self.path));
            own.map(move |source| (&**answer, source))
        })
    }
}

/// Something wrong in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: Kind,
    /// For which harness; `None`: for whoever reads it.
    pub harness: Option<String>,
    /// What became of the file there.
    pub fate: Option<Fate>,
    /// Where, in bytes of the file.
    pub range: Range<usize>,
    /// The text that the harness does not load, in bytes of the file.
    pub lost: Vec<Range<usize>>,
    /// Whether it is there only so that editors can fade its range: text that none of the harnesses loads.
    pub faded: bool,
    /// What, where and what to do.
    pub message: String,
    /// Other files it is about, with what they do.
    pub related: Vec<(PathBuf, String)>,
}

impl Finding {
    /// A finding about the file itself, whoever reads it.
    pub fn new(kind: Kind, range: Range<usize>, message: impl Into<String>) -> Finding {
        let (harness, fate, lost, related) = (None, None, Vec::new(), Vec::new());
        Finding { kind, harness, fate, range, lost, faded: false, message: message.into(), related }
    }

    /// The same for one harness.
    fn of(self, harness: &str) -> Finding {
        Finding { harness: Some(harness.to_owned()), ..self }
    }

    /// How bad it is unless the user says otherwise.
    pub fn severity(&self) -> Severity {
        if self.faded { Severity::Hint } else { self.kind.severity() }
    }

    /// Whether its cause is something that stands in the file, so that several harnesses may meet it.
    fn is_in_the_text(&self) -> bool {
        match self.kind {
            Kind::DeadGlob
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
            | Kind::Declaration
            | Kind::WrongCase
            | Kind::SymlinkOutside
            | Kind::LinkAsText
            | Kind::ExtensionSkipped
            | Kind::DeletedOnNextRun
            | Kind::DuplicateSkill
            | Kind::InternalError
            | Kind::Remark => false,
        }
    }
}

/// Everything that is wrong with a file, in the order of the file.
pub fn findings(subject: &Subject) -> Vec<Finding> {
    let mut found = fates::findings(subject);
    found.extend(budget::findings(subject));
    found.extend(twice::findings(subject));
    found.extend(named::findings(subject));
    found.extend(head::findings(subject));
    found.extend(names::findings(subject));
    found.extend(content::findings(subject));
    let mut found = once(found, subject);
    found.extend(fates::faded(subject, &found));
    found.sort_by(|one, other| {
        let key = |finding: &Finding| (finding.faded, finding.range.start, finding.kind, finding.range.end);
        key(one).cmp(&key(other)).then_with(|| one.harness.cmp(&other.harness))
    });
    found.dedup();
    found
}

/// One finding for one cause: what several harnesses say of the same words is said once, with the names of the others.
fn once(found: Vec<Finding>, subject: &Subject) -> Vec<Finding> {
    let mut kept: Vec<(Finding, Vec<&str>)> = Vec::new();
    for finding in found {
        let is_missing = |kind| matches!(kind, Kind::ImportMissing | Kind::MissingFile);
        let same = |(other, _): &&mut (Finding, Vec<&str>)| {
            let alike = other.kind == finding.kind || (is_missing(other.kind) && is_missing(finding.kind));
            alike && finding.is_in_the_text() && other.range == finding.range
        };
        let title = title(subject, finding.harness.as_deref());
        match kept.iter_mut().find(same) {
            Some((other, also)) if other.harness != finding.harness => also.extend(title),
            Some(_) => {}
            None => kept.push((finding, Vec::new())),
        }
    }
    let said = |(finding, mut also): (Finding, Vec<&str>)| {
        also.dedup();
        let message = match also.as_slice() {
            [] => finding.message.clone(),
            also => format!("{} (also {})", finding.message, list(also)),
        };
        Finding { message, ..finding }
    };
    kept.into_iter().map(said).collect()
}

/// The name of a harness that was asked.
pub(crate) fn title<'a>(subject: &'a Subject, harness: Option<&str>) -> Option<&'a str> {
    let mut answers = subject.answers.iter().filter(|answer| Some(answer.harness.as_str()) == harness);
    answers.next().map(|answer| answer.title.as_str())
}

/// From a byte to the end of its line; where nothing stands there, the next line that says something.
fn line_from(raw: &[u8], byte: usize) -> Range<usize> {
    let blank = raw[byte..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let ends = raw[byte..byte + blank].contains(&b'\n') && byte + blank < raw.len();
    let start = if ends { byte + blank } else { byte };
    let end = raw[start..].iter().position(|byte| *byte == b'\n').map_or(raw.len(), |end| start + end);
    start..end - usize::from(raw[start..end].ends_with(b"\r"))
}

/// The first line of a text, without its end.
fn first_line(raw: &[u8]) -> Range<usize> {
    let end = raw.iter().position(|byte| *byte == b'\n').unwrap_or(raw.len());
    0..end - usize::from(raw[..end].ends_with(b"\r"))
}
