//! Takes texts of files apart that Gemini CLI and Qwen Code put between heads and feet.

use std::path::{Path, PathBuf};

/// A file in such a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The path as it is written.
    pub path: &'a str,
    /// What stands between its head and its foot.
    pub text: &'a str,
}

impl Entry<'_> {
    /// Returns the path, seen from a directory.
    pub fn path_from(&self, cwd: Option<&Path>) -> PathBuf {
        match cwd {
            Some(cwd) => crate::snapshot::absolute(cwd, Path::new(self.path)),
            None => PathBuf::from(self.path),
        }
    }
}

/// Returns the files of a text, in order. A head without its foot is none.
pub fn entries(text: &str) -> Vec<Entry<'_>> {
    const KINDS: [&str; 2] = ["Context", "Rule"];
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("--- ") {
        rest = &rest[at + 4..];
        let Some((kind, path, behind)) = KINDS.iter().find_map(|kind| {
            let (path, behind) = rest.strip_prefix(kind)?.strip_prefix(" from: ")?.split_once(" ---\n")?;
            (!path.contains('\n')).then_some((kind, path, behind))
        }) else {
            continue;
        };
        let foot = format!("\n--- End of {kind} from: {path} ---");
        if let Some(end) = behind.find(&foot) {
            found.push(Entry { path, text: &behind[..end] });
            rest = &behind[end + foot.len()..];
        }
    }
    found
}

/// Returns what stands between two marks, with them.
pub fn between<'a>(text: &'a str, first: &str, last: &str) -> Option<&'a str> {
    let start = text.find(first)?;
    let end = text[start..].rfind(last)? + start + last.len();
    Some(&text[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stand_between_a_head_and_a_foot_of_the_same_name() {
        let text = "x\n--- Context from: a.md ---\none\n--- Context from: b ---\n--- End of Context from: a.md ---\n\
                    --- Rule from: r.md ---\ntwo\n--- End of Rule from: r.md ---\n--- Context from: c ---\nthree";
        let found: Vec<_> = entries(text).into_iter().map(|entry| (entry.path, entry.text)).collect();
        assert_eq!(found, [("a.md", "one\n--- Context from: b ---"), ("r.md", "two")]);
    }
}
