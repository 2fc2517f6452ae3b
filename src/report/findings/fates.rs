//! Findings that follow from a file's fate: it is cut, left out, or read in another's place.

use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::super::front_matter;
use super::super::sentences::sentences;
use super::super::words::{Paths, list};
use super::{Finding, Kind, Subject, first_line, line_from, names, title, twice};
use crate::answer::{Fate, Per, Purpose, Resolution, Source, Trigger, Unit};
use crate::harness::names::beside;
use crate::text::grouped;

/// Returns the findings that follow from the fates of the file.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    subject.sources().flat_map(|(answer, source)| of_source(subject, answer, source)).collect()
}

fn of_source(subject: &Subject, answer: &Resolution, source: &Source) -> Vec<Finding> {
    let (title, paths) = (&answer.title, Paths::of(answer));
    let reason = paths.text(&source.reason);
    let everything = 0..subject.raw.len();
    let whole = |kind, message: String, related| {
        vec![Finding {
            fate: Some(source.fate),
            lost: vec![everything.clone()],
            related,
            ..Finding::new(kind, first_line(subject.raw), message).of(&answer.harness)
        }]
    };
    match source.fate {
        Fate::Truncated => cut(subject, answer, source),
        Fate::Dropped if source.limit.is_some() => {
            let message = format!("{title} skips this file: {reason}");
            let found = whole(Kind::OverBudget, message, largest_spender(answer, source)).into_iter();
            found.map(|finding| Finding { cut: subject.raw.len(), ..finding }).collect()
        }
        // The front matter or the name is not valid for this agent.
        Fate::Dropped
            if source.purpose == Purpose::Skill && source.called.is_none() && subject.path.ends_with("SKILL.md") =>
        {
            let reason = reason.strip_prefix("not a skill: ").unwrap_or(&reason);
            whole(Kind::Dropped, format!("{title} does not list this skill: {reason}"), Vec::new())
        }
        Fate::Dropped if source.purpose == Purpose::Agent => {
            let reason = reason.strip_prefix("not an agent: ").unwrap_or(&reason);
            whole(Kind::Dropped, format!("{title} does not list this agent: {reason}"), Vec::new())
        }
        // A rule with globs is loaded later, together with a matching file.
        Fate::Dropped if source.trigger != Trigger::Session => Vec::new(),
        // The agent reads the file if started beside it.
        Fate::Dropped if subject.elsewhere.answers.iter().any(|other| other.harness == answer.harness) => Vec::new(),
        Fate::Dropped => whole(Kind::Dropped, format!("{title} skips this file: {reason}"), Vec::new()),
        Fate::Shadowed if matters(subject, answer, source) => {
            let related = source.by.iter().map(|by| (by.clone(), "loaded instead".to_owned())).collect();
            let kind = if is_displaced(subject, answer, source) { Kind::AgentsDisplaced } else { Kind::Shadowed };
            whole(kind, format!("{title} does not load this file: {reason}"), related)
        }
        // This version reads no AGENTS.md, and nobody chose that.
        Fate::Excluded if is_displaced(subject, answer, source) && matters(subject, answer, source) => {
            whole(Kind::AgentsDisplaced, format!("{title} does not load this file: {reason}"), Vec::new())
        }
        Fate::Unreadable => whole(Kind::Unreadable, format!("{title} cannot read this file: {reason}"), Vec::new()),
        Fate::Loaded | Fate::Listed | Fate::Shadowed | Fate::Empty | Fate::Excluded | Fate::Missing | Fate::Pending => {
            Vec::new()
        }
    }
}

/// Returns true if a CLAUDE.md displaces this AGENTS.md, or the agent's version does and warns about it.
fn is_displaced(subject: &Subject, answer: &Resolution, source: &Source) -> bool {
    let code = Kind::AgentsDisplaced.code();
    let is_said = || answer.warnings_about(subject.path).any(|warning| warning.code == code);
    let by_claude = |by: &Path| family(by) == "CLAUDE";
    family(subject.path) == "AGENTS" && source.by.as_deref().map_or_else(is_said, by_claude)
}

fn cut(subject: &Subject, answer: &Resolution, source: &Source) -> Vec<Finding> {
    let len = subject.raw.len();
    let mut lost = gaps(&source.kept, len);
    // Trimmed white space is not reported if other text is cut as well.
    let says_something = |range: &Range<usize>| !subject.raw[range.clone()].trim_ascii().is_empty();
    if lost.iter().any(says_something) {
        lost.retain(says_something);
    }
    let bytes: usize = lost.iter().map(Range::len).sum();
    let Some(first) = lost.first().cloned() else { return Vec::new() };
    let reason = Paths::of(answer).text(&source.reason);
    let message = format!("{} cuts {} of {} bytes: {reason}", answer.title, grouped(bytes), grouped(len));
    let line = line_from(subject.raw, first.start);
    vec![Finding {
        fate: Some(source.fate),
        lost,
        cut: bytes,
        related: largest_spender(answer, source),
        ..Finding::new(Kind::OverBudget, line.start..line.end.min(first.end).max(line.start), message)
            .of(&answer.harness)
    }]
}

