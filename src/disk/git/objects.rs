//! The objects of a repository, wherever git keeps them: loose, in packs, as deltas, in other repositories.
#![expect(clippy::disallowed_methods, reason = "this is the room that touches the file system")]

use std::path::{Path, PathBuf};

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::ids::{Id, OBJECT_CAP_BYTES, ObjectKind};
use super::packs::{Entry, Pack};

/// How long a chain of tags, parents or deltas may be.
const CHAIN_LIMIT: usize = 100_000;

/// How deep repositories may borrow from others; git 2.47.
const ALTERNATES_DEPTH: usize = 5;

/// One entry of a tree.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub name: Vec<u8>,
    pub node: Node,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Tree(Id),
    Blob(Id),
    Link(Id),
    /// A commit of another repository.
    Module,
}

/// The history that a commit tells.
pub(super) struct Commit {
    /// The commits that it comes from.
    pub parents: Vec<Id>,
    /// When it was made, in seconds since 1970.
    pub time: i64,
}

/// Where objects are.
#[derive(Clone)]
pub(super) struct Objects {
    /// The directories `objects`, the repository's own first.
    directories: Vec<PathBuf>,
    packs: Vec<Pack>,
    /// How long a name is, in bytes: 20 with SHA-1, 32 with SHA-256.
    pub name_len: usize,
}

impl Objects {
    /// The objects of a repository, and of those it borrows from.
    pub fn of(directory: PathBuf, name_len: usize) -> Objects {
        let mut directories = Vec::new();
        with_alternates(directory, ALTERNATES_DEPTH, &mut directories);
        let packs = directories.iter().flat_map(|directory| packs(directory, name_len)).collect();
        Objects { directories, packs, name_len }
    }

    /// What an object is, and its bytes.
    fn read(&self, id: &Id) -> Result<(ObjectKind, Vec<u8>), String> {
        if let Some(loose) = self.loose(id) {
            return loose;
        }
        let Some((mut pack, mut offset)) = self.packed(id)? else {
            return Err(format!("the object {id} is not in the repository"));
        };
        let mut deltas = Vec::new();
        while deltas.len() < CHAIN_LIMIT {
            let base = match pack.entry(offset)? {
                Entry::Whole(kind, bytes) => Some((kind, bytes)),
                Entry::OnOffset(base, delta) => {
                    deltas.push(delta);
                    offset = base;
                    None
                }
                Entry::OnObject(base, delta) => {
                    deltas.push(delta);
                    match self.packed(&base)? {
                        Some(found) => {
                            (pack, offset) = found;
                            None
                        }
                        None => Some(self.loose(&base).ok_or_else(|| format!("the object {base} is missing"))??),
                    }
                }
            };
            if let Some((kind, mut bytes)) = base {
                while let Some(delta) = deltas.pop() {
                    bytes = applied(&bytes, &delta).ok_or_else(|| format!("{id}: a delta that fits nothing"))?;
                }
                return Ok((kind, bytes));
            }
        }
        Err(format!("{id}: deltas without an end"))
    }

    /// The pack that has an object, and where in it.
    fn packed(&self, id: &Id) -> Result<Option<(&Pack, u64)>, String> {
        for pack in &self.packs {
            if let Some(offset) = pack.find(id)? {
                return Ok(Some((pack, offset)));
            }
        }
        Ok(None)
    }

    fn loose(&self, id: &Id) -> Option<Result<(ObjectKind, Vec<u8>), String>> {
        let hex = id.to_string();
        let mut files = self.directories.iter().map(|directory| directory.join(&hex[..2]).join(&hex[2..]));
        let raw = files.find_map(|file| std::fs::read(file).ok())?;
        Some(loose(&raw).ok_or_else(|| format!("the object {id} is damaged")))
    }

