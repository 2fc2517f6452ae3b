//! Reads the names of scripts from `package.json`, Makefiles and justfiles. Includes and imports are not followed: a
//! file that has them counts as one whose scripts are not all known.

use std::path::{Path, PathBuf};

use crate::formats::parse_json;
use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType};

/// Maximum number of directory levels below the top, and of directories, to look through.
const LEVELS: usize = 4;
const DIRECTORIES: usize = 1000;

/// A kind of file that defines scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manifest {
    /// `package.json`.
    Package,
    /// A Makefile.
    Makefile,
    /// A justfile.
    Justfile,
}

impl Manifest {
    /// Returns the file names of this kind.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Manifest::Package => &["package.json"],
            Manifest::Makefile => &["GNUmakefile", "makefile", "Makefile"],
            Manifest::Justfile => &["justfile", "Justfile", ".justfile"],
        }
    }

    /// Returns the kind of a file, by name.
    pub fn of(file: &Path) -> Option<Manifest> {
        let name = file.file_name()?.to_str()?;
        [Manifest::Package, Manifest::Makefile, Manifest::Justfile]
            .into_iter()
            .find(|kind| kind.names().contains(&name))
    }

    /// Returns the names of the scripts; `None` if not all of them can be known.
    pub fn scripts(self, text: &str) -> Option<Vec<String>> {
        match self {
            Manifest::Package => {
                let json = parse_json(text).ok()?;
                let Some(scripts) = json.get("scripts") else { return Some(Vec::new()) };
                Some(scripts.as_table()?.iter().map(|(name, _)| name.clone()).collect())
            }
            Manifest::Makefile => targets(text),
            Manifest::Justfile => recipes(text),
        }
    }
}

/// Returns the names of the scripts in a file.
pub(super) fn scripts(file: &Path, kind: Manifest, search: &mut Search) -> Known<Option<Vec<String>>> {
    let read = search.read(file, "which scripts are there?")?;
    Ok(read.ok().and_then(|text| kind.scripts(&text.text())))
}

/// Returns every file of a kind below a directory; `None` if there are too many directories.
pub(super) fn below(top: &Path, kind: Manifest, search: &mut Search) -> Known<Option<Vec<PathBuf>>> {
    let (mut found, mut level, mut count) = (Vec::new(), vec![top.to_owned()], 0);
    for _ in 0..=LEVELS {
        count += level.len();
        if count > DIRECTORIES {
            return Ok(None);
        }
        search.expect(level.iter().cloned().map(Ask::Listing))?;
        let mut next = Vec::new();
        for dir in level {
            let Ok(entries) = search.list(&dir, "is there another file with scripts?")? else { continue };
            for entry in entries.iter() {
                let name = entry.name.to_string_lossy();
                if kind.names().contains(&&*name) {
                    found.push(dir.join(&entry.name));
                } else if entry.kind == FileType::Dir && !name.starts_with('.') && name != "node_modules" {
                    next.push(dir.join(&entry.name));
                }
            }
        }
        level = next;
    }
    Ok(Some(found))
}

/// Returns the targets of a Makefile; `None` if it includes other files or computes names.
fn targets(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    for line in joined.lines().filter(|line| !line.starts_with(['\t', '#'])) {
        let words = line.split('#').next().unwrap_or_default();
        let first = words.split_whitespace().next().unwrap_or_default();
        if ["include", "-include", "sinclude", "define"].contains(&first) {
            return None;
        }
        let Some((names, rest)) = words.split_once(':') else { continue };
        // `A := b`, `A ::= b` and `A = b:c` are variables.
        if rest.trim_start_matches(':').starts_with('=') || names.contains('=') {
            continue;
        }
        let is_special = first.starts_with('.') && first.to_ascii_uppercase() == first;
        if names.contains(['%', '$']) {
            return None;
        }
        let of = if is_special { rest } else { names };
        found.extend(of.split_whitespace().filter(|name| !name.contains(['$', '='])).map(str::to_owned));
    }
    Some(found)
}

/// Returns the recipes and aliases of a justfile; `None` if it imports some.
fn recipes(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '['])) {
        let line = line.trim_start_matches('@');
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        match first {
            "import" | "import?" | "mod" | "mod?" => return None,
            "alias" => found.extend(words.next().and_then(|word| word.split(':').next()).map(str::to_owned)),
            "set" | "export" | "unexport" => {}
            _ => {
                let name = first.split(':').next().unwrap_or_default();
                let is_recipe = line.split_once(':').is_some_and(|(_, rest)| !rest.starts_with('='));
                if is_recipe && !name.is_empty() {
                    found.push(name.to_owned());
                }
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_scripts_are_read_as_their_programs_do() {
        let names = |kind: Manifest, text: &str| kind.scripts(text).map(|names| names.join(" "));
        for (kind, text, found) in [
            (Manifest::Package, r#"{"scripts": {"a": "x", "b:c": "y"}}"#, Some("a b:c")),
            (Manifest::Package, "{}", Some("")),
            (Manifest::Package, "{", None),
            (Manifest::Makefile, "A := b\nB ?= c:d\nall: a \\\n  b\n\techo: no\na b: ; x\n", Some("all a b")),
            (Manifest::Makefile, ".PHONY: lint\nlint-%: x\n", None),
            (Manifest::Makefile, ".PHONY: lint test\nx:: y # z: w\n", Some("lint test x")),
            (Manifest::Makefile, "include other.mk\n", None),
            (Manifest::Makefile, "$(NAME): x\n", None),
            (
                Manifest::Justfile,
                "set shell := [\"sh\"]\nv := \"1\"\nalias b := build\nalias c:=build\nbuild target='x': dep\n  a: b\n@t:\n",
                Some("b c build t"),
            ),
            (Manifest::Justfile, "import 'a.just'\n", None),
        ] {
            assert_eq!(names(kind, text).as_deref(), found, "{text}");
        }
    }
}
