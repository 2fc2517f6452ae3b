//! A question as it comes in: the parameters that LSP, MCP and the command line share, turned into standpoints.

use std::collections::BTreeMap;
use std::path::PathBuf;
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

/// The fields of `briefing/effectiveInstructions` that do not depend on how files are named there.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// One harness, several, `mine`, `all`, or (absent) what the setting `harnesses` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harness: Option<OneOrMany>,
    /// The kind of session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tool with which the agent reaches the file: `read` (the default), `edit`, `write`, `shell` or `mention`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The prompt mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_mode: Option<String>,
    /// The active agent; of a sub-agent, its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The agent before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_agent: Option<String>,
    /// The model id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// An additional system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_system_prompt: Option<String>,
    /// Texts that the application itself hands over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provided: Vec<Provision>,
    /// Command-line options by harness.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, BTreeMap<String, serde_json::Value>>,
    /// `text` and `trace`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
}

/// A text that the application hands over with the call: bare, or with what AgentCore calls an item.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(untagged)]
pub enum Provision {
    /// The text alone.
    Text(String),
    /// An item.
    Item(Item),
}

/// A provided text with the place it is meant for.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Item {
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The text.
    pub text: String,
    /// `system_section` or `preamble_message`; absent: where the harness puts provided texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Of a preamble message: `user` (the default) or `assistant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Orders items; smaller ones come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<i64>,
    /// The prompt modes in which it appears; empty: all.
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

/// `"codex"` or `["codex", "opencode@1.1"]`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
#[serde(untagged, expecting = "`harness` is an id such as \"codex\", or a list of ids")]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// What a question leaves out is taken from here.
#[derive(Clone, Debug)]
pub struct Defaults {
    /// The user's home directory.
    pub home: PathBuf,
    /// The environment.
    pub env: Environment,
    /// Clock, shell and platform.
    pub surroundings: Surroundings,
    /// The harnesses to ask when none is named, as `id`, `id@version`, `mine` or `all`, beside the custom ones. Empty:
    /// `mine`.
    pub enabled: Vec<String>,
    /// The harnesses that are used here: what `mine` is.
    pub roster: Arc<Roster>,
    /// What the editor has installed for harnesses, by the ids of its extensions.
    pub editor: Vec<String>,
    /// The harnesses that the user declared.
    pub customs: Arc<Customs>,
    /// What was looked up for harnesses that are taken in the version that is installed.
    pub installed: Installations,
    /// The kind of session by harness.
    pub sessions: BTreeMap<String, SessionKind>,
}

/// The places a question is about.
#[derive(Clone, Debug)]
pub struct Places {
    /// Where the agent is started.
    pub cwd: PathBuf,
    /// The file it would read.
    pub target: Option<PathBuf>,
    /// Files read before, in order.
    pub read_before: Vec<PathBuf>,
    /// Files injected before.
    pub already_loaded: Vec<PathBuf>,
}

/// The fields of a request, with what each must be.
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

/// What a field of a request must be, in words.
pub fn shape(name: &str) -> Option<&'static str> {
    FIELDS.iter().find(|(known, _)| *known == name).map(|(_, shape)| *shape)
}

impl Request {
    /// A request as somebody wrote it, or what is wrong with it in words of requests.
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

    /// What is named, with its words: a request's own harnesses, else those of the settings.
    fn named(&self, defaults: &Defaults) -> Vec<String> {
        let enabled = match &self.harness {
            Some(OneOrMany::One(spec)) => return vec![spec.clone()],
            Some(OneOrMany::Many(specs)) => return specs.clone(),
            None => &defaults.enabled,
        };
        // What the user declares, the user wants to see; it may lay itself over a built-in harness of the same name. The
        // roster has it anyway.
        let declared = defaults.customs.harnesses.iter().map(|custom| custom.id.clone());
        let new = declared.filter(|id| !enabled.is_empty() && !enabled.contains(id));
        enabled.iter().cloned().chain(new).collect()
    }

    /// Whether the harnesses that are used here must be known before [`Request::questions`].
    pub fn wants_roster(&self, defaults: &Defaults) -> bool {
        let named = self.named(defaults);
        // A harness may be declared under that name.
        let means = |spec: &String| spec == roster::MINE && defaults.customs.harness(spec).is_none();
        (named.is_empty() && self.harness.is_none()) || named.iter().any(means)
    }

    /// The harnesses that are asked about, by `id` or `id@version`. The words `mine` and `all` are resolved here, and nowhere
    /// else; what is named beside them counts as it is named.
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

    /// The harnesses whose installed version must be looked up before [`Request::questions`].
    pub fn to_look_up(&self, defaults: &Defaults) -> Vec<&'static Profile> {
        self.specs(defaults).iter().filter_map(|spec| defaults.installed.wanted(spec, &defaults.customs)).collect()
    }

    /// The harnesses and standpoints that are asked about, or what is wrong with the question.
    pub fn questions(&self, defaults: &Defaults, places: &Places) -> Result<Vec<(Choice, Standpoint)>, String> {
        let specs = self.specs(defaults);
        let session = parsed(self.session.as_deref(), "session", SessionKind::named, SessionKind::ALL)?;
        let tool = parsed(self.tool.as_deref(), "tool", Tool::named, Tool::ALL)?.unwrap_or(Tool::Read);
        let prompt_mode = parsed(self.prompt_mode.as_deref(), "promptMode", PromptMode::named, PromptMode::ALL)?;
        let provided = self.provided.iter().map(Provision::parsed).collect::<Result<Vec<_>, _>>()?;
        let mut options = BTreeMap::new();
        for (harness, values) in &self.options {
            let values: Result<BTreeMap<_, _>, String> =
                values.iter().map(|(name, value)| Ok((name.clone(), option(harness, name, value)?))).collect();
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

    /// What the answer is to hold beyond sizes, or what is wrong with the wish.
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
