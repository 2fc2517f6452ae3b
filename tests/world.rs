//! Case files, and the virtual disk that a case describes. `tests/README.md` has the format.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use briefing::disk::{self, FILE_CAP_BYTES, Filesystem};
use briefing::snapshot::{Ask, Content, Entry, Errno, Fact, Facts, FileType, Meta, Remote, Unreadable};

/// A case file, taken apart.
pub struct Case {
    pub intro: String,
    pub sections: Vec<Section>,
}

pub struct Section {
    pub header: String,
    pub body: String,
}

impl Section {
    /// `@text codex from /r` → (`@text`, `codex from /r`).
    pub fn words(&self) -> (&str, &str) {
        self.header.split_once(' ').unwrap_or((&self.header, ""))
    }
}

impl Case {
    pub fn parse(text: &str) -> Case {
        let mut case = Case { intro: String::new(), sections: Vec::new() };
        for line in text.split_inclusive('\n') {
            let header = line.trim_end_matches('\n').strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --"));
            match (header, case.sections.last_mut()) {
                (Some(header), _) => case.sections.push(Section { header: header.to_owned(), body: String::new() }),
                (None, Some(section)) => section
                    .body
                    .push_str(line.strip_prefix('\\').filter(|rest| rest.starts_with("-- ")).unwrap_or(line)),
                (None, None) => case.intro.push_str(line),
            }
        }
        case
    }

    pub fn format(&self) -> String {
        let mut out = self.intro.clone();
        for section in &self.sections {
            out.push_str(&format!("-- {} --\n", section.header));
            for line in section.body.split_inclusive('\n') {
                out.push_str(if line.starts_with("-- ") { "\\" } else { "" });
                out.push_str(line);
            }
        }
        out
    }

    /// The arguments of every section that begins with `word`.
    pub fn all<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.sections
            .iter()
            .filter(move |section| section.words().0 == word)
            .map(|section| (section.words().1, section.body.as_str()))
    }

    pub fn home(&self) -> PathBuf {
        PathBuf::from(self.all("@home").next().map_or("/h", |(home, _)| home))
    }

    pub fn env(&self) -> BTreeMap<String, String> {
        self.all("@env")
            .map(|(pair, _)| pair.split_once('=').expect("@env K=V"))
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect()
    }
}

/// A tree that knows everything about itself.
#[derive(Clone)]
pub struct World {
    nodes: Vec<Node>,
    /// The nodes that others than root may write to.
    open: HashSet<usize>,
    /// The directories whose entries cannot be reached, and those whose entries cannot be listed.
    shut: HashSet<usize>,
    hidden: HashSet<usize>,
    /// The directories whose entries cannot all be listed, reached and made.
    sealed: HashSet<usize>,
    /// What URLs serve.
    served: BTreeMap<String, Remote>,
    letters: Letters,
}

/// Whether `agents.md` is `AGENTS.md`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    /// As on Linux.
    Distinct,
    /// As on macOS and Windows: an entry keeps the letters it was made with, and is found by any.
    Alike,
}

/// What a directory holds, in the order of the disk; cases have ten thousand files in one.
#[derive(Clone, Default)]
struct Entries {
    list: Vec<(OsString, usize)>,
    by_name: HashMap<OsString, usize>,
}

impl Entries {
    fn push(&mut self, name: OsString, node: usize) {
        self.by_name.insert(name.clone(), node);
        self.list.push((name, node));
    }

    fn take(&mut self, name: &OsStr) -> Option<usize> {
        self.by_name.remove(name)?;
        let at = self.list.iter().position(|(entry, _)| entry == name)?;
        Some(self.list.remove(at).1)
    }
}

#[derive(Clone)]
enum Node {
    File { bytes: Content, links: u64 },
    Sparse(u64),
    Dir(Entries),
    Link(PathBuf),
    Special(FileType),
    Failing(Errno),
}

impl World {
    pub fn empty() -> World {
        World {
            nodes: vec![Node::Dir(Entries::default())],
            open: HashSet::new(),
            shut: HashSet::new(),
            hidden: HashSet::new(),
            sealed: HashSet::new(),
            served: BTreeMap::new(),
            letters: Letters::Distinct,
        }
    }

