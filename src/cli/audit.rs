//! `briefing audit`: what recorded sessions were told, when, and what of it was still in context.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use clap::Args;
use jiff::{SignedDuration, Timestamp};

use super::show::{answer, directory, here, print, print_styled};
use super::whom::Format;
use super::words::visible;
use super::{FINDINGS, Failure, defaults};
use crate::answer::Standpoint;
use crate::disk::{Filesystem, Real};
use crate::engine::audit::{
    Listed, Now, RUNNING, Wanted, audited, homes, list as audit_list, only, places_of, sessions,
};
use crate::engine::expect::recorded::{Judgement, Verdict, demanded};
use crate::engine::settings::Settings;
use crate::records::audit::{Audit, Audits, Item, Texts};
use crate::records::session::Place;
use crate::records::{CLIENTS, How, Kind, Purpose, Session};
use crate::report::words::{Paths, count, list};
use crate::request::Defaults;
use crate::text::grouped;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing audit                              the sessions of this project in the last 7 days
  briefing audit --last                       what the latest one was told, step by step
  briefing audit 920ce3a3 --why 'migrations'  whether and when a sentence reached that one
  briefing audit --running                    sessions that go on, and whether they hold an older file
  briefing audit --expect                     which sessions were not told what briefing.toml expects";

/// Arguments of `briefing audit`.
#[derive(Args)]
pub(super) struct Arguments {
    /// The session: the beginning of its name, or its record; without it, sessions are listed
    session: Option<String>,
    /// The latest session
    #[arg(long, conflicts_with_all = ["session", "running"])]
    last: bool,
    /// Only sessions whose record was written to in the last minutes
    #[arg(long, conflicts_with = "session")]
    running: bool,
    /// Only sessions that went on in that time: 90m, 12h, 7d, all
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = parse_time)]
    since: Since,
    /// Only sessions of these agents
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = parse_agent)]
    agent: Vec<String>,
    /// Sessions of every project, not only of this one
    #[arg(long)]
    all_projects: bool,
    /// When a text reached the session, and whether it is still in context; exit 1 if it did not
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// What the session holds against what it would be told now
    #[arg(long, conflicts_with = "why")]
    diff: bool,
    /// Judge the sessions by the expectations of briefing.toml; exit 1 if one did not hold
    #[arg(long, conflicts_with_all = ["why", "diff"])]
    expect: bool,
    /// The directory of the project [default: the working directory]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The home directory to assume
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// How far back sessions are meant; `None` is forever.
#[derive(Clone, Copy)]
pub(super) struct Since(pub(super) Option<SignedDuration>);

pub(super) fn parse_time(text: &str) -> Result<Since, String> {
    if text == "all" {
        return Ok(Since(None));
    }
    let wrong = || format!("`{text}` is not a time; write 90m, 12h, 7d or all");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let number: i64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| wrong())?;
    let hours = match unit {
        'm' => return Ok(Since(Some(SignedDuration::from_mins(number.clamp(0, 1_000_000))))),
        'h' => 1,
        'd' => 24,
        'w' => 7 * 24,
        _ => return Err(wrong()),
    };
    Ok(Since(Some(SignedDuration::from_hours(number.clamp(0, 100_000) * hours))))
}

pub(super) fn parse_agent(text: &str) -> Result<String, String> {
    let known: Vec<&str> = CLIENTS.iter().map(|client| client.agent).collect();
    if known.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("no records of `{text}` are read; those of {} are", list(&known)))
}

