//! Settings of Qwen Code for context files: four layers, with comments allowed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::environment::{Trust, Variables, resolved};
use super::history::{Behavior, Undecided};
use super::imports::Format;
use super::migration::migrated;
use super::trust::{self, Decisions};
use crate::answer::{Standpoint, Warning};
use crate::formats::{Node, Value, parse_json, without_comments};
use crate::harness::clients::gemini_cli::truthy;
use crate::harness::kit::conventional::Chain;
use crate::search::{Halt, Known};
use crate::snapshot::{Ask, absolute};
use crate::text;

/// Settings that affect instructions.
pub(super) struct Settings {
    /// Names of context files.
    pub names: Vec<String>,
    /// Format of imports.
    pub format: Format,
    /// Value of `general.outputLanguage`.
    pub language: String,
    /// True if files of the project are loaded.
    pub trusted: bool,
    /// Value of `memory.enableManagedAutoMemory`: true if the client keeps memories.
    pub remembers: bool,
    /// Value of `advanced.runtimeOutputDir`: the folder of memories.
    pub runtime: Option<String>,
    /// Variables for manifests.
    pub variables: Variables,
    included: Vec<String>,
}

impl Settings {
    /// Reads all layers. A later one overrides an earlier one; lists of directories are joined. Refuses to start as the
    /// client does.
    pub fn gather(chain: &mut Chain, own: &Path, behavior: Behavior) -> Known<Settings> {
        let system = chain.search.env("QWEN_CODE_SYSTEM_SETTINGS_PATH").filter(|path| !path.is_empty());
        let system = absolute(&chain.at.cwd, Path::new(system.as_deref().unwrap_or("/etc/qwen-code/settings.json")));
        let project = chain.at.cwd.join(".qwen/settings.json");
        let defaults = chain.search.env("QWEN_CODE_SYSTEM_DEFAULTS_PATH").filter(|path| !path.is_empty());
        let defaults = defaults.map(|path| absolute(&chain.at.cwd, Path::new(&path)));
        let defaults = defaults.unwrap_or_else(|| system.with_file_name("system-defaults.json"));
        let mut files = vec![(defaults, false), (own.join("settings.json"), false)];
        if chain.at.cwd != chain.at.home {
            files.push((project, true));
        }
        files.push((system, false));
        chain.search.expect(files.iter().map(|(file, _)| Ask::Content(file.clone())))?;
        let mut layers = Vec::new();
        for (file, is_projects) in files {
            let refused = |why: String| Err(Halt::refused(&file, format!("{}: {why}", file.display())));
            let raw = match chain.search.read(&file, "settings")? {
                Ok(raw) => raw,
                Err(_) if chain.search.stat(&file, "settings that cannot be reached are missing")?.is_err() => continue,
                Err(problem) => return refused(problem.to_string()),
            };
            let text = without_comments(&raw.text_without_bom());
            match parse_json(&text) {
                Ok(layer) if layer.as_table().is_some() => layers.push((migrated(layer), is_projects)),
                Ok(_) => return refused("settings must be an object".to_owned()),
                // The client replaces invalid project settings by empty ones.
                Err(error) if is_projects => {
                    let message = format!("{}: these settings are emptied", error.with_position(&text));
                    chain.answer.warnings.push(Warning::at("settings", &file, message));
                }
                Err(error) => return refused(error.with_position(&text)),
            }
        }
        let trust = trust(chain, own, &layers, behavior)?;
        layers.retain(|(_, is_projects)| trust.reads_settings || !is_projects);
        let layers: Vec<Node> = layers
            .into_iter()
            .map(|(layer, _)| {
                with_variables(layer, &|name, written| trust.variables.put_in(name, written, chain.search))
            })
            .collect();
        let value = |path: &[&str]| layers.iter().rev().find_map(|layer: &Node| layer.at_path(path));
        let context = |key: &str| value(&["context", key]);
        let is_flat = context("importFormat").and_then(Node::as_text) == Some("flat");
        let format = if is_flat { Format::Flat } else { Format::Tree };
        let include = truthy(context("loadFromIncludeDirectories"));
        if layers
            .iter()
            .any(|layer| layer.at_path(&["context", "includeDirectories"]).is_some_and(|node| node.as_text().is_some()))
        {
            return Err(Halt::refused(own, "context.includeDirectories must be a list".to_owned()));
        }
        let language = value(&["general", "outputLanguage"]).and_then(Node::as_text).unwrap_or_default().to_owned();
        let lists = layers.iter().filter_map(|layer| layer.at_path(&["context", "includeDirectories"])?.as_texts());
        let included = lists.flatten().filter(|_| include).map(str::to_owned).collect();
        let names = match names(context("fileName")) {
            Some(names) => names,
            None => return Err(Halt::refused(own, "context.fileName must be a text or a list of texts".to_owned())),
        };
        let remembers = value(&["memory", "enableManagedAutoMemory"]);
        let remembers = remembers.is_none_or(|node| node.value == Value::Null || truthy(Some(node)));
        let runtime = value(&["advanced", "runtimeOutputDir"]).and_then(Node::as_text).map(str::to_owned);
        let Trusted { trusted, variables, .. } = trust;
        Ok(Settings { names, format, language, trusted, remembers, runtime, variables, included })
    }

