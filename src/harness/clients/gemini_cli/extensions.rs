//! Context files of installed extensions.

use std::path::{Path, PathBuf};

use regex_lite::Regex;

use super::environment::Variables;
use super::history::Strays;
use super::settings::{Settings, with_environment};
use crate::answer::{Standpoint, Warning};
use crate::formats::{self, Node, Value};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Content, absolute};
use crate::text::js_trim;

/// Default name of an extension's context file (Gemini CLI 0.61).
const DEFAULT_NAME: &str = "GEMINI.md";

/// Contributions of the extensions.
#[derive(Default)]
pub(super) struct Extensions {
    /// Context files of active extensions, sorted by UTF-16 units.
    pub active: Vec<PathBuf>,
    /// Context files of disabled extensions.
    pub inactive: Vec<PathBuf>,
    /// Directory for plans, from the first active extension that has one.
    pub plans: Option<String>,
    /// MCP servers of active extensions.
    pub servers: Vec<String>,
    /// Folders of active extensions.
    pub folders: Vec<PathBuf>,
    /// Warnings about skipped manifests and context files.
    pub warnings: Vec<Warning>,
}

impl Extensions {
    fn skip(&mut self, place: PathBuf, why: &str) {
        let message = format!("{} is skipped: {why}", place.display());
        self.warnings.push(Warning::at("extension-skipped", place, message));
    }

    /// Adds the contributions of an extension.
    fn add(&mut self, place: &Path, manifest: Manifest, active: bool, search: &mut Search) -> Known<()> {
        if active {
            if let Some(key) = manifest.unreadable {
                let message = format!("{}: `{key}` must be a list; Gemini CLI stops at it", place.display());
                return Err(Halt::refused(place, message));
            }
            self.plans = self.plans.take().or(manifest.plans);
            self.servers.extend(manifest.servers);
            self.folders.push(place.to_owned());
        }
        let list = if active { &mut self.active } else { &mut self.inactive };
        for name in &manifest.context_files {
            let Some(path) = inside(place, name) else {
                let message = format!("{}: contextFileName {name:?} is not inside the extension", place.display());
                self.warnings.push(Warning::at("extension-skipped", place, message));
                continue;
            };
            if search.stat(&path, "extensions: their context files")?.is_ok() && !list.contains(&path) {
                list.push(path);
            }
        }
        Ok(())
    }
}

/// Origin of an extension, recorded when it was installed.
struct Origin {
    source: String,
    is_remote: bool,
    is_link: bool,
}

impl Origin {
    fn new(metadata: Option<&Node>) -> Origin {
        let text = |key: &str| metadata.and_then(|node| node.get(key)).and_then(Node::as_text);
        Origin {
            source: text("source").unwrap_or_default().to_owned(),
            is_remote: matches!(text("type"), Some("git" | "github-release")),
            is_link: text("type") == Some("link"),
        }
    }

    /// Returns the reason why the settings do not allow the extension, if they do not.
    fn refused(
        &self,
        place: &Path,
        allowed: &Allowed,
        settings: &Settings,
        at: &Standpoint,
        search: &mut Search,
    ) -> Known<Option<&'static str>> {
        if allowed.is_empty() {
            let blocked = self.is_remote && settings.flag(&["security", "blockGitExtensions"], false);
            return Ok(blocked.then_some("security.blockGitExtensions blocks extensions from remote sources"));
        }
        if self.source.is_empty() {
            let message =
                format!("security.allowedExtensions is set, and nothing says where {} is from", place.display());
            return Err(Halt::refused(place, message));
        }
        let from = absolute(&at.cwd, Path::new(&self.source));
        let from = search.real(&from)?.unwrap_or(from);
        let matches = allowed.matches(&from.to_string_lossy());
        Ok((!matches).then_some("security.allowedExtensions does not match its source"))
    }
}