/// Finds the sessions and says what they were told.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let here = here()?;
    let cwd = directory("--cwd", arguments.cwd.as_deref(), &here)?.unwrap_or(here);
    let defaults = defaults(directory("--home", arguments.home.as_deref(), &cwd)?);
    let project = Real.real_path(&project(&cwd)).unwrap_or_else(|_| project(&cwd));
    let ask = |choice: &_, at: &Standpoint| Arc::new(answer(&Real, choice, at));
    let now = Timestamp::now();
    let time = if arguments.running { Some(RUNNING) } else { arguments.since.0 };
    let is_named = arguments.session.is_some();
    let wanted = Wanted {
        project: (!arguments.all_projects && !is_named).then(|| project.clone()),
        since: time.filter(|_| !is_named).map(|time| now.saturating_sub(time).unwrap_or(Timestamp::MIN)),
        agents: arguments.agent.clone(),
    };
    let mut found = sessions(&homes(&defaults), &wanted);
    if let Some(name) = &arguments.session {
        found.retain(|one| is_it(one, name));
    }
    found.sort_by_key(|one| one.head.parent.is_some());
    let paths = Paths::from(&Standpoint::plain(&cwd, &defaults.home, defaults.env.clone()), None);
    let is_one = is_named || arguments.last || arguments.why.is_some() || arguments.diff;
    if arguments.expect {
        found.truncate(if is_one { 1 } else { usize::MAX });
        return expected(&found, arguments, &cwd, &defaults, &ask, &paths);
    }
    if !is_one {
        found.sort_by_key(|one| std::cmp::Reverse(one.found.written));
        let audits = audit_list(&found, &defaults, &ask);
        match arguments.format {
            Format::Json => print_json(audits)?,
            Format::Text => print_styled(&table(&audits, arguments, &project, now, &paths))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let Some(one) = found.first() else { return Err(nothing(arguments, &project).into()) };
    if is_named && found.iter().filter(|other| other.head.parent.is_none()).count() > 1 {
        let names: Vec<String> = found.iter().take(5).filter_map(|one| one.head.id.clone()).collect();
        return Err(format!("more than one session begins like that: {}", list(&names)).into());
    }
    let texts = if arguments.why.is_some() { Texts::Shown } else { Texts::Hidden };
    let (session, audit) = audited(one, &defaults, texts, &ask)?;
    if let Some(text) = &arguments.why {
        let places = places_of(&session, text);
        match arguments.format {
            Format::Json => print_json(vec![only(&session, audit, &places)])?,
            Format::Text => print_styled(&reached(&session, &audit, &places, text, &paths))?,
        }
        return Ok(if places.is_empty() { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS });
    }
    if arguments.diff {
        let said = difference(&session, &defaults, &ask, &paths);
        print_styled(&(head(&audit, &paths) + &said))?;
        return Ok(ExitCode::SUCCESS);
    }
    match arguments.format {
        Format::Json => print_json(vec![audit])?,
        Format::Text => print_styled(&timeline(&session, &audit, &paths))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Judges sessions by the expectations of the project.
fn expected(
    found: &[Listed],
    arguments: &Arguments,
    cwd: &Path,
    defaults: &Defaults,
    ask: crate::engine::audit::Ask,
    paths: &Paths,
) -> Result<ExitCode, Failure> {
    let demanded = demanded(defaults.clone(), cwd, Settings::default())?;
    if demanded.is_empty() {
        return Err("no briefing.toml here expects a text; see `briefing expect --suggest`".to_owned().into());
    }
    let (mut out, mut json, mut failed) = (String::new(), Vec::new(), false);
    for one in found {
        let Ok((session, audit)) = audited(one, defaults, Texts::Hidden, ask) else { continue };
        let judged: Vec<Judgement> = demanded.iter().filter_map(|demanded| demanded.judge(&session)).collect();
        if judged.is_empty() {
            continue;
        }
        failed |= judged.iter().any(|one| one.verdict == Verdict::Failed);
        out.push_str(&head(&audit, paths));
        for Judgement { id, verdict, why } in &judged {
            let (mark, style) = match verdict {
                Verdict::Held => ("held", GOOD),
                Verdict::Failed => ("failed", LOST),
                Verdict::Unknown => ("unknown", WARNING),
            };
            let why = if why.is_empty() { String::new() } else { format!("  {why}") };
            let _ = writeln!(out, "  {style}{mark:<7}{style:#}  {}{}", visible(id), visible(&paths.text(&why)));
        }
        let of_one = judged.iter().map(|one| {
            serde_json::json!({ "id": one.id, "verdict": format!("{:?}", one.verdict).to_lowercase(), "why": one.why })
        });
        let of_one: Vec<_> = of_one.collect();
        json.push(serde_json::json!({ "id": audit.id, "agent": audit.agent, "expectations": of_one }));
    }
    match arguments.format {
        Format::Json => {
            let json = serde_json::json!({ "sessions": json });
            print(&(serde_json::to_string_pretty(&json).map_err(|error| error.to_string())? + "\n"))?;
        }
        Format::Text if out.is_empty() => print("no expectation is about these sessions\n")?,
        Format::Text => print_styled(&out)?,
    }
    Ok(if failed { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS })
}

/// Returns the root of the repository around a directory, or the directory itself.
pub(super) fn project(cwd: &Path) -> PathBuf {
    let root = cwd.ancestors().find(|dir| Real.stat(&dir.join(".git")).is_ok());
    root.unwrap_or(cwd).to_owned()
}

fn is_it(one: &Listed, name: &str) -> bool {
    one.head.id.as_deref().is_some_and(|id| id.starts_with(name)) || one.found.file == Path::new(name)
}

fn nothing(arguments: &Arguments, project: &Path) -> String {
    if let Some(name) = &arguments.session {
        return format!("no session is called `{name}`; `briefing audit --all-projects --since all` lists them");
    }
    let place = if arguments.all_projects { String::new() } else { format!(" in {}", project.display()) };
    format!("no recorded session{place} in that time; --since all and --all-projects look further")
}

fn print_json(sessions: Vec<Audit>) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(&Audits { sessions }).map_err(|error| error.to_string())?;
    print(&format!("{json}\n"))
}

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const LOST: Style = AnsiColor::Red.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();

/// The list, a paragraph for each session.
fn table(audits: &[Audit], arguments: &Arguments, project: &Path, now: Timestamp, paths: &Paths) -> String {
    let mut out = String::new();
    if audits.is_empty() {
        let _ = writeln!(out, "{}", visible(&paths.text(&nothing(arguments, project))));
        let agents: Vec<&str> = CLIENTS.iter().map(|client| client.agent).collect();
        let _ = writeln!(out, "{FAINT}records of {} are read{FAINT:#}", list(&agents));
        return out;
    }
    for audit in audits {
        let _ = writeln!(
            out,
            "{BOLD}{}{BOLD:#} {}  {}  {FAINT}{}{FAINT:#}",
            visible(&audit.agent),
            visible(&audit.version.clone().unwrap_or_default()),
            span(audit, now),
            visible(&short(&audit.id)),
        );
        if arguments.all_projects
            && let Some(cwd) = &audit.cwd
        {
            let _ = writeln!(out, "  in {}", visible(&paths.path(cwd)));
        }
        if !audit.read && !audit.problems.is_empty() {
            audit.problems.iter().for_each(|problem| {
                let _ = writeln!(out, "  {WARNING}{}{WARNING:#}", visible(&paths.text(problem)));
            });
            continue;
        }
        if !audit.read {
            let _ = writeln!(
                out,
                "  {FAINT}not read for this list; `briefing audit {}` reads it{FAINT:#}",
                visible(&short(&audit.id))
            );
            continue;
        }
        let given = audit.steps.iter().flat_map(|step| &step.given);
        let mut files: Vec<&Path> = Vec::new();
        let mut bytes = 0;
        for item in given.filter(|item| item.purpose == Purpose::Instructions.word() && item.how != How::Unknown.word())
        {
            let path = item.path.as_deref().unwrap_or(Path::new(&item.name));
            if !files.contains(&path) {
                files.push(path);
                bytes += item.size.bytes;
            }
        }
        let kind = if audit.parent.is_some() { "sub-agent, " } else { "" };
        let _ = writeln!(
            out,
            "  {kind}{}, {} of instructions, {} B",
            count(audit.steps.len(), "step"),
            count(files.len(), "text"),
            grouped(bytes)
        );
        for verdict in &audit.verdicts {
            let style = if verdict.code == "compacted" || verdict.code == "unread" { FAINT } else { WARNING };
            let _ = writeln!(out, "  {style}{}{style:#}", visible(&paths.text(&verdict.message)));
        }
    }
    out
}

/// The first part of a session's name, by which it can be named.
fn short(id: &str) -> String {
    // Names of Codex begin with the time: those of one minute differ at the end of this only.
    id.chars().take(13).collect::<String>().trim_end_matches('-').to_owned()
}

/// When a session went on, and for how long.
fn span(audit: &Audit, now: Timestamp) -> String {
    let Some(start) = audit.start else { return "at a time that is not known".to_owned() };
    let zone = jiff::tz::TimeZone::system();
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
    let (agent, version) = (visible(&audit.agent), visible(&audit.version.clone().unwrap_or_default()));
    let _ = writeln!(out, "{BOLD}{agent} {version}{BOLD:#}, started in {}", visible(&cwd));
    let _ = writeln!(out, "{}  {FAINT}{}{FAINT:#}", span(audit, Timestamp::now()), visible(&audit.id));
    out
}

/// The timeline of a session.
fn timeline(session: &Session, audit: &Audit, paths: &Paths) -> String {
    let mut out = head(audit, paths);
    let mut quiet = Quiet::default();
    for (number, (step, stage)) in session.steps.iter().zip(&audit.steps).enumerate() {
        if step.given.is_empty() && step.gone.is_empty() && matches!(step.kind, Kind::Read | Kind::Tool) {
            quiet.add(step.kind);
            continue;
        }
        quiet.write(&mut out);
        let when = step.when.map_or_else(String::new, |when| {
            when.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S  ").to_string()
        });
        let _ = writeln!(
            out,
            "\n{BOLD}{number:>4}{BOLD:#}  {FAINT}{when}{FAINT:#}{BOLD}{}{BOLD:#}",
            visible(&step_words(step, paths))
        );
        for item in &stage.given {
            let name = item.path.as_deref().map_or_else(|| item.name.clone(), |path| paths.path(path));
            let size = if item.size.bytes > 0 { format!("  {} B", grouped(item.size.bytes)) } else { String::new() };
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
            let remark = if remark.is_empty() { String::new() } else { format!("  {FAINT}{remark}{FAINT:#}") };
            let _ = writeln!(out, "      {style}{mark}{style:#} {}{size}{remark}", visible(&name));
        }
        let is_back = |item: &&Item| stage.given.iter().any(|given| is_one(given, item));
        for item in stage.gone.iter().filter(|item| !is_back(item)) {
            let name = item.path.as_deref().map_or_else(|| item.name.clone(), |path| paths.path(path));
            let _ = writeln!(out, "      {LOST}-{LOST:#} {}  {FAINT}no longer in context{FAINT:#}", visible(&name));
        }
    }
    quiet.write(&mut out);
    write_window(&mut out, session);
    if !audit.verdicts.is_empty() {
        out.push('\n');
    }
    for verdict in &audit.verdicts {
        let style = if verdict.code == "compacted" || verdict.code == "unread" { FAINT } else { WARNING };
        let _ = writeln!(out, "{style}{}{style:#}", visible(&paths.text(&verdict.message)));
    }
    out
}

/// Returns true if two texts are of one file, or are one thing that has none.
fn is_one(a: &Item, b: &Item) -> bool {
    if a.path.is_some() { a.path == b.path } else { b.path.is_none() && a.name == b.name }
}

/// What fills the context at the end, as far as the record says.
fn write_window(out: &mut String, session: &Session) {
    let held = session.held_after(session.steps.len().saturating_sub(1));
    let mut sums: std::collections::BTreeMap<Purpose, usize> = std::collections::BTreeMap::new();
    for place in held {
        let given = session.given(place);
        *sums.entry(given.purpose).or_default() += given.size.bytes;
    }
    sums.retain(|_, bytes| *bytes > 0);
    if sums.is_empty() {
        return;
    }
    let parts: Vec<String> =
        sums.iter().map(|(purpose, bytes)| format!("{} {} B", purpose.word(), grouped(*bytes))).collect();
    let _ = writeln!(out, "\nin context at the end: {}", list(&parts));
    if let Some(tokens) = session.tokens {
        let _ =
            writeln!(out, "{FAINT}the client counted {} tokens in its last request{FAINT:#}", grouped(tokens as usize));
    }
}

/// Steps that brought nothing.
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
        let named = [(self.reads, "read"), (self.tools, "call of other tools")];
        let said: Vec<String> = named
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, noun)| match noun {
                "read" => count(number, noun),
                _ if number == 1 => "1 call of another tool".to_owned(),
                _ => format!("{number} calls of other tools"),
            })
            .collect();
        if !said.is_empty() {
            let _ = writeln!(out, "\n      {FAINT}{} that brought nothing{FAINT:#}", list(&said));
        }
        *self = Quiet::default();
    }
}

