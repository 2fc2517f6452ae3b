//! The types of settings: a key that OpenCode knows must have its type, or the client stops.

use super::history as h;
use crate::formats::{Node, Value};
use crate::harness::{Change, Version};

mod translated;
mod v1_1;
mod v1_18;

pub(super) use translated::translate;

/// Returns the schema of a version.
pub(super) fn for_version(version: Version) -> &'static Schema {
    const NEWEST_FIRST: &[(&Change, &Schema)] = &[
        (&h::CHUNK_TIMEOUT, &v1_18::SCHEMA),
        (&h::OTHER_KEYS, &v1_18::WITH_OTHER_KEYS),
        (&h::SUBAGENT_DEPTH, &v1_18::WITH_DEPTH),
        (&h::REFERENCES, &v1_18::WITH_REFERENCES),
        (&h::VARIANTS, &v1_18::WITH_VARIANTS),
        (&h::OWN_SKILL, &v1_18::WITH_ATTACHMENTS),
        (&h::REWRITE, &v1_18::FIRST),
        (&h::SKILLS_BEFORE, &v1_1::WITH_CHUNKS),
    ];
    let fitting = NEWEST_FIRST.iter().find(|(change, _)| version.has(change));
    fitting.map_or(&v1_1::SCHEMA, |(_, schema)| *schema)
}

/// Schema of an edition's settings.
pub(super) struct Schema {
    /// Allowed keys, in lists separated by spaces; `None` if unknown keys are ignored.
    keys: Option<&'static [&'static str]>,
    config: Type,
    agent: Type,
    command: &'static Type,
    /// Type of a provider's option `chunkTimeout`, the only option that differs between editions.
    chunk_timeout: &'static Type,
}

