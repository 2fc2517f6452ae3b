//! The guarded open: the files that OpenClaw agrees to read, and its messages about the others.

use std::path::{Path, PathBuf};

use crate::search::{Known, Search};
use crate::snapshot::{Ask, Content, Errno, FileType, Meta, Unreadable};

/// Maximum size of a workspace file, in bytes (OpenClaw 2026.9.6).
pub const FILE_LIMIT_BYTES: u64 = 2 * 1024 * 1024;

/// Result of a guarded open.
pub enum Guarded {
    /// The file's bytes.
    Read(Content),
    /// The file does not exist.
    Missing,
    /// The file exists and is refused, with the client's message.
    Refused(String),
}

/// Announces the facts that [`open`] needs about every file.
pub fn expect(files: impl IntoIterator<Item = PathBuf>, search: &mut Search) -> Known<()> {
    search.expect(files.into_iter().map(Ask::LinkKind))
}

/// Opens `file`, which is lexically below `root`. It must be a regular file with one name and at most
/// [`FILE_LIMIT_BYTES`], not a link, and not behind a link out of `root`.
pub fn open(root: &Path, file: &Path, rule: &'static str, search: &mut Search) -> Known<Guarded> {
    if let Some(guarded) = behind(root, file, rule, search)? {
        return Ok(guarded);
    }
    let meta = match search.lstat(file, rule)? {
        Ok(meta) => meta,
        Err(errno) => return Ok(failed(errno, "lstat", file)),
    };
    if let Some(message) = refusal(&meta) {
        return Ok(Guarded::Refused(message));
    }
    Ok(match search.read(file, rule)? {
        Ok(raw) if raw.len() as u64 > FILE_LIMIT_BYTES => Guarded::Refused(too_large()),
        Ok(raw) => Guarded::Read(raw),
        Err(Unreadable::Errno(errno)) => failed(errno, "open", file),
        Err(Unreadable::TooLarge(_)) => Guarded::Refused(too_large()),
        Err(Unreadable::Not(_)) => Guarded::Refused(NOT_A_FILE.into()),
        Err(problem @ Unreadable::Process) => Guarded::Refused(problem.to_string()),
    })
}

/// Opens the target of `file`, if it is inside the target of `root`.
pub fn open_inside(root: &Path, file: &Path, rule: &'static str, search: &mut Search) -> Known<Guarded> {
    let real_root = search.real(root)?.unwrap_or_else(|_| root.to_owned());
    Ok(match search.real(file)? {
        Ok(real) if !real.starts_with(&real_root) => Guarded::Refused("it points outside the workspace".into()),
        Ok(real) => match search.read(&real, rule)? {
            Ok(raw) => Guarded::Read(raw),
            Err(problem) => Guarded::Refused(problem.to_string()),
        },
        Err(Errno::NOENT | Errno::NOTDIR) => Guarded::Missing,
        Err(errno) => failed(errno, "realpath", file),
    })
}

const NOT_A_FILE: &str = "path does not have the required file type";

fn refusal(meta: &Meta) -> Option<String> {
    match meta.kind {
        FileType::Link => Some("symlink path component not allowed".into()),
        FileType::File if meta.links > 1 => Some("path must not be hardlinked".into()),
        FileType::File if meta.len > FILE_LIMIT_BYTES => Some(too_large()),
        FileType::File => None,
        FileType::Dir | FileType::Fifo | FileType::Device | FileType::Other => Some(NOT_A_FILE.into()),
    }
}

/// Returns the result of the open if a directory between root and file prevents it. Links among the directories are
/// followed as long as they stay inside.
fn behind(root: &Path, file: &Path, rule: &'static str, search: &mut Search) -> Known<Option<Guarded>> {
    let Ok(real_root) = search.real(root)? else { return Ok(None) };
    let Some(between) = file.parent().and_then(|dir| dir.strip_prefix(root).ok()) else { return Ok(None) };
    let mut here = root.to_owned();
    for name in between.components() {
        here.push(name);
        let meta = match search.lstat(&here, rule)? {
            Ok(meta) => meta,
            Err(errno) => return Ok(Some(failed(errno, "lstat", &here))),
        };
        match meta.kind {
            FileType::Dir => {}
            FileType::Link => match search.real(&here)? {
                Ok(real) if !real.starts_with(&real_root) => {
                    return Ok(Some(Guarded::Refused(format!(
                        "Symlink escapes workspace root ({}): {}",
                        real_root.display(),
                        here.display()
                    ))));
                }
                Ok(real) if !search.is_dir(&real, rule)? => return Ok(Some(not_a_directory(&here))),
                Ok(_) => {}
                Err(Errno::NOENT) => return Ok(Some(Guarded::Missing)),
                Err(_) => return Ok(Some(Guarded::Refused("symlink path could not be resolved".into()))),
            },
            FileType::File | FileType::Fifo | FileType::Device | FileType::Other => {
                return Ok(Some(not_a_directory(&here)));
            }
        }
    }
    Ok(None)
}

fn not_a_directory(path: &Path) -> Guarded {
    Guarded::Refused(format!("Path component is not a directory: {}", path.display()))
}

fn too_large() -> String {
    format!("File exceeds {FILE_LIMIT_BYTES} bytes")
}

fn failed(errno: Errno, call: &str, path: &Path) -> Guarded {
    match errno {
        Errno::NOENT | Errno::NOTDIR => Guarded::Missing,
        errno => Guarded::Refused(format!("{}: {}, {call} '{}'", errno.name(), errno.text(), path.display())),
    }
}