    /// The disk that the file sections of a case describe. Home and the usual directories exist.
    pub fn of(case: &Case) -> World {
        let mut world = World::empty();
        let (mut hard_links, mut modes) = (Vec::new(), Vec::new());
        for section in case.sections.iter().filter(|section| !section.header.starts_with('@')) {
            if let Some((path, target)) = section.header.split_once(" -> ") {
                world.put(Path::new(path), Node::Link(PathBuf::from(target)));
                continue;
            }
            let (path, kind) = section.header.split_once(" | ").unwrap_or((&section.header, ""));
            let (path, times) =
                path.split_once(" * ").map_or((path, 1), |(path, times)| (path, times.parse().expect("PATH * N")));
            let (word, argument) = kind.split_once(' ').unwrap_or((kind, ""));
            let at = Path::new(path);
            match word {
                // Without the right to read it: what its owner may do is what the client may.
                "mode" if !path.ends_with('/') && !argument.ends_with(|digit| ('4'..='7').contains(&digit)) => {
                    world.put(at, Node::Failing(Errno::ACCES));
                }
                "mode" => {
                    match path.ends_with('/') {
                        true => world.directory(at),
                        false => world.file(at, section.body.repeat(times).into_bytes()),
                    }
                    let mode = u32::from_str_radix(argument, 8).expect("PATH | mode OCTAL");
                    world.open.extend(world.index(at, true).ok().filter(|_| mode & 0o022 != 0));
                    modes
                        .extend(world.index(at, true).ok().filter(|_| path.ends_with('/')).map(|dir| (dir, mode >> 6)));
                }
                _ if path.ends_with('/') => {
                    world.directory(at);
                    if word == "git" {
                        world.git(at);
                    }
                }
                "" => world.file(at, section.body.repeat(times).into_bytes()),
                "raw" => world.file(at, unescape(section.body.strip_suffix('\n').unwrap_or(&section.body))),
                "base64" => world.file(at, base64(&section.body)),
                "fifo" => world.put(at, Node::Special(FileType::Fifo)),
                "device" => world.put(at, Node::Special(FileType::Device)),
                "sparse" => world.put(at, Node::Sparse(argument.parse().expect("PATH | sparse N"))),
                "errno" => world.put(at, Node::Failing(Errno::named(argument).expect("an errno the table has"))),
                "hardlink" => {
                    world.file(at, Vec::new());
                    hard_links.push((at.to_owned(), PathBuf::from(argument)));
                }
                other => panic!("{path}: no such kind of file: {other}"),
            }
        }
        for (path, other) in hard_links {
            world.hard_link(&path, &other);
        }
        world.shut.extend(modes.iter().filter(|(_, mode)| mode & 1 == 0).map(|(dir, _)| *dir));
        world.hidden.extend(modes.iter().filter(|(_, mode)| mode & 4 == 0).map(|(dir, _)| *dir));
        world.sealed.extend(modes.iter().filter(|(_, mode)| mode & 7 != 7).map(|(dir, _)| *dir));
        world.served.extend(case.all("@serves").map(served));
        for usual in [case.home().as_path(), Path::new("/tmp"), Path::new("/etc")] {
            if world.lstat(usual).is_err() {
                world.directory(usual);
            }
        }
        if let Ok(temporary) = world.index(Path::new("/tmp"), true) {
            world.open.insert(temporary);
        }
        world
    }

    pub fn file(&mut self, path: &Path, bytes: Vec<u8>) {
        self.put(path, Node::File { bytes: bytes.into(), links: 1 });
    }

    pub fn directory(&mut self, path: &Path) {
        let mut at = 0;
        for component in path.components() {
            let Component::Normal(name) = component else { continue };
            at = match self.child(at, name) {
                Some(child) => child,
                None => self.add(at, name.to_owned(), Node::Dir(Entries::default())),
            };
        }
    }

    /// Writes a file, through whatever link or file is there; nothing happens where a directory is in the way.
    pub fn write(&mut self, path: &Path, bytes: Vec<u8>) {
        if self.stat(path).is_ok_and(|meta| meta.kind == FileType::Dir) {
            return;
        }
        if self.lstat(path).is_ok() {
            self.remove(path);
        }
        self.file(path, bytes);
    }

