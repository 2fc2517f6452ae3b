//! Unsaved editor buffers on top of the disk: the content of an open file is what the editor shows. Also holds the URLs
//! that were fetched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use dashmap::DashMap;

use super::Filesystem;
use crate::snapshot::{Change, Content, Entry, Errno, FileType, Meta, Remote, Unreadable};

/// A file system in which open buffers replace their files, and URLs have their fetched content. No lock is held during
/// disk access, which may be slow, so that keystrokes do not wait for it.
pub struct Buffers {
    disk: Box<dyn Filesystem>,
    /// Open buffers by the path under which the editor opened them.
    open: RwLock<BTreeMap<PathBuf, Buffer>>,
    fetched: DashMap<String, Remote>,
    /// Counts disk accesses, so that an older one does not overwrite a newer one.
    looks: AtomicU64,
}

struct Buffer {
    /// Resolved location, since agents may use another path.
    place: Place,
    /// Text that the editor shows.
    text: Content,
    /// Content on the disk, if it was read. An editor hides a byte order mark, invalid bytes and mixed line ends; a
    /// buffer that shows the same text as the file counts as the file.
    saved: Option<Content>,
    /// Effective content, derived from the two above.
    bytes: Content,
    /// Number of the disk access that read `saved`; `None` if the file was not read yet, which the first question about
    /// it does.
    look: Option<u64>,
}

/// Location of a file.
#[derive(Default)]
pub struct Place {
    /// Path with links resolved.
    real: PathBuf,
    /// True if the file exists.
    is_there: bool,
}

impl Buffers {
    /// Creates an overlay without buffers.
    pub fn over(disk: impl Filesystem + 'static) -> Self {
        Buffers { disk: Box::new(disk), open: RwLock::default(), fetched: DashMap::new(), looks: AtomicU64::new(0) }
    }

