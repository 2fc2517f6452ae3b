//! Reproduces the walk of `Glob.scan` in Bun 1.3, which takes directories from a stack: all entries of one in the order
//! of the disk, then its last subdirectory first.
//!
//! Links are put on the stack like directories, so a link to a file is found after the files beside it. Some bugs of
//! the walk affect its results and are reproduced here; comments mark them.

use std::cell::Cell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{Budget, EntryType, Failure, Found, Tree};
use crate::paths::absolute;

pub(super) mod name;

use name::Name;

/// Maximum length of a pattern, in bytes. Bun has no limit, but no real pattern is this long.
const PATTERN_LIMIT_BYTES: usize = 4096;

/// Options of `Glob.scan` with `onlyFiles`.
#[derive(Clone, Copy)]
pub(super) struct Options {
    /// True if wildcards match names that start with a dot.
    pub dot: bool,
    /// True if links are followed.
    pub follow: bool,
}

/// Error of a scan that throws, so that its caller gets no files at all.
pub(super) struct Thrown;

/// Returns the files that `pattern`, which must be relative, finds below `base`.
pub(super) fn walk(tree: &dyn Tree, base: &Path, pattern: &str, options: Options) -> Result<Found, Thrown> {
    let parts = parts(pattern);
    if parts.is_empty() || pattern.len() > PATTERN_LIMIT_BYTES {
        return Ok(Found::default());
    }
    let mut walk = Walk {
        tree,
        options,
        parts,
        stack: Vec::new(),
        found: Vec::new(),
        seen: HashSet::new(),
        budget: Budget::default(),
    };
    walk.directory(base.to_owned(), 0, None)?;
    while let Some(item) = walk.stack.pop() {
        match item {
            Item::Directory { path, at, opened } => walk.directory(path, at, opened)?,
            Item::Link { path, at, name_from } => walk.link(path, at, name_from),
        }
    }
    Ok(walk.budget.found(walk.found))
}

/// The text between two slashes. Slashes within braces separate too.
struct Part {
    kind: PartKind,
    /// True for the last part if a slash follows it.
    only_directories: bool,
}

enum PartKind {
    /// `.`
    Here,
    /// `..`
    Up,
    /// `**`
    Stars,
    /// Text without special characters; a backslash is literal.
    Text(String),
    /// Names with an ending, such as `*.md`. A backslash is literal here too.
    Ending(String),
    /// Anything else.
    Name(Name),
}

impl Part {
    fn is_stars(&self) -> bool {
        matches!(self.kind, PartKind::Stars)
    }

    fn matches(&self, name: &str, dot: bool) -> bool {
        if !dot && name.starts_with('.') {
            return false;
        }
        match &self.kind {
            PartKind::Here | PartKind::Up => false,
            PartKind::Stars => true,
            PartKind::Text(text) => text == name,
            PartKind::Ending(ending) => name.ends_with(ending.as_str()),
            PartKind::Name(pattern) => pattern.matches(name),
        }
    }
}

fn parts(pattern: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while !rest.is_empty() {
        let (text, after) = rest.split_once('/').unwrap_or((rest, ""));
        let only_directories = after.is_empty() && rest.ends_with('/');
        if text.is_empty() && after.is_empty() {
            // Two slashes at the end ask for a file with an empty name.
            parts.push(Part { kind: PartKind::Text(String::new()), only_directories });
        } else if !text.is_empty() {
            // Bun does not recognize the special forms if a slash follows.
            let kind = match text {
                "." if !only_directories => PartKind::Here,
                ".." if !only_directories => PartKind::Up,
                "**" if !only_directories => PartKind::Stars,
                text if !text.contains(['*', '[', '{', '?', '!']) => PartKind::Text(text.to_owned()),
                // Bun tests the whole rest of the pattern to decide whether the fast path applies.
                text if text.starts_with("*.") && !rest[1..].contains(['*', '[', '{', '?']) => {
                    PartKind::Ending(text[1..].to_owned())
                }
                text => PartKind::Name(Name::new(text)),
            };
            parts.push(Part { kind, only_directories });
        }
        rest = after;
    }
    parts
}

enum Item {
    Directory {
        path: PathBuf,
        at: usize,
        opened: Option<Rc<Opened>>,
    },
    Link {
        path: PathBuf,
        at: usize,
        /// Position at which Bun assumes that the name starts in the path.
        name_from: usize,
    },
}

/// A directory that was opened early, to find out whether a link leads to one.
struct Opened {
    path: PathBuf,
    closed: Cell<bool>,
}

/// The part with which a directory continues.
enum Step {
    /// The same part, which is `**`.
    Same,
    /// The next part.
    Next,
    /// The same part, which is `**`, and the one after the next part, which matched the directory's name.
    Both,
}

struct Walk<'a> {
    tree: &'a dyn Tree,
    options: Options,
    parts: Vec<Part>,
    stack: Vec<Item>,
    found: Vec<PathBuf>,
    seen: HashSet<PathBuf>,
    budget: Budget,
}

