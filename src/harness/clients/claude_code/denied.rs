//! Files that `permissions.deny` forbids to read; those of the project are not loaded either.
//!
//! Observed: only rules for Read count, in any layer of settings; the user's own files, the administrator's files and
//! the memory are loaded all the same.

use std::path::{Path, PathBuf};

use super::paths;

/// Patterns of the deny rules.
#[derive(Default)]
pub(super) struct Denied {
    /// Grouped by the directory to which they are relative.
    rooted: Vec<(PathBuf, Vec<String>)>,
    /// Those that are relative to the working directory, and to every added directory as well.
    relative: Vec<String>,
}

impl Denied {
    /// Adds `Read` or `Read(PATTERN)`; other rules deny no file. The pattern has gitignore syntax and is relative to
    /// `cwd`. With a leading `/` it is relative to `own`, the directory of its settings, with `~/` to the home
    /// directory, and with `//` to the file system root.
    pub(super) fn add(&mut self, rule: &str, own: &Path, cwd: &Path, home: &Path) {
        let pattern = match rule.strip_prefix("Read(").and_then(|rest| rest.strip_suffix(')')) {
            // A rule without a pattern denies the whole tool.
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
        // Observed: `name/**` means the same as `name`, a directory of that name at any depth.
        let pattern =
            pattern.strip_suffix("/**").filter(|rest| !rest.is_empty()).map_or(pattern.clone(), str::to_owned);
        if root == cwd && !pattern.starts_with('/') {
            self.relative.push(pattern.clone());
        }
        match self.rooted.iter_mut().find(|(known, _)| known == root) {
            Some((_, patterns)) => patterns.push(pattern),
            None => self.rooted.push((root.to_owned(), vec![pattern])),
        }
    }

    /// Returns true if a rule denies the file, which may be in one of the added directories.
    pub(super) fn covers(&self, path: &Path, added: &[PathBuf]) -> bool {
        let is_below = |root: &Path, patterns: &[String]| {
            path.strip_prefix(root)
                .is_ok_and(|relative| !relative.as_os_str().is_empty() && paths::matches(patterns, relative))
        };
        self.rooted.iter().any(|(root, patterns)| is_below(root, patterns))
            || added.iter().any(|dir| is_below(dir, &self.relative))
    }
}

/// Splits a command-line argument into rules, at commas and spaces outside of brackets.
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
            assert_eq!(denied.covers(Path::new(path), &[]), expected, "{rule} {path}");
        }
        assert_eq!(rules("Read(a b,c), Bash Edit"), ["Read(a b,c)", "Bash", "Edit"]);
    }
}
