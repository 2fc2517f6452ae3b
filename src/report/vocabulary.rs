//! Known keys of settings files and front matter.

use std::path::Path;
use std::sync::LazyLock;

use crate::harness::keys::Key;
use crate::harness::names::Names;
use crate::harness::{ALL, Profile};

/// Keys of one agent in the files that `files` matches.
struct Known {
    files: Names,
    harness: &'static str,
    keys: &'static [Key],
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let of = |profile: &&'static Profile| {
        let harness = profile.id;
        profile.keys.iter().map(move |keys| Known {
            files: Names::new(keys.files.iter().copied()),
            harness,
            keys: keys.keys,
        })
    };
    ALL.iter().flat_map(of).collect()
});

/// Returns the keys that a file can contain, each with the id of its agent.
pub fn keys_of(path: &Path) -> impl Iterator<Item = (&'static str, &'static Key)> {
    let here = KNOWN.iter().filter(|known| known.files.matches(path));
    here.flat_map(|known| known.keys.iter().map(|key| (known.harness, key)))
}
