//! The glob semantics of the harnesses: which files a pattern finds, and in which order.
//!
//! npm's `glob` is not expressible over `globset`: extended globs such as `!(a)` need look-ahead, a `?` is one UTF-16
//! unit, `..` is removed before matching, and the *order* of results follows from how the walk goes. So its matching is
//! followed step by step here, on strings; the walk asks a [`Tree`] and opens no file itself.
//!
//! Whose patterns these are, how each is compared with the real library, and what is known to differ:
//!
//! | here | library, version | who uses it | compared |
//! |---|---|---|---|
//! | `npm`, `parts`, `segment`, `class`, `braces` | npm `glob` 13 over `minimatch` 10 | OpenCode 1.18 | cases; tables in `tests` |
//! | `bun` | `Glob` of Bun 1.3 | OpenCode 1.1 | cases; tables in `tests` |
//! | `node` | `fs.glob` of Node 24 over `minimatch` 10 | OpenClaw | cases |
//! | `picomatch` | npm `picomatch` 4.0 | Claude Code, Qwen Code | `tests/libraries.rs`; longer than 8 192 units is refused |
//! | `npm_ignore` | npm `ignore` 7.0.0 to 7.0.5 | Claude Code, Gemini CLI, early OpenClaw | `tests/libraries.rs`; 7.0.6 and later read differently |
//! | `plain`, `any` | `globset` 0.4 itself | where no library is known; findings | |
//! | `plain::gitignore` | `ignore` 0.4 itself | what clients leave to git, or to a library that follows it | cases |
//!
//! Its layers, from the bottom up: `guard` says what may be compiled at all, and `meter` counts what matching costs; `units`, `runs`, `braces`, `fast` and `regex` know no
//! syntax of patterns but their own; `class` and `segment` stand on them, `parts` on these; the walks `npm`, `bun`, `node` and
//! `any` stand on top. `picomatch` and `npm_ignore` need `units`, `runs` and `regex` only.

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
pub use plain::{gitignore, is_plain, plain, plain_set};

/// What a walk needs to know about a disk.
pub trait Tree {
    /// What is at this path itself.
    fn kind(&self, path: &Path) -> Option<EntryType>;
    /// What is at this path, links followed; `..` is the directory above what a link leads to.
    fn target(&self, path: &Path) -> Result<EntryType, Failure>;
    /// The names in a directory in the disk's own order; a link to a directory is followed.
    fn entries(&self, path: &Path) -> Option<Vec<(String, EntryType)>>;
}

/// What a walk distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryType {
    /// A directory.
    Dir,
    /// A symbolic link, wherever it leads.
    Link,
    /// A regular file.
    File,
    /// A pipe, a device, a socket.
    Special,
}

/// Why nothing is known of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is nothing.
    Missing,
    /// Something on the way to it is no directory.
    NotDirectory,
    /// A loop of links, a directory that may not be entered.
    Other,
}

/// What a walk found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The files, in the order of the walk.
    pub files: Vec<PathBuf>,
    /// Whether the walk ended before it had been everywhere.
    pub cut_short: bool,
    /// What the walk cost: the directories that it listed, and matching in the same unit. Not compared: it is no part of what
    /// was found.
    pub listed: usize,
}

impl PartialEq for Found {
    fn eq(&self, other: &Found) -> bool {
        self.files == other.files && self.cut_short == other.cut_short
    }
}

impl Eq for Found {}

