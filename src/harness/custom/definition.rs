//! What a declaration may say: one type per table of `[harness.ID]`, each key with what it means. The JSON schema for
//! editors is made from these types.

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

/// The part of a `briefing.toml` that is about agents: those that a project is for, and harnesses by id.
#[derive(Debug, Default, JsonSchema)]
#[expect(dead_code, reason = "the file is taken apart by hand, so that one wrong harness leaves the others alone")]
pub struct File {
    /// The agents that the project is for, such as `["codex", "claude-code@2.1"]`. They are shown and judged unless
    /// `--agents` or the editor's settings name others.
    #[serde(default)]
    agents: Vec<String>,
    /// The harnesses that are declared, by id.
    #[serde(default)]
    harness: BTreeMap<String, Definition>,
    /// The same in the words of an InstructionConfig, by id; what both say is one harness.
    #[serde(default, rename = "instructionConfig")]
    instruction_config: BTreeMap<String, Definition>,
}

/// A harness: where it looks (`source`, in order), and what it says (`message`, in order).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    /// Its name, for people. Absent: its id.
    pub title: Option<String>,
    /// What it reads, in a sentence.
    pub summary: Option<String>,
    /// The edition (`codex@0.169`) or the other custom harness that it begins with; or several, one after the other.
    #[expect(dead_code, reason = "read before the definition is taken apart")]
    pub extends: Option<OneOrSeveral>,
    /// Values to replace in a built-in edition that it extends.
    #[serde(rename = "override")]
    pub overrides: Option<Override>,
    /// What makes a directory the root of the project: the nearest one at or above the working directory that holds any
    /// of these.
    #[serde(default = "git")]
    pub root_markers: Vec<String>,
    /// Which files count as the same, and are taken only once.
    #[serde(default)]
    pub dedupe: Dedupe,
    /// What becomes of bytes that are no UTF-8.
    #[serde(default)]
    pub decoding: Decoding,
    /// What becomes of a byte order mark at the beginning of a file.
    #[serde(default)]
    pub byte_order_mark: ByteOrderMark,
    /// Whether the sections of the system prompt are one message or each its own.
    #[serde(default)]
    pub system_messages: SystemMessages,
    /// What stands between the sections of the system prompt.
    #[serde(default = "blank_line")]
    pub section_separator: String,
    /// How many tokens the model's context holds.
    pub max_context_tokens: Option<Amount>,
    /// The share of them that is kept free for memory.
    #[serde(alias = "memoryTokensRatio")]
    pub memory_tokens_ratio: Option<Ratio>,
    /// Texts by key, for sources with `texts`.
    #[serde(default)]
    pub texts: BTreeMap<String, String>,
    /// What is not known of the real client, by event: where it happens, only the set of files is certain.
    #[serde(default)]
    pub unsure: Unsure,
    /// The prompt modes that it knows; absent: all.
    pub prompt_modes: Option<Vec<Word<PromptMode>>>,
    /// Of an InstructionConfig: what is told at the start of every session.
    #[serde(rename = "static")]
    pub fixed: Option<Static>,
    /// Of an InstructionConfig: what is told when the agent reads a file.
    pub dynamic: Option<Dynamic>,
    /// Of an InstructionConfig: the limit of each file that has no other.
    pub truncation: Option<Truncation>,
    /// Of an InstructionConfig: what sub-agents get.
    pub subagent: Option<Subagent>,
    /// Of an InstructionConfig: a text for the case that nothing is found, where no `message` is declared.
    #[serde(rename = "whenEmpty")]
    pub when_empty: Option<String>,
    /// Said when the harness finds nothing: what the user has to configure.
    pub unconfigured: Option<String>,
    /// Where it looks, in order.
    #[serde(default, rename = "source")]
    #[schemars(with = "Vec<Source>")]
    pub sources: Vec<Spanned<Source>>,
    /// What it says, in order. Absent: one section of the system prompt, and one message of what reading a file adds.
    #[serde(default, rename = "message")]
    #[schemars(with = "Vec<Message>")]
    pub messages: Vec<Spanned<Message>>,
}

