//! Which settings count in an edition of Codex, and for what.

use super::skills::{self, Model};
use super::types::{By, Checks};
use super::{history as h, trust};
use crate::harness::Version;

/// Which settings count in an edition, and for what.
#[derive(Clone)]
pub(super) struct Rules {
    /// What a profile is.
    pub profiles: Profiles,
    /// What marks the root of the project files.
    pub document_root: DocumentRoot,
    /// Where the settings of a project start, which need not be where its files start.
    pub settings_root: SettingsRoot,
    /// Whom the user trusts.
    pub trust: trust::Rules,
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
    /// The folders in a root of the workspace that no command may write to.
    pub protected: &'static [&'static str],
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
    /// The default markers, whatever is set, and not in `/`; one that cannot be examined drops all project files.
    DefaultMarkers,
}

/// What marks the root of a project's settings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingsRoot {
    /// Any marker, but a directory called `.git` must hold `HEAD`.
    GitHoldsHead,
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
    /// Last. What the project is looked for with must have the right types by itself.
    Last,
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

/// What holds settings of programs, and history, in a root of the workspace.
const PROTECTED: &[&str] = &[".git", ".agents", ".codex", ".aws"];

/// Keys that name files which must have text, and what the client calls these.
const TEXTS: &[(&str, &str)] = &[
    ("model_instructions_file", "model instructions file"),
    ("experimental_compact_prompt_file", "experimental compact prompt file"),
    ("model_catalog_json", "model catalog"),
];

impl Rules {
    /// The rules of a version.
    pub(super) fn of(version: Version) -> Rules {
        Rules {
            profiles: version.pick(&h::EARLIER, Profiles::Files, Profiles::Tables),
            document_root: version.pick(&h::EARLIER, DocumentRoot::Markers, DocumentRoot::DefaultMarkers),
            settings_root: version.pick(&h::EARLIER, SettingsRoot::GitHoldsHead, SettingsRoot::AnyMarker),
            trust: trust::Rules {
                keys: version.pick(&h::EARLIER, trust::Keys::RealThenWritten, trust::Keys::Written),
                git_root: version.pick(&h::EARLIER, trust::GitRoot::ByItsFiles, trust::GitRoot::AsGitSays),
            },
            distrust: version.pick(&h::DISTRUST, Distrust::SettingsAndFiles, Distrust::Settings),
            denied_to_projects: version.pick(&h::EARLIER, DENIED, &[]),
            managed: version.pick(&h::EARLIER, Managed::BeforeTheProject, Managed::Last),
            devices: version.pick(&h::EARLIER, Devices::Refused, Devices::ReadAsEmpty),
            fallbacks: version.pick(&h::NAMES_ONLY, Fallbacks::Names, Fallbacks::Paths),
            checks: Checks::of(version),
            skills: version.pick(&h::EARLIER, By::PathOrName, By::Path),
            models: skills::models(version),
            protected: version.pick(&h::AWS_IS_PROTECTED, PROTECTED, &PROTECTED[..3]),
            texts: version.pick(&h::EARLIER, TEXTS, &TEXTS[..2]),
        }
    }
}
