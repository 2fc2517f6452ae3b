//! How Gemini CLI changed from version to version; found by replaying cases on the versions that its registry has.

use std::sync::{Arc, LazyLock};

use super::GeminiCli;
use crate::harness::history::replays;
use crate::harness::{Change, Edition, History, Replays, Version};

/// The versions, what changed in them, and what was replayed.
pub(super) static HISTORY: History = History {
    changes: &[&LINKS, &STRAYS],
    rules: |version| -> Arc<dyn Edition> { Arc::new(GeminiCli::for_version(version)) },
    replays: &REPLAYS,
};

static REPLAYS: Replays =
    LazyLock::new(|| replays(include_str!("../../../tests/conformance/versions/gemini-cli.toml")));

// The registry has no version between 0.47.0 and this one.
static LINKS: Change = Change {
    since: "0.51.0",
    what: "imports through links that lead out of the boundary are left out",
    cases: &[
        "gemini-cli/links_in_imports_are_followed_inside_of_the_boundary",
        "gemini-cli/before_0_51_an_import_was_taken_for_where_it_is_written",
    ],
};
static STRAYS: Change = Change {
    since: "0.60.0",
    what: "a context file outside of its extension is left out; before, the extension was",
    cases: &[
        "gemini-cli/context_files_of_extensions_come_before_the_project",
        "gemini-cli/before_0_60_a_context_file_outside_of_its_extension_stopped_the_extension",
    ],
};

/// What differs between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Behavior {
    pub links: Links,
    pub strays: Strays,
}

/// Which path of an import must lie inside of the boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    AsWritten,
    /// Where it leads.
    Resolved,
}

/// What becomes of an extension that names a context file outside of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strays {
    /// It is passed over.
    Stop,
    /// The file is.
    LeftOut,
}

impl Behavior {
    /// Those of the newest version.
    pub(super) const NOW: Behavior = Behavior { links: Links::Resolved, strays: Strays::LeftOut };

    /// Those of a version.
    pub(super) fn for_version(version: Version) -> Behavior {
        Behavior {
            links: if version.has(&LINKS) { Links::Resolved } else { Links::AsWritten },
            strays: if version.has(&STRAYS) { Strays::LeftOut } else { Strays::Stop },
        }
    }
}
