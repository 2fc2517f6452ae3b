//! Determines the paths that a fact depends on: as long as nothing happens at them, the fact stays true.

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::before::{Before, Each, LookedAt};
use super::{Filesystem, observe, sqlite};
use crate::glob;
use crate::snapshot::{Ask, Fact, GlobFlavor, Observed, ROUND_WEIGHT};

/// Maximum number of links to follow when a path is resolved, as on Linux.
pub(super) const LINK_LIMIT: usize = 40;

/// Answers questions about the disk. This is the one slow step of an answer; it holds no lock.
pub fn observe_all(fs: &dyn Filesystem, asks: Vec<Ask>) -> Vec<Observed> {
    let mut plain = Plain::default();
    let (asks, walks) = apart(asks);
    let mut look = |ask: Ask| {
        let (fact, rests_on) = observe_with_rests(fs, &ask, &mut plain);
        Observed { ask, fact, rests_on }
    };
    let mut weight = 0;
    let mut observed = Vec::with_capacity(asks.len());
    for ask in asks {
        // The rest will hardly be needed: an answer that depends on so much ends earlier.
        if !fs.is_wanted() || weight > ROUND_WEIGHT {
            return observed;
        }
        let seen = look(ask);
        weight += seen.fact.weight();
        observed.push(seen);
    }
    for walks in walks.into_iter().take_while(|_| fs.is_wanted()) {
        observed.extend(walk(fs, walks, &mut plain));
    }
    observed
}

/// Answers questions about the disk without the paths that the answers depend on.
pub fn facts(fs: &dyn Filesystem, asks: Vec<Ask>) -> Vec<(Ask, Fact)> {
    let (asks, walks) = apart(asks);
    let alone = asks.into_iter().map(|ask| {
        let fact = observe(fs, &ask);
        (ask, fact)
    });
    let together = walks.into_iter().flat_map(|walks| {
        let found = any(fs, &walks).into_iter();
        walks.into_iter().zip(found.map(|found| Fact::Glob(found.into()))).collect::<Vec<_>>()
    });
    alone.chain(together).collect()
}

/// Separates the questions that are answered by walks, grouped by the directory in which the walk starts.
fn apart(asks: Vec<Ask>) -> (Vec<Ask>, Vec<Vec<Ask>>) {
    let (walks, asks): (Vec<Ask>, Vec<Ask>) =
        asks.into_iter().partition(|ask| matches!(ask, Ask::Glob { flavor: GlobFlavor::Any, .. }));
    let mut from: BTreeMap<PathBuf, Vec<Ask>> = BTreeMap::new();
    walks.into_iter().for_each(|ask| from.entry(ask.path().to_owned()).or_default().push(ask));
    (asks, from.into_values().collect())
}

/// Matches patterns below one directory under the most permissive semantics of any agent.
fn any(fs: &dyn Filesystem, walks: &[Ask]) -> Vec<glob::Found> {
    let patterns: Vec<&str> = walks.iter().filter_map(Ask::pattern).collect();
    super::any(fs, walks[0].path(), &patterns)
}

/// Answers questions about patterns below one directory in one walk.
fn walk(fs: &dyn Filesystem, walks: Vec<Ask>, plain: &mut Plain) -> Vec<Observed> {
    let mut rests_on = trail(fs, &walks[0], plain);
    let found = noting(fs, &walks[0], (plain, &mut rests_on), |fs| any(fs, &walks));
    let facts = found.into_iter().map(|found| Fact::Glob(found.into()));
    let observed = |(ask, fact): (Ask, Fact)| Observed { ask, fact, rests_on: rests_on.clone() };
    walks.iter().cloned().zip(facts).map(observed).collect()
}

/// Directories whose paths contain no links, cached while several questions are answered together.
#[derive(Default)]
struct Plain(HashSet<PathBuf>);

impl Plain {
    fn holds(&self, path: &Path) -> bool {
        path.parent().is_some_and(|dir| self.0.contains(dir))
    }
}

/// Answers one question about the disk and returns the paths that the answer depends on: its own, and every path on the
/// way through links, since an event on a link's target never names the link.
fn observe_with_rests(fs: &dyn Filesystem, ask: &Ask, plain: &mut Plain) -> (Fact, Vec<PathBuf>) {
    // Links come first: a file system that watches what it looks at must know their targets beforehand.
    let mut rests_on = trail(fs, ask, plain);
    let fact = match ask {
        Ask::Git(_) | Ask::Glob { .. } => noting(fs, ask, (plain, &mut rests_on), |fs| observe(fs, ask)),
        _ => observe(fs, ask),
    };
    (fact, rests_on)
}

/// Maximum length of a path that may be opened, in bytes: `PATH_MAX` of Linux is 4 096, that of macOS 1 024; Windows takes 32 767.
const PATH_CAP_BYTES: usize = if cfg!(windows) { 32_767 } else { 4096 };

/// Runs `look` and adds the paths that it looks at to `rests_on`.
fn noting<T>(
    fs: &dyn Filesystem,
    ask: &Ask,
    (plain, rests_on): (&mut Plain, &mut Vec<PathBuf>),
    look: impl FnOnce(&dyn Filesystem) -> T,
) -> T {
    let noting = Noting { ask, seen: Mutex::new((std::mem::take(plain), HashSet::new())) };
    let noting = Before::each(fs, noting);
    let found = look(&noting);
    let (known, noted) = noting.each.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    *plain = known;
    rests_on.extend(noted);
    found
}

