//! Changes of Qwen Code from version to version, found by replaying cases on the versions in its registry.

use std::sync::{Arc, LazyLock};

use super::QwenCode;
use crate::harness::history::replays;
use crate::harness::{Change, Edition, History, Replays, Version};

/// Changes, rules and replays of all versions.
pub(super) static HISTORY: History = History {
    changes: &[&DEEPEST, &UNDECIDED, &EXTENSION_RULES],
    rules: |version| -> Arc<dyn Edition> { Arc::new(QwenCode { behavior: Behavior::for_version(version) }) },
    replays: &REPLAYS,
};

static REPLAYS: Replays =
    LazyLock::new(|| replays(include_str!("../../../../tests/conformance/versions/qwen-code.toml")));

// The registry has no version between 0.21.2 and this one.
static DEEPEST: Change = Change {
    since: "0.21.10",
    what: "the deepest decision about a folder counts; before, trust in any folder above it, and a denial for the very folder alone",
    cases: &["qwen-code/before_0_21_10_a_folder_was_denied_for_itself_alone_and_trust_above_it_counted"],
};
// The registry has no version between 0.24.0 and this one.
static UNDECIDED: Change = Change {
    since: "0.24.2",
    what: "where folders are to be trusted, one that nobody decided about is not; before, it was",
    cases: &[
        "qwen-code/a_folder_that_is_not_trusted_gets_what_is_not_the_projects",
        "qwen-code/before_0_24_2_a_folder_that_nobody_decided_about_was_trusted",
    ],
};
static EXTENSION_RULES: Change = Change {
    since: "0.24.2",
    what: "extensions bring rules",
    cases: &[
        "qwen-code/a_folder_that_is_not_trusted_gets_what_is_not_the_projects",
        "qwen-code/before_0_24_2_extensions_brought_no_rules",
    ],
};

/// Differences between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Behavior {
    pub deciding: Deciding,
    pub undecided: Undecided,
    pub extension_rules: ExtensionRules,
}

/// Decision that applies to a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deciding {
    /// Trust in the folder or one above it, otherwise a denial for the folder itself.
    Trusting,
    /// The deepest decision.
    Deepest,
}

/// Trust in a folder without a decision, if trust is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Undecided {
    Trusted,
    Untrusted,
}

/// Treatment of the folder `rules` of an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtensionRules {
    Unread,
    Read,
}

impl Behavior {
    /// Behaviour of the newest version.
    pub(super) const NOW: Behavior = Behavior {
        deciding: Deciding::Deepest,
        undecided: Undecided::Untrusted,
        extension_rules: ExtensionRules::Read,
    };

    /// Returns the behaviour of a version.
    pub(super) fn for_version(version: Version) -> Behavior {
        Behavior {
            deciding: version.pick(&DEEPEST, Deciding::Deepest, Deciding::Trusting),
            undecided: version.pick(&UNDECIDED, Undecided::Untrusted, Undecided::Trusted),
            extension_rules: version.pick(&EXTENSION_RULES, ExtensionRules::Read, ExtensionRules::Unread),
        }
    }
}
