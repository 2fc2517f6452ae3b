//! Builds custom agents from the text of a declaration: resolves `extends`, merges the tables, and checks the result.
//!
//! Each agent is parsed separately, so that an error in one does not affect the others. Every value keeps its range, so
//! that an error has line and column.

use std::collections::{BTreeMap, hash_map::DefaultHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::check::check;
use super::definition::{Definition, Override, Source};
use super::look::{Base, Declared};
use super::{Custom, Customs, Overrides, Problem, describe};
use crate::formats::position;
use crate::harness::{self, Chosen};

impl Customs {
    /// Collects the custom agents of a `briefing.toml` and of the settings; the file overrides the settings.
    pub fn gather(file: Option<(&Path, &str)>, settings: &toml::Table) -> Customs {
        let mut customs = Customs::default();
        let written = toml::to_string(settings).unwrap_or_default();
        let (mut raw, mut agents) = (BTreeMap::new(), None);
        if let Ok(table) = DeTable::parse(&written) {
            for (id, value) in table.into_inner() {
                raw.insert(id.into_inner().into_owned(), Raw { value, key: 0..0, file: None });
            }
        }
        if let Some((path, text)) = file {
            customs.path = Some(path.to_owned());
            match read_file(path, text, &mut raw) {
                Ok(named) => agents = named,
                Err(problem) => customs.problems.push(problem),
            }
        }
        for id in raw.keys() {
            match declared(id, &raw) {
                Ok(custom) => customs.harnesses.push(Arc::new(custom)),
                Err(wrong) => customs.problems.extend(wrong),
            }
        }
        if let Some((agents, (path, text))) = agents.zip(file) {
            customs.take_agents(agents, path, text);
        }
        customs
    }
}

impl Customs {
    /// Adds the agents that the project names. Reports one that does not exist, and keeps the others.
    fn take_agents(&mut self, agents: Spanned<DeValue<'_>>, path: &Path, text: &str) {
        const EXPECTED: &str = "expected a list of agents, such as [\"codex\", \"claude-code@2.1\"]";
        let at = agents.span();
        let problem = |at: Range<usize>, message: String| Problem {
            harness: None,
            path: Some(path.to_owned()),
            position: Some(position(text, at.start)),
            range: at,
            message: format!("`agents`: {message}"),
        };
        let listed = match agents.into_inner() {
            DeValue::Array(listed) if !listed.is_empty() => listed,
            _ => return self.problems.push(problem(at, EXPECTED.to_owned())),
        };
        for one in listed {
            let at = one.span();
            let spec = one.get_ref().as_str().ok_or_else(|| EXPECTED.to_owned());
            let checked = spec.and_then(|spec| harness::choose(spec, self).map(|_| spec.to_owned()));
            match checked {
                Ok(spec) if self.agents.contains(&spec) => {}
                Ok(spec) => self.agents.push(spec),
                Err(message) => self.problems.push(problem(at, message)),
            }
        }
    }
}

/// Declaration as written.
struct Raw<'a> {
    value: Spanned<DeValue<'a>>,
    /// Range of its id.
    key: Range<usize>,
    /// File and its text; `None` for the settings, whose positions are of no use.
    file: Option<(&'a Path, &'a str)>,
}

impl Raw<'_> {
    /// Creates a problem at a range; if the range is empty, at the agent's id.
    fn problem(&self, id: &str, at: Range<usize>, message: impl Into<String>) -> Problem {
        let at = if at.is_empty() { self.key.clone() } else { at };
        Problem {
            harness: Some(id.to_owned()),
            path: self.file.map(|(path, _)| path.to_owned()),
            position: self.file.map(|(_, text)| position(text, at.start)),
            range: at,
            message: message.into(),
        }
    }
}

