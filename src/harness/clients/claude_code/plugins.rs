//! Plugins: those named on the command line, and those that are installed and enabled.
//!
//! Observed on 2.1.329: an installed plugin counts if its marketplace is known and lists it. A plugin of a directory
//! marketplace is read in place; any other is read from the client's cache, if the list of installed plugins has it for
//! the user or for this project.

use std::path::{Path, PathBuf};

use super::hooks;
use super::settings::Settings;
use super::{Edition21, variables};
use crate::answer::{Answer, Certain};
use crate::formats::{Node, Value, parse_json};
use crate::harness::kit::skills::sort_by_name;
use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType, absolute};

/// A plugin on the disk.
pub(super) struct Plugin {
    pub(super) dir: PathBuf,
    pub(super) name: String,
    pub(super) manifest: Option<Node>,
    /// Entry of the plugin in the list of its marketplace.
    entry: Option<Node>,
    /// True if only the commands and skills named in the marketplace's list count, because the plugin's directory is
    /// the marketplace itself.
    pub(super) named_alone: bool,
}

impl Plugin {
    /// Returns the paths, below the plugin, that the manifest or the marketplace's list names under a key.
    pub(super) fn named(&self, key: &str) -> Vec<PathBuf> {
        let nodes = [&self.manifest, &self.entry].into_iter().flatten().filter_map(|node| node.get(key));
        let texts = nodes.flat_map(|node| match node.as_text() {
            Some(text) => vec![text],
            None => node.as_list().into_iter().flatten().filter_map(Node::as_text).collect(),
        });
        texts.map(|text| self.dir.join(text.strip_prefix("./").unwrap_or(text))).collect()
    }

    /// Returns the value of a key in the manifest, or else in the marketplace's list.
    pub(super) fn says(&self, key: &str) -> Option<&Node> {
        [&self.manifest, &self.entry].into_iter().flatten().find_map(|node| node.get(key))
    }
}

