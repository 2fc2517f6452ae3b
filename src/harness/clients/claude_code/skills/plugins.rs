//! Skills and commands of plugins.
//!
//! Observed: they follow the user's own commands, first the commands of all plugins, then the skills, each with the
//! plugin's name in front. One without a description of its own is not listed, and neither `paths` nor skillOverrides
//! apply.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::around::Around;
use super::{Found, commands, folders};
use crate::answer::{Answer, Fate, Scope};
use crate::harness::clients::claude_code::plugins::Plugin;
use crate::harness::kit::skills::{FILE, words};
use crate::search::{Known, Search};
use crate::text::locale_compare;

/// Returns the skills and commands of the session's plugins.
pub(super) fn all(around: &Around, search: &mut Search, answer: &mut Answer) -> Known<Vec<Found>> {
    let mut found = Vec::new();
    for plugin in around.plugins {
        found.extend(plugin.commands(search, answer)?);
    }
    for plugin in around.plugins {
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

impl Plugin {
    fn commands(&self, search: &mut Search, answer: &mut Answer) -> Known<Vec<Found>> {
        let mut found = Vec::new();
        let named = self.named("commands");
        let usual = named.is_empty() && !self.named_alone;
        let dirs = if usual { vec![self.dir.join("commands")] } else { named };
        for dir in dirs {
            if search.is_file(&dir, "a command that the manifest of a plugin names")? {
                let name = dir.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                found.extend(self.one(&dir, &name, search, answer)?);
                continue;
            }
            let mut files = commands::below(&dir, search)?;
            in_their_order(&mut files);
            for (path, name) in files {
                found.extend(self.one(&path, &name, search, answer)?);
            }
        }
        Ok(found)
    }

    fn skills(&self, search: &mut Search, answer: &mut Answer) -> Known<Vec<Found>> {
        let mut found = Vec::new();
        let usual = (!self.named_alone).then(|| self.dir.join("skills"));
        for dir in usual.into_iter().chain(self.named("skills")) {
            // A named path may be a single skill.
            let own = dir.join(FILE);
            if search.is_file(&own, "a folder with a SKILL.md is a skill")? {
                let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                found.extend(self.one(&own, &name, search, answer)?);
                continue;
            }
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

    /// Reads one command or skill, with the plugin's name in front.
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

/// Sorts the command files of a plugin, given with their names. Observed: files are sorted by path as `localeCompare`
/// does, then grouped by directory; each group takes the place of its first file.
fn in_their_order(files: &mut [(PathBuf, String)]) {
    files.sort_by(|(one, _), (other, _)| locale_compare(&one.to_string_lossy(), &other.to_string_lossy()));
    let mut firsts: HashMap<Option<PathBuf>, usize> = HashMap::new();
    let dir = |path: &Path| path.parent().map(Path::to_owned);
    for (at, (path, _)) in files.iter().enumerate() {
        firsts.entry(dir(path)).or_insert(at);
    }
    files.sort_by_key(|(path, _)| firsts[&dir(path)]);
}
