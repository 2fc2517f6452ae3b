//! Differences between editions of OpenCode; the types of settings are in `schema`.

use std::borrow::Cow;

use super::brand::Brand;
use super::history as h;
use super::schema::{self, Schema};
use crate::harness::Version;
use crate::snapshot::{Content, GlobFlavor};
use crate::text::bun_text;

/// Position of the global file in the prompt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GlobalOrder {
    /// Before the project's files.
    First,
    /// After the project's files.
    AfterProject,
}

/// Effect of `OPENCODE_CONFIG_DIR` on the global file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfigDir {
    /// It replaces `~/.config/opencode`, even if it is empty.
    Replaces,
    /// It is tried before `~/.config/opencode`; an empty one counts as unset. Without project settings, relative
    /// instructions are searched there or nowhere.
    TriedFirst,
}

/// Effect of a missing `OPENCODE_CONFIG_DIR`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingConfigDir {
    /// It may be missing.
    Passes,
    /// The client stops.
    Stops,
}

impl MissingConfigDir {
    /// Returns the behaviour of a version. At first, Bun's globs failed on a missing directory; then npm's globs found
    /// nothing in it; then the client tried to write a file into it, which failed.
    pub fn for_version(version: Version) -> MissingConfigDir {
        let rewritten = version.pick(&h::REWRITE, MissingConfigDir::Stops, MissingConfigDir::Passes);
        let found = version.pick(&h::NODE, rewritten, MissingConfigDir::Stops);
        version.pick(&h::CONFIG_DIR_MAY_BE_MISSING, MissingConfigDir::Passes, found)
    }
}

/// Files that `OPENCODE_TEST_HOME` moves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TestHome {
    /// All files of the home directory, except `~/.config` and `{file:~/…}`.
    Home,
    /// Files of OpenCode and of other programs' skills; `~/` in `instructions` and `~/.claude/CLAUDE.md` are not moved.
    /// An empty value counts as unset.
    OwnFiles,
}

/// Words that set a flag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagWords {
    /// `true yes on 1 y` and `false no off 0 n`; any other word stops the client.
    Strict,
    /// Like `Strict`, but any other word counts as unset.
    Known,
    /// `true` and `1`, in any case; any other word is off.
    TrueOr1,
}

impl FlagWords {
    pub fn for_version(version: Version) -> FlagWords {
        let known = version.pick(&h::OWN_SKILL, FlagWords::Known, FlagWords::TrueOr1);
        version.pick(&h::STRICT_FLAGS, FlagWords::Strict, known)
    }
}

/// Files that the flag against Claude's files disables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaudeFlag {
    /// Every `CLAUDE.md`.
    Everywhere,
    /// Only `~/.claude/CLAUDE.md`. The flag against Claude's skills also disables those of `.agents`.
    HomeOnly,
}

/// Condition for a directory to be a repository.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GitRule {
    /// Git is asked in the nearest directory that contains `.git`.
    AsksGit,
    /// An entry `.git` is enough. Git is asked for the top of a repository with commits.
    EntryIsEnough,
    /// Like `EntryIsEnough`, but if git fails, the environment says that it is not a repository.
    EntryBounds,
}

impl GitRule {
    pub fn for_version(version: Version) -> GitRule {
        let entry = version.pick(&h::GIT_IS_HEARD, GitRule::EntryBounds, GitRule::EntryIsEnough);
        version.pick(&h::GIT_IS_ASKED, GitRule::AsksGit, entry)
    }
}

/// Effect of an error other than "not found" during a search upwards.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FindError {
    /// A file name is dropped at all levels; an error on a settings file or directory stops the client.
    SpoilsName,
    /// The level with the error is skipped.
    SkipsLevel,
    /// The client stops.
    Stops,
}

impl FindError {
    pub fn for_version(version: Version) -> FindError {
        let early = version.pick(&h::REWRITE, FindError::Stops, FindError::SkipsLevel);
        version.pick(&h::FIND_ERRORS, FindError::SpoilsName, early)
    }
}

/// Kinds of files that count as an existing global or nested file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// Anything that exists, including directories.
    Anything,
    /// Regular files and FIFOs.
    Files,
}

