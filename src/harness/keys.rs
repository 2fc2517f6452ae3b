//! Keys of settings files and of front matter that decide what an agent reads, for an editor's hovers and completions.
//! Their effects are implemented in the agents' own rooms.

use crate::answer::Per;

/// Keys of some files.
pub struct Keys {
    /// Files, as endings of their paths. The keys of Markdown files are those of their front matter.
    pub files: &'static [&'static str],
    /// The keys.
    pub keys: &'static [Key],
}

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Path to the key, such as `context.fileName`; `*` stands for a name that the user chooses.
    pub name: &'static str,
    /// Explanation of what the key decides.
    pub meaning: &'static str,
    /// Values that the key takes.
    pub takes: Takes,
}

/// Values that a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A limit on texts.
    Limit(Per),
    /// Paths or patterns of files.
    Paths,
    /// Names of files.
    Names,
    /// Anything else.
    Other,
}

impl Takes {
    /// `true` or `false`.
    pub const SWITCH: Takes = Takes::Words(&["true", "false"]);
}

impl Key {
    /// Creates a key from its path, its values and its explanation.
    pub const fn new(name: &'static str, takes: Takes, meaning: &'static str) -> Key {
        Key { name, meaning, takes }
    }

    /// Returns true if the path `way` leads to this key.
    pub fn is_at(&self, way: &[String]) -> bool {
        let segments: Vec<&str> = self.name.split('.').collect();
        segments.len() == way.len() && segments.iter().zip(way).all(|(segment, key)| *segment == "*" || segment == key)
    }

    /// Returns the segment that follows `way` on the path to this key, unless the user chooses it.
    pub fn after(&self, way: &[String]) -> Option<&'static str> {
        let segments: Vec<&'static str> = self.name.split('.').collect();
        let leads = segments.len() > way.len()
            && segments.iter().zip(way).all(|(segment, key)| *segment == "*" || segment == key);
        leads.then(|| segments[way.len()]).filter(|next| *next != "*")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::ALL;

    fn way(keys: &str) -> Vec<String> {
        keys.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn a_star_stands_for_any_name() {
        let key = Key::new("projects.*.trust_level", Takes::Other, "");
        for (keys, is_at, after) in [
            ("", false, Some("projects")),
            ("projects", false, None),
            ("projects./p", false, Some("trust_level")),
            ("projects./p.trust_level", true, None),
            ("other", false, None),
        ] {
            assert_eq!((key.is_at(&way(keys)), key.after(&way(keys))), (is_at, after), "{keys}");
        }
    }

    #[test]
    fn keys_belong_to_files_of_their_harness_and_stand_there_once() {
        for profile in ALL {
            for keys in profile.keys {
                for file in keys.files {
                    let known = profile.instruction_names.contains(file) || profile.settings_names.contains(file);
                    assert!(known, "{}: {file}", profile.id);
                }
                let mut names: Vec<_> = keys.keys.iter().map(|key| key.name).collect();
                names.sort_unstable();
                names.dedup();
                assert_eq!(names.len(), keys.keys.len(), "{}", profile.id);
            }
        }
    }
}
