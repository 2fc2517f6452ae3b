//! The types that keys must have, in each edition.

mod tables;

use super::layers::Layers;
use super::rules::Rules;
use crate::answer::Refusal;
use crate::formats::{Node, Value};

/// The type that a key must have.
#[derive(Clone, Copy)]
pub(super) enum Type {
    Text,
    /// A text that is not empty.
    Filled,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, or a table.
    WordOrTable(&'static [&'static str]),
    /// One of these words, or a table `granular` that says everything it must.
    WordOrGranular(&'static [&'static str]),
    Bool,
    Integer,
    /// An integer from 0.
    Size,
    /// An integer from 0 to 65535.
    Port,
    /// A number from 0, whole or not.
    Number,
    Texts,
    TextOrTexts,
    BoolOrTexts,
    List,
    /// A table; what it holds is not looked into.
    Table,
    TableOfTexts,
    /// A table of known keys, others being ignored.
    Keys(&'static [(&'static str, Type)]),
    /// The same, or an empty list.
    KeysOrEmpty(&'static [(&'static str, Type)]),
    /// The same, or a boolean.
    BoolOrKeys(&'static [(&'static str, Type)]),
    /// A table of tables.
    Tables,
    /// A table of tables of known keys.
    TablesOf(&'static [(&'static str, Type)]),
    /// `model_providers`: the same, and each has a name.
    Providers(&'static [tables::Fields]),
    /// `mcp_servers`: the same, and each is a program or has a URL.
    Servers(&'static [tables::Fields]),
    /// A table of booleans, and of tables under these names.
    Switches(&'static [&'static str]),
    /// `skills`: which are switched off, by path, or also by name.
    Skills(By),
    /// `agents`: tables, beside a number of threads, and also one of levels.
    Agents(&'static [&'static str]),
}

/// How a skill is named that is switched off.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Path,
    PathOrName,
}

/// The words of `sandbox_mode`.
const SANDBOX: Type = Type::Word(&["read-only", "workspace-write", "danger-full-access"]);
const APPROVAL: Type = Type::WordOrGranular(&["on-failure", "on-request", "never"]);
const APPROVAL_104: Type = Type::WordOrTable(&["untrusted", "on-failure", "on-request", "never"]);
const REVIEWER: Type = Type::Word(&["user", "auto_review", "guardian_subagent"]);
const STORE: Type = Type::Word(&["file", "keyring", "auto", "ephemeral"]);
const EFFORT_104: Type = Type::Word(&["none", "minimal", "low", "medium", "high", "xhigh"]);
const SUMMARY: Type = Type::Word(&["auto", "concise", "detailed", "none"]);
const VERBOSITY: Type = Type::Word(&["low", "medium", "high"]);
const OPENER: Type = Type::Word(&["vscode", "vscode-insiders", "windsurf", "cursor", "none"]);
const PERSONALITY: Type = Type::Word(&["none", "friendly", "pragmatic"]);
const LOGIN: Type = Type::Word(&["chatgpt", "api"]);

