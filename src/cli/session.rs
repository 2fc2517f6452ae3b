//! `briefing session`: a session as it unfolds, step by step.

use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::show::{answer, print_json, print_screen, questions};
use super::whom::{Format, Home, directory, exists, here};
use super::{Failure, lines, screen};
use crate::answer::{Fate, Fidelity, Message, Source};
use crate::disk::Real;
use crate::harness::Changed;
use crate::report::briefing::{Include, uncertainty};
use crate::report::escape::visible;
use crate::report::judged::judged;
use crate::report::session::{SessionStep, fidelity, unfolded};
use crate::report::words::Paths;
use crate::request::{OneOrMany, Places, Request};
use crate::session::{Step, Turn, unfold};
use crate::snapshot::absolute;
use crate::text::grouped;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing session --agents claude-code --read src/a.rs src/b.rs
  briefing session --agents opencode --read src/a.rs --compact --read src/a.rs
  briefing session --agents opencode --agent plan --subagent general
  briefing session --agents claude-code --steps session.txt

A file of steps has one on each line: read FILE, edit FILE, write FILE, mention FILE, shell COMMAND, run DIR, skill NAME,
agent NAME, subagent NAME, change FILE, delete FILE, compact, resume. What happens in one turn of the model stands on one line, with + between.";

