//! Warning for the agent about instructions that never reached it: files that a limit cuts or leaves out, that cannot
//! be read, are missing, or may not be imported from their location.

use std::path::Path;

use super::findings::{Kind, gaps};
use super::words::Paths;
use crate::answer::{Fate, Fidelity, Resolution, Scope, Source};
use crate::snapshot::Content;
use crate::text::grouped;

/// Returns the warning for the agent; `None` if nothing is lost. `read` returns the content of a file.
pub fn lost(answer: &Resolution, read: impl Fn(&Path) -> Option<Content>) -> Option<String> {
    let paths = Paths::of(answer);
    let said = answer.answer.sources.iter().filter_map(|source| sentence(source, &paths, &read));
    let outside = answer.answer.warnings.iter().filter(|warning| warning.code == Kind::ImportOutside.code());
    let outside = outside.map(|warning| paths.text(&warning.message));
    let said: Vec<String> = said.chain(outside).map(|said| format!("- {}", plain(&said))).collect();
    if said.is_empty() {
        return None;
    }
    let lost = match answer.fidelity {
        Fidelity::Exact => "never reached you",
        Fidelity::Unchecked | Fidelity::Files => "may never have reached you",
    };
    let version = answer.claim.running.as_ref().unwrap_or(&answer.edition);
    let head = format!("Part of the instructions for this session {lost}, by the rules of {} {version}:", answer.title);
    Some(format!("{head}\n{}\nRead what is missing if your task may depend on it.", said.join("\n")))
}

fn sentence(source: &Source, paths: &Paths, read: &impl Fn(&Path) -> Option<Content>) -> Option<String> {
    let name = source.path().map_or_else(|| source.place.to_string(), |path| paths.path(path));
    let reason = paths.text(&source.reason);
    match source.fate {
        Fate::Truncated => {
            let size = source.size?.bytes;
            let kept: usize = source.kept.iter().map(ExactSizeIterator::len).sum();
            let lost = size.saturating_sub(kept);
            // Round, but never to 0 % or 100 %: some text is lost and some is kept.
            let percent = ((lost * 200 + size) / (2 * size.max(1))).clamp(1, 99);
            let from =
                source.path().and_then(read).map_or_else(String::new, |raw| format!(", {}", lines(source, &raw)));
            let (lost, size) = (grouped(lost), grouped(size));
            Some(format!("{percent} % of {name} never reached you ({lost} of {size} bytes{from}): {reason}"))
        }
        Fate::Dropped if source.limit.is_some() => Some(format!("Nothing of {name} reached you: {reason}")),
        Fate::Unreadable => Some(format!("{name} could not be read: {reason}")),
        Fate::Missing if matches!(source.scope, Scope::Import | Scope::Config) => {
            Some(format!("{name}, which your instructions or settings name, is missing: {reason}"))
        }
        Fate::Dropped
        | Fate::Loaded
        | Fate::Listed
        | Fate::Shadowed
        | Fate::Empty
        | Fate::Excluded
        | Fate::Missing
        | Fate::Pending => None,
    }
}

/// Describes the lines that are cut: `from line 120 on`, `lines 120 to 300`.
fn lines(source: &Source, raw: &Content) -> String {
    let number = |byte: usize| raw[..byte.min(raw.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
    let said = gaps(&source.kept, raw.len()).into_iter().map(|gap| match gap.end {
        end if end >= raw.len() => format!("from line {} on", number(gap.start)),
        end => format!("lines {} to {}", number(gap.start), number(end.saturating_sub(1))),
    });
    said.collect::<Vec<_>>().join(", ")
}

/// Escapes control characters: a line break in a file name must not start a line that looks like part of this warning.
fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_debug().collect::<Vec<_>>() } else { vec![c] }).collect()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::text::Size;

    #[test]
    fn lines_that_are_cut_are_numbered() {
        let raw = Content::from("1\n2\n3\n4\n5\n");
        let size = Size { bytes: 10, utf16: 10, lines: 5 };
        let kept = |kept: &[Range<usize>]| Source {
            size: Some(size),
            kept: kept.to_vec(),
            ..Source::new("/a", Scope::Project, Fate::Truncated, "")
        };
        assert_eq!(lines(&kept(&[0..2, 2..3]), &raw), "from line 2 on");
        assert_eq!(lines(&kept(&[0..4, 8..10]), &raw), "lines 3 to 4");
        assert_eq!(lines(&kept(&[0..2, 4..6]), &raw), "lines 2 to 2, from line 4 on");
    }
}