    /// Makes a link in place of whatever is there.
    pub fn link(&mut self, path: &Path, target: &Path) {
        if self.lstat(path).is_ok() {
            self.remove(path);
        }
        self.put(path, Node::Link(target.to_owned()));
    }

    /// Makes a directory unless something other than directories is in the way.
    pub fn make_directory(&mut self, path: &Path) -> bool {
        let free = path.ancestors().all(|above| {
            self.lstat(above).is_ok_and(|meta| meta.kind == FileType::Dir) || self.lstat(above) == Err(Errno::NOENT)
        });
        if free {
            self.directory(path);
        }
        free
    }

    /// The same tree on a disk of macOS or Windows.
    pub fn ignoring_letter_case(mut self) -> World {
        self.letters = Letters::Alike;
        self
    }

    /// Lays the tree out below `root` on the real disk; absolute links are led there too.
    pub fn unpack(&self, root: &Path) {
        let mut made: BTreeMap<usize, PathBuf> = BTreeMap::new();
        let mut todo = vec![(0, root.to_owned())];
        while let Some((index, path)) = todo.pop() {
            if let (Node::File { .. }, Some(other)) = (&self.nodes[index], made.get(&index)) {
                std::fs::hard_link(other, &path).expect("a hard link");
                continue;
            }
            match &self.nodes[index] {
                Node::Dir(entries) => {
                    std::fs::create_dir_all(&path).expect("a directory");
                    todo.extend(entries.list.iter().map(|(name, child)| (*child, path.join(name))));
                }
                Node::File { bytes, .. } => std::fs::write(&path, &**bytes).expect("a file"),
                Node::Link(target) => {
                    let target = target.strip_prefix("/").map_or_else(|_| target.clone(), |inside| root.join(inside));
                    link(&target, &path);
                }
                Node::Special(FileType::Fifo) => {
                    assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo runs").success());
                }
                Node::Sparse(_) | Node::Special(_) | Node::Failing(_) => panic!("{path:?} cannot be laid out"),
            }
            made.insert(index, path);
        }
    }

    /// Writes the bytes of a file that is there by its own name; whether one is.
    pub fn overwrite(&mut self, path: &Path, text: Vec<u8>) -> bool {
        let Ok(index) = self.index(path, false) else { return false };
        let Node::File { bytes, .. } = &mut self.nodes[index] else { return false };
        *bytes = text.into();
        true
    }

    /// Moves an entry, with all that is below it, to a place that is free in a directory that is there, and not below
    /// it.
    pub fn rename(&mut self, from: &Path, to: &Path) {
        let moved = self.take(from);
        let parent = self.index(to.parent().expect("not the root"), true).expect("the directory exists");
        let Node::Dir(entries) = &mut self.nodes[parent] else { panic!("{to:?}: not in a directory") };
        entries.push(to.file_name().expect("a name").to_owned(), moved);
    }

    /// Takes the entry away.
    pub fn remove(&mut self, path: &Path) {
        let mut gone = vec![self.take(path)];
        while let Some(index) = gone.pop() {
            match &mut self.nodes[index] {
                Node::Dir(entries) => gone.extend(std::mem::take(entries).list.into_iter().map(|(_, child)| child)),
                // Another name may be left.
                Node::File { links, .. } if *links > 1 => {}
                Node::File { bytes, .. } => *bytes = Content::default(),
                _ => {}
            }
        }
    }

    /// Takes an entry out of its directory.
    fn take(&mut self, path: &Path) -> usize {
        let parent = self.index(path.parent().expect("not the root"), true).expect("the directory exists");
        let name = path.file_name().expect("a name");
        let Node::Dir(entries) = &mut self.nodes[parent] else { panic!("{path:?}: not in a directory") };
        entries.take(name).expect("the entry exists")
    }

    fn put(&mut self, path: &Path, node: Node) {
        let parent = path.parent().expect("not the root");
        self.directory(parent);
        let parent = self.index(parent, true).unwrap_or_else(|error| panic!("{path:?}: {error:?}"));
        let name = path.file_name().expect("a name").to_owned();
        match self.child(parent, &name) {
            Some(existing) => self.nodes[existing] = node,
            None => {
                self.add(parent, name, node);
            }
        }
    }

