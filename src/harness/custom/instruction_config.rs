//! InstructionConfig: a short form for declaring an agent, in camel case.

use schemars::JsonSchema;
use serde::Deserialize;

use super::choices::LookupScope;
use super::files::FileEntry;
use super::template::MarkerTemplate;
use super::values::{Amount, Ratio, Url};

/// One name or several.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read before the definition is taken apart")]
pub(super) enum OneOrSeveral {
    /// One name.
    One(String),
    /// Several names, in order.
    Several(Vec<String>),
}

/// Texts at the start of every session.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Static {
    /// Paths and globs of the workspace.
    pub files: Vec<FileEntry>,
    /// URLs. They are listed, and fetched only with the user's permission.
    pub remote_urls: Vec<Url>,
    /// A file of the user.
    pub global_path: Option<FileEntry>,
}

/// Texts when the agent reads a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Dynamic {
    /// `false` disables it.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Upper end of the search.
    #[serde(default)]
    pub lookup_scope: LookupScope,
    /// Names of the files to look for.
    #[serde(default = "agents_md")]
    pub names: Vec<String>,
}

/// Limit of each file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Truncation {
    /// Maximum length, in UTF-16 units.
    pub max_chars: Amount,
    /// Share of the limit that is kept of a text's beginning. Default: the rest that `tailRatio` leaves.
    pub head_ratio: Option<Ratio>,
    /// Share of the limit that is kept of a text's end.
    #[serde(default)]
    pub tail_ratio: Ratio,
    /// Template for the text in place of what is cut out.
    #[serde(default)]
    pub marker: MarkerTemplate,
}

/// Restrictions for sub-agents.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Subagent {
    /// Files and URLs that sub-agents get, as file names or as paths written elsewhere in the definition. Default: all.
    pub allowlist: Option<Vec<String>>,
}

fn yes() -> bool {
    true
}

fn agents_md() -> Vec<String> {
    vec!["AGENTS.md".to_owned()]
}
