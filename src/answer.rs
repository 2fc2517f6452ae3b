//! What an answer consists of: messages, sources with their fates, warnings, and the standpoint it holds for.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::search::Trace;
use crate::snapshot::Ask;
use crate::text::{Size, without_passwords};

mod claim;
mod mention;
mod standpoint;
mod text;

pub use claim::{Claim, Standing};
pub use mention::Mention;
pub use standpoint::{OptionValue, Provided, Standpoint, Surroundings};
pub use text::Text;

/// An enum whose values have one word each.
pub trait Worded: Copy + 'static {
    /// Every word, in order.
    fn words() -> impl Iterator<Item = &'static str>;
    /// The value of that word.
    fn of_word(word: &str) -> Option<Self>;
}

/// Declares an enum whose values have one word each, used by the wire, the CLI, settings and the UI alike.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$value_doc])* $value,)+ }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [$name] = &[$($name::$value),+];

            /// The one word for it.
            pub fn word(self) -> &'static str {
                match self { $($name::$value => $word,)+ }
            }

            /// The value of that word.
            pub fn named(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$value),)+ _ => None }
            }
        }

        impl Worded for $name {
            fn words() -> impl Iterator<Item = &'static str> {
                $name::ALL.iter().map(|value| value.word())
            }

            fn of_word(word: &str) -> Option<$name> {
                $name::named(word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

words! {
    /// The kind of session, where a harness has kinds.
    SessionKind {
        /// The user's own session.
        Main = "main",
        /// A session that another session started.
        Subagent = "subagent",
        /// A scheduled run.
        Cron = "cron",
        /// A chat with several people.
        Group = "group",
        /// OpenClaw: `agent --local`, without the Gateway and its hooks.
        Local = "local",
    }
}

words! {
    /// With which tool the agent reaches the target.
    Tool {
        /// The tool that reads files.
        Read = "read",
        /// The tool that changes a file in place.
        Edit = "edit",
        /// The tool that writes a whole file.
        Write = "write",
        /// A command that prints the file, such as `cat`.
        Shell = "shell",
        /// The user names the file in a message, as `@file`.
        Mention = "mention",
    }
}

words! {
    /// What is certain of an answer, when not every byte is.
    Certain {
        /// Which files it is made of.
        Set = "set",
        /// In which order they come.
        Order = "order",
        /// What of them reaches the model, and the words around it.
        Text = "text",
    }
}

words! {
    /// How much of a system prompt is built, where a harness has modes.
    PromptMode {
        /// Everything.
        Full = "full",
        /// What sub-agents get.
        Minimal = "minimal",
        /// One identity line.
        None = "none",
    }
}

words! {
    /// How far an answer can be trusted.
    Fidelity {
        /// Byte for byte what the client sends.
        Exact = "exact",
        /// The rules of the last version that was checked, for a newer one that was not.
        Unchecked = "unchecked",
        /// Not every byte: [`Answer::certain`] says what is.
        Files = "files",
    }
}

words! {
    /// When a text reaches the model.
    Trigger {
        /// At the start of the session.
        Session = "session",
        /// When the agent reads the target.
        Read = "read",
        /// When the user attaches a file.
        Attach = "attach",
        /// When the agent asks for it (skill bodies, agent-requested rules).
        Call = "call",
    }
}

words! {
    /// Who says a message.
    Role {
        /// The system prompt.
        System = "system",
        /// A developer message.
        Developer = "developer",
        /// A user message.
        User = "user",
        /// An assistant message.
        Assistant = "assistant",
        /// The output of a tool.
        Tool = "tool",
    }
}

words! {
    /// What a message is for. Conformance compares `instructions`.
    MessageKind {
        /// The texts of instruction files.
        Instructions = "instructions",
        /// The environment block.
        Environment = "environment",
        /// The list of skills.
        Skills = "skills",
        /// A developer's instructions from settings.
        Developer = "developer",
        /// A reminder that the harness adds by itself.
        Reminder = "reminder",
        /// The prompt of an agent.
        Agent = "agent",
        /// The prompt of a model's provider.
        Provider = "provider",
        /// A part of the context that is kept free for memory.
        Reserve = "reserve",
    }
}

words! {
    /// Where a source belongs.
    Scope {
        /// Set by an administrator.
        Managed = "managed",
        /// In the user's home.
        User = "user",
        /// In the project.
        Project = "project",
        /// In a directory below the working directory.
        Nested = "nested",
        /// Private to this user and project.
        Local = "local",
        /// Named in a settings file.
        Config = "config",
        /// A rule file.
        Rule = "rule",
        /// Imported by another file.
        Import = "import",
        /// Written by the agent for itself.
        Memory = "memory",
        /// Behind a URL.
        Remote = "remote",
        /// Made by the harness.
        Generated = "generated",
    }
}

words! {
    /// What became of a source.
    Fate {
        /// All of it reaches the model.
        Loaded = "loaded",
        /// A part of it reaches the model.
        Truncated = "truncated",
        /// Its name and description reach the model, and its text once it is called for.
        Listed = "listed",
        /// Another file is taken in its place.
        Shadowed = "shadowed",
        /// Left out: no budget, a wrong session kind, an error elsewhere.
        Dropped = "dropped",
        /// Considered, but without any text to give.
        Empty = "empty",
        /// Excluded by a setting.
        Excluded = "excluded",
        /// Named or expected, and not there.
        Missing = "missing",
        /// There, but its text is not to be had.
        Unreadable = "unreadable",
        /// Not known yet: a URL that was not fetched.
        Pending = "pending",
    }
}

impl Fate {
    /// Whether any of it, or anything about it, reaches the model.
    pub fn reaches(self) -> bool {
        matches!(self, Fate::Loaded | Fate::Truncated | Fate::Listed)
    }
}

words! {
    /// What a source is for.
    Purpose {
        /// Instructions.
        Instructions = "instructions",
        /// Who the agent is to be.
        Persona = "persona",
        /// Notes on tools.
        Tools = "tools",
        /// The agent's name and look.
        Identity = "identity",
        /// About the user.
        User = "user",
        /// What the agent remembers.
        Memory = "memory",
        /// What to do when nothing happens.
        Heartbeat = "heartbeat",
        /// What to do the first time.
        Bootstrap = "bootstrap",
        /// A skill.
        Skill = "skill",
    }
}

words! {
    /// The unit of a limit. Never "chars".
    Unit {
        /// Bytes.
        Bytes = "bytes",
        /// UTF-16 code units.
        Utf16 = "utf16",
        /// Lines.
        Lines = "lines",
        /// Tokens.
        Tokens = "tokens",
    }
}

words! {
    /// What a limit is shared by.
    Per {
        /// Every source has it for itself.
        Source = "source",
        /// All sources of the chain share it.
        Chain = "chain",
    }
}

/// A limit that was in force for a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How much.
    pub value: usize,
    /// Of what.
    pub unit: Unit,
    /// Shared by what.
    pub per: Per,
    /// `default`, or the settings file that set it.
    pub from: String,
}

/// Where a source's text comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A file.
    Path(PathBuf),
    /// A URL.
    Url(String),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Path(path) => path.display().fmt(f),
            Place::Url(url) => f.pad(&without_passwords(url)),
        }
    }
}