    fn hard_link(&mut self, path: &Path, other: &Path) {
        let (here, there) =
            (self.index(path, false).expect("made before"), self.index(other, false).expect("the other name exists"));
        if let Node::File { links, .. } = &mut self.nodes[there] {
            *links += 1;
        }
        for node in &mut self.nodes {
            let Node::Dir(entries) = node else { continue };
            let both = entries.list.iter_mut().map(|(_, index)| index).chain(entries.by_name.values_mut());
            both.filter(|index| **index == here).for_each(|index| *index = there);
        }
    }

    /// What `git init` makes.
    pub fn git(&mut self, path: &Path) {
        let git = path.join(".git");
        let config =
            b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";
        for (name, text) in [("HEAD", &b"ref: refs/heads/master\n"[..]), ("config", config)] {
            // What the case itself puts there stays.
            if self.lstat(&git.join(name)).is_err() {
                self.file(&git.join(name), text.to_vec());
            }
        }
        for dir in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
            self.directory(&git.join(dir));
        }
    }

    fn add(&mut self, parent: usize, name: OsString, node: Node) -> usize {
        self.nodes.push(node);
        let index = self.nodes.len() - 1;
        let Node::Dir(entries) = &mut self.nodes[parent] else { panic!("{name:?}: its parent is no directory") };
        entries.push(name, index);
        index
    }

    fn child(&self, dir: usize, name: &OsStr) -> Option<usize> {
        self.entry(dir, name).map(|(_, child)| child)
    }

    /// An entry by the name that it was made with.
    fn entry(&self, dir: usize, name: &OsStr) -> Option<(OsString, usize)> {
        let Node::Dir(entries) = &self.nodes[dir] else { return None };
        let exact = entries.by_name.get(name).map(|&child| (name.to_owned(), child));
        let alike = || entries.list.iter().find(|(entry, _)| entry.eq_ignore_ascii_case(name)).cloned();
        exact.or_else(|| if self.letters == Letters::Alike { alike() } else { None })
    }

    fn index(&self, path: &Path, follow: bool) -> Result<usize, Errno> {
        self.walk(path, follow).map(|(index, _)| index)
    }

    /// Resolves a path as Linux does: the node, and its path without links.
    fn walk(&self, path: &Path, follow: bool) -> Result<(usize, PathBuf), Errno> {
        let raw = path.as_os_str().as_encoded_bytes();
        if raw.contains(&0) {
            return Err(Errno::INVAL);
        }
        if raw.is_empty() {
            return Err(Errno::NOENT);
        }
        let mut links = 0;
        let mut trail = vec![(0, PathBuf::from("/"))];
        let mut todo: Vec<OsString> = split(path);
        while let Some(name) = todo.pop() {
            let (at, here) = trail.last().expect("never empty").clone();
            if !matches!(self.nodes[at], Node::Dir(_)) {
                return Err(Errno::NOTDIR);
            }
            if self.shut.contains(&at) {
                return Err(Errno::ACCES);
            }
            if name == "." || name.is_empty() {
                continue;
            }
            if name == ".." {
                if trail.len() > 1 {
                    trail.pop();
                }
                continue;
            }
            if name.len() > 255 {
                return Err(Errno::NAMETOOLONG);
            }
            let Some((name, child)) = self.entry(at, &name) else { return Err(Errno::NOENT) };
            match &self.nodes[child] {
                Node::Link(target) if follow || !todo.is_empty() => {
                    links += 1;
                    if links > 40 {
                        return Err(Errno::LOOP);
                    }
                    if target.is_absolute() {
                        trail.truncate(1);
                    }
                    todo.extend(split(target));
                }
                Node::Failing(Errno::LOOP) if follow || !todo.is_empty() => return Err(Errno::LOOP),
                _ => trail.push((child, here.join(&name))),
            }
        }
        Ok(trail.pop().expect("never empty"))
    }

    fn meta(&self, index: usize) -> Meta {
        let (kind, len, links) = match &self.nodes[index] {
            Node::File { bytes, links } => (FileType::File, bytes.len() as u64, *links),
            Node::Sparse(len) => (FileType::File, *len, 1),
            Node::Dir(_) => (FileType::Dir, 0, 1),
            Node::Link(_) | Node::Failing(Errno::LOOP) => (FileType::Link, 0, 1),
            Node::Special(kind) => (*kind, 0, 1),
            Node::Failing(_) => (FileType::File, 1, 1),
        };
        Meta {
            kind,
            len,
            links,
            identity: (1, index as u64),
            guarded: !self.open.contains(&index),
            writable: !self.sealed.contains(&index),
        }
    }
}

