//! Behaviour of a version of Codex towards its settings.

use super::skills::{self, Model};
use super::types::{By, Checks};
use super::{history as h, permissions, trust};
use crate::harness::Version;

/// Behaviour of a version towards its settings.
#[derive(Clone)]
pub(super) struct Behavior {
    /// Form of profiles.
    pub profiles: Profiles,
    /// Markers of the root of the project files.
    pub document_root: DocumentRoot,
    /// Markers of the root of the project's settings, which may differ from that of its files.
    pub settings_root: SettingsRoot,
    /// Meaning of `~` in a marker.
    pub tildes: Tildes,
    /// Rules for trust.
    pub trust: trust::Behavior,
    /// Parts of an untrusted project that do not count.
    pub distrust: Distrust,
    /// Keys that a project may not set.
    pub denied_to_projects: &'static [&'static str],
    /// Point at which the administrator's settings are applied over the others, and types are checked.
    pub managed: Managed,
    /// Handling of settings files that are devices.
    pub devices: Devices,
    /// Fallback names that count.
    pub fallbacks: Fallbacks,
    /// Checks of the settings.
    pub checks: Checks,
    /// Key that identifies a single disabled skill.
    pub skills: By,
    /// Models whose context window is known.
    pub models: Vec<Model>,
    /// Rules for permissions.
    pub permissions: permissions::Form,
    /// Keys that name files which must have text, each with the client's name for the file.
    pub texts: &'static [(&'static str, &'static str)],
}

/// Form of profiles.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Profiles {
    /// `NAME.config.toml`, a layer above the user's settings. The older form stops Codex.
    Files,
    /// A table `[profiles.NAME]` with few keys: of those, `features` and files with text matter here.
    Tables,
}

/// Markers of the root of the project files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentRoot {
    /// `project_root_markers`; a marker that cannot be examined counts as absent.
    Markers,
    /// `project_root_markers`; a marker that cannot be examined drops all project files.
    MarkersOrNothing,
    /// The default markers, regardless of the settings, and not in `/`; a marker that cannot be examined drops all
    /// project files.
    DefaultMarkers,
}

/// Markers of the root of a project's settings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingsRoot {
    /// Any marker, but a directory called `.git` must hold `HEAD`.
    GitHoldsHead,
    /// Any marker.
    AnySimpleMarker,
    /// Any marker, its path resolved as the system does.
    AnyMarker,
}

/// Parts of an untrusted project that do not count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Distrust {
    /// Its settings.
    Settings,
    /// Its settings and its files.
    SettingsAndFiles,
}

/// Point at which the administrator's settings are applied over the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Managed {
    /// Before the search for the project, so that they may trust it. Types are checked once, after all layers are
    /// merged.
    BeforeTheProject,
    /// Last, except for the markers of project files.
    Last,
    /// Last, except for the markers of project files. In addition, the settings used to find the project are
    /// type-checked on their own.
    LastAndCheckedTwice,
}

/// Meaning of `~` in a marker.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tildes {
    /// An ordinary character.
    Letters,
    /// The home directory, if it is at the start.
    Home,
}

/// Handling of settings files that are devices, such as /dev/null.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Devices {
    Refused,
    ReadAsEmpty,
}

/// Entries of `project_doc_fallback_filenames` that count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fallbacks {
    /// Only file names in the directory.
    Names,
    /// Any path relative to the directory, upwards as well.
    Paths,
}

/// Keys that only the user may set, apart from the administrator.
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

/// Keys that name files which must have text, each with the client's name for the file.
const TEXTS: &[(&str, &str)] = &[
    ("model_instructions_file", "model instructions file"),
    ("experimental_compact_prompt_file", "experimental compact prompt file"),
    ("model_catalog_json", "model catalog"),
];

impl Behavior {
    /// Returns the behaviour of a version.
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
