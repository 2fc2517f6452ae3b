//! Changes of Gemini CLI from version to version, found by replaying cases on the versions in its registry.

use std::sync::{Arc, LazyLock};

use super::GeminiCli;
use crate::harness::history::replays;
use crate::harness::{Change, Edition, History, Replays, Version};

/// Changes, rules and replays of all versions.
pub(super) static HISTORY: History = History {
    changes: &[&IN_TIME, &NO_SWITCH, &ADDED, &LINKS, &STRAYS],
    rules: |version| -> Arc<dyn Edition> { Arc::new(GeminiCli::for_version(version)) },
    replays: &REPLAYS,
};

static REPLAYS: Replays =
    LazyLock::new(|| replays(include_str!("../../../../tests/conformance/versions/gemini-cli.toml")));

// Earlier versions have no rules of their own: the nearest replayed version is this one.
static IN_TIME: Change = Change {
    since: "0.40.0",
    what: "the project's files stand in the first user message, and those above a file come with it; before, the system instruction had all of them, those below the working directory as well",
    cases: &["gemini-cli/a_read_loads_what_lies_between_the_target_and_the_workspace"],
};
static NO_SWITCH: Change = Change {
    since: "0.44.0",
    what: "`experimental.jitContext` counts for nothing; before, `false` had all files in the system instruction",
    cases: &[],
};
static ADDED: Change = Change {
    since: "0.44.0",
    what: "names of `context.fileName` are looked for beside GEMINI.md; before, in its place",
    cases: &[
        "gemini-cli/a_configured_name_is_added_in_front_of_gemini_md_and_replaces_nothing",
        "gemini-cli/before_0_44_a_configured_name_took_the_place_of_gemini_md",
    ],
};
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

/// Differences between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Behavior {
    pub links: Links,
    pub strays: Strays,
    pub switch: Switch,
    pub names: Names,
}

/// Path of an import that must be inside the boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    AsWritten,
    /// The path after resolving symlinks.
    Resolved,
}

/// Treatment of an extension that names a context file outside of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strays {
    /// The extension is skipped.
    Stop,
    /// The file is left out.
    LeftOut,
}

/// Effect of `experimental.jitContext`, which makes the client load all files at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    Counts,
    Gone,
}

/// Treatment of GEMINI.md if other names are configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// It is not tried.
    Replaced,
    Added,
}

impl Behavior {
    /// Behaviour of the newest version.
    pub(super) const NOW: Behavior =
        Behavior { links: Links::Resolved, strays: Strays::LeftOut, switch: Switch::Gone, names: Names::Added };

    /// Returns the behaviour of a version.
    pub(super) fn for_version(version: Version) -> Behavior {
        Behavior {
            links: if version.has(&LINKS) { Links::Resolved } else { Links::AsWritten },
            strays: if version.has(&STRAYS) { Strays::LeftOut } else { Strays::Stop },
            switch: version.pick(&NO_SWITCH, Switch::Gone, Switch::Counts),
            names: version.pick(&ADDED, Names::Added, Names::Replaced),
        }
    }
}