/// Values to replace in a built-in edition. Which of them an edition has, an error message says.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Override {
    /// The file names that are looked for, in order.
    pub names: Option<Vec<String>>,
    /// Names that are looked for after them.
    pub fallbacks: Option<Vec<String>>,
    /// What makes a directory the project root.
    pub root_markers: Option<Vec<String>>,
    /// The limit of each file, in the unit the edition counts.
    pub limit: Option<Amount>,
    /// The limit of all files together, in the unit the edition counts.
    pub total_limit: Option<Amount>,
    /// The share of a limit that is kept of a file's beginning.
    pub head_ratio: Option<Ratio>,
    /// The share of a limit that is kept of a file's end.
    pub tail_ratio: Option<Ratio>,
}

/// Where a harness looks. Exactly one of `directories`, `files`, `urls`, `list`, `provided`, `texts` and `text` says how.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    /// Its name, by which messages and templates call it, and by which another definition replaces single keys of it.
    pub name: Option<String>,
    /// `false` switches it off.
    #[serde(default = "yes")]
    pub enabled: bool,

    /// File names that are looked for in a range of directories.
    pub directories: Option<Directories>,
    /// Paths and globs.
    pub files: Option<Vec<FileEntry>>,
    /// Where the paths of `files` start.
    #[serde(default)]
    pub base: Base,
    /// Which of `files` are taken.
    #[serde(default)]
    pub take: TakeFiles,
    /// Whether its files may be missing without a word.
    #[serde(default)]
    pub optional: bool,
    /// Addresses. They are named, and fetched only when the user says so.
    pub urls: Option<Vec<Url>>,
    /// Paths and addresses that a settings file lists.
    pub list: Option<List>,
    /// Texts that the application hands over with the call, after these.
    pub provided: Option<Vec<String>>,
    /// Texts that are looked up by key.
    pub texts: Option<Texts>,
    /// A fixed text.
    pub text: Option<WrapperTemplate>,

    /// What its texts are for.
    pub purpose: Option<Word<Purpose>>,
    /// Where its files belong. Absent: what their place suggests.
    pub scope: Option<Word<Scope>>,
    /// The kinds of session that get it; absent: all.
    pub sessions: Option<Vec<Word<SessionKind>>>,
    /// The prompt modes that get it; absent: all.
    pub prompt_modes: Option<Vec<Word<PromptMode>>>,
    /// Orders the sources of a message; smaller ones come first.
    #[serde(default)]
    pub sort: i64,
    /// How one file is written.
    pub entry: Option<EntryTemplate>,
    /// What stands for a file that is missing. Absent: nothing.
    pub missing: Option<MissingTemplate>,
    /// A text for the case that nothing is found.
    pub when_empty: Option<String>,
    /// The limit of each file.
    pub limit: Option<Limit>,
    /// `false`: what it takes is not charged to the total of its message.
    #[serde(default = "yes")]
    pub charged: bool,
    /// What stands between its files. Absent: the separator of the message.
    pub separator: Option<String>,
    /// What is taken off a text's ends.
    #[serde(default)]
    pub trim: Trim,
    /// What becomes of a text that is only white space.
    #[serde(default)]
    pub blank: Blank,
    /// What becomes of bytes that are no UTF-8; absent: what the harness says.
    pub decoding: Option<Decoding>,
    /// What becomes of a byte order mark; absent: what the harness says.
    pub byte_order_mark: Option<ByteOrderMark>,
}

impl Source {
    /// The keys of a source that say how it looks; it has exactly one.
    pub const KINDS: [&str; 7] = ["directories", "files", "urls", "list", "provided", "texts", "text"];

    /// Whether a source looks when the agent reads a file.
    pub fn on_read(&self) -> bool {
        self.directories.as_ref().is_some_and(|directories| directories.from == From::Target)
    }

    /// One that looks nowhere yet, with everything else as if its keys were left out.
    pub fn empty() -> Source {
        toml::from_str("").expect("every key of a source may be left out")
    }
}

