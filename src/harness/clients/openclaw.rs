//! OpenClaw: files of the agent's own workspace, regardless of where the agent is started, cut to budgets of UTF-16
//! units and shown as the section `# Project Context` of the system prompt.
//!
//! Checked on the real clients 2026.9.6, 2026.2.19 and 2026.2.6-3 (`openclaw agent --local`, a Gateway, and their
//! functions), November 2026. Their differences are listed side by side in `openclaw/editions.rs`.

use crate::answer::{Answer, Per, PromptMode, SessionKind, Standpoint};
use crate::formats::Node;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::{About, Edition, Evidence, LimitKey, Profile, Program, Switches, switches};
use crate::search::{Halt, Known, Search};

mod budget;
mod candidates;
mod compose;
mod config;
mod digest;
mod editions;
mod excerpt;
mod extra;
mod fates;
mod guard;
mod head;
mod history;
mod home;
mod hooks;
mod keys;
mod library;
mod listing;
mod project;
mod requirements;
mod roster;
mod schema;
mod seeding;
mod session;
mod setup;
mod skills;
mod trim;
mod turn;
mod units;
mod variables;

use budget::Limits;
use compose::Wording;
use config::Config;
use home::Home;
use setup::Wishes;
use turn::Turn;

/// Id of the client, also the key of its options in requests.
const ID: &str = "openclaw";

