//! The server's settings. Parsing, the JSON schema and the tables in the documentation are derived from this type.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::SessionKind;
use crate::harness;
use crate::harness::choice::AUTO;
use crate::harness::custom::{self, Customs};
use crate::queries::installed;
use crate::queries::roster;
use crate::report::findings::{Kind, Severity, Standing};
use crate::request::Defaults;

/// Severity that switches a kind of findings off.
const OFF: &str = "off";
/// Default number of lines from which a file is reported as long.
const LONG_LINES: usize = 500;

/// Settings of the language server, as `initializationOptions` or the section `briefing` of the editor's settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    /// The agents to show: `mine` for those that you use here (by their programs, their configuration in your home,
    /// their own files in the repository, and the editor's extensions), `all`, or ids such as `codex`, `codex@0.169`,
    /// and `codex@auto` for the installed version. Default: `mine`.
    #[schemars(schema_with = "specs_schema")]
    pub harnesses: Vec<String>,
    /// Extensions and plugins of the editor that show which agents you use, by id. Editors fill this in themselves.
    pub extensions: Vec<String>,
    /// The rules for agents that are named without a version. Default: those of the installed version, which is looked
    /// up on PATH and in package folders without running anything, else the newest. `auto` is the same, with a warning
    /// if none is installed; `newest` ignores the installed version.
    pub edition: Option<EditionSetting>,
    /// The directory that agents are started in, relative to the workspace folder. Default: the workspace folder of the
    /// file.
    pub cwd: Option<String>,
    /// The home directory. Default: your own.
    pub home: Option<String>,
    /// Environment variables of the agents, in addition to those of the editor. An editor that is started from the desktop
    /// lacks the variables of your shell, such as `CODEX_HOME`.
    pub environment: BTreeMap<String, String>,
    /// The kind of session by agent id: `main`, `subagent`, `cron`, `group` or `local`.
    pub sessions: BTreeMap<String, String>,
    /// The maximum number of directories to watch. Default: as many as the system allows. Directories beyond that are
    /// read again for each answer.
    pub watch_limit: Option<usize>,
    /// Your own agents by id, written as `[harness.ID]` in a `briefing.toml`, which takes precedence.
    #[schemars(schema_with = "custom::settings_schema")]
    pub custom_harnesses: toml::Table,
    /// The severity of findings by code: `error`, `warning`, `information`, `hint` or `off`. `docs/findings.md` lists
    /// the codes, and those that are off by default.
    pub severities: BTreeMap<String, String>,
    /// The number of lines from which an instruction file is reported as long, for agents without a limit of their own.
    /// Default: 500; 0 turns the finding off.
    pub long_file: Option<usize>,
    /// Hints in instruction files that say which of your agents get a text, and when: at each `headings` (the default), also
    /// at `lines` with other readers than the heading above them, or `off`.
    pub readers: ReadersSetting,
    /// Permission to read the records that agents keep of their sessions, when you ask for sessions: `ask` (the
    /// default) asks you once, `on` allows it, `off` forbids it. They are never read otherwise.
    pub records: RecordsSetting,
}

/// Places of the hints that say which agents get a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReadersSetting {
    /// Nowhere.
    Off,
    /// At each heading, or at the first alone if the same agents get the whole file.
    #[default]
    Headings,
    /// At each heading, and at each line with other readers than the heading above it.
    Lines,
}

/// Permission to read records of sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordsSetting {
    /// Only after the user has agreed.
    #[default]
    Ask,
    /// On every request for sessions.
    On,
    /// Never.
    Off,
}

/// The rules for agents that are named without a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EditionSetting {
    /// The newest that Briefing knows.
    Newest,
    /// Those of the installed version; if it is unknown, the newest, and the answer says so.
    Auto,
}

/// Returns the schema of a list of agents, with all known ids and versions as suggestions.
fn specs_schema(_: &mut SchemaGenerator) -> Schema {
    let specs = harness::ALL.iter().flat_map(|profile| {
        let versions = profile.editions.iter().map(|edition| edition.about().name);
        let versions = versions.chain(installed::is_program(profile.id).then_some(AUTO));
        std::iter::once(profile.id.to_owned()).chain(versions.map(|version| format!("{}@{version}", profile.id)))
    });
    let words = [roster::MINE, roster::ALL_OF_THEM].map(str::to_owned);
    let known: Vec<String> = words.into_iter().chain(specs).collect();
    json_schema!({
        "type": "array",
        "items": { "anyOf": [
            { "type": "string", "enum": known },
            { "type": "string", "pattern": "^[A-Za-z0-9_-]+(@[0-9].*)?$" },
        ] },
    })
}

