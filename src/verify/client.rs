//! The clients that can be asked: how each is started on a mock model, and where its request has the texts.
//!
//! The drivers below `tests/conformance` ask for more than these (sub-agents, other tools, skills); `by_verify.py` there asks what
//! was recorded by these, so that the two cannot drift apart.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Where;
use super::harmless::Harmless;
use super::model::{Call, list};

mod claude_code;
mod cline;
mod codex;
mod copilot_cli;
mod gemini_cli;
mod opencode;
mod qwen_code;

/// The variables that name a proxy.
pub const PROXIES: [&str; 6] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/// One client.
pub struct Client {
    /// The harness that it is.
    pub harness: &'static str,
    /// Settings that would start programs or select another model, with their harmless values.
    pub harmless: &'static [Harmless],
    /// Arguments of a preparatory run, for a client that takes its model only from its settings.
    pub before: Option<fn(&Run) -> Vec<String>>,
    /// Returns arguments and environment for a run.
    pub start: fn(&Run) -> Start,
    /// Tool call that reads a file; `None` if reading adds no instructions.
    pub read: Option<fn(&str) -> Call>,
    /// Extracts the texts from the requests of a session; there is at least one request.
    pub texts_sent: fn(&Run, &[Value]) -> Result<Vec<Sent>, String>,
}

/// Every client that can be asked.
pub static ALL: [&Client; 7] = [
    &codex::CLIENT,
    &opencode::CLIENT,
    &claude_code::CLIENT,
    &gemini_cli::CLIENT,
    &copilot_cli::CLIENT,
    &qwen_code::CLIENT,
    &cline::CLIENT,
];

/// Returns the client of a harness.
pub fn of(harness: &str) -> Option<&'static Client> {
    ALL.into_iter().find(|client| client.harness == harness)
}

/// One run of a client.
pub struct Run<'a> {
    /// Its version, as far as it is known.
    pub version: &'a str,
    /// Place in which it runs.
    pub place: Where,
    /// Port of its model.
    pub port: u16,
    /// The file that it is to read.
    pub file: Option<&'a Path>,
    /// Directory that it may write to.
    pub scratch: &'a Path,
    /// Returns true if the user has set a variable.
    pub is_set: &'a dyn Fn(&str) -> bool,
}

impl Run<'_> {
    /// Returns the URL of `path` at its model.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns true if the client has this version or a later one.
    pub fn is_since(&self, version: &str) -> bool {
        crate::harness::Version(self.version).is_since(version)
    }
}

/// Arguments and environment of a client.
#[derive(Default)]
pub struct Start {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its variables, beside those that every client gets.
    pub env: Vec<(&'static str, String)>,
}

impl Start {
    fn new<const ARGUMENTS: usize, const VARIABLES: usize>(
        arguments: [&str; ARGUMENTS],
        env: [(&'static str, &str); VARIABLES],
    ) -> Start {
        Start {
            arguments: arguments.map(str::to_owned).to_vec(),
            env: env.map(|(name, value)| (name, value.to_owned())).to_vec(),
        }
    }
}

/// A text that reached the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// `session` or `read`.
    pub trigger: String,
    /// Role of the message.
    pub role: String,
    /// The text.
    pub text: String,
}

impl Sent {
    fn new(trigger: &str, role: &str, text: impl Into<String>) -> Sent {
        Sent { trigger: trigger.to_owned(), role: role.to_owned(), text: text.into() }
    }
}

/// Returns the text of a message's content, which is a string or a list of parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// Joins the texts of one role in a Chat Completions request with newlines.
fn said_by(request: &Value, role: &str) -> String {
    let said = list(request, "messages").iter().filter(|message| message["role"] == role);
    said.map(|message| text_of(&message["content"])).collect::<Vec<_>>().join("\n")
}

/// Returns the messages of the last request, from the last tool result on.
fn after_reading(requests: &[Value]) -> &[Value] {
    let Some(messages) = requests.last().and_then(|request| request["messages"].as_array()) else { return &[] };
    let last = messages.iter().rposition(|message| message["role"] == "tool");
    last.map_or(&[], |last| &messages[last..])
}

/// Returns every section of `text` between `start` and `end`.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(start)
        && let Some((inner, left)) = after.split_once(end)
    {
        found.push(inner);
        rest = left;
    }
    found
}