/// The types of keys in 0.169, as the client takes or refuses them.
pub(super) const V0_169: &[(&str, Type)] = &[
    ("project_doc_max_bytes", Type::Size),
    ("project_doc_fallback_filenames", Type::Texts),
    ("project_root_markers", Type::Texts),
    ("developer_instructions", Type::Text),
    ("instructions", Type::Text),
    ("model_instructions_file", Type::Text),
    ("compact_prompt", Type::Text),
    ("experimental_compact_prompt_file", Type::Text),
    ("include_environment_context", Type::Bool),
    ("include_environment_context_time", Type::Bool),
    ("include_permissions_instructions", Type::Bool),
    ("include_apps_instructions", Type::Bool),
    ("include_collaboration_mode_instructions", Type::Bool),
    ("model", Type::Filled),
    ("review_model", Type::Text),
    ("model_provider", Type::Text),
    ("model_providers", Type::Providers(tables::PROVIDER)),
    ("model_context_window", Type::Integer),
    ("model_auto_compact_token_limit", Type::Integer),
    ("model_reasoning_effort", Type::Filled),
    ("plan_mode_reasoning_effort", Type::Filled),
    ("model_reasoning_summary", SUMMARY),
    ("model_verbosity", VERBOSITY),
    ("tool_output_token_limit", Type::Size),
    ("approval_policy", APPROVAL),
    ("approvals_reviewer", REVIEWER),
    ("sandbox_mode", SANDBOX),
    ("sandbox_workspace_write", Type::KeysOrEmpty(tables::WORKSPACE)),
    ("shell_environment_policy", Type::Keys(tables::SHELL)),
    ("allow_login_shell", Type::Bool),
    ("notify", Type::Texts),
    ("background_terminal_max_timeout", Type::Size),
    ("oss_provider", Type::Text),
    ("forced_chatgpt_workspace_id", Type::TextOrTexts),
    ("cli_auth_credentials_store", STORE),
    ("mcp_oauth_credentials_store", Type::Word(&["auto", "file", "keyring"])),
    ("mcp_oauth_callback_port", Type::Port),
    ("mcp_oauth_callback_url", Type::Text),
    ("js_repl_node_path", Type::Text),
    ("js_repl_node_module_dirs", Type::Texts),
    ("audio", Type::Table),
    ("auto_review", Type::Keys(tables::AUTO_REVIEW)),
    ("ghost_snapshot", Type::Keys(tables::SNAPSHOT)),
    ("orchestrator", Type::Table),
    ("realtime", Type::Table),
    ("windows", Type::Keys(tables::WINDOWS)),
    ("tool_suggest", Type::KeysOrEmpty(tables::TOOL_SUGGEST)),
    ("mcp_servers", Type::Servers(tables::SERVER)),
    ("history", Type::KeysOrEmpty(tables::HISTORY)),
    ("sqlite_home", Type::Text),
    ("log_dir", Type::Text),
    ("file_opener", OPENER),
    ("forced_login_method", LOGIN),
    ("tui", Type::Keys(tables::TUI)),
    ("hide_agent_reasoning", Type::Bool),
    ("show_raw_agent_reasoning", Type::Bool),
    ("personality", PERSONALITY),
    ("service_tier", Type::Text),
    ("chatgpt_base_url", Type::Text),
    ("openai_base_url", Type::Text),
    ("web_search", Type::Word(&["disabled", "cached", "live", "indexed"])),
    ("tools", Type::Keys(tables::TOOLS)),
    ("memories", Type::Keys(tables::MEMORIES)),
    ("hooks", Type::Keys(tables::HOOKS)),
    ("plugins", Type::TablesOf(tables::PLUGIN)),
    ("marketplaces", Type::TablesOf(tables::MARKETPLACE)),
    ("permissions", Type::Tables),
    ("apps", Type::TablesOf(tables::APP)),
    ("analytics", Type::Keys(tables::ANALYTICS)),
    ("feedback", Type::Keys(tables::FEEDBACK)),
    ("otel", Type::Keys(tables::OTEL)),
    ("notice", Type::Keys(tables::NOTICE)),
    ("check_for_update_on_startup", Type::Bool),
    ("disable_paste_burst", Type::Bool),
    ("suppress_unstable_features_warning", Type::Bool),
    ("experimental_use_unified_exec_tool", Type::Bool),
    ("features", Type::Switches(&["multi_agent_v2", "code_mode"])),
    ("skills", Type::Skills(By::PathOrName)),
    ("agents", Type::Agents(&["max_threads", "max_depth", "job_max_runtime_seconds"])),
    ("profiles", Type::Tables),
    ("desktop", Type::Table),
    ("computer_use", Type::Table),
    ("model_catalog_json", Type::Text),
    ("default_permissions", Type::Text),
    ("experimental_realtime_ws_base_url", Type::Text),
    ("experimental_realtime_ws_model", Type::Text),
    ("experimental_realtime_start_instructions", Type::Text),
    ("experimental_realtime_ws_backend_prompt", Type::Text),
    ("experimental_thread_store_endpoint", Type::Text),
];

