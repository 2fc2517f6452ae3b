//! The tables that `[features]` may hold in place of booleans: their keys, and their consistency rules (Codex 0.169).

use super::tables::Fields;
use super::{Type, wrong_below};
use crate::answer::Refusal;
use crate::formats::{Node, Value};
use crate::harness::Version;
use crate::harness::clients::codex::history as h;
use crate::harness::clients::codex::layers::Layers;

/// A feature that may be a table.
pub(in super::super) struct Feature {
    pub name: &'static str,
    pub keys: Fields,
    pub others: Others,
}

/// Handling of keys that are not listed. The client refuses all keys that it does not know.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Others {
    /// The list is complete.
    Refused,
    /// The client knows more keys, whose types are unknown here.
    Unchecked,
}

const fn feature(name: &'static str, keys: Fields) -> Feature {
    Feature { name, keys, others: Others::Refused }
}

const fn known_in_part(name: &'static str, keys: Fields) -> Feature {
    Feature { name, keys, others: Others::Unchecked }
}

const ENABLED: (&str, Type) = ("enabled", Type::Bool);
const ACCESS: Type = Type::TableOfWords(&["allow", "deny"]);
const TOKENS: Type = Type::Within(100, 100_000);
const WAIT: Type = Type::Within(0, LONGEST_WAIT_MS);

/// Maximum time that an agent may wait for others, in milliseconds; also the default of `max_wait_timeout_ms`. The next
/// two are the defaults of `min_wait_timeout_ms` and `default_wait_timeout_ms`.
const LONGEST_WAIT_MS: i64 = 3_600_000;
const SHORTEST_WAIT_MS: i64 = 10_000;
const USUAL_WAIT_MS: i64 = 30_000;

