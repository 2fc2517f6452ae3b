//! Arguments of the tools. A model wrote the JSON, so errors are phrased so that it can correct them.

use std::num::NonZeroU32;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::report::words::list;
use crate::request::{OneOrMany, Request, shape};

/// Level of detail of an answer.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Detail {
    /// The texts that reach the model, what is lost, and why.
    #[default]
    Summary,
    /// Everything that the command line's JSON says.
    Full,
}

/// Only what comes at one time.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum When {
    /// At the start of a session.
    Session,
    /// With a file that is read.
    Read,
}

/// Arguments of `effective_instructions`, and a side of `compare`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Question {
    /// The file the agent is about to read, relative to the workspace or absolute. Absent: the start of a session.
    pub file: Option<String>,
    /// The directory the agent was started in. Absent: the workspace.
    pub cwd: Option<String>,
    /// Files read earlier in this session, in order; what came with them does not come again.
    pub read_before: Vec<String>,
    /// Instruction files whose text is in the context already: what earlier answers listed as `loaded`.
    pub already_loaded: Vec<String>,
    /// Everything that does not name files.
    #[serde(flatten)]
    pub request: Request,
    /// `full` for every considered file with sizes, limits and kept ranges.
    pub detail: Detail,
    /// `read` leaves out what came at the start of the session; `session` what comes later.
    pub when: Option<When>,
}

/// A side of `compare`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Side {
    #[serde(flatten)]
    pub question: Question,
    /// A git revision whose files count instead of those on disk: a branch, a tag, a hash, `HEAD~2`.
    pub revision: Option<String>,
}

/// Arguments of `compare`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Compare {
    /// One question to one harness.
    #[schemars(required, with = "JsonObject")]
    pub left: Option<JsonObject>,
    /// Another, with the same fields as those of effective_instructions and `revision`, a git revision.
    #[schemars(required, with = "JsonObject")]
    pub right: Option<JsonObject>,
    /// `text` for the whole texts of both sides.
    #[serde(default)]
    pub include: Vec<String>,
}

/// Arguments of `explain`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Explain {
    /// The instruction file in question, relative to the workspace or absolute.
    #[schemars(required)]
    pub file: Option<String>,
    /// The file the agent would read. Absent: the start of a session.
    pub target: Option<String>,
    /// The directory the agent was started in. Absent: the workspace.
    pub cwd: Option<String>,
    /// One harness, several, `mine` (the default) or `all`.
    pub harness: Option<OneOrMany>,
    /// `full` for every probe of the disk.
    #[serde(default)]
    pub detail: Detail,
}

/// Arguments of `instruction_files`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Files {
    /// The directory agents are started in. Absent: the workspace.
    pub cwd: Option<String>,
    /// One harness, several, `mine` (the default) or `all`.
    pub harness: Option<OneOrMany>,
    /// `full` for the reason of each.
    pub detail: Detail,
}

/// Arguments of `why`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Why {
    /// A sentence, or some words of it. How it is wrapped and marked up does not matter, and letter case only if it has capitals.
    #[schemars(required)]
    pub text: Option<String>,
    /// One agent, several, `mine` (the default) or `all`.
    pub harness: Option<OneOrMany>,
    /// Maximum number of places, from 1 on. Absent: 50. `more` in the answer counts the others.
    pub limit: Option<NonZeroU32>,
}

/// Arguments of `check`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Check {
    /// Files and directories to check. Absent: the whole workspace.
    pub paths: Vec<String>,
    /// One harness, several, `mine` (the default) or `all`.
    pub harness: Option<OneOrMany>,
    /// The least severity: error, warning (the default), information, hint.
    pub level: Option<String>,
}

/// Arguments of `recorded_sessions`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Sessions {
    /// Sessions that went on in the last hours. Absent: in the last week.
    pub hours: Option<u32>,
    /// Sessions of these agents. Absent: of all whose records are read.
    pub agents: Vec<String>,
}

/// Arguments of `audit_session`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Audit {
    /// The beginning of the session's name. Absent: the latest one.
    pub session: Option<String>,
    /// A text, however it is wrapped: only what holds it is listed.
    pub why: Option<String>,
}

