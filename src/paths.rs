//! Paths as text: made absolute, made relative, without asking any disk.

use std::path::{Component, Path, PathBuf};

/// `path` made absolute against `base`, with `.` and `..` removed lexically, links kept.
pub fn absolute(base: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for component in base.join(path).components() {
        match component {
            Component::Normal(name) => out.push(name),
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    out
}

/// The way from `from` to `to`, with `..` where it leads upwards.
pub fn relative(from: &Path, to: &Path) -> String {
    let common = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}
