//! Glob semantics of the agents: which files a pattern matches, and in which order they are found.
//!
//! npm's `glob` cannot be expressed with `globset`: extended globs such as `!(a)` need look-ahead, a `?` is one UTF-16
//! unit, `..` is removed before matching, and the *order* of results follows from the course of the walk. So its
//! matching is reproduced step by step, on strings; the walk asks a [`Tree`] and opens no file itself.
//!
//! The library that each module reproduces, its users, and how the two are compared:
//!
//! | here | library, version | used by | compared by |
//! |---|---|---|---|
//! | `npm`, `parts`, `segment`, `class`, `braces` | npm `glob` 13 over `minimatch` 10 | OpenCode 1.18 | cases; tables in `tests` |
//! | `bun` | `Glob` of Bun 1.3 | OpenCode 1.1 | cases; tables in `tests` |
//! | `node` | `fs.glob` of Node 24 over `minimatch` 10 | OpenClaw | cases |
//! | `picomatch` | npm `picomatch` 4.0 | Claude Code, Qwen Code | `tests/libraries.rs`; patterns over 8 192 units are refused |
//! | `npm_ignore` | npm `ignore` 7.0.0 to 7.0.5 | Claude Code, Gemini CLI, early OpenClaw | `tests/libraries.rs`; 7.0.6 and later read differently |
//! | `plain`, `any` | `globset` 0.4 itself | agents whose library is not known; findings | |
//! | `plain::gitignore` | `ignore` 0.4 itself | clients that use git, or a library that follows it | cases |
//!
//! Layers, from the bottom up: `guard` limits what may be compiled at all, and `meter` counts what matching costs;
//! `units`, `runs`, `braces`, `fast` and `regex` depend on no other syntax; `class` and `segment` use them, and `parts`
//! uses these; the walks `npm`, `bun`, `node` and `any` come on top. `picomatch` and `npm_ignore` need only `units`,
//! `runs` and `regex`.

use std::cell::Cell;
use std::path::{Path, PathBuf};

mod any;
mod braces;
mod bun;
mod class;
mod fast;
mod guard;
mod meter;
mod node;
mod npm;
mod npm_ignore;
mod parts;
mod picomatch;
mod plain;
mod regex;
mod runs;
mod segment;
mod units;

pub use meter::{Meter, gives_up, watched};
pub use npm_ignore::{NpmIgnore, Thrown};
pub use picomatch::Picomatch;
pub use plain::{gitignore, ignore_lines, is_plain, plain, plain_set};

/// A disk as a walk sees it.
pub trait Tree {
    /// Returns the type of the path itself.
    fn kind(&self, path: &Path) -> Option<EntryType>;
    /// Returns the type at a path, following links; `..` is the parent of a link's target.
    fn target(&self, path: &Path) -> Result<EntryType, Failure>;
    /// Returns the names in a directory in the disk's own order, following a link to a directory.
    fn entries(&self, path: &Path) -> Option<Vec<(String, EntryType)>>;
}

/// Types of entries that a walk distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryType {
    /// A directory.
    Dir,
    /// A symbolic link, whatever its target.
    Link,
    /// A regular file.
    File,
    /// A pipe, a device, or a socket.
    Special,
}

/// Reasons why a path has no type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The path does not exist.
    Missing,
    /// A component of the path is not a directory.
    NotDirectory,
    /// Another error, such as a loop of links or a directory that may not be entered.
    Other,
}

/// The result of a walk.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Files in the order of the walk.
    pub files: Vec<PathBuf>,
    /// True if the walk ended early.
    pub cut_short: bool,
    /// Cost of the walk: the number of directories listed, with the cost of matching in the same unit. Not compared,
    /// since it is not part of the result.
    pub listed: usize,
}

impl PartialEq for Found {
    fn eq(&self, other: &Found) -> bool {
        self.files == other.files && self.cut_short == other.cut_short
    }
}

impl Eq for Found {}

/// Limits that make every walk end. A `**` outside a repository starts at `/`, and two links that lead up make more
/// directories than can be listed: the clients themselves never return from there.
#[derive(Default)]
struct Budget {
    directories: usize,
    effort: usize,
    tests: usize,
    entries: usize,
    depth: usize,
    is_too_deep: bool,
    meter: Meter,
}

impl Budget {
    /// Maximum number of directories listed in one walk.
    const DIRECTORIES: usize = 50_000;
    /// Maximum effort. Listing a directory costs the square of its depth, since a path is looked up name by name, each
    /// through the links before it. Directories 10 levels deep reach the limit above first; those in loops of links,
    /// often over 100 levels deep, reach this one.
    const EFFORT: usize = 100 * Self::DIRECTORIES;
    /// Maximum number of tests of a name against a segment: a pattern with hundreds of `**` tests each name hundreds of
    /// times.
    const TESTS: usize = 50 * Self::DIRECTORIES;
    /// Maximum number of directory entries; each is held until the walk ends.
    const ENTRIES: usize = 8 * Self::DIRECTORIES;
    /// Maximum recursion depth, to protect the stack.
    const DEPTH: usize = 200;
    /// Maximum number of files in a result, since the caller looks at each.
    const FILES: usize = 20_000;

