//! Switches: everything of a client that can change what it sends, as a table of data
//! (`data/clients/ID/switches.toml`).
//!
//! A row is covered by a recorded case, or is doubted. If a doubted switch is set, the answer is not exact and names
//! the switch. Answers read `doubts.json` next to the table, the part that they need, because parsing whole tables
//! would cost more than an answer; `UPDATE=1 cargo test switches` writes it. `tests/conformance/switches ID` compares a
//! table with an installed client.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Certain, Standpoint};
use crate::formats::{Node, Value, parse_jsonc, parse_toml, parse_yaml};
use crate::search::{Known, Search};

/// Returns the table of the client with this id, parsed once.
macro_rules! table {
    ($id:literal) => {{
        use std::sync::LazyLock;
        use $crate::harness::Switches;
        const JSON: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/clients/", $id, "/doubts.json"));
        static TABLE: LazyLock<Switches> = LazyLock::new(|| Switches::parse(JSON));
        &*TABLE
    }};
}
pub(crate) use table;

/// Switches of one client.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switches {
    /// Version of the client that was examined.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Settings files by the names that rows use, each with its possible places. The first place whose variable is set
    /// counts: `$VIBE_HOME/config.toml`, `~/.vibe/config.toml`. `./` is the working directory, `:/` the root of the
    /// repository.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Vec<String>>,
    /// Rows of the table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub switch: Vec<Switch>,
    /// Names that were examined and change no instructions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<Silent>,
    /// Ways to find names in the installed client, for `tests/conformance/switches`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidates>,
}

/// One thing that can change what the client sends.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Variable, keys joined by dots, option with its dashes, path of the file, or a few words.
    pub name: String,
    /// Kind of the switch.
    pub kind: Kind,
    /// Names of the settings files that may contain the key, or of the file itself if a variable moves it.
    #[serde(default, rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Effect, as the rest of a sentence that begins with the name.
    pub does: String,
    /// Cases that cover it: file names in the client's folder of `tests/cases`, without extension.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
    /// Property of an answer that is uncertain while the switch is set, because no case covers all of its effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Loses>,
    /// Values that have no effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
}

/// Kind of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An environment variable.
    Variable,
    /// A key of a settings file.
    Key,
    /// A command-line option.
    Option,
    /// A file or folder that has an effect if it exists.
    File,
    /// A way in which the client reads: a limit, an encoding, a comparison of names. It is always on, so only cases can
    /// cover it.
    Behaviour,
}

/// Property of an answer that a doubted switch makes uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loses {
    /// The exact text.
    Text,
    /// The order.
    Order,
    /// The set of files that are sent.
    Set,
}

/// Names that were examined and change no instructions.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Silent {
    /// Purpose of the names.
    pub why: String,
    /// Settings files in which the names are keys. All keys of these files were examined; any other key is doubted.
    #[serde(default, rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Type of the values that were tried; values of other types are doubted. `None` if all types were tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes: Option<Type>,
    /// Names; `*` matches any text. In a key, `*` may only end a part; a key includes the keys below it.
    pub names: Vec<String>,
}

/// Type of a value in a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// True or false.
    Flag,
    /// A number, with a point or without.
    Number,
    /// A text.
    Text,
    /// A list.
    List,
    /// A table.
    Table,
}

/// Way to find names in an installed client.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidates {
    /// Files below the folder of installed clients, as glob patterns.
    pub files: Vec<String>,
    /// Regular expressions. The name is the first group, or the whole match if there is none.
    pub patterns: Vec<String>,
}

impl Switches {
    /// Table of a client without switches.
    pub const NONE: &Switches = &Switches {
        version: String::new(),
        files: BTreeMap::new(),
        switch: Vec::new(),
        silent: Vec::new(),
        candidates: Vec::new(),
    };

