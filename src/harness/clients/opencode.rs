//! OpenCode: one global file; then one file name in every directory from the start directory up; then the files that
//! the settings name; and, when the agent reads a file, the files of the directories below the start directory.
//!
//! Checked on the real clients from 1.1.53 to 1.18.33 (`opencode run` against a mock provider), November 2026.

use std::path::Path;
use std::sync::LazyLock;

use crate::answer::{Answer, Certain, Message, Role, SessionKind, Source, Standpoint, Text, Tool, Trigger, Warning};
use crate::harness::history::name;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::folders;
use crate::harness::{
    About, Attaches, Changed, Compacts, Details, Edition, Evidence, Profile, Program, Resumes, Switches, Version,
    switches,
};
use crate::search::{Halt, Known, Search};
use crate::snapshot::absolute;

mod agents;
mod brand;
mod choice;
mod commands;
mod config;
mod flags;
mod front_matter;
mod history;
mod kilo;
mod merge;
mod natives;
mod nested;
mod older_words;
mod permissions;
mod places;
mod prompt;
mod references;
mod rules;
mod schema;
mod skills;
mod system;
mod variables;

use brand::{Brand, OwnTexts};
use config::Config;
use flags::Flags;
use places::Places;
use rules::{
    AgentNames, ClaudeFlag, ConfigDir, Counts, Decoding, Described, EnvironmentBlock, FindError, FlagWords, GitRule,
    GlobalOrder, Globs, Locations, MissingConfigDir, OwnSkill, Pictures, PlanEnd, Settings, SkillOrder, SkillsPlace,
    TestHome,
};

pub use kilo::PROFILE as KILO;

/// Profile of OpenCode.
pub static PROFILE: Profile = Profile {
    id: brand::OPENCODE.id,
    title: "OpenCode",
    summary: "one global AGENTS.md, every AGENTS.md (else CLAUDE.md, else CONTEXT.md) up to the top of the repository, the files that `instructions` names; and nested ones as the agent reads",
    editions: &[&V1_1, &V1_15, &V1_18],
    history: Some(&history::HISTORY),
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

/// Rules of a version of OpenCode. Behaviour that all versions share is code; behaviour that differs is a field.
pub struct OpenCode {
    about: About,
    /// The program: OpenCode or a fork.
    brand: &'static Brand,
    /// File names to look for; the first one that is found anywhere wins.
    names: &'static [&'static str],
    /// Position of the global file in the prompt.
    global: GlobalOrder,
    /// Effect of `OPENCODE_CONFIG_DIR` on the global file, and on relative instructions without project settings.
    config_dir: ConfigDir,
    /// Effect of a missing `OPENCODE_CONFIG_DIR`.
    missing_config_dir: MissingConfigDir,
    /// Files that `OPENCODE_TEST_HOME` moves.
    test_home: TestHome,
    /// Words that set a flag, and the effect of other words.
    flag_words: FlagWords,
    /// Words for the flags against Claude's files and against the skills of other programs.
    older_flag_words: FlagWords,
    /// Files that `OPENCODE_DISABLE_CLAUDE_CODE_PROMPT` disables.
    claude_flag: ClaudeFlag,
    /// Condition for a directory to be a repository.
    git: GitRule,
    /// Effect of an error during a search upwards.
    find_error: FindError,
    /// Kinds of files that count as an existing global or nested file.
    counts: Counts,
    /// Library whose globs find `instructions` and the files of configuration directories.
    globs: Globs,
    /// Decoding of bytes to text.
    decoding: Decoding,
    /// Rules for reading settings.
    settings: Settings,
    /// Derivation of a custom agent's name.
    agent_names: AgentNames,
    /// Files that the read tool treats as pictures or PDFs, whose results have no room for a reminder.
    pictures: Pictures,
    /// The client's own prompts, each with the providers and models that it is for.
    prompts: Vec<&'static prompt::Choice>,
    /// Form of the environment block.
    environment: EnvironmentBlock,
    /// Reminder after the plan agent, if plans are files.
    plan_end: PlanEnd,
    /// Place of the list of skills.
    skills: SkillsPlace,
    /// Bundled skill of the client.
    own_skill: OwnSkill,
    /// Handling of references.
    references: Described,
    /// Order of the list of skills.
    skill_order: SkillOrder,
    /// Form of a skill's location in the list.
    locations: Locations,
}

/// Variables that name the folders in which the client creates one of its own, each with the default below home.
const FOLDERS: [(&str, &str); 3] =
    [("XDG_DATA_HOME", ".local/share"), ("XDG_CACHE_HOME", ".cache"), ("XDG_STATE_HOME", ".local/state")];

/// Details for the comparison of agents; each version replaces what differs.
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

fn details(version: Version) -> Details {
    let place = version.pick(
        &history::SKILLS_BEFORE,
        "the system prompt, `Instructions from: PATH`, behind environment and skills",
        "the end of the system prompt, `Instructions from: PATH`, behind the environment",
    );
    Details {
        place: version.pick(&history::REWRITE, DETAILS.place, place),
        global: version.pick(
            &history::REWRITE,
            DETAILS.global,
            "~/.config/opencode/AGENTS.md, else ~/.claude/CLAUDE.md; after the project's",
        ),
        globs: version.pick(
            &history::NODE,
            DETAILS.globs,
            "yes, in `instructions` (Bun's), in the order of the file system, links followed",
        ),
        ..DETAILS
    }
}

/// Creates an edition: the rules of one of its versions, under the edition's name.
fn edition(name: &'static str, version: &'static str) -> OpenCode {
    let rules = OpenCode::for_version(Version(version));
    OpenCode { about: About { name, checked: (version, version), ..rules.about }, ..rules }
}

