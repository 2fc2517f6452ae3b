//! OpenCode: one global file, then one file name all the way up from the start directory, then what the settings name;
//! and, when the agent reads a file, the files of the directories below the start directory.
//!
//! Checked on the real client 1.18.33 (`opencode run` against a mock provider), November 2026.

use crate::answer::{Answer, Message, Role, Source, Standpoint, Trigger, Warning};
use crate::harness::{About, Change, Details, Edition, Profile};
use crate::search::{Search, Told};

mod agents;
mod config;
mod flags;
mod front_matter;
mod nested;
mod places;
mod prompt;
mod schema;
mod skills;
mod system;
mod variables;

use config::Config;
use flags::Flags;
use places::Places;

/// The id, also the key of its options in requests.
const ID: &str = "opencode";

/// The profile.
pub static PROFILE: Profile = Profile {
    id: ID,
    title: "OpenCode",
    summary: "one global AGENTS.md, every AGENTS.md (else CLAUDE.md, else CONTEXT.md) up to the top of the repository, the files that `instructions` names; and nested ones as the agent reads",
    editions: &[&V1_18],
    instruction_names: &["AGENTS.md", "CLAUDE.md", "CONTEXT.md", "SKILL.md"],
    settings_names: &["opencode.json", "opencode.jsonc", ".config/opencode/config.json"],
};

/// An edition of OpenCode: what it does the same way throughout is code, what has differed is a field.
pub struct OpenCode {
    about: About,
    /// The names looked for, the first with any hit winning.
    names: &'static [&'static str],
    /// Where the global file stands in the prompt.
    global: GlobalOrder,
    /// What `OPENCODE_CONFIG_DIR` does to the global file.
    config_dir: ConfigDir,
    /// Which words switch a flag on, and what any other word does.
    flag_words: FlagWords,
    /// What `OPENCODE_DISABLE_CLAUDE_CODE_PROMPT` removes.
    claude_flag: ClaudeFlag,
    /// What makes a directory a repository.
    git: GitRule,
    /// What an error while looking for a name does.
    find_error: FindError,
    /// What counts as a global or nested file that is there.
    counts: Counts,
    /// The order of the project's settings files.
    settings_order: SettingsOrder,
    /// Whether the environment block names the workspace root.
    environment: EnvironmentBlock,
    /// Where skills are listed.
    skills: SkillsPlace,
}

/// Where the global file stands in the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalOrder {
    /// Before the project's files.
    First,
    /// After them.
    AfterProject,
}

/// What `OPENCODE_CONFIG_DIR` does to the global file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigDir {
    /// It stands in place of `~/.config/opencode`, even when it is empty.
    Replaces,
    /// It is tried before `~/.config/opencode`; an empty one counts as unset.
    TriedFirst,
}

/// Which words switch a flag on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagWords {
    /// `true yes on 1 y` and `false no off 0 n`; any other word stops the client.
    Strict,
    /// `true` and `1`, in any case; any other word is off.
    TrueOr1,
}

/// What the flag against Claude's files removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaudeFlag {
    /// `CLAUDE.md` everywhere.
    Everywhere,
    /// `~/.claude/CLAUDE.md` only.
    HomeOnly,
}

/// What makes a directory a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitRule {
    /// Git itself is asked in the nearest directory that holds `.git`.
    AsksGit,
    /// An entry `.git` is enough.
    EntryIsEnough,
}

/// What an error other than "not found" does while a name is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindError {
    /// The name is given up at all levels.
    SpoilsName,
    /// That level is passed over.
    SkipsLevel,
}

/// What counts as a global or nested file that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Whatever exists, directories too.
    Anything,
    /// Regular files.
    RegularFiles,
}

/// The order of the project's settings files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsOrder {
    /// Root first; in each directory `.json`, then `.jsonc`.
    PerDirectory,
    /// All `.jsonc` root first, then all `.json`.
    JsoncFirst,
}

/// The form of the environment block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvironmentBlock {
    /// With a line `Workspace root folder`.
    WithRoot,
    /// Without it, but with an empty list of directories.
    WithDirectories,
}

