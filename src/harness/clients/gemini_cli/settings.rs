//! Settings of Gemini CLI: four files merged over the defaults, with comments allowed and environment variables
//! substituted.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::environment::{Variables, flag};
use super::guard::{self, Guard};
use super::history::{Behavior, Links, Names, Switch};
use super::paths::resolved;
use super::trust;
use crate::answer::{Standpoint, Warning};
use crate::formats::{self, Node, Value};
use crate::search::{Halt, Known, Search};
use crate::snapshot::absolute;

/// Value of `context.importFormat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Imports in place of their tokens.
    Tree,
    /// One block per file, imports after the importing file.
    Flat,
}

/// Lists that a higher layer extends. It replaces everything else.
const ADDED_UP: &[&[&str]] = &[
    &["context", "includeDirectories"],
    &["context", "fileFiltering", "customIgnoreFilePaths"],
    &["security", "allowedExtensions"],
];

/// Index of the project's own layer.
const WORKSPACE: usize = 2;

/// Settings files, from the weakest to the strongest.
struct Layers {
    tables: Vec<Node>,
    warnings: Vec<Warning>,
    /// Paths of the user's and of the project's file.
    user: PathBuf,
    workspace: PathBuf,
}

impl Layers {
    fn read(at: &Standpoint, home: &Path, search: &mut Search) -> Known<Layers> {
        let system = search.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH").filter(|path| !path.is_empty());
        let system = absolute(&at.cwd, Path::new(system.as_deref().unwrap_or("/etc/gemini-cli/settings.json")));
        let defaults = match search.env("GEMINI_CLI_SYSTEM_DEFAULTS_PATH").filter(|path| !path.is_empty()) {
            Some(path) => absolute(&at.cwd, Path::new(&path)),
            None => system.with_file_name("system-defaults.json"),
        };
        let user = home.join(".gemini/settings.json");
        let workspace = at.cwd.join(".gemini/settings.json");
        let in_home = resolved(&at.cwd, search)? == resolved(home, search)?;
        let asked = [&system, &defaults, &user, &workspace];
        search.expect(asked.into_iter().map(|path| crate::snapshot::Ask::Content(path.clone())))?;
        let (mut tables, mut warnings) = (Vec::new(), Vec::new());
        for (index, path) in [&defaults, &user, &workspace, &system].into_iter().enumerate() {
            if index == WORKSPACE && in_home {
                tables.push(empty());
                continue;
            }
            let is_systems = path == &defaults || path == &system;
            let guard = if is_systems { guard::of(path, search)? } else { Guard::Believed };
            tables.push(match guard {
                Guard::Believed => layer(path, search)?,
                Guard::Absent => empty(),
                Guard::Refused(why) => {
                    let message = format!("{}: {why}, so Gemini CLI ignores these system settings", path.display());
                    warnings.push(Warning::at("settings", path, message));
                    empty()
                }
            });
        }
        Ok(Layers { tables, warnings, user, workspace })
    }
}

/// Effective settings, after the decision whether the folder is trusted.
struct Judged {
    merged: Node,
    trust: trust::Trust,
    variables: Variables,
}

/// Merges the layers and decides about trust. The project's own settings do not affect this decision, and are ignored
/// if the folder is not trusted.
fn judged(tables: &mut [Node], workspace: &Path, at: &Standpoint, home: &Path, search: &mut Search) -> Known<Judged> {
    let mut variables = Variables::default();
    let others = tables.iter().enumerate().filter(|(layer, _)| *layer != WORKSPACE).map(|(_, table)| table);
    let first = trust::of(&merged(others), at, home, &variables, search)?;
    if first == trust::Trust::Denied && tables[WORKSPACE].as_table().is_some_and(|table| !table.is_empty()) {
        search.never(workspace, "the folder is not trusted, so its settings do not count");
        tables[WORKSPACE] = empty();
    }
    let merged = merged(&*tables);
    let mut trust = trust::of(&merged, at, home, &variables, search)?;
    if trust != trust::Trust::Denied {
        variables = Variables::load(&merged, at, home, search)?;
        trust = trust::of(&merged, at, home, &variables, search)?;
    }
    Ok(Judged { merged, trust, variables })
}

/// Settings that affect instructions.
pub(super) struct Settings {
    /// All layers, merged.
    merged: Node,
    /// Names of context files, the configured ones first.
    pub names: Vec<String>,
    /// Names that mark a directory as the upper end of the walk.
    pub markers: Vec<String>,
    /// Format of imports.
    pub format: Format,
    /// True if project files are loaded. A warning tells if nobody has decided.
    pub trusted: bool,
    /// Environment variables, including those of a `.env` file.
    pub variables: Variables,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// Differences between versions.
    pub behavior: Behavior,
}

