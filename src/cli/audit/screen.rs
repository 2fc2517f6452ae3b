//! Renders audits of recorded sessions for the terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::cli::lines::{width, wrapped};
use crate::engine::expect::recorded::{Judgement, Verdict};
use crate::records::audit::{Audit, Change, Fate, Item, edits_before};
use crate::records::session::{FILE_AGAIN, Place};
use crate::records::{CLIENTS, How, Kind, Purpose, Session, Step};
use crate::report::escape::visible;
use crate::report::words::{Paths, count, list};
use crate::text::grouped;

const PLAIN: Style = Style::new();
const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const LOST: Style = AnsiColor::Red.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();

/// Minimum number of characters of a session's name that are shown. Names of Codex begin with the time, so names of one
/// minute differ only at the end of this part.
const NAME: usize = 13;
/// Maximum number of changed lines of a text that are shown.
const LINES: usize = 40;
/// Maximum number of sub-agents of a session that are named.
const SUBAGENTS: usize = 3;

/// Writes a sentence, wrapped at the width of the screen.
fn write(out: &mut String, indent: usize, style: Style, text: &str) {
    for line in wrapped(&visible(&text), width().saturating_sub(indent)) {
        let _ = writeln!(out, "{:indent$}{style}{line}{style:#}", "");
    }
}

/// Renders the message that there is no session, with the agents whose records are read.
pub(super) fn nothing(why: &str) -> String {
    let agents: Vec<&str> = CLIENTS.iter().map(|client| client.agent).collect();
    let mut out = String::new();
    write(&mut out, 0, PLAIN, why);
    write(&mut out, 0, FAINT, &format!("records of {} are read", list(&agents)));
    out
}

/// Renders the note on which sessions `--why` searched.
pub(super) fn latest() -> String {
    let mut out = "\n".to_owned();
    write(
        &mut out,
        0,
        FAINT,
        "asked: the latest session of each agent here; name another one, as `briefing audit` lists them",
    );
    out
}

/// Renders the list: a paragraph for each session. Sub-agents are listed with the session that started them.
pub(super) fn table(audits: &[Audit], all_projects: bool, now: Timestamp, paths: &Paths) -> String {
    let names = short_names(audits);
    let short = |audit: &Audit| visible(names.get(audit.id.as_str()).unwrap_or(&audit.id.as_str()));
    let is_listed = |parent: &String| names.contains_key(parent.as_str());
    let (inner, own): (Vec<&Audit>, Vec<&Audit>) =
        audits.iter().partition(|audit| audit.parent.as_ref().is_some_and(is_listed));
    let mut out = String::new();
    for audit in own {
        if !audit.read && audit.start.is_none() {
            let problems = audit.problems.join("; ");
            write(&mut out, 0, WARNING, &format!("{}: {}", audit.agent, paths.text(&problems)));
            continue;
        }
        let who = who(audit);
        let _ = writeln!(out, "{BOLD}{who}{BOLD:#}  {}  {FAINT}{}{FAINT:#}", span(audit, now), short(audit));
        if let Some(cwd) = audit.cwd.as_deref().filter(|_| all_projects) {
            let _ = writeln!(out, "  in {}", visible(&paths.path(cwd)));
        }
        if audit.read {
            let kind = if audit.parent.is_some() { "sub-agent, " } else { "" };
            write(&mut out, 2, PLAIN, &format!("{kind}{}", sizes(audit)));
        } else if audit.problems.is_empty() {
            let problem = format!("not read for this list; `briefing audit {}` reads it", short(audit));
            write(&mut out, 2, FAINT, &problem);
        } else {
            audit.problems.iter().for_each(|problem| write(&mut out, 2, WARNING, &paths.text(problem)));
        }
        write_verdicts(&mut out, 2, "", audit, paths);
        let inner: Vec<&&Audit> = inner.iter().filter(|one| one.parent.as_deref() == Some(&audit.id)).collect();
        if !inner.is_empty() {
            let named = inner.iter().take(SUBAGENTS).map(|one| short(one));
            let more = inner.len().saturating_sub(SUBAGENTS);
            let named: Vec<String> = named.chain((more > 0).then(|| format!("{more} more"))).collect();
            write(&mut out, 2, FAINT, &format!("{}: {}", count(inner.len(), "sub-agent"), list(&named)));
        }
        for one in inner {
            write_verdicts(&mut out, 4, &format!("{}: ", short(one)), one, paths);
        }
    }
    out
}

