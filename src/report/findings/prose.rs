//! Findings about paths and scripts that the prose of a file names and that do not exist.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::{Finding, Kind, Subject};
use crate::answer::{Resolution, Scope, Trigger};
use crate::queries::references::{Absent, Reference, Runner};
use crate::report::markdown::outline;

/// Parts of names that are placeholders.
const PLACEHOLDERS: [&str; 34] = [
    "path",
    "to",
    "foo",
    "bar",
    "baz",
    "qux",
    "example",
    "examples",
    "your",
    "my",
    "xxx",
    "xx",
    "yyy",
    "name",
    "filename",
    "file",
    "dir",
    "folder",
    "some",
    "new",
    "feature",
    "component",
    "module",
    "package",
    "page",
    "other",
    "another",
    "something",
    "thing",
    "nnn",
    "nnnn",
    "yyyymmdd",
    "placeholder",
    "sample",
];

/// Words on a line that say that a file named there need not exist: it is to be created, it is gone, or it is an
/// example.
const NEED_NOT_EXIST: [&str; 68] = [
    "create",
    "creates",
    "created",
    "creating",
    "generate",
    "generates",
    "generated",
    "generating",
    "write",
    "writes",
    "written",
    "writing",
    "output",
    "outputs",
    "produce",
    "produces",
    "produced",
    "emit",
    "emits",
    "save",
    "saves",
    "saved",
    "store",
    "stores",
    "stored",
    "add",
    "adds",
    "adding",
    "new",
    "example",
    "examples",
    "eg",
    "like",
    "such",
    "if",
    "optional",
    "optionally",
    "may",
    "might",
    "could",
    "would",
    "legacy",
    "deprecated",
    "remove",
    "removed",
    "delete",
    "deleted",
    "rename",
    "renamed",
    "move",
    "moved",
    "old",
    "former",
    "formerly",
    "previously",
    "longer",
    "not",
    "never",
    "no",
    "don't",
    "instead",
    "missing",
    "planned",
    "todo",
    "will",
    "ignored",
    "gitignored",
    "temporary",
];

/// Returns the files and scripts that the prose of an instruction file names. For skills and commands only links count:
/// other names often mean files of the projects that use them. Imported pages are skipped, since they are written for
/// people.
pub fn references(path: &Path, raw: &[u8], answers: &[Arc<Resolution>]) -> BTreeSet<Reference> {
    let mut own = answers
        .iter()
        .flat_map(|answer| answer.sources_of(path))
        .filter(|source| source.scope != Scope::Import)
        .peekable();
    let Some(text) = std::str::from_utf8(raw).ok().filter(|_| own.peek().is_some()) else { return BTreeSet::new() };
    let only_called = own.all(|source| source.trigger == Trigger::Call || !source.fate.reaches());
    let named = named(text).into_iter().map(|(_, reference)| reference);
    named.filter(|reference| !only_called || matches!(reference, Reference::Link(_))).collect()
}

/// Returns the findings about missing files and scripts.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    if subject.absent.is_empty() {
        return Vec::new();
    }
    let Some(text) = subject.raw.as_text() else { return Vec::new() };
    let absent: HashMap<&str, &Absent> = subject.absent.iter().rev().map(|absent| (&*absent.said, absent)).collect();
    let finding = |(at, reference): (Range<usize>, Reference)| {
        let absent = absent.get(&*reference.to_string())?;
        Some(match &reference {
            Reference::Path(path) | Reference::Link(path) => {
                Finding::new(Kind::MissingPath, at, format!("`{path}` does not exist"))
            }
            Reference::Script(runner, name) => {
                let manifest = absent.manifest.as_deref().unwrap_or(Path::new(""));
                let file = manifest.file_name().unwrap_or_default().to_string_lossy();
                let message = format!("{file} has no {} `{name}`", runner.noun());
                let related = vec![(manifest.to_owned(), format!("the {}s there are", runner.noun()))];
                Finding { related, ..Finding::new(Kind::MissingScript, at, message) }
            }
        })
    };
    named(text).into_iter().filter_map(finding).collect()
}

/// Returns every named file and script, with its range.
fn named(text: &str) -> Vec<(Range<usize>, Reference)> {
    let outline = outline(text);
    let mut found = Vec::new();
    let mut line = Line::around(text, 0..0);
    for at in outline.code {
        if !(line.at.start <= at.start && at.end <= line.at.end) {
            line = Line::around(text, at.clone());
        }
        if line.says_need_not_exist(&at) {
            continue;
        }
        let words = &text[at.clone()];
        match path(words) {
            Some(path) => {
                let start = at.start + words.find(path).unwrap_or(0);
                found.push((start..start + path.len(), Reference::Path(path.to_owned())));
            }
            None => found.extend(scripts(words).into_iter().map(|(runner, name, start)| {
                let start = at.start + start;
                (start..start + name.len(), Reference::Script(runner, name.to_owned()))
            })),
        }
    }
    for at in outline.links {
        let target = link(&text[at.clone()]);
        found.extend(target.map(|path| (at.start..at.start + path.len(), Reference::Link(path.to_owned()))));
    }
    found.sort_by_key(|(at, _)| at.start);
    found
}

