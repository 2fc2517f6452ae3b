//! Changes of Codex since 0.104: what changed, since which version, and the cases that show it.

use std::sync::{Arc, LazyLock};

use super::Codex;
use crate::harness::history::replays;
use crate::harness::{Change, History, Replays};

/// History of Codex.
pub(super) static HISTORY: History =
    History { changes: CHANGES, rules: |version| Arc::new(Codex::for_version(version)), replays: &REPLAYS };

static REPLAYS: Replays = LazyLock::new(|| replays(include_str!("../../../../tests/conformance/versions/codex.toml")));

/// Changes, oldest first.
pub(super) const CHANGES: &[&Change] = &[
    &MARKERS,
    &NO_JS_REPL,
    &DATE,
    &CHECKED_ONCE,
    &GIT_BY_POINTER,
    &SKILLS_MESSAGE,
    &SKILLS_BY_NAME,
    &TARGETS,
    &TILDES,
    &MARKER_WORDS,
    &MODELS_123,
    &MODELS_125,
    &OWN_PERMISSIONS,
    &NO_PROFILE_OF_PROJECTS,
    &DENIED,
    &LOSSY,
    &PROFILE_FILES,
    &PERMISSIONS_SHOWN,
    &PERMISSIONS_SORTED,
    &CD_KEEPS_LINKS,
    &SHORT_HEADER,
    &DEVICES,
    &TIME_REMINDER,
    &MODELS_144,
    &MODELS_144_6,
    &PERMISSION_ROOTS,
    &NOTHING_PROTECTED,
    &SKILL_PATHS,
    &GUARDIAN,
    &GIT_HOLDS_HEAD,
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

/// The case that shows that the known models changed.
const ROOM: &[&str] = &["codex/a_model_with_a_larger_window_has_more_skills"];
const MODELS: &str = "other models are known, and with them the room for the list of skills";

pub(super) const MARKERS: Change = change(
    "0.105.0",
    "`project_root_markers` count for project files, `/` may be their root, and `agents` may say more",
    &[
        "codex/the_nearest_marker_is_the_root",
        "codex-0.104/markers_do_not_move_the_root_of_the_project_files",
        "codex-0.104/agents_have_one_number",
    ],
);
pub(super) const NO_JS_REPL: Change = change(
    "0.106.0",
    "nothing is said of `js_repl` behind the files",
    &["codex-0.104/features_add_sections_behind_the_files"],
);
pub(super) const DATE: Change = change(
    "0.107.0",
    "the environment block says date and time zone",
    &["codex/profiles_of_permissions_need_a_default"],
);
pub(super) const CHECKED_ONCE: Change = change(
    "0.110.0",
    "a wrong type may be covered by managed settings or a trusted project",
    &["codex-0.104/a_wrong_type_that_managed_settings_would_cover_is_refused"],
);
pub(super) const GIT_BY_POINTER: Change = change(
    "0.113.0",
    "the git root for trust is found by `.git` entries, not by asking git; `[permissions]` must be right",
    &["codex-0.104/trust_is_asked_of_git_itself"],
);
pub(super) const SKILLS_MESSAGE: Change = change(
    "0.115.0",
    "skills are listed in a developer message",
    &["codex-0.104/one_message_holds_global_and_project_text_and_its_own_sections"],
);
pub(super) const SKILLS_BY_NAME: Change =
    change("0.117.0", "skills may be switched off by name", &["codex-0.104/a_skill_is_switched_off_by_its_path_only"]);
pub(super) const TARGETS: Change = change(
    "0.120.0",
    "links to nothing or to directories, FIFOs and devices are passed over, and so are files in a directory called `~`; `--cd` may name what is missing",
    &[
        "codex-0.104/a_link_to_nothing_hides_the_other_names",
        "codex-0.104/a_link_to_a_directory_drops_every_project_file",
        "codex-0.104/a_missing_directory_in_the_cd_option_is_refused",
    ],
);
pub(super) const TILDES: Change =
    change("0.121.0", "`~` in a marker is the home directory", &["codex/a_tilde_in_a_marker_is_a_letter_like_others"]);
pub(super) const MARKER_WORDS: Change = change(
    "0.122.0",
    "the path of a marker is made simple before it is looked up for settings",
    &["codex-0.104/a_marker_of_settings_is_a_path_as_the_system_takes_it"],
);
pub(super) const MODELS_123: Change = change("0.123.0", MODELS, ROOM);
pub(super) const MODELS_125: Change = change("0.125.0", MODELS, ROOM);
pub(super) const OWN_PERMISSIONS: Change = change(
    "0.128.0",
    "Codex's own profiles of permissions may be the default; `glob_scan_max_depth` is known",
    &["codex/a_built_in_profile_of_permissions_may_be_the_default"],
);
pub(super) const NO_PROFILE_OF_PROJECTS: Change = change(
    "0.129.0",
    "a project may no longer choose a profile",
    &["codex-0.104/a_trusted_project_may_choose_a_profile"],
);
pub(super) const DENIED: Change = change(
    "0.130.0",
    "a project may no longer set providers and the like",
    &["codex/every_key_a_project_may_not_set_may_have_any_type"],
);
pub(super) const LOSSY: Change = change(
    "0.133.0",
    "a global file that is not UTF-8 is read leniently; permissions may deny patterns",
    &["codex-0.104/a_global_file_that_is_not_utf_8_is_passed_over"],
);
pub(super) const PROFILE_FILES: Change = change(
    "0.134.0",
    "a profile is a file, `NAME.config.toml`, and no longer a table",
    &["codex/a_profile_file_is_a_layer_above_the_users", "codex/the_old_profile_key_is_refused"],
);
pub(super) const PERMISSIONS_SHOWN: Change = change(
    "0.136.0",
    "the environment block says what commands may touch",
    &["codex/every_writable_root_is_a_root_of_the_workspace"],
);
pub(super) const PERMISSIONS_SORTED: Change = change(
    "0.137.0",
    "entries of extended profiles of permissions are sorted by their names",
    &["codex/a_profile_of_permissions_may_extend_another"],
);
pub(super) const CD_KEEPS_LINKS: Change = change(
    "0.138.0",
    "project files are found along the path of `--cd`, links kept; features may be tables",
    &["codex/the_cd_option_keeps_links_in_the_path", "codex/a_few_features_may_be_tables"],
);
pub(super) const SHORT_HEADER: Change = change(
    "0.140.0",
    "the header names no directory over global text alone; what is no regular file is no global file",
    &["codex/the_header_is_shorter_over_global_text_since_0_140", "codex/a_global_fifo_or_device_falls_through"],
);
pub(super) const DEVICES: Change = change(
    "0.142.0",
    "settings that are a device stop Codex, `~` is a letter in markers and directories; budgets of sessions and tokens may be tables",
    &[
        "codex/settings_that_are_a_device_are_refused",
        "codex/a_budget_of_tokens_may_be_a_table",
        "codex/values_that_are_no_yaml_are_taken_for_texts",
    ],
);
pub(super) const TIME_REMINDER: Change = change(
    "0.143.0",
    "the reminder of the time may be a table; a skill has no tab in its path; its list is charged without its explanation",
    &["codex/a_reminder_of_the_time_may_be_a_table", "codex/a_skill_must_be_printable_text"],
);
pub(super) const MODELS_144: Change = change("0.144.0", MODELS, ROOM);
pub(super) const MODELS_144_6: Change = change("0.144.6", MODELS, ROOM);
pub(super) const PERMISSION_ROOTS: Change = change(
    "0.145.0",
    "roots of a profile of permissions are no roots of the workspace; a third manifest of plugins is read",
    &["codex/a_profile_of_permissions_may_extend_another", "codex/a_skill_in_a_plugin_has_its_name_before_its_own"],
);
pub(super) const NOTHING_PROTECTED: Change = change(
    "0.146.0",
    "a profile that extends `:workspace` takes over no protected folders",
    &["codex/a_profile_of_permissions_may_extend_another"],
);
pub(super) const SKILL_PATHS: Change = change(
    "0.147.0",
    "a skill behind a link is named by the link",
    &["codex/a_root_of_skills_is_named_by_its_real_path"],
);
pub(super) const GUARDIAN: Change = change(
    "0.148.0",
    "the guardian may be a table; the list of skills is introduced by fewer words",
    &["codex/a_guardian_may_say_how_much_it_reads", "codex/the_table_of_many_roots_is_charged_to_the_list_of_skills"],
);
pub(super) const GIT_HOLDS_HEAD: Change = change(
    "0.149.0",
    "an empty `.git` is no root for settings and trust; markers that cannot be examined are absent; managed settings may trust",
    &[
        "codex/a_git_directory_without_head_is_no_root_for_layers",
        "codex/a_marker_may_be_a_path",
        "codex/project_files_that_permissions_deny_are_refused",
        "codex-0.104/managed_settings_win_but_trust_nobody",
    ],
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
/// Not in [`CHANGES`], because only the screen output changed and not the text that is sent; so it makes no version
/// uncertain.
pub(super) const LOSSES: Change = change(
    "0.169.0",
    "what the budget leaves out is shown to the user",
    &["codex/a_spent_budget_is_said_to_the_user_file_by_file"],
);
