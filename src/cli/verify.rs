//! `briefing verify`: asks the user's own client, and says whether it sends what Briefing says.

use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::audit::{Since, parse_time};
use super::show::{Disk, answer, installed, print_styled, questions, say, write};
use super::whom::{Format, Whom, exists, here};
use super::{FINDINGS, Failure, MISUSE, redact, states};
use crate::answer::{Answer, Fidelity, MessageKind, Resolution};
use crate::disk::{Filesystem, Real};
use crate::harness::choice::AUTO;
use crate::harness::{self, Choice};
use crate::queries::installed::Installed::Version;
use crate::report::briefing::uncertainty;
use crate::report::case::{case, observed};
use crate::report::escape;
use crate::request::{Defaults, OneOrMany, Places};
use crate::snapshot::{FileType, absolute};
use crate::verify::client::{self, Client};
use crate::verify::difference::{Difference, Verdict, compare};
use crate::verify::remembered::{self, Pass};
use crate::verify::{self, Installed, Outcome, Plan, Said, Scratch, Way, Where, suite};

mod records;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing verify                          each of your agents, at the start of a session here
  briefing verify codex                    Codex alone
  briefing verify opencode src/main.rs     when it reads src/main.rs
  briefing verify codex --suite            all that Codex is known by; remembered if every answer is equal
  briefing verify codex --case wrong.case  and write down what differs, to attach it to a report
  briefing verify --records                compare what recorded sessions were told; nothing is run";

/// Arguments of `briefing verify`.
#[derive(Args)]
pub(super) struct Verify {
    /// The agent, as ID or ID@VERSION, and the file that the agent reads; without the one those that are used here and
    /// installed, without the other the start of a session
    #[arg(value_name = "ID[@VERSION]] [FILE", num_args = 0..=2)]
    what: Vec<String>,
    #[command(flatten)]
    whom: Whom,
    /// The program to ask [default: the command of the agent on PATH]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Do not ask before a program is run
    #[arg(long, short)]
    yes: bool,
    /// How long a client may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Write what a difference rests on into FILE, with the text of the client
    #[arg(long, value_name = "FILE")]
    case: Option<PathBuf>,
    /// Ask the questions that the client is known by, in the place of one about this workspace, and remember it if
    /// every answer is equal
    #[arg(long, conflicts_with = "case")]
    suite: bool,
    /// Compare recorded sessions of this project with what Briefing says; no program is run
    #[arg(long, conflicts_with_all = ["program", "suite", "yes"])]
    records: bool,
    /// Compare sessions that went on in that time: 90m, 12h, 7d, all
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = parse_time, requires = "records")]
    since: Since,
    /// Compare sessions of every project, not only of this one
    #[arg(long, requires = "records")]
    all_projects: bool,
    /// How to print what came of the comparison
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "records")]
    format: Format,
    /// Ask on the copy, without a root of its own, as systems without namespaces do
    #[arg(long, hide = true)]
    on_copy: bool,
    /// Ask on standard input what is to be asked, in namespaces that were made for it
    #[arg(long, hide = true)]
    inside: bool,
}

/// A client that is to be asked.
struct Asked {
    client: &'static Client,
    title: String,
    program: Installed,
    answer: Resolution,
}

/// Asks one client after the other.
pub(super) fn run(arguments: &Verify) -> Result<ExitCode, Failure> {
    let answers = |choice: &Choice, at: &_| answer(&Real, choice, at);
    if arguments.inside {
        return verify::inside(&answers).map(|()| ExitCode::SUCCESS).map_err(Failure::Misuse);
    }
    if arguments.records {
        return records::run(arguments);
    }
    if arguments.whom.home.no_home {
        return Err("--no-home: a client is asked with its settings; leave it out, or name another home with --home"
            .to_owned()
            .into());
    }
    let asked = whom(arguments)?;
    let expected = if arguments.on_copy { Where::Copy } else { verify::expected_place() };
    if !arguments.yes && !agreed(&asked, expected)? {
        return Err("nothing was run".to_owned().into());
    }
    verify::on_signals();
    // Only now may a program be run.
    let place = if expected == Where::OwnRoot { verify::place() } else { expected };
    if place != expected {
        say("this system lets no namespaces be made; it is asked on the copy instead");
    }
    let mut worst = 0;
    for one in &asked {
        let ask = if arguments.suite { whole_suite } else { one_client };
        let code = ask(one, place, arguments, &answers)?;
        worst = worst.max(code);
    }
    Ok(ExitCode::from(worst))
}

