//! The loosest reading of a pattern, by which something may be said of it whichever harness reads it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use globset::GlobSet;

use super::plain::parsed;
use super::{Budget, Kind, Tree};

/// The first file that the pattern could mean, or the base where nobody can tell.
pub(super) fn walk(tree: &dyn Tree, base: &Path, pattern: &str, enter: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let Some(plain) = plain(base, pattern) else { return vec![base.to_owned()] };
    let Some(globs) = compiled(plain) else { return vec![base.to_owned()] };
    // Most patterns begin with the directory that they are about.
    let fixed: PathBuf = plain.split('/').take_while(|part| !part.contains(['*', '?', '[', '{', '\\'])).collect();
    let search = Search { tree, base, globs: &globs, enter: &|name: &str| enter(name) || names(plain, name) };
    let first = base.join(&fixed);
    let beside = first.parent().filter(|dir| dir.starts_with(base)).unwrap_or(base);
    let found = (beside != base).then(|| search.below(beside)).flatten();
    found.or_else(|| search.below(base)).into_iter().collect()
}

/// The pattern as seen from the base; `None` for what another syntax or another place may give a meaning.
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

/// Whether a segment of the pattern is this name.
fn names(pattern: &str, name: &str) -> bool {
    pattern.split('/').any(|part| part.eq_ignore_ascii_case(name))
}

struct Search<'a> {
    tree: &'a dyn Tree,
    base: &'a Path,
    globs: &'a GlobSet,
    enter: &'a dyn Fn(&str) -> bool,
}

impl Search<'_> {
    fn below(&self, start: &Path) -> Option<PathBuf> {
        let mut todo = VecDeque::from([start.to_owned()]);
        let mut budget = Budget::default();
        while let Some(dir) = todo.pop_front() {
            if !budget.allows(&dir) {
                return Some(self.base.to_owned());
            }
            for (name, kind) in self.tree.entries(&dir).unwrap_or_default() {
                let path = dir.join(&name);
                let inside = path.strip_prefix(self.base).unwrap_or(&path);
                match kind {
                    // Where a link leads is not looked at; what it is called is.
                    Kind::File | Kind::Special | Kind::Link if self.globs.is_match(inside) => return Some(path),
                    Kind::Dir if (self.enter)(&name) => todo.push_back(path),
                    Kind::File | Kind::Special | Kind::Link | Kind::Dir => {}
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob::Failure;

    /// Files by their paths.
    struct Files(&'static [&'static str]);

    impl Tree for Files {
        fn kind(&self, _: &Path) -> Option<Kind> {
            None
        }

        fn target(&self, _: &Path) -> Result<Kind, Failure> {
            Err(Failure::Other)
        }

        fn entries(&self, dir: &Path) -> Option<Vec<(String, Kind)>> {
            let below = self.0.iter().filter_map(|file| Path::new(file).strip_prefix(dir).ok());
            let entry = |below: &Path| {
                let name = below.iter().next()?.to_str()?.to_owned();
                Some((name, if below.iter().count() == 1 { Kind::File } else { Kind::Dir }))
            };
            Some(below.filter_map(entry).collect())
        }
    }

    #[test]
    fn what_no_harness_could_find_is_told_from_what_some_harness_could() {
        let files = Files(&["/r/src/api/a.ts", "/r/Web/b.TSX", "/r/node_modules/c/d.js"]);
        for (pattern, found) in [
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
            // Nobody can tell.
            ("../other/*.ts", true),
            ("!lib/**", true),
            ("lib/@(a|b)", true),
            ("lib/[", true),
        ] {
            let enter = |name: &str| name != "node_modules";
            assert_eq!(!walk(&files, Path::new("/r"), pattern, &enter).is_empty(), found, "{pattern}");
        }
    }
}
