//! The real disk.
#![expect(clippy::disallowed_methods, reason = "this is the room that touches the file system")]

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::rests::LINK_LIMIT;
use super::{FILE_CAP_BYTES, Filesystem, kind_of};
use crate::snapshot::{Content, Entry, Errno, FileType, Meta, Unreadable, absolute};

/// Number of components from which the real path is read from the kernel at once; the C library asks the kernel for
/// each directory from the root on.
#[cfg(target_os = "linux")]
const DEEP: usize = 64;

/// The machine's own file system.
pub struct Real;

impl Filesystem for Real {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        let meta = fs::metadata(path).map(|meta| meta_of(&meta)).map_err(errno)?;
        Ok(Meta { writable: meta.kind != FileType::Dir || is_open(path), ..meta })
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        fs::symlink_metadata(path).map(|meta| meta_of(&meta)).map_err(errno)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        fs::read_link(path).map_err(errno)
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        #[cfg(target_os = "linux")]
        if let Some(real) = path.components().nth(DEEP).is_some().then(|| real_at_once(path)).flatten() {
            return real;
        }
        let real = fs::canonicalize(path).map_err(errno)?;
        // Windows returns resolved paths in its verbatim form.
        Ok(if cfg!(windows) { absolute(Path::new("/"), &real) } else { real })
    }

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        let (file, meta) = open(path)?;
        if meta.len() > FILE_CAP_BYTES {
            return Err(Unreadable::TooLarge(meta.len()));
        }
        let mut bytes = Vec::with_capacity(meta.len() as usize);
        // A file may grow while it is read.
        let read = file.take(FILE_CAP_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| Unreadable::Errno(errno(error)))?;
        if bytes.len() as u64 > FILE_CAP_BYTES {
            return Err(Unreadable::TooLarge(bytes.len() as u64));
        }
        Ok(bytes.into())
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(path).map_err(errno)? {
            let entry = entry.map_err(errno)?;
            let kind = entry.file_type().map_or(FileType::Other, kind_of);
            entries.push(Entry { name: entry.file_name(), kind });
        }
        Ok(entries)
    }
}

/// Opens a regular file and nothing else: neither a file that would block, nor one that the system generates about a
/// process.
pub(super) fn open(path: &Path) -> Result<(fs::File, fs::Metadata), Unreadable> {
    let refused = |error| Unreadable::Errno(errno(error));
    let mut options = OpenOptions::new();
    options.read(true);
    // Opening a FIFO would wait for a writer, and opening a device may act on it.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
    let before = fs::metadata(path).map_err(refused)?;
    let kind = kind_of(before.file_type());
    if kind != FileType::File {
        return Err(Unreadable::Not(kind));
    }
    if is_about_process(path, &before) {
        return Err(Unreadable::Process);
    }
    let file = options.open(path).map_err(refused)?;
    let meta = file.metadata().map_err(refused)?;
    let kind = kind_of(meta.file_type());
    if kind != FileType::File {
        return Err(Unreadable::Not(kind));
    }
    Ok((file, meta))
}

/// Returns true for a file that the system generates about a process: one in `/proc`, or the target of a link there or
/// in `/dev`, such as `/dev/stdin`. Files in the memory mounted at `/dev/shm` are ordinary files.
#[cfg(unix)]
fn is_about_process(path: &Path, meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    static PROC: LazyLock<Option<u64>> = LazyLock::new(|| fs::metadata("/proc/self").ok().map(|meta| meta.dev()));
    let leads_there =
        |path: &Path| path.starts_with("/proc") || (path.starts_with("/dev") && !path.starts_with("/dev/shm"));
    if Some(meta.dev()) == *PROC || leads_there(path) {
        return true;
    }
    // Links in `/proc` are not paths: they lead to the very file that a process has open.
    let mut at = path.to_owned();
    for _ in 0..LINK_LIMIT {
        let Ok(target) = fs::read_link(&at) else { return false };
        let dir = at.parent().and_then(|dir| fs::canonicalize(dir).ok()).unwrap_or_default();
        at = absolute(&dir, &target);
        if leads_there(&dir) || leads_there(&at) {
            return true;
        }
    }
    false
}

#[cfg(not(unix))]
fn is_about_process(_: &Path, _: &fs::Metadata) -> bool {
    false
}

fn meta_of(meta: &fs::Metadata) -> Meta {
    #[cfg(unix)]
    let (links, identity) = {
        use std::os::unix::fs::MetadataExt;
        (meta.nlink(), (meta.dev(), meta.ino()))
    };
    #[cfg(not(unix))]
    let (links, identity) = (1, (0, 0));
    let kind = kind_of(meta.file_type());
    #[cfg(unix)]
    let guarded = {
        use std::os::unix::fs::MetadataExt;
        meta.uid() == 0 && (kind == FileType::Link || meta.mode() & 0o022 == 0)
    };
    #[cfg(not(unix))]
    let guarded = true;
    match kind {
        FileType::File => Meta { kind, len: meta.len(), links, identity, guarded, writable: true },
        // The size and link count of a directory change with its entries, and no agent asks for them.
        _ => Meta { kind, len: 0, links: 1, identity, guarded, writable: true },
    }
}

/// Returns true if this process may list, reach and make entries of a directory.
#[cfg(unix)]
fn is_open(dir: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(dir, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_open(_: &Path) -> bool {
    true
}

fn errno(error: io::Error) -> Errno {
    if let Some(code) = error.raw_os_error() {
        return Errno(code);
    }
    match error.kind() {
        io::ErrorKind::NotFound => Errno::NOENT,
        io::ErrorKind::PermissionDenied => Errno::ACCES,
        io::ErrorKind::InvalidInput => Errno::INVAL,
        _ => Errno::IO,
    }
}

/// Returns the kernel's name of the file that a path leads to; `None` if it is not known.
#[cfg(target_os = "linux")]
fn real_at_once(path: &Path) -> Option<Result<PathBuf, Errno>> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    let file = match OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path) {
        Ok(file) => file,
        Err(error) => {
            let is_known = |errno: &Errno| [Errno::NOENT, Errno::NOTDIR, Errno::LOOP].contains(errno);
            return Some(errno(error)).filter(is_known).map(Err);
        }
    };
    let real = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
    // The kernel appends this to the path of a file that was deleted meanwhile.
    let is_gone = real.as_os_str().as_encoded_bytes().ends_with(b" (deleted)");
    (real.is_absolute() && !is_gone).then_some(Ok(real))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_deep_path_leads_where_the_library_says() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let deep = scratch.path().join(vec!["d"; DEEP].join("/"));
        fs::create_dir_all(deep.join("inner")).expect("it is made");
        fs::write(deep.join("file"), "").expect("it is written");
        for (name, target) in [("to-file", "file"), ("to-dir", "inner"), ("loop", "loop"), ("nowhere", "gone")] {
            std::os::unix::fs::symlink(target, deep.join(name)).expect("it is linked");
        }
        for name in ["file", "inner", "to-file", "to-dir", "to-dir/../file", "loop", "nowhere", "gone", "file/below"] {
            let path = deep.join(name);
            assert_eq!(real_at_once(&path), Some(fs::canonicalize(&path).map_err(errno)), "{name}");
            assert_eq!(Real.real_path(&path), fs::canonicalize(&path).map_err(errno), "{name}");
        }
    }
}
