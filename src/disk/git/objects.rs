//! Reads the objects of a repository wherever git keeps them: loose, in packs, as deltas, in other repositories.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::ids::{Id, OBJECT_CAP_BYTES, ObjectKind};
use super::packs::{Entry, Pack, sizes};
use super::reading::{Allowance, COPYING, damaged, open, unpacked};
use crate::disk::Filesystem;

/// Maximum number of commits to go back.
const ANCESTOR_LIMIT: usize = 100_000;

/// Maximum length of a chain of tags that point to tags.
const TAG_LIMIT: usize = 100;

/// Maximum length of a delta chain (`git pack-objects --depth`, git 2.47).
const DELTA_LIMIT: usize = 4095;

/// Maximum size of the file that lists other repositories, in bytes, and maximum number of those repositories.
const ALTERNATES_LIMITS: (usize, usize) = (1 << 20, 100);

/// Maximum number of packs; git combines them from 50 on.
const PACK_LIMIT: usize = 1_000;

/// Maximum number of entries of a tree.
const ENTRY_LIMIT: usize = 500_000;

/// Maximum length of a loose object's header, in bytes.
const LOOSE_HEAD_BYTES: usize = 64;

/// Maximum depth of alternates, repositories that borrow from others (git 2.47).
const ALTERNATES_DEPTH: usize = 5;

/// An entry of a tree.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub name: Vec<u8>,
    pub node: Node,
}

/// The kind of an entry, with the name of its object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Tree(Id),
    Blob(Id),
    Link(Id),
    /// A submodule: a commit of another repository.
    Module,
}

/// The parents and time of a commit.
pub(super) struct Commit {
    /// Parents of the commit.
    pub parents: Vec<Id>,
    /// Committer time, in seconds since 1970.
    pub time: i64,
}

/// The places that hold a repository's objects.
#[derive(Clone)]
pub(super) struct Objects {
    /// The `objects` directories, the repository's own first.
    directories: Vec<PathBuf>,
    packs: Vec<Pack>,
    /// Length of an object name in bytes: 20 for SHA-1, 32 for SHA-256.
    pub name_len: usize,
    /// Remaining budget for reading, shared by all clones of this value.
    allowance: Arc<Allowance>,
}

impl Objects {
    /// Opens the objects of a repository and of those that it borrows from.
    pub fn of(disk: &dyn Filesystem, directory: PathBuf, name_len: usize) -> Result<Objects, String> {
        let mut directories = Vec::new();
        with_alternates(disk, directory, ALTERNATES_DEPTH, &mut directories)?;
        let packs: Vec<Pack> =
            directories.iter().flat_map(|directory| packs(disk, directory, name_len)).take(PACK_LIMIT + 1).collect();
        if packs.len() > PACK_LIMIT {
            return Err(format!("more than {PACK_LIMIT} packs are not read; `git gc` makes one of them"));
        }
        Ok(Objects { directories, packs, name_len, allowance: Arc::default() })
    }

    /// Returns the kind and the content of an object.
    fn read(&self, id: &Id) -> Result<(ObjectKind, Vec<u8>), String> {
        if let Some(loose) = self.loose(id) {
            return loose;
        }
        let Some((mut pack, mut offset)) = self.packed(id)? else {
            return Err(format!("the object {id} is not in the repository"));
        };
        let (mut deltas, mut bytes_of_deltas) = (Vec::new(), 0);
        while deltas.len() < DELTA_LIMIT && bytes_of_deltas <= OBJECT_CAP_BYTES {
            let (delta, base) = match pack.entry(offset, &self.allowance)? {
                Entry::Whole(kind, bytes) => return self.made(id, kind, bytes, deltas),
                Entry::OnOffset(base, delta) => (delta, (pack, base)),
                Entry::OnObject(base, delta) => match self.packed(&base)? {
                    Some(found) => (delta, found),
                    None => {
                        deltas.push(delta);
                        let (kind, bytes) =
                            self.loose(&base).ok_or_else(|| format!("the object {base} is missing"))??;
                        return self.made(id, kind, bytes, deltas);
                    }
                },
            };
            bytes_of_deltas += delta.len();
            deltas.push(delta);
            (pack, offset) = base;
        }
        Err(format!("{id}: deltas without an end"))
    }

    /// Applies a chain of deltas to its base object.
    fn made(
        &self,
        id: &Id,
        kind: ObjectKind,
        base: Vec<u8>,
        deltas: Vec<Vec<u8>>,
    ) -> Result<(ObjectKind, Vec<u8>), String> {
        let make = |base: Vec<u8>, delta: &Vec<u8>| {
            let size = sizes(&mut delta.iter().copied()).map_or(0, |(_, size)| size);
            self.allowance.spend(COPYING * (delta.len() + size) as u64).map_err(|error| format!("{id}: {error}"))?;
            applied(&base, delta).ok_or_else(|| format!("{id}: a delta that fits nothing"))
        };
        Ok((kind, deltas.iter().rev().try_fold(base, make)?))
    }

