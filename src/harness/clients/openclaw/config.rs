//! The configuration: JSON5 with `$include` and variables, checked like OpenClaw as far as it matters here.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::guard::FILE_LIMIT_BYTES;
use super::home::Home;
use super::roster::{self, Roster};
use super::schema::{self, Schema};
use super::variables::{self, Own, Unset};
use crate::formats::{Node, Value, parse_json5};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{FileType, absolute};
use crate::text::js_trim;

/// Maximum depth of `$include` (OpenClaw 2026.9.6).
const INCLUDE_DEPTH: usize = 10;

/// Rules by which an edition reads its configuration.
pub struct Behavior {
    /// Allowed locations of included files.
    pub includes: Included,
    /// Variables that the configuration sets.
    pub own: Own,
    /// Handling of a variable that is not set.
    pub unset: Unset,
    /// Keys and types that are checked.
    pub schema: Schema,
    /// Form of the list of agents.
    pub agents: roster::Shape,
}

/// Allowed locations of included files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Included {
    /// Anywhere.
    Anywhere,
    /// Below the directory of the configuration.
    Below,
    /// Below the directory of the configuration or `OPENCLAW_INCLUDE_ROOTS`; only regular files of limited size with
    /// one name.
    BelowRoots,
}

/// Configuration, as far as it concerns instruction files.
pub struct Config {
    /// Path of the configuration file, if it exists.
    pub file: Option<PathBuf>,
    /// The agents.
    pub roster: Roster,
    root: Node,
}

impl Config {
    /// Reads and checks the configuration, with includes and variables resolved.
    pub fn read(rules: &Behavior, home: &mut Home, search: &mut Search) -> Known<Config> {
        let file = home.config.clone();
        let refused = |message: String| Err(Halt::refused(&file, message));
        if search.stat(&file, "the configuration")?.is_err() {
            let root = Node { at: 0..0, value: Value::Table(Vec::new()) };
            let roster = Roster::of(&root, rules.agents).expect("no roster at all is a valid one");
            return Ok(Config { file: None, roster, root });
        }
        let raw = match search.read(&file, "the configuration")? {
            Ok(raw) => raw,
            Err(problem) => return refused(format!("the configuration cannot be read: {problem}")),
        };
        let text = raw.text();
        let parsed = match parse_json5(&text) {
            Ok(parsed) => parsed,
            Err(error) => return refused(format!("JSON5 parse failed: {}", error.with_position(&text))),
        };
        let includes = Includes::new(rules.includes, home, &file, search)?;
        let mut root = includes.resolve(&parsed, std::slice::from_ref(&file), search)?;
        for (name, value) in variables::own(&root, rules.own) {
            home.add_variable(search, &name, &value);
        }
        let variable = |name: &str| home.variable(search, name).filter(|value| !value.is_empty());
        let substituted = variables::substitute(&mut root, rules.unset, &variable);
        if let Err(problem) = substituted.and_then(|()| schema::check(&root, &rules.schema)) {
            return refused(problem);
        }
        match Roster::of(&root, rules.agents) {
            Ok(roster) => Ok(Config { file: Some(file), roster, root }),
            Err(problem) => refused(problem),
        }
    }

    /// Returns a value of the agent's entry, else of `agents.defaults`.
    pub fn of_agent(&self, agent: &str, key: &str) -> Option<&Node> {
        self.roster.entry(agent).and_then(|entry| entry.get(key)).or_else(|| self.default(key))
    }

    /// Returns a value of `agents.defaults`.
    pub fn default(&self, key: &str) -> Option<&Node> {
        self.root.at_path(&["agents", "defaults", key])
    }

    /// Returns a positive whole number of the agent's entry, else of the defaults.
    pub fn limit(&self, agent: &str, key: &str) -> Option<usize> {
        match self.of_agent(agent, key)?.value {
            Value::Integer(limit) => usize::try_from(limit).ok().filter(|limit| *limit > 0),
            _ => None,
        }
    }