/// Library that interprets glob patterns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Globs {
    /// The npm package `glob`; links are followed in configuration directories only.
    Npm,
    /// Bun; links are followed, except for patterns with an absolute path.
    Bun,
}

impl Globs {
    /// Returns the glob flavour for `instructions`.
    pub fn for_instructions(self, absolute: bool) -> GlobFlavor {
        match self {
            Globs::Npm => GlobFlavor::Npm { dot: !absolute, follow: false },
            Globs::Bun => GlobFlavor::Bun { dot: !absolute, follow: !absolute },
        }
    }

    /// Returns the glob flavour for agents, plugins and skills.
    pub fn following(self, dot: bool) -> GlobFlavor {
        match self {
            Globs::Npm => GlobFlavor::Npm { dot, follow: true },
            Globs::Bun => GlobFlavor::Bun { dot, follow: true },
        }
    }
}

/// Decoding of bytes to text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoding {
    /// UTF-8, without a byte order mark.
    Utf8,
    /// UTF-8 without a byte order mark, or UTF-16 if the text begins with the mark of little-endian UTF-16.
    ByMark,
    /// UTF-8, including a byte order mark.
    WithMark,
}

impl Decoding {
    pub fn for_version(version: Version) -> Decoding {
        let node = version.pick(&h::NODE, Decoding::WithMark, Decoding::ByMark);
        version.pick(&h::REWRITE, Decoding::Utf8, node)
    }

    /// Decodes the text of a file.
    pub fn decode(self, raw: &Content) -> Cow<'_, str> {
        match self {
            Decoding::ByMark => bun_text(raw),
            Decoding::WithMark => raw.text(),
            Decoding::Utf8 => raw.text_without_bom(),
        }
    }
}

/// Derivation of a custom agent's name from its file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentNames {
    /// Its path in the configuration directory.
    ByDirectory,
    /// The part after the first `/.opencode/agent/` in its whole path, else after the first `/agent/`.
    ByPath,
}

/// Files that the read tool treats as pictures or PDFs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pictures {
    /// By their first bytes, else by a few extensions.
    Content,
    /// By their extension alone, in lower case, from a long list.
    EndingsInLowerCase,
    /// By their extension in any case, from another list.
    Endings,
}

impl Pictures {
    pub fn for_version(version: Version) -> Pictures {
        let node = version.pick(&h::NODE, Pictures::Endings, Pictures::EndingsInLowerCase);
        version.pick(&h::REWRITE, Pictures::Content, node)
    }
}

/// The form of the environment block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EnvironmentBlock {
    /// With a line `Workspace root folder`.
    Root,
    /// Without that line, but with an empty list of directories.
    Directories,
    /// With both.
    Both,
    /// Without directories, but with lines about Kilo's files.
    Kilo,
}

impl EnvironmentBlock {
    pub fn for_version(version: Version) -> EnvironmentBlock {
        let root = EnvironmentBlock::Both;
        let early = version.pick(&h::SKILLS_BEFORE, root, EnvironmentBlock::Directories);
        version.pick(&h::REWRITE, EnvironmentBlock::Root, early)
    }
}

/// Reminder if another agent continues after the plan agent, and plans are files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanEnd {
    /// Says that the mode has changed, and names the plan's path if it was written.
    Always,
    /// Like `Always`, but there is no reminder if the plan was not written.
    OnlyWithFile,
}

/// Place of the list of skills.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SkillsPlace {
    /// In the system prompt, after the instructions.
    SystemPrompt,
    /// In the system prompt, before the instructions.
    BeforeInstructions,
    /// Only in the description of a tool.
    ToolDescription,
}

impl SkillsPlace {
    pub fn for_version(version: Version) -> SkillsPlace {
        let early = version.pick(&h::SKILLS_BEFORE, SkillsPlace::BeforeInstructions, SkillsPlace::ToolDescription);
        version.pick(&h::REWRITE, SkillsPlace::SystemPrompt, early)
    }
}

/// Handling of the references that settings describe.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Described {
    /// The prompt lists them after the environment.
    Told,
    /// The prompt does not list them.
    NotTold,
    /// The client was not checked.
    NotAsked,
}

