//! How Codex changed since 0.104: what, since which version, and the cases that show it.

use std::sync::{Arc, LazyLock};

use super::Codex;
use crate::harness::history::replays;
use crate::harness::{Change, History, Replays};

/// What is known of every version.
pub(super) static HISTORY: History =
    History { changes: CHANGES, rules: |version| Arc::new(Codex::of(version)), replays: &REPLAYS };

static REPLAYS: Replays = LazyLock::new(|| replays(include_str!("../../../tests/conformance/versions/codex.toml")));

/// What changed, oldest first.
pub(super) const CHANGES: &[&Change] = &[
    &EARLIER,
    &DISTRUST,
    &ROOTS_OF_SKILLS,
    &MODELS_153,
    &MODELS_155,
    &NAMES_ONLY,
    &MODELS_156,
    &INTRODUCTION_157,
    &MODELS_158,
    &AWS_IS_PROTECTED,
    &MODELS_159,
    &MODEL_IS_FILLED,
    &MODELS_165,
];

const fn change(since: &'static str, what: &'static str, cases: &'static [&'static str]) -> Change {
    Change { since, what, cases }
}

/// The cases that a change of the models could show.
const ROOM: &[&str] = &["codex/a_model_with_a_larger_window_has_more_skills"];
const MODELS: &str = "other models are known, and with them the room for the list of skills";

pub(super) const EARLIER: Change = change(
    "0.150.0",
    "markers count for the root of project files, links are followed, profiles are files, and the environment is described",
    &[],
);
pub(super) const DISTRUST: Change = change(
    "0.150.0",
    "a project that is called untrusted loses its files",
    &["codex/an_untrusted_project_keeps_only_the_global_text", "codex-0.104/an_untrusted_project_keeps_its_files"],
);
pub(super) const ROOTS_OF_SKILLS: Change = change(
    "0.151.0",
    "the list of skills names files by numbered roots where that is shorter, not only where there is too little room",
    &["codex/skills_may_be_switched_off_one_by_one"],
);
pub(super) const MODELS_153: Change = change("0.153.3", MODELS, ROOM);
pub(super) const MODELS_155: Change = change("0.155.0", MODELS, ROOM);
pub(super) const NAMES_ONLY: Change = change(
    "0.156.0",
    "fallback names with a slash or dots are dropped, where they led to files below and above",
    &["codex/a_fallback_with_a_slash_or_dots_is_dropped"],
);
pub(super) const MODELS_156: Change = change("0.156.1", MODELS, ROOM);
pub(super) const INTRODUCTION_157: Change = change(
    "0.157.0",
    "the list of skills is introduced by fewer words, which leaves a little more room for descriptions",
    &["codex/the_table_of_many_roots_is_charged_to_the_list_of_skills"],
);
pub(super) const MODELS_158: Change = change("0.158.0", MODELS, ROOM);
pub(super) const AWS_IS_PROTECTED: Change = change(
    "0.159.0",
    "`.aws` in a root of the workspace is read only, which the model is told",
    &["codex/every_writable_root_is_a_root_of_the_workspace"],
);
pub(super) const MODELS_159: Change = change("0.159.1", MODELS, ROOM);
pub(super) const MODEL_IS_FILLED: Change =
    change("0.160.0", "an empty `model` stops Codex", &["codex/an_empty_model_is_refused"]);
pub(super) const MODELS_165: Change = change("0.165.0", MODELS, ROOM);
