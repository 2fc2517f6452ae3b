//! Names of all instruction and settings files of any profile, as matchers.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use globset::GlobSet;

use crate::glob;
use crate::harness::ALL;

/// Matcher for endings of paths, such as `AGENTS.md` or `.cursor/rules/**/*.mdc`.
pub struct Names {
    /// Last segments without wildcards. These alone exclude most files of a tree.
    last: HashSet<OsString>,
    /// Last segments with wildcards: the text before and after the wildcards, each with the folders that patterns with
    /// this segment begin with. The folder `*` stands for any.
    wild: BTreeMap<(OsString, OsString), BTreeSet<OsString>>,
    patterns: GlobSet,
}

/// Instruction files of every agent.
pub static INSTRUCTION_FILES: LazyLock<Names> =
    LazyLock::new(|| Names::new(ALL.iter().flat_map(|profile| profile.instruction_names).copied()));

/// Settings files of every agent.
pub static SETTINGS_FILES: LazyLock<Names> =
    LazyLock::new(|| Names::new(ALL.iter().flat_map(|profile| profile.settings_names).copied()));

/// Folders that the patterns of all agents begin with: `.codex`, `.github`, `.github/instructions`.
static FOLDERS: LazyLock<HashSet<PathBuf>> = LazyLock::new(|| {
    let patterns = ALL.iter().flat_map(|profile| profile.instruction_names.iter().chain(profile.settings_names));
    let mut folders = HashSet::new();
    for pattern in patterns.filter(|pattern| pattern.starts_with('.')) {
        let parts: Vec<&str> = pattern.split('/').collect();
        let fixed = parts[..parts.len() - 1].iter().take_while(|part| !part.contains('*')).count();
        if fixed > 0 {
            folders.insert(parts[..fixed].iter().collect());
        }
    }
    folders
});

/// Maximum number of components in `FOLDERS`.
static FOLDER_DEPTH: LazyLock<usize> =
    LazyLock::new(|| FOLDERS.iter().map(|folder| folder.components().count()).max().unwrap_or_default());

/// Returns true if a relative path begins with a folder of some agent.
pub fn is_folder(path: &Path) -> bool {
    begins_with_folder(path.components())
}

/// Returns true if a relative path leads into a folder of some agent, in whatever directory that stands.
pub fn is_in_folder(path: &Path) -> bool {
    let names: Vec<Component> = path.components().collect();
    (0..names.len()).any(|at| begins_with_folder(names[at..].iter().copied()))
}

/// Returns true if the first names are a folder of some agent. Looks at no more names than the longest folder has,
/// because a path may be long.
fn begins_with_folder<'a>(names: impl Iterator<Item = Component<'a>>) -> bool {
    let mut first = PathBuf::new();
    names.take(*FOLDER_DEPTH).any(|name| {
        first.push(name);
        FOLDERS.contains(&first)
    })
}

/// Returns a directory in which an agent that reads this instruction or settings file could be started: the file's own
/// directory or, if that is in the folder of an agent (`.github/instructions`, `.codex`), the parent of this folder.
pub fn beside(file: &Path) -> PathBuf {
    let dir = file.parent().unwrap_or(Path::new("/"));
    let names: Vec<_> = dir.components().collect();
    let mut above = dir.ancestors().enumerate();
    let holder =
        above.find(|(below, _)| begins_with_folder(names[names.len().saturating_sub(*below)..].iter().copied()));
    holder.map_or(dir, |(_, holder)| holder).to_owned()
}

