//! Table of the settings by which repositories make clients run something or allow them something, as the clients
//! document them.
//!
//! Covers project settings only: those of the user and of an administrator are not part of a repository. Most clients
//! ask once whether a folder is trusted, or whether a server may be started; the rows describe the behavior after that.

use super::Kind;

/// Format of a file, derived from its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON, comments allowed.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
    /// Markdown with YAML front matter.
    Head,
    /// Anything else.
    Text,
}

/// Effect of one key in a client's files.
pub(super) struct Row {
    /// Ids of the clients that read the key.
    pub agents: &'static [&'static str],
    /// Patterns of the file paths.
    pub files: &'static [&'static str],
    /// The keys, `*` for any. `""`: the file itself is code; ``!` `` and `!{`: commands in its text, with a space
    /// before them only at the start of a word; `=`: variables.
    pub key: &'static str,
    /// Kind of the grant.
    pub kind: Kind,
    /// Time at which it runs or applies; `{}` stands for the keys matched by `*`.
    pub when: &'static str,
}

const CLAUDE: &[&str] = &["claude-code"];
const CLAUDE_SETTINGS: &[&str] = &[".claude/settings.json", ".claude/settings.local.json"];
const CLAUDE_TEXTS: &[&str] = &[".claude/commands/**/*.md", ".claude/skills/**/SKILL.md", ".claude/agents/**/*.md"];
const OPENCODE: &[&str] = &["opencode"];
const OPENCODE_SETTINGS: &[&str] =
    &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"];
const OPENCODE_TEXTS: &[&str] = &[".opencode/command/**/*.md", ".opencode/commands/**/*.md"];
const OPENCODE_CODE: &[&str] = &[
    ".opencode/plugin/*.ts",
    ".opencode/plugin/*.js",
    ".opencode/plugins/*.ts",
    ".opencode/plugins/*.js",
    ".opencode/tool/*.ts",
    ".opencode/tool/*.js",
    ".opencode/tools/*.ts",
    ".opencode/tools/*.js",
];
const KILO: &[&str] = &["kilo"];
const KILO_SETTINGS: &[&str] = &[
    "kilo.json",
    "kilo.jsonc",
    ".kilo/kilo.json",
    ".kilo/kilo.jsonc",
    ".kilocode/kilo.json",
    ".kilocode/kilo.jsonc",
    "opencode.json",
    "opencode.jsonc",
];
const KILO_TEXTS: &[&str] = &[".kilo/command/**/*.md", ".kilo/commands/**/*.md", ".kilocode/command/**/*.md"];
const KILO_CODE: &[&str] = &[".kilo/plugin/*.ts", ".kilo/plugins/*.ts", ".kilo/tool/*.ts", ".kilo/tools/*.ts"];
const GROK: &[&str] = &["grok-build"];
const GROK_SETTINGS: &[&str] = &[".grok/config.toml"];
const OMP: &[&str] = &["oh-my-pi"];
const OMP_CODE: &[&str] = &[
    ".omp/extensions/*.ts",
    ".omp/extensions/*/index.ts",
    ".omp/hooks/pre/*.ts",
    ".omp/hooks/post/*.ts",
    ".omp/tools/*.ts",
    ".omp/tools/*/index.ts",
];
const CODEX: &[&str] = &["codex"];
const CODEX_SETTINGS: &[&str] = &[".codex/config.toml"];
const GEMINI: &[&str] = &["gemini-cli"];
const GEMINI_SETTINGS: &[&str] = &[".gemini/settings.json"];
const QWEN: &[&str] = &["qwen-code"];
const QWEN_SETTINGS: &[&str] = &[".qwen/settings.json"];
const CURSOR: &[&str] = &["cursor"];
const CRUSH: &[&str] = &["crush"];
const CRUSH_SETTINGS: &[&str] = &["crush.json", ".crush.json"];
const VSCODE: &[&str] = &["copilot-vscode"];

const START: &str = "at the start of a session";
const CALLED: &str = "when it is called";
const FREE: &str = "without asking";
const ALWAYS: &str = "in every session";

