//! Requests: the parameters that LSP, MCP and the command line share, and their conversion to standpoints.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{OptionValue, PromptMode, Provided, Reached, Role, SessionKind, Standpoint, Surroundings, Tool};
use crate::harness::custom::Customs;
use crate::harness::{self, Choice, Profile};
use crate::queries::installed::Installations;
use crate::queries::roster::{self, Roster};
use crate::report::briefing::Include;
use crate::report::words::list;
use crate::search::Secrets;
use crate::snapshot::Environment;

pub use crate::harness::names::beside;

/// Fields of `briefing/effectiveInstructions` that do not depend on how the protocol names files.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// Agents to ask: one, several, `mine`, or `all`; if absent, those of the setting `harnesses`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harness: Option<OneOrMany>,
    /// Kind of session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tool with which the agent reaches the file: `read` (the default), `edit`, `write`, `shell` or `mention`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Prompt mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_mode: Option<String>,
    /// Active agent; in a sub-agent's session, its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Agent that was active before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_agent: Option<String>,
    /// Model id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Additional system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_system_prompt: Option<String>,
    /// Texts that the application passes with the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provided: Vec<Provision>,
    /// Command-line options by agent id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, BTreeMap<String, serde_json::Value>>,
    /// Optional contents of the response: `text` and `trace`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
}

/// A text that the application passes with the call: a plain string, or an item as AgentCore defines it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(untagged)]
pub enum Provision {
    /// Plain text.
    Text(String),
    /// Text with its placement.
    Item(Item),
}

/// A provided text with its placement.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Item {
    /// Name of the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Text of the item.
    pub text: String,
    /// Placement: `system_section` or `preamble_message`; if absent, the agent's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Role of a preamble message: `user` (the default) or `assistant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Sort key; smaller ones come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<i64>,
    /// Prompt modes in which the text appears; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompt_modes: Vec<String>,
}

impl Provision {
    fn parsed(&self) -> Result<Provided, String> {
        let item = match self {
            Provision::Text(text) => Item { text: text.clone(), ..Item::default() },
            Provision::Item(item) => item.clone(),
        };
        let role = match (item.target.as_deref(), item.role.as_deref()) {
            (None, None) => None,
            (Some("system_section"), None | Some("system")) => Some(Role::System),
            (None | Some("preamble_message"), Some("user")) | (Some("preamble_message"), None) => Some(Role::User),
            (None | Some("preamble_message"), Some("assistant")) => Some(Role::Assistant),
            (Some("system_section"), Some(role)) => {
                return Err(format!("provided: a system section has no role `{role}`; leave the role out"));
            }
            (None | Some("preamble_message"), Some(role)) => {
                return Err(format!("provided: a preamble message is said by `user` or `assistant`, not by `{role}`"));
            }
            (Some(target), _) => {
                return Err(format!("provided: `{target}` is neither `system_section` nor `preamble_message`"));
            }
        };
        let mode = |word: &String| parsed(Some(word), "provided.promptModes", PromptMode::named, PromptMode::ALL);
        let modes: Result<Vec<_>, String> = item.prompt_modes.iter().map(mode).collect();
        Ok(Provided {
            name: item.name,
            text: item.text,
            role,
            sort: item.sort.unwrap_or(0),
            prompt_modes: modes?.into_iter().flatten().collect(),
        })
    }
}

/// One agent or a list: `"codex"` or `["codex", "opencode@1.1"]`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(untagged, expecting = "`harness` is an id such as \"codex\", or a list of ids")]
pub enum OneOrMany {
    /// A single agent.
    One(String),
    /// A list of agents.
    Many(Vec<String>),
}

/// Values for what a request leaves out.
#[derive(Clone, Debug)]
pub struct Defaults {
    /// User's home directory.
    pub home: PathBuf,
    /// Environment variables.
    pub env: Environment,
    /// Clock, shell and platform.
    pub surroundings: Surroundings,
    /// Agents to ask if the request names none, as `id`, `id@version`, `mine` or `all`, in addition to custom ones.
    /// Empty for `mine`.
    pub enabled: Vec<String>,
    /// Agents that are used here, the meaning of `mine`.
    pub roster: Arc<Roster>,
    /// Ids of the editor's extensions that belong to agents.
    pub editor: Vec<String>,
    /// Agents that the user declares.
    pub customs: Arc<Customs>,
    /// Installed versions that were found.
    pub installed: Installations,
    /// Kind of session by agent id.
    pub sessions: BTreeMap<String, SessionKind>,
}

/// Paths that a question is about.
#[derive(Clone, Debug)]
pub struct Places {
    /// Directory in which the agent starts.
    pub cwd: PathBuf,
    /// File that the agent would read.
    pub target: Option<PathBuf>,
    /// Files that were read earlier, in order.
    pub read_before: Vec<PathBuf>,
    /// Files that were injected earlier.
    pub already_loaded: Vec<PathBuf>,
}

