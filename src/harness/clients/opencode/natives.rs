//! The agents that OpenCode and its forks bring along.

/// An agent that a program brings along.
pub(super) struct Native {
    pub name: &'static str,
    /// What it is for.
    pub kind: Kind,
    /// Whose prompt it has.
    pub prompt: Prompt,
    /// Whether it may call for skills.
    pub skills: Skills,
}

/// What an agent is for.
pub(super) enum Kind {
    Session,
    Subagent,
    /// The client itself starts it.
    Hidden,
}

/// Whose prompt an agent has.
#[derive(PartialEq, Eq)]
pub(super) enum Prompt {
    Own,
    Providers,
}

/// Whether an agent may call for skills.
#[derive(PartialEq, Eq)]
pub(super) enum Skills {
    Allowed,
    Denied,
}

const fn native(name: &'static str, kind: Kind, prompt: Prompt, skills: Skills) -> Native {
    Native { name, kind, prompt, skills }
}

/// The agents that OpenCode brings along, in their order; 1.18.33, 1.15.13 and 1.1.53.
pub(super) static OF_OPENCODE: &[Native] = &[
    native("build", Kind::Session, Prompt::Providers, Skills::Allowed),
    native("plan", Kind::Session, Prompt::Providers, Skills::Allowed),
    native("general", Kind::Subagent, Prompt::Providers, Skills::Allowed),
    native("explore", Kind::Subagent, Prompt::Own, Skills::Denied),
    native("compaction", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("title", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("summary", Kind::Hidden, Prompt::Own, Skills::Denied),
];

/// Those that Kilo brings along, the usual one first; 7.7.9.
pub(super) static OF_KILO: &[Native] = &[
    native("code", Kind::Session, Prompt::Providers, Skills::Allowed),
    native("plan", Kind::Session, Prompt::Providers, Skills::Allowed),
    native("general", Kind::Subagent, Prompt::Providers, Skills::Allowed),
    native("explore", Kind::Subagent, Prompt::Own, Skills::Allowed),
    native("compaction", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("title", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("summary", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("debug", Kind::Session, Prompt::Own, Skills::Allowed),
    native("orchestrator", Kind::Session, Prompt::Own, Skills::Allowed),
    native("ask", Kind::Session, Prompt::Own, Skills::Allowed),
];