const fn row(
    agents: &'static [&'static str],
    files: &'static [&'static str],
    key: &'static str,
    kind: Kind,
    when: &'static str,
) -> Row {
    Row { agents, files, key, kind, when }
}

/// Every row.
pub(super) const ROWS: &[Row] = &[
    // Claude Code: code.claude.com/docs/en/settings, hooks, mcp, skills, slash commands.
    row(CLAUDE, CLAUDE_SETTINGS, "hooks/*/*/hooks/*", Kind::Hook, "{}"),
    row(CLAUDE, CLAUDE_SETTINGS, "statusLine", Kind::StatusLine, "while a session is open"),
    row(CLAUDE, CLAUDE_SETTINGS, "subagentStatusLine", Kind::StatusLine, "while sub-agents run"),
    row(CLAUDE, CLAUDE_SETTINGS, "fileSuggestion", Kind::Command, "when a file is mentioned"),
    row(CLAUDE, CLAUDE_SETTINGS, "apiKeyHelper", Kind::Command, "for a key of the provider"),
    row(CLAUDE, CLAUDE_SETTINGS, "awsAuthRefresh", Kind::Command, "for credentials of AWS"),
    row(CLAUDE, CLAUDE_SETTINGS, "awsCredentialExport", Kind::Command, "for credentials of AWS"),
    row(CLAUDE, CLAUDE_SETTINGS, "gcpAuthRefresh", Kind::Command, "for credentials of Google"),
    row(CLAUDE, CLAUDE_SETTINGS, "otelHeadersHelper", Kind::Command, "for telemetry"),
    row(CLAUDE, CLAUDE_SETTINGS, "env/*", Kind::Env, ALWAYS),
    row(CLAUDE, CLAUDE_SETTINGS, "enabledPlugins", Kind::Plugin, ALWAYS),
    row(CLAUDE, CLAUDE_SETTINGS, "extraKnownMarketplaces/*", Kind::Plugin, "offered when the folder is trusted"),
    row(CLAUDE, CLAUDE_SETTINGS, "permissions/allow/*", Kind::Permission, FREE),
    row(CLAUDE, CLAUDE_SETTINGS, "permissions/additionalDirectories/*", Kind::Permission, "files outside the project"),
    row(CLAUDE, CLAUDE_SETTINGS, "permissions/defaultMode", Kind::Permission, "the mode that sessions start in"),
    row(CLAUDE, CLAUDE_SETTINGS, "sandbox", Kind::Permission, "the sandbox of commands"),
    row(
        CLAUDE,
        CLAUDE_SETTINGS,
        "enableAllProjectMcpServers",
        Kind::Permission,
        "starts every server of .mcp.json without asking",
    ),
    row(CLAUDE, CLAUDE_SETTINGS, "enabledMcpjsonServers/*", Kind::Permission, "starts this server without asking"),
    row(&["claude-code", "copilot-cli"], &[".mcp.json"], "mcpServers/*", Kind::Mcp, START),
    row(CLAUDE, CLAUDE_TEXTS, " !`", Kind::Command, CALLED),
    row(CLAUDE, CLAUDE_TEXTS, "hooks/*/*/hooks/*/command", Kind::Hook, "{}"),
    row(CLAUDE, CLAUDE_TEXTS, "allowed-tools", Kind::Permission, "without asking, while it is used"),
    row(CLAUDE, CLAUDE_TEXTS, "permissionMode", Kind::Permission, "the mode of this sub-agent"),
    row(CLAUDE, CLAUDE_TEXTS, "mcpServers/*", Kind::Mcp, "when this sub-agent starts"),
    // Codex: the configuration reference; a project's file counts in a trusted project. 0.169 takes no provider and no
    // `notify` from it.
    row(CODEX, CODEX_SETTINGS, "notify", Kind::Command, "after each turn, in early versions"),
    row(CODEX, CODEX_SETTINGS, "mcp_servers/*", Kind::Mcp, START),
    row(CODEX, CODEX_SETTINGS, "hooks/*/*/hooks/*", Kind::Hook, "{}, once it is trusted"),
    row(CODEX, &[".codex/hooks.json"], "hooks/*/*/hooks/*", Kind::Hook, "{}, once it is trusted"),
    row(CODEX, CODEX_SETTINGS, "shell_environment_policy/set/*", Kind::Env, "for commands"),
    row(CODEX, CODEX_SETTINGS, "model_providers/*", Kind::Command, "where requests are sent, in early versions"),
    row(CODEX, CODEX_SETTINGS, "approval_policy", Kind::Permission, "when it asks"),
    row(CODEX, CODEX_SETTINGS, "sandbox_mode", Kind::Permission, "the sandbox of commands"),
    row(CODEX, CODEX_SETTINGS, "sandbox_workspace_write/*", Kind::Permission, "the sandbox of commands: {}"),
    row(CODEX, &[".codex/rules/*.rules"], "", Kind::Permission, "rules that allow commands"),
    // OpenCode: opencode.ai/docs/config, plugins, custom tools, commands.
    row(OPENCODE, OPENCODE_SETTINGS, "mcp/*", Kind::Mcp, START),
    row(OPENCODE, OPENCODE_SETTINGS, "plugin/*", Kind::Plugin, START),
    row(OPENCODE, OPENCODE_SETTINGS, "formatter/*", Kind::Command, "after a file is edited"),
    row(OPENCODE, OPENCODE_SETTINGS, "lsp/*", Kind::Command, "when a file is read"),
    row(OPENCODE, OPENCODE_SETTINGS, "experimental/hook", Kind::Hook, "of a session"),
    row(OPENCODE, OPENCODE_SETTINGS, "provider/*/options/baseURL", Kind::Command, "where requests are sent"),
    row(OPENCODE, OPENCODE_SETTINGS, "permission", Kind::Permission, "what it asks for"),
    row(OPENCODE, OPENCODE_SETTINGS, "!`", Kind::Command, CALLED),
    row(OPENCODE, OPENCODE_TEXTS, "!`", Kind::Command, CALLED),
    row(OPENCODE, OPENCODE_CODE, "", Kind::Plugin, START),
    // Kilo, which is a fork of it: kilo.ai/docs/automate/mcp; early versions have servers in a file of their own.
    row(KILO, KILO_SETTINGS, "mcp/*", Kind::Mcp, START),
    row(KILO, KILO_SETTINGS, "plugin/*", Kind::Plugin, START),
    row(KILO, KILO_SETTINGS, "formatter/*", Kind::Command, "after a file is edited"),
    row(KILO, KILO_SETTINGS, "lsp/*", Kind::Command, "when a file is read"),
    row(KILO, KILO_SETTINGS, "provider/*/options/baseURL", Kind::Command, "where requests are sent"),
    row(KILO, KILO_SETTINGS, "permission", Kind::Permission, "what it asks for"),
    row(KILO, KILO_SETTINGS, "!`", Kind::Command, CALLED),
    row(KILO, KILO_TEXTS, "!`", Kind::Command, CALLED),
    row(KILO, KILO_CODE, "", Kind::Plugin, START),
    row(KILO, &[".kilocode/mcp.json"], "mcpServers/*", Kind::Mcp, "at the start of a session, in early versions"),
    row(KILO, &[".kilocode/mcp.json"], "mcpServers/*/alwaysAllow", Kind::Permission, "without asking: {}"),
    // Gemini CLI and Qwen Code, which is a fork of it.
    row(GEMINI, GEMINI_SETTINGS, "mcpServers/*", Kind::Mcp, START),
    row(GEMINI, GEMINI_SETTINGS, "hooks/*/*/hooks/*", Kind::Hook, "{}"),
    row(GEMINI, GEMINI_SETTINGS, "tools/discoveryCommand", Kind::Command, START),
    row(GEMINI, GEMINI_SETTINGS, "tools/callCommand", Kind::Command, "when a discovered tool is called"),
    row(GEMINI, GEMINI_SETTINGS, "mcp/serverCommand", Kind::Mcp, START),
    row(GEMINI, GEMINI_SETTINGS, "tools/allowed/*", Kind::Permission, FREE),
    row(GEMINI, GEMINI_SETTINGS, "tools/sandbox", Kind::Permission, "the sandbox of commands"),
    row(GEMINI, GEMINI_SETTINGS, "context/includeDirectories/*", Kind::Permission, "files outside the project"),
    row(GEMINI, &[".gemini/commands/**/*.toml"], "!{", Kind::Command, CALLED),
    row(GEMINI, &[".gemini/extensions/*/gemini-extension.json"], "mcpServers/*", Kind::Mcp, START),
    row(GEMINI, &[".gemini/extensions/*/hooks/hooks.json"], "hooks/*/*/hooks/*", Kind::Hook, "{}"),
    row(GEMINI, &[".gemini/.env"], "=", Kind::Env, ALWAYS),
    row(QWEN, QWEN_SETTINGS, "mcpServers/*", Kind::Mcp, START),
    row(QWEN, QWEN_SETTINGS, "hooks/*/*/hooks/*", Kind::Hook, "{}"),
    row(QWEN, QWEN_SETTINGS, "tools/discoveryCommand", Kind::Command, START),
    row(QWEN, QWEN_SETTINGS, "tools/callCommand", Kind::Command, "when a discovered tool is called"),
    row(QWEN, QWEN_SETTINGS, "tools/allowed/*", Kind::Permission, FREE),
    row(QWEN, QWEN_SETTINGS, "tools/approvalMode", Kind::Permission, "when it asks"),
    row(QWEN, &[".qwen/commands/**/*.toml", ".qwen/commands/**/*.md"], "!{", Kind::Command, CALLED),
    row(QWEN, &[".qwen/extensions/*/qwen-extension.json"], "mcpServers/*", Kind::Mcp, START),
    row(QWEN, &[".qwen/.env"], "=", Kind::Env, ALWAYS),
    // Copilot, in the terminal and in VS Code.
    row(&["copilot-cli", "copilot-vscode"], &[".github/hooks/*.json"], "hooks/*/*", Kind::Hook, "{}"),
    row(VSCODE, &[".vscode/mcp.json"], "servers/*", Kind::Mcp, "when a session uses it"),
    row(VSCODE, &[".vscode/settings.json"], "chat.tools.autoApprove", Kind::Permission, FREE),
    row(VSCODE, &[".vscode/settings.json"], "chat.tools.global.autoApprove", Kind::Permission, FREE),
    row(
        VSCODE,
        &[".vscode/settings.json"],
        "chat.tools.terminal.autoApprove/*",
        Kind::Permission,
        "without asking: {}",
    ),
    row(VSCODE, &[".vscode/settings.json"], "chat.tools.edits.autoApprove/*", Kind::Permission, "without asking: {}"),
    row(VSCODE, &[".vscode/settings.json"], "terminal.integrated.env.linux/*", Kind::Env, "in terminals"),
    row(VSCODE, &[".vscode/settings.json"], "terminal.integrated.env.osx/*", Kind::Env, "in terminals"),
    row(VSCODE, &[".vscode/settings.json"], "terminal.integrated.env.windows/*", Kind::Env, "in terminals"),
    row(VSCODE, &[".vscode/tasks.json"], "tasks/*", Kind::Command, "as a task; some when the folder is opened"),
    // Cursor.
    row(CURSOR, &[".cursor/mcp.json"], "mcpServers/*", Kind::Mcp, START),
    row(CURSOR, &[".cursor/hooks.json"], "hooks/*/*", Kind::Hook, "{}"),
    row(CURSOR, &[".cursor/cli.json"], "permissions/allow/*", Kind::Permission, FREE),
    row(CURSOR, &[".cursor/environment.json"], "install", Kind::Command, "when a cloud agent starts"),
    row(CURSOR, &[".cursor/environment.json"], "start", Kind::Command, "when a cloud agent starts"),
    // Others, whose settings are of the same kinds.
    row(&["kiro"], &[".kiro/settings/mcp.json"], "mcpServers/*", Kind::Mcp, START),
    row(&["kiro"], &[".kiro/settings/mcp.json"], "mcpServers/*/autoApprove", Kind::Permission, "without asking: {}"),
    row(&["kiro"], &[".kiro/hooks/*.hook"], "then", Kind::Hook, "at its event"),
    row(&["droid"], &[".factory/mcp.json"], "mcpServers/*", Kind::Mcp, START),
    row(&["droid"], &[".factory/settings.json", ".factory/hooks.json"], "hooks/*/*/hooks/*", Kind::Hook, "{}"),
    row(&["droid"], &[".factory/settings.json"], "commandAllowlist/*", Kind::Permission, FREE),
    row(&["windsurf"], &[".windsurf/hooks.json"], "hooks/*/*", Kind::Hook, "{}"),
    row(&["roo"], &[".roo/mcp.json"], "mcpServers/*", Kind::Mcp, START),
    row(&["roo"], &[".roo/mcp.json"], "mcpServers/*/alwaysAllow", Kind::Permission, "without asking: {}"),
    row(&["amp"], &[".amp/settings.json"], "amp.mcpServers/*", Kind::Mcp, START),
    row(&["amp"], &[".amp/settings.json"], "amp.permissions/*", Kind::Permission, FREE),
    row(&["zed"], &[".zed/settings.json"], "context_servers/*", Kind::Mcp, START),
    row(&["junie"], &[".junie/mcp/mcp.json"], "mcpServers/*", Kind::Mcp, START),
    row(CRUSH, CRUSH_SETTINGS, "mcp/*", Kind::Mcp, START),
    row(CRUSH, CRUSH_SETTINGS, "lsp/*", Kind::Command, "when a file is read"),
    row(CRUSH, CRUSH_SETTINGS, "permissions/allowed_tools/*", Kind::Permission, FREE),
    row(&["mistral-vibe"], &[".vibe/config.toml"], "mcp_servers/*", Kind::Mcp, START),
    row(&["mistral-vibe"], &[".vibe/hooks.toml"], "hooks/*", Kind::Hook, "at its event"),
    row(&["cline"], &[".clinerules/hooks/*"], "", Kind::Hook, "at the event of its name"),
    row(&["kimi-code"], &[".kimi-code/mcp.json"], "mcpServers/*", Kind::Mcp, START),
    row(OMP, &[".omp/mcp.json", ".omp/.mcp.json"], "mcpServers/*", Kind::Mcp, START),
    row(OMP, &["mcp.json", ".mcp.json"], "mcpServers/*", Kind::Mcp, START),
    row(OMP, OMP_CODE, "", Kind::Plugin, START),
    // Of a project's file Grok Build takes these three sections alone (the guide in 1.0.41).
    row(GROK, GROK_SETTINGS, "mcp_servers/*", Kind::Mcp, START),
    row(GROK, GROK_SETTINGS, "plugins/paths/*", Kind::Plugin, START),
    row(GROK, GROK_SETTINGS, "plugins/enabled/*", Kind::Plugin, START),
    row(GROK, GROK_SETTINGS, "permission/allow/*", Kind::Permission, FREE),
    row(GROK, GROK_SETTINGS, "permission/rules/*", Kind::Permission, FREE),
    row(&["continue"], &[".continue/mcpServers/*.yaml"], "mcpServers/*", Kind::Mcp, START),
    row(&["pi"], &[".pi/extensions/*.ts", ".pi/extensions/*/index.ts"], "", Kind::Plugin, START),
    row(&["pi"], &[".pi/settings.json"], "extensions/*", Kind::Plugin, START),
    row(&["pi"], &[".pi/settings.json"], "packages/*", Kind::Plugin, START),
    row(&["aider"], &[".aider.conf.yml"], "lint-cmd", Kind::Command, "after a file is edited"),
    row(&["aider"], &[".aider.conf.yml"], "test-cmd", Kind::Command, "after a file is edited"),
    row(&["aider"], &[".aider.conf.yml"], "yes-always", Kind::Permission, FREE),
    row(&["aider"], &[".env"], "=", Kind::Env, ALWAYS),
];