impl Walk<'_> {
    fn directory(&mut self, mut path: PathBuf, mut at: usize, opened: Option<Rc<Opened>>) -> Result<(), Thrown> {
        loop {
            match self.parts.get(at).map(|part| &part.kind) {
                Some(PartKind::Here) => path.push("."),
                Some(PartKind::Up) => path.push(".."),
                _ => break,
            }
            at += 1;
        }
        while self.parts.get(at).is_some_and(Part::is_stars) && self.parts.get(at + 1).is_some_and(Part::is_stars) {
            at += 1;
        }
        let place = match &opened {
            // A directory that was opened through a link is read at that path, without the dots. Bun closes it after
            // the first read, so a second one fails.
            Some(opened) if opened.closed.replace(true) => return Err(Thrown),
            Some(opened) => opened.path.clone(),
            None => path.clone(),
        };
        let Some(part) = self.parts.get(at) else { return Ok(()) };
        if let (PartKind::Text(text), true) = (&part.kind, at + 1 == self.parts.len()) {
            self.is_directory(&place)?;
            match self.tree.target(&place.join(text)) {
                Ok(EntryType::File) => {
                    let file = absolute(&path, Path::new(text));
                    self.add(file);
                }
                Ok(EntryType::Dir | EntryType::Link | EntryType::Special) | Err(Failure::Missing) => {}
                Err(Failure::NotDirectory | Failure::Other) => return Err(Thrown),
            }
            return Ok(());
        }
        if !self.budget.allows(&place) {
            return Ok(());
        }
        for (name, kind) in self.tree.entries(&place).ok_or(Thrown)? {
            self.entry(&path, at, &name, kind);
        }
        Ok(())
    }

    fn is_directory(&self, path: &Path) -> Result<(), Thrown> {
        if matches!(self.tree.target(path), Ok(EntryType::Dir)) { Ok(()) } else { Err(Thrown) }
    }

    fn entry(&mut self, dir: &Path, at: usize, name: &str, kind: EntryType) {
        let path = || absolute(dir, Path::new(name));
        match kind {
            EntryType::File => {
                if !self.parts[at].only_directories && (self.is_last(at, name) || self.is_last_after_stars(at, name)) {
                    self.add(path());
                }
            }
            EntryType::Dir => self.go_on(&path(), at, name, None),
            EntryType::Link => {
                if self.options.follow && self.parts[at].matches(name, self.options.dot) {
                    // Bun counts on the path before its dots were removed.
                    let name_from = dir.as_os_str().len() + 1;
                    self.stack.push(Item::Link { path: path(), at, name_from });
                }
            }
            EntryType::Special => {}
        }
    }

    fn is_last(&self, at: usize, name: &str) -> bool {
        at + 1 == self.parts.len() && self.parts[at].matches(name, self.options.dot)
    }

    fn is_last_after_stars(&self, at: usize, name: &str) -> bool {
        self.parts[at].is_stars()
            && at + 2 == self.parts.len()
            && !self.parts[at + 1].is_stars()
            && self.parts[at + 1].matches(name, self.options.dot)
    }

    fn go_on(&mut self, path: &Path, at: usize, name: &str, opened: Option<Rc<Opened>>) {
        let mut push = |at| self.stack.push(Item::Directory { path: path.to_owned(), at, opened: opened.clone() });
        match step(&self.parts, at, name, self.options.dot) {
            Some(Step::Same) => push(at),
            Some(Step::Next) => push(at + 1),
            Some(Step::Both) => {
                push(at + 2);
                push(at);
            }
            None => {}
        }
    }

    fn link(&mut self, path: PathBuf, at: usize, name_from: usize) {
        let text = path.to_string_lossy();
        let name = text.get(name_from..).unwrap_or_default().to_owned();
        match self.tree.target(&path) {
            Ok(EntryType::Dir) if self.tree.entries(&path).is_some() => {
                let opened = Opened { path: path.clone(), closed: Cell::new(false) };
                self.go_on(&path, at, &name, Some(Rc::new(opened)));
            }
            Ok(EntryType::File | EntryType::Special) | Err(Failure::NotDirectory) => {
                if at + 1 == self.parts.len() || self.is_last_after_stars(at, &name) {
                    self.add(path);
                }
            }
            Ok(EntryType::Dir | EntryType::Link) | Err(Failure::Missing | Failure::Other) => {}
        }
    }

    fn add(&mut self, file: PathBuf) {
        if self.seen.insert(file.clone()) {
            self.found.push(file);
        }
    }
}

fn step(parts: &[Part], at: usize, name: &str, dot: bool) -> Option<Step> {
    if !dot && name.starts_with('.') {
        return None;
    }
    let last = parts.len() - 1;
    if parts[at].is_stars() {
        let ends_stars = at < last && parts[at + 1].matches(name, dot);
        return Some(if ends_stars && at + 1 < last { Step::Both } else { Step::Same });
    }
    (at < last && parts[at].matches(name, dot)).then_some(Step::Next)
}
