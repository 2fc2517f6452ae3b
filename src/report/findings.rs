//! What is wrong with an instruction file or a settings file, as findings with byte ranges. Few and right.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// Whether the range is text that the model never sees.
    pub lost: bool,
    /// What, where and what to do.
    pub message: String,
    /// Other files it is about, with what they do.
    pub related: Vec<(PathBuf, String)>,
}

impl Finding {
    /// A finding about the file itself, whoever reads it.
    pub fn new(kind: Kind, range: Range<usize>, message: impl Into<String>) -> Finding {
        Finding { kind, harness: None, fate: None, range, lost: false, message: message.into(), related: Vec::new() }
    }

    /// The same for one harness.
    fn of(self, harness: &str) -> Finding {
        Finding { harness: Some(harness.to_owned()), ..self }
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
    found.sort_by(|one, other| {
        let key = |finding: &Finding| (finding.range.start, finding.kind, finding.range.end);
        key(one).cmp(&key(other)).then_with(|| one.harness.cmp(&other.harness))
    });
    found.dedup();
    found
}

/// The first line of a text, without its end.
fn first_line(raw: &[u8]) -> Range<usize> {
    let end = raw.iter().position(|byte| *byte == b'\n').unwrap_or(raw.len());
    0..end - usize::from(raw[..end].ends_with(b"\r"))
}
