//! OpenCode: one global file, then one file name all the way up from the start directory, then what the settings name;
//! and, when the agent reads a file, the files of the directories below the start directory.
//!
//! Checked on the real clients 1.18.33, 1.15.13 and 1.1.53 (`opencode run` against a mock provider), November 2026.

use crate::answer::{Answer, Certain, Message, Role, Source, Standpoint, Text, Tool, Trigger, Warning};
use crate::harness::shared::keys::{Key, Keys, Takes};
use crate::harness::{About, Attaches, Details, Difference, Edition, Evidence, Profile, Program};
use crate::search::{Search, Told};

mod agents;
mod choice;
mod config;
mod flags;
mod front_matter;
mod nested;
mod permissions;
mod places;
mod prompt;
mod rules;
mod schema;
mod skills;
mod system;
mod variables;

use config::Config;
use flags::Flags;
use places::Places;
use rules::{
    AgentNames, ClaudeFlag, ConfigDir, ContentVariable, Counts, Decoding, Denied, EnvironmentBlock, FindError,
    FlagWords, Forms, GitRule, GlobalOrder, Globs, Locations, Logins, MissingConfigDir, Pictures, PlanEnd, References,
    Settings, SettingsOrder, SkillsPlace, TestHome,
};

/// The id, also the key of its options in requests.
const ID: &str = "opencode";

/// The profile.
pub static PROFILE: Profile = Profile {
    id: ID,
    title: "OpenCode",
    summary: "one global AGENTS.md, every AGENTS.md (else CLAUDE.md, else CONTEXT.md) up to the top of the repository, the files that `instructions` names; and nested ones as the agent reads",
    editions: &[&V1_1, &V1_15, &V1_18],
    history: None,
    instruction_names: &["AGENTS.md", "CLAUDE.md", "CONTEXT.md", "SKILL.md"],
    settings_names: &["opencode.json", "opencode.jsonc", ".config/opencode/config.json"],
    program: Some(Program { command: "opencode", package: "opencode-ai" }),
    keys: KEYS,
    evidence: Evidence {
        traces: &[&["$XDG_DATA_HOME/opencode", "~/.local/share/opencode"]],
        homes: &[&["$XDG_CONFIG_HOME/opencode", "~/.config/opencode"], &["~/.opencode"]],
        files: &["opencode.json", "opencode.jsonc", ".opencode"],
        editor: &["sst-dev.opencode", "opencode.nvim"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &["opencode.json", "opencode.jsonc", ".config/opencode/config.json"],
    keys: &[
        Key::new(
            "instructions",
            Takes::Paths,
            "Files, globs and URLs to load at the start, after the AGENTS.md files. The lists of all settings files add up.",
        ),
        Key::new("default_agent", Takes::Other, "The agent that a session starts with."),
        Key::new(
            "agent.*.prompt",
            Takes::Other,
            "The text that takes the place of the provider's prompt for this agent.",
        ),
        Key::new("model", Takes::Other, "The model; it chooses the provider's prompt."),
        Key::new("plugin", Takes::Other, "Plugins, which may rewrite what the model gets."),
    ],
}];

/// An edition of OpenCode: what it does the same way throughout is code, what has differed is a field.
pub struct OpenCode {
    about: About,
    /// The names looked for, the first with any hit winning.
    names: &'static [&'static str],
    /// Where the global file stands in the prompt.
    global: GlobalOrder,
    /// What `OPENCODE_CONFIG_DIR` does to the global file, and to relative instructions without project settings.
    config_dir: ConfigDir,
    /// What becomes of the client when that directory is not there.
    missing_config_dir: MissingConfigDir,
    /// Whose files `OPENCODE_TEST_HOME` moves.
    test_home: TestHome,
    /// Which words switch a flag on, and what any other word does.
    flag_words: FlagWords,
    /// What `OPENCODE_DISABLE_CLAUDE_CODE_PROMPT` removes.
    claude_flag: ClaudeFlag,
    /// What makes a directory a repository.
    git: GitRule,
    /// What an error while looking for something on the way up does.
    find_error: FindError,
    /// What counts as a global or nested file that is there.
    counts: Counts,
    /// Whose globs `instructions` and the configuration directories are read with.
    globs: Globs,
    /// How bytes become text.
    decoding: Decoding,
    /// How settings are read.
    settings: Settings,
    /// What is known of a custom agent's name.
    agent_names: AgentNames,
    /// Which files the read tool takes for pictures and PDFs, whose answers have no room for a reminder.
    pictures: Pictures,
    /// Which of its prompts OpenCode takes for a provider and a model, in the words of its sources.
    prompt_for: fn(&str, &str) -> &'static str,
    /// Whether the environment block names the workspace root.
    environment: EnvironmentBlock,
    /// What is said after the plan agent, where plans are files.
    plan_end: PlanEnd,
    /// Where skills are listed.
    skills: SkillsPlace,
    /// How it is said there where a skill lies.
    locations: Locations,
}

