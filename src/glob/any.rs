//! Matches patterns under the most permissive semantics of any agent.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use globset::GlobSet;

use super::plain::parsed;
use super::{Budget, EntryType, Tree};

/// Returns up to `most` files that a pattern may match, or `base` if that cannot be decided.
pub(super) fn files(
    tree: &dyn Tree,
    base: &Path,
    pattern: &str,
    enter: &dyn Fn(&str) -> bool,
    most: usize,
) -> Vec<PathBuf> {
    let Some(wanted) = Wanted::new(base, pattern) else { return vec![base.to_owned()] };
    Walk::new(tree, base, enter, [&wanted]).most(most).below(base).pop().unwrap_or_default()
}

/// Returns for each pattern the first file that it may match, or `base` if that cannot be decided. One walk serves all.
pub(super) fn walk(tree: &dyn Tree, base: &Path, patterns: &[&str], enter: &dyn Fn(&str) -> bool) -> Vec<Vec<PathBuf>> {
    let wanted: Vec<_> = patterns.iter().map(|pattern| Wanted::new(base, pattern)).collect();
    let alone = |wanted: &Option<Wanted>| match wanted {
        None => vec![base.to_owned()],
        // Most patterns start with the directory that they are about.
        Some(wanted) => {
            let first = base.join(wanted.anchor.iter().collect::<PathBuf>());
            let beside = first.parent().filter(|dir| dir.starts_with(base) && *dir != base);
            let found = beside.and_then(|beside| Walk::new(tree, base, enter, [wanted]).below(beside).pop());
            found.unwrap_or_default()
        }
    };
    let mut found: Vec<Vec<PathBuf>> = wanted.iter().map(alone).collect();
    let left: Vec<usize> = (0..found.len()).filter(|&at| found[at].is_empty()).collect();
    let together = left.iter().filter_map(|&at| wanted[at].as_ref());
    for (at, file) in left.iter().zip(Walk::new(tree, base, enter, together).below(base)) {
        found[*at] = file;
    }
    found
}

/// A compiled pattern.
struct Wanted<'p> {
    /// The pattern relative to the base.
    plain: &'p str,
    globs: GlobSet,
    /// Globs for non-ASCII paths, compiled when the first such path occurs.
    loosened: OnceCell<Option<GlobSet>>,
    /// Directories up to the first wildcard; files match only below these.
    anchor: Vec<&'p str>,
}

impl<'p> Wanted<'p> {
    fn new(base: &Path, pattern: &'p str) -> Option<Wanted<'p>> {
        let plain = plain(base, pattern)?;
        let globs = compiled(plain)?;
        let (dirs, _) = plain.rsplit_once('/').unwrap_or_default();
        let is_fixed = |part: &&str| part.is_ascii() && !part.is_empty() && !part.contains(['*', '?', '[', '{', '\\']);
        let anchor = dirs.split('/').take_while(is_fixed).collect();
        Some(Wanted { plain, globs, loosened: OnceCell::new(), anchor })
    }

    /// Returns true if the pattern may match a file. For `globset`, `?` and classes are one byte, for other libraries
    /// one character.
    fn matches(&self, inside: &str) -> bool {
        let loosely = || self.loosened.get_or_init(|| compiled(&loosened(self.plain))).as_ref();
        self.globs.is_match(inside) || (!inside.is_ascii() && loosely().is_some_and(|globs| globs.is_match(inside)))
    }

    /// Returns true if the path of a directory ends with the anchor.
    fn begins_at(&self, inside: &str) -> bool {
        let mut names = inside.rsplit('/');
        self.anchor.iter().rev().all(|part| names.next().is_some_and(|name| name.eq_ignore_ascii_case(part)))
    }

    /// Returns true if a segment of the pattern is this name.
    fn names(&self, name: &str) -> bool {
        self.plain.split('/').any(|part| part.eq_ignore_ascii_case(name))
    }
}

/// Makes a pattern relative to the base; `None` if it may have a meaning in another syntax or at another place.
fn plain<'p>(base: &Path, pattern: &'p str) -> Option<&'p str> {
    let inside = base.to_str().and_then(|base| pattern.strip_prefix(base)).unwrap_or(pattern);
    let mut plain = inside.trim();
    while let Some(rest) = plain.strip_prefix("./").or_else(|| plain.strip_prefix('/')) {
        plain = rest;
    }
    let plain = plain.trim_end_matches('/');
    let elsewhere = plain.is_empty() || plain.starts_with(['!', '~']) || plain.split('/').any(|part| part == "..");
    (!elsewhere && !plain.contains(['(', '$'])).then_some(plain)
}

