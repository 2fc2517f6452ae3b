//! The glob semantics of the harnesses: which files a pattern finds, and in which order.
//!
//! npm's `glob` is not expressible over `globset`: extended globs such as `!(a)` need look-ahead, a `?` is one UTF-16
//! unit, `..` is taken out before matching, and the *order* of results follows from how the walk goes. So its matching is
//! followed step by step here, on strings; the walk asks a [`Tree`] and opens no file itself.

use std::path::{Path, PathBuf};

mod braces;
mod class;
mod fast;
mod node;
mod npm;
mod parts;
mod regex;
mod segment;

/// What a walk needs to know about a disk.
pub trait Tree {
    /// What is at this path itself.
    fn kind(&self, path: &Path) -> Option<Kind>;
    /// The names in a directory in the disk's own order; a link to a directory is followed.
    fn entries(&self, path: &Path) -> Option<Vec<(String, Kind)>>;
}

/// What a walk distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Dir,
    /// A symbolic link, wherever it leads.
    Link,
    /// A file; or a pipe, a device, a socket, which count as files here.
    File,
}

/// The most directories that one walk lists. A `**` outside a repository starts at `/`, and links that are followed may
/// form loops; the walk ends here rather than never.
pub const DIRECTORY_LIMIT: usize = 100_000;

/// Longest pattern, in UTF-16 units; minimatch 10 throws above it, and then nothing is found.
const PATTERN_LIMIT: usize = 65_536;

/// How npm's `glob` is called.
#[derive(Clone, Copy, Debug)]
pub struct Npm {
    /// Whether wildcards match names that begin with a dot.
    pub dot: bool,
    /// Whether links to directories are entered everywhere.
    pub follow: bool,
}

/// The files (whatever is no directory: links, pipes, devices) that npm `glob` 13 with `nodir` finds below `base`, in its
/// order. A pattern that it refuses finds nothing.
pub fn npm(tree: &dyn Tree, base: &Path, pattern: &str, options: Npm) -> Vec<PathBuf> {
    let Some(patterns) = parts::compile(pattern, options.dot) else { return Vec::new() };
    npm::walk(tree, base, patterns, options)
}

/// What `fs.glob` of Node 24 finds below `base`, in its order: files, directories and anything else.
pub fn node(tree: &dyn Tree, base: &Path, pattern: &str) -> Vec<PathBuf> {
    // Node calls minimatch with `windowsPathsNoEscape`.
    let Some(patterns) = parts::compile(&pattern.replace('\\', "/"), false) else { return Vec::new() };
    node::walk(tree, base, &patterns)
}

/// Whether a name matches a pattern of one segment.
pub fn matches_name(pattern: &str, name: &str, dot: bool) -> bool {
    match segment::parse(pattern, dot) {
        Some(segment::Segment::Text(text)) => text == name,
        Some(segment::Segment::Stars) => true,
        Some(segment::Segment::Magic(magic)) => magic.matches(name),
        None => false,
    }
}

#[cfg(test)]
mod tests;
