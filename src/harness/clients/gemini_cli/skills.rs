//! Skills of extensions, of the user, and of the working directory. Of several with one name the last counts.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::settings::Settings;
use crate::answer::{Answer, Fate, Scope, Standpoint};
use crate::formats::{Node, parse_yaml, with_merges};
use crate::harness::kit::heads;
use crate::harness::kit::skills::{self, Skill, Walk, as_written, element};
use crate::search::{Known, Search};
use crate::snapshot::Ask;

/// Walk over a folder of skills and the folders in it (Gemini CLI 0.61).
const WALK: Walk =
    Walk { depth: 1, hidden: false, folder_links: true, file_links: true, ends_at_skill: false, root_counts: true };

/// Adds the list after the other messages, and the sources of the skills.
pub(super) fn look(
    at: &Standpoint,
    home: &Path,
    extensions: &[PathBuf],
    settings: &Settings,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<()> {
    let mut places: Vec<(PathBuf, Scope)> = extensions.iter().map(|dir| (dir.join("skills"), Scope::Config)).collect();
    for (dir, scope) in [(home, Scope::User), (at.cwd.as_path(), Scope::Project)] {
        // In the home directory both are equal.
        if scope == Scope::User || dir != home {
            places.extend([".gemini/skills", ".agents/skills"].map(|name| (dir.join(name), scope)));
        }
    }
    search.expect(places.iter().map(|(dir, _)| Ask::Listing(dir.clone())))?;
    let disabled: HashSet<String> =
        settings.texts(&["skills", "disabled"]).into_iter().map(str::to_lowercase).collect();
    let (mut found, mut places_of): (Vec<Skill>, HashMap<String, usize>) = Default::default();
    for (dir, scope) in places {
        let mut paths = skills::shared_below(
            "skills of Gemini CLI",
            &dir,
            |dir, _, search| skills::inside(dir, WALK, search),
            search,
        )?;
        // A skill in the folder itself comes first, then its subfolders in reverse alphabetical order.
        paths.sort_by_key(|path| path.parent() != Some(dir.as_path()));
        let inside = paths.iter().position(|path| path.parent() != Some(dir.as_path())).unwrap_or(paths.len());
        paths[inside..].reverse();
        for path in paths {
            let Some(file) = skills::read(&path, scope, search, &mut answer.sources)? else { continue };
            let head = heads::whole_lines(&file.text).and_then(|(head, _)| named(head));
            let Some((name, description)) = head else {
                answer.sources.push(file.refused("its head must have a `name` and a `description`"));
                continue;
            };
            let mut skill = file.named(name, description);
            if !settings.flag(&["skills", "enabled"], true) {
                skill.leave_out(Fate::Excluded, "skills.enabled is off in the settings");
            } else if scope == Scope::Project && !settings.trusted {
                skill.leave_out(Fate::Excluded, "the folder is not trusted");
            } else if disabled.contains(&skill.name.to_lowercase()) {
                skill.leave_out(Fate::Excluded, "skills.disabled names it in the settings");
            }
            add(skill, &mut found, &mut places_of);
        }
    }
    let entry = |skill: &Skill| element("  ", skill, &skill.path().display().to_string(), str::to_owned);
    let (list, sources) = skills::told(found, answer.messages.len(), entry);
    answer.messages.extend(list);
    answer.sources.extend(sources);
    Ok(())
}

/// Adds a skill. If the name exists, the new skill takes the position of the older one.
fn add(skill: Skill, found: &mut Vec<Skill>, places: &mut HashMap<String, usize>) {
    if !skill.counts() {
        return found.push(skill);
    }
    let before = *places.entry(skill.name.clone()).or_insert(found.len());
    if before == found.len() {
        return found.push(skill);
    }
    let mut older = std::mem::replace(&mut found[before], skill);
    let newer = found[before].path().to_owned();
    older.leave_out(Fate::Shadowed, format!("{} has the same name and comes later", newer.display()));
    older.source.by = Some(newer);
    found.push(older);
}

/// Returns name and description, parsed as YAML or else as written. Characters that a file name must not contain become
/// hyphens in the name.
fn named(head: &str) -> Option<(String, String)> {
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::as_text).map(str::to_owned);
    let of_yaml = |node: &Node| Some((text(node, "name")?, text(node, "description")?));
    // The client's YAML parser rejects tabs as indentation and unknown tags.
    let is_refused = |line: &str| {
        let value = line.split_once(':').map_or("", |(_, value)| value.trim_start());
        line.trim_start_matches(' ').starts_with('\t') || (value.starts_with('!') && !value.starts_with("!!"))
    };
    let yaml = if head.lines().any(is_refused) { None } else { parse_yaml(head).ok() };
    let found = yaml.map(with_merges).as_ref().and_then(of_yaml);
    let (name, description) = match found {
        Some(found) => found,
        None => (on_its_line(head, "name")?, as_written(head, "description")?),
    };
    Some((name.replace([':', '\\', '/', '<', '>', '*', '?', '"', '|'], "-"), description))
}

/// Returns the value of a key on its line.
fn on_its_line(head: &str, key: &str) -> Option<String> {
    let value = head.lines().find_map(|line| line.trim_start().strip_prefix(key)?.trim_start().strip_prefix(':'))?;
    Some(value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_that_are_no_yaml_are_read_line_by_line() {
        let pair = |name: &str, description: &str| Some((name.to_owned(), description.to_owned()));
        for (head, found) in [
            ("name: a\ndescription: b\n", pair("a", "b")),
            ("name: 12\ndescription: 1.50\n", pair("12", "1.50")),
            ("name: a: \"b\"\ndescription: {x: y}\n", pair("a- -b-", "{x: y}")),
            ("name: a\ndescription: Use when: a colon\n", pair("a", "Use when: a colon")),
            ("name: a\ndescription: [open\n", pair("a", "[open")),
            ("name: a\ndescription:\n  - b\n  - c\n", pair("a", "- b - c")),
            ("name: a\n", None),
            ("description: b\n", None),
        ] {
            assert_eq!(named(head), found, "{head}");
        }
    }
}
