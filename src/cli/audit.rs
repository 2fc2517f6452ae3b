//! `briefing audit`: what recorded sessions were told, when, and what of it was still in context.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use jiff::{SignedDuration, Timestamp};

use super::show::{answer, print, print_styled, print_words};
use super::whom::{Format, directory, here};
use super::{FINDINGS, Failure, UNKNOWN, defaults};
use crate::answer::Standpoint;
use crate::disk::{Filesystem, Real};
use crate::engine::audit::{
    Ask, Listed, Now, RUNNING, Wanted, audited, homes, list as audit_list, only, places_of, sessions,
};
use crate::engine::expect::recorded::{Judgement, Verdict, demanded};
use crate::engine::held;
use crate::engine::settings::Settings;
use crate::records::CLIENTS;
use crate::records::audit::{Audits, Texts};
use crate::report::words::{Paths, list};
use crate::request::Defaults;

mod screen;

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
    /// When a text reached the session, or the latest one of each agent, and whether it is still in context; exit 1 if
    /// it did not, 4 if the record does not say
    #[arg(long, value_name = "TEXT", value_parser = parse_text)]
    why: Option<String>,
    /// What the session, or the latest one, holds against what it would be told now
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

/// Maximum age of sessions; `None` for any age.
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

fn parse_text(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("say which text".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

pub(super) fn parse_agent(text: &str) -> Result<String, String> {
    let known: Vec<&str> = CLIENTS.iter().map(|client| client.agent).collect();
    if known.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("no records of `{text}` are read; those of {} are", list(&known)))
}

/// Finds the sessions, and prints what they were told.
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
    let found = sessions(&homes(&defaults), &wanted);
    let paths = Paths::from(&Standpoint::plain(&cwd, &defaults.home, defaults.env.clone()), None);
    let is_one = is_named || arguments.last || arguments.why.is_some() || arguments.diff;
    if !is_one && !arguments.expect {
        let audits = audit_list(&found, &defaults, &ask);
        return match arguments.format {
            Format::Json => print_words(&Audits { sessions: audits }),
            Format::Text if audits.is_empty() => {
                print_styled(&screen::nothing(&paths.text(&nothing(arguments, &project))))
            }
            Format::Text => print_styled(&screen::table(&audits, arguments.all_projects, now, &paths)),
        }
        .map(|()| ExitCode::SUCCESS);
    }
    let chosen = if is_one { chosen(&found, arguments, &project)? } else { found.iter().collect() };
    if arguments.expect {
        return expected(&chosen, arguments, &cwd, &defaults, &ask, &paths);
    }
    if let Some(text) = &arguments.why {
        return reached(&chosen, text, arguments, &defaults, &ask, &paths);
    }
    let (session, mut audit) = audited(chosen[0], &defaults, Texts::Hidden, &ask)?;
    if arguments.diff {
        audit.changes = Now::of(&session, &defaults, &ask).map(|now| held::changes(&session, &now));
    }
    match arguments.format {
        Format::Json => print_words(&Audits { sessions: vec![audit] })?,
        Format::Text if arguments.diff => print_styled(&screen::difference(&session, &audit, &paths))?,
        Format::Text => print_styled(&screen::timeline(&session, &audit, &paths))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the session with the name that was given; without a name the latest one, and for `--why` the latest one of
/// each agent.
fn chosen<'a>(found: &'a [Listed], arguments: &Arguments, project: &Path) -> Result<Vec<&'a Listed>, String> {
    let is_own = |one: &&Listed| one.head.parent.is_none();
    if let Some(name) = &arguments.session {
        let is_it = |one: &&Listed| one.head.id.as_deref() == Some(name) || one.found.file == Path::new(name);
        let begins = |one: &&Listed| one.head.id.as_deref().is_some_and(|id| id.starts_with(name.as_str()));
        let begin: Vec<&Listed> = found.iter().filter(begins).collect();
        let own: Vec<&Listed> = begin.iter().copied().filter(is_own).collect();
        let one = found.iter().find(is_it).or(if let [one] = own[..] { Some(one) } else { None });
        return match (one, &begin[..]) {
            (Some(one), _) => Ok(vec![one]),
            (None, [one]) => Ok(vec![*one]),
            (None, []) => Err(nothing(arguments, project)),
            (None, several) => {
                let names = several
                    .iter()
                    .take(5)
                    .map(|one| format!("{} of {}", one.head.id.as_deref().unwrap_or_default(), one.found.agent));
                let more = several.len().saturating_sub(5);
                let names: Vec<String> = names.chain((more > 0).then(|| format!("{more} more"))).collect();
                Err(format!("more than one session begins like that: {}", list(&names)))
            }
        };
    }
    let mut latest: Vec<&Listed> = found.iter().filter(is_own).filter(|one| one.found.problem.is_none()).collect();
    if arguments.last || arguments.why.is_none() {
        latest.truncate(1);
    } else {
        let mut agents = Vec::new();
        latest.retain(|one| {
            !agents.contains(&one.found.agent) && {
                agents.push(one.found.agent);
                true
            }
        });
    }
    if latest.is_empty() { Err(nothing(arguments, project)) } else { Ok(latest) }
}

