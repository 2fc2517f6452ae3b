//! The settings of OpenCode 1.1: most tables are strict, where an unknown key stops the client. From the schema in the
//! client 1.1.53 (`Config.Info`).

use super::Type::{self, Any, Either, False, Flag, Keys, KeysAnd, Map, Number, Only, Text, True, Words};
use super::{
    ACTION, COMMAND_WITHOUT_VARIANT, FORMATTER, MEDIA, MODE, POSITIVE, RULE, SERVER, Schema, Servers, TEXT_MAP, TEXTS,
};

/// Everything that settings and agents may hold.
pub(in crate::harness::opencode) static SCHEMA: Schema =
    Schema { keys: None, config: CONFIG, agent: AGENT, command: &COMMAND_WITHOUT_VARIANT, chunk_timeout: &Any };

const PERMISSION: Type = Either(&[
    ACTION,
    KeysAnd(
        &[
            ("todowrite", false, &ACTION),
            ("todoread", false, &ACTION),
            ("question", false, &ACTION),
            ("webfetch", false, &ACTION),
            ("websearch", false, &ACTION),
            ("codesearch", false, &ACTION),
            ("doom_loop", false, &ACTION),
        ],
        &RULE,
    ),
]);

const AGENT: Type = Keys(&[
    ("model", false, &Text),
    ("variant", false, &Text),
    ("temperature", false, &Number),
    ("top_p", false, &Number),
    ("prompt", false, &Text),
    ("tools", false, &Map(&Flag)),
    ("disable", false, &Flag),
    ("description", false, &Text),
    ("mode", false, &MODE),
    ("hidden", false, &Flag),
    ("options", false, &Map(&Any)),
    ("color", false, &Type::Color),
    ("steps", false, &POSITIVE),
    ("maxSteps", false, &POSITIVE),
    ("permission", false, &PERMISSION),
]);

const MCP: Type = Either(&[
    Only(&[
        ("type", true, &Words(&["local"])),
        ("command", true, &TEXTS),
        ("environment", false, &TEXT_MAP),
        ("enabled", false, &Flag),
        ("timeout", false, &POSITIVE),
    ]),
    Only(&[
        ("type", true, &Words(&["remote"])),
        ("url", true, &Text),
        ("enabled", false, &Flag),
        ("headers", false, &TEXT_MAP),
        (
            "oauth",
            false,
            &Either(&[
                Only(&[("clientId", false, &Text), ("clientSecret", false, &Text), ("scope", false, &Text)]),
                False,
            ]),
        ),
        ("timeout", false, &POSITIVE),
    ]),
    Only(&[("enabled", true, &Flag)]),
]);

const COST: &[(&str, bool, &Type)] = &[
    ("input", true, &Number),
    ("output", true, &Number),
    ("cache_read", false, &Number),
    ("cache_write", false, &Number),
    (
        "context_over_200k",
        false,
        &Keys(&[
            ("input", true, &Number),
            ("output", true, &Number),
            ("cache_read", false, &Number),
            ("cache_write", false, &Number),
        ]),
    ),
];

const MODEL: Type = Keys(&[
    ("id", false, &Text),
    ("name", false, &Text),
    ("family", false, &Text),
    ("release_date", false, &Text),
    ("attachment", false, &Flag),
    ("reasoning", false, &Flag),
    ("temperature", false, &Flag),
    ("tool_call", false, &Flag),
    (
        "interleaved",
        false,
        &Either(&[True, Only(&[("field", true, &Words(&["reasoning_content", "reasoning_details"]))])]),
    ),
    ("cost", false, &Keys(COST)),
    ("limit", false, &Keys(&[("context", true, &Number), ("input", false, &Number), ("output", true, &Number)])),
    ("modalities", false, &Keys(&[("input", true, &MEDIA), ("output", true, &MEDIA)])),
    ("experimental", false, &Flag),
    ("status", false, &Words(&["alpha", "beta", "deprecated"])),
    ("provider", false, &Keys(&[("npm", true, &Text)])),
    ("options", false, &Map(&Any)),
    ("headers", false, &TEXT_MAP),
    ("variants", false, &Map(&Keys(&[("disabled", false, &Flag)]))),
]);

const PROVIDER: Type = Only(&[
    ("api", false, &Text),
    ("name", false, &Text),
    ("env", false, &TEXTS),
    ("id", false, &Text),
    ("npm", false, &Text),
    ("whitelist", false, &TEXTS),
    ("blacklist", false, &TEXTS),
    (
        "options",
        false,
        &Keys(&[
            ("apiKey", false, &Text),
            ("baseURL", false, &Text),
            ("enterpriseUrl", false, &Text),
            ("setCacheKey", false, &Flag),
            ("timeout", false, &Either(&[POSITIVE, False])),
        ]),
    ),
    ("models", false, &Map(&MODEL)),
]);

