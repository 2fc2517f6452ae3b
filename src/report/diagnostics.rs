//! What is wrong with an instruction file, as findings with byte ranges.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::answer::{Fate, Resolution, Source};
use crate::text::grouped;

/// What kind of finding it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A limit cuts the file, or leaves nothing for it.
    OverBudget,
    /// Another file is taken in its place.
    Shadowed,
    /// The harness leaves it out for another reason.
    Dropped,
    /// Its text is not to be had.
    Unreadable,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Text that should reach the model does not.
    Warning,
    /// Worth knowing.
    Information,
}

impl Kind {
    /// The stable code.
    pub fn code(self) -> &'static str {
        match self {
            Kind::OverBudget => "over-budget",
            Kind::Shadowed => "shadowed",
            Kind::Dropped => "dropped",
            Kind::Unreadable => "unreadable",
        }
    }

    /// How bad it is unless the user says otherwise.
    pub fn severity(self) -> Severity {
        match self {
            Kind::OverBudget | Kind::Unreadable => Severity::Warning,
            Kind::Shadowed | Kind::Dropped => Severity::Information,
        }
    }
}

/// Something wrong in one file, for one harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: Kind,
    /// Where, in bytes of the file; an end beyond the file is its end.
    pub range: Range<usize>,
    /// Whether the range is text that the model never sees.
    pub lost: bool,
    /// What, where and what to do.
    pub message: String,
    /// The file to blame, with what it does.
    pub related: Option<(PathBuf, String)>,
}

/// The findings about `path` in an answer.
pub fn findings(path: &Path, resolution: &Resolution) -> Vec<Finding> {
    let sources = resolution.answer.sources.iter().filter(|source| source.path() == Some(path));
    sources.flat_map(|source| of_source(path, source, resolution)).collect()
}

fn of_source(path: &Path, source: &Source, resolution: &Resolution) -> Vec<Finding> {
    let harness = &resolution.harness;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // A file that nobody reads has no known size.
    let len = source.size.map_or(usize::MAX, |size| size.bytes);
    let related = source.by.clone().map(|by| (by, "this file is read instead".to_owned()));
    let whole = |kind, message| vec![Finding { kind, range: 0..len, lost: true, message, related: related.clone() }];
    match source.fate {
        Fate::Truncated => {
            let lost = gaps(&source.kept, len);
            let bytes: usize = lost.iter().map(Range::len).sum();
            let message = format!(
                "{name}: {} of {} bytes are cut for {harness}: {}",
                grouped(bytes),
                grouped(len),
                source.reason
            );
            lost.into_iter()
                .map(|range| Finding {
                    kind: Kind::OverBudget,
                    range,
                    lost: true,
                    message: message.clone(),
                    related: None,
                })
                .collect()
        }
        Fate::Dropped if source.limit.is_some() => {
            whole(Kind::OverBudget, format!("{name}: {harness} leaves it out: {}", source.reason))
        }
        Fate::Dropped => whole(Kind::Dropped, format!("{name}: {harness} leaves it out: {}", source.reason)),
        Fate::Shadowed => whole(Kind::Shadowed, format!("{name}: {harness} does not read it: {}", source.reason)),
        Fate::Unreadable => whole(Kind::Unreadable, format!("{name}: {harness} cannot read it: {}", source.reason)),
        Fate::Loaded | Fate::Empty | Fate::Excluded | Fate::Missing | Fate::Pending => Vec::new(),
    }
}

/// What of `0..len` is not in `kept`.
pub fn gaps(kept: &[Range<usize>], len: usize) -> Vec<Range<usize>> {
    let mut gaps = Vec::new();
    let mut at = 0;
    for range in kept {
        if range.start > at {
            gaps.push(at..range.start);
        }
        at = at.max(range.end);
    }
    if at < len {
        gaps.push(at..len);
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_what_is_not_kept() {
        for (kept, lost) in
            [(vec![], "[0..5]"), (vec![0..2, 2..5], "[]"), (vec![0..1, 1..3], "[3..5]"), (vec![0..2, 4..5], "[2..4]")]
        {
            assert_eq!(format!("{:?}", gaps(&kept, 5)), lost, "{kept:?} of 5");
        }
    }
}
