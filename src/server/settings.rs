//! The server's settings, declared once: parsing, the JSON schema and the table in the README derive from this type.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::SessionKind;
use crate::harness;
use crate::harness::custom::{self, Customs};
use crate::request::Defaults;

/// Settings of the language server, as `initializationOptions` or the section `briefing` of the editor's settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    /// The harnesses to answer for, as `id` or `id@version`. Empty: every harness, in its newest edition.
    pub harnesses: Vec<String>,
    /// Where agents are assumed to be started; relative to the workspace folder. Absent: the workspace folder that holds
    /// the file.
    pub cwd: Option<String>,
    /// The home directory to assume. Absent: the user's own.
    pub home: Option<String>,
    /// Environment variables that harnesses see, over those of the editor. An editor started from a desktop lacks the
    /// shell's variables, such as `CODEX_HOME`.
    pub environment: BTreeMap<String, String>,
    /// The kind of session by harness id: `main`, `subagent`, `cron`, `group` or `local`.
    pub sessions: BTreeMap<String, String>,
    /// Harnesses of your own, by id, in the shape of `[harness.ID]` of a `briefing.toml`; one in that file counts over
    /// one here.
    #[schemars(schema_with = "custom::settings_schema")]
    pub custom_harnesses: toml::Table,
}

impl Settings {
    /// The settings in `value`, which may hold them directly or in a section `briefing`; what is wrong is said in words
    /// for the user.
    pub fn parse(value: &Value) -> Result<Settings, String> {
        let section = value.get("briefing").unwrap_or(value);
        if section.is_null() {
            return Ok(Settings::default());
        }
        let settings = Settings::deserialize(section).map_err(|error| format!("briefing settings: {error}"))?;
        let customs = Customs::gather(None, &settings.custom_harnesses);
        if let Some(problem) = customs.problems.first() {
            return Err(format!("briefing.{problem}"));
        }
        for spec in &settings.harnesses {
            harness::choose(spec, &customs).map_err(|problem| format!("briefing.harnesses: {problem}"))?;
        }
        for (id, kind) in &settings.sessions {
            if harness::profile(id).is_none() && customs.harness(id).is_none() {
                return Err(format!("briefing.sessions: there is no harness `{id}`"));
            }
            if SessionKind::named(kind).is_none() {
                let known: Vec<_> = SessionKind::ALL.iter().map(|kind| kind.word()).collect();
                return Err(format!("briefing.sessions.{id}: `{kind}` is none of {}", known.join(", ")));
            }
        }
        Ok(settings)
    }

    /// The defaults of a question: these settings over what the process was started with.
    pub fn over(&self, base: &Defaults) -> Defaults {
        let mut defaults = base.clone();
        if let Some(home) = &self.home {
            defaults.home = PathBuf::from(home);
        }
        if !self.environment.is_empty() {
            let mut env = (*defaults.env).clone();
            env.extend(self.environment.clone());
            defaults.env = Arc::new(env);
        }
        if !self.harnesses.is_empty() {
            defaults.enabled.clone_from(&self.harnesses);
        }
        defaults.sessions =
            self.sessions.iter().filter_map(|(id, kind)| Some((id.clone(), SessionKind::named(kind)?))).collect();
        defaults
    }

    /// The JSON schema of the settings, as editors want it.
    pub fn schema() -> Value {
        schemars::schema_for!(Settings).to_value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_are_taken_bare_or_from_their_section() {
        let wanted = Settings { harnesses: vec!["codex".into()], ..Settings::default() };
        assert_eq!(Settings::parse(&json!({"harnesses": ["codex"]})), Ok(wanted.clone()));
        assert_eq!(Settings::parse(&json!({"briefing": {"harnesses": ["codex"]}})), Ok(wanted));
        assert_eq!(Settings::parse(&Value::Null), Ok(Settings::default()));
        assert_eq!(Settings::parse(&json!({"briefing": null})), Ok(Settings::default()));
    }

    #[test]
    fn harnesses_of_ones_own_are_declared_in_settings_too() {
        let settings = json!({
            "harnesses": ["mine"],
            "sessions": {"mine": "subagent"},
            "customHarnesses": {"mine": {"source": [{"files": ["A.md"]}]}},
        });
        assert!(Settings::parse(&settings).is_ok_and(|settings| settings.custom_harnesses.contains_key("mine")));
        let schema = Settings::schema().to_string();
        assert!(schema.contains("customHarnesses") && schema.contains("first-per-directory"), "{schema}");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (settings, words) in [
            (json!({"harnesses": ["kodex"]}), "briefing.harnesses: there is no harness `kodex`"),
            (json!({"harnesses": "codex"}), "briefing settings:"),
            (json!({"harness": []}), "unknown field `harness`"),
            (json!({"sessions": {"codex": "night"}}), "briefing.sessions.codex: `night` is none of main"),
            (json!({"sessions": {"kodex": "main"}}), "there is no harness `kodex`"),
            (
                json!({"customHarnesses": {"mine": {"sources": []}}}),
                "briefing.customHarnesses.mine: unknown key `sources`",
            ),
            (
                json!({"customHarnesses": {"mine": {"source": [{"files": ["A.md"], "limit": {"max": -1}}]}}}),
                "briefing.customHarnesses.mine: -1 is negative",
            ),
        ] {
            let problem = Settings::parse(&settings).expect_err("wrong settings");
            assert!(problem.contains(words), "{problem}");
        }
    }
}