fn step_words(step: &crate::records::Step, paths: &Paths) -> String {
    let name = step.name.as_deref().map(|name| match step.kind {
        Kind::Read | Kind::Edit if Path::new(name).is_absolute() => paths.path(Path::new(name)),
        _ => name.to_owned(),
    });
    let kind = match step.kind {
        Kind::Compaction => "compaction",
        kind => kind.word(),
    };
    format!("{kind} {}", name.unwrap_or_default()).trim_end().to_owned()
}

/// When a text reached a session.
fn reached(session: &Session, audit: &Audit, places: &[Place], text: &str, paths: &Paths) -> String {
    let mut out = head(audit, paths);
    let edits: Vec<usize> = (0..session.steps.len()).filter(|&step| session.steps[step].kind == Kind::Edit).collect();
    if places.is_empty() {
        let _ = writeln!(out, "\n{LOST}nothing in the record says {}{LOST:#}", visible(&format!("`{text}`")));
    }
    for &(step, at) in places {
        let given = session.given((step, at));
        let name = given.path.as_deref().map_or_else(|| given.name.clone(), |path| paths.path(path));
        let when = session.steps[step].when.map_or_else(String::new, |when| {
            format!(", at {}", when.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S"))
        });
        let how = if given.how == How::Reconstructed { " (worked out from the files)" } else { "" };
        let _ = writeln!(
            out,
            "\n{GOOD}●{GOOD:#} {}{how} reached it at step {step} of {}{when}: {}",
            visible(&name),
            session.steps.len() - 1,
            visible(&step_words(&session.steps[step], paths))
        );
        let after = edits.iter().filter(|&&edit| edit > step).count();
        // What comes with an edit comes with its result.
        let before: Vec<usize> = edits.iter().copied().filter(|&edit| edit <= step).collect();
        if !edits.is_empty() {
            let said = match before.len() {
                0 => format!("before all {}", count(edits.len(), "edit")),
                number => format!("after {}, before {after}", count(number, "edit")),
            };
            let _ = writeln!(out, "  {said}");
        }
        for &edit in before.iter().take(5) {
            let _ = writeln!(
                out,
                "  {WARNING}{} was made before it came{WARNING:#}",
                visible(&step_words(&session.steps[edit], paths))
            );
        }
        match session.gone_at((step, at)) {
            Some(gone) => {
                let words = visible(&step_words(&session.steps[gone], paths));
                let _ = writeln!(out, "  {LOST}no longer in context after step {gone}: {words}{LOST:#}");
            }
            None => {
                let _ = writeln!(out, "  still in context at the end");
            }
        }
    }
    for (_, given) in session.everything().filter(|(_, given)| given.how == How::Unknown) {
        let _ = writeln!(out, "\n{WARNING}not in the record: {}{WARNING:#}", visible(&given.name));
    }
    for problem in &session.problems {
        let _ = writeln!(out, "{WARNING}{}{WARNING:#}", visible(problem));
    }
    out
}

/// What a session holds, against what it would be told now.
fn difference(session: &Session, defaults: &Defaults, ask: crate::engine::audit::Ask, paths: &Paths) -> String {
    let mut out = String::new();
    let Some(now) = Now::of(session, defaults, ask) else {
        let _ = writeln!(out, "\n{WARNING}what this version would be told now is not known{WARNING:#}");
        return out;
    };
    let held = session.held_after(session.steps.len().saturating_sub(1));
    let mut differs = false;
    for place in held {
        let given = session.given(place);
        let standing = now.standing(session, place);
        if standing.same != Some(false) {
            continue;
        }
        differs = true;
        let name = given.path.as_deref().map_or_else(|| given.name.clone(), |path| paths.path(path));
        let _ = writeln!(out, "\n{BOLD}{}{BOLD:#}", visible(&name));
        let before = given.text.as_deref().unwrap_or_default();
        match now.text(session, place) {
            None => {
                let _ = writeln!(out, "  {LOST}not sent now{LOST:#}");
            }
            Some(text) => {
                crate::text::line_difference(before.trim_end(), text.trim_end()).iter().for_each(|(mark, line)| {
                    let style = if *mark == '-' { LOST } else { GOOD };
                    let _ = writeln!(out, "  {style}{mark} {}{style:#}", visible(line));
                })
            }
        }
    }
    if !differs {
        let _ = writeln!(out, "\nwhat it holds is what it would be told now");
    }
    out
}
