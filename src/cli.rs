//! The door for people: the commands of `briefing` on a terminal.
#![expect(clippy::disallowed_methods, reason = "the command line is where the environment is read")]

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

use crate::answer::Surroundings;
use crate::queries::installed::Installations;
use crate::request::Defaults;
use crate::verify::remembered;
use crate::{engine, lsp};

mod agents;
mod audit;
mod check;
mod compare;
mod completions;
mod expect;
mod explain;
mod harnesses;
mod hook;
mod inspect;
mod lines;
mod mcp;
mod plan;
mod redact;
mod report;
mod screen;
mod session;
mod show;
mod verify;
mod watch;
mod whom;
mod why;
mod words;

const EXAMPLES: &str = "\
Examples:
  briefing show src/main.rs                      what your agents load before they read src/main.rs
  briefing show --agents codex --format prompt   the exact text that Codex sends
  briefing check --no-home                       what is wrong with the instructions, for CI
  briefing compare --base main --exit-code       what this branch changes, for scripts
  briefing harnesses --details                   how the agents differ";

/// Shows exactly what a coding agent is told before it touches a file.
#[derive(Parser)]
#[command(name = "briefing", version, about, max_term_width = 100, after_help = EXAMPLES)]
struct Arguments {
    /// When to use colors
    #[arg(long, global = true, value_name = "WHEN", default_value_t, value_enum)]
    color: Color,
    /// For pasting into an issue: your home, your name, this host and what looks like a credential are replaced
    #[arg(long, global = true)]
    redact: bool,
    #[command(subcommand)]
    command: Command,
}

/// When to use colors.
#[derive(Clone, Copy, Default, ValueEnum)]
enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always, even into a file
    Always,
    /// Never
    Never,
}

impl Color {
    fn choose(self) {
        let choice = match self {
            Color::Auto => return,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[derive(Subcommand)]
enum Command {
    /// Show which instruction files reach the model when an agent reads FILE, and why
    #[command(after_help = show::EXAMPLES)]
    Show(show::Show),
    /// Check the instruction files of a project: what is cut, shadowed, missing or never loaded
    #[command(after_help = check::EXAMPLES)]
    Check(check::Check),
    /// Show what the changes since a git revision do to the instructions of each agent
    #[command(after_help = compare::EXAMPLES)]
    Compare(compare::Compare),
    /// Show where a sentence comes from, which agents get it, and why the others do not
    #[command(after_help = why::EXAMPLES)]
    Why(why::Why),
    /// Prove the expectations of briefing.toml: which sentences must reach which agents
    #[command(after_help = expect::EXAMPLES)]
    Expect(expect::Expect),
    /// Plan a restructuring of instruction files: a patch, and the proof of what each agent is told then; nothing is
    /// written
    #[command(after_help = plan::EXAMPLES)]
    Plan(plan::Arguments),
    /// Show what a repository tells agents, makes them run and allows them, before one is started in it; nothing is run
    #[command(after_help = inspect::EXAMPLES)]
    Inspect(inspect::Inspect),
    /// Explain a kind of findings: what it means, and what can be done about it
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::Explain),
    /// Show a session as it unfolds: what each step adds, what is not sent again, and what is gone
    #[command(after_help = session::EXAMPLES)]
    Session(session::Session),
    /// List the agents of a client: who starts each, and what it is told and not told
    #[command(after_help = agents::EXAMPLES)]
    Agents(agents::Agents),
    /// Show what recorded sessions of your agents were told, step by step, and what is wrong with it
    #[command(after_help = audit::EXAMPLES)]
    Audit(audit::Arguments),
    /// Print a line whenever what an agent is told changes
    #[command(after_help = watch::EXAMPLES)]
    Watch(watch::Watch),
    /// Answer the hook of a client at the start of a session: tell the agent what never reached it
    #[command(after_help = hook::EXAMPLES)]
    Hook(hook::Hook),
    /// Count what fills the context of each agent: per source its size, its share and its tokens
    #[command(after_help = report::EXAMPLES)]
    Report(report::Report),
    /// Ask your own installed client, offline and on a copy, and compare what it sends with what Briefing says
    #[command(after_help = verify::EXAMPLES)]
    Verify(verify::Verify),
    /// List the agents that Briefing knows, and the versions they were checked on
    #[command(after_help = harnesses::EXAMPLES)]
    Harnesses(harnesses::Harnesses),
    /// Serve an editor over the Language Server Protocol, on standard input and output
    Lsp {
        /// The only transport; accepted because editors pass it
        #[arg(long)]
        stdio: bool,
    },
    /// Serve an agent over the Model Context Protocol, on standard input and output
    #[command(after_help = mcp::EXAMPLES)]
    Mcp(mcp::Mcp),
    /// Print the completions for a shell
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::Completions),
    /// Print the manual page, or write one for each command
    Man(completions::Man),
}

/// Exit code for findings.
pub const FINDINGS: u8 = 1;
/// Exit code for misuse.
pub const MISUSE: u8 = 2;
/// Exit code for output that could not be written.
pub const UNWRITTEN: u8 = 3;

/// Exit code for a question that the records of a session do not answer.
pub const UNKNOWN: u8 = 4;

/// Reason why a command failed.
enum Failure {
    /// The command cannot be carried out: the message says what is wrong, and what to do instead.
    Misuse(String),
    /// The command was carried out, but its output could not be written: the message says where.
    Unwritten(String),
}

impl Failure {
    fn unwritten(place: &str, error: &io::Error) -> Failure {
        Failure::Unwritten(format!("{place} cannot be written: {error}"))
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Misuse(message)
    }
}

/// Runs the program.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // Help and the version come this way as well.
        Err(said) => return parser_says(&said),
    };
    arguments.color.choose();
    if arguments.redact {
        redact::begin();
    }
    let done = match arguments.command {
        Command::Show(show) => show::run(&show),
        Command::Check(arguments) => check::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Why(arguments) => why::run(&arguments),
        Command::Expect(arguments) => expect::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Session(arguments) => session::run(&arguments),
        Command::Agents(arguments) => agents::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Watch(arguments) => watch::run(&arguments),
        Command::Hook(arguments) => Ok(hook::run(&arguments)),
        Command::Report(arguments) => report::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Harnesses(arguments) => harnesses::run(&arguments),
        Command::Lsp { stdio: _ } => lsp().map_err(Failure::Misuse),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, Arguments::command()),
        Command::Man(arguments) => completions::man(&arguments, Arguments::command()),
    };
    done.unwrap_or_else(|failure| {
        let (message, code) = match failure {
            Failure::Misuse(message) => (message, MISUSE),
            Failure::Unwritten(message) => (message, UNWRITTEN),
        };
        show::say(&message);
        ExitCode::from(code)
    })
}

