//! The types of settings: a key that OpenCode knows must have its type, or the client stops. Unknown keys are ignored.
//!
//! From the schema in the client 1.18.33 (`ConfigV1.Info`).

use crate::formats::{Node, Value};

/// What a value may be.
enum Type {
    Text,
    Flag,
    Number,
    /// A whole number from here on.
    Whole(i64),
    /// One of these words.
    Words(&'static [&'static str]),
    /// A text of the form `#rrggbb` or one of the theme's words.
    Color,
    List(&'static Type),
    Map(&'static Type),
    /// Known keys, with whether they are needed; all others are free.
    Keys(&'static [(&'static str, bool, &'static Type)]),
    /// Known keys, and a type for all others.
    KeysAnd(&'static [(&'static str, bool, &'static Type)], &'static Type),
    Either(&'static [Type]),
    /// A list of exactly these.
    Tuple(&'static [Type]),
    False,
    True,
    Any,
    /// Language servers: those OpenCode does not know need `extensions`.
    Servers,
}

use Type::{Any, Either, Flag, Keys, KeysAnd, List, Map, Number, Text, Whole, Words};

const TEXTS: Type = List(&Text);
const TEXT_MAP: Type = Map(&Text);
const POSITIVE: Type = Whole(1);
const COUNT: Type = Whole(0);
const ACTION: Type = Words(&["ask", "allow", "deny"]);
const RULE: Type = Either(&[ACTION, Map(&ACTION)]);

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
    ("mode", false, &Words(&["subagent", "primary", "all"])),
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

const MEDIA: Type = List(&Words(&["text", "audio", "image", "video", "pdf"]));

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
            ("chunkTimeout", false, &TIMEOUT),
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

const FORMATTER: Type = Keys(&[
    ("disabled", false, &Flag),
    ("command", false, &TEXTS),
    ("environment", false, &TEXT_MAP),
    ("extensions", false, &TEXTS),
]);

const SERVER: Type = Either(&[
    Keys(&[("disabled", true, &Type::True)]),
    Keys(&[
        ("command", true, &TEXTS),
        ("extensions", false, &TEXTS),
        ("disabled", false, &Flag),
        ("env", false, &TEXT_MAP),
        ("initialization", false, &Map(&Any)),
    ]),
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
    ("command", false, &Map(&COMMAND)),
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
    ("lsp", false, &Either(&[Flag, Type::Servers])),
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

/// The language servers that OpenCode brings along; 1.18.33.
const BUILT_IN_SERVERS: &str = "deno typescript vue eslint oxlint biome gopls ruby-lsp ty pyright elixir-ls zls csharp razor fsharp sourcekit-lsp rust clangd svelte astro jdtls kotlin-ls yaml-ls lua-ls prisma dart ocaml-lsp bash terraform texlab dockerfile gleam clojure-lsp nixd tinymist haskell-language-server julials";

/// What is wrong with a settings file, as the path of the key and what it must be.
pub(super) fn problem(config: &Node) -> Option<String> {
    wrong(config, &CONFIG).map(said)
}

/// The same for an agent's front matter.
pub(super) fn agent_problem(agent: &Node) -> Option<String> {
    wrong(agent, &AGENT).map(said)
}

fn said((path, wanted): (Vec<String>, String)) -> String {
    if path.is_empty() { format!("it must be {wanted}") } else { format!("`{}` must be {wanted}", path.join(".")) }
}

fn wrong(node: &Node, wanted: &Type) -> Option<(Vec<String>, String)> {
    let here = |words: &str| Some((Vec::new(), words.to_owned()));
    let below = |key: &str, node: &Node, wanted: &Type| {
        wrong(node, wanted).map(|(mut path, words)| {
            path.insert(0, key.to_owned());
            (path, words)
        })
    };
    match (wanted, &node.value) {
        (Text, Value::Text(_))
        | (Flag, Value::Bool(_))
        | (Number, Value::Integer(_) | Value::Float(_))
        | (Type::False, Value::Bool(false))
        | (Type::True, Value::Bool(true))
        | (Any, _) => None,
        (Whole(least), Value::Integer(number)) if number >= least => None,
        (Whole(least), Value::Float(number)) if number.fract() == 0.0 && *number >= *least as f64 => None,
        (Words(words), Value::Text(text)) if words.contains(&text.as_str()) => None,
        (Type::Color, Value::Text(text)) if is_color(text) => None,
        (List(inner), Value::List(list)) => {
            list.iter().enumerate().find_map(|(index, node)| below(&index.to_string(), node, inner))
        }
        (Type::Tuple(types), Value::List(list)) if types.len() == list.len() => list
            .iter()
            .zip(*types)
            .enumerate()
            .find_map(|(index, (node, wanted))| below(&index.to_string(), node, wanted)),
        (Map(inner), Value::Table(entries)) => entries.iter().find_map(|(key, node)| below(key, node, inner)),
        (Keys(keys), Value::Table(entries)) => keys
            .iter()
            .find_map(|(key, needed, wanted)| match node.get(key) {
                Some(node) => below(key, node, wanted),
                None if *needed => Some((vec![(*key).to_owned()], "there".to_owned())),
                None => None,
            })
            .filter(|_| !entries.is_empty() || keys.iter().any(|(_, needed, _)| *needed)),
        (KeysAnd(keys, others), Value::Table(entries)) => entries.iter().find_map(|(key, node)| {
            let wanted = keys.iter().find(|(known, ..)| known == key).map_or(*others, |(.., wanted)| *wanted);
            below(key, node, wanted)
        }),
        (Either(types), _) => {
            if types.iter().any(|wanted| wrong(node, wanted).is_none()) {
                return None;
            }
            // The one that fits best says what is wrong.
            types.iter().filter_map(|wanted| wrong(node, wanted)).max_by_key(|(path, _)| path.len())
        }
        (Type::Servers, Value::Table(entries)) => entries.iter().find_map(|(name, server)| {
            below(name, server, &SERVER).or_else(|| {
                let disabled = server.get("disabled").and_then(Node::as_bool) == Some(true);
                let known = name == "php intelephense" || BUILT_IN_SERVERS.split(' ').any(|known| known == name);
                (!disabled && !known && server.get("extensions").is_none())
                    .then(|| (vec![name.clone(), "extensions".to_owned()], "there".to_owned()))
            })
        }),
        (Text, _) => here("a string"),
        (Flag, _) => here("a boolean"),
        (Number, _) => here("a number"),
        (Whole(least), _) => here(&format!("a whole number of at least {least}")),
        (Words(words), _) => here(&format!("one of {}", words.join(", "))),
        (Type::Color, _) => here("a colour"),
        (List(_) | Type::Tuple(_), _) => here("a list"),
        (Map(_) | Keys(_) | KeysAnd(..) | Type::Servers, _) => here("an object"),
        (Type::False, _) => here("false"),
        (Type::True, _) => here("true"),
    }
}

fn is_color(text: &str) -> bool {
    let hex = text.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()));
    hex || ["primary", "secondary", "accent", "success", "warning", "error", "info"].contains(&text)
}