/// Makes sure that every walk ends. A `**` outside a repository starts at `/`, and two links that lead up make more directories
/// than anybody lists: the clients themselves never come back from there.
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
    /// The most directories that one walk lists.
    const DIRECTORIES: usize = 50_000;
    /// The most effort: to list a directory costs the square of its depth, since a path is looked up name by name, each behind
    /// the links before it. Directories 10 names deep reach the limit above first; those in loops of links, often over 100
    /// names deep, reach this one.
    const EFFORT: usize = 100 * Self::DIRECTORIES;
    /// The most tests of a name against a segment: a pattern with hundreds of `**` tests each name hundreds of times.
    const TESTS: usize = 50 * Self::DIRECTORIES;
    /// The most entries of directories; each is remembered as long as the walk lasts.
    const ENTRIES: usize = 8 * Self::DIRECTORIES;
    /// The deepest recursion, for the sake of the stack.
    const DEPTH: usize = 200;
    /// The most files that one walk finds: whoever asks for them looks at each.
    const FILES: usize = 20_000;

    /// Whether one more directory may be listed.
    fn allows(&mut self, path: &Path) -> bool {
        self.directories += 1;
        self.effort += path.components().count().pow(2);
        !self.is_spent()
    }

    /// Whether so many more entries may be remembered.
    fn allows_entries(&mut self, entries: usize) -> bool {
        self.entries += entries;
        !self.is_spent()
    }

    /// What a walk found.
    fn found(&self, mut files: Vec<PathBuf>) -> Found {
        let cut_short = self.is_spent() || files.len() > Self::FILES;
        files.truncate(Self::FILES);
        Found { files, cut_short, listed: self.directories + self.meter.weight() / 2 }
    }

    /// Goes a step deeper; whether that is allowed. In any case [`Self::comes_back`] must follow.
    fn goes_deeper(&mut self) -> bool {
        self.depth += 1;
        self.is_too_deep |= self.depth > Self::DEPTH;
        !self.is_too_deep
    }

    fn comes_back(&mut self) {
        self.depth -= 1;
    }

    /// Whether so many more names may be tested.
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

/// Longest pattern, in UTF-16 units; minimatch 10 and picomatch 4 throw above it, and then nothing is found.
const PATTERN_LIMIT: usize = 65_536;

/// How npm's `glob` is called.
#[derive(Clone, Copy, Debug)]
pub struct Npm {
    /// Whether wildcards match names that begin with a dot.
    pub dot: bool,
    /// Whether links to directories are entered everywhere.
    pub follow: bool,
}

/// The files (everything but directories: also links, pipes, devices) that npm `glob` 13 with `nodir` finds below `base`, in its
/// order. A pattern that it refuses finds nothing.
pub fn npm(tree: &dyn Tree, base: &Path, pattern: &str, options: Npm) -> Found {
    match parts::compile(pattern, options.dot) {
        Ok(patterns) => npm::walk(tree, base, patterns, options),
        Err(refused) => refused.found(),
    }
}

/// The files that `Glob.scan` of Bun 1.3 finds below `base` with `onlyFiles`, in its order; none when it throws.
pub fn bun(tree: &dyn Tree, base: &Path, pattern: &str, dot: bool, follow: bool) -> Found {
    bun::walk(tree, base, pattern, bun::Options { dot, follow }).unwrap_or_else(|bun::Thrown| Found::default())
}

/// What `fs.glob` of Node 24 finds below `base`, in its order: files, directories and anything else.
pub fn node(tree: &dyn Tree, base: &Path, pattern: &str) -> Found {
    // Node calls minimatch with `windowsPathsNoEscape`.
    match parts::compile(&pattern.replace('\\', "/"), false) {
        Ok(patterns) => node::walk(tree, base, &patterns),
        Err(refused) => refused.found(),
    }
}

/// For each pattern the first file below `base` that it could mean by the loosest reading any harness has: from any directory, in
/// any letter case, and a directory means what is in it. Directories that `enter` refuses are left out unless the pattern
/// names them. If nothing is found, no harness finds anything. Where that cannot be told, the base itself is the answer.
pub fn any(tree: &dyn Tree, base: &Path, patterns: &[&str], enter: &dyn Fn(&str) -> bool) -> Vec<Found> {
    let counted = Counted { tree, listed: Cell::new(0) };
    let found = any::walk(&counted, base, patterns, enter);
    // They share the cost of the walk, which weighs little: one file at most is remembered for each.
    let listed = counted.listed.get().div_ceil(100 * patterns.len().max(1));
    found.into_iter().map(|files| Found { files, cut_short: false, listed }).collect()
}

/// A tree, and how many of its directories were listed.
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

/// How many files [`every`] finds at most.
pub const EVERY_LIMIT: usize = 1000;

/// The files that a pattern could mean by the same reading; no more than [`EVERY_LIMIT`].
pub fn every(tree: &dyn Tree, base: &Path, pattern: &str, enter: &dyn Fn(&str) -> bool) -> Found {
    let counted = Counted { tree, listed: Cell::new(0) };
    let mut files = any::files(&counted, base, pattern, enter, EVERY_LIMIT);
    files.sort();
    Found { files, cut_short: false, listed: counted.listed.get() }
}

#[cfg(test)]
mod tests;
