//! Reproduces the walk of npm's `glob` 13 event by event, since the order of its results is the order of its events.
//!
//! Nothing is sorted. A listing is processed in reverse, since `path-scurry` puts each entry in front of those before
//! it. A name that was only looked up needs an `lstat` and so comes after the names of a listing; listings and `lstat`s
//! are answered in the order of the requests. Names are compared in compatibility-decomposed form, as in the original.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use icu_normalizer::DecomposingNormalizer;
use rpds::HashTrieMap;

use super::parts::Pattern;
use super::segment::Segment;
use super::{Budget, EntryType, Found, Npm, Tree};

/// Finds the files below `base`.
pub(super) fn walk(tree: &dyn Tree, base: &Path, patterns: Vec<Pattern>, options: Npm) -> Found {
    let mut numbers = Numbers::new();
    let views: Vec<_> = patterns.into_iter().map(|pattern| Rc::new(View::new(pattern, &mut numbers))).collect();
    let mut walk = Walk {
        tree,
        options,
        nodes: vec![Node::new("", 0, Some(EntryType::Dir))],
        events: VecDeque::new(),
        found: Vec::new(),
        last_parent: (0, String::new()),
        budget: Budget::default(),
    };
    let mut start = 0;
    for name in base.components().filter_map(|component| match component {
        std::path::Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    }) {
        start = walk.child(start, &name);
    }
    walk.nodes[start].kind = tree.kind(base);
    let whole =
        views.iter().map(|view| Rest { view: Rc::clone(view), at: 0, is_rooted: view.root.is_some() }).collect();
    walk.enter(start, whole, Walked::default());
    while let Some(event) = walk.events.pop_front() {
        match event {
            Event::Stat(node) => walk.stat(node),
            Event::List(node) => walk.list(node),
        }
    }
    walk.budget.found(walk.found)
}

/// A pattern, and for each segment whether a `**` there may still follow a link.
struct View {
    pattern: Pattern,
    follows: RefCell<Vec<bool>>,
    /// Number of the remaining pattern from each segment on, as written, by which patterns are compared.
    texts: Vec<usize>,
    /// Number of the whole pattern if it starts at `/`.
    root: Option<usize>,
}

/// Numbers by the first segment of a remaining pattern and the number of what follows.
type Numbers = HashMap<(String, usize), usize>;

impl View {
    fn new(pattern: Pattern, numbers: &mut Numbers) -> View {
        let mut number = |begin: &str, after: usize| {
            let next = numbers.len() + 1;
            *numbers.entry((begin.to_owned(), after)).or_insert(next)
        };
        let mut texts = vec![0];
        for glob in pattern.globs.iter().rev() {
            texts.push(number(glob, texts[texts.len() - 1]));
        }
        let root = pattern.absolute.then(|| number("/", texts[texts.len() - 1]));
        texts.reverse();
        View { root, follows: RefCell::new(vec![true; pattern.len()]), texts, pattern }
    }
}

/// The remainder of a pattern from one segment on.
#[derive(Clone)]
struct Rest {
    view: Rc<View>,
    at: usize,
    /// True if it still starts at `/`; after that, the same `**` continues in place.
    is_rooted: bool,
}

impl Rest {
    fn segment(&self) -> &Segment {
        self.view.pattern.segment(self.at).expect("a rest is not empty")
    }

    fn rest(&self) -> Option<Rest> {
        let rest = || Rest { view: Rc::clone(&self.view), at: self.at + 1, is_rooted: false };
        (self.at + 1 < self.view.pattern.len()).then(rest)
    }

    /// Returns the next segment if it is a fixed text.
    fn next_text(&self) -> Option<&str> {
        match self.view.pattern.segment(self.at + 1)? {
            Segment::Text(text) => Some(text),
            Segment::Stars | Segment::Magic(_) => None,
        }
    }

    /// Returns the number of the remainder as written.
    fn text(&self) -> usize {
        self.view.root.filter(|_| self.is_rooted).unwrap_or(self.view.texts[self.at])
    }

    /// Returns true if this `**` may follow a link. A leading `**` never does.
    fn may_follow(&self) -> bool {
        let leading = self.at == 0 && !self.view.pattern.absolute;
        !leading && matches!(self.segment(), Segment::Stars) && self.view.follows.borrow()[self.at]
    }

    fn mark_followed(&self) -> bool {
        let may = self.may_follow();
        if may {
            self.view.follows.borrow_mut()[self.at] = false;
        }
        may
    }
}

/// Patterns that were already processed at each node. As in the original, copies share the sets that they have in
/// common: additions to such a set are visible in all copies.
type Walked = HashTrieMap<usize, Rc<RefCell<HashSet<usize>>>>;

