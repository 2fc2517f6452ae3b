//! Exceptions: findings that are ignored for a reason, optionally until an expiry date.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::{Finding, Kind, first_line};
use crate::text;

mod declared;

pub use declared::{Declared, Entry, declared};

/// Year, month, day.
pub type Day = (i16, u8, u8);

/// Marker before the codes of an exception.
const MARK: &str = "briefing-ignore";
/// Suffix of the marker for an exception of the whole file.
const WHOLE: &str = "-file";
/// Comment openings before the marker, with their ends.
const OPENINGS: [(&str, &str); 3] = [("<!--", "-->"), ("#", "\n"), ("//", "\n")];

/// Kinds of findings that are ignored, and the expiry date; used for inline and declared exceptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    kinds: Vec<Kind>,
    until: Option<Day>,
}

impl Rule {
    /// Parses a rule, or returns an error message.
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

    /// Returns the standing of the exception for a finding (holds or expired); `None` if it does not cover the finding.
    fn covers(&self, finding: &Finding, today: Day) -> Option<Standing> {
        // Faded text and findings about exceptions cannot be ignored.
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

/// Marks a finding whose exception has expired.
fn came_back(finding: Finding, (year, month, day): Day) -> Finding {
    let message = format!("{} (its exception ended on {year:04}-{month:02}-{day:02})", finding.message);
    Finding { message, ..finding }
}

/// An exception in a comment of the file.
struct Inline {
    rule: Rule,
    /// The comment.
    at: Range<usize>,
    used: bool,
}

/// Inline exceptions of a file, in order. The first that covers a finding is used.
#[derive(Default)]
struct Inlines {
    all: Vec<Inline>,
    /// Index of the first exception of each kind that applies to the whole file.
    of_file: HashMap<Kind, usize>,
    /// Byte ranges, each with the index of the first exception of each kind for findings that begin there. Neither
    /// starts nor ends ever decrease.
    of_lines: Vec<(Range<usize>, HashMap<Kind, usize>)>,
}

impl Inlines {
    /// Adds an exception for findings that begin in the range `about`; `None`: for the whole file.
    fn add(&mut self, rule: Rule, at: Range<usize>, about: Option<Range<usize>>) {
        let firsts = match about {
            None => &mut self.of_file,
            Some(about) => {
                if self.of_lines.last().is_none_or(|(last, _)| *last != about) {
                    self.of_lines.push((about, HashMap::new()));
                }
                &mut self.of_lines.last_mut().expect("it was added").1
            }
        };
        for kind in &rule.kinds {
            firsts.entry(*kind).or_insert(self.all.len());
        }
        self.all.push(Inline { rule, at, used: false });
    }

    /// Returns the first exception that applies to the place and the kind of a finding.
    fn about(&mut self, finding: &Finding) -> Option<&mut Inline> {
        let (kind, byte) = (finding.kind, finding.range.start);
        let start = self.of_lines.partition_point(|(about, _)| about.end <= byte);
        let near = self.of_lines[start..].iter().take_while(|(about, _)| about.start <= byte);
        let near = near.filter_map(|(_, firsts)| firsts.get(&kind));
        let first = near.chain(self.of_file.get(&kind)).min().copied()?;
        self.all.get_mut(first)
    }
}

/// Returns the findings without those that the file's exceptions cover, and adds findings about the exceptions. An
/// exception is not reported as unneeded if its kind of finding was not searched for.
pub fn excepted(found: Vec<Finding>, raw: &[u8], today: Day, unsought: &[Kind]) -> Vec<Finding> {
    let (mut exceptions, mut all) = inline(raw);
    // A finding that is only counted may be the one that an exception covers.
    let counted: Vec<Kind> = found.iter().filter(|finding| finding.is_rest).map(|finding| finding.kind).collect();
    for finding in found {
        let exception = exceptions.about(&finding);
        match exception.and_then(|exception| Some((exception.rule.covers(&finding, today)?, exception))) {
            None => all.push(finding),
            Some((standing, exception)) => {
                exception.used = true;
                if let Standing::Over(day) = standing {
                    all.push(came_back(finding, day));
                }
            }
        }
    }
    let is_open = |rule: &Rule| rule.kinds.iter().any(|kind| unsought.contains(kind) || counted.contains(kind));
    let unused = exceptions.all.into_iter().filter(|exception| !exception.used && !is_open(&exception.rule));
    all.extend(unused.map(|exception| Finding::new(Kind::Exception, exception.at, UNUSED)));
    all
}

const UNUSED: &str = "This exception is not needed: nothing is found that it excepts";

/// Parses the inline exceptions of a file. Also returns findings about malformed ones.
fn inline(raw: &[u8]) -> (Inlines, Vec<Finding>) {
    let (mut exceptions, mut wrong) = (Inlines::default(), Vec::new());
    let (mut lines, mut from) = (Lines::of(raw), 0);
    while let Some(found) = memmem::find(&raw[from..], MARK.as_bytes()) {
        let start = from + found;
        from = start + MARK.len();
        let before = raw[..start].trim_ascii_end();
        let Some((opening, closing)) = OPENINGS.iter().find(|(opening, _)| before.ends_with(opening.as_bytes())) else {
            continue;
        };
        let rest = &raw[from..];
        let end = memmem::find(rest, closing.as_bytes()).unwrap_or(rest.len());
        let words = text::lossy(&rest[..end]);
        let closed = if *closing == "\n" { 0 } else { closing.len() };
        let at = before.len() - opening.len()..(from + end + closed).min(raw.len());
        from += end;
        let (is_whole, words) = match words.strip_prefix(WHOLE) {
            Some(words) => (true, words),
            None => (false, &*words),
        };
        match rule(words) {
            Ok(rule) => {
                let about = (!is_whole).then(|| lines.about(&at));
                exceptions.add(rule, at, about);
            }
            Err(why) => {
                let message = format!("This exception excepts nothing: {why}");
                wrong.push(Finding::new(Kind::Exception, at, message));
            }
        }
    }
    (exceptions, wrong)
}

/// Parses a rule such as `over-budget, too-long until=2027-01-31: the reason`.
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

/// Finds the lines that comments apply to. Comments must come in text order. Results are kept for the next comment on
/// the same line.
struct Lines<'t> {
    raw: &'t [u8],
    /// Start of the line in which the last comment began.
    start: usize,
    /// End of the bytes that were searched for line starts.
    looked_to: usize,
    /// Ends of the comment's line and of the next line with text.
    ends: (usize, usize),
}

impl Lines<'_> {
    fn of(raw: &[u8]) -> Lines<'_> {
        Lines { raw, start: 0, looked_to: 0, ends: (0, 0) }
    }

    /// Returns the range of a comment's lines and of the next line with text.
    fn about(&mut self, comment: &Range<usize>) -> Range<usize> {
        let Lines { raw, .. } = *self;
        if comment.start > self.looked_to {
            let newline = memchr::memrchr(b'\n', &raw[self.looked_to..comment.start]);
            self.start = newline.map_or(self.start, |at| self.looked_to + at + 1);
            self.looked_to = comment.start;
        }
        if comment.end >= self.ends.0 {
            let end_of_line = |from: usize| memchr::memchr(b'\n', &raw[from..]).map_or(raw.len(), |at| from + at + 1);
            let end = end_of_line(comment.end);
            let blank = raw[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.ends = (end, end_of_line((end + blank).min(raw.len())));
        }
        // A finding may stand at the very end of a file.
        self.start..self.ends.1 + usize::from(self.ends.1 == raw.len())
    }
}