    /// The entries of a tree, in git's order.
    pub fn tree(&self, id: &Id) -> Result<Vec<Item>, String> {
        let (kind, bytes) = self.read(id)?;
        if kind != ObjectKind::Tree {
            return Err(format!("{id} is a {}, not a tree", kind.word()));
        }
        let mut items = Vec::new();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (item, after) = item(rest, self.name_len).ok_or_else(|| format!("the tree {id} is damaged"))?;
            items.push(item);
            rest = after;
        }
        Ok(items)
    }

    /// The bytes of a blob.
    pub fn blob(&self, id: &Id) -> Result<Vec<u8>, String> {
        match self.read(id)? {
            (ObjectKind::Blob, bytes) => Ok(bytes),
            (kind, _) => Err(format!("{id} is a {}, not a blob", kind.word())),
        }
    }

    /// The one object whose name begins so; `None` if there is none, an error if there are several.
    pub fn with_prefix(&self, hex: &str) -> Result<Option<Id>, String> {
        let hex = hex.to_ascii_lowercase();
        if hex.len() < 4 || hex.len() > 2 * self.name_len || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let mut found = Vec::new();
        for directory in &self.directories {
            let listed = std::fs::read_dir(directory.join(&hex[..2])).into_iter().flatten().flatten();
            let names = listed.filter_map(|entry| Some(format!("{}{}", &hex[..2], entry.file_name().to_str()?)));
            found.extend(names.filter(|name| name.starts_with(&hex)).filter_map(|name| Id::from_hex(&name)));
        }
        for pack in &self.packs {
            found.extend(pack.with_prefix(&hex)?);
        }
        found.sort();
        found.dedup();
        match <[Id; 1]>::try_from(found) {
            Ok([id]) => Ok(Some(id)),
            Err(none) if none.is_empty() => Ok(None),
            Err(_) => Err(format!("{hex} is the beginning of several names of objects")),
        }
    }

    /// The object that a tag is of, or the object itself.
    pub fn peeled(&self, id: Id) -> Result<(Id, ObjectKind), String> {
        let mut id = id;
        for _ in 0..CHAIN_LIMIT {
            let (kind, bytes) = self.read(&id)?;
            if kind != ObjectKind::Tag {
                return Ok((id, kind));
            }
            id = header(&bytes, "object ").next().ok_or_else(|| format!("the tag {id} is of nothing"))?;
        }
        Err(format!("{id}: tags of tags without an end"))
    }

    /// The tree of a commit, or the tree itself.
    pub fn tree_of(&self, id: Id) -> Result<Id, String> {
        let (id, kind) = self.peeled(id)?;
        match kind {
            ObjectKind::Tree => Ok(id),
            ObjectKind::Commit => {
                let bytes = self.read(&id)?.1;
                header(&bytes, "tree ").next().ok_or_else(|| format!("the commit {id} has no tree"))
            }
            ObjectKind::Blob | ObjectKind::Tag => Err(format!("{id} is a {}, not a commit", kind.word())),
        }
    }

    /// Returns true if an object is a commit, or a tag of one.
    pub fn is_commit(&self, id: &Id) -> bool {
        self.peeled(id.clone()).is_ok_and(|(_, kind)| kind == ObjectKind::Commit)
    }

    /// Returns what a commit says of the history.
    pub fn commit(&self, id: &Id) -> Result<Commit, String> {
        let (kind, bytes) = self.read(id)?;
        if kind != ObjectKind::Commit {
            return Err(format!("{id} is a {}, not a commit", kind.word()));
        }
        // `committer Ada <ada@example.org> 1700000000 +0100`
        let lines = bytes.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
        let committer = lines.filter_map(|line| line.strip_prefix(b"committer ")).next().unwrap_or_default();
        let time = committer.rsplit(|byte| *byte == b' ').nth(1).and_then(|time| std::str::from_utf8(time).ok());
        let time = time.and_then(|time| time.parse().ok()).unwrap_or(0);
        Ok(Commit { parents: header(&bytes, "parent ").collect(), time })
    }

    /// The parent with that number, from one, of each commit `times` times.
    pub fn ancestor(&self, id: Id, parent: usize, times: usize) -> Result<Id, String> {
        let (mut id, _) = self.peeled(id)?;
        if times > CHAIN_LIMIT {
            return Err(format!("{times} commits back is further than the {CHAIN_LIMIT} that are looked up"));
        }
        for _ in 0..times {
            let (kind, bytes) = self.read(&id)?;
            if kind != ObjectKind::Commit {
                return Err(format!("{id} is a {}, not a commit", kind.word()));
            }
            let parents: Vec<Id> = header(&bytes, "parent ").collect();
            let count = parents.len();
            id = parents.into_iter().nth(parent - 1).ok_or_else(|| format!("the commit {id} has {count} parents"))?;
        }
        Ok(id)
    }
}

/// The objects that stand behind a word in the head of a commit or a tag.
fn header<'a>(bytes: &'a [u8], word: &'a str) -> impl Iterator<Item = Id> + 'a {
    let lines = bytes.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
    lines.filter_map(move |line| Id::from_hex(std::str::from_utf8(line).ok()?.strip_prefix(word)?))
}