    /// Returns the directory of the agent's files.
    pub fn workspace(&self, agent: &str, home: &Home, search: &Search) -> PathBuf {
        let text = |node: Option<&Node>| {
            node.and_then(Node::as_text).map(|dir| js_trim(dir).to_owned()).filter(|dir| !dir.is_empty())
        };
        if let Some(own) = text(self.roster.entry(agent).and_then(|entry| entry.get("workspace"))) {
            return home.path(&own);
        }
        let common = text(self.default("workspace"));
        if self.roster.owner() == Some(agent) {
            return common.map_or_else(|| home.default_workspace(search), |dir| home.path(&dir));
        }
        match common {
            Some(dir) if home.divides_workspace() => home.path(&dir).join(agent),
            _ => home.workspace_of(agent),
        }
    }

    /// Returns a flag of `agents.defaults`.
    pub fn default_flag(&self, key: &str) -> bool {
        self.default(key).and_then(Node::as_bool) == Some(true)
    }

    /// Returns the plugin that keeps the memory, `plugins.slots.memory`, if it is set.
    pub fn memory_plugin(&self) -> Option<&str> {
        self.root.at_path(&["plugins", "slots", "memory"]).and_then(Node::as_text).map(js_trim)
    }

    /// Returns true if plugins are disabled as a whole.
    pub fn plugins_are_off(&self) -> bool {
        self.root.at_path(&["plugins", "enabled"]).and_then(Node::as_bool) == Some(false)
    }

    /// Returns the value at a path.
    pub fn at_path(&self, path: &[&str]) -> Option<&Node> {
        self.root.at_path(path)
    }
}

/// Follows `$include` below the configuration's directory and the allowed roots.
struct Includes {
    allowed: Included,
    /// Each root as written, and its real path.
    roots: Vec<(PathBuf, PathBuf)>,
}

impl Includes {
    fn new(allowed: Included, home: &Home, config: &Path, search: &mut Search) -> Known<Includes> {
        let mut dirs = match allowed {
            Included::Anywhere => vec![PathBuf::from("/")],
            Included::Below | Included::BelowRoots => vec![config.parent().unwrap_or(Path::new("/")).to_owned()],
        };
        if allowed == Included::BelowRoots {
            let more = home.variable(search, "OPENCLAW_INCLUDE_ROOTS").unwrap_or_default();
            dirs.extend(more.split(':').map(js_trim).filter(|dir| !dir.is_empty()).map(|dir| home.path(dir)));
        }
        let mut roots = Vec::new();
        for dir in dirs {
            let real = search.real(&dir)?.unwrap_or_else(|_| dir.clone());
            roots.push((dir, real));
        }
        Ok(Includes { allowed, roots })
    }

    /// Refuses an include, which stops the client.
    fn refused<T>(chain: &[PathBuf], message: impl Into<String>) -> Known<T> {
        Err(Halt::refused(&chain[0], message))
    }