/// What a table in `profiles` may say in 0.169, where it is checked although it no longer counts.
pub(super) const V0_169_PROFILE: &[(&str, Type)] = &[
    ("model", Type::Text),
    ("model_provider", Type::Text),
    ("model_instructions_file", Type::Text),
    ("experimental_compact_prompt_file", Type::Text),
    ("include_environment_context", Type::Bool),
    ("include_environment_context_time", Type::Bool),
    ("include_permissions_instructions", Type::Bool),
    ("include_apps_instructions", Type::Bool),
    ("include_collaboration_mode_instructions", Type::Bool),
    ("approval_policy", APPROVAL),
    ("approvals_reviewer", REVIEWER),
    ("sandbox_mode", SANDBOX),
    ("oss_provider", Type::Text),
    ("js_repl_node_path", Type::Text),
    ("js_repl_node_module_dirs", Type::Texts),
    ("windows", Type::Table),
    ("model_reasoning_effort", Type::Filled),
    ("plan_mode_reasoning_effort", Type::Filled),
    ("model_reasoning_summary", SUMMARY),
    ("model_verbosity", VERBOSITY),
    ("personality", PERSONALITY),
    ("service_tier", Type::Text),
    ("chatgpt_base_url", Type::Text),
    ("web_search", Type::Word(&["disabled", "cached", "live", "indexed"])),
    ("tools", Type::Table),
    ("tui", Type::Table),
    ("analytics", Type::Table),
    ("experimental_use_unified_exec_tool", Type::Bool),
    ("features", Type::Switches(&["multi_agent_v2", "code_mode"])),
];

/// Those of 0.104, which knows no `include_` keys.
pub(super) const V0_104: &[(&str, Type)] = &[
    ("project_doc_max_bytes", Type::Size),
    ("project_doc_fallback_filenames", Type::Texts),
    ("project_root_markers", Type::Texts),
    ("developer_instructions", Type::Text),
    ("instructions", Type::Text),
    ("model_instructions_file", Type::Text),
    ("experimental_instructions_file", Type::Text),
    ("compact_prompt", Type::Text),
    ("experimental_compact_prompt_file", Type::Text),
    ("model", Type::Text),
    ("review_model", Type::Text),
    ("model_provider", Type::Text),
    ("model_providers", Type::Providers(tables::PROVIDER_104)),
    ("history", Type::KeysOrEmpty(tables::HISTORY)),
    ("model_context_window", Type::Integer),
    ("model_auto_compact_token_limit", Type::Integer),
    ("model_reasoning_effort", EFFORT_104),
    ("model_reasoning_summary", SUMMARY),
    ("model_verbosity", VERBOSITY),
    ("model_supports_reasoning_summaries", Type::Bool),
    ("tool_output_token_limit", Type::Size),
    ("approval_policy", APPROVAL_104),
    ("sandbox_mode", SANDBOX),
    ("sandbox_workspace_write", Type::KeysOrEmpty(tables::WORKSPACE)),
    ("shell_environment_policy", Type::Keys(tables::SHELL)),
    ("notify", Type::Texts),
    ("oss_provider", Type::Text),
    ("forced_chatgpt_workspace_id", Type::Text),
    ("mcp_oauth_credentials_store", Type::Word(&["auto", "file", "keyring"])),
    ("mcp_oauth_callback_port", Type::Port),
    ("js_repl_node_path", Type::Text),
    ("commit_attribution", Type::Text),
    ("experimental_use_freeform_apply_patch", Type::Bool),
    ("windows_wsl_setup_acknowledged", Type::Bool),
    ("ghost_snapshot", Type::Keys(tables::SNAPSHOT)),
    ("windows", Type::Keys(tables::WINDOWS)),
    ("mcp_servers", Type::Servers(tables::SERVER_104)),
    ("log_dir", Type::Text),
    ("file_opener", OPENER),
    ("forced_login_method", LOGIN),
    ("tui", Type::KeysOrEmpty(tables::TUI_104)),
    ("hide_agent_reasoning", Type::Bool),
    ("show_raw_agent_reasoning", Type::Bool),
    ("personality", PERSONALITY),
    ("chatgpt_base_url", Type::Text),
    ("web_search", Type::Word(&["disabled", "cached", "live"])),
    ("tools", Type::KeysOrEmpty(tables::TOOLS_104)),
    ("memories", Type::Table),
    ("apps", Type::TablesOf(tables::APP)),
    ("analytics", Type::Keys(tables::ANALYTICS)),
    ("feedback", Type::Keys(tables::FEEDBACK)),
    ("otel", Type::Keys(tables::OTEL)),
    ("notice", Type::Keys(tables::NOTICE)),
    ("check_for_update_on_startup", Type::Bool),
    ("disable_paste_burst", Type::Bool),
    ("suppress_unstable_features_warning", Type::Bool),
    ("experimental_use_unified_exec_tool", Type::Bool),
    ("features", Type::Switches(&[])),
    ("skills", Type::Skills(By::Path)),
    ("agents", Type::Agents(&["max_threads"])),
    ("profile", Type::Text),
    ("profiles", Type::Tables),
];

