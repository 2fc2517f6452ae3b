//! The types that keys must have in each version.

mod features;
mod keys;
mod tables;

use super::history as h;
use super::layers::Layers;
use crate::answer::Refusal;
use crate::formats::{Node, Value};
use crate::harness::Version;
use crate::text::list;

/// Type that a key must have.
#[derive(Clone, Copy)]
pub(super) enum Type {
    Text,
    /// A text that is not empty.
    Filled,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, or a table.
    WordOrTable(&'static [&'static str]),
    /// One of these words, or a table `granular` with all required keys.
    WordOrGranular(&'static [&'static str]),
    Bool,
    Integer,
    /// An integer from 0.
    Size,
    /// An integer from 0 to 65535.
    Port,
    /// An integer from the first to the second.
    Within(i64, i64),
    /// A number from 0, whole or not.
    Number,
    /// Any number.
    Decimal,
    Integers,
    /// A text of letters, digits, `-` and `_`.
    Identifier,
    Texts,
    TextOrTexts,
    BoolOrTexts,
    List,
    /// A table; its content is not checked.
    Table,
    TableOfTexts,
    TableOfWords(&'static [&'static str]),
    TableOfBools,
    /// File permissions of a profile: an access per name, or tables of those.
    Filesystem,
    /// A table with known keys; others are ignored.
    Keys(&'static [(&'static str, Type)]),
    /// Like `Keys`, or an empty list.
    KeysOrEmpty(&'static [(&'static str, Type)]),
    /// Like `Keys`, or a boolean.
    BoolOrKeys(&'static [(&'static str, Type)]),
    /// A table of tables.
    Tables,
    /// A table of tables with known keys.
    TablesOf(&'static [(&'static str, Type)]),
    /// `model_providers`: like `TablesOf`, and each needs a name.
    Providers(&'static [tables::Fields]),
    /// `mcp_servers`: like `TablesOf`, and each is a program or has a URL.
    Servers(&'static [tables::Fields]),
    /// A table of booleans; these features may be tables.
    Features(&'static [features::Feature]),
    /// `skills`: disables skills by path, or also by name.
    Skills(By),
    /// `agents`: tables, and settings for all agents.
    Agents(tables::Fields),
}

/// Key that identifies a single disabled skill.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Path,
    PathOrName,
}

/// Checks of the settings in a version. Codex also stops at wrong types of other keys, which is not noticed here.
#[derive(Clone)]
pub(super) struct Checks {
    pub keys: Vec<(&'static str, Type)>,
    /// Types of the keys of a table in `profiles`.
    pub profile_keys: tables::Fields,
    /// Consistency check of the settings in `[features]`.
    pub features: Together,
    /// The features that may be tables.
    tables: &'static [features::Feature],
    /// Built-in providers, which may be chosen without a definition and must not be defined; `None` if the version does
    /// not check that.
    pub own_providers: Option<&'static [&'static str]>,
}

/// Consistency check of a feature's settings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Together {
    Checked,
    Unchecked,
}

impl Checks {
    /// Returns the checks of a version.
    pub fn for_version(version: Version) -> Checks {
        let (keys, profile_keys) =
            version.pick(&h::PROFILE_FILES, (keys::V0_169, keys::V0_169_PROFILE), (keys::V0_104, keys::V0_104_PROFILE));
        let mut checks = Checks {
            keys: keys.to_vec(),
            profile_keys,
            features: version.pick(&h::PROFILE_FILES, Together::Checked, Together::Unchecked),
            tables: features::tables(version),
            own_providers: version.pick(&h::TARGETS, Some(&tables::OWN_PROVIDERS), None),
        };
        for (came, key, before) in [
            (&h::CD_KEEPS_LINKS, "model_reasoning_effort", keys::EFFORT_104),
            (&h::GIT_HOLDS_HEAD, "approval_policy", keys::APPROVAL_134),
            (&h::PROFILE_FILES, "approval_policy", keys::APPROVAL_104),
            (&h::MODEL_IS_FILLED, "model", Type::Text),
        ] {
            if !version.has(came) {
                checks.take(key, before);
            }
        }
        checks.take("features", Type::Features(checks.tables));
        checks.take("agents", Type::Agents(version.pick(&h::MARKERS, tables::AGENTS, tables::AGENTS_104)));
        checks.take("skills", Type::Skills(version.pick(&h::SKILLS_BY_NAME, By::PathOrName, By::Path)));
        checks
    }

