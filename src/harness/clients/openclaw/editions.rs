//! The editions: the differences between versions of OpenClaw side by side, and the rules of the versions in between.

use std::sync::{Arc, LazyLock};

use super::budget::Limits;
use super::compose::{Context, Heading, Order, Passage, Wording};
use super::config::{self, Included};
use super::extra::{self, Again};
use super::home::{Dotenv, HomeVariable, Moves, NamedState, Places, Workspace};
use super::hooks::{self, Loading};
use super::trim::{Method, Shares};
use super::variables::{Own, Unset};
use super::{
    Bootstrap, FileRule, Filter, OpenClaw, Opening, Presence, Seeding, Sessions, Template, history, keys, listing,
    roster, seeding,
};
use crate::answer::PromptMode;
use crate::harness::history::{name, replays};
use crate::harness::{About, Details, History, Replays, Version};

/// History of OpenClaw.
pub(super) static HISTORY: History =
    History { changes: history::CHANGES, rules: |version| Arc::new(rules(version)), replays: &REPLAYS };

static REPLAYS: Replays =
    LazyLock::new(|| replays(include_str!("../../../../tests/conformance/versions/openclaw.toml")));

const fn announced(name: &'static str) -> FileRule {
    FileRule { name, presence: Presence::Announced, rule: "a file of the workspace" }
}

const fn listed(name: &'static str) -> FileRule {
    FileRule { name, presence: Presence::Listed, rule: "a file of the workspace, in its exact case" }
}

const fn reachable(name: &'static str) -> FileRule {
    FileRule { name, presence: Presence::Reachable, rule: "the memory of the workspace, if it is there" }
}

const SIX: &[&str] = &["AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md"];
const NINE: &[&str] = &[
    "AGENTS.md",
    "SOUL.md",
    "TOOLS.md",
    "IDENTITY.md",
    "USER.md",
    "HEARTBEAT.md",
    "BOOTSTRAP.md",
    "MEMORY.md",
    "memory.md",
];
const KINDS: &[&str] = &["agents.md", "soul.md", "identity.md", "user.md", "tools.md", "bootstrap.md", "memory.md"];
const IDENTITY: &str = "You are a personal assistant running inside OpenClaw.";
const EARLY_FILES: &[FileRule] = &[
    announced("AGENTS.md"),
    announced("SOUL.md"),
    announced("TOOLS.md"),
    announced("IDENTITY.md"),
    announced("USER.md"),
    announced("HEARTBEAT.md"),
    announced("BOOTSTRAP.md"),
    reachable("MEMORY.md"),
    reachable("memory.md"),
];
const EARLY_ALL: Filter = Filter { names: NINE, memory: true, bootstrap: true, mode: PromptMode::Full };
const EARLY_FEW: Filter =
    Filter { names: &["AGENTS.md", "TOOLS.md"], memory: false, bootstrap: false, mode: PromptMode::Minimal };
/// Files that a turn creates if they are missing, besides BOOTSTRAP.md.
const EARLY_CREATED: &[&str] = &["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md"];
const EARLY_WORDING: Wording = Wording {
    intro: &["# Project Context", "The following project context files have been loaded:"],
    roles: &[(
        "soul.md",
        "If SOUL.md is present, embody its persona and tone. Avoid stiff, generic replies; follow its guidance unless higher-priority instructions override it.",
    )],
    heading: Heading::Path,
    order: Order::Loaded,
    passage: Passage::Untouched,
    notice: None,
    context: Context::Before("## Group Chat Context"),
    identity: IDENTITY,
};
const EARLY_IGNORED: &[(&str, &str)] = &[("CLAUDE.md", "not a file of OpenClaw")];
const EARLY_DETAILS: Details = Details {
    files: "AGENTS.md, SOUL.md, TOOLS.md, IDENTITY.md, USER.md, HEARTBEAT.md, BOOTSTRAP.md, MEMORY.md, memory.md of the agent's workspace: all of them",
    triggers: "every turn",
    place: "section `# Project Context` of the system prompt, before `## Silent Replies`",
    truncation: "20 000 UTF-16 units per file, 150 000 together; head 70 %, tail 20 %, marker",
    nested: "never: one workspace, wherever the agent is started",
    global: "the workspace itself, ~/.openclaw/workspace, is one for all projects",
    urls: "no",
    globs: "through the hook bootstrap-extra-files",
    sessions: "sub-agents and cron runs get AGENTS.md and TOOLS.md only",
    hooks: "agent:bootstrap in the Gateway",
    persona: "SOUL.md, with a line that the agent is to embody it",
    dedupe: "MEMORY.md and memory.md that lead to one file count once",
};