/// Prints when a text reached the sessions.
fn reached(
    chosen: &[&Listed],
    text: &str,
    arguments: &Arguments,
    defaults: &Defaults,
    ask: Ask,
    paths: &Paths,
) -> Result<ExitCode, Failure> {
    let (mut out, mut audits, mut code) = (Vec::new(), Vec::new(), ExitCode::SUCCESS);
    let mut is_missing = false;
    for one in chosen {
        let (session, audit) = audited(one, defaults, Texts::Shown, ask)?;
        let places = places_of(&session, text);
        if places.is_empty() && session.has_gaps() && !is_missing {
            code = ExitCode::from(UNKNOWN);
        } else if places.is_empty() {
            (is_missing, code) = (true, ExitCode::from(FINDINGS));
        }
        out.push(screen::reached(&session, &audit, &places, text, paths));
        audits.push(only(&session, audit, &places));
    }
    match arguments.format {
        Format::Json => print_words(&Audits { sessions: audits })?,
        Format::Text => {
            let is_told = arguments.session.is_some() || arguments.last;
            print_styled(&(out.join("\n") + &if is_told { String::new() } else { screen::latest() }))?;
        }
    }
    Ok(code)
}

/// Judges sessions by the expectations of the project, and prints the verdicts.
fn expected(
    found: &[&Listed],
    arguments: &Arguments,
    cwd: &Path,
    defaults: &Defaults,
    ask: Ask,
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
        out.push_str(&screen::judged(&audit, &judged, paths));
        let of_one = judged.iter().map(|one| {
            serde_json::json!({ "id": one.id, "verdict": format!("{:?}", one.verdict).to_lowercase(), "why": one.why })
        });
        let of_one: Vec<_> = of_one.collect();
        json.push(serde_json::json!({ "id": audit.id, "agent": audit.agent, "expectations": of_one }));
    }
    match arguments.format {
        Format::Json => print_words(&serde_json::json!({ "sessions": json }))?,
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

fn nothing(arguments: &Arguments, project: &Path) -> String {
    if let Some(name) = &arguments.session {
        return format!("no session is called `{name}`; `briefing audit --all-projects --since all` lists them");
    }
    let place = if arguments.all_projects { String::new() } else { format!(" in {}", project.display()) };
    let further = match (arguments.since.0.is_some() || arguments.running, arguments.all_projects) {
        (true, false) => "; --since all and --all-projects look further",
        (true, true) => "; --since all looks further",
        (false, false) => "; --all-projects looks further",
        (false, true) => "",
    };
    let time = if arguments.since.0.is_some() || arguments.running { " in that time" } else { "" };
    format!("no recorded session{place}{time}{further}")
}