/// Profile of OpenClaw.
pub static PROFILE: Profile = Profile {
    id: ID,
    title: "OpenClaw",
    summary: "AGENTS.md, SOUL.md, IDENTITY.md, USER.md, BOOTSTRAP.md and MEMORY.md of the agent's workspace",
    editions: &[&editions::V2026_2_6, &editions::V2026_2_19, &editions::V2026_9],
    history: Some(&editions::HISTORY),
    instruction_names: &[
        "AGENTS.md",
        "SOUL.md",
        "IDENTITY.md",
        "USER.md",
        "BOOTSTRAP.md",
        "MEMORY.md",
        // Read until early 2026.
        "TOOLS.md",
        "HEARTBEAT.md",
        "memory.md",
    ],
    settings_names: &[".openclaw/openclaw.json", ".openclaw/.env", ".openclaw/state/openclaw.sqlite"],
    program: Some(Program { command: "openclaw", package: "openclaw" }),
    keys: KEYS,
    evidence: Evidence {
        traces: &[&["$OPENCLAW_STATE_DIR/agents", "$OPENCLAW_HOME/.openclaw/agents", "~/.openclaw/agents"]],
        homes: &[&["$OPENCLAW_STATE_DIR", "$OPENCLAW_HOME/.openclaw", "~/.openclaw"]],
        workspace: &["SOUL.md", "IDENTITY.md"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &[".openclaw/openclaw.json"],
    keys: &[
        Key::new(
            "agents.defaults.workspace",
            Takes::Paths,
            "The directory whose AGENTS.md, SOUL.md and other files are loaded.",
        ),
        Key::new(
            "agents.defaults.bootstrapMaxChars",
            Takes::Limit(Per::Source),
            "How many UTF-16 units of each file are loaded.",
        ),
        Key::new(
            "agents.defaults.bootstrapTotalMaxChars",
            Takes::Limit(Per::Chain),
            "How many UTF-16 units of all files together are loaded.",
        ),
        Key::new(
            "agents.defaults.contextInjection",
            Takes::Words(&["always", "continuation-skip", "never"]),
            "Whether the files are sent in every turn.",
        ),
        Key::new("agents.defaults.skipBootstrap", Takes::SWITCH, "Whether missing files are left missing."),
        Key::new(
            "agents.defaults.skipOptionalBootstrapFiles",
            Takes::Names,
            "Files that are not created from templates.",
        ),
        Key::new("agents.entries.*.workspace", Takes::Paths, "The workspace of this agent."),
        Key::new("agents.entries.*.bootstrapMaxChars", Takes::Limit(Per::Source), "The limit per file for this agent."),
        Key::new(
            "agents.entries.*.bootstrapTotalMaxChars",
            Takes::Limit(Per::Chain),
            "The limit of all files for this agent.",
        ),
        Key::new(
            "agents.entries.*.contextInjection",
            Takes::Words(&["always", "continuation-skip", "never"]),
            "Whether the files are sent in every turn to this agent.",
        ),
        Key::new("hooks.internal.enabled", Takes::SWITCH, "Whether hooks run, which may add files."),
        Key::new(
            "hooks.internal.entries.bootstrap-extra-files.enabled",
            Takes::SWITCH,
            "Whether files from elsewhere in the workspace are added.",
        ),
        Key::new(
            "hooks.internal.entries.bootstrap-extra-files.paths",
            Takes::Paths,
            "Files and globs that are added, if they have a known name.",
        ),
    ],
}];

/// Rules of a version of OpenClaw. Behaviour that all versions share is code; behaviour that differs is a field.
pub struct OpenClaw {
    about: About,
    /// Directories and files of the client, and the variables that set them.
    places: &'static home::Places,
    /// Rules for reading the configuration.
    settings: config::Behavior,
    /// Changes that a turn makes to the workspace before it reads files.
    seeding: Seeding,
    /// Files of a workspace, in the order in which they are loaded.
    files: &'static [FileRule],
    /// Files that may be opened.
    opening: Opening,
    /// File names that users may expect to be read but that are not, with the reason.
    ignored: &'static [(&'static str, &'static str)],
    /// Files that each kind of session gets.
    sessions: Sessions,
    /// Condition under which BOOTSTRAP.md is shown.
    bootstrap: Bootstrap,
    /// Places of skills, and rules for listing them.
    skills: skills::Behavior,
    /// Hooks that may change the list of files in a Gateway.
    hooks: hooks::Behavior,
    /// Limits on how much of the files is sent.
    limits: Limits,
    /// The client's own text around the files.
    wording: Wording,
}

/// Changes that a turn makes to the workspace before it reads files.
enum Seeding {
    /// Depends on the state of the workspace's setup, which a database records.
    Recorded(&'static [Template]),
    /// Missing files are created.
    Missing(seeding::Behavior),
}

/// A file that the client looks for.
struct FileRule {
    name: &'static str,
    presence: Presence,
    rule: &'static str,
}

/// Condition for opening a file, and the effect of its absence.
#[derive(PartialEq)]
enum Presence {
    /// Opened in any case; if it is missing, the prompt says so.
    Announced,
    /// Opened only if the directory lists that exact name; if it is missing, nothing is said.
    Listed,
    /// Opened if it exists, links followed, and only once under two names; if it is missing, nothing is said.
    Reachable,
}

/// Files that may be opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// Regular files of limited size inside the workspace. Others are shown as unreadable, and memory files must be the
    /// workspace's own.
    Guarded,
    /// Any file. A file that cannot be read counts as missing.
    Any,
}

/// Condition under which BOOTSTRAP.md is shown.
enum Bootstrap {
    /// Always, like every other file.
    Always,
    /// While the setup is pending; the prompt then says that it must be followed.
    Pending(&'static str),
}

/// Files that each kind of session gets.
struct Sessions {
    main: Filter,
    subagent: Filter,
    cron: Filter,
    group: Filter,
}

/// Files that one kind of session gets.
struct Filter {
    /// Names of the files.
    names: &'static [&'static str],
    /// True if the MEMORY.md of the workspace itself is included.
    memory: bool,
    /// True if a user is present to follow BOOTSTRAP.md with.
    bootstrap: bool,
    /// Mode of the prompt.
    mode: PromptMode,
}

/// A file of a new workspace, identified by the SHA-256 of its text.
pub struct Template {
    name: &'static str,
    sha256: &'static str,
}

impl Edition for OpenClaw {
    fn about(&self) -> &About {
        &self.about
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("openclaw")
    }

    fn limit_keys(&self) -> &'static [LimitKey] {
        &[
            LimitKey { per: Per::Source, path: &["agents", "defaults", "bootstrapMaxChars"] },
            LimitKey { per: Per::Chain, path: &["agents", "defaults", "bootstrapTotalMaxChars"] },
        ]
    }

    fn sessions(&self) -> &'static [SessionKind] {
        SessionKind::ALL
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut home = Home::find(self.places, at, search)?;
        let config = Config::read(&self.settings, &mut home, search)?;
        let agent =
            config.roster.choose(at.agent.as_deref()).map_err(|message| Halt::refused(&home.config, message))?;
        let workspace = home.on_disk(&config.workspace(&agent, &home, search));
        let wishes = Wishes {
            skip: config.default_flag("skipBootstrap"),
            skip_optional: config.default("skipOptionalBootstrapFiles").and_then(Node::as_texts).unwrap_or_default(),
        };
        let setup = match &self.seeding {
            Seeding::Recorded(templates) => setup::prepare(&workspace, &wishes, templates, &home, at, search)?,
            Seeding::Missing(rules) => seeding::prepare(&workspace, wishes.skip, rules, search)?,
        };
        let turn =
            Turn { edition: self, at, home: &home, config: &config, agent: &agent, workspace: &workspace, setup };
        let mut answer = turn.answer(search)?;
        answer.agents = config.roster.agents(config.file.is_some().then_some(home.config.as_path()));
        Ok(answer)
    }
}
