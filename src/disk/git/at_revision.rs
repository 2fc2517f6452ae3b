//! A file system that shows the working tree of one repository as of a revision. Files outside of it, and `.git`
//! itself, are the current ones. Nothing is checked out: trees and blobs are read from git's object store.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use dashmap::DashMap;

use super::config::Config;
use super::ids::Id;
use super::objects::{Item, Node, Objects};
use super::refs::Refs;
use crate::disk::rests::LINK_LIMIT;
use crate::disk::{FILE_CAP_BYTES, Filesystem};
use crate::snapshot::{Content, Entry, Errno, FileType, Meta, Unreadable, absolute};

/// Maximum size of the cache of a repository, in bytes.
const KEPT_BYTES: usize = 64 << 20;
/// Approximate memory that a tree entry uses, in bytes.
const ITEM_BYTES: usize = 160;
/// Maximum length of a path on Linux, in bytes. Trees may be nested deeper than any directory, or contain themselves.
const PATH_BYTES: usize = 4096;

/// The working tree at a revision, on top of the current disk.
pub struct AtRevision<'a> {
    disk: &'a dyn Filesystem,
    /// Top of the working tree, as a physical path.
    top: PathBuf,
    /// Device of the top, used for the whole tree.
    device: u64,
    objects: Objects,
    root: Id,
    /// Cached trees and blobs.
    trees: DashMap<Id, Arc<[Item]>>,
    blobs: DashMap<Id, Result<Content, Unreadable>>,
    /// Size of the cache, in bytes.
    kept: AtomicUsize,
}

/// The result of looking up a path.
enum Found {
    /// The path is outside the tree; the disk knows it by this path.
    Outside(PathBuf),
    /// The path is in the tree, at this physical path.
    Inside(PathBuf, Node),
}

impl<'a> AtRevision<'a> {
    /// Opens the repository around `dir` at a revision. Errors are for the user.
    pub fn open(disk: &'a dyn Filesystem, dir: &Path, revision: &str) -> Result<AtRevision<'a>, String> {
        let (top, objects, root) = opened(disk, dir, revision, |refs, top| {
            let root = refs.objects.tree_of(refs.resolve(revision)?)?;
            Ok((top.to_owned(), refs.objects.clone(), root))
        })?;
        let device = disk.stat(&top).map_or(0, |meta| meta.identity.0);
        Ok(AtRevision {
            disk,
            top,
            device,
            objects,
            root,
            trees: DashMap::new(),
            blobs: DashMap::new(),
            kept: AtomicUsize::new(0),
        })
    }

    fn find(&self, path: &Path, follow: bool) -> Result<Found, Errno> {
        let mut path = absolute(Path::new("/"), path);
        'links: for _ in 0..=LINK_LIMIT {
            if path.as_os_str().len() >= PATH_BYTES {
                return Err(Errno::NAMETOOLONG);
            }
            let Some(inside) = self.inside(&path) else { return Ok(Found::Outside(path)) };
            let (mut at, mut node) = (self.top.clone(), Node::Tree(self.root.clone()));
            let mut parts = inside.components();
            while let Some(part) = parts.next() {
                let Node::Tree(tree) = &node else { return Err(Errno::NOTDIR) };
                let name = part.as_os_str();
                let items = self.tree(tree)?;
                let place = items.binary_search_by(|item| item.name.as_slice().cmp(name.as_encoded_bytes()));
                node = items[place.map_err(|_| Errno::NOENT)?].node.clone();
                let rest = parts.as_path();
                if let Node::Link(id) = &node
                    && (follow || !rest.as_os_str().is_empty())
                {
                    let target = self.target(id)?;
                    path = absolute(&at, &if rest.as_os_str().is_empty() { target } else { target.join(rest) });
                    continue 'links;
                }
                at.push(name);
            }
            return Ok(Found::Inside(at, node));
        }
        Err(Errno::LOOP)
    }

    /// Returns the path relative to the top if it is in the tree, also if it leads there through a link from outside.
    fn inside(&self, path: &Path) -> Option<PathBuf> {
        let below = |path: &Path| {
            let inside = path.strip_prefix(&self.top).ok()?;
            (inside.components().next().map(|first| first.as_os_str()) != Some(OsStr::new(".git")))
                .then(|| inside.to_owned())
        };
        if path.starts_with(&self.top) || self.top.starts_with(path) {
            return below(path);
        }
        let (dir, name) = (path.parent()?, path.file_name()?);
        if let Some(dir) = self.disk.real_path(dir).ok().and_then(|dir| below(&dir)) {
            return Some(dir.join(name));
        }
        self.disk.real_path(path).ok().and_then(|path| below(&path))
    }

    fn meta(&self, path: &Path, node: &Node) -> Result<Meta, Errno> {
        let (kind, len) = match node {
            Node::Tree(_) | Node::Module => (FileType::Dir, 0),
            Node::Link(id) => (FileType::Link, self.target(id)?.as_os_str().len()),
            Node::Blob(id) => (FileType::File, self.objects.size(id).map_err(io_error)?),
        };
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        let identity = (self.device, hasher.finish());
        Ok(Meta { identity, guarded: true, ..Meta::made(kind, len as u64) })
    }

    fn tree(&self, id: &Id) -> Result<Arc<[Item]>, Errno> {
        if let Some(known) = self.trees.get(id) {
            return Ok(known.clone());
        }
        let items: Arc<[Item]> = self.objects.tree(id).map_err(io_error)?.into();
        if self.keeps(items.len() * ITEM_BYTES) {
            self.trees.insert(id.clone(), items.clone());
        }
        Ok(items)
    }