fn was_walked(walked: &Walked, node: usize, pattern: &Rest) -> bool {
    walked.get(&node).is_some_and(|texts| texts.borrow().contains(&pattern.text()))
}

fn store_walked(walked: &mut Walked, node: usize, pattern: &Rest) {
    match walked.get(&node) {
        Some(texts) => {
            texts.borrow_mut().insert(pattern.text());
        }
        None => walked.insert_mut(node, Rc::new(RefCell::new(HashSet::from([pattern.text()])))),
    }
}

/// A path that the walk has met.
struct Node {
    name: Rc<str>,
    key: Rc<str>,
    parent: usize,
    /// Type of the entry; not known before an `lstat` or the listing of its directory.
    kind: Option<EntryType>,
    absent: bool,
    /// True if it is among the results.
    is_found: bool,
    /// Data about a directory.
    dir: Option<Box<Directory>>,
}

#[derive(Default)]
struct Directory {
    children: VecDeque<usize>,
    /// Number of children from the listing; the others were only looked up.
    from_listing: usize,
    listed: bool,
    waiting: Vec<Waiting>,
    /// First child of each key, once one was looked up.
    by_key: Option<HashMap<Rc<str>, usize>>,
}

impl Node {
    fn new(name: &str, parent: usize, kind: Option<EntryType>) -> Node {
        let name: Rc<str> = Rc::from(name);
        let key = if name.is_ascii() { Rc::clone(&name) } else { decomposed(&name).into() };
        Node { name, key, parent, kind, absent: false, is_found: false, dir: None }
    }
}

fn decomposed(name: &str) -> Cow<'_, str> {
    if name.is_ascii() { Cow::Borrowed(name) } else { DecomposingNormalizer::new_nfkd().normalize(name) }
}

struct Waiting {
    patterns: Vec<Rest>,
    walked: Walked,
}

enum Event {
    Stat(usize),
    List(usize),
}

/// The result of one step: matches, each with whether it must be a directory, and where to continue.
#[derive(Default)]
struct Step {
    matches: Vec<(usize, bool)>,
    match_at: HashMap<usize, usize>,
    subwalks: Vec<(usize, Vec<Rest>)>,
    subwalk_at: HashMap<usize, usize>,
}

impl Step {
    fn add_match(&mut self, node: usize, only_dir: bool) {
        match self.match_at.get(&node) {
            Some(at) => self.matches[*at].1 &= only_dir,
            None => {
                self.match_at.insert(node, self.matches.len());
                self.matches.push((node, only_dir));
            }
        }
    }
}

struct Walk<'a> {
    tree: &'a dyn Tree,
    options: Npm,
    nodes: Vec<Node>,
    events: VecDeque<Event>,
    found: Vec<PathBuf>,
    /// The directory whose entry's path was asked for last, and its own path as text.
    last_parent: (usize, String),
    budget: Budget,
}

