//! JSON schema of `briefing.toml`. Several modules each read a part of this file.

use schemars::JsonSchema;

use super::{expect, findings::exceptions};
use crate::harness::custom;

/// A `briefing.toml`: the agents that a project is for, what they must be told, exceptions from findings, and harnesses
/// by id.
#[derive(JsonSchema)]
#[schemars(title = "briefing.toml", deny_unknown_fields)]
#[expect(dead_code, reason = "each room reads its own part")]
struct File {
    #[serde(flatten)]
    agents: custom::File,
    /// What must, or must not, reach which agents.
    #[serde(default)]
    expect: Vec<expect::Entry>,
    /// Another `briefing.toml` whose expectations hold here too, relative to this file.
    extends: Option<String>,
    /// Findings that are as they should be.
    #[serde(default)]
    exceptions: Vec<exceptions::Entry>,
}

/// Returns the JSON schema of a `briefing.toml`.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(File).to_value()
}
