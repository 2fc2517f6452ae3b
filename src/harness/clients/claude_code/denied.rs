//! Files that `permissions.deny` keeps from being read: those of the project are not loaded either.
//!
//! Observed: only rules for Read count, whoever sets them; the user's own files, the administrator's and the memory are
//! loaded all the same.

use std::path::{Path, PathBuf};

use super::paths;

/// The rules, by the directory that their patterns are seen from.
#[derive(Default)]
pub(super) struct Denied(Vec<(PathBuf, Vec<String>)>);

impl Denied {
    /// Adds `Read` or `Read(PATTERN)`; other rules deny no file. A pattern is one of gitignore, seen from `cwd`; behind `/`
    /// from `own`, the directory of its settings, behind `~/` from the home directory, and behind `//` from the top.
    pub(super) fn add(&mut self, rule: &str, own: &Path, cwd: &Path, home: &Path) {
        let pattern = match rule.strip_prefix("Read(").and_then(|rest| rest.strip_suffix(')')) {
            // The tool itself is denied.
            None if rule == "Read" => "//**",
            Some("*") => "//**",
            Some("") | None => return,
            Some(pattern) => pattern,
        };
        let (root, pattern) = if let Some(rest) = pattern.strip_prefix("//") {
            (Path::new("/"), format!("/{rest}"))
        } else if let Some(rest) = pattern.strip_prefix("~/") {
            (home, format!("/{rest}"))
        } else if pattern.starts_with('/') {
            (own, pattern.to_owned())
        } else {
            (cwd, pattern.strip_prefix("./").unwrap_or(pattern).to_owned())
        };
        // Observed: `name/**` is the same as `name`, which is a directory of that name at any depth.
        let pattern =
            pattern.strip_suffix("/**").filter(|rest| !rest.is_empty()).map_or(pattern.clone(), str::to_owned);
        match self.0.iter_mut().find(|(known, _)| known == root) {
            Some((_, patterns)) => patterns.push(pattern),
            None => self.0.push((root.to_owned(), vec![pattern])),
        }
    }

    /// Whether a file is denied.
    pub(super) fn covers(&self, path: &Path) -> bool {
        self.0.iter().any(|(root, patterns)| {
            path.strip_prefix(root)
                .is_ok_and(|relative| !relative.as_os_str().is_empty() && paths::matches(patterns, relative))
        })
    }
}

/// The rules in a word of the command line: between commas and spaces that stand in no brackets.
pub(super) fn rules(word: &str) -> Vec<String> {
    let (mut rules, mut depth) = (vec![String::new()], 0);
    for c in word.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(c, ',' | ' ') {
            rules.push(String::new());
        } else if let Some(last) = rules.last_mut() {
            last.push(c);
        }
    }
    rules.retain(|rule| !rule.is_empty());
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_for_read_cover_files_below_their_directory() {
        for (rule, path, expected) in [
            ("Read(CLAUDE.md)", "/r/s/CLAUDE.md", true),
            ("Read(./CLAUDE.md)", "/r/s/CLAUDE.md", true),
            ("Read(/CLAUDE.md)", "/r/CLAUDE.md", true),
            ("Read(/CLAUDE.md)", "/r/s/CLAUDE.md", false),
            ("Read(//r/s/**)", "/r/s/x", true),
            ("Read(//**)", "/r/s/x", true),
            ("Read(s/**)", "/r/a/s/x", true),
            ("Read(**)", "/x", false),
            ("Read(~/x)", "/h/x", true),
            ("Read(../r/x)", "/r/x", false),
            ("Edit(x)", "/r/x", false),
            ("Read(*)", "/x", true),
            ("Read", "/x", true),
            ("Read()", "/r/x", false),
        ] {
            let mut denied = Denied::default();
            denied.add(rule, Path::new("/r"), Path::new("/r"), Path::new("/h"));
            assert_eq!(denied.covers(Path::new(path)), expected, "{rule} {path}");
        }
        assert_eq!(rules("Read(a b,c), Bash Edit"), ["Read(a b,c)", "Bash", "Edit"]);
    }
}
