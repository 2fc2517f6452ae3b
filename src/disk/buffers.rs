//! Unsaved editor buffers, laid over the disk: a file that is open counts as what the editor shows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::Filesystem;
use crate::snapshot::{Entry, Errno, Kind, Meta, Unreadable};
use crate::text;

/// A file system in which open buffers stand in for their files.
pub struct Buffers<F> {
    disk: F,
    open: RwLock<BTreeMap<PathBuf, Buffer>>,
}

struct Buffer {
    /// What the editor shows.
    text: Arc<[u8]>,
    /// What the disk holds, as far as it was read. An editor hides a byte order mark and invalid bytes; a buffer that
    /// shows the same text as the file counts as the file.
    saved: Option<Arc<[u8]>>,
}

impl<F: Filesystem> Buffers<F> {
    /// Lays nothing over `disk` yet.
    pub fn over(disk: F) -> Self {
        Buffers { disk, open: RwLock::default() }
    }

    /// Sets what the editor shows for the file at `path`. Returns the path at which the change is seen.
    pub fn set(&self, path: &Path, text: &str) -> PathBuf {
        let real = self.disk.real_path(path).unwrap_or_else(|_| path.to_owned());
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        match open.get_mut(&real) {
            Some(buffer) => buffer.text = text.as_bytes().into(),
            None => {
                let saved = self.disk.read(&real).ok();
                open.insert(real.clone(), Buffer { text: text.as_bytes().into(), saved });
            }
        }
        real
    }

    /// The buffer was closed; the file counts again.
    pub fn close(&self, path: &Path) -> PathBuf {
        let real = self.disk.real_path(path).unwrap_or_else(|_| path.to_owned());
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        if open.remove(&real).is_none() {
            open.remove(path);
        }
        real
    }

    /// Something happened to the files themselves: what they hold is read anew.
    pub fn refresh<'a>(&self, paths: impl Iterator<Item = &'a Path>) {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        for path in paths {
            if let Some(buffer) = open.get_mut(path) {
                buffer.saved = self.disk.read(path).ok();
            }
        }
    }

    fn bytes(&self, path: &Path) -> Option<Arc<[u8]>> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        if open.is_empty() {
            return None;
        }
        let buffer = match self.disk.real_path(path) {
            Ok(real) => open.get(&real)?,
            // An empty buffer for a file that does not exist is a file nobody has begun.
            Err(_) => open.get(path).filter(|buffer| !buffer.text.is_empty())?,
        };
        Some(buffer.bytes())
    }
}

impl Buffer {
    fn bytes(&self) -> Arc<[u8]> {
        let Some(saved) = &self.saved else { return self.text.clone() };
        if text::lossy_without_bom(saved).as_bytes() == &*self.text || text::lossy(saved).as_bytes() == &*self.text {
            return saved.clone();
        }
        let bom = "\u{feff}".as_bytes();
        if saved.starts_with(bom) && !self.text.starts_with(bom) {
            return [bom, &self.text].concat().into();
        }
        self.text.clone()
    }
}

impl<F: Filesystem> Filesystem for Buffers<F> {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        overlaid(self.disk.stat(path), || self.bytes(path))
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        overlaid(self.disk.lstat(path), || self.bytes(path))
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.disk.read_link(path)
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.disk.real_path(path)
    }

    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Unreadable> {
        let kind = self.stat(path).map_err(Unreadable::Errno)?.kind;
        match self.bytes(path).filter(|_| kind == Kind::File) {
            Some(bytes) => Ok(bytes),
            None => self.disk.read(path),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        let mut entries = self.disk.list(path)?;
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        for (buffer, _) in open.iter().filter(|(buffer, shown)| buffer.parent() == Some(path) && !shown.text.is_empty())
        {
            let Some(name) = buffer.file_name() else { continue };
            if entries.iter().all(|entry| entry.name != name) {
                entries.push(Entry { name: name.to_owned(), kind: Kind::File });
            }
        }
        Ok(entries)
    }
}

fn overlaid(on_disk: Result<Meta, Errno>, bytes: impl Fn() -> Option<Arc<[u8]>>) -> Result<Meta, Errno> {
    match on_disk {
        Ok(meta) if meta.kind == Kind::File => {
            Ok(bytes().map_or(meta, |bytes| Meta { len: bytes.len() as u64, ..meta }))
        }
        Err(Errno::NOENT) => bytes()
            .map(|bytes| Meta { kind: Kind::File, len: bytes.len() as u64, links: 1, identity: (0, 0) })
            .ok_or(Errno::NOENT),
        other => other,
    }
}
