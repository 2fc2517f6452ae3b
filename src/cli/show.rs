//! `briefing show`: what each harness tells an agent that reads a file.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::{defaults, words};
use crate::answer::{MessageKind, Resolution};
use crate::disk::{self, Real};
use crate::harness::Choice;
use crate::harness::custom::{self, Customs};
use crate::report::briefing::{self, Effective, Include};
use crate::request::{OneOrMany, Places, Request};
use crate::resolve::{Outcome, resolve};
use crate::snapshot::{Snapshot, absolute};

/// Arguments of `briefing show`.
#[derive(Args)]
pub(super) struct Show {
    /// The file the agent would read, relative to where it is started; without it, the start of a session is shown
    file: Option<PathBuf>,
    /// Only this harness, or this edition of it (codex, opencode@1.1); may be repeated
    #[arg(long, value_name = "ID[@EDITION]")]
    harness: Vec<String>,
    /// Where the agent is started [default: the working directory]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The home directory to assume
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// The kind of session: main, subagent, cron, group, local
    #[arg(long, value_name = "KIND")]
    session: Option<String>,
    /// A file that was injected earlier in the session; may be repeated
    #[arg(long, value_name = "FILE")]
    already: Vec<PathBuf>,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print every probe in the order asked, with the rule that made the harness ask
    #[arg(long)]
    why: bool,
    /// More fields of the request as JSON: promptMode, agent, model, options …
    #[arg(long, value_name = "JSON")]
    request: Option<String>,
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

/// Answers, prints, and exits with 0 whatever the answer is.
#[expect(clippy::disallowed_methods, reason = "the command line is where the working directory is read")]
pub(super) fn run(show: &Show) -> Result<ExitCode, String> {
    let here = std::env::current_dir().map_err(|error| format!("the working directory cannot be read: {error}"))?;
    let mut request: Request = match &show.request {
        Some(json) => serde_json::from_str(json).map_err(|error| format!("--request: {error}"))?,
        None => Request::default(),
    };
    if !show.harness.is_empty() {
        request.harness = Some(OneOrMany::Many(show.harness.clone()));
    }
    if show.session.is_some() {
        request.session.clone_from(&show.session);
    }
    let cwd = show.cwd.as_ref().map_or_else(|| here.clone(), |cwd| here.join(cwd));
    let target = show.file.clone();
    let places = Places { cwd, target, already_loaded: show.already.iter().map(|file| here.join(file)).collect() };
    let home = show.home.as_ref().map(|home| absolute(&here, home));
    let mut defaults = defaults(home);
    defaults.customs = Arc::new(customs(&places.cwd));
    let questions = request.questions(&defaults, &places)?;
    // What is wrong with one harness is said beside the answers of the others.
    for problem in &defaults.customs.problems {
        eprintln!("briefing: {problem}");
    }
    let answers: Vec<Resolution> = questions.iter().map(|(choice, standpoint)| answer(choice, standpoint)).collect();
    match show.format {
        Format::Json => {
            let include = Include { text: true, trace: show.why };
            let briefings = answers.iter().map(|answer| briefing::briefing(answer, include)).collect();
            let json = serde_json::to_string_pretty(&Effective { version: 1, briefings })
                .map_err(|error| error.to_string())?;
            print(&format!("{json}\n"));
        }
        Format::Prompt => print(&prompt(&answers)),
        Format::Text => {
            print_styled(&answers.iter().map(|answer| words::of(answer, show.why)).collect::<Vec<_>>().join("\n"))
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The harnesses that the workspace around `cwd` declares.
pub(super) fn customs(cwd: &Path) -> Customs {
    let (choice, standpoint) = custom::question(cwd);
    Customs::of(&answer(&choice, &standpoint), &toml::Table::new())
}

/// Asks, reads what is missing, and asks again.
fn answer(choice: &Choice, standpoint: &crate::answer::Standpoint) -> Resolution {
    let mut snapshot = Snapshot::default();
    loop {
        match resolve(&snapshot, choice, standpoint) {
            Outcome::Answer(resolution) => return *resolution,
            Outcome::Untold(asks) => {
                for ask in asks {
                    let fact = disk::observe(&Real, &ask);
                    snapshot.tell(ask, fact);
                }
            }
        }
    }
}

/// The exact texts. With several messages or harnesses each is introduced by a line, since they are not one text.
fn prompt(answers: &[Resolution]) -> String {
    let mut texts = Vec::new();
    for answer in answers {
        for message in answer.answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions) {
            texts.push((answer, message));
        }
    }
    if let [(_, only)] = texts.as_slice() {
        return only.text.clone();
    }
    let with_head = texts.iter().map(|(answer, message)| {
        format!("===== {} · {} · {} =====\n{}\n", answer.harness, message.trigger, message.role, message.text)
    });
    with_head.collect()
}

/// Writes to standard output, byte for byte; a reader that has gone away is no error.
pub(super) fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// The same, with colors where they can be seen.
fn print_styled(text: &str) {
    let _ = anstream::stdout().lock().write_all(text.as_bytes());
}