impl Places {
    /// Returns the start of a session in a directory.
    pub fn start(cwd: &Path) -> Places {
        Places { cwd: cwd.to_owned(), target: None, read_before: Vec::new(), already_loaded: Vec::new() }
    }
}

/// Fields of a request, each with its expected form for error messages.
const FIELDS: [(&str, &str); 11] = [
    ("harness", "an id such as \"codex\", or a list of ids"),
    ("session", "a string"),
    ("promptMode", "a string"),
    ("agent", "a string"),
    ("previousAgent", "a string"),
    ("model", "a string"),
    ("tool", "a string"),
    ("extraSystemPrompt", "a string"),
    ("provided", "a list of texts, or of objects with a `text`"),
    ("options", "an object of harness ids, each with an object of options"),
    ("include", "a list of `text` and `trace`"),
];

/// Returns the expected form of a request field, for error messages.
pub fn shape(name: &str) -> Option<&'static str> {
    FIELDS.iter().find(|(known, _)| *known == name).map(|(_, shape)| *shape)
}

impl Request {
    /// Parses a request from JSON. Errors name the field.
    pub fn from_json(json: &str) -> Result<Request, String> {
        use serde_json::{Map, Value};
        let value: Value = serde_json::from_str(json)
            .map_err(|error| format!("not valid JSON (line {}, column {})", error.line(), error.column()))?;
        let Value::Object(fields) = &value else {
            return Err("must be a JSON object, such as {\"model\": \"gpt-5\"}".to_owned());
        };
        for (name, value) in fields {
            let Some(shape) = shape(name) else {
                let known: Vec<&str> = FIELDS.iter().map(|(known, _)| *known).collect();
                return Err(format!("unknown field `{name}`; the fields are {}", list(&known)));
            };
            let alone = Map::from_iter([(name.clone(), value.clone())]);
            serde_json::from_value::<Request>(alone.into()).map_err(|_| format!("`{name}` must be {shape}"))?;
        }
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    /// Returns the specs that are asked about, before `mine` and `all` are expanded: those of the request, or else of
    /// the settings.
    fn named(&self, defaults: &Defaults) -> Vec<String> {
        let enabled = match &self.harness {
            Some(OneOrMany::One(spec)) => return vec![spec.clone()],
            Some(OneOrMany::Many(specs)) => return specs.clone(),
            None => &defaults.enabled,
        };
        // Agents that the user declares are added to those of the settings. A declared agent may replace a built-in one
        // of the same name. An empty setting means the roster, which has them already.
        let declared = defaults.customs.harnesses.iter().map(|custom| custom.id.clone());
        let new = declared.filter(|id| !enabled.is_empty() && !enabled.contains(id));
        enabled.iter().cloned().chain(new).collect()
    }

    /// Returns true if the roster must be known before [`Request::questions`].
    pub fn wants_roster(&self, defaults: &Defaults) -> bool {
        let named = self.named(defaults);
        // A custom agent may have the same name as the keyword.
        let means = |spec: &String| spec == roster::MINE && defaults.customs.harness(spec).is_none();
        (named.is_empty() && self.harness.is_none()) || named.iter().any(means)
    }

    /// Returns the agents that are asked about, as `id` or `id@version`. This is the only place that expands `mine` and
    /// `all`; agents that are listed explicitly keep the version given there.
    fn specs(&self, defaults: &Defaults) -> Vec<String> {
        let named = self.named(defaults);
        let mine = || defaults.roster.mine.iter().map(|used| used.spec.clone()).collect::<Vec<_>>();
        if named.is_empty() && self.harness.is_none() {
            return mine();
        }
        let meant = |spec: &String| match spec.as_str() {
            id if defaults.customs.harness(id).is_some() => None,
            roster::MINE => Some(mine()),
            roster::ALL_OF_THEM => {
                let declared = defaults.customs.harnesses.iter().map(|custom| custom.id.clone());
                let declared = declared.filter(|id| harness::profile(id).is_none());
                Some(harness::ALL.iter().map(|profile| profile.id.to_owned()).chain(declared).collect())
            }
            _ => None,
        };
        let id = |spec: &str| spec.split('@').next().unwrap_or_default().to_owned();
        let own: Vec<String> = named.iter().filter(|spec| meant(spec).is_none()).map(|spec| id(spec)).collect();
        let mut specs = Vec::new();
        for spec in &named {
            match meant(spec) {
                None => specs.push(spec.clone()),
                Some(ids) => {
                    let new: Vec<_> = ids.into_iter().filter(|id| !own.contains(id) && !specs.contains(id)).collect();
                    specs.extend(new);
                }
            }
        }
        specs
    }

    /// Returns the agents whose installed version must be looked up before [`Request::questions`].
    pub fn to_look_up(&self, defaults: &Defaults) -> Vec<&'static Profile> {
        self.specs(defaults).iter().filter_map(|spec| defaults.installed.wanted(spec, &defaults.customs)).collect()
    }