/// Features that may be tables, in the order in which versions began to accept them.
pub(in super::super) const V0_169: &[Feature] = &[
    feature("apps_mcp_path_override", &[ENABLED, ("path", Type::Text)]),
    feature(
        "multi_agent_v2",
        &[
            ENABLED,
            ("max_concurrent_threads_per_session", Type::Within(1, i64::MAX)),
            ("min_wait_timeout_ms", WAIT),
            ("max_wait_timeout_ms", WAIT),
            ("default_wait_timeout_ms", WAIT),
            ("usage_hint_enabled", Type::Bool),
            ("usage_hint_text", Type::Text),
            ("root_agent_usage_hint_text", Type::Text),
            ("subagent_usage_hint_text", Type::Text),
            ("subagent_developer_instructions", Type::Text),
            ("preserve_fork_prefix", Type::Bool),
            ("multi_agent_mode_hint_text", Type::Text),
            ("tool_namespace", Type::Identifier),
            ("hide_spawn_agent_metadata", Type::Bool),
            ("expose_spawn_agent_model_overrides", Type::Bool),
            ("wait_agent_enabled", Type::Bool),
            ("disable_native_tools", Type::Bool),
            ("disable_direct_message", Type::Bool),
            ("message_board_in_memory", Type::Bool),
            ("message_board_remote", Type::Table),
            ("non_code_mode_only", Type::Bool),
        ],
    ),
    feature(
        "network_proxy",
        &[
            ENABLED,
            ("credential_broker", Type::Bool),
            ("proxy_url", Type::Text),
            ("enable_socks5", Type::Bool),
            ("socks_url", Type::Text),
            ("enable_socks5_udp", Type::Bool),
            ("allow_upstream_proxy", Type::Bool),
            ("dangerously_allow_non_loopback_proxy", Type::Bool),
            ("dangerously_allow_all_unix_sockets", Type::Bool),
            ("domains", ACCESS),
            ("unix_sockets", ACCESS),
            ("allow_local_binding", Type::Bool),
            ("mode", Type::Word(&["full", "limited"])),
            ("mitm", Type::Table),
        ],
    ),
    known_in_part(
        "code_mode",
        &[
            ENABLED,
            ("default_exec_yield_time_ms", Type::Size),
            ("experimental_show_cell_overhead", Type::Bool),
            ("excluded_tool_namespaces", Type::Texts),
            ("direct_only_tool_namespaces", Type::Texts),
        ],
    ),
    feature(
        "rollout_budget",
        &[
            ENABLED,
            ("enforce_limit", Type::Bool),
            ("limit_tokens", Type::Integer),
            ("reminder_at_remaining_tokens", Type::Integers),
            ("sampling_token_weight", Type::Decimal),
            ("prefill_token_weight", Type::Decimal),
        ],
    ),
    known_in_part(
        "token_budget",
        &[
            ENABLED,
            ("use_history_notes_extension", Type::Bool),
            ("reminder_threshold_tokens", Type::Integer),
            ("reminder_message_template", Type::Text),
            ("auto_compact_fallback_prompt", Type::Text),
            ("auto_compact_fallback_buffer_tokens", Type::Integer),
        ],
    ),
    known_in_part(
        "current_time_reminder",
        &[
            ENABLED,
            ("reminder_interval_seconds", Type::Size),
            ("clock_source", Type::Word(&["system", "external"])),
            ("sleep_tool", Type::Bool),
        ],
    ),
    known_in_part(
        "guardianv2",
        &[
            ENABLED,
            ("sync_elastic_budgeting", Type::Bool),
            ("sync_elastic_sections", Type::Table),
            ("async_classifier_conversation_token_limit", Type::Within(1, i64::MAX)),
            ("free_guardian", Type::Bool),
            ("thread_context", Type::Bool),
            ("persist_scores", Type::Bool),
            ("classifier_instructions", Type::Text),
            ("max_tool_call_lag", Type::Size),
            ("max_action_tokens", TOKENS),
            ("max_classifier_instruction_tokens", TOKENS),
            ("reuse_parent_compaction", Type::Bool),
            ("max_parent_compaction_tokens", TOKENS),
            ("review_scope", Type::Table),
            ("transcript", Type::Table),
        ],
    ),
    feature("async_compaction", &[ENABLED, ("model_async_compact_threshold_percent", Type::Within(1, 100))]),
    feature("code_mode_host", &[ENABLED, ("disable_in_process_fallback", Type::Bool)]),
    feature("context_management", &[("experimental_mode", Type::Bool)]),
    feature("guardianv3", &[ENABLED]),
    feature("non_prefixed_mcp_tool_names", &[ENABLED, ("server_names", Type::Texts)]),
    known_in_part("runtime_agent_instances", &[ENABLED]),
    known_in_part("sleep_tool", &[ENABLED]),
];

/// Returns the features that may be tables in a version.
pub(in super::super) fn tables(version: Version) -> &'static [Feature] {
    // Number of features that versions before each change know. Which versions added the later ones is not known.
    let until =
        [(&h::PROFILE_FILES, 0), (&h::CD_KEEPS_LINKS, 3), (&h::DEVICES, 4), (&h::TIME_REMINDER, 6), (&h::GUARDIAN, 7)];
    let count = until.into_iter().find(|(came, _)| !version.has(came)).map_or(V0_169.len(), |(_, count)| count);
    &V0_169[..count]
}

/// Returns what is wrong with the table of a feature, if it is one.
pub(super) fn wrong(layers: &Layers, features: &[&str], feature: &Feature) -> Option<Refusal> {
    let path: Vec<&str> = features.iter().copied().chain([feature.name]).collect();
    let (table, from) = layers.value(&path)?;
    table.as_table()?;
    match unknown(layers, &path, feature) {
        Some(key) if feature.others == Others::Refused => {
            Some(Refusal::new(from, format!("`{}` has no key `{key}`", path.join("."))))
        }
        Some(_) | None => wrong_below(layers, &path, feature.keys),
    }
}

/// Returns the first unknown key of a feature's table.
pub(super) fn unknown<'a>(layers: &'a Layers, path: &[&str], feature: &Feature) -> Option<&'a str> {
    layers.names(path).into_iter().find(|name| feature.keys.iter().all(|(key, _)| key != name))
}