    /// Returns the pack that holds an object, and the object's offset.
    fn packed(&self, id: &Id) -> Result<Option<(&Pack, u64)>, String> {
        for pack in &self.packs {
            if let Some(offset) = pack.find(id, &self.allowance)? {
                return Ok(Some((pack, offset)));
            }
        }
        Ok(None)
    }

    fn loose_files(&self, id: &Id) -> impl Iterator<Item = PathBuf> {
        let hex = id.to_string();
        self.directories.iter().map(move |directory| directory.join(&hex[..2]).join(&hex[2..]))
    }

    fn loose(&self, id: &Id) -> Option<Result<(ObjectKind, Vec<u8>), String>> {
        let read = |file| -> io::Result<_> {
            let bytes = unpacked(&file, 0, OBJECT_CAP_BYTES + LOOSE_HEAD_BYTES, &self.allowance)?;
            let (kind, size, begins) = loose_head(&bytes).ok_or_else(damaged)?;
            let content = bytes.get(begins..).unwrap_or_default();
            if content.len() == size { Ok((kind, content.to_vec())) } else { Err(damaged()) }
        };
        let file = self.loose_files(id).find_map(|file| open_if_there(&file, &self.allowance))?;
        Some(file.and_then(read).map_err(|error| format!("the object {id}: {error}")))
    }

    /// Returns the size of an object in bytes, as its header states it.
    pub fn size(&self, id: &Id) -> Result<usize, String> {
        let said = |error: io::Error| format!("the object {id}: {error}");
        if let Some(file) = self.loose_files(id).find_map(|file| open_if_there(&file, &self.allowance)) {
            let head = file.and_then(|file| unpacked(&file, 0, LOOSE_HEAD_BYTES, &self.allowance)).map_err(said)?;
            return loose_head(&head).map(|(_, size, _)| size).ok_or_else(|| said(damaged()));
        }
        let (pack, offset) = self.packed(id)?.ok_or_else(|| format!("the object {id} is not in the repository"))?;
        pack.size(offset, &self.allowance)
    }

    /// Returns the entries of a tree sorted by name, without those that git would not check out.
    pub fn tree(&self, id: &Id) -> Result<Vec<Item>, String> {
        let (kind, bytes) = self.read(id)?;
        if kind != ObjectKind::Tree {
            return Err(format!("{id} is a {}, not a tree", kind.word()));
        }
        let mut items = Vec::new();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (item, after) = item(rest, self.name_len).ok_or_else(|| format!("the tree {id} is damaged"))?;
            if items.len() == ENTRY_LIMIT {
                return Err(format!("the tree {id} has more than {ENTRY_LIMIT} entries"));
            }
            if is_name(&item.name) {
                items.push(item);
            }
            rest = after;
        }
        items.sort_by(|one, other| one.name.cmp(&other.name));
        items.dedup_by(|one, other| one.name == other.name);
        Ok(items)
    }

    /// Returns the content of a blob.
    pub fn blob(&self, id: &Id) -> Result<Vec<u8>, String> {
        match self.read(id)? {
            (ObjectKind::Blob, bytes) => Ok(bytes),
            (kind, _) => Err(format!("{id} is a {}, not a blob", kind.word())),
        }
    }

    /// Returns the object whose name starts with `hex`; `None` if there is none, an error if there are several.
    pub fn with_prefix(&self, disk: &dyn Filesystem, hex: &str) -> Result<Option<Id>, String> {
        let hex = hex.to_ascii_lowercase();
        if hex.len() < 4 || hex.len() > 2 * self.name_len || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let mut found = Vec::new();
        for directory in &self.directories {
            let listed = disk.list(&directory.join(&hex[..2])).unwrap_or_default();
            let names = listed.iter().filter_map(|entry| Some(format!("{}{}", &hex[..2], entry.name.to_str()?)));
            found.extend(names.filter(|name| name.starts_with(&hex)).filter_map(|name| Id::from_hex(&name)));
        }
        for pack in &self.packs {
            found.extend(pack.with_prefix(&hex, &self.allowance)?);
        }
        found.sort();
        found.dedup();
        match <[Id; 1]>::try_from(found) {
            Ok([id]) => Ok(Some(id)),
            Err(none) if none.is_empty() => Ok(None),
            Err(_) => Err(format!("{hex} is the beginning of several names of objects")),
        }
    }

    /// Follows tags and returns the object at the end with its kind.
    pub fn peeled(&self, id: Id) -> Result<(Id, ObjectKind), String> {
        let mut id = id;
        for _ in 0..TAG_LIMIT {
            let (kind, bytes) = self.read(&id)?;
            if kind != ObjectKind::Tag {
                return Ok((id, kind));
            }
            id = header(&bytes, "object ").next().ok_or_else(|| format!("the tag {id} is of nothing"))?;
        }
        Err(format!("{id}: tags of tags without an end"))
    }

    /// Returns the tree of a commit, or the tree itself.
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

    /// Returns true if an object is a commit or a tag of one.
    pub fn is_commit(&self, id: &Id) -> bool {
        self.peeled(id.clone()).is_ok_and(|(_, kind)| kind == ObjectKind::Commit)
    }

    /// Returns the parents and time of a commit.
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

    /// Goes back `times` commits, each time to the parent with number `parent`, counted from one.
    pub fn ancestor(&self, id: Id, parent: usize, times: usize) -> Result<Id, String> {
        let (mut id, _) = self.peeled(id)?;
        if times > ANCESTOR_LIMIT {
            return Err(format!("{times} commits back is further than the {ANCESTOR_LIMIT} that are looked up"));
        }
        for _ in 0..times {
            let (kind, bytes) = self.read(&id)?;
            if kind != ObjectKind::Commit {
                return Err(format!("{id} is a {}, not a commit", kind.word()));
            }
            let parents: Vec<Id> = header(&bytes, "parent ").collect();
            let count = parents.len();
            id = parents.into_iter().nth(parent - 1).ok_or_else(|| match count {
                0 => format!("the history has no commit before {id}; name one that it has"),
                count => format!("the commit {id} has {count} parents, and no parent {parent}"),
            })?;
        }
        Ok(id)
    }
}