/// Arguments of `briefing session`.
#[derive(Args)]
pub(super) struct Session {
    /// The agent, or a version of it: codex, opencode@1.1
    #[arg(long = "agents", visible_alias = "harness", value_name = "ID[@VERSION]")]
    harness: String,
    /// Where the agent is started [default: the working directory]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    home: Home,
    #[command(flatten)]
    steps: Steps,
    /// More steps from FILE, after those that are options; - reads standard input
    #[arg(long = "steps", value_name = "FILE")]
    file: Option<PathBuf>,
    /// How to print the session
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Steps that are options, in the order in which they are given.
struct Steps(Vec<SessionStep>);

/// The words of steps with a value, what the value is, and what they do.
const WITH_VALUE: [(&str, &str, &str); 12] = [
    (
        "read",
        "FILE",
        "The agent reads FILE, relative to where it is started; all steps may be repeated and count in order",
    ),
    ("edit", "FILE", "It changes FILE in place"),
    ("write", "FILE", "It writes FILE"),
    ("mention", "FILE", "The user names FILE in a message"),
    ("shell", "COMMAND", "The agent runs COMMAND where it is started"),
    ("run", "DIR", "The agent runs a command in DIR"),
    ("skill", "NAME", "It calls a skill or a command"),
    ("command", "TEXT", "The user types /TEXT: a command and its arguments"),
    ("agent", "NAME", "Another agent takes over"),
    ("subagent", "NAME", "A sub-agent of that kind is started"),
    ("change", "FILE", "Somebody changes FILE"),
    ("delete", "FILE", "FILE is deleted"),
];

/// The words of steps without a value, and what they do.
const ALONE: [(&str, &str); 2] =
    [("compact", "What was said so far is summed up"), ("resume", "The session was ended, and goes on")];

impl Args for Steps {
    fn augment_args(command: Command) -> Command {
        let with_value = WITH_VALUE.map(|(word, value, help)| {
            let parser = ValueParser::string();
            let arg = Arg::new(word).long(word).value_name(value).help(help).action(ArgAction::Append);
            arg.num_args(1..).value_parser(parser)
        });
        let alone = ALONE.map(|(word, help)| {
            let flag = Arg::new(word).long(word).help(help).action(ArgAction::Append).num_args(0);
            flag.default_missing_value("").value_parser(ValueParser::string())
        });
        command.args(with_value).args(alone).next_help_heading(None)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Steps {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Steps, clap::Error> {
        let words = WITH_VALUE.iter().map(|(word, ..)| *word).chain(ALONE.map(|(word, _)| word));
        let given = words.flat_map(|word| {
            let values = matches.get_many::<String>(word).into_iter().flatten();
            matches.indices_of(word).into_iter().flatten().zip(values).map(move |(at, value)| (at, word, value))
        });
        let mut given: Vec<_> = given.collect();
        given.sort();
        let steps = given.into_iter().map(|(_, word, value)| {
            step(word, value).ok_or_else(|| {
                clap::Error::raw(ErrorKind::InvalidValue, format!("`--{word}` wants a value that is not empty\n"))
            })
        });
        Ok(Steps(steps.collect::<Result<_, _>>()?))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Steps::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns the step for a word and its value.
fn step(word: &str, value: &str) -> Option<SessionStep> {
    let named = || Some(value.to_owned()).filter(|value| !value.is_empty());
    let none = SessionStep::default();
    let step = match word {
        "read" => SessionStep { read: named(), ..none },
        "edit" => SessionStep { edit: named(), ..none },
        "write" => SessionStep { write: named(), ..none },
        "mention" => SessionStep { mention: named(), ..none },
        "run" => SessionStep { shell: named().map(|_| String::new()), cwd: named(), ..none },
        "shell" => SessionStep { shell: named(), ..none },
        "change" => SessionStep { change: named(), ..none },
        "delete" => SessionStep { delete: named(), ..none },
        "skill" => SessionStep { skill: named(), ..none },
        "command" => SessionStep { command: named(), ..none },
        "agent" => SessionStep { agent: named(), ..none },
        "subagent" => SessionStep { subagent: named(), ..none },
        "compact" => SessionStep { compact: value.is_empty(), ..none },
        "resume" => SessionStep { resume: value.is_empty(), ..none },
        _ => return None,
    };
    (step != SessionStep::default()).then_some(step)
}

/// Parses a file of steps: one turn on each line. Empty lines and those that begin with `#` are skipped.
fn steps_of(text: &str) -> Result<Vec<SessionStep>, String> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let turn = |(at, line): (usize, &str)| {
        let mut steps = line.split(" + ").map(|one| {
            let (word, value) = one.trim().split_once(char::is_whitespace).unwrap_or((one.trim(), ""));
            step(word, value.trim()).ok_or_else(|| format!("line {at}: `{}` is not a step; see --help", one.trim()))
        });
        match steps.clone().count() {
            1 => steps.next().expect("there is one"),
            _ => Ok(SessionStep { together: steps.collect::<Result<_, _>>()?, ..SessionStep::default() }),
        }
    };
    lines.map(turn).collect()
}

/// Unfolds the session, and prints each step.
pub(super) fn run(arguments: &Session) -> Result<ExitCode, Failure> {
    let here = here()?;
    let cwd = directory("--cwd", arguments.cwd.as_deref(), &here)?.unwrap_or_else(|| here.clone());
    let mut steps = arguments.steps.0.clone();
    if let Some(file) = &arguments.file {
        let named = file.display();
        let text = read(&absolute(&here, file)).map_err(|problem| format!("--steps: {named}: {problem}"))?;
        steps.extend(steps_of(&text).map_err(|problem| format!("--steps: {named}: {problem}"))?);
    }
    // A file that an earlier step writes need not exist.
    let written: Vec<&str> = steps.iter().flat_map(written).collect();
    let place = |name: &str| match written.contains(&name) {
        true => Ok(PathBuf::from(name)),
        false => exists("a step", &cwd, Path::new(name)).map(|()| PathBuf::from(name)),
    };
    let meant = steps.iter().map(|step| step.parsed(&place)).collect::<Result<Vec<Step>, String>>()?;
    let request = Request { harness: Some(OneOrMany::One(arguments.harness.clone())), ..Request::default() };
    let places = Places { cwd: cwd.clone(), target: None, read_before: Vec::new(), already_loaded: Vec::new() };
    let base = arguments.home.defaults(&cwd)?;
    let (mut found, _) = questions(&Real, &request, &places, base)?;
    let (Some((choice, start)), true) = (found.pop(), found.is_empty()) else {
        return Err("--agents: a session is that of one agent: name one".to_owned().into());
    };
    let turns = unfold(&choice, start, &meant, &|at| Arc::new(answer(&Real, &choice, at)))?;
    let judged = judged(turns.first().map(|turn| &*turn.answer), None);
    match arguments.format {
        Format::Json => {
            let mut said = unfolded(1, &turns, &steps, Include { text: true, trace: false });
            said.judged = judged;
            print_json(&said)?;
        }
        Format::Text => {
            print_screen(&format!("{}{}", screen::judged(&judged, lines::width()), text(&turns, &steps)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the files that a step writes.
fn written(step: &SessionStep) -> Vec<&str> {
    step.together.iter().flat_map(written).chain(step.write.as_deref()).collect()
}

#[expect(clippy::disallowed_methods, reason = "the command line reads the file that the user names for it")]
pub(super) fn read(file: &Path) -> Result<String, std::io::Error> {
    if file.file_name().is_some_and(|name| name == "-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        return Ok(text);
    }
    std::fs::read_to_string(file)
}

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const LOST: Style = AnsiColor::Red.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();

fn text(turns: &[Turn], steps: &[SessionStep]) -> String {
    let mut out = String::new();
    let Some(first) = turns.first() else { return out };
    let paths = Paths::of(&first.answer);
    let started = visible(&paths.path(&first.answer.standpoint.cwd));
    let _ =
        writeln!(out, "{BOLD}{} {}{BOLD:#}, started in {started}", visible(&first.answer.title), first.answer.edition);
    for (number, turn) in turns.iter().enumerate() {
        let named = if number == 0 { "start".to_owned() } else { words(&steps[number - 1]) };
        let _ = writeln!(out, "\n{BOLD}{:>3}  {}{BOLD:#}", number, visible(&named));
        write_turn(&mut out, turn, &paths);
    }
    out
}

/// Formats a step as in a file of steps.
fn words(step: &SessionStep) -> String {
    if !step.together.is_empty() {
        return step.together.iter().map(words).collect::<Vec<_>>().join(" + ");
    }
    let shell = if step.cwd.is_some() { &None } else { &step.shell };
    let named = [
        ("read", &step.read),
        ("edit", &step.edit),
        ("write", &step.write),
        ("mention", &step.mention),
        ("shell", shell),
        ("run", &step.cwd),
        ("skill", &step.skill),
        ("command", &step.command),
        ("agent", &step.agent),
        ("subagent", &step.subagent),
        ("change", &step.change),
        ("delete", &step.delete),
    ];
    let named = named.into_iter().find_map(|(word, value)| Some(format!("{word} {}", value.as_deref()?)));
    named.unwrap_or_else(|| if step.compact { "compact" } else { "resume" }.to_owned())
}

/// Writes what a step adds, does not repeat, and takes away.
fn write_turn(out: &mut String, turn: &Turn, paths: &Paths) {
    if let Some(refusal) = &turn.answer.answer.refusal {
        let _ = writeln!(out, "     {LOST}does not start{LOST:#}: {}", visible(&paths.text(&refusal.message)));
        return;
    }
    let name =
        |source: &Source| visible(&source.path().map_or_else(|| source.place.to_string(), |path| paths.path(path)));
    let reason = |source: &Source| visible(&paths.text(&source.reason));
    for source in turn.sources.iter().filter(|source| source.fate != Fate::Missing) {
        let size = source.reaches().map_or_else(String::new, |(sent, _)| format!("  {} B", grouped(sent)));
        let (mark, style) = match source.fate {
            fate if fate.reaches() => ("+", GOOD),
            _ => ("=", FAINT),
        };
        let _ = writeln!(out, "     {style}{mark}{style:#} {}{size}  {FAINT}{}{FAINT:#}", name(source), reason(source));
    }
    for source in &turn.gone {
        let _ = writeln!(out, "     {LOST}-{LOST:#} {}  {FAINT}no longer in the context{FAINT:#}", name(source));
    }
    for (message, name) in turn.messages.iter().filter_map(|message| Some((message, message.name.as_ref()?))) {
        let _ = writeln!(out, "     {GOOD}+{GOOD:#} {}", layer(message, &paths.text(name)));
    }
    for (message, name) in turn.removed.iter().filter_map(|message| Some((message, message.name.as_ref()?))) {
        let _ = writeln!(out, "     {LOST}-{LOST:#} {}", layer(message, &paths.text(name)));
    }
    if let Some(changed) = turn.changed {
        let _ = writeln!(out, "     {FAINT}{}{FAINT:#}", if_changed(changed));
    }
    let sent: usize = turn.messages.iter().map(|message| message.text.len()).sum();
    if sent > 0 {
        let _ = writeln!(out, "     adds {} B, ≈ {} tokens", grouped(sent), grouped(sent.div_ceil(4)));
    } else if turn.messages.is_empty() && turn.gone.is_empty() && turn.removed.is_empty() {
        let _ = writeln!(out, "     adds nothing");
    }
    doubt(out, turn);
}

/// Describes a layer by its name, with its size, or as the client's own.
fn layer(message: &Message, name: &str) -> String {
    let short = visible(&name.split(" (").next().unwrap_or(name).to_owned());
    let kind = message.kind.word();
    match message.text.len() {
        0 => format!("{short}  {FAINT}the client's own {kind}{FAINT:#}"),
        size => format!("{short}  {} B  {FAINT}{kind}{FAINT:#}", grouped(size)),
    }
}

fn if_changed(changed: Changed) -> &'static str {
    match changed {
        Changed::Replaced => "a file that changed meanwhile is sent as it is now",
        Changed::Beside => "of a file that changed meanwhile the model has the old text and the new one",
    }
}

fn doubt(out: &mut String, turn: &Turn) {
    let why = match &turn.doubt {
        Some(doubt) => visible(&doubt.why),
        None if fidelity(turn) == Fidelity::Exact => return,
        None => visible(&uncertainty(&turn.answer)),
    };
    let _ = writeln!(out, "     {WARNING}not exact{WARNING:#}: {why}");
}