impl Walk<'_> {
    fn path(&mut self, node: usize) -> PathBuf {
        let parent = self.nodes[node].parent;
        // The entries of a directory come one after the other.
        if self.last_parent.0 != parent {
            self.last_parent = (parent, self.text(parent));
        }
        PathBuf::from(format!("{}/{}", self.last_parent.1, self.nodes[node].name))
    }

    /// Returns the path of a directory as text; that of `/` is empty. A pattern may name tens of thousands of
    /// directories, one below the other, so this does not call itself.
    fn text(&self, mut dir: usize) -> String {
        let mut names = Vec::new();
        while dir != 0 {
            names.push(&*self.nodes[dir].name);
            dir = self.nodes[dir].parent;
        }
        names.push("");
        names.reverse();
        names.join("/")
    }

    fn child(&mut self, node: usize, name: &str) -> usize {
        match name {
            "" | "." => return node,
            ".." => return self.nodes[node].parent,
            _ => {}
        }
        let key: Rc<str> = decomposed(name).into();
        if let Some(known) = self.by_key(node).get(&key) {
            return *known;
        }
        let mut child = Node::new(name, node, None);
        child.absent = !self.may_list(node);
        self.nodes.push(child);
        let child = self.nodes.len() - 1;
        self.by_key(node).insert(key, child);
        self.dir(node).children.push_back(child);
        child
    }

    fn dir(&mut self, node: usize) -> &mut Directory {
        self.nodes[node].dir.get_or_insert_default()
    }

    /// Returns the children of a node by key, on demand since few nodes need them.
    fn by_key(&mut self, node: usize) -> &mut HashMap<Rc<str>, usize> {
        if self.dir(node).by_key.is_none() {
            let children = self.dir(node).children.iter().rev().copied().collect::<Vec<_>>();
            let keys = children.into_iter().map(|child| (self.nodes[child].key.clone(), child)).collect();
            self.dir(node).by_key = Some(keys);
        }
        self.dir(node).by_key.get_or_insert_default()
    }

    fn may_list(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        !node.absent && matches!(node.kind, None | Some(EntryType::Dir | EntryType::Link))
    }

    fn add_subwalk(&self, step: &mut Step, node: usize, pattern: Rest) {
        if !self.may_list(node) {
            return;
        }
        match step.subwalk_at.get(&node) {
            Some(at) => {
                let patterns = &mut step.subwalks[*at].1;
                if !patterns.iter().any(|known| known.text() == pattern.text()) {
                    patterns.push(pattern);
                }
            }
            None => {
                step.subwalk_at.insert(node, step.subwalks.len());
                step.subwalks.push((node, vec![pattern]));
            }
        }
    }

    /// Processes patterns at a node, unless the depth limit is reached: patterns with `**` and `..` lead up and down
    /// between known directories.
    fn enter(&mut self, target: usize, patterns: Vec<Rest>, walked: Walked) {
        if self.budget.goes_deeper() {
            self.take_up(target, patterns, walked);
        }
        self.budget.comes_back();
    }

    /// Follows fixed names, and lists directories where something must be matched.
    fn take_up(&mut self, target: usize, patterns: Vec<Rest>, mut walked: Walked) {
        let mut step = Step::default();
        for pattern in patterns {
            self.advance(target, pattern, &mut walked, &mut step);
        }
        self.report(&step);
        for (node, patterns) in step.subwalks {
            let waiting = Waiting { patterns, walked: walked.clone() };
            if !self.may_list(node) {
                continue;
            }
            let dir = self.dir(node);
            if dir.listed {
                self.go_on(node, waiting);
                continue;
            }
            dir.waiting.push(waiting);
            if dir.waiting.len() == 1 {
                self.events.push_back(Event::List(node));
            }
        }
    }

    fn advance(&mut self, target: usize, mut pattern: Rest, walked: &mut Walked, step: &mut Step) {
        store_walked(walked, target, &pattern);
        let mut here = target;
        if std::mem::take(&mut pattern.is_rooted) {
            here = 0;
            if pattern.view.pattern.len() == 0 {
                step.add_match(here, false);
                return;
            }
        }
        if self.nodes[here].absent {
            return;
        }
        let mut moved = false;
        while let (Segment::Text(name), Some(rest)) = (pattern.segment(), pattern.rest()) {
            here = self.child(here, name);
            pattern = rest;
            moved = true;
        }
        if moved {
            if was_walked(walked, here, &pattern) {
                return;
            }
            store_walked(walked, here, &pattern);
        }
        match pattern.segment() {
            Segment::Text(name) => {
                let only_dir = matches!(name.as_str(), ".." | "" | ".");
                let found = self.child(here, name);
                step.add_match(found, only_dir);
            }
            Segment::Stars => {
                if self.nodes[here].kind != Some(EntryType::Link) || self.options.follow || pattern.may_follow() {
                    self.add_subwalk(step, here, pattern.clone());
                }
                let Some(rest) = pattern.rest() else {
                    step.add_match(here, false);
                    return;
                };
                match (pattern.next_text(), rest.rest()) {
                    (Some("" | "."), None) => step.add_match(here, true),
                    (Some(".."), None) => step.add_match(self.nodes[here].parent, true),
                    (Some(".."), Some(after)) => {
                        let parent = self.nodes[here].parent;
                        if !was_walked(walked, parent, &after) {
                            self.add_subwalk(step, parent, after);
                        }
                    }
                    _ => {}
                }
            }
            Segment::Magic(_) => self.add_subwalk(step, here, pattern.clone()),
        }
    }

    /// Continues below a directory whose entries are known.
    fn go_on(&mut self, node: usize, waiting: Waiting) {
        let dir = self.dir(node);
        let entries: Vec<usize> = dir.children.range(..dir.from_listing).copied().collect();
        if !self.budget.allows_tests(entries.len() * waiting.patterns.len()) {
            return;
        }
        let mut step = Step::default();
        for entry in entries {
            for pattern in &waiting.patterns {
                match pattern.segment() {
                    Segment::Stars => self.test_stars(entry, pattern, &mut step),
                    Segment::Text(_) | Segment::Magic(_) => self.test(entry, pattern, &mut step),
                }
            }
        }
        self.report(&step);
        for (node, patterns) in step.subwalks {
            if self.may_list(node) {
                self.enter(node, patterns, waiting.walked.clone());
            }
        }
    }

    fn test(&self, entry: usize, pattern: &Rest, step: &mut Step) {
        let hit = match pattern.segment() {
            Segment::Text(name) => *self.nodes[entry].key == *decomposed(name),
            Segment::Magic(magic) => magic.matches(&self.nodes[entry].name),
            Segment::Stars => false,
        };
        match (hit, pattern.rest()) {
            (false, _) => {}
            (true, None) => step.add_match(entry, false),
            (true, Some(rest)) => self.add_subwalk(step, entry, rest),
        }
    }

    fn test_stars(&self, entry: usize, pattern: &Rest, step: &mut Step) {
        let rest = pattern.rest();
        if self.options.dot || !self.nodes[entry].name.starts_with('.') {
            if rest.is_none() {
                step.add_match(entry, false);
            }
            if self.may_list(entry) {
                if self.options.follow || self.nodes[entry].kind != Some(EntryType::Link) {
                    self.add_subwalk(step, entry, pattern.clone());
                } else if let Some(rest) = rest.clone().filter(|_| pattern.may_follow()) {
                    self.add_subwalk(step, entry, rest);
                } else if pattern.mark_followed() {
                    self.add_subwalk(step, entry, pattern.clone());
                }
            }
        }
        let Some(rest) = rest else { return };
        match pattern.next_text() {
            Some("" | ".") => {}
            Some("..") => self.add_subwalk(step, self.nodes[entry].parent, rest),
            Some(_) | None => self.test(entry, &rest, step),
        }
    }

    /// Emits nodes that are known to be files, and requests an `lstat` for those that were only looked up.
    fn report(&mut self, step: &Step) {
        for &(node, only_dir) in &step.matches {
            if only_dir || self.nodes[node].is_found {
                continue;
            }
            match self.nodes[node].kind {
                Some(_) => self.emit(node),
                None if self.nodes[node].absent => {}
                None => self.events.push_back(Event::Stat(node)),
            }
        }
    }

    fn emit(&mut self, node: usize) {
        if self.nodes[node].kind != Some(EntryType::Dir) && !std::mem::replace(&mut self.nodes[node].is_found, true) {
            let path = self.path(node);
            self.found.push(path);
        }
    }

    fn stat(&mut self, node: usize) {
        if self.nodes[node].absent {
            return;
        }
        let path = self.path(node);
        match self.tree.kind(&path) {
            Some(kind) => {
                self.nodes[node].kind = Some(kind);
                self.emit(node);
            }
            None => self.nodes[node].absent = true,
        }
    }

    fn list(&mut self, node: usize) {
        let path = self.path(node);
        if !self.budget.allows(&path) {
            return;
        }
        let entries = self.tree.entries(&path);
        if !self.budget.allows_entries(entries.as_ref().map_or(0, Vec::len)) {
            return;
        }
        match entries {
            None => self.dir(node).from_listing = 0,
            Some(entries) => {
                for (name, kind) in &entries {
                    self.add_listed(node, name, *kind);
                }
                let dir = self.dir(node);
                dir.listed = true;
                for child in dir.children.range(dir.from_listing..).copied().collect::<Vec<_>>() {
                    self.nodes[child].absent = true;
                    self.nodes[child].kind = None;
                }
            }
        }
        for waiting in std::mem::take(&mut self.dir(node).waiting) {
            self.go_on(node, waiting);
        }
    }

    /// Adds an entry of a listing: one that was looked up before moves to the listed ones, a new one goes to the front.
    fn add_listed(&mut self, node: usize, name: &str, kind: EntryType) {
        let dir = self.dir(node);
        let from_listing = dir.from_listing;
        dir.from_listing += 1;
        let looked_up = dir.by_key.as_ref().and_then(|by_key| by_key.get(&*decomposed(name)).copied());
        let place = |child: usize| dir.children.range(from_listing..).position(|at| *at == child);
        if let Some((child, place)) = looked_up.and_then(|child| Some((child, place(child)?))) {
            if place > 0 {
                dir.children.remove(from_listing + place);
                dir.children.push_front(child);
            }
            self.nodes[child].kind = Some(kind);
            self.nodes[child].name = name.into();
            return;
        }
        self.nodes.push(Node::new(name, node, Some(kind)));
        let (child, key) = (self.nodes.len() - 1, self.nodes[self.nodes.len() - 1].key.clone());
        let dir = self.dir(node);
        dir.children.push_front(child);
        if let Some(by_key) = &mut dir.by_key {
            by_key.insert(key, child);
        }
    }
}
