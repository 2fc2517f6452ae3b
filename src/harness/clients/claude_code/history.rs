//! Changes of Claude Code from version to version. Each change was found on the real client, between that version and
//! the one published before it.

use std::sync::{Arc, LazyLock};

use super::document::Joins;
use super::manner::Manner;
use super::memory::Warning;
use super::{Edition21, V2_1};
use crate::harness::history::replays;
use crate::harness::{Change, Edition, History, Replays, Version};

static REPLAYS: Replays =
    LazyLock::new(|| replays(include_str!("../../../../tests/conformance/versions/claude-code.toml")));

/// History of Claude Code.
pub(super) static HISTORY: History = History { changes: CHANGES, rules, replays: &REPLAYS };

const fn change(since: &'static str, what: &'static str, cases: &'static [&'static str]) -> Change {
    Change { since, what, cases }
}

const BY_SYSTEM: Change = change(
    "2.1.154",
    "models that take system messages within a conversation are told nested files in one; before, all behind the answer of the tool",
    &["claude-code/before_2_1_154_every_model_was_told_behind_the_answer_of_the_tool"],
);

const SORTED: Change =
    change("2.1.154", "skills and commands are listed by name", &["claude-code/commands_are_listed_behind_the_skills"]);

const REMARKS: Change = change(
    "2.1.178",
    "the list says of skills below the working directory for which files they are; before, one of a name that was taken was left out",
    &["claude-code/before_2_1_178_skills_below_were_listed_without_a_remark"],
);

const EXPLORE: Change = change(
    "2.1.198",
    "the agent Explore has the model of the session; before, Haiku, which is told behind the answer of the tool",
    &["claude-code/until_2_1_197_explore_was_told_behind_the_answer_of_the_tool"],
);

const SONNET_5: &[&str] = &["claude-code/until_2_1_202_sonnet_5_was_told_in_other_ways"];

const SONNET_5_BY_ANSWERS: Change = change(
    "2.1.201",
    "Sonnet 5 is told nested files behind the answer of the tool; before, as models that nobody knows",
    SONNET_5,
);

const SONNET_5_IN_BLOCKS: Change =
    change("2.1.203", "Sonnet 5 is told nested files by the system, each in a block of its own", SONNET_5);

const EDITS_DISCOVER: Change = change(
    "2.1.208",
    "Edit and Write make the skills known that belong to a file, as Read does",
    &["claude-code/before_2_1_208_an_edit_made_no_skills_known"],
);

const IN_TIME: Change = change(
    "2.1.251",
    "skills below the working directory are listed with every reading there; before, only if they were known in time",
    &["claude-code/skills_below_are_listed_once_a_file_there_is_read"],
);

const OWN_BLOCK: Change = change(
    "2.1.268",
    "the files have a block of their own, without a date behind them",
    &["claude-code/since_2_1_268_the_files_have_a_block_of_their_own"],
);

const WARNING: Change = change(
    "2.1.268",
    "the warning about a long memory says what is lost",
    &["claude-code/since_2_1_268_the_memory_warning_says_what_is_lost"],
);

const AGENTS_MD: Change = change(
    "2.1.281",
    "AGENTS.md is read where there is no CLAUDE.md",
    &["claude-code/since_2_1_281_agents_md_is_read"],
);

const ONCE: Change = change(
    "2.1.281",
    "what the session began with is not attached again where a reading meets it",
    &["claude-code/what_was_loaded_at_the_start_is_not_attached_again"],
);

const WORKTREES: Change = change(
    "2.1.286",
    "the directories of a worktree below .claude/worktrees are left to a session that starts there",
    &[
        "claude-code/reading_in_a_worktree_below_the_checkout_brings_only_what_lies_deeper",
        "claude-code/paths_of_rules_begin_at_a_worktree_below_the_checkout",
    ],
);

const EDITS: Change = change(
    "2.1.288",
    "Edit and Write bring what lies on the way, as Read does",
    &["claude-code/changing_a_file_brings_what_lies_on_the_way"],
);

const MENTIONED: Change =
    change("2.1.290", "a mention brings AGENTS.md", &["claude-code/mentioning_a_file_in_a_session_of_agents_md"]);

const TAGS: Change = change(
    "2.1.292",
    "tags in nested AGENTS.md are broken",
    &["claude-code/tags_are_broken_by_a_backslash_in_nested_files"],
);

const SHELL: Change = change(
    "2.1.293",
    "a file that is shown (`cat`) brings what lies on the way, as Read does",
    &["claude-code/showing_a_file_brings_what_lies_on_the_way"],
);

