//! The words of answers: enums whose values have one word each, for the wire, the CLI, settings and the UI alike.

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
        /// Not every byte: [`super::Answer::certain`] says what is.
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
        /// A skill or a command that is called.
        Call = "call",
        /// A developer's instructions from settings.
        Developer = "developer",
        /// A reminder that the harness adds by itself.
        Reminder = "reminder",
        /// The prompt or the memory of an agent.
        Agent = "agent",
        /// The list of agents that the model may call.
        Agents = "agents",
        /// What MCP servers say of themselves.
        Servers = "servers",
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

impl SessionKind {
    /// The user's own session, and those that it starts: what most harnesses tell apart.
    pub const WITH_SUBAGENTS: [SessionKind; 2] = [SessionKind::Main, SessionKind::Subagent];
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
        /// An agent that may be called.
        Agent = "agent",
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
