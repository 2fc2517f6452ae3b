//! The settings of OpenCode 1.1: most tables are strict, so that an unknown key stops the client. Taken from the schema
//! in the client 1.1.53 (`Config.Info`).

use super::Type::{self, Any, Either, False, Flag, Keys, KeysAnd, Map, Only, Text, True, Words};
use super::{
    ACTION, ACTIONS, AGENT, COMMAND, CONFIG, COST, FORMATTER, Field, MCP_LOCAL, MCP_REMOTE, MEDIA, MODEL, OAUTH,
    POSITIVE, PROVIDER, PROVIDER_OPTIONS, RULE, SERVER, SERVICE, Schema, Servers, TEXTS, may, must,
};

/// Schema of settings and agents.
pub(super) static SCHEMA: Schema =
    Schema { keys: None, config: Only(&[CONFIG, OWN]), agent: AGENTS, command: &Keys(&[COMMAND]), chunk_timeout: &Any };

/// Schema with a time limit for chunks (1.2.27).
pub(super) static WITH_CHUNKS: Schema = Schema {
    keys: None,
    config: Only(&[CONFIG, OWN]),
    agent: AGENTS,
    command: &Keys(&[COMMAND]),
    chunk_timeout: &POSITIVE,
};

const PERMISSION: Type = Either(&[ACTION, KeysAnd(&[ACTIONS, &[may("todoread codesearch", &ACTION)]], &RULE)]);

const AGENTS: Type = Keys(&[AGENT, &[may("permission", &PERMISSION)]]);

const MCP: Type = Either(&[
    Only(&[MCP_LOCAL]),
    Only(&[MCP_REMOTE, &[may("oauth", &Either(&[Only(&[OAUTH]), False]))]]),
    Only(&[&[must("enabled", &Flag)]]),
]);

const MODELS: Type = Map(&Keys(&[
    MODEL,
    &[
        may(
            "interleaved",
            &Either(&[True, Only(&[&[must("field", &Words(&["reasoning_content", "reasoning_details"]))]])]),
        ),
        may("cost", &Keys(&[COST, &[may("context_over_200k", &Keys(&[COST]))]])),
        may("modalities", &Keys(&[&[must("input output", &MEDIA)]])),
        may("status", &Words(&["alpha", "beta", "deprecated"])),
        may("provider", &Keys(&[&[must("npm", &Text)]])),
    ],
]));

const OPTIONS: Type = Keys(&[PROVIDER_OPTIONS, &[may("timeout", &Either(&[POSITIVE, False]))]]);

/// Actions that can be bound to keys.
const KEYBINDS: Type = Only(&[&[may(
    "leader app_exit editor_open theme_list sidebar_toggle scrollbar_toggle username_toggle status_view session_export session_new session_list session_timeline session_fork session_rename session_delete stash_delete model_provider_list model_favorite_toggle session_share session_unshare session_interrupt session_compact messages_page_up messages_page_down messages_line_up messages_line_down messages_half_page_up messages_half_page_down messages_first messages_last messages_next messages_previous messages_last_user messages_copy messages_undo messages_redo messages_toggle_conceal tool_details model_list model_cycle_recent model_cycle_recent_reverse model_cycle_favorite model_cycle_favorite_reverse command_list agent_list agent_cycle agent_cycle_reverse variant_cycle input_clear input_paste input_submit input_newline input_move_left input_move_right input_move_up input_move_down input_select_left input_select_right input_select_up input_select_down input_line_home input_line_end input_select_line_home input_select_line_end input_visual_line_home input_visual_line_end input_select_visual_line_home input_select_visual_line_end input_buffer_home input_buffer_end input_select_buffer_home input_select_buffer_end input_delete_line input_delete_to_line_end input_delete_to_line_start input_backspace input_delete input_undo input_redo input_word_forward input_word_backward input_select_word_forward input_select_word_backward input_delete_word_forward input_delete_word_backward history_previous history_next session_child_cycle session_child_cycle_reverse session_parent terminal_suspend terminal_title_toggle tips_toggle display_thinking",
    &Text,
)]]);

const TUI: Type = Keys(&[&[
    may("scroll_speed", &Type::From(0.001)),
    may("scroll_acceleration", &Keys(&[&[must("enabled", &Flag)]])),
    may("diff_style", &Words(&["auto", "stacked"])),
]]);

const OWN: &[Field] = &[
    may("theme", &Text),
    may("keybinds", &KEYBINDS),
    may("tui", &TUI),
    may("server", &Only(&[SERVICE])),
    may("skills", &Keys(&[&[may("paths", &TEXTS)]])),
    may("plugin", &TEXTS),
    may("mode agent", &Map(&AGENTS)),
    may("provider", &Map(&Only(&[PROVIDER, &[may("options", &OPTIONS), may("models", &MODELS)]]))),
    may("mcp", &Map(&MCP)),
    may("formatter", &Either(&[False, Map(&FORMATTER)])),
    may("lsp", &Either(&[False, Type::Servers(&SERVERS)])),
    may("permission", &PERMISSION),
    may("command", &Any),
    may("compaction", &Keys(&[&[may("auto prune", &Flag)]])),
];

const SERVERS: Servers = Servers {
    known: "deno typescript vue eslint oxlint biome gopls ruby-lsp ty pyright elixir-ls zls csharp fsharp sourcekit-lsp rust clangd svelte astro jdtls kotlin-ls yaml-ls lua-ls prisma dart ocaml-lsp bash terraform texlab dockerfile gleam clojure-lsp nixd tinymist haskell-language-server",
    server: SERVER,
};