    fn blob(&self, id: &Id) -> Result<Content, Unreadable> {
        if let Some(known) = self.blobs.get(id) {
            return known.clone();
        }
        let size = self.objects.size(id).map_err(|problem| Unreadable::Errno(io_error(problem)))?;
        if size as u64 > FILE_CAP_BYTES {
            return Err(Unreadable::TooLarge(size as u64));
        }
        let blob = self.objects.blob(id).map(Content::from).map_err(|problem| Unreadable::Errno(io_error(problem)));
        if self.keeps(size) {
            self.blobs.insert(id.clone(), blob.clone());
        }
        blob
    }

    /// Counts `bytes` more bytes. Returns true if the cache has room for them.
    fn keeps(&self, bytes: usize) -> bool {
        self.kept.fetch_add(bytes, Relaxed) + bytes <= KEPT_BYTES
    }

    fn target(&self, id: &Id) -> Result<PathBuf, Errno> {
        let bytes = self.blob(id).map_err(|_| Errno::IO)?;
        Ok(path_of(bytes.to_vec()).into())
    }
}

/// Calls `ask` with the refs of the repository around `dir` and the top of its working tree.
pub(super) fn opened<T>(
    disk: &dyn Filesystem,
    dir: &Path,
    revision: &str,
    ask: impl FnOnce(&Refs, &Path) -> Result<T, String>,
) -> Result<T, String> {
    // The directory may exist only at the revision.
    let there = dir.ancestors().find_map(|dir| disk.real_path(dir).ok()).unwrap_or_else(|| dir.to_owned());
    let no_repository = || format!("{} is in no git repository, so it has no revision `{revision}`", dir.display());
    let (git_dir, repository) = super::discovered(disk, &there).ok_or_else(no_repository)?;
    let top = repository.toplevel.ok_or_else(|| format!("{} has no working tree", git_dir.display()))?;
    let common = repository.common_dir;
    let settings = disk.read(&common.join("config")).ok().and_then(|raw| Config::parse(&raw)).unwrap_or_default();
    if settings.uses_reftable() {
        return Err(format!("{}: names in the format `reftable` are not read", common.display()));
    }
    let objects = Objects::of(disk, common.join("objects"), settings.name_len())?;
    let refs = Refs { fs: disk, git_dir: &git_dir, common_dir: &common, objects: &objects };
    ask(&refs, &top).map_err(|problem| with_remedy(disk, &common, problem))
}

/// Reports a damaged repository like a damaged disk.
fn io_error(problem: String) -> Errno {
    tracing::warn!("git: {problem}");
    Errno::IO
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes)
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

impl Filesystem for AtRevision<'_> {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        match self.find(path, true)? {
            Found::Outside(path) => self.disk.stat(&path),
            Found::Inside(path, node) => self.meta(&path, &node),
        }
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        match self.find(path, false)? {
            Found::Outside(path) => self.disk.lstat(&path),
            Found::Inside(path, node) => self.meta(&path, &node),
        }
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        match self.find(path, false)? {
            Found::Outside(path) => self.disk.read_link(&path),
            Found::Inside(_, Node::Link(id)) => self.target(&id),
            Found::Inside(..) => Err(Errno::INVAL),
        }
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        match self.find(path, true)? {
            Found::Outside(path) => self.disk.real_path(&path),
            Found::Inside(path, _) => Ok(path),
        }
    }

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        match self.find(path, true).map_err(Unreadable::Errno)? {
            Found::Outside(path) => self.disk.read(&path),
            Found::Inside(_, Node::Blob(id)) => self.blob(&id),
            Found::Inside(_, Node::Tree(_) | Node::Module) => Err(Unreadable::Not(FileType::Dir)),
            Found::Inside(_, Node::Link(_)) => Err(Unreadable::Not(FileType::Link)),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        let (path, tree) = match self.find(path, true)? {
            Found::Outside(path) => return self.disk.list(&path),
            Found::Inside(_, Node::Module) => return Ok(Vec::new()),
            Found::Inside(_, Node::Blob(_) | Node::Link(_)) => return Err(Errno::NOTDIR),
            Found::Inside(path, Node::Tree(tree)) => (path, tree),
        };
        let entry = |item: &Item| {
            let kind = match item.node {
                Node::Tree(_) | Node::Module => FileType::Dir,
                Node::Blob(_) => FileType::File,
                Node::Link(_) => FileType::Link,
            };
            Entry { name: path_of(item.name.clone()), kind }
        };
        let mut entries: Vec<Entry> = self.tree(&tree)?.iter().map(entry).collect();
        let now = self.disk.list(&path).unwrap_or_default();
        if path == self.top {
            entries.extend(now.iter().find(|entry| entry.name == ".git").cloned());
        }
        // Git does not keep the disk's order. With the current order, unchanged files make no difference.
        let order: HashMap<&OsString, usize> = now.iter().enumerate().map(|(at, entry)| (&entry.name, at)).collect();
        entries.sort_by_key(|entry| order.get(&entry.name).copied().unwrap_or(usize::MAX));
        Ok(entries)
    }
}

/// Adds a remedy to the error if the clone at `common_dir` lacks a part of its history.
fn with_remedy(disk: &dyn Filesystem, common_dir: &Path, problem: String) -> String {
    if disk.stat(&common_dir.join("shallow")).is_err() {
        return problem;
    }
    format!(
        "{problem}. This clone is shallow, so a part of the history is not here: `git fetch --unshallow` brings it, and in a \
         GitHub workflow `fetch-depth: 0` at actions/checkout"
    )
}