/// Returns the clients to ask, with Briefing's own answers.
fn whom(arguments: &Verify) -> Result<Vec<Asked>, Failure> {
    let (harness, file) = named(&arguments.what);
    let (cwd, mut defaults) = arguments.whom.standing()?;
    let env = defaults.env.clone();
    // The version is that of the program that is named, and not of one that is found elsewhere.
    if let Some(dir) =
        arguments.program.as_ref().and_then(|program| absolute(&cwd, program).parent().map(Path::to_owned))
    {
        Arc::make_mut(&mut defaults.env).insert("PATH".to_owned(), dir.display().to_string());
    }
    let mut request = arguments.whom.request();
    if let Some(harness) = harness {
        request.harness = Some(OneOrMany::One(harness.to_owned()));
    }
    if arguments.suite && file.is_some() {
        return Err("--suite has questions of its own; leave FILE out".to_owned().into());
    }
    if let Some(file) = file {
        exists("FILE", &cwd, Path::new(file))?;
    }
    let places = Places { cwd, target: file.map(PathBuf::from), read_before: Vec::new(), already_loaded: Vec::new() };
    if let Some(asked) = harness {
        check_installed(asked, &places.cwd, &defaults)?;
    }
    let (questions, _) = questions(&Real, &request, &places, defaults)?;
    let path: Vec<PathBuf> = env.get("PATH").map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    let mut asked = Vec::new();
    let mut missing = Vec::new();
    for (choice, standpoint) in &questions {
        match client_of(choice, &path, (&places.cwd, &standpoint.home), arguments) {
            Ok((client, program)) => {
                let answer = answer(&Real, choice, standpoint);
                asked.push(Asked { client, title: choice.title().to_owned(), program, answer });
            }
            Err(why) => missing.push(why),
        }
    }
    // Of the agents that are used here some may not be installed; one that was named has to be.
    if asked.is_empty() || (harness.is_some() && !missing.is_empty()) {
        return Err(missing.join("; ").into());
    }
    Ok(asked)
}

/// Returns an error if another version of the agent is installed than the one that was asked about.
fn check_installed(asked: &str, cwd: &Path, defaults: &Defaults) -> Result<(), String> {
    let Some((id, version)) = asked.split_once('@').filter(|(_, version)| *version != AUTO) else { return Ok(()) };
    let Some(profile) = harness::profile(id) else { return Ok(()) };
    let Version(found, path) = installed(profile, cwd, defaults) else { return Ok(()) };
    // `@0.169` means every 0.169.
    let is_meant =
        found == version || found.strip_prefix(version).is_some_and(|rest| rest.starts_with(['.', '-', '+']));
    match is_meant {
        true => Ok(()),
        false => Err(format!(
            "{asked}: {} {found} is installed ({}), not {version}; verify {id}, or name the program of {version} with --program",
            profile.title,
            path.display()
        )),
    }
}

/// Splits the arguments into agent and file. A single word is an agent if there is one of this name, else a file.
fn named(what: &[String]) -> (Option<&str>, Option<&str>) {
    let is_harness = |word: &str| harness::profile(word.split('@').next().unwrap_or_default()).is_some();
    match what {
        [one] if !is_harness(one) => (None, Some(one)),
        [one, rest @ ..] => (Some(one), rest.first().map(String::as_str)),
        [] => (None, None),
    }
}

/// Returns the root of the repository around a directory, or else the directory itself. A repository that contains the
/// home directory does not count.
fn project_around<'a>(cwd: &'a Path, home: &Path) -> &'a Path {
    let is_repository = |dir: &&Path| Real.lstat(&dir.join(".git")).is_ok();
    cwd.ancestors().find(is_repository).filter(|root| !home.starts_with(root)).unwrap_or(cwd)
}