    /// Changes the type of a key.
    fn take(&mut self, key: &str, wanted: Type) {
        for (_, takes) in self.keys.iter_mut().filter(|(name, _)| *name == key) {
            *takes = wanted;
        }
    }

    /// Returns what stops Codex: the first key with a wrong type, or inconsistent settings.
    pub fn wrong(&self, layers: &Layers) -> Option<Refusal> {
        let profiles = layers.names(&["profiles"]);
        let of_profiles = profiles.iter().map(|&name| (vec!["profiles", name], self.profile_keys));
        let mut tables = std::iter::once((Vec::new(), self.keys.as_slice())).chain(of_profiles);
        tables
            .find_map(|(table, types)| wrong_below(layers, &table, types))
            .or_else(|| (self.features == Together::Checked).then(|| features::inconsistent(layers, self.tables))?)
            .or_else(|| self.own_providers.and_then(|own| wrong_provider(layers, own)))
            .or_else(|| wrong_project(layers))
    }

    /// Returns the settings that the client may refuse: unknown keys in the tables of features.
    pub fn unchecked(&self, layers: &Layers) -> Vec<String> {
        let tables = self.keys.iter().filter_map(|(key, wanted)| match wanted {
            Type::Features(known) => Some((*key, *known)),
            _ => None,
        });
        let in_table = |(key, known): (&str, &[features::Feature])| -> Vec<String> {
            let of = |feature: &features::Feature| {
                let unknown = features::unknown(layers, &[key, feature.name], feature)?;
                Some(format!("{key}.{}.{unknown}", feature.name))
            };
            known.iter().filter_map(of).collect()
        };
        tables.flat_map(in_table).collect()
    }
}

/// Returns the first invalid entry of `projects`.
fn wrong_project(layers: &Layers) -> Option<Refusal> {
    let refused = |from: &str, message: String| Some(Refusal::new(from, message));
    let (projects, from) = layers.value(&["projects"])?;
    if projects.as_table().is_none() {
        return refused(from, projects.value.must_be("`projects`", "a table"));
    }
    layers.names(&["projects"]).into_iter().find_map(|path| {
        let (entry, from) = layers.value(&["projects", path])?;
        if entry.as_table().is_none() {
            return refused(from, entry.value.must_be(&format!("the entry of {path:?}"), "a table"));
        }
        let (level, from) = layers.value(&["projects", path, "trust_level"])?;
        if matches!(level.as_text(), Some("trusted" | "untrusted")) {
            return None;
        }
        refused(from, format!("the trust_level of {path:?} must be \"trusted\" or \"untrusted\""))
    })
}

/// Returns the first key of the table at `path` with a wrong type.
fn wrong_below(layers: &Layers, path: &[&str], types: &[(&str, Type)]) -> Option<Refusal> {
    for (key, wanted) in types {
        let path: Vec<&str> = path.iter().copied().chain([*key]).collect();
        let Some((node, from)) = layers.value(&path) else { continue };
        if let Err(words) = check(node, *wanted) {
            let message = node.value.must_be(&format!("`{}`", path.join(".")), &words);
            return Some(Refusal::new(from, message));
        }
        let below = match *wanted {
            Type::Keys(types) | Type::KeysOrEmpty(types) | Type::BoolOrKeys(types) => wrong_below(layers, &path, types),
            Type::TablesOf(types) => wrong_tables(layers, &path, &[types], *wanted),
            Type::Providers(types) | Type::Servers(types) => wrong_tables(layers, &path, types, *wanted),
            Type::Agents(types) => wrong_below(layers, &path, types),
            Type::Features(known) => known.iter().find_map(|feature| features::wrong(layers, &path, feature)),
            _ => None,
        };
        if below.is_some() {
            return below;
        }
    }
    None
}

/// Returns the first error in the tables at `path`.
fn wrong_tables(layers: &Layers, path: &[&str], types: &[tables::Fields], wanted: Type) -> Option<Refusal> {
    layers.names(path).into_iter().find_map(|name| {
        let entry: Vec<&str> = path.iter().copied().chain([name]).collect();
        let below = types.iter().find_map(|types| wrong_below(layers, &entry, types));
        below.or_else(|| wrong_entry(layers, &entry, wanted))
    })
}