/// Returns the objects that follow a keyword in the header of a commit or tag.
fn header<'a>(bytes: &'a [u8], word: &'a str) -> impl Iterator<Item = Id> + 'a {
    let lines = bytes.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
    lines.filter_map(move |line| Id::from_hex(std::str::from_utf8(line).ok()?.strip_prefix(word)?))
}

/// Parses the first entry of a tree. Returns it with the remaining bytes.
fn item(rest: &[u8], name_len: usize) -> Option<(Item, &[u8])> {
    let space = rest.iter().position(|byte| *byte == b' ')?;
    let nul = rest.iter().position(|byte| *byte == 0)?;
    let id = Id(rest.get(nul + 1..nul + 1 + name_len)?.to_vec());
    let mode = u32::from_str_radix(std::str::from_utf8(rest.get(..space)?).ok()?, 8).ok()?;
    let node = match mode & 0o170_000 {
        0o040_000 => Node::Tree(id),
        0o100_000 => Node::Blob(id),
        0o120_000 => Node::Link(id),
        _ => Node::Module,
    };
    Some((Item { name: rest.get(space + 1..nul)?.to_vec(), node }, &rest[nul + 1 + name_len..]))
}

/// Returns true for a name that git would check out (`verify_path`, git 2.47).
fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name != b"." && name != b".." && !name.eq_ignore_ascii_case(b".git") && !name.contains(&b'/')
}

/// Parses the header of a loose object, `kind size` and a zero byte. Returns the kind, the size, and the start of the
/// content.
fn loose_head(bytes: &[u8]) -> Option<(ObjectKind, usize, usize)> {
    let nul = bytes.iter().take(LOOSE_HEAD_BYTES).position(|byte| *byte == 0)?;
    let (word, size) = std::str::from_utf8(&bytes[..nul]).ok()?.split_once(' ')?;
    let kind = [ObjectKind::Commit, ObjectKind::Tree, ObjectKind::Blob, ObjectKind::Tag]
        .into_iter()
        .find(|kind| kind.word() == word)?;
    Some((kind, size.parse().ok()?, nul + 1))
}

/// Opens a loose object's file; `None` if it does not exist.
fn open_if_there(file: &Path, allowance: &Allowance) -> Option<io::Result<std::fs::File>> {
    match open(file, allowance) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
        opened => Some(opened),
    }
}

/// Adds a directory of objects and those that it borrows from by `info/alternates`.
fn with_alternates(
    disk: &dyn Filesystem,
    directory: PathBuf,
    depth: usize,
    found: &mut Vec<PathBuf>,
) -> Result<(), String> {
    if found.contains(&directory) {
        return Ok(());
    }
    let listed = disk.read(&directory.join("info/alternates")).ok();
    let (bytes, number) = ALTERNATES_LIMITS;
    if found.len() == number || listed.as_ref().is_some_and(|listed| listed.len() > bytes) {
        return Err(format!("{}: borrows from more than {number} repositories", directory.display()));
    }
    found.push(directory.clone());
    if let Some(listed) = listed.filter(|_| depth > 0) {
        for line in String::from_utf8_lossy(&listed).lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            with_alternates(disk, directory.join(line), depth - 1, found)?;
        }
    }
    Ok(())
}

fn packs(disk: &dyn Filesystem, directory: &Path, name_len: usize) -> Vec<Pack> {
    let directory = directory.join("pack");
    let indices = disk.list(&directory).unwrap_or_default().into_iter().map(|entry| directory.join(entry.name));
    let indices = indices.filter(|path| path.extension().is_some_and(|it| it == "idx"));
    indices.map(|index| Pack { index, name_len, fan: OnceLock::new() }).collect()
}

/// Applies a delta, which consists of pieces of the base and new data.
fn applied(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut rest = delta.iter().copied();
    let (from, to) = sizes(&mut rest)?;
    if from != base.len() || to > OBJECT_CAP_BYTES {
        return None;
    }
    let mut out = Vec::new();
    while let Some(op) = rest.next() {
        if op & 0x80 == 0 {
            // Reads up to 127 new bytes. Nothing is reserved in advance, since the data may be missing.
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
