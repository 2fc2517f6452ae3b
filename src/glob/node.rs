//! Reproduces the walk of Node's `fs.glob`: its results and their order.
//!
//! Node walks with a stack of directories, each with the positions in the pattern that continue there, and remembers
//! what it has tried. Links are entered where the pattern names them, not below `**` or through a wildcard.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::parts::Pattern;
use super::segment::Segment;
use super::{Budget, EntryType, Found, Tree};

/// Returns what `patterns` match below `base`, as absolute paths.
pub(super) fn walk(tree: &dyn Tree, base: &Path, patterns: &[Pattern]) -> Found {
    let mut walk = Walk {
        tree,
        patterns,
        seen: HashMap::new(),
        found: Vec::new(),
        found_before: HashSet::new(),
        next: Vec::new(),
        budget: Budget::default(),
    };
    let start = |pattern| Task { pattern, places: vec![0], linked: Vec::new() };
    let mut stack = vec![(Place::new(base), (0..patterns.len()).map(start).collect::<Vec<_>>())];
    while let Some((place, tasks)) = stack.pop() {
        for task in tasks {
            walk.follow(&place, task);
        }
        stack.append(&mut walk.next);
    }
    walk.budget.found(walk.found)
}

/// The current position of the walk.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    path: PathBuf,
    /// True for the start of the walk, which `**` does not match.
    start: bool,
}

impl Place {
    fn new(base: &Path) -> Place {
        Place { path: base.to_owned(), start: true }
    }

    fn entry(&self, name: &str) -> Place {
        // One name at a time, so only `.` and `..` need to be removed.
        let path = match name {
            "." => self.path.clone(),
            ".." => self.path.parent().unwrap_or(&self.path).to_owned(),
            name => self.path.join(name),
        };
        Place { path, start: false }
    }
}

/// A pattern with the positions in it that may continue.
struct Task {
    pattern: usize,
    places: Vec<usize>,
    /// Positions that were reached through a link, from which `**` does not continue.
    linked: Vec<usize>,
}

struct Walk<'a> {
    tree: &'a dyn Tree,
    patterns: &'a [Pattern],
    /// Remainders of patterns that were tried, by directory.
    seen: HashMap<PathBuf, HashSet<String>>,
    found: Vec<PathBuf>,
    found_before: HashSet<PathBuf>,
    next: Vec<(Place, Vec<Task>)>,
    budget: Budget,
}

