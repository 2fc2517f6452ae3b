//! Hover for a glob in the front matter of a rule: the files that it matches.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::Hover;
use crate::glob::EVERY_LIMIT as MOST;
use crate::report::escape::{code_span, inert};
use crate::report::front_matter::{PATTERN_KEYS, head};
use crate::text::{self, grouped};

/// Maximum number of files that are listed; more are counted.
const SHOWN: usize = 10;

/// Returns the glob in the front matter at a byte offset, with its range.
pub fn pattern_at(raw: &[u8], byte: usize) -> Option<(String, Range<usize>)> {
    let text = text::lossy(raw);
    let head = head(&text)?;
    let mut values = PATTERN_KEYS.iter().flat_map(|key| head.values(key));
    values.find(|(_, at)| at.start <= byte && byte <= at.end).cloned()
}

/// Returns the hover for a glob that matches these files below `base`.
pub fn matches(pattern: &str, at: Range<usize>, files: &[PathBuf], base: &Path) -> Hover {
    let pattern = code_span(pattern);
    if files == [base] {
        return Hover { text: format!("{pattern}: each agent reads this pattern in its own way\n"), at };
    }
    let mut said = match files.len() {
        0 => format!("{pattern} matches no file: the rule is never loaded for one\n"),
        1 => format!("{pattern} matches 1 file, as loosely as any agent reads it\n\n"),
        MOST => format!("{pattern} matches {} files or more, as loosely as any agent reads it\n\n", grouped(MOST)),
        count => format!("{pattern} matches {} files, as loosely as any agent reads it\n\n", grouped(count)),
    };
    for file in files.iter().take(SHOWN) {
        let name = file.strip_prefix(base).unwrap_or(file).display().to_string();
        let _ = writeln!(said, "- {}", inert(&name));
    }
    if let Some(more) = files.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(said, "- and {} more", grouped(more));
    }
    Hover { text: said, at }
}