/// Collects the extensions in `~/.gemini/extensions`.
pub(super) fn look(at: &Standpoint, home: &Path, settings: &Settings, search: &mut Search) -> Known<Extensions> {
    let dir = home.join(".gemini/extensions");
    let mut found = Extensions::default();
    let Ok(entries) = search.list(&dir, "extensions: one folder each")? else { return Ok(found) };
    let switches = Switches::read(&dir, &at.option_list(super::ID, "extensions"), search)?;
    let allowed = Allowed::new(settings).map_err(|message| Halt::refused(&dir, message))?;
    let mut names: Vec<String> = Vec::new();
    for entry in entries.iter() {
        let place = dir.join(&entry.name);
        if !search.is_dir(&place, "extensions: one folder each")? {
            continue;
        }
        let origin = Origin::new(metadata(&place, search)?.as_ref());
        if let Some(why) = origin.refused(&place, &allowed, settings, at, search)? {
            found.skip(place, why);
            continue;
        }
        let place = if origin.is_link { absolute(&at.cwd, Path::new(&origin.source)) } else { place };
        let manifest = match manifest(&place, at, &settings.variables, search)? {
            Ok(_) if origin.is_remote && !is_repository(&origin.source) => {
                Err(format!("{:?} is not a GitHub repository", origin.source))
            }
            Ok(manifest) => match manifest.stray(&place).filter(|_| settings.behavior.strays == Strays::Stop) {
                Some(name) => Err(format!("contextFileName {name:?} is not inside the extension")),
                None => Ok(manifest),
            },
            problem @ Err(_) => problem,
        };
        let manifest = match manifest {
            Ok(manifest) => manifest,
            Err(why) => {
                found.skip(place, &why);
                continue;
            }
        };
        if names.contains(&manifest.name) {
            let message = format!("Extension with name {} already was loaded.", manifest.name);
            return Err(Halt::refused(place, message));
        }
        names.push(manifest.name.clone());
        let active = switches.active(&manifest.name, &at.cwd);
        found.add(&place, manifest, active, search)?;
    }
    found.active.sort_by(|one, other| super::by_utf16(one, other));
    Ok(found)
}

/// Patterns of `security.allowedExtensions`. If there are any, the origin of an extension must match one.
struct Allowed(Vec<Regex>);

