//! Which settings count in an edition of Codex, and for what.

use super::skills::{self, Model};
use super::types::{By, Checks};
use super::{history as h, permissions, trust};
use crate::harness::Version;

/// Which settings count in an edition, and for what.
#[derive(Clone)]
pub(super) struct Behavior {
    /// What a profile is.
    pub profiles: Profiles,
    /// What marks the root of the project files.
    pub document_root: DocumentRoot,
    /// Where the settings of a project start, which need not be where its files start.
    pub settings_root: SettingsRoot,
    /// What `~` in a marker is.
    pub tildes: Tildes,
    /// Whom the user trusts.
    pub trust: trust::Behavior,
    /// What an untrusted project loses.
    pub distrust: Distrust,
    /// Keys that a project may not set.
    pub denied_to_projects: &'static [&'static str],
    /// When the administrator's settings are laid over the others, and types are checked.
    pub managed: Managed,
    /// What is done with settings that are no regular file, but can be read.
    pub devices: Devices,
    /// Which fallback names count.
    pub fallbacks: Fallbacks,
    /// What is checked.
    pub checks: Checks,
    /// How a single skill is named that is switched off.
    pub skills: By,
    /// The models of which it is known what they can be told at once.
    pub models: Vec<Model>,
    /// How permissions are worked out.
    pub permissions: permissions::Form,
    /// Keys that name files which must have text.
    pub texts: &'static [(&'static str, &'static str)],
}

/// What a profile is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Profiles {
    /// `NAME.config.toml`, a layer above the user's settings. The older kind stops Codex.
    Files,
    /// A table `[profiles.NAME]`, which has few keys: those of this crate's concern are `features` and files with text.
    Tables,
}

/// What marks the root of the project files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentRoot {
    /// `project_root_markers`; what cannot be examined counts as absent.
    Markers,
    /// The same; but what cannot be examined drops all project files.
    MarkersOrNothing,
    /// The default markers, whatever is set, and not in `/`; one that cannot be examined drops all project files.
    DefaultMarkers,
}

/// What marks the root of a project's settings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingsRoot {
    /// Any marker, but a directory called `.git` must hold `HEAD`.
    GitHoldsHead,
    /// Any marker.
    AnySimpleMarker,
    /// Any marker, its path as the system takes it.
    AnyMarker,
}

/// What an untrusted project loses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Distrust {
    /// Its settings.
    Settings,
    /// Its settings and its files.
    SettingsAndFiles,
}

/// When the administrator's settings are laid over the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Managed {
    /// Before the project is looked for, so they may trust it. Types are checked once, when everything is merged.
    BeforeTheProject,
    /// Last, but for the markers of project files.
    Last,
    /// The same; and what the project is looked for with must have the right types by itself.
    LastAndCheckedTwice,
}

/// What `~` in a marker is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tildes {
    /// A letter.
    Letters,
    /// At its start, the home directory.
    Home,
}

/// What is done with settings that are a device, such as /dev/null.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Devices {
    Refused,
    ReadAsEmpty,
}

/// Which of `project_doc_fallback_filenames` count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fallbacks {
    /// Names of files in the directory.
    Names,
    /// Any path from the directory, upwards as well.
    Paths,
}

/// What only the user may set; the administrator's own settings aside.
const DENIED: &[&str] = &[
    "profile",
    "profiles",
    "model_provider",
    "model_providers",
    "notify",
    "chatgpt_base_url",
    "openai_base_url",
    "otel",
];

/// Keys that name files which must have text, and what the client calls these.
const TEXTS: &[(&str, &str)] = &[
    ("model_instructions_file", "model instructions file"),
    ("experimental_compact_prompt_file", "experimental compact prompt file"),
    ("model_catalog_json", "model catalog"),
];

impl Behavior {
    /// The rules of a version.
    pub(super) fn for_version(version: Version) -> Behavior {
        Behavior {
            profiles: version.pick(&h::PROFILE_FILES, Profiles::Files, Profiles::Tables),
            document_root: DocumentRoot::for_version(version),
            settings_root: SettingsRoot::for_version(version),
            tildes: Tildes::for_version(version),
            trust: trust::Behavior {
                keys: version.pick(&h::TARGETS, trust::Keys::RealThenWritten, trust::Keys::Written),
                git_root: trust::GitRoot::for_version(version),
            },
            distrust: version.pick(&h::DISTRUST, Distrust::SettingsAndFiles, Distrust::Settings),
            denied_to_projects: version.pick(
                &h::DENIED,
                DENIED,
                version.pick(&h::NO_PROFILE_OF_PROJECTS, &DENIED[..2], &[]),
            ),
            managed: Managed::for_version(version),
            devices: version.pick(&h::DEVICES, Devices::Refused, Devices::ReadAsEmpty),
            fallbacks: version.pick(&h::NAMES_ONLY, Fallbacks::Names, Fallbacks::Paths),
            checks: Checks::for_version(version),
            skills: version.pick(&h::SKILLS_BY_NAME, By::PathOrName, By::Path),
            models: skills::models(version),
            permissions: permissions::Form::for_version(version),
            texts: version.pick(&h::PROFILE_FILES, TEXTS, &TEXTS[..2]),
        }
    }
}

impl DocumentRoot {
    fn for_version(version: Version) -> DocumentRoot {
        let set = version.pick(&h::GIT_HOLDS_HEAD, DocumentRoot::Markers, DocumentRoot::MarkersOrNothing);
        version.pick(&h::MARKERS, set, DocumentRoot::DefaultMarkers)
    }
}

impl SettingsRoot {
    fn for_version(version: Version) -> SettingsRoot {
        let simple = version.pick(&h::GIT_HOLDS_HEAD, SettingsRoot::GitHoldsHead, SettingsRoot::AnySimpleMarker);
        version.pick(&h::MARKER_WORDS, simple, SettingsRoot::AnyMarker)
    }
}

impl Tildes {
    fn for_version(version: Version) -> Tildes {
        let expanded = version.pick(&h::DEVICES, Tildes::Letters, Tildes::Home);
        version.pick(&h::TILDES, expanded, Tildes::Letters)
    }
}

impl Managed {
    fn for_version(version: Version) -> Managed {
        let once = version.pick(&h::GIT_HOLDS_HEAD, Managed::BeforeTheProject, Managed::Last);
        version.pick(&h::CHECKED_ONCE, once, Managed::LastAndCheckedTwice)
    }
}