/// Early February 2026: files are sent as they are, each with a limit.
pub const V2026_2_6: OpenClaw = OpenClaw {
    about: About {
        name: "2026.2.6",
        checked: ("2026.2.6", "2026.2.6"),
        details: Details {
            truncation: "20 000 UTF-16 units per file; head 70 %, tail 20 %, marker",
            globs: "no",
            sessions: "sub-agents get AGENTS.md and TOOLS.md only",
            ..EARLY_DETAILS
        },
    },
    places: &Places {
        home: HomeVariable::Unknown,
        state_names: &[".openclaw", ".clawdbot", ".moltbot", ".moldbot"],
        moves: Moves::Always,
        state_variables: &["OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR"],
        config_names: &["openclaw.json", "clawdbot.json", "moltbot.json", "moldbot.json"],
        config_variables: &["OPENCLAW_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH"],
        named_state: NamedState::First,
        dotenv: Dotenv::Everything,
        workspace: Workspace::BelowHome,
    },
    settings: config::Behavior {
        includes: Included::Anywhere,
        own: Own::VarsAndKeys,
        unset: Unset::Refused,
        schema: keys::V2026_2_6,
        agents: roster::Shape::List,
    },
    seeding: Seeding::Missing(seeding::Behavior {
        names: EARLY_CREATED,
        bootstrap: seeding::Bootstrap::InNewWorkspaces,
    }),
    files: EARLY_FILES,
    opening: Opening::Any,
    ignored: EARLY_IGNORED,
    sessions: Sessions { main: EARLY_ALL, subagent: EARLY_FEW, cron: EARLY_ALL, group: EARLY_ALL },
    bootstrap: Bootstrap::Always,
    skills: listing::V2026_2_6,
    hooks: hooks::Behavior {
        loading: Loading::Directories,
        // `soul-evil` is bundled without its handler.
        harmless: &["boot-md", "command-logger", "session-memory", "soul-evil"],
        extra: None,
    },
    limits: Limits {
        file_utf16: 20_000,
        total_utf16: None,
        capped: None,
        least_utf16: 0,
        method: Method::HeadAndTail(0.7, 0.2),
    },
    wording: Wording { heading: Heading::Name, ..EARLY_WORDING },
};

