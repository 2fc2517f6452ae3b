//! What a fact rests on: the paths at which something must happen before the fact can be another.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{Filesystem, observe, sqlite};
use crate::snapshot::{Ask, Change, Content, Entry, Errno, Fact, Kind, Meta, Remote, Unreadable};

/// The most links that resolving one path may follow, as on Linux.
pub(super) const LINK_LIMIT: usize = 40;

/// Directories to which no link leads, as far as that was seen while several questions are answered in one go.
#[derive(Default)]
pub struct Plain(HashSet<PathBuf>);

impl Plain {
    fn holds(&self, path: &Path) -> bool {
        path.parent().is_some_and(|dir| self.0.contains(dir))
    }
}

/// Answers one question about the disk, and says which paths the answer rests on: its own, and every path that resolving
/// its links leads through, since an event on a link's target never names the link.
pub fn observe_with_rests(fs: &dyn Filesystem, ask: &Ask, plain: &mut Plain) -> (Fact, Vec<PathBuf>) {
    // In this order: a file system that is watched while it is looked at must know the targets of links first.
    let mut rests_on = trail(fs, ask, plain);
    let fact = match ask {
        Ask::Git(_) | Ask::Glob { .. } => {
            let noting = Noting { fs, ask, seen: Mutex::new((std::mem::take(plain), HashSet::new())) };
            let fact = observe(&noting, ask);
            let (known, noted) = noting.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
            *plain = known;
            rests_on.extend(noted);
            fact
        }
        _ => observe(fs, ask),
    };
    (fact, rests_on)
}

/// Whether `change` may change the answer to `ask`, which rests on `rest`. `fact` is that answer, if it is known.
pub fn may_change(change: &Change, ask: &Ask, rest: &Path, fact: Option<&Fact>) -> bool {
    match change {
        Change::Everything => true,
        Change::Content(path) => rest == path && rests_on_bytes(ask),
        Change::Path(path) if rest.starts_with(path) => true,
        Change::Path(path) => path.strip_prefix(rest).is_ok_and(|below| rests_on_entry(ask, below, fact)),
    }
}

/// Whether an answer may be another once a file has other bytes.
fn rests_on_bytes(ask: &Ask) -> bool {
    match ask {
        Ask::Kind(_) | Ask::LinkKind(_) | Ask::Content(_) | Ask::Git(_) | Ask::Rows { .. } => true,
        Ask::Remote(_) => true,
        Ask::Real(_) | Ask::Target(_) | Ask::Listing(_) | Ask::Glob { .. } => false,
    }
}

/// Whether something that happened `below` the directory which an answer rests on may change it.
fn rests_on_entry(ask: &Ask, below: &Path, fact: Option<&Fact>) -> bool {
    match ask {
        Ask::Glob { .. } => true,
        Ask::Listing(_) => {
            let mut names = below.iter();
            let (name, deeper) = (names.next().unwrap_or_default(), names.next().is_some());
            match fact {
                // Deep below nothing changes the listing, unless the directory on the way there is news.
                Some(Fact::Listing(Ok(entries))) if deeper => {
                    let leads_on = |entry: &Entry| matches!(entry.kind, Kind::Dir | Kind::Link);
                    !entries.iter().any(|entry| entry.name == name && leads_on(entry))
                }
                _ => true,
            }
        }
        Ask::Kind(_) | Ask::LinkKind(_) | Ask::Real(_) | Ask::Target(_) => false,
        Ask::Content(_) | Ask::Git(_) | Ask::Rows { .. } | Ask::Remote(_) => false,
    }
}

/// The paths that lead from the path of `ask` to what is there.
fn trail(fs: &dyn Filesystem, ask: &Ask, plain: &mut Plain) -> Vec<PathBuf> {
    match ask {
        Ask::LinkKind(path) | Ask::Target(path) => {
            let mut trail = vec![path.clone()];
            // Only its directory may lead through links.
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
        // Where it looks is noted while it looks.
        Ask::Git(dir) => vec![dir.clone()],
        // What happens to a URL is said of the URL.
        Ask::Remote(url) => vec![url.into()],
        Ask::Glob { base, .. } => resolved(fs, base, plain),
    }
}

/// `path`, and what it becomes with its first link replaced, then its second, and so on; at last without dots. A step back by
/// dots is taken from a directory that must be there.
fn resolved(fs: &dyn Filesystem, path: &Path, plain: &mut Plain) -> Vec<PathBuf> {
    let mut trail = vec![path.to_owned()];
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

/// A file system that notes where an answer that looks at many paths has looked, before it is looked at. Of a glob that is
/// what lies outside its base: by dots, by a pattern from the root, or behind links.
struct Noting<'a> {
    fs: &'a dyn Filesystem,
    ask: &'a Ask,
    seen: Mutex<(Plain, HashSet<PathBuf>)>,
}

impl Noting<'_> {
    fn note(&self, path: &Path) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (plain, noted) = &mut *seen;
        let trail = resolved(self.fs, path, plain);
        let base = matches!(self.ask, Ask::Glob { .. }).then(|| self.ask.path());
        let has_dots = |path: &Path| path.components().any(|part| part == Component::ParentDir);
        noted
            .extend(trail.into_iter().filter(|path| base.is_none_or(|base| !path.starts_with(base) || has_dots(path))));
    }
}

impl Filesystem for Noting<'_> {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        self.note(path);
        self.fs.stat(path)
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        self.note(path);
        self.fs.lstat(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.note(path);
        self.fs.read_link(path)
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.note(path);
        self.fs.real_path(path)
    }

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        self.note(path);
        self.fs.read(path)
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        self.note(path);
        self.fs.list(path)
    }

    fn fetched(&self, url: &str) -> Remote {
        self.fs.fetched(url)
    }
}
