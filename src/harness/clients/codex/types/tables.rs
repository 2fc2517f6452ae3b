//! The keys of tables in the settings whose wrong types the client was observed to refuse: 0.104 and 0.169.

use super::Type::{
    self, Bool, BoolOrKeys, BoolOrTexts, Filled, Integer, List, Number, Size, Table, TableOfTexts, Text, Texts, Word,
};

pub(super) type Fields = &'static [(&'static str, Type)];

pub(super) const ANALYTICS: Fields = &[("enabled", Bool)];
pub(super) const FEEDBACK: Fields = &[("enabled", Bool)];
pub(super) const APP: Fields = &[("enabled", Bool)];
pub(super) const PERMISSIONS: Fields = &[
    ("description", Text),
    ("extends", Text),
    ("filesystem", Type::Filesystem),
    ("network", Type::Keys(&[("enabled", Bool)])),
    ("workspace_roots", Type::TableOfBools),
];
pub(super) const PLUGIN: Fields = &[("enabled", Bool)];
pub(super) const MARKETPLACE: Fields = &[("source", Text)];
pub(super) const AUTO_REVIEW: Fields = &[("policy", Text)];
pub(super) const HISTORY: Fields = &[("persistence", Word(&["save-all", "none"])), ("max_bytes", Size)];
pub(super) const HOOKS: Fields = &[("SessionStart", List), ("state", Table)];
pub(super) const MEMORIES: Fields = &[("use_memories", Bool), ("max_raw_memories_for_consolidation", Size)];
pub(super) const NOTICE: Fields = &[("hide_full_access_warning", Bool), ("model_migrations", TableOfTexts)];
pub(super) const OTEL: Fields = &[("environment", Text), ("log_user_prompt", Bool)];
pub(super) const TOOL_SUGGEST: Fields = &[("discoverables", List)];
pub(super) const WINDOWS: Fields = &[("sandbox", Word(&["elevated", "unelevated"]))];
pub(super) const SNAPSHOT: Fields = &[("disable_warnings", Bool), ("ignore_large_untracked_files", Integer)];
pub(super) const WORKSPACE: Fields = &[
    ("network_access", Bool),
    ("writable_roots", Texts),
    ("exclude_slash_tmp", Bool),
    ("exclude_tmpdir_env_var", Bool),
];
pub(super) const SHELL: Fields = &[
    ("inherit", Word(&["core", "all", "none"])),
    ("ignore_default_excludes", Bool),
    ("exclude", Texts),
    ("include_only", Texts),
    ("set", TableOfTexts),
];

const SCREEN: Type = Word(&["auto", "always", "never"]);
pub(super) const TUI: Fields = &[
    ("theme", Text),
    ("notifications", BoolOrTexts),
    ("animations", Bool),
    ("show_tooltips", Bool),
    ("status_line", Texts),
    ("alternate_screen", SCREEN),
];
pub(super) const TUI_104: Fields =
    &[("notifications", BoolOrTexts), ("animations", Bool), ("status_line", Texts), ("alternate_screen", SCREEN)];

pub(super) const TOOLS: Fields = &[("web_search", BoolOrKeys(&[("context_size", Word(&["low", "medium", "high"]))]))];
pub(super) const TOOLS_104: Fields = &[("web_search", Bool), ("view_image", Bool)];

pub(super) const PROVIDER: &[Fields] = &[&[("name", Filled)], PROVIDER_BESIDES];
pub(super) const PROVIDER_104: &[Fields] = &[&[("name", Text)], PROVIDER_BESIDES];
const PROVIDER_BESIDES: Fields = &[
    ("base_url", Text),
    ("env_key", Text),
    ("wire_api", Word(&["responses"])),
    ("query_params", TableOfTexts),
    ("http_headers", TableOfTexts),
    ("request_max_retries", Size),
    ("stream_max_retries", Size),
    ("stream_idle_timeout_ms", Size),
    ("requires_openai_auth", Bool),
];

pub(super) const SERVER: &[Fields] = &[&[("env_vars", List), ("tools", Table)], SERVER_BESIDES];
pub(super) const SERVER_104: &[Fields] = &[&[("env_vars", Texts)], SERVER_BESIDES];
const SERVER_BESIDES: Fields = &[
    ("command", Text),
    ("args", Texts),
    ("env", TableOfTexts),
    ("cwd", Text),
    ("url", Text),
    ("bearer_token_env_var", Text),
    ("http_headers", TableOfTexts),
    ("env_http_headers", TableOfTexts),
    ("startup_timeout_sec", Number),
    ("startup_timeout_ms", Size),
    ("tool_timeout_sec", Number),
    ("enabled", Bool),
    ("required", Bool),
    ("enabled_tools", Texts),
    ("disabled_tools", Texts),
    ("scopes", Texts),
];

/// Keys that a server with a program, or a server with a URL, must not have.
pub(super) const NOT_OF_PROGRAMS: [&str; 5] =
    ["url", "bearer_token", "bearer_token_env_var", "http_headers", "env_http_headers"];
pub(super) const NOT_OF_URLS: [&str; 5] = ["args", "env", "env_vars", "cwd", "bearer_token"];

/// Keys of `agents` for all agents, besides the tables of single ones.
pub(super) const AGENTS: Fields = &[
    ("max_threads", Type::Within(1, i64::MAX)),
    ("max_depth", Integer),
    ("job_max_runtime_seconds", Size),
    ("enabled", Bool),
    ("interrupt_message", Bool),
];
pub(super) const AGENTS_104: Fields = &[("max_threads", Type::Within(1, i64::MAX))];

/// Keys of `approval_policy` as a table.
pub(super) const GRANULAR: Fields = &[("sandbox_approval", Bool), ("rules", Bool), ("mcp_elicitations", Bool)];

/// Built-in providers of Codex 0.169.
pub(super) const OWN_PROVIDERS: [&str; 4] = ["openai", "ollama", "lmstudio", "amazon-bedrock"];
