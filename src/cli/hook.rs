//! `briefing hook`: answers a client's own hook at the start of a session, so that the agent knows what never reached
//! it.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde::Deserialize;
use serde_json::{Value, json};

use super::defaults;
use super::show::{Asked, answer, asked, print, say};
use super::whom::here;
use crate::answer::Standpoint;
use crate::disk::{Filesystem, Real};
use crate::engine::audit::{LIST_BYTES, Now, Wanted, homes, sessions};
use crate::engine::held;
use crate::records::audit::Fate;
use crate::report::lost::lost;
use crate::report::words::{count, list};
use crate::request::{OneOrMany, Places, Request};

pub(super) const EXAMPLES: &str = "\
Examples:
  echo '{\"hook_event_name\": \"SessionStart\", \"cwd\": \"/p\"}' | briefing hook claude-code
  docs/hooks.md says how each client is told to call it";

/// Exit code for all failures. Elsewhere misuse ends with 2, which clients would take for a request to stop.
pub(super) const HARMLESS: u8 = 1;

/// Maximum size of an event that is read, in bytes; events are far smaller.
const LARGEST_EVENT: u64 = 4 * 1024 * 1024;

/// Arguments of `briefing hook`.
#[derive(Args)]
pub(super) struct Hook {
    /// Whose hook it is
    #[arg(value_enum)]
    client: Client,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Client {
    ClaudeCode,
    Codex,
    GeminiCli,
    /// It has no such hooks; the plugin in docs/hooks.md calls this
    Opencode,
}

impl Client {
    fn harness(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::Codex => "codex",
            Client::GeminiCli => "gemini-cli",
            Client::Opencode => "opencode",
        }
    }

    /// Returns the output that the client reads as context for the model.
    fn answer(self, text: &str) -> String {
        match self {
            Client::ClaudeCode | Client::Codex | Client::GeminiCli => {
                let context = json!({"hookEventName": SESSION_START, "additionalContext": text});
                json!({"hookSpecificOutput": context}).to_string()
            }
            Client::Opencode => text.to_owned(),
        }
    }
}

const SESSION_START: &str = "SessionStart";

/// Fields of a client's event that matter here.
#[derive(Deserialize)]
struct Event {
    hook_event_name: String,
    cwd: Option<PathBuf>,
    /// Reason why the session starts. A resumed session has its instructions already.
    source: Option<String>,
    /// Id of the session.
    session_id: Option<String>,
    /// Name of the model; in some versions an object that contains it.
    model: Option<Value>,
}

/// Answers the hook. No failure stops the client.
pub(super) fn run(hook: &Hook) -> ExitCode {
    let done = warning(hook.client).and_then(|warning| match warning {
        Some(text) => {
            print(&format!("{}\n", hook.client.answer(&text))).map_err(|_| "nobody reads the answer".to_owned())
        }
        None => Ok(()),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            say(&format!("hook {}: {problem}", hook.client.harness()));
            ExitCode::from(HARMLESS)
        }
    }
}

/// Returns the warning for the agent about this event; `None` if there is none.
fn warning(client: Client) -> Result<Option<String>, String> {
    let event = event()?;
    if event.hook_event_name != SESSION_START {
        return Ok(None);
    }
    let cwd = event.cwd.map_or_else(here, Ok)?;
    if !cwd.is_absolute() {
        return Err(format!("cwd: {} is not an absolute path", cwd.display()));
    }
    if event.source.as_deref() == Some("resume") {
        return Ok(event.session_id.and_then(|session| changed(client, &session, cwd)));
    }
    let request = Request {
        harness: Some(OneOrMany::One(client.harness().to_owned())),
        model: event.model.as_ref().and_then(Value::as_str).map(str::to_owned),
        ..Request::default()
    };
    let places = Places { cwd, target: None, read_before: Vec::new(), already_loaded: Vec::new() };
    let Asked { answers, .. } = asked(&Real, &request, &places, defaults(None))?;
    Ok(answers.first().and_then(|answer| lost(answer, |path: &Path| Real.read(path).ok())))
}

/// Returns a warning about texts of a session that have changed since. Large records are not read, since the client
/// waits.
fn changed(client: Client, session: &str, cwd: PathBuf) -> Option<String> {
    let defaults = defaults(None);
    let wanted = Wanted { project: Some(cwd), agents: vec![client.harness().to_owned()], ..Wanted::default() };
    let found = sessions(&homes(&defaults), &wanted);
    let one = found.iter().find(|one| one.head.id.as_deref() == Some(session) && one.found.bytes <= LIST_BYTES)?;
    let session = one.client().read(&one.found).ok()?;
    let ask = |choice: &_, at: &Standpoint| Arc::new(answer(&Real, choice, at));
    let now = Now::of(&session, &defaults, &ask)?;
    let mut words: Vec<String> = Vec::new();
    for change in held::changes(&session, &now) {
        let of = |mark| change.lines.iter().filter(|line| line.starts_with(mark)).count();
        let name = change.path.map_or(change.name, |path| path.display().to_string());
        match change.now {
            Fate::Other => words.push(format!("{name} changed: {}", count(of('-').max(of('+')), "line"))),
            Fate::None => words.push(format!("{name} is not sent any more")),
            Fate::Beside | Fate::New | Fate::Unknown => {}
        }
    }
    words.dedup();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    (!words.is_empty()).then(|| format!("Since this session began {}; you may hold the older text.", list(&words)))
}

/// Reads the event from standard input.
fn event() -> Result<Event, String> {
    let input = std::io::stdin();
    if input.is_terminal() {
        return Err("the client's event is expected on standard input, as JSON".to_owned());
    }
    let mut text = Vec::new();
    input.take(LARGEST_EVENT).read_to_end(&mut text).map_err(|error| format!("standard input: {error}"))?;
    let value: Value = serde_json::from_slice(&text)
        .map_err(|error| format!("the event is not valid JSON (line {}, column {})", error.line(), error.column()))?;
    for name in ["hook_event_name", "cwd", "source", "session_id"] {
        let is_text = value.get(name).is_some_and(Value::is_string);
        let may_be_missing = name != "hook_event_name" && value.get(name).is_none_or(Value::is_null);
        if !is_text && !may_be_missing {
            return Err(format!("the event has no `{name}` that is a string"));
        }
    }
    serde_json::from_value(value).map_err(|_| "the event is not as hooks send it".to_owned())
}
