//! The switches that OpenCode reads from the environment.

use super::OpenCode;
use super::rules::{ClaudeFlag, FlagWords, PlanEnd};
use crate::search::Search;

/// Switches set in the environment.
pub(super) struct Flags {
    /// Disables Claude's files as instructions.
    pub no_claude: bool,
    /// Disables project instructions and project settings.
    pub no_project: bool,
    /// Disables the skills of `.claude`.
    pub no_claude_skills: bool,
    /// Disables the skills of `.claude` and `.agents`.
    pub no_external_skills: bool,
    /// Disables the user's plugins.
    pub pure: bool,
    /// Enables the longer plan workflow.
    pub plan_file: bool,
}

impl Flags {
    /// Reads the switches; fails with the one that stops the client.
    pub fn read(edition: &OpenCode, search: &Search) -> Result<Flags, String> {
        let variable = |name: &str| edition.brand.variable(name);
        let in_words = |name: &str, words: FlagWords| match (search.env(&variable(name)), words) {
            (None, _) => Ok(None),
            (Some(value), FlagWords::TrueOr1) => Ok(Some(is_true_or_1(&value))),
            (Some(value), FlagWords::Strict | FlagWords::Known) => match value.as_str() {
                "true" | "yes" | "on" | "1" | "y" => Ok(Some(true)),
                "false" | "no" | "off" | "0" | "n" => Ok(Some(false)),
                _ if words == FlagWords::Known => Ok(None),
                other => Err(format!(
                    "{} is {other:?}, and must be true, yes, on, 1, y, false, no, off, 0 or n",
                    variable(name)
                )),
            },
        };
        let flag = |name: &str| in_words(name, edition.flag_words);
        let on = |name: &str| Ok::<_, String>(flag(name)?.unwrap_or(false));
        let older = |name: &str| Ok::<_, String>(in_words(name, edition.older_flag_words)?.unwrap_or(false));
        for name in edition.brand.switches {
            flag(name)?;
        }
        let claude = older("DISABLE_CLAUDE_CODE")?;
        let experimental = on("EXPERIMENTAL")?;
        let no_claude_skills = on("DISABLE_CLAUDE_CODE_SKILLS")? || on("DISABLE_CLAUDE_CODE")?;
        let planned = flag("EXPERIMENTAL_PLAN_MODE")?;
        let takes_all_along = no_claude_skills && edition.claude_flag == ClaudeFlag::HomeOnly;
        Ok(Flags {
            no_claude: older("DISABLE_CLAUDE_CODE_PROMPT")? || claude,
            no_project: search.env(&variable("DISABLE_PROJECT_CONFIG")).is_some_and(|value| is_true_or_1(&value)),
            no_claude_skills,
            no_external_skills: older("DISABLE_EXTERNAL_SKILLS")? || takes_all_along,
            pure: on("PURE")?,
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