/// Returns the text that is lost for every selected agent, so that editors can fade it.
pub(super) fn faded(subject: &Subject, found: &[Finding]) -> Vec<Finding> {
    let Some(cause) = found.iter().find(|finding| !finding.lost.is_empty()) else { return Vec::new() };
    let len = subject.raw.len();
    let mut reached: Vec<Range<usize>> = Vec::new();
    for (answer, source) in subject.sources() {
        match source.fate {
            Fate::Truncated => reached.extend(source.kept.iter().cloned()),
            // A rule with globs is loaded later, together with a matching file; a listed file is sent when it is
            // called.
            Fate::Loaded | Fate::Listed => reached.push(0..len),
            Fate::Dropped if source.trigger != Trigger::Session && source.limit.is_none() => reached.push(0..len),
            Fate::Shadowed if !matters(subject, answer, source) => reached.push(0..len),
            Fate::Dropped | Fate::Shadowed | Fate::Empty => {}
            Fate::Excluded | Fate::Missing | Fate::Unreadable | Fate::Pending => {}
        }
    }
    reached.sort_by_key(|range| range.start);
    let mut losers: Vec<&str> = found
        .iter()
        .filter(|finding| !finding.lost.is_empty())
        .filter_map(|finding| title(subject, finding.harness.as_deref()))
        .collect();
    // All editions of an agent have one name.
    losers.dedup();
    let message = match losers.as_slice() {
        [] => "none of your agents loads this text".to_owned(),
        losers => format!("not loaded by {}", list(losers)),
    };
    let mut lost: Vec<Range<usize>> = found.iter().flat_map(|finding| finding.lost.iter().cloned()).collect();
    lost.sort_by_key(|range| range.start);
    let gone = |gap: &Range<usize>| lost.iter().any(|lost| lost.start <= gap.start && gap.start < lost.end);
    let gaps = gaps(&reached, len).into_iter().filter(gone);
    gaps.map(|gap| Finding { faded: true, ..Finding::new(cause.kind, gap, message.clone()) }).collect()
}

/// Returns the other file that uses most of the budget that `source` shares, if any.
fn largest_spender(answer: &Resolution, source: &Source) -> Vec<(PathBuf, String)> {
    let Some(limit) = source.limit.as_ref().filter(|limit| limit.per == Per::Chain) else { return Vec::new() };
    let kept = |source: &Source| source.kept.iter().map(ExactSizeIterator::len).sum::<usize>();
    let shares = |other: &&Source| {
        other.place != source.place && other.limit.as_ref().is_some_and(|other| other.per == Per::Chain)
    };
    let largest = answer.answer.sources.iter().filter(shares).max_by_key(|other| kept(other));
    let Some((path, kept)) = largest.and_then(|other| Some((other.path()?, kept(other)))) else { return Vec::new() };
    if kept == 0 {
        return Vec::new();
    }
    let (kept, value) = (grouped(kept), grouped(limit.value));
    // Kept ranges are in bytes, whatever the unit of the limit.
    let message = match limit.unit {
        Unit::Bytes => format!("uses {kept} of the {value} bytes"),
        Unit::Utf16 => format!("uses {kept} bytes, and all files share {value} UTF-16 units"),
        unit @ (Unit::Lines | Unit::Tokens) => format!("uses {kept} bytes, and all files share {value} {unit}"),
    };
    vec![(path.to_owned(), message)]
}

/// Returns true if it matters that an agent loads another file instead. It does not if the agent gets the text anyway;
/// nor if the file belongs to another agent, which reads it, and is only a fallback for this one.
fn matters(subject: &Subject, answer: &Resolution, source: &Source) -> bool {
    let reaches = |answer: &Resolution| answer.sources_of(subject.path).any(|other| other.fate.reaches());
    if reaches(answer) || twice::is_said_elsewhere(subject.raw, answer) || twice::is_a_copy(subject.raw, answer) {
        return false;
    }
    if let Some(by) = source.by.as_deref() {
        let is_the_same = subject.twins.iter().any(|twin| twin == by);
        // Of nested files with one name, the nearest applies to the files beside it, and this one to the others.
        let dir = |path: &'_ Path| path.parent().map(Path::to_owned).unwrap_or_default();
        let is_deeper = dir(by) != dir(subject.path) && by.starts_with(dir(subject.path));
        if is_the_same || (is_deeper && by.file_name() == subject.path.file_name()) || points_to(subject, by) {
            return false;
        }
    }
    if source.by.as_deref().is_some_and(|by| is_on_purpose(subject, answer, source, by)) {
        return false;
    }
    if is_displaced(subject, answer, source) && twice::is_an_edition(subject.raw, answer) {
        return false;
    }
    let own = family(subject.path);
    let by = source.by.as_deref().map(family).unwrap_or_default();
    let read_by_another = subject.answers.iter().any(|other| other.harness != answer.harness && reaches(other));
    // AGENTS.md is for everybody; that a CLAUDE.md displaces it comes as a surprise.
    by == own || is_displaced(subject, answer, source) || !read_by_another
}