impl Settings {
    /// Reads and merges all layers. `home` is `$GEMINI_CLI_HOME` or the home directory.
    pub(super) fn gather(
        (default_name, behavior): (&str, Behavior),
        at: &Standpoint,
        home: &Path,
        search: &mut Search,
    ) -> Known<Settings> {
        let Layers { mut tables, mut warnings, user, workspace } = Layers::read(at, home, search)?;
        let judged = judged(&mut tables, &workspace, at, home, search)?;
        let Judged { merged, trust, variables } = judged;
        warnings.extend(trust.warning(&at.cwd));
        if let Some(message) = unsafe_security(&merged) {
            return Err(Halt::refused(user, message));
        }
        let context = |key: &str| merged.at_path(&["context", key]);
        let names = names((context("fileName"), behavior.names), default_name, (at, &user), search)?;
        let markers = markers(context("memoryBoundaryMarkers"), (at, &user), search)?;
        let is_flat = context("importFormat").and_then(Node::as_text) == Some("flat");
        let format = if is_flat { Format::Flat } else { Format::Tree };
        let trusted = trust != trust::Trust::Denied;
        Ok(Settings { names, markers, format, trusted, variables, warnings, behavior, merged })
    }

    /// Returns the markers of the directory that imports must not leave, and how their paths are compared.
    pub(super) fn bounds(&self) -> (&[String], Links) {
        (&self.markers, self.behavior.links)
    }

    /// Returns the reason why the answer is uncertain, for settings of earlier versions that Briefing does not
    /// implement.
    pub(super) fn doubt(&self) -> Option<&'static str> {
        if self.behavior.switch == Switch::Counts && !self.flag(&["experimental", "jitContext"], true) {
            return Some("experimental.jitContext is off, which has every file in the system instruction");
        }
        let configured = self.value(&["context", "fileName"]);
        let nodes = configured.map(|node| node.as_list().unwrap_or(std::slice::from_ref(node))).unwrap_or_default();
        let is_plain = |node: &Node| node.as_text().is_some_and(|name| !name.is_empty() && normalized(name) == name);
        let is_odd = self.behavior.names == Names::Replaced && !nodes.iter().all(is_plain);
        is_odd.then_some("how this version takes empty and unusual names of context.fileName was not checked")
    }

    /// Returns the value at a path of keys.
    pub(super) fn value(&self, path: &[&str]) -> Option<&Node> {
        self.merged.at_path(path)
    }

    /// Returns a boolean, which may also be written as text.
    pub(super) fn flag(&self, path: &[&str], default: bool) -> bool {
        flag(self.value(path), default)
    }

    /// Returns the texts of a list; other values are left out.
    pub(super) fn texts(&self, path: &[&str]) -> Vec<&str> {
        let list = self.value(path).and_then(Node::as_list).unwrap_or_default();
        list.iter().filter_map(Node::as_text).collect()
    }
}

fn empty() -> Node {
    Node { at: 0..0, value: Value::Table(Vec::new()) }
}

/// Reads one settings file. A missing file is empty; one that is not a JSON object stops the client.
fn layer(path: &Path, search: &mut Search) -> Known<Node> {
    let refused = |what: String| Err(Halt::refused(path, format!("Error in {}: {what}", path.display())));
    let raw = match search.read(path, "settings: system defaults, user, workspace, system, the last one wins")? {
        Ok(raw) => raw,
        Err(_) if search.stat(path, "settings that cannot be reached are missing")?.is_err() => return Ok(empty()),
        Err(problem) => return refused(problem.to_string()),
    };
    let text = formats::without_comments(&raw.text());
    match formats::parse_json(&text) {
        Ok(table) if table.as_table().is_some() => Ok(with_environment(table, &Variables::default(), search)),
        Ok(_) => refused("Settings file is not a valid JSON object.".to_owned()),
        Err(error) => refused(error.with_position(&text)),
    }
}

/// Substitutes `$NAME`, `${NAME}` and `${NAME:-default}` in every text. An unknown variable without a default stays as
/// it is.
pub(super) fn with_environment(node: Node, variables: &Variables, search: &Search) -> Node {
    let inner = |node: Node| with_environment(node, variables, search);
    let value = match node.value {
        Value::Text(text) => Value::Text(substituted(&text, |name, written| variables.put_in(name, written, search))),
        Value::List(list) => Value::List(list.into_iter().map(inner).collect()),
        Value::Table(table) => Value::Table(table.into_iter().map(|(key, item)| (key, inner(item))).collect()),
        other => other,
    };
    Node { value, ..node }
}

