//! Checks of the configuration: unknown keys, and wrong types of values that matter for instruction files.
//!
//! The client checks every key. Values of keys without a type here or in `keys` are not checked.

use crate::formats::{Node, Value};

/// Keys that an edition knows, separated by spaces.
pub struct Schema {
    /// Keys of the configuration itself.
    pub root: &'static str,
    /// Keys of `agents`.
    pub agents: &'static str,
    /// Keys of `agents.defaults`.
    pub defaults: &'static str,
    /// Keys of an agent.
    pub entry: &'static str,
    /// Keys of `hooks`.
    pub hooks: &'static str,
    /// Keys of `hooks.internal`.
    pub internal_hooks: &'static str,
    /// Keys of `plugins`.
    pub plugins: &'static str,
    /// Keys of `plugins.slots`.
    pub slots: &'static str,
    /// Keys of `env`; any key if `None`.
    pub env: Option<&'static str>,
    /// Keys of an entry of `hooks.internal.entries`; any key if `None`.
    pub hook: Option<&'static str>,
    /// Keys of `skills`, whose values are checked as well; any key and value if `None`.
    pub skills: Option<&'static str>,
    /// Types of further values by path; they do not matter for instruction files.
    pub values: &'static [&'static [(&'static str, Type)]],
}

/// Type of a value.
#[derive(Clone, Copy)]
pub enum Type {
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A boolean.
    Flag,
    /// A whole number above 0.
    Positive,
    /// A whole number from 0.
    Whole,
    /// One of these words, which are separated by spaces.
    OneOf(&'static str),
    /// A table.
    Table,
    /// A table of strings.
    TableOfTexts,
}

/// Fails with the reason why the client would not start.
pub fn check(root: &Node, schema: &Schema) -> Result<(), String> {
    keys(root, "", schema.root)?;
    if let Some(agents) = root.get("agents") {
        check_agents(agents, schema)?;
    }
    if let (Some(skills), Some(known)) = (root.get("skills"), schema.skills) {
        check_skills(skills, known)?;
    }
    for (key, check) in
        [("hooks", check_hooks as fn(&Node, &Schema) -> _), ("plugins", check_plugins), ("env", check_env)]
    {
        root.get(key).map_or(Ok(()), |node| check(node, schema))?;
    }
    schema.values.iter().copied().flatten().try_for_each(|(path, wanted)| value(root, path, *wanted))
}

/// Checks the value at a dotted path, if it exists.
fn value(root: &Node, path: &str, wanted: Type) -> Result<(), String> {
    let (above, key) = path.rsplit_once('.').unwrap_or(("", path));
    let table = above.split('.').filter(|name| !name.is_empty()).try_fold(root, |table, name| table.get(name));
    table.map_or(Ok(()), |table| typed(table, above, key, wanted))
}

fn check_agents(agents: &Node, schema: &Schema) -> Result<(), String> {
    keys(agents, "agents", schema.agents)?;
    if let Some(ownership) = agents.get("ownership")
        && ownership.as_text() != Some("explicit")
    {
        return Err("agents.ownership: Invalid input: expected \"explicit\"".into());
    }
    if let Some(defaults) = agents.get("defaults") {
        keys(defaults, "agents.defaults", schema.defaults)?;
        agent(defaults, "agents.defaults")?;
        typed(defaults, "agents.defaults", "repoRoot", Type::Text)?;
        typed(defaults, "agents.defaults", "skipBootstrap", Type::Flag)?;
        skipped_files(defaults)?;
        if let Some(system) = defaults.get("systemAgent") {
            keys(system, "agents.defaults.systemAgent", "agentId")?;
            typed(system, "agents.defaults.systemAgent", "agentId", Type::Text)?;
        }
    }
    if let Some(entries) = agents.get("entries") {
        let Some(table) = entries.as_table() else { return Err(expected("agents.entries", "record", entries)) };
        for (id, entry) in table {
            let path = format!("agents.entries.{id}");
            keys(entry, &path, schema.entry)?;
            agent(entry, &path)?;
            typed(entry, &path, "default", Type::Flag)?;
        }
    }
    check_list(agents, schema)
}

fn check_list(agents: &Node, schema: &Schema) -> Result<(), String> {
    let Some(list) = agents.get("list") else { return Ok(()) };
    // In editions with `entries`, a list is the old form.
    let is_usual = !is_one_of("entries", schema.agents);
    if is_usual && list.as_list().is_none() {
        return Err(expected("agents.list", "array", list));
    }
    let known = format!("{} id", schema.entry);
    for (index, item) in list.as_list().unwrap_or_default().iter().enumerate() {
        let path = format!("agents.list.{index}");
        keys(item, &path, &known)?;
        agent(item, &path)?;
        if is_usual {
            typed(item, &path, "skills", Type::Texts)?;
            typed(item, &path, "default", Type::Flag)?;
            let id = item.get("id");
            if id.and_then(Node::as_text).is_none() {
                let received = id.map_or("undefined", |id| id.value.kind());
                return Err(format!("{path}.id: Invalid input: expected string, received {received}"));
            }
        }
    }
    Ok(())
}

/// Checks the keys that agents and the defaults share.
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

fn check_skills(skills: &Node, known: &str) -> Result<(), String> {
    keys(skills, "skills", known)?;
    typed(skills, "skills", "allowBundled", Type::Texts)?;
    if let Some(load) = skills.get("load") {
        keys(load, "skills.load", "extraDirs watch watchDebounceMs")?;
        typed(load, "skills.load", "extraDirs", Type::Texts)?;
        typed(load, "skills.load", "watch", Type::Flag)?;
        typed(load, "skills.load", "watchDebounceMs", Type::Whole)?;
    }
    if let Some(install) = skills.get("install") {
        keys(install, "skills.install", "preferBrew nodeManager")?;
        typed(install, "skills.install", "preferBrew", Type::Flag)?;
        typed(install, "skills.install", "nodeManager", Type::OneOf("npm pnpm yarn bun"))?;
    }
    if let Some(limits) = skills.get("limits") {
        let (positive, whole) = (
            ["maxCandidatesPerRoot", "maxSkillsLoadedPerSource"],
            ["maxSkillsInPrompt", "maxSkillsPromptChars", "maxSkillFileBytes"],
        );
        keys(limits, "skills.limits", &[positive.as_slice(), &whole].concat().join(" "))?;
        positive.iter().try_for_each(|key| typed(limits, "skills.limits", key, Type::Positive))?;
        whole.iter().try_for_each(|key| typed(limits, "skills.limits", key, Type::Whole))?;
    }
    let Some(entries) = skills.get("entries") else { return Ok(()) };
    let Some(table) = entries.as_table() else { return Err(expected("skills.entries", "record", entries)) };
    for (name, entry) in table {
        let path = format!("skills.entries.{name}");
        keys(entry, &path, "enabled apiKey env config")?;
        typed(entry, &path, "enabled", Type::Flag)?;
        typed(entry, &path, "apiKey", Type::Text)?;
        typed(entry, &path, "env", Type::TableOfTexts)?;
        typed(entry, &path, "config", Type::Table)?;
    }
    Ok(())
}

fn check_hooks(hooks: &Node, schema: &Schema) -> Result<(), String> {
    keys(hooks, "hooks", schema.hooks)?;
    let Some(internal) = hooks.get("internal") else { return Ok(()) };
    keys(internal, "hooks.internal", schema.internal_hooks)?;
    typed(internal, "hooks.internal", "enabled", Type::Flag)?;
    let Some(entries) = internal.get("entries") else { return Ok(()) };
    let Some(table) = entries.as_table() else { return Err(expected("hooks.internal.entries", "record", entries)) };
    for (name, entry) in table {
        let path = format!("hooks.internal.entries.{name}");
        if entry.as_table().is_none() {
            return Err(expected(&path, "object", entry));
        }
        if let Some(known) = schema.hook {
            keys(entry, &path, known)?;
        }
        typed(entry, &path, "enabled", Type::Flag)?;
    }
    Ok(())
}

fn check_plugins(plugins: &Node, schema: &Schema) -> Result<(), String> {
    keys(plugins, "plugins", schema.plugins)?;
    typed(plugins, "plugins", "enabled", Type::Flag)?;
    let Some(slots) = plugins.get("slots") else { return Ok(()) };
    keys(slots, "plugins.slots", schema.slots)?;
    typed(slots, "plugins.slots", "memory", Type::Text)
}

fn check_env(env: &Node, schema: &Schema) -> Result<(), String> {
    match schema.env {
        Some(known) => keys(env, "env", known)?,
        None => {
            let Some(table) = env.as_table() else { return Err(expected("env", "object", env)) };
            for (name, _) in table.iter().filter(|(name, _)| !matches!(name.as_str(), "shellEnv" | "vars")) {
                typed(env, "env", name, Type::Text)?;
            }
        }
    }
    let Some(vars) = env.get("vars") else { return Ok(()) };
    let Some(table) = vars.as_table() else { return Err(expected("env.vars", "record", vars)) };
    table.iter().try_for_each(|(name, _)| typed(vars, "env.vars", name, Type::Text))
}

/// Checks the type of a value, if it exists.
fn typed(table: &Node, path: &str, key: &str, wanted: Type) -> Result<(), String> {
    let Some(node) = table.get(key) else { return Ok(()) };
    let (valid, word) = match wanted {
        Type::Text => (matches!(node.value, Value::Text(_)), "string"),
        Type::Flag => (matches!(node.value, Value::Bool(_)), "boolean"),
        Type::Texts => (node.as_texts().is_some(), "a list of strings"),
        Type::Positive => (matches!(node.value, Value::Integer(1..)), "a whole number above 0"),
        Type::Whole => (matches!(node.value, Value::Integer(0..)), "a whole number"),
        Type::OneOf(words) => (node.as_text().is_some_and(|word| is_one_of(word, words)), words),
        Type::Table => (node.as_table().is_some(), "record"),
        Type::TableOfTexts => (
            node.as_table().is_some_and(|table| table.iter().all(|(_, node)| node.as_text().is_some())),
            "record of strings",
        ),
    };
    if valid { Ok(()) } else { Err(expected(&format!("{path}.{key}"), word, node)) }
}

/// Checks that a table has only known keys.
fn keys(node: &Node, path: &str, known: &str) -> Result<(), String> {
    let at = if path.is_empty() { "the configuration" } else { path };
    let Some(table) = node.as_table() else { return Err(expected(at, "object", node)) };
    match table.iter().find(|(key, _)| !is_one_of(key, known)) {
        Some((key, _)) => Err(format!("{at}: Unrecognized key: {key:?}")),
        None => Ok(()),
    }
}

fn is_one_of(key: &str, known: &str) -> bool {
    known.split_whitespace().any(|word| word == key)
}

fn expected(path: &str, word: &str, found: &Node) -> String {
    format!("{path}: Invalid input: expected {word}, received {}", found.value.kind())
}
