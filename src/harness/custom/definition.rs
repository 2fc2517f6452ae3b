//! Types of a declaration: one per table of `[harness.ID]`, with the meaning of each key. The JSON schema for editors
//! is generated from these types.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::choices::{
    Addresses, Base, Blank, ByteOrderMark, Decoding, Dedupe, Entries, From, Look, Order, SystemMessages, TakeFiles,
    TakeNames, Target, To, Trim, WithoutRoot,
};
use super::files::FileEntry;
use super::instruction_config::{Dynamic, OneOrSeveral, Static, Subagent, Truncation};
use super::limit::Limit;
use super::template::{EntryTemplate, MissingTemplate, WrapperTemplate};
use super::values::{Amount, Ratio, Url, Word};
use crate::answer::{MessageKind, PromptMode, Purpose, Role, Scope, SessionKind};

/// Part of a `briefing.toml` that concerns agents: the agents that a project is for, and custom agents by id.
#[derive(Debug, Default, JsonSchema)]
#[expect(dead_code, reason = "the file is taken apart by hand, so that one wrong harness leaves the others alone")]
pub struct File {
    /// Agents that the project is for, such as `["codex", "claude-code@2.1"]`. They are shown and checked unless
    /// `--agents` or the editor's settings select others.
    #[serde(default)]
    agents: Vec<String>,
    /// Custom agents by id.
    #[serde(default)]
    harness: BTreeMap<String, Definition>,
    /// Custom agents by id, written as an InstructionConfig. It is merged with the table of the same id under
    /// `harness`.
    #[serde(default, rename = "instructionConfig")]
    instruction_config: BTreeMap<String, Definition>,
}

/// A custom agent: the sources that it reads (`source`, in order) and the messages that it sends (`message`, in order).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    /// Display name: letters, digits, spaces and . , : - _ + / ( ) ' &. Default: the id.
    pub title: Option<String>,
    /// One sentence about the files that the agent reads.
    pub summary: Option<String>,
    /// Edition (`codex@0.169`) or other custom agent to start from, or a list of them that are applied one after the
    /// other.
    #[expect(dead_code, reason = "read before the definition is taken apart")]
    pub extends: Option<OneOrSeveral>,
    /// Values to replace in a built-in edition that this agent extends.
    #[serde(rename = "override")]
    pub overrides: Option<Override>,
    /// Names that mark a directory as the project root: the root is the nearest directory at or above the working
    /// directory that contains one of them.
    #[serde(default = "git")]
    pub root_markers: Vec<String>,
    /// Rule by which two files count as the same, so that only one is taken.
    #[serde(default)]
    pub dedupe: Dedupe,
    /// Treatment of bytes that are not UTF-8.
    #[serde(default)]
    pub decoding: Decoding,
    /// Treatment of a byte order mark at the start of a file.
    #[serde(default)]
    pub byte_order_mark: ByteOrderMark,
    /// Grouping of the sections of the system prompt.
    #[serde(default)]
    pub system_messages: SystemMessages,
    /// Text between the sections of the system prompt.
    #[serde(default = "blank_line")]
    pub section_separator: String,
    /// Size of the model's context, in tokens.
    pub max_context_tokens: Option<Amount>,
    /// Share of the context that is reserved for memory.
    #[serde(alias = "memoryTokensRatio")]
    pub memory_tokens_ratio: Option<Ratio>,
    /// Texts by key, for sources with `texts`.
    #[serde(default)]
    pub texts: BTreeMap<String, String>,
    /// Events after which only the set of files is certain, each with a text about what is not known of the real
    /// client.
    #[serde(default)]
    pub unsure: Unsure,
    /// Prompt modes that the agent supports. Default: all.
    pub prompt_modes: Option<Vec<Word<PromptMode>>>,
    /// InstructionConfig: texts at the start of every session.
    #[serde(rename = "static")]
    pub fixed: Option<Static>,
    /// InstructionConfig: texts when the agent reads a file.
    pub dynamic: Option<Dynamic>,
    /// InstructionConfig: limit of each file without a limit of its own.
    pub truncation: Option<Truncation>,
    /// InstructionConfig: restrictions for sub-agents.
    pub subagent: Option<Subagent>,
    /// InstructionConfig: text to send if nothing is found and no `message` is declared.
    #[serde(rename = "whenEmpty")]
    pub when_empty: Option<String>,
    /// Message for the user if the agent has no source configured: what to configure.
    pub unconfigured: Option<String>,
    /// Sources, in order.
    #[serde(default, rename = "source")]
    #[schemars(with = "Vec<Source>")]
    pub sources: Vec<Spanned<Source>>,
    /// Messages, in order. Default: one section of the system prompt, and one message with everything that reading a
    /// file adds.
    #[serde(default, rename = "message")]
    #[schemars(with = "Vec<Message>")]
    pub messages: Vec<Spanned<Message>>,
}

