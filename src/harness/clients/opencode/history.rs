//! Changes of OpenCode since 1.1.53: what changed, since which version, and the cases that show it.
//!
//! Found by replaying cases, and by comparing the contents of both clients. The registry has few of the versions from
//! 1.1 to 1.17; a change has the first version there that includes it.

use std::sync::{Arc, LazyLock};

use super::OpenCode;
use crate::harness::history::replays;
use crate::harness::{Change, History, Replays};

/// History of OpenCode.
pub(super) static HISTORY: History =
    History { changes: CHANGES, rules: |version| Arc::new(OpenCode::for_version(version)), replays: &REPLAYS };

static REPLAYS: Replays =
    LazyLock::new(|| replays(include_str!("../../../../tests/conformance/versions/opencode.toml")));

/// Names of the first and the last edition.
pub(super) const EDITIONS: (&str, &str) = ("1.1", "1.18");

/// Changes, oldest first.
pub(super) const CHANGES: &[&Change] = &[
    &TRINITY,
    &LITERAL,
    &NODE,
    &LAYERS,
    &SKILLS_BEFORE,
    &PROMPTS,
    &GIT_IS_HEARD,
    &REWRITE,
    &FIND_ERRORS,
    &OWN_SKILL,
    &FLAGS,
    &GIT_IS_ASKED,
    &AGENT_NAMES,
    &VARIANTS,
    &STRICT_FLAGS,
    &REFERENCES,
    &CONFIG_DIR_MAY_BE_MISSING,
    &PLACES_ARE_PATHS,
    &SUBAGENT_DEPTH,
    &OTHER_KEYS,
    &MUSE,
    &KIMI_PROVIDERS,
    &NEXT_FORMS,
    &CHUNK_TIMEOUT,
    &GPT_6,
];

const fn change(since: &'static str, what: &'static str, cases: &'static [&'static str]) -> Change {
    Change { since, what, cases }
}

/// Empty, because the client's own prompt is only named in answers; a test beside the choices covers every version of
/// them.
const PROMPT_CASES: &[&str] = &[];
const AROUND: &[&str] = &["opencode/what_stands_around_the_instructions_has_changed"];
const KEYS: &[&str] = &["opencode/keys_of_settings_came_one_by_one"];
const SWITCHES: &[&str] = &["opencode/switches_know_yes_since_1_15"];

pub(super) const TRINITY: Change = change("1.1.56", "Trinity has a prompt of its own", PROMPT_CASES);
pub(super) const LITERAL: Change = change(
    "1.1.56",
    "`$&` and its like mean nothing in a file that settings refer to",
    &["opencode-1.1/a_file_reference_is_replaced_where_its_text_stands_first"],
);
pub(super) const NODE: Change = change(
    "1.2.11",
    "files are looked for and read by Node: patterns are npm's, directories count as files, UTF-16 is not decoded",
    &[
        "opencode/one_directory_is_listed_in_reverse",
        "opencode/a_byte_order_mark_is_dropped_and_invalid_utf_8_replaced",
    ],
);
pub(super) const LAYERS: Change = change(
    "1.2.15",
    "each reference to a file is replaced by itself; `theme`, `keybinds` and `tui` are passed over in settings",
    &[
        "opencode-1.1/a_file_reference_is_replaced_where_its_text_stands_first",
        "opencode/keys_of_settings_came_one_by_one",
    ],
);
pub(super) const SKILLS_BEFORE: Change =
    change("1.2.27", "skills are listed in the system prompt, and the environment names the workspace root", AROUND);
pub(super) const PROMPTS: Change =
    change("1.3.0", "other prompts of its own for most models; skills are sorted by name", PROMPT_CASES);
pub(super) const GIT_IS_HEARD: Change =
    change("1.3.2", "where git fails, the environment says that there is no repository", AROUND);
pub(super) const REWRITE: Change = change(
    "1.14.34",
    "the global file comes before the project's, OPENCODE_CONFIG_DIR takes the place of ~/.config/opencode, settings are merged directory by directory",
    &["opencode/the_global_file_comes_before_the_project_files"],
);
pub(super) const FIND_ERRORS: Change = change(
    "1.15.0",
    "an error such as a loop of links gives a name up at all levels, where it stopped the client",
    &["opencode/a_link_loop_spoils_its_name_at_all_levels"],
);
pub(super) const OWN_SKILL: Change = change(
    "1.15.0",
    "a skill comes with the client, and one needs no description; `attachment` and `reference` are keys of settings",
    &["opencode/what_stands_around_the_instructions_has_changed", "opencode/switches_know_yes_since_1_15"],
);
pub(super) const FLAGS: Change =
    change("1.15.3", "every switch of the environment knows `yes`, `on` and `y`", SWITCHES);
pub(super) const GIT_IS_ASKED: Change = change("1.15.13", "a `.git` that git does not accept is no repository", AROUND);
pub(super) const AGENT_NAMES: Change = change(
    "1.15.13",
    "an agent is called by its path in the settings directory, and every end of planning is told",
    &[],
);
pub(super) const VARIANTS: Change = change("1.17.0", "a command's `variant` is a text", KEYS);
pub(super) const STRICT_FLAGS: Change = change(
    "1.17.11",
    "switches of the environment stop the client with any other word than yes and no",
    &["opencode/a_disable_flag_that_is_neither_yes_nor_no_stops_the_client"],
);
pub(super) const REFERENCES: Change = change("1.17.11", "settings have a key `references`", KEYS);
pub(super) const CONFIG_DIR_MAY_BE_MISSING: Change = change(
    "1.17.18",
    "the directory that OPENCODE_CONFIG_DIR names need not be there, and settings need not be readable",
    &["opencode-1.15/a_config_dir_that_is_not_there_stops_the_client"],
);
pub(super) const PLACES_ARE_PATHS: Change =
    change("1.17.18", "where a skill lies is said as a path, where it was a URL", AROUND);
pub(super) const SUBAGENT_DEPTH: Change = change("1.18.3", "settings have a key `subagent_depth`", KEYS);
pub(super) const OTHER_KEYS: Change =
    change("1.18.16", "unknown keys in settings are passed over, where they stopped the client", KEYS);
pub(super) const MUSE: Change = change("1.18.17", "Muse has a prompt of its own", PROMPT_CASES);
pub(super) const KIMI_PROVIDERS: Change =
    change("1.18.18", "every model of Kimi's providers has Kimi's prompt", PROMPT_CASES);
pub(super) const NEXT_FORMS: Change =
    change("1.18.25", "settings in the forms of the next generation are translated", KEYS);
pub(super) const CHUNK_TIMEOUT: Change = change("1.18.27", "a provider's `chunkTimeout` may be `false`", KEYS);
pub(super) const GPT_6: Change = change("1.18.30", "GPT-6 has a prompt of its own", PROMPT_CASES);