const BY_USER: Change = change(
    "2.1.307",
    "nested files are told by the user, each in a block of its own; before, in a system message where the model takes one",
    &[
        "claude-code/until_2_1_306_a_system_message_tells_nested_files",
        "claude-code/until_2_1_306_nested_agents_md_stand_in_one_message_with_the_rest",
    ],
);

const CUT: Change = change(
    "2.1.309",
    "nested files are cut at 150 000 UTF-16 units",
    &["claude-code/since_2_1_309_nested_files_are_cut"],
);

const DROPPED: Change =
    change("2.1.311", "files over 4 MiB are dropped", &["claude-code/the_4_mib_limit_counts_bytes"]);

const EMPTY_JSON: Change =
    change("2.1.318", "an empty JSON file of the user stops nothing", &["claude-code/an_empty_users_json_is_fine"]);

const MENTIONS: Change = change(
    "2.1.318",
    "AGENTS.md files that a mention brings are told by the user; before, in a system message where the model takes one",
    &["claude-code/since_2_1_318_the_user_tells_agents_md_of_a_mention"],
);

const ADDED: Change = change(
    "2.1.327",
    "an added directory is composed, and not said as it was written",
    &["claude-code/added_directories_may_be_written_with_a_tilde_or_from_here"],
);

const KEEPS_DEFINITIONS: Change = change(
    "2.1.330",
    "a text with comments keeps its link definitions, and its CRLF if no comment is removed",
    &["claude-code/since_2_1_330_a_text_that_keeps_its_comments_is_as_written"],
);

const REPLACES: Change = change(
    "2.1.332",
    "the heading of a file in a worktree names the file of the checkout that it replaces",
    &["claude-code/a_session_in_the_directory_of_worktrees_is_brought_their_files"],
);

/// Not in [`CHANGES`], because the client did not change: the version since which the size of the client's own skills
/// in the list is known.
const OWN_SKILLS: Change = change("2.1.329", "how much of the list of skills is the client's own was measured", &[]);

const CHANGES: &[&Change] = &[
    &BY_SYSTEM,
    &SORTED,
    &REMARKS,
    &EXPLORE,
    &SONNET_5_BY_ANSWERS,
    &SONNET_5_IN_BLOCKS,
    &EDITS_DISCOVER,
    &IN_TIME,
    &OWN_BLOCK,
    &WARNING,
    &AGENTS_MD,
    &ONCE,
    &WORKTREES,
    &EDITS,
    &MENTIONED,
    &TAGS,
    &SHELL,
    &BY_USER,
    &CUT,
    &DROPPED,
    &EMPTY_JSON,
    &MENTIONS,
    &ADDED,
    &KEEPS_DEFINITIONS,
    &REPLACES,
];

fn rules(version: Version) -> Arc<dyn Edition> {
    Arc::new(Edition21 {
        tells_by_system: version.has(&BY_SYSTEM),
        explores_by_haiku: !version.has(&EXPLORE),
        sonnet_5: match (version.has(&SONNET_5_BY_ANSWERS), version.has(&SONNET_5_IN_BLOCKS)) {
            (false, _) => Manner::System,
            (true, false) => Manner::Answers,
            (true, true) => Manner::Blocks,
        },
        sorts_skills: version.has(&SORTED),
        remarks_on_skills: version.has(&REMARKS),
        lists_in_time: version.has(&IN_TIME),
        edits_discover: version.has(&EDITS_DISCOVER),
        own_block: version.has(&OWN_BLOCK),
        memory_warning: if version.has(&WARNING) { Warning::Quoting } else { Warning::Short },
        agents_md: version.has(&AGENTS_MD),
        repeats_the_start: !version.has(&ONCE),
        edits_bring: version.has(&EDITS),
        shell_brings: version.has(&SHELL),
        leaves_worktrees: version.has(&WORKTREES),
        marks_worktrees: version.has(&REPLACES),
        breaks_tags_handed_over: version.has(&TAGS),
        mentions_hand_over: version.has(&MENTIONED),
        files_by_user: version.has(&BY_USER),
        breaks_tags: version.has(&BY_USER),
        nested_utf16: V2_1.nested_utf16.filter(|_| version.has(&CUT)),
        drops_large_files: version.has(&DROPPED),
        takes_empty_json: version.has(&EMPTY_JSON),
        mentions_by_user: version.has(&MENTIONS),
        resolves_added: version.has(&ADDED),
        own_skills_measured: version.has(&OWN_SKILLS),
        joins: if version.has(&KEEPS_DEFINITIONS) { Joins::Everything } else { Joins::Blocks },
        ..V2_1
    })
}
