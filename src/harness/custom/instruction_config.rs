//! InstructionConfig: a harness in the few words that people sketched for one, camel case and all.

use schemars::JsonSchema;
use serde::Deserialize;

use super::choices::LookupScope;
use super::files::FileEntry;
use super::template::MarkerTemplate;
use super::values::{Amount, Ratio, Url};

/// One name, or several.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read before the definition is taken apart")]
pub(super) enum OneOrSeveral {
    /// One.
    One(String),
    /// Several, in order.
    Several(Vec<String>),
}

/// What is told at the start of every session.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Static {
    /// Paths and globs of the workspace.
    pub files: Vec<FileEntry>,
    /// Addresses. They are named, and fetched only when the user says so.
    pub remote_urls: Vec<Url>,
    /// A file of the user's.
    pub global_path: Option<FileEntry>,
}

/// What is told when the agent reads a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Dynamic {
    /// `false` switches it off.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// How far up it looks.
    #[serde(default)]
    pub lookup_scope: LookupScope,
    /// The names it looks for.
    #[serde(default = "agents_md")]
    pub names: Vec<String>,
}

/// The limit of each file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Truncation {
    /// How much is allowed, in UTF-16 units.
    pub max_chars: Amount,
    /// The share of it that is kept of a text's beginning; absent: what the tail leaves.
    pub head_ratio: Option<Ratio>,
    /// The share of it that is kept of a text's end.
    #[serde(default)]
    pub tail_ratio: Ratio,
    /// What stands for what was cut out.
    #[serde(default)]
    pub marker: MarkerTemplate,
}

/// What sub-agents get.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Subagent {
    /// The only files and addresses that are passed on to them: names, or paths as they are written elsewhere; absent: all.
    pub allowlist: Option<Vec<String>>,
}

fn yes() -> bool {
    true
}

fn agents_md() -> Vec<String> {
    vec!["AGENTS.md".to_owned()]
}