/// A considered file or URL, with what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file or URL.
    pub place: Place,
    /// Where it belongs.
    pub scope: Scope,
    /// When it reaches the model.
    pub trigger: Trigger,
    /// What became of it.
    pub fate: Fate,
    /// What it is for.
    pub purpose: Purpose,
    /// What shadowed or displaced it.
    pub by: Option<PathBuf>,
    /// Why, in words.
    pub reason: String,
    /// How large the file is, where it was read.
    pub size: Option<Size>,
    /// The limit in force, where there is one.
    pub limit: Option<Limit>,
    /// Byte ranges of the file that reach the model.
    pub kept: Vec<Range<usize>>,
    /// How much of it, or about it, reaches the model, where that is not the kept ranges.
    pub sent: Option<Size>,
    /// Index of the message it is in.
    pub message: Option<usize>,
    /// Index of the part of that message.
    pub part: Option<usize>,
}

impl Source {
    /// A source of project instructions at session start, to be refined by struct update.
    pub fn new(path: impl Into<PathBuf>, scope: Scope, fate: Fate, reason: impl Into<String>) -> Source {
        Source {
            place: Place::Path(path.into()),
            scope,
            trigger: Trigger::Session,
            fate,
            purpose: Purpose::Instructions,
            by: None,
            reason: reason.into(),
            size: None,
            limit: None,
            kept: Vec::new(),
            sent: None,
            message: None,
            part: None,
        }
    }

