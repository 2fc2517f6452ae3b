//! Commands: every Markdown file below `.claude/commands`, called by its path with colons.
//!
//! Observed: commands follow the skills, all sorted together. Of commands with the same name, the administrator's wins,
//! then the user's, then that of the nearest directory; a skill of that name wins over all. A directory with a SKILL.md
//! is one command.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::super::around::Around;
use super::folders::is_skill_file;
use super::{Found, folders, places};
use crate::answer::Answer;
use crate::harness::kit::skills::sort_by_name;
use crate::search::{Known, Search};
use crate::snapshot::Ask;

/// Returns the commands of the session. `skills` have their names already.
pub(super) fn all(around: &Around, skills: &[Found], search: &mut Search, answer: &mut Answer) -> Known<Vec<Found>> {
    let places = places(around, "commands");
    search.expect(places.iter().map(|place| Ask::Listing(place.dir.clone())))?;
    // Observed: a skill that is not listed, or not yet, does not reserve its name.
    let mut firsts: HashMap<String, usize> = HashMap::new();
    for (at, skill) in skills.iter().enumerate().filter(|(_, skill)| skill.globs.is_empty() && skill.counts()) {
        firsts.entry(skill.known.clone()).or_insert(at);
    }
    let mut commands: Vec<Found> = Vec::new();
    for place in &places {
        for (path, name) in below(&place.dir, search)? {
            let Some((mut found, _)) = folders::read(&path, &name, place.scope, search, answer)? else { continue };
            found.title = None;
            folders::hide(&mut found, around.settings);
            if found.counts() {
                let here = skills.len() + commands.len();
                let at = *firsts.entry(found.known.clone()).or_insert(here);
                if at < here {
                    let first = skills.get(at).unwrap_or_else(|| &commands[at - skills.len()]);
                    found.shadowed(first);
                }
            }
            commands.push(found);
        }
    }
    sort_by_name(&mut commands, |found| &found.known);
    Ok(commands)
}

/// Returns the command files below a directory, with their names.
pub(super) fn below(dir: &Path, search: &mut Search) -> Known<Vec<(PathBuf, String)>> {
    let mut files = search.files_behind_links(dir, "commands: a Markdown file each", ".md", true)?;
    search.expect(files.iter().cloned().map(Ask::Content))?;
    let skills: HashSet<PathBuf> =
        files.iter().filter(|file| is_skill_file(file)).filter_map(|file| file.parent()).map(Path::to_owned).collect();
    files.retain(|file| is_skill_file(file) || file.parent().is_none_or(|dir| !skills.contains(dir)));
    let name = |file: &Path| {
        let relative = file.strip_prefix(dir).unwrap_or(file);
        let named = if is_skill_file(file) { relative.parent()?.to_owned() } else { relative.with_extension("") };
        let parts: Vec<String> = named.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        (!parts.is_empty()).then(|| parts.join(":"))
    };
    Ok(files.into_iter().filter_map(|file| name(&file).map(|name| (file, name))).collect())
}
