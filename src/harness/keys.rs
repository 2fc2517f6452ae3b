//! The keys of settings files, and of the heads of rules, that decide what a harness reads: what an editor explains and
//! offers. What they do is in the harness's own code.

use crate::answer::Per;

/// The keys of some files.
pub struct Keys {
    /// The files, as endings of their paths; Markdown files have keys in their heads.
    pub files: &'static [&'static str],
    /// The keys.
    pub keys: &'static [Key],
}

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The way to it, as `context.fileName`; `*` stands for a name that the user chooses.
    pub name: &'static str,
    /// What it decides.
    pub meaning: &'static str,
    /// What it takes.
    pub takes: Takes,
}

/// What a key takes.
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
    /// On or off.
    pub const SWITCH: Takes = Takes::Words(&["true", "false"]);
}

impl Key {
    /// A key, what it takes, and what it decides.
    pub const fn new(name: &'static str, takes: Takes, meaning: &'static str) -> Key {
        Key { name, meaning, takes }
    }

    /// Whether a way of keys leads to it.
    pub fn is_at(&self, way: &[String]) -> bool {
        let segments: Vec<&str> = self.name.split('.').collect();
        segments.len() == way.len() && segments.iter().zip(way).all(|(segment, key)| *segment == "*" || segment == key)
    }

    /// What may follow a way of keys on the way to it.
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