/// Where skills are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillsPlace {
    /// In the system prompt, behind the instructions.
    SystemPrompt,
    /// In the description of a tool only.
    ToolDescription,
}

static V1_18: OpenCode = OpenCode {
    about: About {
        name: "1.18",
        checked: ("1.18.33", "1.18"),
        changed: &[
            Change { between: "1.14.34 → 1.15.13", what: "a bogus `.git` no longer marks the worktree" },
            Change {
                between: "1.3.2 → 1.14.34",
                what: "the global file comes first; OPENCODE_CONFIG_DIR replaces ~/.config/opencode; the CLAUDE flags also remove project files; relative instructions without project settings; the order of project settings",
            },
        ],
        details: Details {
            files: "AGENTS.md, else CLAUDE.md, else CONTEXT.md: the first name with any file wins at all levels",
            triggers: "every step of the session; and when the agent reads a file",
            place: "the system prompt, `Instructions from: PATH`, between environment and skills",
            truncation: "none: files are sent whole",
            nested: "when the agent reads a file below the working directory, nearest first, once a session",
            global: "~/.config/opencode/AGENTS.md, else ~/.claude/CLAUDE.md; first in the prompt",
            urls: "yes, in `instructions`; fetched at every step, after all files",
            globs: "yes, in `instructions` (npm glob), in the order of the file system",
            sessions: "the same in all kinds",
            hooks: "plugins may rewrite the system prompt",
            persona: "none; a custom agent's text takes the place of the provider's prompt",
            dedupe: "by path as written: a link and its target are two files",
        },
    },
    names: &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"],
    global: GlobalOrder::First,
    config_dir: ConfigDir::Replaces,
    flag_words: FlagWords::Strict,
    claude_flag: ClaudeFlag::Everywhere,
    git: GitRule::AsksGit,
    find_error: FindError::SpoilsName,
    counts: Counts::Anything,
    settings_order: SettingsOrder::PerDirectory,
    environment: EnvironmentBlock::WithRoot,
    skills: SkillsPlace::SystemPrompt,
};

impl Edition for OpenCode {
    fn about(&self) -> &About {
        &self.about
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Told<Answer> {
        let flags = match Flags::read(self, search) {
            Ok(flags) => flags,
            Err(message) => return Ok(Answer::refused(&at.cwd, message)),
        };
        let places = Places::find(self, at, &flags, search)?;
        let mut answer = Answer { root: Some(places.worktree.clone()), ..Answer::default() };
        let config = match Config::gather(self, at, &flags, &places, search, &mut answer)? {
            Ok(config) => config,
            Err(refusal) => return Ok(refusal),
        };
        let loaded = system::look(self, &flags, &places, &config, search, &mut answer)?;
        let skills = skills::look(self, &flags, &places, &config, search, &mut answer)?;
        let nested = nested::look(self, at, &flags, &places, &loaded, search, &mut answer)?;
        prompt::compose(self, at, &flags, &places, &config, prompt::Texts { loaded, skills, nested }, &mut answer);
        if !config.plugins.is_empty() && !flags.pure {
            let message = format!(
                "the plugin {} may rewrite the system prompt; only the set of files is certain",
                config.plugins.join(", ")
            );
            answer.warnings.push(Warning::general("may-be-rewritten", message.clone()));
            answer.files_only = Some(message);
        }
        Ok(answer)
    }
}

/// One entry of a message, and the source it is from.
struct Entry {
    text: String,
    source: usize,
}

/// Adds a message made of entries, and tells their sources where they are.
fn add_entries(answer: &mut Answer, trigger: Trigger, role: Role, entries: Vec<Entry>, separator: &str) {
    if entries.is_empty() {
        return;
    }
    let message = answer.messages.len();
    for (part, entry) in entries.iter().enumerate() {
        let source: &mut Source = &mut answer.sources[entry.source];
        (source.message, source.part) = (Some(message), Some(part));
    }
    let parts = entries.into_iter().map(|entry| entry.text).collect();
    answer.messages.push(Message::joined(trigger, role, parts, separator));
}
