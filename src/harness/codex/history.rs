//! How Codex changed since 0.104: what, since which version, and the cases that show it.

use std::sync::{Arc, LazyLock};

use super::Codex;
use crate::harness::history::replays;
use crate::harness::{Change, History, Replays};

/// What is known of every version.
pub(super) static HISTORY: History =
    History { changes: CHANGES, rules: |version| Arc::new(Codex::of(version)), replays: &REPLAYS };

static REPLAYS: Replays =
    LazyLock::new(|| replays(include_str!("../../../tests/conformance/versions/codex.toml")));

/// What changed, oldest first.
pub(super) const CHANGES: &[&Change] = &[
    &EARLIER,
    &DISTRUST,
    &NAMES_ONLY,
    &ROOTS_OF_SKILLS,
    &AWS_IS_PROTECTED,
    &MODEL_IS_FILLED,
    &MODELS_OF_165,
];

pub(super) const EARLIER: Change = Change {
    since: "0.150.0",
    what: "markers count for the root of project files, links are followed, profiles are files, and the environment is described",
    cases: &[],
};

pub(super) const DISTRUST: Change = Change {
    since: "0.150.0",
    what: "a project that is called untrusted loses its files",
    cases: &["codex/an_untrusted_project_keeps_only_the_global_text", "codex-0.104/an_untrusted_project_keeps_its_files"],
};

pub(super) const NAMES_ONLY: Change = Change {
    since: "0.156.0",
    what: "fallback names with a slash or dots are dropped, where they led to files below and above",
    cases: &["codex/a_fallback_with_a_slash_or_dots_is_dropped"],
};

pub(super) const ROOTS_OF_SKILLS: Change = Change {
    since: "0.156.0",
    what: "the list of skills names their files by numbered roots, where that is shorter",
    cases: &["codex/skills_may_be_switched_off_one_by_one"],
};

pub(super) const AWS_IS_PROTECTED: Change = Change {
    since: "0.159.0",
    what: "`.aws` in a root of the workspace is read only, which the model is told",
    cases: &["codex/every_writable_root_is_a_root_of_the_workspace"],
};

pub(super) const MODEL_IS_FILLED: Change = Change {
    since: "0.160.0",
    what: "an empty `model` stops Codex",
    cases: &["codex/an_empty_model_is_refused"],
};

pub(super) const MODELS_OF_165: Change = Change {
    since: "0.165.0",
    what: "models with larger windows have more room for the list of skills",
    cases: &["codex/a_model_with_a_larger_window_has_more_skills"],
};
