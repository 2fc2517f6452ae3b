//! The switches that OpenCode takes from the environment.

use super::OpenCode;
use super::rules::{ClaudeFlag, FlagWords, PlanEnd};
use crate::search::Search;

/// What the environment switches.
pub(super) struct Flags {
    /// No Claude files as instructions.
    pub no_claude: bool,
    /// No project instructions, no project settings.
    pub no_project: bool,
    /// No skills of `.claude`.
    pub no_claude_skills: bool,
    /// No skills of `.claude` and `.agents`.
    pub no_external_skills: bool,
    /// No plugins of the user's.
    pub pure: bool,
    /// The longer plan workflow.
    pub plan_file: bool,
}

/// Switches without influence on the prompt, whose wrong values stop the client all the same; 1.18.33.
const OTHERS: [&str; 27] = [
    "OPENCODE_AUTO_SHARE",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS",
    "OPENCODE_DISABLE_EMBEDDED_WEB_UI",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_ENABLE_EXA",
    "OPENCODE_EXPERIMENTAL_EXA",
    "OPENCODE_ENABLE_PARALLEL",
    "OPENCODE_EXPERIMENTAL_PARALLEL",
    "OPENCODE_ENABLE_EXPERIMENTAL_MODELS",
    "OPENCODE_ENABLE_QUESTION_TOOL",
    "OPENCODE_EXPERIMENTAL_REFERENCES",
    "OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS",
    "OPENCODE_EXPERIMENTAL_LSP_TY",
    "OPENCODE_EXPERIMENTAL_LSP_TOOL",
    "OPENCODE_EXPERIMENTAL_OXFMT",
    "OPENCODE_EXPERIMENTAL_CODE_MODE",
    "OPENCODE_EXPERIMENTAL_EVENT_SYSTEM",
    "OPENCODE_EXPERIMENTAL_WORKSPACES",
    "OPENCODE_EXPERIMENTAL_ICON_DISCOVERY",
    "OPENCODE_EXPERIMENTAL_NATIVE_LLM",
    "OPENCODE_EXPERIMENTAL_WEBSOCKETS",
    "OPENCODE_EXPERIMENTAL",
    "OPENCODE_EXPERIMENTAL_PLAN_MODE",
    "OPENCODE_PURE",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS",
];

impl Flags {
    /// Reads them; `Err` says which one stops the client.
    pub fn read(edition: &OpenCode, search: &Search) -> Result<Flags, String> {
        let in_words = |name: &str, words: FlagWords| match (search.env(name), words) {
            (None, _) => Ok(None),
            (Some(value), FlagWords::TrueOr1) => Ok(Some(is_true_or_1(&value))),
            (Some(value), FlagWords::Strict | FlagWords::Known) => match value.as_str() {
                "true" | "yes" | "on" | "1" | "y" => Ok(Some(true)),
                "false" | "no" | "off" | "0" | "n" => Ok(Some(false)),
                _ if words == FlagWords::Known => Ok(None),
                other => Err(format!("{name} is {other:?}, and must be true, yes, on, 1, y, false, no, off, 0 or n")),
            },
        };
        let flag = |name: &str| in_words(name, edition.flag_words);
        let on = |name: &str| Ok::<_, String>(flag(name)?.unwrap_or(false));
        let older = |name: &str| Ok::<_, String>(in_words(name, edition.older_flag_words)?.unwrap_or(false));
        for name in OTHERS {
            flag(name)?;
        }
        let claude = older("OPENCODE_DISABLE_CLAUDE_CODE")?;
        let experimental = on("OPENCODE_EXPERIMENTAL")?;
        let no_claude_skills = on("OPENCODE_DISABLE_CLAUDE_CODE_SKILLS")? || on("OPENCODE_DISABLE_CLAUDE_CODE")?;
        let planned = flag("OPENCODE_EXPERIMENTAL_PLAN_MODE")?;
        let takes_all_along = no_claude_skills && edition.claude_flag == ClaudeFlag::HomeOnly;
        Ok(Flags {
            no_claude: older("OPENCODE_DISABLE_CLAUDE_CODE_PROMPT")? || claude,
            no_project: search.env("OPENCODE_DISABLE_PROJECT_CONFIG").is_some_and(|value| is_true_or_1(&value)),
            no_claude_skills,
            no_external_skills: older("OPENCODE_DISABLE_EXTERNAL_SKILLS")? || takes_all_along,
            pure: on("OPENCODE_PURE")?,
            plan_file: match edition.plan_end {
                PlanEnd::Always => planned.unwrap_or(experimental),
                PlanEnd::OnlyWithFile => planned == Some(true) || experimental,
            },
        })
    }
}

fn is_true_or_1(value: &str) -> bool {
    value == "1" || value.eq_ignore_ascii_case("true")
}