/// What people compare harnesses by; an edition says what differs.
const DETAILS: Details = Details {
    files: "AGENTS.md, else CLAUDE.md, else CONTEXT.md: the first name with any file wins at all levels",
    triggers: "every step of the session; and when the agent reads a file or the user attaches one; editing, writing and the shell add nothing",
    place: "the system prompt, `Instructions from: PATH`, between environment and skills",
    truncation: "none: files are sent whole",
    nested: "when the agent reads a file below the working directory, nearest first, once a session",
    global: "~/.config/opencode/AGENTS.md, else ~/.claude/CLAUDE.md; first in the prompt",
    urls: "yes, in `instructions`; fetched at every step, after all files",
    globs: "yes, in `instructions` (npm glob), in the order of the file system",
    sessions: "sub-agents get the same, whichever agent they are; the calls by which OpenCode itself titles and compacts a session get none",
    hooks: "plugins may rewrite the system prompt",
    persona: "none; a custom agent's text takes the place of the provider's prompt",
    dedupe: "by path as written: a link and its target are two files",
};

const GIT_IS_ASKED: Difference =
    Difference { between: "1.15.4 → 1.15.13", what: "a `.git` that git does not accept is no repository" };
const FLAGS_STOP: Difference = Difference {
    between: "1.17.0 → 1.17.11",
    what: "switches of the environment stop the client with any other word than yes and no",
};
const NEW_KEY: Difference = Difference { between: "1.17.0 → 1.17.11", what: "settings have a key `references`" };
const CONFIG_DIR_MAY_BE_MISSING: Difference = Difference {
    between: "1.17.11 → 1.17.18",
    what: "the directory that OPENCODE_CONFIG_DIR names need not be there",
};
const MORE_PROMPTS: Difference =
    Difference { between: "1.17.11 → 1.18.33", what: "Muse, GPT-6 and providers of Kimi have prompts of their own" };
const KEYS_ARE_IGNORED: Difference = Difference {
    between: "1.18.15 → 1.18.16",
    what: "unknown keys in settings are ignored, where they stopped the client",
};

static V1_1: OpenCode = OpenCode {
    about: About {
        name: "1.1",
        checked: ("1.1.53", "1.1.53"),
        changed: &[
            Difference { between: "1.3.2 → 1.14.34", what: "the global file comes before the project's" },
            Difference {
                between: "1.3.2 → 1.14.34",
                what: "OPENCODE_CONFIG_DIR replaces ~/.config/opencode, where it was tried before it",
            },
            Difference {
                between: "1.3.2 → 1.14.34",
                what: "the switches against Claude's files also remove CLAUDE.md of the project, and know `yes`, `on` and `y`",
            },
            Difference {
                between: "1.3.2 → 1.14.34",
                what: "without project settings, relative instructions are looked for in the global directory also when OPENCODE_CONFIG_DIR is not set",
            },
            Difference {
                between: "1.3.2 → 1.14.34",
                what: "a project's settings are merged directory by directory, `.json` before `.jsonc`",
            },
            Difference {
                between: "1.14.41 → 1.15.0",
                what: "an error such as a loop of links gives a name up at all levels, where it passed over one",
            },
            GIT_IS_ASKED,
            Difference { between: "1.1.53 → 1.15.13", what: "an empty OPENCODE_CONFIG_DIR counts" },
            Difference {
                between: "1.1.53 → 1.15.13",
                what: "a directory with the name of a global or nested file counts as that file",
            },
            Difference {
                between: "1.1.53 → 1.15.13",
                what: "patterns are npm's: in the reverse order of the file system, links not followed",
            },
            Difference {
                between: "1.1.53 → 1.3.2",
                what: "the environment block names the workspace root; skills are listed in the system prompt",
            },
            Difference {
                between: "1.3.2 → 1.14.34",
                what: "skills are listed behind the instructions, where they stood before",
            },
        ],
        details: Details {
            place: "the end of the system prompt, `Instructions from: PATH`, behind the environment",
            global: "~/.config/opencode/AGENTS.md, else ~/.claude/CLAUDE.md; after the project's",
            globs: "yes, in `instructions` (Bun's), in the order of the file system, links followed",
            ..DETAILS
        },
    },
    names: &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"],
    global: GlobalOrder::AfterProject,
    config_dir: ConfigDir::TriedFirst,
    missing_config_dir: MissingConfigDir::Stops,
    test_home: TestHome::OwnFiles,
    flag_words: FlagWords::TrueOr1,
    claude_flag: ClaudeFlag::HomeOnly,
    git: GitRule::EntryIsEnough,
    find_error: FindError::SkipsLevel,
    counts: Counts::Files,
    globs: Globs::Bun,
    decoding: Decoding::ByMark,
    settings: Settings {
        schema: &schema::V1_1,
        order: SettingsOrder::JsoncFirst,
        references: References::ByText,
        content: ContentVariable::PlainJson,
        logins: Logins::File,
        denied: Denied::Refused,
        forms: Forms::Unknown,
    },
    agent_names: AgentNames::ByPath,
    pictures: Pictures::ByEnding,
    prompt_for: prompt::of_1_1,
    environment: EnvironmentBlock::WithDirectories,
    plan_end: PlanEnd::OnlyWithFile,
    skills: SkillsPlace::ToolDescription,
    locations: Locations::Urls,
};

