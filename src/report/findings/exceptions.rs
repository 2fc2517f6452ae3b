//! Exceptions: findings that somebody knows of and wants to live with, for a reason, and best until a day.

use std::ops::Range;

use super::{Finding, Kind, first_line};
use crate::text;

mod declared;

pub use declared::{Declared, Entry, declared};

/// Year, month, day.
pub type Day = (i16, u8, u8);

/// What stands before the codes.
const MARK: &str = "briefing-ignore";
/// What stands behind the mark where the whole file is meant.
const WHOLE: &str = "-file";
/// What may stand before the mark, and what ends it there.
const OPENINGS: [(&str, &str); 3] = [("<!--", "-->"), ("#", "\n"), ("//", "\n")];

/// Which findings are excepted, and until when; the same wherever the exception is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    kinds: Vec<Kind>,
    until: Option<Day>,
}

impl Rule {
    /// The rule of these words, or what is wrong with them.
    fn new<'w>(codes: impl IntoIterator<Item = &'w str>, until: Option<&str>, reason: &str) -> Result<Rule, String> {
        let kind = |code| Kind::of_code(code).ok_or_else(|| format!("there is no finding `{code}`"));
        let kinds: Vec<Kind> = codes.into_iter().map(kind).collect::<Result<_, _>>()?;
        if kinds.is_empty() {
            return Err("it names no finding, such as over-budget".to_owned());
        }
        if reason.trim().is_empty() {
            return Err("it has no reason; write one behind a colon".to_owned());
        }
        Ok(Rule { kinds, until: until.map(day).transpose()? })
    }

    /// Whether the exception still holds for a finding; `None` if it is not about that one.
    fn covers(&self, finding: &Finding, today: Day) -> Option<Standing> {
        // That a text is lost stays to be seen, and what is wrong with an exception cannot be excepted.
        if !self.kinds.contains(&finding.kind) || finding.faded || finding.kind == Kind::Exception {
            return None;
        }
        Some(match self.until {
            Some(until) if today > until => Standing::Over(until),
            _ => Standing::Holds,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Holds,
    Over(Day),
}

fn day(text: &str) -> Result<Day, String> {
    let day: jiff::civil::Date = text.parse().map_err(|_| format!("`{text}` is no day; write it as 2027-01-31"))?;
    Ok((day.year(), day.month().unsigned_abs(), day.day().unsigned_abs()))
}

/// A finding that its exception lets through again.
fn came_back(finding: Finding, (year, month, day): Day) -> Finding {
    let message = format!("{} (its exception ended on {year:04}-{month:02}-{day:02})", finding.message);
    Finding { message, ..finding }
}

/// An exception that stands in the file it is about.
struct Inline {
    rule: Rule,
    /// The comment.
    at: Range<usize>,
    /// Findings that begin in these bytes are excepted.
    about: Range<usize>,
    used: bool,
}

/// Returns the findings of a file without those that the file excepts, and with what is wrong with its exceptions. An exception
/// is not called unneeded where nobody has looked for what it excepts.
pub fn excepted(found: Vec<Finding>, raw: &[u8], today: Day, unsought: &[Kind]) -> Vec<Finding> {
    let (mut exceptions, mut all) = inline(raw);
    for finding in found {
        let covers = |exception: &&mut Inline| {
            exception.about.contains(&finding.range.start) && exception.rule.covers(&finding, today).is_some()
        };
        match exceptions.iter_mut().find(covers) {
            None => all.push(finding),
            Some(exception) => {
                exception.used = true;
                match exception.rule.covers(&finding, today) {
                    Some(Standing::Over(day)) => all.push(came_back(finding, day)),
                    Some(Standing::Holds) | None => {}
                }
            }
        }
    }
    let is_unsought = |rule: &Rule| rule.kinds.iter().any(|kind| unsought.contains(kind));
    let unused = exceptions.into_iter().filter(|exception| !exception.used && !is_unsought(&exception.rule));
    all.extend(unused.map(|exception| Finding::new(Kind::Exception, exception.at, UNUSED)));
    all
}

const UNUSED: &str = "This exception is not needed: nothing is found that it excepts";

/// The exceptions of a file, and what is wrong with those that make no sense.
fn inline(raw: &[u8]) -> (Vec<Inline>, Vec<Finding>) {
    let (mut exceptions, mut wrong) = (Vec::new(), Vec::new());
    let mark = MARK.as_bytes();
    let mut from = 0;
    while let Some(found) = raw[from..].windows(mark.len()).position(|window| window == mark) {
        let start = from + found;
        from = start + mark.len();
        let before = raw[..start].trim_ascii_end();
        let Some((opening, closing)) = OPENINGS.iter().find(|(opening, _)| before.ends_with(opening.as_bytes())) else {
            continue;
        };
        let rest = &raw[from..];
        let end = rest.windows(closing.len()).position(|window| window == closing.as_bytes()).unwrap_or(rest.len());
        let words = text::lossy(&rest[..end]);
        let closed = if *closing == "\n" { 0 } else { closing.len() };
        let at = before.len() - opening.len()..(from + end + closed).min(raw.len());
        from += end;
        let (is_whole, words) = match words.strip_prefix(WHOLE) {
            Some(words) => (true, words),
            None => (false, &*words),
        };
        let about = if is_whole { 0..usize::MAX } else { lines_about(raw, &at) };
        match rule(words) {
            Ok(rule) => exceptions.push(Inline { rule, at, about, used: false }),
            Err(why) => {
                let message = format!("This exception excepts nothing: {why}");
                wrong.push(Finding::new(Kind::Exception, at, message));
            }
        }
    }
    (exceptions, wrong)
}

/// `over-budget, too-long until=2027-01-31: the reason`
fn rule(words: &str) -> Result<Rule, String> {
    let (head, reason) = words.split_once(':').unwrap_or((words, ""));
    let (mut codes, mut until) = (Vec::new(), None);
    for word in head.split([',', ' ', '\n', '\t', '\r']).filter(|word| !word.is_empty()) {
        match word.split_once('=') {
            Some(("until", day)) => until = Some(day),
            Some(_) => return Err(format!("`{word}` is neither a finding nor until=DAY")),
            None => codes.push(word),
        }
    }
    Rule::new(codes, until, reason)
}

/// The lines of a comment, and the next one that says something.
fn lines_about(raw: &[u8], comment: &Range<usize>) -> Range<usize> {
    let start = raw[..comment.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let end_of_line =
        |from: usize| raw[from..].iter().position(|byte| *byte == b'\n').map_or(raw.len(), |at| from + at + 1);
    let end = end_of_line(comment.end);
    let blank = raw[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let end = end_of_line((end + blank).min(raw.len()));
    // A finding may stand at the very end of a file.
    start..end + usize::from(end == raw.len())
}

/// A finding on the first line of a declared exception.
fn of_declaration(raw: &[u8], at: Range<usize>, message: String) -> Finding {
    let line = first_line(&raw[at.start.min(raw.len())..]);
    Finding::new(Kind::Exception, at.start + line.start..at.start + line.end, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Day = (2026, 11, 23);

    fn at(raw: &str, word: &str) -> Finding {
        let start = raw.find(word).expect("it is there");
        Finding::new(Kind::ImportMissing, start..start + word.len(), "it is missing")
    }

    fn messages(raw: &str, found: Vec<Finding>) -> Vec<String> {
        excepted(found, raw.as_bytes(), TODAY, &[]).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn an_exception_is_about_its_line_the_next_one_or_the_file() {
        let near = "<!-- briefing-ignore import-missing: later -->\n\n@a.md\n@b.md\n";
        assert_eq!(messages(near, vec![at(near, "@a.md"), at(near, "@b.md")]), ["it is missing"]);
        let same = "@a.md <!-- briefing-ignore import-missing, empty until=2026-11-23: later --> \n\n\n@b.md\n@c.md";
        assert_eq!(messages(same, vec![at(same, "@a.md"), at(same, "@c.md")]), ["it is missing"]);
        let whole = "@a.md\n\n\n@b.md\n<!--briefing-ignore-file import-missing: later-->";
        assert!(messages(whole, vec![at(whole, "@a.md"), at(whole, "@b.md")]).is_empty());
        let toml = "a = 1 # briefing-ignore import-missing: later\nb = 2\n";
        assert!(messages(toml, vec![at(toml, "b = 2")]).is_empty());
        let other = "<!-- briefing-ignore secret: it is none -->\n@a.md\n";
        assert_eq!(messages(other, vec![at(other, "@a.md")]), ["it is missing", UNUSED]);
    }

    #[test]
    fn what_is_over_or_wrong_is_said() {
        let over = "<!-- briefing-ignore import-missing until=2026-11-22: later -->\n@a.md\n";
        assert_eq!(messages(over, vec![at(over, "@a.md")]), ["it is missing (its exception ended on 2026-11-22)"]);
        for (words, why) in [
            ("import-missing", "it has no reason; write one behind a colon"),
            ("import-missing:", "it has no reason; write one behind a colon"),
            (": because", "it names no finding, such as over-budget"),
            ("imports: because", "there is no finding `imports`"),
            ("import-missing until=soon: because", "`soon` is no day; write it as 2027-01-31"),
            ("import-missing since=2026-01-01: because", "`since=2026-01-01` is neither a finding nor until=DAY"),
        ] {
            let raw = format!("<!-- briefing-ignore {words} -->\n@a.md\n");
            let said = messages(&raw, vec![at(&raw, "@a.md")]);
            assert_eq!(said, [format!("This exception excepts nothing: {why}"), "it is missing".to_owned()], "{words}");
        }
        assert!(messages("Write briefing-ignore in a comment.\n", Vec::new()).is_empty());
    }
}
