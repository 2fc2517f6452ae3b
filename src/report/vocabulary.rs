//! Which keys can stand in a file.

use std::path::Path;
use std::sync::LazyLock;

use crate::harness::keys::Key;
use crate::harness::names::Names;
use crate::harness::{ALL, Profile};

/// The keys of one harness in the files that a matcher knows.
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

/// The keys that can stand in a file, each with its harness.
pub fn keys_of(path: &Path) -> impl Iterator<Item = (&'static str, &'static Key)> {
    let here = KNOWN.iter().filter(|known| known.files.matches(path));
    here.flat_map(|known| known.keys.iter().map(|key| (known.harness, key)))
}