    /// Parses the part of a table that answers need. Invalid JSON yields an empty table; a test parses every table.
    pub fn parse(json: &str) -> Switches {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// Returns the part that answers need: the doubted switches and the names of the known options and keys.
    pub fn for_answers(&self) -> Switches {
        let examined: BTreeSet<&String> = self.examined().collect();
        let is_needed = |switch: &&Switch| {
            let is_known_key = switch.kind == Kind::Key && switch.files.iter().any(|file| examined.contains(file));
            switch.doubt.is_some() || switch.kind == Kind::Option || is_known_key
        };
        let switch: Vec<Switch> =
            self.switch.iter().filter(is_needed).map(|one| Switch { cases: Vec::new(), ..one.clone() }).collect();
        let known = |silent: &Silent| Silent {
            why: String::new(),
            files: silent.files.clone(),
            takes: silent.takes,
            names: silent
                .names
                .iter()
                .filter(|name| !silent.files.is_empty() || name.starts_with('-'))
                .cloned()
                .collect(),
        };
        let silent: Vec<Silent> = self.silent.iter().map(known).filter(|silent| !silent.names.is_empty()).collect();
        let is_used =
            |name: &String| examined.contains(name) || switch.iter().any(|switch| switch.files.contains(name));
        let files = self.files.iter().filter(|(name, _)| is_used(name));
        Switches {
            version: self.version.clone(),
            files: files.map(|(name, places)| (name.clone(), places.clone())).collect(),
            silent,
            switch,
            candidates: Vec::new(),
        }
    }

    /// Doubts an answer for every switch that is set and not covered by a case.
    pub(crate) fn doubt(&self, id: &str, at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<()> {
        let places = Places { at, root: answer.root.as_deref().unwrap_or(&at.cwd).to_owned() };
        let mut read = BTreeMap::new();
        for switch in &self.switch {
            let Some(loses) = switch.doubt else { continue };
            let name = &switch.name;
            let found = match switch.kind {
                Kind::Variable => search.env(name).filter(|value| switch.counts(value)).map(|_| "is set".to_owned()),
                Kind::Option => {
                    at.options.get(id).and_then(|options| options.get(bare(name))).map(|_| "is given".to_owned())
                }
                Kind::File => match self.place_of(switch, &places, search) {
                    Some(path) => search.stat(&path, "a switch")?.is_ok().then(|| "is there".to_owned()),
                    None => None,
                },
                Kind::Key => {
                    for file in &switch.files {
                        if !read.contains_key(file.as_str()) {
                            read.insert(file.as_str(), self.settings(file, &places, search)?);
                        }
                    }
                    let keys: Vec<&str> = name.split('.').collect();
                    let mut settings = switch.files.iter().filter_map(|file| read[file.as_str()].as_ref());
                    // VS Code writes the dots of a name.
                    let value = |node: &Node| node.get(name).or_else(|| node.at_path(&keys)).map(plainly);
                    let set = |node: &Node| value(node).is_some_and(|value| switch.counts(&value));
                    settings.find(|(_, node)| set(node)).map(|(path, _)| format!("is set in {}", path.display()))
                }
                Kind::Behaviour => None,
            };
            if let Some(found) = found {
                answer.doubt(loses.parts(), format!("{name} {found}: it {}", switch.does));
            }
        }
        self.doubt_unknown_options(id, at, answer);
        self.doubt_unknown_keys(&places, search, answer)
    }

    /// Returns the names of the settings files whose keys were all examined.
    fn examined(&self) -> impl Iterator<Item = &String> {
        self.silent.iter().flat_map(|silent| &silent.files)
    }

    /// Doubts an answer for keys that are not in the table, in settings files whose keys were all examined.
    fn doubt_unknown_keys(&self, places: &Places, search: &mut Search, answer: &mut Answer) -> Known<()> {
        for file in self.examined().collect::<BTreeSet<_>>() {
            let Some((path, settings)) = self.settings(file, places, search)? else { continue };
            let rows = self.switch.iter().filter(|row| row.kind == Kind::Key && row.files.contains(file));
            let rows = rows.map(|row| (&row.name, None));
            let silent = self.silent.iter().filter(|silent| silent.files.contains(file));
            let silent = silent.flat_map(|silent| silent.names.iter().map(|name| (name, silent.takes)));
            let known: Vec<Examined> =
                rows.chain(silent).map(|(name, takes)| Examined { parts: name.split('.').collect(), takes }).collect();
            for key in unknown_keys(&settings, &known, 0) {
                let reason = format!("what the key {key} in {} does to instructions is not known", path.display());
                answer.doubt(Loses::Set.parts(), reason);
            }
        }
        Ok(())
    }

    /// Doubts an answer for options that are not in the table. Does nothing for a client without a table.
    fn doubt_unknown_options(&self, id: &str, at: &Standpoint, answer: &mut Answer) {
        let Some(given) = at.options.get(id).filter(|_| !self.version.is_empty()) else { return };
        let options = self.switch.iter().filter(|switch| switch.kind == Kind::Option);
        let silent = self.silent.iter().flat_map(|silent| &silent.names);
        let known: BTreeSet<&str> = options.map(|switch| &switch.name).chain(silent).map(|name| bare(name)).collect();
        for name in given.keys().filter(|name| !known.contains(name.as_str())) {
            let reason = format!("what the option {name} does to instructions is not known");
            answer.doubt(Loses::Set.parts(), reason);
        }
    }

    /// Returns the path of the settings file with this name.
    fn file(&self, name: &str, places: &Places, search: &Search) -> Option<PathBuf> {
        self.files.get(name)?.iter().find_map(|written| places.find(written, search))
    }

    fn place_of(&self, switch: &Switch, places: &Places, search: &Search) -> Option<PathBuf> {
        switch.files.first().map_or_else(|| places.find(&switch.name, search), |name| self.file(name, places, search))
    }

    /// Reads and parses the settings file with this name; returns its path too.
    fn settings(&self, file: &str, places: &Places, search: &mut Search) -> Known<Option<(PathBuf, Node)>> {
        let Some(path) = self.file(file, places, search) else { return Ok(None) };
        let Ok(raw) = search.read(&path, "its switches")? else { return Ok(None) };
        let text = raw.text();
        let parsed = match path.extension().and_then(|ending| ending.to_str()) {
            Some("toml") => parse_toml(&text),
            Some("json" | "jsonc") => parse_jsonc(&text),
            _ => parse_yaml(&text),
        };
        Ok(parsed.ok().map(|node| (path, node)))
    }
}

impl Switch {
    /// Returns true unless the value has no effect.
    fn counts(&self, value: &str) -> bool {
        !self.unless.iter().any(|inert| inert == value)
    }
}

impl Loses {
    fn parts(self) -> &'static [Certain] {
        match self {
            Loses::Text => &[Certain::Text],
            Loses::Order => &[Certain::Order],
            Loses::Set => &[Certain::Set],
        }
    }
}

/// Key that was examined.
#[derive(Clone)]
struct Examined<'a> {
    parts: Vec<&'a str>,
    takes: Option<Type>,
}

