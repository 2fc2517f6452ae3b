//! The settings of OpenCode 1.18: unknown keys are ignored. From the schema in the client 1.18.33 (`ConfigV1.Info`).

use super::Type::{self, Any, Either, Flag, Keys, KeysAnd, List, Map, Number, Text, Whole, Words};
use super::{
    ACTION, COMMAND_WITHOUT_VARIANT, FORMATTER, MEDIA, MODE, POSITIVE, RULE, SERVER, Schema, Servers, TEXT_MAP, TEXTS,
};

/// Everything that settings and agents may hold.
pub(in crate::harness::opencode) static SCHEMA: Schema =
    Schema { keys: None, config: CONFIG, agent: AGENT, command: &COMMAND, chunk_timeout: &TIMEOUT };

/// The same types but for commands and one limit of time, and no other keys than those of then; 1.15.13.
pub(in crate::harness::opencode) static EARLIER: Schema = Schema {
    keys: Some(
        "$schema shell logLevel server command skills reference watcher snapshot plugin share autoshare autoupdate \
         disabled_providers enabled_providers model small_model default_agent username mode agent provider mcp \
         formatter lsp instructions layout permission tools attachment enterprise tool_output compaction experimental",
    ),
    config: CONFIG,
    agent: AGENT,
    command: &COMMAND_WITHOUT_VARIANT,
    chunk_timeout: &POSITIVE,
};

const COUNT: Type = Whole(0);

const PERMISSION: Type = Either(&[
    ACTION,
    KeysAnd(
        &[
            ("todowrite", false, &ACTION),
            ("question", false, &ACTION),
            ("webfetch", false, &ACTION),
            ("websearch", false, &ACTION),
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

const COMMAND: Type = Keys(&[
    ("template", true, &Text),
    ("description", false, &Text),
    ("agent", false, &Text),
    ("model", false, &Text),
    ("variant", false, &Text),
    ("subtask", false, &Flag),
]);

const MCP: Type = Either(&[
    Keys(&[
        ("type", true, &Words(&["local"])),
        ("command", true, &TEXTS),
        ("cwd", false, &Text),
        ("environment", false, &TEXT_MAP),
        ("enabled", false, &Flag),
        ("timeout", false, &POSITIVE),
    ]),
    Keys(&[
        ("type", true, &Words(&["remote"])),
        ("url", true, &Text),
        ("enabled", false, &Flag),
        ("headers", false, &TEXT_MAP),
        (
            "oauth",
            false,
            &Either(&[
                Keys(&[
                    ("clientId", false, &Text),
                    ("clientSecret", false, &Text),
                    ("scope", false, &Text),
                    ("callbackPort", false, &POSITIVE),
                    ("redirectUri", false, &Text),
                ]),
                Type::False,
            ]),
        ),
        ("timeout", false, &POSITIVE),
    ]),
    Keys(&[("enabled", true, &Flag)]),
]);

const COST: &[(&str, bool, &Type)] = &[
    ("input", true, &Number),
    ("output", true, &Number),
    ("cache_read", false, &Number),
    ("cache_write", false, &Number),
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
    ("interleaved", false, &Either(&[Flag, Text, Keys(&[("field", true, &Text)])])),
    ("cost", false, &Keys(COST)),
    ("limit", false, &Keys(&[("context", true, &Number), ("input", false, &Number), ("output", true, &Number)])),
    ("modalities", false, &Keys(&[("input", false, &MEDIA), ("output", false, &MEDIA)])),
    ("experimental", false, &Flag),
    ("status", false, &Words(&["alpha", "beta", "deprecated", "active"])),
    ("provider", false, &Keys(&[("npm", false, &Text), ("api", false, &Text)])),
    ("options", false, &Map(&Any)),
    ("headers", false, &TEXT_MAP),
    ("variants", false, &Map(&Keys(&[("disabled", false, &Flag)]))),
]);

const TIMEOUT: Type = Either(&[POSITIVE, Type::False]);

const PROVIDER: Type = Keys(&[
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
            ("timeout", false, &TIMEOUT),
            ("headerTimeout", false, &TIMEOUT),
        ]),
    ),
    ("models", false, &Map(&MODEL)),
]);