    /// How many bytes and UTF-16 units of it, or about it, reach the model; `None` where nothing does. The units of a part of
    /// a file are known where the file is ASCII, or the harness says.
    pub fn reaches(&self) -> Option<(usize, Option<usize>)> {
        if let Some(sent) = self.sent {
            return Some((sent.bytes, Some(sent.utf16)));
        }
        let size = self.size.filter(|_| !self.kept.is_empty())?;
        let bytes = self.kept.iter().map(ExactSizeIterator::len).sum();
        let utf16 = if bytes == size.bytes { Some(size.utf16) } else { (size.bytes == size.utf16).then_some(bytes) };
        Some((bytes, utf16))
    }

    /// The same for a file of that size which reaches the model whole.
    pub fn whole(path: impl Into<PathBuf>, scope: Scope, size: Size, reason: impl Into<String>) -> Source {
        let everything = 0..size.bytes;
        Source {
            size: Some(size),
            kept: if everything.is_empty() { Vec::new() } else { vec![everything] },
            ..Source::new(path, scope, Fate::Loaded, reason)
        }
    }

    /// Whether it is the file of this path, as the path is written. Answers have hundreds of sources, and none of their
    /// paths has anything to normalize.
    pub fn is_file(&self, path: &Path) -> bool {
        matches!(&self.place, Place::Path(own) if own.as_os_str() == path.as_os_str())
    }

    /// Its path, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Path(path) => Some(path),
            Place::Url(_) => None,
        }
    }
}

/// One message that the model gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// When.
    pub trigger: Trigger,
    /// From whom.
    pub role: Role,
    /// What for.
    pub kind: MessageKind,
    /// What it is called, where its text is not ours to show (`anthropic`, `plan`).
    pub name: Option<String>,
    /// The separately formatted entries that the text is joined from.
    pub parts: Vec<Text>,
    /// The exact text; empty where only the name is known.
    pub text: Text,
    /// What stands before it, in the same string of the client's request.
    pub before: String,
    /// What stands behind it there.
    pub after: String,
}

impl Message {
    /// A message of instructions in one part.
    pub fn instructions(trigger: Trigger, role: Role, text: impl Into<Text>) -> Message {
        let text = text.into();
        Message {
            trigger,
            role,
            kind: MessageKind::Instructions,
            name: None,
            parts: vec![text.clone()],
            text,
            before: String::new(),
            after: String::new(),
        }
    }

    /// A message of instructions from several parts.
    pub fn joined(trigger: Trigger, role: Role, parts: Vec<Text>, separator: &str) -> Message {
        let text = Text::joined(&parts, separator);
        Message {
            trigger,
            role,
            kind: MessageKind::Instructions,
            name: None,
            parts,
            text,
            before: String::new(),
            after: String::new(),
        }
    }

    /// The same between others' words, in one string of the client's request.
    pub fn between(self, before: impl Into<String>, after: impl Into<String>) -> Message {
        Message { before: before.into(), after: after.into(), ..self }
    }

    /// A message that is known by name only.
    pub fn named(role: Role, kind: MessageKind, name: impl Into<String>) -> Message {
        Message {
            trigger: Trigger::Session,
            role,
            kind,
            name: Some(name.into()),
            parts: Vec::new(),
            text: Text::default(),
            before: String::new(),
            after: String::new(),
        }
    }
}

/// Something the user should know about an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Warning {
    /// A stable code, such as `over-budget`.
    pub code: &'static str,
    /// The file it is about.
    pub path: Option<PathBuf>,
    /// What, where and what to do.
    pub message: String,
}

impl Warning {
    /// The code of the warning which an answer has that a mistake of Briefing's own has ended.
    pub const INTERNAL_ERROR: &str = "internal-error";

    /// A warning about a file.
    pub fn at(code: &'static str, path: impl Into<PathBuf>, message: impl Into<String>) -> Warning {
        Warning { code, path: Some(path.into()), message: message.into() }
    }