/// Creates a finding on the first line of a declared exception.
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

    #[test]
    fn exceptions_by_the_thousand_are_found_by_their_line() {
        let comment = "<!-- briefing-ignore import-missing: later -->";
        let one_line = comment.repeat(20_000) + "\n@a.md\n";
        let (mut exceptions, wrong) = inline(one_line.as_bytes());
        assert_eq!((exceptions.all.len(), exceptions.of_lines.len(), wrong.len()), (20_000, 1, 0));
        assert!(exceptions.about(&at(&one_line, "@a.md")).is_some_and(|first| first.at.start == 0));
        let lines: String = (0..20_000).map(|number| format!("{comment}\n@{number}.md\n")).collect();
        let (mut exceptions, _) = inline(lines.as_bytes());
        assert_eq!(exceptions.of_lines.len(), 20_000);
        let place = lines.find("@12345.md").expect("it is there");
        let found = exceptions.about(&at(&lines, "@12345.md")).map(|found| found.at.end);
        assert_eq!(found, Some(place - 1));
    }

    #[test]
    fn what_is_only_counted_may_be_what_an_exception_is_for() {
        let raw = "<!-- briefing-ignore import-missing: later -->\n\n\n@a.md\n\n@b.md\n";
        let rest = Finding { is_rest: true, ..Finding::new(Kind::ImportMissing, 60..61, "2 more") };
        assert_eq!(messages(raw, vec![rest]), ["2 more"]);
        assert_eq!(messages(raw, Vec::new()), [UNUSED]);
    }
}