/// What a table in `profiles` may say in 0.104; everything else is ignored there.
pub(super) const V0_104_PROFILE: &[(&str, Type)] = &[
    ("model_instructions_file", Type::Text),
    ("experimental_compact_prompt_file", Type::Text),
    ("model", Type::Text),
    ("model_provider", Type::Text),
    ("approval_policy", APPROVAL_104),
    ("sandbox_mode", SANDBOX),
    ("model_reasoning_effort", EFFORT_104),
    ("model_reasoning_summary", SUMMARY),
    ("model_verbosity", VERBOSITY),
    ("personality", PERSONALITY),
    ("web_search", Type::Word(&["disabled", "cached", "live"])),
    ("chatgpt_base_url", Type::Text),
    ("oss_provider", Type::Text),
    ("js_repl_node_path", Type::Text),
    ("analytics", Type::Table),
    ("windows", Type::Table),
    ("experimental_instructions_file", Type::Text),
    ("experimental_use_freeform_apply_patch", Type::Bool),
    ("experimental_use_unified_exec_tool", Type::Bool),
    ("include_apply_patch_tool", Type::Bool),
    ("tools_view_image", Type::Bool),
    ("tools_web_search", Type::Bool),
    ("features", Type::Switches(&[])),
];

/// The first key with a wrong type, which stops Codex.
pub(super) fn wrong(rules: &Rules, layers: &Layers) -> Option<Refusal> {
    let refused = |from: &str, message: String| Some(Refusal::new(from, message));
    let profiles: Vec<&str> = layers
        .0
        .iter()
        .filter_map(|(_, table)| table.get("profiles")?.as_table())
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    let of_profiles = profiles.iter().map(|&name| (vec!["profiles", name], rules.profile_types));
    let tables = std::iter::once((Vec::new(), rules.types)).chain(of_profiles);
    for (table, types) in tables {
        if let Some(refusal) = wrong_below(layers, &table, types) {
            return Some(refusal);
        }
    }
    if let Some(refusal) = rules.own_providers.and_then(|own| wrong_provider(layers, own)) {
        return Some(refusal);
    }
    let (projects, from) = layers.value(&["projects"])?;
    if projects.as_table().is_none() {
        return refused(from, format!("`projects` is {}, and must be a table", projects.value.kind()));
    }
    let tables = layers.0.iter().filter_map(|(_, table)| table.get("projects")?.as_table());
    for (path, _) in tables.flatten() {
        let (entry, from) = layers.value(&["projects", path])?;
        if entry.as_table().is_none() {
            return refused(from, format!("the entry of {path:?} is {}, and must be a table", entry.value.kind()));
        }
        if let Some((level, from)) = layers.value(&["projects", path, "trust_level"])
            && !matches!(level.as_text(), Some("trusted" | "untrusted"))
        {
            return refused(from, format!("the trust_level of {path:?} must be \"trusted\" or \"untrusted\""));
        }
    }
    None
}

/// The first key of the table at `path` with a wrong type.
fn wrong_below(layers: &Layers, path: &[&str], types: &[(&str, Type)]) -> Option<Refusal> {
    for (key, wanted) in types {
        let path: Vec<&str> = path.iter().copied().chain([*key]).collect();
        let Some((node, from)) = layers.value(&path) else { continue };
        if let Err(words) = check(node, *wanted) {
            let message = format!("`{}` is {}, and must be {words}", path.join("."), node.value.kind());
            return Some(Refusal::new(from, message));
        }
        let below = match *wanted {
            Type::Keys(types) | Type::KeysOrEmpty(types) | Type::BoolOrKeys(types) => wrong_below(layers, &path, types),
            Type::TablesOf(types) => wrong_tables(layers, &path, &[types], *wanted),
            Type::Providers(types) | Type::Servers(types) => wrong_tables(layers, &path, types, *wanted),
            _ => None,
        };
        if below.is_some() {
            return below;
        }
    }
    None
}