impl Walk<'_> {
    fn follow(&mut self, place: &Place, task: Task) {
        let pattern = &self.patterns[task.pattern];
        if pattern.absolute && place.start {
            let root = Place { path: PathBuf::from("/"), start: false };
            self.later(root, task);
            return;
        }
        if self.tried(&place.path, &task) {
            return;
        }
        let kind = self.tree.kind(&place.path);
        let is_directory = match kind {
            Some(EntryType::Dir) => true,
            Some(EntryType::Link) => task.places.iter().any(|at| !task.linked.contains(at)),
            _ => false,
        };
        let Some(last) = pattern.len().checked_sub(1) else { return };
        let begins_with = |text: &str| is_text(pattern.segment(0), text);
        if task.places.contains(&0) {
            let goes_to = if begins_with("..") {
                Some(place.entry(".."))
            } else if begins_with(".") {
                Some(place.clone())
            } else {
                None
            };
            if let Some(place) = goes_to {
                self.later(place, Task { pattern: task.pattern, places: vec![1], linked: Vec::new() });
                return;
            }
        }
        let ends_in_slash = is_text(pattern.segment(last), "")
            && is_directory
            && last > 0
            && task.places.contains(&(last - 1))
            && matches!(pattern.segment(last - 1), Some(Segment::Stars));
        let is_last = task.places.contains(&last) || ends_in_slash;
        match pattern.segment(last) {
            Some(Segment::Text(name)) if is_last => {
                let entry = place.entry(name);
                if self.tree.kind(&entry.path).is_some() && (!name.is_empty() || is_directory) {
                    self.find(entry.path);
                }
                if task.places == [last] {
                    return;
                }
            }
            Some(Segment::Stars) if is_last && (!place.start || begins_with(".") || (last == 0 && kind.is_some())) => {
                self.find(place.path.clone());
            }
            _ => {}
        }
        if is_directory {
            self.enter(place, &task, last, is_last);
        }
    }

    fn enter(&mut self, place: &Place, task: &Task, last: usize, is_last: bool) {
        let pattern = &self.patterns[task.pattern];
        let only = match task.places.as_slice() {
            [only] => pattern.segment(*only),
            _ => None,
        };
        let entries = match only {
            Some(Segment::Text(name)) => match self.tree.kind(&place.entry(name).path) {
                Some(kind) => vec![(name.clone(), kind)],
                None => return,
            },
            _ => {
                if !self.budget.allows(&place.path) {
                    return;
                }
                let mut entries = self.tree.entries(&place.path).unwrap_or_default();
                // libuv sorts its listings by bytes.
                entries.sort_by(|one, other| one.0.as_bytes().cmp(other.0.as_bytes()));
                entries
            }
        };
        for (name, kind) in entries {
            self.entry(place, task, (&name, kind), last, is_last);
        }
    }

    /// Tests one entry of a directory against every position of the pattern. This is long because Node's function is:
    /// the results and their order follow from these steps in this order.
    fn entry(&mut self, place: &Place, task: &Task, (name, kind): (&str, EntryType), last: usize, is_last: bool) {
        let pattern = &self.patterns[task.pattern];
        let tests = |at: usize| match pattern.segment(at) {
            Some(Segment::Stars) => true,
            Some(Segment::Text(text)) => text == name,
            Some(Segment::Magic(magic)) => magic.matches(name),
            None => false,
        };
        let entry = place.entry(name);
        let (is_directory, is_link) = (kind == EntryType::Dir, kind == EntryType::Link);
        let begins_with_dot = is_text(pattern.segment(0), ".");
        let mut onward = Task { pattern: task.pattern, places: Vec::new(), linked: Vec::new() };
        let go_on = |places: &mut Vec<usize>, at: usize| {
            if !places.contains(&at) {
                places.push(at);
            }
        };
        for &at in &task.places {
            let from_link = task.linked.contains(&at);
            match pattern.segment(at) {
                Some(Segment::Stars) => {
                    let after_stars = (at + 1..).find(|next| !matches!(pattern.segment(*next), Some(Segment::Stars)));
                    if name.starts_with('.') && !after_stars.is_some_and(tests) {
                        continue;
                    }
                    let next_matches = tests(at + 1);
                    if !from_link && is_directory {
                        go_on(&mut onward.places, at);
                    } else if !from_link && at == last {
                        self.find(entry.path.clone());
                    }
                    if next_matches && at + 1 == last && !is_last {
                        self.find(entry.path.clone());
                    } else if next_matches && is_directory {
                        go_on(&mut onward.places, at + 2);
                    }
                    if (next_matches || begins_with_dot) && (is_directory || is_link) && !from_link {
                        go_on(&mut onward.places, at + 1);
                    }
                    if is_link {
                        onward.linked.push(at);
                    }
                    if is_text(pattern.segment(at + 1), "..") && is_directory {
                        self.up(place, task.pattern, at + 1, last);
                    }
                }
                Some(Segment::Text(text)) => {
                    if text == name && at != last {
                        go_on(&mut onward.places, at + 1);
                    } else if text == "." && tests(at + 1) {
                        if at + 1 == last {
                            self.find(entry.path.clone());
                        } else {
                            go_on(&mut onward.places, at + 2);
                        }
                    }
                }
                Some(Segment::Magic(magic)) if magic.matches(name) => {
                    if at == last {
                        self.find(entry.path.clone());
                    } else if is_directory {
                        go_on(&mut onward.places, at + 1);
                    }
                }
                Some(Segment::Magic(_)) | None => {}
            }
        }
        if !onward.places.is_empty() {
            self.later(entry, onward);
        }
    }

    /// Handles `**/..`: the directory and its parent continue after the `..`.
    fn up(&mut self, place: &Place, pattern: usize, at: usize, last: usize) {
        let above = place.entry("..");
        for place in [place.clone(), above] {
            let waits = self.next.iter().any(|(other, _)| *other == place);
            if at < last {
                if !waits && !self.was_tried(&place.path, pattern, at + 1) {
                    self.next.push((place, vec![Task { pattern, places: vec![at + 1], linked: Vec::new() }]));
                }
            } else if !self.was_tried(&place.path, pattern, at) {
                self.tried(&place.path, &Task { pattern, places: vec![at], linked: Vec::new() });
                self.find(place.path);
            }
        }
    }

    fn later(&mut self, place: Place, task: Task) {
        match self.next.iter_mut().find(|(other, _)| *other == place) {
            Some((_, tasks)) => tasks.push(task),
            None => self.next.push((place, vec![task])),
        }
    }

    fn find(&mut self, path: PathBuf) {
        if self.found_before.insert(path.clone()) {
            self.found.push(path);
        }
    }

    /// Returns the remainder of a pattern, by which Node compares tries.
    fn rest(&self, pattern: usize, at: usize) -> String {
        self.patterns[pattern].globs.get(at..).unwrap_or_default().join("/")
    }

    fn was_tried(&self, path: &Path, pattern: usize, at: usize) -> bool {
        self.seen.get(path).is_some_and(|seen| seen.contains(&self.rest(pattern, at)))
    }

    /// Records a try. Returns true if any part of it was tried before.
    fn tried(&mut self, path: &Path, task: &Task) -> bool {
        let rests: Vec<String> = task.places.iter().map(|at| self.rest(task.pattern, *at)).collect();
        let seen = self.seen.entry(path.to_owned()).or_default();
        let mut again = false;
        for rest in rests {
            again |= !seen.insert(rest);
        }
        again
    }
}

fn is_text(segment: Option<&Segment>, text: &str) -> bool {
    matches!(segment, Some(Segment::Text(found)) if found == text)
}
