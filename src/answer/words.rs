//! Enums of answers whose values have one word each, shared by the wire, the CLI, settings and the UI.

/// An enum whose values have one word each.
pub trait Worded: Copy + 'static {
    /// Returns every word, in order.
    fn words() -> impl Iterator<Item = &'static str>;
    /// Returns the value for a word.
    fn of_word(word: &str) -> Option<Self>;
}

/// Declares an enum whose values have one word each, shared by the wire, the CLI, settings and the UI.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$value_doc])* $value,)+ }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [$name] = &[$($name::$value),+];

            /// Returns the word for this value.
            pub fn word(self) -> &'static str {
                match self { $($name::$value => $word,)+ }
            }

            /// Returns the value for a word.
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
    /// Kind of session, for agents that distinguish kinds.
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
    /// Tool with which the agent reaches the target.
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
    /// Aspects of an answer that are certain even if not every byte is.
    Certain {
        /// The set of files.
        Set = "set",
        /// The order of the files.
        Order = "order",
        /// The text that reaches the model from the files, and the text around it.
        Text = "text",
    }
}

words! {
    /// How much of a system prompt is built, for agents that have such modes.
    PromptMode {
        /// Everything.
        Full = "full",
        /// What sub-agents get.
        Minimal = "minimal",
        /// Only one line about the agent's identity.
        None = "none",
    }
}

words! {
    /// How far an answer can be trusted.
    Fidelity {
        /// Byte for byte what the client sends.
        Exact = "exact",
        /// The rules of the newest checked version, applied to a newer one that was not checked.
        Unchecked = "unchecked",
        /// Not every byte is certain; [`super::Answer::certain`] says what is.
        Files = "files",
    }
}

words! {
    /// Moment at which a text reaches the model.
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
    /// Role under which a message is sent.
    Role {
        /// System prompt.
        System = "system",
        /// Developer message.
        Developer = "developer",
        /// User message.
        User = "user",
        /// Assistant message.
        Assistant = "assistant",
        /// Output of a tool.
        Tool = "tool",
    }
}

words! {
    /// Kind of content of a message. The conformance tests compare `instructions`.
    MessageKind {
        /// Texts of instruction files.
        Instructions = "instructions",
        /// Environment block.
        Environment = "environment",
        /// List of skills.
        Skills = "skills",
        /// Skill or command that is called.
        Call = "call",
        /// Developer instructions from settings.
        Developer = "developer",
        /// Reminder that the client adds by itself.
        Reminder = "reminder",
        /// Prompt or memory of an agent.
        Agent = "agent",
        /// List of agents that the model may call.
        Agents = "agents",
        /// Instructions that MCP servers give.
        Servers = "servers",
        /// Prompt for the model's provider.
        Provider = "provider",
        /// Part of the context that is reserved for memory.
        Reserve = "reserve",
    }
}

words! {
    /// Scope that a source belongs to.
    Scope {
        /// Set by an administrator.
        Managed = "managed",
        /// In the user's home directory.
        User = "user",
        /// In the project.
        Project = "project",
        /// In a directory below the working directory.
        Nested = "nested",
        /// Private to this user and project.
        Local = "local",
        /// Named in a settings file.
        Config = "config",
        /// Rule file.
        Rule = "rule",
        /// Imported by another file.
        Import = "import",
        /// Written by the agent for itself.
        Memory = "memory",
        /// Behind a URL.
        Remote = "remote",
        /// Generated by the client.
        Generated = "generated",
    }
}

words! {
    /// What became of a source.
    Fate {
        /// The whole source reaches the model.
        Loaded = "loaded",
        /// Part of the source reaches the model.
        Truncated = "truncated",
        /// The name and description reach the model, and the text when the skill or command is called.
        Listed = "listed",
        /// Another file is used instead.
        Shadowed = "shadowed",
        /// Left out because of a budget, the session kind, or an error elsewhere.
        Dropped = "dropped",
        /// Considered, but contributes no text.
        Empty = "empty",
        /// Excluded by a setting.
        Excluded = "excluded",
        /// Referenced or expected, but does not exist.
        Missing = "missing",
        /// Exists, but could not be read.
        Unreadable = "unreadable",
        /// Not known yet: a URL that was not fetched.
        Pending = "pending",
    }
}

impl SessionKind {
    /// Main session and sub-agents, the kinds that most agents distinguish.
    pub const WITH_SUBAGENTS: [SessionKind; 2] = [SessionKind::Main, SessionKind::Subagent];
}

impl Fate {
    /// Returns true if the source, or something about it, reaches the model.
    pub fn reaches(self) -> bool {
        matches!(self, Fate::Loaded | Fate::Truncated | Fate::Listed)
    }
}

words! {
    /// Purpose of a source.
    Purpose {
        /// Instructions.
        Instructions = "instructions",
        /// Persona of the agent.
        Persona = "persona",
        /// Notes on tools.
        Tools = "tools",
        /// Name and appearance of the agent.
        Identity = "identity",
        /// Facts about the user.
        User = "user",
        /// Memory of the agent.
        Memory = "memory",
        /// Instructions for periodic wake-ups.
        Heartbeat = "heartbeat",
        /// Instructions for the first run.
        Bootstrap = "bootstrap",
        /// A skill.
        Skill = "skill",
        /// An agent that may be called.
        Agent = "agent",
    }
}

words! {
    /// Unit of a limit. Never "chars".
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
    /// Scope in which a limit is shared.
    Per {
        /// Each source has the limit for itself.
        Source = "source",
        /// All sources of the chain share the limit.
        Chain = "chain",
    }
}