impl Edition21 {
    /// Returns the plugins of a session: first those of the command line, then the installed ones in the order of the
    /// settings.
    pub(super) fn plugins(
        &self,
        settings: &Settings,
        cwd: &Path,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Vec<Plugin>> {
        let mut plugins = Vec::new();
        for dir in &settings.plugin_dirs {
            plugins.extend(at(dir, search)?);
        }
        let before = plugins.len();
        plugins.extend(installed(settings, cwd, search, answer)?);
        if let Some(plugin) = plugins.get(before).filter(|_| !self.own_skills_measured) {
            let reason = format!("how this version reads the installed plugin {} was not asked", plugin.name);
            answer.doubt(&[Certain::Set], reason);
        }
        Ok(plugins)
    }
}

/// Returns the plugin in a directory, or else the plugins in its subdirectories.
fn at(dir: &Path, search: &mut Search) -> Known<Vec<Plugin>> {
    if let Some(plugin) = plugin(dir, search)? {
        return Ok(vec![plugin]);
    }
    let Ok(entries) = search.list(dir, "plugins below a directory that is none")? else { return Ok(Vec::new()) };
    let mut names: Vec<String> = entries
        .iter()
        .filter(|entry| matches!(entry.kind, FileType::Dir | FileType::Link))
        .map(|entry| entry.name.to_string_lossy().into_owned())
        .collect();
    sort_by_name(&mut names, |name| name);
    let mut plugins = Vec::new();
    for name in names {
        plugins.extend(plugin(&dir.join(name), search)?.filter(|plugin| plugin.manifest.is_some()));
    }
    Ok(plugins)
}

/// Returns the plugin in a directory, if it has a manifest or one of the folders of a plugin.
fn plugin(dir: &Path, search: &mut Search) -> Known<Option<Plugin>> {
    let folders = ["commands", "skills", "agents", "hooks"].map(|name| dir.join(name));
    search.expect(folders.iter().cloned().map(Ask::Kind).chain([Ask::Content(manifest_of(dir))]))?;
    let own = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plugin =
        |name: String, manifest| Plugin { dir: dir.to_owned(), name, manifest, entry: None, named_alone: false };
    if let Some(manifest) = manifest(dir, search)? {
        let name = manifest.as_ref().and_then(|manifest| manifest.get("name")).and_then(Node::as_text);
        return Ok(Some(plugin(name.unwrap_or(&own).to_owned(), manifest)));
    }
    for folder in folders {
        if search.is_dir(&folder, "a plugin without a manifest has one of its folders")? {
            return Ok(Some(plugin(own, None)));
        }
    }
    Ok(None)
}

fn manifest_of(dir: &Path) -> PathBuf {
    dir.join(".claude-plugin/plugin.json")
}

/// Reads the manifest of a plugin, if there is one; `Some(None)` if it is not JSON.
fn manifest(dir: &Path, search: &mut Search) -> Known<Option<Option<Node>>> {
    let raw = search.read(&manifest_of(dir), "the manifest of a plugin")?;
    Ok(raw.ok().map(|raw| parse_json(&raw.text()).ok()))
}

/// Returns the plugins that the settings enable, if they are installed.
fn installed(settings: &Settings, cwd: &Path, search: &mut Search, answer: &mut Answer) -> Known<Vec<Plugin>> {
    if settings.plugins.is_empty() {
        return Ok(Vec::new());
    }
    let elsewhere = search.env(variables::PLUGINS).filter(|dir| !dir.is_empty());
    let root = elsewhere.map_or_else(|| settings.config.path.join("plugins"), |dir| absolute(cwd, Path::new(&dir)));
    let (known, records) = (root.join("known_marketplaces.json"), root.join("installed_plugins.json"));
    search.expect([&known, &records].map(|file| Ask::Content(file.clone())))?;
    let Some(known) = json(&known, "the marketplaces that the client knows", search)? else { return Ok(Vec::new()) };
    let records = json(&records, "where plugins are installed", search)?;
    let mut plugins = Vec::new();
    for name in &settings.plugins {
        let Some((plugin, market)) = name.rsplit_once('@') else { continue };
        let Some(market_node) = known.get(market) else { continue };
        let place = market_node.get("installLocation").and_then(Node::as_text).map(Path::new);
        let Some(place) = place.filter(|place| place.is_absolute()) else { continue };
        let list = place.join(".claude-plugin/marketplace.json");
        let Some(list) = json(&list, "what a marketplace has", search)? else { continue };
        let entries = list.get("plugins").and_then(Node::as_list).unwrap_or_default();
        let Some(entry) = entries.iter().find(|entry| entry.get("name").and_then(Node::as_text) == Some(plugin)) else {
            continue;
        };
        let source = entry.get("source").and_then(Node::as_text);
        let is_directory = market_node.at_path(&["source", "source"]).and_then(Node::as_text) == Some("directory");
        let dir = match source.filter(|_| is_directory) {
            Some(source) => Some(absolute(place, Path::new(source))),
            None => cached(name, (plugin, market), records.as_ref(), (&root, cwd), search, answer)?,
        };
        let Some(dir) = dir else { continue };
        let is_market = dir == place;
        plugins.extend(of_market(dir, plugin, entry, is_market, search)?);
    }
    Ok(plugins)
}

/// Returns the plugin in a directory, as the list of its marketplace describes it.
fn of_market(dir: PathBuf, name: &str, entry: &Node, is_market: bool, search: &mut Search) -> Known<Option<Plugin>> {
    if !search.is_dir(&dir, "a plugin that is installed")? {
        return Ok(None);
    }
    let manifest = manifest(&dir, search)?;
    let lists = ["commands", "agents", "skills", "hooks", "mcpServers"].iter().any(|key| entry.get(key).is_some());
    // Observed: if the list is not strict and names parts of its own, a manifest beside it is a conflict.
    let is_loose = entry.get("strict").and_then(Node::as_bool) == Some(false);
    if manifest.is_some() && is_loose && lists {
        search.never(&dir, "its manifest and the list of its marketplace contradict each other");
        return Ok(None);
    }
    let manifest = manifest.flatten();
    let own = manifest.as_ref().and_then(|manifest| manifest.get("name")).and_then(Node::as_text);
    let name = own.unwrap_or(name).to_owned();
    Ok(Some(Plugin { dir, name, manifest, entry: Some(entry.clone()), named_alone: is_market && lists }))
}

/// Returns the directory in which the client keeps a plugin that is installed for the user, or for the project around
/// `cwd`.
fn cached(
    name: &str,
    (plugin, market): (&str, &str),
    records: Option<&Node>,
    (root, cwd): (&Path, &Path),
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Option<PathBuf>> {
    let record = records.and_then(|records| records.at_path(&["plugins", name]));
    let record = record.map(|record| record.as_list().unwrap_or(std::slice::from_ref(record)));
    let Some(records) = record else {
        // Observed: a plugin that is not recorded as installed is searched for in the cache all the same.
        let folder = root.join("cache").join(market).join(plugin);
        let Ok(entries) = search.list(&folder, "versions of a plugin in the cache")? else { return Ok(None) };
        let mut versions: Vec<PathBuf> = entries.iter().map(|entry| folder.join(&entry.name)).collect();
        versions.sort();
        if versions.len() > 1 {
            let reason = format!("which version of the plugin {name} counts, of those in the cache, was not asked");
            answer.doubt(&[Certain::Set], reason);
        }
        return Ok(versions.into_iter().next());
    };
    let counts = |record: &&Node| match record.get("projectPath").and_then(Node::as_text) {
        Some(project) => cwd.starts_with(project),
        None => !matches!(record.get("scope").and_then(Node::as_text), Some("project" | "local")),
    };
    let place = |record: &Node| record.get("installPath").and_then(Node::as_text).map(PathBuf::from);
    let mut places: Vec<PathBuf> = records.iter().filter(counts).filter_map(place).collect();
    places.dedup();
    if places.len() > 1 {
        let reason =
            format!("the plugin {name} is installed in several places, and which one counts was asked once only");
        answer.doubt(&[Certain::Set], reason);
    }
    Ok(places.into_iter().next())
}

fn json(file: &Path, rule: &'static str, search: &mut Search) -> Known<Option<Node>> {
    let raw = search.read(file, rule)?;
    Ok(raw.ok().and_then(|raw| parse_json(&raw.text()).ok()))
}

/// Adds the hooks of plugins to those of the settings.
pub(super) fn add_hooks(settings: &mut Settings, plugins: &[Plugin], search: &mut Search) -> Known<()> {
    if settings.hooks_are_off {
        return Ok(());
    }
    for plugin in plugins {
        let usual = plugin.dir.join("hooks/hooks.json");
        for file in [usual].into_iter().chain(plugin.named("hooks")) {
            let Ok(raw) = search.read(&file, "hooks of a plugin")? else { continue };
            let node = parse_json(&raw.text()).ok();
            settings.hooks.extend(node.iter().flat_map(|node| hooks::of_node(node, &file)));
        }
        let written = plugin.says("hooks").filter(|node| node.as_table().is_some());
        if let Some(node) = written {
            // Hooks in a manifest are written with or without an outer key `hooks`.
            let around = Node { at: node.at.clone(), value: Value::Table(vec![("hooks".to_owned(), node.clone())]) };
            let node = if node.get("hooks").is_some() { node } else { &around };
            settings.hooks.extend(hooks::of_node(node, &plugin.dir));
        }
    }
    Ok(())
}