/// Returns what is missing or inconsistent in a provider or a server.
fn wrong_entry(layers: &Layers, path: &[&str], wanted: Type) -> Option<Refusal> {
    let (_, from) = layers.value(path)?;
    let has = |key: &&str| layers.value(&path.iter().copied().chain([*key]).collect::<Vec<_>>()).is_some();
    let refused = |what: String| Some(Refusal::new(from, format!("`{}` {what}", path.join("."))));
    if let Type::Providers(_) = wanted {
        return if has(&"name") { None } else { refused("must have a `name`".to_owned()) };
    }
    let Type::Servers(_) = wanted else { return None };
    let (kind, others) = match (has(&"command"), has(&"url")) {
        (true, _) => ("a program", tables::NOT_OF_PROGRAMS),
        (false, true) => ("behind a URL", tables::NOT_OF_URLS),
        (false, false) => return refused("must have a `command` or a `url`".to_owned()),
    };
    let other = others.iter().find(|key| has(key))?;
    refused(format!("is {kind}, and must have no `{other}`"))
}

/// Refuses a definition of a built-in provider, and a chosen provider that is not defined.
fn wrong_provider(layers: &Layers, own: &[&str]) -> Option<Refusal> {
    let described = layers.names(&["model_providers"]);
    if let Some(name) = described.iter().find(|name| own.contains(name)) {
        let (_, from) = layers.value(&["model_providers", name])?;
        return Some(Refusal::new(
            from,
            format!("`model_providers` must not define {name:?}, a provider of Codex itself"),
        ));
    }
    let (chosen, from) = layers.value(&["model_provider"])?;
    let name = chosen.as_text()?;
    let is_known = own.contains(&name) || described.contains(&name);
    (!is_known)
        .then(|| Refusal::new(from, format!("`model_provider` is {name:?}, which `model_providers` does not define")))
}

/// Fails with a description of the expected type if a value has another one.
fn check(node: &Node, wanted: Type) -> Result<(), String> {
    if fits(node, wanted) { Ok(()) } else { Err(words(wanted)) }
}

fn fits(node: &Node, wanted: Type) -> bool {
    let value = &node.value;
    // Dates count as text.
    let is_text = node.as_text().is_some() || matches!(value, Value::Date(_));
    let is_table = node.as_table().is_some();
    let is_one_of = |known: &[&str]| node.as_text().is_some_and(|word| known.contains(&word));
    match wanted {
        Type::Text => is_text,
        Type::Filled => is_text && node.as_text() != Some(""),
        Type::Word(known) => is_one_of(known),
        Type::WordOrTable(known) => is_table || is_one_of(known),
        Type::WordOrGranular(known) => is_granular(node) || is_one_of(known),
        Type::Identifier => node.as_text().is_some_and(is_identifier),
        Type::Bool => node.as_bool().is_some(),
        Type::Integer => matches!(value, Value::Integer(_)),
        Type::Size => matches!(value, Value::Integer(0..)),
        Type::Port => matches!(value, Value::Integer(0..=65_535)),
        Type::Within(least, most) => matches!(value, Value::Integer(number) if (least..=most).contains(number)),
        Type::Number => match *value {
            Value::Integer(number) => number >= 0,
            Value::Float(number) => number >= 0.0,
            _ => false,
        },
        Type::Decimal => matches!(value, Value::Integer(_) | Value::Float(_)),
        Type::List => node.as_list().is_some(),
        Type::Integers => node.as_list().is_some_and(|list| list.iter().all(|one| fits(one, Type::Integer))),
        Type::Texts => node.as_texts().is_some(),
        Type::TextOrTexts => is_text || node.as_texts().is_some(),
        Type::BoolOrTexts => node.as_bool().is_some() || node.as_texts().is_some(),
        Type::BoolOrKeys(_) => node.as_bool().is_some() || is_table,
        Type::Table | Type::Keys(_) => is_table,
        Type::KeysOrEmpty(_) => is_table || is_empty_list(node),
        Type::Skills(by) => is_empty_list(node) || is_skills(node, by),
        Type::TableOfTexts
        | Type::TableOfWords(_)
        | Type::TableOfBools
        | Type::Filesystem
        | Type::Tables
        | Type::TablesOf(_)
        | Type::Providers(_)
        | Type::Servers(_)
        | Type::Features(_)
        | Type::Agents(_) => {
            node.as_table().is_some_and(|table| table.iter().all(|(name, value)| is_entry(name, value, wanted)))
        }
    }
}

