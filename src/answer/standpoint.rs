//! From where a question is asked, and what the application hands over with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{PromptMode, Role, SessionKind, Tool};
use crate::search::Secrets;
use crate::snapshot::Environment;

/// From where a question is asked. Without it, "what is the agent told?" has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Standpoint {
    /// Where the agent is started. [`crate::resolve`] makes it physical, as a `chdir` would.
    pub cwd: PathBuf,
    /// The user's home directory, taken verbatim.
    pub home: PathBuf,
    /// The environment variables.
    pub env: Environment,
    /// The file the agent would read with its read tool, absolute and lexical.
    pub target: Option<PathBuf>,
    /// The same with its `.` and `..` kept, joined to the physical directory; [`crate::resolve`] fills it in.
    pub target_as_given: Option<PathBuf>,
    /// The tool with which it does so.
    pub tool: Tool,
    /// Files that were reached earlier in the session, in order; [`crate::resolve`] works out what came with them.
    pub read_before: Vec<Reached>,
    /// The skill or command that the model calls.
    pub call: Option<String>,
    /// Files that were deleted since: they count as absent.
    pub deleted: Vec<PathBuf>,
    /// Files that were injected earlier in the session.
    pub already_loaded: Vec<PathBuf>,
    /// The kind of session, where a harness has kinds.
    pub session: SessionKind,
    /// The prompt mode; `None`: what the session kind implies.
    pub prompt_mode: Option<PromptMode>,
    /// The active agent (OpenCode: `build`, `plan`, …); OpenClaw: the agent id; of a sub-agent, its kind.
    pub agent: Option<String>,
    /// The agent that answered before, for reminders about switching.
    pub previous_agent: Option<String>,
    /// The model id, which chooses a provider's prompt.
    pub model: Option<String>,
    /// Text that the application hands over as an additional system prompt.
    pub extra_system_prompt: Option<String>,
    /// Texts that the application hands over with the call.
    pub provided: Vec<Provided>,
    /// Command-line options of harnesses, by harness id.
    pub options: BTreeMap<String, BTreeMap<String, OptionValue>>,
    /// Clock, shell and platform, for environment blocks.
    pub surroundings: Surroundings,
    /// Whether the answer may show what settings take from the environment.
    pub secrets: Secrets,
}

/// A file that an earlier step of the session reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reached {
    /// The tool that reached it.
    pub tool: Tool,
    /// The file.
    pub file: PathBuf,
}

impl Reached {
    /// Returns a file that was read with the read tool.
    pub fn read(file: PathBuf) -> Reached {
        Reached { tool: Tool::Read, file }
    }
}

impl Standpoint {
    /// The start of a main session, with nothing said beyond the place.
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

/// A text that the application hands over with the call (AgentCore calls it an item).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Provided {
    /// What it is called.
    pub name: Option<String>,
    /// The text.
    pub text: String,
    /// [`Role::System`]: a section of the system prompt; [`Role::User`] or [`Role::Assistant`]: a message before the
    /// chat; `None`: wherever the harness puts provided texts.
    pub role: Option<Role>,
    /// Orders items; smaller ones come first.
    pub sort: i64,
    /// The prompt modes in which it appears; empty: all.
    pub prompt_modes: Vec<PromptMode>,
}

/// What environment blocks tell of the machine; part of the standpoint, so that answers are pure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Surroundings {
    /// Today, in the local time zone: year, month, day.
    pub date: (i16, u8, u8),
    /// The IANA name of the time zone.
    pub time_zone: String,
    /// The user's shell, by name.
    pub shell: String,
    /// What Node calls `process.platform`.
    pub platform: String,
}

/// The value of one command-line option of a harness.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OptionValue {
    /// `"profile": "work"`.
    Text(String),
    /// `"config": ["key=value"]`.
    List(Vec<String>),
    /// `"light": true`.
    Flag(bool),
}

impl Standpoint {
    /// The text of a harness's option.
    pub fn option(&self, harness: &str, name: &str) -> Option<&str> {
        match self.options.get(harness)?.get(name)? {
            OptionValue::Text(text) => Some(text),
            OptionValue::List(_) | OptionValue::Flag(_) => None,
        }
    }

    /// The list of a harness's option; a single text counts as a list of one.
    pub fn option_list(&self, harness: &str, name: &str) -> Vec<&str> {
        match self.options.get(harness).and_then(|options| options.get(name)) {
            Some(OptionValue::List(list)) => list.iter().map(String::as_str).collect(),
            Some(OptionValue::Text(text)) => vec![text],
            Some(OptionValue::Flag(_)) | None => Vec::new(),
        }
    }

    /// Whether a harness's option is switched on.
    pub fn flag(&self, harness: &str, name: &str) -> bool {
        self.options.get(harness).and_then(|options| options.get(name)) == Some(&OptionValue::Flag(true))
    }
}