/// A line of text, searched once for all names in it, of which there may be thousands.
struct Line {
    at: Range<usize>,
    /// Offsets of the first and the last word that says that a name need not exist.
    words: Option<(usize, usize)>,
    has_examples: bool,
}

impl Line {
    fn around(text: &str, at: Range<usize>) -> Line {
        let start = text[..at.start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at.end..].find('\n').map_or(text.len(), |newline| at.end + newline);
        let line = &text[start..end];
        let is_one = |word: &&str| NEED_NOT_EXIST.contains(&word.to_ascii_lowercase().as_str());
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(is_one);
        let mut places = words.map(|word| word.as_ptr() as usize - text.as_ptr() as usize);
        let first = places.next();
        let words = first.map(|first| (first, places.next_back().unwrap_or(first)));
        Line { at: start..end, words, has_examples: line.contains("e.g.") }
    }

    /// Returns true if the line says that the name need not exist. Words inside the name do not count.
    fn says_need_not_exist(&self, name: &Range<usize>) -> bool {
        self.has_examples || self.words.is_some_and(|(first, last)| !name.contains(&first) || !name.contains(&last))
    }
}

/// Returns the path in a code span, without a line number or a section after it.
fn path(words: &str) -> Option<&str> {
    let path = words.split(['#', ':', '?']).next().unwrap_or_default();
    let path = path.strip_prefix("./").unwrap_or(path);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, extension)| extension);
    let has_extension = (1..=5).contains(&extension.len())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
        && extension.starts_with(|c: char| c.is_ascii_lowercase());
    let is_path = path.contains('/')
        && !path.starts_with(['/', '-', '+'])
        && !path.contains("..")
        && !path.contains("//")
        && path.chars().all(is_plain)
        && has_extension
        && !has_placeholder(path);
    is_path.then_some(path)
}

/// Returns the path of a link target, if it is a relative one without placeholders.
fn link(target: &str) -> Option<&str> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '@');
    let is_path = !path.is_empty() && !path.starts_with('/') && path.chars().all(is_plain) && path.contains(['.', '/']);
    (is_path && !path.contains("...") && !has_placeholder(path)).then_some(path)
}

/// Returns true if a part of a name is a placeholder: `path/to/x.ts`, `YourName.md`, `docs/NNN.md`.
fn has_placeholder(path: &str) -> bool {
    path.split(['/', '.', '-', '_']).any(|part| {
        let lower = part.to_ascii_lowercase();
        let repeats = part.len() > 2 && part.chars().all(|c| c.is_ascii_uppercase() && part.starts_with(c));
        PLACEHOLDERS.contains(&lower.as_str())
            || repeats
            || ["My", "Your", "Foo"].iter().any(|word| part.starts_with(word))
    })
}

/// Returns the scripts that commands run: the runner, the name, and the offset of the name.
fn scripts(words: &str) -> Vec<(Runner, &str, usize)> {
    let mut found = Vec::new();
    for command in words.split(['&', '|', ';']) {
        let mut tokens = command.split_whitespace();
        let (first, second, third) = (tokens.next(), tokens.next(), tokens.next());
        let is_run = matches!(second, Some("run" | "run-script"));
        let (runner, name) = match first {
            Some("npm") if is_run => (Runner::Npm, third),
            Some("pnpm") if is_run => (Runner::Pnpm, third),
            Some("yarn") if is_run => (Runner::Yarn, third),
            Some("bun") if is_run => (Runner::Bun, third),
            Some("make") => (Runner::Make, second),
            Some("just") => (Runner::Just, second),
            _ => continue,
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '/' | '@');
        let name = name.filter(|name| {
            name.starts_with(|c: char| c.is_ascii_alphanumeric())
                && !name.ends_with([':', '.', '-'])
                && !name.contains("..")
                && name.chars().all(is_plain)
                && !has_placeholder(name)
                && !["script", "target", "recipe", "command", "task", "sure"].contains(name)
        });
        found.extend(name.map(|name| (runner, name, name.as_ptr() as usize - words.as_ptr() as usize)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_told_from_what_only_looks_like_it() {
        for (text, expected) in [
            ("See `docs/a.md#b` and `src/c.rs:12`.", vec!["5 docs/a.md", "23 src/c.rs"]),
            ("[a](docs/b.md#c) [d](https://e.f/g.md) [h](#i) [j](k)", vec!["4 docs/b.md"]),
            ("`npm run a:b -- --c`, `make d && just e f`", vec!["9 npm run a:b", "28 make d", "38 just e"]),
            ("`npm run <a>` `npm run a:*` `make -C b c` `make A=b` `npm run` `make sure` `npx a/b.js c`", vec![]),
            (
                "`/a/b.md` `~/a/b.md` `@a/b.md` `a/b` `a/*.md` `../a/b.md` `path/to/a.md` `docs/NNN.md` `a b/c.md`",
                vec![],
            ),
            ("Create `docs/a.md`.\nIf `docs/b.md` is there\nno longer `docs/c.md`", vec![]),
            ("docs/a.md\n```\nnpm run a\n```", vec![]),
            ("`b/if.md` and `b/old.md`\n`c/d.md`", vec!["26 c/d.md"]),
            ("See `b/if.md`, `c/d.md`", vec!["5 b/if.md"]),
        ] {
            let found: Vec<_> = named(text).into_iter().map(|(at, named)| format!("{} {named}", at.start)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
