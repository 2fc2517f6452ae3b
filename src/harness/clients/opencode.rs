//! OpenCode: one global file, then one file name all the way up from the start directory, then what the settings name;
//! and, when the agent reads a file, the files of the directories below the start directory.
//!
//! Checked on the real clients from 1.1.53 to 1.18.33 (`opencode run` against a mock provider), November 2026.

use std::sync::LazyLock;

use crate::answer::{Answer, Certain, Message, Role, SessionKind, Source, Standpoint, Text, Tool, Trigger, Warning};
use crate::harness::history::name;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::{
    About, Attaches, Changed, Compacts, Details, Edition, Evidence, Profile, Program, Resumes, Switches, Version,
    switches,
};
use crate::search::{Halt, Known, Search};

mod agents;
mod brand;
mod choice;
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

/// The profile.
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

/// An edition of OpenCode: what all versions do alike is code, what has differed is a field.
pub struct OpenCode {
    about: About,
    /// Which program it is.
    brand: &'static Brand,
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
    /// The same of the flags against Claude's files and against the skills of other programs.
    older_flag_words: FlagWords,
    /// What `OPENCODE_DISABLE_CLAUDE_CODE_PROMPT` removes.
    claude_flag: ClaudeFlag,
    /// What makes a directory a repository.
    git: GitRule,
    /// What an error while looking for something on the way up does.
    find_error: FindError,
    /// What counts as a global or nested file that is there.
    counts: Counts,
    /// Which library's globs find `instructions` and what is in configuration directories.
    globs: Globs,
    /// How bytes become text.
    decoding: Decoding,
    /// How settings are read.
    settings: Settings,
    /// What is known of a custom agent's name.
    agent_names: AgentNames,
    /// Which files the read tool takes for pictures and PDFs, whose answers have no room for a reminder.
    pictures: Pictures,
    /// The client's own prompts, each with the providers and models that it is for.
    prompts: Vec<&'static prompt::Choice>,
    /// What the environment block holds.
    environment: EnvironmentBlock,
    /// What is said after the plan agent, where plans are files.
    plan_end: PlanEnd,
    /// Where skills are listed.
    skills: SkillsPlace,
    /// Whether one comes with the client.
    own_skill: OwnSkill,
    /// What becomes of references.
    references: Described,
    /// In which order they are listed.
    skill_order: SkillOrder,
    /// How the list says where a skill is.
    locations: Locations,
}

/// What people compare harnesses by; a version says what differs.
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

/// An edition is one of its versions, under a name of its own.
fn edition(name: &'static str, version: &'static str) -> OpenCode {
    let rules = OpenCode::for_version(Version(version));
    OpenCode { about: About { name, checked: (version, version), ..rules.about }, ..rules }
}

static V1_1: LazyLock<OpenCode> = LazyLock::new(|| edition("1.1", "1.1.53"));
static V1_15: LazyLock<OpenCode> = LazyLock::new(|| edition("1.15", "1.15.13"));
static V1_18: LazyLock<OpenCode> = LazyLock::new(|| edition("1.18", "1.18.33"));

impl OpenCode {
    /// The rules of a version.
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
    /// Whether it, or a version that says the same of everything around, was followed step by step.
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

    /// Asked of 1.18.33.
    /// Asked of 1.18.33: the next reading brings the files once more.
    fn remembers_mentions(&self) -> bool {
        false
    }

    fn resumes(&self) -> Resumes {
        if self.was_followed() { Resumes::AsBefore(Changed::Replaced) } else { Resumes::NotAsked }
    }

    /// Asked of 1.18.33.
    fn compacts(&self) -> Compacts {
        if self.was_followed() { Compacts::Forgets } else { Compacts::NotAsked }
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            // Kilo sends the text of a file that is given with the message, and nothing with it.
            Tool::Mention if self.brand.own_texts == OwnTexts::Named => Attaches::Nothing,
            Tool::Read | Tool::Mention => Attaches::Own,
            Tool::Edit | Tool::Write | Tool::Shell => Attaches::Nothing,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let flags = Flags::read(self, search).map_err(|message| Halt::refused(&at.cwd, message))?;
        let places = Places::find(self, at, &flags, search)?;
        let mut answer = Answer { root: Some(places.worktree.clone()), ..Answer::default() };
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
