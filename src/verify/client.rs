//! The clients that can be asked: how each is started on a mock model, and where its request has the texts.
//!
//! The drivers below `tests/conformance` ask for more than these (sub-agents, other tools, skills); `by_verify.py` there asks what
//! was recorded by these, so that the two cannot drift apart.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Where;
use super::harmless::Harmless;
use super::model::{Call, list};
use super::settings;
use crate::answer::OptionValue;

mod claude_code;
mod cline;
mod codex;
mod continue_dev;
mod copilot_cli;
mod droid;
mod gemini_cli;
mod goose;
mod grok_build;
mod hermes;
mod kilo;
mod kimi_code;
mod mistral_vibe;
mod oh_my_pi;
mod opencode;
mod pi;
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
pub static ALL: [&Client; 17] = [
    &codex::CLIENT,
    &opencode::CLIENT,
    &claude_code::CLIENT,
    &gemini_cli::CLIENT,
    &copilot_cli::CLIENT,
    &qwen_code::CLIENT,
    &cline::CLIENT,
    &kilo::CLIENT,
    &pi::CLIENT,
    &kimi_code::CLIENT,
    &goose::CLIENT,
    &droid::CLIENT,
    &grok_build::CLIENT,
    &continue_dev::CLIENT,
    &mistral_vibe::CLIENT,
    &hermes::CLIENT,
    &oh_my_pi::CLIENT,
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
    /// The files that it reads before that one.
    pub after: &'a [PathBuf],
    /// Options of its command line.
    pub options: &'a BTreeMap<String, OptionValue>,
    /// Its home directory.
    pub home: &'a Path,
    /// Its working directory.
    pub cwd: &'a Path,
    /// The user's variables that the answer rests on.
    pub env: &'a BTreeMap<String, String>,
    /// Directory that it may write to.
    pub scratch: &'a Path,
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

    /// Returns the directory that a variable of the user's names, or the one at `otherwise` in the home directory.
    fn own(&self, variable: &str, otherwise: &str) -> PathBuf {
        let named = self.env.get(variable).map(|value| value.trim()).filter(|value| !value.is_empty());
        named.map_or_else(|| self.home.join(otherwise), |named| self.cwd.join(named))
    }

    /// Returns the directory as well, where `~` stands for the home directory.
    fn own_expanded(&self, variable: &str, otherwise: &str) -> PathBuf {
        let named = self.own(variable, otherwise);
        match named.strip_prefix(self.cwd.join("~")) {
            Ok(rest) => self.home.join(rest),
            Err(_) => named,
        }
    }

    /// Sets top-level keys of a settings file, which is created if there is none.
    fn set(&self, file: &Path, keys: &[(&str, Value)]) {
        let text = fs::read(file).unwrap_or_default();
        self.write(file, &settings::set(file, &text, keys));
    }

    /// Writes a file of the copy. A link to a file is replaced. Nothing is written behind a link that leads out of the copy.
    fn write(&self, file: &Path, bytes: &[u8]) {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let above = file.ancestors().skip(1).find(|above| above.symlink_metadata().is_ok());
        let is_inside = || Some(real(above?)?.starts_with(real(self.scratch)?));
        // In a root of its own, nothing else can be written to.
        if self.place == Where::Copy && is_inside() != Some(true) {
            return;
        }
        // Where that fails, the client says what it misses.
        let _ = file.parent().map(fs::create_dir_all);
        if file.is_symlink() {
            let _ = fs::remove_file(file);
        }
        let _ = fs::write(file, bytes);
    }
}

/// Arguments and environment of a client.
#[derive(Default)]
pub struct Start {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its variables, beside those that every client gets.
    pub env: Vec<(String, String)>,
}

impl Start {
    fn new<const ARGUMENTS: usize, const VARIABLES: usize>(
        arguments: [&str; ARGUMENTS],
        env: [(&str, &str); VARIABLES],
    ) -> Start {
        Start {
            arguments: arguments.map(str::to_owned).to_vec(),
            env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        }
    }

    /// Adds the options of the user's command line.
    fn with_options(mut self, run: &Run) -> Start {
        for (name, value) in run.options {
            let option = format!("--{name}");
            match value {
                OptionValue::Flag(true) => self.arguments.push(option),
                OptionValue::Flag(false) => {}
                OptionValue::Text(text) => self.arguments.extend([option, text.clone()]),
                OptionValue::List(list) => list.iter().for_each(|text| {
                    self.arguments.extend([option.clone(), text.clone()]);
                }),
            }
        }
        self
    }

    fn with(mut self, name: &str, value: impl Into<String>) -> Start {
        self.env.push((name.to_owned(), value.into()));
        self
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
    parts_of(content).concat()
}

/// Returns the texts of a message's content one by one.
fn parts_of(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => Vec::new(),
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

#[cfg(test)]
impl Run<'_> {
    /// Returns a run about the start of a session, in directories that are not there.
    fn of_test() -> Run<'static> {
        static ENV: BTreeMap<String, String> = BTreeMap::new();
        static OPTIONS: BTreeMap<String, OptionValue> = BTreeMap::new();
        let nowhere = Path::new("/nowhere");
        let (place, file, after) = (Where::OwnRoot, None, &[]);
        Run {
            version: "",
            place,
            port: 1,
            file,
            after,
            home: nowhere,
            cwd: nowhere,
            env: &ENV,
            options: &OPTIONS,
            scratch: nowhere,
        }
    }
}

/// Lists texts as `TRIGGER ROLE: TEXT`.
#[cfg(test)]
fn listed(sent: &[Sent]) -> Vec<String> {
    sent.iter().map(|sent| format!("{} {}: {}", sent.trigger, sent.role, sent.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Settings may be a link to a file that lies elsewhere, as people have it who keep them in a repository.
    #[cfg(unix)]
    #[test]
    fn settings_are_written_into_the_copy_alone() {
        let dir = tempfile::tempdir().expect("a directory");
        let (scratch, users) = (dir.path().join("scratch"), dir.path().join("users"));
        let home = scratch.join("tree/h");
        fs::create_dir_all(&home).expect("it is made");
        fs::create_dir_all(&users).expect("it is made");
        fs::write(users.join("config.toml"), "a = 1\n").expect("it is written");
        for name in ["linked", "own"] {
            fs::create_dir_all(home.join(name)).expect("it is made");
        }
        std::os::unix::fs::symlink(users.join("config.toml"), home.join("linked/config.toml")).expect("a link");
        std::os::unix::fs::symlink(&users, home.join("away")).expect("a link");
        let run = Run { place: Where::Copy, home: &home, scratch: &scratch, ..Run::of_test() };
        for name in ["linked", "own", "away", "away/deeper"] {
            run.set(&home.join(name).join("config.toml"), &[("b", json!(2))]);
        }
        let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        assert_eq!(text(&home.join("linked/config.toml")), "a = 1\nb = 2\n");
        assert_eq!(text(&home.join("own/config.toml")), "b = 2\n");
        assert_eq!(text(&users.join("config.toml")), "a = 1\n");
        assert!(!users.join("deeper").exists());
    }
}
