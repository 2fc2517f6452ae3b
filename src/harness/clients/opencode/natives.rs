//! The built-in agents of OpenCode and its forks.

/// A built-in agent.
pub(super) struct Native {
    pub name: &'static str,
    /// Purpose of the agent.
    pub kind: Kind,
    /// Origin of its prompt.
    pub prompt: Prompt,
    /// Permission to call skills.
    pub skills: Skills,
}

/// Purpose of an agent.
pub(super) enum Kind {
    Session,
    Subagent,
    /// Started by the client itself.
    Hidden,
}

/// Origin of an agent's prompt.
#[derive(PartialEq, Eq)]
pub(super) enum Prompt {
    Own,
    Providers,
}

/// Permission of an agent to call skills.
#[derive(PartialEq, Eq)]
pub(super) enum Skills {
    Allowed,
    Denied,
}

const fn native(name: &'static str, kind: Kind, prompt: Prompt, skills: Skills) -> Native {
    Native { name, kind, prompt, skills }
}

/// Built-in agents of OpenCode, in order (1.18.33, 1.15.13 and 1.1.53).
pub(super) static OF_OPENCODE: &[Native] = &[
    native("build", Kind::Session, Prompt::Providers, Skills::Allowed),
    native("plan", Kind::Session, Prompt::Providers, Skills::Allowed),
    native("general", Kind::Subagent, Prompt::Providers, Skills::Allowed),
    native("explore", Kind::Subagent, Prompt::Own, Skills::Denied),
    native("compaction", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("title", Kind::Hidden, Prompt::Own, Skills::Denied),
    native("summary", Kind::Hidden, Prompt::Own, Skills::Denied),
];

/// Built-in agents of Kilo, the default one first (7.7.9).
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