#[cfg(unix)]
fn link(target: &Path, path: &Path) {
    std::os::unix::fs::symlink(target, path).expect("a link");
}

#[cfg(windows)]
fn link(target: &Path, path: &Path) {
    let made = if target.is_dir() {
        std::os::windows::fs::symlink_dir(target, path)
    } else {
        std::os::windows::fs::symlink_file(target, path)
    };
    made.expect("a link");
}

/// The components in reverse; a trailing slash asks for a directory.
fn split(path: &Path) -> Vec<OsString> {
    let text = path.as_os_str().to_str().expect("cases are UTF-8");
    let mut parts: Vec<OsString> = text.split('/').filter(|part| !part.is_empty()).map(OsString::from).collect();
    if text.ends_with('/') && !parts.is_empty() {
        parts.push(OsString::from("."));
    }
    parts.reverse();
    parts
}

impl Filesystem for World {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        self.index(path, true).map(|index| self.meta(index))
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        self.index(path, false).map(|index| self.meta(index))
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        match &self.nodes[self.index(path, false)?] {
            Node::Link(target) => Ok(target.clone()),
            _ => Err(Errno::INVAL),
        }
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.walk(path, true).map(|(_, path)| path)
    }

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        let index = self.index(path, true).map_err(Unreadable::Errno)?;
        match &self.nodes[index] {
            Node::File { bytes, .. } if bytes.len() as u64 > FILE_CAP_BYTES => {
                Err(Unreadable::TooLarge(bytes.len() as u64))
            }
            Node::File { bytes, .. } => Ok(bytes.clone()),
            Node::Sparse(len) if *len > FILE_CAP_BYTES => Err(Unreadable::TooLarge(*len)),
            Node::Sparse(len) => Ok(vec![0; *len as usize].into()),
            Node::Dir(_) => Err(Unreadable::Not(FileType::Dir)),
            Node::Special(kind) => Err(Unreadable::Not(*kind)),
            Node::Failing(errno) => Err(Unreadable::Errno(*errno)),
            Node::Link(_) => unreachable!("links were followed"),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        let index = self.index(path, true)?;
        let Node::Dir(entries) = &self.nodes[index] else { return Err(Errno::NOTDIR) };
        if self.hidden.contains(&index) {
            return Err(Errno::ACCES);
        }
        Ok(entries
            .list
            .iter()
            .map(|(name, index)| Entry { name: name.clone(), kind: self.meta(*index).kind })
            .collect())
    }

    fn fetched(&self, url: &str) -> Remote {
        self.served.get(url).cloned().unwrap_or(Remote::NotFetched)
    }
}

/// A snapshot with everything told.
impl Facts for World {
    fn told(&self, ask: &Ask) -> Option<Fact> {
        Some(disk::observe(self, ask))
    }
}

/// `@serves URL`, `@serves URL | raw` and `@serves URL | status N` with its body.
fn served((header, body): (&str, &str)) -> (String, Remote) {
    let (url, how) = header.split_once(" | ").unwrap_or((header, ""));
    let remote = match how.split_once(' ').unwrap_or((how, "")) {
        ("", _) => Remote::Body(body.as_bytes().into()),
        ("raw", _) => Remote::Body(unescape(body.strip_suffix('\n').unwrap_or(body)).into()),
        ("status", status) => Remote::Failed(format!("the server answers {status}")),
        (other, _) => panic!("{url}: nothing is served so: {other}"),
    };
    (url.to_owned(), remote)
}

/// `\xNN`, `\n`, `\r`, `\t` and `\\` as bytes.
fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        out.push(match chars.next().expect("an escape after the backslash") {
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            '\\' => b'\\',
            'x' => u8::from_str_radix(&chars.by_ref().take(2).collect::<String>(), 16).expect("two hexadecimal digits"),
            other => panic!("no such escape: \\{other}"),
        });
    }
    out
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let value = |c: u8| DIGITS.iter().position(|digit| *digit == c);
    let (mut out, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for digit in text.bytes().filter_map(value) {
        bits = bits << 6 | u32::try_from(digit).expect("six bits");
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}
