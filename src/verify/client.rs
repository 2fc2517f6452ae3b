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

/// One client.
pub struct Client {
    /// The harness that it is.
    pub harness: &'static str,
    /// What of its settings would start programs, or lead to another model.
    pub harmless: &'static [Harmless],
    /// With which arguments it is run first, where it takes a model from its settings alone.
    pub before: Option<fn(&Run) -> Vec<String>>,
    /// How it is started.
    pub start: fn(&Run) -> Start,
    /// The call by which it reads a file; `None` where reading adds nothing.
    pub read: Option<fn(&str) -> Call>,
    /// The texts in the requests of a session, of which there is at least one.
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

/// The client of that harness.
pub fn of(harness: &str) -> Option<&'static Client> {
    ALL.into_iter().find(|client| client.harness == harness)
}

/// One run of a client.
pub struct Run<'a> {
    /// Its version, as far as it is known.
    pub version: &'a str,
    /// Where it runs.
    pub place: Where,
    /// Where its model listens.
    pub port: u16,
    /// The file that it is to read.
    pub file: Option<&'a Path>,
    /// Where it may leave what it likes.
    pub scratch: &'a Path,
    /// Whether the user has set this variable.
    pub is_set: &'a dyn Fn(&str) -> bool,
}

impl Run<'_> {
    /// The address of its model.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Whether it is that version or a later one.
    pub fn is_since(&self, version: &str) -> bool {
        crate::harness::Version(self.version).is_since(version)
    }
}

/// How a client is started.
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
    /// Who says it.
    pub role: String,
    /// The text.
    pub text: String,
}

impl Sent {
    fn new(trigger: &str, role: &str, text: impl Into<String>) -> Sent {
        Sent { trigger: trigger.to_owned(), role: role.to_owned(), text: text.into() }
    }
}

/// The text of a message's content, which is a text or a list of parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// The texts of one role in a request of Chat Completions, a line apart.
fn said_by(request: &Value, role: &str) -> String {
    let said = list(request, "messages").iter().filter(|message| message["role"] == role);
    said.map(|message| text_of(&message["content"])).collect::<Vec<_>>().join("\n")
}

/// The messages of the last request from the last answer of a tool on.
fn after_reading(requests: &[Value]) -> &[Value] {
    let Some(messages) = requests.last().and_then(|request| request["messages"].as_array()) else { return &[] };
    let last = messages.iter().rposition(|message| message["role"] == "tool");
    last.map_or(&[], |last| &messages[last..])
}

/// What stands between two texts, for each time that both are there.
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