impl Described {
    /// Returns the behaviour of a version: 1.15.13 was observed not to list references, and 1.17.9 to list them.
    pub fn for_version(version: Version) -> Described {
        match (version.is_since("1.17.9"), version.is_since("1.15.14")) {
            (true, _) => Described::Told,
            (false, true) => Described::NotAsked,
            (false, false) => Described::NotTold,
        }
    }
}

/// Bundled skill of OpenCode.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnSkill {
    /// It bundles one, and a skill without a description exists but is not listed.
    Listed,
    /// It bundles none, and every skill needs a description.
    NotThere,
}

/// Order of the list of skills.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SkillOrder {
    /// By name.
    ByName,
    /// The order in which they were read.
    AsFound,
}

/// Form of a skill's location in the list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Locations {
    /// A path, escaped for XML.
    Paths,
    /// A `file://` URL; a bundled skill is treated as a file of the working directory.
    Urls,
}

/// Rules for reading settings.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    /// Types of the keys, and whether unknown keys are refused.
    pub schema: &'static Schema,
    /// Order in which the settings files of a project and of one directory are merged.
    pub order: SettingsOrder,
    /// Replacement of `{file:…}`.
    pub references: References,
    /// Content of `OPENCODE_CONFIG_CONTENT`.
    pub content: ContentVariable,
    /// Place where logins are recorded.
    pub logins: Logins,
    /// Effect of a settings file without read permission.
    pub denied: Denied,
    /// Handling of forms from the next generation of OpenCode.
    pub forms: Forms,
}

impl Settings {
    pub fn for_version(version: Version) -> Settings {
        let literal = version.pick(&h::LITERAL, References::ByTextAlone, References::ByText);
        Settings {
            schema: schema::for_version(version),
            order: version.pick(&h::REWRITE, SettingsOrder::PerDirectory, SettingsOrder::JsoncFirst),
            references: version.pick(&h::LAYERS, References::EachByItself, literal),
            content: version.pick(&h::NODE, ContentVariable::LikeAFile, ContentVariable::PlainJson),
            logins: version.pick(&h::REWRITE, Logins::FileOrVariable, Logins::File),
            denied: version.pick(&h::CONFIG_DIR_MAY_BE_MISSING, Denied::Ignored, Denied::Refused),
            forms: version.pick(
                &h::NEXT_FORMS,
                Forms::Translated,
                version.pick(&h::LAYERS, Forms::Unknown, Forms::AllKeys),
            ),
        }
    }
}

/// Order of the project's settings files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingsOrder {
    /// Root first; in each directory `.json`, then `.jsonc`.
    PerDirectory,
    /// All `.jsonc` root first, then all `.json`.
    JsoncFirst,
}

impl SettingsOrder {
    /// Returns the names of the settings files in a directory for settings.
    pub fn names(self, brand: &Brand) -> &'static [&'static str] {
        match self {
            SettingsOrder::PerDirectory => brand.in_directory,
            SettingsOrder::JsoncFirst => &["opencode.jsonc", "opencode.json"],
        }
    }
}

/// Replacement of `{file:…}`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum References {
    /// Each reference by itself, unless its own line is a comment.
    EachByItself,
    /// For each reference, the first one with the same text, unless the first line that contains this text is a
    /// comment.
    ByTextAlone,
    /// Like `ByTextAlone`, and `$&` and similar patterns are expanded in the replacement.
    ByText,
}

/// Content of `OPENCODE_CONFIG_CONTENT`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentVariable {
    /// Anything that a settings file may contain.
    LikeAFile,
    /// Plain JSON, whose keys are not checked.
    PlainJson,
}

/// Place where logins are recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Logins {
    /// In a file, or in `OPENCODE_AUTH_CONTENT` instead of it.
    FileOrVariable,
    /// In the file.
    File,
}

/// Effect of a settings file without read permission.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Denied {
    /// The file counts as missing.
    Ignored,
    /// The client stops.
    Refused,
}

/// Handling of forms from the next generation of OpenCode.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Forms {
    /// They are translated or refused before types are checked; keys that have moved elsewhere are dropped.
    Translated,
    /// They are unknown; keys that have moved elsewhere are dropped.
    Unknown,
    /// They are unknown, and no key has moved.
    AllKeys,
}