/// Type of a value.
enum Type {
    Text,
    Flag,
    Number,
    /// A number, at least this one.
    From(f64),
    /// A whole number, at least this one.
    Whole(i64),
    /// One of these words.
    Words(&'static [&'static str]),
    /// A text of the form `#rrggbb`, or one of the theme's words.
    Color,
    List(&'static Type),
    Map(&'static Type),
    /// A table with known keys; all others are free.
    Keys(Fields),
    /// A table with known keys only.
    Only(Fields),
    /// A table with known keys, and a type for all others.
    KeysAnd(Fields, &'static Type),
    Either(&'static [Type]),
    /// A list of exactly these types.
    Tuple(&'static [Type]),
    False,
    True,
    Any,
    /// Language servers.
    Servers(&'static Servers),
}

/// Known keys, in groups that editions share.
type Fields = &'static [&'static [Field]];

/// Keys of one type, separated by spaces.
struct Field {
    keys: &'static str,
    needed: bool,
    of: &'static Type,
}

/// Creates optional keys.
const fn may(keys: &'static str, of: &'static Type) -> Field {
    Field { keys, needed: false, of }
}

/// Creates required keys.
const fn must(keys: &'static str, of: &'static Type) -> Field {
    Field { keys, needed: true, of }
}

impl Field {
    fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.keys.split(' ')
    }
}

/// Language servers by name: those that are not built in need `extensions`.
struct Servers {
    /// Names of the built-in servers, separated by spaces; `php intelephense` is built in as well.
    known: &'static str,
    server: Type,
}

impl Servers {
    fn knows(&self, name: &str) -> bool {
        name == "php intelephense" || self.known.split(' ').any(|known| known == name)
    }
}

use Type::{Any, Either, False, Flag, Keys, KeysAnd, List, Map, Number, Only, Text, True, Whole, Words};

// Types shared by all editions.
const TEXTS: Type = List(&Text);
const TEXT_MAP: Type = Map(&Text);
const POSITIVE: Type = Whole(1);
const ACTION: Type = Words(&["ask", "allow", "deny"]);
const RULE: Type = Either(&[ACTION, Map(&ACTION)]);
const ACTIONS: &[Field] = &[may("todowrite question webfetch websearch doom_loop", &ACTION)];
const MODE: Type = Words(&["subagent", "primary", "all"]);
const MEDIA: Type = List(&Words(&["text", "audio", "image", "video", "pdf"]));
const FORMATTER: Type =
    Keys(&[&[may("disabled", &Flag), may("command extensions", &TEXTS), may("environment", &TEXT_MAP)]]);
const COMMAND: &[Field] = &[must("template", &Text), may("description agent model", &Text), may("subtask", &Flag)];
const SERVER: Type = Either(&[
    Keys(&[&[must("disabled", &True)]]),
    Keys(&[&[
        must("command", &TEXTS),
        may("extensions", &TEXTS),
        may("disabled", &Flag),
        may("env", &TEXT_MAP),
        may("initialization", &Map(&Any)),
    ]]),
]);
/// Keys of an agent, except `permission`.
const AGENT: &[Field] = &[
    may("model variant prompt description", &Text),
    may("temperature top_p", &Number),
    may("tools", &Map(&Flag)),
    may("disable hidden", &Flag),
    may("mode", &MODE),
    may("options", &Map(&Any)),
    may("color", &Type::Color),
    may("steps maxSteps", &POSITIVE),
];
const MCP_LOCAL: &[Field] = &[
    must("type", &Words(&["local"])),
    must("command", &TEXTS),
    may("environment", &TEXT_MAP),
    may("enabled", &Flag),
    may("timeout", &POSITIVE),
];
/// Keys of a remote MCP server, except `oauth`.
const MCP_REMOTE: &[Field] = &[
    must("type", &Words(&["remote"])),
    must("url", &Text),
    may("enabled", &Flag),
    may("headers", &TEXT_MAP),
    may("timeout", &POSITIVE),
];
const OAUTH: &[Field] = &[may("clientId clientSecret scope", &Text)];
const COST: &[Field] = &[must("input output", &Number), may("cache_read cache_write", &Number)];
const MODEL: &[Field] = &[
    may("id name family release_date", &Text),
    may("attachment reasoning temperature tool_call experimental", &Flag),
    may("limit", &Keys(&[&[must("context output", &Number), may("input", &Number)]])),
    may("options", &Map(&Any)),
    may("headers", &TEXT_MAP),
    may("variants", &Map(&Keys(&[&[may("disabled", &Flag)]]))),
];
/// Keys of a provider, except `options` and `models`.
const PROVIDER: &[Field] = &[may("api name id npm", &Text), may("env whitelist blacklist", &TEXTS)];
/// Keys of a provider's options, except timeouts.
const PROVIDER_OPTIONS: &[Field] = &[may("apiKey baseURL enterpriseUrl", &Text), may("setCacheKey", &Flag)];
const SERVICE: &[Field] =
    &[may("port", &POSITIVE), may("hostname mdnsDomain", &Text), may("mdns", &Flag), may("cors", &TEXTS)];
const CONFIG: &[Field] = &[
    may("$schema model small_model default_agent username", &Text),
    may("logLevel", &Words(&["DEBUG", "INFO", "WARN", "ERROR"])),
    may("watcher", &Keys(&[&[may("ignore", &TEXTS)]])),
    may("snapshot autoshare", &Flag),
    may("share", &Words(&["manual", "auto", "disabled"])),
    may("autoupdate", &Either(&[Flag, Words(&["notify"])])),
    may("disabled_providers enabled_providers instructions", &TEXTS),
    may("layout", &Words(&["auto", "stretch"])),
    may("tools", &Map(&Flag)),
    may("enterprise", &Keys(&[&[may("url", &Text)]])),
    may(
        "experimental",
        &Keys(&[&[
            may("disable_paste_summary batch_tool openTelemetry continue_loop_on_deny", &Flag),
            may("primary_tools", &TEXTS),
            may("mcp_timeout", &POSITIVE),
        ]]),
    ),
];

impl Schema {
    /// Returns the first problem of a settings file: the path of the key, and the expected value.
    pub fn problem(&self, config: &Node) -> Option<String> {
        let is_known =
            |key: &str| self.keys.is_none_or(|keys| keys.iter().any(|list| list.split(' ').any(|known| known == key)));
        let unknown = config.as_table().unwrap_or_default().iter().find(|(key, _)| !is_known(key));
        let unknown = unknown.map(|(key, _)| (vec![key.clone()], UNKNOWN.to_owned()));
        let in_commands = || config.get("command").and_then(|commands| below("command", commands, &Map(self.command)));
        let in_providers = || {
            let providers = config.get("provider")?.as_table()?.iter();
            providers.filter_map(|(name, provider)| self.chunk_timeout_problem(name, provider)).next()
        };
        unknown.or_else(|| wrong(config, &self.config)).or_else(in_commands).or_else(in_providers).map(describe)
    }

    fn chunk_timeout_problem(&self, name: &str, provider: &Node) -> Option<(Vec<String>, String)> {
        let (_, wanted) = wrong(provider.at_path(&["options", "chunkTimeout"])?, self.chunk_timeout)?;
        Some((["provider", name, "options", "chunkTimeout"].map(str::to_owned).to_vec(), wanted))
    }

    /// Returns the first problem of an agent's front matter.
    pub fn agent_problem(&self, agent: &Node) -> Option<String> {
        wrong(agent, &self.agent).map(describe)
    }

    /// Returns the first problem of a command's front matter.
    pub fn command_problem(&self, command: &Node) -> Option<String> {
        wrong(command, self.command).map(describe)
    }
}

fn describe((path, wanted): Problem) -> String {
    if path.is_empty() { format!("it {wanted}") } else { format!("`{}` {wanted}", path.join(".")) }
}

/// Path of a key, and its problem as a predicate.
type Problem = (Vec<String>, String);

const UNKNOWN: &str = "is an unknown key";
const REQUIRED: &str = "is required";

fn wrong(node: &Node, wanted: &Type) -> Option<Problem> {
    match (wanted, &node.value) {
        (List(inner), Value::List(list)) => {
            list.iter().enumerate().find_map(|(index, node)| below(&index.to_string(), node, inner))
        }
        (Type::Tuple(types), Value::List(list)) if types.len() == list.len() => {
            let pairs = list.iter().zip(*types).enumerate();
            pairs.into_iter().find_map(|(index, (node, wanted))| below(&index.to_string(), node, wanted))
        }
        (Map(inner), Value::Table(entries)) => entries.iter().find_map(|(key, node)| below(key, node, inner)),
        (Keys(fields), Value::Table(_)) => in_fields(node, fields),
        (Only(fields), Value::Table(entries)) => {
            let unknown = || entries.iter().find(|(key, _)| field(fields, key).is_none());
            in_fields(node, fields).or_else(|| unknown().map(|(key, _)| (vec![key.clone()], UNKNOWN.to_owned())))
        }
        (KeysAnd(fields, others), Value::Table(entries)) => entries.iter().find_map(|(key, node)| {
            let wanted = field(fields, key).map_or(*others, |field| field.of);
            below(key, node, wanted)
        }),
        (Either(types), _) => in_none(node, types),
        (Type::Servers(servers), Value::Table(entries)) => {
            entries.iter().find_map(|(name, server)| in_server(servers, name, server))
        }
        (plain, value) if is(value, plain) => None,
        (other, _) => Some((Vec::new(), format!("must be {}", words(other)))),
    }
}

/// Returns the field to which a key belongs.
fn field(fields: Fields, key: &str) -> Option<&'static Field> {
    fields.iter().copied().flatten().find(|field| field.keys().any(|known| known == key))
}

fn in_fields(node: &Node, fields: Fields) -> Option<Problem> {
    let mut keys = fields.iter().copied().flatten().flat_map(|field| field.keys().map(move |key| (key, field)));
    keys.find_map(|(key, field)| match node.get(key) {
        Some(node) => below(key, node, field.of),
        None => field.needed.then(|| (vec![key.to_owned()], REQUIRED.to_owned())),
    })
}

/// If no type matches, returns the problem of the one that matches furthest.
fn in_none(node: &Node, types: &[Type]) -> Option<Problem> {
    let problems: Option<Vec<Problem>> = types.iter().map(|wanted| wrong(node, wanted)).collect();
    problems?.into_iter().max_by_key(|(path, _)| path.len())
}

fn in_server(servers: &Servers, name: &str, server: &Node) -> Option<Problem> {
    below(name, server, &servers.server).or_else(|| {
        let disabled = server.get("disabled").and_then(Node::as_bool) == Some(true);
        (!disabled && !servers.knows(name) && server.get("extensions").is_none())
            .then(|| (vec![name.to_owned(), "extensions".to_owned()], REQUIRED.to_owned()))
    })
}

/// Returns true if a value has a type without parts.
fn is(value: &Value, plain: &Type) -> bool {
    match (plain, value) {
        (Text, Value::Text(_)) | (Flag, Value::Bool(_)) | (Number, Value::Integer(_) | Value::Float(_)) | (Any, _) => {
            true
        }
        (Type::From(least), Value::Integer(number)) => *number as f64 >= *least,
        (Type::From(least), Value::Float(number)) => number >= least,
        (Whole(least), Value::Integer(number)) => number >= least,
        (Whole(least), Value::Float(number)) => number.fract() == 0.0 && *number >= *least as f64,
        (Words(words), Value::Text(text)) => words.contains(&text.as_str()),
        (Type::Color, Value::Text(text)) => is_color(text),
        (True, Value::Bool(flag)) => *flag,
        (False, Value::Bool(flag)) => !flag,
        _ => false,
    }
}

/// Describes the expected value.
fn words(wanted: &Type) -> String {
    let word = match wanted {
        Text => "a string",
        Flag => "a boolean",
        Number => "a number",
        Type::From(least) => return format!("a number of at least {least}"),
        Whole(least) => return format!("a whole number of at least {least}"),
        Words(words) => return format!("one of {}", words.join(", ")),
        Type::Color => "a colour",
        List(_) | Type::Tuple(_) => "a list",
        Map(_) | Keys(_) | Only(_) | KeysAnd(..) | Type::Servers(_) => "an object",
        False => "false",
        True => "true",
        Any | Either(_) => "anything",
    };
    word.to_owned()
}

/// Returns the problem of the value under a key.
fn below(key: &str, node: &Node, wanted: &Type) -> Option<Problem> {
    wrong(node, wanted).map(|(mut path, words)| {
        path.insert(0, key.to_owned());
        (path, words)
    })
}

fn is_color(text: &str) -> bool {
    let hex = text.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()));
    hex || ["primary", "secondary", "accent", "success", "warning", "error", "info"].contains(&text)
}
