//! An index of an answer by path, so that a question about one of ten thousand files does not look at every source.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::path::Path;
use std::sync::OnceLock;

use super::{Fate, Place, Resolution, Source, Warning};

/// Positions in an answer, computed on first use.
#[derive(Debug, Default)]
pub struct ByPath {
    /// Sources that are files, sorted by path and then by position.
    sources: OnceLock<Vec<u32>>,
    /// Warnings about a file, sorted in the same way.
    warnings: OnceLock<Vec<u32>>,
    /// Sources that are URLs or missing files.
    dangling: OnceLock<Vec<u32>>,
    /// Hashes of the paths whose content was asked for.
    probed: OnceLock<HashSet<u64>>,
}

/// A clone may be changed, so its index is computed anew.
impl Clone for ByPath {
    fn clone(&self) -> ByPath {
        ByPath::default()
    }
}

impl Resolution {
    /// Returns the sources that are the file at `path`, in order. Compares paths as strings, since they are normalized.
    pub fn sources_of(&self, path: &Path) -> impl Iterator<Item = &Source> {
        let sources = &self.answer.sources;
        let name = |at: u32| sources[at as usize].path().map(Path::as_os_str);
        let sorted = self.by_path.sources.get_or_init(|| sorted(sources.len(), name));
        equal(sorted, name, path.as_os_str()).iter().map(|at| &sources[*at as usize])
    }

    /// Returns the warnings about the file at `path`, in order.
    pub fn warnings_about(&self, path: &Path) -> impl Iterator<Item = &Warning> {
        let warnings = &self.answer.warnings;
        let name = |at: u32| warnings[at as usize].path.as_deref();
        let sorted = self.by_path.warnings.get_or_init(|| sorted(warnings.len(), name));
        equal(sorted, name, path).iter().map(|at| &warnings[*at as usize])
    }

    /// Returns the sources that are URLs or missing files, in order.
    pub fn dangling(&self) -> impl Iterator<Item = &Source> {
        let sources = &self.answer.sources;
        let is_one = |at: &u32| {
            let source = &sources[*at as usize];
            matches!((&source.place, source.fate), (Place::Url(_), _) | (Place::Path(_), Fate::Missing))
        };
        let found = self.by_path.dangling.get_or_init(|| positions(sources.len()).filter(is_one).collect());
        found.iter().map(|at| &sources[*at as usize])
    }

    /// Returns true if the content of the file at `path` was asked for.
    pub fn has_probed(&self, path: &Path) -> bool {
        let hash = |path: &Path| foldhash::fast::FixedState::default().hash_one(path.as_os_str());
        let contents = || self.trace.iter().filter(|probe| probe.asked == "content");
        let probed = self.by_path.probed.get_or_init(|| contents().map(|probe| hash(&probe.path)).collect());
        probed.contains(&hash(path)) && contents().any(|probe| probe.path.as_os_str() == path.as_os_str())
    }
}

fn positions(len: usize) -> std::ops::Range<u32> {
    0..u32::try_from(len).expect("an answer has fewer entries")
}

/// Returns the positions of the entries that have a path, sorted by it and then by position.
fn sorted<K: Ord>(len: usize, name: impl Fn(u32) -> Option<K>) -> Vec<u32> {
    let mut sorted: Vec<u32> = positions(len).filter(|at| name(*at).is_some()).collect();
    sorted.sort_by_key(|at| name(*at));
    sorted
}

/// Returns the positions of the entries at the path `wanted`.
fn equal<K: Ord>(sorted: &[u32], name: impl Fn(u32) -> Option<K>, wanted: K) -> &[u32] {
    let wanted = Some(wanted);
    let start = sorted.partition_point(|at| name(*at) < wanted);
    let len = sorted[start..].partition_point(|at| name(*at) == wanted);
    &sorted[start..start + len]
}
