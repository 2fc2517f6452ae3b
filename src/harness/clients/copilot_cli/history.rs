//! Changes of Copilot CLI from version to version, found by replaying cases on the versions in its registry.

use std::sync::{Arc, LazyLock};

use super::CopilotCli;
use crate::harness::history::replays;
use crate::harness::{Change, Edition, History, Replays, Version};

/// Changes, rules and replays of all versions.
pub(super) static HISTORY: History = History {
    changes: &[&SPLIT, &VIEWS, &IMPORTS, &SORTED, &APART, &CLAUDE, &PATTERNS],
    rules: |version| -> Arc<dyn Edition> { Arc::new(CopilotCli::for_version(version)) },
    replays: &REPLAYS,
};

static REPLAYS: Replays =
    LazyLock::new(|| replays(include_str!("../../../../tests/conformance/versions/copilot-cli.toml")));

// The bundle of 1.0.52 contains it. Of the versions that run, 1.0.50 is the last without it and 1.0.55 the first with
// it.
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

/// Differences between versions.
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

/// Files that viewing a file sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Views {
    Nothing,
    /// Files above the viewed file.
    Above,
    /// Files above the viewed file, and files known to the session with a pattern that matches.
    AboveAndRules,
}

/// Parsing of an instruction file's patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heads {
    /// One text.
    Whole,
    /// Split at commas.
    Commas,
    /// Split at commas that are not in braces or brackets.
    Braces,
    /// Split as `Braces`; `paths` is read as well as `applyTo`.
    Paths,
}

/// Folders of rules that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleFolders {
    Instructions,
    /// Also the folder of Claude Code.
    AndClaudes,
}

impl RuleFolders {
    /// Returns the folders of rules in a directory, and the endings of file names in them.
    pub(super) fn folders(self) -> &'static [(&'static str, &'static str)] {
        const BOTH: [(&str, &str); 2] = [(".github/instructions", ".instructions.md"), (".claude/rules", ".md")];
        match self {
            RuleFolders::Instructions => &BOTH[..1],
            RuleFolders::AndClaudes => &BOTH,
        }
    }
}

/// Order of the rules of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// In the order of the walk over the disk.
    AsFound,
    ByPath,
}

/// Form in which the user's own instruction files are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Users {
    /// Joined into one text, with a table of their own.
    Together,
    /// Like those of the project.
    Apart,
}

/// Files that are loaded from a directory that an environment variable names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// Those in its `.github/instructions`.
    Github,
    /// Every instruction file below it.
    Everything,
}

/// Treatment of imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Imports {
    None,
    Followed,
}

/// Directories above the working directory whose files are loaded if there is no repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outside {
    Nothing,
    /// All except the root of the file system.
    EveryDirectory,
}

/// Knowledge about what sub-agents begin with and how skills are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// Known to differ from the newest version; the details were not checked.
    Unknown,
    Known,
}

impl Behavior {
    /// Behaviour of the newest version.
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

    /// Returns the behaviour of a version.
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