    /// Counts one more directory. Returns true if it may be listed.
    fn allows(&mut self, path: &Path) -> bool {
        self.directories += 1;
        self.effort += path.components().count().pow(2);
        !self.is_spent()
    }

    /// Counts more entries. Returns true if they may be held.
    fn allows_entries(&mut self, entries: usize) -> bool {
        self.entries += entries;
        !self.is_spent()
    }

    /// Creates the result of a walk.
    fn found(&self, mut files: Vec<PathBuf>) -> Found {
        let cut_short = self.is_spent() || files.len() > Self::FILES;
        files.truncate(Self::FILES);
        Found { files, cut_short, listed: self.directories + self.meter.weight() / 2 }
    }

    /// Enters one more level. Returns true if that is allowed. [`Self::comes_back`] must follow in any case.
    fn goes_deeper(&mut self) -> bool {
        self.depth += 1;
        self.is_too_deep |= self.depth > Self::DEPTH;
        !self.is_too_deep
    }

    fn comes_back(&mut self) {
        self.depth -= 1;
    }

    /// Counts more tests of names. Returns true if they are allowed.
    fn allows_tests(&mut self, tests: usize) -> bool {
        self.tests += tests;
        !self.is_spent()
    }

    fn is_spent(&self) -> bool {
        self.directories > Self::DIRECTORIES
            || self.effort > Self::EFFORT
            || self.tests > Self::TESTS
            || self.entries > Self::ENTRIES
            || self.is_too_deep
            || self.meter.has_given_up()
    }
}

/// Maximum length of a pattern, in UTF-16 units. minimatch 10 and picomatch 4 throw above it, so that nothing is found.
const PATTERN_LIMIT: usize = 65_536;

/// Options of npm's `glob`.
#[derive(Clone, Copy, Debug)]
pub struct Npm {
    /// True if wildcards match names that start with a dot.
    pub dot: bool,
    /// True if links to directories are entered everywhere.
    pub follow: bool,
}

/// Returns the files (everything but directories, thus also links, pipes, devices) that npm `glob` 13 with `nodir`
/// finds below `base`, in its order. A pattern that it rejects finds nothing.
pub fn npm(tree: &dyn Tree, base: &Path, pattern: &str, options: Npm) -> Found {
    match parts::compile(pattern, options.dot) {
        Ok(patterns) => npm::walk(tree, base, patterns, options),
        Err(refused) => refused.found(),
    }
}

/// Returns the files that `Glob.scan` of Bun 1.3 with `onlyFiles` finds below `base`, in its order; none if it throws.
pub fn bun(tree: &dyn Tree, base: &Path, pattern: &str, dot: bool, follow: bool) -> Found {
    bun::walk(tree, base, pattern, bun::Options { dot, follow }).unwrap_or_else(|bun::Thrown| Found::default())
}

/// Returns everything that `fs.glob` of Node 24 finds below `base`, in its order: files, directories and anything else.
pub fn node(tree: &dyn Tree, base: &Path, pattern: &str) -> Found {
    // Node calls minimatch with `windowsPathsNoEscape`.
    match parts::compile(&pattern.replace('\\', "/"), false) {
        Ok(patterns) => node::walk(tree, base, &patterns),
        Err(refused) => refused.found(),
    }
}

/// Returns for each pattern the first file below `base` that it matches under the most permissive semantics of any
/// agent: relative to any directory, ignoring case, and a directory matches its content. Directories that `enter`
/// rejects are skipped unless the pattern names them. If nothing is found, no agent finds anything. If that cannot be
/// decided, the result is `base` itself.
pub fn any(tree: &dyn Tree, base: &Path, patterns: &[&str], enter: &dyn Fn(&str) -> bool) -> Vec<Found> {
    let counted = Counted { tree, listed: Cell::new(0) };
    let found = any::walk(&counted, base, patterns, enter);
    // The patterns share the cost of the walk, which weighs little: at most one file is held for each.
    let listed = counted.listed.get().div_ceil(100 * patterns.len().max(1));
    found.into_iter().map(|files| Found { files, cut_short: false, listed }).collect()
}

/// A tree that counts the directories listed.
struct Counted<'a> {
    tree: &'a dyn Tree,
    listed: Cell<usize>,
}

impl Tree for Counted<'_> {
    fn kind(&self, path: &Path) -> Option<EntryType> {
        self.tree.kind(path)
    }

    fn target(&self, path: &Path) -> Result<EntryType, Failure> {
        self.tree.target(path)
    }

    fn entries(&self, path: &Path) -> Option<Vec<(String, EntryType)>> {
        self.listed.set(self.listed.get() + 1);
        self.tree.entries(path)
    }
}

/// Maximum number of files that [`every`] returns.
pub const EVERY_LIMIT: usize = 1000;

/// Returns the files that a pattern matches under the semantics of [`any()`], at most [`EVERY_LIMIT`].
pub fn every(tree: &dyn Tree, base: &Path, pattern: &str, enter: &dyn Fn(&str) -> bool) -> Found {
    let counted = Counted { tree, listed: Cell::new(0) };
    let mut files = any::files(&counted, base, pattern, enter, EVERY_LIMIT);
    files.sort();
    Found { files, cut_short: false, listed: counted.listed.get() }
}

#[cfg(test)]
mod tests;
