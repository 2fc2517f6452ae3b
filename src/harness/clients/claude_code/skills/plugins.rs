//! Skills and commands of plugins that the command line names.
//!
//! Observed: they stand behind the user's own commands, first the commands of all plugins, then the skills, each with the
//! plugin's name in front; one without a description of its own is not listed, and neither `paths` nor skillOverrides count.

use std::path::{Path, PathBuf};

use super::{Around, Found, commands, folders};
use crate::answer::{Answer, Certain, Fate, Scope};
use crate::formats::{Node, parse_json};
use crate::harness::kit::skills::{FILE, sort_by_name, words};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType};

/// A plugin on the disk.
struct Plugin {
    dir: PathBuf,
    name: String,
    manifest: Option<Node>,
}

/// What the plugins of the session bring.
pub(super) fn all(around: &Around, search: &mut Search, answer: &mut Answer) -> Known<Vec<Found>> {
    if let Some(name) = &around.settings.installed_plugin {
        answer.doubt(&[Certain::Set], format!("the installed plugin {name} may bring skills and commands of its own"));
    }
    let mut plugins = Vec::new();
    for dir in &around.settings.plugin_dirs {
        plugins.extend(at(dir, search)?);
    }
    let mut found = Vec::new();
    for plugin in &plugins {
        found.extend(plugin.commands(search, answer)?);
    }
    for plugin in &plugins {
        for skill in plugin.skills(search, answer)? {
            let mut skill = skill;
            if let Some(first) = found.iter().find(|other: &&Found| other.counts() && other.known == skill.known) {
                skill.shadowed(first);
            }
            found.push(skill);
        }
    }
    Ok(found)
}

/// The plugin in a directory, or the plugins in the directories below.
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

/// The plugin in a directory: what has a manifest, or one of the folders that a plugin has.
fn plugin(dir: &Path, search: &mut Search) -> Known<Option<Plugin>> {
    let manifest = dir.join(".claude-plugin/plugin.json");
    let folders = ["commands", "skills", "agents", "hooks"].map(|name| dir.join(name));
    search.expect(folders.iter().cloned().map(Ask::Kind).chain([Ask::Content(manifest.clone())]))?;
    let own = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Ok(raw) = search.read(&manifest, "the manifest of a plugin")? {
        let manifest = parse_json(&raw.text()).ok();
        let name = manifest.as_ref().and_then(|manifest| manifest.get("name")).and_then(Node::as_text);
        return Ok(Some(Plugin { dir: dir.to_owned(), name: name.unwrap_or(&own).to_owned(), manifest }));
    }
    for folder in folders {
        if search
            .stat(&folder, "a plugin without a manifest has one of its folders")?
            .is_ok_and(|meta| meta.kind == FileType::Dir)
        {
            return Ok(Some(Plugin { dir: dir.to_owned(), name: own, manifest: None }));
        }
    }
    Ok(None)
}

impl Plugin {
    /// The paths that the manifest names under a key, below the plugin.
    fn named(&self, key: &str) -> Vec<PathBuf> {
        let node = self.manifest.as_ref().and_then(|manifest| manifest.get(key));
        let texts = node.map(|node| {
            node.as_text()
                .map(|text| vec![text])
                .unwrap_or_else(|| node.as_list().into_iter().flatten().filter_map(Node::as_text).collect())
        });
        texts.into_iter().flatten().map(|text| self.dir.join(text.strip_prefix("./").unwrap_or(text))).collect()
    }

    fn commands(&self, search: &mut Search, answer: &mut Answer) -> Known<Vec<Found>> {
        let mut found = Vec::new();
        let named = self.named("commands");
        let dirs = if named.is_empty() { vec![self.dir.join("commands")] } else { named };
        for dir in dirs {
            if search.is_file(&dir, "a command that the manifest of a plugin names")? {
                let name = dir.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                found.extend(self.one(&dir, &name, search, answer)?);
                continue;
            }
            search.expect([commands::asks(&dir)])?;
            let mut files = commands::below(&dir, search)?;
            // Observed: the files of a directory stand before what is in the directories below.
            let below = |name: &str| name.contains(':');
            sort_by_name(&mut files, |(_, name)| name);
            files
                .sort_by_key(|(path, name)| (below(name) || path.ends_with(FILE), path.ends_with(FILE) && below(name)));
            for (path, name) in files {
                found.extend(self.one(&path, &name, search, answer)?);
            }
        }
        Ok(found)
    }

    fn skills(&self, search: &mut Search, answer: &mut Answer) -> Known<Vec<Found>> {
        let mut found = Vec::new();
        for dir in [self.dir.join("skills")].into_iter().chain(self.named("skills")) {
            for folder in folders::names(&dir, search)? {
                let path = dir.join(&folder).join(FILE);
                if search.is_file(&path, "a folder with a SKILL.md is a skill")? {
                    found.extend(self.one(&path, &folder, search, answer)?);
                }
            }
        }
        let root = self.dir.join(FILE);
        if found.is_empty() && search.is_file(&root, "a plugin may be one skill")? {
            let name = self.dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            found.extend(self.one(&root, &name, search, answer)?);
        }
        Ok(found)
    }

    /// One command or skill, with the plugin's name in front.
    fn one(&self, path: &Path, name: &str, search: &mut Search, answer: &mut Answer) -> Known<Option<Found>> {
        let Some((mut found, head)) = folders::read(path, name, Scope::Config, search, answer)? else {
            return Ok(None);
        };
        let value =
            |key: &str| head.as_ref().and_then(|head| head.get(key)).and_then(words).filter(|text| !text.is_empty());
        if found.counts() && value("description").is_none() && value("when_to_use").is_none() {
            found.leave_out(Fate::Dropped, "a plugin's command or skill without a description is not listed");
        }
        found.known = format!("{}:{name}", self.name);
        found.name = match &found.title {
            Some(title) => format!("{} ({}:{title})", found.known, self.name),
            None => found.known.clone(),
        };
        Ok(Some(found))
    }
}