    /// Returns the agents and standpoints to ask about, or an error for the user.
    pub fn questions(&self, defaults: &Defaults, places: &Places) -> Result<Vec<(Choice, Standpoint)>, String> {
        let specs = self.specs(defaults);
        let session = parsed(self.session.as_deref(), "session", SessionKind::named, SessionKind::ALL)?;
        let tool = parsed(self.tool.as_deref(), "tool", Tool::named, Tool::ALL)?.unwrap_or(Tool::Read);
        let prompt_mode = parsed(self.prompt_mode.as_deref(), "promptMode", PromptMode::named, PromptMode::ALL)?;
        let provided = self.provided.iter().map(Provision::parsed).collect::<Result<Vec<_>, _>>()?;
        let mut options = BTreeMap::new();
        for (harness, values) in &self.options {
            let named = |name: &String| name.replace('_', "-");
            let values: Result<BTreeMap<_, _>, String> =
                values.iter().map(|(name, value)| Ok((named(name), option(harness, name, value)?))).collect();
            options.insert(harness.clone(), values?);
        }
        let question = |spec: &String| {
            let choice = defaults.installed.choose(spec, &defaults.customs)?;
            let session = session.or_else(|| defaults.sessions.get(choice.id()).copied()).unwrap_or(SessionKind::Main);
            let standpoint = Standpoint {
                cwd: places.cwd.clone(),
                home: defaults.home.clone(),
                env: defaults.env.clone(),
                target: places.target.clone(),
                target_as_given: None,
                tool,
                read_before: places.read_before.iter().cloned().map(Reached::read).collect(),
                call: None,
                deleted: Vec::new(),
                already_loaded: places.already_loaded.clone(),
                session,
                prompt_mode,
                agent: self.agent.clone(),
                previous_agent: self.previous_agent.clone(),
                model: self.model.clone(),
                extra_system_prompt: self.extra_system_prompt.clone(),
                provided: provided.clone(),
                options: options.clone(),
                surroundings: defaults.surroundings.clone(),
                secrets: Secrets::Hidden,
            };
            Ok((choice, standpoint))
        };
        specs.iter().map(question).collect()
    }

    /// Parses the `include` field.
    pub fn include(&self) -> Result<Include, String> {
        let mut include = Include::default();
        for wish in &self.include {
            match wish.as_str() {
                "text" => include.text = true,
                "trace" => include.trace = true,
                other => return Err(format!("include: `{other}` is neither `text` nor `trace`")),
            }
        }
        Ok(include)
    }
}

/// Parses an optional word of the request; the error lists the words that are allowed.
fn parsed<T: Copy + std::fmt::Display>(
    word: Option<&str>,
    field: &str,
    named: fn(&str) -> Option<T>,
    all: &[T],
) -> Result<Option<T>, String> {
    let Some(word) = word else { return Ok(None) };
    named(word).map(Some).ok_or_else(|| {
        let known: Vec<_> = all.iter().map(T::to_string).collect();
        format!("{field}: `{word}` is not one of {}", known.join(", "))
    })
}

/// Converts the JSON value of a command-line option.
fn option(harness: &str, name: &str, value: &serde_json::Value) -> Result<OptionValue, String> {
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    match value {
        serde_json::Value::String(text) => Some(OptionValue::Text(text.clone())),
        serde_json::Value::Bool(flag) => Some(OptionValue::Flag(*flag)),
        serde_json::Value::Array(list) => list.iter().map(text).collect::<Option<_>>().map(OptionValue::List),
        serde_json::Value::Null | serde_json::Value::Number(_) | serde_json::Value::Object(_) => None,
    }
    .ok_or_else(|| format!("options.{harness}.{name}: must be a string, a boolean or a list of strings"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_says_what_it_must_be() {
        let schema = schemars::schema_for!(Request);
        let declared: Vec<&String> =
            schema.get("properties").and_then(|all| all.as_object()).expect("fields").keys().collect();
        let mut said = FIELDS.map(|(name, _)| name);
        said.sort_unstable();
        let mut declared: Vec<&str> = declared.into_iter().map(String::as_str).collect();
        declared.sort_unstable();
        assert_eq!(declared, said);
    }

    #[test]
    fn what_is_wrong_with_a_request_is_said_by_field() {
        for (json, problem) in [
            ("{", "not valid JSON (line 1, column 1)"),
            ("[]", "must be a JSON object, such as {\"model\": \"gpt-5\"}"),
            ("{\"session\": 3}", "`session` must be a string"),
            ("{\"harness\": 3}", "`harness` must be an id such as \"codex\", or a list of ids"),
            ("{\"provided\": [{\"name\": \"a\"}]}", "`provided` must be a list of texts, or of objects with a `text`"),
            ("{\"options\": []}", "`options` must be an object of harness ids, each with an object of options"),
        ] {
            assert_eq!(Request::from_json(json), Err(problem.to_owned()), "{json}");
        }
        let unknown = Request::from_json("{\"cwd\": \"/p\"}").expect_err("not a field");
        assert!(unknown.starts_with("unknown field `cwd`; the fields are harness, session,"), "{unknown}");
    }
}