/// What can be bound to keys.
const KEYBINDS: Type = Type::OnlyTexts(
    "leader app_exit editor_open theme_list sidebar_toggle scrollbar_toggle username_toggle status_view session_export session_new session_list session_timeline session_fork session_rename session_delete stash_delete model_provider_list model_favorite_toggle session_share session_unshare session_interrupt session_compact messages_page_up messages_page_down messages_line_up messages_line_down messages_half_page_up messages_half_page_down messages_first messages_last messages_next messages_previous messages_last_user messages_copy messages_undo messages_redo messages_toggle_conceal tool_details model_list model_cycle_recent model_cycle_recent_reverse model_cycle_favorite model_cycle_favorite_reverse command_list agent_list agent_cycle agent_cycle_reverse variant_cycle input_clear input_paste input_submit input_newline input_move_left input_move_right input_move_up input_move_down input_select_left input_select_right input_select_up input_select_down input_line_home input_line_end input_select_line_home input_select_line_end input_visual_line_home input_visual_line_end input_select_visual_line_home input_select_visual_line_end input_buffer_home input_buffer_end input_select_buffer_home input_select_buffer_end input_delete_line input_delete_to_line_end input_delete_to_line_start input_backspace input_delete input_undo input_redo input_word_forward input_word_backward input_select_word_forward input_select_word_backward input_delete_word_forward input_delete_word_backward history_previous history_next session_child_cycle session_child_cycle_reverse session_parent terminal_suspend terminal_title_toggle tips_toggle display_thinking",
);

const TUI: Type = Keys(&[
    ("scroll_speed", false, &Type::From(0.001)),
    ("scroll_acceleration", false, &Keys(&[("enabled", true, &Flag)])),
    ("diff_style", false, &Words(&["auto", "stacked"])),
]);

const CONFIG: Type = Only(&[
    ("$schema", false, &Text),
    ("theme", false, &Text),
    ("keybinds", false, &KEYBINDS),
    ("logLevel", false, &Words(&["DEBUG", "INFO", "WARN", "ERROR"])),
    ("tui", false, &TUI),
    (
        "server",
        false,
        &Only(&[
            ("port", false, &POSITIVE),
            ("hostname", false, &Text),
            ("mdns", false, &Flag),
            ("mdnsDomain", false, &Text),
            ("cors", false, &TEXTS),
        ]),
    ),
    ("skills", false, &Keys(&[("paths", false, &TEXTS)])),
    ("watcher", false, &Keys(&[("ignore", false, &TEXTS)])),
    ("snapshot", false, &Flag),
    ("plugin", false, &TEXTS),
    ("share", false, &Words(&["manual", "auto", "disabled"])),
    ("autoshare", false, &Flag),
    ("autoupdate", false, &Either(&[Flag, Words(&["notify"])])),
    ("disabled_providers", false, &TEXTS),
    ("enabled_providers", false, &TEXTS),
    ("model", false, &Text),
    ("small_model", false, &Text),
    ("default_agent", false, &Text),
    ("username", false, &Text),
    ("mode", false, &Map(&AGENT)),
    ("agent", false, &Map(&AGENT)),
    ("provider", false, &Map(&PROVIDER)),
    ("mcp", false, &Map(&MCP)),
    ("formatter", false, &Either(&[False, Map(&FORMATTER)])),
    ("lsp", false, &Either(&[False, Type::Servers(&SERVERS)])),
    ("instructions", false, &TEXTS),
    ("layout", false, &Words(&["auto", "stretch"])),
    ("permission", false, &PERMISSION),
    ("tools", false, &Map(&Flag)),
    ("enterprise", false, &Keys(&[("url", false, &Text)])),
    ("compaction", false, &Keys(&[("auto", false, &Flag), ("prune", false, &Flag)])),
    (
        "experimental",
        false,
        &Keys(&[
            ("disable_paste_summary", false, &Flag),
            ("batch_tool", false, &Flag),
            ("openTelemetry", false, &Flag),
            ("primary_tools", false, &TEXTS),
            ("continue_loop_on_deny", false, &Flag),
            ("mcp_timeout", false, &POSITIVE),
        ]),
    ),
]);

const SERVERS: Servers = Servers {
    known: "deno typescript vue eslint oxlint biome gopls ruby-lsp ty pyright elixir-ls zls csharp fsharp sourcekit-lsp rust clangd svelte astro jdtls kotlin-ls yaml-ls lua-ls prisma dart ocaml-lsp bash terraform texlab dockerfile gleam clojure-lsp nixd tinymist haskell-language-server",
    server: SERVER,
};