/// Returns the keys below a node that were not examined, or not with a value of this type. The first `depth` parts of
/// each of the `known` keys lead to the node.
fn unknown_keys(node: &Node, known: &[Examined], depth: usize) -> Vec<String> {
    let mut unknown = Vec::new();
    for (key, value) in node.as_table().unwrap_or_default() {
        let is_named = |known: &&Examined| known.parts.get(depth).is_some_and(|part| matches(part, key));
        let below: Vec<Examined> = known.iter().filter(is_named).cloned().collect();
        let here = below.iter().find(|known| known.parts.len() == depth + 1);
        if here.is_some_and(|known| known.takes.is_none_or(|takes| takes.has(value))) {
            continue;
        }
        match value.as_table() {
            Some(_) if here.is_none() && !below.is_empty() => {
                let keys = unknown_keys(value, &below, depth + 1);
                unknown.extend(keys.into_iter().map(|rest| format!("{key}.{rest}")));
            }
            _ => unknown.push(key.clone()),
        }
    }
    unknown
}

impl Type {
    fn has(self, node: &Node) -> bool {
        match node.value {
            Value::Bool(_) => self == Type::Flag,
            Value::Integer(_) | Value::Float(_) => self == Type::Number,
            Value::Text(_) | Value::Date(_) => self == Type::Text,
            Value::List(_) => self == Type::List,
            Value::Table(_) => self == Type::Table,
            Value::Null => false,
        }
    }
}

/// Returns true if a part of a known key, which may end in `*`, matches a part of a key.
fn matches(known: &str, part: &str) -> bool {
    known.strip_suffix('*').map_or(known == part, |start| part.starts_with(start))
}

/// Returns the name of an option without its dashes, as in a standpoint.
fn bare(option: &str) -> &str {
    option.trim_start_matches('-')
}

/// Directories that places of a table begin with.
struct Places<'a> {
    at: &'a Standpoint,
    root: PathBuf,
}

impl Places<'_> {
    /// Resolves a place, if its variable is set.
    fn find(&self, written: &str, search: &Search) -> Option<PathBuf> {
        let (start, below) = written.split_once('/').unwrap_or((written, ""));
        let start = match (start.strip_prefix('$'), start) {
            (Some(variable), _) => self.at.cwd.join(search.env(variable).filter(|value| !value.is_empty())?),
            (None, "~") => self.at.home.clone(),
            (None, ".") => self.at.cwd.clone(),
            (None, ":") => self.root.clone(),
            (None, _) => PathBuf::from("/"),
        };
        Some(if below.is_empty() { start } else { start.join(Path::new(below)) })
    }
}

/// Formats a value as in `Switch::unless`.
fn plainly(node: &Node) -> String {
    match &node.value {
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Text(text) | Value::Date(text) => text.clone(),
        Value::Null => "null".to_owned(),
        Value::List(list) if list.is_empty() => "[]".to_owned(),
        Value::Table(table) if table.is_empty() => "{}".to_owned(),
        Value::List(_) | Value::Table(_) => "…".to_owned(),
    }
}