/// Returns the client of an agent, and the program that is run for it.
fn client_of(
    choice: &Choice,
    path: &[PathBuf],
    (cwd, home): (&Path, &Path),
    arguments: &Verify,
) -> Result<(&'static Client, Installed), String> {
    let (id, title) = (choice.id(), choice.title());
    let client = client::of(id).ok_or_else(|| {
        let known: Vec<&str> = client::ALL.iter().map(|client| client.harness).collect();
        format!("{title} cannot be asked; those that can are {}", known.join(", "))
    })?;
    let command =
        harness::profile(id).and_then(|profile| profile.program.as_ref()).map_or(id, |program| program.command);
    let is_file = |file: &PathBuf| Real.stat(file).is_ok_and(|meta| meta.kind == FileType::File);
    let program = match &arguments.program {
        Some(program) => Some(absolute(cwd, program))
            .filter(is_file)
            .ok_or(format!("--program: there is no file {}", program.display()))?,
        None => {
            let found = path.iter().filter(|dir| dir.is_absolute()).map(|dir| dir.join(command)).find(is_file);
            found.ok_or(format!("{title} is not installed: there is no `{command}` on PATH; name it with --program"))?
        }
    };
    // A program inside the project is run only if the user names it, also if a link leads there. For the same reason
    // the client does not find its `node` or `git` there.
    let project = project_around(cwd, home);
    let is_brought_along = |file: &Path| {
        let real = Real.real_path(file).unwrap_or_else(|_| file.to_owned());
        [file, &real].iter().any(|file| file.starts_with(project))
    };
    if arguments.program.is_none() && is_brought_along(&program) {
        return Err(format!("{} is part of this workspace; name it with --program if you trust it", program.display()));
    }
    let version = choice.claim.running.clone().unwrap_or_default();
    let path = path.iter().filter(|dir| dir.is_absolute() && !is_brought_along(dir)).cloned().collect();
    Ok((client, Installed { program, version, path }))
}

