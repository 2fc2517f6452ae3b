//! `briefing show`: what each agent is told before it reads a file. Also answers and prints for other commands.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::whom::{Home, directory, exists, here};
use super::{Failure, lines, redact, screen, words};
use crate::answer::{Fidelity, Resolution, Standpoint, Tool};
use crate::disk::{self, Buffers, Filesystem, Real};
use crate::harness::custom::{self, Customs};
use crate::harness::{self, Choice, Profile};
use crate::queries::declarations::Declarations;
use crate::queries::installed::{Installed, InstalledVersion};
use crate::queries::neighbour::Neighbour;
use crate::queries::roster::{ALL_OF_THEM, MINE, Reasons, Roster};
use crate::query::{self, Query};
use crate::remote::{self, Reach};
use crate::report::briefing::{self, Effective, Include};
use crate::report::case::case;
use crate::report::credentials::{starred, starred_json};
use crate::report::escape;
use crate::report::judged::{self, Judged, judged, sentence};
use crate::report::preview;
use crate::report::words::list;
use crate::request::{Defaults, OneOrMany, Places, Request};
use crate::resolve::{Outcome, resolve};
use crate::search::Secrets;
use crate::snapshot::{Ask, Errno, Fact, Facts, FileType, Snapshot, absolute};

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing show                                    the start of a session here
  briefing show src/main.rs                        the agent reads src/main.rs
  briefing show src/main.rs --agents codex,opencode@1.1
  briefing show --cwd packages/api                 the agent is started in packages/api
  briefing show --agents codex --format prompt     the exact text, and nothing else
  briefing show --agents codex --why               every path that Codex looks for";

/// Arguments of `briefing show`.
#[derive(Args)]
pub(super) struct Show {
    /// The file the agent would read, relative to where it is started; without it, the start of a session is shown
    file: Option<PathBuf>,
    /// Only these agents, or these versions of them: codex,opencode@1.1,claude-code@auto; mine: those that are used
    /// here (the default); all: every one; may be repeated
    #[arg(long = "agents", visible_alias = "harness", value_name = "ID[@VERSION]|mine|all", value_delimiter = ',')]
    harness: Vec<String>,
    /// The version of agents that are named without one [default: auto, and newest where none is installed]
    #[arg(long = "rules", alias = "edition", value_enum)]
    edition: Option<Editions>,
    /// Where the agent is started [default: the working directory]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    home: Home,
    /// The kind of session: main, subagent, cron, group, local
    #[arg(long, value_name = "KIND")]
    session: Option<String>,
    /// The kind of sub-agent, or the agent that answers
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The tool with which the agent reaches the file: read, edit, write, shell, mention
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// FILE does not exist yet: the agent is about to create it
    #[arg(long, requires = "file")]
    new: bool,
    /// A file that was read earlier in the session, relative to where it is started; may be repeated, in order. What
    /// came with it is worked out
    #[arg(long, value_name = "FILE")]
    read: Vec<PathBuf>,
    /// A file whose text is in the context already, relative to where the agent is started; may be repeated
    #[arg(long, value_name = "FILE")]
    already: Vec<PathBuf>,
    /// Fetch the texts behind the URLs that instructions name; without this nothing is fetched
    #[arg(long)]
    fetch: bool,
    /// With --fetch: let URLs name and lead to this machine and its own network
    #[arg(long, requires = "fetch")]
    fetch_private: bool,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// With --format prompt: only the Nth message of the one agent that is asked
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    message: Option<u16>,
    /// With --format prompt: only the texts of instruction files, as they are sent, or every layer behind a line of its
    /// own: prompts, environment, lists of skills, reminders; of the client's own texts their names and sizes [default:
    /// all; with --message instructions]
    #[arg(
        long = "only",
        alias = "layers",
        value_enum,
        value_name = "LAYERS",
        hide_default_value = true,
        conflicts_with = "message"
    )]
    layers: Option<Layers>,
    /// Show what settings take from variables and secret files also in paths, reasons and the list of variables, for
    /// your own eyes
    #[arg(long, conflicts_with = "redact")]
    reveal: bool,
    /// Print every file that is considered, with its reason
    #[arg(long, short)]
    verbose: bool,
    /// The same, with every path that is looked for, in order, and the rule behind it
    #[arg(long)]
    why: bool,
    /// Write the files and variables that the answers rest on into FILE, to report a wrong answer with
    #[arg(long, value_name = "FILE")]
    case: Option<PathBuf>,
    /// More fields of the request as JSON: promptMode, agent, model, options …
    #[arg(long, value_name = "JSON")]
    request: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Editions {
    /// The newest that Briefing knows
    Newest,
    /// That of the version which is installed, looked up on PATH and in package folders
    Auto,
}