/// Returns true if the texts show that their author knows that `by` is loaded instead. They do if `by` names this file
/// as one to open when needed. If a CLAUDE.md displaces this AGENTS.md, naming it is not enough, since people mistake
/// that for an import. Enough are: a title that names other agents, a ban on reading it, and being named by a CLAUDE.md
/// that has text of its own and is in a directory above.
fn is_on_purpose(subject: &Subject, answer: &Resolution, source: &Source, by: &Path) -> bool {
    let Ok(inside) = subject.path.strip_prefix(beside(by)) else { return false };
    let inside: Vec<_> = inside.iter().map(OsStr::to_string_lossy).collect();
    let naming = |says: &dyn Fn(&str) -> bool| {
        let path = inside.join("/");
        let texts = twice::texts(answer).filter(|text| text.contains(&path));
        texts.flat_map(sentences).any(|sentence| quotes(&sentence, &path) && says(&sentence))
    };
    if !is_displaced(subject, answer, source) {
        return naming(&|_| true);
    }
    let lines = answer.sources_of(by).filter_map(|source| source.size).map(|size| size.lines).max();
    let is_pointer = lines.unwrap_or_default() < OWN_LINES;
    is_for_others(&subject.raw.text())
        || naming(&is_forbidden)
        || (inside.len() > 1 && !is_pointer && naming(&|_| true))
}

/// Minimum number of lines of a file that is more than a pointer to another one.
const OWN_LINES: usize = 10;

/// Returns true if a path stands in a text between backticks or as the target of a link.
fn quotes(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].trim_end_matches(['@', '.', '/']);
        before.ends_with(['`', '(']) && text[at + path.len()..].starts_with(['`', ')', '#'])
    })
}

/// Returns true if a sentence forbids to read something, or knows that it is not read: "Do not import or route through
/// `AGENTS.md`", "`AGENTS.md` is not auto-loaded".
fn is_forbidden(sentence: &str) -> bool {
    let words: Vec<String> = words(sentence).map(str::to_lowercase).collect();
    let forbids = |pair: &[String]| {
        matches!(&*pair[0], "not" | "never" | "don't")
            && matches!(
                &*pair[1],
                "import" | "load" | "loaded" | "auto" | "automatically" | "read" | "open" | "follow" | "use" | "route"
            )
    };
    words.windows(2).any(forbids)
}

/// Returns true if the title and the first line of a text name other agents and not Claude: "Codex Instructions".
fn is_for_others(text: &str) -> bool {
    let body = front_matter::head(text).map_or(0, |head| head.at.end);
    let first = text[body..].lines().filter(|line| line.contains(char::is_alphanumeric)).take(2);
    let words: Vec<&str> = first.flat_map(words).collect();
    let are_all = |word: &&str| matches!(*word, "Claude" | "all" | "any" | "every" | "other" | "etc");
    words.iter().any(|word| OTHER_AGENTS.contains(word)) && !words.iter().any(are_all)
}

/// Names of agents that are no common words.
const OTHER_AGENTS: [&str; 7] = ["Antigravity", "Codex", "Copilot", "Gemini", "OpenAI", "OpenCode", "Windsurf"];

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

/// Returns true if the file only points to `by`, where the text is.
fn points_to(subject: &Subject, by: &Path) -> bool {
    let text = subject.raw.text();
    let body = front_matter::head(&text).map_or(0, |head| head.at.end);
    let says_something = |line: &&str| !line.trim().is_empty() && !line.starts_with('#') && !line.starts_with("<!--");
    let mut lines = text[body..].lines().filter(says_something);
    let name = by.file_name().unwrap_or_default().to_string_lossy();
    let names_it = lines.by_ref().take(POINTER_LINES).any(|line| line.contains(&*name));
    names_it && text[body..].lines().filter(says_something).count() <= POINTER_LINES
}

/// Maximum number of lines of a file that only points to another one.
const POINTER_LINES: usize = 2;

/// Returns the first part of a file's name: `CLAUDE` of CLAUDE.local.md; of a skill the folder of its agent: `claude`.
fn family(path: &Path) -> String {
    if let Some(owner) = names::owner(path).filter(|_| path.ends_with("SKILL.md")) {
        return owner;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// Returns the parts of `0..len` that are not in `kept`.
pub fn gaps(kept: &[Range<usize>], len: usize) -> Vec<Range<usize>> {
    let mut gaps = Vec::new();
    let mut at = 0;
    for range in kept {
        if range.start > at {
            gaps.push(at..range.start.min(len));
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