    /// Returns `node` of the last file of `chain` with every include resolved.
    fn resolve(&self, node: &Node, chain: &[PathBuf], search: &mut Search) -> Known<Node> {
        let at = node.at.clone();
        match &node.value {
            Value::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    list.push(self.resolve(item, chain, search)?);
                }
                Ok(Node { at, value: Value::List(list) })
            }
            Value::Table(entries) => {
                let mut table = Vec::with_capacity(entries.len());
                for (key, value) in entries.iter().filter(|(key, _)| key != "$include") {
                    table.push((key.clone(), self.resolve(value, chain, search)?));
                }
                let own = Node { at, value: Value::Table(table) };
                let Some(include) = node.get("$include") else { return Ok(own) };
                self.include(include, own, chain, search)
            }
            _ => Ok(node.clone()),
        }
    }

    fn include(&self, include: &Node, own: Node, chain: &[PathBuf], search: &mut Search) -> Known<Node> {
        let included = match &include.value {
            Value::Text(file) => self.load(file, chain, search)?,
            Value::List(files) => {
                let mut merged = Node { at: include.at.clone(), value: Value::Table(Vec::new()) };
                for file in files {
                    let Some(file) = file.as_text() else {
                        return Self::refused(chain, "Invalid $include array item: expected string");
                    };
                    merged = merge(merged, self.load(file, chain, search)?);
                }
                merged
            }
            other => {
                let kind = other.kind();
                return Self::refused(
                    chain,
                    format!("Invalid $include value: expected string or array of strings, got {kind}"),
                );
            }
        };
        let alone = own.as_table().is_some_and(<[_]>::is_empty);
        if !alone && included.as_table().is_none() {
            return Self::refused(chain, "Sibling keys require included content to be an object");
        }
        Ok(if alone { included } else { merge(included, own) })
    }

    fn load(&self, written: &str, chain: &[PathBuf], search: &mut Search) -> Known<Node> {
        if written.contains('\0') {
            return Self::refused(chain, "Include path must not contain null bytes");
        }
        let from = chain.last().and_then(|file| file.parent()).unwrap_or(Path::new("/"));
        let file = absolute(from, Path::new(written));
        if !self.roots.iter().any(|(root, _)| is_inside(root, &file)) {
            return Self::refused(chain, format!("Include path escapes config directory: {written}"));
        }
        if let Ok(real) = search.real(&file)?
            && !self.roots.iter().any(|(_, root)| is_inside(root, &real))
        {
            return Self::refused(
                chain,
                format!("Include path resolves outside config directory (symlink): {written}"),
            );
        }
        if chain.contains(&file) {
            return Self::refused(chain, format!("Circular include detected: {written}"));
        }
        if chain.len() > INCLUDE_DEPTH {
            return Self::refused(chain, format!("Maximum include depth ({INCLUDE_DEPTH}) exceeded at: {written}"));
        }
        let safe = search
            .stat(&file, "included by the configuration")?
            .map(|meta| meta.kind == FileType::File && meta.links <= 1 && meta.len <= FILE_LIMIT_BYTES);
        if safe == Ok(false) && self.allowed == Included::BelowRoots {
            return Self::refused(
                chain,
                format!(
                    "Include file failed security checks (regular file, max {FILE_LIMIT_BYTES} bytes, no hardlinks): {written}"
                ),
            );
        }
        let raw = match search.read(&file, "included by the configuration")? {
            Ok(raw) => raw,
            Err(problem) => return Self::refused(chain, format!("Failed to read include file: {written}: {problem}")),
        };
        let text = raw.text();
        match parse_json5(&text) {
            Ok(parsed) => {
                let chain: Vec<PathBuf> = chain.iter().cloned().chain([file]).collect();
                self.resolve(&parsed, &chain, search)
            }
            Err(error) => {
                Self::refused(chain, format!("Failed to parse include file: {written}: {}", error.with_position(&text)))
            }
        }
    }
}

fn is_inside(root: &Path, path: &Path) -> bool {
    path.strip_prefix(root).is_ok_and(|rest| !rest.components().any(|part| part == Component::ParentDir))
}

/// Merges two values: objects are merged, lists joined, anything else replaced.
fn merge(base: Node, over: Node) -> Node {
    let at = over.at.clone();
    let value = match (base.value, over.value) {
        (Value::Table(mut entries), Value::Table(more)) => {
            let mut places: HashMap<String, usize> =
                entries.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect();
            for (key, value) in more {
                if let Some(at) = places.get(&key) {
                    let known = &mut entries[*at].1;
                    let before = std::mem::replace(known, Node { at: 0..0, value: Value::Null });
                    *known = merge(before, value);
                } else {
                    places.insert(key.clone(), entries.len());
                    entries.push((key, value));
                }
            }
            Value::Table(entries)
        }
        (Value::List(mut list), Value::List(more)) => {
            list.extend(more);
            Value::List(list)
        }
        (_, over) => over,
    };
    Node { at, value }
}