/// Two weeks later: all files share a limit, and headings are paths.
pub const V2026_2_19: OpenClaw = OpenClaw {
    about: About { name: "2026.2.19", checked: ("2026.2.19", "2026.2.19"), details: EARLY_DETAILS },
    places: &Places {
        home: HomeVariable::Named,
        state_names: &[".openclaw", ".clawdbot", ".moldbot", ".moltbot"],
        moves: Moves::ByGateway,
        state_variables: &["OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR"],
        config_names: &["openclaw.json", "clawdbot.json", "moldbot.json", "moltbot.json"],
        config_variables: &["OPENCLAW_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH"],
        named_state: NamedState::First,
        dotenv: Dotenv::Everything,
        workspace: Workspace::BelowHomeAndState,
    },
    settings: config::Behavior {
        includes: Included::Below,
        own: Own::VarsAndKeys,
        unset: Unset::Refused,
        schema: keys::V2026_2_19,
        agents: roster::Shape::List,
    },
    seeding: Seeding::Missing(seeding::Behavior {
        names: EARLY_CREATED,
        bootstrap: seeding::Bootstrap::Once(&[
            Template {
                name: "IDENTITY.md",
                sha256: "1379f924cf4b4d6d0a306ecc2544a913dab706a1325fcf8eb9b267686ee8551c",
            },
            Template { name: "USER.md", sha256: "178a5807bd2e6ace25b80a366f0f7d8d3f354a47f577c4ab0092397456b8738f" },
        ]),
    }),
    files: EARLY_FILES,
    opening: Opening::Any,
    ignored: EARLY_IGNORED,
    sessions: Sessions { main: EARLY_ALL, subagent: EARLY_FEW, cron: EARLY_FEW, group: EARLY_ALL },
    bootstrap: Bootstrap::Always,
    skills: listing::V2026_2_19,
    hooks: hooks::Behavior {
        loading: Loading::Directories,
        harmless: &["boot-md", "command-logger", "session-memory"],
        extra: Some(extra::Behavior {
            names: NINE,
            wild: &['?', '*', '{'],
            opening: Opening::Any,
            again: Again::Twice,
        }),
    },
    limits: Limits {
        file_utf16: 20_000,
        total_utf16: Some(150_000),
        capped: None,
        least_utf16: 64,
        method: Method::HeadAndTail(0.7, 0.2),
    },
    wording: EARLY_WORDING,
};