const REFERENCE: Type = Either(&[
    Text,
    Keys(&[
        ("repository", true, &Text),
        ("branch", false, &Text),
        ("description", false, &Text),
        ("hidden", false, &Flag),
    ]),
    Keys(&[("path", true, &Text), ("description", false, &Text), ("hidden", false, &Flag)]),
]);

const CONFIG: Type = Keys(&[
    ("$schema", false, &Text),
    ("shell", false, &Text),
    ("logLevel", false, &Words(&["DEBUG", "INFO", "WARN", "ERROR"])),
    (
        "server",
        false,
        &Keys(&[
            ("port", false, &POSITIVE),
            ("hostname", false, &Text),
            ("mdns", false, &Flag),
            ("mdnsDomain", false, &Text),
            ("cors", false, &TEXTS),
        ]),
    ),
    ("skills", false, &Keys(&[("paths", false, &TEXTS), ("urls", false, &TEXTS)])),
    ("references", false, &Map(&REFERENCE)),
    ("reference", false, &Map(&REFERENCE)),
    ("watcher", false, &Keys(&[("ignore", false, &TEXTS)])),
    ("snapshot", false, &Flag),
    ("plugin", false, &List(&Either(&[Text, Type::Tuple(&[Text, Map(&Any)])]))),
    ("share", false, &Words(&["manual", "auto", "disabled"])),
    ("autoshare", false, &Flag),
    ("autoupdate", false, &Either(&[Flag, Words(&["notify"])])),
    ("disabled_providers", false, &TEXTS),
    ("enabled_providers", false, &TEXTS),
    ("model", false, &Text),
    ("small_model", false, &Text),
    ("default_agent", false, &Text),
    ("subagent_depth", false, &COUNT),
    ("username", false, &Text),
    ("mode", false, &Map(&AGENT)),
    ("agent", false, &Map(&AGENT)),
    ("provider", false, &Map(&PROVIDER)),
    ("mcp", false, &Map(&MCP)),
    ("formatter", false, &Either(&[Flag, Map(&FORMATTER)])),
    ("lsp", false, &Either(&[Flag, Type::Servers(&SERVERS)])),
    ("instructions", false, &TEXTS),
    ("layout", false, &Words(&["auto", "stretch"])),
    ("permission", false, &PERMISSION),
    ("tools", false, &Map(&Flag)),
    (
        "attachment",
        false,
        &Keys(&[(
            "image",
            false,
            &Keys(&[
                ("auto_resize", false, &Flag),
                ("max_width", false, &POSITIVE),
                ("max_height", false, &POSITIVE),
                ("max_base64_bytes", false, &POSITIVE),
            ]),
        )]),
    ),
    ("enterprise", false, &Keys(&[("url", false, &Text)])),
    ("tool_output", false, &Keys(&[("max_lines", false, &POSITIVE), ("max_bytes", false, &POSITIVE)])),
    (
        "compaction",
        false,
        &Keys(&[
            ("auto", false, &Flag),
            ("prune", false, &Flag),
            ("tail_turns", false, &COUNT),
            ("preserve_recent_tokens", false, &COUNT),
            ("reserved", false, &COUNT),
        ]),
    ),
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

pub(super) const SERVERS: Servers = Servers {
    known: "deno typescript vue eslint oxlint biome gopls ruby-lsp ty pyright elixir-ls zls csharp razor fsharp sourcekit-lsp rust clangd svelte astro jdtls kotlin-ls yaml-ls lua-ls prisma dart ocaml-lsp bash terraform texlab dockerfile gleam clojure-lsp nixd tinymist haskell-language-server julials",
    server: SERVER,
};