/// The JSON schema of some arguments.
pub(super) fn schema<T: JsonSchema>() -> JsonObject {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut object = schema.to_value().as_object().cloned().unwrap_or_default();
    for word in ["title", "description"] {
        object.remove(word);
    }
    object.insert("additionalProperties".to_owned(), Value::Bool(false));
    object
}

/// Parses the arguments of a tool, or says what is wrong with them. An argument that is `null` counts as absent.
pub(super) fn parse<T: DeserializeOwned + JsonSchema>(mut arguments: JsonObject) -> Result<T, String> {
    let schema = schema::<T>();
    let fields = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    arguments.retain(|_, value| !value.is_null());
    for (name, value) in &arguments {
        let Some(field) = fields.get(name) else {
            let known: Vec<&str> = fields.keys().map(String::as_str).collect();
            return Err(format!("there is no argument `{name}`; the arguments are {}", list(&known)));
        };
        let alone = JsonObject::from_iter([(name.clone(), value.clone())]);
        serde_json::from_value::<T>(alone.into()).map_err(|_| format!("`{name}` must be {}", must_be(name, field)))?;
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.into_iter().find(|name| !arguments.contains_key(*name)) {
        return Err(format!("`{missing}` is missing: {}", must_be(missing, &fields[missing])));
    }
    serde_json::from_value(arguments.into()).map_err(|error| error.to_string())
}

/// Describes which values an argument accepts.
fn must_be(name: &str, schema: &Value) -> String {
    if let Some(shape) = shape(name) {
        return shape.to_owned();
    }
    let kind =
        |word: &str| schema["type"] == word || schema["type"].as_array().is_some_and(|all| all.contains(&word.into()));
    match name {
        "detail" => "`summary` or `full`".to_owned(),
        "when" => "`session` or `read`".to_owned(),
        _ if kind("array") => "a list of strings".to_owned(),
        _ if kind("object") => "an object".to_owned(),
        _ if kind("integer") => "a whole number".to_owned(),
        _ => "a string".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem<T: DeserializeOwned + JsonSchema + std::fmt::Debug>(arguments: Value) -> String {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        parse::<T>(arguments).expect_err("something is wrong with it")
    }

    #[test]
    fn what_is_wrong_with_arguments_is_said_in_words() {
        assert!(
            problem::<Question>(json!({"path": "a"})).starts_with("there is no argument `path`; the arguments are ")
        );
        for (arguments, said) in [
            (json!({"file": 3}), "`file` must be a string"),
            (json!({"file": ["a"]}), "`file` must be a string"),
            (json!({"alreadyLoaded": "a"}), "`alreadyLoaded` must be a list of strings"),
            (json!({"harness": 3}), "`harness` must be an id such as \"codex\", or a list of ids"),
            (json!({"include": "text"}), "`include` must be a list of `text` and `trace`"),
            (json!({"detail": "much"}), "`detail` must be `summary` or `full`"),
            (json!({"when": "now"}), "`when` must be `session` or `read`"),
        ] {
            assert_eq!(problem::<Question>(arguments.clone()), said, "{arguments}");
        }
        assert_eq!(problem::<Compare>(json!({"left": "codex"})), "`left` must be an object");
        assert_eq!(problem::<Compare>(json!({"left": {}})), "`right` is missing: an object");
        assert_eq!(problem::<Explain>(json!({"detail": "full"})), "`file` is missing: a string");
    }

    #[test]
    fn what_is_right_comes_through_and_null_is_nothing() {
        let Value::Object(arguments) = json!({"file": "a.rs", "cwd": null, "harness": "codex", "model": "gpt-5"})
        else {
            unreachable!("it is an object")
        };
        let question = parse::<Question>(arguments).expect("nothing is wrong with it");
        assert_eq!(question.file.as_deref(), Some("a.rs"));
        assert_eq!(question.request.model.as_deref(), Some("gpt-5"));
        assert!(schema::<Side>()["properties"].as_object().is_some_and(|all| all.contains_key("alreadyLoaded")));
    }
}