static V1_15: OpenCode = OpenCode {
    about: About {
        name: "1.15",
        checked: ("1.15.13", "1.17.0"),
        changed: &[GIT_IS_ASKED, FLAGS_STOP, NEW_KEY, CONFIG_DIR_MAY_BE_MISSING, MORE_PROMPTS, KEYS_ARE_IGNORED],
        details: DETAILS,
    },
    missing_config_dir: MissingConfigDir::Stops,
    flag_words: FlagWords::Known,
    settings: Settings { schema: &schema::V1_15, ..NEWEST.settings },
    prompt_for: prompt::of_1_15,
    locations: Locations::Urls,
    ..NEWEST
};

static V1_18: OpenCode = NEWEST;

const NEWEST: OpenCode = OpenCode {
    about: About {
        name: "1.18",
        checked: ("1.18.33", "1.18"),
        changed: &[MORE_PROMPTS, KEYS_ARE_IGNORED],
        details: DETAILS,
    },
    names: &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"],
    global: GlobalOrder::First,
    config_dir: ConfigDir::Replaces,
    missing_config_dir: MissingConfigDir::Passes,
    test_home: TestHome::Home,
    flag_words: FlagWords::Strict,
    claude_flag: ClaudeFlag::Everywhere,
    git: GitRule::AsksGit,
    find_error: FindError::SpoilsName,
    counts: Counts::Anything,
    globs: Globs::Npm,
    decoding: Decoding::Utf8,
    settings: Settings {
        schema: &schema::V1_18,
        order: SettingsOrder::PerDirectory,
        references: References::EachByItself,
        content: ContentVariable::LikeAFile,
        logins: Logins::FileOrVariable,
        denied: Denied::Ignored,
        forms: Forms::Translated,
    },
    agent_names: AgentNames::ByDirectory,
    pictures: Pictures::ByContent,
    prompt_for: prompt::of_1_18,
    environment: EnvironmentBlock::WithRoot,
    plan_end: PlanEnd::Always,
    skills: SkillsPlace::SystemPrompt,
    locations: Locations::Paths,
};

impl Edition for OpenCode {
    fn about(&self) -> &About {
        &self.about
    }

    fn races(&self) -> bool {
        true
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read | Tool::Mention => Attaches::Own,
            Tool::Edit | Tool::Write | Tool::Shell => Attaches::Nothing,
        }
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
        let agent = match choice::agent(at, &config, &mut answer) {
            Ok(agent) => agent,
            Err(refusal) => return Ok(refusal.into()),
        };
        let loaded = system::look(self, &flags, &places, &config, search, &mut answer)?;
        let skills = skills::look(self, &flags, &places, &config, search, &mut answer)?;
        let nested = nested::look(self, at, &flags, &places, &loaded, search, &mut answer)?;
        prompt::compose(
            self,
            at,
            &flags,
            &places,
            &config,
            prompt::Texts { agent, loaded, skills, nested },
            &mut answer,
        );
        if !config.plugins.is_empty() && !flags.pure {
            let plugins: Vec<&str> = config.plugins.iter().map(|plugin| config.shown(plugin)).collect();
            let message = format!("the plugin {} may rewrite the system prompt", plugins.join(", "));
            answer.warnings.push(Warning::general("may-be-rewritten", message.clone()));
            answer.doubt(&[Certain::Order, Certain::Text], message);
        }
        Ok(answer)
    }
}

/// One entry of a message, and the source it is from.
struct Entry {
    text: Text,
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