static V1_1: LazyLock<OpenCode> = LazyLock::new(|| edition("1.1", "1.1.53"));
static V1_15: LazyLock<OpenCode> = LazyLock::new(|| edition("1.15", "1.15.13"));
static V1_18: LazyLock<OpenCode> = LazyLock::new(|| edition("1.18", "1.18.33"));

impl OpenCode {
    /// Returns the rules of a version.
    fn for_version(version: Version) -> OpenCode {
        use history as h;
        let name = name(version, h::CHANGES, h::EDITIONS);
        OpenCode {
            about: About { name, checked: ("1.18.33", "1.18.33"), details: details(version) },
            brand: &brand::OPENCODE,
            names: &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"],
            global: version.pick(&h::REWRITE, GlobalOrder::First, GlobalOrder::AfterProject),
            config_dir: version.pick(&h::REWRITE, ConfigDir::Replaces, ConfigDir::TriedFirst),
            missing_config_dir: MissingConfigDir::for_version(version),
            test_home: version.pick(&h::REWRITE, TestHome::Home, TestHome::OwnFiles),
            flag_words: FlagWords::for_version(version),
            older_flag_words: version.pick(&h::FLAGS, FlagWords::for_version(version), FlagWords::TrueOr1),
            claude_flag: version.pick(&h::REWRITE, ClaudeFlag::Everywhere, ClaudeFlag::HomeOnly),
            git: GitRule::for_version(version),
            find_error: FindError::for_version(version),
            counts: version.pick(&h::NODE, Counts::Anything, Counts::Files),
            globs: version.pick(&h::NODE, Globs::Npm, Globs::Bun),
            decoding: Decoding::for_version(version),
            settings: Settings::for_version(version),
            agent_names: version.pick(&h::AGENT_NAMES, AgentNames::ByDirectory, AgentNames::ByPath),
            pictures: Pictures::for_version(version),
            prompts: prompt::choices(version),
            environment: EnvironmentBlock::for_version(version),
            plan_end: version.pick(&h::AGENT_NAMES, PlanEnd::Always, PlanEnd::OnlyWithFile),
            skills: SkillsPlace::for_version(version),
            own_skill: version.pick(&h::OWN_SKILL, OwnSkill::Listed, OwnSkill::NotThere),
            references: Described::for_version(version),
            skill_order: version.pick(&h::PROMPTS, SkillOrder::ByName, SkillOrder::AsFound),
            locations: version.pick(&h::PLACES_ARE_PATHS, Locations::Paths, Locations::Urls),
        }
    }
}

impl OpenCode {
    /// Returns true if resumed and compacted sessions, called skills and typed commands were checked on this version,
    /// or on one with the same text around the instructions.
    fn was_followed(&self) -> bool {
        self.locations == Locations::Paths && self.brand.own_texts == OwnTexts::Measured
    }
}

impl Edition for OpenCode {
    fn about(&self) -> &About {
        &self.about
    }

    fn switches(&self) -> &'static Switches {
        if self.brand.id == brand::OPENCODE.id { switches::table!("opencode") } else { switches::table!("kilo") }
    }

    fn sessions(&self) -> &'static [SessionKind] {
        &SessionKind::WITH_SUBAGENTS
    }

    fn races(&self) -> bool {
        true
    }

    /// Checked on 1.18.33: the next read brings the files again.
    fn remembers_mentions(&self) -> bool {
        false
    }

    fn resumes(&self) -> Resumes {
        if self.was_followed() { Resumes::AsBefore(Changed::Replaced) } else { Resumes::NotAsked }
    }

    /// Checked on 1.18.33.
    fn compacts(&self) -> Compacts {
        if self.was_followed() { Compacts::Forgets } else { Compacts::NotAsked }
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            // Kilo sends the text of a file that is given with the message, and nothing else with it.
            Tool::Mention if self.brand.own_texts == OwnTexts::Named => Attaches::Nothing,
            Tool::Read | Tool::Mention => Attaches::Own,
            Tool::Edit | Tool::Write | Tool::Shell => Attaches::Nothing,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let flags = Flags::read(self, search).map_err(|message| Halt::refused(&at.cwd, message))?;
        let mut answer = Answer::default();
        for (variable, usual) in FOLDERS {
            let named = search.env(variable).filter(|dir| !dir.is_empty());
            let base = named.map_or_else(|| at.home.join(usual), |dir| absolute(&at.cwd, Path::new(&dir)));
            folders::require(&base.join(self.brand.folder), search, &mut answer)?;
        }
        let places = Places::find(self, at, &flags, search)?;
        answer.root = Some(places.worktree.clone());
        let config = Config::gather(self, at, &flags, &places, search, &mut answer)?;
        let agent = choice::agent(self.brand, at, &config, &mut answer)?;
        let loaded = system::look(self, &flags, &places, &config, search, &mut answer)?;
        let skills = skills::look(self, &flags, &places, &config, search, &mut answer)?;
        let called = at.call.as_deref().and_then(|name| skills.iter().find(|skill| skill.is_called(name)));
        let called = called.map(|skill| skill.body(self, search)).transpose()?.flatten();
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
        if let Some(call) = called {
            call.add(&mut answer);
        }
        commands::say(self, at, &config, &mut answer);
        if !config.plugins.is_empty() && !flags.pure {
            let plugins: Vec<&str> = config.plugins.iter().map(|plugin| config.shown(plugin)).collect();
            let message = format!("the plugin {} may rewrite the system prompt", plugins.join(", "));
            answer.warnings.push(Warning::general("may-be-rewritten", message.clone()));
            answer.doubt(&[Certain::Order, Certain::Text], message);
        }
        Ok(answer)
    }
}

/// One entry of a message, and the index of its source.
struct Entry {
    text: Text,
    source: usize,
}

/// Adds a message made of entries, and records its position in their sources.
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