    /// A warning about the answer as a whole.
    pub fn general(code: &'static str, message: impl Into<String>) -> Warning {
        Warning { code, path: None, message: message.into() }
    }
}

/// The harness itself would not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The file that stops it.
    pub path: PathBuf,
    /// What is wrong there, and what to do.
    pub message: String,
}

impl Refusal {
    /// What is wrong at `path`.
    pub fn new(path: impl Into<PathBuf>, message: impl Into<String>) -> Refusal {
        Refusal { path: path.into(), message: message.into() }
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Answer {
        Answer { refusal: Some(refusal), ..Answer::default() }
    }
}

/// What an edition finds out: everything of a resolution that depends on the harness.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Where the project starts, where the harness has such a notion.
    pub root: Option<PathBuf>,
    /// Set when the harness would refuse to start.
    pub refusal: Option<Refusal>,
    /// Set when not every byte is certain, with the reason.
    pub files_only: Option<String>,
    /// What is not certain then; nothing said: the text.
    pub uncertain: Vec<Certain>,
    /// The messages in the order the model gets them.
    pub messages: Vec<Message>,
    /// Every considered source.
    pub sources: Vec<Source>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// Where files name other files.
    pub mentions: Vec<Mention>,
}

impl Answer {
    /// Remembers that `text` in `file` names other files.
    pub fn mention(&mut self, file: &Path, text: &str, leads_to: impl IntoIterator<Item = PathBuf>) {
        self.mentions.push(Mention::new(file, text, leads_to));
    }

    /// Remembers that not every byte is certain, and what is not. The first reason is the one that is told.
    pub fn doubt(&mut self, uncertain: &[Certain], reason: impl Into<String>) {
        self.files_only.get_or_insert_with(|| reason.into());
        self.uncertain.extend(uncertain);
    }

    /// What is certain.
    pub fn certain(&self) -> Vec<Certain> {
        let lost = |part: &Certain| {
            // Where files may be missing, or come in another order, the text is another one too.
            let follows = match part {
                Certain::Set => self.uncertain.contains(&Certain::Set),
                Certain::Order => self.uncertain.iter().any(|lost| matches!(lost, Certain::Set | Certain::Order)),
                Certain::Text => true,
            };
            self.files_only.is_some() && follows
        };
        Certain::ALL.iter().copied().filter(|part| !lost(part)).collect()
    }

    /// The answer of a harness that does not start.
    pub fn refused(path: impl Into<PathBuf>, message: impl Into<String>) -> Answer {
        Refusal::new(path, message).into()
    }
}

/// The whole answer to one question.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The harness's id.
    pub harness: String,
    /// The harness's name, for people.
    pub title: String,
    /// The edition's name.
    pub edition: String,
    /// How far it can be trusted.
    pub fidelity: Fidelity,
    /// What is claimed of the client's version.
    pub claim: Claim,
    /// From where it was asked, with the physical working directory.
    pub standpoint: Standpoint,
    /// The environment variables that mattered.
    pub env_used: BTreeMap<String, String>,
    /// What the harness found.
    pub answer: Answer,
    /// Everything that was asked, in order.
    pub trace: Trace,
    /// The facts it rests on, beside those of its parts.
    pub own_depends: Vec<Ask>,
}

impl Resolution {
    /// The facts it rests on. One may come several times.
    pub fn depends(&self) -> impl Iterator<Item = &Ask> {
        self.own_depends.iter().chain(self.trace.parts().flat_map(|part| &part.depends))
    }

    /// Whether a mistake of Briefing's own has ended it. Then not everything is known that it rests on.
    pub fn is_broken(&self) -> bool {
        self.answer.warnings.iter().any(|warning| warning.code == Warning::INTERNAL_ERROR)
    }

    /// The URLs whose texts are, or would be, part of it.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.depends().filter_map(|ask| match ask {
            Ask::Remote(url) => Some(url.as_str()),
            Ask::Kind(_) | Ask::LinkKind(_) | Ask::Real(_) | Ask::Target(_) | Ask::Content(_) => None,
            Ask::Listing(_) | Ask::Glob { .. } | Ask::Git(_) | Ask::Rows { .. } => None,
        })
    }
}
