//! The types that keys must have, in each edition.

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
    Bool,
    Integer,
    /// An integer from 0.
    Size,
    Texts,
    TextOrTexts,
    /// A table of known keys, others being ignored.
    Table,
    /// The same, or an empty list.
    TableOrEmpty,
    /// A table of tables.
    Tables,
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
const APPROVAL: Type = Type::WordOrTable(&["on-failure", "on-request", "never"]);
const APPROVAL_104: Type = Type::WordOrTable(&["untrusted", "on-failure", "on-request", "never"]);
const REVIEWER: Type = Type::Word(&["user", "auto_review", "guardian_subagent"]);
const STORE: Type = Type::Word(&["file", "keyring", "auto", "ephemeral"]);
const EFFORT_104: Type = Type::Word(&["none", "minimal", "low", "medium", "high", "xhigh"]);
const SUMMARY: Type = Type::Word(&["auto", "concise", "detailed", "none"]);
const VERBOSITY: Type = Type::Word(&["low", "medium", "high"]);
const OPENER: Type = Type::Word(&["vscode", "vscode-insiders", "windsurf", "cursor", "none"]);
const PERSONALITY: Type = Type::Word(&["none", "friendly", "pragmatic"]);
const LOGIN: Type = Type::Word(&["chatgpt", "api"]);

/// The types of keys in 0.169, as the client takes or refuses them; what a table of known keys holds is not looked into.
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
    ("model_providers", Type::Tables),
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
    ("sandbox_workspace_write", Type::TableOrEmpty),
    ("shell_environment_policy", Type::Table),
    ("allow_login_shell", Type::Bool),
    ("notify", Type::Texts),
    ("background_terminal_max_timeout", Type::Size),
    ("oss_provider", Type::Text),
    ("forced_chatgpt_workspace_id", Type::TextOrTexts),
    ("cli_auth_credentials_store", STORE),
    ("mcp_oauth_credentials_store", Type::Word(&["auto", "file", "keyring"])),
    ("mcp_oauth_callback_port", Type::Size),
    ("mcp_oauth_callback_url", Type::Text),
    ("js_repl_node_path", Type::Text),
    ("js_repl_node_module_dirs", Type::Texts),
    ("audio", Type::Table),
    ("auto_review", Type::Table),
    ("ghost_snapshot", Type::Table),
    ("orchestrator", Type::Table),
    ("realtime", Type::Table),
    ("windows", Type::Table),
    ("tool_suggest", Type::TableOrEmpty),
    ("mcp_servers", Type::Tables),
    ("history", Type::TableOrEmpty),
    ("sqlite_home", Type::Text),
    ("log_dir", Type::Text),
    ("file_opener", OPENER),
    ("forced_login_method", LOGIN),
    ("tui", Type::Table),
    ("hide_agent_reasoning", Type::Bool),
    ("show_raw_agent_reasoning", Type::Bool),
    ("personality", PERSONALITY),
    ("service_tier", Type::Text),
    ("chatgpt_base_url", Type::Text),
    ("openai_base_url", Type::Text),
    ("web_search", Type::Word(&["disabled", "cached", "live", "indexed"])),
    ("tools", Type::Table),
    ("memories", Type::Table),
    ("hooks", Type::Table),
    ("plugins", Type::Tables),
    ("marketplaces", Type::Tables),
    ("permissions", Type::Tables),
    ("apps", Type::Tables),
    ("analytics", Type::Table),
    ("feedback", Type::Table),
    ("otel", Type::Table),
    ("notice", Type::Table),
    ("check_for_update_on_startup", Type::Bool),
    ("disable_paste_burst", Type::Bool),
    ("suppress_unstable_features_warning", Type::Bool),
    ("experimental_use_unified_exec_tool", Type::Bool),
    ("features", Type::Switches(&["multi_agent_v2", "code_mode"])),
    ("skills", Type::Skills(By::PathOrName)),
    ("agents", Type::Agents(&["max_threads", "max_depth"])),
    ("profiles", Type::Tables),
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
    ("model_context_window", Type::Integer),
    ("model_auto_compact_token_limit", Type::Integer),
    ("model_reasoning_effort", EFFORT_104),
    ("model_reasoning_summary", SUMMARY),
    ("model_verbosity", VERBOSITY),
    ("model_supports_reasoning_summaries", Type::Bool),
    ("tool_output_token_limit", Type::Size),
    ("approval_policy", APPROVAL_104),
    ("sandbox_mode", SANDBOX),
    ("sandbox_workspace_write", Type::TableOrEmpty),
    ("shell_environment_policy", Type::Table),
    ("notify", Type::Texts),
    ("oss_provider", Type::Text),
    ("forced_chatgpt_workspace_id", Type::Text),
    ("mcp_oauth_credentials_store", Type::Word(&["auto", "file", "keyring"])),
    ("mcp_oauth_callback_port", Type::Size),
    ("js_repl_node_path", Type::Text),
    ("commit_attribution", Type::Text),
    ("experimental_use_freeform_apply_patch", Type::Bool),
    ("windows_wsl_setup_acknowledged", Type::Bool),
    ("ghost_snapshot", Type::Table),
    ("windows", Type::Table),
    ("mcp_servers", Type::Tables),
    ("log_dir", Type::Text),
    ("file_opener", OPENER),
    ("forced_login_method", LOGIN),
    ("tui", Type::TableOrEmpty),
    ("hide_agent_reasoning", Type::Bool),
    ("show_raw_agent_reasoning", Type::Bool),
    ("personality", PERSONALITY),
    ("chatgpt_base_url", Type::Text),
    ("web_search", Type::Word(&["disabled", "cached", "live"])),
    ("tools", Type::TableOrEmpty),
    ("memories", Type::Table),
    ("apps", Type::Tables),
    ("analytics", Type::Table),
    ("feedback", Type::Table),
    ("otel", Type::Table),
    ("notice", Type::Table),
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
    for (table, (key, wanted)) in
        tables.flat_map(|(table, types)| types.iter().map(move |entry| (table.clone(), entry)))
    {
        let path: Vec<&str> = table.into_iter().chain([*key]).collect();
        let Some((node, from)) = layers.value(&path) else { continue };
        if let Err(words) = check(node, *wanted) {
            return refused(from, format!("`{key}` is {}, and must be {words}", node.value.kind()));
        }
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
        Type::Bool => (node.as_bool().is_some(), "a boolean"),
        Type::Integer => (matches!(node.value, Value::Integer(_)), "an integer"),
        Type::Size => (matches!(node.value, Value::Integer(0..)), "a non-negative integer"),
        Type::Texts => (node.as_texts().is_some(), "a list of strings"),
        Type::TextOrTexts => (is_text || node.as_texts().is_some(), "a string or a list of strings"),
        Type::Table => (node.as_table().is_some(), "a table"),
        Type::TableOrEmpty => (node.as_table().is_some() || is_empty_list(), "a table"),
        Type::Tables => (table(&|(_, value)| value.as_table().is_some()), "a table of tables"),
        Type::Switches(tables) => {
            let right = table(&|(name, value)| {
                value.as_bool().is_some() || (value.as_table().is_some() && tables.contains(&name.as_str()))
            });
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