/// Autumn 2026: a smaller set of files with guarded access, a digest of AGENTS.md, and a database of the setup.
pub const V2026_9: OpenClaw = OpenClaw {
    about: About {
        name: "2026.9",
        checked: ("2026.9.6", "2026.9.6"),
        details: Details {
            files: "AGENTS.md, SOUL.md, IDENTITY.md, USER.md, BOOTSTRAP.md, MEMORY.md of the agent's workspace: all of them",
            triggers: "every turn",
            place: "section `# Project Context` of the system prompt, before the cache boundary",
            truncation: "20 000 UTF-16 units per file (USER.md 4 000), 60 000 together; head 75 %, tail 25 %, marker; AGENTS.md as a digest",
            nested: "never: one workspace, wherever the agent is started",
            global: "the workspace itself, ~/.openclaw/workspace, is one for all projects",
            urls: "no",
            globs: "through the hook bootstrap-extra-files",
            sessions: "sub-agents get AGENTS.md only; cron runs lose BOOTSTRAP.md and MEMORY.md, groups MEMORY.md",
            hooks: "agent:bootstrap in the Gateway",
            persona: "SOUL.md, with a line that it sets persona and tone",
            dedupe: "by path within the workspace; the first counts",
        },
    },
    places: &Places {
        home: HomeVariable::NamedAndDefined,
        state_names: &[".openclaw", ".clawdbot"],
        moves: Moves::Always,
        state_variables: &["OPENCLAW_STATE_DIR"],
        config_names: &["openclaw.json", "clawdbot.json"],
        config_variables: &["OPENCLAW_CONFIG_PATH"],
        named_state: NamedState::Alone,
        dotenv: Dotenv::Harmless,
        workspace: Workspace::Named,
    },
    settings: config::Behavior {
        includes: Included::BelowRoots,
        own: Own::Vars,
        unset: Unset::Stays,
        schema: keys::V2026_9,
        agents: roster::Shape::Entries,
    },
    seeding: Seeding::Recorded(&[
        Template { name: "AGENTS.md", sha256: "1e17784e422c0e47e44c5214d0b37092f7b378bb2d3746976032be3075203c88" },
        Template { name: "SOUL.md", sha256: "4f9042f259b076e429d0f01ce39340030f47ea5b7f5befe306296c36baf1f60f" },
        Template { name: "IDENTITY.md", sha256: "59b223766c8dd978162044e333a684c72e22af753d1ba3dc3bff4b2d915c54e2" },
        Template { name: "USER.md", sha256: "46e0d8c937df7b104de97a23c58537292672654194879ca9f76b02075e022555" },
    ]),
    files: &[
        announced("AGENTS.md"),
        announced("SOUL.md"),
        announced("IDENTITY.md"),
        listed("USER.md"),
        announced("BOOTSTRAP.md"),
        listed("MEMORY.md"),
    ],
    opening: Opening::Guarded,
    ignored: &[
        ("TOOLS.md", "no longer read; `openclaw doctor` moves it into AGENTS.md"),
        ("HEARTBEAT.md", "no longer part of the prompt"),
        ("memory.md", "only MEMORY.md in capitals is read"),
        ("CLAUDE.md", "not a file of OpenClaw"),
    ],
    sessions: Sessions {
        main: Filter { names: SIX, memory: true, bootstrap: true, mode: PromptMode::Full },
        subagent: Filter { names: &["AGENTS.md"], memory: false, bootstrap: false, mode: PromptMode::Minimal },
        cron: Filter {
            names: &["AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md"],
            memory: false,
            bootstrap: false,
            mode: PromptMode::Minimal,
        },
        group: Filter { names: SIX, memory: false, bootstrap: true, mode: PromptMode::Full },
    },
    bootstrap: Bootstrap::Pending(
        "## Bootstrap Pending\nBOOTSTRAP.md below; follow before normal reply.\nCan finish BOOTSTRAP.md here: do it.\n\
         Cannot: brief blocker, safe possible steps, simplest next step.\n\
         Never claim completion early. No generic greeting/normal reply before BOOTSTRAP.md handling.\n\
         First visible reply must follow BOOTSTRAP.md; no generic greeting.",
    ),
    skills: listing::V2026_9,
    hooks: hooks::Behavior {
        loading: Loading::Entries,
        harmless: &["boot-md", "command-logger", "compaction-notifier", "session-memory"],
        extra: Some(extra::Behavior {
            names: SIX,
            wild: &['?', '*', '{', '}'],
            opening: Opening::Guarded,
            again: Again::Once,
        }),
    },
    limits: Limits {
        file_utf16: 20_000,
        total_utf16: Some(60_000),
        capped: Some(("USER.md", 4_000)),
        least_utf16: 64,
        method: Method::Fitting(Shares { file: (0.75, 0.25), agents: (0.45, 0.15, 0.35), least_utf16: 16 }),
    },
    wording: Wording {
        intro: &["# Project Context", "Loaded project context:"],
        roles: &[
            ("soul.md", "SOUL.md: persona/tone. Follow it unless higher-priority instructions override."),
            (
                "memory.md",
                "MEMORY.md: durable non-profile facts and decisions; use when relevant unless higher-priority instructions override.",
            ),
            (
                "user.md",
                "USER.md: durable user preferences and profile directives; follow unless higher-priority instructions override.",
            ),
        ],
        heading: Heading::Path,
        order: Order::Sorted { kinds: KINDS, as_loaded: Some("user.md") },
        passage: Passage::Rewritten,
        notice: Some(
            "## Bootstrap Context Notice\n[Bootstrap truncation warning]\n\
             Some workspace bootstrap files were truncated before Project Context injection.\n\
             Treat Project Context as partial and read the relevant files directly if details seem missing.",
        ),
        context: Context::Behind("## Conversation Context"),
        identity: IDENTITY,
    },
};

/// Returns the rules of a version: one of the two editions of February, or that of autumn.
pub fn rules(version: Version) -> OpenClaw {
    let edition = match (version.has(&history::TOTAL_LIMIT), version.has(&history::REWRITTEN)) {
        (false, _) => V2026_2_6,
        (true, false) => V2026_2_19,
        (true, true) => V2026_9,
    };
    let as_loaded = Some("user.md").filter(|_| version.has(&history::AS_LOADED));
    let order = match edition.wording.order {
        Order::Loaded => Order::Loaded,
        Order::Sorted { kinds, .. } => Order::Sorted { kinds, as_loaded },
    };
    let name = name(version, history::CHANGES, (V2026_2_6.about.name, V2026_9.about.name));
    OpenClaw { about: About { name, ..edition.about }, wording: Wording { order, ..edition.wording }, ..edition }
}
