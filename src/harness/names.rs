//! Which files are worth knowing: every name that any profile reads, as one matcher.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::LazyLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::ALL;

/// A set of patterns on the endings of paths, such as `AGENTS.md` or `.cursor/rules/**/*.mdc`.
pub struct Names {
    /// Last segments without wildcards: most files of a tree are told apart by these alone.
    last: HashSet<OsString>,
    /// Whether some pattern ends in a wildcard, so that a last segment alone decides nothing.
    wild: Vec<OsString>,
    patterns: GlobSet,
}

/// The instruction files of every harness.
pub static INSTRUCTION_FILES: LazyLock<Names> =
    LazyLock::new(|| Names::new(ALL.iter().flat_map(|profile| profile.instruction_names).copied()));

/// The settings files of every harness.
pub static SETTINGS_FILES: LazyLock<Names> =
    LazyLock::new(|| Names::new(ALL.iter().flat_map(|profile| profile.settings_names).copied()));

impl Names {
    /// A matcher for these endings. A pattern that is no glob is left out; a test looks at those of the profiles.
    pub fn new<'a>(endings: impl IntoIterator<Item = &'a str>) -> Names {
        let mut names = Names { last: HashSet::new(), wild: Vec::new(), patterns: GlobSet::empty() };
        let mut patterns = GlobSetBuilder::new();
        for ending in endings {
            let last = ending.rsplit('/').next().unwrap_or(ending);
            match last.rsplit_once('*') {
                Some((_, suffix)) => names.wild.push(suffix.into()),
                None => {
                    names.last.insert(last.into());
                }
            }
            if let Ok(glob) = GlobBuilder::new(&format!("**/{ending}")).literal_separator(true).build() {
                patterns.add(glob);
            }
        }
        names.patterns = patterns.build().unwrap_or_else(|_| GlobSet::empty());
        names
    }

    /// Whether the path ends as one of the patterns says.
    pub fn matches(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| self.may_match(name)) && self.patterns.is_match(path)
    }

    /// Whether a file of this name can match at all. Cheap, for walks over large trees.
    pub fn may_match(&self, name: &OsStr) -> bool {
        let bytes = name.as_encoded_bytes();
        self.last.contains(name) || self.wild.iter().any(|suffix| bytes.ends_with(suffix.as_encoded_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_match_whole_segments() {
        let names = Names::new(["AGENTS.md", ".codex/config.toml", ".cursor/rules/**/*.mdc"]);
        for (path, matches) in [
            ("/r/AGENTS.md", true),
            ("/AGENTS.md", true),
            ("/r/MYAGENTS.md", false),
            ("/r/.codex/config.toml", true),
            ("/r/config.toml", false),
            ("/r/.cursor/rules/a.mdc", true),
            ("/r/.cursor/rules/a/b.mdc", true),
            ("/r/rules/a.mdc", false),
        ] {
            assert_eq!(names.matches(Path::new(path)), matches, "{path}");
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
