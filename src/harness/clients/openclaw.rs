//! OpenClaw: files of the agent's own workspace, wherever the agent is started, cut to budgets of UTF-16 units and shown
//! as the `# Project Context` of the system prompt.
//!
//! Checked on the real clients 2026.9.6, 2026.2.19 and 2026.2.6-3 (`openclaw agent --local`, a Gateway, and their
//! functions), November 2026. What they do differently stands side by side in `openclaw/editions.rs`.

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

/// The id, also the key of its options in requests.
const ID: &str = "openclaw";

/// The profile.
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
        // Until early 2026.
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

/// An edition of OpenClaw: what all versions do alike is code, what has differed is a field.
pub struct OpenClaw {
    about: About,
    /// Where things are kept, and which variables say so.
    places: &'static home::Places,
    /// How the configuration is read.
    settings: config::Behavior,
    /// What a turn makes of the workspace before it reads.
    seeding: Seeding,
    /// The files of a workspace, in the order they are loaded.
    files: &'static [FileRule],
    /// Which files may be opened.
    opening: Opening,
    /// Names that people may expect to be read, and that are not, with the reason.
    ignored: &'static [(&'static str, &'static str)],
    /// What each kind of session gets.
    sessions: Sessions,
    /// When BOOTSTRAP.md is shown.
    bootstrap: Bootstrap,
    /// Where skills are looked for, and how they are listed.
    skills: skills::Behavior,
    /// What may change the list of files in a Gateway.
    hooks: hooks::Behavior,
    /// How much of the files is sent.
    limits: Limits,
    /// The client's own words around them.
    wording: Wording,
}

/// What a turn makes of the workspace before it reads.
enum Seeding {
    /// A database records how far the setup of the workspace is.
    Recorded(&'static [Template]),
    /// Files that are missing are created.
    Missing(seeding::Behavior),
}

/// A file that is looked for.
struct FileRule {
    name: &'static str,
    presence: Presence,
    rule: &'static str,
}

/// When a file is looked at, and what its absence means.
#[derive(PartialEq)]
enum Presence {
    /// Opened in any case; a missing one is announced.
    Announced,
    /// Opened only where the directory lists that exact name; a missing one is no news.
    Listed,
    /// Opened where something is there, links followed, and only once under two names; a missing one is no news.
    Reachable,
}

/// Which files may be opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// Regular files of limited size inside the workspace. Others are shown as unreadable, and the files that are
    /// memory must be the workspace's own.
    Guarded,
    /// Any. What cannot be read is missing.
    Any,
}

/// When BOOTSTRAP.md is shown.
enum Bootstrap {
    /// Like every other file.
    Always,
    /// While the setup is pending; the prompt says then that it is to be followed.
    Pending(&'static str),
}

/// What each kind of session gets.
struct Sessions {
    main: Filter,
    subagent: Filter,
    cron: Filter,
    group: Filter,
}

/// What one kind of session gets.
struct Filter {
    /// Files of these names.
    names: &'static [&'static str],
    /// Whether the MEMORY.md of the workspace itself is among them.
    memory: bool,
    /// Whether the user is there to follow BOOTSTRAP.md with.
    bootstrap: bool,
    /// The mode of the prompt.
    mode: PromptMode,
}

/// A file of a new workspace, known by the SHA-256 of its text.
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
        turn.answer(search)
    }
}