/// Adds the declarations of a file, and returns its key `agents`; `Err` if the whole file is invalid.
fn read_file<'a>(
    path: &'a Path,
    text: &'a str,
    raw: &mut BTreeMap<String, Raw<'a>>,
) -> Result<Option<Spanned<DeValue<'a>>>, Problem> {
    let whole = |text: &str, at: Range<usize>, message: String| Problem {
        harness: None,
        path: Some(path.to_owned()),
        position: Some(position(text, at.start)),
        range: at,
        message,
    };
    let table = DeTable::parse(text)
        .map_err(|error| whole(text, error.span().unwrap_or(0..0), error.message().to_owned()))?
        .into_inner();
    let mut declared: BTreeMap<String, Raw> = BTreeMap::new();
    let mut agents = None;
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        // These keys do not concern agents.
        if name == "exceptions" || name == "expect" || name == "extends" {
            continue;
        }
        if name == "agents" {
            agents = Some(value);
            continue;
        }
        if !["harness", "instructionConfig"].contains(&name) {
            let message = format!("unknown key `{name}`; a harness is declared as [harness.ID]");
            return Err(whole(text, key.span(), message));
        }
        let at = value.span();
        let DeValue::Table(harnesses) = value.into_inner() else {
            return Err(whole(text, at, format!("`{name}` is a table of harnesses: [{name}.ID]")));
        };
        for (id, value) in harnesses {
            let key = id.span();
            let id = id.into_inner().into_owned();
            let value = match declared.remove(&id) {
                Some(before) => value_over("", before.value, value),
                None => value,
            };
            declared.insert(id, Raw { value, key, file: Some((path, text)) });
        }
    }
    raw.extend(declared);
    Ok(agents)
}

fn declared(id: &str, raw: &BTreeMap<String, Raw<'_>>) -> Result<Custom, Vec<Problem>> {
    let own = &raw[id];
    let wrong = |at: Range<usize>, message: String| vec![own.problem(id, at, message)];
    if !id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) || id.is_empty() {
        return Err(wrong(0..0, format!("`{id}` is not a valid id: only letters, digits, `-` and `_` are allowed")));
    }
    if harness::profile(id).is_some() && shipped(id).is_none() {
        return Err(wrong(
            0..0,
            format!("`{id}` is a built-in harness; choose another id and write `extends = \"{id}\"`"),
        ));
    }
    let (table, bases) = merged(id, raw, &mut Vec::new()).map_err(|problem| vec![problem])?;
    let value = Spanned::new(own.value.span(), DeValue::Table(table));
    let definition = Definition::deserialize(ValueDeserializer::from(value))
        .map_err(|error| wrong(error.span().unwrap_or(0..0), in_our_words(error.message())))?;
    let definition = definition.with_instructions();
    let problems = check(&definition, !bases.is_empty());
    if !problems.is_empty() {
        return Err(problems.into_iter().map(|(at, message)| own.problem(id, at, message)).collect());
    }
    let bases = editions(&bases, &definition).map_err(|message| wrong(0..0, message))?;
    let path = own.file.map(|(path, _)| path.to_owned());
    Ok(Custom { path, ..custom(id, definition, bases) })
}

/// Creates the custom agent of a checked definition.
pub(super) fn custom(id: &str, definition: Definition, bases: Vec<Base>) -> Custom {
    let mut hasher = DefaultHasher::new();
    format!("{definition:?}").hash(&mut hasher);
    bases.iter().for_each(|base| base.spec.hash(&mut hasher));
    Custom {
        id: id.to_owned(),
        path: None,
        title: definition.title.clone().unwrap_or_else(|| id.to_owned()),
        summary: definition.summary.clone().unwrap_or_else(|| "a custom harness".to_owned()),
        details: describe::details(&definition, &bases),
        fingerprint: hasher.finish(),
        instruction_names: describe::instruction_names(&definition),
        edition: Arc::new(Declared::new(definition, bases)),
    }
}

/// Returns the declaration of a custom agent that ships with Briefing. Users may override its keys.
pub(super) fn shipped(id: &str) -> Option<&'static str> {
    match id {
        "etcode" => Some(include_str!("etcode.toml")),
        "agentcore" => Some(include_str!("agentcore.toml")),
        _ => None,
    }
}