impl Allowed {
    fn new(settings: &Settings) -> Result<Allowed, String> {
        let patterns = settings.texts(&["security", "allowedExtensions"]).into_iter().map(|pattern| {
            let problem = |error| {
                format!("security.allowedExtensions: {pattern:?} is not a pattern that Briefing supports: {error}")
            };
            Regex::new(pattern).map_err(problem)
        });
        Ok(Allowed(patterns.collect::<Result<_, _>>()?))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn matches(&self, source: &str) -> bool {
        self.0.iter().any(|pattern| pattern.is_match(source))
    }
}

/// Returns true if the client accepts the source of an extension from a repository. On GitHub, this requires owner and
/// name.
fn is_repository(source: &str) -> bool {
    let rest = match source.strip_prefix("git@github.com:") {
        Some(rest) => rest,
        None if source.starts_with("git@") => return true,
        None => match source.split_once("://") {
            Some((_, rest)) => match rest.strip_prefix("github.com") {
                Some(rest) if rest.is_empty() || rest.starts_with(['/', '?', '#']) => rest,
                _ => return true,
            },
            None => source,
        },
    };
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    path.split('/').filter(|part| !part.is_empty() && *part != ".").count() == 2
}

struct Manifest {
    name: String,
    context_files: Vec<String>,
    plans: Option<String>,
    servers: Vec<String>,
    /// Key that makes the client stop once the extension is active.
    unreadable: Option<&'static str>,
}

impl Manifest {
    /// Returns the first context file name that leads out of the extension.
    fn stray(&self, place: &Path) -> Option<&str> {
        self.context_files.iter().map(String::as_str).find(|name| !name.is_empty() && inside(place, name).is_none())
    }
}

/// Reads `gemini-extension.json`, and substitutes `${extensionPath}`, `${workspacePath}`, `${/}` and environment
/// variables.
fn manifest(
    place: &Path,
    at: &Standpoint,
    variables: &Variables,
    search: &mut Search,
) -> Known<Result<Manifest, String>> {
    let file = place.join("gemini-extension.json");
    let raw =
        search.read(&file, "extensions: the manifest")?.map_err(|problem| format!("{}: {problem}", file.display()));
    Ok(raw.and_then(|raw| parsed_manifest(&raw, &file, at, variables, search)))
}

fn parsed_manifest(
    raw: &Content,
    file: &Path,
    at: &Standpoint,
    variables: &Variables,
    search: &Search,
) -> Result<Manifest, String> {
    let place = file.parent().unwrap_or(file);
    let text = raw.text();
    let node =
        formats::parse_json(&text).map_err(|error| format!("{}:{}", file.display(), error.with_position(&text)))?;
    if !truthy(node.get("name")) || !truthy(node.get("version")) {
        return Err(format!("{} has no name or no version", file.display()));
    }
    let node = hydrated(node, place, &at.cwd);
    let name = node.get("name").and_then(Node::as_text).unwrap_or_default().to_owned();
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Err(format!("{name:?} is not a valid name: only letters, digits and dashes are allowed"));
    }
    let node = with_environment(node, variables, search);
    let plans = node.at_path(&["plan", "directory"]).and_then(Node::as_text);
    let plans = plans.filter(|dir| !dir.is_empty() && !is_rooted(dir) && !dir.contains("..")).map(str::to_owned);
    let node_servers = node.get("mcpServers").and_then(Node::as_table).unwrap_or_default();
    let servers = node_servers.iter().map(|(name, _)| name.clone()).collect();
    // Observed: the client iterates over these values, over some only if the extension is active.
    if !is_listed(node.get("settings")) || has_null(node.get("settings").and_then(Node::as_list)) {
        return Err(format!("`settings` of {} must be a list", file.display()));
    }
    if let Some((server, _)) = node_servers.iter().find(|(_, server)| server.value == Value::Null) {
        return Err(format!("the MCP server {server} of {} is null", file.display()));
    }
    let unreadable = ["excludeTools", "themes"].into_iter().find(|key| !is_listed(node.get(key)));
    let context_files = match node.get("contextFileName").filter(|node| truthy(Some(node))) {
        None => vec![DEFAULT_NAME.to_owned()],
        Some(Node { value: Value::List(list), .. }) => {
            list.iter().filter_map(Node::as_text).map(str::to_owned).collect()
        }
        Some(node) => node.as_text().map(str::to_owned).into_iter().collect(),
    };
    Ok(Manifest { name, context_files, plans, servers, unreadable })
}

/// Returns true if JavaScript can iterate over a value, or skips it as falsy.
fn is_listed(node: Option<&Node>) -> bool {
    !truthy(node) || node.is_some_and(|node| matches!(node.value, Value::List(_) | Value::Text(_)))
}

fn has_null(list: Option<&[Node]>) -> bool {
    list.unwrap_or_default().iter().any(|node| node.value == Value::Null)
}

/// Returns true if JavaScript treats a value as true.
pub(in crate::harness::clients) fn truthy(node: Option<&Node>) -> bool {
    match node.map(|node| &node.value) {
        None | Some(Value::Null | Value::Bool(false) | Value::Integer(0)) => false,
        Some(Value::Text(text)) => !text.is_empty(),
        Some(Value::Float(number)) => *number != 0.0,
        Some(_) => true,
    }
}

/// Substitutes `${extensionPath}` and similar placeholders in a manifest.
pub(in crate::harness) fn hydrated(node: Node, place: &Path, cwd: &Path) -> Node {
    let value = match node.value {
        Value::Text(text) => Value::Text(
            text.replace("${extensionPath}", &place.to_string_lossy())
                .replace("${workspacePath}", &cwd.to_string_lossy())
                .replace("${/}", "/")
                .replace("${pathSeparator}", "/"),
        ),
        Value::List(list) => Value::List(list.into_iter().map(|item| hydrated(item, place, cwd)).collect()),
        Value::Table(table) => {
            Value::Table(table.into_iter().map(|(key, item)| (key, hydrated(item, place, cwd))).collect())
        }
        other => other,
    };
    Node { value, ..node }
}