/// Returns for each session's name its shortest beginning, of at least `NAME` characters, that no other name has.
fn short_names(audits: &[Audit]) -> BTreeMap<&str, &str> {
    let mut ids: Vec<&str> = audits.iter().map(|audit| audit.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let common = |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let short = |(at, id): (usize, &&'_ str)| {
        let before = at.checked_sub(1).map_or(0, |before| common(ids[before], id));
        let after = ids.get(at + 1).map_or(0, |after| common(after, id));
        let mut ends = id.char_indices().map(|(at, _)| at).skip(NAME.max(before.max(after) + 1));
        ends.find(|&end| !id[..end].ends_with('-')).unwrap_or(id.len())
    };
    let ends: Vec<usize> = ids.iter().enumerate().map(short).collect();
    ids.into_iter().zip(ends).map(|(id, end)| (id, &id[..end])).collect()
}

/// Returns the agent and its version, if the record has it.
fn who(audit: &Audit) -> String {
    let version = audit.version.iter().map(String::as_str);
    visible(&[audit.agent.as_str()].into_iter().chain(version).collect::<Vec<_>>().join(" "))
}

/// Describes the number of steps, and the instructions that reached the session. Each file counts once.
fn sizes(audit: &Audit) -> String {
    let given = audit.steps.iter().flat_map(|step| &step.given);
    let given = given.filter(|item| item.purpose == Purpose::Instructions.word() && item.how != How::Unknown.word());
    let mut texts: BTreeMap<&Path, usize> = BTreeMap::new();
    let mut is_reconstructed = false;
    for item in given {
        is_reconstructed |= item.how == How::Reconstructed.word();
        texts.entry(item.path.as_deref().unwrap_or(Path::new(&item.name))).or_insert(item.size.bytes);
    }
    // Steps are counted from the start, which is step 0.
    let steps = match audit.steps.len().saturating_sub(1) {
        0 => "a start".to_owned(),
        steps => format!("a start and {}", count(steps, "step")),
    };
    let bytes = grouped(texts.values().sum());
    let sizes = format!("{steps}, {} of instructions, {bytes} B", count(texts.len(), "text"));
    let not_recorded = if is_reconstructed { "; worked out from the files, not in the record" } else { "" };
    sizes + not_recorded
}

fn write_verdicts(out: &mut String, indent: usize, whose: &str, audit: &Audit, paths: &Paths) {
    for verdict in &audit.verdicts {
        let style = if verdict.code == "compacted" || verdict.code == "unread" { FAINT } else { WARNING };
        write(out, indent, style, &format!("{whose}{}", paths.text(&verdict.message)));
    }
}

/// Formats when a session started, and how long it lasted.
fn span(audit: &Audit, now: Timestamp) -> String {
    let Some(start) = audit.start else { return "at a time that is not known".to_owned() };
    let zone = TimeZone::system();
    let (start, today) = (start.to_zoned(zone.clone()), now.to_zoned(zone));
    let day = match (start.date() == today.date(), start.date().tomorrow().ok() == Some(today.date())) {
        (true, _) => "today".to_owned(),
        (_, true) => "yesterday".to_owned(),
        _ if start.year() == today.year() => start.strftime("%e %b").to_string().trim().to_owned(),
        _ => start.strftime("%e %b %Y").to_string().trim().to_owned(),
    };
    let long = audit.end.zip(audit.start).map_or(0, |(end, start)| end.duration_since(start).as_secs());
    let long = match long {
        ..60 => format!("{} s", long.max(0)),
        60..3600 => format!("{} min", long / 60),
        _ => format!("{} h {} min", long / 3600, long % 3600 / 60),
    };
    format!("{day} {}, {long}", start.strftime("%H:%M"))
}

fn head(audit: &Audit, paths: &Paths) -> String {
    let mut out = String::new();
    let cwd = audit.cwd.as_deref().map_or_else(|| "an unknown directory".to_owned(), |cwd| paths.path(cwd));
    let _ = writeln!(out, "{BOLD}{}{BOLD:#}, started in {}", who(audit), visible(&cwd));
    let _ = writeln!(out, "{}  {FAINT}{}{FAINT:#}", span(audit, Timestamp::now()), visible(&audit.id));
    out
}

/// Names a text by its file, or in words.
fn name(path: Option<&Path>, name: &str, paths: &Paths) -> String {
    visible(&path.map_or_else(|| name.to_owned(), |path| paths.path(path)))
}

/// Renders the verdicts on one session.
pub(super) fn judged(audit: &Audit, judged: &[Judgement], paths: &Paths) -> String {
    let mut out = head(audit, paths);
    for Judgement { id, verdict, why } in judged {
        let (mark, style) = match verdict {
            Verdict::Held => ("held", GOOD),
            Verdict::Failed => ("failed", LOST),
            Verdict::Unknown => ("unknown", WARNING),
        };
        let why = if why.is_empty() { String::new() } else { format!("  {why}") };
        let _ = writeln!(out, "  {style}{mark:<7}{style:#}  {}{}", visible(id), visible(&paths.text(&why)));
    }
    out
}

/// Renders the timeline of a session.
pub(super) fn timeline(session: &Session, audit: &Audit, paths: &Paths) -> String {
    let mut out = head(audit, paths);
    let _ = writeln!(out, "{}", sizes(audit));
    let mut quiet = Quiet::default();
    for (number, (step, stage)) in session.steps.iter().zip(&audit.steps).enumerate() {
        if step.given.is_empty() && step.gone.is_empty() && matches!(step.kind, Kind::Read | Kind::Tool) {
            quiet.add(step.kind);
            continue;
        }
        quiet.write(&mut out);
        let when = step.when.map_or_else(String::new, |when| time(when) + "  ");
        let words = visible(&step_words(step, paths));
        let _ = writeln!(out, "\n{BOLD}{number:>4}{BOLD:#}  {FAINT}{when}{FAINT:#}{BOLD}{words}{BOLD:#}");
        for item in &stage.given {
            let (mark, style) = if item.how == How::Unknown.word() { ("?", WARNING) } else { ("+", GOOD) };
            let is_again = stage.gone.iter().any(|gone| is_one(gone, item));
            let remark = match (item.how.as_str(), item.fate.as_str(), item.same_as_disk) {
                ("unknown", ..) => "not in the record",
                ("reconstructed", ..) => "not in the record; from the files, which have not changed since",
                (_, "truncated", _) => "cut",
                (_, _, Some(false)) => "the file is another now",
                _ if is_again => "again",
                _ => "",
            };
            let size = if item.size.bytes > 0 { format!("  {} B", grouped(item.size.bytes)) } else { String::new() };
            let name = name(item.path.as_deref(), &item.name, paths) + &size;
            let _ = write!(out, "      {style}{mark}{style:#} {name}");
            if 8 + name.chars().count() + 2 + remark.chars().count() > width() {
                out.push('\n');
                write(&mut out, 10, FAINT, remark);
            } else if remark.is_empty() {
                out.push('\n');
            } else {
                let _ = writeln!(out, "  {FAINT}{remark}{FAINT:#}");
            }
        }
        let is_back = |item: &&Item| stage.given.iter().any(|given| is_one(given, item));
        for item in stage.gone.iter().filter(|item| !is_back(item)) {
            let name = name(item.path.as_deref(), &item.name, paths);
            let _ = writeln!(out, "      {LOST}-{LOST:#} {name}  {FAINT}no longer in context{FAINT:#}");
        }
    }
    quiet.write(&mut out);
    write_window(&mut out, session);
    if !audit.verdicts.is_empty() {
        out.push('\n');
    }
    write_verdicts(&mut out, 0, "", audit, paths);
    out
}

fn time(when: Timestamp) -> String {
    when.to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string()
}

/// Returns true if two items are of one file or, without a file, have one name.
fn is_one(a: &Item, b: &Item) -> bool {
    if a.path.is_some() { a.path == b.path } else { b.path.is_none() && a.name == b.name }
}

/// Writes the contents of the context at the end of the session, as far as the record has them.
fn write_window(out: &mut String, session: &Session) {
    let held = session.held_after(session.steps.len().saturating_sub(1));
    let mut sums: BTreeMap<Purpose, usize> = BTreeMap::new();
    for place in held {
        let given = session.given(place);
        *sums.entry(given.purpose).or_default() += given.size.bytes;
    }
    sums.retain(|_, bytes| *bytes > 0);
    if sums.is_empty() {
        return;
    }
    let parts = sums.iter().map(|(purpose, bytes)| format!("{} {} B", purpose.word(), grouped(*bytes)));
    out.push('\n');
    write(out, 0, PLAIN, &format!("in context at the end: {}", list(&parts.collect::<Vec<_>>())));
    if let Some(tokens) = session.tokens {
        let tokens = count(usize::try_from(tokens).unwrap_or(usize::MAX), "token");
        write(out, 0, FAINT, &format!("the client counted {tokens} in its last request"));
    }
}

/// Numbers of consecutive steps that added no text, by kind.
#[derive(Default)]
struct Quiet {
    reads: usize,
    tools: usize,
}

impl Quiet {
    fn add(&mut self, kind: Kind) {
        match kind {
            Kind::Read => self.reads += 1,
            _ => self.tools += 1,
        }
    }

    fn write(&mut self, out: &mut String) {
        let reads = (self.reads > 0).then(|| count(self.reads, "read"));
        let tools = match self.tools {
            0 => None,
            1 => Some("1 call of another tool".to_owned()),
            tools => Some(format!("{} calls of other tools", grouped(tools))),
        };
        let said: Vec<String> = reads.into_iter().chain(tools).collect();
        if !said.is_empty() {
            let _ = writeln!(out, "\n      {FAINT}{} that brought nothing{FAINT:#}", list(&said));
        }
        *self = Quiet::default();
    }
}

fn step_words(step: &Step, paths: &Paths) -> String {
    let name = step.name.as_deref().map(|name| match step.kind {
        Kind::Read | Kind::Edit | Kind::Resume if Path::new(name).is_absolute() => paths.path(Path::new(name)),
        _ => name.to_owned(),
    });
    let within = if step.kind == Kind::Resume && name.is_some() { " in" } else { "" };
    format!("{}{within} {}", step.kind.word(), name.unwrap_or_default()).trim_end().to_owned()
}

/// Renders when a text reached a session.
pub(super) fn reached(session: &Session, audit: &Audit, places: &[Place], text: &str, paths: &Paths) -> String {
    let mut out = head(audit, paths);
    let edits: Vec<usize> = (0..session.steps.len()).filter(|&step| session.steps[step].kind == Kind::Edit).collect();
    if places.is_empty() {
        out.push('\n');
        match session.has_gaps() {
            true => write(&mut out, 0, WARNING, &format!("not known: what is in the record does not say `{text}`")),
            false => write(&mut out, 0, LOST, &format!("it was not told: nothing in the record says `{text}`")),
        }
    }
    for &(step, at) in places {
        let given = session.given((step, at));
        let name = name(given.path.as_deref(), &given.name, paths);
        let when = session.steps[step].when.map_or_else(String::new, |when| format!(", at {}", time(when)));
        let how = if given.how == How::Reconstructed { " (worked out from the files)" } else { "" };
        let words = step_words(&session.steps[step], paths);
        let last = session.steps.len() - 1;
        let said = visible(&format!("{name}{how} reached it at step {step} of {last}{when}: {words}"));
        for (at, line) in wrapped(&said, width().saturating_sub(2)).iter().enumerate() {
            let mark = if at == 0 { format!("\n{GOOD}●{GOOD:#}") } else { " ".to_owned() };
            let _ = writeln!(out, "{mark} {line}");
        }
        // A text that comes with an edit comes with the result of the edit, so the edit was made before it.
        let before = edits.iter().filter(|&&edit| edit <= step).count();
        if !edits.is_empty() {
            let said = match (before, edits.len() - before) {
                (0, 1) => "before the only edit".to_owned(),
                (0, after) => format!("before all {after} edits"),
                (before, 0) => format!("after {}, before none", count(before, "edit")),
                (before, after) => format!("after {}, before {after}", count(before, "edit")),
            };
            write(&mut out, 2, PLAIN, &said);
        }
        for &edit in edits_before(session, (step, at)).iter().take(5) {
            let words = step_words(&session.steps[edit], paths);
            write(&mut out, 2, WARNING, &format!("{words} was made before it came"));
        }
        match session.gone_at((step, at)) {
            Some(gone) => {
                let words = step_words(&session.steps[gone], paths);
                write(&mut out, 2, LOST, &format!("no longer in context after step {gone}: {words}"));
            }
            None => write(&mut out, 2, PLAIN, "still in context at the end"),
        }
    }
    let unknown = session.everything().filter(|(_, given)| given.how == How::Unknown);
    let unknown: BTreeSet<String> = unknown
        .map(|(_, given)| format!("not in the record: {}", name(given.path.as_deref(), &given.name, paths)))
        .collect();
    if !unknown.is_empty() {
        out.push('\n');
    }
    unknown.iter().chain(&session.problems).for_each(|line| write(&mut out, 0, WARNING, line));
    out
}

/// Counts the instructions that a session holds at its end.
fn held(session: &Session) -> usize {
    let held = session.held_after(session.steps.len().saturating_sub(1)).into_iter().map(|place| session.given(place));
    held.filter(|given| given.purpose == Purpose::Instructions && given.name != FILE_AGAIN).count()
}

/// Splits a line of a file at the width of the screen, keeping its spaces.
fn cut(line: &str, width: usize) -> Vec<String> {
    let chars: Vec<char> = line.chars().collect();
    if chars.is_empty() {
        return vec![String::new()];
    }
    chars.chunks(width.max(1)).map(|part| part.iter().collect()).collect()
}

/// Renders the difference between the texts in a session and those that an agent would get now.
pub(super) fn difference(session: &Session, audit: &Audit, paths: &Paths) -> String {
    let mut out = head(audit, paths) + "\n";
    let Some(changes) = &audit.changes else {
        write(&mut out, 0, WARNING, "what it would be told now is not known");
        return out;
    };
    let (unknown, known): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.now == Fate::Unknown);
    for change in &known {
        let _ = writeln!(out, "{BOLD}{}{BOLD:#}", name(change.path.as_deref(), &change.name, paths));
        match change.now {
            Fate::New => write(&mut out, 2, GOOD, "would be sent now, and was not given to it"),
            Fate::None => write(&mut out, 2, LOST, "is not sent any more"),
            Fate::Beside => write(&mut out, 2, PLAIN, "is in context as it was, beside the text of now"),
            Fate::Other | Fate::Unknown => {}
        }
        for line in change.lines.iter().take(LINES) {
            let style = if line.starts_with('-') { LOST } else { GOOD };
            let (mark, line) = line.split_at(1);
            for (at, part) in cut(&visible(&line), width().saturating_sub(4)).into_iter().enumerate() {
                let mark = if at == 0 { mark } else { " " };
                let _ = writeln!(out, "  {style}{mark} {part}{style:#}");
            }
        }
        if let Some(more) = change.lines.len().checked_sub(LINES + 1) {
            let more = count(more + 1, "more line");
            write(&mut out, 2, FAINT, &format!("{more}; --format json has them"));
        }
        out.push('\n');
    }
    for change in &unknown {
        let name = name(change.path.as_deref(), &change.name, paths);
        let why = change.why.as_deref().unwrap_or("what would be sent now is not known");
        write(&mut out, 0, WARNING, &format!("cannot be compared: {name}: {why}"));
    }
    match (&known[..], &unknown[..]) {
        ([], []) => write(&mut out, 0, PLAIN, "what it holds is what it would be told now"),
        ([], unknown) if held(session) > unknown.len() => {
            write(&mut out, 0, PLAIN, "the rest of what it holds is what it would be told now");
        }
        _ => {}
    }
    out
}
