//! What OpenClaw refuses in a configuration: unknown keys, and wrong types of what decides about instruction files.
//!
//! The client checks every key; the values of those not listed with a type here are left unchecked.

use crate::formats::{Node, Value};

/// Why the client would not start, or nothing.
pub fn check(root: &Node) -> Result<(), String> {
    keys(root, "", ROOT)?;
    let Some(agents) = root.get("agents") else { return others(root) };
    keys(agents, "agents", &["ownership", "defaults", "entries", "list"])?;
    if let Some(ownership) = agents.get("ownership")
        && ownership.as_text() != Some("explicit")
    {
        return Err("agents.ownership: Invalid input: expected \"explicit\"".into());
    }
    if let Some(defaults) = agents.get("defaults") {
        keys(defaults, "agents.defaults", DEFAULTS)?;
        agent(defaults, "agents.defaults")?;
        typed(defaults, "agents.defaults", "repoRoot", Type::Text)?;
        typed(defaults, "agents.defaults", "skipBootstrap", Type::Flag)?;
        skipped_files(defaults)?;
        if let Some(system) = defaults.get("systemAgent") {
            keys(system, "agents.defaults.systemAgent", &["agentId"])?;
            typed(system, "agents.defaults.systemAgent", "agentId", Type::Text)?;
        }
    }
    if let Some(entries) = agents.get("entries") {
        let Some(table) = entries.as_table() else { return Err(expected("agents.entries", "record", entries)) };
        for (id, entry) in table {
            let path = format!("agents.entries.{id}");
            keys(entry, &path, ENTRY)?;
            agent(entry, &path)?;
            typed(entry, &path, "default", Type::Flag)?;
        }
    }
    for item in agents.get("list").and_then(Node::as_list).unwrap_or_default() {
        let known: Vec<&str> = ENTRY.iter().copied().chain(["id"]).collect();
        keys(item, "agents.list", &known)?;
        agent(item, "agents.list")?;
    }
    others(root)
}

/// Keys that agents and the defaults share.
fn agent(node: &Node, path: &str) -> Result<(), String> {
    for key in ["workspace", "cwd"] {
        typed(node, path, key, Type::Text)?;
    }
    for key in ["bootstrapMaxChars", "bootstrapTotalMaxChars"] {
        typed(node, path, key, Type::Positive)?;
    }
    match node.get("contextInjection") {
        Some(mode) if !matches!(mode.as_text(), Some("always" | "continuation-skip" | "never")) => {
            Err(expected(&format!("{path}.contextInjection"), "\"always\", \"continuation-skip\" or \"never\"", mode))
        }
        _ => Ok(()),
    }
}

fn skipped_files(defaults: &Node) -> Result<(), String> {
    let Some(list) = defaults.get("skipOptionalBootstrapFiles") else { return Ok(()) };
    let known = ["SOUL.md", "USER.md", "HEARTBEAT.md", "IDENTITY.md"];
    let valid = list.as_texts().is_some_and(|names| names.iter().all(|name| known.contains(name)));
    if valid {
        Ok(())
    } else {
        Err(expected("agents.defaults.skipOptionalBootstrapFiles", &format!("a list of {}", known.join(", ")), list))
    }
}

fn others(root: &Node) -> Result<(), String> {
    if let Some(hooks) = root.get("hooks") {
        keys(hooks, "hooks", HOOKS)?;
        if let Some(internal) = hooks.get("internal") {
            keys(internal, "hooks.internal", &["enabled", "entries", "load"])?;
            typed(internal, "hooks.internal", "enabled", Type::Flag)?;
            if let Some(entries) = internal.get("entries") {
                let Some(table) = entries.as_table() else {
                    return Err(expected("hooks.internal.entries", "record", entries));
                };
                for (name, entry) in table {
                    let path = format!("hooks.internal.entries.{name}");
                    if entry.as_table().is_none() {
                        return Err(expected(&path, "object", entry));
                    }
                    typed(entry, &path, "enabled", Type::Flag)?;
                }
            }
        }
    }
    if let Some(plugins) = root.get("plugins") {
        keys(plugins, "plugins", &["enabled", "allow", "deny", "load", "slots", "entries"])?;
        typed(plugins, "plugins", "enabled", Type::Flag)?;
        if let Some(slots) = plugins.get("slots") {
            keys(slots, "plugins.slots", &["memory", "contextEngine"])?;
            typed(slots, "plugins.slots", "memory", Type::Text)?;
        }
    }
    if let Some(env) = root.get("env") {
        keys(env, "env", &["shellEnv", "vars"])?;
        if let Some(vars) = env.get("vars") {
            let Some(table) = vars.as_table() else { return Err(expected("env.vars", "record", vars)) };
            for (name, _) in table {
                typed(vars, "env.vars", name, Type::Text)?;
            }
        }
    }
    Ok(())
}

