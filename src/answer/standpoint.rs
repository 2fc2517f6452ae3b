//! The standpoint of a question: start directory, home, environment, session, and what the application passes along.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{PromptMode, Role, SessionKind, Tool};
use crate::search::Secrets;
use crate::snapshot::Environment;

/// The standpoint of a question. Without it, "what is the agent told?" has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Standpoint {
    /// Directory in which the agent starts. [`crate::resolve`] makes it physical, as `chdir` would.
    pub cwd: PathBuf,
    /// User's home directory, taken verbatim.
    pub home: PathBuf,
    /// Environment variables.
    pub env: Environment,
    /// File that the agent reaches with its tool, absolute and lexically normalized.
    pub target: Option<PathBuf>,
    /// Target with its `.` and `..` kept, joined to the physical directory; set by [`crate::resolve`].
    pub target_as_given: Option<PathBuf>,
    /// Tool with which the agent reaches the target.
    pub tool: Tool,
    /// Files that were reached earlier in the session, in order; [`crate::resolve`] determines what was injected with
    /// them.
    pub read_before: Vec<Reached>,
    /// Skill or command that the model calls; with a slash and arguments, one that the user types.
    pub call: Option<String>,
    /// Files that were deleted since; they count as absent.
    pub deleted: Vec<PathBuf>,
    /// Files that were injected earlier in the session.
    pub already_loaded: Vec<PathBuf>,
    /// Kind of session, if the agent distinguishes kinds.
    pub session: SessionKind,
    /// Prompt mode; `None` for the one that the session kind implies.
    pub prompt_mode: Option<PromptMode>,
    /// Active agent (OpenCode: `build`, `plan`, …; OpenClaw: the agent id; in a sub-agent's session, its kind).
    pub agent: Option<String>,
    /// Agent that answered before, for reminders about switching.
    pub previous_agent: Option<String>,
    /// Model id, which selects a provider's prompt.
    pub model: Option<String>,
    /// Text that the application passes as an additional system prompt.
    pub extra_system_prompt: Option<String>,
    /// Texts that the application passes with the call.
    pub provided: Vec<Provided>,
    /// Command-line options by agent id.
    pub options: BTreeMap<String, BTreeMap<String, OptionValue>>,
    /// Clock, shell and platform, for environment blocks.
    pub surroundings: Surroundings,
    /// Whether the answer may show values that settings take from the environment.
    pub secrets: Secrets,
}

/// A file that an earlier step of the session reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reached {
    /// Tool that reached the file.
    pub tool: Tool,
    /// The file.
    pub file: PathBuf,
}

impl Reached {
    /// Creates an entry for a file that was read with the read tool.
    pub fn read(file: PathBuf) -> Reached {
        Reached { tool: Tool::Read, file }
    }
}

impl Standpoint {
    /// Returns name and arguments of a command that the user types, if the call is one: `/NAME ARGUMENTS`.
    pub fn typed(&self) -> Option<(&str, &str)> {
        let typed = self.call.as_deref()?.strip_prefix('/')?;
        Some(typed.split_once(' ').unwrap_or((typed, "")))
    }

    /// Creates the standpoint of a main session's start, with defaults for everything but the place.
    pub fn plain(cwd: &Path, home: &Path, env: Environment) -> Standpoint {
        Standpoint {
            cwd: cwd.to_owned(),
            home: home.to_owned(),
            env,
            target: None,
            target_as_given: None,
            tool: Tool::Read,
            read_before: Vec::new(),
            call: None,
            deleted: Vec::new(),
            already_loaded: Vec::new(),
            session: SessionKind::Main,
            prompt_mode: None,
            agent: None,
            previous_agent: None,
            model: None,
            extra_system_prompt: None,
            provided: Vec::new(),
            options: BTreeMap::new(),
            surroundings: Surroundings {
                date: (1970, 1, 1),
                time_zone: String::new(),
                shell: String::new(),
                platform: String::new(),
            },
            secrets: Secrets::Hidden,
        }
    }
}

/// A text that the application passes with the call (AgentCore calls it an item).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Provided {
    /// Name of the item.
    pub name: Option<String>,
    /// Text of the item.
    pub text: String,
    /// Placement: [`Role::System`] for a section of the system prompt, [`Role::User`] or [`Role::Assistant`] for a
    /// message before the chat, `None` for the agent's default.
    pub role: Option<Role>,
    /// Sort key; smaller ones come first.
    pub sort: i64,
    /// Prompt modes in which the text appears; empty for all.
    pub prompt_modes: Vec<PromptMode>,
}

/// Facts about the machine for environment blocks; part of the standpoint, so that answers are pure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Surroundings {
    /// Today, in the local time zone: year, month, day.
    pub date: (i16, u8, u8),
    /// IANA name of the time zone.
    pub time_zone: String,
    /// Name of the user's shell.
    pub shell: String,
    /// Value of Node's `process.platform`.
    pub platform: String,
}

/// The value of a command-line option of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// `"profile": "work"`.
    Text(String),
    /// `"config": ["key=value"]`.
    List(Vec<String>),
    /// `"light": true`.
    Flag(bool),
}

impl Standpoint {
    /// Returns the value of an agent's text option.
    pub fn option(&self, harness: &str, name: &str) -> Option<&str> {
        match self.options.get(harness)?.get(name)? {
            OptionValue::Text(text) => Some(text),
            OptionValue::List(_) | OptionValue::Flag(_) => None,
        }
    }

    /// Returns the values of an agent's list option; a single text counts as a list of one.
    pub fn option_list(&self, harness: &str, name: &str) -> Vec<&str> {
        match self.options.get(harness).and_then(|options| options.get(name)) {
            Some(OptionValue::List(list)) => list.iter().map(String::as_str).collect(),
            Some(OptionValue::Text(text)) => vec![text],
            Some(OptionValue::Flag(_)) | None => Vec::new(),
        }
    }

    /// Returns true if a flag of an agent is set.
    pub fn flag(&self, harness: &str, name: &str) -> bool {
        self.options.get(harness).and_then(|options| options.get(name)) == Some(&OptionValue::Flag(true))
    }
}