fn substituted(text: &str, env: impl Fn(&str, &str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // After the last `}` none is searched for, because a text may contain very many `${`.
    let last = text.rfind('}').map_or(usize::MAX, |at| text.len() - at);
    while let Some(start) = rest.find('$') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let stays_open = rest.starts_with("${") && rest.len() < last;
        let Some((whole, name, default)) = (!stays_open).then(|| reference(rest)).flatten() else {
            out.push('$');
            rest = &rest[1..];
            continue;
        };
        match env(name, &rest[..whole]).or(default.map(str::to_owned)) {
            Some(value) => out.push_str(&value),
            None => out.push_str(&rest[..whole]),
        }
        rest = &rest[whole..];
    }
    out + rest
}

/// Parses a reference at the start of `text`; returns its length, name and default.
fn reference(text: &str) -> Option<(usize, &str, Option<&str>)> {
    let inner = &text[1..];
    let word = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
    if word > 0 {
        return Some((1 + word, &inner[..word], None));
    }
    // The name has at least one character of any kind, and ends at the first `}` or `:-` that completes the reference.
    let body = inner.strip_prefix('{')?;
    let end = body.char_indices().skip(1).find(|(_, c)| *c == '}').map(|(at, _)| at);
    let first = body.chars().next().filter(|&c| c != '}')?;
    let end = end?;
    let (name, default) = match body[first.len_utf8()..end].find(":-") {
        Some(at) => (&body[..first.len_utf8() + at], Some(&body[first.len_utf8() + at + 2..end])),
        None => (&body[..end], None),
    };
    Some((2 + end + 1, name, default))
}

/// Merges layers, the last on top.
fn merged<'a>(layers: impl IntoIterator<Item = &'a Node>) -> Node {
    let mut result = empty();
    for layer in layers {
        merge(&mut result, layer, &mut Vec::new());
    }
    result
}

fn merge<'a>(target: &mut Node, source: &'a Node, path: &mut Vec<&'a str>) {
    let (Value::Table(target), Value::Table(source)) = (&mut target.value, &source.value) else { return };
    // If a name occurs twice in `target`, the first counts. Names in `source` are unique.
    let places: HashMap<String, usize> =
        target.iter().enumerate().rev().map(|(index, (name, _))| (name.clone(), index)).collect();
    if places.is_empty() {
        target.reserve_exact(source.len());
    }
    for (key, value) in source.iter().filter(|(key, _)| key != "__proto__") {
        path.push(key);
        let index = places.get(key).copied().unwrap_or_else(|| {
            target.push((key.clone(), Node { at: 0..0, value: Value::Null }));
            target.len() - 1
        });
        let old = &mut target[index].1;
        let adds = ADDED_UP.contains(&path.as_slice());
        match (&mut old.value, &value.value) {
            (Value::Table(_), Value::Table(_)) => merge(old, value, path),
            (Value::List(list), Value::List(more)) if adds => list.extend(more.iter().cloned()),
            (Value::List(list), _) if adds => list.push(value.clone()),
            // These lists are empty by default.
            (Value::Null, Value::List(_)) => *old = value.clone(),
            (Value::Null, _) if adds => *old = Node { at: 0..0, value: Value::List(vec![value.clone()]) },
            (_, Value::Table(_)) => {
                *old = empty();
                merge(old, value, path);
            }
            _ => *old = value.clone(),
        }
        path.pop();
    }
}