/// The first entry of a tree's bytes, and the bytes behind it.
fn item(rest: &[u8], name_len: usize) -> Option<(Item, &[u8])> {
    let space = rest.iter().position(|byte| *byte == b' ')?;
    let nul = rest.iter().position(|byte| *byte == 0)?;
    let id = Id(rest.get(nul + 1..nul + 1 + name_len)?.to_vec());
    let node = match rest.get(..space)? {
        b"40000" | b"040000" => Node::Tree(id),
        b"120000" => Node::Link(id),
        b"160000" => Node::Module,
        _ => Node::Blob(id),
    };
    Some((Item { name: rest.get(space + 1..nul)?.to_vec(), node }, &rest[nul + 1 + name_len..]))
}

/// What a loose object is, and its bytes: packed as `kind length`, a zero byte, and the bytes.
fn loose(raw: &[u8]) -> Option<(ObjectKind, Vec<u8>)> {
    let bytes = decompress_to_vec_zlib_with_limit(raw, OBJECT_CAP_BYTES).ok()?;
    let nul = bytes.iter().position(|byte| *byte == 0)?;
    let word = std::str::from_utf8(&bytes[..nul]).ok()?.split(' ').next()?;
    let kind = [ObjectKind::Commit, ObjectKind::Tree, ObjectKind::Blob, ObjectKind::Tag]
        .into_iter()
        .find(|kind| kind.word() == word)?;
    Some((kind, bytes[nul + 1..].to_vec()))
}

/// Adds a directory of objects, and those it borrows from by `info/alternates`.
fn with_alternates(directory: PathBuf, depth: usize, found: &mut Vec<PathBuf>) {
    if found.contains(&directory) {
        return;
    }
    let listed = std::fs::read_to_string(directory.join("info/alternates")).unwrap_or_default();
    found.push(directory.clone());
    if depth > 0 {
        for line in listed.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            with_alternates(directory.join(line), depth - 1, found);
        }
    }
}

fn packs(directory: &Path, name_len: usize) -> Vec<Pack> {
    let listed = std::fs::read_dir(directory.join("pack")).into_iter().flatten().flatten();
    let indices = listed.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == "idx"));
    indices.map(|index| Pack { index, name_len }).collect()
}

/// A text made from its base by a delta: pieces of the base, and new ones.
fn applied(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut rest = delta.iter().copied();
    let mut number = || {
        let (mut value, mut shift) = (0_usize, 0);
        loop {
            let byte = rest.next()?;
            value |= usize::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    };
    let (from, to) = (number()?, number()?);
    if from != base.len() || to > OBJECT_CAP_BYTES {
        return None;
    }
    let mut out = Vec::with_capacity(to);
    while let Some(op) = rest.next() {
        if op & 0x80 == 0 {
            // That many new bytes; none is reserved.
            let before = out.len();
            out.extend(rest.by_ref().take(usize::from(op)));
            if op == 0 || out.len() - before != usize::from(op) {
                return None;
            }
            continue;
        }
        let mut bytes = |mask: u8, count: u32| {
            (0..count).try_fold(0_usize, |value, at| {
                let byte = if op & (mask << at) == 0 { 0 } else { rest.next()? };
                Some(value | usize::from(byte) << (8 * at))
            })
        };
        let (start, len) = (bytes(0x01, 4)?, bytes(0x10, 3)?);
        let len = if len == 0 { 0x10000 } else { len };
        out.extend_from_slice(base.get(start..start.checked_add(len)?)?);
        if out.len() > to {
            return None;
        }
    }
    (out.len() == to).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_is_pieces_of_the_base_and_new_ones() {
        let base = b"0123456789";
        for (delta, made) in [
            (&b"\x0a\x05\x91\x02\x03\x02ab"[..], Some("234ab")),
            (b"\x0a\x03\x90\x03", Some("012")),
            (b"\x0b\x03\x90\x03", None),
            (b"\x0a\x04\x90\x03", None),
            (b"\x0a\x05\x91\x08\x05", None),
            (b"\x0a\x02\x03ab", None),
            (b"\x0a\x00\x00", None),
            (b"\x0a", None),
        ] {
            assert_eq!(applied(base, delta).as_deref(), made.map(str::as_bytes), "{delta:?}");
        }
    }
}
