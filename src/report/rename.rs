//! Rewrites mentions of files after a file, or the file that mentions it, has been moved.

use std::path::{Path, PathBuf};

use crate::snapshot::absolute;

/// Old and new paths of moved files, or of directories with everything in them.
pub struct Moves(pub Vec<(PathBuf, PathBuf)>);

impl Moves {
    /// Returns a path as it is after the moves.
    pub fn after(&self, path: &Path) -> PathBuf {
        let moved = self.0.iter().find_map(|(old, new)| Some((path.strip_prefix(old).ok()?, new)));
        match moved {
            Some((inside, new)) if inside.as_os_str().is_empty() => new.clone(),
            Some((inside, new)) => new.join(inside),
            None => path.to_owned(),
        }
    }
}

/// Returns the replacement of `text`, which occurs in `file` and resolves to `target`; `None` if it stays the same.
pub fn reworded(text: &str, file: &Path, target: &Path, moves: &Moves, home: &Path) -> Option<String> {
    let (written, fragment) =
        text.split_once('#').map_or((text, String::new()), |(path, rest)| (path, format!("#{rest}")));
    let path = written.replace("\\ ", " ");
    let new = moves.after(target);
    let reworded = if path.starts_with("~/") {
        new.strip_prefix(home).map_or_else(|_| new.display().to_string(), |inside| format!("~/{}", inside.display()))
    } else if path.starts_with('/') {
        new.display().to_string()
    } else {
        let dir = file.parent()?;
        let leads = |base: &Path| absolute(base, Path::new(&path)) == target;
        let base = if leads(dir) {
            moves.after(file).parent()?.to_owned()
        } else {
            // The path is relative to the agent's start directory or to the project root.
            target.ancestors().skip(1).chain(dir.ancestors()).find(|base| leads(base))?.to_owned()
        };
        let relative = relative(&base, &new);
        if path.starts_with("./") && !relative.starts_with("../") { format!("./{relative}") } else { relative }
    };
    // Only Claude Code has a notation for spaces in paths: a backslash before each.
    let reworded = if written.contains("\\ ") { reworded.replace(' ', "\\ ") } else { reworded };
    let reworded = format!("{reworded}{fragment}");
    let concerned = new != target || moves.after(file) != file;
    (concerned && reworded != text).then_some(reworded)
}

/// Returns the path that `new_text` names in place of `text`, which occurs in `file` and resolves to `target`.
pub fn resolved(text: &str, new_text: &str, file: &Path, target: &Path, home: &Path) -> Option<PathBuf> {
    let path = new_text.strip_prefix('@').unwrap_or(new_text).replace("\\ ", " ");
    let inside = match path.strip_prefix("~/") {
        Some(inside) => return Some(home.join(inside)).filter(|_| !inside.is_empty()),
        None => Path::new(&path),
    };
    if path.is_empty() || path.ends_with('/') {
        return None;
    }
    let written = text.split_once('#').map_or(text, |(path, _)| path).replace("\\ ", " ");
    let leads = |base: &&Path| absolute(base, Path::new(&written)) == target;
    let dir = file.parent()?;
    let base = dir.ancestors().chain(target.ancestors().skip(1)).find(leads).unwrap_or(dir);
    Some(absolute(base, inside))
}

/// Returns the relative path from a directory to a file.
fn relative(from: &Path, to: &Path) -> String {
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to.components().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_is_taken_as_the_old_one_was() {
        for (text, new_text, expected) in [
            ("docs/a.md", "docs/b.md", Some("/r/docs/b.md")),
            ("docs/a.md", "@docs/b.md", Some("/r/docs/b.md")),
            ("./docs/a.md#x", "../b.md", Some("/b.md")),
            ("docs/a.md", "~/b.md", Some("/h/b.md")),
            ("docs/a.md", "/x/b.md", Some("/x/b.md")),
            ("docs/a.md", "c\\ d.md", Some("/r/c d.md")),
            ("docs/a.md", "", None),
            ("docs/a.md", "docs/", None),
        ] {
            let found = resolved(text, new_text, Path::new("/r/CLAUDE.md"), Path::new("/r/docs/a.md"), Path::new("/h"));
            assert_eq!(found, expected.map(PathBuf::from), "{text} -> {new_text}");
        }
    }

    #[test]
    fn words_follow_what_they_name() {
        let path = PathBuf::from;
        for (text, file, target, (old, new), expected) in [
            ("docs/a.md", "/r/CLAUDE.md", "/r/docs/a.md", ("/r/docs/a.md", "/r/docs/b.md"), Some("docs/b.md")),
            ("./docs/a.md#x", "/r/CLAUDE.md", "/r/docs/a.md", ("/r/docs/a.md", "/r/b.md"), Some("./b.md#x")),
            ("./a.md", "/r/s/CLAUDE.md", "/r/s/a.md", ("/r/s/a.md", "/r/a.md"), Some("../a.md")),
            ("../a.md", "/r/s/CLAUDE.md", "/r/a.md", ("/r/s/CLAUDE.md", "/r/CLAUDE.md"), Some("a.md")),
            ("docs/a.md", "/r/CLAUDE.md", "/r/docs/a.md", ("/r/docs", "/r/pages"), Some("pages/a.md")),
            ("a.md", "/r/s/CLAUDE.md", "/r/s/a.md", ("/r/s", "/r/t"), None),
            ("~/x/a.md", "/r/CLAUDE.md", "/h/x/a.md", ("/h/x/a.md", "/h/b.md"), Some("~/b.md")),
            ("/h/x/a.md", "/r/CLAUDE.md", "/h/x/a.md", ("/h/x/a.md", "/h/b.md"), Some("/h/b.md")),
            ("docs/a.md", "/r/.gemini/settings.json", "/r/docs/a.md", ("/r/docs/a.md", "/r/a.md"), Some("a.md")),
            ("a\\ b.md", "/r/CLAUDE.md", "/r/a b.md", ("/r/a b.md", "/r/c d.md"), Some("c\\ d.md")),
            ("docs/a.md", "/r/CLAUDE.md", "/r/docs/a.md", ("/r/other.md", "/r/b.md"), None),
        ] {
            let moves = Moves(vec![(path(old), path(new))]);
            let found = reworded(text, &path(file), &path(target), &moves, Path::new("/h"));
            assert_eq!(found.as_deref(), expected, "{text} in {file}: {old} -> {new}");
        }
    }
}
