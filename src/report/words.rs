//! Wording for people: fates, triggers, units, counts, and paths shortened for the reader's directory.

use std::path::{Path, PathBuf};

use crate::answer::{Certain, Fate, Per, Resolution, Standpoint, Tool, Trigger, Unit};
pub use crate::text::list;

/// Returns the word for a fate, for people; `docs/words.md` explains each word.
pub fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::Truncated => "cut",
        Fate::Dropped => "skipped",
        Fate::Pending => "not fetched",
        Fate::Loaded
        | Fate::Listed
        | Fate::Shadowed
        | Fate::Empty
        | Fate::Excluded
        | Fate::Missing
        | Fate::Unreadable => fate.word(),
    }
}

/// Returns the phrase for when a text reaches the model, for people.
pub fn when(trigger: Trigger) -> &'static str {
    match trigger {
        Trigger::Session => "at start",
        Trigger::Read => "on read",
        Trigger::Attach => "if attached",
        Trigger::Call => "if called",
    }
}

/// Returns the verb for how an agent accesses a file, for people.
pub fn reached(tool: Tool) -> &'static str {
    match tool {
        Tool::Read => "read",
        Tool::Edit => "edited",
        Tool::Write => "written",
        Tool::Shell => "printed",
        Tool::Mention => "mentioned",
    }
}

/// Returns the phrase for whether a limit applies to each file or to all files together, for people.
pub fn per(per: Per) -> &'static str {
    match per {
        Per::Source => "per file",
        Per::Chain => "for all files",
    }
}

/// Returns the name of a unit, for people.
pub fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Utf16 => "UTF-16 units",
        Unit::Bytes | Unit::Lines | Unit::Tokens => unit.word(),
    }
}

/// Returns the sentence that says which parts of an inexact answer are certain.
pub fn certain(certain: &[Certain]) -> &'static str {
    match (certain.contains(&Certain::Set), certain.contains(&Certain::Order)) {
        (true, true) => "the files and their order are certain",
        (true, false) => "the files are certain",
        (false, _) => "files may be missing here, or too many",
    }
}

/// Formats a number with its noun: `1 file`, `2 files`.
pub fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", crate::text::grouped(number))
}

/// Shortens paths for a reader in one directory: relative to it inside the project, with `~` in the home directory.
#[derive(Clone, Debug)]
pub struct Paths {
    /// Directories and their replacements; the first directory that contains a path applies.
    places: Vec<(PathBuf, String)>,
}

impl Paths {
    /// Creates a shortener that only replaces the home directory with `~`.
    pub fn home(home: &Path) -> Paths {
        let places = if home.parent().is_some() { vec![(home.to_owned(), "~/".to_owned())] } else { Vec::new() };
        Paths { places }
    }

    /// Creates a shortener for the standpoint and root of an answer.
    pub fn of(resolution: &Resolution) -> Paths {
        Paths::from(&resolution.standpoint, resolution.answer.root.as_deref())
    }

    /// Creates a shortener for the start directory. Paths above it are written with `..`, up to `root`.
    pub fn from(at: &Standpoint, root: Option<&Path>) -> Paths {
        let inside = root.filter(|root| at.cwd.starts_with(root));
        let mut places = vec![(at.cwd.clone(), String::new())];
        let above = at.cwd.ancestors().skip(1).take_while(|dir| inside.is_some_and(|root| dir.starts_with(root)));
        let above = above.enumerate().filter(|(_, dir)| dir.parent().is_some() && *dir != at.home);
        places.extend(above.map(|(up, dir)| (dir.to_owned(), "../".repeat(up + 1))));
        places.extend(Paths::home(&at.home).places);
        Paths { places }
    }

    /// Shortens a path.
    pub fn path(&self, path: &Path) -> String {
        let short = self.places.iter().find_map(|(dir, instead)| {
            let inside = path.strip_prefix(dir).ok().filter(|inside| !inside.as_os_str().is_empty())?;
            Some(format!("{instead}{}", inside.display()))
        });
        short.unwrap_or_else(|| path.display().to_string())
    }

    /// Shortens all paths in a sentence.
    pub fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(slash) = rest.find('/') {
            let (before, path) = rest.split_at(slash);
            out.push_str(before);
            let begins = out.chars().next_back().is_none_or(|c| c.is_whitespace() || "`\"'(@=".contains(c));
            let known = self.places.iter().filter(|_| begins).find_map(|(dir, instead)| {
                let inside = path.strip_prefix(dir.to_str()?)?.strip_prefix('/')?;
                (!inside.is_empty() && !inside.starts_with(char::is_whitespace)).then_some((instead, inside))
            });
            match known {
                Some((instead, inside)) => {
                    out.push_str(instead);
                    rest = inside;
                    // The text up to the next white space belongs to the same path.
                    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                    out.push_str(&rest[..end]);
                    rest = &rest[end..];
                }
                None => {
                    out.push('/');
                    rest = &path[1..];
                }
            }
        }
        out.push_str(rest);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths() -> Paths {
        let at = Standpoint::plain(Path::new("/h/p/api"), Path::new("/h"), Default::default());
        Paths::from(&at, Some(Path::new("/h/p")))
    }

    #[test]
    fn paths_are_written_from_where_the_reader_stands() {
        for (path, short) in [
            ("/h/p/api/src/a.rs", "src/a.rs"),
            ("/h/p/AGENTS.md", "../AGENTS.md"),
            ("/h/.codex/AGENTS.md", "~/.codex/AGENTS.md"),
            ("/h/px/a", "~/px/a"),
            ("/etc/a", "/etc/a"),
            ("/h/p/api", "../api"),
        ] {
            assert_eq!(paths().path(Path::new(path)), short);
        }
    }

    #[test]
    fn sentences_name_paths_the_same_way() {
        for (text, short) in [
            ("imported by /h/p/api/CLAUDE.md", "imported by CLAUDE.md"),
            ("(/h/p/AGENTS.md) and `/h/x` not /h/p/", "(../AGENTS.md) and `~/x` not ~/p/"),
            ("see https://example.org/h/p/api/a, and/or /etc/a", "see https://example.org/h/p/api/a, and/or /etc/a"),
        ] {
            assert_eq!(paths().text(text), short);
        }
    }

    #[test]
    fn lists_read_as_english_does() {
        assert_eq!(
            (list::<&str>(&[]), list(&["a"]), list(&["a", "b", "c"])),
            (String::new(), "a".into(), "a, b and c".into())
        );
        assert_eq!((count(1, "file"), count(2, "file")), ("1 file".into(), "2 files".into()));
    }
}
