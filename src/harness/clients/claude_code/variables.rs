//! Environment variables: those of the process, and those that `env` in settings sets over them.

use std::collections::BTreeMap;

use crate::formats::{Node, Value};
use crate::search::Search;

/// Directory of the user's own files, instead of `~/.claude`.
pub(super) const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
pub(super) const NO_FILES: &str = "CLAUDE_CODE_DISABLE_CLAUDE_MDS";
pub(super) const SAFE_MODE: &str = "CLAUDE_CODE_SAFE_MODE";
pub(super) const SIMPLE: &str = "CLAUDE_CODE_SIMPLE";
/// Maximum number of columns for the list of skills.
pub(super) const SKILL_COLUMNS: &str = "SLASH_COMMAND_TOOL_CHAR_BUDGET";
/// Disables context windows of a million tokens.
pub(super) const NO_LARGE_WINDOW: &str = "CLAUDE_CODE_DISABLE_1M_CONTEXT";
pub(super) const MODEL: &str = "ANTHROPIC_MODEL";
/// Directory of plugins, instead of `plugins` in the user's directory.
pub(super) const PLUGINS: &str = "CLAUDE_CODE_PLUGIN_CACHE_DIR";
/// Enables the instruction files of added directories.
pub(super) const ADDED_GIVE: &str = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD";
pub(super) const NO_MEMORY: &str = "CLAUDE_CODE_DISABLE_AUTO_MEMORY";
/// Other stores of memories; if set, no memory is read.
pub(super) const STORES: &str = "CLAUDE_MEMORY_STORES";
/// Directory of the memory.
pub(super) const MEMORY_DIR: &str = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE";
/// Directory that holds the memories of all projects, instead of the user's own directory.
pub(super) const MEMORIES: &str = "CLAUDE_CODE_REMOTE_MEMORY_DIR";
/// Text of the memory.
pub(super) const MEMORY_TEXT: &str = "CLAUDE_COWORK_MEMORY_INDEX_CONTENT";

/// Variables that any settings may set.
const ANYONE: [&str; 8] = [NO_FILES, ADDED_GIVE, NO_MEMORY, STORES, MEMORY_TEXT, SKILL_COLUMNS, NO_LARGE_WINDOW, MODEL];

/// Variables that settings of a project may not set. Each was checked on the client.
const TRUSTED: [&str; 5] = [CONFIG_DIR, SAFE_MODE, SIMPLE, MEMORY_DIR, MEMORIES];

/// Values that settings set over those of the process; the last one wins.
#[derive(Clone, Default)]
pub(super) struct Variables(BTreeMap<&'static str, String>);

impl Variables {
    /// Applies the key `env` of some settings. Values that are not text are converted as in JavaScript.
    pub(super) fn take(&mut self, env: Option<&Node>, trusted: bool) {
        let names = ANYONE.iter().chain(TRUSTED.iter().filter(|_| trusted));
        for name in names {
            let Some(node) = env.and_then(|env| env.get(name)) else { continue };
            self.0.insert(name, as_text(&node.value));
        }
    }

    pub(super) fn get(&self, name: &'static str, search: &Search) -> Option<String> {
        self.0.get(name).cloned().or_else(|| search.env(name))
    }

    /// Returns the value, unless it is empty.
    pub(super) fn given(&self, name: &'static str, search: &Search) -> Option<String> {
        self.get(name, search).filter(|value| !value.is_empty())
    }

    /// Parses the value of a switch: true for `1`, `true`, `yes` and `on`, false for their opposites, `None` otherwise.
    pub(super) fn switched(&self, name: &'static str, search: &Search) -> Option<bool> {
        match self.get(name, search)?.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Some(true),
            "0" | "false" | "no" | "off" => Some(false),
            _ => None,
        }
    }

    pub(super) fn on(&self, name: &'static str, search: &Search) -> bool {
        self.switched(name, search) == Some(true)
    }
}

fn as_text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Text(text) | Value::Date(text) => text.clone(),
        Value::List(list) => list
            .iter()
            .map(|node| if node.value == Value::Null { String::new() } else { as_text(&node.value) })
            .collect::<Vec<_>>()
            .join(","),
        Value::Table(_) => "[object Object]".to_owned(),
    }
}