fn compiled(plain: &str) -> Option<GlobSet> {
    GlobSet::new([parsed(&format!("**/{plain}"), true)?, parsed(&format!("**/{plain}/**"), true)?]).ok()
}

/// Replaces everything that matches one character by a star, and also every non-ASCII character, since its case may
/// differ.
fn loosened(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    let mut chars = plain.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(std::iter::once(c).chain(chars.next())),
            '[' => {
                // The first member of a class does not end it, even if it is `]`.
                let negates = chars.next().is_some_and(|first| matches!(first, '!' | '^'));
                if negates {
                    chars.next();
                }
                chars.find(|c| *c == ']');
                add_star(&mut out);
            }
            '?' => add_star(&mut out),
            c if c.is_ascii() => out.push(c),
            _ => add_star(&mut out),
        }
    }
    out
}

fn add_star(out: &mut String) {
    if !out.ends_with('*') {
        out.push('*');
    }
}

/// A walk for several patterns.
struct Walk<'a> {
    tree: &'a dyn Tree,
    base: &'a Path,
    enter: &'a dyn Fn(&str) -> bool,
    wanted: Vec<&'a Wanted<'a>>,
    /// Maximum number of files per pattern.
    most: usize,
}

/// A directory to list.
struct Dir {
    path: PathBuf,
    /// Path relative to the base, with slashes.
    inside: String,
    /// Indices of the patterns for which it is entered.
    of: Rc<[usize]>,
    /// Indices of those patterns that its files can match.
    awake: Rc<[usize]>,
}

impl<'a> Walk<'a> {
    fn new(
        tree: &'a dyn Tree,
        base: &'a Path,
        enter: &'a dyn Fn(&str) -> bool,
        wanted: impl IntoIterator<Item = &'a Wanted<'a>>,
    ) -> Walk<'a> {
        Walk { tree, base, enter, wanted: wanted.into_iter().collect(), most: 1 }
    }

    /// Sets the number of files to find per pattern.
    fn most(self, most: usize) -> Walk<'a> {
        Walk { most, ..self }
    }

    /// Returns the first files for each pattern.
    fn below(&self, start: &Path) -> Vec<Vec<PathBuf>> {
        let mut found: Vec<Vec<PathBuf>> = vec![Vec::new(); self.wanted.len()];
        let mut todo = VecDeque::from([self.start(start)]);
        let mut budget = Budget::default();
        while let Some(dir) = todo.pop_front() {
            if dir.of.iter().all(|&at| found[at].len() >= self.most) {
                continue;
            }
            if !budget.allows(&dir.path) {
                let unknown = |files: Vec<PathBuf>| if files.is_empty() { vec![self.base.to_owned()] } else { files };
                return found.into_iter().map(unknown).collect();
            }
            for (name, kind) in self.tree.entries(&dir.path).unwrap_or_default() {
                match kind {
                    EntryType::Dir => todo.extend(self.inner(&dir, &name)),
                    // Links are not followed, but their names are matched.
                    EntryType::File | EntryType::Special | EntryType::Link => self.try_file(&dir, &name, &mut found),
                }
            }
        }
        found
    }

    fn try_file(&self, dir: &Dir, name: &str, found: &mut [Vec<PathBuf>]) {
        let mut inside = None;
        for &at in &*dir.awake {
            if found[at].len() >= self.most {
                continue;
            }
            let inside = inside.get_or_insert_with(|| joined(&dir.inside, name));
            if self.wanted[at].matches(inside) {
                found[at].push(dir.path.join(name));
            }
        }
    }

    /// Returns the directory in which the walk starts.
    fn start(&self, path: &Path) -> Dir {
        let inside = path.strip_prefix(self.base).unwrap_or(path).to_string_lossy().into_owned();
        let begins = |at: &usize| {
            let wanted = self.wanted[*at];
            let above = Path::new(&inside).ancestors().map(|dir| dir.to_str().unwrap_or_default());
            wanted.anchor.is_empty() || above.into_iter().any(|dir| wanted.begins_at(dir))
        };
        let of: Rc<[usize]> = (0..self.wanted.len()).collect();
        let awake = of.iter().copied().filter(begins).collect();
        Dir { path: path.to_owned(), inside, of, awake }
    }

    /// Returns a subdirectory, unless no pattern can match below it.
    fn inner(&self, dir: &Dir, name: &str) -> Option<Dir> {
        let inside = joined(&dir.inside, name);
        let of: Rc<[usize]> = if (self.enter)(name) {
            dir.of.clone()
        } else {
            dir.of.iter().copied().filter(|&at| self.wanted[at].names(name)).collect()
        };
        if of.is_empty() {
            return None;
        }
        let ends = |at: &&usize| {
            let anchor = &self.wanted[**at].anchor;
            anchor.last().is_some_and(|last| last.eq_ignore_ascii_case(name)) && self.wanted[**at].begins_at(&inside)
        };
        let begin: Vec<usize> = of.iter().filter(ends).copied().collect();
        let awake = if begin.is_empty() && of.len() == dir.of.len() {
            dir.awake.clone()
        } else {
            of.iter().copied().filter(|at| begin.contains(at) || dir.awake.contains(at)).collect()
        };
        Some(Dir { path: dir.path.join(name), inside, of, awake })
    }
}