/// Returns true if a path is absolute, on Unix or on Windows.
fn is_rooted(name: &str) -> bool {
    let bytes = name.as_bytes();
    name.starts_with(['/', '\\'])
        || (bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\'))
}

/// Returns the path of a context file, if the client accepts its name.
fn inside(place: &Path, name: &str) -> Option<PathBuf> {
    if js_trim(name).is_empty() || name.contains('\0') || is_rooted(name) || name.contains("..") {
        return None;
    }
    if super::paths::decoded(name).is_some_and(|decoded| decoded.contains("..")) {
        return None;
    }
    Some(absolute(place, Path::new(name)))
}

fn metadata(place: &Path, search: &mut Search) -> Known<Option<Node>> {
    let raw = search.read(&place.join(".gemini-extension-install.json"), "extensions: how it was installed")?;
    Ok(raw.ok().and_then(|raw| formats::parse_json(&raw.text()).ok()))
}

/// Activation of extensions: by `--extensions`, otherwise by the rules of `extension-enablement.json`.
pub(in crate::harness) struct Switches {
    chosen: Vec<String>,
    rules: Vec<(String, Vec<String>)>,
}

impl Switches {
    /// Reads the rules. `chosen` are the values of the option.
    pub fn read(dir: &Path, chosen: &[&str], search: &mut Search) -> Known<Switches> {
        let chosen = chosen.iter().flat_map(|list| list.split(',')).map(|name| name.trim().to_lowercase()).collect();
        let raw = search.read(&dir.join("extension-enablement.json"), "extensions: where they are switched off")?;
        let node = raw.ok().and_then(|raw| formats::parse_json(&raw.text()).ok());
        let rules: Option<Vec<_>> = node.as_ref().and_then(Node::as_table).and_then(|table| {
            // One invalid entry makes the client ignore all of them.
            let texts = |node: &Node| Some(node.get("overrides")?.as_texts()?.into_iter().map(str::to_owned).collect());
            table.iter().map(|(name, node)| Some((name.clone(), texts(node)?))).collect()
        });
        Ok(Switches { chosen, rules: rules.unwrap_or_default() })
    }

    /// Returns true if an extension is active in a working directory.
    pub fn active(&self, name: &str, cwd: &Path) -> bool {
        match self.chosen.as_slice() {
            [] => {}
            [only] if only == "none" => return false,
            chosen => return chosen.contains(&name.to_lowercase()),
        }
        let path = cwd.to_string_lossy().replace('\\', "/");
        let path = if path.ends_with('/') { path } else { format!("{path}/") };
        let rules = self.rules.iter().find(|(known, _)| known == name).map(|(_, rules)| rules.as_slice());
        let matching =
            rules.unwrap_or_default().iter().rfind(|rule| matches(rule.strip_prefix('!').unwrap_or(rule), &path));
        matching.is_none_or(|rule| !rule.starts_with('!'))
    }
}

/// Matches a rule: a star, with the slash before it, stands for anything below, or for nothing. Tracks every position
/// at which the rule so far may end, so that many stars stay cheap.
fn matches(rule: &str, path: &str) -> bool {
    let (rule, path) = (rule.as_bytes(), path.as_bytes());
    let mut ends = vec![false; path.len() + 1];
    ends[0] = true;
    let mut at = 0;
    while at < rule.len() {
        let slash = rule[at] == b'/' && rule.get(at + 1) == Some(&b'*');
        let mut next = vec![false; path.len() + 1];
        if slash || rule[at] == b'*' {
            let mut open = false;
            for end in 0..=path.len() {
                next[end] = ends[end] || open;
                open |= ends[end] && (!slash || path.get(end) == Some(&b'/'));
            }
        } else {
            for end in 0..path.len() {
                next[end + 1] = ends[end] && path[end] == rule[at];
            }
        }
        ends = next;
        at += if slash { 2 } else { 1 };
    }
    ends[path.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_matches_folders_below() {
        for (rule, path, expected) in [
            ("/p/*", "/p/", true),
            ("/p/*", "/p/q/", true),
            ("/p/*", "/pq/", false),
            ("/p/", "/p/q/", false),
            ("/*", "/p/", true),
            ("/p*", "/pq/", true),
            ("/*/q/", "/a/b/q/", true),
        ] {
            assert_eq!(matches(rule, path), expected, "{rule} {path}");
        }
    }
}