    fn open(&self) -> RwLockReadGuard<'_, BTreeMap<PathBuf, Buffer>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_mut(&self) -> RwLockWriteGuard<'_, BTreeMap<PathBuf, Buffer>> {
        self.open.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the state of a URL. Returns the change to report.
    pub fn keep(&self, url: &str, remote: Remote) -> Change {
        self.fetched.insert(url.to_owned(), remote);
        Change::Content(url.into())
    }

    /// Locates a file that is about to be opened.
    pub fn locate(&self, path: &Path) -> Place {
        let real = self.real(path);
        let is_there = self.disk.stat(&real).is_ok();
        Place { real, is_there }
    }

    /// Sets the text that the editor shows for `path`. Accesses the disk only if the buffer is new. Returns the changes
    /// to report.
    pub fn set(&self, path: &Path, text: &str) -> [Change; 2] {
        let is_open = self.open().contains_key(path);
        let place = if is_open { Place::default() } else { self.locate(path) };
        self.open_at(path, text, place)
    }

    /// Sets the text like [`Buffers::set`], for a file that was located before, without disk access: its saved content
    /// is read when it is needed.
    pub fn open_at(&self, path: &Path, text: &str, place: Place) -> [Change; 2] {
        let text = Content::from(text);
        let mut open = self.open_mut();
        if let Some(buffer) = open.get_mut(path) {
            let before = std::mem::replace(&mut buffer.text, text);
            buffer.bytes = effective(&buffer.text, buffer.saved.as_ref());
            return buffer.changes(path, before.is_empty() == buffer.text.is_empty());
        }
        let buffer = Buffer { place, bytes: text.clone(), text, saved: None, look: None };
        let changes = buffer.changes(path, false);
        open.insert(path.to_owned(), buffer);
        changes
    }

    /// Reads the file of an open buffer. Returns its previous location if that has changed.
    fn look(&self, path: &Path) -> Option<PathBuf> {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        let real = self.real(path);
        let saved = self.disk.read(&real).ok();
        let mut open = self.open_mut();
        let buffer = open.get_mut(path).filter(|buffer| buffer.look.is_none_or(|before| before < look))?;
        buffer.look = Some(look);
        buffer.saved = saved;
        buffer.place.is_there = buffer.saved.is_some();
        buffer.bytes = effective(&buffer.text, buffer.saved.as_ref());
        let before = std::mem::replace(&mut buffer.place.real, real);
        (before != buffer.place.real).then_some(before)
    }

    /// Removes the buffer of a closed file. Returns the changes to report.
    pub fn close(&self, path: &Path) -> Option<[Change; 2]> {
        let closed = self.open_mut().remove(path)?;
        Some(closed.changes(path, false))
    }

    /// Reads the location and content of the buffers' files again after changes on the disk. Returns the paths of
    /// buffers that now belong to another file.
    pub fn refresh(&self, changes: &[Change]) -> Vec<PathBuf> {
        let mut moved = Vec::new();
        let open: Vec<(PathBuf, PathBuf)> =
            self.open().iter().map(|(path, buffer)| (path.clone(), buffer.place.real.clone())).collect();
        for (path, real) in open {
            let touched = changes.iter().any(|change| match change {
                Change::Everything => true,
                Change::Path(changed) | Change::Content(changed) => {
                    path.starts_with(changed) || real.starts_with(changed)
                }
            });
            if (touched || self.real(&path) != real)
                && let Some(before) = self.look(&path)
            {
                moved.extend(self.open().get(&path).map(|buffer| buffer.place.real.clone()));
                moved.extend([path, before]);
            }
        }
        moved
    }

    /// Returns the effective content of every open file by its resolved path.
    pub fn all_open(&self) -> BTreeMap<PathBuf, Content> {
        self.open().values().map(|buffer| (buffer.place.real.clone(), buffer.bytes.clone())).collect()
    }

    /// Returns the effective content of the file opened under `path`, and its resolved path; `None` if the disk was not
    /// read yet.
    pub fn opened(&self, path: &Path) -> Option<(Content, PathBuf)> {
        let open = self.open();
        let buffer = open.get(path).filter(|buffer| buffer.look.is_some())?;
        Some((buffer.bytes.clone(), buffer.place.real.clone()))
    }

    /// Resolves `path`. If the file does not exist, resolves the nearest directory above it that does.
    pub fn real(&self, path: &Path) -> PathBuf {
        let mut missing = Vec::new();
        let mut nearest = path;
        let mut real = loop {
            match (self.disk.real_path(nearest), nearest.parent(), nearest.file_name()) {
                (Ok(real), ..) => break real,
                (Err(_), Some(above), Some(name)) => {
                    missing.push(name);
                    nearest = above;
                }
                (Err(_), ..) => break nearest.to_owned(),
            }
        };
        real.extend(missing.into_iter().rev());
        real
    }

    /// Returns the effective content for `path` if the file it leads to is open.
    fn open_bytes(&self, path: &Path) -> Option<Content> {
        let may_be_open = {
            let open = self.open();
            if open.is_empty() {
                return None;
            }
            let named = |other: &Path| other.file_name() == path.file_name();
            open.iter().any(|(path, buffer)| named(path) || named(&buffer.place.real))
        };
        // Most files are not open, which their names tell without disk access unless the path is a link.
        if !may_be_open && !self.disk.lstat(path).is_ok_and(|meta| meta.kind == FileType::Link) {
            return None;
        }
        let real = self.real(path);
        let of_file = |(_, buffer): &(&PathBuf, &Buffer)| buffer.place.real == real;
        let new =
            self.open().iter().find(of_file).filter(|(_, buffer)| buffer.look.is_none()).map(|(at, _)| at.clone());
        if let Some(new) = new {
            self.look(&new);
        }
        let (is_empty, bytes) = {
            let open = self.open();
            let (_, buffer) = open.iter().find(of_file)?;
            (buffer.text.is_empty(), buffer.bytes.clone())
        };
        // An empty buffer for a file that does not exist counts as no file.
        if is_empty && self.disk.stat(&real).is_err() {
            return None;
        }
        Some(bytes)
    }
}

impl Buffer {
    /// Returns the changes to report when the text changes. Only the content changes if the file exists, or if the text
    /// replaced a missing file and still does (`stays`); otherwise a file appears or disappears.
    fn changes(&self, path: &Path, stays: bool) -> [Change; 2] {
        let change = if stays || self.place.is_there { Change::Content } else { Change::Path };
        [change(path.to_owned()), change(self.place.real.clone())]
    }
}

/// Returns the effective content if the editor shows `text` for a file.
fn effective(text: &Content, saved: Option<&Content>) -> Content {
    let Some(saved) = saved else { return text.clone() };
    let same = |shown: &str| shown.as_bytes() == &**text || same_but_for_mixed_line_ends(shown, text);
    if same(&saved.text_without_bom()) || same(&saved.text()) {
        return saved.clone();
    }
    let bom = "\u{feff}".as_bytes();
    if saved.starts_with(bom) && !text.starts_with(bom) {
        return [bom, text].concat().into();
    }
    text.clone()
}

impl Filesystem for Buffers {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        overlaid(self.disk.stat(path), || self.open_bytes(path))
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        overlaid(self.disk.lstat(path), || self.open_bytes(path))
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.disk.read_link(path)
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.disk.real_path(path)
    }

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        let kind = self.stat(path).map_err(Unreadable::Errno)?.kind;
        match self.open_bytes(path).filter(|_| kind == FileType::File) {
            Some(bytes) => Ok(bytes),
            None => self.disk.read(path),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        let mut entries = self.disk.list(path)?;
        if self.open().is_empty() {
            return Ok(entries);
        }
        let real = self.real(path);
        for buffer in
            self.open().values().filter(|buffer| buffer.place.real.parent() == Some(&real) && !buffer.text.is_empty())
        {
            let Some(name) = buffer.place.real.file_name() else { continue };
            if entries.iter().all(|entry| entry.name != name) {
                entries.push(Entry { name: name.to_owned(), kind: FileType::File });
            }
        }
        Ok(entries)
    }

    fn fetched(&self, url: &str) -> Remote {
        self.fetched.get(url).map_or(Remote::NotFetched, |remote| remote.clone())
    }
}

/// Returns true if both differ only in mixed line ends, which editors unify on display without marking the file as
/// changed.
fn same_but_for_mixed_line_ends(saved: &str, shown: &[u8]) -> bool {
    if !saved.contains('\r') {
        return false;
    }
    let (all, windows) = (saved.matches('\n').count(), saved.matches("\r\n").count());
    if windows == 0 || windows == all {
        return false;
    }
    let unified = saved.replace("\r\n", "\n");
    unified.as_bytes() == shown || unified.replace('\n', "\r\n").as_bytes() == shown
}

/// Returns the metadata of a file whose content may be replaced by an open buffer.
fn overlaid(on_disk: Result<Meta, Errno>, bytes: impl Fn() -> Option<Content>) -> Result<Meta, Errno> {
    match on_disk {
        Ok(meta) if meta.kind == FileType::File => {
            Ok(bytes().map_or(meta, |bytes| Meta { len: bytes.len() as u64, ..meta }))
        }
        Err(Errno::NOENT) => bytes().map(|bytes| Meta::made(FileType::File, bytes.len() as u64)).ok_or(Errno::NOENT),
        other => other,
    }
}