/// Returns the paths that lead from the path of `ask` to its target.
fn trail(fs: &dyn Filesystem, ask: &Ask, plain: &mut Plain) -> Vec<PathBuf> {
    match ask {
        Ask::LinkKind(path) | Ask::Target(path) => {
            let mut trail = vec![path.clone()];
            // Only its directory may contain links to follow.
            let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return trail };
            trail.extend(resolved(fs, dir, plain).into_iter().skip(1).map(|dir| dir.join(name)));
            trail
        }
        Ask::Rows { file, .. } => {
            // Rows may still be in the write-ahead log beside the database.
            let mut trail = resolved(fs, file, plain);
            trail.extend(resolved(fs, &sqlite::log_of(file), plain));
            trail
        }
        Ask::Kind(path) | Ask::Real(path) | Ask::Content(path) | Ask::Listing(path) => resolved(fs, path, plain),
        // The paths are recorded while the answer is computed.
        Ask::Git(dir) => vec![dir.clone()],
        // Changes of a URL are reported under the URL.
        Ask::Remote(url) => vec![url.into()],
        Ask::Glob { base, .. } => resolved(fs, base, plain),
    }
}

/// Returns `path`, then the path with its first link replaced, then its second, and so on, finally without dots. A `..`
/// depends on the directory that it leaves, which must exist.
fn resolved(fs: &dyn Filesystem, path: &Path, plain: &mut Plain) -> Vec<PathBuf> {
    let mut trail = vec![path.to_owned()];
    // No system opens it, so links in it are never followed. Its prefixes together are as long as the square of its length.
    if path.as_os_str().len() > PATH_CAP_BYTES {
        return trail;
    }
    if path.file_name().is_some() && plain.holds(path) && fs.read_link(path).is_err() {
        return trail;
    }
    let mut add = |path: PathBuf| {
        if trail.last() != Some(&path) {
            trail.push(path);
        }
    };
    let mut current = path.to_owned();
    'links: for _ in 0..=LINK_LIMIT {
        let mut prefix = PathBuf::new();
        let mut components = current.components();
        while let Some(component) = components.next() {
            match component {
                Component::CurDir => continue,
                Component::ParentDir => {
                    add(prefix.clone());
                    prefix.pop();
                    continue;
                }
                Component::Normal(_) | Component::RootDir | Component::Prefix(_) => prefix.push(component),
            }
            let Ok(target) = fs.read_link(&prefix) else { continue };
            add(prefix.join(components.as_path()));
            prefix.pop();
            current = prefix.join(target).join(components.as_path());
            continue 'links;
        }
        add(prefix);
        break;
    }
    if trail.len() == 1 {
        plain.0.extend(path.ancestors().skip(1).map(Path::to_owned));
    }
    trail
}

/// Records each path before it is looked at, for an answer that looks at many. For a glob these are the paths outside
/// its base: reached by dots, by a pattern from the root, or through links.
struct Noting<'a> {
    ask: &'a Ask,
    seen: Mutex<(Plain, HashSet<PathBuf>)>,
}

impl Each for Noting<'_> {
    fn before(&self, fs: &dyn Filesystem, looked_at: LookedAt) {
        let path = looked_at.path();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (plain, noted) = &mut *seen;
        let trail = resolved(fs, path, plain);
        let base = matches!(self.ask, Ask::Glob { .. }).then(|| self.ask.path());
        let has_dots = |path: &Path| path.components().any(|part| part == Component::ParentDir);
        noted
            .extend(trail.into_iter().filter(|path| base.is_none_or(|base| !path.starts_with(base) || has_dots(path))));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::snapshot::{Content, Entry, Errno, Meta, Unreadable};

    /// An empty disk that counts how often it is asked for a link.
    #[derive(Default)]
    struct Empty(AtomicUsize);

    impl Filesystem for Empty {
        fn stat(&self, _: &Path) -> Result<Meta, Errno> {
            Err(Errno::NOENT)
        }

        fn lstat(&self, _: &Path) -> Result<Meta, Errno> {
            Err(Errno::NOENT)
        }

        fn read_link(&self, _: &Path) -> Result<PathBuf, Errno> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Err(Errno::NOENT)
        }

        fn real_path(&self, _: &Path) -> Result<PathBuf, Errno> {
            Err(Errno::NOENT)
        }

        fn read(&self, _: &Path) -> Result<Content, Unreadable> {
            Err(Unreadable::Errno(Errno::NOENT))
        }

        fn list(&self, _: &Path) -> Result<Vec<Entry>, Errno> {
            Err(Errno::NOENT)
        }
    }

    #[test]
    fn a_path_that_no_system_opens_is_not_searched_for_links() {
        for (parts, links) in [(3, 4), (20_000, 0)] {
            let (disk, mut plain) = (Empty::default(), Plain::default());
            let path = Path::new("/").join(["a"].repeat(parts).join("/"));
            assert_eq!(resolved(&disk, &path, &mut plain), [path.as_path()]);
            assert_eq!(disk.0.into_inner(), links);
            assert_eq!(plain.0.is_empty(), links == 0);
        }
    }
}
