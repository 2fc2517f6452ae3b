//! The settings of OpenCode 1.18: unknown keys are ignored. Taken from the schema in the client 1.18.33
//! (`ConfigV1.Info`).

use super::Type::{self, Any, Either, False, Flag, Keys, KeysAnd, List, Map, Text, Whole, Words};
use super::{
    ACTION, ACTIONS, AGENT, COMMAND, CONFIG, COST, FORMATTER, Field, MCP_LOCAL, MCP_REMOTE, MEDIA, MODEL, OAUTH,
    POSITIVE, PROVIDER, PROVIDER_OPTIONS, RULE, SERVER, SERVICE, Schema, Servers, TEXTS, may, must,
};

/// Schema of settings and agents.
pub(super) static SCHEMA: Schema = schema(None, WITH_VARIANT, &TIMEOUT);
/// Schema before 1.18.27.
pub(super) static WITH_OTHER_KEYS: Schema = schema(None, WITH_VARIANT, &POSITIVE);
/// Schema before 1.18.16, when unknown keys were refused.
pub(super) static WITH_DEPTH: Schema = schema(Some(&[KEYS, ATTACHMENTS, REFERENCES, DEPTH]), WITH_VARIANT, &POSITIVE);
/// Schema before 1.18.3.
pub(super) static WITH_REFERENCES: Schema = schema(Some(&[KEYS, ATTACHMENTS, REFERENCES]), WITH_VARIANT, &POSITIVE);
/// Schema before 1.17.11.
pub(super) static WITH_VARIANTS: Schema = schema(Some(&[KEYS, ATTACHMENTS]), WITH_VARIANT, &POSITIVE);
/// Schema before 1.17.0.
pub(super) static WITH_ATTACHMENTS: Schema = schema(Some(&[KEYS, ATTACHMENTS]), WITHOUT_VARIANT, &POSITIVE);
/// Schema before 1.15.0 (1.14.34).
pub(super) static FIRST: Schema = schema(Some(&[KEYS]), WITHOUT_VARIANT, &POSITIVE);

const fn schema(keys: Option<&'static [&'static str]>, command: &'static Type, chunk_timeout: &'static Type) -> Schema {
    Schema { keys, config: Keys(&[CONFIG, OWN]), agent: AGENTS, command, chunk_timeout }
}

const KEYS: &str = "$schema shell logLevel server command skills watcher snapshot plugin share autoshare autoupdate \
     disabled_providers enabled_providers model small_model default_agent username mode agent provider mcp formatter lsp \
     instructions layout permission tools enterprise tool_output compaction experimental";
const ATTACHMENTS: &str = "attachment reference";
const REFERENCES: &str = "references";
const DEPTH: &str = "subagent_depth";

const WITH_VARIANT: &Type = &Keys(&[COMMAND, &[may("variant", &Text)]]);
const WITHOUT_VARIANT: &Type = &Keys(&[COMMAND]);

const COUNT: Type = Whole(0);

const PERMISSION: Type = Either(&[ACTION, KeysAnd(&[ACTIONS], &RULE)]);

const AGENTS: Type = Keys(&[AGENT, &[may("permission", &PERMISSION)]]);

const MCP: Type = Either(&[
    Keys(&[MCP_LOCAL, &[may("cwd", &Text)]]),
    Keys(&[
        MCP_REMOTE,
        &[may(
            "oauth",
            &Either(&[Keys(&[OAUTH, &[may("callbackPort", &POSITIVE), may("redirectUri", &Text)]]), False]),
        )],
    ]),
    Keys(&[&[must("enabled", &Flag)]]),
]);

const MODELS: Type = Map(&Keys(&[
    MODEL,
    &[
        may("interleaved", &Either(&[Flag, Text, Keys(&[&[must("field", &Text)]])])),
        may("cost", &Keys(&[COST])),
        may("modalities", &Keys(&[&[may("input output", &MEDIA)]])),
        may("status", &Words(&["alpha", "beta", "deprecated", "active"])),
        may("provider", &Keys(&[&[may("npm api", &Text)]])),
    ],
]));

const TIMEOUT: Type = Either(&[POSITIVE, False]);

const OPTIONS: Type = Keys(&[PROVIDER_OPTIONS, &[may("timeout headerTimeout", &TIMEOUT)]]);

const REFERENCE_WORDS: &[Field] = &[may("description", &Text), may("hidden", &Flag)];
const REFERENCE: Type = Either(&[
    Text,
    Keys(&[&[must("repository", &Text), may("branch", &Text)], REFERENCE_WORDS]),
    Keys(&[&[must("path", &Text)], REFERENCE_WORDS]),
]);

const IMAGE: Type = Keys(&[&[may("auto_resize", &Flag), may("max_width max_height max_base64_bytes", &POSITIVE)]]);

const OWN: &[Field] = &[
    may("shell", &Text),
    may("server", &Keys(&[SERVICE])),
    may("skills", &Keys(&[&[may("paths urls", &TEXTS)]])),
    may("references reference", &Map(&REFERENCE)),
    may("plugin", &List(&Either(&[Text, Type::Tuple(&[Text, Map(&Any)])]))),
    may("subagent_depth", &COUNT),
    may("mode agent", &Map(&AGENTS)),
    may("provider", &Map(&Keys(&[PROVIDER, &[may("options", &OPTIONS), may("models", &MODELS)]]))),
    may("mcp", &Map(&MCP)),
    may("formatter", &Either(&[Flag, Map(&FORMATTER)])),
    may("lsp", &Either(&[Flag, Type::Servers(&SERVERS)])),
    may("permission", &PERMISSION),
    may("attachment", &Keys(&[&[may("image", &IMAGE)]])),
    may("tool_output", &Keys(&[&[may("max_lines max_bytes", &POSITIVE)]])),
    may("compaction", &Keys(&[&[may("auto prune", &Flag), may("tail_turns preserve_recent_tokens reserved", &COUNT)]])),
];

pub(super) const SERVERS: Servers = Servers {
    known: "deno typescript vue eslint oxlint biome gopls ruby-lsp ty pyright elixir-ls zls csharp razor fsharp sourcekit-lsp rust clangd svelte astro jdtls kotlin-ls yaml-ls lua-ls prisma dart ocaml-lsp bash terraform texlab dockerfile gleam clojure-lsp nixd tinymist haskell-language-server julials",
    server: SERVER,
};