    /// Returns the directories in which context files are collected: the working directory, then the included ones.
    pub fn directories(&self, at: &Standpoint) -> Vec<PathBuf> {
        let mut directories = vec![at.cwd.clone()];
        let mut known = HashSet::from([at.cwd.clone()]);
        for name in &self.included {
            let path = resolved(name, at);
            if known.insert(path.clone()) {
                directories.push(path);
            }
        }
        directories
    }
}

/// Result of the decision about trust.
struct Trusted {
    /// True if the project's settings are read.
    reads_settings: bool,
    /// True if the project's files are loaded.
    trusted: bool,
    variables: Variables,
}

/// Decides about trust by the settings without those of the project, then with them if they are read.
fn trust(chain: &mut Chain, own: &Path, layers: &[(Node, bool)], behavior: Behavior) -> Known<Trusted> {
    let all: Vec<&Node> = layers.iter().map(|(layer, _)| layer).collect();
    let others: Vec<&Node> = layers.iter().filter(|(_, is_projects)| !is_projects).map(|(layer, _)| layer).collect();
    let (is_asked, may_be_asked) = (trust::is_enabled(&others), trust::is_enabled(&all));
    if !is_asked && !may_be_asked {
        let variables = Variables::load(chain, own, &all, Trust::Everything)?;
        return Ok(Trusted { reads_settings: true, trusted: true, variables });
    }
    let decisions = Decisions::read(chain, own, behavior.deciding)?;
    let cwd = chain.at.cwd.clone();
    let is_trusted = decisions.about(chain, &cwd)?.unwrap_or(behavior.undecided == Undecided::Trusted);
    let reads_settings = !is_asked || is_trusted;
    let trusted = is_trusted || (reads_settings && !may_be_asked);
    let layers = if reads_settings { all } else { others };
    let trust = if trusted { Trust::Decided(&decisions) } else { Trust::Nothing };
    let variables = Variables::load(chain, own, &layers, trust)?;
    if !trusted {
        let message =
            format!("{} is not trusted: Qwen Code reads no context file and no rule of the project", cwd.display());
        chain.answer.warnings.push(Warning::general("untrusted", message));
    }
    Ok(Trusted { reads_settings, trusted, variables })
}

/// Returns the names of `context.fileName`, a text or a list. An empty value stands for the two default names; `None`
/// for a value of another type, which stops the client.
fn names(setting: Option<&Node>) -> Option<Vec<String>> {
    let trimmed = |name: &Node| name.as_text().map(|name| text::js_trim(name).to_owned());
    match setting.map(|node| &node.value) {
        Some(Value::Text(name)) if !text::js_trim(name).is_empty() => Some(vec![text::js_trim(name).to_owned()]),
        Some(Value::List(list)) if !list.is_empty() => list.iter().map(trimmed).collect(),
        None | Some(Value::Null | Value::Bool(false) | Value::Integer(0) | Value::Text(_) | Value::List(_)) => {
            Some(vec!["QWEN.md".to_owned(), "AGENTS.md".to_owned()])
        }
        Some(_) => None,
    }
}

/// Substitutes `$NAME` and `${NAME}` in every text. An unknown variable stays as it is.
pub(super) fn with_variables(node: Node, env: &dyn Fn(&str, &str) -> Option<String>) -> Node {
    let inner = |node: Node| with_variables(node, env);
    let value = match node.value {
        Value::Text(text) => Value::Text(substituted(&text, env)),
        Value::List(list) => Value::List(list.into_iter().map(inner).collect()),
        Value::Table(table) => Value::Table(table.into_iter().map(|(key, item)| (key, inner(item))).collect()),
        other => other,
    };
    Node { value, ..node }
}

fn substituted(text: &str, env: &dyn Fn(&str, &str) -> Option<String>) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    // After the last `}` none is searched for, because a text may contain very many `${`.
    let last = text.rfind('}').map_or(text.len(), |at| text.len() - at);
    while let Some(start) = rest.find('$') {
        let (before, inner) = (&rest[..start], &rest[start + 1..]);
        let word = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
        let opened = inner.strip_prefix('{').filter(|inner| inner.len() >= last);
        let braced = opened.and_then(|inner| inner.split_once('}')).map(|(name, _)| name);
        let (name, len) = match braced.filter(|name| !name.is_empty()) {
            Some(name) => (name, name.len() + 2),
            None => (&inner[..word], word),
        };
        out.push_str(before);
        match env(name, &rest[start..start + 1 + len]).filter(|_| len > 0) {
            Some(value) => out.push_str(&value),
            None => out.push_str(&rest[start..start + 1 + len]),
        }
        rest = &inner[len..];
    }
    out + rest
}
