//! Inlay hints at the ends of lines: where text is cut, where it continues, where 85 % of a limit are used.

use super::findings::{NEAR_PERCENT, Subject, gaps, title, uses};
use super::words::{Paths, unit};
use crate::answer::Fate;
use crate::text::grouped;

/// An inlay hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Byte offset in the file.
    pub at: usize,
    /// Text of the hint.
    pub label: String,
    /// Tooltip of the hint.
    pub tooltip: String,
}

/// Returns the hints of a file, in text order.
pub fn hints(subject: &Subject) -> Vec<Hint> {
    let mut found = Vec::new();
    for (answer, source) in subject.sources() {
        if source.fate != Fate::Truncated {
            continue;
        }
        let (harness, len) = (&answer.title, subject.raw.len());
        for gap in gaps(&source.kept, len) {
            let to_the_end = gap.end >= len;
            let rest = if to_the_end { " to the end" } else { "" };
            let cut = grouped(gap.len());
            let label = format!("✂ {harness}: {cut} B cut from here{rest}");
            let tooltip = Paths::of(answer).text(&source.reason);
            found.push(Hint { at: gap.start, label, tooltip: tooltip.clone() });
            if !to_the_end {
                found.push(Hint { at: gap.end, label: format!("{harness}: loaded again from here"), tooltip });
            }
        }
    }
    for usage in uses(subject) {
        let Some(at) = usage.near else { continue };
        let limit = &usage.limit;
        let unit = unit(limit.unit);
        let title = title(subject, Some(&usage.harness)).unwrap_or(&usage.harness);
        let label = format!("{title}: {NEAR_PERCENT} % of {} {unit} used", grouped(limit.value));
        let from = match limit.from.as_str() {
            "default" => "This is the default limit.".to_owned(),
            file => format!("{file} sets this limit."),
        };
        let (used, value) = (grouped(usage.used()), grouped(limit.value));
        let tooltip = format!("At the end of this file, {used} of {value} {unit} are used. {from}");
        found.push(Hint { at, label, tooltip });
    }
    // A hint inside a word would split it.
    found.iter_mut().for_each(|hint| hint.at = line_end(subject.raw, hint.at));
    found.sort_by_key(|hint| hint.at);
    found
}

/// Returns the end of the line that contains a byte, without the line ending.
pub(super) fn line_end(raw: &[u8], byte: usize) -> usize {
    let end = raw[byte..].iter().position(|byte| *byte == b'\n').map_or(raw.len(), |end| byte + end);
    end - usize::from(end > byte && raw[..end].ends_with(b"\r"))
}
