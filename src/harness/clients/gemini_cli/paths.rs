//! Paths as Gemini CLI computes them: joined and normalized as text, and resolved even if they do not exist.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::search::{Known, Search};
use crate::snapshot::{Errno, FileType, Unreadable, absolute};

/// Joins paths like Node's `path.join(dir, name)`, and makes the result absolute: a leading slash of `name` is ignored,
/// `..` leads upwards. Backslashes become slashes, as in the client on every platform.
pub(in crate::harness) fn joined(dir: &Path, name: &str) -> PathBuf {
    let path = absolute(dir, Path::new(name.trim_start_matches('/')));
    match path.to_str() {
        Some(text) if text.contains('\\') => PathBuf::from(text.replace('\\', "/")),
        _ => path,
    }
}

/// Returns true if `path` is `above` or below it, by text.
pub(super) fn within(above: &Path, path: &Path) -> bool {
    path.starts_with(above)
}

/// Decodes percent escapes, as the client does in every path it checks, and resolves symlinks as far as the path
/// exists. `None` for a loop or a NUL byte.
pub(super) fn resolved(path: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Ok(None);
    }
    let decoded = path.to_str().and_then(decoded).map(|text| absolute(Path::new("/"), Path::new(&text)));
    would_be(decoded.unwrap_or_else(|| path.to_owned()), search)
}

/// Resolves a path; if it does not exist, resolves its directory and appends the name. Dangling symlinks are followed.
fn would_be(path: PathBuf, search: &mut Search) -> Known<Option<PathBuf>> {
    let mut tail: Vec<std::ffi::OsString> = Vec::new();
    let mut visited = HashSet::new();
    let mut path = path;
    loop {
        if !visited.insert(path.clone()) {
            return Ok(None);
        }
        match search.real(&path)? {
            Ok(mut real) => {
                real.extend(tail.iter().rev());
                return Ok(Some(real));
            }
            Err(Errno::NOENT | Errno::ISDIR | Errno::NAMETOOLONG | Errno::NOTDIR) => {}
            Err(_) => return Ok(None),
        }
        // A dangling symlink leads to where its target would be.
        let is_link = search.lstat(&path, "a path that does not exist is resolved as far as it goes")?;
        if is_link.is_ok_and(|meta| meta.kind == FileType::Link) {
            match search.link_target(&path)? {
                Some(target) => path = target,
                None => return Ok(None),
            }
            continue;
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(Some(path)) };
        tail.push(name.to_owned());
        path = parent.to_owned();
    }
}

/// Decodes percent escapes like JavaScript's `decodeURIComponent`; `None` if that throws.
pub(super) fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut digit = || bytes.next().and_then(|digit| char::from(digit).to_digit(16));
        let (high, low) = (digit()?, digit()?);
        out.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(out).ok()
}

/// Returns true if the client finds a readable file or a directory at `path`.
pub(super) fn readable(path: &Path, rule: &'static str, search: &mut Search) -> Known<bool> {
    let Ok(meta) = search.stat(path, rule)? else { return Ok(false) };
    if meta.kind != FileType::File {
        return Ok(true);
    }
    Ok(search.read(path, rule)? != Err(Unreadable::Errno(Errno::ACCES)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_is_textual() {
        for (name, path) in [("A.md", "/p/A.md"), ("/A.md", "/p/A.md"), ("../A.md", "/A.md"), ("a\\b.md", "/p/a/b.md")]
        {
            assert_eq!(joined(Path::new("/p"), name), Path::new(path), "{name}");
        }
    }

    #[test]
    fn percent_escapes_are_decoded_all_or_none() {
        for (text, expected) in
            [("%41b", Some("Ab")), ("100%", None), ("%e4", None), ("%C3%A4", Some("ä")), ("a", Some("a"))]
        {
            assert_eq!(decoded(text).as_deref(), expected, "{text}");
        }
    }
}