/// The first of the tables at `path` with something wrong in it.
fn wrong_tables(layers: &Layers, path: &[&str], types: &[tables::Fields], wanted: Type) -> Option<Refusal> {
    names(layers, path).into_iter().find_map(|name| {
        let entry: Vec<&str> = path.iter().copied().chain([name]).collect();
        let below = types.iter().find_map(|types| wrong_below(layers, &entry, types));
        below.or_else(|| wrong_entry(layers, &entry, wanted))
    })
}

/// The keys of the table at `path`, in any layer.
fn names<'a>(layers: &'a Layers, path: &[&str]) -> Vec<&'a str> {
    let tables = layers.0.iter().filter_map(|(_, table)| table.at_path(path)?.as_table());
    let mut names: Vec<&str> = tables.flatten().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What is missing in a provider or server, or does not go together.
fn wrong_entry(layers: &Layers, path: &[&str], wanted: Type) -> Option<Refusal> {
    let (_, from) = layers.value(path)?;
    let has = |key: &&str| layers.value(&path.iter().copied().chain([*key]).collect::<Vec<_>>()).is_some();
    let refused = |what: String| Some(Refusal::new(from, format!("`{}` {what}", path.join("."))));
    if let Type::Providers(_) = wanted {
        return if has(&"name") { None } else { refused("must have a `name`".to_owned()) };
    }
    let Type::Servers(_) = wanted else { return None };
    let (kind, others) = match (has(&"command"), has(&"url")) {
        (true, _) => ("a program", tables::NOT_OF_PROGRAMS),
        (false, true) => ("behind a URL", tables::NOT_OF_URLS),
        (false, false) => return refused("must have a `command` or a `url`".to_owned()),
    };
    let other = others.iter().find(|key| has(key))?;
    refused(format!("is {kind}, and must have no `{other}`"))
}

/// Codex's own providers cannot be described anew, and another one must be described to be chosen.
fn wrong_provider(layers: &Layers, own: &[&str]) -> Option<Refusal> {
    let described = names(layers, &["model_providers"]);
    if let Some(name) = described.iter().find(|name| own.contains(name)) {
        let (_, from) = layers.value(&["model_providers", name])?;
        return Some(Refusal::new(from, format!("the provider {name:?} is Codex's own")));
    }
    let (chosen, from) = layers.value(&["model_provider"])?;
    let name = chosen.as_text()?;
    let is_known = own.contains(&name) || described.contains(&name);
    (!is_known).then(|| Refusal::new(from, format!("the provider {name:?} of `model_provider` is not described")))
}

/// Codex 0.169's own providers.
pub(super) const OWN_PROVIDERS: &[&str] = &tables::OWN_PROVIDERS;

