//! Lexical path operations: absolute, relative and normalized paths, without disk access.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf, Prefix};

/// Makes `path` absolute against `base` and removes `.` and `..` lexically. Links are kept. On Windows the result
/// begins with its drive.
pub fn absolute(base: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for component in base.join(path).components() {
        match component {
            Component::Prefix(prefix) => out = root_of(prefix.kind()),
            Component::Normal(name) => out.push(name),
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir | Component::RootDir => {}
        }
    }
    out
}

/// Returns the root of a Windows drive or share in one spelling: editors write `c:`, and the system writes `\\?\C:` for
/// resolved paths.
fn root_of(prefix: Prefix<'_>) -> PathBuf {
    let mut root = OsString::new();
    match prefix {
        Prefix::Disk(letter) | Prefix::VerbatimDisk(letter) => {
            root.push(format!("{}:", char::from(letter.to_ascii_uppercase())));
        }
        Prefix::UNC(server, share) | Prefix::VerbatimUNC(server, share) => {
            root.push(r"\\");
            root.push(server);
            root.push(r"\");
            root.push(share);
        }
        Prefix::Verbatim(name) => {
            root.push(r"\\?\");
            root.push(name);
        }
        Prefix::DeviceNS(name) => {
            root.push(r"\\.\");
            root.push(name);
        }
    }
    root.push(r"\");
    root.into()
}

/// Returns the relative path from `from` to `to`, with `..` where it leads upwards.
pub fn relative(from: &Path, to: &Path) -> String {
    let common = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// Normalizes a path as Node's `path.join` does: removes `.` and, where possible, `..`. A relative path stays relative.
pub fn normalized(path: &Path) -> PathBuf {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match (part, parts.last()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_or_a_share_is_written_in_one_way() {
        let (server, share) = ("server".as_ref(), "share".as_ref());
        for (prefix, root) in [
            (Prefix::Disk(b'c'), r"C:\"),
            (Prefix::VerbatimDisk(b'C'), r"C:\"),
            (Prefix::UNC(server, share), r"\\server\share\"),
            (Prefix::VerbatimUNC(server, share), r"\\server\share\"),
            (Prefix::DeviceNS("pipe".as_ref()), r"\\.\pipe\"),
        ] {
            assert_eq!(root_of(prefix), Path::new(root), "{prefix:?}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn the_drive_stays_at_the_head_of_a_path() {
        for (base, path, whole) in [
            ("/", r"c:\p\.\a\..\AGENTS.md", r"C:\p\AGENTS.md"),
            (r"D:\p", "../q/x", r"D:\q\x"),
            (r"D:\p", r"..\..\..", r"D:\"),
            (r"D:\p", r"\\?\C:\x", r"C:\x"),
            ("/", r"\\server\share\..\AGENTS.md", r"\\server\share\AGENTS.md"),
        ] {
            assert_eq!(absolute(Path::new(base), Path::new(path)), Path::new(whole), "{base} {path}");
        }
    }
}