/// Prints what the parser returns instead of a command: help, the version, or an error. Returns the exit code.
fn parser_says(said: &clap::Error) -> ExitCode {
    // A hook that is set up wrongly must not stop the client either.
    let misuse =
        if std::env::args_os().nth(1).is_some_and(|command| command == "hook") { hook::HARMLESS } else { MISUSE };
    match said.print().and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(UNWRITTEN),
        Ok(()) | Err(_) if said.use_stderr() => ExitCode::from(misuse),
        Ok(()) | Err(_) => ExitCode::SUCCESS,
    }
}

fn lsp() -> Result<ExitCode, String> {
    log();
    lsp::run(defaults(None), today)
}

/// Starts logging to standard error, since standard output belongs to the client.
fn log() {
    let level = std::env::var("BRIEFING_LOG").ok().and_then(|level| level.parse().ok()).unwrap_or(tracing::Level::WARN);
    tracing_subscriber::fmt().with_writer(io::stderr).with_max_level(level).with_ansi(false).init();
}

/// Returns the defaults that the environment of the user and of the machine imply.
pub fn defaults(home: Option<PathBuf>) -> Defaults {
    // A variable that is not UTF-8 cannot name any of the files that harnesses look for by text.
    let env: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let passes = remembered::passes(&states(&env)).into_iter();
    let verified = passes.map(|(harness, pass)| (harness, (pass.version, pass.date))).collect();
    let home = home.or_else(std::env::home_dir).unwrap_or_else(|| PathBuf::from("/"));
    Defaults {
        home,
        surroundings: surroundings(&env),
        env: Arc::new(env),
        enabled: Vec::new(),
        roster: Arc::default(),
        editor: Vec::new(),
        customs: Arc::default(),
        installed: Installations { auto: true, unasked: true, verified, ..Installations::default() },
        sessions: BTreeMap::new(),
    }
}

/// Returns defaults without a home directory, an environment or installed programs.
fn nobody(root: &Path) -> Defaults {
    let mut defaults = defaults(Some(root.join(".briefing-no-home")));
    defaults.env = Arc::default();
    defaults
}

/// Returns the file that remembers which clients of this machine were verified. It is in the home directory of whoever
/// runs the program.
fn states(env: &BTreeMap<String, String>) -> PathBuf {
    remembered::place(&std::env::home_dir().unwrap_or_else(|| PathBuf::from("/")), env)
}

/// Returns clock, shell and platform of this machine.
fn surroundings(env: &BTreeMap<String, String>) -> Surroundings {
    let shell = login_shell().or_else(|| env.get("SHELL").cloned()).unwrap_or_else(|| "/bin/sh".to_owned());
    let shell = shell.rsplit('/').next().unwrap_or_default().to_owned();
    Surroundings {
        date: today(),
        time_zone: jiff::tz::TimeZone::system().iana_name().unwrap_or("Etc/UTC").to_owned(),
        shell,
        platform: match std::env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            other => other,
        }
        .to_owned(),
    }
}

/// Returns today's date in the local time zone.
fn today() -> engine::Date {
    let now = jiff::Zoned::now();
    (now.year(), now.month().unsigned_abs(), now.day().unsigned_abs())
}

/// Returns the user's shell from the password file: that is where Codex looks, whatever `$SHELL` says.
#[cfg(unix)]
fn login_shell() -> Option<String> {
    let uid = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let fields = users
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.get(2) == Some(&uid.as_str()))?;
    fields.get(6).filter(|shell| !shell.is_empty()).map(|&shell| shell.to_owned())
}

#[cfg(not(unix))]
fn login_shell() -> Option<String> {
    None
}