/// Returns the first inconsistency in `[features]`, all layers merged.
pub(super) fn inconsistent(layers: &Layers, known: &[Feature]) -> Option<Refusal> {
    let rules: [fn(&Table) -> Option<&'static str>; 5] =
        [rollout_budget, token_budget, multi_agent_v2, guardianv2, current_time_reminder];
    let names = ["rollout_budget", "token_budget", "multi_agent_v2", "guardianv2", "current_time_reminder"];
    let is_known = |(name, _): &(&str, fn(&Table) -> Option<&'static str>)| known.iter().any(|one| one.name == *name);
    names.into_iter().zip(rules).filter(is_known).find_map(|(name, rule)| {
        let (_, from) = layers.value(&["features", name])?;
        let what = rule(&Table { layers, name })?;
        Some(Refusal::new(from, format!("features.{name}: {what}")))
    })
}

/// The table of one feature.
struct Table<'a> {
    layers: &'a Layers,
    name: &'a str,
}

impl<'a> Table<'a> {
    fn get(&self, key: &str) -> Option<&'a Node> {
        let (whole, _) = self.layers.value(&["features", self.name])?;
        whole.as_table()?;
        Some(self.layers.value(&["features", self.name, key])?.0)
    }

    fn integer(&self, key: &str) -> Option<i64> {
        match self.get(key)?.value {
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// Returns true if the feature is on, by a boolean in its place or by `enabled`.
    fn is_on(&self) -> bool {
        let whole = self.layers.value(&["features", self.name]).and_then(|(node, _)| node.as_bool());
        whole.or_else(|| self.get("enabled")?.as_bool()).unwrap_or(false)
    }
}

fn rollout_budget(table: &Table) -> Option<&'static str> {
    if !table.is_on() {
        return None;
    }
    let Some(limit) = table.integer("limit_tokens") else {
        return Some("`limit_tokens` is required when it is enabled");
    };
    if limit <= 0 {
        return Some("`limit_tokens` must be positive");
    }
    let Some(reminders) = table.get("reminder_at_remaining_tokens").and_then(Node::as_list) else {
        return Some("`reminder_at_remaining_tokens` is required when it is enabled");
    };
    if !reminders.iter().all(|at| matches!(at.value, Value::Integer(at) if at > 0 && at < limit)) {
        return Some("`reminder_at_remaining_tokens` must hold positive values below `limit_tokens`");
    }
    let is_negative = |key| match table.get(key).map(|node| &node.value) {
        Some(Value::Integer(number)) => *number < 0,
        Some(Value::Float(number)) => !number.is_finite() || *number < 0.0,
        Some(_) | None => false,
    };
    let negative = is_negative("sampling_token_weight") || is_negative("prefill_token_weight");
    negative.then_some("the weights must be finite and not negative")
}

fn token_budget(table: &Table) -> Option<&'static str> {
    let is_spent = table.is_on() && table.integer("reminder_threshold_tokens").is_some_and(|tokens| tokens <= 0);
    is_spent.then_some("`reminder_threshold_tokens` must be positive")
}

fn multi_agent_v2(table: &Table) -> Option<&'static str> {
    let wait = |key, usual| table.integer(key).unwrap_or(usual);
    let shortest = wait("min_wait_timeout_ms", SHORTEST_WAIT_MS);
    let longest = wait("max_wait_timeout_ms", LONGEST_WAIT_MS);
    let usual = wait("default_wait_timeout_ms", USUAL_WAIT_MS);
    let fits = shortest <= usual && usual <= longest;
    (!fits).then_some("`default_wait_timeout_ms` must lie between `min_wait_timeout_ms` and `max_wait_timeout_ms`")
}

fn guardianv2(table: &Table) -> Option<&'static str> {
    let budgets = table.get("sync_elastic_budgeting").and_then(Node::as_bool) == Some(true);
    let sections = table.get("sync_elastic_sections").and_then(Node::as_table).unwrap_or_default();
    (budgets && sections.is_empty()).then_some("`sync_elastic_sections` is required by `sync_elastic_budgeting`")
}

fn current_time_reminder(table: &Table) -> Option<&'static str> {
    let is_external = table.get("clock_source").and_then(Node::as_text) == Some("external");
    (table.is_on() && is_external).then_some("no external clock is available")
}
