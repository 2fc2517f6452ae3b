//! InstructionConfig: a harness in the few words that people sketched for one, camel case and all. They become sources like
//! any others.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::choices::{Characters, From, Keep, LookupScope, To};
use super::definition::{Definition, Directories, Limit, Source};
use super::template::MarkerTemplate;
use super::values::{Amount, FileEntry, Ratio, Url};
use crate::answer::Unit;

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

impl Definition {
    /// The same with sources in place of what an InstructionConfig says.
    pub fn with_instructions(mut self) -> Definition {
        let mut sources = Vec::new();
        if let Some(Static { files, remote_urls, global_path }) = self.fixed.take() {
            let of = |name: &str| Source { name: Some(name.to_owned()), ..Source::empty() };
            if !files.is_empty() {
                sources.push(Source { files: Some(files), ..of("static") });
            }
            if let Some(path) = global_path {
                sources.push(Source { files: Some(vec![path]), optional: true, ..of("global") });
            }
            if !remote_urls.is_empty() {
                sources.push(Source { urls: Some(remote_urls), ..of("remote") });
            }
        }
        if let Some(Dynamic { enabled, lookup_scope, names }) = self.dynamic.take() {
            let to = match lookup_scope {
                LookupScope::Parent => To::Cwd,
                LookupScope::Project | LookupScope::Global => To::Root,
            };
            let directories = Directories { from: From::Target, to, ..Directories::of(names) };
            let (name, directories) = (Some("dynamic".to_owned()), Some(directories));
            sources.push(Source { name, enabled, directories, ..Source::empty() });
        }
        self.sources.extend(sources.into_iter().map(|source| Spanned::new(0..0, source)));
        if let Some(truncation) = self.truncation.take() {
            let limit = Limit::from(truncation);
            let without = |source: &&mut Spanned<Source>| source.get_ref().limit.is_none();
            self.sources.iter_mut().filter(without).for_each(|source| source.get_mut().limit = Some(limit.clone()));
        }
        self
    }
}

impl std::convert::From<Truncation> for Limit {
    fn from(given: Truncation) -> Limit {
        let Truncation { max_chars, head_ratio, tail_ratio, marker } = given;
        Limit {
            max: max_chars,
            unit: Unit::Utf16,
            head: head_ratio.unwrap_or(Ratio(1.0 - tail_ratio.0)),
            tail: tail_ratio,
            marker,
            marker_counts: false,
            characters: Characters::default(),
            keep: Keep::default(),
        }
    }
}
