//! Unsaved editor buffers, laid over the disk: a file that is open counts as what the editor shows. Beside them lies what the
//! user had fetched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use super::Filesystem;
use crate::snapshot::{Change, Content, Entry, Errno, Kind, Meta, Remote, Unreadable};

/// A file system in which open buffers stand in for their files, and URLs for what they served.
pub struct Buffers<F> {
    disk: F,
    /// By the path under which the editor opened them.
    open: RwLock<BTreeMap<PathBuf, Buffer>>,
    fetched: RwLock<BTreeMap<String, Remote>>,
}

struct Buffer {
    /// Where that path leads, links resolved: harnesses may come another way.
    real: PathBuf,
    /// What the editor shows.
    text: Content,
    /// What the disk holds, as far as it was read. An editor hides a byte order mark, invalid bytes and mixed line ends;
    /// a buffer that shows the same text as the file counts as the file.
    saved: Option<Content>,
    /// What counts, of the two above.
    bytes: Content,
}

impl<F: Filesystem> Buffers<F> {
    /// Lays nothing over `disk` yet.
    pub fn over(disk: F) -> Self {
        Buffers { disk, open: RwLock::default(), fetched: RwLock::default() }
    }

    /// Sets what is known of a URL. Returns how the change is seen.
    pub fn keep(&self, url: &str, remote: Remote) -> Change {
        self.fetched.write().unwrap_or_else(PoisonError::into_inner).insert(url.to_owned(), remote);
        Change::Content(url.into())
    }

    /// Sets what the editor shows for the file at `path`. Looks at the disk only when the buffer is new. Returns how the
    /// change is seen.
    pub fn set(&self, path: &Path, text: &str) -> [Change; 2] {
        let text = Content::from(text);
        if let Some(buffer) = self.open.write().unwrap_or_else(PoisonError::into_inner).get_mut(path) {
            let before = std::mem::replace(&mut buffer.text, text);
            buffer.bytes = bytes(&buffer.text, buffer.saved.as_ref());
            return buffer.seen(path, before.is_empty() == buffer.text.is_empty());
        }
        let real = self.real(path);
        let saved = self.disk.read(&real).ok();
        let buffer = Buffer { real, bytes: bytes(&text, saved.as_ref()), text, saved };
        let seen = buffer.seen(path, false);
        self.open.write().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), buffer);
        seen
    }

    /// The buffer was closed; the file counts again. Returns how the change is seen.
    pub fn close(&self, path: &Path) -> Option<[Change; 2]> {
        let closed = self.open.write().unwrap_or_else(PoisonError::into_inner).remove(path)?;
        Some(closed.seen(path, false))
    }

    /// Something happened to the files themselves: where the buffers belong and what their files hold is looked up anew.
    /// Returns the paths of buffers that belong to another file now.
    pub fn refresh(&self, changes: &[Change]) -> Vec<PathBuf> {
        let mut moved = Vec::new();
        // Under one lock, so that an older look cannot overwrite a newer one.
        for (path, buffer) in self.open.write().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            let real = self.real(path);
            let elsewhere = real != buffer.real;
            if elsewhere {
                moved.extend([path.clone(), std::mem::replace(&mut buffer.real, real)]);
                moved.push(buffer.real.clone());
            }
            let touched = changes.iter().any(|change| match change {
                Change::Everything => true,
                Change::Path(changed) | Change::Content(changed) => {
                    path.starts_with(changed) || buffer.real.starts_with(changed)
                }
            });
            if elsewhere || touched {
                buffer.saved = self.disk.read(&buffer.real).ok();
                buffer.bytes = bytes(&buffer.text, buffer.saved.as_ref());
            }
        }
        moved
    }

    /// The bytes that count for the file that is open under `path`.
    pub fn shown(&self, path: &Path) -> Option<Content> {
        Some(self.open.read().unwrap_or_else(PoisonError::into_inner).get(path)?.bytes.clone())
    }

    /// The bytes that count for the file that is open under `path`, and where that leads.
    pub fn opened(&self, path: &Path) -> Option<(Content, PathBuf)> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.get(path).map(|buffer| (buffer.bytes.clone(), buffer.real.clone()))
    }

    /// Where `path` leads. A file that is not there yet will be where its directory leads.
    pub fn real(&self, path: &Path) -> PathBuf {
        self.disk.real_path(path).unwrap_or_else(|_| match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.real(parent).join(name),
            _ => path.to_owned(),
        })
    }

    fn bytes(&self, path: &Path) -> Option<Content> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        if open.is_empty() {
            return None;
        }
        // Most files are not open, and a name tells that at once, unless it is a link's.
        let name = path.file_name();
        let may_be_open = open.iter().any(|(path, buffer)| path.file_name() == name || buffer.real.file_name() == name)
            || self.disk.lstat(path).is_ok_and(|meta| meta.kind == Kind::Link);
        if !may_be_open {
            return None;
        }
        let real = self.real(path);
        let buffer = open.values().find(|buffer| buffer.real == real)?;
        // An empty buffer for a file that does not exist is a file nobody has begun.
        if buffer.text.is_empty() && self.disk.stat(&real).is_err() {
            return None;
        }
        Some(buffer.bytes.clone())
    }
}

impl Buffer {
    /// How a change of the text is seen: where there is a file, or was and is a text that stands for one, nothing comes or
    /// goes.
    fn seen(&self, path: &Path, stays: bool) -> [Change; 2] {
        let change = if stays || self.saved.is_some() { Change::Content } else { Change::Path };
        [change(path.to_owned()), change(self.real.clone())]
    }
}

/// What counts of a text that is shown for a file.
fn bytes(text: &Content, saved: Option<&Content>) -> Content {
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

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        let kind = self.stat(path).map_err(Unreadable::Errno)?.kind;
        match self.bytes(path).filter(|_| kind == Kind::File) {
            Some(bytes) => Ok(bytes),
            None => self.disk.read(path),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        let mut entries = self.disk.list(path)?;
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        if open.is_empty() {
            return Ok(entries);
        }
        let real = self.real(path);
        for buffer in open.values().filter(|buffer| buffer.real.parent() == Some(&real) && !buffer.text.is_empty()) {
            let Some(name) = buffer.real.file_name() else { continue };
            if entries.iter().all(|entry| entry.name != name) {
                entries.push(Entry { name: name.to_owned(), kind: Kind::File });
            }
        }
        Ok(entries)
    }

    fn fetched(&self, url: &str) -> Remote {
        let fetched = self.fetched.read().unwrap_or_else(PoisonError::into_inner);
        fetched.get(url).cloned().unwrap_or(Remote::NotFetched)
    }
}

/// Editors show a file with mixed line ends as if it had one kind, and do not call that a change.
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

fn overlaid(on_disk: Result<Meta, Errno>, bytes: impl Fn() -> Option<Content>) -> Result<Meta, Errno> {
    match on_disk {
        Ok(meta) if meta.kind == Kind::File => {
            Ok(bytes().map_or(meta, |bytes| Meta { len: bytes.len() as u64, ..meta }))
        }
        Err(Errno::NOENT) => bytes()
            .map(|bytes| Meta { kind: Kind::File, len: bytes.len() as u64, links: 1, identity: (0, 0), guarded: false })
            .ok_or(Errno::NOENT),
        other => other,
    }
}