impl Names {
    /// Creates a matcher for these endings. An invalid glob is ignored; a test checks those of the profiles.
    pub fn new<'a>(endings: impl IntoIterator<Item = &'a str>) -> Names {
        let mut names = Names { last: HashSet::new(), wild: BTreeMap::new(), patterns: GlobSet::empty() };
        let mut patterns = Vec::new();
        for ending in endings {
            let last = ending.rsplit('/').next().unwrap_or(ending);
            match (last.split_once('*'), last.rsplit_once('*')) {
                (Some((before, _)), Some((_, behind))) => {
                    let folder = ending.split_once('/').map_or("*", |(folder, _)| folder);
                    let folder = if folder.contains('*') { "*" } else { folder };
                    names.wild.entry((before.into(), behind.into())).or_default().insert(folder.into());
                }
                (None, _) | (_, None) => {
                    names.last.insert(last.into());
                }
            }
            patterns.push(format!("**/{ending}"));
        }
        names.patterns = glob::plain_set(patterns.iter().map(String::as_str));
        names
    }

    /// Returns true if the path ends as one of the patterns describes.
    pub fn matches(&self, path: &Path) -> bool {
        // Many files end in `.md`, and few of them are in the folder of an agent.
        let is_in = |folder: &OsString| folder == "*" || path.iter().any(|part| part == folder);
        let may_match = |name: &OsStr| self.last.contains(name) || self.wild_as(name).flatten().any(is_in);
        path.file_name().is_some_and(may_match) && self.patterns.is_match(path)
    }

    /// Returns true if a file of this name can match at all. Cheap, for walks over large trees.
    pub fn may_match(&self, name: &OsStr) -> bool {
        self.last.contains(name) || self.wild_as(name).next().is_some()
    }

    /// Returns the folders of each last segment with wildcards that the name may match.
    fn wild_as(&self, name: &OsStr) -> impl Iterator<Item = &BTreeSet<OsString>> {
        let bytes = name.as_encoded_bytes();
        let fits = move |((before, behind), _): &(&(OsString, OsString), _)| {
            let (before, behind) = (before.as_encoded_bytes(), behind.as_encoded_bytes());
            // Most names differ in the last byte, which is quick to compare.
            let may_end_so = behind.last().is_none_or(|last| bytes.last() == Some(last));
            may_end_so && bytes.starts_with(before) && bytes.ends_with(behind)
        };
        self.wild.iter().filter(fits).map(|(_, folders)| folders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_match_whole_segments() {
        let names =
            Names::new(["AGENTS.md", ".codex/config.toml", ".cursor/rules/**/*.mdc", "*.prompt.md", "*.d/rules/*.md"]);
        for (path, matches) in [
            ("/r/AGENTS.md", true),
            ("/AGENTS.md", true),
            ("/r/MYAGENTS.md", false),
            ("/r/.codex/config.toml", true),
            ("/r/config.toml", false),
            ("/r/.cursor/rules/a.mdc", true),
            ("/r/.cursor/rules/a/b.mdc", true),
            ("/r/rules/a.mdc", false),
            ("/r/a.prompt.md", true),
            ("/r/x.d/rules/a.md", true),
            ("/r/.cursor/a.md", false),
        ] {
            assert_eq!(names.matches(Path::new(path)), matches, "{path}");
        }
    }

    #[test]
    fn folders_of_harnesses_are_told_from_others() {
        for (path, folder) in [
            (".codex", true),
            (".github/instructions/web", true),
            (".github/workflows", true),
            (".config/opencode", true),
            (".config", false),
            ("src", false),
            ("", false),
        ] {
            assert_eq!(is_folder(Path::new(path)), folder, "{path}");
        }
    }

    #[test]
    fn an_agent_starts_in_the_directory_that_holds_the_folder() {
        for (file, dir) in [
            ("/r/src/a.md", "/r/src"),
            ("/r/.github/instructions/web/a.md", "/r"),
            ("/r/.codex/x/.claude/a.md", "/r/.codex/x"),
            ("/.codex/a.md", "/"),
            ("/a.md", "/"),
            (".codex/a.md", ""),
            ("src/a.md", "src"),
        ] {
            assert_eq!(beside(Path::new(file)), Path::new(dir), "{file}");
        }
    }

    #[test]
    fn every_name_of_every_profile_is_a_pattern() {
        for profile in ALL {
            for ending in profile.instruction_names.iter().chain(profile.settings_names) {
                let example = format!("/r/{}", ending.replace("**/", "").replace('*', "x"));
                assert!(Names::new([*ending]).matches(Path::new(&example)), "{}: {ending}", profile.id);
            }
        }
    }
}