/// Prints what will be run, and asks for consent.
fn agreed(asked: &[Asked], place: Where) -> Result<bool, Failure> {
    let mut words = String::new();
    for one in asked {
        let _ = writeln!(words, "This runs {} ({}{}).", one.program.program.display(), one.title, version(one));
    }
    let how = match place {
        Where::OwnRoot => {
            "without a network, in a root of its own: nothing outside of a scratch directory can be written to; should that fail to be set up, it says so, and runs from the copy with proxies that lead nowhere"
        }
        Where::Copy => {
            "with proxies that lead nowhere, from a copy in a scratch directory; this system has no stronger fence"
        }
    };
    let _ = writeln!(
        words,
        "It gets copies of the instruction and settings files, no credentials, and a model that is none; it runs {how}."
    );
    if !io::stdin().is_terminal() {
        return Err(format!("{words}briefing: pass --yes to run it").into());
    }
    eprint!("{}Go on? [y/N] ", escape::lines(&words));
    let _ = io::stderr().flush();
    let mut said = String::new();
    let read = io::stdin().lock().read_line(&mut said);
    Ok(read.is_ok() && matches!(said.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn version(one: &Asked) -> String {
    if one.program.version.is_empty() { String::new() } else { format!(" {}", one.program.version) }
}

/// Asks one client, prints the result, and returns the exit code.
fn one_client(one: &Asked, place: Where, arguments: &Verify, answers: verify::Answers) -> Result<u8, Failure> {
    let scratch = Scratch::new().map_err(|error| format!("there is no scratch directory: {error}"))?;
    let limit = Duration::from_secs(arguments.timeout);
    let way = Way { client: &one.program, scratch: scratch.dir(), limit, fs: &Real };
    let plan = Plan::of(&one.answer, &way);
    let facts = Disk::over(&Real);
    let lay_out = |moved| plan.lay_out(&one.answer, one.client, moved, (&Real, &facts)).map(drop);
    let outcome = outcome(&plan, place, answers, &lay_out)?;
    let verdict = compare(&outcome.ours, &outcome.theirs);
    print_styled(&describe(one, &outcome, &verdict))?;
    if let (Some(file), Verdict::Different(_)) = (&arguments.case, &verdict) {
        let answers = std::slice::from_ref(&one.answer);
        let mut text = case(answers, &facts, None);
        if let Said::Texts(told) = &outcome.theirs {
            let told = told.iter().map(|told| (told.trigger.as_str(), told.role.as_str(), told.text.as_str()));
            observed(&mut text, told, &plan.harness, &plan.version);
        }
        write(&absolute(&here()?, file), &redact::redacted(&text))?;
    }
    Ok(code_of(&verdict))
}

/// Names the lists that are sent beside the instructions: these are not compared.
fn not_compared(answer: &Answer) -> String {
    let has = |kind: MessageKind| answer.messages.iter().any(|message| message.kind == kind);
    let lists = [(MessageKind::Skills, "skills"), (MessageKind::Agents, "agents")];
    let named: Vec<&str> = lists.into_iter().filter(|(kind, _)| has(*kind)).map(|(_, name)| name).collect();
    if named.is_empty() { String::new() } else { format!("  not compared: what it lists of {}\n", named.join(" and ")) }
}

/// Returns the exit code for a verdict.
fn code_of(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Equal(..) | Verdict::BothRefuse => 0,
        Verdict::Different(_) => FINDINGS,
        Verdict::Unheard(_) => MISUSE,
    }
}

/// Asks a client in `place`. If its own root cannot be set up after all, asks on the copy.
fn outcome(
    plan: &Plan,
    place: Where,
    answers: verify::Answers,
    lay_out: &dyn Fn(bool) -> io::Result<()>,
) -> Result<Outcome, String> {
    let lay_out = |moved| lay_out(moved).map_err(|error| format!("the copy cannot be laid out: {error}"));
    lay_out(place == Where::Copy)?;
    match verify::ask(plan, place, answers) {
        Err(why) if place == Where::OwnRoot => {
            say(&format!("{why}; it is asked on the copy instead"));
            lay_out(true)?;
            verify::ask(plan, Where::Copy, answers)
        }
        outcome => outcome,
    }
}

/// Asks all questions by which a client is known, prints those that are not equal, and remembers a full pass.
fn whole_suite(one: &Asked, place: Where, arguments: &Verify, answers: verify::Answers) -> Result<u8, Failure> {
    let (mut asked, mut equal, mut worst) = (0, 0, 0);
    let limit = Duration::from_secs(arguments.timeout);
    for case in suite::of(one.client.harness) {
        let world = case.world();
        for question in &world.questions {
            let scratch = Scratch::new().map_err(|error| format!("there is no scratch directory: {error}"))?;
            let way = Way { client: &one.program, scratch: scratch.dir(), limit, fs: &Real };
            let plan = Plan::of_case(&one.answer, &world, question, &way);
            let outcome = outcome(&plan, place, answers, &|moved| plan.lay_out_case(&world, moved))?;
            let verdict = compare(&outcome.ours, &outcome.theirs);
            asked += 1;
            let code = code_of(&verdict);
            if code == 0 {
                equal += 1;
            } else {
                print_styled(&format!("{}: {}", case.name, describe(one, &outcome, &verdict)))?;
            }
            worst = worst.max(code);
        }
    }
    let env = &one.answer.standpoint.env;
    let version = &one.program.version;
    let is_known = worst == 0 && !version.is_empty();
    let date = one.answer.standpoint.surroundings.date;
    let pass = is_known.then(|| Pass::of(&one.program.program, version, date, asked)).transpose();
    let state = states(env);
    pass.and_then(|pass| remembered::remember(&state, one.client.harness, pass))
        .map_err(|error| Failure::unwritten(&state.display().to_string(), &error))?;
    let after = match (worst, is_known) {
        (0, true) => "; from now on its answers read: exact, verified on this machine",
        (0, false) => "; its version is not known, so this is not remembered",
        _ => "",
    };
    print_styled(&format!("{}{}: {equal} of {asked} questions equal{after}\n", one.title, self::version(one)))?;
    Ok(worst)
}

/// Describes the outcome of one question in words.
fn describe(one: &Asked, outcome: &Outcome, verdict: &Verdict) -> String {
    let lists = match verdict {
        Verdict::Equal(..) => not_compared(&one.answer.answer),
        _ => String::new(),
    };
    let who = format!("{}{}", one.title, version(one));
    let seconds = outcome.millis as f64 / 1000.0;
    match verdict {
        Verdict::Equal(0, _) => format!("{who}: equal, neither has any instructions ({seconds:.1} s)\n{lists}"),
        Verdict::Equal(messages, bytes) => {
            let plural = if *messages == 1 { "" } else { "s" };
            format!("{who}: equal, {messages} message{plural} of {bytes} bytes ({seconds:.1} s)\n{lists}")
        }
        Verdict::BothRefuse => format!("{who}: equal, it does not start here, as Briefing says ({seconds:.1} s)\n"),
        Verdict::Different(Difference { at, ours, theirs }) => {
            // A difference is no surprise where the answer is not called exact.
            let doubt = match one.answer.fidelity {
                Fidelity::Exact => String::new(),
                Fidelity::Unchecked | Fidelity::Files => {
                    format!("  Briefing does not call it exact: {}\n", uncertainty(&one.answer))
                }
            };
            format!("{who}: differs in {at}\n  Briefing  {ours}\n  client    {theirs}\n{doubt}")
        }
        Verdict::Unheard(why) => format!("{who}: could not be compared; {why}\n"),
    }
}