/// Says what a value must be, if it is not.
fn check(node: &Node, wanted: Type) -> Result<(), String> {
    let table = |right: &dyn Fn(&(String, Node)) -> bool| node.as_table().is_some_and(|table| table.iter().all(right));
    let is_empty_list = || matches!(&node.value, Value::List(list) if list.is_empty());
    // A date counts as a text.
    let is_text = node.as_text().is_some() || matches!(node.value, Value::Date(_));
    let (right, words) = match wanted {
        Type::Text => (is_text, "a string"),
        Type::Filled => (is_text && node.as_text() != Some(""), "a string that is not empty"),
        Type::Word(known) => {
            let right = node.as_text().is_some_and(|word| known.contains(&word));
            return if right { Ok(()) } else { Err(format!("one of {}", known.join(", "))) };
        }
        Type::WordOrTable(known) => {
            let right = node.as_table().is_some() || node.as_text().is_some_and(|word| known.contains(&word));
            return if right { Ok(()) } else { Err(format!("one of {}", known.join(", "))) };
        }
        Type::WordOrGranular(known) => {
            let right = is_granular(node) || node.as_text().is_some_and(|word| known.contains(&word));
            return if right { Ok(()) } else { Err(format!("one of {}", known.join(", "))) };
        }
        Type::Bool => (node.as_bool().is_some(), "a boolean"),
        Type::Integer => (matches!(node.value, Value::Integer(_)), "an integer"),
        Type::Size => (matches!(node.value, Value::Integer(0..)), "a non-negative integer"),
        Type::Port => (matches!(node.value, Value::Integer(0..=65_535)), "an integer up to 65535"),
        Type::Number => {
            let right = match node.value {
                Value::Integer(number) => number >= 0,
                Value::Float(number) => number >= 0.0,
                _ => false,
            };
            (right, "a number from 0")
        }
        Type::List => (node.as_list().is_some(), "a list"),
        Type::BoolOrTexts => (node.as_bool().is_some() || node.as_texts().is_some(), "a boolean or a list of strings"),
        Type::TableOfTexts => (table(&|(_, value)| value.as_text().is_some()), "a table of strings"),
        Type::BoolOrKeys(_) => (node.as_bool().is_some() || node.as_table().is_some(), "a boolean or a table"),
        Type::Texts => (node.as_texts().is_some(), "a list of strings"),
        Type::TextOrTexts => (is_text || node.as_texts().is_some(), "a string or a list of strings"),
        Type::Table | Type::Keys(_) => (node.as_table().is_some(), "a table"),
        Type::KeysOrEmpty(_) => (node.as_table().is_some() || is_empty_list(), "a table"),
        Type::Tables | Type::TablesOf(_) | Type::Providers(_) | Type::Servers(_) => {
            (table(&|(_, value)| value.as_table().is_some()), "a table of tables")
        }
        Type::Switches(tables) => {
            let has_flag = |value: &Node| value.get("enabled").is_none_or(|flag| flag.as_bool().is_some());
            let is_table =
                |name: &str, value: &Node| value.as_table().is_some() && has_flag(value) && tables.contains(&name);
            let right = table(&|(name, value)| value.as_bool().is_some() || is_table(name, value));
            (right, "a table of booleans")
        }
        Type::Skills(by) => (is_empty_list() || is_skills(node, by), "a table of what it knows"),
        Type::Agents(numbers) => {
            let right = table(&|(name, value)| match value.value {
                Value::Integer(number) => numbers.contains(&name.as_str()) && (name != "max_threads" || number > 0),
                _ => !numbers.contains(&name.as_str()) && is_agent(value),
            });
            (right, "a table of tables and numbers")
        }
    };
    if right { Ok(()) } else { Err(words.to_owned()) }
}

/// `granular`, with everything that it must say.
fn is_granular(node: &Node) -> bool {
    let Some([(key, says)]) = node.as_table() else { return false };
    let is_said = |(key, _): &(&str, Type)| says.get(key).is_some_and(|value| value.as_bool().is_some());
    let are_flags = says.as_table().is_some_and(|says| says.iter().all(|(_, value)| value.as_bool().is_some()));
    key == "granular" && are_flags && tables::GRANULAR.iter().all(is_said)
}

/// Each entry of `config` switches one skill, by its path, or in 0.169 by its name.
fn is_skills(node: &Node, by: By) -> bool {
    let is_text = |entry: &Node, key: &str| entry.get(key).is_none_or(|value| value.as_text().is_some());
    let is_entry = |entry: &Node| {
        let has_switch = entry.get("enabled").and_then(Node::as_bool).is_some();
        let has_path = by == By::PathOrName || entry.get("path").is_some();
        has_switch && has_path && is_text(entry, "path") && (by == By::Path || is_text(entry, "name"))
    };
    let is_flag = |table: &Node, key: &str| table.get(key).is_none_or(|value| value.as_bool().is_some());
    let is_bundled = |bundled: &Node| match &bundled.value {
        Value::List(list) => list.is_empty(),
        _ => bundled.as_table().is_some() && is_flag(bundled, "enabled"),
    };
    node.as_table().is_some()
        && node.get("config").is_none_or(|list| list.as_list().is_some_and(|list| list.iter().all(is_entry)))
        && (by == By::Path || (is_flag(node, "include_instructions") && node.get("bundled").is_none_or(is_bundled)))
}

/// What an agent of one's own has to say of itself.
fn is_agent(node: &Node) -> bool {
    let is_text = |key: &str| node.get(key).is_none_or(|value| value.as_text().is_some());
    node.as_table().is_some() && is_text("description") && is_text("config_file")
}