/// Parses a declaration that ships with Briefing; a test checks that it is valid.
pub(super) fn of_shipped(text: &str) -> Result<Definition, String> {
    let table = DeTable::parse(text).map_err(|error| error.to_string())?;
    let value = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
    let definition = Definition::deserialize(ValueDeserializer::from(value)).map_err(|error| error.to_string())?;
    let definition = definition.with_instructions();
    match check(&definition, false).into_iter().next() {
        Some((at, message)) => Err(format!("{at:?}: {message}")),
        None => Ok(definition),
    }
}

/// Merges a declaration over everything it extends. Also returns the built-in editions that it extends.
fn merged<'a>(
    id: &str,
    raw: &BTreeMap<String, Raw<'a>>,
    chain: &mut Vec<String>,
) -> Result<(DeTable<'a>, Vec<String>), Problem> {
    let own = &raw[id];
    chain.push(id.to_owned());
    let DeValue::Table(table) = own.value.get_ref().clone() else {
        return Err(own.problem(id, own.value.span(), format!("[harness.{id}] is a table")));
    };
    let (mut base, mut editions) = (DeTable::new(), Vec::new());
    for (spec, at) in extended(id, own, &table)? {
        let name = spec.split('@').next().unwrap_or_default();
        if let Some(text) = shipped(name).filter(|_| name == id || !raw.contains_key(name)) {
            let shipped = DeTable::parse(text).map(|table| without_places(table.into_inner())).unwrap_or_default();
            base = laid_over(base, shipped);
        } else if chain.contains(&spec) {
            let path = chain.iter().chain([&spec]).map(String::as_str).collect::<Vec<_>>().join(" → ");
            return Err(own.problem(id, at, format!("recursive `extends`: {path}")));
        } else if raw.contains_key(&spec) {
            let (other, below) = merged(&spec, raw, chain).map_err(|problem| {
                own.problem(id, at.clone(), format!("`{spec}`, which it extends, is wrong: {}", problem.message))
            })?;
            base = laid_over(base, without_places(other));
            editions.extend(below);
        } else if spec.ends_with("@auto") {
            let message =
                format!("`extends` names one edition, not whatever is installed; write `{name}` for the newest");
            return Err(own.problem(id, at, message));
        } else {
            harness::choose(&spec, &Customs::default())
                .map_err(|problem| own.problem(id, at, format!("`extends`: {problem}")))?;
            editions.push(spec);
        }
    }
    chain.pop();
    Ok((laid_over(base, table), editions))
}

/// Returns what a declaration extends, with ranges. A declaration with the id of a shipped one extends that by default.
fn extended(id: &str, own: &Raw, table: &DeTable) -> Result<Vec<(String, Range<usize>)>, Problem> {
    let Some(value) = table.get("extends") else {
        return Ok(shipped(id).map(|_| (id.to_owned(), 0..0)).into_iter().collect());
    };
    let text = |value: &Spanned<DeValue>| match value.get_ref() {
        DeValue::String(spec) => Some((spec.clone().into_owned(), value.span())),
        _ => None,
    };
    let specs = match value.get_ref() {
        DeValue::Array(list) => list.iter().map(text).collect(),
        _ => text(value).map(|spec| vec![spec]),
    };
    specs.ok_or_else(|| own.problem(id, value.span(), "`extends` names a harness, such as \"codex@0.169\", or several"))
}

/// Returns the built-in editions with the definition's overrides. If there are several, an override applies to those
/// that have the value.
fn editions(specs: &[String], definition: &Definition) -> Result<Vec<Base>, String> {
    let mut refused = None;
    let mut bases = Vec::new();
    for spec in specs {
        let choice = harness::choose(spec, &Customs::default())?;
        let Chosen::BuiltIn(profile, edition) = choice.chosen else {
            unreachable!("nothing but built-in harnesses was offered")
        };
        let overridden = match &definition.overrides {
            Some(overrides) => edition
                .overridden(&overrides.clone().into())
                .map_err(|what| refused = Some(format!("{spec}: {what}")))
                .ok(),
            None => None,
        };
        bases.push(Base { spec: format!("{}@{}", profile.id, edition.about().name), edition, overridden });
    }
    match refused {
        Some(problem) if bases.iter().all(|base| base.overridden.is_none()) => Err(problem),
        Some(_) | None => Ok(bases),
    }
}

