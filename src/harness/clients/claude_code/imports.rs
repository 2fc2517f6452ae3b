//! Words after an `@`: which ones are paths, where they lead, and which extensions may be imported.

use std::path::{Path, PathBuf};

use crate::snapshot::absolute;

/// Extensions that may be imported, in any case; files without an extension may be imported as well. Each was checked
/// on Claude Code 2.1.329.
const EXTENSIONS: &str = "\
    adoc asciidoc astro bash bat c cc cfg cjs clj cljc cljs cmake cmd conf config cpp cs css csv cts cxx dart diff \
    edn ejs elm env erb erl ex exs f f90 f95 fish for go gql gradle graphql h hbs hpp hrl hs htm html hxx ini jade \
    java js json jsx kt kts latex less lhs lock log lua make makefile md mjs ml mli mts org patch php pl pm \
    properties proto ps1 pug py pyi pyw r rake rb rs rst sass sbt scala scss sh sql svelte swift tex text toml ts \
    tsx txt vue xml yaml yml zsh";

/// Meaning of a word after an `@`.
pub(super) enum Word {
    /// A path that is imported if it exists.
    Import(PathBuf),
    /// A path whose extension is not on the list.
    Refused(PathBuf),
    /// No path at all.
    Prose,
}

/// Resolves a word relative to the directory of the importing file.
pub(super) fn resolve(word: &str, dir: &Path, home: &Path) -> Word {
    let path = word.split('#').next().unwrap_or_default().replace("\\ ", " ");
    if path.contains('\0') {
        return Word::Prose;
    }
    let relative = path.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let target = match path.strip_prefix("~/") {
        Some(rest) => absolute(home, Path::new(rest)),
        None if relative || (path.starts_with('/') && !path.starts_with("//") && path.len() > 1) => {
            absolute(dir, Path::new(&path))
        }
        None => return Word::Prose,
    };
    if is_readable(&target) { Word::Import(target) } else { Word::Refused(target) }
}

/// Returns true if the path has no extension, or one that may be imported.
pub(super) fn is_readable(path: &Path) -> bool {
    extension(path).is_none_or(is_known)
}

/// Returns true if the path has an extension that may be imported.
pub(super) fn has_extension(path: &Path) -> bool {
    extension(path).is_some_and(is_known)
}

/// Returns the path without the punctuation at its end; `None` if it has none.
pub(super) fn without_punctuation(path: &Path) -> Option<PathBuf> {
    let text = path.to_str()?;
    let bare = text.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '*', '>']);
    (bare.len() < text.len()).then(|| PathBuf::from(bare))
}

/// Returns the part after the last dot of the name, unless that dot is the first character.
fn extension(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    name.rfind('.').filter(|at| *at > 0).map(|at| &name[at + 1..])
}

fn is_known(extension: &str) -> bool {
    EXTENSIONS.split(' ').any(|known| known.eq_ignore_ascii_case(extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lead_where_the_client_goes() {
        for (word, expected) in [
            ("a.md", Some("/r/a.md")),
            ("./a.md#x", Some("/r/a.md")),
            ("~/a.md", Some("/h/a.md")),
            ("/a.md", Some("/a.md")),
            ("a\\ b.md", Some("/r/a b.md")),
            (".env", Some("/r/.env")),
            ("Makefile", Some("/r/Makefile")),
            ("A.MD", Some("/r/A.MD")),
            ("a.md,", None),
            ("a.svg", None),
            ("~a.md", None),
            ("//a.md", None),
            ("ü.md", None),
            ("#a", None),
        ] {
            let found = match resolve(word, Path::new("/r"), Path::new("/h")) {
                Word::Import(path) => Some(path),
                Word::Refused(_) | Word::Prose => None,
            };
            assert_eq!(found, expected.map(PathBuf::from), "{word}");
        }
    }
}