/// Returns the configured names, trimmed and normalized, then the default name if it is added to them.
fn names(
    (node, kind): (Option<&Node>, Names),
    default: &str,
    (at, user): (&Standpoint, &Path),
    search: &mut Search,
) -> Known<Vec<String>> {
    let configured: Vec<&Node> = match node.map(|node| &node.value) {
        None | Some(Value::Null | Value::Bool(false) | Value::Integer(0)) => Vec::new(),
        Some(Value::List(list)) => list.iter().collect(),
        Some(_) => node.into_iter().collect(),
    };
    let mut names: Vec<String> = Vec::new();
    for node in configured {
        let Some(name) = node.as_text() else {
            let what = format!("context.fileName is {}, which stops Gemini CLI", node.value.kind());
            return Err(Halt::refused(user, what));
        };
        let name = crate::text::js_trim(name);
        if name.is_empty() {
            continue;
        }
        let name = normalized(name);
        if resolved(&absolute(&at.cwd, Path::new(&name)), search)?.is_none() {
            let what = format!("context.fileName {name:?} is a path that loops, which stops Gemini CLI");
            return Err(Halt::refused(user, what));
        }
        names.push(name);
    }
    // The client resolves the default name only if no name is configured.
    let is_default = node.is_none_or(|node| match &node.value {
        Value::Null | Value::Bool(false) | Value::Integer(0) => true,
        Value::Text(text) => text.is_empty(),
        _ => false,
    });
    if is_default && resolved(&at.cwd.join(default), search)?.is_none() {
        let message = format!("{} links to itself, which stops Gemini CLI", at.cwd.join(default).display());
        return Err(Halt::refused(user, message));
    }
    if kind == Names::Added || names.is_empty() {
        names.push(default.to_owned());
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    Ok(names)
}

/// Normalizes a path like Node's `path.normalize`.
fn normalized(name: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in name.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(&last)) if last != ".." => {
                parts.pop();
            }
            ("..", None) if name.starts_with('/') => {}
            _ => parts.push(part),
        }
    }
    let slash = if name.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    let root = if name.starts_with('/') { "/" } else { "" };
    match format!("{root}{}{slash}", parts.join("/")) {
        name if name.is_empty() => ".".to_owned(),
        name => name,
    }
}

/// Returns the problem of `security`, which the client reads to find the sign-in method.
fn unsafe_security(merged: &Node) -> Option<String> {
    let security = merged.get("security")?;
    let wrong = match security.get("auth") {
        _ if security.as_table().is_none() => ("security", security),
        Some(auth) if auth.value == Value::Null => ("security.auth", auth),
        Some(_) | None => return None,
    };
    Some(format!("{} is {}, which stops Gemini CLI", wrong.0, wrong.1.value.kind()))
}

/// Returns the markers as the client iterates over them: a text letter by letter. A value that is not a text stops the
/// client, unless the working directory has an earlier marker.
fn markers(node: Option<&Node>, (at, user): (&Standpoint, &Path), search: &mut Search) -> Known<Vec<String>> {
    let usual = vec![".git".to_owned()];
    let Some(node) = node else { return Ok(usual) };
    let what = format!("context.memoryBoundaryMarkers is {}, which stops Gemini CLI", node.value.kind());
    let stops = Err(Halt::refused(user, what));
    match &node.value {
        Value::Null => Ok(usual),
        Value::Text(text) => Ok(text.chars().map(String::from).collect()),
        Value::List(list) => {
            let markers: Vec<String> = list.iter().map_while(Node::as_text).map(str::to_owned).collect();
            if markers.len() == list.len() {
                return Ok(markers);
            }
            for marker in &markers {
                if search.stat(&at.cwd.join(marker), "a marker before one that is no text")?.is_ok() {
                    return Ok(markers);
                }
            }
            stops
        }
        _ => stops,
    }
}

/// Resolves a path of the settings or the command line: `~` and `%userprofile%` are the home directory.
pub(super) fn user_path(path: &str, at: &Standpoint, home: &Path) -> PathBuf {
    let lower = path.to_lowercase();
    let rest = match lower.strip_prefix("%userprofile%") {
        Some(_) => path.get("%userprofile%".len()..),
        None if path == "~" || path.starts_with("~/") => path.get(1..),
        None => None,
    };
    let path = rest.map_or_else(|| path.to_owned(), |rest| format!("{}{rest}", home.display()));
    absolute(&at.cwd, Path::new(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in() {
        let env = |name: &str, _: &str| (name == "A").then(|| "1".to_owned());
        for (text, expected) in [
            ("$A-${A}-$B-${B}", "1-1-$B-${B}"),
            ("${B:-x}${A:-x}${B:-}", "x1"),
            ("$$A $", "$1 $"),
            ("${}$A", "${}1"),
            ("$AB ${A", "$AB ${A"),
            ("${A} ${${A", "1 ${${A"),
        ] {
            assert_eq!(substituted(text, env), expected, "{text}");
        }
    }

    #[test]
    fn names_are_normalized_as_node_does() {
        for (name, expected) in
            [("a//b/./c", "a/b/c"), ("docs/../B.md", "B.md"), ("../../x", "../../x"), ("/../x/", "/x/"), ("a/..", ".")]
        {
            assert_eq!(normalized(name), expected, "{name}");
        }
    }
}