impl Editions {
    /// Applies the choice of an option to the defaults.
    pub fn set(chosen: Option<Editions>, defaults: &mut Defaults) {
        defaults.installed.auto = chosen != Some(Editions::Newest);
        defaults.installed.unasked = chosen.is_none();
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Layers {
    /// The texts of instruction files
    Instructions,
    /// Everything that is known
    All,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// The answer as other programs read it
    Json,
    /// The exact text that the model gets, and nothing else
    Prompt,
}

/// Answers the question, prints the answer, and exits with 0 whatever the answer is.
pub(super) fn run(show: &Show) -> Result<ExitCode, Failure> {
    let here = here()?;
    let mut request = request(show)?;
    let cwd = directory("--cwd", show.cwd.as_deref(), &here)?.unwrap_or_else(|| here.clone());
    // Paths are relative to where the agent is started, as the file is that it would read.
    let mut defaults = show.home.defaults(&cwd)?;
    for (option, files) in [("--read", &show.read), ("--already", &show.already)] {
        files.iter().try_for_each(|file| exists(option, &cwd, file))?;
    }
    if show.message.is_some() && !matches!(show.format, Format::Prompt) {
        return Err("--message selects a message of --format prompt; add that".to_owned().into());
    }
    if show.layers.is_some() && !matches!(show.format, Format::Prompt) {
        return Err("--only selects what --format prompt prints; add that".to_owned().into());
    }
    let asked = show.file.as_deref().map(|file| target(show, &cwd, file)).transpose()?;
    let (target, is_new) = asked.unzip();
    // What does not exist cannot be read: the agent creates it.
    if is_new == Some(true) && request.tool.is_none() {
        request.tool = Some(Tool::Write.word().to_owned());
    }
    let (read_before, already_loaded) = (show.read.clone(), show.already.clone());
    let places = Places { cwd, target, read_before, already_loaded };
    Editions::set(show.edition, &mut defaults);
    let files = Buffers::over(Real);
    let secrets = if show.reveal { Secrets::Shown } else { Secrets::Hidden };
    let mut found = asked_showing(secrets, &files, &request, &places, defaults.clone())?;
    without_effect(show, &request, &found.answers, |request| {
        Ok(asked_showing(secrets, &files, request, &places, defaults.clone())?.answers)
    })?;
    let reach = if show.fetch_private { Reach::Anywhere } else { Reach::Public };
    if show.fetch && fetch(&files, &found.answers, reach) {
        found = asked_showing(secrets, &files, &request, &places, defaults)?;
    }
    let Asked { answers, problems, judged } = found;
    // A harness that is declared wrongly does not keep the others from answering.
    for problem in &problems {
        say(&problem.to_string());
    }
    if let Some(file) = &show.case {
        let text = case(&answers, &observed(&files, &answers), show.request.as_deref());
        write(&here.join(file), &redact::redacted(&text))?;
    }
    match show.format {
        Format::Json => {
            let include = Include { text: true, trace: show.why };
            let briefings = answers.iter().map(|answer| briefing::briefing(answer, include)).collect();
            print_json(&Effective { version: 1, judged, briefings })?;
        }
        Format::Prompt => {
            let instructions = show.layers == Some(Layers::Instructions) || show.message.is_some();
            let text = match (answers.as_slice(), show.message) {
                (answers, None) if !instructions => preview::layers(answers),
                ([answer], message) => preview::exact(answer, message.map(usize::from))?,
                (_, None) => preview::prompt(&answers),
                (_, Some(_)) => return Err("--message: name one agent with --agents".to_owned().into()),
            };
            if judged.iter().any(|one| one.because != judged::NAMED_BY_USER) {
                say(&sentence(&judged));
            }
            uncertain(&answers);
            print(&text)?;
        }
        Format::Text if show.verbose || show.why => {
            let is_named = |spec: &String| ![MINE, ALL_OF_THEM].contains(&spec.as_str());
            let text = words::of_all(&answers, show.why, !show.harness.iter().any(is_named));
            print_screen(&format!("{}{text}", screen::judged(&judged, lines::width())))?;
        }
        Format::Text => {
            let (others, width) = (others(&request, &answers), lines::width());
            let text = screen::of_all(&answers, others, width);
            print_styled(&format!("{}{text}", screen::judged(&judged, width)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Name of the file that the agent is assumed to create in a directory without other files.
const NEW_FILE: &str = "new-file";

/// Returns the file that the agent reaches, and true if it is new. For a directory, returns a file in it or below it.
fn target(show: &Show, cwd: &Path, file: &Path) -> Result<(PathBuf, bool), Failure> {
    let path = absolute(cwd, file);
    match Real.stat(&path).map(|meta| meta.kind) {
        Ok(FileType::Dir) => {
            let Some(inside) = found(&Real, &Neighbour::within(&path)) else {
                let target = file.join(NEW_FILE);
                let (dir, name) = (file.display(), target.display());
                say(&format!("{dir} is a directory with no file but instructions; this is for creating {name}"));
                return Ok((target, true));
            };
            let target = file.join(inside);
            say(&format!("{} is a directory; this is for reading {} in it", file.display(), target.display()));
            Ok((target, false))
        }
        Err(Errno::NOENT) if !show.new => {
            let problem = format!("{} does not exist; --new asks about a file that the agent creates", path.display());
            Err(problem.into())
        }
        _ => Ok((file.to_owned(), show.new)),
    }
}

/// Reports each option that chooses an agent or a kind of session but makes no difference for some of the agents.
fn without_effect(
    show: &Show,
    request: &Request,
    answers: &[Resolution],
    ask: impl Fn(&Request) -> Result<Vec<Resolution>, String>,
) -> Result<(), Failure> {
    let without_agent = show.agent.as_ref().map(|name| ("--agent", name, Request { agent: None, ..request.clone() }));
    let is_other = |kind: &&String| kind.as_str() != "main";
    let session = show.session.as_ref().filter(is_other);
    let without_session = session.map(|kind| ("--session", kind, Request { session: None, ..request.clone() }));
    for (option, value, request) in [without_agent, without_session].into_iter().flatten() {
        let plain = ask(&request)?;
        let same = answers.iter().zip(&plain).filter(|(with, without)| {
            with.harness == without.harness && with.answer.messages == without.answer.messages
        });
        let titles: Vec<&str> = same.map(|(with, _)| with.title.as_str()).collect();
        if !titles.is_empty() {
            let choice =
                if option == "--agent" && harness::profile(value).is_some() { "; --agents chooses agents" } else { "" };
            say(&format!("{option} {value} makes no difference for {}{choice}", list(&titles)));
        }
    }
    Ok(())
}

/// Builds the request from the options, on top of the one in JSON.
fn request(show: &Show) -> Result<Request, Failure> {
    let mut request: Request = match &show.request {
        Some(json) => Request::from_json(json).map_err(|problem| format!("--request: {problem}"))?,
        None => Request::default(),
    };
    if !show.harness.is_empty() {
        request.harness = Some(OneOrMany::Many(show.harness.clone()));
    }
    request.session = show.session.clone().or(request.session);
    request.agent = show.agent.clone().or(request.agent);
    request.tool = show.tool.clone().or(request.tool);
    Ok(request)
}

/// Reports on standard error why the texts may differ from those that the model gets.
fn uncertain(answers: &[Resolution]) {
    for answer in answers {
        if let Some(refusal) = &answer.answer.refusal {
            say(&format!("{} does not start: {}", answer.title, refusal.message));
        } else if answer.fidelity != Fidelity::Exact {
            say(&format!("the text for {} is not exact: {}", answer.title, briefing::uncertainty(answer)));
        }
    }
}

/// Fetches every URL that an answer depends on, once. Returns true if there is any.
fn fetch(files: &Buffers, answers: &[Resolution], reach: Reach) -> bool {
    let urls: BTreeSet<&str> = answers.iter().flat_map(Resolution::urls).collect();
    let urls: Vec<String> = urls.into_iter().map(str::to_owned).collect();
    for (url, remote) in urls.iter().zip(remote::fetch(&urls, remote::TIME_LIMIT, reach)) {
        files.keep(url, remote);
    }
    !urls.is_empty()
}

/// Returns the number of agents that were not asked, if the user named none; else 0.
fn others(request: &Request, answers: &[Resolution]) -> usize {
    let asked = |id: &str| answers.iter().any(|answer| answer.harness == id);
    harness::ALL.iter().filter(|profile| request.harness.is_none() && !asked(profile.id)).count()
}

/// Result of a request.
pub(super) struct Asked {
    /// Answers, one for each agent.
    pub answers: Vec<Resolution>,
    /// Problems of the custom agents that are declared.
    pub problems: Vec<custom::Problem>,
    /// Agents that were asked, each with the reason.
    pub judged: Vec<Judged>,
}

/// Answers a request from the files of `fs`.
pub(super) fn asked(
    fs: &dyn Filesystem,
    request: &Request,
    places: &Places,
    defaults: Defaults,
) -> Result<Asked, String> {
    asked_showing(Secrets::Hidden, fs, request, places, defaults)
}

/// Answers a request; `secrets` sets whether secret values are shown.
fn asked_showing(
    secrets: Secrets,
    fs: &dyn Filesystem,
    request: &Request,
    places: &Places,
    defaults: Defaults,
) -> Result<Asked, String> {
    let Chosen { mut questions, problems, roster } = questions_and_roster(fs, request, places, defaults)?;
    questions.iter_mut().for_each(|(_, standpoint)| standpoint.secrets = secrets);
    let answers: Vec<_> = questions.iter().map(|(choice, standpoint)| answer(fs, choice, standpoint)).collect();
    let judged = judged(&answers, roster.as_deref());
    Ok(Asked { answers, problems, judged })
}

/// Agents to ask, each with its standpoint.
pub(super) type Questions = Vec<(Choice, Standpoint)>;

/// Returns the questions of a request, and the problems of the custom agents that are declared.
pub(super) fn questions(
    fs: &dyn Filesystem,
    request: &Request,
    places: &Places,
    defaults: Defaults,
) -> Result<(Questions, Vec<custom::Problem>), String> {
    let Chosen { questions, problems, .. } = questions_and_roster(fs, request, places, defaults)?;
    Ok((questions, problems))
}

/// Questions, and how they were chosen.
struct Chosen {
    questions: Questions,
    /// Problems of declarations.
    problems: Vec<custom::Problem>,
    /// The roster that chose the agents, if none was named.
    roster: Option<Arc<Roster>>,
}

/// Returns what a request asks, with the roster that chose the agents.
fn questions_and_roster(
    fs: &dyn Filesystem,
    request: &Request,
    places: &Places,
    mut defaults: Defaults,
) -> Result<Chosen, String> {
    let customs = customs(fs, &places.cwd);
    let problems = customs.problems.clone();
    defaults.customs = Arc::new(customs);
    let wants_roster = request.wants_roster(&defaults);
    if wants_roster {
        defaults.roster = Arc::new(roster(&places.cwd, &defaults));
    }
    for profile in request.to_look_up(&defaults) {
        let found = installed(profile, &places.cwd, &defaults);
        defaults.installed.found.insert(profile.id.to_owned(), found);
    }
    let questions = request.questions(&defaults, places)?;
    Ok(Chosen { questions, problems, roster: wants_roster.then_some(defaults.roster) })
}

/// Returns the custom agents that the workspace around `cwd` declares.
pub(super) fn customs(fs: &dyn Filesystem, cwd: &Path) -> Customs {
    Customs::of(found(fs, &Declarations::of(cwd)).as_ref(), &toml::Table::new())
}

/// Returns the agents that are used in `cwd`.
pub(super) fn roster(cwd: &Path, defaults: &Defaults) -> Roster {
    let found = found(&Real, &Reasons::of(cwd, &defaults.home, &defaults.env));
    Roster::of(&found, &defaults.customs, &defaults.editor)
}

/// Returns the installed version of an agent, as seen by an agent that is started in `cwd`.
pub(super) fn installed(profile: &Profile, cwd: &Path, defaults: &Defaults) -> Installed {
    found(&Real, &InstalledVersion::of(profile, cwd, &defaults.home, &defaults.env))
}

/// Returns the result of a query.
fn found<Q: Query>(fs: &dyn Filesystem, query: &Q) -> Q::Out {
    match query::run(&Disk::over(fs), query) {
        Outcome::Answer(found) => found.value,
        Outcome::Pending(_) => unreachable!("the disk tells everything"),
    }
}

/// Answers a question. Reads only the facts that the answer depends on.
pub(super) fn answer(fs: &dyn Filesystem, choice: &Choice, standpoint: &Standpoint) -> Resolution {
    match resolve(&Disk::over(fs), choice, standpoint) {
        Outcome::Answer(resolution) => *resolution,
        Outcome::Pending(_) => unreachable!("the disk tells everything"),
    }
}

/// The disk as facts. Each fact is read when it is first asked for, and only once.
pub(super) struct Disk<'a> {
    fs: &'a dyn Filesystem,
    seen: RefCell<Snapshot>,
}

impl Disk<'_> {
    pub fn over(fs: &dyn Filesystem) -> Disk<'_> {
        Disk { fs, seen: RefCell::default() }
    }
}

impl Facts for Disk<'_> {
    fn told(&self, ask: &Ask) -> Option<Fact> {
        let seen = self.seen.borrow().told(ask);
        Some(seen.unwrap_or_else(|| {
            let fact = disk::observe(self.fs, ask);
            self.seen.borrow_mut().tell(ask.clone(), fact.clone());
            fact
        }))
    }

    fn is_told(&self, _: &Ask) -> bool {
        true
    }
}

/// Reads once more the facts that answers depend on.
fn observed(fs: &dyn Filesystem, answers: &[Resolution]) -> Snapshot {
    let mut snapshot = Snapshot::default();
    answers.iter().flat_map(Resolution::depends).for_each(|ask| snapshot.tell(ask.clone(), disk::observe(fs, ask)));
    snapshot
}

/// Writes the file that the user named. Writes beside it first and then renames, so that nobody finds half of it.
/// Anything that is not a regular file, such as a pipe or a terminal, is written to directly.
#[expect(clippy::disallowed_methods, reason = "the command line writes what the user asks it to write")]
pub(super) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let is_regular = std::fs::metadata(file).map_or(true, |meta| meta.is_file());
    let written = match std::fs::canonicalize(file).as_deref().unwrap_or(file) {
        place if is_regular => {
            let name = place.file_name().unwrap_or_default().to_string_lossy();
            let beside = place.with_file_name(format!(".{name}.{}.new", std::process::id()));
            let permissions = std::fs::metadata(place).map(|meta| meta.permissions());
            let written = std::fs::write(&beside, text)
                .and_then(|()| permissions.map_or(Ok(()), |permissions| std::fs::set_permissions(&beside, permissions)))
                .and_then(|()| std::fs::rename(&beside, place));
            if written.is_err() {
                let _ = std::fs::remove_file(&beside);
            }
            // Where only the file itself may be written to, that is done.
            match written.as_ref().map_err(std::io::Error::kind) {
                Err(ErrorKind::PermissionDenied | ErrorKind::ResourceBusy) => std::fs::write(place, text),
                _ => written,
            }
        }
        place => std::fs::write(place, text),
    };
    written.map_err(|error| Failure::unwritten(&file.display().to_string(), &error))
}

/// Writes to standard output, byte for byte.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    printed(std::io::stdout().lock(), &redact::redacted(text))
}

/// Writes a value to standard output as JSON, without holding the whole text in memory.
pub(super) fn print_json(json: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
    if redact::is_on() {
        return print(&escape::json(json)?);
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let written = escape::write_json(json, &mut out);
    ended(written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()))
}

/// Writes a value to standard output as JSON, without what looks like a credential: it quotes texts that the user did
/// not ask for.
pub(super) fn print_words(json: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
    let json = serde_json::to_value(json).map_err(|error| error.to_string())?;
    print_json(&starred_json(json))
}

/// Writes to standard output, with colors where they can be seen, and without what looks like a credential.
pub(super) fn print_styled(text: &str) -> Result<(), Failure> {
    printed(anstream::stdout().lock(), &escape::screen(&starred(&redact::redacted(text))))
}

/// Writes a screen to standard output, with colors where they can be seen and no line wider than the terminal, if there
/// is one.
pub(super) fn print_screen(text: &str) -> Result<(), Failure> {
    print_styled(&fitted(text))
}

fn fitted(text: &str) -> String {
    lines::known_width().map_or_else(|| text.to_owned(), |width| lines::fitted(text, width))
}

/// Reports a problem on standard error.
pub(super) fn say(problem: &str) {
    // If even this cannot be written, the exit code reports it.
    let _ =
        writeln!(std::io::stderr(), "{}", fitted(&escape::lines(&format!("briefing: {}", redact::redacted(problem)))));
}

fn printed(mut out: impl Write, text: &str) -> Result<(), Failure> {
    ended(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

fn ended(written: std::io::Result<()>) -> Result<(), Failure> {
    match written {
        // A reader that has gone away has read enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::unwritten("standard output", &error)),
        Ok(()) | Err(_) => Ok(()),
    }
}