impl From<Override> for Overrides {
    fn from(given: Override) -> Overrides {
        let Override { names, fallbacks, root_markers, limit, total_limit, head_ratio, tail_ratio } = given;
        Overrides {
            names,
            fallbacks,
            root_markers,
            limit: limit.map(|limit| limit.0),
            total_limit: total_limit.map(|limit| limit.0),
            head_ratio: head_ratio.map(|ratio| ratio.0),
            tail_ratio: tail_ratio.map(|ratio| ratio.0),
        }
    }
}

/// Merges `over` into `base`: tables key by key, sources and messages by name; new entries are added.
fn laid_over<'a>(mut base: DeTable<'a>, over: DeTable<'a>) -> DeTable<'a> {
    // A source has exactly one kind; that of `over` replaces the other.
    if Source::KINDS.iter().any(|kind| over.contains_key(*kind)) {
        for kind in Source::KINDS.into_iter().filter(|kind| !over.contains_key(*kind)) {
            base.remove(kind);
        }
    }
    for (key, value) in over {
        let value = match base.remove(key.get_ref().as_ref()) {
            Some(before) => value_over(key.get_ref(), before, value),
            None => value,
        };
        base.insert(key, value);
    }
    base
}

/// Merges the values of a key that both tables have.
fn value_over<'a>(key: &str, before: Spanned<DeValue<'a>>, value: Spanned<DeValue<'a>>) -> Spanned<DeValue<'a>> {
    let at = value.span();
    let value = match (before.into_inner(), value.into_inner()) {
        (DeValue::Table(before), DeValue::Table(over)) => DeValue::Table(laid_over(before, over)),
        (DeValue::Array(before), DeValue::Array(over)) if is_list_of_tables(key) => {
            let mut list: Vec<Spanned<DeValue>> = before.into_iter().collect();
            over.into_iter().for_each(|item| item_over(&mut list, item));
            DeValue::Array(list.into_iter().collect())
        }
        (_, value) => value,
    };
    Spanned::new(at, value)
}

/// Merges a source or message into the one with the same name; appends it if there is none.
fn item_over<'a>(list: &mut Vec<Spanned<DeValue<'a>>>, item: Spanned<DeValue<'a>>) {
    let same = name_of(&item).and_then(|name| list.iter().position(|old| name_of(old) == Some(name)));
    match same {
        Some(index) => {
            let before = std::mem::replace(&mut list[index], Spanned::new(0..0, DeValue::Boolean(false)));
            list[index] = value_over("", before, item);
        }
        None => list.push(item),
    }
}

fn is_list_of_tables(key: &str) -> bool {
    matches!(key, "source" | "message")
}

fn name_of<'i>(item: &'i Spanned<DeValue<'_>>) -> Option<&'i str> {
    match item.get_ref().get("name")?.get_ref() {
        DeValue::String(name) => Some(name),
        _ => None,
    }
}

/// Removes ranges: those in another text would mislead.
fn without_places(table: DeTable<'_>) -> DeTable<'_> {
    table.into_iter().map(|(key, value)| (Spanned::new(0..0, key.into_inner()), placeless(value))).collect()
}

fn placeless(value: Spanned<DeValue<'_>>) -> Spanned<DeValue<'_>> {
    let value = match value.into_inner() {
        DeValue::Table(table) => DeValue::Table(without_places(table)),
        DeValue::Array(list) => DeValue::Array(list.into_iter().map(placeless).collect()),
        other => other,
    };
    Spanned::new(0..0, value)
}

/// Replaces the parser's terms by those of this format.
fn in_our_words(message: &str) -> String {
    message
        .replace("unknown field", "unknown key")
        .replace("missing field", "missing key")
        .replace("unknown variant", "unknown value")
        .replace("duplicate field", "duplicate key")
}

/// Adds the JSON schema of the setting `customHarnesses`: definitions by id.
pub fn settings_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    generator.subschema_for::<BTreeMap<String, Definition>>()
}
