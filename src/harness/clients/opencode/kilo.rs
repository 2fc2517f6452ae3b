//! Kilo, a fork of OpenCode: the same files under other names, folders of rules, and limited references in files of the
//! project.
//!
//! Checked on the real client 7.7.9 (`kilo run` against a mock provider), November 2026.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use super::brand::{Brand, Invalid, OwnTexts, Ownership, PrimaryAgents, RuleFolders, TwinSkills};
use super::places::Places;
use super::rules::{Decoding, EnvironmentBlock, TestHome};
use super::{DETAILS, OpenCode, natives};
use crate::formats::{Node, Value, parse_js_yaml};
use crate::harness::history::replays;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::{About, Details, Evidence, History, Profile, Program, Replays, Version};
use crate::search::{Known, Search};
use crate::snapshot::FileType;

/// Profile of Kilo.
pub static PROFILE: Profile = Profile {
    id: BRAND.id,
    title: BRAND.title,
    summary: "one global AGENTS.md, every AGENTS.md (else CLAUDE.md, else CONTEXT.md) up to the top of the repository, rules of `.kilo` and `.kilocode`, the files that `instructions` names; and nested ones as the agent reads",
    editions: &[&V7_7],
    history: Some(&HISTORY),
    instruction_names: &[
        "AGENTS.md",
        "CLAUDE.md",
        "CONTEXT.md",
        "SKILL.md",
        ".kilo/rules/*.md",
        ".kilocode/rules/*.md",
        ".kilo/rules-*/*.md",
        ".kilocode/rules-*/*.md",
        ".kilocoderules",
        ".kilocoderules-*",
    ],
    settings_names: &[
        "kilo.json",
        "kilo.jsonc",
        "opencode.json",
        "opencode.jsonc",
        ".config/kilo/config.json",
        ".kilocodemodes",
    ],
    program: Some(Program { command: "kilo", package: "@kilocode/cli" }),
    keys: KEYS,
    evidence: Evidence {
        traces: &[&["$XDG_DATA_HOME/kilo", "~/.local/share/kilo"]],
        homes: &[&["$XDG_CONFIG_HOME/kilo", "~/.config/kilo"], &["~/.kilo"], &["~/.kilocode"]],
        files: &["kilo.json", "kilo.jsonc", ".kilo", ".kilocode", ".kilocoderules"],
        editor: &["kilocode.kilo-code"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &["kilo.json", "kilo.jsonc", ".config/kilo/config.json"],
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

/// Names and differences of Kilo.
static BRAND: Brand = Brand {
    id: "kilo",
    title: "Kilo",
    prefix: "KILO_",
    folder: "kilo",
    global_files: &["config.json", "kilo.json", "kilo.jsonc", "opencode.json", "opencode.jsonc"],
    settings: &["kilo", "opencode"],
    in_directory: &["kilo.jsonc", "kilo.json", "opencode.jsonc", "opencode.json"],
    directories: &[".kilocode", ".kilo"],
    switches: &[
        "AUTO_SHARE",
        "PURE",
        "DISABLE_DEFAULT_PLUGINS",
        "DISABLE_CHANNEL_DB",
        "DISABLE_EMBEDDED_WEB_UI",
        "DISABLE_EXTERNAL_SKILLS",
        "DISABLE_SKILL_SHELL",
        "DISABLE_LSP_DOWNLOAD",
        "SKIP_MIGRATIONS",
        "DISABLE_CLAUDE_CODE",
        "DISABLE_CLAUDE_CODE_SKILLS",
        "ENABLE_EXA",
        "EXPERIMENTAL",
        "EXPERIMENTAL_EXA",
        "ENABLE_PARALLEL",
        "EXPERIMENTAL_PARALLEL",
        "ENABLE_EXPERIMENTAL_MODELS",
        "ENABLE_QUESTION_TOOL",
        "EXPERIMENTAL_BACKGROUND_SUBAGENTS",
        "EXPERIMENTAL_CODE_MODE",
        "EXPERIMENTAL_CONTEXT_TOOLS",
        "EXPERIMENTAL_EVENT_SYSTEM",
        "EXPERIMENTAL_ICON_DISCOVERY",
        "EXPERIMENTAL_LSP_TOOL",
        "EXPERIMENTAL_LSP_TY",
        "EXPERIMENTAL_MCP_APPS",
        "EXPERIMENTAL_NATIVE_LLM",
        "EXPERIMENTAL_OXFMT",
        "EXPERIMENTAL_REFERENCES",
        "EXPERIMENTAL_SCOUT",
        "EXPERIMENTAL_SESSION_SWITCHER",
        "EXPERIMENTAL_SHARED_AGENT_BOARD",
        "EXPERIMENTAL_WEBSOCKETS",
        "EXPERIMENTAL_WORKSPACES",
    ],
    schema: "https://app.kilo.ai/config.json",
    skill: (
        "kilo-config",
        "Guide for Kilo configuration: config paths, kilo.json fields, commands, agents, skills, permissions, MCPs, providers, TUI settings, plus Agent Manager worktree setup/run scripts, workflows, and state. Use for Kilo config questions, locating loaded config, changing settings, or Agent Manager questions about run/setup scripts, worktree setup/workflows, apply/merge/PR/conflicts, missing sessions/worktrees, and agent-manager.json recovery.",
        "builtin",
    ),
    agents: natives::OF_KILO,
    invalid: Invalid::PassedOver,
    ownership: Ownership::Counts,
    primary: PrimaryAgents::StartSessionsOnly,
    own_texts: OwnTexts::Named,
    twins: TwinSkills::Later,
    rules: RuleFolders::OfKilo,
};

static HISTORY: History = History { changes: &[], rules: |_| Arc::new(newest()), replays: &REPLAYS };

static REPLAYS: Replays = LazyLock::new(|| replays(include_str!("../../../../tests/conformance/versions/kilo.toml")));

static V7_7: LazyLock<OpenCode> = LazyLock::new(newest);

fn newest() -> OpenCode {
    // The OpenCode version on which it is based, as far as that was checked.
    let of = OpenCode::for_version(Version("1.18.33"));
    OpenCode {
        about: About { name: "7.7", checked: ("7.7.9", "7.7.9"), details: OF_KILO },
        brand: &BRAND,
        test_home: TestHome::Home,
        decoding: Decoding::WithMark,
        environment: EnvironmentBlock::Kilo,
        prompts: Vec::new(),
        ..of
    }
}

const OF_KILO: Details = Details {
    global: "~/.config/kilo/AGENTS.md, else ~/.claude/CLAUDE.md; first in the prompt. And ~/.kilo/rules, ~/.kilocode/rules",
    ..DETAILS
};

/// Source shown for rules, which no settings name.
pub(super) const RULES: &str = "a rule of Kilo's folders; those of every mode are sent";

/// Modes whose rules are read.
const MODES: [&str; 5] = ["code", "architect", "ask", "debug", "orchestrator"];

/// Agents that a file of modes cannot define.
const NATIVE_MODES: [&str; 6] = ["code", "build", "architect", "ask", "debug", "orchestrator"];

/// Returns the rules in order: those of the home directory, those of the start directory, and those of each mode.
pub(super) fn rules(places: &Places, search: &mut Search) -> Known<Vec<PathBuf>> {
    let mut rules = of_folders(&places.home, "rules", search)?;
    rules.extend(of_folders(&places.directory, "rules", search)?);
    let old = "a file of rules, as they were before there were folders";
    for (folder, file) in std::iter::once(("rules".to_owned(), ".kilocoderules".to_owned()))
        .chain(MODES.map(|mode| (format!("rules-{mode}"), format!(".kilocoderules-{mode}"))))
    {
        if folder != "rules" {
            rules.extend(of_folders(&places.directory, &folder, search)?);
        }
        let file = places.directory.join(file);
        if search.is_file(&file, old)? {
            rules.push(file);
        }
    }
    Ok(rules)
}

/// Returns the rules in folders of one name; of two rules with one name, that of `.kilo` counts.
fn of_folders(dir: &Path, folder: &str, search: &mut Search) -> Known<Vec<PathBuf>> {
    let (mut rules, mut names) = (Vec::new(), HashSet::new());
    for place in [".kilo", ".kilocode"] {
        let dir = dir.join(place).join(folder);
        let Ok(entries) = search.list(&dir, "a folder of rules, in the order of the file system")? else { continue };
        for entry in entries.iter().filter(|entry| entry.kind == FileType::File) {
            let name = entry.name.to_string_lossy();
            if name.ends_with(".md") && names.insert(entry.name.clone()) {
                rules.push(dir.join(&entry.name));
            }
        }
    }
    Ok(rules)
}

/// Returns the agents defined in files of modes, as settings.
pub(super) fn modes(places: &Places, search: &mut Search) -> Known<Node> {
    let home = &places.real_home;
    let mut files = vec![
        home.join(".config/Code/User/globalStorage/kilocode.kilo-code/settings/custom_modes.yaml"),
        home.join(".kilocode/cli/global/settings/custom_modes.yaml"),
        home.join(".kilocodemodes"),
    ];
    files.retain(|file| file.parent() != Some(&places.directory));
    files.push(places.directory.join(".kilocodemodes"));
    let mut agents: Vec<(String, Node)> = Vec::new();
    for file in files {
        let Ok(raw) = search.read(&file, "modes, which become agents")? else { continue };
        // A file that is not YAML removes all modes.
        let Ok(node) = parse_js_yaml(&raw.text()) else { return Ok(table(Vec::new())) };
        for mode in node.get("customModes").and_then(Node::as_list).unwrap_or_default() {
            let text = |key: &str| mode.get(key).and_then(Node::as_text).filter(|text| !text.is_empty());
            let Some(slug) = text("slug").filter(|slug| !NATIVE_MODES.contains(slug)) else { continue };
            let prompt: Vec<&str> = ["roleDefinition", "customInstructions"].into_iter().filter_map(text).collect();
            let agent = [("mode", "primary".to_owned()), ("prompt", prompt.join("\n\n"))]
                .map(|(key, text)| (key.to_owned(), Node { at: 0..0, value: Value::Text(text) }));
            agents.retain(|(known, _)| known != slug);
            agents.push((slug.to_owned(), table(agent.into())));
        }
    }
    Ok(table(vec![("agent".to_owned(), table(agents))]))
}

fn table(entries: Vec<(String, Node)>) -> Node {
    Node { at: 0..0, value: Value::Table(entries) }
}

/// Returns reasons for uncertainty: files whose effect was not checked on the client.
pub(super) fn doubts(places: &Places, search: &mut Search) -> Known<Vec<String>> {
    let mut doubts = Vec::new();
    let receipt = places.real_home.join(".local/state/kilo/claude-migration.json");
    for (file, what) in [
        (places.xdg.join("config"), "are settings in a form that was not asked about"),
        (receipt, "says that Kilo has taken over Claude's files, which was not asked about"),
    ] {
        if search.is_file(&file, "what was not asked about")? {
            doubts.push(format!("{} {what}", file.display()));
        }
    }
    // A linked worktree has `.git` as a file; Kilo also reads the folders of the main one.
    if search.is_file(&places.worktree.join(".git"), "a linked worktree")? {
        doubts.push("what Kilo takes from another worktree of the repository was not asked about".to_owned());
    }
    Ok(doubts)
}