impl Settings {
    /// Creates settings that only choose agents, as the option `--agents` does. `customs` are those declared in the
    /// workspace.
    pub fn of_harnesses(specs: &[String], customs: &Customs) -> Result<Settings, String> {
        check_harnesses(specs, customs).map_err(|problem| format!("--agents: {problem}"))?;
        Ok(Settings { harnesses: specs.to_vec(), ..Settings::default() })
    }

    /// Parses the settings in `value`, which may contain them directly or in a section `briefing`. The error is a
    /// message for the user.
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
        check_harnesses(&settings.harnesses, &customs).map_err(|problem| format!("briefing.harnesses: {problem}"))?;
        for (id, kind) in &settings.sessions {
            if harness::profile(id).is_none() && customs.harness(id).is_none() {
                return Err(format!("briefing.sessions: there is no agent `{id}`"));
            }
            if SessionKind::named(kind).is_none() {
                let known: Vec<_> = SessionKind::ALL.iter().map(|kind| kind.word()).collect();
                return Err(format!("briefing.sessions.{id}: `{kind}` is not one of {}", known.join(", ")));
            }
        }
        check_severities(&settings.severities)?;
        Ok(settings)
    }

    /// Returns these settings with other severities.
    pub fn with_severities(self, severities: BTreeMap<String, String>) -> Result<Settings, String> {
        check_severities(&severities)?;
        Ok(Settings { severities, ..self })
    }

    /// Returns the severity of a kind of findings, or `None` if it is switched off.
    pub fn severity(&self, kind: Kind) -> Option<Severity> {
        match self.severities.get(kind.code()) {
            Some(word) if word == OFF => None,
            Some(word) => Severity::named(word).or(Some(kind.severity())),
            None => (kind.standing() == Standing::On).then(|| kind.severity()),
        }
    }

    /// Returns the number of lines from which a file is reported as long; 0 means never.
    pub fn long(&self) -> usize {
        self.long_file.unwrap_or(LONG_LINES)
    }

    /// Applies these settings to the defaults from the start of the process.
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
        defaults.editor.clone_from(&self.extensions);
        defaults.installed.auto = self.edition != Some(EditionSetting::Newest);
        defaults.installed.unasked = self.edition.is_none();
        defaults.sessions =
            self.sessions.iter().filter_map(|(id, kind)| Some((id.clone(), SessionKind::named(kind)?))).collect();
        defaults
    }

    /// Returns the JSON schema of the settings for editors.
    pub fn schema() -> Value {
        schemars::schema_for!(Settings).to_value()
    }
}

fn check_harnesses(specs: &[String], customs: &Customs) -> Result<(), String> {
    let is_word = |spec: &&String| [roster::MINE, roster::ALL_OF_THEM].contains(&spec.as_str());
    specs.iter().filter(|spec| !is_word(spec)).try_for_each(|spec| harness::choose(spec, customs).map(drop))
}

/// Returns an error for the first unknown code or severity.
fn check_severities(severities: &BTreeMap<String, String>) -> Result<(), String> {
    for (code, severity) in severities {
        if Kind::of_code(code).is_none() {
            let known: Vec<_> = Kind::ALL.iter().map(|kind| kind.code()).collect();
            return Err(format!("briefing.severities: there is no finding `{code}`; there are {}", known.join(", ")));
        }
        if severity != OFF && Severity::named(severity).is_none() {
            let known: Vec<_> = Severity::WORDS.iter().map(|(word, _)| *word).collect();
            return Err(format!("briefing.severities.{code}: `{severity}` is not one of {}, {OFF}", known.join(", ")));
        }
    }
    Ok(())
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
            (json!({"harnesses": ["kodex"]}), "briefing.harnesses: there is no agent `kodex`"),
            (json!({"harnesses": "codex"}), "briefing settings:"),
            (json!({"harness": []}), "unknown field `harness`"),
            (json!({"sessions": {"codex": "night"}}), "briefing.sessions.codex: `night` is not one of main"),
            (json!({"sessions": {"kodex": "main"}}), "there is no agent `kodex`"),
            (
                json!({"customHarnesses": {"mine": {"sources": []}}}),
                "briefing.customHarnesses.mine: unknown key `sources`",
            ),
            (
                json!({"customHarnesses": {"mine": {"source": [{"files": ["A.md"], "limit": {"max": -1}}]}}}),
                "briefing.customHarnesses.mine: -1 is negative",
            ),
            (json!({"severities": {"over-budge": "off"}}), "there is no finding `over-budge`; there are over-budget,"),
            (json!({"severities": {"empty": "loud"}}), "briefing.severities.empty: `loud` is not one of error,"),
        ] {
            let problem = Settings::parse(&settings).expect_err("wrong settings");
            assert!(problem.contains(words), "{problem}");
        }
    }
}
