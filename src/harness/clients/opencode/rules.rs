//! What has differed between editions of OpenCode; the types of settings are in `schema`.

use std::borrow::Cow;

use super::brand::Brand;
use super::history as h;
use super::schema::{self, Schema};
use crate::harness::Version;
use crate::snapshot::{Content, GlobFlavor};
use crate::text::bun_text;

/// Where the global file stands in the prompt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GlobalOrder {
    /// Before the project's files.
    First,
    /// After them.
    AfterProject,
}

/// What `OPENCODE_CONFIG_DIR` does to the global file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfigDir {
    /// It stands in place of `~/.config/opencode`, even when it is empty.
    Replaces,
    /// It is tried before `~/.config/opencode`; an empty one counts as unset. Without project settings, relative
    /// instructions are looked for there or nowhere.
    TriedFirst,
}

/// Whether the directory that `OPENCODE_CONFIG_DIR` names must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingConfigDir {
    /// It need not.
    Passes,
    /// Without it the client stops.
    Stops,
}

impl MissingConfigDir {
    /// First Bun's globs failed there; npm's found nothing; then the client wrote a file into it, which failed.
    pub fn for_version(version: Version) -> MissingConfigDir {
        let rewritten = version.pick(&h::REWRITE, MissingConfigDir::Stops, MissingConfigDir::Passes);
        let found = version.pick(&h::NODE, rewritten, MissingConfigDir::Stops);
        version.pick(&h::CONFIG_DIR_MAY_BE_MISSING, MissingConfigDir::Passes, found)
    }
}

/// Whose files `OPENCODE_TEST_HOME` moves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TestHome {
    /// All of the home's, except for `~/.config` and `{file:~/…}`.
    Home,
    /// Those of OpenCode and of other programs' skills; `~/` in `instructions` and `~/.claude/CLAUDE.md` stay. An empty
    /// one counts as unset.
    OwnFiles,
}

/// Which words switch a flag on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagWords {
    /// `true yes on 1 y` and `false no off 0 n`; any other word stops the client.
    Strict,
    /// The same words; any other counts as unset.
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

/// What the flag against Claude's files removes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaudeFlag {
    /// `CLAUDE.md` everywhere.
    Everywhere,
    /// `~/.claude/CLAUDE.md` only. The flag against Claude's skills takes those of `.agents` along.
    HomeOnly,
}

/// What makes a directory a repository.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GitRule {
    /// Git itself is asked in the nearest directory that holds `.git`.
    AsksGit,
    /// An entry `.git` is enough. Git is asked for the top of a repository that has commits.
    EntryIsEnough,
    /// The same, but where git fails the environment says that it is none.
    EntryBounds,
}

impl GitRule {
    pub fn for_version(version: Version) -> GitRule {
        let entry = version.pick(&h::GIT_IS_HEARD, GitRule::EntryBounds, GitRule::EntryIsEnough);
        version.pick(&h::GIT_IS_ASKED, GitRule::AsksGit, entry)
    }
}

/// What an error other than "not found" does while something is looked for on the way up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FindError {
    /// A name is given up at all levels; a settings file or directory stops the client.
    SpoilsName,
    /// That level is passed over.
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

/// What counts as a global or nested file that is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// Whatever exists, directories too.
    Anything,
    /// Regular files and FIFOs.
    Files,
}

/// Which library's globs patterns are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Globs {
    /// Those of npm's `glob`; links are followed in configuration directories only.
    Npm,
    /// Those of Bun; links are followed, except by patterns with an absolute path.
    Bun,
}

impl Globs {
    /// How `instructions` are looked for.
    pub fn for_instructions(self, absolute: bool) -> GlobFlavor {
        match self {
            Globs::Npm => GlobFlavor::Npm { dot: !absolute, follow: false },
            Globs::Bun => GlobFlavor::Bun { dot: !absolute, follow: !absolute },
        }
    }

    /// How agents, plugins and skills are looked for.
    pub fn following(self, dot: bool) -> GlobFlavor {
        match self {
            Globs::Npm => GlobFlavor::Npm { dot, follow: true },
            Globs::Bun => GlobFlavor::Bun { dot, follow: true },
        }
    }
}

/// How bytes become text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoding {
    /// As UTF-8, less a byte order mark.
    Utf8,
    /// The same, but what begins with the mark of little-endian UTF-16 is that.
    ByMark,
    /// As UTF-8, a byte order mark kept.
    WithMark,
}

impl Decoding {
    pub fn for_version(version: Version) -> Decoding {
        let node = version.pick(&h::NODE, Decoding::WithMark, Decoding::ByMark);
        version.pick(&h::REWRITE, Decoding::Utf8, node)
    }

    /// The text of a file.
    pub fn decode(self, raw: &Content) -> Cow<'_, str> {
        match self {
            Decoding::ByMark => bun_text(raw),
            Decoding::WithMark => raw.text(),
            Decoding::Utf8 => raw.text_without_bom(),
        }
    }
}

