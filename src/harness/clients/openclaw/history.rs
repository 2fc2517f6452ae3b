//! Changes of OpenClaw since 2026.2.6: what changed, since which version, and the cases that show it.
//!
//! Changes between 2026.2.19 and 2026.9.1 were found by running some of these versions. Such a change has the later of
//! the two versions that it lies between, and no rules were written for it.

use crate::harness::Change;

/// Changes, oldest first.
pub(super) const CHANGES: &[&Change] = &[
    &TOTAL_LIMIT,
    &SKILLS_WITH_LIMITS,
    &MORE_FOR_SUBAGENTS,
    &GUARDED,
    &LIGHTWEIGHT,
    &NOTICE,
    &SMALLER,
    &SHARES,
    &LARGER,
    &LESS_FOR_SUBAGENTS,
    &REWRITTEN,
    &REFUSED,
    &SKILLS_SORTED,
    &DIGEST,
    &AS_LOADED,
];

const fn change(since: &'static str, what: &'static str, cases: &'static [&'static str]) -> Change {
    Change { since, what, cases }
}

pub(super) const TOTAL_LIMIT: Change = change(
    "2026.2.17",
    "all files share 150 000 UTF-16 units; headings are paths; cron runs get AGENTS.md and TOOLS.md only",
    &["openclaw-2026.2.19/a_hundred_and_fifty_thousand_units_are_shared", "openclaw-2026.2.19/headings_are_paths"],
);
const SKILLS_WITH_LIMITS: Change = change(
    "2026.2.19",
    "skills are looked for in .agents/skills too, folder by folder and within limits; their paths begin with `~`",
    &["openclaw-2026.2.19/limits_cut_the_list_of_skills"],
);
const MORE_FOR_SUBAGENTS: Change = change(
    "2026.2.23",
    "sub-agents and cron runs also get SOUL.md, IDENTITY.md and USER.md; files are read once a session",
    &[],
);
const GUARDED: Change =
    change("2026.2.26", "links that lead out of the workspace and files above 2 MiB count as missing", &[]);
const LIGHTWEIGHT: Change = change("2026.3.2", "a lightweight context mode, which has no files", &[]);
const NOTICE: Change = change("2026.3.13", "the prompt says when something was cut", &[]);
const SMALLER: Change = change("2026.4.15", "limits of 12 000 and 60 000 UTF-16 units", &[]);
const SHARES: Change = change("2026.5.12", "head and tail are 75 % and 25 %; memory.md is not read", &[]);
const LARGER: Change = change(
    "2026.6.5",
    "20 000 UTF-16 units per file again; sub-agents and cron runs get AGENTS.md and TOOLS.md again",
    &[],
);
const LESS_FOR_SUBAGENTS: Change = change("2026.7.1", "which files sub-agents and cron runs get", &[]);
pub(super) const REWRITTEN: Change = change(
    "2026.9.1",
    "TOOLS.md is no longer read; AGENTS.md is cut to a digest, USER.md to 4 000 UTF-16 units; CRLF and blank lines are rewritten; files are sorted",
    &["openclaw/long_agents_keep_a_digest_of_their_policy"],
);
const REFUSED: Change = change(
    "2026.9.1",
    "links are refused and shown as unreadable; groups lose MEMORY.md; BOOTSTRAP.md is shown while it is pending",
    &["openclaw/a_group_sees_no_memory", "openclaw/an_untouched_workspace_pays_for_its_bootstrap"],
);
const SKILLS_SORTED: Change =
    change("2026.9.1", "skills are listed by name, and links to them are not followed; only a SKILL.md is one", &[]);
// The change lies between 2026.9.2 and this version; what the older digest keeps is not known.
const DIGEST: Change = change(
    "2026.9.4",
    "what the digest of a long AGENTS.md keeps",
    &["openclaw/long_agents_keep_a_digest_of_their_policy"],
);
pub(super) const AS_LOADED: Change = change(
    "2026.9.6",
    "extra files called USER.md stand as they were loaded; before, sorted by their paths",
    &["openclaw/extra_files_stand_beside_their_namesakes"],
);