enum Type {
    Text,
    Flag,
    Positive,
}

fn typed(table: &Node, path: &str, key: &str, wanted: Type) -> Result<(), String> {
    let Some(node) = table.get(key) else { return Ok(()) };
    let (valid, word) = match wanted {
        Type::Text => (matches!(node.value, Value::Text(_)), "string"),
        Type::Flag => (matches!(node.value, Value::Bool(_)), "boolean"),
        Type::Positive => (matches!(node.value, Value::Integer(1..)), "a whole number above 0"),
    };
    if valid { Ok(()) } else { Err(expected(&format!("{path}.{key}"), word, node)) }
}

fn keys(node: &Node, path: &str, known: &[&str]) -> Result<(), String> {
    let at = if path.is_empty() { "the configuration" } else { path };
    let Some(table) = node.as_table() else { return Err(expected(at, "object", node)) };
    match table.iter().find(|(key, _)| !known.contains(&key.as_str())) {
        Some((key, _)) => Err(format!("{at}: Unrecognized key: {key:?}")),
        None => Ok(()),
    }
}

fn expected(path: &str, word: &str, found: &Node) -> String {
    format!("{path}: Invalid input: expected {word}, received {}", found.value.kind())
}

/// OpenClaw 2026.9.6, as are the other lists.
const ROOT: &[&str] = &[
    "$schema",
    "meta",
    "env",
    "wizard",
    "diagnostics",
    "logging",
    "update",
    "telemetry",
    "browser",
    "ui",
    "secrets",
    "auth",
    "accessGroups",
    "acp",
    "models",
    "nodeHost",
    "agents",
    "worktreeRoot",
    "worktreeAcceleration",
    "tools",
    "security",
    "bindings",
    "broadcast",
    "attachments",
    "messages",
    "tts",
    "commands",
    "approvals",
    "session",
    "cron",
    "transcripts",
    "hooks",
    "channels",
    "discovery",
    "talk",
    "gateway",
    "cloudWorkers",
    "desktop",
    "memory",
    "mcp",
    "skills",
    "plugins",
    "surfaces",
    "proxy",
];

const DEFAULTS: &[&str] = &[
    "params",
    "model",
    "modelSelectionScope",
    "utilityModel",
    "decisionModel",
    "imageModel",
    "mediaModels",
    "voiceModel",
    "pdfModel",
    "pdfMaxMb",
    "pdfMaxPages",
    "models",
    "modelPolicy",
    "workspace",
    "cwd",
    "skills",
    "silentReply",
    "repoRoot",
    "skipBootstrap",
    "skipOptionalBootstrapFiles",
    "contextInjection",
    "bootstrapMaxChars",
    "bootstrapTotalMaxChars",
    "experimental",
    "userTimezone",
    "startupContext",
    "contextPruning",
    "compaction",
    "embeddedAgent",
    "thinkingDefault",
    "fastModeDefault",
    "verboseDefault",
    "toolProgressDetail",
    "reasoningDefault",
    "elevatedDefault",
    "blockStreamingDefault",
    "blockStreamingBreak",
    "timeoutSeconds",
    "mediaMaxMb",
    "imageMaxDimensionPx",
    "imageQuality",
    "typingIntervalSeconds",
    "systemAgent",
    "authInheritance",
    "sessionStore",
    "maxConcurrent",
    "subagents",
    "contextLimits",
    "blockStreamingChunk",
    "blockStreamingCoalesce",
    "humanDelay",
    "typingMode",
    "heartbeat",
    "sandbox",
    "contextTokens",
];

const ENTRY: &[&str] = &[
    "name",
    "description",
    "workspace",
    "cwd",
    "agentDir",
    "model",
    "utilityModel",
    "decisionModel",
    "models",
    "modelPolicy",
    "thinkingDefault",
    "verboseDefault",
    "toolProgressDetail",
    "reasoningDefault",
    "fastModeDefault",
    "contextInjection",
    "bootstrapMaxChars",
    "bootstrapTotalMaxChars",
    "experimental",
    "skills",
    "subagents",
    "embeddedAgent",
    "params",
    "runtime",
    "memory",
    "humanDelay",
    "typingMode",
    "tts",
    "skillsLimits",
    "contextLimits",
    "heartbeat",
    "identity",
    "groupChat",
    "sandbox",
    "tools",
    "default",
    "contextTokens",
];

const HOOKS: &[&str] = &[
    "enabled",
    "path",
    "token",
    "defaultSessionKey",
    "allowRequestSessionKey",
    "allowedSessionKeyPrefixes",
    "allowedAgentIds",
    "presets",
    "transformsDir",
    "mappings",
    "gmail",
    "internal",
];