/// Values to replace in a built-in edition. An error message lists those that an edition has.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Override {
    /// File names in the order in which they are tried.
    pub names: Option<Vec<String>>,
    /// Names that are tried after those.
    pub fallbacks: Option<Vec<String>>,
    /// Names that mark a directory as the project root.
    pub root_markers: Option<Vec<String>>,
    /// Limit of each file, in the unit that the edition counts.
    pub limit: Option<Amount>,
    /// Limit of all files together, in the unit that the edition counts.
    pub total_limit: Option<Amount>,
    /// Share of a limit that is kept of a file's beginning.
    pub head_ratio: Option<Ratio>,
    /// Share of a limit that is kept of a file's end.
    pub tail_ratio: Option<Ratio>,
}

/// A source of texts. Exactly one of `directories`, `files`, `urls`, `list`, `provided`, `texts` and `text` selects its
/// kind.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    /// Name that messages and templates refer to, and by which another definition can replace single keys of the
    /// source.
    pub name: Option<String>,
    /// `false` disables it.
    #[serde(default = "yes")]
    pub enabled: bool,

    /// File names that are looked for in a range of directories.
    pub directories: Option<Directories>,
    /// Paths and globs.
    pub files: Option<Vec<FileEntry>>,
    /// Directory that relative paths in `files` start from.
    #[serde(default)]
    pub base: Base,
    /// Files that are taken.
    #[serde(default)]
    pub take: TakeFiles,
    /// If true, missing files are not reported.
    #[serde(default)]
    pub optional: bool,
    /// URLs. They are listed, and fetched only with the user's permission.
    pub urls: Option<Vec<Url>>,
    /// Paths and URLs that a settings file lists.
    pub list: Option<List>,
    /// Texts that are sent before those that the application provides with the call.
    pub provided: Option<Vec<String>>,
    /// Texts that are looked up by key.
    pub texts: Option<Texts>,
    /// A fixed text.
    pub text: Option<WrapperTemplate>,

    /// Purpose of the texts.
    pub purpose: Option<Word<Purpose>>,
    /// Scope of the files. Default: derived from their place.
    pub scope: Option<Word<Scope>>,
    /// Kinds of session that get it. Default: all.
    pub sessions: Option<Vec<Word<SessionKind>>>,
    /// Prompt modes that get it. Default: all.
    pub prompt_modes: Option<Vec<Word<PromptMode>>>,
    /// Sort key of the source within a message; smaller ones come first.
    #[serde(default)]
    pub sort: i64,
    /// Template for one file.
    pub entry: Option<EntryTemplate>,
    /// Template for a missing file. Default: no text.
    pub missing: Option<MissingTemplate>,
    /// Text to send if nothing is found.
    pub when_empty: Option<String>,
    /// Limit of each file.
    pub limit: Option<Limit>,
    /// `false`: the texts are not charged to the total of their message.
    #[serde(default = "yes")]
    pub charged: bool,
    /// Text between the files. Default: the separator of the message.
    pub separator: Option<String>,
    /// White space that is removed from the ends of a text.
    #[serde(default)]
    pub trim: Trim,
    /// Treatment of a text that is only white space.
    #[serde(default)]
    pub blank: Blank,
    /// Treatment of bytes that are not UTF-8. Default: that of the agent.
    pub decoding: Option<Decoding>,
    /// Treatment of a byte order mark. Default: that of the agent.
    pub byte_order_mark: Option<ByteOrderMark>,
}

impl Source {
    /// Keys that select the kind of a source; a source has exactly one.
    pub const KINDS: [&str; 7] = ["directories", "files", "urls", "list", "provided", "texts", "text"];

    /// Returns true if the source applies when the agent reads a file.
    pub fn on_read(&self) -> bool {
        self.directories.as_ref().is_some_and(|directories| directories.from == From::Target)
    }

    /// Creates a source without a kind, with the defaults of all other keys.
    pub fn empty() -> Source {
        toml::from_str("").expect("every key of a source may be left out")
    }
}

/// File names that are looked for in a range of directories.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Directories {
    /// Names in order of precedence; a name may contain `/`.
    pub names: Vec<String>,
    /// Names that are taken.
    #[serde(default)]
    pub take: TakeNames,
    /// Start of the range: the working directory when the session starts, or the directory of a file when the agent
    /// reads it.
    #[serde(default)]
    pub from: From,
    /// End of the range.
    #[serde(default)]
    pub to: To,
    /// End of the range if there is no project root.
    #[serde(default)]
    pub without_root: WithoutRoot,
    /// End of the range that comes first.
    #[serde(default)]
    pub order: Order,
}

impl Directories {
    /// Creates a rule for these names, with the defaults of all other keys.
    pub fn of(names: Vec<String>) -> Directories {
        Directories {
            names,
            take: TakeNames::default(),
            from: From::default(),
            to: To::default(),
            without_root: WithoutRoot::default(),
            order: Order::default(),
        }
    }
}

