//! Configured names that are paths, resolved as the system does: `..` after a link, a slash at the end.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use crate::search::{Known, Search};
use crate::snapshot::{Errno, FileType, Meta, absolute};

/// Returns true if a configured name contains `..`.
pub(super) fn climbs(name: &str) -> bool {
    Path::new(name).components().any(|component| component == Component::ParentDir)
}

/// Returns the path of `name` in `dir`, with `..` resolved as the system does: after a link it leads up from the link's
/// target.
pub(super) fn resolved(dir: &Path, name: &str, search: &mut Search) -> Known<Result<PathBuf, Errno>> {
    let mut found = if climbs(name) { Ok(dir.to_owned()) } else { Ok(plain(dir, name)) };
    let mut components = Path::new(name).components().filter(|_| climbs(name)).peekable();
    while let (Some(component), Ok(at)) = (components.next(), &mut found) {
        match component {
            Component::Normal(name) => at.push(name),
            Component::ParentDir => {
                at.pop();
            }
            Component::RootDir => *at = PathBuf::from("/"),
            Component::CurDir | Component::Prefix(_) => {}
        }
        if matches!(component, Component::Normal(_)) && components.peek().is_some() {
            found = match search.real(at)? {
                Ok(real) if !search.is_dir(&real, "on the way of a fallback name")? => Err(Errno::NOTDIR),
                real => real,
            };
        }
    }
    Ok(found)
}

/// Returns the path of a name without `..`, without a trailing slash, so that both spellings are the same question.
pub(super) fn plain(dir: &Path, name: &str) -> PathBuf {
    dir.join(name).components().collect()
}

/// Resolves a path in the settings: relative paths are relative to `base`, and `~` is the home directory.
pub(super) fn in_settings(written: &str, base: &Path, home: &Path) -> PathBuf {
    match written.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(rest) if rest.starts_with('/') => absolute(home, Path::new(rest.trim_start_matches('/'))),
        Some(_) | None => absolute(base, Path::new(written)),
    }
}

/// Returns true if the system requires a directory under this name: with a trailing slash, links are followed and files
/// are an error.
pub(super) fn wants_directory(name: &str) -> bool {
    name.ends_with('/') || name.ends_with("/.")
}

/// Examines (`stat`) the path to which `name` was resolved.
pub(super) fn stat(
    path: &Path,
    name: &str,
    rule: impl Into<Cow<'static, str>>,
    search: &mut Search,
) -> Known<Result<Meta, Errno>> {
    Ok(search.stat(path, rule)?.and_then(|meta| match meta.kind {
        FileType::File | FileType::Link | FileType::Fifo | FileType::Device | FileType::Other
            if wants_directory(name) =>
        {
            Err(Errno::NOTDIR)
        }
        FileType::File | FileType::Dir | FileType::Link | FileType::Fifo | FileType::Device | FileType::Other => {
            Ok(meta)
        }
    }))
}