/// What a custom agent in a file is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentNames {
    /// By its path in the configuration directory.
    ByDirectory,
    /// By what follows the first `/.opencode/agent/` in its whole path, else the first `/agent/`.
    ByPath,
}

/// Which files the read tool takes for pictures and PDFs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pictures {
    /// By what they begin with, else by a few endings.
    Content,
    /// By their ending alone, of which there are many, in lower case.
    EndingsInLowerCase,
    /// The same in any case, by another list.
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
    /// Without it, but with an empty list of directories.
    Directories,
    /// With both.
    Both,
    /// Without directories, but with what belongs to Kilo.
    Kilo,
}

impl EnvironmentBlock {
    pub fn for_version(version: Version) -> EnvironmentBlock {
        let root = EnvironmentBlock::Both;
        let early = version.pick(&h::SKILLS_BEFORE, root, EnvironmentBlock::Directories);
        version.pick(&h::REWRITE, EnvironmentBlock::Root, early)
    }
}

/// What is said when another agent goes on after the plan agent, where plans are files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanEnd {
    /// That the mode has changed; and where the plan is, if it was written.
    Always,
    /// The same, and nothing if it was not.
    OnlyWithFile,
}

/// Where skills are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SkillsPlace {
    /// In the system prompt, behind the instructions.
    SystemPrompt,
    /// There, before the instructions.
    BeforeInstructions,
    /// In the description of a tool only.
    ToolDescription,
}

impl SkillsPlace {
    pub fn for_version(version: Version) -> SkillsPlace {
        let early = version.pick(&h::SKILLS_BEFORE, SkillsPlace::BeforeInstructions, SkillsPlace::ToolDescription);
        version.pick(&h::REWRITE, SkillsPlace::SystemPrompt, early)
    }
}

/// What becomes of the references that settings describe.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Described {
    /// The model is told of them behind the environment.
    Told,
    /// Nothing.
    NotTold,
    /// Nobody has asked.
    NotAsked,
}

impl Described {
    /// 1.15.13 was seen not to tell of them, and 1.17.9 to do it.
    pub fn for_version(version: Version) -> Described {
        match (version.is_since("1.17.9"), version.is_since("1.15.14")) {
            (true, _) => Described::Told,
            (false, true) => Described::NotAsked,
            (false, false) => Described::NotTold,
        }
    }
}

/// Whether a skill comes with OpenCode.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnSkill {
    /// One does; and a skill without a description is one that is not listed.
    Listed,
    /// None does; and each needs a description.
    NotThere,
}

/// In which order skills are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SkillOrder {
    /// By name.
    ByName,
    /// In that in which they were read.
    AsFound,
}

/// How the list of skills says where one lies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Locations {
    /// As a path, escaped as XML wants it.
    Paths,
    /// As a `file://` URL; what OpenCode brings along counts as a file of the working directory.
    Urls,
}

/// How settings are read.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    /// What the keys may hold, and whether others are refused.
    pub schema: &'static Schema,
    /// In which order a project's files and those of one directory are merged.
    pub order: SettingsOrder,
    /// Which `{file:…}` are replaced, and with what.
    pub references: References,
    /// What `OPENCODE_CONFIG_CONTENT` holds.
    pub content: ContentVariable,
    /// Where logins are recorded.
    pub logins: Logins,
    /// What a file that may not be read does.
    pub denied: Denied,
    /// What becomes of forms that belong to the next generation of OpenCode.
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

/// The order of the project's settings files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingsOrder {
    /// Root first; in each directory `.json`, then `.jsonc`.
    PerDirectory,
    /// All `.jsonc` root first, then all `.json`.
    JsoncFirst,
}

impl SettingsOrder {
    /// The files of a directory for settings.
    pub fn names(self, brand: &Brand) -> &'static [&'static str] {
        match self {
            SettingsOrder::PerDirectory => brand.in_directory,
            SettingsOrder::JsoncFirst => &["opencode.jsonc", "opencode.json"],
        }
    }
}

/// Which `{file:…}` are replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum References {
    /// Each one by itself, unless its own line is a comment.
    EachByItself,
    /// The first of the same text for each, unless the first line that holds it is a comment.
    ByTextAlone,
    /// The same, and `$&` and its like mean something in what takes its place.
    ByText,
}

/// What `OPENCODE_CONFIG_CONTENT` holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentVariable {
    /// What a file may hold.
    LikeAFile,
    /// Plain JSON, whose keys are not looked at.
    PlainJson,
}

/// Where logins are recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Logins {
    /// In a file, or in `OPENCODE_AUTH_CONTENT` in place of it.
    FileOrVariable,
    /// In the file.
    File,
}

/// What a settings file that may not be read does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Denied {
    /// It counts as missing.
    Ignored,
    /// It stops the client.
    Refused,
}

/// What becomes of forms that belong to the next generation of OpenCode.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Forms {
    /// They are translated or refused before the types are checked; keys that have moved elsewhere are dropped.
    Translated,
    /// They are not known; keys that have moved elsewhere are dropped.
    Unknown,
    /// They are not known, and no key has moved.
    AllKeys,
}