fn is_empty_list(node: &Node) -> bool {
    matches!(&node.value, Value::List(list) if list.is_empty())
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Returns true if an entry is allowed in a table of the type `of`.
fn is_entry(name: &str, value: &Node, of: Type) -> bool {
    match of {
        Type::TableOfTexts => value.as_text().is_some(),
        Type::TableOfWords(known) => value.as_text().is_some_and(|word| known.contains(&word)),
        Type::TableOfBools => value.as_bool().is_some(),
        Type::Filesystem => match &value.value {
            Value::Integer(depth) => name == "glob_scan_max_depth" && *depth >= 0,
            Value::Table(below) => below.iter().all(|(_, value)| is_access(value)),
            _ => is_access(value),
        },
        Type::Features(known) => {
            let may_be_table = || known.iter().any(|feature| feature.name == name);
            value.as_bool().is_some() || (value.as_table().is_some() && may_be_table())
        }
        Type::Agents(settings) => settings.iter().any(|(key, _)| *key == name) || is_agent(value),
        _ => value.as_table().is_some(),
    }
}

fn is_access(value: &Node) -> bool {
    matches!(value.as_text(), Some("read" | "write" | "none" | "deny"))
}

/// Describes the values of a type.
fn words(wanted: Type) -> String {
    match wanted {
        Type::Text => "a string",
        Type::Filled => "a string that is not empty",
        Type::Word(known) | Type::WordOrTable(known) | Type::WordOrGranular(known) => {
            return format!("one of {}", known.join(", "));
        }
        Type::Identifier => "a string of letters, digits, `-` and `_`",
        Type::Bool => "a boolean",
        Type::Integer => "an integer",
        Type::Size => "a non-negative integer",
        Type::Port => "an integer up to 65535",
        Type::Within(least, most) => return format!("an integer from {least} to {most}"),
        Type::Number => "a number from 0",
        Type::Decimal => "a number",
        Type::List => "a list",
        Type::Integers => "a list of integers",
        Type::Texts => "a list of strings",
        Type::TextOrTexts => "a string or a list of strings",
        Type::BoolOrTexts => "a boolean or a list of strings",
        Type::BoolOrKeys(_) => "a boolean or a table",
        Type::Table | Type::Keys(_) | Type::KeysOrEmpty(_) => "a table",
        Type::Skills(_) => "a table with no other keys than Codex knows",
        Type::TableOfTexts => "a table of strings",
        Type::TableOfWords(known) => return format!("a table of {}", list(known)),
        Type::TableOfBools | Type::Features(_) => "a table of booleans",
        Type::Filesystem => "a table of `read`, `write` and `deny`",
        Type::Tables | Type::TablesOf(_) | Type::Providers(_) | Type::Servers(_) => "a table of tables",
        Type::Agents(_) => "a table of agents, and of settings for all agents",
    }
    .to_owned()
}

/// Returns true for a table `granular` with all required keys.
fn is_granular(node: &Node) -> bool {
    let Some([(key, says)]) = node.as_table() else { return false };
    let is_said = |(key, _): &(&str, Type)| says.get(key).is_some_and(|value| value.as_bool().is_some());
    let are_flags = says.as_table().is_some_and(|says| says.iter().all(|(_, value)| value.as_bool().is_some()));
    key == "granular" && are_flags && tables::GRANULAR.iter().all(is_said)
}

/// Returns true for a valid table `skills`. Each entry of `config` switches one skill, by its path, or since 0.117 by
/// its name.
fn is_skills(node: &Node, by: By) -> bool {
    let is_text = |entry: &Node, key: &str| entry.get(key).is_none_or(|value| value.as_text().is_some());
    let is_entry = |entry: &Node| {
        let has_switch = entry.get("enabled").and_then(Node::as_bool).is_some();
        let has_path = by == By::PathOrName || entry.get("path").is_some();
        has_switch && has_path && is_text(entry, "path") && (by == By::Path || is_text(entry, "name"))
    };
    let is_flag = |table: &Node, key: &str| table.get(key).is_none_or(|value| value.as_bool().is_some());
    let is_bundled = |bundled: &Node| match &bundled.value {
        Value::List(list) => list.is_empty(),
        _ => bundled.as_table().is_some() && is_flag(bundled, "enabled"),
    };
    node.as_table().is_some()
        && node.get("config").is_none_or(|list| list.as_list().is_some_and(|list| list.iter().all(is_entry)))
        && (by == By::Path || (is_flag(node, "include_instructions") && node.get("bundled").is_none_or(is_bundled)))
}

/// Returns true for a valid agent of the user's.
fn is_agent(node: &Node) -> bool {
    let is_text = |key: &str| node.get(key).is_none_or(|value| value.as_text().is_some());
    node.as_table().is_some() && is_text("description") && is_text("config_file")
}
