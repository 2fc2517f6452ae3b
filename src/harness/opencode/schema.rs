//! The types of settings: a key that OpenCode knows must have its type, or the client stops.

use crate::formats::{Node, Value};

mod translated;
mod v1_1;
mod v1_18;

pub(super) use translated::translate;
pub(super) use v1_1::SCHEMA as V1_1;
pub(super) use v1_18::{EARLIER as V1_15, SCHEMA as V1_18};

/// What an edition takes for settings.
pub(super) struct Schema {
    /// The keys there are, with spaces between, where any other is refused.
    keys: Option<&'static str>,
    config: Type,
    agent: Type,
    command: &'static Type,
    /// How long a provider may be silent: the one of its options in which editions differ.
    chunk_timeout: &'static Type,
}

/// What a value may be.
enum Type {
    Text,
    Flag,
    Number,
    /// A number from here on.
    From(f64),
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
    /// Known keys, and no others.
    Only(&'static [(&'static str, bool, &'static Type)]),
    /// Texts under these keys, with spaces between, and no others.
    OnlyTexts(&'static str),
    /// Known keys, and a type for all others.
    KeysAnd(&'static [(&'static str, bool, &'static Type)], &'static Type),
    Either(&'static [Type]),
    /// A list of exactly these.
    Tuple(&'static [Type]),
    False,
    True,
    Any,
    /// Language servers.
    Servers(&'static Servers),
}

/// Language servers by name: those that OpenCode does not bring along need `extensions`.
struct Servers {
    /// Those it brings along, with spaces between; and `php intelephense`.
    known: &'static str,
    server: Type,
}

impl Servers {
    fn knows(&self, name: &str) -> bool {
        name == "php intelephense" || self.known.split(' ').any(|known| known == name)
    }
}

use Type::{Any, Either, Flag, Keys, KeysAnd, List, Map, Number, Text, Whole, Words};

// What is the same in all editions.
const TEXTS: Type = List(&Text);
const TEXT_MAP: Type = Map(&Text);
const POSITIVE: Type = Whole(1);
const ACTION: Type = Words(&["ask", "allow", "deny"]);
const RULE: Type = Either(&[ACTION, Map(&ACTION)]);
const MODE: Type = Words(&["subagent", "primary", "all"]);
const MEDIA: Type = List(&Words(&["text", "audio", "image", "video", "pdf"]));
const FORMATTER: Type = Keys(&[
    ("disabled", false, &Flag),
    ("command", false, &TEXTS),
    ("environment", false, &TEXT_MAP),
    ("extensions", false, &TEXTS),
]);
const COMMAND_WITHOUT_VARIANT: Type = Keys(&[
    ("template", true, &Text),
    ("description", false, &Text),
    ("agent", false, &Text),
    ("model", false, &Text),
    ("subtask", false, &Flag),
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

impl Schema {
    /// What is wrong with a settings file, as the path of the key and what it must be.
    pub fn problem(&self, config: &Node) -> Option<String> {
        let is_known = |key: &str| self.keys.is_none_or(|keys| keys.split(' ').any(|known| known == key));
        let unknown = config.as_table().unwrap_or_default().iter().find(|(key, _)| !is_known(key));
        let unknown = unknown.map(|(key, _)| (vec![key.clone()], NO_KEY.to_owned()));
        let in_commands = || config.get("command").and_then(|commands| below("command", commands, &Map(self.command)));
        let in_providers = || {
            let providers = config.get("provider")?.as_table()?.iter();
            providers.filter_map(|(name, provider)| self.chunk_timeout_problem(name, provider)).next()
        };
        unknown.or_else(|| wrong(config, &self.config)).or_else(in_commands).or_else(in_providers).map(said)
    }

    fn chunk_timeout_problem(&self, name: &str, provider: &Node) -> Option<(Vec<String>, String)> {
        let (_, wanted) = wrong(provider.at_path(&["options", "chunkTimeout"])?, self.chunk_timeout)?;
        Some((["provider", name, "options", "chunkTimeout"].map(str::to_owned).to_vec(), wanted))
    }

    /// The same for an agent's front matter.
    pub fn agent_problem(&self, agent: &Node) -> Option<String> {
        wrong(agent, &self.agent).map(said)
    }

    /// The same for a command's.
    pub fn command_problem(&self, command: &Node) -> Option<String> {
        wrong(command, self.command).map(said)
    }
}

fn said((path, wanted): (Vec<String>, String)) -> String {
    if path.is_empty() { format!("it must be {wanted}") } else { format!("`{}` must be {wanted}", path.join(".")) }
}

/// What is wanted of a key that must not be there.
const NO_KEY: &str = "left out: there is no such key";

fn wrong(node: &Node, wanted: &Type) -> Option<(Vec<String>, String)> {
    let here = |words: &str| Some((Vec::new(), words.to_owned()));
    match (wanted, &node.value) {
        (Text, Value::Text(_))
        | (Flag, Value::Bool(_))
        | (Number, Value::Integer(_) | Value::Float(_))
        | (Type::False, Value::Bool(false))
        | (Type::True, Value::Bool(true))
        | (Any, _) => None,
        (Type::From(least), Value::Integer(number)) if *number as f64 >= *least => None,
        (Type::From(least), Value::Float(number)) if number >= least => None,
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
        (Type::Only(keys), Value::Table(entries)) => {
            let unknown = entries.iter().find(|(key, _)| keys.iter().all(|(known, ..)| known != key));
            wrong(node, &Keys(keys)).or_else(|| unknown.map(|(key, _)| (vec![key.clone()], NO_KEY.to_owned())))
        }
        (Type::OnlyTexts(keys), Value::Table(entries)) => entries.iter().find_map(|(key, node)| {
            if keys.split(' ').any(|known| known == key) {
                below(key, node, &Text)
            } else {
                Some((vec![key.clone()], NO_KEY.to_owned()))
            }
        }),
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
        (Type::Servers(servers), Value::Table(entries)) => entries.iter().find_map(|(name, server)| {
            below(name, server, &servers.server).or_else(|| {
                let disabled = server.get("disabled").and_then(Node::as_bool) == Some(true);
                (!disabled && !servers.knows(name) && server.get("extensions").is_none())
                    .then(|| (vec![name.clone(), "extensions".to_owned()], "there".to_owned()))
            })
        }),
        (Text, _) => here("a string"),
        (Flag, _) => here("a boolean"),
        (Number, _) => here("a number"),
        (Type::From(least), _) => here(&format!("a number of at least {least}")),
        (Whole(least), _) => here(&format!("a whole number of at least {least}")),
        (Words(words), _) => here(&format!("one of {}", words.join(", "))),
        (Type::Color, _) => here("a colour"),
        (List(_) | Type::Tuple(_), _) => here("a list"),
        (Map(_) | Keys(_) | Type::Only(_) | Type::OnlyTexts(_) | KeysAnd(..) | Type::Servers(_), _) => {
            here("an object")
        }
        (Type::False, _) => here("false"),
        (Type::True, _) => here("true"),
    }
}

/// The same for what stands under a key.
fn below(key: &str, node: &Node, wanted: &Type) -> Option<(Vec<String>, String)> {
    wrong(node, wanted).map(|(mut path, words)| {
        path.insert(0, key.to_owned());
        (path, words)
    })
}

fn is_color(text: &str) -> bool {
    let hex = text.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()));
    hex || ["primary", "secondary", "accent", "success", "warning", "error", "info"].contains(&text)
}
