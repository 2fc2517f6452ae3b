//! OpenCode and its forks: the names of their files and variables, and their differences.

use super::natives::{self, Native};

/// One of the programs.
pub(super) struct Brand {
    /// Id of the program, also the key of its options in requests.
    pub id: &'static str,
    /// Name of the program, for people.
    pub title: &'static str,
    /// Prefix of its environment variables.
    pub prefix: &'static str,
    /// Name of its folders below `~/.config`, `~/.local/share` and `/etc`.
    pub folder: &'static str,
    /// Settings files in the global folder, in the order in which they are merged.
    pub global_files: &'static [&'static str],
    /// Names of the other settings files, without extension; all files of one name come before those of the next.
    pub settings: &'static [&'static str],
    /// Settings files in one of the `directories`, in order.
    pub in_directory: &'static [&'static str],
    /// Folders with settings, agents and skills, in their order within one level.
    pub directories: &'static [&'static str],
    /// Switches, without the prefix, that stop the client if their value is neither yes nor no.
    pub switches: &'static [&'static str],
    /// Schema URL that it writes into settings without one.
    pub schema: &'static str,
    /// Bundled skill: name, description, and its stated location.
    pub skill: (&'static str, &'static str, &'static str),
    /// Built-in agents, in order.
    pub agents: &'static [Native],
    /// Sub-agent use of built-in agents that start sessions.
    pub primary: PrimaryAgents,
    /// Handling of invalid settings, agents and commands.
    pub invalid: Invalid,
    /// References that a file may contain, by its owner.
    pub ownership: Ownership,
    /// Knowledge of the texts that it adds itself.
    pub own_texts: OwnTexts,
    /// Precedence of two skills with one name.
    pub twins: TwinSkills,
    /// Folders of rules that are read.
    pub rules: RuleFolders,
}

impl Brand {
    /// Returns the name of one of its variables.
    pub fn variable(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Returns the names of settings files in a directory of the project.
    pub fn project_files(&self) -> impl Iterator<Item = String> {
        self.settings.iter().flat_map(|name| [format!("{name}.json"), format!("{name}.jsonc")])
    }
}

/// Sub-agent use of agents whose `mode` is `primary`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PrimaryAgents {
    /// They may be sub-agents as well, including the hidden ones.
    AreSubagentsToo,
    /// They cannot be sub-agents.
    StartSessionsOnly,
}

/// Handling of invalid settings, agents and commands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Invalid {
    /// The client stops.
    Stops,
    /// They are ignored.
    PassedOver,
}

/// Effect of a file's owner on the references in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ownership {
    /// It does not: settings may contain references, instruction files are sent as they are.
    Same,
    /// It does: references are filled in everywhere; in the project's files they must not leave the project or name
    /// variables.
    Counts,
}

/// Knowledge of the texts that a program adds itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnTexts {
    /// The texts were measured.
    Measured,
    /// The texts are only named.
    Named,
}

/// Precedence of two skills with one name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TwinSkills {
    /// It changes from run to run.
    Either,
    /// The later one wins.
    Later,
}

/// Folders of rules that are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleFolders {
    None,
    /// The folders of Kilo, including those with its former names.
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