/// Paths and URLs that a settings file lists.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// Settings file: TOML if its name ends with `.toml`, otherwise JSON5.
    pub file: String,
    /// Key of the list: `a.b` for a key in a table, `a[].b` for a key of every element.
    pub key: String,
    /// Directories that may contain the settings file.
    #[serde(default)]
    pub look: Look,
    /// If true, entries may be globs.
    #[serde(default)]
    pub globs: bool,
    /// Place of URLs among the entries.
    #[serde(default)]
    pub addresses: Addresses,
}

/// Texts that are looked up by key.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Texts {
    /// Keys, in order.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Folder with a file named after each key, for keys that the table `texts` does not have.
    pub folder: Option<String>,
}

/// A message that the agent sends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Message {
    /// Name by which another definition can replace single keys of the message.
    pub name: Option<String>,
    /// `false` disables it.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Place of the message.
    #[serde(default)]
    pub target: Target,
    /// Role of the message: `user` or `assistant` for a preamble message; `tool`, `user` or `system` for a read
    /// message.
    #[schemars(with = "Option<String>")]
    pub role: Option<Spanned<String>>,
    /// Kind of the message.
    pub kind: Option<Word<MessageKind>>,
    /// Names of the sources whose texts the message contains. Default: all that no other message names.
    #[schemars(with = "Option<Vec<String>>")]
    pub sources: Option<Vec<Spanned<String>>>,
    /// Prompt of the agent or of the model's provider, instead of sources.
    pub prompt: Option<Prompt>,
    /// Grouping of the texts of the message.
    #[serde(default)]
    pub entries: Entries,
    /// First of the joined texts.
    pub header: Option<WrapperTemplate>,
    /// Template around the texts.
    pub template: Option<WrapperTemplate>,
    /// Text between the texts.
    #[serde(default = "blank_line")]
    pub separator: String,
    /// Limit of all texts together.
    pub total: Option<Limit>,
    /// Sort key of the message; smaller ones come first.
    #[serde(default)]
    pub sort: i64,
    /// Kinds of session that get it. Default: all.
    pub sessions: Option<Vec<Word<SessionKind>>>,
    /// Prompt modes that get it. Default: all.
    pub prompt_modes: Option<Vec<Word<PromptMode>>>,
    /// Text to send if the sources give nothing.
    pub when_empty: Option<String>,
}

impl Message {
    /// Returns the role of the message; `None` if its target does not allow the declared role.
    pub fn said_by(&self) -> Option<Role> {
        let role = self.role.as_ref().map(|role| role.get_ref().as_str());
        match (self.target, role) {
            (Target::SystemSection, None | Some("system")) => Some(Role::System),
            (Target::PreambleMessage, None | Some("user")) => Some(Role::User),
            (Target::PreambleMessage, Some("assistant")) => Some(Role::Assistant),
            (Target::ReadMessage, None | Some("tool")) => Some(Role::Tool),
            (Target::ReadMessage, Some("user")) => Some(Role::User),
            (Target::ReadMessage, Some("system")) => Some(Role::System),
            (_, Some(_)) => None,
        }
    }

    /// Creates a message of everything that belongs to its target.
    pub fn plain(target: Target) -> Message {
        Message {
            name: None,
            enabled: true,
            target,
            role: None,
            kind: None,
            sources: None,
            prompt: None,
            entries: Entries::Joined,
            header: None,
            template: None,
            separator: blank_line(),
            total: None,
            sort: 0,
            sessions: None,
            prompt_modes: None,
            when_empty: None,
        }
    }
}

/// Prompt of the agent, otherwise of the model's provider. Prompts of providers are named, not shown.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Prompt {
    /// Place of an agent's own prompt: a settings file, and a key in which `{agent}` is the agent's name.
    pub agent: Option<List>,
    /// Agent to use if the question names none.
    pub default_agent: Option<String>,
    /// Place of the model's id, if the question names none.
    pub model: Option<List>,
    /// Providers, selected by the model's id; the first match counts.
    #[serde(default)]
    pub providers: Vec<Provider>,
    /// Provider of all other models.
    pub default: String,
}

/// Provider of models.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Provider {
    /// Name of its prompt.
    pub name: String,
    /// Texts of which the model's id contains one.
    pub contains: Vec<String>,
}

/// Events after which it is not known what the real client does. Each text explains this, and is shown when the event
/// occurs.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Unsure {
    /// A file exists and has no text.
    pub empty: Option<String>,
    /// A file is not UTF-8, or begins with a byte order mark.
    pub decoding: Option<String>,
    /// A text is cut.
    pub cut: Option<String>,
    /// Two paths lead to one file.
    pub link: Option<String>,
    /// A settings file lists a relative path, and the working directory is not the root of the project.
    pub relative: Option<String>,
    /// The question names an agent.
    pub agent: Option<String>,
}

fn git() -> Vec<String> {
    vec![".git".to_owned()]
}

fn blank_line() -> String {
    "\n\n".to_owned()
}

fn yes() -> bool {
    true
}
