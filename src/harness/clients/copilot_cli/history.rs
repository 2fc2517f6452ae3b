//! How Copilot CLI changed from version to version; found by replaying cases on the versions that its registry has.

use std::sync::{Arc, LazyLock};

use super::CopilotCli;
use crate::harness::history::replays;
use crate::harness::{Change, Edition, History, Replays, Version};

/// The versions, what changed in them, and what was replayed.
pub(super) static HISTORY: History = History {
    changes: &[&SPLIT, &VIEWS, &IMPORTS, &SORTED, &APART, &CLAUDE, &PATTERNS],
    rules: |version| -> Arc<dyn Edition> { Arc::new(CopilotCli::for_version(version)) },
    replays: &REPLAYS,
};

static REPLAYS: Replays =
    LazyLock::new(|| replays(include_str!("../../../../tests/conformance/versions/copilot-cli.toml")));

// Its bundle says so; of the versions that run, 1.0.50 is the last without and 1.0.55 the first with it.
static SPLIT: Change = Change {
    since: "1.0.52",
    what: "patterns are split at commas and trimmed; every instruction file below a directory of the environment counts",
    cases: &["copilot-cli/before_1_0_52_patterns_were_one_text"],
};
// 1.0.56 does not run.
static VIEWS: Change = Change {
    since: "1.0.57",
    what: "viewing a file sends those above it",
    cases: &["copilot-cli/before_1_0_57_a_view_sent_nothing"],
};
static IMPORTS: Change = Change {
    since: "1.0.66",
    what: "@path imports a file",
    cases: &["copilot-cli/before_1_0_66_nothing_was_imported"],
};
// 1.0.76 and 1.0.77 do not run.
static SORTED: Change = Change {
    since: "1.0.78",
    what: "instruction files are sorted by path; commas in braces and brackets part no patterns",
    cases: &["copilot-cli/before_1_0_78_instruction_files_stood_in_the_order_of_the_walk"],
};
static APART: Change = Change {
    since: "1.0.81",
    what: "the user's instruction files are read as those of the project are",
    cases: &["copilot-cli/before_1_0_81_the_users_instruction_files_were_one_text"],
};
static CLAUDE: Change = Change {
    since: "1.0.89",
    what: ".claude/rules are read, and `paths` as well as `applyTo`",
    cases: &["copilot-cli/before_1_0_89_only_instruction_files_were_rules"],
};
// The registry has no version between 1.0.92 and this one.
static PATTERNS: Change = Change {
    since: "1.0.102",
    what: "viewing a file sends what lists a pattern that matches; without a repository only the working directory counts",
    cases: &[
        "copilot-cli/before_1_0_102_a_view_sent_nothing_of_what_the_session_lists",
        "copilot-cli/before_1_0_102_all_directories_above_counted_without_a_repository",
    ],
};

/// What differs between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Behavior {
    pub views: Views,
    pub heads: Heads,
    pub rules: RuleFolders,
    pub order: Order,
    pub users: Users,
    pub named: Named,
    pub imports: Imports,
    pub outside: Outside,
    pub beside: Beside,
}

/// What viewing a file sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Views {
    Nothing,
    /// What lies above the file.
    Above,
    /// The same, and what the session knows of which a pattern matches.
    AboveAndRules,
}

/// How the patterns of an instruction file are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heads {
    /// As one text.
    Whole,
    /// Parted by commas.
    Commas,
    /// Parted by commas that do not stand in braces or brackets.
    Braces,
    /// The same, and under another name as well.
    Paths,
}

/// Which rules are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleFolders {
    Instructions,
    /// Also those of Claude Code.
    AndClaudes,
}

impl RuleFolders {
    /// The folders of a directory, and how names in them end.
    pub(super) fn folders(self) -> &'static [(&'static str, &'static str)] {
        const BOTH: [(&str, &str); 2] = [(".github/instructions", ".instructions.md"), (".claude/rules", ".md")];
        match self {
            RuleFolders::Instructions => &BOTH[..1],
            RuleFolders::AndClaudes => &BOTH,
        }
    }
}

/// How the rules of a folder are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// As the disk is walked.
    AsFound,
    ByPath,
}

/// How the user's own instruction files are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Users {
    /// In one text, with a table of their own.
    Together,
    /// As those of the project.
    Apart,
}

/// What counts of a directory that the environment names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// Its `.github/instructions`.
    Github,
    /// Every instruction file below it.
    Everything,
}

/// Whether a text may import others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Imports {
    None,
    Followed,
}

/// Whose files count above the working directory where there is no repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outside {
    Nothing,
    /// All but those of the root of the disk.
    EveryDirectory,
}

/// Whether it is known what sub-agents begin with, and how skills are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// It was otherwise, and nobody has found out yet how.
    Unknown,
    Known,
}

impl Behavior {
    /// Those of the newest version.
    pub(super) const NOW: Behavior = Behavior {
        views: Views::AboveAndRules,
        heads: Heads::Paths,
        rules: RuleFolders::AndClaudes,
        order: Order::ByPath,
        users: Users::Apart,
        named: Named::Everything,
        imports: Imports::Followed,
        outside: Outside::Nothing,
        beside: Beside::Known,
    };

    /// Those of a version.
    pub(super) fn for_version(version: Version) -> Behavior {
        let has = |change| version.has(change);
        Behavior {
            views: match (has(&VIEWS), has(&PATTERNS)) {
                (false, _) => Views::Nothing,
                (true, false) => Views::Above,
                (true, true) => Views::AboveAndRules,
            },
            heads: match (has(&SPLIT), has(&SORTED), has(&CLAUDE)) {
                (false, ..) => Heads::Whole,
                (true, false, _) => Heads::Commas,
                (true, true, false) => Heads::Braces,
                (true, true, true) => Heads::Paths,
            },
            rules: if has(&CLAUDE) { RuleFolders::AndClaudes } else { RuleFolders::Instructions },
            order: if has(&SORTED) { Order::ByPath } else { Order::AsFound },
            users: if has(&APART) { Users::Apart } else { Users::Together },
            named: if has(&SPLIT) { Named::Everything } else { Named::Github },
            imports: if has(&IMPORTS) { Imports::Followed } else { Imports::None },
            outside: if has(&PATTERNS) { Outside::Nothing } else { Outside::EveryDirectory },
            beside: if has(&PATTERNS) { Beside::Known } else { Beside::Unknown },
        }
    }
}

impl Default for Behavior {
    fn default() -> Behavior {
        Behavior::NOW
    }
}
