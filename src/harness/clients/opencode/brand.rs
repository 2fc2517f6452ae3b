//! OpenCode and its forks: what they call their files and variables, and what they do differently.

use super::natives::{self, Native};

/// A program.
pub(super) struct Brand {
    /// The id, also the key of its options in requests.
    pub id: &'static str,
    /// Its name, for people.
    pub title: &'static str,
    /// What the names of its variables begin with.
    pub prefix: &'static str,
    /// What its folders below `~/.config`, `~/.local/share` and `/etc` are called.
    pub folder: &'static str,
    /// Its settings in the global folder, in the order in which they are laid over each other.
    pub global_files: &'static [&'static str],
    /// The names of its other settings files, less the ending: all those of one before all of the next.
    pub settings: &'static [&'static str],
    /// Its settings in one of the directories below, in their order.
    pub in_directory: &'static [&'static str],
    /// Folders with settings, agents and skills, in the order of one level.
    pub directories: &'static [&'static str],
    /// Switches that stop the client where they hold another word than yes and no, without the prefix.
    pub switches: &'static [&'static str],
    /// What it writes into settings that do not name their schema.
    pub schema: &'static str,
    /// The skill that comes with it: name, description, and where it is said to lie.
    pub skill: (&'static str, &'static str, &'static str),
    /// The agents that it brings along, in their order.
    pub agents: &'static [Native],
    /// Whether those of them that sessions start with may be sub-agents too.
    pub primary: PrimaryAgents,
    /// What becomes of settings, agents and commands that are not valid.
    pub invalid: Invalid,
    /// What a file may hold.
    pub ownership: Ownership,
    /// Whether the texts that it adds itself are known.
    pub own_texts: OwnTexts,
    /// Which of two skills with one name is taken.
    pub twins: TwinSkills,
    /// Whether folders of rules are looked for.
    pub rules: RuleFolders,
}

impl Brand {
    /// One of its variables.
    pub fn variable(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// The names of settings files in a directory of the project.
    pub fn project_files(&self) -> impl Iterator<Item = String> {
        self.settings.iter().flat_map(|name| [format!("{name}.json"), format!("{name}.jsonc")])
    }
}

/// What agents may be whose `mode` is `primary`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PrimaryAgents {
    /// Sub-agents as well, the hidden ones too.
    AreSubagentsToo,
    /// No sub-agents.
    StartSessionsOnly,
}

/// What is done with what is not valid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Invalid {
    /// The client stops.
    Stops,
    /// It is passed over.
    PassedOver,
}

/// Whether it matters who owns a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ownership {
    /// It does not: settings may hold references, instruction files are sent as they are.
    Same,
    /// References are filled in everywhere; in the project's files they may not leave the project, nor name variables.
    Counts,
}

/// Whether the texts that a program adds itself are known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnTexts {
    /// They are measured.
    Measured,
    /// They are only named.
    Named,
}

/// Which of two skills with one name is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TwinSkills {
    /// That changes from run to run.
    Either,
    /// The later one.
    Later,
}

/// Whether rules are looked for in folders of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleFolders {
    None,
    /// Those of Kilo, also under its former names.
    OfKilo,
}

/// OpenCode itself.
pub(super) static OPENCODE: Brand = Brand {
    id: "opencode",
    title: "OpenCode",
    prefix: "OPENCODE_",
    folder: "opencode",
    global_files: &["config.json", "opencode.json", "opencode.jsonc"],
    settings: &["opencode"],
    in_directory: &["opencode.json", "opencode.jsonc"],
    directories: &[".opencode"],
    switches: &[
        "AUTO_SHARE",
        "DISABLE_DEFAULT_PLUGINS",
        "DISABLE_EMBEDDED_WEB_UI",
        "DISABLE_LSP_DOWNLOAD",
        "ENABLE_EXA",
        "EXPERIMENTAL_EXA",
        "ENABLE_PARALLEL",
        "EXPERIMENTAL_PARALLEL",
        "ENABLE_EXPERIMENTAL_MODELS",
        "ENABLE_QUESTION_TOOL",
        "EXPERIMENTAL_REFERENCES",
        "EXPERIMENTAL_BACKGROUND_SUBAGENTS",
        "EXPERIMENTAL_LSP_TY",
        "EXPERIMENTAL_LSP_TOOL",
        "EXPERIMENTAL_OXFMT",
        "EXPERIMENTAL_CODE_MODE",
        "EXPERIMENTAL_EVENT_SYSTEM",
        "EXPERIMENTAL_WORKSPACES",
        "EXPERIMENTAL_ICON_DISCOVERY",
        "EXPERIMENTAL_NATIVE_LLM",
        "EXPERIMENTAL_WEBSOCKETS",
        "EXPERIMENTAL",
        "EXPERIMENTAL_PLAN_MODE",
        "PURE",
        "DISABLE_CLAUDE_CODE",
        "DISABLE_EXTERNAL_SKILLS",
        "DISABLE_CLAUDE_CODE_SKILLS",
    ],
    schema: "https://opencode.ai/config.json",
    skill: (
        "customize-opencode",
        "Use ONLY when the user is editing or creating opencode's own configuration: opencode.json, opencode.jsonc, files under .opencode/, or files under ~/.config/opencode/. Also use when creating or fixing opencode agents, subagents, skills, plugins, MCP servers, or permission rules. Do not use for the user's own application code, or for any project that is not configuring opencode itself.",
        "<built-in>",
    ),
    agents: natives::OF_OPENCODE,
    invalid: Invalid::Stops,
    ownership: Ownership::Same,
    primary: PrimaryAgents::AreSubagentsToo,
    own_texts: OwnTexts::Measured,
    twins: TwinSkills::Either,
    rules: RuleFolders::None,
};