fn joined(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob::Failure;

    /// A tree of files given by their paths.
    struct Files(&'static [&'static str]);

    impl Tree for Files {
        fn kind(&self, _: &Path) -> Option<EntryType> {
            None
        }

        fn target(&self, _: &Path) -> Result<EntryType, Failure> {
            Err(Failure::Other)
        }

        fn entries(&self, dir: &Path) -> Option<Vec<(String, EntryType)>> {
            let below = self.0.iter().filter_map(|file| Path::new(file).strip_prefix(dir).ok());
            let entry = |below: &Path| {
                let name = below.iter().next()?.to_str()?.to_owned();
                Some((name, if below.iter().count() == 1 { EntryType::File } else { EntryType::Dir }))
            };
            Some(below.filter_map(entry).collect())
        }
    }

    #[test]
    fn what_no_harness_could_find_is_told_from_what_some_harness_could() {
        let files = Files(&["/r/src/api/a.ts", "/r/Web/b.TSX", "/r/node_modules/c/d.js", "/r/é/Ü.md"]);
        let patterns = [
            ("src/**/*.ts", true),
            ("*.ts", true),
            ("api", true),
            ("./src/api/", true),
            ("/r/src/*/a.ts", true),
            ("web/*.tsx", true),
            ("**/*.{js,ts}", true),
            ("src/*.ts", false),
            ("lib/**", false),
            ("**/*.js", false),
            ("node_modules/**/*.js", true),
            // Undecidable.
            ("../other/*.ts", true),
            ("!lib/**", true),
            ("lib/@(a|b)", true),
            ("lib/[", true),
            ("api/*.ts", true),
            ("SRC/API/*.ts", true),
            ("src/web/*.ts", false),
            ("api", true),
            ("api/src/*.ts", false),
            // For some libraries `é` is one character, for others two bytes.
            ("?/*.md", true),
            ("??/*.md", true),
            ("[!a]/[ü].md", true),
            ("é/ü.md", true),
            ("?/*.mdx", false),
        ];
        let enter = |name: &str| name != "node_modules";
        let all = walk(&files, Path::new("/r"), &patterns.map(|(pattern, _)| pattern), &enter);
        for ((pattern, found), together) in patterns.into_iter().zip(all) {
            let alone = walk(&files, Path::new("/r"), &[pattern], &enter);
            assert_eq!((!alone[0].is_empty(), &alone[0]), (found, &together), "{pattern}");
        }
    }
}