/// File names that are looked for in a range of directories.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Directories {
    /// The names, in order of priority; a name may hold `/`.
    pub names: Vec<String>,
    /// Which of them are taken.
    #[serde(default)]
    pub take: TakeNames,
    /// Where the range begins: at the working directory when the session starts, or at the directory of a file when the
    /// agent reads it.
    #[serde(default)]
    pub from: From,
    /// Where it ends.
    #[serde(default)]
    pub to: To,
    /// Where it ends when there is no project root.
    #[serde(default)]
    pub without_root: WithoutRoot,
    /// Which end of the range comes first.
    #[serde(default)]
    pub order: Order,
}

impl Directories {
    /// These names, with everything else as if its keys were left out.
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

/// Paths and addresses that a settings file lists.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// The settings file: JSON with comments, or TOML by its name.
    pub file: String,
    /// The key that holds the list, `a.b` for a key in a table, `a[].b` for a key of every element.
    pub key: String,
    /// Which directories may hold the settings file.
    #[serde(default)]
    pub look: Look,
    /// Whether entries may be globs.
    #[serde(default)]
    pub globs: bool,
    /// Where addresses among the entries come.
    #[serde(default)]
    pub addresses: Addresses,
}

/// Texts that are looked up by key.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Texts {
    /// The keys, in order.
    #[serde(default)]
    pub keys: Vec<String>,
    /// The folder that holds a file of each key's name, where the table `texts` has none of that key.
    pub folder: Option<String>,
}

/// What a harness says.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Message {
    /// Its name, by which another definition replaces single keys of it.
    pub name: Option<String>,
    /// `false` switches it off.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Where it goes.
    #[serde(default)]
    pub target: Target,
    /// Who says it: of a preamble message `user` or `assistant`, of a read message `tool`, `user` or `system`.
    #[schemars(with = "Option<String>")]
    pub role: Option<Spanned<String>>,
    /// What it is for.
    pub kind: Option<Word<MessageKind>>,
    /// The sources whose texts it holds, by name; absent: all that no other message names.
    #[schemars(with = "Option<Vec<String>>")]
    pub sources: Option<Vec<Spanned<String>>>,
    /// The prompt of the agent or of the model's provider, in place of sources.
    pub prompt: Option<Prompt>,
    /// Whether its texts are joined, or each is a message (a section) of its own.
    #[serde(default)]
    pub entries: Entries,
    /// What stands before its texts, as one of them.
    pub header: Option<WrapperTemplate>,
    /// What stands around its texts.
    pub template: Option<WrapperTemplate>,
    /// What stands between its texts.
    #[serde(default = "blank_line")]
    pub separator: String,
    /// The limit of all its texts together.
    pub total: Option<Limit>,
    /// Orders messages; smaller ones come first.
    #[serde(default)]
    pub sort: i64,
    /// The kinds of session that get it; absent: all.
    pub sessions: Option<Vec<Word<SessionKind>>>,
    /// The prompt modes that get it; absent: all.
    pub prompt_modes: Option<Vec<Word<PromptMode>>>,
    /// A text for the case that its sources give nothing.
    pub when_empty: Option<String>,
}

impl Message {
    /// Who says a message; `None` if that is nobody who may.
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

    /// A message of everything that belongs to its target.
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

/// A prompt that belongs to the agent, or else to the provider of the model. Providers' prompts are named, not shown.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Prompt {
    /// Where an agent's own prompt stands: a settings file, and a key in which `{agent}` is the agent's name.
    pub agent: Option<List>,
    /// The agent that answers when the question names none.
    pub default_agent: Option<String>,
    /// Where the model stands, when the question names none.
    pub model: Option<List>,
    /// The providers, by what a model's id contains; the first that matches counts.
    #[serde(default)]
    pub providers: Vec<Provider>,
    /// The provider of every other model.
    pub default: String,
}

/// A provider of models.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Provider {
    /// The name of its prompt.
    pub name: String,
    /// What a model's id contains.
    pub contains: Vec<String>,
}

/// What is not known of the real client. Each text says what, and is shown where the event happens.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Unsure {
    /// A file is there, without any text.
    pub empty: Option<String>,
    /// A file is no UTF-8, or begins with a byte order mark.
    pub decoding: Option<String>,
    /// A text is cut.
    pub cut: Option<String>,
    /// Two paths lead to one file.
    pub link: Option<String>,
    /// A settings file lists a relative path, and the working directory is not the root of the project.
    pub relative: Option<String>,
    /// An agent is named.
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
